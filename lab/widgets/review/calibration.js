// How sure a reader was, against how often that was right: without a page.

(() => {
  const Z = 1.959964; // of a 95 % interval
  const ENOUGH = 10; // answers; of fewer no curve is drawn
  // Lower ends of the bins. What one may say lies well inside them (see `steps`), and "certain" is a bin of its own.
  const BINS = [0, 0.2, 0.4, 0.6, 0.8, 1];

  /** The 95 % interval of a share, `good` of `n`, after Wilson (1927): it stays between 0 and 1, also of few. */
  function wilson(good, n) {
    if (n === 0) return [0, 1];
    const p = good / n;
    const z2 = Z * Z;
    const centre = (p + z2 / (2 * n)) / (1 + z2 / n);
    const half = (Z / (1 + z2 / n)) * Math.sqrt((p * (1 - p)) / n + z2 / (4 * n * n));
    return [good === 0 ? 0 : centre - half, good === n ? 1 : centre + half];
  }

  /** Each question once, as it was first answered with a confidence: later answers have seen the solution. */
  function points(said) {
    const first = new Map();
    for (const one of [...said].sort((a, b) => a.at - b.at))
      if (!first.has(one.id)) first.set(one.id, one);
    return [...first.values()].map(({ sure, right }) => ({ sure, right }));
  }

  /** { n, good, sure, share, interval, brier, bins } of these points; null of none. Bins without any are left out. */
  function calibration(given) {
    const n = given.length;
    if (n === 0) return null;
    const all = summed(given);
    const brier =
      given.reduce((sum, { sure, right }) => sum + (sure - (right ? 1 : 0)) ** 2, 0) / n;
    const bins = BINS.map((from, i) => {
      const to = BINS[i + 1] ?? Number.POSITIVE_INFINITY;
      const inside = given.filter(({ sure }) => from <= sure && sure < to);
      return inside.length ? { from, to: Math.min(to, 1), ...summed(inside) } : null;
    });
    return { ...all, brier, bins: bins.filter(Boolean), enough: n >= ENOUGH };
  }

  function summed(given) {
    const n = given.length;
    const good = given.filter(({ right }) => right).length;
    const sure = given.reduce((sum, one) => sum + one.sure, 0) / n;
    return { n, good, sure, share: good / n, interval: wilson(good, n) };
  }

  const percent = (share) => `${Math.round(100 * share)} %`;
  const span = ([low, high]) => `${Math.round(100 * low)} to ${percent(high)}`;

  /** What a reader may say of an answer: shares, the lowest of them a blind guess where there is one. */
  function steps({ kind, options, several, right }) {
    const many = several || (Array.isArray(right) && right.length > 1);
    if (kind !== "choice" || many) return [0.1, 0.3, 0.5, 0.7, 0.9, 1];
    const guess = 1 / options.length;
    return [guess, ...[0.5, 0.7, 0.9, 1].filter((step) => step > guess + 0.05)];
  }

  /** A mean may be right where its parts are not. */
  function chance(bins) {
    const off = bins.filter(({ sure, interval: [low, high] }) => sure < low || sure > high);
    return off.length
      ? `Over all, chance alone could make that difference; at ${off.length} of ${bins.length} levels of confidence it hardly could.`
      : "Chance alone could make that difference.";
  }

  /** In a sentence, what can be said of so many, and no more. */
  function verdict({ n, good, sure, interval, bins }) {
    const told = `On average you were ${percent(sure)} sure, and ${good} of ${n} were right: ${percent(good / n)}`;
    const within = `(95 % interval ${span(interval)})`;
    const [low, high] = interval;
    const meaning =
      sure > high
        ? "You were right less often than you thought."
        : sure < low
          ? "You were right more often than you thought."
          : chance(bins);
    return `${told} ${within}. ${meaning}`;
  }

  Object.assign(globalThis.LabReview, {
    ...{ wilson, points, calibration, steps, verdict, percent, span, ENOUGH },
  });
})();

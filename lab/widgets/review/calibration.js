// How sure a reader was against how often the answers were right. This file needs no page.

(() => {
  const Z = 1.959964; // of a 95 % interval
  const ENOUGH = 10; // answers that a curve needs
  // Lower ends of the bins. The levels that a reader can choose lie well inside (see `steps`), and "certain" has its own bin.
  const BINS = [0, 0.2, 0.4, 0.6, 0.8, 1];

  /** The 95 % interval of the share `good` of `n`, after Wilson (1927). Even with few answers, it stays between 0 and 1. */
  function wilson(good, n) {
    if (n === 0) return [0, 1];
    const p = good / n;
    const z2 = Z * Z;
    const centre = (p + z2 / (2 * n)) / (1 + z2 / n);
    const half = (Z / (1 + z2 / n)) * Math.sqrt((p * (1 - p)) / n + z2 / (4 * n * n));
    return [good === 0 ? 0 : centre - half, good === n ? 1 : centre + half];
  }

  /** The first answer to each question. The reader had seen the solution before any later answer. */
  function points(reviews) {
    const first = new Map();
    for (const review of [...reviews].sort((a, b) => a.at - b.at))
      if (!first.has(review.id)) first.set(review.id, review);
    return [...first.values()].map(({ sure, right }) => ({ sure, right }));
  }

  /** { n, good, sure, share, interval, brier, bins } of these answers; null without any. Empty bins are left out. */
  function calibration(answers) {
    const n = answers.length;
    if (n === 0) return null;
    const summary = summed(answers);
    const brier =
      answers.reduce((sum, { sure, right }) => sum + (sure - (right ? 1 : 0)) ** 2, 0) / n;
    const bins = BINS.map((from, i) => {
      const to = BINS[i + 1] ?? Number.POSITIVE_INFINITY;
      const inside = answers.filter(({ sure }) => from <= sure && sure < to);
      return inside.length ? { from, to: Math.min(to, 1), ...summed(inside) } : null;
    });
    return { ...summary, brier, bins: bins.filter(Boolean), enough: n >= ENOUGH };
  }

  function summed(answers) {
    const n = answers.length;
    const good = answers.filter(({ right }) => right).length;
    const sure = answers.reduce((sum, answer) => sum + answer.sure, 0) / n;
    return { n, good, sure, share: good / n, interval: wilson(good, n) };
  }

  const percent = (share) => `${Math.round(100 * share)} %`;
  const span = ([low, high]) => `${Math.round(100 * low)} to ${percent(high)}`;

  /** The confidences that a reader can choose, as shares. The lowest is that of a blind guess, if the question has options. */
  function steps({ kind, options, several, right }) {
    const many = several || (Array.isArray(right) && right.length > 1);
    if (kind !== "choice" || many) return [0.1, 0.3, 0.5, 0.7, 0.9, 1];
    const guess = 1 / options.length;
    return [guess, ...[0.5, 0.7, 0.9, 1].filter((step) => step > guess + 0.05)];
  }

  /** The sentence where the mean agrees with the confidence. Single bins may still disagree. */
  function chance(bins) {
    const off = bins.filter(({ sure, interval: [low, high] }) => sure < low || sure > high);
    return off.length
      ? `Overall, chance alone could explain that difference. At ${off.length} of ` +
          `${bins.length} levels of confidence, it hardly could.`
      : "Chance alone could explain that difference.";
  }

  /** A sentence that claims no more than so many answers support. */
  function verdict({ n, good, sure, interval, bins }) {
    const average = `On average you were ${percent(sure)} sure, and ${good} of ${n} were right: ${percent(good / n)}`;
    const within = `(95 % interval ${span(interval)})`;
    const [low, high] = interval;
    const meaning =
      sure > high
        ? "You were right less often than you thought."
        : sure < low
          ? "You were right more often than you thought."
          : chance(bins);
    return `${average} ${within}. ${meaning}`;
  }

  Object.assign(globalThis.LabReview, {
    ...{ wilson, points, calibration, steps, verdict, percent, span, ENOUGH },
  });
})();

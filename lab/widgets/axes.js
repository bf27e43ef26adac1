// The ticks of an axis in a component. lab/plot/ticks.py has those of figures.

(() => {
  const STEPS = [[1, 2, 5], [1, 3], [1]]; // the steps of a decade, the densest set first

  function linear(low, high) {
    const raw = (high - low) / 4;
    const power = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= raw * 0.999);
    const first = Math.ceil(low / step);
    const count = Math.floor((high / step) * 1.000001) - first + 1;
    return Array.from({ length: count }, (_, i) => Number(((first + i) * step).toPrecision(12)));
  }

  function logarithmic(low, high, most, stepSets) {
    const first = Math.floor(Math.log10(low));
    const powers = Array.from(
      { length: Math.ceil(Math.log10(high)) - first + 1 },
      (_, i) => first + i,
    );
    let ticks;
    for (const steps of stepSets) {
      ticks = powers
        .flatMap((power) => steps.map((step) => Number(`${step}e${power}`)))
        .filter((tick) => low * 0.999 <= tick && tick <= high * 1.001);
      if (ticks.length <= most) break;
    }
    const stride = Math.ceil(ticks.length / most);
    return ticks.filter((_, i) => i % stride === 0);
  }

  globalThis.LabAxes = {
    /** Round numbers from one end of an axis to the other. A logarithmic axis has at most `most` ticks, from the first set of
     * `steps` that gives so few.
     */
    ticks: (low, high, { scale = "linear", most = 7, steps = STEPS } = {}) =>
      scale === "log" ? logarithmic(low, high, most, steps) : linear(low, high),
  };
})();

// Numbers as the components of a page write them, as lab/text/numbers.py does. Intl can do that, too, and first takes 50 ms of an
// opening page for its tables.

(() => {
  const decimals = (value) =>
    Math.min(20, Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value) || 1))));
  const trimmed = (text) => (text.includes(".") ? text.replace(/\.?0+$/, "") : text);
  const grouped = (text) => text.replace(/^-?\d+/, (n) => n.replace(/\B(?=(\d{3})+$)/g, ","));

  /** Three digits; the middle between two goes to the even one, as Python rounds: 1125 is 1120, where toPrecision takes 1130. */
  function fixed(value) {
    const [digits, power] = value.toExponential(60).split("e");
    const middle = /^(-?\d\.\d[02468])50*$/.exec(digits);
    const rounded = Number(middle ? `${middle[1]}e${power}` : value.toPrecision(3));
    return rounded.toFixed(decimals(rounded));
  }

  /** As toFixed, but of the number as it is written: 1.005 is 1.01, though its bits are a little less. */
  function asWritten(value, digits) {
    if (Number.isInteger(value)) return String(BigInt(value));
    const [digit, power = 0] = String(Math.abs(value)).split("e");
    const whole = Math.round(`${digit}e${+power + digits}`);
    return (Math.sign(value) * `${whole}e${-digits}`).toFixed(digits);
  }

  globalThis.LabNumbers = {
    /** Without zeros at its end: 1230, 0.5. */
    bare: (value) => trimmed(fixed(value)),
    /** The same in a sentence: 1,230, −0.5. */
    tidy: (value) => grouped(trimmed(fixed(value))).replace("-", "−"),
    /** What somebody wrote, rounded: three digits that count, all before the point, thousands apart. */
    halfUp: (value) =>
      value === 0 || !Number.isFinite(value)
        ? String(value)
        : grouped(trimmed(asWritten(value, decimals(value)))).replace("-", "−"),
  };
})();

// How the components of a page write numbers: as lab/text/numbers.py does. Intl could do the same, but loading its tables takes
// 50 ms while a page opens.

(() => {
  const decimals = (value) =>
    Math.min(20, Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value) || 1))));
  const withoutZeros = (text) => (text.includes(".") ? text.replace(/\.?0+$/, "") : text);
  const withCommas = (text) => text.replace(/^-?\d+/, (n) => n.replace(/\B(?=(\d{3})+$)/g, ","));

  /** Three digits. A tie goes to the even digit, as in Python: 1125 becomes 1120, and toPrecision would give 1130. */
  function fixed(value) {
    const [digits, power] = value.toExponential(60).split("e");
    const middle = /^(-?\d\.\d[02468])50*$/.exec(digits);
    const rounded = Number(middle ? `${middle[1]}e${power}` : value.toPrecision(3));
    return rounded.toFixed(decimals(rounded));
  }

  /** As toFixed, but rounds the decimal text of a number: 1.005 becomes 1.01, although its binary value is a little less. */
  function asWritten(value, digits) {
    if (Number.isInteger(value)) return String(BigInt(value));
    const [digit, power = 0] = String(Math.abs(value)).split("e");
    const whole = Math.round(`${digit}e${+power + digits}`);
    return (Math.sign(value) * `${whole}e${-digits}`).toFixed(digits);
  }

  globalThis.LabNumbers = {
    /** Without zeros at its end: 1230, 0.5. */
    bare: (value) => withoutZeros(fixed(value)),
    /** The same in a sentence: 1,230, −0.5. */
    tidy: (value) => withCommas(withoutZeros(fixed(value))).replace("-", "−"),
    /** A number that a reader wrote, rounded to three significant digits, with commas between thousands. */
    halfUp: (value) =>
      value === 0 || !Number.isFinite(value)
        ? String(value)
        : withCommas(withoutZeros(asWritten(value, decimals(value)))).replace("-", "−"),
  };
})();

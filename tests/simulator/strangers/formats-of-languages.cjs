const day = new Date(Date.UTC(2024, 1, 29, 13, 5, 9));
const format = new Intl.DateTimeFormat("en-GB", {
  dateStyle: "medium",
  timeStyle: "short",
  timeZone: "UTC",
});
console.log(format.format(day), Intl.DateTimeFormat("en", { timeZone: "UTC" }).format(0));
console.log(format.resolvedOptions().timeZone, format.formatToParts(day).length);
const euro = new Intl.NumberFormat("de-DE", { style: "currency", currency: "EUR" });
console.log([1234.5, -0.1, Infinity, NaN, 12345678901234567890n].map(euro.format));
console.log(new Intl.NumberFormat("en", { notation: "compact" }).format(12345));
console.log(["z", "ä", "a"].sort(new Intl.Collator("de").compare));
console.log(new Intl.PluralRules("en", { type: "ordinal" }).select(2));
console.log(new Intl.RelativeTimeFormat("en", { numeric: "auto" }).format(-1, "day"));
console.log(new Intl.ListFormat("en").format(["a", "b", "c"]));
console.log(new Intl.DisplayNames("en", { type: "region" }).of("DE"));
console.log(typeof Intl, typeof Intl.NumberFormat, `${Intl}`, euro, Intl.NumberFormat.name);
for (const fails of [
  () => new Intl.NumberFormat("en", { style: "currency" }),
  () => new Intl.DateTimeFormat("en", { timeZone: "Nowhere" }),
  () => Intl.PluralRules("en"),
  () => format.format(NaN),
])
  try {
    fails();
  } catch ({ name, message }) {
    console.log(name, message);
  }

// What is no number and no text, or is missing.
const number = new Intl.NumberFormat("en");
const { format: dated } = Intl.DateTimeFormat("en", { timeZone: "UTC" });
const values = [null, true, -0, "-0", undefined, [5], { valueOf: () => 7 }, "12345678901234567890"];
console.log(values.map((value) => number.format(value)).join(" "));
console.log([null, true, -0, "5", [0], { valueOf: () => 0 }].map((value) => dated(value)));
console.log(dated(undefined) === dated(), number.format === number.format);
const isNow = Math.abs(format.formatToParts(undefined).length - format.formatToParts().length);
console.log(isNow, format.formatToParts(null)[0].value, number.formatRange(null, 3));
const list = new Intl.ListFormat("en");
const letters = function* letters() {
  yield* ["x", "y"];
};
console.log(list.format(new Set(["a", "b"])), list.format(letters()), [list.format()]);
const relative = new Intl.RelativeTimeFormat("en");
console.log(relative.format(-0, "day"), relative.format(null, "day"), relative.format("2", "day"));
console.log(new Intl.PluralRules("en").select(true), new Intl.Collator("en").compare(null, "null"));
for (const fails of [
  () => dated(5n),
  () => dated({}),
  () => format.formatRange(0, undefined),
  () => number.formatRange(1),
  () => list.format(null),
  () => list.format(["a", 1]),
  () => list.format({}),
  () => relative.format(null),
  () => relative.format(1n, "day"),
])
  try {
    console.log(fails());
  } catch ({ name, message }) {
    console.log(name, message);
  }

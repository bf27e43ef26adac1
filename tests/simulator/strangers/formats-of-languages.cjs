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

console.log((1234567.891).toLocaleString(), (0.256).toLocaleString("de-DE", { style: "percent" }));
console.log(
  (-0).toLocaleString(),
  NaN.toLocaleString(),
  12345678901234567890n.toLocaleString("en-IN"),
);
const at = new Date(Date.UTC(2024, 2, 5, 14, 7, 9));
console.log(at.toLocaleDateString(), at.toLocaleTimeString(), at.toLocaleString("de-DE"));
console.log(
  at.toLocaleDateString("en-GB", { weekday: "long", month: "long", timeZone: "Asia/Tokyo" }),
);
console.log(at.toString(), at.toTimeString(), at.toDateString(), `${new Date(NaN)}`);
console.log(
  ["b", "ä", "a", "C"].sort((x, y) => x.localeCompare(y)),
  "a".localeCompare("A", "en", { sensitivity: "base" }),
);
console.log("I".toLocaleLowerCase("tr"), "ß".toLocaleUpperCase());
try {
  (1).toLocaleString("not a language");
} catch (error) {
  console.log(error.name);
}

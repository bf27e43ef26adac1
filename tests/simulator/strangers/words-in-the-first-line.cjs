process.nextTick((counts) => counts.add(1), {});
process.on("uncaughtException", (error) => console.log(error.message));
try {
  const make = async () => {};
  new make();
} catch (error) {
  console.log(error.message);
}
for (const text of ['{"a": 1, }', "{a: 1}"])
  try {
    JSON.parse(text);
  } catch (error) {
    console.log(error.message);
  }
const copy = structuredClone({ day: new Date(0) });
console.log(copy.day instanceof Date, copy);

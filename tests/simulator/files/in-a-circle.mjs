import first, { number } from "./first.cjs";
import * as waits from "./waits.mjs";

console.log("main", first.number === number, waits.count, import.meta.filename.split("/").pop());
process.nextTick(() => console.log("tick"));
Promise.resolve().then(() => console.log("promise"));

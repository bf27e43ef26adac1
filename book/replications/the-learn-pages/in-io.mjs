// How often the immediate comes first: in the callback of a read, RUNS times.
import { readFile } from "node:fs";

const RUNS = 1000;
let immediates = 0;
const run = (n) =>
  readFile(new URL(import.meta.url), () => {
    let first;
    setTimeout(() => {
      first ??= "timer";
      if (first === "immediate") immediates += 1;
      if (n < RUNS) run(n + 1);
      else console.log(JSON.stringify({ runs: RUNS, "immediate first": immediates }));
    }, 0);
    setImmediate(() => {
      first ??= "immediate";
    });
  });
run(1);

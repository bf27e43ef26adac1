// The examples of tasks against the reference solutions: `EXPRESSION; // → VALUE`. Reads a list of { name, solution, code } from
// the standard input, and prints what differs. A number of a task may be rounded: its digits are compared.

import { json } from "node:stream/consumers";
import { pathToFileURL } from "node:url";
import { isDeepStrictEqual } from "node:util";

const AsyncFunction = (async () => undefined).constructor;
const LINE = /^(.+?);?\s*\/\/ → (.+)$/;

/** The value with each number rounded to as many digits as the same number of `model` has. */
function rounded(value, model) {
  if (typeof value === "number" && typeof model === "number") {
    const digits = String(model).replace(/^-?0?\.?0*|\.|e.*$/g, "").length;
    return Number(value.toPrecision(Math.max(digits, 3)));
  }
  const isPlain = Array.isArray(value) || Object.getPrototypeOf(value ?? 0) === Object.prototype;
  if (!isPlain || typeof model !== "object") return value; // a Map, a Set, an Error is compared as it is
  const parts = Object.keys(value).map((key) => [key, rounded(value[key], model?.[key])]);
  return Array.isArray(value) ? parts.map(([, part]) => part) : Object.fromEntries(parts);
}

for (const { name, solution, code } of await json(process.stdin)) {
  const exports = await import(pathToFileURL(solution).href);
  const compare = (value, model, line) => {
    if (isDeepStrictEqual(rounded(value, model), rounded(model, model))) return;
    console.log(`${name}: ${line} gives ${JSON.stringify(value)}`);
  };
  const lines = code.split("\n").map((line) => {
    const match = LINE.exec(line);
    return match ? `compare(${match[1]}, (${match[2]}), ${JSON.stringify(line)});` : line;
  });
  const names = Object.keys(exports).filter((word) => word !== "default");
  try {
    const run = new AsyncFunction("compare", ...names, lines.join("\n"));
    await run(compare, ...names.map((word) => exports[word]));
  } catch (error) {
    console.log(`${name}: ${error.message}`);
  }
}

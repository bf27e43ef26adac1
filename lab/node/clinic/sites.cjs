// Who asked for something: the first line of the program itself in the stack, a package's if there is none.
"use strict";

module.exports = function sites(most) {
  const found = {}; // what -> place -> how often
  let left = most;

  function place() {
    const limit = Error.stackTraceLimit;
    Error.stackTraceLimit = 25;
    const lines = new Error().stack.split("\n").slice(1);
    Error.stackTraceLimit = limit;
    const mine = lines.filter(
      (line) => /:\d+:\d+\)?$/.test(line) && !line.includes("node:") && !line.includes(__dirname),
    );
    const line = mine.find((one) => !/[\\/]node_modules[\\/]/.test(one)) ?? mine[0];
    return line?.trim().replace(/^at /, "") ?? null;
  }

  return {
    note(what) {
      if (left <= 0) return;
      left -= 1;
      const where = place();
      if (where === null) return;
      found[what] ??= {};
      found[what][where] = (found[what][where] ?? 0) + 1;
    },
    all: () => found,
  };
};

// Who asked for something: the first line of the program itself in the stack, a package's if there is none.
"use strict";

module.exports = function sites(most) {
  const counts = {}; // what -> place -> how often
  let notesLeft = most;

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
    note(kind) {
      if (notesLeft <= 0) return;
      notesLeft -= 1;
      const where = place();
      if (where === null) return;
      counts[kind] ??= {};
      counts[kind][where] = (counts[kind][where] ?? 0) + 1;
    },
    all: () => counts,
  };
};

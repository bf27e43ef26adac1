// How long this process's first thread has waited for a processor since it began, in ms; Linux tells it, elsewhere 0.
"use strict";
const fs = require("node:fs");
const { closeSync, readSync } = fs; // those of Node, whatever the program makes of them later

module.exports = function waited() {
  const text = Buffer.alloc(64);
  let file = -1;
  try {
    file = fs.openSync(`/proc/self/task/${process.pid}/schedstat`, "r");
  } catch {
    // Another system, or no descriptor left.
  }
  return {
    ms() {
      if (file < 0) return 0;
      try {
        const length = readSync(file, text, 0, 64, 0);
        return Number(text.latin1Slice(0, length).split(" ")[1]) / 1e6;
      } catch {
        return 0;
      }
    },
    close() {
      if (file >= 0) closeSync(file);
      file = -1;
    },
  };
};

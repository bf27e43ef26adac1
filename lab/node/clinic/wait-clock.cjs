// The time in ms that the first thread of this process has waited for a processor since the process began. Linux
// reports this time. On other systems it is 0.
"use strict";
const fs = require("node:fs");
const { closeSync, readSync } = fs; // the functions of Node, which the program may replace later

module.exports = function waited() {
  const text = Buffer.alloc(64);
  let file = -1;
  try {
    file = fs.openSync(`/proc/self/task/${process.pid}/schedstat`, "r");
  } catch {
    // The system is not Linux, or no descriptor is free.
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

"use strict";
// Calls `cleared(timer)` when the program clears a timer or an immediate. The destroy hook tells too, but only
// when Node next empties its list of destroyed resources: an iteration too late to show.

const timers = require("node:timers");

module.exports = function watchClear(cleared) {
  for (const name of ["clearTimeout", "clearInterval", "clearImmediate"]) {
    const clear = timers[name];
    const watched = {
      [name](timer) {
        if (typeof timer === "object" && timer !== null) cleared(timer);
        return clear(timer);
      },
    }[name];
    timers[name] = watched;
    globalThis[name] = watched;
  }
  require("node:module").syncBuiltinESMExports();
};

"use strict";
// Calls `cleared(timer)` when the program clears a timer or an immediate. The destroy hook tells too, but only
// when Node next empties its list of destroyed resources: an iteration too late to show.

const timers = require("node:timers");

module.exports = function watchClear(onClear) {
  for (const name of ["clearTimeout", "clearInterval", "clearImmediate"]) {
    const clear = timers[name];
    const wrapper = {
      [name](timer) {
        if (typeof timer === "object" && timer !== null) onClear(timer);
        return clear(timer);
      },
    }[name];
    timers[name] = wrapper;
    globalThis[name] = wrapper;
  }
  require("node:module").syncBuiltinESMExports();
};

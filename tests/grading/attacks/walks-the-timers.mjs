// always-later. Walks from its own timers and immediates, and from those of a socket, to those of the check.
import net from "node:net";

const ours = new Set();
const links = ["_idleNext", "_idlePrev"];
// Whatever hangs in the same list or queue, and has a callback that is not its own.
function walk(from, found = new Set()) {
  if (from === null || typeof from !== "object" || found.has(from)) return found;
  found.add(from);
  for (const link of links) walk(from[link], found);
  return found;
}
function look(from, how) {
  for (const each of walk(from))
    for (const callback of [each._onTimeout, each._onImmediate])
      if (typeof callback === "function" && !ours.has(each))
        throw new Error(`LEAK: a callback, reached from ${how}`);
}
function timer(make, clear, how) {
  const mine = make(() => {});
  ours.add(mine);
  look(mine, how);
  clear(mine);
}
const raw = (ms) => {
  const socket = new net.Socket().setTimeout(ms);
  const found = Object.getOwnPropertySymbols(socket).map((name) => socket[name]);
  return found.find((each) => typeof each?._onTimeout === "function");
};

// A setter where the objects inherit from hears of each that is made.
for (const each of walk(raw(123_456)))
  for (const name of ["_onTimeout", "_idleStart", "_idleNext", "msecs"])
    try {
      Object.defineProperty(Object.getPrototypeOf(each), name, {
        configurable: true,
        set(value) {
          if (typeof value === "function" || name === "msecs")
            throw new Error("LEAK: heard of a timer that was made");
        },
      });
    } catch {
      // it cannot be changed
    }

let asked = 0;
export const cached = () => () => {
  if (asked++ > 2) return;
  timer(setImmediate, clearImmediate, "an immediate");
  for (let ms = 1; ms <= 100; ms++) {
    timer((callback) => setTimeout(callback, ms), clearTimeout, `a timer of ${ms} ms`);
    const mine = raw(ms);
    ours.add(mine);
    look(mine, `the timer of a socket, ${ms} ms`);
  }
};

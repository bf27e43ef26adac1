// always-later. Reads the text of the functions that a check hands out, with the toString of another context.
import * as module from "node:module";
import vm from "node:vm";

const found = [];
const textOf = [
  () => vm.runInNewContext("Function.prototype.toString"),
  () => new vm.Script("Function.prototype.toString").runInNewContext(),
  () => vm.runInContext("Function.prototype.toString", vm.createContext()),
].map((get) => {
  try {
    return get();
  } catch {
    return () => "";
  }
});
try {
  module.registerHooks({ load: (url, context, next) => next(url, context) });
  found.push("hooks");
} catch {
  // not to be had
}
export const cached = (fetch) => {
  for (const text of textOf) if (/fetched/.test(Reflect.apply(text, fetch, []))) found.push(fetch);
  if (found.length > 0) throw new Error(`LEAK: ${found}`);
  return () => {};
};

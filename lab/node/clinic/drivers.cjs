// Where the program asks a database: drivers hand a question on by nextTick or from a queue, so that the stack at the connection
// no longer has the program's line. Their methods are told apart by their names, in modules that are called as pools and
// connections are; each is called as before.
"use strict";
const Module = require("node:module");

const MODULES = /(?:^|[\\/])(?:pg|pg-pool|generic-pool|ioredis|pool|connection|client)(?:\.js)?$/i;
const METHODS = ["query", "execute", "getConnection", "acquire", "sendCommand"];
const MOST_SITES = 60;

module.exports = function watchDrivers() {
  const sites = require("./sites.cjs")(MOST_SITES);
  const seen = new WeakSet();

  function watch(prototype) {
    if (seen.has(prototype)) return;
    seen.add(prototype);
    for (const name of METHODS) {
      const descriptor = Object.getOwnPropertyDescriptor(prototype, name);
      if (typeof descriptor?.value !== "function" || !descriptor.writable) continue;
      const original = descriptor.value;
      const wrapper = function (...args) {
        sites.note("query");
        return original.apply(this, args);
      };
      for (const key of ["name", "length"]) {
        Object.defineProperty(wrapper, key, { value: original[key], configurable: true });
      }
      Object.assign(wrapper, original);
      Object.defineProperty(prototype, name, { ...descriptor, value: wrapper });
    }
  }

  const load = Module._load;
  Module._load = function (request, ...rest) {
    const moduleExports = load.call(this, request, ...rest);
    try {
      if (MODULES.test(request) && !request.startsWith("node:")) {
        const named =
          typeof moduleExports === "object" && moduleExports !== null
            ? Object.values(moduleExports)
            : [];
        for (const one of [moduleExports, ...named]) {
          if (typeof one === "function" && one.prototype) watch(one.prototype);
        }
      }
    } catch {
      // What we cannot see is not the program's problem.
    }
    return moduleExports;
  };
  return sites.all;
};

// always-later. SQL has a function that tells, and calls, any address of its process; code that V8 kept can be written by hand.
import { createRequire } from "node:module";
import { Worker } from "node:worker_threads";

const code = `
  const got = [];
  const note = (name, attempt) => {
    try {
      if (attempt()) got.push(name);
    } catch {
      // not to be had
    }
  };
  const sqlite = (() => {
    try {
      return process.getBuiltinModule("node:sqlite");
    } catch {
      return undefined; // not in this Node
    }
  })();
  const SQL = "select hex(fts3_tokenizer(?)) as address";
  const address = (database) => database.prepare(SQL).get("simple").address;
  if (sqlite) {
    note("a database", () => address(new sqlite.DatabaseSync(":memory:")));
    note("by its prototype", () => address(new sqlite.DatabaseSync.prototype.constructor(":memory:")));
    note("a subclass", () => address(new (class extends sqlite.DatabaseSync {})(":memory:")));
    note("by Reflect", () => address(Reflect.construct(sqlite.DatabaseSync, [":memory:"])));
    note("by require", () => address(new (require("node:sqlite").DatabaseSync)(":memory:")));
    note("a statement", () => sqlite.StatementSync.prototype.constructor);
    note("a backup", () => sqlite.backup({}, "/own/copy").then);
  }
  const vm = require("node:vm");
  const { Script } = vm;
  const cachedData = new Script("7").createCachedData();
  const taken = (script) => script.cachedDataRejected === false;
  const inner = Object.getPrototypeOf(Script.prototype).constructor;
  note("kept code", () => taken(new Script("7", { cachedData })));
  note("kept code of a class", () => taken(new (class extends Script {})("7", { cachedData })));
  note("kept code by its constructor", () => taken(new Script.prototype.constructor("7", { cachedData })));
  note("kept code by createScript", () => taken(vm.createScript("7", { cachedData })));
  note("kept code by the class above", () => taken(new inner("7", "file", 0, 0, cachedData, false)));
  const kept = vm.compileFunction("return 7", [], { produceCachedData: true }).cachedData;
  note("a kept function", () => vm.compileFunction("return 7", [], { cachedData: kept }).cachedDataRejected === false);
  const { enableCompileCache } = require("node:module");
  note("kept modules", () => enableCompileCache?.("/own"));
  return got;
`;
const found = new Function("require", code)(createRequire(import.meta.url));
try {
  const { DatabaseSync } = await import("node:sqlite");
  new DatabaseSync(":memory:");
  found.push("an import");
} catch {
  // not in this Node, or not to be had
}
const worker = new Worker(
  `require("node:worker_threads").parentPort.postMessage((() => {${code}})())`,
  { eval: true },
);
found.push(...(await new Promise((resolve) => worker.once("message", resolve))));
throw new Error(found.length > 0 ? `LEAK: ${found}` : "nothing was to be had");

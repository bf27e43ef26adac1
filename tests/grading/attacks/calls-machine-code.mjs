// always-later. Has machine code loaded, as an engine of TLS; calls functions of libraries, and reads any address: Node 26 can.
import { createRequire } from "node:module";
import { Worker } from "node:worker_threads";

const code = `
  const got = [];
  const note = (name, attempt) => {
    try {
      attempt();
      got.push(name);
    } catch {
      // not to be had
    }
  };
  const loads = (attempt) => () => {
    try {
      attempt();
    } catch (error) {
      if (!/shared library|DSO|ENGINE/i.test(error.message)) throw error;
    }
  };
  const { connect, createSecureContext } = require("node:tls");
  for (const [name, make] of [["a context", createSecureContext], ["a socket", connect]]) {
    const given = { port: 1, host: "127.0.0.1", clientCertEngine: "/own/code.so" };
    note("engine of " + name, loads(() => make(given)?.on?.("error", () => {})));
    delete given.clientCertEngine;
    Object.assign(given, { privateKeyEngine: "/own/code.so", privateKeyIdentifier: "key" });
    note("key of " + name, loads(() => make(given)?.on?.("error", () => {})));
  }
  const ffi = (() => {
    try {
      return process.getBuiltinModule("node:ffi");
    } catch {
      return undefined;
    }
  })();
  if (ffi) {
    const bytes = Buffer.alloc(64, "key");
    note("an address", () => ffi.getRawPointer(bytes));
    note("memory", () => ffi.getUint8(ffi.getRawPointer(bytes)));
    note("a library", () => ffi.dlopen(null, {}));
    note("a class of libraries", () => new ffi.DynamicLibrary(null));
    note("a symbol", () => ffi.dlsym(null, "getpid"));
    note("a view", () => ffi.toBuffer(1n, 1, false));
    note("an export", () => ffi.exportString("x", 1n, 1));
  }
  return got;
`;
const found = new Function("require", code)(createRequire(import.meta.url));
try {
  const { getRawPointer } = await import("node:ffi");
  getRawPointer(Buffer.alloc(8));
  found.push("an import");
} catch {
  // not in this Node, or not to be had
}
const worker = new Worker(
  `require("node:worker_threads").parentPort.postMessage((() => {${code}})())`,
  { eval: true },
);
found.push(...(await new Promise((resolve) => worker.once("message", resolve))));
if (found.length > 0) throw new Error(`LEAK: ${found}`);
export const cached = () => () => {};

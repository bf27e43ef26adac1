// after-io. Puts its own methods into what sockets of the check are made of: Node's modules, their classes, and libuv's handles.
import { createRequire } from "node:module";
import net from "node:net";
import { Readable, Writable } from "node:stream";
import { StringDecoder } from "node:string_decoder";

const heard = new Set();
const replace = (object, name, how) => {
  try {
    const { value: before } = Object.getOwnPropertyDescriptor(object, name);
    if (typeof before !== "function") return;
    object[name] = function (...given) {
      heard.add(how);
      return Reflect.apply(before, this, given);
    };
  } catch {
    // it cannot be changed, or is none that can be read
  }
};
const all = (object, how) => {
  for (; object && object !== Object.prototype; object = Object.getPrototypeOf(object))
    for (const name of Reflect.ownKeys(object))
      if (name !== "constructor") replace(object, name, `${how}.${String(name)}`);
};
const trap = (object, name, how) => {
  try {
    Object.defineProperty(object, name, {
      set() {
        heard.add(how);
      },
    });
  } catch {
    // nothing can be added
  }
};

const socket = net.connect(1, "127.0.0.1").on("error", () => {});
const tcp = Object.getPrototypeOf(socket._handle);
const server = net.createServer().listen("/own/mine");
const pipe = Object.getPrototypeOf(server._handle);
for (const [handle, how] of [
  [tcp, "TCP"],
  [pipe, "Pipe"],
]) {
  all(handle, how);
  trap(handle, "onconnection", `a setter of ${how}`);
  trap(handle, "reading", `a setter of ${how}`);
}
all(net.Server.prototype, "Server");
all(net.Socket.prototype, "Socket");
trap(net.Server.prototype, "_handle", "a setter of Server");
trap(net.Socket.prototype, "_handle", "a setter of Socket");
trap(net.Socket.prototype, "_readableState", "a setter of Socket");
const modules = createRequire(import.meta.url);
for (const name of ["connect", "createConnection", "createServer", "Server", "Socket"])
  replace(modules("node:net"), name, `net.${name}`);
replace(modules("node:module").prototype, "require", "require, within a scene");
const states = [new Readable()._readableState, new Writable()._writableState];
for (const state of states.map(Object.getPrototypeOf))
  for (const name of ["afterWriteTickInfo", "onwrite", "buffered", "highWaterMark", "pipes"])
    trap(state, name, `a setter of what a stream notes, ${name}`);
const { buffer } = states[0];
if (!Array.isArray(buffer)) all(Object.getPrototypeOf(buffer), "BufferList");
all(StringDecoder.prototype, "StringDecoder");
socket.destroy();
server.close();

export function afterIO() {
  const theirs = [...heard].filter((how) => !/\.(destroy|close|_destroy)$/.test(how));
  if (theirs.length > 0) throw new Error(`LEAK: ${theirs}`);
}

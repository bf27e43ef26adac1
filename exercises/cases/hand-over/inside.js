// A worker that says what it got; bytes of several kinds; and what is left of them here afterwards.
const { createHash } = own.require("node:crypto");
const { EventEmitter } = own.require("node:events");
const { Worker } = own.require("node:worker_threads");

const digest = (bytes) => createHash("sha256").update(bytes).digest("hex");

// Bytes and Worker are in the hand-in's hands, and may get properties of their own: Node's are asked for.
const getter = (prototype, name) => {
  const { get } = Object.getOwnPropertyDescriptor(prototype, name);
  return (object) => Reflect.apply(get, object, []);
};
const typed = Object.getPrototypeOf(Uint8Array.prototype);
const lengthOf = getter(typed, "byteLength");
const bufferOf = getter(typed, "buffer");
const around = getter(ArrayBuffer.prototype, "byteLength");
const call = (object, method, ...given) => Reflect.apply(method, object, given);
const { on, once, off } = EventEmitter.prototype;
const { postMessage } = Worker.prototype;
const RECEIVES = `
  const { createHash } = require("node:crypto");
  const { parentPort } = require("node:worker_threads");
  const { isUint8Array } = require("node:util").types;
  const view = (bytes) => new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  parentPort.on("message", (message) => {
    const bytes = message?.bytes;
    if (message === "next") return parentPort.postMessage("next");
    if (!isUint8Array(bytes)) return parentPort.postMessage({ odd: Object.keys(Object(message)) });
    parentPort.postMessage({ length: bytes.byteLength, buffer: bytes.buffer.byteLength, digest: createHash("sha256").update(view(bytes)).digest("hex") });
  });`;

let worker;
let given;
let owner;
// What it says until it has answered "next", which is sent after everything else.
const said = async () => {
  const messages = [];
  call(worker, postMessage, "next");
  await new Promise((resolve, reject) => {
    call(worker, once, "error", reject);
    call(worker, on, "message", function receive(message) {
      if (message !== "next") return messages.push(message);
      call(worker, off, "message", receive);
      call(worker, off, "error", reject);
      resolve();
    });
  });
  return messages;
};

const kinds = {
  whole: (text, size) => Buffer.from(new ArrayBuffer(size)).fill(text),
  // the middle of a larger one: its neighbours are zeros
  middle: (text, size) =>
    new Uint8Array(new ArrayBuffer(4 * size), size, size).fill(text.charCodeAt(0)),
  start: (text, size) =>
    new Uint8Array(new ArrayBuffer(2 * size), 0, size).fill(text.charCodeAt(0)),
  // a small Buffer, somewhere in Node's pool
  pooled: (text) => Buffer.from(text),
};

exports.begin = async function begin(_student, { kind, text, size }) {
  worker ??= new Worker(RECEIVES, { eval: true });
  await said();
  given = kinds[kind](text, size);
  owner = { around: given.buffer.byteLength };
  return { length: given.byteLength, digest: digest(given), ...owner };
};

exports.hand = async function hand(student) {
  const returned = student.handOver(worker, given);
  const left = {
    length: lengthOf(given),
    around: around(bufferOf(given)),
    digest: lengthOf(given) > 0 ? digest(given) : "",
  };
  const messages = await said();
  return { returned, left, messages };
};

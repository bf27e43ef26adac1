// The conversation of a check with the process of a hand-in, as that process has it: what values are on their way, what the
// driver may ask for, and scenes. inside.js and the model of a page (lab/simulator) both begin with this text. It is no module:
// what it takes from the text behind it is `types`, `scenes`, `send(frame)`, `loaded()` and `leave()`.
// biome-ignore lint/suspicious/noRedundantUseStrict: it is no module, but the body of a function
"use strict";
/* global config, scenes, types, send, loaded, leave */

const SCENE = "the-scene-of-a-check"; // what its text is called in a stack
const DEEPEST = 40;

// JSON has no undefined, bytes, big numbers or errors: they travel as {"$": kind, ...}. See values.mjs for the other side.
function encode(value, depth = 0, above = []) {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number")
    return Number.isFinite(value) && !Object.is(value, -0)
      ? value
      : { $: "number", v: Object.is(value, -0) ? "-0" : String(value) };
  if (value === undefined) return { $: "undefined" };
  if (typeof value === "bigint") return { $: "bigint", v: String(value) };
  if (typeof value === "symbol") return { $: "symbol", v: String(value.description) };
  if (typeof value === "function") return { $: "function", v: String(value.name) };
  if (types.isProxy(value)) return { $: "proxy" };
  if (depth >= DEEPEST) return { $: "deep" };
  if (above.includes(value)) return { $: "circle" };
  const within = [...above, value];
  const inner = (each) => encode(each, depth + 1, within);
  if (Buffer.isBuffer(value) || types.isUint8Array(value))
    return {
      $: "bytes",
      v: Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("base64"),
    };
  if (types.isAnyArrayBuffer(value)) return { $: "buffer", v: value.byteLength };
  if (types.isNativeError(value)) return encodeError(value);
  if (types.isDate(value)) return { $: "date", v: Date.prototype.getTime.call(value) };
  if (types.isMap(value))
    return {
      $: "map",
      v: [...Map.prototype.entries.call(value)].map(([k, v]) => [inner(k), inner(v)]),
    };
  if (types.isSet(value)) return { $: "set", v: [...Set.prototype.values.call(value)].map(inner) };
  if (types.isPromise(value)) return { $: "promise" };
  if (Array.isArray(value)) return Array.from(value, inner);
  const plain = {};
  for (const name of Object.keys(value)) plain[name] = inner(value[name]);
  return Object.hasOwn(plain, "$") ? { $: "object", v: plain } : plain;
}

function encodeError(error) {
  const field = (name) => {
    try {
      return error[name] === undefined ? undefined : String(error[name]);
    } catch {
      return undefined;
    }
  };
  return {
    $: "error",
    name: field("name"),
    message: field("message"),
    code: field("code"),
    cause: causeOf(error),
    stack: (field("stack") ?? "").slice(0, 4000),
  };
}

/** The code of what an error came of: fetch() says no more of itself than that it failed. */
function causeOf(error) {
  try {
    const { code } = error.cause;
    return typeof code === "string" ? code : undefined;
  } catch {
    return undefined;
  }
}

function decode(value) {
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map(decode);
  switch (value.$) {
    case undefined:
      return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, decode(each)]));
    case "undefined":
      return undefined;
    case "number":
      return Number(value.v);
    case "bigint":
      return BigInt(value.v);
    case "bytes":
      return Buffer.from(value.v, "base64");
    case "date":
      return new Date(value.v);
    case "map":
      return new Map(value.v.map(([k, v]) => [decode(k), decode(v)]));
    case "set":
      return new Set(value.v.map(decode));
    case "error":
      return Object.assign(new Error(value.message), value.code ? { code: value.code } : {});
    case "callback":
      return (...given) => ask(value.v, given);
    case "object":
      return Object.fromEntries(
        Object.entries(value.v).map(([name, each]) => [name, decode(each)]),
      );
    default:
      throw new TypeError(`no value of the kind ${value.$} goes in`);
  }
}

// ---------------------------------------------------------------- asking the driver

const asked = new Map();
let questions = 0;
function ask(callback, given) {
  const id = questions++;
  return new Promise((resolve, reject) => {
    asked.set(id, { resolve, reject });
    send({ ask: callback, id, given: encode(given) });
  });
}
const tell = (name, value) => send({ tell: name, value: encode(value) });

// ---------------------------------------------------------------- what the driver asks for

let student;
const does = {
  async load() {
    student = await loaded();
    // A CommonJS module arrives as `default`; names that Node could not see from outside are there, too.
    const whole = student.default;
    const exports = { ...student };
    if (
      config.file.endsWith(".cjs") &&
      whole &&
      (typeof whole === "object" || typeof whole === "function")
    )
      for (const name of Object.keys(whole)) exports[name] = whole[name];
    student = exports;
    return Object.fromEntries(Object.entries(exports).map(([name, value]) => [name, typeof value]));
  },
  alive: async () => true,
  call: async ({ name, given }) => encode(await student[name](...decode(given))),
  async scene({ name, given }) {
    try {
      return encode(await scenes[name](student, decode(given), tell, ask));
    } catch (error) {
      if (ofScene(error)) throw new Fault(error);
      throw error;
    }
  },
  // From here on only the hand-in keeps its process alive.
  finish: () => {
    leave();
  },
};

// Whether an error was made in the text of a scene, or in something of Node's that a scene called: then the check is at fault,
// and not the hand-in.
class Fault {
  #error;
  constructor(error) {
    this.#error = error;
  }
  static in(thrown) {
    const one = typeof thrown === "object" && thrown !== null && #error in thrown;
    return one ? thrown.#error : undefined;
  }
}
function ofScene(error) {
  if (!types.isNativeError(error)) return false;
  const frames = String(encodeError(error).stack).match(/^ {4}at .*$/gm) ?? [];
  const first = frames.find((frame) => !/\(node:|at node:|\(<anonymous>\)/.test(frame));
  return first?.includes(SCENE) ?? false;
}

// biome-ignore lint/correctness/noUnusedVariables: the text behind this one calls it
async function receive(frame) {
  if ("answer" in frame) {
    const { resolve, reject } = asked.get(frame.answer);
    asked.delete(frame.answer);
    if (frame.error) reject(decode(frame.error));
    else resolve(decode(frame.value));
    return;
  }
  try {
    send({ done: frame.id, value: await does[frame.do](frame) });
  } catch (error) {
    const fault = Fault.in(error);
    if (fault) return send({ done: frame.id, fault: encodeError(fault) });
    send({
      done: frame.id,
      error: types.isNativeError(error)
        ? encodeError(error)
        : { $: "thrown", value: encode(error) },
    });
  }
}

// Found here, because an uncaught error of a hand-in must not end in silence, and a handler of its own must not hide it.
// biome-ignore lint/correctness/noUnusedVariables: the text behind this one calls it
function hearUncaught() {
  process.prependListener("uncaughtExceptionMonitor", (error, origin) =>
    tell("uncaught", { origin, error }),
  );
}

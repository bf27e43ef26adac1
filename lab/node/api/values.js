// What goes to the bridge and what comes from it: plain data by value, Python's objects by handle.
"use strict";

const { inspect } = require("node:util");
const own = require("./primordials.js");

const { Array, ArrayBuffer, Buffer, FinalizationRegistry, Map, Number, Object, Symbol } = own;
const { TypeError, URL, WeakMap, all, array, isBuffer, map, weakMap } = own;
const { Float32Array, Float64Array, Int16Array, Int32Array, Int8Array } = own;
const { Uint16Array, Uint32Array, Uint8Array } = own;

const ARRAYS = {
  u1: Uint8Array,
  i1: Int8Array,
  u2: Uint16Array,
  i2: Int16Array,
  u4: Uint32Array,
  i4: Int32Array,
  f4: Float32Array,
  f8: Float64Array,
};

const NUMBERS = {
  inf: Number.POSITIVE_INFINITY,
  "-inf": Number.NEGATIVE_INFINITY,
  nan: Number.NaN,
};
const DEEPEST = 50;
const MOST_OBJECTS = 20_000;

const handles = new WeakMap();
const records = new WeakMap(); // of rows: the handle of the record that they were taken from
const classes = new Map();
let release = () => {};
const collected = new FinalizationRegistry((handle) => release(handle));

/** A result of lab: its data as properties, its methods awaited. Shows itself in a cell. */
class Result {
  /** What a notebook shows of it; the kernel awaits this. */
  _toMime() {
    return weakMap.get(handles, this)?.call("$show", [], this);
  }

  /** The same result with its data as they are now. */
  fetch() {
    return weakMap.get(handles, this).call("$fetch", [], this);
  }

  [inspect.custom](_depth, options) {
    const text = weakMap.get(handles, this)?.text;
    return text ?? `${this.constructor.name} ${inspect({ ...this }, options)}`;
  }
}

/** Waits for what is still on its way, and replaces what JSON cannot say. Throws TypeError for what has no end. */
async function encode(value, around = [], count = { objects: 0 }) {
  const plainValue = await value;
  if (typeof plainValue === "function")
    throw new TypeError(
      "lab can't call a JavaScript function, because it measures in other " + "processes.",
    );
  if (typeof plainValue === "bigint") return Number(plainValue);
  if (typeof plainValue === "number" && !Number.isFinite(plainValue))
    return { $number: plainValue > 0 ? "inf" : plainValue < 0 ? "-inf" : "nan" };
  if (plainValue === undefined || plainValue === null || typeof plainValue !== "object")
    return plainValue;
  if (weakMap.has(handles, plainValue)) return { $object: weakMap.get(handles, plainValue).handle };
  if (isBuffer(plainValue)) return { $bytes: plainValue.toString("base64") };
  if (plainValue instanceof URL) return plainValue.href;
  if (ArrayBuffer.isView(plainValue)) return all(Array.from(plainValue, (item) => encode(item)));
  const fault = endless(plainValue, around, count);
  if (fault)
    throw new TypeError(`lab takes only plain data, and the value that you passed ${fault}.`);
  const inside = [...around, plainValue];
  const part = (item) => encode(item, inside, count);
  if (Array.isArray(plainValue)) {
    const items = await all(array.map(plainValue, part));
    return weakMap.has(records, plainValue)
      ? { $rows: items, $object: weakMap.get(records, plainValue) }
      : items;
  }
  const entries = array.map(Object.entries(plainValue), async ([key, item]) => [
    key,
    await part(item),
  ]);
  return Object.fromEntries(await all(entries));
}

/** Why an object that lies in the objects `around` cannot be written down; "" if it can. */
function endless(object, around, count) {
  count.objects += 1;
  if (array.includes(around, object)) return "is circular, because an object contains itself";
  if (around.length >= DEEPEST) return `has more than ${DEEPEST} objects inside each other`;
  if (count.objects > MOST_OBJECTS) return `has more than ${MOST_OBJECTS} objects`;
  return "";
}

/** The value that the bridge described; `call` is how its methods are called. */
function decode(value, call) {
  if (Array.isArray(value)) return array.map(value, (item) => decode(item, call));
  if (value === null || typeof value !== "object") return value;
  if ("$number" in value) return NUMBERS[value.$number];
  if ("$bytes" in value) return Buffer.from(value.$bytes, "base64");
  if ("$array" in value) {
    const bytes = Uint8Array.from(Buffer.from(value.data, "base64"));
    return new ARRAYS[value.$array](bytes.buffer);
  }
  if ("$rows" in value) return rowsOf(decode(value.$rows, call), value.$object);
  if ("$type" in value) return decodeObject(value, call);
  return Object.fromEntries(
    array.map(Object.entries(value), ([key, item]) => [key, decode(item, call)]),
  );
}

function rowsOf(rows, record) {
  weakMap.set(records, rows, record);
  collected.register(rows, record);
  return rows;
}

function decodeObject({ $type, $object: handle, text, attributes = {}, items, methods }, call) {
  const kind = classOf($type, methods);
  const object = items ? listOf(kind, items, call) : new kind();
  for (const [name, item] of Object.entries(attributes)) object[name] = decode(item, call);
  if (handle === undefined) return object;
  weakMap.set(handles, object, { handle, text, call });
  collected.register(object, handle);
  return object;
}

function listOf(kind, items, call) {
  const list = array.map(items, (item) => decode(item, call));
  for (const name of ["_toMime", "fetch", inspect.custom])
    Object.defineProperty(list, name, { value: kind.prototype[name] });
  return list;
}

function classOf(type, methods) {
  const key = `${type}:${methods}`;
  if (map.has(classes, key)) return map.get(classes, key);
  const kind = { [type]: class extends Result {} }[type];
  const method = (name, value) =>
    Object.defineProperty(kind.prototype, name, { value, configurable: true, writable: true });
  for (const name of methods)
    method(name, function (...args) {
      return weakMap.get(handles, this).call(name, args, this);
    });
  if (array.includes(methods, "start"))
    method("use", async function (body, ...args) {
      const running = await this.start(...args);
      try {
        return await body(running);
      } finally {
        await running.stop();
      }
    });
  if (array.includes(methods, "stop") && Symbol.asyncDispose)
    method(Symbol.asyncDispose, function () {
      return this.stop();
    });
  map.set(classes, key, kind);
  return kind;
}

const handleOf = (result) => weakMap.get(handles, result).handle;

const onRelease = (listener) => {
  release = listener;
};

module.exports = { encode, decode, handleOf, onRelease };

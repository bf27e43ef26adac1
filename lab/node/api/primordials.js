// What JavaScript has, as it is when this file is first loaded, which a kernel does before the first cell: what our code works
// with must not change when a cell replaces `JSON.stringify` or `Array.prototype.map`. Functions of objects are as they were;
// methods take their object first: `array.map(list, change)`.
"use strict";

const { apply, getOwnPropertyDescriptor, ownKeys } = Reflect;
const { ArrayBuffer, Buffer, Error, FinalizationRegistry, Map, Number, Promise, Symbol } =
  globalThis;
const { TypeError, URL, WeakMap, process } = globalThis;
const { Float32Array, Float64Array, Int16Array, Int32Array, Int8Array } = globalThis;
const { Uint16Array, Uint32Array, Uint8Array } = globalThis;

/** The functions of `object` by name. */
function functionsOf(object, change = (given) => given) {
  const changes = { __proto__: null };
  for (const key of ownKeys(object)) {
    const { value } = getOwnPropertyDescriptor(object, key);
    if (typeof value === "function" && key !== "constructor") changes[key] = change(value, object);
  }
  return changes;
}

const bound = (object) =>
  functionsOf(
    object,
    (given) =>
      (...args) =>
        apply(given, object, args),
  );
const methods = ({ prototype }) =>
  functionsOf(
    prototype,
    (given) =>
      (object, ...args) =>
        apply(given, object, args),
  );

/** As `Promise.all`, which asks for methods at the time when it is called. */
function all(promises) {
  const values = [];
  let pendingCount = promises.length;
  return new Promise((resolve, reject) => {
    const keep = async (at) => {
      try {
        values[at] = await promises[at];
      } catch (error) {
        return reject(error);
      }
      pendingCount -= 1;
      return pendingCount === 0 && resolve(values);
    };
    if (pendingCount === 0) resolve(values);
    for (let at = 0; at < promises.length; at += 1) keep(at);
  });
}

module.exports = {
  Array: bound(Array),
  ArrayBuffer,
  Buffer,
  Error,
  FinalizationRegistry,
  Float32Array,
  Float64Array,
  Int16Array,
  Int32Array,
  Int8Array,
  JSON: bound(JSON),
  Map,
  Number,
  Object: bound(Object),
  Promise,
  Reflect: bound(Reflect),
  Symbol,
  TypeError,
  URL,
  Uint16Array,
  Uint32Array,
  Uint8Array,
  WeakMap,
  all,
  array: methods(Array),
  captureStackTrace: Error.captureStackTrace,
  isBuffer: Buffer.isBuffer,
  map: methods(Map),
  object: methods(Object),
  process,
  set: methods(Set),
  string: methods(String),
  weakMap: methods(WeakMap),
};

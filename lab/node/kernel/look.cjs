// What Tab and Shift-Tab show: values are looked at, and no code of the reader runs. A getter of theirs or a proxy ends the look.
"use strict";

const Module = require("node:module");
const { inspect, types } = require("node:util");
const { hidden, readers } = require("./scope.cjs");

// Taken now: a cell may replace the global ones.
const {
  ArrayBuffer,
  Array,
  Boolean,
  BigInt,
  Function,
  Number,
  Object,
  Reflect,
  Set,
  String,
  Symbol,
  process,
} = globalThis;
const host = globalThis;
const PROTOTYPES = {
  boolean: Boolean,
  number: Number,
  string: String,
  bigint: BigInt,
  symbol: Symbol,
};
const LITERALS = { String: "", Array: [] };
const MANY = 10_000;
const DEEP = 3; // as `inspect` goes
const NOTHING = {};

// Getters that may run: those of Node, `process` and `crypto` say, as they are before the first cell.
const OF_NODE = new Set();

/** Called once nothing is missing that cells start with. */
function prepare() {
  // Those of web storage warn, or write a file.
  for (const [name, { get }] of Object.entries(Object.getOwnPropertyDescriptors(host)))
    if (get && !/Storage$/.test(name)) OF_NODE.add(get);
}

/** {names} of what is to be completed, or {inspection}; {} if there is nothing to be seen. */
function look({ of, names }) {
  try {
    if (!of) return { names: globalNames() };
    if (of.literal && of.keys.length === 0 && !names) return {};
    const found = valueOf(of);
    if (found === NOTHING) return {};
    return names ? { names: namesOf(found.value) } : { inspection: shown(found) };
  } catch {
    return {}; // a name whose cell has not come to its line yet
  }
}

const globalNames = () => [
  ...new Set([...Object.keys(hidden), ...Object.keys(readers), ...namesOf(host)]),
];

/** {value, holder}; NOTHING where it cannot be known. */
function valueOf({ root, literal, keys }) {
  let result = literal ? { value: LITERALS[literal] } : named(root);
  for (const key of keys) {
    if (result === NOTHING) return NOTHING;
    result = member(result.value, key);
  }
  return result;
}

function named(name) {
  if (name === "this") return { value: host };
  const read = Object.hasOwn(readers, name) || name in readers ? readers[name] : undefined;
  return read && !isReplaced(name) ? { value: read() } : member(host, name);
}

/** Whether something later has made a plain property of what was the name of a cell. */
const isReplaced = (name) =>
  !(name in hidden) && "value" in (Reflect.getOwnPropertyDescriptor(host, name) ?? {});

function member(value, key) {
  for (let holder = start(value); holder; holder = Reflect.getPrototypeOf(holder)) {
    if (types.isProxy(holder)) return NOTHING;
    const property = Reflect.getOwnPropertyDescriptor(holder, key);
    if (!property) continue;
    if ("value" in property) return { value: property.value, holder: value };
    const isNodes = OF_NODE.has(property.get) || holder === process || isModule(holder);
    return isNodes ? { value: Reflect.apply(property.get, value, []), holder: value } : NOTHING;
  }
  return NOTHING;
}

/** Where the properties of a value begin. */
function start(value) {
  if (value === null || value === undefined) return null;
  return PROTOTYPES[typeof value]?.prototype ?? value;
}

/** Whether it is what a module of Node exports: `fs.promises` is a getter. */
const isModule = (holder) =>
  Module.builtinModules.some(
    (name) =>
      process.moduleLoadList.includes(`NativeModule ${name}`) &&
      process.getBuiltinModule?.(name) === holder,
  );

function namesOf(value) {
  const names = new Set();
  for (let holder = start(value); holder; holder = Reflect.getPrototypeOf(holder)) {
    if (types.isProxy(holder)) break;
    if (ArrayBuffer.isView(holder) || (Array.isArray(holder) && holder.length > MANY)) continue;
    for (const name of Reflect.ownKeys(holder))
      if (typeof name === "string" && !/^\d+$/.test(name)) names.add(name);
  }
  return [...names];
}

function shown({ value, holder }) {
  const string = types.isProxy(value)
    ? "a proxy, whose handler would run"
    : typeof value === "function"
      ? Function.prototype.toString.call(value)
      : quiet(value)
        ? inspect(value, { customInspect: false, showProxy: true })
        : `{ ${namesOf(value).join(", ")} }`;
  return { string, type: kinds(value)[0] ?? "", holders: kinds(holder) };
}

/** Whether `inspect`, which asks for prototypes and tags, runs nothing of the reader on a value and what lies in it. */
function quiet(value, depth = 0) {
  if (value === null || !/^(object|function)$/.test(typeof value) || types.isProxy(value))
    return true;
  for (let holder = value; holder; holder = Reflect.getPrototypeOf(holder)) {
    if (types.isProxy(holder)) return false;
    const tag = Reflect.getOwnPropertyDescriptor(holder, Symbol.toStringTag);
    if (tag?.get && !/\[native code\]/.test(Function.prototype.toString.call(tag.get)))
      return false;
  }
  if (depth >= DEEP || ArrayBuffer.isView(value)) return true;
  return Reflect.ownKeys(value)
    .slice(0, MANY)
    .every((key) => quiet(Reflect.getOwnPropertyDescriptor(value, key)?.value, depth + 1));
}

/** The names of the constructors of a value, the nearest first. */
function kinds(value) {
  if (value === null) return ["Null"];
  if (value === undefined) return ["Undefined"];
  if (types.isProxy(value)) return ["Proxy"];
  const names = [];
  for (let holder = start(value); holder; holder = Reflect.getPrototypeOf(holder)) {
    if (types.isProxy(holder)) break;
    const kind = Reflect.getOwnPropertyDescriptor(holder, "constructor")?.value;
    if (typeof kind !== "function" || types.isProxy(kind)) continue;
    const name = Reflect.getOwnPropertyDescriptor(kind, "name")?.value;
    if (typeof name === "string") names.push(name);
  }
  return names;
}

module.exports = { look, prepare };

// Values on their way to a hand-in and back, as JSON: the driver's side of `encode` and `decode` in frames.js.
import { inspect } from "node:util";

/** A function of the check that the hand-in may call: it answers with a promise, whatever `answers` returns. */
export class Callback {
  constructor(answers) {
    this.answers = answers;
  }
}

/** Stands for a value that cannot travel (a function, a promise, a proxy); equal to nothing that a check expects. */
export class Odd {
  constructor(kind, name) {
    this.kind = kind;
    if (name) this.name = name;
  }
  get words() {
    return `a ${this.kind}${this.name ? ` ${this.name}` : ""}`;
  }
}

/** A value in words that fit on a page, whatever it is; a text as it is. */
export function shown(value) {
  const text =
    typeof value === "string"
      ? value
      : inspect(value, { depth: 6, breakLength: 100, maxArrayLength: 20, maxStringLength: 300 });
  return text.length > 1200 ? `${text.slice(0, 1200)} …` : text;
}

/** What is to be added to an error that comes of asking for another machine. */
export const unreachable = (text) =>
  /\b(?:ENOTFOUND|EAI_AGAIN|ENETUNREACH|EHOSTUNREACH|ENETDOWN)\b/.test(text)
    ? " (there is no network here, and only this machine itself, 127.0.0.1, can be reached)"
    : "";

/** An error that the hand-in threw, as it told it; with a `value`, something else that it threw. */
export class Thrown extends Error {
  constructor(report) {
    const { name, message, code, cause, stack } = report;
    const none = "value" in report;
    super(
      none
        ? `${thrown(report.value)}, which is not an Error`
        : `${message ?? ""}${unreachable(`${message} ${code} ${cause}`)}`,
    );
    this.none = none;
    this.name = name ?? "Error";
    if (code !== undefined) this.code = code;
    this.theirs = stack ?? "";
  }
}

/** What was thrown, in words: a text in quotes. */
export const thrown = (value) =>
  value instanceof Odd
    ? value.words
    : typeof value === "string"
      ? JSON.stringify(value)
      : shown(value);

/** A value as JSON; `keep` takes a callback and returns the number by which the hand-in will call it. */
export function encode(value, keep) {
  if (value === undefined) return { $: "undefined" };
  if (typeof value === "bigint") return { $: "bigint", v: String(value) };
  if (typeof value === "number" && (!Number.isFinite(value) || Object.is(value, -0)))
    return { $: "number", v: Object.is(value, -0) ? "-0" : String(value) };
  if (value === null || typeof value !== "object") {
    if (typeof value === "function") throw new TypeError("a function goes in as t.callback(fn)");
    return value;
  }
  const inner = (each) => encode(each, keep);
  if (value instanceof Callback) return { $: "callback", v: keep(value) };
  if (value instanceof Uint8Array)
    return {
      $: "bytes",
      v: Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("base64"),
    };
  if (value instanceof Error) return { $: "error", message: value.message, code: value.code };
  if (value instanceof Date) return { $: "date", v: value.getTime() };
  if (value instanceof Map)
    return { $: "map", v: [...value].map(([k, v]) => [inner(k), inner(v)]) };
  if (value instanceof Set) return { $: "set", v: [...value].map(inner) };
  if (Array.isArray(value)) return value.map(inner);
  const plain = Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, inner(each)]),
  );
  return Object.hasOwn(plain, "$") ? { $: "object", v: plain } : plain;
}

/** The value that came. Whoever sends it is not trusted: names such as __proto__ stay plain names, and depth is bounded. */
export function decode(value, depth = 0) {
  if (depth > 50) return new Odd("deep");
  if (value === null || typeof value !== "object") return value;
  const inner = (each) => decode(each, depth + 1);
  if (Array.isArray(value)) return value.map(inner);
  if (!Object.hasOwn(value, "$")) return plain(value, inner);
  switch (value.$) {
    case "undefined":
      return undefined;
    case "number":
      return Number(value.v);
    case "bigint":
      return BigInt(value.v);
    case "bytes":
      return Buffer.from(String(value.v), "base64");
    case "date":
      return new Date(value.v);
    case "map":
      return new Map(value.v.map(([k, v]) => [inner(k), inner(v)]));
    case "set":
      return new Set(value.v.map(inner));
    case "error":
      return new Thrown(value);
    case "thrown":
      return new Thrown({ value: inner(value.value) });
    case "object":
      return plain(value.v, inner);
    default:
      return new Odd(String(value.$), value.v);
  }
}

function plain(value, inner) {
  const result = {};
  for (const [name, each] of Object.entries(value))
    Object.defineProperty(result, name, {
      value: inner(each),
      enumerable: true,
      writable: true,
      configurable: true,
    });
  return result;
}

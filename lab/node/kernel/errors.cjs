// What a reader sees of an error: its message, the frames of their own code with the line numbers of
// the cell, and the line itself. Frames of Node, nel and the kernel say nothing to them.
"use strict";

const path = require("node:path");
const { pathToFileURL } = require("node:url");
const { inspect } = require("node:util");
const vm = require("node:vm");
const { Array, array, map, set, string } = require("../api/primordials.js");

// Taken now: a cell may replace the global ones.
const { Error, Number, Reflect, Set, String, SyntaxError, decodeURI } = globalThis;
const { toString: headerOf } = Error.prototype;

const ROOT = path.resolve(__dirname, "../../..");
const ROOT_URL = pathToFileURL(path.join(ROOT, "/")).href;
const CELLS = path.join(process.cwd(), "cell ");
const CELL = /^ {4}at (.*?)\(?cell (\d+):(\d+):(-?\d+)\)?$/;

/** Set as Error.prepareStackTrace: stacks end where the cell does, wherever they are printed. */
function prepareStackTrace(error, frames) {
  let text = "Error";
  try {
    text = Reflect.apply(headerOf, error, []);
  } catch {
    // An object that cannot be turned into text still gets its frames.
  }
  for (let at = 0; at < frames.length && !isOurs(frames[at]); at += 1)
    text += `\n    at ${placeOf(`${frames[at]}`)}`;
  return text;
}

function isOurs(frame) {
  const file = frame.getFileName() ?? "";
  return file === "nel" || string.startsWith(file, __dirname) || file === "node:vm";
}

/** A frame, or what stands before a stack, with a path as people write it. */
const placeOf = (text) => fromRoot(string.replace(text, /\bfile:\/\/[^\s()]*/g, asPath));

function asPath(url) {
  try {
    return string.slice(decodeURI(url), "file://".length);
  } catch {
    return url;
  }
}

/**
 * {name, message, stack} of anything thrown in cell `number`; `sources` maps numbers of cells to text.
 * `what` stands in front when it was not the cell's own code that threw ("Uncaught in a callback").
 */
function describe(thrown, where) {
  try {
    return described(thrown, where);
  } catch (error) {
    return barely(thrown, where, error);
  }
}

/** Of an error that throws itself when somebody looks at it, or whose look needs what a cell has replaced. */
function barely(thrown, { number }, fault) {
  let [name, message] = ["Thrown", "The thrown value can't be shown, because reading it throws"];
  try {
    const given = [`${thrown.name}`, `${thrown.message}`];
    if (thrown instanceof Error) [name, message] = given;
  } catch {
    message += `: ${inspect(fault)}`;
  }
  return { name, message, stack: `${name}: ${message}\n    at cell ${number}` };
}

function described(error, { sources, number, what: origin = "" }) {
  if (error instanceof SyntaxError) locate(error);
  const isError = error instanceof Error || typeof error?.stack === "string";
  if (!isError) {
    const value = inspect(error);
    return { name: "Thrown", message: value, stack: `${origin || "Thrown"}: ${value}` };
  }
  const top = tidy(error, sources, number, new Set());
  let stack = error.quiet ? `${error.name}: ${error.message}` : whole(error);
  if (origin) stack = `${origin}: ${stack}`;
  const source = string.trim((top && linesOf(map.get(sources, top.number))[top.line - 1]) ?? "");
  if (source) stack += `\n\ncell ${top.number}, line ${top.line}:\n    ${source}`;
  const name = String(error.name ?? "Error");
  return { name, message: fromRoot(String(error.message ?? "")), stack: fromRoot(stack) };
}

/** With the two errors that `inspect` leaves out where closing what `using` names failed, too. */
function whole(error) {
  const text = inspected(error);
  if (error.name !== "SuppressedError") return text;
  const parts = ["error", "suppressed"];
  const inner = array.map(parts, (part) => `\n  [${part}]: ${indented(inspect(error[part]))}`);
  return `${text} {${array.join(inner, "")}\n}`;
}

/** `inspect` is Node's, and relies on methods that a cell may have replaced. */
function inspected(error) {
  try {
    return inspect(error);
  } catch (fault) {
    if (typeof error.stack === "string") return error.stack;
    throw fault;
  }
}

const indented = (text) => string.replaceAll(text, "\n", "\n  ");

/** Paths as seen from the repository: a page must not show where someone's copy lies. */
function fromRoot(text) {
  let rest = string.replaceAll(text, CELLS, "cell ");
  for (const before of [ROOT_URL, `file://${ROOT}/`, `${ROOT}/`])
    rest = string.replaceAll(rest, before, "");
  return rest;
}

/**
 * Node keeps the file and line of a slip in an imported module to itself, and puts them in front of the stack when it tells of an
 * error that nobody caught, as here.
 */
function locate(error) {
  const { stack } = error;
  if (
    !/^SyntaxError\b.*\n {4}at (?!.*\bparse \().*\(node:internal\/modules\/esm\//.test(stack ?? "")
  )
    return;
  try {
    vm.runInNewContext("throw error", { error }, { filename: "nowhere" });
  } catch {
    if (/^nowhere:/.test(error.stack)) error.stack = stack;
  }
}

/** Rewrites the stack of an error and of its causes; {number, line} of the first frame in a cell. */
function tidy(error, sources, number, visits) {
  if (!error || typeof error.stack !== "string" || set.has(visits, error)) return undefined;
  set.add(visits, error);
  let top;
  let frames = 0;
  const lines = [];
  for (const line of withoutExcerpt(error)) {
    const [, by, cell, row, column] = CELL.exec(line) ?? [];
    if (cell) {
      // What was put around the text of the cell is not the reader's.
      const source = map.get(sources, Number(cell));
      const length = source === undefined ? Number.POSITIVE_INFINITY : linesOf(source).length;
      if (Number(row) > length || Number(column) < 1) continue;
      top ??= { number: Number(cell), line: Number(row) };
      const place = `cell ${cell}, line ${row}`;
      array.push(lines, `    at ${/^(async )?$/.test(by) ? place : `${by}(${place})`}`);
      frames += 1;
    } else if (!/^ {4}at .*\(?node:/.test(line)) {
      array.push(lines, line);
      if (/^ {4}at (?!.*<anonymous>)/.test(line)) frames += 1;
    }
  }
  // `at new Promise (<anonymous>)` and the like mean something only between frames of the reader.
  while (/^ {4}at .*<anonymous>\)?$/.test(array.at(lines, -1) ?? "")) array.pop(lines);
  if (frames === 0 && number !== undefined) array.push(lines, `    at cell ${number}`);
  try {
    error.stack = array.join(lines, "\n");
  } catch {
    // Frozen: shown as it is.
  }
  for (const inner of [error.cause, error.error, error.suppressed])
    tidy(inner, sources, undefined, visits);
  for (const inner of Array.isArray(error.errors) ? error.errors : [])
    tidy(inner, sources, undefined, visits);
  return top;
}

/** V8 puts `file:line`, the source line and a caret before a SyntaxError; ours come afterwards. */
function withoutExcerpt(error) {
  const lines = linesOf(error.stack);
  lines[0] = placeOf(lines[0]);
  const excerpt = /^(cell \d+):(\d+)$/.exec(lines[0]);
  if (!excerpt) return lines;
  const header = array.findIndex(lines, (line) => string.startsWith(line, `${error.name}:`));
  return [...array.slice(lines, header < 1 ? 1 : header), `    at ${excerpt[1]}:${excerpt[2]}:1`];
}

const linesOf = (text) => string.split(text, "\n");

/** An error that is fully told by its message: no stack is shown. */
function plainError(name, message) {
  const error = new Error(message);
  error.name = name;
  error.quiet = true;
  error.stack = `${name}: ${message}`;
  return error;
}

module.exports = { prepareStackTrace, describe, plainError, ROOT };

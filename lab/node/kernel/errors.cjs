// What a reader sees of an error: its message, the frames of their own code with the line numbers of
// the cell, and the line itself. Frames of Node, nel and the kernel say nothing to them.
"use strict";

const path = require("node:path");
const { pathToFileURL } = require("node:url");
const { inspect } = require("node:util");
const vm = require("node:vm");

// Taken now: a cell may replace the global ones.
const { Array, Error, Number, Set, String, SyntaxError, decodeURI } = globalThis;

const ROOT = path.resolve(__dirname, "../../..");
const ROOT_URL = pathToFileURL(path.join(ROOT, "/")).href;
const CELLS = path.join(process.cwd(), "cell ");
const CELL = /^ {4}at (.*?)\(?cell (\d+):(\d+):(-?\d+)\)?$/;

/** Set as Error.prepareStackTrace: stacks end where the cell does, wherever they are printed. */
function prepareStackTrace(error, frames) {
  const ours = (frame) => {
    const file = frame.getFileName() ?? "";
    return file === "nel" || file.startsWith(__dirname) || file === "node:vm";
  };
  let end = frames.findIndex(ours);
  if (end < 0) end = frames.length;
  let header = "Error";
  try {
    header = Error.prototype.toString.call(error);
  } catch {
    // An object that cannot be turned into text still gets its frames.
  }
  const places = frames.slice(0, end).map((frame) => `    at ${placeOf(`${frame}`)}`);
  return [header, ...places].join("\n");
}

/** A frame, or what stands before a stack, with a path as people write it. */
const placeOf = (text) => fromRoot(text.replace(/\bfile:\/\/[^\s()]*/g, asPath));

function asPath(url) {
  try {
    return decodeURI(url).slice("file://".length);
  } catch {
    return url;
  }
}

/**
 * {name, message, stack} of anything thrown in cell `number`; `sources` maps numbers of cells to text.
 * `what` stands in front when it was not the cell's own code that threw ("Uncaught in a callback").
 */
function describe(thrown, { sources, number, what = "" }) {
  if (thrown instanceof SyntaxError) locate(thrown);
  const isError = thrown instanceof Error || typeof thrown?.stack === "string";
  if (!isError) {
    const value = inspect(thrown);
    return { name: "Thrown", message: value, stack: `${what || "Thrown"}: ${value}` };
  }
  const top = tidy(thrown, sources, number, new Set());
  let stack = thrown.quiet ? `${thrown.name}: ${thrown.message}` : inspect(thrown);
  if (what) stack = `${what}: ${stack}`;
  const source = top && sources.get(top.number)?.split("\n")[top.line - 1];
  if (source?.trim()) stack += `\n\ncell ${top.number}, line ${top.line}:\n    ${source.trim()}`;
  const name = String(thrown.name ?? "Error");
  return { name, message: fromRoot(String(thrown.message ?? "")), stack: fromRoot(stack) };
}

/** Paths as seen from the repository: a page must not show where someone's copy lies. */
function fromRoot(text) {
  const before = [CELLS, ROOT_URL, `file://${ROOT}/`, `${ROOT}/`];
  return before.reduce((rest, part) => rest.replaceAll(part, part === CELLS ? "cell " : ""), text);
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
function tidy(error, sources, number, seen) {
  if (!error || typeof error.stack !== "string" || seen.has(error)) return undefined;
  seen.add(error);
  let top;
  let frames = 0;
  const lines = [];
  for (const line of withoutExcerpt(error)) {
    const [, by, cell, row, column] = CELL.exec(line) ?? [];
    if (cell) {
      // What was put around the text of the cell is not the reader's.
      const length = sources.get(Number(cell))?.split("\n").length ?? Number.POSITIVE_INFINITY;
      if (Number(row) > length || Number(column) < 1) continue;
      top ??= { number: Number(cell), line: Number(row) };
      const place = `cell ${cell}, line ${row}`;
      lines.push(`    at ${/^(async )?$/.test(by) ? place : `${by}(${place})`}`);
      frames += 1;
    } else if (!/^ {4}at .*\(?node:/.test(line)) {
      lines.push(line);
      if (/^ {4}at (?!.*<anonymous>)/.test(line)) frames += 1;
    }
  }
  // `at new Promise (<anonymous>)` and the like mean something only between frames of the reader.
  while (/^ {4}at .*<anonymous>\)?$/.test(lines.at(-1) ?? "")) lines.pop();
  if (frames === 0 && number !== undefined) lines.push(`    at cell ${number}`);
  try {
    error.stack = lines.join("\n");
  } catch {
    // Frozen: shown as it is.
  }
  tidy(error.cause, sources, undefined, seen);
  for (const inner of Array.isArray(error.errors) ? error.errors : [])
    tidy(inner, sources, undefined, seen);
  return top;
}

/** V8 puts `file:line`, the source line and a caret before a SyntaxError; ours come afterwards. */
function withoutExcerpt(error) {
  const lines = error.stack.split("\n");
  lines[0] = placeOf(lines[0]);
  const excerpt = /^(cell \d+):(\d+)$/.exec(lines[0]);
  if (!excerpt) return lines;
  const header = lines.findIndex((line) => line.startsWith(`${error.name}:`));
  return [...lines.slice(Math.max(header, 1)), `    at ${excerpt[1]}:${excerpt[2]}:1`];
}

/** An error that is fully told by its message: no stack is shown. */
function plainError(name, message) {
  const error = new Error(message);
  error.name = name;
  error.quiet = true;
  error.stack = `${name}: ${message}`;
  return error;
}

module.exports = { prepareStackTrace, describe, plainError, ROOT };

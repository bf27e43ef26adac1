// Where the text of a cell is not JavaScript, in V8's words where V8 objects too: they are the ones people search for.
"use strict";

const vm = require("node:vm");

const [MAJOR] = process.versions.node.split(".");
const LINE = /\r\n|[\n\r\u2028\u2029]/;

// What to write instead, by what the message and the text at the slip are.
const ADVICE = [
  {
    at: /^assert\b/,
    inside: /^\s*(import|export)\b/,
    say: 'An import\'s attributes are written with `with` now: import data from "./data.json" with { type: "json" }',
  },
  {
    at: /^@/,
    say: "Node has no decorators. Call the decorator as a function, for instance method = logged(method)",
  },
  {
    at: /^<[A-Za-z>]/,
    say: "Node has no JSX. A cell is JavaScript, with or without types",
  },
];

/** {message, line, column} of the error with which acorn stopped, or of V8's that comes before it. */
function slipOf({ text, parser, error }) {
  const [line, column] = place(text, error.pos);
  const ours = { message: worded(error, parser), line, column };
  const broken = parser?.modular.find(({ node, start }) => !node && !declares(text, start));
  const theirs = broken ? undefined : complaint(standIn(text, parser?.modular ?? []));
  return advised(theirs ?? ours, text);
}

/** The same of what V8 refuses in a text that acorn takes; undefined if there is nothing. */
function refusedBy(text, modular, program) {
  const slip = complaint(standIn(text, modular));
  if (!slip) return undefined;
  if (Number(MAJOR) < 24 && hasUsing(program))
    slip.message =
      `\`using\` came with Node 24, but this is Node ${process.versions.node}: ` +
      "write try { … } finally { … }, and close in the last part what the first has opened";
  return advised(slip, text);
}

/** Whether `using` declares something, at the top or in a block. */
const hasUsing = (node) =>
  typeof node === "object" &&
  node !== null &&
  (/using$/.test(node.kind ?? "") || Object.values(node).some(hasUsing));

/** Whether the `export` at `start` is one of a declaration, which V8 can read without the word. */
const declares = (text, start) => /^export\s+(?!default\b)[a-z]/.test(text.slice(start));

/** `text` as the body of a function may be: declarations of equal length for what only modules have. */
function standIn(text, modular) {
  let result = text;
  for (const { node, start } of modular) {
    const end = node && !node.declaration ? node.end : start + wordsLength(text, start);
    const names = (node?.specifiers ?? []).filter(({ type }) => /^Import/.test(type));
    let code = names.length > 0 ? `let ${names.map(({ local }) => local.name).join(",")};` : "";
    if (node?.type === "ExportDefaultDeclaration" && !node.declaration.id) code = "0,";
    const blank = text.slice(start, end).replace(/[^\n\r\u2028\u2029]/g, " ");
    result = result.slice(0, start) + over(blank, code) + result.slice(end);
  }
  return result.replace(/\bimport\s*\.\s*meta\b/g, (words) => over(words.replace(/\S/g, " "), "0"));
}

/** The length of `export`, or `export default`. */
const wordsLength = (text, start) =>
  /^export(\s+default\b)?/.exec(text.slice(start))?.[0].length ?? 0;

/** `code` in place of blanks; line ends stay where they are. */
function over(blank, code) {
  let rest = code;
  return blank.replace(/[^\n\r\u2028\u2029]/g, () => {
    const next = rest.charAt(0) || " ";
    rest = rest.slice(1);
    return next;
  });
}

/** What V8 says of a text that is the body of an async function; undefined if nothing, or of what is not in the text. */
function complaint(text) {
  try {
    new vm.Script(`(async () => {\n${text}\n})`, { filename: "cell", lineOffset: -1 });
  } catch (error) {
    const [, found] = /^cell:(-?\d+)/.exec(error.stack) ?? [];
    const line = Number(found);
    if (!(line >= 1 && line <= text.split(LINE).length)) return undefined;
    const [, , caret] = error.stack.split("\n");
    return { message: error.message, line, column: Math.max(caret?.indexOf("^") ?? 0, 0) };
  }
  return undefined;
}

/** acorn's message as V8 would say it. */
function worded({ message, pos }, parser) {
  const words = message.replace(/ \(\d+:\d+\)$/, "");
  if (words !== "Unexpected token" || parser?.start !== pos) return words;
  const token = parser.input.slice(parser.start, parser.end);
  const { label } = parser.type;
  if (label === "eof") return "Unexpected end of input";
  if (label === "string") return "Unexpected string";
  if (label === "num") return "Unexpected number";
  return label === "name" ? `Unexpected identifier '${token}'` : `Unexpected token '${token}'`;
}

function advised(slip, text) {
  const line = text.split(LINE)[slip.line - 1] ?? "";
  const rest = line.slice(slip.column);
  const advice = ADVICE.find(({ at, inside }) => at.test(rest) && (!inside || inside.test(line)));
  return advice ? { ...slip, message: advice.say } : slip;
}

/** [line, column] of a position, the first of them from 1. */
function place(text, pos) {
  const lines = text.slice(0, pos).split(LINE);
  return [lines.length, lines.at(-1).length];
}

/** The error that a reader sees: `where` is the cell, `source` its text. */
function syntaxError({ message, line, column }, where, source) {
  const error = new SyntaxError(message);
  const shown = source.split(LINE)[line - 1] ?? "";
  error.stack =
    `SyntaxError: ${message}\n    at ${where}, line ${line}\n\n` +
    `    ${shown}\n    ${shown.slice(0, column).replace(/\S/g, " ")}^`;
  return error;
}

module.exports = { slipOf, refusedBy, syntaxError, place };

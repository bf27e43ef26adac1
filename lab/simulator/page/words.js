// JavaScript as an editor colours it: the kinds of its words, without a parser. A wrong program has colours, too.

const KEYWORDS = new Set(
  (
    "async await break case catch class const continue debugger default delete do else export extends finally for " +
    "function if import in instanceof let new of return static super switch this throw try typeof var void while with yield"
  ).split(" "),
);
const ATOMS = new Set(["true", "false", "null", "undefined", "NaN", "Infinity"]);
const PIECES = new RegExp(
  [
    /(?<comment>\/\/.*|\/\*[\s\S]*?(?:\*\/|$))/,
    /(?<string>"(?:\\[\s\S]|[^"\\\n])*"?|'(?:\\[\s\S]|[^'\\\n])*'?)/,
    /(?<template>`)/,
    /(?<number>\b(?:0[xob][\da-fA-F_]+|\d[\d_]*(?:\.[\d_]*)?(?:[eE][+-]?\d+)?)n?\b)/,
    /(?<word>[\p{ID_Start}$_#][\p{ID_Continue}$]*)/u,
    /(?<regexp>\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/\w*)/,
    /(?<sign>\S)/,
  ]
    .map(({ source }) => source)
    .join("|"),
  "gu",
);
const TEMPLATE = /(?:\\[\s\S]|\$(?!\{)|[^`\\$])*(?<end>`|\$\{|$)/y;
// After these a slash divides.
const ENDS = /[\p{ID_Continue}$)\]}"'`]$/u;
const OPERATORS = new Set(["return", "typeof", "case", "in", "of", "await", "throw", "void", "do"]);

/** [from, to, kind] of each word of a text that has a colour; a kind is keyword, string, number, comment or name. */
export function wordsOf(text) {
  const words = [];
  const open = []; // how many braces are open inside each ${ of a template
  let last = "";
  let at = 0;
  const inTemplate = (from) => {
    TEMPLATE.lastIndex = at;
    const { end } = TEMPLATE.exec(text).groups;
    at = TEMPLATE.lastIndex;
    words.push([from, at, "string"]);
    if (end === "${") open.push(0);
    last = end;
  };
  while (at < text.length) {
    PIECES.lastIndex = at;
    const piece = PIECES.exec(text);
    if (!piece) break;
    const [token] = piece;
    const { comment, string, template, number, word, regexp } = piece.groups;
    const from = piece.index;
    at = from + token.length;
    if (template) {
      inTemplate(from);
      continue;
    }
    if (comment) {
      words.push([from, at, "comment"]);
      continue;
    }
    if (regexp && ENDS.test(last) && !OPERATORS.has(last)) {
      at = from + 1; // it divides
      last = "/";
      continue;
    }
    const kind =
      string || regexp ? "string" : number ? "number" : word ? kindOf(word, text, at) : null;
    if (kind) words.push([from, at, kind]);
    if (token === "{" && open.length > 0) open[open.length - 1] += 1;
    if (token === "}" && open.length > 0) {
      if (open.at(-1) === 0) {
        open.pop();
        inTemplate(from);
        continue;
      }
      open[open.length - 1] -= 1;
    }
    last = token;
  }
  return words;
}

function kindOf(word, text, at) {
  if (KEYWORDS.has(word)) return "keyword";
  if (ATOMS.has(word)) return "number";
  return /^\s*\(/.test(text.slice(at, at + 9)) ? "name" : null;
}

// A program as Node would take it: CommonJS or a module, and what is said of one that does not parse.

import { optionsOf } from "./complete.js";

/** What Node puts before a program that is CommonJS; its names cannot be declared again. */
export const WRAPPER = "(function (exports, require, module, __filename, __dirname) { ";
const MODULE = /^\s*(import\s*[\w{*"']|export\s+[\w{*])/m;
const NO_CALL = new Set(["if", "for", "while", "switch", "catch", "with", "function", "return"]);

/**
 * "cjs" or "esm", by the file's name, else as Node has it since 20.19 and 22.7: what parses as CommonJS is CommonJS, else what
 * parses as a module is one. What parses as neither, or a caller without `acorn`, goes by the program's words.
 */
export function kindOf(source, file, acorn = null) {
  if (file.endsWith(".mjs")) return "esm";
  if (file.endsWith(".cjs")) return "cjs";
  if (acorn && parses(acorn, `${WRAPPER}${source.replace(/^#!/, "//")}\n})`, false)) return "cjs";
  if (acorn && parses(acorn, source, true)) return "esm";
  return MODULE.test(source) ? "esm" : "cjs";
}

function parses(acorn, source, isModule) {
  try {
    acorn.parse(source, optionsOf(isModule));
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

/**
 * What Node prints of a program that does not parse: the line, a caret, V8's words. Null for one that
 * does. `acorn` finds the place; its words are others.
 */
export function syntaxReport(acorn, { source, file, kind }, ecmaVersion = "latest") {
  const isModule = kind === "esm";
  const options = optionsOf(isModule, false, ecmaVersion);
  try {
    acorn.parse(source, options);
    return null;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const { message, start, end } = asV8(
      tokensUpTo(acorn, source, options, error.pos),
      error,
      source,
    );
    const before = source.slice(0, start);
    const line = before.split("\n").length;
    const column = start - (before.lastIndexOf("\n") + 1);
    const text = source.split("\n")[line - 1] ?? "";
    const length = Math.max(1, Math.min(end - start, text.length - column));
    const caret = text ? `${" ".repeat(column)}${"^".repeat(length)}` : "";
    return `${isModule ? "file://" : ""}${file}:${line}\n${text}\n${caret}\n\nSyntaxError: ${message}`;
  }
}

/** The tokens before and at a place, as far as they can be told apart. */
function tokensUpTo(acorn, source, options, place) {
  const tokens = [];
  try {
    for (const token of acorn.tokenizer(source, options)) {
      tokens.push(token);
      if (token.start >= place) break;
    }
  } catch {
    // the token itself is what is wrong
  }
  const at = tokens.findIndex(({ start }) => start >= place);
  return at < 0
    ? { before: tokens, token: null }
    : { before: tokens.slice(0, at), token: tokens[at] };
}

const SAME = /^Identifier '.*' has already been declared$/;
const WORDS = [
  [/^Unterminated template/, "Unterminated template literal"],
  [/^Unterminated regular/, "Invalid regular expression: missing /"],
  [
    /^(Unterminated string|Identifier directly|Unexpected character|Invalid number)/,
    "Invalid or unexpected token",
  ],
  [/^Assigning to rvalue|^Optional chaining cannot/, "Invalid left-hand side in assignment"],
  [/^Unsyntactic break/, "Illegal break statement"],
  [/^Unsyntactic continue/, "Illegal continue statement: no surrounding iteration statement"],
  [/^let is disallowed/, "let is disallowed as a lexically bound name"],
  [/^Cannot use keyword 'await'|^Can not use keyword 'await'/, "Unexpected reserved word"],
];

function asV8({ before, token }, error, source) {
  const plain = error.message.replace(/ \(\d+:\d+\)$/, "");
  const start = token?.start ?? error.pos;
  const end = token?.end ?? source.indexOf("\n", start) + 1;
  const at = (message) => ({ message, start, end });
  const last = before.at(-1);
  if (SAME.test(plain)) return at(plain);
  for (const [pattern, words] of WORDS) if (pattern.test(plain)) return at(words);
  if (/only with 'sourceType: module'/.test(plain))
    return at(
      source.startsWith("import", start)
        ? "Cannot use import statement outside a module"
        : "Unexpected token 'export'",
    );
  if (!/^Unexpected token/.test(plain)) return at(plain);
  if (last?.type.keyword === "for" && token?.value === "await")
    return at("Unexpected reserved word");
  if (last?.value === "await" && last.type.label === "name" && !/^[)}\]]$/.test(token?.type.label))
    return {
      message: "await is only valid in async functions and the top level bodies of modules",
      start: last.start,
      end: last.end,
    };
  if (last && isInCall(before) && endsExpression(last))
    return { message: "missing ) after argument list", start: last.start, end: last.end };
  if (isUninitialised(before))
    return {
      message: "Missing initializer in const declaration",
      start: last.start,
      end: last.end,
    };
  if (!token || token.type.label === "eof") return at("Unexpected end of input");
  if (last?.type.keyword === "function" && token.type.label === "(")
    return {
      message: "Function statements require a function name",
      start: last.start,
      end: last.end,
    };
  return at(unexpected(token, source));
}

const isUninitialised = (tokens) =>
  tokens.at(-2)?.type.keyword === "const" && tokens.at(-1)?.type.label === "name";

function unexpected(token, source) {
  const { label } = token.type;
  if (label === "name") return `Unexpected identifier '${token.value}'`;
  if (label === "num") return "Unexpected number";
  if (label === "string") return "Unexpected string";
  if (label === "`" || label === "template") return "Unexpected template string";
  return `Unexpected token '${source.slice(token.start, token.end)}'`;
}

const endsExpression = ({ type }) =>
  ["name", "num", "string", ")", "]", "}", "`", "regexp"].includes(type.label) ||
  ["this", "null", "true", "false", "super"].includes(type.keyword);

/** True if the innermost bracket that is open is that of a call's arguments. */
function isInCall(tokens) {
  const open = [];
  for (const [at, { type }] of tokens.entries()) {
    if (["(", "[", "{", "${"].includes(type.label)) {
      const previous = tokens[at - 1];
      const isCallee = previous && endsExpression(previous) && previous.type.label !== "}";
      const isDeclared = NO_CALL.has(tokens[at - 2]?.type.keyword);
      open.push(type.label === "(" && isCallee && !isDeclared);
    } else if ([")", "]", "}"].includes(type.label)) open.pop();
  }
  return open.at(-1) === true;
}

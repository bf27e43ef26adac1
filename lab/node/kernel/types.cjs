// Cells with TypeScript's types: Node removes them itself and leaves blanks, so that lines and columns stay.
"use strict";

const nodeModule = require("node:module");
const { place } = require("./slips.cjs");

const UNSUPPORTED = "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX";
// What stands where JavaScript ends and types begin.
const WORDS =
  "interface|type|enum|namespace|declare|abstract|as|satisfies|implements|private|public";
const TYPED = new RegExp(`^(:|[?!]:|\\?\\)|(${WORDS})\\b)`);
const AFTER_TYPED = new RegExp(`\\b(${WORDS})\\s+$`);

/**
 * What to make of a `source` that is no JavaScript, of which `attempt` says how: {text, program} if it is with its
 * types removed; {slip} with what to say if it is TypeScript of which Node cannot make JavaScript; else `failed`.
 * `open` means that the text has no end yet.
 */
function withoutTypes(source, failure, attempt) {
  const [line, column] = place(source, failure.error.pos);
  if (!nodeModule.stripTypeScriptTypes) return withoutStripping(source, failure, { line, column });
  try {
    const text = quietly(() => nodeModule.stripTypeScriptTypes(source));
    return text === source ? failure : attempt(text);
  } catch (error) {
    const slip = slipOf(error, source);
    if (!slip) return failure;
    if (error.code === UNSUPPORTED) return { slip: unsupported(slip, error.message) };
    const open = /<eof>|^Unterminated (template|block comment)/.test(error.message);
    // Whoever understands more of the text gets further; tags are nothing that either knows.
    const further =
      !/^<[A-Za-z>]/.test(source.slice(failure.error.pos)) &&
      (slip.line > line || (slip.line === line && slip.column > column));
    return further ? { slip, open } : { ...failure, open };
  }
}

function withoutStripping(source, failed, { line, column }) {
  const { pos } = failed.error;
  if (!TYPED.test(source.slice(pos)) && !AFTER_TYPED.test(source.slice(0, pos))) return failed;
  const message =
    `This looks like TypeScript. Node ${process.versions.node} does not remove types. ` +
    "Leave them out, or run the notebook on Node 22.13 or newer";
  return { slip: { message, line, column } };
}

function unsupported(slip, words) {
  const message =
    `${words.replace(/\.$/, "")}. Node only removes types, but this needs code in their place. ` +
    "Write it as JavaScript";
  return { ...slip, message };
}

/** Node tells the place in front of the stack: `:2`, the text up to that line, and a mark below it. */
function slipOf({ message, stack, code }, source) {
  if (!/_TYPESCRIPT_SYNTAX$/.test(code ?? "")) return undefined;
  const [, found, excerpt = ""] = /^\S*:(\d+)\n([\s\S]*?)\n\n/.exec(stack) ?? [];
  const line = Number(found) || source.split("\n").length;
  const mark = excerpt.split("\n").at(-1);
  return { message, line, column: Math.max(mark.indexOf("^"), 0) };
}

/** Node says once that removing types is experimental; a reader did not ask for it. */
function quietly(body) {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return body();
  } finally {
    process.emitWarning = emitWarning;
  }
}

module.exports = { withoutTypes };

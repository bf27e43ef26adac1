// What a page never needs of the texts of others, left out while the files are made: errors that none of Node's texts
// throws, and the parser's tables of letters, which every browser has as well.
import * as acorn from "acorn";

/**
 * The text of Node's `internal/errors` without the errors that no other text names, of `texts`, which are all that
 * can be loaded. An error is a statement `E("ERR_…", …)` at the top, and is reached by this name alone.
 */
export function errorsFor(source, texts) {
  const errorCodes = new Set(texts.flatMap((text) => text.match(/\bERR_\w+/g) ?? []));
  const { body } = acorn.parse(source, { ecmaVersion: "latest", allowReturnOutsideFunction: true });
  let text = source;
  for (const { type, expression, start, end } of body.reverse()) {
    if (type !== "ExpressionStatement" || expression.callee?.name !== "E") continue;
    const code = expression.arguments[0].value;
    const isNamedHere = source.split(new RegExp(`\\b${code}\\b`)).length > 2;
    if (!errorCodes.has(code) && !isNamedHere) text = text.slice(0, start) + text.slice(end);
  }
  return text;
}

const TABLE =
  /^var (astralIdentifierCodes|astralIdentifierStartCodes|nonASCIIidentifier(Start)?Chars) = .*\n/gm;
const LETTERS = [
  [/^var nonASCIIidentifierStart = .*$/m, "var nonASCIIidentifierStart = /\\p{ID_Start}/u;"],
  [
    /^var nonASCIIidentifier = .*$/m,
    "var nonASCIIidentifier = /[\\p{ID_Continue}\\u200c\\u200d]/u;",
  ],
  [
    "isInAstralSet(code, astralIdentifierStartCodes) || isInAstralSet(code, astralIdentifierCodes)",
    "nonASCIIidentifier.test(String.fromCodePoint(code))",
  ],
  [
    "isInAstralSet(code, astralIdentifierStartCodes)",
    "nonASCIIidentifierStart.test(String.fromCodePoint(code))",
  ],
];

/** The parser's text, which asks its own language which letters a name may have: its tables are of the same standard. */
export function parserFor(source) {
  if (source.match(TABLE)?.length !== 4) throw new Error("acorn has its letters in other tables.");
  let text = source.replace(TABLE, "");
  for (const [before, after] of LETTERS) {
    const next = text.replace(before, () => after);
    if (next === text) throw new Error(`acorn has another text than ${before}.`);
    text = next;
  }
  return text;
}

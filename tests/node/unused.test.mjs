// What the files of a page leave out of Node's errors and of the parser.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { it } from "node:test";
import { fileURLToPath } from "node:url";
import { errorsFor, parserFor } from "../../lab/simulator/page/unused.mjs";

it("an error stays that another text names, or another error", () => {
  const source = `E("ERR_A", "a", TypeError);
E("ERR_B", (name) => codes.ERR_C(name), Error);
// of another
E("ERR_C", "c", Error);
E("ERR_D", function() { return "d" }, Error);
module.exports = { codes };
`;
  const kept = errorsFor(source, ["const { ERR_B } = codes;", "ERR_DIFFERENT"]);
  assert.deepEqual(kept.match(/^E\("\w+"/gm), ['E("ERR_B"', 'E("ERR_C"']);
  assert.match(kept, /module\.exports = \{ codes \};/);
});

it("the parser without tables takes the letters of names that the language takes, and as with its tables", async () => {
  const file = fileURLToPath(import.meta.resolve("acorn"));
  const text = parserFor(readFileSync(file, "utf8"));
  const without = await import(
    `data:text/javascript;base64,${btoa(unescape(encodeURIComponent(text)))}`
  );
  const acorn = await import("acorn");
  const isLetter = [/[$_\p{ID_Start}]/u, /[$\p{ID_Continue}]|\u200c|\u200d/u];
  const isAssigned = /\P{Cn}/u; // the table may be of a newer Unicode
  for (let code = 0; code < 0x110000; code++) {
    const letter = String.fromCodePoint(code);
    const found = [without.isIdentifierStart(code, true), without.isIdentifierChar(code, true)];
    const wanted = isLetter.map((letters) => letters.test(letter));
    const before = [acorn.isIdentifierStart(code, true), acorn.isIdentifierChar(code, true)];
    if (
      String(found) !== String(wanted) ||
      (isAssigned.test(letter) && String(found) !== String(before))
    )
      assert.fail(`U+${code.toString(16)}: ${found}, not ${wanted}, with tables ${before}`);
  }
  assert.throws(() => parserFor("var other = 1;"), /other tables/);
});

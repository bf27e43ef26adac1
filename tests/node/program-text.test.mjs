import assert from "node:assert/strict";
import { test } from "node:test";
import { programText } from "../../lab/node/api/program.js";

test("a program that a cell writes as a function has the names of a file", () => {
  // What the kernel makes of `import.meta` in a cell.
  const cell = new Function("return () => {\n  console.log(import$meta.url);\n}");
  assert.equal(programText(cell()), "console.log(import.meta.url);\n");
  assert.equal(programText("console.log(1);"), "console.log(1);");
});

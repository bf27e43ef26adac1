// The parts of "Change it" that need no page: the colours of a program, hints, and programs in links.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { deflateRawSync } from "node:zlib";
import { hintFor } from "../../lab/simulator/page/hints.js";
import { linkTo, programIn } from "../../lab/simulator/page/share.js";
import { wordsOf } from "../../lab/simulator/page/words.js";

const OPEN = "${"; // of a template
const coloured = (text) => wordsOf(text).map(([from, to, kind]) => [kind, text.slice(from, to)]);

test("each kind of word has its colour", () => {
  assert.deepEqual(
    coloured("const größe = 0x1F + 2.5e3; // a\nsetTimeout(() => null, 'it\\'s');"),
    [
      ["keyword", "const"],
      ["number", "0x1F"],
      ["number", "2.5e3"],
      ["comment", "// a"],
      ["name", "setTimeout"],
      ["number", "null"],
      ["string", "'it\\'s'"],
    ],
  );
});

test("code inside a template is coloured as code, however deep", () => {
  assert.deepEqual(coloured("`a#f({ b: `#1}` })}c` + 2".replaceAll("#", OPEN)), [
    ["string", `\`a${OPEN}`],
    ["name", "f"],
    ["string", `\`${OPEN}`],
    ["number", "1"],
    ["string", "}`"],
    ["string", "}c`"],
    ["number", "2"],
  ]);
});

test("a slash begins a regular expression only where a value may begin", () => {
  assert.deepEqual(coloured("a / 1 / b; x = /[/]\"/g; return /'/;"), [
    ["number", "1"],
    ["string", '/[/]"/g'],
    ["keyword", "return"],
    ["string", "/'/"],
  ]);
});

test("words lie one after the other in any text, also one that is no program", () => {
  const own = readFileSync(new URL("../../lab/simulator/page/words.js", import.meta.url), "utf8");
  for (const text of [
    own,
    OPEN,
    "/*",
    "'",
    `\`${OPEN}\`${OPEN}\``,
    "}}}",
    "\u0000\ud800",
    "👋".repeat(50),
  ]) {
    let last = 0;
    for (const [from, to] of wordsOf(text)) {
      assert.ok(
        from >= last && to > from && to <= text.length,
        JSON.stringify([text.slice(0, 20), from, to]),
      );
      last = to;
    }
  }
});

test("a program comes back out of its link as it was", async () => {
  for (const text of ["", "console.log('ünïcödé 👋');\r\n\ttab", "x".repeat(50_000)]) {
    const hash = await linkTo({ text, name: "mine.mjs", node: 24 });
    assert.match(hash, /^#[\w=&.-]+$/);
    assert.deepEqual(await programIn(hash), { source: text, name: "mine.mjs", node: 24 });
  }
});

test("a link that holds no program says nothing, one that is damaged says so, and a strange name is left out", async () => {
  for (const hash of ["", "#", "#what-this-is", "#replay=1"])
    assert.equal(await programIn(hash), null);
  const packed = (bytes) => `#z=${deflateRawSync(bytes).toString("base64url")}`;
  for (const hash of [
    "#z=",
    "#z=!!!",
    "#z=AAAA",
    packed(Buffer.alloc(4_000_000)),
    packed(Buffer.from([255])),
  ])
    await assert.rejects(programIn(hash), /does not contain a readable program/, hash.slice(0, 20));
  for (const name of ["../x.mjs", "a b.js", ".mjs", "x.exe", "<b>.mjs", ""]) {
    const program = await programIn(`${packed("1")}&file=${encodeURIComponent(name)}`);
    assert.equal(program.name, "program.mjs");
  }
});

test("a hint is for what a newcomer writes, and for nothing else", () => {
  assert.match(hintFor("ReferenceError: alert is not defined", ""), /alert belongs to browsers/);
  const stopped = "The program was stopped after 5 s";
  assert.match(hintFor(stopped, "for (;;);"), /No timer or promise callback can run/);
  assert.match(hintFor(stopped, "setInterval(() => {}, 1);"), /clearInterval/);
  assert.equal(hintFor(stopped, "const again = () => setImmediate(again);\nagain();"), null);
  assert.match(hintFor("SyntaxError: x", "function f(a: string) {}"), /TypeScript/);
  assert.match(hintFor("SyntaxError: x", "const a = <App />;"), /JSX/);
  const unparsed = (line) =>
    hintFor(`a.cjs:1\n${line}\n\nSyntaxError: Invalid or unexpected token`, line);
  for (const line of ["print(“a”);", "print(‘a’);", "let x = 5 – 3;", "f(…a);", "f();\u200b"])
    assert.match(unparsed(line), /of printed text .*U\+20[\dA-F]{2}.* again\.$/, line);
  assert.match(unparsed("npm install express"), /a command for a terminal/);
  const undefinedName = (name) => hintFor(`ReferenceError: ${name} is not defined`, "");
  for (const [name, hint] of [
    ["setTimout", "Did you mean setTimeout?"],
    ["settimeout", "Did you mean setTimeout?"],
    ["Console", "Did you mean console?"],
    ["print", "JavaScript prints with console.log."],
    ["__dirname", "An ES module has import.meta.dirname instead."],
    ["exports", "This file is an ES module. Write import and export, or choose CommonJS above."],
  ])
    assert.equal(undefinedName(name), hint);
  const noAwait =
    "SyntaxError: await is only valid in async functions and the top level bodies of modules";
  assert.match(hintFor(noAwait, "function f() { await g(); }"), /async before the function/);
  assert.match(hintFor("Error: ENOENT: no such file or directory, open 'a'", ""), /Write the file/);
  assert.match(hintFor("The program printed more than 10,000 lines and was stopped.", ""), /fewer/);
  assert.match(hintFor("its functions are nested more deeply than", ""), /calls itself/);
  for (const [error, source] of [
    ["ReferenceError: thing is not defined", ""],
    ["ReferenceError: x is not defined", ""],
    ["ReferenceError: count is not defined", ""],
    ["SyntaxError: Invalid or unexpected token", "const größe = #;"],
    ["SyntaxError: Unexpected token", "if (a < b && c > d) {"],
    ["SyntaxError: Unexpected token", "const o = { a: 1, b };"],
    ["Error: boom", "alert"],
  ])
    assert.equal(hintFor(error, source), null, source || error);
});

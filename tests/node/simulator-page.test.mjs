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

test("a hint is for what a browser has, for types, for JSX, and for nothing else", () => {
  assert.match(hintFor("ReferenceError: alert is not defined", ""), /alert belongs to browsers/);
  const stopped = "The program was stopped after 5 s";
  assert.match(hintFor(stopped, "for (;;);"), /No timer or promise callback can run/);
  assert.match(hintFor(stopped, "setInterval(() => {}, 1);"), /clearInterval/);
  assert.equal(hintFor(stopped, "const again = () => setImmediate(again);\nagain();"), null);
  assert.match(hintFor("SyntaxError: x", "function f(a: string) {}"), /TypeScript/);
  assert.match(hintFor("SyntaxError: x", "const a = <App />;"), /JSX/);
  for (const [error, source] of [
    ["ReferenceError: thing is not defined", ""],
    ["SyntaxError: Unexpected token", "if (a < b && c > d) {"],
    ["SyntaxError: Unexpected token", "const o = { a: 1, b };"],
    ["Error: boom", "alert"],
  ])
    assert.equal(hintFor(error, source), null, source || error);
});

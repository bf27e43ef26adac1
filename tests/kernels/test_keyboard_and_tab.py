"""What a console asks the JavaScript kernel but to run cells, and cells that ask for a keyboard."""

from __future__ import annotations

import queue
import time

import pytest
from kernel_client import SECONDS

pytest_plugins = ["kernel_fixtures"]


@pytest.fixture
def cells(live, tmp_path):
    with live(cwd=str(tmp_path)) as kernel:
        yield kernel


def reply(kernel, request):
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        try:
            message = kernel.client.get_shell_msg(timeout=1)
        except queue.Empty:
            continue
        if message["parent_header"].get("msg_id") == request:
            return message["content"]
    raise AssertionError("no reply")


def value(outputs):
    values = [c["data"]["text/plain"] for kind, c in outputs if kind == "execute_result"]
    assert values, outputs
    return values[0]


# --- whether a text is complete ------------------------------------------------------------------

COMPLETE = {
    "complete": [
        "1 + 1",
        "",
        "// words",
        "await 1",
        "import x from 'y'",
        "export const x = 1",
        "return 1",
        "`a ${`b`} c`",
        "%%submit summary\nexport const x = ;",
        "#!/usr/bin/env node\n1",
        "using x = f()",
    ],
    "incomplete": [
        "function f() {",
        "const t = `abc",
        "const t = `abc ${ 1",
        "const t = `abc ${ `d` } e\n",
        "/* open",
        "foo(1, /* open",
        "foo(",
        "foo( // words",
        "a = [1,",
        "x =>",
        "a &&",
        "class A {",
        "if (a) {\n  b",
        "import { a,",
        "export const a = {",
    ],
    "invalid": [
        "}",
        "const = 1",
        "'open",
        "a b",
        "const = 1; `abc",
        "const = 1; foo(",
        "foo(]",
        "let a; let a;",
    ],
}


def test_an_open_text_is_incomplete_and_a_wrong_one_invalid(cells):
    for status, texts in COMPLETE.items():
        for text in texts:
            assert reply(cells, cells.client.is_complete(text))["status"] == status, text


# --- Tab and Shift-Tab ---------------------------------------------------------------------------

VALUES = """
let ran = 0;
const seen = { get hit() { ran += 1; return {}; }, name: "a", "x-y": { deep: 1 },
  list: [{ inner: 2 }] };
Object.defineProperty(globalThis, "lazy", { get() { ran += 1; return {}; }, configurable: true });
const ran1 = () => { ran += 1; };
const trap = new Proxy({ target: 1 }, { get: ran1, has: ran1,
  ownKeys: () => { ran += 1; return []; },
  getOwnPropertyDescriptor: ran1, getPrototypeOf: () => { ran += 1; return null; } });
const holder = { trap, [Symbol.for("nodejs.util.inspect.custom")]() { ran += 1; return "own"; },
  valueOf() { ran += 1; return 1; }, toString() { ran += 1; return ""; } };
class Of extends Map { get size() { ran += 1; return 0; } own() {} static made() {} }
const of = new Of(), fs = require("node:fs"), heir = Object.create(trap);
const nested = [{ heir }], tagged = { get [Symbol.toStringTag]() { ran += 1; return ''; } };
const größe = { über: 1 }, process = { mine: 1 }, big = new Uint8Array(1e6);
"""
COMPLETIONS = {
    "fs.readFileS": ["fs.readFileSync"],
    "await fs.promises.readF": ["fs.promises.readFile"],
    "seen.na": ["seen.name"],
    "seen?.na": ["seen?.name"],
    "1 + seen .na": ["seen .name"],
    'seen["na': ['seen["name"]'],
    "seen['x": ["seen['x-y']"],
    "seen?.['x": ["seen?.['x-y']"],
    "seen['x-y'].de": ["seen['x-y'].deep"],
    'seen["x-y"]?.de': ['seen["x-y"]?.deep'],
    "seen.list[0].inn": ["seen.list[0].inner"],
    '"abc".toUpper': ['"abc".toUpperCase'],
    "`abc`.toUpper": ["`abc`.toUpperCase"],
    "[1, [2]].flatM": ["[1, [2]].flatMap"],
    "größe.ü": ["größe.über"],
    "process.mi": ["process.mine"],
    "of.ow": ["of.own"],
    "Of.ma": ["Of.made"],
    "console.tab": ["console.table"],
    "crypto.randomU": ["crypto.randomUUID"],
    "require('node:pat": ["node:path", "node:path/posix", "node:path/win32"],
    'import lab from "la': ["lab"],
    "awa": ["await"],
    "seen.hit.": [],
    "lazy.": [],
    "trap.": [],
    "holder.trap.": [],
    "of.size.": [],
    "no.such.": [],
    "1.": [],
    "f().": [],
}


def applied(code, matches):
    return [
        code[: matches["cursor_start"]] + m + code[matches["cursor_end"] :]
        for m in matches["matches"]
    ]


def test_tab_completes_what_is_there_and_runs_nothing_of_the_reader(cells):
    cells.run(VALUES)
    for code, expected in COMPLETIONS.items():
        content = reply(cells, cells.client.complete(code, len(code)))
        assert content["matches"] == expected, code
    for code in (
        "heir.",
        "big.",
        "holder.",
        "lazy",
        "tra",
        "fs.read\nfs.wri",
        "seen['",
        "[",
        "(",
        "😀.",
        "'",
    ):
        reply(cells, cells.client.complete(code, len(code)))
        reply(cells, cells.client.inspect(code, len(code)))
    for code in (
        "seen",
        "seen.hit",
        "lazy",
        "trap",
        "holder",
        "of",
        "of.size",
        "heir",
        "nested",
        "tagged",
        "big",
        "console.log(",
    ):
        reply(cells, cells.client.inspect(code, len(code)))
    assert value(cells.run("ran")) == "0"


def test_tab_replaces_what_stands_before_the_cursor_and_nothing_else(cells):
    cells.run("const seen = { name: 1 }; const n = 1;")
    for code, at, completion in [
        ("seen.na; seen.na", 16, "seen.na; seen.name"),
        ("seen.na; 2", 7, "seen.name; 2"),
        ('"😀"; seen.na', 12, '"😀"; seen.name'),
        ('seen["na"]', 8, 'seen["name"]'),
        ("1;\nseen.na\n;2", 10, "1;\nseen.name\n;2"),
    ]:
        content = reply(cells, cells.client.complete(code, at))
        assert applied(code, content) == [completion]


def test_shift_tab_tells_what_a_value_is(cells):
    cells.run("const seen = { name: 'a<b', get hit() { return 1; } };")
    for code, words in {
        "seen": "Object: { name: 'a<b', hit: [Getter] }",
        "seen.name": "String: 'a<b'",
        "seen?.name": "String: 'a<b'",
        "require('node:fs').x; JSON.stringify": "JSON.stringify(value",
        "console.log(": "Function: ",
    }.items():
        content = reply(cells, cells.client.inspect(code, len(code)))
        assert content["found"], code
        assert content["data"]["text/plain"].startswith(words)
        assert "<b" not in content["data"]["text/html"]
    for code in ("no_such", "seen.no", "seen.hit", ""):
        assert reply(cells, cells.client.inspect(code, len(code)))["found"] is False


def test_tab_answers_after_a_session_that_ended(cells):
    cells.run("process.exit(1)")
    assert "setTimeout" in reply(cells, cells.client.complete("setTim", 6))["matches"]


# --- no keyboard ---------------------------------------------------------------------------------

READS = {
    "promises": "const rl = require('node:readline/promises').createInterface(process.stdin);"
    "await rl.question('Your name? ')",
    "callback": "const rl = require('node:readline').createInterface({ input: process.stdin });"
    "await new Promise((resolve) => rl.question('Your name? ', resolve))",
    "lines": "const rl = require('node:readline').createInterface({ input: process.stdin });"
    "for await (const line of rl) console.log(line)",
    "chunks": "for await (const chunk of process.stdin) console.log(chunk)",
    "data": "process.stdin.on('data', console.log); await new Promise(() => {})",
    "pipe": "process.stdin.pipe(process.stdout); await new Promise(() => {})",
    "text": "await require('node:stream/consumers').text(process.stdin)",
}


@pytest.mark.parametrize("code", READS.values(), ids=READS)
def test_a_cell_that_reads_from_the_keyboard_is_told_that_there_is_none(cells, code):
    for _ in range(2):
        [content] = [c for kind, c in cells.run(f"{{ {code} }}") if kind == "error"]
        assert content["ename"] == "NoKeyboard"
        assert "$$.input" in content["evalue"]
    assert value(cells.run("1 + 1")) == "2"


def test_a_stdin_that_nobody_reads_has_an_end(cells):
    code = (
        "process.stdin.resume(); await require('node:events').once(process.stdin, 'end'); 'ended'"
    )
    assert value(cells.run(code)) == "'ended'"
    assert value(cells.run("require('node:fs').readFileSync(0, 'utf8').length")) == "0"


def test_a_question_of_a_notebook_without_a_person_fails(cells):
    request = cells.send("await $$.input({ prompt: 'Your name? ' })", allow_stdin=False)
    [content] = [c for kind, c in cells.outputs(request) if kind == "error"]
    assert content["ename"] == "NoKeyboard"
    assert "runs without one" in content["evalue"]

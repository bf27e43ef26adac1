"""Honest mistakes: each gets a message that names it, and where there is one the line; none costs
points in silence, and right work loses none for how it looks.
"""

import json
import re
import subprocess
import time

import pytest
from support import supported_nodes

from lab.errors import LabError
from lab.grading import exercise, handin, run

LATER = "await new Promise((resolve) => setTimeout(resolve, 200));\n"
EMPTY = "export const summary = () => ({});\n"
RIGHT = exercise.exercise("summary").solution.read_text()


def judged(text, name="summary.mjs", asked="summary"):
    found = exercise.exercise(asked)
    return run.grade(found, handin.from_text(text, name))


@pytest.mark.judges
@pytest.mark.parametrize(
    ("text", "name", "message"),
    [
        (
            "export function summary(rows, seconds) {\n  return {;\n}\n",
            "a.mjs",
            r"Unexpected "
            r"token.*line 2",
        ),
        ("export function summry() {}\n", "a.mjs", r"no function `summary`, only `summry`"),
        (
            "export default function summary() {}\n",
            "a.mjs",
            r"no function `summary`, only a default export\. Write `export function summary",
        ),
        (
            "export default () => {};\nexport const sum = 1;\n",
            "a.mjs",
            r"only `sum`, a default export",
        ),
        ("module.exports = () => {};\n", "a.cjs", r"only a function, `module.exports` itself"),
        ("function summary() {}\n", "a.mjs", r"it exports nothing"),
        (
            "export const summary = { throughput: 1 };\n",
            "a.mjs",
            r"is of type object, not a function",
        ),
        ("module.exports = { sumary() {} };\n", "a.cjs", r"no function `summary`.*module\.exports"),
        (
            'import express from "express";\nexport const summary = () => express;\n',
            "a.mjs",
            r"imports express, but only Node's own",
        ),
        (
            'import { mean } from "./mean.mjs";\nexport const summary = mean;\n',
            "a.mjs",
            r"imports \./mean\.mjs, but only Node's own.*into this one file",
        ),
        (
            'const _ = require("lodash");\nmodule.exports = { summary: () => _ };\n',
            "a.cjs",
            r"imports lodash",
        ),
        (
            "export function summary(rows) {\n  return rows.filtre(Boolean);\n}\n",
            "a.mjs",
            r"TypeError.*filtre is not a function.*\(a\.mjs, line 2\)",
        ),
        (
            "export function summary(rows) {\n  console.log('in');\n}\n",
            "a.mjs",
            r"`summary` returned undefined, but it should return an object",
        ),
        (
            "export const summary = () => 5;\n",
            "a.mjs",
            r"returned 5, but it should return an object",
        ),
        (
            "export const summary = () => [5];\n",
            "a.mjs",
            r"returned an array, but it should return an object",
        ),
        (
            "export const summary = () => ({});\nthrow new Error('left over');\n",
            "a.mjs",
            r"left "
            r"over.*line 2",
        ),
        (
            "setTimeout(() => { throw new "
            "Error('later'); }, 1);\nawait new "
            "Promise((r) => setTimeout(r, "
            "200));\nexport const summary = () => ({});",
            "a.mjs",
            r"not caught.*later.*line 1",
        ),
        (
            "Promise.reject(new "
            "Error('forgotten'));\nawait new "
            "Promise((r) => setTimeout(r, "
            "200));\nexport const summary = "
            "() => ({});",
            "a.mjs",
            r"rejected and not handled.*forgotten",
        ),
        (RIGHT + "\nprocess.exit();\n", "a.mjs", r"process\.exit"),
        (
            'const os = require("node:os");\n' + RIGHT,
            "a.mjs",
            r"require is not defined in ES module scope.*\(a\.mjs, line 1\)",
        ),
        (
            RIGHT + "exports.more = 1;\n",
            "a.mjs",
            r"exports is not defined in ES module scope",
        ),
        # Node's own modules are no globals in a file.
        (
            "export const summary = () => os.cpus().concat(fs.readdirSync('.'));\n",
            "a.mjs",
            r"os is not defined",
        ),
        ("export const summary = async () => void 0;\n", "a.mjs", r"returned undefined"),
        # What is thrown need not be an Error.
        (
            "export const summary = () => { throw 'no rows' };\n",
            "a.mjs",
            r'your code threw "no rows", which is not an Error',
        ),
        (
            "export const summary = () => Promise.reject();\n",
            "a.mjs",
            r"your code threw undefined, which is not an Error",
        ),
        (
            "export const summary = () => { throw Symbol('odd') };\n",
            "a.mjs",
            r"your code threw a symbol odd, which",
        ),
        (
            "throw { code: 5 };\n",
            "a.mjs",
            r"cannot be loaded: it threw \{ code: 5 \}, which is not an Error",
        ),
        (
            "setTimeout(() => { throw { rows: 3 } }, 1);\n" + LATER + EMPTY,
            "a.mjs",
            r"not caught: \{ rows: 3 \} was thrown, which is not an Error",
        ),
        # What came from another program or language than JavaScript.
        ("const a = 1;\nconst b = \u201cx\u201d;\n" + EMPTY, "a.mjs", r"2\): \u201c is a typo"),
        (
            "export const summary = (rows: number[]) => ({});\n",
            "a.mjs",
            r"line 1\): TypeScript types are not JavaScript\. Remove them",
        ),
        ("interface Row { ms: number }\n" + EMPTY, "a.mjs", r"TypeScript types"),
        (
            "import test from 'node:test';\n" + EMPTY + "test('x', () => {});\n",
            "a.mjs",
            r"createHook cannot be used while a check runs \(node:test needs it",
        ),
    ],
)
def test_a_mistake_is_named(text, name, message):
    result = judged(text, name)
    assert result.outcome == "graded"
    assert not result.passed
    assert re.search(message, result.missed[0].message, re.S), str(result)


@pytest.mark.judges
@pytest.mark.parametrize(
    ("text", "name"),
    [
        (RIGHT, "summary.mjs"),
        (RIGHT, "mine.js"),  # by what is written in it
        (
            RIGHT.replace("export function", "function") + "module.exports = { summary };\n",
            "mine.cjs",
        ),
        (
            RIGHT.replace("export function", "function") + "module.exports = { summary };\n",
            "mine.js",
        ),
        (RIGHT.replace("export function", "function") + "exports.summary = summary;\n", ""),
        (RIGHT.replace("\n", "\r\n"), "windows.mjs"),
        ("\ufeff" + RIGHT, "marked.mjs"),
        ('console.error("debug"); console.log("and more");\n' + RIGHT, "noisy.mjs"),
        (RIGHT + "\nsetInterval(() => {}, 1000);\n", "left-open.mjs"),
        (
            RIGHT + 'import http from "node:http";\nhttp.createServer().listen(0, "127.0.0.1");\n',
            "server.mjs",
        ),
        ("await new Promise((resolve) => setTimeout(resolve, 300));\n" + RIGHT, "slow.mjs"),
        ("#!/usr/bin/env node\n" + RIGHT, "shebang.mjs"),
        (RIGHT.replace("export function summary", "export async function summary"), "async.mjs"),
    ],
)
def test_right_work_that_looks_odd_loses_nothing(text, name):
    result = judged(text, name)
    assert result.passed, str(result)


@pytest.mark.parametrize(
    ("text", "name", "message"),
    [
        ("", "summary.mjs", "is empty"),
        ("// nothing yet\n/* here */\n", "summary.mjs", "is empty"),
        (
            "module.exports = { summary() {} };\n",
            "summary.mjs",
            r"CommonJS \(`module.exports`\).*`export function summary …`, or call it \.cjs",
        ),
        ("module.exports.summary = () => {};\n", "summary.mjs", r"call it \.cjs"),
        ("exports.summary = () => {};\n", "summary.mjs", r"CommonJS \(`exports`\).*call it \.cjs"),
        ("x" * 300_000, "summary.mjs", "256 KiB"),
        ("\udc80", "summary.mjs", "UTF-8"),
        ("\n<!DOCTYPE html>\n<p>Sign in</p>", "summary.mjs", "summary.mjs is a web page"),
        ("```js\n" + RIGHT + "```\n", "", "The hand-in begins with a fence of Markdown"),
        ("{\\rtf1\\ansi x}", "summary.js", "word processor"),
        (
            f"let a;\n<<<<<<< HEAD\n{RIGHT}=======\n{RIGHT}>>>>>>> main\n",
            "summary.mjs",
            "a merge conflict from line 2 on",
        ),
    ],
)
def test_what_cannot_be_a_program_is_not_run(text, name, message):
    with pytest.raises(handin.BadHandIn, match=message):
        judged(text, name)


def test_the_kind_of_module_that_is_asked_for_is_said(monkeypatch):
    import dataclasses

    only = dataclasses.replace(exercise.exercise("summary"), modules=("esm",))
    with pytest.raises(handin.BadHandIn, match="asks for an ES module"):
        run.grade(only, handin.from_text("exports.summary = () => {};\n"))


@pytest.mark.judges
def test_what_is_not_there_and_what_was_printed_stand_beside_the_message():
    text = (
        "let n = 0;\nexport const summary = (rows) => {\n"
        "  console.log('rows', rows.length, n++);\n  return {};\n};\n"
    )
    first, second, *_ = judged(text, "a.mjs").missed
    assert (first.saw, first.wanted) == ("undefined", "20")
    assert first.output.strip() == "rows 40 0"
    assert "rows 40 0" not in second.output and "rows 1500 1" in second.output


@pytest.mark.judges
@pytest.mark.parametrize("node", list(supported_nodes().values()))
def test_a_module_finds_the_names_that_a_file_has_and_no_others(node, tmp_path):
    """What of the globals of `node file.mjs` is missing, and what is there besides."""
    names = "[...Object.getOwnPropertyNames(globalThis), typeof module, typeof require]"
    (tmp_path / "alone.mjs").write_text(f"console.log({names}.join());\n")
    command = [node, tmp_path / "alone.mjs"]
    alone = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    text = (
        f"const there = {json.dumps(alone.split(','))};\n"
        f"const here = {names};\n"
        "const others = here.filter((name) => !there.includes(name));\n"
        "const missing = there.filter((name) => !here.includes(name));\n"
        "export const summary = () => ({ throughput: `others: ${others}; missing: ${missing}` });\n"
    )
    found = exercise.exercise("summary")
    result = run.grade(found, handin.from_text(text, "a.mjs"), node=node)
    assert result.missed[0].saw == "others: ; missing: "


def test_a_misspelt_exercise_names_the_nearest():
    with pytest.raises(exercise.UnknownExercise, match="Did you mean summary"):
        exercise.exercise("sumary")


def test_files_that_are_none(tmp_path):
    task = exercise.exercise("summary")
    (tmp_path / "abba.mjs").write_text(RIGHT)
    (tmp_path / "summary.cjs").write_text(RIGHT)
    (tmp_path / "latin.mjs").write_bytes("// é\n".encode("latin-1"))
    (tmp_path / "away.mjs").symlink_to(tmp_path / "nowhere")
    (tmp_path / "mine.txt").write_text(RIGHT)
    (tmp_path / "not.ipynb").write_text("{")
    (tmp_path / "deep.ipynb").write_text("[" * 100_000)
    (tmp_path / "other.ipynb").write_text(
        '{"cells": [{"cell_type": "code", "source": ["%%submit lookup\\n", "1"]}]}'
    )
    for name, message in {
        "": r"is a folder: name the file, such as \S+/summary\.cjs",
        "no.mjs": "There is no file",
        "latin.mjs": r"not valid UTF-8 \(byte 3\)",
        "away.mjs": "leads nowhere",
        "mine.txt": r"\.mjs, \.cjs or \.js",
        "not.ipynb": "is not a notebook",
        "deep.ipynb": "is not a notebook",
        "other.ipynb": "no cell that begins with `%%submit summary`. It has cells for lookup",
    }.items():
        with pytest.raises(LabError, match=message):
            handin.from_file(tmp_path / name, task)


def test_of_a_notebook_the_last_cell_counts_and_nothing_but_its_source(tmp_path):
    cell = {"cell_type": "code", "metadata": {"points": 99}, "outputs": [{"data": "7 of 7"}]}
    sources = [f"%%submit summary\n{text}" for text in ("export const summary = 1;\n", RIGHT)]
    cells = [{**cell, "source": text.splitlines(keepends=True)} for text in sources]
    file = tmp_path / "work.ipynb"
    file.write_text(
        json.dumps({"cells": [{"cell_type": "markdown", "source": sources[0]}, *cells]})
    )
    made = handin.from_file(file, exercise.exercise("summary"))
    assert made.text.strip() == RIGHT.strip()


@pytest.mark.judges
def test_what_a_program_asks_of_its_machine_is_answered():
    """A line of debugging must not cost points: in the sandbox there is hardly a /proc."""
    asks = (
        'import os from "node:os";\n'
        "console.log(process.memoryUsage(), os.loadavg(), os.uptime());\n"
        'if (!os.cpus().length || !os.totalmem() || !os.freemem()) throw new Error("no machine");\n'
        "console.log(process.memoryUsage.rss(), process.cpuUsage(), process.resourceUsage());\n"
    )
    result = judged(asks + RIGHT)
    assert result.passed, str(result)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("export const a = `\nmodule.exports = 1\n`;", "esm"),
        ("const a = `\nexport function f() {}\n`;\nmodule.exports = { a };", "cjs"),
        ("const a = `${`\nmodule.exports = ${{ b: 1 }.b}\n`}`;\nexport const c = 1;", "esm"),
        ("const a = /`/;\nexport const c = `\nmodule.exports = 1`;", "esm"),
        ("const a = 'b'; module.exports = a;", "cjs"),
        ('const a = "\\\nmodule.exports = 1";\nexport default a;', "esm"),
    ],
)
def test_what_is_written_in_a_text_is_no_code(text, kind):
    assert handin.from_text(text, "a.js").kind(exercise.exercise("always-later")) == kind


def test_a_text_beside_a_number_is_in_quotes():
    asked = exercise.exercise("summary")
    text = 'export const summary = () => ({ throughput: "20.00", p50: "1" });'
    result = run.grade(asked, handin.from_text(text, "a.mjs"))
    assert result.criteria[0].saw == '"20.00"' and result.criteria[0].wanted == "20"


def test_who_asks_another_machine_is_told_that_there_is_none():
    asked = exercise.exercise("summary")
    text = 'export const summary = () => fetch("http://example.com");'
    result = run.grade(asked, handin.from_text(text, "a.mjs"))
    assert result.sandbox == "none" or "there is no network here" in result.line()


@pytest.mark.parametrize("way", ["crypto.setFips(true)", "crypto.fips = true"])
def test_who_forbids_what_the_check_needs_reads_one_sentence(way):
    """Neither the check's own stack nor its text."""
    asked = exercise.exercise("summary")
    text = f'import crypto from "node:crypto";\n{way};\nexport const summary = () => 1;'
    result = run.grade(asked, handin.from_text(text, "a.mjs"))
    assert "cannot be used" in result.line() or "returned 1" in result.line(), str(result)
    assert "codeOf" not in str(result) and "[eval]" not in str(result)


def test_a_text_that_is_hard_to_look_through_takes_no_longer_than_others():
    """Each would take hours, if the time for it grew as the square of its length."""
    task = exercise.exercise("summary")
    start_s = time.process_time()
    for text in ("/* " * 80_000, "\n" * 250_000 + "x", "//" * 120_000 + "\nx"):
        assert handin.from_text(text, "summary.js").kind(task) == "esm"
    cell = {"cell_type": "code", "source": "%%submit " + "x" * 2_000_000}
    with pytest.raises(handin.BadHandIn, match="no cell that begins"):
        handin.from_notebook(json.dumps({"cells": [cell]}), "work.ipynb", task)
    plain = time.process_time()
    assert handin.from_text("x\n" * 120_000, "summary.js").kind(task) == "esm"
    assert plain - start_s < 100 * max(0.02, time.process_time() - plain)


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("a /* b */ c // d\ne", "a  c \ne"),
        ("// a */ b\nc /* d", "\nc /* d"),
        ("/* a // */ b /* c */", " b "),
        ('accept: "*/*"; // a\nb', 'accept: ""; \nb'),
        ("/*/ a */ b", " b"),
        ("url = 'http://x'; /* y", "url = ''; /* y"),
        ("a = `// ${`}` + {b: 1}} c`; d", "a = `` + {b: 1}`; d"),
        ("a = b / c; // '\nd", "a = b / c; \nd"),
        ("r = /[/'`]/; a", "r = /; a"),
        ("it's\nb", "it's\nb"),
    ],
)
def test_what_is_a_comment_or_a_text(text, plain):
    assert handin._plain(text) == plain


@pytest.mark.judges
@pytest.mark.parametrize(
    "text",
    [
        'import { createServer } from "node:http";\ncreateServer(() => {});\n',
        "process.exit();\n",
        "export default { fetch: () => new Response() };\n",
    ],
)
def test_a_server_that_ends_without_having_listened_hears_that_it_should_listen(text):
    result = judged(text, "server.mjs", "drop-01")
    assert result.points == 0
    assert "did not listen. It should call listen(process.env.PORT" in result.missed[0].message


@pytest.mark.judges
def test_a_server_that_prints_its_error_and_ends_without_one_hears_of_that_error():
    text = """
        try {
          null.listen(process.env.PORT, "127.0.0.1");
        } catch (error) {
          console.error(error);
          process.exit(0);
        }
    """
    message = judged(text, "server.mjs", "drop-01").missed[0].message
    assert "TypeError: Cannot read properties of null" in message
    assert "(server.mjs, line 3)" in message


@pytest.mark.judges
def test_a_server_that_the_grader_ends_hears_why_and_not_only_that_it_was_killed():
    text = """
        import { createServer } from "node:http";
        const taken = [];
        const server = createServer(() => {
          for (let count = 0; count < 8; count++) taken.push(Buffer.alloc(128 << 20, 1));
        });
        server.listen(process.env.PORT, "127.0.0.1");
    """
    result = judged(text, "server.mjs", "drop-01")
    assert "used more than 512 MiB of memory" in result.missed[0].message

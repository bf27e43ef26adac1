"""How a program's end is told: what it threw and where, which signal, which exit code."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.trace import child, nodes
from lab.trace.endings import last_error, notes
from lab.trace.program import TracedProgram

LIMITS = child.Limits(seconds=30)
NODE = nodes.find(None)[0]

ENDS = {
    "a number.cjs": (
        "\nthrow 42",
        "exit code 1: it threw 42, which is not an Error (a number.cjs, line 2)",
    ),
    "null.mjs": ("throw null", "exit code 1: it threw null, which is not an Error"),
    "words.cjs": (
        'throw "only words"',
        "it threw “only words”, which is not an Error (words.cjs, line 1)",
    ),
    "object.cjs": (
        "throw { a: [1], b: { c: null } }",
        "it threw { a: [ 1 ], b: { c: null } }, which",
    ),
    "rejected.cjs": ("Promise.reject(42)", "a promise was rejected with 42, and nothing caught it"),
    "rejection.mjs": (
        "\n\nPromise.reject(new TypeError('bad'))",
        "TypeError: bad (rejection.mjs, line 3)",
    ),
    "own.cjs": (
        "class Mine extends Error { get name() { return 'Failure' } }\nthrow new Mine('of mine')",
        "exit code 1: Failure: of mine (own.cjs, line 2)",
    ),
    "code.cjs": (
        "console.error('a log', new Error('handled')); process.exitCode = 3",
        "exit code 3: the program set that",
    ),
    "settled.mjs": ("process.exit(13)", "exit code 13: the program set that code itself"),
    "unsettled.mjs": (
        "await new Promise(() => {})",
        "never settled, and nothing was left to wait for.",
    ),
    "importer.mjs": (
        "import './broken.mjs'",
        "SyntaxError: Unexpected token ';' (broken.mjs, line 2)",
    ),
    "package.mjs": (
        "import 'no-such-package'",
        "Cannot find package 'no-such-package' imported from package.mjs",
    ),
    "required.cjs": (
        "\nrequire('./nowhere')",
        "Error: Cannot find module './nowhere' (required.cjs, line 2)",
    ),
    "file.cjs": (
        "require('fs').readFile('/nowhere', (error) => { throw error })",
        "Error: ENOENT: no such file or directory, open '/nowhere' (file.cjs, line 1)",
    ),
    "json.cjs": ("\nJSON.parse('{bad')", "in JSON at position 1"),
    "emitter.cjs": ("\nnew (require('events'))().emit('error', 'text')", "(emitter.cjs, line 2)"),
    "abort.cjs": ("process.abort()", "ended by the signal SIGABRT, as process.abort() does."),
    "kill.cjs": (
        "process.kill(process.pid, 'SIGTERM')\nsetTimeout(() => {}, 5e3)",
        "the signal SIGTERM.",
    ),
    "parent.cjs": (
        "const { spawnSync } = require('child_process')\n"
        "spawnSync(process.execPath, ['-e', 'throw new Error(1)'], { stdio: 'inherit' })\n"
        "process.exitCode = 1",
        "exit code 1: the program set that code itself",
    ),
    "well.cjs": ("console.log('ok')", None),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("a folder with blanks ü")
    (folder / "broken.mjs").write_text("\nexport const x = ;\n")
    return folder


@pytest.mark.parametrize("name", ENDS)
def test_an_end_is_told_with_its_cause_and_its_place_in_the_readers_files(name, folder):
    text, note = ENDS[name]
    file = folder / name
    file.write_text(f"{text}\n")
    with child.undertaker() as keeper:
        plain = child.run(NODE, child.Setting(file), LIMITS, keeper)
        recorded = child.run(NODE, child.Setting(file), LIMITS, keeper, record=True)
    notes_text = notes([plain], [recorded], TracedProgram(file, name, text))
    assert "node:" not in " ".join(notes_text)
    if note is None:
        assert notes_text == []
    else:
        assert [sentence for sentence in notes_text if note in sentence] == notes_text != []


def test_ends_that_differ_from_run_to_run_are_counted():
    ended = [child.RunEnd((), "", code, "exit", 0.1) for code in (0, 3, 3)]
    ended.append(child.RunEnd((), "", None, "signal", 0.1, signal=9))
    assert notes(ended, [], TracedProgram(Path("x.cjs"), "x.cjs", "")) == [
        "The program ended with exit code 3 in 2 of 4 runs: the program set that code itself "
        "(process.exitCode or process.exit).",
        "The program was ended by the signal SIGKILL in 1 of 4 runs.",
    ]


def test_no_place_of_a_package_or_of_node_is_taken_for_the_readers():
    report = (
        "/x/node_modules/lib/index.js:7\n    throw error\n    ^\n\nError: lib\n"
        "    at run (/x/node_modules/lib/index.js:7:3)\n    at /x/mine.cjs:4:1\n"
        "    at node:internal/main:1:1\n\nNode.js v22.1.0\n"
    )
    assert last_error(report) == "Error: lib (mine.cjs, line 4)"
    assert last_error("FATAL") == "FATAL"


def test_a_heap_that_is_full_is_told_as_such():
    stderr = "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory\n"
    ended = child.RunEnd((), stderr, None, "signal", 1.0, signal=6)
    [sentence] = notes([ended], [], TracedProgram(Path("x.cjs"), "x.cjs", ""))
    assert "JavaScript heap out of memory" in sentence
    assert "process.abort" not in sentence

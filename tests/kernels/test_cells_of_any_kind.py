"""What people write into cells: scripts, modules, types, slips, names that Node has, too.

Every case is tried on the Node that is meant and on each that `make nodes` brought.
"""

from __future__ import annotations

import os

import pytest

from lab.processes import nodes

pytest_plugins = ["kernel_fixtures"]

NODES = {number: path for number, path in nodes.known().items() if number >= nodes.LEAST}
TYPES_FROM = 22  # Node removes types itself
USING_FROM = 24


@pytest.fixture(params=NODES, ids=lambda number: f"node{number}")
def cells(live, request, tmp_path):
    """A kernel on one of the Nodes, in a folder of its own; `.major` is its version."""
    env = {**os.environ, "LAB_NODE": NODES[request.param]}
    with live(env=env, cwd=str(tmp_path)) as kernel:
        kernel.major = request.param
        yield kernel


def value(outputs):
    values = [c["data"]["text/plain"] for kind, c in outputs if kind == "execute_result"]
    assert not [c for kind, c in outputs if kind == "error"], outputs
    return values[0] if values else None


def error(outputs):
    errors = [content for kind, content in outputs if kind == "error"]
    assert len(errors) == 1, outputs
    return errors[0]


def slip(outputs):
    """(message, line of the cell, the text from the caret on) of a syntax error."""
    content = error(outputs)
    assert content["ename"] == "SyntaxError", content
    _, place, _, text, caret = content["traceback"]
    return content["evalue"], int(place.split("line ")[1]), text[caret.index("^") :]


def test_a_promise_shows_nothing_of_the_kernel(cells):
    """Before Node 24 a promise carries what belongs to the cell that it began in."""
    shown = value(cells.run("const p = new Promise(() => {}); ({ p })"))
    assert "<pending>" in shown
    assert len(shown.splitlines()) < 9
    assert "stopping" not in shown


# --- slips -----------------------------------------------------------------------------------

ABOVE = {
    "alone": "",
    "default": 'import fs from "node:fs";\n',
    "names": 'import {\n  readFile,\n  writeFile as write,\n} from "node:fs/promises";\n',
    "all": 'import * as path from "node:path";\nimport "node:os";\n',
    "no semicolon": 'import fs from "node:fs"\n',
    "export": "export const first = 1;\nexport default function main() {}\n",
}
SLIPS = {
    "const rows = [1, 2, 3;": ("Unexpected token ';'", 0, ";"),
    "const a = 1;\nconst a = 2;": ("Identifier 'a' has already been declared", 1, "a = 2;"),
    "const class = 5;": ("Unexpected token 'class'", 0, "class = 5;"),
    "let x = 1;\nfoo bar": ("Unexpected identifier 'bar'", 1, "bar"),
    "if (1) {\n  2;\n}}": ("Unexpected token '}'", 2, "}"),
    "const t = 'open;\n1": ("Invalid or unexpected token", 0, "'open;"),
    "x = 1 +* 2": ("Unexpected token '*'", 0, "* 2"),
    "export const late = [1, 2;": ("Unexpected token ';'", 0, ";"),
}


def test_a_slip_is_told_with_its_line_whatever_stands_above_it(cells):
    for above in ABOVE.values():
        for code, (message, line, rest_of_error) in SLIPS.items():
            expected = (message, above.count("\n") + line + 1, rest_of_error)
            assert slip(cells.run(above + code)) == expected, above + code
    for code in ("function load() { return await readFile('x'); }", "() => { await 1 }"):
        message, line, rest_of_error = slip(cells.run(ABOVE["default"] + code))
        assert message.startswith("await is only valid in async functions")
        assert (line, rest_of_error.startswith(("await", "readFile", "1"))) == (2, True)


def test_a_slip_in_an_import_is_told_as_such(cells):
    cases = {
        "import fs form 'node:fs';": ("Unexpected identifier 'form'", "form 'node:fs';"),
        "import { a b } from 'x';": ("Unexpected identifier 'b'", "b } from 'x';"),
        "import fs from node:fs;": ("Unexpected identifier 'node'", "node:fs;"),
        "export { a, 5 };": ("Unexpected number", "5 };"),
    }
    for code, (message, rest_of_error) in cases.items():
        assert slip(cells.run(f"1;\n{code}")) == (message, 2, rest_of_error)
    old = 'import data from "./data.json" assert { type: "json" };'
    message, line, rest_of_error = slip(cells.run(old))
    assert "with `with` now" in message
    assert (line, rest_of_error.startswith("assert")) == (1, True)


# --- names that Node has, too ------------------------------------------------------------------

# Runs what modules run on, without a word of it in the cell.
MODULE = """
const used = () => [process.argv.length > 0, new URL("http://a.b/").host, Buffer.from("x").length,
  typeof fetch, typeof performance.now(), typeof structuredClone({}), typeof window, typeof module,
  typeof define, typeof AbortSignal.timeout, typeof queueMicrotask];
const later = (ms) => new Promise((resolve) => setTimeout(resolve, ms, "later"));
module.exports = { used, later };
"""
USED = "true,a.b,1,function,number,object,undefined,object,undefined,function,function"
TAKING = [
    "const process = 5;",
    'import { setTimeout } from "node:timers/promises"; await setTimeout(1);',
    "function fetch() {}",
    "class Event {}",
    "let console = { log() {} };",
    "var performance, structuredClone;",
    "const { URL, Buffer: Buffer = 1 } = { URL: 'http://here/' };",
    "for (var AbortSignal of [1, 2]);",
    "queueMicrotask = 1;",
    "[crypto, { x: TextDecoder }] = [1, { x: 2 }];",
    "const window = {}; function define() {} define.amd = true;",
    "export const Headers = 1; export class Response {}",
    "const module = 1, require = 2, exports = 3, __filename = 4, __dirname = 5;",
]


def test_what_cells_declare_is_theirs_and_modules_keep_what_node_has(cells, tmp_path):
    (tmp_path / "used.cjs").write_text(MODULE)
    (tmp_path / "again.mjs").write_text(
        "export default [typeof process, typeof URL, typeof fetch, typeof require].join();\n"
    )
    cells.run('const lab = require("lab"), { used, later } = require("./used.cjs");')
    for code in TAKING:
        for _ in range(2):  # and a cell can be run again
            value(cells.run(code))
        assert value(cells.run("used().join()")) == f"'{USED}'", code
    assert value(cells.run("await later(1)")) == "'later'"
    assert value(cells.run("(await import('./again.mjs')).default")) == (
        "'object,function,function,undefined'"
    )
    seen = "[process, typeof setTimeout, URL, Buffer, performance, AbortSignal, queueMicrotask]"
    assert value(cells.run(f"{seen}.join()")) == "'5,function,http://here/,1,,2,1'"
    assert value(cells.run("await setTimeout(1, 'promised')")) == "'promised'"
    assert value(cells.run("[require, module, __filename, crypto, TextDecoder].join()")) == (
        "'2,1,4,1,2'"
    )
    assert value(cells.run("fetch = 6; typeof globalThis.fetch")) == "'function'"
    assert value(cells.run("[fetch, typeof globalThis.process, new Event().type].join()")) == (
        "'6,object,'"
    )
    # A verb of the course needs a process, a clock, streams, JSON.
    assert value(cells.run("Array.isArray(await lab.ps())")) == "true"


def test_a_name_that_a_function_only_passes_stays_that_of_node(cells):
    cells.run("function quiet(fetch) { fetch = fetch ?? (() => 'given'); return fetch(); }")
    assert value(cells.run("globalThis.fetch = () => 'mock'; quiet(() => 'given') + fetch()")) == (
        "'givenmock'"
    )
    # What is global on purpose is global, as in Node.
    cells.run("require('fs').writeFileSync('asks.cjs', 'module.exports = () => fetch()')")
    assert value(cells.run("require('./asks.cjs')()")) == "'mock'"


# --- scripts and modules -----------------------------------------------------------------------


def test_using_within_a_block_is_explained_where_node_has_none(cells):
    outputs = cells.run("if (1) {\n  using first = { [Symbol.dispose ?? 0]() {} };\n}")
    if cells.major < USING_FROM:
        message, line, _ = slip(outputs)
        assert "`using` came with Node 24" in message and line == 2
    else:
        assert outputs == []


def test_using_at_the_top_of_a_cell_ends_with_the_cell(cells):
    code = (
        "using first = { n: 1, [Symbol.dispose]() { console.log('closed') } };\n"
        "await using second = { async [Symbol.asyncDispose]() { console.log('ended') } };\n"
        "console.log('open'); first.n"
    )
    for above in ("", ABOVE["default"]):
        outputs = cells.run(above + code)
        if cells.major < USING_FROM:
            message, line, _ = slip(outputs)
            assert "`using` came with Node 24" in message
            assert "try { … } finally { … }" in message
            assert line == above.count("\n") + 1
        else:
            assert value(outputs) == "1"
            text = "".join(c["text"] for kind, c in outputs if kind == "stream")
            assert text == "open\nended\nclosed\n"
    assert value(cells.run("typeof first")) == "'undefined'"


def test_a_cell_has_what_a_file_of_its_folder_has(cells, tmp_path):
    (tmp_path / "beside.json").write_text('{"a": 1}')
    folder = str(tmp_path)
    cells.run('import path from "node:path"; import { fileURLToPath } from "node:url";')
    assert value(cells.run("path.dirname(fileURLToPath(import.meta.url))")) == f"'{folder}'"
    assert value(cells.run("import.meta.dirname === __dirname && __dirname")) == f"'{folder}'"
    assert value(cells.run("import.meta.filename === __filename")) == "true"
    assert value(cells.run("import.meta.resolve('./x.mjs')")) == f"'file://{folder}/x.mjs'"
    assert value(cells.run("import.meta.resolve('fs')")) == "'node:fs'"
    assert value(cells.run("import . \n meta.url.length > 8")) == "true"
    assert value(cells.run("require.main === module && import.meta.main")) == "true"
    assert value(cells.run("module.exports = { a: 1 }; exports.b = 2; module.exports.a")) == "1"
    cells.run("process.chdir('/')")
    data = "import beside from './beside.json' with { type: 'json' }; beside.a"
    assert value(cells.run(data)) == "1"
    later = "(await import('./beside.json', { with: { type: 'json' } })).default.a"
    assert value(cells.run(later)) == "1"
    assert value(cells.run("require('./beside.json').a")) == "1"


def test_a_script_or_module_can_be_pasted(cells):
    texts = {
        "#!/usr/bin/env node\n'script'": "'script'",
        "\n#!/usr/bin/env node\n'script'": "'script'",
        "'use strict'; if (true) return 'early'; 'late'": "'early'",
        "1 <!-- old comment": "1",
        "export const a = 1, { b } = { b: 2 };\nexport { a as c };": None,
        "[a, b]": "[ 1, 2 ]",
        "export default class Named { n = 3 }\nexport function f() { return 4; }": None,
        "[new Named().n, f()]": "[ 3, 4 ]",
        "const before = 1\nexport default function () { return 5; }": "[Function: default]",
        "const shown = 2\nexport default { a: shown }": "{ a: 2 }",
        "export default 6;\nshown": "2",
        'export * from "node:path"; export { join } from "node:path"; 7': "7",
        "label: for (;;) { break label; }": None,
        "exports.x = 1; x = 8": "8",
    }
    for code, output in texts.items():
        shown = value(cells.run(code))
        if output == "[Function: default]":
            assert shown.startswith("[Function")
        else:
            assert shown == output, code


def test_import_finds_the_packages_of_the_course_from_any_folder(cells):
    assert value(
        cells.run('import lab, { median } from "lab"; [typeof lab.load, median([3])]')
    ) == ("[ 'function', 3 ]")
    if cells.major >= TYPES_FROM:
        assert value(cells.run('typeof (await import("autocannon")).default')) == "'function'"
    missing = error(cells.run('import x from "no-such-package";'))
    assert "Cannot find package 'no-such-package'" in missing["evalue"]


# --- errors in modules -------------------------------------------------------------------------


def test_an_error_in_a_module_names_its_file_and_line(cells, tmp_path):
    folder = tmp_path / "a b é"
    folder.mkdir()
    (folder / "slip.mjs").write_text("\nlet a = ;\n")
    (folder / "slip.cjs").write_text("\nlet a = ;\n")
    (folder / "middle.mjs").write_text('import "./slip.mjs";')
    (folder / "throws.mjs").write_text("export const x = null.y;\n")
    (folder / "lacks.mjs").write_text('import { nope } from "./has.mjs";')
    (folder / "has.mjs").write_text("export const v = 1;")
    (folder / "common.cjs").write_text("for (const k of ['p']) exports[k] = 1;")
    spaced_folder = "./a b é"
    for code in (
        f"import x from '{spaced_folder}/slip.mjs'",
        f"await import('{spaced_folder}/slip.mjs')",
        f"import '{spaced_folder}/middle.mjs'",
        f"require('{spaced_folder}/slip.cjs')",
    ):
        content = error(cells.run(code))
        place, text, caret = content["traceback"][:3]
        assert place.endswith((f"{folder}/slip.mjs:2", f"{folder}/slip.cjs:2")), content
        assert (text, caret.strip()) == ("let a = ;", "^")
        assert content["evalue"] == "Unexpected token ';'"
    for name, file in {"throws": "throws.mjs:1:23", "lacks": "lacks.mjs:1"}.items():
        shown = "\n".join(error(cells.run(f"import '{spaced_folder}/{name}.mjs'"))["traceback"])
        assert f"{folder}/{file}" in shown
        assert "%20" not in shown
    missing = {
        f"import {{ nope }} from '{spaced_folder}/has.mjs'": (
            "does not provide an export named 'nope'"
        ),
        f"import nope from '{spaced_folder}/has.mjs'": "does not provide an export named 'default'",
        "import { readFileAsync } from 'node:fs'": "'node:fs' does not provide an export named",
        f"import {{ p }} from '{spaced_folder}/common.cjs'": "Named export 'p' not found",
    }
    for code, words in missing.items():
        assert words in error(cells.run(code))["evalue"]


def test_paths_of_the_course_are_told_from_its_root(cells):
    shown = "\n".join(error(cells.run("require('lab').glue(1)"))["traceback"])
    assert "    at glue (lab/node/api/glue.js:" in shown.replace("Object.", "")


# --- types -------------------------------------------------------------------------------------


def test_types_are_removed_and_lines_kept(cells):
    type_script = (
        'import { type Stats, statSync } from "node:fs";\n'
        "interface Point { x: number; y?: string }\n"
        "type Name = string | undefined;\n"
        "const origin: Point = { x: 1 } as Point;\n"
        "async function half<T extends number>(n: T): Promise<number> { return n! / 2; }\n"
        "await half(origin.x satisfies number)"
    )
    outputs = cells.run(type_script)
    if cells.major < TYPES_FROM:
        message, line, _ = slip(outputs)
        assert "looks like TypeScript" in message
        assert line <= 2
        return
    assert value(outputs) == "0.5"
    assert value(cells.run("[origin, typeof half]")) == "[ { x: 1 }, 'function' ]"
    thrown = error(cells.run("const a: number = 1;\nconst b: any = null;\n\n  b.c;"))
    assert thrown["traceback"][-2:] == ["cell 3, line 4:", "    b.c;"]
    late = slip(cells.run("const a: number = 1;\nconst rows: number[] = [1, 2;"))
    assert late[1:] == (2, ";")
    twice = slip(cells.run("const a: number = 1;\nconst a: number = 2;"))
    assert twice == ("Identifier 'a' has already been declared", 2, "a: number = 2;")
    for code in (
        "enum Color { Red }",
        "namespace N { export const x = 1 }",
        "class A { constructor(private x: number) {} }",
    ):
        message, line, _ = slip(cells.run(f"1;\n{code}"))
        assert "not supported in strip-only mode. Node only removes types" in message
        assert line == 2
    assert "decorators" in slip(cells.run("class D { @logged m() {} }"))[0]


def test_javascript_that_looks_like_types_is_javascript(cells):
    assert value(cells.run("const a = 1, b = 2, c = 3; a < b > (c)")) == "false"
    assert value(cells.run("type = 5; as = 6; [type, as]")) == "[ 5, 6 ]"
    assert value(cells.run("a ? (b) : c => 1")) == "2"
    assert value(cells.run("'const a: number = 1'")) == "'const a: number = 1'"


# --- what is below the language ------------------------------------------------------------------

REPLACED = [
    "Array.isArray",
    "Array.prototype.at",
    "Buffer.isBuffer",
    "Error.captureStackTrace",
    "Array.prototype.filter",
    "Array.prototype.findIndex",
    "Array.prototype.includes",
    "Array.prototype.map",
    "Array.prototype.slice",
    "Date.now",
    "JSON.parse",
    "JSON.stringify",
    "Map.prototype.get",
    "Map.prototype.has",
    "Map.prototype.set",
    "Object.entries",
    "Object.fromEntries",
    "Promise.all",
    "Promise.race",
    "Promise.resolve",
    "Promise.prototype.finally",
    "Set.prototype.has",
    "String.prototype.replaceAll",
    "String.prototype.slice",
    "String.prototype.split",
    "WeakMap.prototype.get",
]


def test_verbs_and_errors_outlive_methods_that_a_cell_replaces(live, tmp_path):
    with live(cwd=str(tmp_path)) as kernel:
        kernel.run("const kept = {}, lab = require('lab');")
        for name in REPLACED:
            throws = "function () { throw new Error('replaced'); }"
            assert value(kernel.run(f"kept.one = {name}; {name} = {throws}; 1")) == "1"
            shown = error(kernel.run("\n null.x"))["traceback"]
            assert shown[:2] == [
                "TypeError: Cannot read properties of null (reading 'x')",
                f"    at cell {shown[1].split()[2].strip(',')}, line 2",
            ], name
            call = "(await lab.stats.pairedRatio([2, 4, 2], [1, 2, 1])).pairs"
            assert value(kernel.run(call)) == "3", name
            unknown = error(kernel.run("await lab.server('node/helo')"))
            assert unknown["ename"] == "UnknownServer", name
            assert value(kernel.run(f"{name} = kept.one; 1")) == "1"


@pytest.mark.parametrize("name", ["Function.prototype.bind", "Function.prototype.call"])
def test_what_the_kernel_cannot_do_without_ends_the_cells_with_advice(live, name):
    with live() as kernel:
        kernel.run(f"{name} = function () {{ throw new Error('replaced'); }}; 1")
        told = error(kernel.run("1 + 1"))
        assert told["ename"] == "SessionBroken"
        assert "Restart the kernel" in told["evalue"]


@pytest.mark.parametrize(
    ("code", "parts"),
    [
        (
            "throw Object.defineProperty(new Error('x'), 'message', { get() { throw 1; } })",
            ["reading it throws"],
        ),
        (
            "throw { get stack() { throw new Error('x'); } }",
            ["reading it throws"],
        ),
        (
            "throw new SuppressedError(new Error('closing'), new Error('body'))",
            ["[error]: Error: closing", "[suppressed]: Error: body", "cell 1, line 1"],
        ),
        ("if (true) { import os from 'node:os'; }", ["await import(", "cell 1, line 1"]),
        ("import os from 'node:os';\nconst el = <div>hi</div>;", ["no JSX", "cell 1, line 2"]),
    ],
)
def test_odd_errors_are_told_whole(cells, code, parts):
    if "SuppressedError" in code and cells.major < USING_FROM:
        assert error(cells.run(code))["ename"] == "ReferenceError"
        return
    shown = "\n".join(error(cells.run(code))["traceback"])
    assert all(part in shown for part in parts), shown
    assert value(cells.run("'alive'")) == "'alive'"

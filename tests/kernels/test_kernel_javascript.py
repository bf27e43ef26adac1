"""Both kernels, run as the book runs them (nbclient) and as a reader does (a live client).

The JavaScript kernel runs on LAB_NODE if set, else on the node that is on PATH.
"""

from __future__ import annotations

import os
import queue
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import nbformat
import psutil
import pytest
from jupyter_client.manager import KernelManager
from kernel_client import SECONDS, gone
from nbclient import NotebookClient

from lab.kernels import kernelspec
from lab.kernels.own_address import own_address
from lab.paths import ROOT

starts = pytest.mark.starts
alone = pytest.mark.alone  # beside others a check may be too busy to tell

pytest_plugins = ["kernel_fixtures"]


@pytest.fixture
def run(specs, tmp_path):
    """Executes cells as the book does; the outputs of each cell."""

    def execute(*cells, kernel="javascript", folder=tmp_path):
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in cells])
        manager = KernelManager(kernel_name=kernel, kernel_spec_manager=specs, ip=own_address())
        try:
            NotebookClient(
                notebook,
                km=manager,
                timeout=SECONDS,
                allow_errors=True,
                resources={"metadata": {"path": str(folder)}},
            ).execute()
        finally:
            manager.shutdown_kernel()
        return [cell.outputs for cell in notebook.cells]

    return execute


def printed(outputs, name="stdout"):
    return "".join(o.text for o in outputs if o.output_type == "stream" and o.name == name)


def value(outputs):
    found = [o.data["text/plain"] for o in outputs if o.output_type == "execute_result"]
    return found[0] if found else None


def error(outputs):
    found = [o for o in outputs if o.output_type == "error"]
    assert len(found) == 1, outputs
    return found[0]


def trace(outputs):
    return "\n".join(error(outputs).traceback)


# --- cells and their names -------------------------------------------------------------------


def test_top_level_await_gives_its_value(run):
    cells = run(
        "await Promise.resolve(6) * 7",
        "const later = await new Promise(r => setTimeout(r, 30, 'done'));",
        "later",
    )
    assert [value(c) for c in cells] == ["42", None, "'done'"]


def test_names_of_a_cell_are_the_same_binding_in_later_cells(run):
    cells = run(
        "let n = 0; const fixed = 1; function inc() { return ++n; }\n"
        "class Point { constructor(x) { this.x = x; } }",
        "await null; for (var i = 0; i < 3; i++) inc(); var { a, b: [c] } = { a: 1, b: [2] };",
        "n = 10; inc();",
        "[n, i, a, c, new Point(5).x]",
        "fixed = 2",
    )
    assert value(cells[3]) == "[ 11, 3, 1, 2, 5 ]"
    assert "Assignment to constant variable" in trace(cells[4])


def test_a_cell_can_be_run_again(run):
    cells = run("const x = 1; class A {}", "const x = 2; class A {}", "x")
    assert value(cells[2]) == "2"


def test_the_last_expression_is_shown_and_undefined_is_not(run):
    cells = run(
        "1 + 1;",
        "const y = 3",
        "undefined",
        "Promise.resolve()",
        "Promise.resolve('v')",
        "null",
        "{ a: 1 }",
        "'text' // said\n;",
        "if (true) { 5 }",
        "",
    )
    assert [value(c) for c in cells] == [
        "2",
        None,
        None,
        None,
        "'v'",
        "null",
        "{ a: 1 }",
        "'text'",
        None,
        None,
    ]


def test_a_timer_as_last_expression_is_not_shown(run):
    cells = run(
        "setTimeout(() => {}, 1)", "setImmediate(() => {})", "setInterval(() => {}).unref()"
    )
    assert [value(c) for c in cells] == [None, None, None]


def test_modules_are_found_from_any_folder(run):
    for folder in (ROOT / "servers", None):
        options = {"folder": folder} if folder else {}
        cells = run(
            'const lab = require("lab"); typeof lab',
            'typeof require("express")',
            "(await import('node:os')).cpus().length > 0",
            "import fs, { statSync as stat } from 'node:fs';\nfs.statSync === stat",
            **options,
        )
        assert [value(c) for c in cells] == ["'object'", "'function'", "true", "true"]


def test_import_resolves_beside_the_notebook(run, tmp_path):
    (tmp_path / "mine.mjs").write_text("export default 7; export const named = 8;")
    cells = run(
        "import mine, { named } from './mine.mjs'; [mine, named]",
        "(await import('./mine.mjs')).default",
    )
    assert [value(c) for c in cells] == ["[ 7, 8 ]", "7"]
    assert printed(cells[0], "stderr") == ""


# --- output ----------------------------------------------------------------------------------


def test_callbacks_of_an_awaited_cell_print_under_it_in_order(run):
    first, second = run(
        "for (const ms of [40, 10, 20]) setTimeout(() => console.log(ms), ms);\n"
        "process.stdout.write('start\\n'); await new Promise(r => setTimeout(r, 60)); "
        "console.log('end')",
        "console.log('next')",
    )
    assert printed(first) == "start\n10\n20\n40\nend\n"
    assert printed(second) == "next\n"


def test_what_waits_in_the_queues_prints_under_its_cell(run):
    first, _ = run(
        "setTimeout(() => console.log('timer'), 0); setImmediate(() => console.log('immediate'));\n"
        "process.nextTick(() => console.log('tick')); queueMicrotask(() => console.log('micro'));",
        "1",
    )
    assert set(printed(first).split()) == {"timer", "immediate", "tick", "micro"}


@alone
def test_a_cell_is_handed_in_and_does_not_run_in_the_kernel(run):
    work = "globalThis.ran = true;\nexport const summary = () => ({ throughput: 1 });\n"
    handed_in, ran, check_outputs, unknown = run(
        f"%%submit summary\n{work}",
        "String(globalThis.ran)",
        'const lab = require("lab"); const again = await lab.check("summary"); again.points',
        f"%%submit sumary\n{work}",
    )
    page = "".join(o.data.get("text/html", "") for o in handed_in if "data" in o)
    assert "0 of 7 points" in page, handed_in
    assert value(ran) == "'undefined'"
    assert value(check_outputs) == "0"
    assert "Did you mean summary" in str(unknown)


def test_late_output_is_labelled_under_the_next_cell(run):
    _, second, third = run(
        """globalThis.turn = 1;
        const look = setInterval(() => {
            if (turn === 1) return;
            clearInterval(look);
            console.log('a\\nb'); console.error('c');
            turn = 3;
        }, 5);""",
        "console.log('own'); turn = 2; while (turn < 3) await new Promise(r => setTimeout(r, 5));",
        "console.log('clean')",
    )
    mark = "[cell 1, after it was done] "
    assert printed(second) == f"own\n{mark}a\n{mark}b\n"
    assert printed(second, "stderr") == f"{mark}c\n"
    assert printed(third) == "clean\n"


LATER = """
    const fs = require("node:fs");
    const look = setInterval(() => {{
      if (!fs.existsSync("{go}")) return;
      clearInterval(look);
      console.log("{word}");
      fs.writeFileSync("{printed}", "");
    }}, 5);"""


def test_output_between_two_cells_waits_for_the_next(live, tmp_path):
    go, printed_file = tmp_path / "go", tmp_path / "printed"
    with live() as kernel:
        code = LATER.format(go=go, word="between", printed=printed_file)
        kernel.outputs(kernel.send(code, allow_stdin=False))
        go.touch()
        eventually(printed_file.exists)
        request = kernel.send("1", allow_stdin=False)
        texts = [c["text"] for kind, c in kernel.outputs(request) if kind == "stream"]
        assert texts == ["[cell 1, after it was done] between\n"]


def test_a_person_sees_late_output_under_the_cell_it_belongs_to(live, tmp_path):
    go = tmp_path / "go"
    with live() as kernel:
        request = kernel.send(LATER.format(go=go, word="late", printed=tmp_path / "printed"))
        kernel.outputs(request)
        go.touch()
        kernel.wait_for(request, "late")


def test_parallel_timers_of_two_cells_keep_apart(run):
    _, second = run(
        "let k = 0, go = false; const t = setInterval(() => { if (!go) return; "
        "console.log('one'); if (++k === 4) clearInterval(t); }, 5);",
        "go = true; for (let j = 0; j < 4 || k < 4; j++) { "
        "await new Promise(r => setTimeout(r, 6)); if (j < 4) console.log('two'); }",
    )
    lines = printed(second).splitlines()
    assert lines.count("two") == 4
    assert lines.count("[cell 1, after it was done] one") == 4
    assert set(lines) == {"two", "[cell 1, after it was done] one"}


def test_ten_megabytes_arrive_complete(run):
    long, after = run(
        "for (let i = 0; i < 100000; i++) console.log(String(i).padStart(104, '.'))", "'still here'"
    )
    lines = printed(long).splitlines()
    assert len(lines) == 100_000
    assert [int(line.strip(".") or 0) for line in lines] == list(range(100_000))
    assert value(after) == "'still here'"


def test_no_message_is_dropped_however_many_there_are(run):
    (many,) = run("for (let i = 0; i < 5000; i++) { console.log(i); console.error(i); }")
    assert printed(many).split() == printed(many, "stderr").split() == [*map(str, range(5000))]


CUT = "[output cut here: a cell shows at most 16 MiB]"


def characters(outputs):
    """How much of a cell a notebook keeps, whatever kind of output it is."""
    texts = [o.get("text", "") + "".join(map(str, o.get("data", {}).values())) for o in outputs]
    return sum(map(len, texts)) + sum(len("".join(o.get("traceback", []))) for o in outputs)


@pytest.mark.parametrize(
    "code",
    [
        "for (let i = 0; i < 20; i++) console.log('x'.repeat(1024 * 1024))",
        "const line = Buffer.alloc(2 ** 20, 'x\\n');"
        "for (let i = 0; i < 40; i++) require('fs').writeSync(1, line)",
        "require('child_process').execSync('yes | head -c 40000000', { stdio: 'inherit' });",
        "require('child_process').execSync('yes | head -c 40000000 >&2', { stdio: 'inherit' });",
        "for (let i = 0; i < 20; i++) $$.html('x'.repeat(2 ** 20)); console.log('too late');",
        "const text = 'x'.repeat(2 ** 20);"
        "for (let i = 0; i < 20; i++) process.send({ id: 2, stdout: text })",
    ],
    ids=["console", "descriptor", "inherited", "inherited-errors", "displays", "channel"],
)
def test_endless_output_is_cut_with_a_note_whichever_way_it_comes(run, code):
    long, after = run(code, "'still here'")
    streams = printed(long) + printed(long, "stderr")
    assert streams.rstrip().endswith(CUT)
    assert streams.count(CUT) == 1
    assert characters(long) < 16 * 1024 * 1024 + 200
    assert value(after) == "'still here'"


def test_displays_are_cut_although_there_is_little_in_each(run):
    (many,) = run("for (let i = 0; i < 20_000; i++) $$.display(`one ${i % 18_000}`).text('x')")
    displays = [o for o in many if o.output_type == "display_data"]
    assert 10_000 < len(displays) < 18_000
    assert printed(many, "stderr").strip() == CUT


def test_a_bar_that_moves_is_one_display(run):
    (moved,) = run(
        "const bar = $$.display('bar'); for (let i = 0; i < 20_000; i++) bar.text(`${i}`)"
    )
    assert printed(moved, "stderr") == ""


def test_late_displays_are_counted_too(run):
    _, second = run(
        "let go = false, done = false; const t = setInterval(() => { if (!go) return; "
        "clearInterval(t); for (let i = 0; i < 20; i++) $$.html('x'.repeat(2 ** 20)); "
        "done = true; }, 5);",
        "go = true; while (!done) await new Promise(r => setTimeout(r, 5));",
    )
    assert CUT in printed(second, "stderr")
    assert characters(second) < 16 * 1024 * 1024 + 200


def test_an_enormous_value_or_error_is_not_shown_whole(run):
    large, error_outputs, after = run(
        "({ _toHtml: () => 'x'.repeat(2 ** 25) })",
        "throw new Error('x'.repeat(2 ** 25))",
        "'still here'",
    )
    assert value(large) == "[a value of 33 MiB is not shown: a cell shows at most 16 MiB]"
    assert characters(error_outputs) < 16 * 1024 * 1024 + 200
    assert value(after) == "'still here'"


@pytest.mark.parametrize(
    "message",
    [
        "null",
        "5",
        "[]",
        "{}",
        "{ id: null }",
        "{ id: 2 ** 40, end: true }",
        "{ status: 'online' }",
        "{ hasOwnProperty: 1 }",
        "{ id: 2, display: null }",
        "{ id: 2, display: { mime: 5 } }",
        "{ id: 2, stdout: {} }",
        "{ id: 2, error: null }",
        "{ id: 2, request: null }",
        "{ id: 2, mime: null }",
    ],
)
def test_what_a_cell_sends_on_the_channel_of_the_kernel_is_ignored(live, message):
    with live() as kernel:
        outputs = kernel.run(
            f"process.send({message}); await new Promise(r => setTimeout(r, 50)); 'mine'"
        )
        assert [c["data"]["text/plain"] for _, c in outputs] == ["'mine'"]
        assert kernel.run("'after'")[0][1]["data"]["text/plain"] == "'after'"


@starts
def test_a_cell_that_spoils_the_channel_costs_the_session_and_not_the_kernel(live):
    with live() as kernel:
        kernel.run("const x = 1")
        outputs = kernel.run(
            "const fd = process.channel?.fd ?? 3; require('fs').writeSync(fd, 'no message\\n');"
            "await new Promise(r => setTimeout(r, 300)); 'mine'"
        )
        kernel.run("1")
        assert kernel.run("'after'")[0][1]["data"]["text/plain"] == "'after'", outputs


# What running cells needs is not taken from where a cell can replace it.
@pytest.mark.parametrize(
    "name",
    [
        "Promise",
        "process",
        "global",
        "Object",
        "Array",
        "Map",
        "Set",
        "Buffer",
        "Date",
        "JSON",
        "Error",
        "Number",
        "String",
        "Reflect",
        "Symbol",
        "console",
        "setTimeout",
        "setImmediate",
    ],
)
def test_a_cell_may_replace_what_is_global(run, name):
    cells = run(
        "const before = globalThis;",
        f"globalThis.{name} = null; 'replaced'",
        "await null; before === globalThis",
        "null.x",
        "throw 5",
    )
    assert value(cells[1]) == "'replaced'"
    assert value(cells[2]) == "true"
    assert "cell 4, line 1" in trace(cells[3])
    assert "Thrown: 5" in trace(cells[4])


def test_a_cell_that_breaks_the_language_is_told_to_restart_the_kernel(live):
    with live() as kernel:
        kernel.run("Promise.prototype.then = null; 1")
        assert kernel.run("await 2")[0][1]["data"]["text/plain"] == "2"
        kernel.run("Function.prototype.bind = null; 1")
        [(kind, found)] = kernel.run("2")
        assert kind == "error"
        assert found["ename"] == "SessionBroken"
        assert "Restart the kernel" in found["evalue"]


def test_child_processes_that_inherit_the_streams_are_heard(run):
    first, second = run(
        "require('child_process').execSync('echo out; echo err >&2', { stdio: 'inherit' });",
        "console.log('next')",
    )
    assert (printed(first), printed(first, "stderr")) == ("out\n", "err\n")
    assert printed(second) == "next\n"


def test_rich_output_keeps_its_order_and_does_not_end_the_cell(run):
    (cell,) = run(
        "$$.svg('<svg/>'); console.log('between'); $$.html('<b>1</b>'); await null;\n"
        "$$.png(Buffer.from('png')); $$.mime({ 'text/plain': 'p', 'text/html': 'h' }); 'value'"
    )
    kinds = [next(iter(o.get("data", {"text": 0}))) for o in cell]
    assert kinds == ["image/svg+xml", "text", "text/html", "image/png", "text/plain", "text/plain"]
    assert cell[3].data["image/png"].strip() == "cG5n"
    assert value(cell) == "'value'"


def test_objects_show_themselves(run):
    html, classic = run(
        "({ _toHtml: () => '<i>x</i>', [Symbol.for('nodejs.util.inspect.custom')]: () => 'x' })",
        "$$.async(); setTimeout(() => { console.log('first'); $$.sendResult('then'); }, 20)",
    )
    assert html[0].data == {"text/html": "<i>x</i>", "text/plain": "x"}
    assert (printed(classic), value(classic)) == ("first\n", "'then'")


# --- errors ----------------------------------------------------------------------------------


def test_an_error_shows_the_readers_frames_and_nothing_else(run):
    cells = run(
        "const inner = (o) => {\n  return o.a.b;\n};",
        "console.log('before');\nconst outer = () => inner({});\n\nouter();",
    )
    found = error(cells[1])
    assert found.ename == "TypeError"
    assert trace(cells[1]).splitlines() == [
        "TypeError: Cannot read properties of undefined (reading 'b')",
        "    at inner (cell 1, line 2)",
        "    at outer (cell 2, line 2)",
        "    at cell 2, line 4",
        "",
        "cell 1, line 2:",
        "    return o.a.b;",
    ]
    assert printed(cells[1]) == "before\n"


def test_a_stack_printed_by_the_reader_is_short_too(run):
    (cell,) = run("try { null.x } catch (e) { console.log(e.stack) }")
    assert "node_modules" not in printed(cell)
    assert "[eval]" not in printed(cell)
    assert "cell 1:1" in printed(cell)


@pytest.mark.parametrize(
    ("code", "parts"),
    [
        ("const = 1", ["SyntaxError: Unexpected token '='", "cell 1, line 1", "const = 1"]),
        ("1;\nfunction f() {\n  await x;\n}", ["await is only valid", "cell 1, line 3", "await x"]),
        ("throw 'words'", ["'words'"]),
        ("await Promise.reject(new RangeError('r'))", ["RangeError: r", "cell 1, line 1"]),
        ("Promise.reject(new Error('dropped')); 1", ["Unhandled rejection: Error: dropped"]),
        (
            "setTimeout(() => {\n  throw Error('in timer');\n}, 5); await new Promise(Math.abs)",
            ["Uncaught in a callback: Error: in timer", "cell 1, line 2"],
        ),
        ("require('fs').readFileSync('/no/such')", ["ENOENT", "cell 1, line 1", "code: 'ENOENT'"]),
        (
            "throw new Error('outer', { cause: new Error('deeper') })",
            ["outer", "[cause]", "deeper"],
        ),
        ("await import('./missing.mjs')", ["Cannot find module", "at cell 1"]),
        (
            "({ get x() { return 1 }, [Symbol.for('nodejs.util.inspect.custom')]() { throw 1 } })",
            [],
        ),
    ],
)
def test_a_failing_cell_says_what_and_where(run, code, parts):
    failed, after = run(code, "'alive'")
    if parts:
        shown = trace(failed)
        assert all(part in shown for part in parts), shown
        assert not any(w in shown for w in ("node:internal", "nel", "kernel/", "[eval]")), shown
    assert value(after) == "'alive'"


def test_an_error_in_a_timer_after_its_cell_is_reported_as_that(run):
    _, second, third = run(
        "let go = false, thrown = false; const t = setInterval(() => { if (!go) return; "
        "clearInterval(t); thrown = true; throw new Error('too late'); }, 5);",
        "go = true; while (!thrown) await new Promise(r => setTimeout(r, 5)); 'mine'",
        "'fine'",
    )
    assert value(second) == "'mine'"
    assert "[cell 1, after it was done] Uncaught in a callback: Error: too late" in printed(
        second, "stderr"
    )
    assert value(third) == "'fine'"


def test_a_process_that_ends_is_reported_and_replaced(run):
    cells = run(
        "const x = 1;",
        "process.exit(3)",
        "typeof x",
        "process.kill(process.pid, 'SIGSEGV')",
        "'up'",
    )
    assert "exit code 3" in trace(cells[1])
    assert "variables are lost" in trace(cells[1])
    assert value(cells[2]) == "'undefined'"
    assert "SIGSEGV" in trace(cells[3])
    assert value(cells[4]) == "'up'"


def test_the_last_words_of_a_process_are_without_what_node_prints_of_itself(run):
    cells = run(
        "require('node:fs').writeSync(2, 'my words\\n12: own list\\n'); process.abort()",
        "'up'",
    )
    said = trace(cells[0])
    assert "Its last words:\nmy words\n12: own list" in said
    assert not re.search(r"stack trace|0x[0-9a-f]{4}|scope\.cjs|node:vm", said)
    assert value(cells[1]) == "'up'"


# dies before a cell can run, and leaves a line behind
DIES = """
if (process.argv[1]?.endsWith("cells.cjs")) {
  require("node:fs").appendFileSync(process.env.STARTS, "started\\n");
  console.error("no room for variables");
  process.exit(7);
}
"""


def test_a_process_that_dies_at_its_start_is_started_three_times_and_then_explained(live, tmp_path):
    (tmp_path / "dies.cjs").write_text(DIES)
    starts = tmp_path / "starts.txt"
    preload = {"NODE_OPTIONS": f"--require {tmp_path / 'dies.cjs'}", "STARTS": str(starts)}
    with live(env={**os.environ, **preload}) as kernel:
        for _ in range(2):
            [(kind, found)] = kernel.run("1 + 1")
            assert (kind, found["ename"]) == ("error", "SessionBroken")
            assert "3 times" in found["evalue"]
            assert "exit code 7" in found["evalue"]
            assert "no room for variables" in found["evalue"]
    assert starts.read_text() == "started\n" * 3


def test_a_cell_that_waits_for_a_second_start_is_run(live, tmp_path):
    once = DIES.replace('.endsWith("cells.cjs")', '.endsWith("cells.cjs") && !existed()')
    once = f"const existed = () => require('node:fs').existsSync(process.env.STARTS);{once}"
    (tmp_path / "once.cjs").write_text(once)
    starts = tmp_path / "starts.txt"
    preload = {"NODE_OPTIONS": f"--require {tmp_path / 'once.cjs'}", "STARTS": str(starts)}
    with live(env={**os.environ, **preload}) as kernel:
        assert kernel.run("6 * 7")[0][1]["data"]["text/plain"] == "42"
    assert starts.read_text() == "started\n"


def test_cells_that_end_their_process_again_and_again_are_the_readers_own(run):
    cells = run(*["process.exit(1)"] * 5, "'up'")
    assert all("exit code 1" in trace(c) for c in cells[:5])
    assert value(cells[5]) == "'up'"


def test_late_output_of_a_cell_long_ago_is_not_lost(run):
    say = "var say = require('async_hooks').AsyncResource.bind(() => console.log('late'))"
    cells = run(say, *["1"] * 110, "say()", "2")
    assert "".join(printed(c) for c in cells) == "[an earlier cell, after it was done] late\n"


# --- interrupt, restart, shutdown --------------------------------------------------------------


# A loop after an `await` runs where V8 cannot be asked to stop.
BUSY = "await null; console.log('running'); while (true);"


def interrupted(kernel, code):
    """(error, seconds) of a cell that is interrupted once it runs."""
    request = kernel.send(code)
    kernel.wait_for(request, "running")
    started = time.monotonic()
    kernel.manager.interrupt_kernel()
    outputs = kernel.outputs(request)
    return next(c for kind, c in outputs if kind == "error"), time.monotonic() - started


@starts
def test_interrupt_stops_an_endless_loop_and_keeps_the_variables(live):
    with live() as kernel:
        kernel.run("let kept = 1;")
        for code in ("while (true);", "await new Promise(() => {})"):
            found, seconds = interrupted(kernel, f"console.log('running'); {code}")
            assert found["ename"] == "Interrupted"
            assert "variables are kept" in found["evalue"]
            assert seconds < 60
        assert kernel.run("kept")[0][1]["data"]["text/plain"] == "1"


def eventually(found, seconds=SECONDS):
    """What `found` returns, as soon as it is something."""
    end = time.monotonic() + seconds
    while not (there := found()):
        assert time.monotonic() < end, "it did not come"
        time.sleep(0.01)
    return there


def test_an_interrupt_at_any_moment_keeps_the_session_and_spares_the_next_cell(live):
    # Around the end of a cell's synchronous part Node is between two handlers of SIGINT: one in 25
    # interrupts ended the process there, one in 200 hit the cell after.
    with live() as kernel:
        kernel.run("let kept = 1;")
        for turns in (0, 10_000, 100_000, 300_000) * 25:
            error_content, _ = interrupted(
                kernel,
                f"console.log('running'); for (let i = 0; i < {turns}; i++) Math.sqrt(i);"
                "await new Promise(() => {})",
            )
            assert "variables are kept" in error_content["evalue"]
            assert kernel.run("kept")[0][1].get("data") == {"text/plain": "1"}


def test_an_interrupt_reaches_the_program_that_a_cell_waits_for(live):
    run = "const { spawn, spawnSync } = require('node:child_process'); console.log('running');"
    sleep = "('sleep', ['600'], { stdio: 'ignore' })"
    with live() as kernel:
        for start in (f"spawnSync{sleep}", f"await new Promise(r => spawn{sleep}.on('exit', r))"):
            request = kernel.send(f"{run} {start}")
            kernel.wait_for(request, "running")
            asleep = eventually(lambda: [p for p in kernel.processes() if p.name() == "sleep"])
            kernel.manager.interrupt_kernel()
            error = next(c for kind, c in kernel.outputs(request) if kind == "error")
            assert "variables are kept" in error["evalue"]
            assert gone(asleep) == []


@pytest.mark.parametrize(
    "waits",
    [
        "await ends((ended) => ended());",
        "await ends((_, failed) => failed(new Error('killed')));",
        "({ _toMime: () => ends((ended) => ended({ 'text/plain': 'shown' })) })",
        "({ _toMime: () => ends((_, failed) => failed(new Error('killed'))) })",
    ],
    ids=["it ends", "it fails", "while it is shown", "what shows it fails"],
)
def test_a_cell_whose_program_ends_before_the_signal_is_back_was_interrupted(live, waits):
    # Which of the two is first is the scheduler's: here the program always is.
    ends = """
        const { kill } = process;
        const ends = (how) => new Promise((...settle) => {
          console.log("running");
          process.kill = (...args) => {
            process.kill = kill;
            setTimeout(() => kill.apply(process, args), 50);
            how(...settle);
          };
        });"""
    with live() as kernel:
        kernel.run(ends)
        found, _ = interrupted(kernel, waits)
        assert "variables are kept" in found["evalue"]
        assert kernel.run("6 * 7")[0][1]["data"]["text/plain"] == "42"


def test_a_program_that_does_not_stop_ends_after_its_session(live):
    deaf = """
        const { spawn } = require("node:child_process");
        spawn("sh", ["-c", "trap '' INT TERM; while :; do sleep 1; done"], { stdio: "ignore" });
        console.log("running");"""
    with live() as kernel:
        kernel.wait_for(kernel.send(deaf), "running")
        deaf_one = eventually(
            lambda: [p for p in kernel.processes()[2:] if "while :" in " ".join(p.cmdline())]
        )
        kernel.run("process.exit(1)")
        assert gone(deaf_one) == []


@starts
def test_a_cell_that_does_not_stop_costs_the_session_and_says_so(live):
    with live() as kernel:
        kernel.run("let lost = 1;")
        before = kernel.processes()[1:]
        found, seconds = interrupted(kernel, BUSY)
        assert "restarted" in found["evalue"]
        assert "variables are lost" in found["evalue"].lower()
        assert seconds < 60
        after = kernel.run("typeof lost")
        assert after[0][1].get("data", after) == {"text/plain": "'undefined'"}
        assert gone(before) == []


@starts
def test_cells_that_wait_behind_an_ended_session_are_answered(live):
    with live() as kernel:
        first = kernel.send("await new Promise(r => setTimeout(r, 1000)); process.exit(1)")
        second = kernel.send("2")
        kernel.outputs(first)
        kinds = [kind for kind, _ in kernel.outputs(second)]
        assert kinds == ["error"]
        assert kernel.run("3")[0][1]["data"]["text/plain"] == "3"


@starts
def test_restart_starts_clean_and_soon(live):
    with live() as kernel:
        kernel.run("let lost = 1; setInterval(() => {}, 10);")
        before = kernel.processes()
        kernel.manager.shutdown_wait_time = 2 * SECONDS  # until it would be killed
        started = time.monotonic()
        kernel.manager.restart_kernel()
        kernel.client.wait_for_ready(timeout=SECONDS)
        assert time.monotonic() - started < SECONDS
        assert gone(before) == []
        assert kernel.run("typeof lost")[0][1]["data"]["text/plain"] == "'undefined'"


BARE = ", env: { PATH: process.env.PATH }"  # without the kernel's mark


@pytest.mark.parametrize(
    ("how", "env"),
    [("shutdown", ""), ("SIGKILL", ""), ("restart", BARE), ("interrupt", BARE), ("SIGKILL", BARE)],
)
def test_a_detached_program_ends_after_its_session_too(live, how, env):
    # Of its own session and group, with a child that is in yet another.
    sleep = f"sleep 6{os.getpid()}"  # nobody else's
    program_text = f"""
        const {{ spawn }} = require("node:child_process");
        const program = "setsid {sleep} & trap '' TERM; while :; do sleep 1; done";
        spawn("sh", ["-c", program], {{ stdio: "ignore", detached: true{env} }}).unref();
        console.log("running");"""

    def left():
        table = psutil.process_iter(["cmdline", "status"])
        lines = [(one, " ".join(one.info["cmdline"] or [])) for one in table]
        return [one for one, line in lines if line == sleep or f"setsid {sleep}" in line]

    with live() as kernel:
        kernel.wait_for(kernel.send(program_text), "running")
        pids = eventually(lambda: len(here := left()) == 2 and here)
        if how == "shutdown":
            kernel.manager.shutdown_kernel()
        elif how == "restart":
            kernel.manager.restart_kernel()
        elif how == "interrupt":
            interrupted(kernel, BUSY)  # costs the session
        else:
            os.kill(kernel.processes()[0].pid, signal.SIGKILL)
        assert gone(pids) == []


IDLE = "require('http').createServer().listen(0, '127.0.0.1'); console.log('running')"


@pytest.mark.parametrize("code", [BUSY, IDLE])
@pytest.mark.parametrize("how", ["shutdown", "SIGTERM", "SIGKILL"])
def test_no_process_outlives_the_kernel(live, code, how):
    with live() as kernel:
        kernel.wait_for(kernel.send(code), "running")
        processes = kernel.processes()
        assert len(processes) >= 3  # the kernel, the cells' process and its guard
        if how == "shutdown":
            kernel.manager.shutdown_kernel()
        else:
            # To the kernel alone; jupyter_client would signal its whole group.
            os.kill(processes[0].pid, getattr(signal, how))
        assert gone(processes) == []


def test_a_kernel_ends_when_its_client_is_killed(specs, tmp_path):
    client = subprocess.Popen(
        [sys.executable, "-c", CLIENT, specs.kernel_dirs[0]], stdout=subprocess.PIPE, text=True
    )
    kernel = psutil.Process(int(client.stdout.readline()))
    processes = [kernel, *kernel.children(recursive=True)]
    client.kill()
    client.wait()
    assert gone(processes) == []


CLIENT = """
import sys, time
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import KernelManager
specs = KernelSpecManager(kernel_dirs=sys.argv[1:])
manager = KernelManager(kernel_name="javascript", kernel_spec_manager=specs)
manager.start_kernel()
client = manager.client()
client.start_channels()
client.wait_for_ready(timeout=300)
print(manager.provisioner.pid, flush=True)
time.sleep(600)
"""


# --- the Python kernel, the same where it means something ------------------------------------


def test_python_cells_print_wait_and_fail_as_expected(run):
    cells = run(
        "import asyncio, threading\nx = await asyncio.sleep(0.01, 5)\nx",
        "def say():\n    print('from a thread')\nt = threading.Thread(target=say); t.start(); "
        "t.join(); print('end')",
        "for i in range(100_000): print(str(i).rjust(104, '.'))",
        "1 / 0",
        "import sys; sys.prefix",
        kernel="python3",
    )
    assert value(cells[0]) == "5"
    assert printed(cells[1]) == "from a thread\nend\n"
    assert len(printed(cells[2]).splitlines()) == 100_000
    assert error(cells[3]).ename == "ZeroDivisionError"
    assert Path(value(cells[4]).strip("'")) == Path(sys.prefix)


@starts
def test_python_interrupt_and_restart_leave_nothing(live, tmp_path):
    with live("python3") as kernel:
        # In the loop for sure: while it prints, the kernel's own code would take the interrupt.
        mark = tmp_path / "in the loop"
        request = kernel.send(
            "print('running', flush=True)\nimport pathlib, time\n"
            f"pathlib.Path({str(mark)!r}).touch()\nwhile True: time.sleep(0.01)"
        )
        kernel.wait_for(request, "running")
        eventually(mark.exists)
        kernel.manager.interrupt_kernel()
        assert kernel.outputs(request)[-1][1]["ename"] == "KeyboardInterrupt"
        before = kernel.processes()
        kernel.manager.restart_kernel(now=True)
        kernel.client.wait_for_ready(timeout=SECONDS)
        assert gone(before) == []
        with pytest.raises(queue.Empty):  # a status may be late
            while kernel.client.get_iopub_msg(timeout=0.5)["msg_type"] == "status":
                pass


# --- registration ----------------------------------------------------------------------------


def test_kernelspecs_are_written_once_and_only_under_the_prefix(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    prefix = tmp_path / "prefix"
    assert kernelspec.install(str(prefix)) == ["javascript", "python3"]
    assert kernelspec.install(str(prefix)) == []
    assert not (tmp_path / "home").exists()


def test_a_missing_node_is_named(tmp_path):
    with pytest.raises(
        kernelspec.LabError, match="'no-such-node' is not on the PATH: install Node"
    ):
        kernelspec.install(str(tmp_path), node="no-such-node")

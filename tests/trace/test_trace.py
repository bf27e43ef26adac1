"""The recorder against real Node: phases from two sources, orders, limits, ways to end.

On the Node that is meant, those of LAB_NODES (a path list) and those that `make nodes` brought.
Node 16 and 18 are not among them: uvMetricsInfo, the counter of the loop's iterations, came with
20.18.
"""

from __future__ import annotations

import copy
import functools
import json
import os
import re
import signal
import subprocess
import sys
import time
from html import escape
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest
from support import supported_nodes

import lab
from lab import LabError, paths
from lab.book.pipeline import usage_notes
from lab.processes import nodes as meant
from lab.records.load import BadLoad
from lab.trace import child, nodes
from lab.trace import program as traced_program
from lab.trace.canonical import Builder
from lab.trace.nodes import Node
from lab.trace.phases import Callback, Spans, SpanWitness, TraceRefusedError, agree
from lab.trace.program import TracedProgram
from lab.trace.recording import canonical
from lab.trace.verb import Trace
from lab.widgets.replay import html

alone = pytest.mark.alone  # by the clock: what runs beside it takes its time

PROGRAMS = Path(__file__).parents[1] / "node" / "recorder" / "programs"
# The one that is meant comes first: what needs only one Node runs on it.
NODES = nodes.find([meant.program(), *supported_nodes().values()])
LIMITS = child.Limits(seconds=120)
IN_ITERATION = {"poll": 0, "check": 1, "close": 2, "timers": 3}

every_node = pytest.mark.parametrize("node", NODES, ids=lambda node: node.version)


@pytest.fixture(scope="module", autouse=True)
def no_child_is_left():
    yield
    # Those of other tests, which run beside these, end by themselves: these and no later ones.
    left = [one for one in psutil.process_iter(["cmdline"]) if str(child.PRELOAD) in started(one)]
    assert psutil.wait_procs(left, timeout=300)[1] == []


def started(process: psutil.Process) -> str:
    """What it was started as."""
    return " ".join(process.info["cmdline"] or ())


def command_lines() -> list[str]:
    """What each process of this machine was started as; a bare machine has no `ps`."""
    return [started(one) for one in psutil.process_iter(["cmdline"])]


def traced(program: str | Path, **options) -> Trace:
    return lab.trace(program, **{"node": NODES[0].path, "runs": 1, "seconds": 60, **options})


@functools.cache
def recorded(node: Node, file: Path) -> child.RunEnd:
    """One recorded run, for all who only read it."""
    with child.undertaker() as keeper:
        return child.run(node, child.Setting(file), LIMITS, keeper, record=True)


def runs(trace: Trace) -> list[tuple[str, int, str]]:
    """(label, iteration, phase) of the reader's callbacks, in order."""
    return [
        (e["label"], e["iteration"], e["phase"])
        for e in trace.events
        if e["what"] == "run" and not e["internal"]
    ]


def one_trip(node: Node) -> bool:
    """Whether this Node's readFile and writeFile are one job of the pool: since 26.8 and 26.9."""
    return tuple(map(int, node.version[1:].split(".")[:2])) >= (26, 9)


def lines(trace: Trace) -> list[str]:
    return list(trace.orders[0].lines)


@every_node
@pytest.mark.parametrize("file", sorted(PROGRAMS.iterdir()), ids=lambda file: file.name)
def test_hooks_and_trace_events_agree_on_every_phase(node, file):
    outcome = recorded(node, file)
    assert outcome.ended == "exit", outcome.stderr
    assert str(child.PRELOAD.parent) not in outcome.stderr  # it changes no program
    assert outcome.spans is not None
    agreement = agree(outcome.rows, outcome.spans)  # raises when they do not
    assert agreement
    # The order of libuv since 1.45, timers last, holds in every program.
    in_loop = [
        (callback.iteration, IN_ITERATION[phase])
        for callback, phase in agreement
        if phase in IN_ITERATION and callback.depth == 1
    ]
    assert in_loop == sorted(in_loop)


@every_node
@pytest.mark.parametrize("file", sorted(PROGRAMS.iterdir()), ids=lambda file: file.name)
def test_a_recording_is_small_and_every_callback_that_begins_ends(node, file):
    outcome = recorded(node, file)
    program = TracedProgram(file, file.name, file.read_text())
    recording = canonical(program, outcome, child.Limits(events=100_000))
    assert recording["verified"]
    assert recording["module"] == ("esm" if file.suffix == ".mjs" else "cjs")
    begun = [row[2] for row in recording["events"] if row[1] == "run"]
    ended = [row[2] for row in recording["events"] if row[1] == "end"]
    assert sorted(begun) == sorted(ended)
    printed = [row[6] for row in recording["events"] if row[1] == "out"]
    assert tuple("\n".join(printed).split("\n")) == outcome.lines or not outcome.lines
    if file.stem != "starve":
        assert len(json.dumps(recording, separators=(",", ":"))) < 25_000


@every_node
def test_main_module_timer_and_immediate_come_in_either_order(node):
    trace = traced(PROGRAMS / "phases.cjs", node=node.path, runs=5)
    for order in trace.orders:
        assert set(order.lines) == set(lines(trace))
    assert sum(order.count for order in trace.orders) == 5


@every_node
def test_from_a_poll_callback_tick_microtask_check_timer_in_that_order(node):
    trace = traced(PROGRAMS / "phases.cjs", node=node.path, runs=3)
    for order in trace.orders:
        inner = [line for line in order.lines if line not in ("timeout", "immediate")]
        assert inner == ["stat", "tick", "microtask", "immediate in stat", "timeout in stat"]
    seen = {label: (iteration, phase) for label, iteration, phase in runs(trace)}
    assert seen["fs.stat"][1] == "poll"
    # The immediate runs in the same iteration as the poll callback that made it.
    assert (seen["fs.stat"][0], "check") in {
        (iteration, phase) for label, iteration, phase in runs(trace) if label == "setImmediate"
    }


@every_node
def test_both_queues_are_emptied_after_every_callback(node):
    trace = traced(PROGRAMS / "drain.cjs", node=node.path, runs=2)
    assert " ".join(lines(trace)) == "t1 n1 m1 t2 i1 ni1 mi1 i2 i3"
    by_label = [(label, phase) for label, _, phase in runs(trace)]
    assert by_label[1:4] == [
        ("setTimeout 5 ms", "timers"),
        ("process.nextTick", "timers"),
        (".then", "timers"),
    ]


@every_node
def test_ticks_first_in_commonjs_promises_first_in_a_module(node):
    commonjs = traced(PROGRAMS / "queues.cjs", node=node.path, runs=2)
    module = traced(PROGRAMS / "queues.mjs", node=node.path, runs=2)
    assert lines(commonjs) == ["sync", "tick", "promise", "microtask"]
    assert lines(module) == ["sync", "promise", "microtask", "tick"]
    assert commonjs.deterministic
    assert module.deterministic
    assert commonjs.data["module"] == "cjs"
    assert module.data["module"] == "esm"


@every_node
def test_a_tick_made_in_a_microtask_waits_for_the_microtask_queue(node):
    trace = traced(PROGRAMS / "tick-in-microtask.cjs", node=node.path, runs=2)
    assert lines(trace) == ["m1", "qm", "m2", "tick"]


# Recorded traces whose order libuv's and Node's source fix, in whatever time things take; pages
# teach them. The others' order hangs on clocks, on the kernel or on what the pool does first.
FIXED = (
    "await-forms",
    "await-sometimes",
    "await-turns",
    "await-two-visitors",
    "phases-one-turn",
    "ticks-commonjs",
    "ticks-drain",
    "ticks-module",
    "ticks-replay",
    "trace-7a2e69160a",  # order-sync.cjs
    "trace-d7c145be7e",  # order-async.cjs
)


@every_node
def test_the_orders_that_pages_teach_are_those_of_every_node(node, tmp_path):
    for name in FIXED:
        told = json.loads((paths.REFERENCE / f"{name}.trace.json").read_text("utf-8"))
        [order] = {tuple(o["lines"]) for v in told["versions"] for o in v["orders"] if o["count"]}
        file = tmp_path / f"{name}.{'mjs' if told['module'] == 'esm' else 'cjs'}"
        file.write_text(told["source"], "utf-8")
        outcome = recorded(node, file)
        assert outcome.lines == order, name
        assert outcome.spans is not None, name
        agree(outcome.rows, outcome.spans)


@every_node
def test_read_file_takes_four_trips_to_the_pool_and_since_26_8_one(node):
    trace = traced(PROGRAMS / "read-file.cjs", node=node.path, runs=2)
    polled = [label for label, _, phase in runs(trace) if phase == "poll"]
    trips = ["open, fstat, read, close"] if one_trip(node) else ["open", "fstat", "read", "close"]
    assert polled == [f"fs.readFile · {call}" for call in trips]
    iterations = [iteration for _, iteration, phase in runs(trace) if phase == "poll"]
    assert len(set(iterations)) == len(trips)


@every_node
def test_the_whole_file_in_one_job_has_a_thread_of_the_pool_and_no_other_job_takes_it(node):
    trace = traced(PROGRAMS / "files-and-hash.cjs", node=node.path, runs=1)
    recording = trace.data["versions"][0]["recordings"][0]
    threads = {
        recording["tasks"][row[2]]["label"]: row[6]
        for row in recording["events"]
        if row[1] == "thread"
    }
    whole = {"fs.readFile · open, fstat, read, close", "fs.writeFile · open, write, close"}
    assert set(threads) == {"crypto.pbkdf2", *(whole if one_trip(node) else ())}


def test_what_libuv_had_postponed_is_reported_before_the_next_poll_not_in_the_close_phase():
    rows = [
        ["S", 0],
        ["i", 1, 2, "SHUTDOWNWRAP", 1, 1, None, {}],
        ["b", 60, 2, 1],
        ["a", 61, 2],
        ["b", 80, 2, 1],
        ["a", 81, 2],
    ]
    spans = Spans(timers=[(70, 75)], check=[(40, 50)], loop_start=10)
    where = [(callback.iteration, phase) for callback, phase in agree(rows, spans)]
    assert where == [(1, "close"), (2, "poll")]


@every_node
def test_zero_milliseconds_are_one_and_a_cleared_timer_leaves(node):
    trace = traced(PROGRAMS / "interval.cjs", node=node.path, runs=2)
    assert lines(trace) == ["beat", "beat", "beat"]
    beats = [e for e in trace.events if e["what"] == "run" and "Interval" in (e["label"] or "")]
    ends = [e for e in trace.events if e["what"] == "end" and "Interval" in (e["label"] or "")]
    assert all(end["t_us"] <= beat["t_us"] for end, beat in zip(ends, beats[1:], strict=False))
    gone = [e["label"] for e in trace.events if e["what"] == "gone"]
    assert gone == ["setTimeout 1000 ms", "setInterval 10 ms"]
    zero = traced("setTimeout(() => console.log('x'), 0)\n", node=node.path, runs=1)
    assert runs(zero)[1][0] == "setTimeout 1 ms"


@alone
@every_node
def test_what_becomes_due_while_timers_run_waits_a_turn_since_libuv_1_48(node):
    """What breaks up the convoy of bands-and-convoys. Its clock goes on after a callback when
    something asks Node for the time, as a new timer does.
    """
    program = (
        "const out = [];\n"
        "setTimeout(() => {\n"
        "  setImmediate(() => out.push('immediate'));\n"
        "  for (const until = performance.now() + 60; performance.now() < until; );\n"
        "  process.nextTick(() => setTimeout(() => {}, 50));\n"
        "}, 100);\n"
        "setTimeout(() => setTimeout(() => out.push('due meanwhile'), 100), 20);\n"
        "setTimeout(() => console.log(out.join()), 400);\n"
    )

    def order():
        command = [node.path, "-e", program]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        return done.stdout.strip().split(",")

    older = tuple(map(int, node.uv.split("."))) < (1, 48)
    wanted = ["due meanwhile", "immediate"] if older else ["immediate", "due meanwhile"]
    # A machine that sleeps for 20 ms at the wrong moment finds both due at once.
    assert any(order() == wanted for _ in range(5))


@alone
@every_node
def test_an_unreferenced_immediate_waits_for_the_next_event(node):
    program = (
        "setImmediate(() => console.log('late')).unref();\n"
        "setTimeout(() => console.log('t'), 40);\n"
    )

    def late_us():
        trace = traced(program, node=node.path, runs=1)
        return next(e for e in trace.events if e["text"] == "late")["t_us"]

    # Any event ends the wait, Node's own as well (a thread of V8's that is done, seldom and early):
    # a recorder that woke the loop itself would do it each time.
    assert any(late_us() > 30_000 for _ in range(5))


@every_node
def test_the_pool_shows_which_work_had_a_thread(node):
    trace = traced(PROGRAMS / "zlib-crypto.cjs", node=node.path, runs=1, events=5000)
    threads = [row for row in trace.data["versions"][0]["recordings"][0]["events"]]
    slots = {row[6] for row in threads if row[1] == "thread"}
    assert slots
    assert slots <= {0, 1, 2, 3}
    lanes = {task["lane"] for task in trace.data["versions"][0]["recordings"][0]["tasks"]}
    assert "pool" in lanes


def test_slow_name_lookups_and_kernel_waits_have_lanes_of_their_own():
    trace = traced(PROGRAMS / "everything.cjs", runs=1)
    lanes = {
        task["label"]: task["lane"] for task in trace.data["versions"][0]["recordings"][0]["tasks"]
    }
    assert {v for k, v in lanes.items() if "getaddrinfo" in k} == {"slow"}
    assert {v for k, v in lanes.items() if k.endswith("server")} == {"kernel"}


def test_gc_pauses_are_in_the_trace():
    trace = traced(PROGRAMS / "gc.cjs", runs=1)
    assert any(event["what"] == "gc" for event in trace.events)


def test_http_requests_are_numbered_and_own_what_they_cause():
    trace = traced(PROGRAMS / "http.cjs", runs=1, events=5000)
    tasks = trace.data["versions"][0]["recordings"][0]["tasks"]
    timers = [task for task in tasks if task["label"] == "setTimeout 2 ms"]
    assert sorted(task["req"] for task in timers) == [1, 2, 3, 4, 5]


def test_a_worker_is_named_as_a_limit():
    trace = traced(PROGRAMS / "worker.cjs", runs=1)
    assert any("worker" in note for note in trace.notes)


def test_a_text_may_be_a_module_with_await_at_the_top():
    trace = traced("await null;\nconsole.log('x');\n", runs=1)
    assert trace.data["module"] == "esm"
    assert lines(trace) == ["x"]
    imported = traced("import fs from 'node:fs';\nconsole.log(typeof fs);\n", runs=1)
    assert lines(imported) == ["object"]


def test_a_text_finds_the_packages_of_the_project():
    trace = traced("console.log(typeof require('express'));\n", runs=1)
    assert lines(trace) in (["function"], [])
    if not (paths.ROOT / "node_modules" / "express").exists():
        pytest.skip("no node_modules")
    assert lines(trace) == ["function"]


def test_arguments_input_and_environment_reach_the_program():
    trace = traced(
        "const { argv, env, stdin } = process;\n"
        "stdin.on('data', (data) => console.log(argv[2], env.X, String(data)));\n",
        runs=1,
        args=["a"],
        stdin="in",
        env={"X": "b"},
    )
    assert lines(trace) == ["a b in"]


@alone
def test_an_endless_program_ends_with_its_beginning_and_a_note():
    began = time.monotonic()
    trace = traced("setInterval(() => console.log('i'), 50);\n", runs=60, seconds=3)
    assert time.monotonic() - began < 120
    assert any("still running" in note for note in trace.notes)
    assert {e["text"] for e in trace.events if e["what"] == "out"} == {"i"}
    assert trace.events[-1]["what"] == "cut"


@alone
def test_a_program_that_never_ends_runs_again_as_far_as_its_first_run_got():
    text = "console.log('up', process.pid);\nsetInterval(() => {}, 1000);\n"
    trace = traced(text, runs=4, seconds=3)
    assert [(order.lines, order.count) for order in trace.orders] == [(("up #",), 4)]
    assert not any("Only" in note for note in trace.notes)
    silent = traced("setInterval(() => {}, 1000);\n", runs=4, seconds=1)
    assert any("Only 1 of 4 run was made" in note for note in silent.notes)


# Each run takes its three seconds of a processor; one of the programs is run a second time.
@alone
@pytest.mark.parametrize(
    ("text", "runs"),
    [
        ("console.log('a');\nsetTimeout(() => { for (;;); }, 5);\n", 1),
        ("console.log('a');\n(function f() { process.nextTick(f); })();\n", 1),
        ("console.log('a');\n(function f() { Promise.resolve().then(f); })();\n", 1),
        ("console.log('a');\nfor (;;);\n", 2),
    ],
    ids=["blocked callback", "ticks", "promises", "blocked text"],
)
def test_a_starved_loop_is_stopped_and_what_is_shown_is_verified(text, runs):
    trace = traced(text, runs=runs, seconds=3)
    assert any("still running" in note for note in trace.notes)
    assert trace.data["versions"][0]["recordings"][0]["verified"]
    assert lines(trace) == ["a"]
    assert trace.events[1]["text"] == "a"


@alone
def test_a_program_that_prints_without_end_is_stopped():
    trace = traced("for (;;) console.log('x'.repeat(80));\n", runs=3, seconds=5)
    assert any("stopped" in note for note in trace.notes)
    assert len(json.dumps(trace.to_json())) < 200_000


def test_a_hundred_thousand_lines_are_counted_but_not_kept():
    trace = traced("for (let i = 0; i < 1e5; i++) console.log(i);\n", runs=1)
    assert trace.data["versions"][0]["ended"] == {"code 0": 1}
    assert len(lines(trace)) == child.LINES_KEPT
    assert len(trace.events) <= 801


def test_a_cut_says_what_had_been_printed_by_then():
    text = "for (let i = 0; i < 50; i++) setImmediate(() => {});\nconsole.log('late');\n"
    early = traced(text, runs=1, events=10)
    assert any("first 10 of" in n and "nothing had been printed by" in n for n in early.notes)
    late = traced(text, runs=1, events=60)
    assert any("by then 1 line had been printed" in note for note in late.notes)
    assert traced(text, runs=1).notes == []


def test_notes_of_several_nodes_say_whose_they_are():
    one = traced("process.exitCode = 3;\n").data["versions"][0]
    other = {**one, "node": "v99.0.0", "notes": [*one["notes"], "Only there."]}
    trace = Trace({**traced("1;\n").data, "versions": [one, other]})
    both = f"Node {one['node'][1:]}, 99.0.0: The program ended with exit code 3"
    assert trace.notes[0].startswith(both)
    assert trace.notes[1:] == ["Node 99.0.0: Only there."]
    assert escape(both) in html.histogram(trace.data)


def test_typescript_runs_where_node_strips_types_and_is_refused_elsewhere(tmp_path):
    file = tmp_path / "typed.ts"
    file.write_text("const x: number = 1;\nconsole.log('x', x);\n")
    if NODES[0].typed:
        assert lines(traced(file)) == ["x 1"]
    else:
        with pytest.raises(LabError, match=r"typed\.ts is TypeScript, which Node v.* can't run"):
            traced(file)
    for version, typed in {"v20.20.2": False, "v22.17.1": False, "v22.18.0": True}.items():
        assert Node("node", version, "1").typed is typed
    assert not Node("node", "v23.5.0", "1").typed
    assert Node("node", "v26.0.0", "1").typed


def test_exit_codes_crashes_and_syntax_errors_are_told():
    left = traced("setTimeout(() => { console.log('a'); process.exit(3); }, 1);\n", runs=2)
    assert left.data["versions"][0]["ended"] == {"code 3": 2}
    assert left.events[-1]["what"] == "exit"
    crashed = traced("setTimeout(() => { null.x; }, 1);\n", runs=1)
    assert any("TypeError" in note and "line 1" in note for note in crashed.notes)
    assert any(event["what"] == "error" for event in crashed.events)
    wrong = traced("let x = ;\n", runs=1)
    assert any("SyntaxError" in note for note in wrong.notes)


def test_a_server_is_driven_and_then_asked_to_stop():
    from urllib.request import urlopen

    server = """
const http = require("node:http");
const server = http.createServer((request, response) => response.end("hi"));
server.listen(process.env.PORT, "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
"""
    asked = []
    trace = traced(server, runs=1, drive=lambda url: asked.append(urlopen(url).read()))
    assert asked == [b"hi", b"hi"]  # the plain run and the recorded one
    assert any(event["what"] == "req" for event in trace.events)
    assert trace.orders[0].lines == ("listening on http://127.0.0.1:PORT",)


def test_options_in_place_of_a_function_have_the_load_generator_ask():
    asked = {"connections": 2, "requests": 3}
    trace = traced(paths.SERVERS / "node" / "first-line.mjs", runs=1, drive=asked)
    assert trace.data["asked"]["drive"] == asked
    per_request = {
        number: [e["phase"] for e in trace.events if e["what"] == "run" and e["request"] == number]
        for number in (1, 2, 3)
    }
    # open, fstat, read and close come back through poll, since Node 26.8 together; the immediate
    # answers
    trips = 1 if one_trip(NODES[0]) else 4
    # Node keeps the Date header until the second is over: the timer of whoever asked for it first
    # may run before the end.
    for phases in per_request.values():
        assert phases in ([*["poll"] * trips, "check"], [*["poll"] * trips, "check", "timers"])
    assert [e["request"] for e in trace.events if e["what"] == "req"] == [1, 2, 3]
    with pytest.raises(LabError, match="fixed number of requests"):
        traced("1;\n", drive={"connections": 2})
    refuses = (
        "require('http').createServer((_, answer) => answer.destroy()).listen(0, function () {\n"
        "  console.log(`listening on http://127.0.0.1:${this.address().port}`);\n});\n"
    )
    with pytest.raises(LabError, match="not all answered"):
        traced(refuses, drive={"requests": 1})


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"requets": 5}, "Did you mean requests"),
        ({"requests": 5, "alongside": {"ping": {"path": "/ping"}}}, "alongside= has no meaning"),
        ({"requests": 5, "pin": True}, "pin= has no meaning"),
    ],
)
def test_options_that_a_trace_cannot_follow_are_refused_before_anything_runs(options, said):
    with pytest.raises(BadLoad, match=said):
        traced("1;\n", drive=options)


def test_the_programs_children_and_workers_are_not_recorded():
    trace = traced(PROGRAMS / "fork.cjs", runs=1)
    assert lines(trace) == ["hi", "exit"]


def test_a_program_runs_as_before_when_its_undertaker_is_gone(tmp_path):
    file = tmp_path / "program.cjs"
    file.write_text("process.stdin.on('data', (text) => console.log(`read ${text}`));\n")
    with child.undertaker() as keeper:
        keeper._shell.kill()
        keeper._shell.wait()
        end = child.run(NODES[0], child.Setting(file, stdin="this"), LIMITS, keeper)
    assert (end.ended, end.code, end.lines, end.stderr) == ("exit", 0, ("read this",), "")


DIES_WHEN_IT_HAS_STARTED_ONE = """
import os, subprocess

class Popen(subprocess.Popen):
    def __init__(self, command, **rest):
        super().__init__(command, **rest)
        if any(str(word).endswith(".cjs") and "mark" in word for word in command):
            os.kill(os.getpid(), 9)

subprocess.Popen = Popen
"""


@pytest.mark.parametrize("before", ["", DIES_WHEN_IT_HAS_STARTED_ONE], ids=["soon", "at once"])
def test_a_killed_python_leaves_no_program_behind(tmp_path, before):
    mark = f"mark{os.getpid()}"
    program = tmp_path / f"{mark}.cjs"
    program.write_text("setInterval(() => {}, 1000);\n")
    code = f"{before}\nimport lab; lab.trace({str(program)!r}, seconds=600)"
    env = {**os.environ, "TMPDIR": str(tmp_path)}  # where it could not clean up
    parent = subprocess.Popen([sys.executable, "-c", code], cwd=paths.ROOT, env=env)

    def alive() -> bool:
        running = [line for line in command_lines() if f"{mark}.cjs" in line]
        return any("import lab" not in line for line in running)

    deadline = time.monotonic() + 300
    while not before and not alive() and parent.poll() is None and time.monotonic() < deadline:
        time.sleep(0.05)
    if not before:
        assert alive()
        parent.kill()
    assert parent.wait(300) == -signal.SIGKILL
    while alive() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not alive()


def test_sources_that_disagree_are_refused_with_both_words():
    outcome = copy.deepcopy(recorded(NODES[0], PROGRAMS / "phases.cjs"))
    assert outcome.spans is not None
    immediate = next(row[2] for row in outcome.rows if row[0] == "i" and row[3] == "Immediate")
    rows = [
        [*row[:3], row[3] + 1] if row[0] == "b" and row[2] == immediate else row
        for row in outcome.rows
    ]
    with pytest.raises(TraceRefusedError, match=r"hooks say check .* trace events say check"):
        agree(rows, outcome.spans)
    # Not the first one: that may be a kind for which the trace events name no callback.
    named = [kind for kind, _ in outcome.spans.callbacks]
    outcome.spans.callbacks.pop(named.index("Immediate"))
    with pytest.raises(TraceRefusedError, match="callback number"):
        agree(outcome.rows, outcome.spans)


@every_node
def test_the_trace_events_say_how_each_kind_of_callback_begins(node, tmp_path):
    """What a new Node may change: here is what each of the known ones writes."""
    pattern = tmp_path / "events"
    subprocess.run(
        [
            node.path,
            f"--trace-event-categories={','.join(child.CATEGORIES)}",
            f"--trace-event-file-pattern={pattern}",
            PROGRAMS / "phases.cjs",
        ],
        check=True,
        capture_output=True,
    )
    begins: dict[str, set[str]] = {}
    for event in json.loads(pattern.read_text())["traceEvents"]:
        if event["name"].endswith("_CALLBACK") and event["ph"] in "bB":
            begins.setdefault(event["name"].removesuffix("_CALLBACK"), set()).add(event["ph"])
    in_javascript = {"B"} if meant.major(node.version) >= 26 else {"b"}
    trace = ("Timeout", "Immediate", "TickObject", "PROMISE")
    assert begins == {"FSREQCALLBACK": {"b"}, **dict.fromkeys(trace, in_javascript)}


@pytest.fixture
def unknown(tmp_path, monkeypatch):
    """A Node that calls itself 99.1.0. unknown(form): a rewriting of its trace events."""

    def make(form=None):
        wrapper = tmp_path / "node"
        fake = tmp_path / "version.cjs"
        fake.write_text("Object.defineProperty(process, 'version', { value: 'v99.1.0' });\n")
        wrapper.write_text(
            '#!/bin/sh\n[ "$1" = --version ] && echo v99.1.0 && exit\n'
            f"exec '{NODES[0].path}' --require '{fake}' \"$@\"\n"
        )
        wrapper.chmod(0o755)
        if form:
            read = Path.read_text

            def rewritten(path, *options, **named):
                text = read(path, *options, **named)
                return form(text) if path.name == "events" else text

            monkeypatch.setattr(Path, "read_text", rewritten)
        return wrapper

    return make


UNKNOWN_FORMS = {
    "callbacks that begin otherwise": lambda text: re.sub(r'"ph":"[bB]"', '"ph":"Q"', text),
    "categories as a list": lambda text: re.sub(r'"cat":("[^"]*")', r'"cat":[\1]', text),
    "times as words": lambda text: re.sub(r'"ts":(\d+)', r'"ts":"\1"', text),
    "no names": lambda text: text.replace('"name"', '"title"'),
    "spans of other names": lambda text: text.replace("CheckImmediate", "RunCheck"),
}


@pytest.mark.parametrize("form", UNKNOWN_FORMS.values(), ids=UNKNOWN_FORMS)
def test_on_a_node_with_unknown_trace_events_the_hooks_alone_are_drawn_and_it_is_said(
    form, unknown, monkeypatch
):
    monkeypatch.setattr(nodes, "KNOWN", ())  # it is the version that decides, not the fake's name
    trace = traced(PROGRAMS / "drain.cjs", node=unknown(form), runs=1)
    recording = trace.data["versions"][0]["recordings"][0]
    assert not recording["verified"]
    assert trace.versions == ["v99.1.0"]
    [note] = trace.notes
    assert "does not know the trace events of Node v99.1.0" in note
    assert "come only from" in note  # by this the replay knows that it is said
    assert escape(note) in html.histogram(trace.data)
    assert "Its phases come only from the recorder." in html.fallback(trace.data)
    assert [(label, phase) for label, _, phase in runs(trace)][1:3] == [
        ("setTimeout 5 ms", "timers"),
        ("process.nextTick", "timers"),
    ]


def test_an_unknown_node_whose_witnesses_agree_is_as_good_as_a_known_one(unknown):
    trace = traced(PROGRAMS / "drain.cjs", node=unknown(), runs=1)
    assert trace.data["versions"][0]["recordings"][0]["verified"]
    assert trace.notes == []


def test_nothing_unconfirmed_goes_into_the_reference(unknown, monkeypatch, tmp_path):
    monkeypatch.setattr(paths, "REFERENCE", tmp_path / "reference")
    monkeypatch.setenv("LAB_PROFILE", "reference")
    monkeypatch.setenv("LAB_CHAPTER", "some/chapter")
    form = UNKNOWN_FORMS["callbacks that begin otherwise"]
    with pytest.raises(TraceRefusedError):
        traced(PROGRAMS / "drain.cjs", node=unknown(form), runs=1)
    assert not (tmp_path / "reference").exists()


@pytest.fixture
def disagreeing(monkeypatch, tmp_path):
    """Witnesses that disagree on a known Node, and a recorded run of the program `drain.cjs`."""
    monkeypatch.setattr(paths, "REFERENCE", tmp_path)
    monkeypatch.setenv("LAB_PROFILE", "reference")
    good = lab.trace(PROGRAMS / "drain.cjs", runs=1, node=NODES[0].path, experiment="drained")
    monkeypatch.setenv("LAB_PROFILE", "course")
    spans = child.read_spans

    def wrong(path):
        found = spans(path)
        found.check = [(start + 1_000_000, end + 1_000_000) for start, end in found.check]
        return found

    monkeypatch.setattr(child, "read_spans", wrong)
    return good


def test_a_disagreement_on_a_known_node_is_refused_to_who_asks(disagreeing):
    with pytest.raises(TraceRefusedError, match="do not agree"):
        lab.trace(PROGRAMS / "drain.cjs", runs=1, node=NODES[0].path, experiment="drained")


def test_in_a_build_the_recorded_run_stands_in_for_a_refused_one_and_it_is_said(
    disagreeing, monkeypatch, tmp_path
):
    notes = tmp_path / "notes"
    monkeypatch.setenv("LAB_CHAPTER", "some/chapter")
    monkeypatch.setenv("LAB_USAGE_FILE", str(notes))
    trace = lab.trace(PROGRAMS / "drain.cjs", runs=1, node=NODES[0].path, experiment="drained")
    assert trace.data["versions"][0]["recordings"] == disagreeing.data["versions"][0]["recordings"]
    assert trace.notes[0].startswith("This is the recorded run.")
    assert escape(trace.notes[0]) in trace._repr_html_().split("</script>", 1)[1]
    told = usage_notes.read(notes)
    assert told.drawn_from == {"drained"}
    [remark] = told.remarks
    assert remark.startswith("drain.cjs is replayed from the recorded run. The trace is refused")
    with pytest.raises(TraceRefusedError):  # nothing recorded: then there is nothing to show
        traced(PROGRAMS / "phases.cjs", runs=1, node=NODES[0].path)


def test_a_recorder_that_fails_on_a_new_node_has_no_word(unknown, tmp_path):
    wrapper = unknown()
    (tmp_path / "version.cjs").write_text(
        "const { performance } = require('node:perf_hooks');\n"
        "Object.defineProperty(performance.nodeTiming, 'uvMetricsInfo', { value: undefined });\n"
    )
    with pytest.raises(TraceRefusedError, match=r"recorder itself failed on this Node: TypeError"):
        traced(PROGRAMS / "drain.cjs", node=wrapper, runs=1)


def test_a_job_of_the_pool_is_found_although_a_later_one_said_first_that_it_begins():
    spans = Spans(
        work=[(0, 50, "fs.writefile"), (1, 60, "crypto"), (2, 70, "crypto")],
        threads=[(5, 40, 8, "crypto"), (6, 30, 7, "fs.writefile"), (41, 55, 8, "crypto")],
    )
    kinds_of = {1: ("FSREQCALLBACK", 50), 2: ("PBKDF2REQUEST", 60), 3: ("PBKDF2REQUEST", 70)}
    callbacks = [
        Callback(0, id, kind, t_us, 0, 0, frozenset()) for id, (kind, t_us) in kinds_of.items()
    ]
    tasks = {callback.id: SimpleNamespace(kind=callback.kind) for callback in callbacks}
    placed = {callback.id: (callback, "poll") for callback in callbacks}
    rows = Builder([], [], spans, placed, tasks)._side_rows()
    begun = [(at, *what) for at, kind, what in rows if kind == "thread"]
    assert begun == [(5, 2, 0), (6, 1, 1), (41, 3, 0)]


def test_a_span_without_end_is_open():
    spans = Spans(timers=[(100, 100)], check=[(40, 50)], loop_start=10)
    assert ("timers", 1) in SpanWitness(spans).places(120)
    closed = Spans(timers=[(100, 110)], check=[(40, 50)], loop_start=10)
    assert closed.timers
    assert ("timers", 1) not in SpanWitness(closed).places(120)
    assert SpanWitness(closed).places(5) == {("main", 0)}
    assert SpanWitness(closed).places(45) == {("check", 1)}


def test_mistakes_are_named():
    with pytest.raises(LabError, match=r"There is no file nowhere\.cjs"):
        lab.trace("nowhere.cjs")
    with pytest.raises(LabError, match=r"the name 'my\.var', but the shell"):
        lab.trace("0", env={"my.var": "1"})
    with pytest.raises(LabError, match="at least one"):
        lab.trace("1;\n", runs=0)
    with pytest.raises(LabError, match=r"seconds is nan; a run may take 0\.05 to"):
        lab.trace("1;\n", seconds=float("nan"))
    with pytest.raises(LabError, match="events is 0"):
        lab.trace("1;\n", events=0)
    with pytest.raises(LabError, match=r"is a folder\. Name the program in it"):
        lab.trace(PROGRAMS)
    with pytest.raises(LabError, match="kind is 'ts'"):
        lab.trace("1;\n", kind="ts")
    with pytest.raises(LabError, match="'/nowhere' is not there"):
        lab.trace("1;\n", node="/nowhere")
    with pytest.raises(LabError, match="not a loop trace"):
        Trace.from_json({"type": "trial"})


def test_a_text_that_cannot_be_written_down_is_told_with_what_helps(monkeypatch, tmp_path):
    (tmp_path / "runs").write_text("no folder")
    monkeypatch.setattr(traced_program, "RUNS", tmp_path / "runs")
    with pytest.raises(LabError, match=r"runs: Not a directory\. Free some space there"):
        traced("1;\n")


def test_replay_mode_reads_the_recorded_trace_of_the_same_program(tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "REFERENCE", tmp_path)
    text = "console.log('x');\n"
    monkeypatch.setenv("LAB_MODE", "replay")
    with pytest.raises(LabError, match="make reference"):
        lab.trace(text, experiment="one")
    monkeypatch.setenv("LAB_MODE", "live")
    monkeypatch.setenv("LAB_PROFILE", "reference")
    live = lab.trace(text, experiment="one", runs=2)
    monkeypatch.setenv("LAB_MODE", "replay")
    assert lab.trace(text, experiment="one").to_json() == live.to_json()
    with pytest.raises(LabError, match="different program text"):
        lab.trace("console.log('y');\n", experiment="one")


def test_a_trace_shows_itself_without_javascript_and_escapes_the_program(monkeypatch):
    text = "console.log('</script><b>&');\nsetTimeout(() => console.log('later'), 1);\n"
    trace = traced(text, runs=2)
    monkeypatch.setenv("LAB_CHAPTER", "some/chapter")
    page = trace._repr_html_()
    assert page.startswith('<loop-replay predict id="replay-')
    assert page.count("</script>") == 1  # that of the data alone
    assert "<b>" not in page.split("</script>", 1)[1]
    assert "<table><caption>What Node" in page
    assert "&lt;b&gt;" in page
    assert "timers" in page
    monkeypatch.delenv("LAB_CHAPTER")
    assert "customElements.define" in trace._repr_html_()
    assert "2 × " in repr(trace)


def test_an_order_that_only_the_recorder_saw_is_none_of_the_plain_runs():
    trace = traced("console.log('a');\n", runs=2)
    version = copy.deepcopy(trace.data["versions"][0])
    version["orders"].append({"lines": ["b"], "count": 0, "recorded": 1})
    version["recordings"].append({**version["recordings"][0], "order": 1})
    also = type(trace).from_json({**trace.data, "versions": [version]})
    assert [(order.lines, order.count) for order in also.orders] == [(("a",), 2)]
    assert not also.deterministic, "a run printed something else"
    assert "recorded only: b" in repr(also)
    shown = html.histogram(also.data)
    assert "all 2 runs printed <code>a</code>" in shown
    assert "Seen only while recording, and not counted: <code>b</code>" in shown
    assert "not fixed" not in shown


def test_the_orders_that_are_counted_are_those_of_the_plain_runs():
    orders = [{"lines": [f"{i}"], "count": 1, "recorded": 0} for i in range(9)]
    last = {"lines": ["b"], "count": 0, "recorded": 1}
    version = {"node": "v1.2.3", "runs": 9, "notes": [], "recordings": [{"order": 9}]}
    shown = html.histogram({"versions": [{**version, "orders": [*orders, last]}]})
    assert "in 9 runs: 9 different ones. The order of this program is not fixed" in shown
    assert "and 1 rarer order." in shown
    assert "Seen only while recording, and not counted: <code>b</code>" in shown


def test_several_orders_are_drawn_with_their_counts():
    version = {
        "node": "v1.2.3",
        "runs": 4,
        "notes": ["a note"],
        "recordings": [{"order": 0}],
        "orders": [
            {"lines": ["a", "b"], "count": 3, "recorded": 1},
            {"lines": ["b", "a"], "count": 1, "recorded": 0},
        ],
    }
    shown = html.histogram({"versions": [version]})
    assert "3 of 4" in shown
    assert "not fixed" in shown
    assert "a note" in shown


TRACES = sorted(paths.REFERENCE.glob("*.trace.json"))


@pytest.mark.parametrize("file", TRACES, ids=lambda file: file.stem)
def test_the_table_without_javascript_has_all_lines_in_their_order(file):
    for version in json.loads(file.read_text("utf-8"))["versions"]:
        for trace in version["recordings"]:
            printed = [event[6] for event in trace["events"] if event[1] in ("out", "err")]
            rows = html.callbacks(trace)
            assert [line for row in rows for line in row["printed"]] == printed


def test_a_listener_of_process_is_not_at_its_exit_while_the_loop_still_turns():
    trace = {
        "tasks": [{"label": "main.cjs"}, {"label": "setImmediate", "line": 3}],
        "events": [
            [0, "run", 0, 0, "main"],
            [1, "end", 0],
            [2, "out", 0, None, None, 1, "nobody caught it"],
            [3, "run", 1, 1, "check", 3],
            [4, "end", 1],
            [5, "out", 0, None, None, 2, "the end"],
        ],
    }
    found = [(row["label"], row["phase"]) for row in html.callbacks(trace) if row["printed"]]
    assert found == [("process", "main"), ("process exit", "exit")]

"""The verbs for JavaScript: the bridge on its own, and from cells with real servers."""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
from dataclasses import dataclass

import numpy as np
import psutil
import pytest

from lab.kernels.bridge import calls, values
from lab.paths import ROOT
from lab.records.output import Printed

pytestmark = pytest.mark.starts

pytest_plugins = ["kernel_fixtures"]

SECONDS = 300


@pytest.fixture(autouse=True)
def own_lock(monkeypatch):
    """Nothing here looks at a figure: no need to wait for whoever measures."""
    with tempfile.TemporaryDirectory(prefix="lab") as folder:
        monkeypatch.setenv("TMPDIR", folder)
        yield


# A `lab` whose verbs are quick, slow, wrong or talkative.
FAKE = """
import sys, time, warnings
import lab, lab.kernels.bridge
from lab.errors import LabError

class Thing:
    def __init__(self, name): self.name = name; self.pid = 0; self.url = "http://127.0.0.1:1/"
    def get(self, path="/"): return f"{self.name}{path}"
    def stop(self): open(sys.argv[1], "a").write(f"stopped {self.name}\\n")
    def __repr__(self): return f"<{self.name}>"
    def _repr_html_(self): return f"<b>{self.name}</b>"

def server(name): return Thing(name)
def slow(seconds=30.0, progress=None):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        time.sleep(0.05)
        if progress: progress(1.5, 7)
    return "slept"
def echo(value=None, *, keep_alive=True): return {"value": value, "keep_alive": keep_alive}
def wrong(): raise LabError("This is wrong. Do that.")
def broken(): return {}["no such key"]
def talk():
    print("said"); print("aside", file=sys.stderr); warnings.warn("careful")

for f in (server, slow, echo, wrong, broken, talk): setattr(lab, f.__name__, f)
lab.kernels.bridge.main()
"""


class Peer:
    """The other end of a bridge."""

    def __init__(self, folder):
        (folder / "fake.py").write_text(FAKE)
        self.stopped = folder / "stopped"
        self.process = subprocess.Popen(
            [sys.executable, str(folder / "fake.py"), str(self.stopped)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
        )
        self.ids = iter(range(1, 1000))
        assert self.read() == {"ready": True}

    def write(self, **request):
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()

    def read(self):
        timer = threading.Timer(SECONDS, self.process.kill)
        timer.start()
        line = self.process.stdout.readline()
        timer.cancel()
        return json.loads(line)

    def ask(self, call, *args, **more):
        number = next(self.ids)
        self.write(id=number, call=call, args=args, **more)
        return number

    def answer(self, call, *args, **more):
        number = self.ask(call, *args, **more)
        while (message := self.read()).get("id") != number or "progress" in message:
            pass
        return message


@pytest.fixture
def peer(tmp_path):
    made = Peer(tmp_path)
    yield made
    made.process.stdin.close()
    made.process.wait(SECONDS)


# --- the protocol ----------------------------------------------------------------------------


def test_values_come_back_as_they_went(peer):
    sent = {"a": [1, 2.5, None, True, "ü\n"], "b": {}}
    assert peer.answer("echo", sent, {"keepAlive": False})["value"] == {
        "value": sent,
        "keep_alive": False,
    }


def test_objects_are_held_here_and_show_themselves(peer):
    reference_value = peer.answer("server", "x")["value"]
    assert reference_value["$type"] == "Thing"
    assert reference_value["text"] == "<x>"
    assert reference_value["attributes"]["url"] == "http://127.0.0.1:1/"
    assert peer.answer("get", "/p", on=reference_value["$object"])["value"] == "x/p"
    shown = peer.answer("$show", on=reference_value["$object"])["value"]
    assert shown == {"text/plain": "<x>", "text/html": "<b>x</b>"}


def test_a_server_answers_while_something_is_measured(peer):
    made = peer.answer("server", "x")["value"]
    slow = peer.ask("slow")
    assert peer.answer("get", on=made["$object"])["value"] == "x/"
    peer.process.send_signal(signal.SIGINT)
    message = peer.read()
    assert (message["id"], message["error"]["name"]) == (slow, "Interrupted")


def test_an_interrupt_ends_the_measurement_only_and_once(peer):
    for _ in range(3):
        slow = peer.ask("slow", progress=True)
        assert peer.read()["progress"] == {"seconds": 1.5, "answers": 7}
        peer.process.send_signal(signal.SIGINT)
        peer.process.send_signal(signal.SIGINT)
        while (message := peer.read()).get("error") is None:
            assert message["id"] == slow
        assert message["error"]["name"] == "Interrupted"
        assert peer.answer("echo", 1)["value"]["value"] == 1


@pytest.mark.parametrize(
    ("call", "args", "name", "words"),
    [
        ("wrong", [], "LabError", "This is wrong. Do that."),
        ("broken", [], "KeyError", "no such key"),
        ("nothing", [], "LabError", "There is no lab.nothing"),
        ("__builtins__.exec", ["1"], "LabError", "not public"),
        ("echo", [1, {"keepAlives": 1}], "LabError", "Did you mean keepAlive"),
        ("echo", [1, 2, 3], "LabError", "too many positional arguments"),
    ],
)
def test_errors_arrive_with_their_words(peer, call, args, name, words):
    error = peer.answer(call, *args)["error"]
    assert error["name"] == name
    assert words in error["message"]
    assert ("traceback" in error) == (name == "KeyError")


def test_what_a_verb_prints_does_not_break_the_lines(peer):
    number = peer.ask("talk")
    said = [peer.read() for _ in range(6)]
    for stream, text in (("stdout", "said\n"), ("stderr", "aside\n")):
        assert "".join(m["print"] for m in said if m.get("stream") == stream) == text
    assert {"warning": "careful"} in said
    assert {"id": number, "value": None} in said


def test_a_handle_of_an_earlier_session_is_explained(peer):
    assert "Run its cell again" in peer.answer("get", on=99)["error"]["message"]
    told = peer.answer("echo", {"of": [{"$object": 99}]})["error"]
    assert (told["name"], "Run its cell again" in told["message"]) == ("LabError", True)


@pytest.mark.parametrize("busy", [False, True])
def test_the_end_of_the_input_stops_the_servers_and_ends(peer, busy):
    peer.answer("server", "a")
    if busy:
        peer.ask("slow", progress=True)
        peer.read()
    peer.process.stdin.close()
    assert peer.process.wait(SECONDS) == 0
    assert peer.stopped.read_text() == "stopped a\n"


# --- values and arguments --------------------------------------------------------------------


@dataclass(frozen=True)
class Inner:
    in_flight: int

    def twice(self):
        return 2 * self.in_flight


@dataclass(frozen=True)
class Outer:
    inner: Inner
    many: tuple[Inner, ...]

    @property
    def total(self):
        return sum(i.in_flight for i in self.many)

    @property
    def odd(self):
        raise ValueError


def test_numbers_arrays_and_bytes_survive():
    objects = values.Objects()
    assert objects.encode([np.float64(1.5), np.int64(2), math.inf]) == [1.5, 2, {"$number": "inf"}]
    assert objects.decode({"$number": "-inf"}) == -math.inf
    assert objects.decode(objects.encode(b"\x00\xff")) == b"\x00\xff"
    array = objects.encode(np.array([1, 2], dtype="<u4"))
    assert array == {"$array": "u4", "data": "AQAAAAIAAAA="}
    assert objects.encode(np.eye(2)) == [[1.0, 0.0], [0.0, 1.0]]


def test_rows_go_to_another_language_and_back_with_their_record():
    objects, printed = values.Objects(), Printed("", [{"ms": math.inf}], "recorded")
    there = objects.encode(printed)["attributes"]["rows"]
    assert there["$rows"] == [{"ms": {"$number": "inf"}}]
    back = objects.decode(there)
    assert back == printed.rows and back.of is printed
    assert objects.encode([{"ms": 1}]) == [{"ms": 1}]


def test_attributes_are_camel_case_and_broken_properties_left_out():
    objects = values.Objects()
    made = objects.encode(Outer(Inner(1), (Inner(2), Inner(3))))
    assert set(made["attributes"]) == {"inner", "many", "total"}
    assert made["attributes"]["inner"]["attributes"] == {"inFlight": 1}
    assert made["attributes"]["inner"]["methods"] == ["twice"]
    assert objects.decode({"$object": made["$object"]}).total == 5


def test_a_large_record_is_cut_but_can_be_asked_for():
    objects = values.Objects()
    made = objects.encode(Outer(Inner(1), tuple(Inner(i) for i in range(1000))))
    last = made["attributes"]["many"][-1]
    assert "attributes" not in last
    assert objects.decode({"$object": last["$object"]}) == Inner(999)


def options_only(*, keep_alive=True): ...
def one(target, *, keep_alive=True): ...
def two(rate, service): ...
def compare(arms, **options): ...


@pytest.mark.parametrize(
    ("function", "given", "expected"),
    [
        (options_only, [{"keepAlive": 1}], ([], {"keep_alive": 1})),
        (one, ["x", {"keepAlive": 1}], (["x"], {"keep_alive": 1})),
        (one, ["x"], (["x"], {})),
        (two, [{"rate": 1, "service": 2}], ([], {"rate": 1, "service": 2})),
        (compare, [{"a": 1}], ([{"a": 1}], {})),
        (compare, [{"aB": {"keepAlive": 1}}, {"pairs": 2}],
         ([{"aB": {"keep_alive": 1}}], {"pairs": 2})),
        (compare, [{"a": 1}, {"alongside": {"pingPong": {"keepAlive": 1}}}],
         ([{"a": 1}], {"alongside": {"pingPong": {"keep_alive": 1}}})),
    ],
)  # fmt: skip
def test_the_last_object_is_options_where_that_makes_sense(function, given, expected):
    assert calls.bind(function, given) == expected


# --- from JavaScript, with real servers ------------------------------------------------------


def node(code, folder=ROOT, **env):
    program = f'const lab = require("lab");\n(async () => {{\n{textwrap.dedent(code)}\n}})()'
    return subprocess.run(
        [os.environ.get("LAB_NODE", "node"), "-e", program],
        capture_output=True,
        text=True,
        cwd=folder,
        timeout=SECONDS,
        env={**os.environ, "LAB_PROFILE": "smoke", "LAB_PYTHON": sys.executable, **env},
        check=False,
    )


def test_a_server_is_started_asked_and_stopped():
    process = node("""
        const running = await lab.server("node/hello").start();
        const { status, size, text } = await running.get("/");
        console.log(status, size === text.length, running.port > 0, running.url);
        console.log(String(await running.log()).includes(running.url));
        process.kill(running.pid, 0);
        await running.stop();
        try { process.kill(running.pid, 0); } catch { console.log("gone"); }
    """)
    assert process.stderr == ""
    first, second, third = process.stdout.splitlines()
    assert first.startswith("200 true true http://127.0.0.1:")
    assert (second, third) == ("true", "gone")


def test_what_has_no_end_is_refused_at_once_and_not_written_down_until_memory_is_full():
    process = node("""
        const circular = { connections: 10 }; circular.self = { of: [circular] };
        let deep = {}; for (let i = 0; i < 1e5; i++) deep = [deep];
        let shared = {}; for (let i = 0; i < 40; i++) shared = { a: shared, b: shared };
        const onTheWay = {}; onTheWay.later = Promise.resolve(onTheWay);
        const growing = () => ({ get more() { return growing(); } });
        for (const options of [circular, { deep }, shared, onTheWay, growing()])
          try { await lab.load("node/hello", options); }
          catch (error) { console.log(error.name, error.message); }
        const twice = { seconds: 1 };
        try { await lab.load("node/hello", { connectionz: 1, a: twice, b: [twice, twice] }); }
        catch (error) { console.log(error.name, error.message); }
        console.log(process.memoryUsage().rss < 400e6);
    """)
    *refused, harmless, small = process.stdout.splitlines()
    faults = ["is circular", "more than 50", "more than 20000", "is circular", "more than 50"]
    assert len(refused) == len(faults), process.stderr
    for line, fault in zip(refused, faults, strict=True):
        assert line.startswith("TypeError ")
        assert fault in line
    assert "connectionz" in harmless  # an object that is only named twice is as before
    assert small == "true"


def test_a_program_written_in_a_cell_can_be_started_and_changed():
    process = node("""
        const greet = (word) => lab.server("node/bridge-test", { program: `
          import http from "node:http";
          const server = http.createServer((req, res) => res.end("${word}"));
          server.listen(process.env.PORT, "127.0.0.1", () =>
            console.log("listening on http://127.0.0.1:" + server.address().port));
          process.once("SIGTERM", () => process.exit(0));` });
        for (const word of ["one", "two"])
          console.log(await greet(word).use(async (running) => (await running.get()).text));
        const asFunction = lab.server("node/bridge-test", { program() {
          const http = require("node:http");
          const server = http.createServer((req, res) => res.end("three"));
          server.listen(process.env.PORT, "127.0.0.1", () =>
            console.log("listening on http://127.0.0.1:" + server.address().port));
          process.once("SIGTERM", () => process.exit(0));
        } });
        console.log(await asFunction.use(async (running) => (await running.get()).text));
    """)
    assert (process.stdout.split(), process.stderr) == (["one", "two", "three"], "")


def test_a_result_that_nobody_keeps_is_there_until_its_call_is_answered():
    # The calls wait behind a slow one, and the collector comes for what they are about.
    process = node("""
        require("node:v8").setFlagsFromString("--expose-gc");
        const gc = require("node:vm").runInNewContext("gc");
        const program = require("node:path").join(require("node:os").tmpdir(), "waits.mjs");
        require("node:fs").writeFileSync(program, "setTimeout(() => console.log('done'), 500)");
        const made = async () => (await lab.server("node/hello")).configured();
        const calls = async () => [lab.node(program), lab.table([{ is: await made() }]),
          made().then((recipe) => recipe.configured({ env: {} }))];
        const answers = calls().then((all) => Promise.allSettled(all));
        const collector = setInterval(gc, 5);
        for (const { status, reason } of await answers) console.log(status, reason ?? "");
        clearInterval(collector);
    """)
    assert (process.stdout.split(), process.stderr) == (["fulfilled"] * 3, "")


def test_load_compare_and_claim_give_plain_data_and_methods():
    process = node("""
        const t = await lab.load("node/hello", { connections: 5, seconds: 0.2, progress: false });
        console.log(t.throughput > 0, t.counts.ok > 0, await t.latency.quantile(0.5) > 0);
        const { latency_us } = await t.raw();
        console.log(latency_us.constructor.name, latency_us.length >= t.counts.ok);
        const arms = { a: lab.server("node/hello"), b: lab.server("node/hello") };
        const c = await lab.compare(arms, { connections: [1, 2], seconds: 0.1, pairs: 1, aa: false,
                                            experiment: "bridge-test" });
        const ratio = await c.ratio("a", "b", { at: 2 });
        console.log(c.arms.join(), c.trials.length, ratio.estimate > 0);
        const claim = await lab.claim("own", ratio, { above: 0, sentence: "It is positive." });
        console.log(claim.verdict, (await claim._toMime())["text/html"].includes("positive"));
    """, LAB_MODE="live")  # fmt: skip
    assert process.returncode == 0, process.stderr  # a busy machine may draw a warning
    assert process.stdout.splitlines()[:3] == [
        "true true true",
        "Uint32Array true",
        "a,b 4 true",
    ]
    assert process.stdout.splitlines()[3].endswith("true")


def test_a_ratio_of_pairs_is_judged_as_in_python():
    process = node("""
        const [twice, once] = [[2, 4, 2, 4, 2.2, 4.4, 2], [1, 2, 1, 2, 1, 2, 1]];
        const ratio = await lab.stats.pairedRatio(twice, once, { a: "new", b: "old" });
        console.log(ratio.estimate.toFixed(2), ratio.pairs, ratio.difference);
        const claim = await lab.claim("mine", ratio, { above: 1.5, sentence: "Twice." });
        console.log(claim.basis);
    """)
    assert (process.stdout.splitlines(), process.stderr) == (["2.06 7 higher", "interval"], "")


def test_trace_takes_a_function_and_predict_a_name():
    process = node("""
        const trace = await lab.trace(() => {
          setImmediate(() => console.log("immediate"));
          process.nextTick(() => console.log("tick"));
        }, { runs: 2 });
        console.log(trace.deterministic, trace.orders[0].lines.join());
        console.log((await lab.predict.mm1(100, 0.005)).utilisation);
    """)
    assert (process.stdout.splitlines(), process.stderr) == (["true tick,immediate", "0.5"], "")


def test_mistakes_are_javascript_errors_with_the_words_of_lab():
    process = node("""
        const told = async (promise) => promise.catch((e) => console.log(e.name, "|", e.message));
        await told(lab.server("node/helo"));
        await told(lab.load("node/hello", { conections: 1 }));
        await told(lab.load("http://example.com/"));
        await told(lab.trace((x) => x));
        await told(lab.load("node/hello", { progress: () => 1 }));
        try { await lab.server("node/helo") } catch (e) { console.log(e.stack.includes("api/")); }
    """)
    lines = process.stdout.splitlines()
    assert lines[0].startswith("UnknownServer | ") and "node/hello" in lines[0]
    assert "Did you mean connections" in lines[1]
    assert lines[2].startswith("NotLoopback | ")
    assert "takes no parameters" in lines[3]
    assert "can't call a JavaScript function" in lines[4]
    assert lines[5] == "false"


def test_a_missing_python_is_named():
    done = node("await lab.ps().catch((e) => console.log(e.message))", LAB_PYTHON="/no/python")
    assert "/no/python" in done.stdout


# --- from cells --------------------------------------------------------------------------------


@pytest.fixture
def cells(live, monkeypatch):
    monkeypatch.setenv("LAB_PROFILE", "smoke")
    with live(cwd=str(ROOT / "servers")) as kernel:
        kernel.run('const lab = require("lab");')
        yield kernel


def result(outputs):
    found = [content for kind, content in outputs if kind == "execute_result"]
    assert found, outputs
    return found[0]["data"]


def test_a_result_shows_itself_in_a_cell(cells):
    shown = result(
        cells.run('const t = await lab.load("node/hello", {connections: 5, seconds: 0.3}); t')
    )
    assert "req/s" in shown["text/plain"]
    assert "<svg" in shown["text/html"]
    assert result(cells.run("t.throughput > 0")) == {"text/plain": "true"}


def test_an_error_of_a_verb_names_the_line_of_the_cell(cells):
    outputs = cells.run('1;\nawait lab.server("node/helo")')
    found = next(content for kind, content in outputs if kind == "error")
    assert found["ename"] == "UnknownServer"
    assert "cell 2, line 2" in "\n".join(found["traceback"])
    assert "lab/node" not in "\n".join(found["traceback"])


def test_an_interrupted_measurement_keeps_the_session_and_its_servers(cells):
    cells.run('const running = await lab.server("node/hello").start();')
    request = cells.send(
        "console.log('running'); await lab.load(running, {connections: 2, seconds: 600})"
    )
    cells.wait_for(request, "running")
    time.sleep(1)  # into the measurement, most likely; before it the outcome is the same
    started = time.monotonic()
    cells.manager.interrupt_kernel()
    kinds = [content.get("ename") for _, content in cells.outputs(request)]
    assert "Interrupted" in kinds
    assert time.monotonic() - started < 60
    assert result(cells.run("(await running.get()).status")) == {"text/plain": "200"}
    shown = result(cells.run("await lab.load(running, {connections: 2, seconds: 0.2})"))
    assert "req/s" in shown["text/plain"]


@pytest.mark.parametrize("how", ["restart", "SIGKILL"])
def test_no_server_outlives_the_kernel(cells, how):
    cells.run('const running = await lab.server("node/hello").start();')
    pid = int(result(cells.run("running.pid"))["text/plain"])
    processes = [psutil.Process(pid), *cells.processes()]
    if how == "restart":
        cells.manager.restart_kernel()
        cells.client.wait_for_ready(timeout=SECONDS)
    else:
        os.kill(cells.processes()[0].pid, signal.SIGKILL)
    _, alive = psutil.wait_procs(processes, timeout=60)
    assert [p for p in alive if p.status() != psutil.STATUS_ZOMBIE] == []

"""Trials of real servers: what comes back, what is refused, what a dead server or an interrupt
leaves.
"""

from __future__ import annotations

import contextlib
import errno
import http.server
import json
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from examples import record
from support import eventually, linux

import lab
from lab import paths
from lab.errors import LabError
from lab.measure import generator
from lab.measure import load as loads
from lab.measure import plan as plans
from lab.measure.load import BadTarget, ServerGone, measure, resolve
from lab.processes import guard_link, nodes
from lab.records import ceiling, reference, store
from lab.records import load as shape
from lab.records.checks import EXPECTED
from lab.records.trial import Check, Trial
from lab.servers.http_get import NotLoopback
from lab.storage.written import NotWritten

pytestmark = pytest.mark.starts
alone = pytest.mark.alone  # it reads numbers: beside others it would measure them


@pytest.fixture(autouse=True)
def places(monkeypatch, tmp_path):
    monkeypatch.setattr("lab.paths.RUNS", tmp_path / "runs")
    monkeypatch.setattr("lab.paths.REFERENCE", tmp_path / "reference")
    monkeypatch.setenv("LAB_PROFILE", "smoke")
    # Nothing here depends on a quiet machine, so nobody who measures need wait for it.
    monkeypatch.setattr("lab.processes.lock.lock_path", lambda: tmp_path / "lock")
    return tmp_path


@pytest.fixture(scope="module")
def one(tmp_path_factory):
    """One ordinary trial, looked at by several tests."""
    patch = pytest.MonkeyPatch()
    folder = tmp_path_factory.mktemp("one")
    patch.setattr("lab.paths.RUNS", folder)
    patch.setattr("lab.processes.lock.lock_path", lambda: folder / "lock")
    alongside = {"ping": {"path": "/ping", "rate": 50}}
    trial = lab.load(
        "node/read-sync",
        connections=5,
        warmup=0.1,
        seconds=0.4,
        alongside=alongside,
        experiment="one",
    )
    yield trial
    patch.undo()


@contextlib.contextmanager
def recording():
    """(url, the request targets it saw) of a server in this process."""
    requests_seen = []

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            requests_seen.append(self.path)
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}", requests_seen
        server.shutdown()
        thread.join()


@alone
def test_a_trial_obeys_littles_law_and_accounts_for_every_request(one):
    assert one.checks["littles_law"].status == "ok"
    assert one.checks["accounted"].status == "ok"
    assert one.checks["verified"].status == "ok"
    assert one.throughput > 0
    assert one.counts.sent == one.counts.accounted


@alone
def test_summaries_are_functions_of_the_raw_rows(one):
    rows = one.raw()
    start, stop = (int(s * 1e6) for s in one.window)
    inside = (rows["t_end_us"] >= start) & (rows["t_end_us"] < stop) & (rows["status"] == 200)
    assert one.throughput == pytest.approx(inside.sum() / 0.4)
    assert one.latency.count == inside.sum()
    assert len(rows["status"]) == one.counts.sent


@alone
def test_figures_that_differ_from_the_rows_are_found(one):
    assert store.verify(one) == []
    assert "throughput" in store.verify(replace(one, throughput=one.throughput * 1.01))[0]


@alone
def test_a_stream_alongside_has_latency_and_counts_of_its_own(one):
    ping = one.alongside["ping"]
    assert ping.counts.ok > 0
    assert ping.latency.count > 0
    assert ping.load.loop == "open"
    assert one.metric("alongside.ping.p50") > 0


@alone
def test_a_trial_tells_cpu_memory_and_event_loop_of_the_server(one):
    used = one.resources
    assert 0 < used.server_cpu_share < 3
    assert used.rss_peak > 10_000_000
    assert used.loop.elu > 0.3
    assert used.loop.delay_max_s >= used.loop.delay_mean_s >= 0
    assert any(b.elu is not None for b in one.series)
    assert one.server.version.startswith("v")
    assert len(one.server.source_sha256) == 64


@alone
def test_a_trial_is_stored_without_paths_of_this_machine(one):
    text = json.dumps(one.to_json())
    assert str(paths.ROOT) not in text
    assert Trial.from_json(json.loads(text)).throughput == one.throughput


@alone
def test_server_and_generator_are_pinned_apart_where_that_is_possible(one):
    if not hasattr(os, "sched_getaffinity") or len(os.sched_getaffinity(0)) < 2:
        assert one.server.cpus is None
        return
    assert set(one.server.cpus).isdisjoint(one.load.cpus)


def test_a_running_server_is_loaded_and_left_running():
    with lab.server("node/hello").start() as running:
        trial = lab.load(running, connections=2)
        assert trial.counts.ok > 0
        assert trial.server.cpus is None
        assert running.get().status == 200


def test_a_running_server_is_asked_the_question_of_its_recipe_at_no_path_of_its_own():
    recipe = lab.server("node/hello")
    with recipe.start() as running:
        found = resolve(running)
    assert (found.question, found.path) == (resolve(recipe).question, "")


def test_only_a_fresh_process_is_measured_again(monkeypatch):
    def twice(once, patience):
        made = once()
        return made if patience is None else replace(once(), noise=replace(made.noise, tries=2))

    monkeypatch.setattr(loads, "undisturbed", twice)
    monkeypatch.setattr(loads.Patience, "of_profile", loads.Patience)
    recipe = lab.server("node/hello")
    assert lab.load(recipe, connections=2, requests=20).noise.tries == 2
    with recipe.start() as running:
        for target in (running, running.url):
            assert lab.load(target, connections=2, requests=20).noise.tries == 1


def test_a_url_of_this_machine_is_loaded_without_knowing_its_body():
    with lab.server("node/hello").start() as running:
        trial = lab.load(running.url, connections=2)
    assert trial.throughput > 0
    assert "catalogue does not describe" in trial.checks["verified"].text
    assert trial.resources.server_cpu_s is None


def test_the_client_may_run_on_another_node_than_the_server(monkeypatch):
    node_paths = nodes.brought()
    assert {22, 26} <= node_paths.keys(), "make pytest brings Nodes into tools/nodes first"
    monkeypatch.setenv("LAB_NODE", node_paths[26])
    monkeypatch.setenv("LAB_CLIENT_NODE", node_paths[22])
    trial = lab.load(lab.server("node/hello"), connections=2, requests=20)
    assert trial.server.version == f"v{nodes.version(node_paths[26])}"
    assert trial.resources.client_node.removeprefix("v") == nodes.version(node_paths[22])


@pytest.mark.parametrize("asked", ["/ping", "/ping/", "/?delay_ms=20", "/a?b=c/"])
def test_a_url_is_requested_with_its_own_path_and_query(asked):
    with recording() as (url, seen):
        lab.load(url + asked, connections=1, requests=3)
        assert set(seen) == {asked}


def test_a_url_with_a_path_and_path_are_one_too_many():
    with pytest.raises(BadTarget, match=r"/ping.*/pong"):
        lab.load("http://127.0.0.1:1/ping", path="/pong")
    with pytest.raises(BadTarget, match=r"/ping.*/pong"):
        lab.compare({"a": "http://127.0.0.1:1/ping"}, path="/pong")
    with recording() as (url, seen):
        lab.load(url + "/", path="/pong", connections=1, requests=3)
        assert set(seen) == {"/pong"}


@alone
def test_a_trial_near_the_ceiling_of_the_generator_says_so(monkeypatch, places):
    monkeypatch.setattr("lab.paths.STATE", places / "state")
    with recording() as (url, _):
        assert "null server" not in lab.load(url, connections=1).checks["client_headroom"].text
        ceiling.keep(1.0)  # any server is above 70 % of one answer a second
        found = lab.load(url, connections=1).checks["client_headroom"]
        assert found.text.startswith("client-bound")
        ceiling.keep(1e9)
        found = lab.load(url, connections=1).checks["client_headroom"]
        assert "at 0% of what it can do against a null server" in found.text


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"per_s": null}', '{"per_s": -1}'])
def test_a_ceiling_that_cannot_be_read_is_none(monkeypatch, places, text):
    monkeypatch.setattr("lab.paths.STATE", places / "state")
    ceiling.keep(1.0)
    next((places / "state").iterdir()).write_text(text)
    assert ceiling.known() is None


def test_a_fixed_number_of_requests_is_sent_exactly():
    trial = lab.load("node/hello", requests=200, connections=8)
    assert trial.counts.sent == trial.counts.ok == 200
    assert trial.stopped == "count"
    assert trial.checks["littles_law"].status == "ok"
    assert 0 < trial.resources.server_cpu_share < 3  # of the time it took, not of the limit


def test_a_count_that_is_cut_is_a_failed_check():
    cut = lab.load("node/sleep", connections=1, requests=1000, seconds=0.2, progress=False)
    assert cut.stopped == "time"
    assert cut.failures["finished"].text.startswith("the run reached its limit of ")
    assert cut.failures["finished"].text.endswith(f" after {cut.counts.sent} of 1000 requests")


@alone
def test_a_warm_up_until_steady_is_recorded_and_none_of_it_counts(monkeypatch):
    monkeypatch.setattr(shape, "LOOK_S", 0.3)
    load = replace(plans.plan(connections=2, seconds=0.3), warm_cap_s=20.0)
    trial = measure(resolve("node/sleep"), load, store.Folder("until-steady"))
    assert trial.load.warm_cap_s == 20.0
    assert trial.checks["warm"].value == round(trial.window[0], 3)
    assert trial.window[0] >= 0.29  # a look is about as long as that
    assert trial.window[1] - trial.window[0] == pytest.approx(load.measure_s, abs=1e-5)
    # What the server used is that of the window, too.
    assert trial.resources.server_cpu_s < load.measure_s * 2
    assert store.verify(trial) == []


def test_rounds_are_sent_on_each_connection():
    trial = lab.load("node/hello", rounds=3, connections=8)
    assert trial.counts.ok == 24
    assert np.bincount(trial.raw()["connection"]).tolist() == [3] * 8


@alone
def test_an_open_loop_keeps_its_rate():
    trial = lab.load("node/hello", rate=400, schedule="constant", seconds=0.5)
    assert trial.throughput == pytest.approx(400, rel=0.2)
    assert trial.load.loop == "open"


@alone
def test_connections_closed_by_the_server_cost_reconnects_not_errors():
    trial = lab.load(
        lab.server("node/delay", env={"DELAY_MS": 50, "KEEP_ALIVE": "close"}),
        connections=4,
        seconds=2,
    )
    assert trial.counts.reconnects > 0
    assert not trial.counts.failed
    assert trial.checks["littles_law"].status == "ok"


@alone
@pytest.mark.parametrize("mode", ["keep", "close", "every10"])
def test_a_known_delay_is_measured_in_every_connection_mode(mode):
    trial = lab.load(
        lab.server("node/delay", env={"DELAY_MS": 20, "KEEP_ALIVE": mode}),
        connections=1,
        seconds=0.6,
    )
    assert 0.019 <= trial.latency.quantile(0.5) <= 0.040


def test_a_handler_slower_than_the_run_is_censored_not_zero(monkeypatch):
    monkeypatch.setenv("LAB_PROFILE", "course")
    trial = lab.load(
        lab.server("node/delay", env={"DELAY_MS": 2500}), connections=3, warmup=0, seconds=0.5
    )
    assert trial.counts.in_flight_at_end == 3
    assert trial.throughput == 0
    assert trial.checks["answered"].status == "fail"


@alone
def test_a_window_that_a_profile_made_too_short_for_an_answer_is_taken_as_it_was_written():
    slow = lab.server("node/delay", env={"DELAY_MS": 250})
    trial = lab.load(slow, connections=3, warmup=0, seconds=0.6)
    assert trial.answers >= 1
    assert trial.load.measure_s >= 0.599  # and four times as long, where a machine is slow
    # What is meant to stay without an answer does.
    trial = lab.load(slow, connections=3, warmup=0, seconds=0.6, tolerate=["answered"])
    assert trial.answers == 0
    assert trial.load.measure_s == pytest.approx(0.18)


@pytest.mark.parametrize(
    ("answers_within_s", "windows_s"),
    [(0.1, [0.18]), (0.5, [0.18, 0.6]), (2, [0.18, 0.6, 2.4]), (5, [0.18, 0.6, 2.4])],
)
def test_a_window_is_taken_again_until_one_sees_an_answer(monkeypatch, answers_within_s, windows_s):
    seconds_tried = []

    def trial(server, asked, *_, **labels):
        seconds_tried.append(asked.measure_s)
        status = "ok" if asked.measure_s > answers_within_s else "fail"
        return SimpleNamespace(checks={"answered": SimpleNamespace(status=status)})

    monkeypatch.setattr(loads, "_trial", trial)
    measure(resolve("node/delay"), plans.plan(connections=3, seconds=0.6), folder=None)
    assert seconds_tried == pytest.approx(windows_s)


def test_who_never_answers_is_not_waited_for_without_end():
    silent = lab.server("node/delay", env={"DELAY_MS": 3000})
    trial = lab.load(silent, connections=1, warmup=0, seconds=0.2)
    assert trial.checks["answered"].status == "fail"
    assert trial.load.measure_s == pytest.approx(0.8)


def test_progress_is_told():
    progress_calls = []
    lab.load(
        "node/hello",
        connections=2,
        seconds=4,
        progress=lambda t_s, ok: progress_calls.append((t_s, ok)),
    )
    assert progress_calls
    assert progress_calls == sorted(progress_calls)


def of_bodies(program, hello, body, **options):
    """What the check of bodies says of a server, not in the catalogue, whose nth is `body`."""
    changing = hello.replace('"hello world\\n"', body).replace(
        "const server", "let n = 0;\nconst server"
    )
    return lab.load(program(changing), connections=3, **options).checks["verified"].text


def test_bodies_that_vary_under_load_are_told(program, hello):
    lengths = of_bodies(program, hello, '"x".repeat(1 + 99 * Math.random())')
    assert re.search(r"\d+ of \d+ responses had a body that differs from the first", lengths)
    contents = of_bodies(program, hello, 'n++ % 100 === 99 ? "HELLO" : "hello"', requests=301)
    assert "3 of 301 responses had a body that differs from the first" in contents
    same = of_bodies(program, hello, '"hello"')
    assert "every response had the same 5 bytes as the first" in same


def test_a_body_that_changes_once_the_server_is_verified_is_told(program, hello):
    text = of_bodies(program, hello, 'n++ > 0 ? "HELLO" : "hello"')
    assert (
        "the body of the first response differed from the body when the server was started" in text
    )
    other = of_bodies(program, hello, "_request.url", path="/other")
    assert "differed" not in other, "who asks for something else gets something else"


def test_a_failing_server_is_measured_and_its_checks_fail(program, hello):
    broken = hello.replace("response.end(", "response.writeHead(n++ ? 500 : 200).end(").replace(
        "const server", "let n = 0;\nconst server"
    )
    trial = lab.load(program(broken), connections=2)
    assert trial.throughput == 0
    assert "status 500" in trial.checks["no_errors"].text
    assert (
        lab.load(program(broken), connections=2, tolerate=["no_errors"]).checks["no_errors"].status
        == "warn"
    )


def test_a_server_that_dies_under_load_voids_the_trial_and_tells_its_last_words(program, hello):
    dying = hello.replace(
        "(_request, response) =>",
        "(_request, response) => n++ > 8 ? (console.log('no more'), process.exit(3)) :",
    )
    with pytest.raises(ServerGone, match=r"ended during the load[\s\S]*no more"):
        lab.load(
            program(dying.replace("const server", "let n = 0;\nconst server")),
            connections=2,
            seconds=2,
        )


def test_too_few_descriptors_fail_requests_and_not_the_server(places):
    script = f"""
        import pathlib, lab, lab.processes.lock, lab.paths
        lab.paths.RUNS = pathlib.Path({str(places)!r})
        lab.processes.lock.lock_path = lambda: lab.paths.RUNS / "lock"
        trial = lab.load("node/hello", connections=200, progress=False)
        print(trial.checks["no_errors"].text)
    """
    run = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)],
        env={**os.environ, "LAB_STATE": str(places)},
        cwd=paths.ROOT,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64)),
        capture_output=True,
        text=True,
        check=False,
    )
    assert "too many open files: raise `ulimit -n` above 300" in run.stdout, run.stderr


def test_a_server_that_dies_for_want_of_descriptors_is_told_with_what_helps(program, hello):
    dying = hello.replace(
        "(_request, response) =>",
        "(_request, response) => n++ > 8 ? (console.log('Error: EMFILE'), process.exit(1)) :",
    )
    with pytest.raises(ServerGone, match=r"EMFILE[\s\S]*ulimit -n"):
        lab.load(program(dying.replace("const server", "let n = 0;\nconst server")), connections=2)


@linux
def test_a_suspended_guard_voids_the_trial_and_is_named(monkeypatch):
    def suspend(*_):
        monkeypatch.setattr(guard_link, "SILENT_S", 0.5)
        os.kill(guard_link.guard_pid(), signal.SIGSTOP)

    with pytest.raises(guard_link.GuardSilent, match="guard of servers"):
        lab.load("node/hello", warmup=0, seconds=8, progress=suspend)
    assert not lab.ps()


def test_a_generator_whose_result_is_there_when_we_come_late_is_heard():
    with (
        generator.Generator() as running,
        recording() as (url, _),
        tempfile.TemporaryDirectory() as raw,
    ):
        running.send({"streams": [{"url": url, "requests": 1}], "raw_dir": raw})
        assert next(running.events(deadline_s=60))["event"] == "ready"
        late = running.events(deadline_s=0)
        assert eventually(lambda: running._process.poll() is not None, 60), "it has said everything"
        assert [event["event"] for event in late][-1] == "result"


def test_a_port_where_nobody_listens_ends_at_once():
    with lab.server("node/hello").start() as running:
        url = running.url
    begun = time.monotonic()
    with pytest.raises(ServerGone, match="nothing accepts connections"):
        lab.load(url, seconds=600)
    assert time.monotonic() - begun < 100


@pytest.mark.parametrize("url", ["http://example.com/", "http://10.0.0.1:80", "https://127.0.0.1/"])
def test_other_machines_are_refused(url):
    with pytest.raises(NotLoopback):
        lab.load(url)


def test_what_cannot_be_loaded_is_refused():
    with pytest.raises(BadTarget, match="42"):
        lab.load(42)
    with pytest.raises(LabError, match="node/read-sync"):
        lab.load("node/read-snyc")


def test_a_generator_that_crashes_is_told_with_what_it_printed(monkeypatch, tmp_path):
    crash = tmp_path / "crash.mjs"
    crash.write_text("console.log('{\"event\":\"ready\"}'); throw new Error('out of cheese');")
    monkeypatch.setattr(generator, "MAIN", crash)
    with pytest.raises(generator.GeneratorFailed, match="out of cheese"):
        lab.load("node/hello")


def test_a_generator_that_hangs_is_given_up(monkeypatch, tmp_path):
    hang = tmp_path / "hang.mjs"
    hang.write_text(
        'console.log(\'{"event":"ready"}\'); setInterval(() => {}, 1000); process.stdin.resume();'
    )
    monkeypatch.setattr(generator, "MAIN", hang)
    monkeypatch.setattr(sys.modules["lab.measure.load"], "GRACE_S", 0.1)
    with pytest.raises(generator.GeneratorFailed, match="gave no result"):
        lab.load("node/hello", timeout=0.2)


def test_a_full_disk_is_named_and_nothing_is_left(monkeypatch, places):
    def full(*_args, **_kwargs):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("pathlib.Path.replace", full)
    with pytest.raises(NotWritten, match="disk is full"):
        lab.load("node/hello", experiment="full")
    assert not list((places / "runs" / "full").rglob("*.partial"))


def test_a_disk_that_filled_up_under_the_load_generator_is_told_in_whole_sentences(
    tmp_path, monkeypatch
):
    full = tmp_path / "full.mjs"
    event = {"event": "error", "message": "ENOSPC: no space left on device, write"}
    full.write_text(
        'console.log(\'{"event":"ready"}\');'
        f"process.stdin.once('data', () => console.log({json.dumps(json.dumps(event))}));"
    )
    monkeypatch.setattr(generator, "MAIN", full)
    with pytest.raises(NotWritten, match=r"no space left on device, write\. \S"):
        lab.load("node/hello", timeout=0.2)


@alone
def test_a_replay_starts_nothing_and_says_where_it_comes_from(monkeypatch, one, places):
    from lab.records.identity import question

    recipe = lab.server("node/read-sync")
    asked = question({recipe.name: resolve(recipe).question}, options={"connections": 5})
    # Whether this machine was quiet is not the matter here.
    record(one, asked, strict=False)
    monkeypatch.setenv("LAB_MODE", "replay")
    monkeypatch.setattr(
        "lab.servers.recipe.Recipe.start", lambda *_: pytest.fail("a replay started a server")
    )
    found = lab.load(recipe, connections=5, experiment="one")
    assert found.throughput == pytest.approx(one.throughput)
    assert found.recorded is not None
    with pytest.raises(reference.StaleRecord, match="connections: recorded 5; now 6"):
        lab.load(recipe, connections=6, experiment="one")
    with pytest.raises(reference.NoRecord, match="make reference"):
        lab.load(recipe, experiment="two")


def test_an_interrupt_stops_generator_and_server(places):
    script = textwrap.dedent(
        """
        import lab, sys
        print("begin", flush=True)
        lab.load("node/hello", seconds=600, progress=lambda t_s, ok: print("busy", flush=True))
        """
    )
    child = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    import psutil

    while child.stdout.readline().strip() != "busy":
        assert child.poll() is None
    mine = psutil.Process(child.pid).children(recursive=True)
    assert len(mine) >= 2
    child.send_signal(signal.SIGINT)
    _, errors = child.communicate(timeout=300)
    assert "KeyboardInterrupt" in errors
    assert eventually(lambda: not any(p.is_running() and p.status() != "zombie" for p in mine))


def test_what_an_experiment_does_on_purpose_is_expected_whether_it_fails_or_warns():
    load = plans.plan(tolerate=["on_schedule"])
    for status in ("warn", "fail"):
        for name in ("on_schedule", "ping.on_schedule"):  # of a stream alongside, too
            sentence = loads._tolerated(name, Check(status, 0.3, 0.1, "late"), load)
            assert (sentence.status, sentence.text) == ("warn", f"late {EXPECTED}")
    # A server that collapses on purpose answers too little to show a rate.
    collapsed = loads._tolerated(
        "steady", Check("warn", None, None, "too few"), plans.plan(tolerate=["steady"])
    )
    assert collapsed.text == f"too few {EXPECTED}"
    for name, check in (
        ("steady", Check("warn", 0.3, 0.1, "not named")),
        ("on_schedule", Check("ok", 0.0, 0.1, "in time")),
        ("on_schedule", Check("warn", None, None, "nothing to judge by")),
    ):
        assert loads._tolerated(name, check, load) == check

"""Somebody's own program is examined: found where it listens, loaded on this machine only, named
for what it has, and ended with all that it started.
"""

import dataclasses
import os
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from support import eventually

import lab
from lab.clinic import examining, outputs, report
from lab.clinic.app import App, AppFailed, Target
from lab.clinic.examination import diagnosed
from lab.clinic.hub import Hub
from lab.clinic.loading import Request
from lab.processes import nodes, proctree
from lab.servers import sockets
from lab.servers.http_get import NotLoopback, get

ROOT = Path(__file__).resolve().parents[2]
APPS = Path(__file__).parent / "apps"
ALL = sorted(p for p in APPS.iterdir() if re.search(r"\.[cm]?[jt]s$", p.name))
# The page of the clinic examines one of each kind in the same run.
SAMPLE = {"flood-await", "healthy-wait"}
HELLO = 'require("node:http").createServer((q, r) => r.end("hi"))'


def is_named(app):
    name = re.match(r"// ([^:]+):", app.read_text())[1]
    return "nothing found" if name == "healthy" else name


def command(tmp_path, text, name="app.cjs"):
    (tmp_path / name).write_text(text)
    return Target(("node", name), tmp_path)


@pytest.mark.alone
@pytest.mark.timeout(900)  # a busy machine takes its time
@pytest.mark.parametrize(
    "app",
    [
        pytest.param(app, id=app.stem, marks=[] if app.stem in SAMPLE else pytest.mark.nightly)
        for app in ALL
    ],
)
def test_a_program_is_named_for_what_it_has(app):
    if app.suffix == ".ts" and nodes.major(nodes.version()) < 24:
        pytest.skip("this Node strips no types")
    examination = lab.examine(["node", str(app)])
    assert examination.first == is_named(app)
    # However slow the program or the machine is, the loads are short enough for a report in 45 s.
    assert sum(phase.span_s for phase in examination.observed.phases.values()) < 40
    page = report.page(examination)
    assert examination.first in page
    assert "<script" not in page
    assert "http-equiv" in page


@pytest.mark.parametrize(
    ("words", "advice"),
    [
        (("app.cjs",), "is a file for Node. Start it with Node: node app.cjs$"),
        (("./app.cjs", "a b"), "Start it with Node: node ./app.cjs 'a b'$"),
        ((".",), r"is a folder. Start its program with Node: node \.$"),
        (("./start",), "is not executable. Make it executable: chmod \\+x .*/start$"),
        (("no-program",), "no program no-program on the PATH. Correct the name"),
        (("./gone",), "no program ./gone"),
    ],
)
def test_a_command_that_is_no_program_is_told_in_a_sentence_with_what_to_do(
    tmp_path, words, advice
):
    (tmp_path / "app.cjs").write_text(HELLO)
    (tmp_path / "start").write_text("#!/bin/sh\n")
    with pytest.raises(AppFailed, match=advice) as failure:
        App(Target(words, tmp_path), None)
    assert "\n" not in str(failure.value)


def test_a_program_of_the_folder_is_run_there(tmp_path):
    """As `node_modules/.bin` is where PATH names it from the folder of the program."""
    (tmp_path / "bin").mkdir()
    start = tmp_path / "bin" / "start"
    start.write_text("#!/bin/sh\nexec node app.cjs\n")
    start.chmod(0o755)
    (tmp_path / "app.cjs").write_text(f'{HELLO}.listen(process.env.PORT, "127.0.0.1");')
    for words, more in (("bin/start",), {}), (("start",), {"PATH": f"bin:{os.environ['PATH']}"}):
        with App(Target(words, tmp_path, env=more), None) as app:
            assert app.get(60).text == "hi"


def test_the_port_is_found_that_nobody_was_told(tmp_path):
    target = command(tmp_path, f'{HELLO}.listen(0, "127.0.0.1");')
    with Hub() as hub, App(target, hub) as app:
        assert app.get(60).text == "hi"
        pid = app.running.pid
    assert pid not in proctree.processes()


def test_whoever_needs_a_login_is_let_in_from_the_first_request_on(tmp_path):
    text = HELLO.replace('r.end("hi")', "r.writeHead(q.headers.cookie === 'a=b' ? 200 : 401).end()")
    target = command(tmp_path, f'{text}.listen(process.env.PORT, "127.0.0.1");')
    with App(target, None) as app:
        assert app.get(60).status == 401
        assert app.get(60, Request(headers=(("Cookie", "a=b"),))).status == 200


def test_of_several_ports_the_one_it_was_told_is_loaded(tmp_path):
    text = (
        f'{HELLO}.listen(0, "127.0.0.1");'
        + HELLO.replace("hi", "app")
        + ('.listen(process.env.PORT, "127.0.0.1");')
    )
    with Hub() as hub, App(command(tmp_path, text), hub) as app:
        assert app.get(60).text == "app"


def test_the_port_that_a_program_has_by_itself_may_be_named_though_it_takes_another(tmp_path):
    text = HELLO + '.listen(process.env.PORT ?? 3000, "127.0.0.1");'
    named = dataclasses.replace(command(tmp_path, text), port=3000)
    with Hub() as hub, App(named, hub) as app:
        assert app.get(60).text == "hi"


def test_a_service_that_took_any_port_for_itself_is_not_the_one_that_is_loaded(tmp_path):
    text = (
        'const { createServer } = require("node:http");\n'
        'createServer((q, r) => r.end("within")).listen(0, "127.0.0.1", () =>\n'
        '  createServer((q, r) => r.end("outside")).listen(0 + wanted, "127.0.0.1"));\n'
    )
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        wanted = free.getsockname()[1]
    with Hub() as hub, App(command(tmp_path, f"const wanted = {wanted};\n{text}"), hub) as app:
        assert app.url.endswith(f":{wanted}")


def test_of_several_ports_the_named_one_is_loaded_or_what_there_is_is_told(tmp_path):
    port = sockets.free_port()
    text = (
        HELLO.replace("hi", "admin")
        + f'.listen({port}, "127.0.0.1");'
        + (HELLO + '.listen(0, "127.0.0.1");')
    )
    target = command(tmp_path, text)
    with Hub() as hub, App(dataclasses.replace(target, port=port), hub) as app:
        assert app.get(60).text == "admin"
    with Hub() as hub, pytest.raises(AppFailed, match=rf"listens on .*{port}.*, not on port 1"):
        App(dataclasses.replace(target, port=1), hub)


def test_a_module_and_a_script_of_npm_and_a_cluster_are_watched(tmp_path):
    (tmp_path / "package.json").write_text('{"type":"module","scripts":{"start":"node app.js"}}')
    (tmp_path / "app.js").write_text(
        'import cluster from "node:cluster"; import http from "node:http";'
        "if (cluster.isPrimary) { cluster.fork(); cluster.fork(); }"
        'else http.createServer((q, r) => r.end("hi")).listen(process.env.PORT, "127.0.0.1");'
    )
    target = Target(("npm", "start"), tmp_path, listen_s=300)
    with Hub() as hub, App(target, hub) as app:
        assert app.get(60).text == "hi"
        rows = hub.wait(lambda all: len({e["pid"] for e in all if e["event"] == "row"}) >= 2, 0, 60)
        pids = {one["pid"] for one in rows if one["event"] == "row"}
        assert len(pids) >= 2  # the two that serve; the primary has a loop of its own, too
    assert not pids & proctree.processes().keys()


def test_a_program_that_crashes_says_so_with_its_own_words(tmp_path):
    hub = Hub()
    with hub, pytest.raises(AppFailed, match=r"(?s)crashed before it listened.*no database"):
        App(command(tmp_path, 'throw new Error("no database");'), hub)


def test_a_program_that_ends_is_no_crash(tmp_path):
    with Hub() as hub, pytest.raises(AppFailed, match="ended before it listened"):
        App(command(tmp_path, "console.log(1)"), hub)


def test_a_program_that_never_listens_is_given_up_and_ended(tmp_path):
    target = Target(("node", "-e", "setInterval(() => {}, 1000)"), tmp_path, listen_s=1.0)
    with Hub() as hub, pytest.raises(AppFailed, match="did not listen"):
        App(target, hub)


def test_a_program_that_answers_503_while_it_warms_up_is_waited_for(tmp_path):
    warms = "let left = 3;" + HELLO.replace(
        'r.end("hi")', "r.writeHead(left-- > 0 ? 503 : 200).end()"
    )
    warm = command(tmp_path, f'{warms}.listen(process.env.PORT, "127.0.0.1");')
    with App(warm, None) as app:
        response, _ = app.first(60)
        assert response.status == 200
    refuses = f"{HELLO.replace('r.end', 'r.writeHead(503).end')}.listen(process.env.PORT);"
    with App(command(tmp_path, refuses), None) as app:
        app._ready_until = time.monotonic() + 1  # the end of its time to listen
        assert app.first(60)[0].status == 503


def test_what_crashes_at_a_request_is_told_as_that(tmp_path):
    text = HELLO.replace('r.end("hi")', '{ throw new Error("bad row"); }') + (
        '.listen(process.env.PORT, "127.0.0.1");'
    )
    with pytest.raises(AppFailed, match=r"(?s)crashed at its first request.*bad row"):
        lab.examine("node app.cjs", folder=command(tmp_path, text).folder)


def test_what_crashes_under_load_gets_a_report_all_the_same(tmp_path):
    text = (
        "let n = 0;"
        + HELLO.replace('r.end("hi")', '{ if (++n > 300) process.exit(7); r.end("hi"); }')
        + '.listen(process.env.PORT, "127.0.0.1");'
    )
    found = lab.examine("node app.cjs", folder=command(tmp_path, text).folder)
    assert "exit code 7" in found.observed.died
    assert found.first == "program ended"
    assert "exit code 7" in report.page(found)


def test_a_path_that_it_does_not_have_is_no_examination(tmp_path):
    text = HELLO.replace('r.end("hi")', "r.writeHead(404).end()")
    target = command(tmp_path, f'{text}.listen(process.env.PORT, "127.0.0.1");')
    with pytest.raises(AppFailed, match=r"404.*--path"):
        lab.examine("node app.cjs", folder=target.folder)


def test_an_open_address_is_told_and_loaded_through_this_machines_own(tmp_path):
    target = command(tmp_path, f"{HELLO}.listen(process.env.PORT);")
    with Hub() as hub, App(target, hub) as app:
        assert app.url.startswith("http://127.0.0.1:")
        assert app.outside


def test_another_machine_is_refused():
    with pytest.raises(NotLoopback):
        lab.examine("http://192.0.2.1/")


def test_the_probe_prints_nothing_and_keeps_nobody_alive(tmp_path):
    closes = 'process.once("SIGUSR2", () => s.close());'
    (tmp_path / "app.cjs").write_text(f'const s = {HELLO}; s.listen(0, "127.0.0.1"); {closes}')
    with Hub() as hub:
        program = subprocess.Popen(
            [nodes.program(), "--require", str(ROOT / "lab/node/clinic/preload.cjs"), "app.cjs"],
            cwd=tmp_path,
            env={"LAB_CLINIC": str(hub.path), "PATH": "/usr/bin:/bin"},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        events = hub.wait(lambda events: any(e["event"] == "listening" for e in events), 0, 60)
        assert "listening" in [event["event"] for event in events]
        program.send_signal(signal.SIGUSR2)
        assert program.communicate(timeout=300) == ("", "")
        assert program.returncode == 0


@pytest.mark.parametrize(("short", "pause_ms"), [(False, 50), (True, 25)])
def test_a_short_look_asks_more_often(tmp_path, short, pause_ms):
    target = command(tmp_path, f'{HELLO}.listen(process.env.PORT, "127.0.0.1");')
    with Hub(short=short) as hub, App(target, hub):
        assert eventually(lambda: hub.since(0, "row"))
        assert {row["pool"]["pause_ms"] for row in hub.since(0, "row")} == {pause_ms}


@pytest.mark.parametrize("ends", ["process.exit(3)", 'throw new Error("bang")'])
def test_a_program_may_end_while_it_is_profiled(tmp_path, ends):
    text = (
        f'{HELLO}.listen(process.env.PORT, "127.0.0.1"); process.on("SIGUSR2", () => {{ {ends} }});'
    )
    with Hub() as hub, App(command(tmp_path, text), hub) as app:
        mark = hub.mark()
        pids = hub.tell(do="profile", interval_us=1000)
        assert hub.answers(pids, {"profiling"}, mark, 60)
        os.kill(app.running.pid, signal.SIGUSR2)
        assert app.running.failed(60), "it waits for the debugger"


@pytest.mark.alone
def test_a_server_that_runs_is_seen_from_outside_only(tmp_path):
    target = command(tmp_path, f'{HELLO}.listen(process.env.PORT, "127.0.0.1");')
    with App(target, None) as app:
        found = lab.examine(f"{app.url}/")
        assert found.first == "seen from outside"
        assert "from outside" in report.page(found)
        assert get(app.url).text == "hi"  # and it still runs


def test_the_command_says_what_it_needs():
    run = [sys.executable, "-m", "lab", "examine"]
    done = subprocess.run(run, capture_output=True, text=True, timeout=300, cwd=ROOT, check=False)
    assert done.returncode == 2
    assert "-- node app.mjs" in done.stderr
    assert "Traceback" not in done.stderr


def test_listening_is_seen_without_a_probe(tmp_path):
    target = command(tmp_path, f'{HELLO}.listen(process.env.PORT, "127.0.0.1");')
    with App(target, None) as app:
        ports = {one.port for one in sockets.listening(app.running.tree())}
        assert app.url.endswith(tuple(map(str, ports)))


def test_what_is_known_is_told_when_the_user_stops(tmp_path, monkeypatch):
    """And that is no clean bill: nothing was found in a part of what is looked at."""
    target = command(tmp_path, f"{HELLO}.listen(process.env.PORT, '127.0.0.1')")
    load = examining.load

    def interrupted(generator, name, *words, **more):
        if name == "profile":
            raise KeyboardInterrupt
        return load(generator, name, *words, **more)

    monkeypatch.setattr(examining, "load", interrupted)
    examination = diagnosed(examining.observe(target, load_s=2.0))
    assert examination.first == "stopped early"
    assert outputs.verdict(examination) == outputs.NOT_EXAMINED
    assert "after the load 'look'" in repr(examination)
    (look,) = examination.observed.looks
    assert look["calls"]["requests"] > 0  # no part of the close look failed
    assert len(examination.observed.warnings) == 1
    assert 'class="lab-box lab-ok"' not in report.page(examination)

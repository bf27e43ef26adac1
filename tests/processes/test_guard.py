import contextlib
import errno
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest
from support import eventually, linux

import lab
from lab import paths
from lab.processes import guard as guard_program
from lab.processes import guard_link, proctree, spawn, supervised_program
from lab.processes.bounded_log import HEAD_BYTES, TAIL_BYTES, BoundedLog
from lab.processes.guard_link import GuardDied, GuardSilent
from lab.servers.running import Running

pytestmark = pytest.mark.starts
alone = pytest.mark.alone  # by the clock: what runs beside it takes its time

PATIENCE_S = 60  # on a machine busy with other tests; bench/kernel_kills.py asks for two

# A server with everything that is hard to get rid of: a child, a grandchild in a session of its
# own, and a daemon whose parent is gone.
FAMILY = """
import os, signal, subprocess, sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        body = " ".join(map(str, PIDS)).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *_):
        pass

sleep = [sys.executable, "-c", "import time; time.sleep(600)"]
child = subprocess.Popen(sleep)
apart = subprocess.Popen(sleep, start_new_session=True)
daemon = "import subprocess as s; print(s.Popen(" + repr(sleep)
daemon += ", start_new_session=True, stdout=s.DEVNULL).pid)"
stray = int(subprocess.check_output([sys.executable, "-c", daemon]))
PIDS = [os.getpid(), child.pid, apart.pid, stray]
server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(f"listening on http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
"""

KERNEL = """
import os, sys, time
import lab
running = lab.server("node/hello").start()
from lab.servers import catalog
family = catalog.define("python/family-" + str(os.getpid()), sys.stdin.read())
other = family.start()
family.sources[0].unlink()
print(running.pid, running.port, other.port, other.get().text, flush=True)
{then}
"""


def alive(pids):
    return {pid for pid in pids if proctree.start_ticks(pid) is not None}


def kernel(then="time.sleep(600)", ready=""):
    """A Python program that started servers, and the pids and ports of these.

    With `ready` it has gone so far in `then` that it has said that word.
    """
    program = subprocess.Popen(
        [sys.executable, "-c", KERNEL.format(then=then)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=paths.ROOT,
        start_new_session=True,
    )
    program.stdin.write(FAMILY)
    program.stdin.close()
    numbers = [int(word) for word in program.stdout.readline().split()]
    if ready:
        assert program.stdout.readline() == f"{ready}\n"
    program.stdout.close()
    assert len(numbers) == 7
    pids, ports = {numbers[0], *numbers[3:]}, numbers[1:3]
    return program, pids, ports


@linux
@pytest.mark.parametrize(
    "end",
    [
        pytest.param(lambda program: program.kill(), id="SIGKILL"),
        pytest.param(lambda program: program.terminate(), id="SIGTERM"),
        pytest.param(lambda program: os.killpg(program.pid, signal.SIGKILL), id="its whole group"),
    ],
)
def test_nothing_is_left_when_the_kernel_is_killed(end):
    program, pids, _ = kernel()
    end(program)
    program.wait()
    assert eventually(lambda: not alive(pids), PATIENCE_S), f"{alive(pids)} of {pids} still live"


@linux
@pytest.mark.parametrize(
    "then",
    ["sys.exit(0)", "raise ZeroDivisionError", "os._exit(1)", "os.abort()"],
)
def test_nothing_is_left_when_the_kernel_ends(then):
    program, pids, _ = kernel(then)
    program.wait(PATIENCE_S)
    assert eventually(lambda: not alive(pids), PATIENCE_S)


@linux
def test_when_a_script_returns_its_servers_are_gone_already():
    program, pids, _ = kernel("pass")
    program.wait(PATIENCE_S)
    assert not alive(pids)


@linux
def test_a_forked_child_of_the_kernel_does_not_keep_its_servers_alive():
    then = "os.fork() and time.sleep(600); time.sleep(600)"
    program, pids, _ = kernel(then)
    assert eventually(lambda: len(psutil.Process(program.pid).children()) == 2), "guard and fork"
    program.kill()
    program.wait()
    assert eventually(lambda: not alive(pids), PATIENCE_S)
    os.killpg(program.pid, signal.SIGKILL)  # the child that was forked


@linux
def test_an_interrupt_of_the_kernel_does_not_reach_its_servers():
    program, pids, _ = kernel(
        "import signal; signal.signal(signal.SIGINT, lambda *_: None);"
        "print('deaf', flush=True); time.sleep(600)",
        ready="deaf",
    )
    os.killpg(program.pid, signal.SIGINT)
    time.sleep(0.3)
    assert alive(pids) == pids
    program.kill()
    program.wait()
    assert eventually(lambda: not alive(pids), PATIENCE_S)


@linux
def test_the_whole_tree_goes_when_a_server_is_stopped(program):
    with program(FAMILY, runtime="python").start() as running:
        pids = {int(word) for word in running.get().text.split()}
        assert set(running.tree()) == pids
    assert not alive(pids)


@linux
def test_children_go_when_the_server_itself_is_killed(program):
    with program(FAMILY, runtime="python").start() as running:
        pids = {int(word) for word in running.get().text.split()}
        os.kill(running.pid, signal.SIGKILL)
        assert running.died(PATIENCE_S)
        assert not alive(pids)
        assert running.exit_code == -9


DEAF = """
import signal, subprocess, sys
deaf = "import signal, time; signal.signal(15, signal.SIG_IGN); print(flush=True); time.sleep(600)"
child = subprocess.Popen([sys.executable, "-c", deaf], stdout=subprocess.PIPE)
child.stdout.readline()
"""


@linux
@pytest.mark.filterwarnings("ignore::lab.servers.server_errors.IgnoredSigterm")
def test_a_server_whose_own_process_is_gone_has_failed_although_others_of_it_are_there(program):
    with program(DEAF + FAMILY, runtime="python").start() as running:
        os.kill(running.pid, signal.SIGKILL)
        assert running.hear(PATIENCE_S)["event"] == "ending", "the child has its two seconds"
        assert running.failed()
        assert running.exit_code == -9
        assert "killed by signal 9" in running.story("died")
        assert running.died(PATIENCE_S)


@linux
def test_stopping_one_server_leaves_the_daemons_of_another_alone(program):
    recipe = program(FAMILY, runtime="python")
    with recipe.start() as one, recipe.start() as other:
        theirs = {int(word) for word in other.get().text.split()}
        one.stop()
        assert alive(theirs) == theirs
        assert set(other.tree()) == theirs


@linux
def test_a_suspended_server_can_be_stopped():
    with lab.server("node/hello").start() as running:
        os.kill(running.pid, signal.SIGSTOP)
        running.stop()
        assert running.exit_code == 0, "and it ends by itself"


def test_a_master_may_end_its_workers_itself(program, hello):
    worker = 'process.once("SIGTERM", () => setTimeout(() => process.exit(5), 100));'
    master = """
        import { spawn } from "node:child_process";
        const [node, self] = process.argv;
        if (process.env.WORKER) {
          WORK
        } else {
          const env = { ...process.env, WORKER: "1" };
          const worker = spawn(node, [self], { env, stdio: "inherit" });
          worker.on("exit", (code) => process.exit(code));
          process.on("SIGTERM", () => worker.kill());
        }
    """
    imports, _, rest = hello.partition("const server")
    text = textwrap.dedent(master).replace("WORK\n", f"const server{rest}{worker}\n")
    with program(imports + text).start() as running:
        running.stop()
        assert running.exit_code == 5


def test_a_handler_that_is_used_once_gets_one_sigterm(program, hello):
    slow = 'process.once("SIGTERM", () => setTimeout(() => process.exit(7), 100));'
    with program(hello + slow).start() as running:
        running.stop()
        assert running.exit_code == 7


@linux
def test_servers_die_with_a_killed_guard_and_the_next_start_gets_a_new_one():
    running = lab.server("node/hello").start()
    guard = guard_link.guard_pid()
    os.kill(guard, signal.SIGKILL)
    assert eventually(lambda: not alive({running.pid}))
    with pytest.raises((GuardDied, lab.LabError)):
        running.get()
    running.stop()
    with lab.server("node/hello").start() as again:
        assert again.get().status == 200
        assert guard_link.guard_pid() != guard


@alone
@linux
def test_a_suspended_guard_is_told_to_go_on_and_what_was_asked_of_it_is_an_error(monkeypatch):
    monkeypatch.setattr(guard_link, "SILENT_S", 0.3)
    monkeypatch.setattr("lab.servers.running.STOP_S", 0.6)
    with lab.server("node/hello").start() as running:
        its_pid = guard_link.guard_pid()
        os.kill(its_pid, signal.SIGSTOP)
        with pytest.raises(GuardSilent, match=rf"guard of servers \(process {its_pid}\).*continue"):
            running.resources()
        assert running.resources().processes == 1, "it goes on"
        os.kill(its_pid, signal.SIGSTOP)
    assert running.exit_code == 0, "a stop is done when it goes on"


@alone
@linux
def test_a_suspended_guard_is_not_mistaken_for_a_server_that_never_listens(monkeypatch):
    with lab.server("node/hello").start():
        monkeypatch.setattr(guard_link, "SILENT_S", 0.3)
        os.kill(guard_link.guard_pid(), signal.SIGSTOP)
        with pytest.raises(GuardSilent, match="suspended"):
            lab.server("node/hello").start()


@alone
@linux
def test_nor_is_one_that_is_suspended_once_the_server_runs(monkeypatch):
    hear = Running.hear

    def suspends(self, patience_s):
        event = hear(self, patience_s)
        if event and event["event"] == "spawned":
            os.kill(guard_link.guard_pid(), signal.SIGSTOP)
        return event

    monkeypatch.setattr(Running, "hear", suspends)
    monkeypatch.setattr(guard_link, "SILENT_S", 0.3)
    with pytest.raises(GuardSilent, match="suspended"):
        lab.server("node/hello").start(listen_s=0.3)


@alone
@linux
def test_a_server_is_ended_without_a_guard_that_stays_silent(monkeypatch):
    monkeypatch.setattr(guard_link, "SILENT_S", 0.2)
    monkeypatch.setattr("lab.servers.running.STOP_S", 0.6)
    monkeypatch.setattr(guard_link._GuardLink, "wake", lambda _: None)
    running = lab.server("node/hello").start()
    its_pid = guard_link.guard_pid()
    os.kill(its_pid, signal.SIGSTOP)
    try:
        with pytest.raises(GuardSilent, match=f"kill -KILL {its_pid}"):
            running.stop()
        assert not alive({running.pid})
    finally:
        os.kill(its_pid, signal.SIGCONT)


@alone
@linux
def test_one_guard_that_does_not_take_its_order_keeps_no_other_server_running(monkeypatch):
    silent, well = (lab.server("node/hello").start() for _ in range(2))
    order = silent.channel.tell

    def tell(**asked):
        if asked["do"] == "stop":
            raise guard_link.silent()
        order(**asked)

    monkeypatch.setattr(silent.channel, "tell", tell)
    monkeypatch.setattr("lab.servers.running.STOP_S", 1.0)
    with pytest.raises(GuardSilent):
        lab.stop_all()
    assert well.exit_code == 0, "it was asked, and had the time to end by itself"
    assert eventually(lambda: not alive({silent.pid}))


@linux
def test_a_look_at_all_processes_serves_all_servers_that_end(monkeypatch):
    looks = []
    monkeypatch.setattr(guard_program, "processes", lambda: looks.append(1) or {})
    ended = {"pid": 2**22 + 1, "status": 0, "term_at": 1.0, "finished": False, "owned": True}
    ending = [SimpleNamespace(**ended, report=lambda **_: None) for _ in range(50)]
    crowd = SimpleNamespace(servers=ending, pid=os.getpid(), seen=None)
    for name in ("look", "members", "advance"):
        setattr(crowd, name, getattr(guard_program.Guard, name).__get__(crowd))
    for one in ending:
        crowd.advance(one, 1.0)
    assert all(one.finished for one in ending)
    assert len(looks) == 1


@linux
def test_a_terminated_guard_takes_its_servers_along():
    running = lab.server("node/hello").start()
    os.kill(guard_link.guard_pid(), signal.SIGTERM)
    assert eventually(lambda: not alive({running.pid}))
    running.stop()


@linux
def test_servers_of_another_kernel_are_listed_and_can_be_stopped():
    program, pids, _ = kernel()
    listed = lab.ps()
    assert {entry.name.split("-")[0] for entry in listed} == {"node/hello", "python/family"}
    stopped = lab.stop_all()
    assert len(stopped) == 2
    assert eventually(lambda: not alive(pids), PATIENCE_S)
    assert not lab.ps()
    assert program.poll() is None, "the kernel itself lives on"
    program.kill()
    program.wait()


@linux
def test_orphans_of_a_killed_guard_are_found_and_stopped():
    program, pids, _ = kernel()
    guards = [
        child.pid
        for child in psutil.Process(program.pid).children()
        if "guard.py" in str(child.cmdline())
    ]
    for guard in guards:  # the worst that can happen: both at once
        os.kill(guard, signal.SIGKILL)
    program.kill()
    program.wait()

    def listed():
        return [entry.name.split("-")[0] for entry in lab.ps()]

    try:  # the servers themselves die with their kernel, each in its own time
        assert eventually(lambda: listed() == ["python/family"], PATIENCE_S), listed()
        assert len(alive(pids)) < len(pids)
    finally:
        lab.stop_all()
    assert eventually(lambda: not alive(pids), PATIENCE_S)


@linux
def test_a_server_that_was_let_go_is_stopped():
    running = lab.server("node/hello").start()
    running.abandon()
    assert eventually(lambda: not alive({running.pid}))


@linux
def test_an_interrupt_while_a_server_starts_leaves_nothing_and_is_passed_on(program):
    recipe = program("console.log(process.pid); setInterval(() => {}, 1000);")
    before = set(paths.STATE.glob("*.log"))

    def printed():
        logs = [path for path in paths.STATE.glob("node-test*.log") if path not in before]
        return "".join(log.read_text() for log in logs)

    def interrupt():
        if eventually(lambda: printed().endswith("\n"), PATIENCE_S):
            signal.raise_signal(signal.SIGINT)

    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        recipe.start(listen_s=2 * PATIENCE_S)
    assert eventually(lambda: not alive({int(printed())}))


def test_a_state_folder_that_is_removed_ends_no_other_server(tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "STATE", tmp_path / "state")
    with lab.server("node/hello").start() as one, lab.server("node/hello").start() as second:
        guard = guard_link.guard_pid()
        shutil.rmtree(paths.STATE)
        one.stop()
        assert not second.died(0.3)
        assert second.get().status == 200
        assert guard_link.guard_pid() == guard


@linux
def test_a_server_inherits_no_ignored_signals():
    output, child_output = os.pipe()
    spec = {"argv": ["cat", "/proc/self/status"], "env": dict(os.environ), "cwd": "/"}
    pid = spawn.spawn(spec, child_output)
    os.close(child_output)
    with os.fdopen(output) as lines:
        (ignored,) = [int(line.split()[1], 16) for line in lines if line.startswith("SigIgn:")]
    os.waitpid(pid, 0)
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        assert not ignored & 1 << (number - 1)


def opened():
    """What each descriptor of this process is open on. Others of its threads may open some, too."""
    found = {}
    for fd in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(OSError):
            found[int(fd.name)] = str(fd.readlink())
    return found


@linux
def test_a_fork_that_fails_leaves_no_descriptor_open(tmp_path, monkeypatch):
    def no_process(*_):
        raise BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")

    monkeypatch.setattr(supervised_program, "spawn", no_process)
    pipe, pipes = os.pipe, []

    def noted_pipe():
        ends = pipe()
        pipes.extend(opened()[fd] for fd in ends)
        return ends

    monkeypatch.setattr(supervised_program.os, "pipe", noted_pipe)
    ours, theirs = socket.socketpair()
    loop = SimpleNamespace(unwatch=lambda _: None)
    names = {"log": str(tmp_path / "log"), "probe": str(tmp_path / "probe")}
    server = supervised_program.Supervised(loop, theirs)
    server.start({"id": "1", **names})
    server.close()
    assert pipes and {names["log"], *pipes}.isdisjoint(opened().values())
    assert theirs.fileno() == -1
    with ours:
        assert json.loads(ours.recv(4096))["event"] == "failed"


def test_a_guard_without_servers_costs_no_cpu():
    with lab.server("node/hello").start():
        guard = psutil.Process(guard_link.guard_pid())
        before = guard.cpu_times()
        time.sleep(0.5)
        after = guard.cpu_times()
    assert after.user + after.system - before.user - before.system <= 0.02


def test_the_guard_imports_nothing_but_its_siblings():
    program = textwrap.dedent(
        f"""
        import runpy, sys
        sys.path.insert(0, {str(paths.ROOT)!r})
        runpy.run_path({str(guard_link.GUARD)!r}, run_name="not main")
        import json; print(json.dumps([name for name in sys.modules if name.startswith("lab")]))
        """
    )
    command = [sys.executable, "-I", "-S", "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True)
    assert set(json.loads(done.stdout)) == {
        "lab",
        "lab.injection",  # a hook that `lab` itself sets
        "lab.processes",
        "lab.processes.bounded_log",
        "lab.processes.proctree",
        "lab.processes.spawn",
        "lab.processes.supervised_program",
    }


# --- its log


def test_a_log_that_fits_is_kept_whole(tmp_path):
    log = BoundedLog(str(tmp_path / "log"))
    for number in range(1000):
        log.write(b"%d\n" % number)
    log.close()
    assert (tmp_path / "log").read_bytes() == b"".join(b"%d\n" % n for n in range(1000))


@pytest.mark.parametrize("piece", [1000, 70_000, 1_500_000])
def test_a_log_that_is_too_long_keeps_both_ends_and_the_count(tmp_path, piece):
    text = b"".join(b"%09d\n" % number for number in range(500_000))
    log = BoundedLog(str(tmp_path / "log"))
    for start in range(0, len(text), piece):
        log.write(text[start : start + piece])
        if start % (3 * piece) == 0:
            log.flush()
    assert log.last(10) == "000499999\n"
    log.close()
    kept = (tmp_path / "log").read_bytes()
    head, rest = kept[:HEAD_BYTES], kept[HEAD_BYTES:]
    note, _, tail = rest[1:].partition(b"\n")
    dropped = int(note.split()[1])
    assert text.startswith(head)
    assert text.endswith(tail)
    assert len(tail) >= min(TAIL_BYTES, piece)
    assert len(head) + dropped + len(tail) == len(text)

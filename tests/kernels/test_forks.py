"""Kernels and bridges of a build: forked from one process, and otherwise as if they were not."""

import json
import os
import signal
import socket
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import psutil
import pytest
from kernel_client import gone
from support import eventually

from lab import paths
from lab.book.pipeline import drawing
from lab.kernels import forks
from lab.kernels.forks import provisioner

pytest_plugins = ["kernel_fixtures"]
pytestmark = pytest.mark.skipif(
    not forks.POSSIBLE, reason="a build forks its kernels on Linux only"
)
ASK = [sys.executable, "-I", "-S", str(forks.HERE / "ask.py")]


@pytest.fixture(scope="module")
def server():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", "only-for-the-server")
        found = forks.ForkServer()
    assert found.wait()
    yield found
    found.close()


@pytest.fixture
def build():
    """Kernels start as they do in a build."""
    provisioner.use()
    yield
    provisioner.let_go()


def ask(server, *arguments, **options):
    return subprocess.Popen(
        [*ASK, getattr(server, "address", server), *arguments],
        **{"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True} | options,
    )


def program(folder, text, name="program"):
    (folder / f"{name}.py").write_text(textwrap.dedent(text))
    return name


SEEN = """
    import json, os, random, sys
    import numpy.random
    facts = {"path": sys.path, "argv": sys.argv, "orig_argv": sys.orig_argv,
             "cwd": os.getcwd(), "name": __name__,
             "environment": dict(os.environ), "lab": [m for m in sys.modules if m[:3] == "lab"],
             "file": __file__, "main": sys.modules["__main__"].__file__,
             "files": sorted(os.listdir("/proc/self/fd")), "group": os.getpgrp() == os.getpid()}
    print(json.dumps({**facts, "random": random.random(), "numpy": numpy.random.random()}))
"""


def test_a_forked_program_sees_what_python_m_would_show_it(server, tmp_path):
    name = program(tmp_path, SEEN)
    environment = {**os.environ, "PYTHONPATH": f"{paths.ROOT}{os.pathsep}.", "OURS": "ü"}
    usual, ours = (
        json.loads(
            subprocess.run(
                [*how, name, "one", "two"],
                cwd=tmp_path,
                env=environment,
                capture_output=True,
                check=True,
            ).stdout
        )
        for how in ([sys.executable, "-m"], [*ASK, server.address])
    )
    for one in (usual, ours):
        one["environment"].pop("JPY_PARENT_PID", None)
    for fact in usual.keys() - {"random", "numpy", "group"}:
        assert ours[fact] == usual[fact], fact
    assert ours["lab"] == []
    assert ours["group"]


def test_two_forks_draw_different_random_numbers(server, tmp_path):
    name = program(tmp_path, SEEN)
    one, two = (json.loads(ask(server, name, cwd=tmp_path).communicate()[0]) for _ in "ab")
    assert one["random"] != two["random"]
    assert one["numpy"] != two["numpy"]


@pytest.mark.parametrize(
    ("end", "code"),
    [("pass", 0), ("sys.exit(7)", 7), ("os.kill(os.getpid(), 9)", -9), ("raise OSError", 1)],
)
def test_its_end_is_the_end_of_who_stands_for_it(server, tmp_path, end, code):
    name = program(tmp_path, f"import os, sys\nprint('here', flush=True)\n{end}")
    asking = ask(server, name, cwd=tmp_path, stderr=subprocess.DEVNULL)
    assert asking.communicate(timeout=300)[0] == "here\n"
    assert asking.returncode == code


WAITING = """
    import os, sys, time
    try:
        print(os.getpid(), flush=True)
        time.sleep(600)
    except KeyboardInterrupt:
        print("interrupted", flush=True)
        print(sys.stdin.readline(), flush=True)
"""


def test_an_interrupt_reaches_it_and_its_streams_are_its_own(server, tmp_path):
    asking = ask(server, program(tmp_path, WAITING), cwd=tmp_path)
    asking.stdout.readline()
    asking.send_signal(signal.SIGINT)
    assert asking.stdout.readline() == "interrupted\n"
    assert asking.communicate("a word\n", timeout=300)[0] == "a word\n\n"
    assert asking.returncode == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_that_comes_before_the_program_reaches_it(server, tmp_path, number):
    name = program(tmp_path, WAITING.replace("KeyboardInterrupt", "ImportError"))
    for _ in range(4):
        server._process.send_signal(signal.SIGSTOP)
        try:
            asking = ask(server, name, cwd=tmp_path, stderr=subprocess.DEVNULL)
            assert eventually(lambda pid=asking.pid: _minds(pid, signal.SIGHUP))
            asking.send_signal(number)
        finally:
            server._process.send_signal(signal.SIGCONT)
        asking.communicate(timeout=300)
        assert asking.returncode == -number


def _minds(pid, number):
    status = Path(f"/proc/{pid}/status").read_text()
    (caught,) = (line.split()[1] for line in status.splitlines() if line.startswith("SigCgt"))
    return int(caught, 16) >> (number - 1) & 1


def test_who_stands_for_it_takes_it_along_when_killed(server, tmp_path):
    asking = ask(server, program(tmp_path, WAITING), cwd=tmp_path)
    forked = psutil.Process(int(asking.stdout.readline()))
    asking.kill()
    asking.communicate()
    assert not gone([forked])


def test_without_a_server_the_module_runs_all_the_same(tmp_path):
    name = program(tmp_path, "import sys; print(sys.argv[1:], __name__)")
    asking = ask(str(tmp_path / "nobody"), name, "word", cwd=tmp_path)
    assert asking.communicate(timeout=300)[0] == "['word'] __main__\n"
    assert asking.returncode == 0


def test_who_says_nonsense_or_leaves_is_forgotten(server, tmp_path):
    name = program(tmp_path, "print('well')")
    request = {"python": sys.executable, "arguments": [name], "env": {}, "cwd": str(tmp_path)}
    other = json.dumps({**request, "python": "another"}).encode()
    for words in (b"", b"{", b"no json\n", b'{"arguments": []}\n', b"[]\n", other + b"\n"):
        with socket.socket(socket.AF_UNIX) as channel:
            channel.connect(server.address)
            socket.send_fds(channel, [words], [0, 1, 2] if words else [])
            channel.shutdown(socket.SHUT_WR)
            assert channel.recv(100) == b"", words
    with socket.socket(socket.AF_UNIX) as channel:
        channel.connect(server.address)
        channel.sendall(json.dumps(request).encode() + b"\n")
        assert channel.recv(100) == b"", "a program without streams"
    assert ask(server, name, cwd=tmp_path).communicate(timeout=300)[0] == "well\n"


def test_the_server_ends_with_its_owner_and_takes_its_folder_along(tmp_path):
    owner = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import time; from lab.kernels.forks import ForkServer; s = ForkServer(); s.wait();"
            "print(s.address, s._process.pid, flush=True); time.sleep(600)",
        ],
        stdout=subprocess.PIPE,
        text=True,
        cwd=paths.ROOT,
    )
    address, pid = owner.stdout.readline().split()
    serving = psutil.Process(int(pid))
    owner.kill()
    owner.communicate()
    assert not gone([serving])
    assert eventually(lambda: not Path(address).parent.exists())


def test_a_server_that_is_let_go_leaves_nothing():
    server = forks.ForkServer()
    serving, address = psutil.Process(server._process.pid), server.address
    server.close()
    assert not gone([serving])
    assert not Path(address).parent.exists()
    assert not server.alive


def test_an_owner_that_is_killed_at_once_leaves_nothing_and_nobody_complains(tmp_path):
    owner = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import os; from lab.kernels.forks import ForkServer; s = ForkServer();"
            "print(s.address, flush=True); os.kill(os.getpid(), 9)",
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=paths.ROOT,
    )
    address, complaints = owner.communicate(timeout=300)  # the server has the streams, too
    assert complaints == ""
    assert eventually(lambda: not Path(address.strip()).parent.exists())


def test_many_threads_may_wait_for_it():
    server = forks.ForkServer()
    answers = []
    threads = [
        threading.Thread(target=lambda: answers.append(server.wait()), daemon=True)
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(300)
    assert answers == [True] * 8
    server.close()


def test_closing_does_not_wait_for_a_fork_of_the_owner():
    server = forks.ForkServer()
    assert server.wait()
    with subprocess.Popen(["sleep", "600"], pass_fds=(server._process.stdin.fileno(),)) as holder:
        server.close()
        holder.kill()
        assert server._process.returncode in (0, -signal.SIGTERM)  # not killed at last


def test_one_that_was_killed_is_replaced_and_its_folder_removed(build):
    killed = provisioner._running()
    killed._process.kill()
    killed._process.wait()
    assert provisioner._running().alive
    assert not Path(killed.address).parent.exists()


FACTS = "import os, lab, sys; print(os.getpid(), os.getppid(), os.environ['JPY_PARENT_PID'])"


def test_a_kernel_of_a_build_is_forked_interrupted_and_started_again(live, build, tmp_path):
    def told(session):
        ((_, content),) = session.run(FACTS)
        return [int(word) for word in content["text"].split()]

    with live("python3") as session:
        pid, parent, guarded_pid = told(session)
        server = provisioner._server
        assert parent == guarded_pid == server._process.pid
        mark = tmp_path / "after the flush: an interrupt in it is reported without a traceback"
        request = session.send(
            "import pathlib, time; print('now', flush=True)\n"
            f"pathlib.Path({str(mark)!r}).touch(); time.sleep(600)"
        )
        session.wait_for(request, "now")
        assert eventually(mark.exists)
        session.manager.interrupt_kernel()
        assert session.outputs(request)[-1][1]["ename"] == "KeyboardInterrupt"
        ((_, content),) = session.run("import matplotlib; print(matplotlib.get_backend())")
        assert "matplotlib_inline" in content["text"]
        session.manager.restart_kernel(now=True)
        session.client.wait_for_ready(timeout=300)
        again = told(session)
        assert again[0] != pid
        assert again[1:] == [parent, guarded_pid]
        kernels = [psutil.Process(again[0]), *session.processes()]
    assert not gone([*kernels, psutil.Process(pid)] if psutil.pid_exists(pid) else kernels)


def test_kernels_end_when_the_build_is_killed(tmp_path):
    building = subprocess.Popen(
        [
            sys.executable,
            "-u",  # what the kernel prints goes through a pipe
            "-c",
            "import time; from jupyter_client import KernelManager\n"
            "from lab.kernels.forks import provisioner; provisioner.use()\n"
            "m = KernelManager(kernel_name='python3'); m.start_kernel(); c = m.client()\n"
            "c.start_channels(); c.wait_for_ready(300)\n"
            "c.execute_interactive('import os; print(os.getpid(), os.getppid(), flush=True)')\n"
            "time.sleep(600)",
        ],
        stdout=subprocess.PIPE,
        text=True,
        cwd=paths.ROOT,
    )
    mine = [psutil.Process(int(word)) for word in building.stdout.readline().split()]
    building.kill()
    building.communicate()
    assert not gone(mine)


def test_the_bridge_of_a_javascript_kernel_is_forked_too(live, build):
    with live() as session:
        session.run("lab = require('lab'); await lab.ps()")
        server = psutil.Process(provisioner._server._process.pid)
        (bridge,) = server.children()
        assert "bridge" not in " ".join(bridge.cmdline())  # its command line is the server's
        assert session.run("(await lab.ps()).length")[-1][1]["data"]["text/plain"] == "0"
    assert not gone([bridge])


def test_kernels_start_as_usual_after_a_build(live):
    provisioner.use()
    provisioner.let_go()
    with live("python3") as session:
        ((_, content),) = session.run(FACTS.replace("lab, ", ""))
        assert int(content["text"].split()[1]) == os.getpid()


def test_a_server_that_cannot_start_is_done_without(live, build, monkeypatch):
    monkeypatch.setattr(forks, "HERE", paths.ROOT / "nowhere")
    monkeypatch.setenv(forks.ADDRESS, "a build that this one runs in")
    monkeypatch.setattr(forks, "READY_S", 900.0)
    start_s = time.monotonic()
    with live("python3") as session:
        ((_, content),) = session.run(FACTS.replace("lab, ", ""))
        assert int(content["text"].split()[1]) == os.getpid()
        ((_, content),) = session.run(f"import os; print({forks.ADDRESS!r} in os.environ)")
        assert content["text"] == "False\n"
    assert time.monotonic() - start_s < forks.READY_S / 3


def test_programs_are_gone_when_the_server_is(tmp_path):
    server = forks.ForkServer()
    name = program(tmp_path, WAITING)
    asking = [ask(server, name, cwd=tmp_path) for _ in range(3)]
    forked = [psutil.Process(int(process.stdout.readline())) for process in asking]
    server.close()
    assert not any(process.is_running() for process in forked)
    for process in asking:
        process.communicate(timeout=300)
        assert process.returncode


def test_kernels_and_passes_of_a_build_are_forked_from_the_server_that_somebody_keeps(monkeypatch):
    monkeypatch.setenv(forks.KEPT, "/kept")
    monkeypatch.setattr(forks, "ForkServer", lambda *_: pytest.fail("it starts a second one"))
    try:
        assert provisioner._running().address == "/kept"
        with drawing.Passes(verbose=False) as passes:
            assert passes._server.address == "/kept"
    finally:
        provisioner.let_go()

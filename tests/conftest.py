"""What every test stands on: servers of its own, and nobody left behind."""

import atexit
import contextlib
import gc
import itertools
import os
import shutil
import signal
import socket
import stat
import sys
import tempfile
import textwrap
from pathlib import Path
from unittest import mock

# Before `lab` is imported: a test run neither sees nor stops the servers of anybody else, and so
# each of several workers.
if "LAB_STATE" not in os.environ or "PYTEST_XDIST_WORKER" in os.environ:
    os.environ["LAB_STATE"] = tempfile.mkdtemp(prefix="lab-tests-")
    atexit.register(shutil.rmtree, os.environ["LAB_STATE"], ignore_errors=True)

# As in the Makefile: with what was compiled thrown away, each worker and each program that a test
# starts compiles all of its modules again, which doubles the time of a run.
if os.environ.pop("PYTHONDONTWRITEBYTECODE", None):
    sys.dont_write_bytecode = False

# A shell's background job starts with SIGINT ignored, and so would all that tests interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Several workers compute side by side: a second thread of each would only wait, in a loop. It is
# said before numpy is imported, and not to the programs that tests start.
with mock.patch.dict(os.environ, OPENBLAS_NUM_THREADS="1"):
    import numpy  # noqa: F401

import psutil
import pytest
import scheduling
import tiny_book
from support import eventually

from lab.processes import guard_link, proctree
from lab.servers import catalog

LEAVE_S = 30.0  # what is left ends within seconds on a quiet machine; a busy one takes its time


def _everybody():
    """The processes that there are: of the machine, on macOS those that we brought into the world.

    One look at a folder: two for each test of thousands, so nothing is read of the processes.
    """
    if proctree.LINUX:
        return {int(name) for name in os.listdir("/proc") if name.isdigit()}  # noqa: PTH208
    return {p.pid for p in psutil.Process().children(recursive=True) if _alive(p)}


def _ours(pids):
    """Those of some processes that this test run brought into the world, and that live: but for
    what serves all tests.
    """
    me = os.getpid()
    descendants = set(pids)
    if descendants and proctree.LINUX:  # also those that ran away from us
        table = proctree.processes()
        ran_away = {pid for pid in descendants if (proctree.owner(pid) or "").startswith(f"{me}-")}
        descendants &= table.keys() & (proctree.grown({me}, table) | ran_away)
    descendants.discard(guard_link.guard_pid())
    if tiny_book.kept.cache_info().currsize and (server := tiny_book.kept()):
        descendants.discard(server.pid)
    return descendants


def _alive(process):
    with contextlib.suppress(psutil.Error):
        return process.status() != psutil.STATUS_ZOMBIE
    return False


def _listening():
    """The ports on which this process listens. Its own sockets tell: for psutil, Linux walks
    through all connections of the machine, which takes longer than most tests.
    """
    ports = set()
    for name in os.listdir("/dev/fd"):  # noqa: PTH208
        with contextlib.suppress(OSError):  # closed meanwhile, or no socket
            if stat.S_ISSOCK(os.fstat(int(name)).st_mode):
                with socket.socket(fileno=os.dup(int(name))) as end:
                    is_tcp = end.family in (socket.AF_INET, socket.AF_INET6)
                    if is_tcp and end.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
                        ports.add(end.getsockname()[1])
    return ports


def _describe(pids):
    lines = []
    for pid in pids:
        with contextlib.suppress(psutil.Error):
            lines.append(f"{pid}: {' '.join(psutil.Process(pid).cmdline())[:200]}")
    return "\n".join(lines)


def pytest_collection_modifyitems(items):
    """The longest file first: of those that run side by side a worker takes whole ones, and all
    wait for what begins last.
    """
    items.sort(key=lambda item: not item.nodeid.startswith("tests/trace/"))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """With `--dist loadgroup`, tests that share a fixture are on one worker."""
    return scheduling.ByCost(config, log) if config.getvalue("dist") == "loadgroup" else None


def pytest_collection_finish():
    """What was collected stays: without this, each search for rubbish goes through all of it."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def nobody_left_behind():
    """Fails the test that leaves a process or a listening port."""
    processes, ports = _everybody(), _listening()
    yield
    left, listening = set(), set()

    def nobody():
        nonlocal left, listening
        left, listening = _ours(_everybody() - processes), _listening() - ports
        return not left and not listening

    eventually(nobody, LEAVE_S)
    if left:
        story = _describe(left)
        for pid in left:
            with contextlib.suppress(psutil.Error):
                psutil.Process(pid).kill()
        pytest.fail(f"This test left processes:\n{story}")
    assert not listening, "This test left a port on which it listens."


_number = itertools.count(1)


@pytest.fixture
def program():
    """A recipe out of the text of a program: program(text, runtime="node", **of define)."""

    def make(text, runtime="node", **options):
        name = f"{runtime}/test-{os.getpid()}-{next(_number)}"
        return catalog.define(name, textwrap.dedent(text), **options)

    yield make
    # The registry of cell servers and their files belong to whoever runs the tests.
    for name in [name for name in catalog._defined if f"/test-{os.getpid()}-" in name]:
        entry = catalog._defined.pop(name)
        Path(entry["source"][0]).unlink(missing_ok=True)


HELLO = """
import { createServer } from "node:http";
const server = createServer((_request, response) => response.end("hello world\\n"));
server.listen(Number(process.env.PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
"""


@pytest.fixture
def hello():
    """The text of a small correct server in Node, to be spoilt."""
    return HELLO


@pytest.fixture
def python():
    """The interpreter that runs the tests."""
    return sys.executable

"""A tab, a kernel or the server ends in the middle of a comparison: nothing of it is left."""

import contextlib
import os
import signal
import socket

import psutil
import pytest
from support import eventually, linux

from .jupyter import Server, answering, execute, small_site

pytestmark = [pytest.mark.starts, pytest.mark.timeout(1800), linux]

PAGE = "book/cases/off-the-loop"
BEGINS_S = 300
ENDS_S = 120
AWAY_S = 1
COMPARE = """
import lab
arms = {"sync": lab.server("node/read-sync"), "async": lab.server("node/read-async")}
lab.compare(arms, connections=[1, 8], pairs=20, seconds=2)
"""
ENDS = {
    "the tab is closed": lambda server, kernel, channel: channel.close(),
    "the kernel is killed": lambda server, kernel, channel: (
        os.kill(kernel, signal.SIGKILL),
        channel.close(),
    ),
    "the server is killed": lambda server, kernel, channel: server.stop(signal.SIGKILL),
}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    return small_site(tmp_path_factory.mktemp("site"), **{PAGE: "python3"})


def below(pid):
    with contextlib.suppress(psutil.Error):
        return psutil.Process(pid).children(recursive=True)
    return []


def ports(processes):
    files = set()
    for process in processes:
        with contextlib.suppress(psutil.Error):
            files |= {
                (one.laddr.ip, one.laddr.port)
                for one in process.net_connections("tcp")
                if one.status == psutil.CONN_LISTEN
            }
    return files


def answers(address):
    with contextlib.suppress(OSError):
        socket.create_connection(address, 0.5).close()
        return True
    return False


def is_kernel(process):
    with contextlib.suppress(psutil.Error):
        return "ipykernel_launcher" in " ".join(process.cmdline())
    return False


def serves(process):
    with contextlib.suppress(psutil.Error):
        return any("read-" in word for word in process.cmdline())
    return False


def alive(processes):
    with contextlib.suppress(psutil.Error):
        return [p for p in processes if p.is_running() and p.status() != psutil.STATUS_ZOMBIE]
    return alive([p for p in processes if p.is_running()])


def measured_and_ended(server, end):
    """Begin a comparison on a page, end it, and see that all of it is gone."""
    status, said = server.run(PAGE)
    assert status == 201, said
    channel = answering(server.socket(said["kernel"]))
    execute(channel, COMPARE)
    root = server.process.pid
    assert eventually(lambda: any(map(serves, below(root))), BEGINS_S)
    family = below(root)
    (kernel,) = filter(is_kernel, family)
    listening = ports(family)
    assert listening
    end(server, kernel.pid, channel)
    assert eventually(lambda: not alive(family), ENDS_S), alive(family)
    assert eventually(lambda: not any(map(answers, listening)), ENDS_S), listening
    if server.process.poll() is None:  # Jupyter starts a kernel that died again: not for a page
        assert eventually(lambda: not server.kernels(), ENDS_S), server.kernels()
    assert eventually(lambda: not below(root), ENDS_S), below(root)


@pytest.mark.parametrize(
    "times", [1, pytest.param(20, marks=[pytest.mark.nightly, pytest.mark.timeout(1800)])]
)
@pytest.mark.parametrize("how", ENDS)
def test_nothing_is_left_when(how, times, site, tmp_path):
    server = None
    try:
        for number in range(times):
            if server is None or server.process.poll() is not None:
                folder = tmp_path / str(number)
                folder.mkdir()
                server = Server(site, folder, LAB_LIVE_AWAY_S=str(AWAY_S), LAB_QUEUE=str(folder))
            measured_and_ended(server, ENDS[how])
    finally:
        if server:
            server.stop()

"""The programs of the page on HTTP/2 do what it says of them, and leave nothing behind."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from support import linux

from lab import paths
from lab.errors import LabError
from lab.measure.program import node
from lab.processes import machine, nodes
from lab.servers.sources import covered

pytestmark = pytest.mark.starts
alone = pytest.mark.alone  # what these programs count, they count while milliseconds pass

PAGE = paths.ROOT / "book/streams/one-connection-many-requests"
CPU = "server's CPU (ms each)"


@pytest.fixture(autouse=True)
def a_slow_machine_may_take_longer(monkeypatch):
    monkeypatch.setattr(sys.modules["lab.measure.program"], "LONGEST_S", 600.0)


def rows(program, *arguments):
    return node(PAGE / program, *arguments, timeout_s=600).rows


@alone
@linux
def test_one_http2_connection_has_all_requests_in_flight_and_one_socket():
    one, _, streams = rows("what-for.mjs")
    assert one["most in flight"] == 1
    assert streams["accepted"] == streams["sockets in the kernel"] == 1
    assert streams["most in flight"] > 25


@alone
def test_a_handshake_is_computed_on_the_loop_and_a_resumed_one_takes_less():
    row_of = {(row["key"], row["connection"]): row for row in rows("handshakes.mjs", 1, 30)}
    new, resumed, kept = (row_of["RSA-4096", how] for how in ("new", "resumed", "kept"))
    assert len(row_of) == 5
    assert new["of it on the loop (%)"] > 50
    assert new[CPU] > resumed[CPU] > kept[CPU]
    assert new[CPU] > row_of["P-256", "new"][CPU]


@pytest.mark.parametrize("arguments", [(0,), ("1.5",), (1, 501), (1, "ten"), (1, 5, "RSA-1024")])
def test_handshakes_say_what_they_cannot_measure(arguments):
    with pytest.raises(LabError, match=r"write a whole number|use RSA-4096"):
        node(PAGE / "handshakes.mjs", *arguments, timeout_s=600)


@alone
def test_a_connection_stays_with_its_process():
    first, *others = rows("processes.mjs")
    assert (first["one process"], first["the other"]) == (200, 0)
    assert all(row["the other"] > 0 for row in others)


@alone
def test_a_handler_that_waits_lets_the_others_pass_and_one_that_computes_does_not():
    waits, computes = (row["answered before it"] for row in rows("slow.mjs")[2:])
    assert waits > 15
    assert computes == 0


@alone
def test_an_unread_stream_stops_at_its_window_and_starves_its_sibling_only_by_hand():
    seen = [(row["unread stream"], row["its sibling"]) for row in rows("windows.mjs")]
    whole = 1_000_000
    assert seen[:3] == [(16_384, whole), (65_535, whole), (262_144, whole)]
    assert seen[3:] == [(65_535, 0), (65_535, 0), (65_535, whole)]


@alone
def test_no_more_streams_are_in_flight_than_the_server_allows():
    early, late = rows("at-most-ten.mjs")
    assert early["most in flight"] == late["most in flight"] == 10
    assert (late["answered"], late["refused"]) == (500, 0)
    assert early["answered"] + early["refused"] == 500


def processes_of(word):
    """Return the processes that have that word in their environment: those of one test."""
    descriptors = []
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # one that has ended, or is not ours
            if f"OF_TEST={word}".encode() in (entry / "environ").read_bytes().split(b"\0"):
                descriptors.append(int(entry.name))
    return descriptors


def test_a_record_of_the_line_is_one_of_its_program_in_python_too():
    names = {path.name for path in covered(PAGE / "losses.mjs")}
    assert {"losses.mjs", "_line.mjs", "wire.py", "_both.mjs", "_far.mjs"} <= names


@linux
@pytest.mark.skipif(not machine.may_have_networks(), reason="needs root and a TUN device")
def test_a_line_ends_with_the_process_that_drew_it():
    word = f"{os.getpid()}-{time.monotonic_ns()}"
    command = [nodes.program(), PAGE / "losses.mjs"]
    env = {**os.environ, "OF_TEST": word}
    driver = subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL)
    until = time.monotonic() + 300
    while len(processes_of(word)) < 6 and time.monotonic() < until:
        time.sleep(0.1)
    count = len(processes_of(word))
    driver.send_signal(signal.SIGKILL)
    driver.wait()
    assert count >= 6
    until = time.monotonic() + 300
    while processes_of(word) and time.monotonic() < until:
        time.sleep(0.1)
    assert not processes_of(word)

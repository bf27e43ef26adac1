"""A signal that reaches another thread, or a thread about to sleep, still ends a wait."""

import subprocess
import sys

import pytest

WAITING = """
import signal, sys, threading, time
from concurrent import futures
from lab.processes.waits import some_done

def send():
    time.sleep(0.2)
    signal.pthread_kill(threading.get_ident(), signal.SIGINT)  # the main thread sleeps on

threading.Thread(target=send, daemon=True).start()
pending = [futures.Future()]
try:
    {wait}
except KeyboardInterrupt:
    sys.exit(42)
"""


def ended(wait, seconds=20):
    command = [sys.executable, "-c", WAITING.format(wait=wait)]
    return subprocess.run(command, check=False, timeout=seconds).returncode


def test_a_signal_for_another_thread_ends_the_wait():
    assert ended("some_done(pending)") == 42


def test_without_waking_the_wait_would_last():
    with pytest.raises(subprocess.TimeoutExpired):
        ended("futures.wait(pending)", seconds=3)

"""What tests of many rooms ask for by name; fixtures lie in `conftest.py`."""

import time

import pytest

from lab.processes import child, nodes, proctree

linux = pytest.mark.skipif(not proctree.LINUX, reason="needs Linux")


def supported_nodes():
    """Every Node there is that the book runs on, by major, the newest first. `make versions` brings
    older ones, too, on which nothing but its programs runs.
    """
    return {major: path for major, path in nodes.known().items() if major >= nodes.LEAST}


def eventually(truth, patience_s=60.0, every_s=0.02):
    """What `truth()` returned when it was true at last, or what it returned last."""
    end = time.monotonic() + patience_s
    while not (found := truth()) and time.monotonic() < end:
        time.sleep(every_s)
    return found


def stopped_once_printed(monkeypatch):
    """A program that is stopped when its time is over has printed something by then, and that
    belongs to what is told: its time begins with that, however slow the machine is.
    """
    wait = child._wait

    def once_printed(process, until, outputs, most_bytes):
        assert eventually(lambda: child._size(*outputs))
        return wait(process, until, outputs, most_bytes)

    monkeypatch.setattr(child, "_wait", once_printed)

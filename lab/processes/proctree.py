"""Processes as the kernel of Linux lists them: who descends from whom, and whose they are.

Standard library only, because the guard uses it.
"""
# ruff: noqa: PTH110, PTH123, PTH208 - read for every process of the machine, some fifty times a second

from __future__ import annotations

import contextlib
import os
import sys
from typing import NamedTuple

LINUX = sys.platform.startswith("linux")
MOST_BYTES = 4096  # of a line about a process; its name has at most 64


class Process(NamedTuple):
    """A line of the process table."""

    parent: int
    group: int
    session: int


def read(name: str) -> bytes:
    """A small file of /proc, in half of the time that a file object takes. Raises OSError."""
    descriptor = os.open(name, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.read(descriptor, MOST_BYTES)
    finally:
        os.close(descriptor)


def processes() -> dict[int, Process]:
    """Every process that is not a zombie, by pid."""
    table = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                state, *ids = read(f"/proc/{name}/stat").rpartition(b")")[2].split(None, 4)[:4]
            except (OSError, ValueError):
                continue
            if state not in (b"Z", b"X"):
                table[int(name)] = Process(*map(int, ids))
    return table


def children(pid: int) -> set[int] | None:
    """The children of a process without a look at all others; None where Linux was built without.

    May miss one while another of them ends: good for measuring, not for killing.
    """
    pids: set[int] = set()
    try:
        for thread in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{thread}/children", "rb") as file:
                pids.update(map(int, file.read().split()))
    except FileNotFoundError:
        return pids if os.path.exists(f"/proc/{os.getpid()}/task/{os.getpid()}/children") else None
    except OSError:
        return pids
    return pids


def owner(pid: int) -> str | None:
    """The server a process belongs to by its environment; None if it does not say."""
    with contextlib.suppress(OSError), open(f"/proc/{pid}/environ", "rb") as file:
        for setting in file.read().split(b"\0"):
            if setting.startswith(b"LAB_SERVER_ID="):
                return setting[14:].decode()
    return None


def grown(seed: set[int], table: dict[int, Process]) -> set[int]:
    """The processes of `seed` and all their descendants in `table`."""
    mine = set(seed)
    while young := {pid for pid, one in table.items() if one.parent in mine} - mine:
        mine |= young
    return mine


def start_ticks(pid: int) -> int | None:
    """When a live process began, in clock ticks since boot: with the pid, its identity."""
    try:
        fields = read(f"/proc/{pid}/stat").rpartition(b")")[2].split()
        return int(fields[19]) if fields[0] not in (b"Z", b"X") else None
    except (OSError, ValueError, IndexError):
        return None

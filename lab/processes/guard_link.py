"""The kernel's end of the guard: one guard per process, one channel per server."""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import weakref
from pathlib import Path
from typing import Any

from lab import paths
from lab.errors import LabError

GUARD = Path(__file__).resolve().parent / "guard.py"
SILENT_S = 15.0  # the guard answers within milliseconds; a slow and busy machine needs seconds
_lock = threading.Lock()
_guard: _GuardLink | None = None
_channels: weakref.WeakSet[Channel] = weakref.WeakSet()


class GuardDied(LabError):
    """The process that supervises servers could not be started, or was killed."""


class GuardSilent(LabError):
    """The process that supervises servers is there and does not answer."""


class _GuardLink:
    def __init__(self) -> None:
        self.control, theirs = socket.socketpair()
        try:
            paths.STATE.mkdir(parents=True, exist_ok=True)
            self.log = paths.STATE / f"guard-{os.getpid()}.log"
            with theirs, self.log.open("wb") as log:
                # A session of its own: an interrupt of the kernel's group must not reach the guard.
                self.process = subprocess.Popen(
                    [sys.executable, "-I", "-S", str(GUARD)],
                    stdin=theirs.fileno(),
                    stdout=subprocess.DEVNULL,
                    stderr=log,
                    start_new_session=True,
                    cwd=paths.ROOT,
                )
        except OSError as error:
            self.control.close()
            raise GuardDied(f"The guard of servers can't be started: {error}.") from None

    def wake(self) -> None:
        """Let the guard go on, in case it was suspended."""
        with contextlib.suppress(OSError):
            os.kill(self.process.pid, signal.SIGCONT)

    def close(self, patience_s: float) -> None:
        self.control.close()
        self.wake()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(patience_s)
        with contextlib.suppress(OSError):
            if self.log.stat().st_size == 0:
                self.log.unlink()


class Channel:
    """The line to the guard for one server; the server lives no longer than this does."""

    def __init__(self, connection: socket.socket) -> None:
        self._socket = connection
        self._inbox = b""
        _channels.add(self)

    def tell(self, **order: Any) -> None:
        """Send an order. Raises GuardDied if nobody is there to take it, GuardSilent if it does
        not.
        """
        try:
            self._socket.settimeout(SILENT_S)
            self._socket.sendall(json.dumps(order).encode() + b"\n")
        except TimeoutError:
            raise silent() from None
        except OSError:
            raise GuardDied(_why_dead()) from None

    def hear(self, patience_s: float) -> dict[str, Any] | None:
        """The next event, or None if there is none within `patience_s`. Raises GuardDied."""
        end = time.monotonic() + patience_s
        while b"\n" not in self._inbox:
            left = end - time.monotonic()
            try:
                self._socket.settimeout(max(left, 0.0))
                data = self._socket.recv(65536)
            except (BlockingIOError, TimeoutError):
                return None
            except OSError:
                data = b""
            if not data:
                raise GuardDied(_why_dead())
            self._inbox += data
        line, _, self._inbox = self._inbox.partition(b"\n")
        event: dict[str, Any] = json.loads(line)
        return event

    def close(self) -> None:
        """Close the channel: the guard stops the processes of this server that are left."""
        self._socket.close()


def guard_pid() -> int | None:
    """The process that supervises our servers, if there is one yet."""
    return _guard.process.pid if _guard else None


def silent() -> GuardSilent:
    """The error for a guard that did not answer in time; it is told to go on."""
    pid = guard_pid()
    if _guard is not None:
        _guard.wake()
    return GuardSilent(
        f"The guard of servers (process {pid}) did not answer in time, so the state of its "
        "servers is unknown. The guard or this machine was suspended. The guard was told to "
        f"continue, so measure again. If it does not answer, end it (kill -KILL {pid}). The "
        "next start gets a new guard."
    )


def prepare() -> None:
    """Start the guard ahead of its first use, without waiting for it."""
    with _lock:
        _ensure()


def open_channel() -> Channel:
    """A channel for a new server. Raises GuardDied."""
    with _lock:
        for _ in range(2):  # the guard may have been killed: start one more, once
            guard = _ensure()
            ours, theirs = socket.socketpair()
            with theirs:
                try:
                    socket.send_fds(guard.control, [b"+"], [theirs.fileno()])
                except OSError:
                    ours.close()
                    _drop(1.0)
                    continue
            return Channel(ours)
    raise GuardDied(_why_dead())


def _ensure() -> _GuardLink:
    global _guard  # noqa: PLW0603 - one per process is the point
    if _guard is not None and _guard.process.poll() is not None:
        _drop(0)
    if _guard is None:
        _guard = _GuardLink()
    return _guard


def _drop(patience_s: float) -> None:
    global _guard  # noqa: PLW0603
    if _guard is not None:
        _guard.close(patience_s)
        _guard = None


def _why_dead() -> str:
    try:
        words = (paths.STATE / f"guard-{os.getpid()}.log").read_text(errors="replace").strip()
    except OSError:
        words = ""
    reason = f"\n{words[-2000:]}" if words else " It was killed."
    return f"The guard of servers ended, and its servers ended with it.{reason}\nStart them again."


def _at_exit() -> None:
    # When the program returns to the shell, its servers are gone already.
    _drop(SILENT_S)


def _in_fork() -> None:
    # A forked child shares our sockets. Open sockets in the child would outlive us.
    global _guard, _lock  # noqa: PLW0603
    _lock = threading.Lock()  # another thread may have held the lock during the fork
    for channel in list(_channels):
        channel.close()
    if _guard is not None:
        _guard.control.close()
        _guard = None


atexit.register(_at_exit)
os.register_at_fork(after_in_child=_in_fork)

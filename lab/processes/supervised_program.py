"""One server as the guard sees it: its channel to the owner, its output, its end.

Part of the guard: standard library only.
"""
# ruff: noqa: PTH108, PTH118, PTH208 - what starts fast does not import pathlib

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import re
import resource
import select
import signal
import socket
import time
from collections.abc import Callable
from typing import Any

from lab.processes.bounded_log import BoundedLog
from lab.processes.proctree import LINUX
from lab.processes.spawn import spawn

LINE_BYTES = 8192  # of a line in which we look for the address
PIPE_BYTES = 1024 * 1024
QUIET_S = 0.05  # pause between reads once a server listens: one wake-up for many lines
USUAL_LINE = r"listening on (http://\S+)"


class PollLoop:
    """Calls the functions that wait for descriptors, and for the signals of this process."""

    def __init__(self) -> None:
        self._poll = select.poll()
        self._handlers: dict[int, Callable[[], None]] = {}
        wake, wake_write = os.pipe()
        os.set_blocking(wake, False)
        os.set_blocking(wake_write, False)
        signal.set_wakeup_fd(wake_write, warn_on_full_buffer=False)
        self.watch(wake, lambda: _drain(wake))

    def watch(self, descriptor: int, handler: Callable[[], None]) -> None:
        """Call `handler` whenever the descriptor can be read."""
        self._handlers[descriptor] = handler
        self._poll.register(descriptor, select.POLLIN)

    def unwatch(self, descriptor: int) -> None:
        """The opposite of watch; harmless for a descriptor that is not watched."""
        if self._handlers.pop(descriptor, None):
            self._poll.unregister(descriptor)

    def turn(self, patience_s: float | None) -> None:
        """Wait for something to happen, for at most `patience_s`, and handle it."""
        patience_ms = None if patience_s is None else max(0.0, patience_s) * 1000 + 0.5
        for descriptor, _ in self._poll.poll(patience_ms):
            if handler := self._handlers.get(descriptor):
                handler()


class Supervised:
    """A supervised program. Everything it prints goes through here."""

    def __init__(self, loop: PollLoop, channel: socket.socket) -> None:
        self.loop = loop
        self.channel = channel
        self.owned = True  # the owner still holds the other end
        self.id = ""
        self.pid = 0
        self.status: int | None = None  # once it is reaped
        self.usage: resource.struct_rusage | None = None
        self.stop_asked = False
        self.term_at = 0.0
        self.rest_told = False  # the rest got TERM when its own process had ended
        self.killing = False
        self.finished = False
        self.resume_at = 0.0  # when its output is read next; 0 = as soon as there is some
        self._inbox = b""
        self._spec: dict[str, Any] = {}
        self._output = -1
        self._log: BoundedLog | None = None
        self._partial = b""  # the beginning of a line that may contain the address
        self._ready = False

    # --- its owner

    def orders(self) -> list[dict[str, Any]]:
        """What the owner wants; when there is no owner any more, that is seen in `.owned`."""
        data = b""
        with contextlib.suppress(OSError):
            data = self.channel.recv(65536)
        if not data:
            self.loop.unwatch(self.channel.fileno())
            self.owned = False
            return []
        *lines, self._inbox = (self._inbox + data).split(b"\n")
        return [json.loads(line) for line in lines]

    def tell(self, **event: Any) -> None:
        """Send an event to the owner, if there still is one."""
        if self.owned:
            try:
                self.channel.sendall(json.dumps(event).encode() + b"\n")
            except OSError:
                self.owned = False

    # --- its life

    def start(self, spec: dict[str, Any]) -> None:
        """Run the program; its output comes to us."""
        self._spec, self.id = spec, spec["id"]
        try:
            self._log = BoundedLog(spec["log"])
            output, child_output = os.pipe()
            if LINUX:
                # Fails when the user's share of pipe memory is used up; the default will do.
                with contextlib.suppress(OSError):
                    fcntl.fcntl(output, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
            try:
                self.pid = spawn(spec, child_output)
            except OSError:
                os.close(output)
                raise
            finally:
                os.close(child_output)
        except OSError as error:
            self.tell(event="failed", message=f"{error.strerror}: {error.filename or 'fork'}")
            return
        os.set_blocking(output, False)
        self._output = output
        self.loop.watch(output, self.pump)
        self.tell(event="spawned", pid=self.pid)

    def resume(self, now: float) -> None:
        """Read on, when the pause between two reads is over."""
        if self.resume_at and now >= self.resume_at:
            self.resume_at = 0.0
            self.loop.watch(self._output, self.pump)

    def pump(self) -> None:
        """Move output to the log; once the server listens, wait for more before the next time."""
        moved = self._move()
        if self._output >= 0 and self._ready and moved < PIPE_BYTES // 4:
            self.loop.unwatch(self._output)
            self.resume_at = time.monotonic() + QUIET_S

    def tail(self, size: int = LINE_BYTES) -> str:
        """The end of what it printed until now."""
        if self._log is None:
            return ""
        self._move()
        return self._log.last(size)

    def report_main(self) -> None:
        """Tell the owner that its own process has ended: others of its tree may answer for seconds
        yet, and nobody wants to measure those.
        """
        if not self.stop_asked and self.status is not None:
            self.tell(event="ending", code=os.waitstatus_to_exitcode(self.status))

    def report(self, survivors: list[int]) -> None:
        """Tell the owner how it ended."""
        if self._spec:
            _unlink(self._spec["state"])
        usage = self.usage
        self.tell(
            event="stopped" if self.stop_asked else "exited",
            code=os.waitstatus_to_exitcode(self.status) if self.status is not None else None,
            killed=self.killing,
            survivors=survivors,
            cpu_s=usage.ru_utime + usage.ru_stime if usage else None,
            tail=self.tail(),
        )

    def close(self) -> None:
        """Let go of everything that belongs to it."""
        self.loop.unwatch(self.channel.fileno())
        self.channel.close()
        self._close_output()
        if self._log:
            self._log.close()
        if self._spec:  # the owner has read the probe's files, or there is no owner
            folder, prefix = os.path.split(self._spec["probe"])
            names = list[str]()
            with contextlib.suppress(OSError):  # the folder may be gone: somebody cleaned up
                names = os.listdir(folder)
            for name in names:
                if name.startswith(prefix + "."):
                    _unlink(os.path.join(folder, name))

    # --- its output

    def _move(self) -> int:
        assert self._log is not None
        moved_bytes = 0
        while self._output >= 0 and moved_bytes < 4 * PIPE_BYTES:
            try:
                data = os.read(self._output, PIPE_BYTES)
            except BlockingIOError:
                break
            if not data:
                self._close_output()
                break
            moved_bytes += len(data)
            self._log.write(data)
            if not self._ready:
                self._look(data)
        self._log.flush()
        return moved_bytes

    def _look(self, data: bytes) -> None:
        """Find the line that says where the server listens."""
        pattern = self._spec.get("listening") or USUAL_LINE
        if pattern == "connect":  # it prints no address: the kernel tries to connect
            self._ready = True
            return
        data = self._partial + data
        self._partial = data[data.rfind(b"\n") + 1 :][:LINE_BYTES]
        if b"http" not in data:  # no address in it: megabytes of output are not searched further
            return
        for line in data.split(b"\n")[:-1]:
            if found := re.search(pattern, line[:LINE_BYTES].decode("utf-8", "replace")):
                self._ready, self._partial = True, b""
                self.tell(event="listening", url=found[1])
                return

    def _close_output(self) -> None:
        if self._output >= 0:
            self.loop.unwatch(self._output)
            os.close(self._output)
        self._output, self.resume_at = -1, 0.0


def _drain(descriptor: int) -> None:
    with contextlib.suppress(BlockingIOError):
        while os.read(descriptor, 4096):
            pass


def _unlink(path: str) -> None:
    with contextlib.suppress(OSError):
        os.unlink(path)

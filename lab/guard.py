"""The guard: one small process per kernel that starts servers and outlives nobody.

Run as `python -I -S guard.py`, with a Unix socket as standard input whose other end only the
kernel holds. Each byte on it carries a descriptor: the channel of one server. A channel speaks
JSON lines; when it ends, by whatever death of its owner, the server's whole tree goes.

One guard per kernel and not one per server: starting a Python takes longer than starting Node's
answer may cost (bench/startup.py). Standard library only, apart from its own small siblings.
"""
# ruff: noqa: PTH100, PTH108, PTH118, PTH120, PTH208 - what starts fast does not import pathlib

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
import sys
import time
from typing import Any

# Last in the path, so that nothing in the project can hide a standard module.
sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from lab.bounded_log import BoundedLog
from lab.proctree import LINUX, children, grown, owner, processes
from lab.spawn import become_subreaper, spawn

LINE_BYTES = 8192  # of a line, as far as readiness is concerned
PIPE_BYTES = 1024 * 1024
QUIET_S = 0.05  # pause between reads once a server listens: one wake-up for many lines
POLL_S = 0.02
GRACE_S = 2.0  # from TERM to KILL, and from KILL to giving up
MOST_FILES = 65536
USUAL_LINE = r"listening on (http://\S+)"


class Server:
    """One supervised program and its channel."""

    def __init__(self, channel: socket.socket) -> None:
        self.channel = channel
        self.inbox = b""
        self.owned = True  # somebody still holds the other end
        self.id = ""
        self.spec: dict[str, Any] = {}
        self.pid = 0
        self.output = -1
        self.log: BoundedLog | None = None
        self.partial = b""  # of the line that may say where it listens
        self.ready = False
        self.resume_at = 0.0  # when its output is read next; 0 = as soon as there is some
        self.status: int | None = None
        self.usage: resource.struct_rusage | None = None
        self.stop_asked = False
        self.term_at = 0.0
        self.rest_told = False  # what is left when its own process has ended, to end too
        self.killing = False
        self.finished = False

    def tell(self, **event: Any) -> None:
        """Send an event to the owner, if there still is one."""
        if self.owned:
            try:
                self.channel.sendall(json.dumps(event).encode() + b"\n")
            except OSError:
                self.owned = False


class Guard:
    """The loop over descriptors, children and clocks."""

    def __init__(self, control: socket.socket) -> None:
        self.control = control
        self.pid = os.getpid()
        self.servers: list[Server] = []
        self.open = True
        self.poll = select.poll()
        self.handlers: dict[int, Any] = {}
        wake, self.wake_write = os.pipe()
        os.set_blocking(wake, False)
        os.set_blocking(self.wake_write, False)
        signal.set_wakeup_fd(self.wake_write, warn_on_full_buffer=False)
        self.watch(wake, lambda: _drain(wake))
        self.watch(control.fileno(), self.accept)
        become_subreaper()
        self.watch_kernel()
        allow_many_files()

    def watch_kernel(self) -> None:
        """Notice its death even if some forked child of it inherited the socket (Linux)."""
        with contextlib.suppress(OSError, AttributeError):
            kernel = os.pidfd_open(os.getppid())
            self.watch(kernel, lambda: self.shut(kernel))

    def shut(self, descriptor: int | None = None) -> None:
        """Nobody needs us any more."""
        for known in (descriptor, self.control.fileno()):
            if known is not None and known in self.handlers:
                self.unwatch(known)
        self.open = False
        for server in self.servers:
            server.owned = False
            self.stop(server)

    def watch(self, descriptor: int, handler: Any) -> None:
        """Call `handler` whenever the descriptor can be read."""
        self.handlers[descriptor] = handler
        self.poll.register(descriptor, select.POLLIN)

    def unwatch(self, descriptor: int) -> None:
        """The opposite of watch."""
        if self.handlers.pop(descriptor, None):
            self.poll.unregister(descriptor)

    def run(self) -> None:
        """Serve until the kernel is gone and every server with it."""
        while self.open or self.servers:
            for descriptor, _ in self.poll.poll(self.patience_ms()):
                handler = self.handlers.get(descriptor)
                if handler:
                    handler()
            if _told_to_end:
                self.shut()
            self.reap()
            now = time.monotonic()
            for server in list(self.servers):
                if server.resume_at and now >= server.resume_at:
                    server.resume_at = 0.0
                    self.watch(server.output, lambda s=server: self.pump(s))
                if server.term_at:
                    self.advance(server, now)

    def patience_ms(self) -> float | None:
        """How long nothing has to be done; None if only an event can change that."""
        now = time.monotonic()
        waits = [server.resume_at - now for server in self.servers if server.resume_at]
        waits += [POLL_S for server in self.servers if server.term_at and not server.finished]
        return max(0.0, min(waits)) * 1000 + 0.5 if waits else None

    # --- channels

    def accept(self) -> None:
        """Take the channel of a new server from the kernel."""
        try:
            data, descriptors, _, _ = socket.recv_fds(self.control, 1, 1)
        except OSError:
            data, descriptors = b"", []
        if not data:
            self.shut()
            return
        for descriptor in descriptors:
            os.set_inheritable(descriptor, False)  # else every server would keep it open
            server = Server(socket.socket(fileno=descriptor))
            self.servers.append(server)
            self.watch(descriptor, lambda s=server: self.hear(s))

    def hear(self, server: Server) -> None:
        """Take orders from a channel; its end is an order too."""
        try:
            data = server.channel.recv(65536)
        except OSError:
            data = b""
        if not data:
            self.unwatch(server.channel.fileno())
            server.owned = False
            self.stop(server)
            return
        server.inbox += data
        *lines, server.inbox = server.inbox.split(b"\n")
        for line in lines:
            order = json.loads(line)
            if order["do"] == "start":
                self.start(server, order)
            elif order["do"] == "stop":
                server.stop_asked = True
                self.stop(server)
            elif order["do"] == "log":
                if server.output >= 0:
                    self.pump(server, rest=False)
                server.tell(event="log", tail=server.log.last(order["bytes"]) if server.log else "")
            elif order["do"] == "tree":
                server.tell(event="tree", pids=sorted(self.tree(server)))

    # --- children

    def start(self, server: Server, spec: dict[str, Any]) -> None:
        """Run the program of a server; its output comes to us."""
        server.spec, server.id = spec, spec["id"]
        try:
            server.log = BoundedLog(spec["log"])
            output, child_output = os.pipe()
            if LINUX:
                # Fails when the user's share of pipe memory is used up; the default will do.
                with contextlib.suppress(OSError):
                    fcntl.fcntl(output, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
            server.pid = spawn(spec, child_output)
        except OSError as error:
            server.tell(event="failed", message=f"{error.strerror}: {error.filename or 'fork'}")
            return
        os.close(child_output)
        os.set_blocking(output, False)
        server.output = output
        self.watch(output, lambda: self.pump(server))
        server.tell(event="spawned", pid=server.pid)

    def pump(self, server: Server, rest: bool = True) -> None:
        """Move output to the log; wait for more in larger pieces once the server listens."""
        assert server.log is not None
        moved = 0
        ended = False
        while moved < 4 * PIPE_BYTES:
            try:
                data = os.read(server.output, PIPE_BYTES)
            except BlockingIOError:
                break
            except OSError:
                data = b""
            if not data:
                ended = True
                break
            moved += len(data)
            server.log.write(data)
            if not server.ready:
                self.look(server, data)
        server.log.flush()
        if ended:
            self.unwatch(server.output)
            os.close(server.output)
            server.output, server.resume_at = -1, 0.0
        elif rest and server.ready and moved < PIPE_BYTES // 4:
            self.unwatch(server.output)
            server.resume_at = time.monotonic() + QUIET_S

    def look(self, server: Server, data: bytes) -> None:
        """Find the line that says where the server listens."""
        pattern = server.spec.get("listening") or USUAL_LINE
        if pattern == "connect":  # it prints nothing: the kernel finds out by connecting
            server.ready = True
            return
        data = server.partial + data
        server.partial = data[data.rfind(b"\n") + 1 :][:LINE_BYTES]
        if b"http" not in data:  # what prints megabytes first is not worth a closer look
            return
        for line in data.split(b"\n")[:-1]:
            found = re.search(pattern, line[:LINE_BYTES].decode("utf-8", "replace"))
            if found:
                server.ready, server.partial = True, b""
                server.tell(event="listening", url=found[1])
                return

    def reap(self) -> None:
        """Collect ended children: servers, and strays that came to us."""
        while True:
            try:
                pid, status, usage = os.wait4(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            for server in self.servers:
                if server.pid == pid and server.status is None:
                    server.status, server.usage = status, usage
                    self.stop(server)  # whatever it started has nobody to stop it now

    # --- stopping

    def stop(self, server: Server) -> None:
        """Begin to end a server: first its own process, which may want to end the others itself.

        Told at once, the workers of a cluster would get a second SIGTERM from their master, and
        find the handler of a `process.once` gone.
        """
        if not server.term_at:
            server.term_at = time.monotonic()
            if server.pid and server.status is None:
                _kill(server.pid, signal.SIGTERM)

    def advance(self, server: Server, now: float) -> None:
        """Towards the end of a server that is being stopped; called until it is finished."""
        if not server.finished:
            left = self.members(server)
            waited = now - server.term_at
            unreaped = server.pid and server.status is None
            if (left or unreaped) and waited < 2 * GRACE_S:
                if waited >= GRACE_S:
                    server.killing = True
                    self.signal(server, signal.SIGKILL, left)
                elif not unreaped and not server.rest_told:
                    server.rest_told = True
                    self.signal(server, signal.SIGTERM, left)
                return
            server.finished = True
            self.report(server, sorted(left))
        if not server.owned:
            self.forget(server)

    def report(self, server: Server, survivors: list[int]) -> None:
        """Tell the owner how the server ended."""
        if server.output >= 0:
            self.pump(server, rest=False)
        if server.spec:
            _unlink(server.spec["state"])
        usage = server.usage
        server.tell(
            event="stopped" if server.stop_asked else "exited",
            code=os.waitstatus_to_exitcode(server.status) if server.status is not None else None,
            killed=server.killing,
            survivors=survivors,
            cpu_s=usage.ru_utime + usage.ru_stime if usage else None,
            tail=server.log.last() if server.log else "",
        )

    def forget(self, server: Server) -> None:
        """Let go of everything that belongs to a finished server."""
        for descriptor in (server.output, server.channel.fileno()):
            if descriptor in self.handlers:
                self.unwatch(descriptor)
        if server.output >= 0:
            os.close(server.output)
        if server.log:
            server.log.close()
        server.channel.close()
        self.servers.remove(server)
        if server.spec:  # what the probe wrote was read by the owner, or there is no owner
            folder, prefix = os.path.split(server.spec["probe"])
            for name in os.listdir(folder):
                if name.startswith(prefix + "."):
                    _unlink(os.path.join(folder, name))

    def signal(self, server: Server, number: int, members: set[int]) -> None:
        """Signal the group, and every member that left it: each of them once."""
        if server.pid <= 1:
            return
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(server.pid, number)
            os.killpg(server.pid, signal.SIGCONT)  # who is suspended cannot act on TERM
        table = processes() if LINUX else {}
        for pid in members:
            if pid in table and table[pid].group != server.pid:
                _kill(pid, number)

    def tree(self, server: Server) -> set[int]:
        """The members, found fast enough to be asked for while measuring."""
        ours = children(self.pid) if LINUX else None
        if ours is None or server.status is not None:
            return self.members(server)
        mains = {other.pid for other in self.servers if other.status is None}
        found, young = set(), {server.pid} | {p for p in ours - mains if owner(p) == server.id}
        while young:
            found |= young
            young = {child for pid in young for child in children(pid) or ()} - found
        return found

    def members(self, server: Server) -> set[int]:
        """Every live process of a server: its session, its descendants, its daemons."""
        if not server.pid:
            return set()
        if not LINUX:
            return self.group_alive(server)
        table = processes()
        mine = {pid for pid, one in table.items() if one.session == server.pid}
        if server.status is None and server.pid in table:
            mine.add(server.pid)
        mains = {other.pid for other in self.servers if other.status is None}
        alone = sum(1 for other in self.servers if other.pid) == 1
        for pid, one in table.items():
            if one.parent == self.pid and pid not in mains and pid not in mine:
                whose = owner(pid)  # a daemon that came to us when its parent ended
                if whose == server.id or (whose is None and alone):
                    mine.add(pid)
        return grown(mine, table)

    def group_alive(self, server: Server) -> set[int]:
        """The same as far as it can be known without /proc: the process group."""
        try:
            os.killpg(server.pid, 0)
        except ProcessLookupError:
            return set()
        except PermissionError:  # macOS says so of a group of zombies
            return set() if server.status is not None else {server.pid}
        return {server.pid}


def allow_many_files() -> None:
    """Raise our limit of open files, which servers inherit: each connection is one."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    for most in (MOST_FILES, 10240):  # macOS refuses more than the second, whatever it says
        target = most if hard == resource.RLIM_INFINITY else min(hard, most)
        if soft != resource.RLIM_INFINITY and soft < target:
            with contextlib.suppress(OSError, ValueError):
                resource.setrlimit(resource.RLIMIT_NOFILE, (target, hard))
                return


def _drain(descriptor: int) -> None:
    with contextlib.suppress(BlockingIOError):
        while os.read(descriptor, 4096):
            pass


def _kill(pid: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)
        os.kill(pid, signal.SIGCONT)


def _unlink(path: str) -> None:
    with contextlib.suppress(OSError):
        os.unlink(path)


_told_to_end: list[int] = []


def main() -> None:
    """Serve the kernel at the other end of standard input until it is gone."""
    # Handlers and not SIG_IGN: what is ignored stays ignored in the servers we start.
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGCHLD):
        signal.signal(number, lambda *_: None)
    signal.signal(signal.SIGTERM, lambda number, _: _told_to_end.append(number))
    control = socket.socket(fileno=os.dup(0))
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    guard = Guard(control)
    control.sendall(b"\n")
    try:
        guard.run()
    finally:
        # Reached with servers left only by a bug of ours: then nobody may survive it.
        for server in guard.servers:
            guard.signal(server, signal.SIGKILL, guard.members(server))


if __name__ == "__main__":
    main()

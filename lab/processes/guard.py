"""The guard: one small process per kernel that starts servers and outlives nobody.

Run as `python -I -S guard.py`, with a Unix socket as standard input whose other end only the
kernel holds. Each byte on it carries a descriptor: the channel of one server. A channel speaks
JSON lines; when it ends, by whatever death of its owner, the server's whole tree goes.

One guard per kernel and not one per server: starting a Python takes longer than starting Node's
answer may cost (bench/startup.py). Standard library only, apart from its own small siblings.
"""
# ruff: noqa: PTH100, PTH120 - what starts fast does not import pathlib

from __future__ import annotations

import contextlib
import functools
import os
import resource
import signal
import socket
import sys
import time

# Last in the path, so that nothing in the project can hide a standard module.
sys.path.append(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))

from lab.processes.proctree import LINUX, Process, children, grown, owner, processes
from lab.processes.spawn import become_subreaper
from lab.processes.supervised_program import PollLoop, Supervised

POLL_S = 0.02
GRACE_S = 2.0  # from TERM to KILL, and from KILL to giving up
MOST_FILES = 65536

_told_to_end: list[int] = []


class Guard:
    """All servers of one kernel, from their start to the end of whatever they started."""

    def __init__(self, control: socket.socket) -> None:
        self.control = control
        self.pid = os.getpid()
        self.loop = PollLoop()
        self.servers: list[Supervised] = []
        self.open = True
        self.seen: dict[int, Process] | None = None
        self.loop.watch(control.fileno(), self.accept)
        with contextlib.suppress(OSError, AttributeError):
            # Linux: notice the death of the owner even if a forked child inherited the socket.
            self.kernel = os.pidfd_open(os.getppid())
            self.loop.watch(self.kernel, self.kernel_gone)

    def run(self) -> None:
        """Serve until the kernel is gone and every server with it."""
        while self.open or self.servers:
            self.loop.turn(self.patience_s())
            if _told_to_end:
                self.shut()
            self.reap()
            now = time.monotonic()
            self.seen = None  # the next turn looks at the machine's processes anew
            for server in list(self.servers):
                server.resume(now)
                if server.term_at:
                    self.advance(server, now)

    def patience_s(self) -> float | None:
        """The seconds until the next task is due, None if the guard waits only for events."""
        now = time.monotonic()
        waits = [server.resume_at - now for server in self.servers if server.resume_at]
        waits += [POLL_S for server in self.servers if server.term_at and not server.finished]
        return min(waits, default=None)

    def accept(self) -> None:
        """Take the channel of a new server from the kernel."""
        data, descriptors = b"", list[int]()
        with contextlib.suppress(OSError):
            data, descriptors, _, _ = socket.recv_fds(self.control, 1, 1)
        if not data:
            self.shut()
        for descriptor in descriptors:
            os.set_inheritable(descriptor, False)  # else every server would keep it open
            server = Supervised(self.loop, socket.socket(fileno=descriptor))
            self.servers.append(server)
            self.loop.watch(descriptor, functools.partial(self.obey, server))

    def kernel_gone(self) -> None:
        """It died; a pidfd would go on saying so."""
        self.loop.unwatch(self.kernel)
        self.shut()

    def shut(self) -> None:
        """Close the guard and stop its servers, because no owner is left."""
        self.loop.unwatch(self.control.fileno())
        self.open = False
        for server in self.servers:
            server.owned = False
            self.stop(server)

    def obey(self, server: Supervised) -> None:
        """Carry out the orders of a server's owner; the end of the channel is an order to stop."""
        for order in server.orders():
            verb = order["do"]
            if verb == "start":
                server.start(order)
            elif verb == "stop":
                server.stop_asked = True
                self.stop(server)
            elif verb == "log":
                server.tell(event="log", tail=server.tail(order["bytes"]))
            elif verb == "tree":
                self.reap()  # report all ends before the answer
                server.tell(event="tree", pids=sorted(self.tree(server)))
        if not server.owned:
            self.stop(server)

    def reap(self) -> None:
        """Collect ended children: servers, and strays that came to us."""
        with contextlib.suppress(ChildProcessError):
            while (ended := os.wait4(-1, os.WNOHANG))[0]:
                for server in self.servers:
                    if server.pid == ended[0] and server.status is None:
                        _, server.status, server.usage = ended
                        server.report_main()
                        self.stop(server)  # nobody else stops the processes that it started

    # --- stopping

    def stop(self, server: Supervised) -> None:
        """Begin to end a server: first its own process, which may want to end the others itself.

        Told at once, the workers of a cluster would get a second SIGTERM from their master, and
        find the handler of a `process.once` gone.
        """
        if not server.term_at:
            server.term_at = time.monotonic()
            if server.pid and server.status is None:
                _kill(server.pid, signal.SIGTERM)

    def advance(self, server: Supervised, now: float) -> None:
        """Take the next step in stopping a server; called until the server is finished."""
        if not server.finished:
            is_unreaped = server.pid and server.status is None
            waited_s = now - server.term_at
            if is_unreaped and waited_s < GRACE_S:
                return  # no look at the other processes is needed yet
            members = self.members(server, self.look())
            if (members or is_unreaped) and waited_s < 2 * GRACE_S:
                if waited_s >= GRACE_S:
                    server.killing = True
                    self.signal(server, signal.SIGKILL, members)
                elif not is_unreaped and not server.rest_told:
                    server.rest_told = True
                    self.signal(server, signal.SIGTERM, members)
                return
            server.finished = True
            server.report(survivors=sorted(members))
        if not server.owned:
            server.close()
            self.servers.remove(server)

    def signal(self, server: Supervised, number: int, members: set[int]) -> None:
        """Signal the group, and every member that left it: each of them once."""
        if server.pid <= 1:
            return
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(server.pid, number)
            os.killpg(server.pid, signal.SIGCONT)  # a suspended process cannot act on TERM
        table = self.look()
        for pid in members:
            if pid in table and table[pid].group != server.pid:
                _kill(pid, number)

    # --- who belongs to a server

    def look(self) -> dict[int, Process]:
        """All processes, once in a turn: of hundreds of servers that are ended at once, too."""
        if self.seen is None:
            self.seen = processes() if LINUX else {}
        return self.seen

    def members(self, server: Supervised, snapshot: dict[int, Process] | None = None) -> set[int]:
        """Every live process of a server: its session, its descendants, its daemons."""
        if not server.pid:
            return set()
        if not LINUX:
            return _group_alive(server)
        table = processes() if snapshot is None else snapshot
        mine = {pid for pid, process in table.items() if process.session == server.pid}
        if server.status is None and server.pid in table:
            mine.add(server.pid)
        mains = {other.pid for other in self.servers if other.status is None}
        alone = sum(1 for other in self.servers if other.pid) == 1
        for pid, process in table.items():
            if process.parent == self.pid and pid not in mains and pid not in mine:
                whose = owner(pid)  # a daemon that came to us when its parent ended
                if whose == server.id or (whose is None and alone):
                    mine.add(pid)
        return grown(mine, table)

    def tree(self, server: Supervised) -> set[int]:
        """The members, found fast enough to be asked for while measuring."""
        ours = children(self.pid) if LINUX else None
        if ours is None or server.status is not None:
            return self.members(server)
        mains = {other.pid for other in self.servers if other.status is None}
        members: set[int] = set()
        young = {server.pid} | {pid for pid in ours - mains if owner(pid) == server.id}
        while young:
            members |= young
            young = {child for pid in young for child in children(pid) or ()} - members
        return members


def _group_alive(server: Supervised) -> set[int]:
    """The members as far as they can be known without /proc: is there a process group?"""
    try:
        os.killpg(server.pid, 0)
    except ProcessLookupError:
        return set()
    except PermissionError:  # macOS raises it for a group of zombies
        return set() if server.status is not None else {server.pid}
    return {server.pid}


def _kill(pid: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)
        os.kill(pid, signal.SIGCONT)


def allow_many_files() -> None:
    """Raise our limit of open files, which servers inherit: each connection is one."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    for most in (MOST_FILES, 10240):  # macOS refuses more than the second, whatever it reports
        target = most if hard == resource.RLIM_INFINITY else min(hard, most)
        if soft != resource.RLIM_INFINITY and soft < target:
            with contextlib.suppress(OSError, ValueError):
                resource.setrlimit(resource.RLIMIT_NOFILE, (target, hard))
                return


def main() -> None:
    """Serve the kernel at the other end of standard input until it is gone."""
    # Handlers and not SIG_IGN: an ignored signal stays ignored in the servers we start.
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGCHLD):
        signal.signal(number, lambda *_: None)
    signal.signal(signal.SIGTERM, lambda number, _: _told_to_end.append(number))
    control = socket.socket(fileno=os.dup(0))
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    become_subreaper()
    allow_many_files()
    guard = Guard(control)
    control.sendall(b"\n")
    try:
        guard.run()
    finally:
        # Only a bug of ours ends here with servers left. No server may survive it.
        guard.seen = None
        for server in guard.servers:
            guard.signal(server, signal.SIGKILL, guard.members(server))


if __name__ == "__main__":
    main()

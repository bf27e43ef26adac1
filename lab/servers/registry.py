"""All servers of this project on this machine, those of other notebooks too."""

from __future__ import annotations

import contextlib
import html
import json
import os
import signal
import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from lab import paths
from lab.errors import LabError
from lab.processes import guard_link, proctree
from lab.storage import gate, written
from lab.storage.gate import checked

# Running servers of this process, which are stopped through their guard.
own: dict[str, Any] = {}

_PATIENCE_S = 5.0


@dataclass(frozen=True)
class Entry:
    """A running server as the state file of its owner describes it."""

    id: str
    name: str
    pid: int
    started: float  # epoch seconds
    identity: float  # when the process began, as the system counts it: a pid alone may be reused
    url: str
    notebook: str
    guard: int
    guard_identity: float

    def members(self, look: Marked | None = None) -> set[int]:
        """The live processes of this server, never a stranger that inherited its pid.

        look : a look at all processes, shared where several servers are asked.
        """
        mine = {self.pid} if identity(self.pid) == self.identity else set()
        if not mine and identity(self.guard) == self.guard_identity:
            return set()  # its guard is cleaning up
        return (look or Marked()).grown(mine, self.id)


class Marked:
    """All processes of this machine, and which server those of ours belong to (Linux)."""

    def __init__(self) -> None:
        self._of: dict[str, set[int]] = {}
        self._children: dict[int, set[int]] = {}
        for pid, one in (proctree.processes() if proctree.LINUX else {}).items():
            self._children.setdefault(one.parent, set()).add(pid)
            if name := proctree.owner(pid):
                self._of.setdefault(name, set()).add(pid)

    def grown(self, pids: set[int], server_id: str) -> set[int]:
        """These processes and all of the server, with their descendants."""
        members: set[int] = set()
        young = pids | self._of.get(server_id, set())
        while young:  # not `proctree.grown`, which looks at every process for each server
            members |= young
            young = set().union(*(self._children.get(pid, ()) for pid in young)) - members
        return members


class Servers(list[Entry]):
    """A list of servers that shows itself as a table."""

    _columns = ("name", "url", "pid", "since", "started by")

    def _rows(self) -> Iterator[tuple[str, ...]]:
        for entry in self:
            since = f"{max(0.0, time.time() - entry.started):.0f} s"
            yield entry.name, entry.url, str(entry.pid), since, entry.notebook

    def __repr__(self) -> str:
        if not self:
            return "No server is running."
        table = [self._columns, *self._rows()]
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        lines = ("  ".join(map(str.ljust, row, widths)).rstrip() for row in table)
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        if not self:
            return "<p>No server is running.</p>"
        head = "".join(f'<th scope="col">{name}</th>' for name in self._columns)
        body = "".join(
            "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>"
            for row in self._rows()
        )
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


class Stopped(Servers):
    """The servers that `stop_all` stopped."""

    def __repr__(self) -> str:
        if not self:
            return "No server was running."
        return f"Stopped {len(self)}: {', '.join(entry.name for entry in self)}."

    def _repr_html_(self) -> str:
        return f"<p>{html.escape(repr(self))}</p>"


def identity(pid: int) -> float | None:
    """Return a mark that differs for a later process with the same pid, None without a process."""
    if proctree.LINUX:
        return proctree.start_ticks(pid)
    import psutil

    try:
        process = psutil.Process(pid)
        return None if process.status() == psutil.STATUS_ZOMBIE else process.create_time()
    except psutil.Error:
        return None


@checked
def ps() -> Servers:
    """Return all running servers of this project, the oldest first.

    lab.ps()                                    a table: name, process id, port, age
    lab.ps()[0].url                             the address of the oldest
    lab.ps()[-1].pid                            the process id of the newest
    """
    return _listed(Marked())


def _listed(look: Marked) -> Servers:
    servers = Servers()
    for path in sorted(paths.STATE.glob("*.json")):
        entry = _read(path)
        if entry and entry.members(look):
            servers.append(entry)
        else:
            _forget(path)
    servers.sort(key=lambda entry: entry.started)
    return servers


@checked
def stop_all() -> Stopped:
    """Stop every server of this project on this machine, and return those that were stopped.

        lab.stop_all()                              a table of what was stopped
        lab.stop_all()[0].name                      the name of the oldest of them
        lab.ps()                                    afterwards: an empty table

    Raises GuardSilent if the process that guards a server of this notebook does not answer.
    """
    look = Marked()
    servers = Stopped(_listed(look))
    mine = [own[entry.id] for entry in servers if entry.id in own]
    for running in mine:  # one look for all: asking the guard for each takes seconds
        running.look_last(look.grown({running.pid}, running.id) if proctree.LINUX else None)
    for running in mine:  # all at once, since each may take two seconds to stop
        with contextlib.suppress(guard_link.GuardSilent):  # its own stop raises, after the others
            running.ask_to_stop()
    _stop([entry for entry in servers if entry.id not in own])
    with contextlib.ExitStack() as all_of_them:  # an error of one must not keep the next running
        for running in reversed(mine):
            all_of_them.callback(running.stop)
    return servers


def end_without_guard(ids: Iterable[str]) -> None:
    """End servers of ours whose guard does not."""
    found = [entry for name in ids if (entry := _read(state_file(name)))]
    _stop(found)


def state_file(server_id: str) -> Path:
    """Return the file in which the owner of a server describes the server for other processes."""
    return paths.STATE / f"{server_id}.json"


def write(entry: Entry) -> None:
    """Publish a server. A full disk costs us its line in `ps`, not the server."""
    with contextlib.suppress(OSError):
        written.put(state_file(entry.id), json.dumps(asdict(entry)).encode())


def _read(path: Path) -> Entry | None:
    """The server that a state file describes; None if it is no file or describes none."""
    try:
        if not path.is_file():  # reading a pipe would wait for ever
            return None
        entry = Entry(**json.loads(path.read_text(encoding="utf-8")))
        gate.held(entry)
    except (OSError, ValueError, TypeError, RecursionError, LabError):
        return None
    return entry


def _forget(path: Path) -> None:
    """Take away a state file. A folder of that name, or one where we may not write, stays."""
    with contextlib.suppress(OSError):
        path.unlink()


def _stop(entries: list[Entry]) -> None:
    """End servers of other processes: their guards, if alive, do the rest."""
    start = time.monotonic()
    number = signal.SIGTERM
    alive = entries
    while alive:
        look = Marked()
        members = {entry.id: entry.members(look) for entry in alive}
        alive = [entry for entry in alive if members[entry.id]]
        waited_s = time.monotonic() - start
        if not alive or waited_s > _PATIENCE_S:
            break
        if waited_s > _PATIENCE_S / 2:
            number = signal.SIGKILL
        for pid in set().union(*members.values()):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, number)
        time.sleep(0.02)
    for entry in entries:
        _forget(state_file(entry.id))

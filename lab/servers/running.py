"""A running server, as a cell sees it: asked, looked at, stopped."""

from __future__ import annotations

import contextlib
import threading
import time
import warnings
from collections.abc import Iterable
from typing import Any

from lab import paths
from lab.errors import LabError
from lab.processes import guard_link
from lab.servers import probe, registry
from lab.servers.http_get import NoAnswer, Response, get
from lab.servers.program import Body, Program
from lab.servers.resources import TreeUsage, measure
from lab.servers.server_errors import (
    IgnoredSigterm,
    NotAnswering,
    ServerDied,
    StillRunning,
    advice,
)

ANSWER_S = 30.0
GRACE_S = 2.0
STOP_S = 2 * GRACE_S + 3.0  # for the guard to report how a server ended, however it had to end it


class Log(str):
    """Lines of a log; shows itself as they are."""

    __slots__ = ()
    __repr__ = str.__str__


class Running:
    """A server that answers. Use it as a context manager; `.url` is where it is."""

    def __init__(self, recipe: Program, channel: guard_link.Channel, server_id: str) -> None:
        self.recipe = recipe
        self.id = server_id
        self.url = ""
        self.port = 0
        self.pid = 0
        self.cpus: tuple[int, ...] | None = None
        self.listening_s = 0.0  # from the order to start it to its line
        self.ready_s = 0.0  # the same to the verified answer
        self.first: Body | None = None  # what it answered then
        self.exit_code: int | None = None  # negative: the signal that ended it
        self.ending = (
            False  # its own process is gone, and the guard is ending the processes that it started
        )
        self.channel = channel
        self._lock = threading.RLock()
        self._events: list[dict[str, Any]] = []
        self._end: dict[str, Any] | None = None
        self._closed = False
        self._stopping = False
        self._last: TreeUsage | None = None
        self.log_path = paths.STATE / f"{recipe.name.replace('/', '-')}-{server_id}.log"
        self.probe_path = paths.STATE / f"{server_id}.probe"

    # --- what a reader does with it

    def get(self, path: str = "/", deadline_s: float = ANSWER_S) -> Response:
        """The server's answer to GET `path`. Raises NotAnswering, ServerDied or GuardSilent."""
        try:
            return get(self.url, path, deadline_s)
        except NoAnswer as error:
            if self.failed(0.3):
                raise ServerDied(self.story("died", str(error))) from None
            raise NotAnswering(self.story("does not answer", str(error))) from None

    def log(self, n: int = 20) -> Log:
        """The last `n` lines the server printed until now."""
        text = self.printed(min(max(n, 1) * 512, 256 * 1024))
        return Log("\n".join(text.splitlines()[-n:]) if n > 0 else "")

    def stop(self) -> None:
        """Stop the server and all it started: TERM, two seconds, KILL. Harmless when repeated.

        Warns IgnoredSigterm if it had to be killed; raises StillRunning if even that failed.
        """
        with self._lock:
            if self._closed:
                return
            try:
                if not self._stopping:
                    self.look_last()
                    self.ask_to_stop()
                self._await_end(STOP_S)
                self._finish()
            except BaseException as error:  # mostly an interrupt: the caller never gets the server
                self.abandon()
                if isinstance(error, guard_link.GuardSilent):
                    registry.end_without_guard([self.id])
                raise
        end = self._end or {}
        if end.get("survivors"):
            pids = ", ".join(map(str, end["survivors"]))
            raise StillRunning(self.story(f"could not be killed: processes {pids} are still there"))
        if end.get("killed"):
            what = f"did not end within {GRACE_S:g} s of SIGTERM, so it was killed"
            hint = 'A server should exit then: process.once("SIGTERM", () => process.exit(0)).'
            warnings.warn(IgnoredSigterm(self.story(what, hint)), stacklevel=2)

    def look_last(self, pids: Iterable[int] | None = None) -> None:
        """Note what the server used, before its end; its probe's rows are read after that.

        pids : its processes, where the caller has looked already.
        """
        with self._lock:
            if self._end is None:
                with contextlib.suppress(guard_link.GuardSilent):  # the guard is told to go on
                    self._last = measure(self.tree() if pids is None else pids)

    def ask_to_stop(self) -> None:
        """Begin to stop the server, without waiting for its end: `stop` does that."""
        with self._lock:
            if not self._stopping and self._end is None:
                self._stopping = True
                try:
                    self.channel.tell(do="stop")
                except guard_link.GuardDied:
                    self._end = {}

    def resources(self) -> TreeUsage:
        """CPU seconds and memory of the server's whole tree, and the rows of its probe."""
        with self._lock:
            if self._end is not None:
                return self._last or TreeUsage()
            return measure(self.tree(), self.probe_path)

    def tree(self) -> list[int]:
        """The pids of all its processes, its own first."""
        with self._lock:
            try:
                pids = self._ask("tree").get("pids", [])
            except guard_link.GuardDied:
                return []
        return sorted(pids, key=lambda pid: pid != self.pid)

    def died(self, patience_s: float = 0.0) -> bool:
        """Is the server gone, with all it started? Waits up to `patience_s` to see."""
        with self._lock:
            end = time.monotonic() + patience_s
            try:
                while self._end is None:
                    if self.hear(end - time.monotonic()) is None:
                        return False
            except guard_link.GuardDied:
                self._end = {}
            return True

    def failed(self, patience_s: float = 0.0) -> bool:
        """Is its own process gone? Others of its tree may still answer. Waits as `died` does, and
        then for the guard, which on a busy machine may not have been able to tell by then.
        """
        if not (self.ending or self.died(patience_s)) and patience_s:
            self.tree()  # the guard reports all ends before it answers
        return self.ending or self._end is not None

    def abandon(self) -> None:
        """Close the channel without waiting: the guard stops the processes that are left."""
        self.channel.close()
        registry.own.pop(self.id, None)

    def __enter__(self) -> Running:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self.stop()
            return
        with warnings.catch_warnings(), contextlib.suppress(LabError):
            warnings.simplefilter("ignore", IgnoredSigterm)
            self.stop()  # the error under way matters more than how the server ended

    def __repr__(self) -> str:
        if self._end is not None:
            return f"<{self.recipe.name}, stopped>"
        return f"<{self.recipe.name} at {self.url}, process {self.pid}>"

    # --- the channel

    def hear(self, patience_s: float) -> dict[str, Any] | None:
        """The guard's next event; that of the server's end is remembered."""
        event = self.channel.hear(max(0.0, patience_s))
        if event and event["event"] in ("ending", "exited", "stopped"):
            self.ending = True
            self.exit_code = event["code"]
            if event["event"] != "ending":
                self._end = event
        return event

    def _ask(self, question: str, **more: Any) -> dict[str, Any]:
        self.channel.tell(do=question, **more)
        end = time.monotonic() + guard_link.SILENT_S
        while (event := self.hear(end - time.monotonic())) is not None:
            if event["event"] == question:
                return event
        raise guard_link.silent()

    def _await_end(self, patience_s: float) -> None:
        end = time.monotonic() + patience_s
        silence = None
        try:
            while self._end is None:
                if self.hear(end - time.monotonic()) is None:
                    if silence is not None:
                        raise silence
                    # The guard is late: it is told to go on, and gets the same time again.
                    silence = guard_link.silent()
                    end = time.monotonic() + patience_s
        except guard_link.GuardDied:
            self._end = {}

    def printed(self, size: int = 8192) -> str:
        """The end of what the server printed until now, as it stands."""
        with self._lock:
            if self._end is None:
                with contextlib.suppress(guard_link.GuardDied, guard_link.GuardSilent):
                    return str(self._ask("log", bytes=size).get("tail", ""))
            try:
                with self.log_path.open("rb") as file:
                    file.seek(max(0, self.log_path.stat().st_size - size))
                    return file.read().decode("utf-8", "replace")
            except OSError:
                return ""

    def _finish(self) -> None:
        """Keep everything that outlives the process: its usage and the rows of its probe."""
        rows = tuple(probe.rows(self.probe_path))
        before = self._last or TreeUsage()
        cpu_s = max(before.cpu_s, (self._end or {}).get("cpu_s") or 0.0)
        self._last = TreeUsage(cpu_s, before.rss_bytes, before.processes, rows)
        self._closed = True
        self.channel.close()
        registry.own.pop(self.id, None)
        registry.state_file(self.id).unlink(missing_ok=True)
        for path in probe.files(self.probe_path):
            path.unlink(missing_ok=True)

    def story(self, predicate: str, hint: str = "") -> str:
        """An error message: what happened, how it ended, what it printed, what to do next."""
        how = ""
        if self.ending and self.exit_code is not None:
            code = self.exit_code
            how = f" (exit code {code})" if code >= 0 else f" (killed by signal {-code})"
        lines = [
            f"  | {line[:200]}"
            for line in self.log(40).splitlines()
            if line.strip() and "(node:internal/" not in line  # frames that help nobody
        ]
        log = "\n".join(lines[-15:]) or "  | (nothing)"
        hint = "".join(f" {text}" for text in (hint, advice(self.log(200))) if text)
        return (
            f"{self.recipe.name} {predicate}{how}.{hint}\nIt printed:\n{log}\n"
            f"To see for yourself, in the project's folder: {self.recipe.by_hand()}"
        )

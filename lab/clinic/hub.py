"""The connection to the probes inside the program. Each listening process has a probe."""

from __future__ import annotations

import contextlib
import json
import shutil
import socket
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any

Event = dict[str, Any]


class Hub:
    """Receives events of the probes, and sends orders to them. A context manager.

    short : whether there is little time to look, so that the probes sample more often
    """

    def __init__(self, short: bool = False) -> None:
        self.short = short
        # A socket's path must be short, and the path of the project may be long.
        self.folder = Path(tempfile.mkdtemp(prefix="lab-"))
        self.path = self.folder / "s"
        self._server = socket.socket(socket.AF_UNIX)
        self._server.bind(str(self.path))
        self._server.listen(64)
        self._lines: dict[int, socket.socket] = {}  # by process
        self._events: list[Event] = []
        self._changed = threading.Condition()
        threading.Thread(target=self._accept, daemon=True).start()

    def tell(self, **order: Any) -> set[int]:
        """Send an order to every process; return their pids."""
        line = json.dumps(order).encode() + b"\n"
        with self._changed:
            lines = dict(self._lines)
        pids = set()
        for pid, connection in lines.items():
            with contextlib.suppress(OSError):
                connection.sendall(line)
                pids.add(pid)
        return pids

    @property
    def pids(self) -> set[int]:
        """The processes that are connected."""
        with self._changed:
            return set(self._lines)

    def mark(self) -> int:
        """Return the current end of the list of events."""
        with self._changed:
            return len(self._events)

    def since(self, mark: int, event: str) -> list[Event]:
        """The events of a kind after a mark."""
        with self._changed:
            return [one for one in self._events[mark:] if one["event"] == event]

    def wait(
        self, enough: Callable[[list[Event]], bool], mark: int, deadline_s: float
    ) -> list[Event]:
        """Return the events after a mark, once they are enough, or when the time is over."""
        end = time.monotonic() + deadline_s
        with self._changed:
            while not enough(self._events[mark:]):
                left = end - time.monotonic()
                if left <= 0 or not self._changed.wait(left):
                    break
            return self._events[mark:]

    def answers(
        self, pids: set[int], kinds: set[str], mark: int, deadline_s: float, order: str = ""
    ) -> list[Event]:
        """Return one event of these kinds from each of the processes that are still there, or the
        events that came in time; with `order`, without the failures of other orders.
        """

        def is_answer(event: Event) -> bool:
            is_of_another = order and event["event"] == "failed" and event["what"] != order
            return event["event"] in kinds and not is_of_another

        def all_here(events: list[Event]) -> bool:
            return pids & self._lines.keys() <= {e["pid"] for e in events if is_answer(e)}

        return [one for one in self.wait(all_here, mark, deadline_s) if is_answer(one)]

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._server.accept()
            except OSError:
                return
            threading.Thread(target=self._read, args=(connection,), daemon=True).start()

    def _read(self, connection: socket.socket) -> None:
        pid = None
        with (
            contextlib.suppress(OSError, ValueError),
            connection,
            connection.makefile("rb") as lines,
        ):
            for line in lines:
                event = json.loads(line)
                event["heard"] = time.time() * 1000
                with self._changed:
                    if pid is None:
                        pid = event["pid"]
                        self._lines[pid] = connection
                    self._events.append(event)
                    self._changed.notify_all()
        with self._changed:
            if pid is not None and self._lines.get(pid) is connection:
                del self._lines[pid]
            self._changed.notify_all()

    def close(self) -> None:
        """Close all connections. The probes then end their threads."""
        self._server.close()
        with self._changed:
            lines = list(self._lines.values())
        for one in lines:
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self) -> Hub:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        self.close()

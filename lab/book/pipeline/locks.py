"""Which build may write to a folder, and which may measure: locks that the system drops with us."""

from __future__ import annotations

import fcntl
import os
import time
from datetime import datetime
from pathlib import Path

from lab.errors import LabError

MEASURING = "_build/measuring.lock"  # the build that measures holds it
STATE = ".lab"  # the folder of a build's notes, in its output folder
LAST_PAGES_S = 60.0  # so soon after its build, a process that writes pages is gone


class BuildBusy(LabError):
    """Another build writes to the same folder, or measures."""


def take(file: Path, busy: str, patience_s: float = 0.0) -> int:
    """Return an open descriptor that locks the file; the system lets go of it if we die.

    busy : what is wrong if another process has it. Raises BuildBusy, which says who that is.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    handle = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    until = time.monotonic() + patience_s
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return handle
        except BlockingIOError:
            if time.monotonic() < until:
                time.sleep(0.05)
                continue
        holder = os.pread(handle, 200, 0).decode(errors="replace") or "another process"
        os.close(handle)
        raise BuildBusy(
            f"{busy}: {holder}. Wait for that build or stop it, then run this command again."
        )


class BuildLock:
    """The folder of a build and, to measure, the project, from `with` on."""

    def __init__(self, root: Path, folder: Path, *, measures: bool) -> None:
        self._files = {folder / STATE / "lock": f"Another build is writing to {folder}"}
        if measures:  # for any output folder, because simultaneous measurements disturb each other
            self._files = {root / MEASURING: "Another build is measuring", **self._files}
        self._locks: list[int] = []
        # Whether the last build here was killed; known once the folder is locked.
        self.killed = False

    def __enter__(self) -> BuildLock:
        """Take both, or raise BuildBusy, which says who has them."""
        try:
            for file, busy in self._files.items():
                self._locks.append(take(file, busy))
        except BuildBusy:
            self.__exit__()
            raise
        # A build that ends empties the file; a killed build can't.
        self.killed = os.fstat(self._locks[-1]).st_size > 0
        for handle in self._locks:
            _sign(handle)
        return self

    def __exit__(self, *_: object) -> None:
        while self._locks:
            handle = self._locks.pop()
            os.ftruncate(handle, 0)
            os.close(handle)


class PagesLock:
    """The right to write pages of a folder, from the beginning on."""

    def __init__(self, folder: Path) -> None:
        """Take it. A process that lost its build may write for a moment still; BuildBusy after
        that.
        """
        busy = f"Another build is writing to {folder}"
        self._handle = take(folder / STATE / "writing", busy, patience_s=LAST_PAGES_S)
        # Whether some of the last pages were not written.
        self.torn = os.fstat(self._handle).st_size > 0
        _sign(self._handle)

    def end(self, *, whole: bool) -> None:
        """Give it back; whole : every page shows what Sphinx has read of it."""
        if whole:
            os.ftruncate(self._handle, 0)
        os.close(self._handle)


def _sign(handle: int) -> None:
    os.ftruncate(handle, 0)
    os.pwrite(handle, f"process {os.getpid()}, since {datetime.now():%H:%M:%S}".encode(), 0)

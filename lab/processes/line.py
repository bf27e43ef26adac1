"""Who measures next: places in a line, given out in the order of arrival.

A place is a file in a folder, held with `flock` as long as its process waits. Whether somebody
still stands there is asked of the system, not of the file: who is killed is out of the line at
once. Numbers are given out behind a door, one at a time. The processes may belong to several users
and run in several containers of one machine, if all see the folder and may write to it.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import math
import os
import stat
import statistics
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

DOOR = "door"
TURNS = 15  # so many turns are remembered, to say how long the next one may take
_DOOR_S = 5.0  # the holder of the door writes a few bytes and leaves
_POLL_S = 0.02
_NAME_CHARS = 60
_SHARED, _OWN = 0o666, 0o600


@dataclass(frozen=True)
class Ahead:
    """What is before a place: how many wait, and how long a turn took of late (s), if known."""

    waiting: int
    turn_s: float | None


class Place:
    """A place in the line of `folder`; `leave` or the end of the process gives it back."""

    def __init__(self, folder: Path, *, shared: bool) -> None:
        """Stand in line. shared : other users stand there, too, and have made the folder.

        Raises OSError where there is no place to be had.
        """
        self._folder, self._shared = folder, shared
        if not shared:
            folder.mkdir(mode=0o700, exist_ok=True)
        with _door(folder, shared) as door:
            numbers = self._numbers()
            for number in [one for one in numbers if not _stands(self._file(one))]:
                with contextlib.suppress(OSError):  # a file of another user's does no harm
                    self._file(number).unlink()
            left = self._numbers()  # also places of the dead that only their owner may remove
            self.number = max((one for one in left if _stands(self._file(one))), default=0) + 1
            while self.number in left:
                self.number += 1
            self._descriptor = opened(self._file(self.number), shared=shared, anew=True)
            fcntl.flock(self._descriptor, fcntl.LOCK_EX)
            self._turn_s = _usual(_remembered(door))

    @property
    def is_first(self) -> bool:
        """Whether no process waits before this place; the nearest place is looked at first."""
        before = [number for number in self._numbers() if number < self.number]
        return not any(_stands(self._file(number)) for number in reversed(before))

    def ahead(self) -> Ahead:
        """Return what is before this place; looks at every place there."""
        before = [number for number in self._numbers() if number < self.number]
        return Ahead(sum(_stands(self._file(number)) for number in before), self._turn_s)

    def leave(self) -> None:
        """Give the place back."""
        with contextlib.suppress(OSError):
            self._file(self.number).unlink()
        os.close(self._descriptor)

    def _file(self, number: int) -> Path:
        return self._folder / f"{number:09}"

    def _numbers(self) -> list[int]:
        try:
            names = [file.name for file in self._folder.iterdir()]
        except OSError:  # the folder was removed: there is no line any more
            return []
        return sorted(int(name) for name in names if len(name) == 9 and name.isdecimal())


def remember(folder: Path, turn_s: float, *, shared: bool) -> None:
    """Keep how long a turn took, to tell waiting processes. A failure to write is ignored."""
    with contextlib.suppress(OSError), _door(folder, shared) as door:
        kept = [*_remembered(door), round(turn_s, 1)][-TURNS:]
        os.ftruncate(door, 0)
        os.pwrite(door, json.dumps({"turns_s": kept}).encode(), 0)


def opened(path: Path, *, shared: bool, anew: bool = False) -> int:
    """Return a descriptor of a file that is locked; it is made if it is not there.

    shared : other users open it, too; anew : it must not be there yet. Raises OSError.
    """
    # All users may write into the folder, so a link there is not followed. A file of another user
    # is opened without O_CREAT, which Linux refuses in a folder like /tmp.
    flags = os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
    if not anew:
        with contextlib.suppress(FileNotFoundError):
            return os.open(path, flags)
    mode = _SHARED if shared else _OWN
    try:
        descriptor = os.open(path, flags | os.O_CREAT | os.O_EXCL, mode)
    except FileExistsError:
        if anew:
            raise
        return os.open(path, flags)  # another process was quicker
    if shared:
        os.fchmod(descriptor, mode)  # whatever the umask
    return descriptor


@contextlib.contextmanager
def _door(folder: Path, shared: bool) -> Any:
    descriptor = opened(folder / DOOR, shared=shared)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(f"{folder / DOOR} is not a file")
        end = time.monotonic() + _DOOR_S
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > end:
                    raise TimeoutError(f"another process holds the lock {folder / DOOR}") from None
                time.sleep(_POLL_S)
        yield descriptor
    finally:
        os.close(descriptor)


def _stands(file: Path) -> bool:
    """Whether a process holds this place."""
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError:
        return False  # the waiter left just now, or the file is none of ours
    try:
        # A shared lock, so that two processes that look at once don't count each other as waiting.
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    finally:
        os.close(descriptor)
    return False


def _remembered(door: int) -> list[float]:
    try:
        kept = json.loads(os.pread(door, 4096, 0) or b"{}")["turns_s"]
        turns = [float(one) for one in kept]
    except (ArithmeticError, KeyError, RecursionError, TypeError, ValueError):
        return []
    return [one for one in turns if math.isfinite(one) and 0 <= one < 3600]


def _usual(turns_s: list[float]) -> float | None:
    return statistics.median(turns_s) if turns_s else None


def tidy(name: object) -> str:
    """Return what somebody else calls himself as one short line."""
    text = "".join(char if char.isprintable() else " " for char in str(name))
    return text if len(text) <= _NAME_CHARS else f"{text[: _NAME_CHARS - 1]}…"

"""One measurement at a time: two at once measure each other.

The lock is per user: it does not hold back what other users of the machine measure. A trial's
check for other programs notices those.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import stat
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from lab import settings
from lab.errors import LabError

DEADLINE_S = 600.0
_POLL_S = 0.1
_PATIENCE_S = 0.5  # a shorter wait is not worth a message

_in_process = threading.RLock()
_depth = 0


class MachineBusy(LabError):
    """Another process measured for longer than we were willing to wait."""


class LockUnsafe(LabError):
    """The lock file belongs to somebody else."""


def lock_path() -> Path:
    """The lock file of this user: the same for every notebook and every terminal."""
    return Path(tempfile.gettempdir()) / f"lab-measuring-{os.getuid()}.lock"


@contextlib.contextmanager
def measuring(
    deadline_s: float = DEADLINE_S, say: Callable[[str], None] | None = None
) -> Iterator[None]:
    """Hold the machine for measuring; waits for the present holder and says who that is.

    Nested use within one thread is free; other threads of the process wait too. Raises
    MachineBusy after `deadline_s`. The system drops the lock when its holder dies.
    """
    global _depth  # noqa: PLW0603 - one lock per process is the point
    started = time.monotonic()
    if not _in_process.acquire(timeout=deadline_s):
        raise MachineBusy(
            f"Another thread of this process has been measuring for {deadline_s:g} s. "
            "Interrupt it, or wait for it to finish."
        )
    try:
        if _depth:
            _depth += 1
            try:
                yield
            finally:
                _depth -= 1
            return
        descriptor = _take(started, deadline_s, say or _to_stderr)
        _depth = 1
        try:
            yield
        finally:
            _depth = 0
            os.ftruncate(descriptor, 0)
            os.close(descriptor)
    finally:
        _in_process.release()


def _take(started: float, deadline_s: float, say: Callable[[str], None]) -> int:
    descriptor = _open(lock_path())
    told = False
    try:
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                waited = time.monotonic() - started
            if waited > deadline_s:
                raise MachineBusy(
                    f"Gave up after {waited:.0f} s: {_holder(descriptor)} is still measuring. "
                    "Stop it (or its kernel), then run this cell again."
                )
            if waited > _PATIENCE_S and not told:
                told = True
                say(f"Waiting: {_holder(descriptor)} is measuring, and two at once disturb.")
            time.sleep(_POLL_S)
        os.ftruncate(descriptor, 0)
        me = {"pid": os.getpid(), "notebook": settings.notebook(), "since": time.time()}
        os.pwrite(descriptor, json.dumps(me).encode(), 0)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _open(path: Path) -> int:
    # The folder is shared by all users: never follow a link that somebody else put there.
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise LockUnsafe(
            f"Cannot open the lock {path}: {error}. Remove it and try again."
        ) from None
    found = os.fstat(descriptor)
    if found.st_uid != os.getuid() or not stat.S_ISREG(found.st_mode):
        os.close(descriptor)
        raise LockUnsafe(f"{path} is not a file of yours (owner {found.st_uid}). Remove it.")
    return descriptor


def _holder(descriptor: int) -> str:
    try:
        known = json.loads(os.pread(descriptor, 4096, 0) or b"{}")
        age_s = time.time() - known["since"]
        return f"process {known['pid']} ({known['notebook']}, since {age_s:.0f} s)"
    except (ArithmeticError, KeyError, RecursionError, TypeError, ValueError):
        return "another process"


def _to_stderr(message: str) -> None:
    # A page of the book reads the same whether or not its build had to wait.
    if not os.environ.get("LAB_USAGE_FILE"):
        print(message, file=sys.stderr, flush=True)

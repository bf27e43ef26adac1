"""One measurement at a time: two at once measure each other. Who waits is served in turn.

The lock is per user: it does not hold back what other users of the machine measure. A trial's
check for other programs notices those. Where several users, or the containers of several students,
share a machine, LAB_QUEUE names a folder of theirs, and with it one lock and one line for all.
Measurements of which no number is read, those of the smoke profile, share the lock among each
other.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import math
import os
import re
import stat
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from html import escape
from pathlib import Path
from typing import Any

from lab import settings
from lab.errors import LabError
from lab.processes import line

DEADLINE_S = 600.0
_POLL_S = 0.1
_SLOW_POLL_S = 1.0
_COUNT_S = 2.0  # counting all who wait before us costs more than a look at the nearest
_PATIENCE_S = 0.5  # a shorter wait is not worth a message
_SECONDS = re.compile(r"\d+ (s\b|minutes)")
_TURN_S = 0.1  # nor a shorter turn worth being remembered

_in_process = threading.RLock()
_depth = 0


class MachineBusy(LabError):
    """Another process measured for longer than we were willing to wait."""


class LockUnsafe(LabError):
    """The lock file belongs to another user."""


def lock_path() -> Path:
    """The lock file of this user, the same for every notebook and every terminal; with LAB_QUEUE
    that of all who share its folder.
    """
    if queue := os.environ.get("LAB_QUEUE"):
        return Path(queue) / "measuring.lock"
    return Path(tempfile.gettempdir()) / f"lab-measuring-{os.getuid()}.lock"


@contextlib.contextmanager
def measuring(
    deadline_s: float | None = None,
    say: Callable[[str], None] | None = None,
    *,
    alone: bool = True,
) -> Iterator[None]:
    """Hold the machine for measuring, in the order of arrival; says who has it meanwhile, how many
    wait before us and how long that may take.

    deadline_s : LAB_WAIT_S, or DEADLINE_S, if not given; say : is called with a message that takes
    the place of the one before, with "" at the end of a wait; alone : if not, other processes that
    say so may measure at the same time. Nested use within one thread is free; other threads of the
    process wait too. Raises MachineBusy after `deadline_s`. The system drops the lock when its
    holder dies.
    """
    global _depth  # noqa: PLW0603 - one lock per process is the point
    start_s = time.monotonic()
    deadline_s = _patience() if deadline_s is None else deadline_s
    if not _in_process.acquire(timeout=deadline_s):
        raise MachineBusy(
            f"Another thread of this process has been measuring for {deadline_s:g} s. "
            "Interrupt that thread or wait for it to finish."
        )
    try:
        if _depth:
            _depth += 1
            try:
                yield
            finally:
                _depth -= 1
            return
        descriptor = _take(start_s, deadline_s, say or _Notice(), alone)
        _depth = 1
        began = time.monotonic()
        try:
            yield
        finally:
            _depth = 0
            with contextlib.suppress(OSError):
                os.ftruncate(descriptor, 0)
            os.close(descriptor)
            if (took_s := time.monotonic() - began) > _TURN_S:
                line.remember(_line(), took_s, shared=_is_shared())
    finally:
        _in_process.release()


def _take(start_s: float, deadline_s: float, say: Callable[[str], None], alone: bool) -> int:
    descriptor = _open(lock_path())
    place = None
    try:
        place = _stand()
        _wait(descriptor, place, start_s, deadline_s, say, alone=alone)
        me = {
            "pid": os.getpid(),
            "who": _me(),
            "notebook": settings.notebook(),
            "since": time.time(),
        }
        with contextlib.suppress(OSError):  # on a full disk the lock is held without a name
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, json.dumps(me).encode(), 0)
    except BaseException:
        os.close(descriptor)
        raise
    finally:
        if place is not None:
            place.leave()
    return descriptor


def _wait(
    descriptor: int,
    place: line.Place,
    start_s: float,
    deadline_s: float,
    say: Callable[[str], None],
    *,
    alone: bool,
) -> None:
    """Return when the machine is ours; with `alone` False, when no process has it for itself."""
    operation = fcntl.LOCK_EX if alone else fcntl.LOCK_SH
    shown_message, counted_s = "", -math.inf
    try:
        while True:
            if first := place.is_first:
                with contextlib.suppress(BlockingIOError):
                    fcntl.flock(descriptor, operation | fcntl.LOCK_NB)
                    return
            now = time.monotonic()
            waited_s = now - start_s
            if waited_s > _PATIENCE_S and now - counted_s > _COUNT_S:
                counted_s = now
                message = _message(descriptor, place.ahead())
                # Between two turns there is no holder to name: the last message stays.
                if message != shown_message and not (shown_message and _known(descriptor) is None):
                    shown_message = message
                    say(message)
            if waited_s > deadline_s:  # after the message, which a slow machine shows late
                raise MachineBusy(
                    f"Gave up after {waited_s:.0f} s because {_holder(descriptor)} is still "
                    "measuring. Stop that program or its kernel, then run this cell again."
                )
            time.sleep(_POLL_S if first or not shown_message else _SLOW_POLL_S)
    finally:
        if shown_message:
            say("")


def _message(descriptor: int, ahead: line.Ahead) -> str:
    """Say who measures, how many come first and about how long that is (s)."""
    text = (
        f"Waiting, because {_holder(descriptor)} is measuring and two simultaneous "
        "measurements would disturb each other."
    )
    if ahead.waiting:
        others = "1 other is" if ahead.waiting == 1 else f"{ahead.waiting} others are"
        text += f" {others} in the queue before you."
    if ahead.turn_s is not None:
        left_s = max(1.0, (ahead.waiting + 1) * ahead.turn_s - (_held_s(descriptor) or 0))
        text += f" It may take {_about(left_s)}."
    return text


def _about(seconds: float) -> str:
    """Return it no more precisely than it is known, so that a message seldom changes."""
    if seconds < 90:
        return f"{max(1, math.ceil(seconds / 10)) * 10} s"
    return f"{math.ceil(seconds / 60)} minutes"


def _patience() -> float:
    try:
        patience_s = float(os.environ.get("LAB_WAIT_S") or DEADLINE_S)
    except ValueError:
        patience_s = math.nan
    if not patience_s >= 0:
        raise settings.BadSetting(
            f"LAB_WAIT_S is {os.environ['LAB_WAIT_S']!r}. Set it to the number of seconds "
            f"that a cell may wait for its turn, or unset it for {DEADLINE_S:g}."
        )
    return patience_s


def _is_shared() -> bool:
    return bool(os.environ.get("LAB_QUEUE"))


def _line() -> Path:
    path = lock_path()
    return path.parent if _is_shared() else path.with_suffix(".line")


def _me() -> str:
    """What those who wait are told: on a hub the name that it gives us, else the process."""
    return os.environ.get("LAB_MEASURES_AS") or f"process {os.getpid()}"


def _stand() -> line.Place:
    try:
        return line.Place(_line(), shared=_is_shared())
    except OSError as error:
        raise LockUnsafe(
            f"The folder in which measurements queue can't be used: {_line()}: {error}. Remove the "
            "folder and try again."
        ) from None


def _open(path: Path) -> int:
    try:
        descriptor = line.opened(path, shared=_is_shared())
    except OSError as error:
        raise LockUnsafe(
            f"The lock {path} can't be opened: {error}. {_mend()} and try again."
        ) from None
    found = os.fstat(descriptor)
    if not stat.S_ISREG(found.st_mode) or (found.st_uid != os.getuid() and not _is_shared()):
        os.close(descriptor)
        raise LockUnsafe(f"{path} is not your file (its owner is {found.st_uid}). Remove it.")
    return descriptor


def _mend() -> str:
    if not _is_shared():
        return "Remove it"
    return (
        "LAB_QUEUE must be a folder that everyone who measures here may write to (mode "
        "1777). Create it"
    )


def _known(descriptor: int) -> tuple[str, float] | None:
    """The holder of the lock and its start (s), as the lock file says; None for garbage."""
    try:
        known = json.loads(os.pread(descriptor, 4096, 0) or b"{}")
        held_s = time.time() - known["since"]
        who = known.get("who") or f"process {known['pid']}"
        return f"{line.tidy(who)} ({line.tidy(known['notebook'])}, since {held_s:.0f} s)", held_s
    except (ArithmeticError, AttributeError, KeyError, RecursionError, TypeError, ValueError):
        return None


def _holder(descriptor: int) -> str:
    known = _known(descriptor)
    return "another process" if known is None else known[0]


def _held_s(descriptor: int) -> float | None:
    known = _known(descriptor)
    return None if known is None else known[1]


class _Notice:
    """Says who measures: in a notebook in one place that is empty afterwards, else on stderr."""

    def __init__(self) -> None:
        self._shown: Any = None
        self._said = ""

    def __call__(self, message: str) -> None:
        # A page of the book reads the same whether or not its build had to wait.
        if os.environ.get("LAB_USAGE_FILE"):
            return
        if not _in_notebook():
            if message and self._said != (said := _SECONDS.sub("", message)):
                # A terminal keeps every line, so only changes of the queue are printed.
                self._said = said
                print(message, file=sys.stderr, flush=True)
            return
        from IPython.display import HTML, display

        html = f'<p class="lab-waiting" role="status">{escape(message)}</p>' if message else ""
        if self._shown is None:
            self._shown = display(HTML(html), display_id=True)
        else:
            self._shown.update(HTML(html))


def _in_notebook() -> bool:
    shell = sys.modules.get("IPython")
    found = shell.get_ipython() if shell is not None else None
    return getattr(found, "kernel", None) is not None and (
        threading.current_thread() is threading.main_thread()
    )

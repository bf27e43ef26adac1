"""Runs a program to its end, or ends it: bounded time and output, nothing left behind."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import IO

from lab.errors import LabError

SHOWN = 2000  # characters of a program's output that an error message shows
LOOK_S = 0.05  # between two looks whether the program has ended; at first the pauses are shorter


class ChildFailed(LabError):
    """A program could not be started, did not end in time, or printed too much."""


class OutOfTime(ChildFailed):
    """A program that still ran when its time was over, and was killed."""


@dataclass(frozen=True)
class Finished:
    """The result of an ended program: exit code, both outputs, seconds on the wall clock."""

    returncode: int
    stdout: str
    stderr: str
    wall_s: float


def shown(text: str) -> str:
    """The output for an error message: whole if short, else its first and last part."""
    text = text.strip()
    if len(text) <= SHOWN:
        return text or "(nothing)"
    left_out = f"… ({len(text) - SHOWN} characters left out) …"
    return f"{text[: SHOWN // 2]}\n{left_out}\n{text[-SHOWN // 2 :]}"


def run_to_end(
    argv: Sequence[str],
    deadline_s: float,
    *,
    name: str = "",
    env: Mapping[str, str] | None = None,
    line: str | None = None,
    most_bytes: int | None = None,
) -> Finished:
    """The program's outputs and exit code, whatever the code was.

    name : what errors call it, by default argv[0]. env : added to ours. line : written to its
    standard input, which then stays open until the program ends: our generator takes its end for
    our death. most_bytes : of either output, without it there is no limit.

    Output goes to files, not pipes: a million rows must not block the program that prints them, and
    a process that it leaves behind must not make us wait. Raises ChildFailed when it cannot be
    started or prints more than it may, OutOfTime when it still runs after `deadline_s`. Whatever
    happens, an interrupt too, its process group is gone afterwards.
    """
    name = name or argv[0]
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        start_s = time.monotonic()
        try:
            process = subprocess.Popen(
                [*_leash(), *argv],
                stdin=subprocess.DEVNULL if line is None else subprocess.PIPE,
                stdout=out,
                stderr=err,
                env={**os.environ, **(env or {})},
                start_new_session=True,  # an interrupt must reach us first, so that we clean up
            )
        except OSError as error:
            raise ChildFailed(f"{name} could not be started: {error}.") from error
        try:
            if process.stdin is not None:
                with contextlib.suppress(BrokenPipeError):  # it ended: the exit code says why
                    process.stdin.write(f"{line}\n".encode())
                    process.stdin.flush()
            in_time = _wait(process, start_s + deadline_s, (out, err), most_bytes)
        finally:
            wall_s = time.monotonic() - start_s
            end(process)
            if process.stdin is not None:
                with contextlib.suppress(BrokenPipeError):
                    process.stdin.close()
        if most_bytes is not None and _size(out, err) > most_bytes:
            raise ChildFailed(
                f"{name} printed more than {most_bytes:,} bytes and was stopped. Let the "
                "program print less. Its output began with:\n"
                f"{_text(out, SHOWN) or _text(err, SHOWN)}"
            )
        if not in_time:
            raise OutOfTime(
                f"{name} did not end within {deadline_s:g} s and was killed. "
                f"Its output so far:\n{shown(_text(out) + _text(err))}"
            )
        return Finished(process.returncode, _text(out), _text(err), wall_s)


def _wait(
    process: subprocess.Popen[bytes],
    until: float,
    outputs: tuple[IO[bytes], ...],
    most_bytes: int | None,
) -> bool:
    """False if the time was over first; True when it ended, or printed too much."""
    pause_s = 0.0005
    while process.poll() is None:
        left_s = until - time.monotonic()
        if left_s <= 0:
            return False
        if most_bytes is not None and _size(*outputs) > most_bytes:
            return True
        time.sleep(min(pause_s, left_s))
        pause_s = min(2 * pause_s, LOOK_S)
    return True


def end(process: subprocess.Popen[bytes]) -> None:
    """The whole process group is gone: SIGTERM, half a second, SIGKILL; the leader is reaped."""
    for sign, patience_s in ((signal.SIGTERM, 0.5), (signal.SIGKILL, 5.0)):
        try:
            os.killpg(process.pid, sign)
        except (ProcessLookupError, PermissionError):  # macOS: EPERM for a group of zombies
            break
        try:
            process.wait(patience_s)
        except subprocess.TimeoutExpired:
            continue
    process.wait()


def _leash() -> list[str]:
    """A prefix that makes the system kill the program should this process be killed (Linux).

    The signal comes at the death of the thread that started it, which waits for it. Elsewhere the
    bounds on seconds and requests end it.
    """
    setpriv = shutil.which("setpriv")
    return [setpriv, "--pdeathsig", "KILL"] if setpriv else []


def _size(*files: IO[bytes]) -> int:
    """The bytes in the longest of the files."""
    return max(os.fstat(file.fileno()).st_size for file in files)


def _text(file: IO[bytes], most: int = -1) -> str:
    """Return the content of `file` as text. Bytes that are not UTF-8 become replacement marks."""
    file.seek(0)
    return file.read(most).decode(errors="replace")

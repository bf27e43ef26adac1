"""Runs a load tool to its end, or ends it: bounded time, output kept, nothing left behind."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import IO

from lab.adapters.base import AdapterError, ToolFailed, UnreadableOutput

SHOWN = 2000  # characters of a tool's output that an error message shows


@dataclass(frozen=True)
class Finished:
    """What an ended tool left: exit code, both outputs, seconds on the wall clock."""

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


def pinned(argv: Sequence[str], cpus: Sequence[int] | None) -> list[str]:
    """`argv`, made to run on `cpus` only. Raises AdapterError where the system cannot."""
    if cpus is None:
        return list(argv)
    taskset = shutil.which("taskset")
    if taskset is None:
        raise AdapterError(
            f"Cannot pin {argv[0]} to cores {list(cpus)}: there is no taskset on this system. "
            "Run unpinned (cpus=None), and say so beside the numbers."
        )
    return [taskset, "--cpu-list", ",".join(map(str, cpus)), *argv]


def leash() -> list[str]:
    """A prefix that makes the system kill the tool should this process be killed (Linux).

    The signal comes at the death of the thread that started the tool, which waits for it. Elsewhere
    the bounds on seconds and requests end it.
    """
    setpriv = shutil.which("setpriv")
    return [setpriv, "--pdeathsig", "KILL"] if setpriv else []


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


def run_to_end(
    argv: Sequence[str],
    deadline_s: float,
    *,
    env: Mapping[str, str] | None = None,
    line: str | None = None,
) -> Finished:
    """The tool's outputs and exit code, whatever the code was.

    `line` is written to its standard input, which then stays open until the tool ends: our
    generator takes its end for our death. Output goes to files, not pipes: a million rows must
    not block the tool that prints them. Raises ToolFailed when the tool cannot be started or still
    runs after `deadline_s`; an interrupt (or any other exception) kills the tool's process group
    and is raised again.
    """
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        started = time.monotonic()
        try:
            process = subprocess.Popen(
                [*leash(), *argv],
                stdin=subprocess.DEVNULL if line is None else subprocess.PIPE,
                stdout=out,
                stderr=err,
                env={**os.environ, **(env or {})},
                start_new_session=True,  # an interrupt must reach us first, so that we clean up
            )
        except OSError as error:
            raise ToolFailed(f"{argv[0]} could not be started: {error}.") from error
        try:
            if process.stdin is not None:
                with contextlib.suppress(BrokenPipeError):  # it ended at once: its exit code tells
                    process.stdin.write(f"{line}\n".encode())
                    process.stdin.flush()
            process.wait(deadline_s)
        except subprocess.TimeoutExpired:
            end(process)
            raise ToolFailed(
                f"{argv[0]} did not end within {deadline_s:.0f} s and was killed. "
                f"Its output so far:\n{shown(text_of(out) + text_of(err))}"
            ) from None
        finally:
            wall_s = time.monotonic() - started
            end(process)
            if process.stdin is not None:
                with contextlib.suppress(BrokenPipeError):
                    process.stdin.close()
        return Finished(process.returncode, text_of(out), text_of(err), wall_s)


def text_of(file: IO[bytes]) -> str:
    """What was written to `file`, as text; bytes that are no UTF-8 become replacement marks."""
    file.seek(0)
    return file.read().decode(errors="replace")


def succeeded(tool: str, finished: Finished) -> str:
    """The standard output of a tool that exited with 0. Raises ToolFailed with its output else."""
    if finished.returncode != 0:
        raise ToolFailed(
            f"{tool} ended with exit code {finished.returncode}. It printed:\n"
            f"{shown(finished.stdout + finished.stderr)}"
        )
    return finished.stdout


def version_said(
    argv: Sequence[str],
    pattern: str,
    deadline_s: float = 10.0,
    env: Mapping[str, str] | None = None,
) -> str | None:
    """The version a program prints when asked with `argv`: group 1 of `pattern` at the start of a
    line; None if there is no such program. Raises UnreadableOutput if it prints none.
    """
    if shutil.which(argv[0]) is None:
        return None
    printed = run_to_end(argv, deadline_s, env=env)
    match = re.search(f"^{pattern}", printed.stdout, re.M)
    if match is None:
        raise unreadable(" ".join(argv), "it has no version", printed.stdout + printed.stderr)
    return match[1]


def unreadable(tool: str, why: str, output: str) -> UnreadableOutput:
    """The error for output that the adapter does not know, with the output in it."""
    return UnreadableOutput(
        f"The output of {tool} could not be read: {why}. Perhaps a version the adapter was not "
        f"written for? It printed:\n{shown(output)}"
    )

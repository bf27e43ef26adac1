"""What adapters of load tools share: running one, pinned or not; errors that show its output."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from lab import paths, usage
from lab.instruments.adapters.base import AdapterError, Ran, ToolFailed, ToolSpec, UnreadableOutput
from lab.processes import child
from lab.processes.child import Finished, shown


def ran(
    tool: str,
    spec: ToolSpec,
    argv: Sequence[str],
    *,
    more_s: float = 0.0,
    env: Mapping[str, str] | None = None,
    line: str | None = None,
) -> Ran:
    """Run a tool to its end, on the cores of the spec and `more_s` beyond its deadline at most.
    Files of `lab` that it is given are noted as used.

    Raises AdapterError where it cannot be pinned, ToolFailed if it does not end, or with an error.
    """
    for word in argv:
        if Path(word).is_absolute() and paths.relative(word).startswith("lab/"):
            usage.note_file(word)
    command = pinned(argv, spec.cpus)
    finished = run_to_end(command, spec.deadline_s + more_s, env=env, line=line)
    asked = () if line is None else (line,)
    return Ran((*command, *asked), succeeded(tool, finished), finished.wall_s)


def pinned(argv: Sequence[str], cpus: Sequence[int] | None) -> list[str]:
    """`argv`, made to run on `cpus` only. Raises AdapterError where the system cannot."""
    if cpus is None:
        return list(argv)
    taskset = shutil.which("taskset")
    if taskset is None:
        raise AdapterError(
            f"{argv[0]} can't be pinned to cores {list(cpus)} because there is no taskset on "
            "this system. Run it unpinned (cpus=None), and say so with the numbers."
        )
    return [taskset, "--cpu-list", ",".join(map(str, cpus)), *argv]


def run_to_end(
    argv: Sequence[str],
    deadline_s: float,
    *,
    env: Mapping[str, str] | None = None,
    line: str | None = None,
) -> Finished:
    """The same as `lab.processes.child.run_to_end`, without a limit to what a tool prints. Raises
    ToolFailed
    when the tool cannot be started or still runs after `deadline_s`.
    """
    try:
        return child.run_to_end(argv, deadline_s, env=env, line=line)
    except child.ChildFailed as error:
        raise ToolFailed(str(error)) from error.__cause__


def succeeded(tool: str, outcome: Finished) -> str:
    """The standard output of a tool that exited with 0. Raises ToolFailed with its output else."""
    if outcome.returncode != 0:
        raise ToolFailed(
            f"{tool} ended with exit code {outcome.returncode}. It printed:\n"
            f"{shown(outcome.stdout + outcome.stderr)}"
        )
    return outcome.stdout


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
        f"The output of {tool} could not be read: {why}. The adapter may not be written for "
        "this version. It printed:\n"
        f"{shown(output)}"
    )

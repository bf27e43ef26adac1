"""One hand-in of one exercise, judged: the driver is started, watched and ended, its words become a
Result.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
import os
import selectors
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

from lab import paths
from lab.errors import LabError
from lab.grading import sandbox
from lab.grading.cgroup import Cgroup
from lab.grading.exercise import Exercise
from lab.grading.handin import BadHandIn, HandIn
from lab.grading.result import (
    BROKEN,
    GRADED,
    HELD,
    LEFT,
    MISSED,
    NOISY,
    SCHEMA,
    VOID,
    Looked,
    Result,
    looked,
)
from lab.processes import machine, nodes, proctree

MOST_SAID = 8 << 20  # bytes that the driver may say
LOOK_S = 0.1
GRACE_S = 5.0  # beyond the exercise's own seconds, for the sandboxes to start and to go
TRIES = 3  # when the machine was too busy to tell
PATIENCE_S = 20.0  # after which no third try begins: such a machine stays busy
PERIODS = 2  # of the exercise's own seconds, where a busy machine has no processor for the check

# The modules of this room that decide what a hand-in is worth; others bring it here, or show it.
JUDGES = ("cgroup", "exercise", "folders", "handin", "result", "run", "sandbox", "scripts")
LEAST = (20, 12)  # crypto.hash, which signs what is said of a hand-in
STRIPS = (22, 18)  # leaves types out without being asked; so does 23.6

Tell = Callable[[dict[str, Any]], None]


class NotGraded(LabError):
    """The driver could not do its work: no result, rather than a wrong one."""


class Fell(NotGraded):
    """The driver ended in the middle; `criteria` is what it had said by then."""

    def __init__(self, message: str, criteria: dict[str, dict[str, Any]]) -> None:
        super().__init__(message)
        self.criteria = criteria


class Stopped(NotGraded):
    """The caller has cancelled the check."""


LONG = "The check took longer than all criteria together may take, so it was stopped."
BUSY = "the machine is too busy. The check spent most of its time waiting for a processor"
FELL = (
    "With your program, the check itself failed to finish twice, but it finishes with the "
    "reference. Your program sends, returns or throws something that the check cannot handle."
)


@dataclass(frozen=True)
class Said:
    """The driver's reports: one for each criterion, one at the end, and why it was stopped."""

    criteria: dict[str, dict[str, Any]]
    end: dict[str, Any]
    stopped: str = ""


def grade(
    exercise: Exercise,
    hand_in: HandIn,
    *,
    student: str = "",
    seed: int | None = None,
    node: str | None = None,
    unsandboxed: bool = False,
    own: bool = True,
    tell: Tell | None = None,
    stop: threading.Event | None = None,
) -> Result:
    """Return what the hand-in is worth. `own`: it is the work of whoever asks, which may run
    without a sandbox.

    `seed` gives hidden cases again; `tell` hears of each criterion as it is decided; `stop` ends it
    in the middle, which raises Stopped. Raises NoSandbox for other people's
    work where there is no sandbox, unless `unsandboxed` says that their programs may run with your
    rights.
    """
    kind = sandbox.BUBBLEWRAP if sandbox.bubblewrap() and not unsandboxed else sandbox.NONE
    if kind == sandbox.NONE and not own and not unsandboxed:
        raise sandbox.NoSandbox(sandbox.NO_SANDBOX)
    node = nodes.program(node)
    if _parts(nodes.version(node)) < LEAST:
        raise NotGraded(
            f"{node} is Node {nodes.version(node)}; the grader needs Node 20.12 or newer. Set "
            "LAB_NODE to the path of one."
        )
    if hand_in.is_typed and not _strips(nodes.version(node)):
        raise BadHandIn(
            f"{hand_in.name} is TypeScript, which Node {nodes.version(node)} does not run: set "
            "LAB_NODE to the path of a Node 22.18 or newer, or hand in JavaScript."
        )
    seed = int.from_bytes(os.urandom(4)) if seed is None else seed
    start_s, when = time.monotonic(), datetime.now(UTC)
    criteria: tuple[Looked, ...] = ()
    seeds: dict[str, int] = {}  # with which each criterion was decided
    for attempt in range(TRIES):
        report, limits = _decided(
            exercise,
            hand_in,
            kind=kind,
            node=node,
            parameters=exercise.for_student(student),
            seed=seed + attempt,
            tell=_news(tell, criteria),
            stop=stop,
        )
        now = looked(exercise, report.criteria)
        criteria = _standing(exercise, criteria, now) if criteria else now
        for criterion in criteria:
            if criterion in now:
                seeds[criterion.id] = seed + attempt
        outcomes = {criterion.outcome for criterion in criteria}
        is_late = attempt > 0 and time.monotonic() - start_s > PATIENCE_S
        if NOISY not in outcomes or report.stopped == BUSY or is_late:
            break
    outcome = BROKEN if BROKEN in outcomes else NOISY if NOISY in outcomes else GRADED
    return Result(
        SCHEMA,
        exercise.id,
        exercise.title,
        outcome,
        sum(criterion.points for criterion in criteria) if VOID not in outcomes else 0,
        exercise.points,
        criteria,
        hand_in.digest,
        exercise.version(),
        version(),
        nodes.version(node),
        kind,
        limits,
        next((seeds[one.id] for one in criteria if one.outcome == MISSED), seed + attempt),
        exercise.for_student(student),
        student,
        when.isoformat(timespec="seconds"),
        round(time.monotonic() - start_s, 3),
        tuple(report.end.get("series", ())),
        dict(report.end.get("seen", {})),
        fault="\n".join(
            f"{id}: {criterion['fault']}"
            for id, criterion in report.criteria.items()
            if criterion.get("fault")
        ),
    )


def _news(tell: Tell | None, criteria: tuple[Looked, ...]) -> Tell | None:
    """Return what hears of the criteria that an earlier try has not decided."""
    decided = {one.id for one in criteria if one.outcome in (HELD, MISSED)}
    return tell and (lambda line: None if line["criterion"] in decided else tell(line))


def _standing(
    exercise: Exercise, before: tuple[Looked, ...], now: tuple[Looked, ...]
) -> tuple[Looked, ...]:
    """The criteria after a further try. What an earlier try has decided stands: a machine that is
    busy leaves another criterion undecided in each try, and seldom the same one.
    """
    standing: dict[str, Looked] = {}
    for criterion, earlier, later in zip(exercise.criteria, before, now, strict=True):
        needed = {standing[id].outcome for id in criterion.needs}
        is_decided = earlier.outcome in (HELD, MISSED)
        is_left = earlier.outcome == LEFT and MISSED in needed
        # It was left out for a criterion that an earlier try had decided: this try says nothing.
        is_unseen = later.outcome == LEFT and needed <= {HELD}
        standing[criterion.id] = earlier if is_decided or is_left or is_unseen else later
    return tuple(standing.values())


def _strips(version: str) -> bool:
    """Whether that Node leaves the types of TypeScript out by itself."""
    parts = _parts(version)
    return parts >= STRIPS and not (23,) <= parts < (23, 6)


def _parts(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.partition("-")[0].split("."))


def version() -> str:
    """A digest of what judges: the driver and these modules."""
    taken = hashlib.sha256()
    modules = [Path(__file__).with_name(f"{name}.py") for name in JUDGES]
    for file in sorted([*sandbox.GRADER.glob("*.*js"), *modules]):
        taken.update(file.read_bytes())
    return taken.hexdigest()[:16]


def _decided(
    exercise: Exercise, hand_in: HandIn, *, parameters: dict[str, Any], **how: Any
) -> tuple[Said, dict[str, Any]]:
    """As `_judged`. Where the driver falls over the hand-in, and again, and not over the reference
    in between, it is the hand-in that brings it down, and no other day will be better. Raises Fell
    where the reference brings it down, too.
    """
    with contextlib.suppress(Fell):
        return _judged(exercise, hand_in, parameters=parameters, **how)
    right = HandIn(exercise.program(exercise.solution, parameters), exercise.solution.name)
    _, limits = _judged(exercise, right, parameters=parameters, **{**how, "tell": None})
    try:
        return _judged(exercise, hand_in, parameters=parameters, **how)
    except Fell as error:
        return Said(_Missing(error.criteria, FELL), {}, FELL), limits


def _judged(
    exercise: Exercise,
    hand_in: HandIn,
    *,
    kind: str,
    node: str,
    parameters: dict[str, Any],
    seed: int,
    tell: Tell | None,
    stop: threading.Event | None,
) -> tuple[Said, dict[str, Any]]:
    most = exercise.limits
    with (
        hand_in.as_file(exercise) as (folder, name),
        sandbox.driver(exercise.folder, exercise.shared, (folder, name), node, kind) as (
            command,
            places,
            descriptors,
        ),
        Cgroup.of(memory_mib=2 * most.memory, processes=8 * most.processes) as group,
        tempfile.TemporaryFile() as errors,
    ):
        job = {
            **places,
            "called": hand_in.called,
            "whole": bool(hand_in.files),
            "inner": sandbox.inner(node, kind),
            "filter": base64.b64encode(sandbox.inner_filter()).decode(),
            "sandboxed": kind != sandbox.NONE,
            "env": _environment(kind),
            "criteria": [{"id": one.id, "needs": one.needs} for one in exercise.criteria],
            "most": {"memory": most.memory << 20, "processes": most.processes},
            "seconds": {"all": most.seconds, "call": most.call},
            "parameters": parameters,
            "seed": seed,
        }
        limits = {
            "seconds": most.seconds,
            "memory_mib": most.memory,
            "processes": most.processes,
            "kept by": _keepers(group, kind),
        }
        process = subprocess.Popen(
            [*group.enter(), *command, json.dumps(job)],
            stdin=subprocess.PIPE if kind == sandbox.NONE else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            pass_fds=descriptors,
            start_new_session=True,
            env={"PATH": os.environ.get("PATH", "/usr/bin:/bin")},
        )
        try:
            lines = _lines(process, most.seconds + GRACE_S, 8 * most.processes, stop)
            return _heard(process, errors, lines, tell), limits
        finally:
            _end(process)


def _keepers(group: Cgroup, kind: str) -> str:
    """Return in words how memory and processes are limited, and which of them are only watched."""
    if group.folders:
        return group.kind
    filtered = kind != sandbox.NONE and sandbox.inner_filter()
    shared = "" if filtered else ", but memory that belongs to no visible process is not"
    looks = f"memory and processes are checked {round(1 / LOOK_S)} times a second"
    return f"{group.kind}: {looks}{shared}"


def _environment(kind: str) -> dict[str, str]:
    """All that a hand-in finds in its environment. Without a sandbox Node may need a folder for
    itself.
    """
    base = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "TZ": "UTC"}
    return (
        base if kind != sandbox.NONE else {**base, "PATH": os.environ.get("PATH", "/usr/bin:/bin")}
    )


def _heard(
    process: subprocess.Popen[bytes],
    errors: IO[bytes],
    lines: Iterator[dict[str, Any] | str],
    tell: Tell | None,
) -> Said:
    """Read the driver's lines until the driver ends or must be killed."""
    criteria: dict[str, dict[str, Any]] = {}
    end: dict[str, Any] = {}
    stop_reason = ""
    for line in lines:
        if isinstance(line, str):
            stop_reason = line
            break
        if "criterion" in line:
            criteria[line["criterion"]] = line
            if tell:
                tell(line)
        elif line.get("end"):
            end = line
    if stop_reason:
        # What was decided before stands; what was not is missed, with the reason.
        return Said(
            _Missing(criteria, stop_reason, NOISY if stop_reason == BUSY else MISSED),
            end,
            stop_reason,
        )
    if not end:
        process.wait(5)
        errors.seek(0)
        error = errors.read(1 << 20).decode(errors="replace").strip()
        raise Fell(
            f"The check did not finish (exit code {process.returncode}), so there is no "
            f"result. It said:\n{_without_places(error[-2000:])}",
            criteria,
        )
    return Said(criteria, end)


def _without_places(text: str) -> str:
    """A text without where this course, and whoever runs it, have their files: students read it."""
    return text.replace(f"{paths.ROOT}/", "").replace(str(Path.home()), "~")


class _Missing(dict[str, dict[str, Any]]):
    """Criteria of which nothing was said, as the driver was stopped: missed, with the reason, or
    undecided.
    """

    def __init__(self, said: dict[str, dict[str, Any]], why: str, outcome: str = MISSED) -> None:
        super().__init__(said)
        self._why, self._outcome = why, outcome

    def get(self, key: str, default: Any = None) -> Any:
        """Return the report on a criterion, or the outcome that follows from a stopped check."""
        return super().get(key) or {"outcome": self._outcome, "message": self._why}


def _lines(
    process: subprocess.Popen[bytes],
    seconds: float,
    most_processes: int,
    stop: threading.Event | None,
) -> Iterator[dict[str, Any] | str]:
    """Each object that the driver prints; a text says why it had to be stopped. Raises Stopped.

    seconds : that the driver has; a check that had no processor meanwhile has them once more.
    """
    assert process.stdout is not None
    unread, total, looked_at = b"", 0, time.monotonic()
    began, queue, periods = looked_at, _Queue(), 1
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while True:
            now = time.monotonic()
            if stop is not None and stop.is_set():
                raise Stopped("The check was stopped before it had judged the hand-in.")
            if now > began + seconds:
                if not queue.is_starved(now - began):
                    yield LONG
                    return
                if periods == PERIODS:
                    yield BUSY
                    return
                began, periods = now, periods + 1
                queue.begin()
            if now - looked_at > LOOK_S:
                looked_at = now
                family = proctree.grown({process.pid}, proctree.processes())
                queue.look(family)
                if len(family) > most_processes:
                    yield (
                        f"More than {most_processes} processes were started, so the check was "
                        "stopped."
                    )
                    return
            if not selector.select(LOOK_S):
                continue
            chunk = os.read(process.stdout.fileno(), 1 << 16)
            if not chunk:
                return
            total += len(chunk)
            if total > MOST_SAID:
                yield "The check wrote more output than is allowed."
                return
            *lines, unread = (unread + chunk).split(b"\n")
            for line in lines:
                yield _parsed(line)


class _Queue:
    """How long a check stood in the queue for a processor and how long its processes had one, with
    those that have ended meanwhile: a check starts many, one after another.
    """

    def __init__(self) -> None:
        self._waited_by_pid: dict[int, float] = {}  # seconds
        self._had_by_pid: dict[int, float] = {}
        self._waited_s = 0.0
        self._had_before_s = 0.0  # until it began
        self._most = 1  # processes at once

    def begin(self) -> None:
        """Count from now on, with what is known of the processes."""
        self._waited_s, self._had_before_s = 0.0, sum(self._had_by_pid.values())

    def look(self, pids: Iterable[int]) -> None:
        """Note where they are now. Processes that wait at the same time wait once: what they do
        together is late by the longest of these waits.
        """
        longest, processes = 0.0, 0
        for pid in pids:
            with contextlib.suppress(OSError, ValueError, IndexError):
                wait_s = int(proctree.read(f"/proc/{pid}/schedstat").split()[1]) / 1e9
                name, _, fields = proctree.read(f"/proc/{pid}/stat").rpartition(b") ")
                self._had_by_pid[pid] = sum(map(int, fields.split()[11:13])) / os.sysconf(
                    "SC_CLK_TCK"
                )
                longest = max(longest, wait_s - self._waited_by_pid.get(pid, 0.0))
                self._waited_by_pid[pid] = wait_s
                processes += not name.endswith(b"(bwrap")
        self._waited_s += longest
        self._most = max(self._most, processes - 1)  # one of them is the driver, which mostly waits

    def is_starved(self, seconds: float) -> bool:
        """Whether the check stood in the queue for most of that time, and not because of what it
        computes itself. See `starved` of proc.mjs.
        """
        each = min(self._most, len(machine.cpu_set()) or 1)
        had_s = sum(self._had_by_pid.values()) - self._had_before_s
        return self._waited_s > seconds / 2 and had_s < each * seconds / 4


def _parsed(line: bytes) -> dict[str, Any]:
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        message = None
    if not isinstance(message, dict):
        raise NotGraded("What the check printed is not a result, so there is none.")
    return message


def _end(process: subprocess.Popen[bytes]) -> None:
    """The driver is gone, and with its process namespace whatever was in it. Without a sandbox it
    is told by the end of its input, and ends the hand-in's processes before.
    """
    try:
        if process.stdin:
            process.stdin.close()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(GRACE_S)
    finally:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    if process.stdout:
        process.stdout.close()

"""One build of the book: which chapters must run again and why, and what became of them.

Knows nothing of Sphinx. Here Sphinx reads a page and its cells run, one after another; `staged`
runs them itself, and has Sphinx read what `showing` says.
"""

from __future__ import annotations

import fcntl
import json
import os
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from lab import settings
from lab.book.pipeline import chapter as source
from lab.book.pipeline import usage_notes
from lab.book.pipeline.executor import Ahead
from lab.book.pipeline.history import Record, Records, write_json
from lab.book.pipeline.inputs import MOVED, Present
from lab.book.pipeline.report import Failure, Outcome, failure_from, say, short
from lab.errors import LabError
from lab.settings import Mode

Shows = Literal["measured", "recorded", "nothing"]  # what stands on a chapter's page
MEASURING = "_build/measuring.lock"  # held by whichever build measures
REMOVED = "its results were removed from the cache"
LAST_PAGES_S = 10.0  # a process that writes pages is gone so soon after its build


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
            f"{busy}: {holder}. Wait until it is done, or stop it, and run this one again."
        )


def _sign(handle: int) -> None:
    os.ftruncate(handle, 0)
    os.pwrite(handle, f"process {os.getpid()}, since {datetime.now():%H:%M:%S}".encode(), 0)


@dataclass(frozen=True)
class ChapterPlan:
    """What a build will do with a chapter: take the result with this token, or make it."""

    parsed: source.Chapter
    token: str
    because: str  # why it must be executed; empty if it need not
    begun_ns: int  # epoch; a file that is edited later changes what is being made


class Build:
    """State of one run, below `folder` (the one that holds html/ and the notebook cache)."""

    partial = False  # whether chapters are still to be measured, and another pass follows

    def __init__(
        self, root: Path, folder: Path, mode: Mode | None = None, present: Present | None = None
    ) -> None:
        """mode : that of LAB_MODE if not given; present : another build's digests of now."""
        self.root = root
        self.folder = folder
        self.state = folder / ".lab"
        self.mode: Mode = mode or settings.mode()
        self.profile = settings.profile().name
        self.variant = f"{self.mode}-{self.profile}" if self.mode == "live" else self.mode
        self.records = Records(self.state / self.variant)
        self.present = present or Present(root)
        self.started = time.time()
        self.outcomes: dict[str, Outcome] = {}
        self._open: tuple[str, ChapterPlan] | None = None
        self._ahead: Ahead | None = None
        self._plans: dict[str, ChapterPlan] = {}  # of the chapters that _ahead was given
        self._locks: list[int] = []
        self._writing: int | None = None
        self.expected = 0  # chapters whose cells may have to run; 0 is "nobody counted"
        self.killed = False  # whether the last build here was; known once locked
        self.torn = False  # whether the last pages were not all written; known once `writing`

    def lock(self) -> None:
        """Take this build folder and, to measure, the project; BuildBusy says who has them."""
        try:
            if self.mode == "live":  # whatever folder it writes to: measurements ruin each other
                self._locks.append(take(self.root / MEASURING, "Another build is measuring"))
            busy = f"Another build is writing to {self.folder}"
            self._locks.append(take(self.state / "lock", busy))
        except BuildBusy:
            self.unlock()
            raise
        # A build that ends empties the file; one that was killed could not.
        self.killed = os.fstat(self._locks[-1]).st_size > 0
        for handle in self._locks:
            _sign(handle)

    def unlock(self) -> None:
        """Give the folder back, and stop what is still being drawn ahead."""
        if self._ahead:
            self._ahead.stop()
        while self._locks:
            handle = self._locks.pop()
            os.ftruncate(handle, 0)
            os.close(handle)

    def writing(self) -> None:
        """Note that Sphinx writes pages from here to `written`, and whether it could not end the
        last time. A process that lost its build may write for a moment still; BuildBusy after that.
        """
        busy = f"Another build is writing to {self.folder}"
        self._writing = take(self.state / "writing", busy, patience_s=LAST_PAGES_S)
        self.torn = os.fstat(self._writing).st_size > 0
        _sign(self._writing)

    def written(self, whole: bool) -> None:
        """Note that Sphinx is done; whole : every page shows what it has read of it."""
        if self._writing is not None:
            if whole:
                os.ftruncate(self._writing, 0)
            os.close(self._writing)
            self._writing = None

    def stale(self, chapter: str, token: str) -> bool:
        """Return whether a page made under `token` no longer shows what its inputs would give."""
        record = next((r for r in self.records.of(chapter) if r.token == token), None)
        return record is None or record.inputs != self.present.digests(record.inputs)

    def draw_ahead(self, chapters: dict[str, Path], ahead: Callable[[], Ahead]) -> None:
        """Start to execute the chapters that changed beside each other; only if no figure matters.

        ahead : makes their executor; asked if there is anything to execute.
        """
        for chapter, path in chapters.items():
            text = path.read_text("utf8")
            parsed = source.parse(chapter, text, str(path))
            if parsed is None:
                continue
            plan = self.plan(chapter, parsed)
            if plan.because:
                self._ahead = self._ahead or ahead()
                self._plans[chapter] = plan
                env = self.environment(chapter)
                self._ahead.submit(chapter, source.with_token(text, plan.token), path, env)

    def begin(self, chapter: str, text: str, path: Path) -> str:
        """Return the text to parse: with a known token if nothing changed, else with a new one.

        From here to `end`, kernels that are started note what they use for this chapter.
        """
        self._open = None
        parsed = source.parse(chapter, text, str(path))
        if parsed is None:
            return text
        drawing = chapter in self._plans and self._plans[chapter].parsed == parsed
        plan = self._plans[chapter] if drawing else self.plan(chapter, parsed)
        if plan.because:
            nth = f" ({len(self.outcomes) + 1} of {self.expected})" if self.expected else ""
            say(f"{short(chapter)}: executing because {plan.because}{nth} ...", transient=True)
        if not (drawing and self._ahead and self._ahead.take(chapter)):
            os.environ.update(self.environment(chapter))
        self._open = (chapter, plan)
        return source.with_token(text, plan.token)

    def plan(self, chapter: str, parsed: source.Chapter) -> ChapterPlan:
        """Return what is to be done with a chapter. Raises LabError if its kernel is missing."""
        if self.present.digest(f"kernel:{parsed.kernel}") == "absent":
            raise LabError(
                f"{chapter} needs the kernel {parsed.kernel!r}, which is not installed. "
                "Run `make kernels`, or `python -m lab.kernels.kernelspec` in the activated "
                "environment."
            )
        record = self.records.match(chapter, parsed.code, self.present)
        if record:
            return ChapterPlan(parsed, record.token, "", time.time_ns())
        because = self.records.why(chapter, parsed.code, self.present)
        return ChapterPlan(
            parsed, f"{self.variant}-{secrets.token_hex(8)}", because, time.time_ns()
        )

    def environment(self, chapter: str) -> dict[str, str]:
        """Return what tells a kernel where to note what it uses, in notes that are empty."""
        notes = self._notes(chapter)
        notes.parent.mkdir(parents=True, exist_ok=True)
        notes.unlink(missing_ok=True)
        return {
            "LAB_CHAPTER": short(chapter),
            "LAB_USAGE_FILE": str(notes),
            "LAB_MODE": self.mode,
        }

    def end(
        self, chapter: str, path: Path, notebook: Path, execution: dict[str, Any] | None
    ) -> str | None:
        """Note what became of the chapter; return its token, None if it failed or has no cells."""
        if self._open is None or self._open[0] != chapter:
            return None
        plan = self._open[1]
        self._open = None
        for variable in ("LAB_CHAPTER", "LAB_USAGE_FILE"):
            os.environ.pop(variable, None)
        known = next((r for r in self.records.of(chapter) if r.token == plan.token), None)
        seconds = float((execution or {}).get("runtime") or 0.0)
        # A result from the cache brings the duration of its execution along. (Its date is no
        # help: jupyter-cache stores when it was imported, in UTC, without saying so.)
        ran = known is None or round(seconds, 3) != known.seconds
        if execution is not None and not execution["succeeded"]:
            failure = failure_from(chapter, path, notebook, execution["traceback"] or "")
            outcome = self.note(chapter, plan, seconds, failure)
        elif known is not None and not ran:
            outcome = cached(chapter, known)
        else:
            outcome = self.note(chapter, plan, seconds)
        self._notes(chapter).unlink(missing_ok=True)
        self.outcomes[chapter] = outcome
        outcome.tell()
        return None if outcome.action == "failed" else plan.token

    def note(
        self,
        chapter: str,
        plan: ChapterPlan,
        seconds: float,
        failure: Failure | None = None,
        cells: dict[str, float] | None = None,
    ) -> Outcome:
        """Take down what a chapter that was executed has used, and what became of it; keep the
        record if it did not fail. cells : seconds of each, if they are known
        """
        notes = self._notes(chapter)
        noted = usage_notes.read(notes)
        if self.variant == "live-reference":  # these it writes: they are results, not inputs
            noted.names = {n for n in noted.names if not n.startswith("file:data/reference/")}
        outcome = Outcome(
            chapter,
            "failed" if failure else "executed",
            plan.because or REMOVED,
            seconds,
            noted.servers,
            noted.requests,
            _now(),
            failure,
            noted.claims,
            noted.remarks,
        )
        if failure is None:
            record = self._record(plan, outcome, noted, cells or {})
            self.records.add(chapter, record)
            # By this `last` finds the record: the clock may have gone on by a second since.
            outcome.executed = record.executed
        if noted.unreadable:
            kept = notes.with_suffix(".unreadable")
            notes.replace(kept)
            say(f"{short(chapter)}: {noted.unreadable} unreadable lines in its usage notes, {kept}")
        notes.unlink(missing_ok=True)
        return outcome

    def unchanged(self, chapter: str, token: str) -> None:
        """Note a chapter whose page did not even have to be read again."""
        record = next((r for r in self.records.of(chapter) if r.token == token), None)
        if chapter not in self.outcomes and record is not None:
            self.outcomes[chapter] = cached(chapter, record)
            say(self.outcomes[chapter].line())

    def last(self, chapter: str) -> Record | None:
        """Return the record whose results the page shows."""
        outcome = self.outcomes.get(chapter)
        return next(
            (r for r in self.records.of(chapter) if outcome and r.executed == outcome.executed),
            None,
        )

    def shows(self, chapter: str) -> Shows:
        """Return what stands on the page of a chapter."""
        if chapter not in self.outcomes or self.outcomes[chapter].action == "failed":
            return "nothing"
        return "measured" if self.mode == "live" else "recorded"

    def waiting(self) -> list[str]:
        """Return the chapters that do not show what was measured here, in a build that measures."""
        if self.mode != "live":
            return []
        return [name for name in self.outcomes if self.shows(name) != "measured"]

    def write_report(self, path: Path, **about: Any) -> None:
        """Write what this build did as JSON."""
        write_json(
            path,
            {
                "mode": self.mode,
                "profile": self.profile,
                "started": datetime.fromtimestamp(self.started).isoformat(timespec="seconds"),
                "seconds": round(time.time() - self.started, 3),
                **about,
                "chapters": [
                    json.loads(json.dumps(o, default=vars)) for o in self.outcomes.values()
                ],
            },
        )

    def _record(
        self, plan: ChapterPlan, outcome: Outcome, noted: usage_notes.Usage, cells: dict[str, float]
    ) -> Record:
        kernel, language = plan.parsed.kernel, plan.parsed.language
        names = noted.names | set(self.present.always(kernel, language, self.mode == "live"))
        inputs = self.present.digests(names | self.present.implied(names))
        inputs |= {name: MOVED for name in inputs if self.present.edited_since(name, plan.begun_ns)}
        from lab.processes.machine import machine

        versions = {
            "node": self.present.digest("node"),
            "python": self.present.digest("python"),
            **noted.versions,
        }
        return Record(
            token=plan.token,
            code=plan.parsed.code,
            executed=_now(),
            because=outcome.because,
            seconds=round(outcome.seconds, 3),
            servers=noted.servers,
            requests=noted.requests,
            inputs=inputs,
            versions=versions,
            machine=machine().label,
            claims=noted.claims,
            answers=noted.answers,
            replays=noted.replays,
            drawn_from=sorted(noted.drawn_from),
            measured=sorted(noted.measured),
            cells=cells,
        )

    def _notes(self, chapter: str) -> Path:
        return self.state / "notes" / f"{chapter.replace('/', '--')}.jsonl"


def _now() -> str:
    return datetime.now().isoformat(timespec="seconds")


def cached(chapter: str, record: Record) -> Outcome:
    """Return what became of a chapter whose result was there already."""
    return Outcome(
        chapter,
        "cached",
        "nothing it uses has changed",
        record.seconds,
        record.servers,
        record.requests,
        record.executed,
        claims=record.claims,
    )

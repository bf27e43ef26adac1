"""The results of one mode and profile: which chapters must run again and why, and what ran."""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from lab import settings
from lab.book.pipeline import chapter as source
from lab.book.pipeline import usage_notes
from lab.book.pipeline.history import Record, Records
from lab.book.pipeline.inputs import MOVED, Present
from lab.book.pipeline.locks import STATE
from lab.book.pipeline.report import Failure, Outcome, say, short
from lab.errors import LabError
from lab.settings import Mode

REMOVED = "its results were removed from the cache"


@dataclass(frozen=True)
class ChapterPlan:
    """The plan for a chapter: take the result with this token, or run the chapter."""

    parsed: source.Chapter
    token: str
    because: str  # why the chapter must run; empty if it need not
    begun_ns: int  # the epoch time; a file that is edited later changes the result


class Variant:
    """Records of chapters in one mode and the profile of now, below a build's folder."""

    def __init__(
        self, root: Path, folder: Path, mode: Mode | None = None, present: Present | None = None
    ) -> None:
        """mode : that of LAB_MODE if not given; present : another variant's digests of now."""
        self.mode: Mode = mode or settings.mode()
        self.profile = settings.profile().name
        self.name = f"{self.mode}-{self.profile}" if self.mode == "live" else self.mode
        self._state = folder / STATE
        self.records = Records(self._state / self.name)
        self.present = present or Present(root)

    def plan(self, chapter: str, chapter_source: source.Chapter) -> ChapterPlan:
        """Return what is to be done with a chapter. Raises LabError if its kernel is missing."""
        if self.present.digest(f"kernel:{chapter_source.kernel}") == "absent":
            raise LabError(
                f"{chapter} needs the kernel {chapter_source.kernel!r}, which is not installed. "
                "Run `make kernels`, or `python -m lab.kernels.kernelspec` in the activated "
                "environment."
            )
        record = self.records.match(chapter, chapter_source.code, self.present)
        if record:
            return ChapterPlan(chapter_source, record.token, "", time.time_ns())
        because = self.records.why(chapter, chapter_source.code, self.present)
        return ChapterPlan(
            chapter_source, f"{self.name}-{secrets.token_hex(8)}", because, time.time_ns()
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
        usage = usage_notes.read(notes)
        # This variant writes them: they are its results, not its inputs.
        if self.name == "live-reference":
            usage.names = {n for n in usage.names if not n.startswith("file:data/reference/")}
        outcome = Outcome(
            chapter,
            "failed" if failure else "executed",
            plan.because,
            seconds,
            usage.servers,
            usage.requests,
            datetime.now().isoformat(timespec="seconds"),
            failure,
            usage.claims,
            usage.remarks,
        )
        if failure is None:
            self.records.add(chapter, self._record(plan, outcome, usage, cells or {}))
        if usage.unreadable:
            kept = notes.with_suffix(".unreadable")
            notes.replace(kept)
            say(f"{short(chapter)}: {usage.unreadable} unreadable lines in its usage notes, {kept}")
        notes.unlink(missing_ok=True)
        return outcome

    def _record(
        self, plan: ChapterPlan, outcome: Outcome, usage: usage_notes.Usage, cells: dict[str, float]
    ) -> Record:
        kernel, language = plan.parsed.kernel, plan.parsed.language
        names = usage.names | set(self.present.always(kernel, language, self.mode == "live"))
        inputs = self.present.digests(names | self.present.implied(names))
        inputs |= {name: MOVED for name in inputs if self.present.edited_since(name, plan.begun_ns)}
        from lab.processes.machine import machine

        versions = {
            "node": self.present.digest("node"),
            "python": self.present.digest("python"),
            **usage.versions,
        }
        return Record(
            token=plan.token,
            code=plan.parsed.code,
            executed=outcome.executed,
            because=outcome.because,
            seconds=round(outcome.seconds, 3),
            servers=usage.servers,
            requests=usage.requests,
            inputs=inputs,
            versions=versions,
            machine=machine().label,
            claims=usage.claims,
            answers=usage.answers,
            replays=usage.replays,
            drawn_from=sorted(usage.drawn_from),
            measured=sorted(usage.measured),
            cells=cells,
        )

    def _notes(self, chapter: str) -> Path:
        return self._state / "notes" / f"{chapter.replace('/', '--')}.jsonl"


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

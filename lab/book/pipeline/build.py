"""A build as its pages see it: what became of each chapter, and whose results the page shows.

Nothing runs here. The engine makes such a value when the cells have run, and Sphinx draws it.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from lab.book.pipeline.history import Record, Records, write_json
from lab.book.pipeline.inputs import Present
from lab.book.pipeline.locks import STATE
from lab.book.pipeline.report import Outcome
from lab.settings import Mode

Shows = Literal["measured", "recorded", "nothing"]  # the results that the page of a chapter shows
NOTHING = ""  # the token of a page without results


@dataclass(frozen=True)
class ShownChapter:
    """The results that the page of a chapter shows."""

    shows: Shows
    code: str  # a digest of the cells to which the results belong
    token: str  # NOTHING, or the key of the outputs and of their record
    variant: str  # the variant whose record it is
    outcome: Outcome


@dataclass(eq=False)  # the pages of a build are cached by its identity
class Build:
    """The chapters in reading order, as one drawing pass shows them.

    It is a value of Sphinx's configuration, so it must be possible to pickle it.
    """

    root: Path
    folder: Path  # the folder with html/ and the notebook cache
    mode: Mode
    profile: str
    shown: dict[str, ShownChapter]
    started: float = field(default_factory=time.time)  # epoch seconds
    is_last: bool = True  # whether no other pass of this build follows

    @cached_property
    def outcomes(self) -> dict[str, Outcome]:
        """The outcome of each chapter."""
        return {name: shown.outcome for name, shown in self.shown.items()}

    @cached_property
    def present(self) -> Present:
        """Return digests of the inputs of chapters."""
        return Present(self.root)

    @property
    def state(self) -> Path:
        """The folder with the notes of builds."""
        return self.folder / STATE

    def last(self, chapter: str) -> Record | None:
        """Return the record whose results the page shows."""
        shown_chapter = self.shown.get(chapter)
        if shown_chapter is None or not shown_chapter.token:
            return None
        if chapter not in self._records:
            records = Records(self.state / shown_chapter.variant).of(chapter)
            self._records[chapter] = next(
                (r for r in records if r.token == shown_chapter.token), None
            )
        return self._records[chapter]

    def shows(self, chapter: str) -> Shows:
        """Return whose results the page of a chapter has."""
        shown = self.shown.get(chapter)
        return shown.shows if shown else "nothing"

    def token_for(self, page: str, code: str) -> str | None:
        """Return what leads to the results of a page with these cells; None for a page that has
        no cells, or others than a moment ago.
        """
        shown = self.shown.get(page)
        return shown.token if shown and shown.code == code else None

    def waiting(self) -> list[str]:
        """Return the chapters that do not show what was measured here, in a build that measures."""
        if self.mode != "live":
            return []
        return [name for name in self.shown if self.shows(name) != "measured"]

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

    @cached_property
    def _records(self) -> dict[str, Record | None]:
        return {}

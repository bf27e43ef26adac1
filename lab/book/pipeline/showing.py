"""A pass of Sphinx in which no cell runs: it draws the site from results that are there already.

Half of a site may be measured here and half drawn from the recorded run. Which chapter shows what
is decided before (`staged`), and every page of the pass goes by that.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lab.book.pipeline import chapter as source
from lab.book.pipeline.build import Build, Shows
from lab.book.pipeline.history import Record, Records
from lab.book.pipeline.report import Outcome

DOUBTED = "doubted"  # a file that is there while a warning of a pass has not been told
NOTHING = ""  # the token of a page without results


@dataclass(frozen=True)
class ShownChapter:
    """What the page of a chapter shows."""

    shows: Shows
    code: str  # digest of the cells that it belongs to
    token: str  # NOTHING, or what leads to the outputs and to their record
    variant: str  # whose record that is
    outcome: Outcome


@dataclass(frozen=True)
class BuildPass:
    """One pass: the chapters, when the whole build began (epoch seconds), and whether it ends it.

    It is a value of Sphinx's configuration, so it must be possible to pickle it.
    """

    shown: dict[str, ShownChapter]
    started: float
    last: bool


class Showing(Build):
    """The build as this pass sees it. Whoever started the pass holds the locks."""

    def __init__(self, root: Path, folder: Path, turn: BuildPass) -> None:
        super().__init__(root, folder)
        self.turn = turn
        self.started = turn.started
        self.partial = not turn.last
        self.fits = False  # whether the page that is being read is that of its results

    def lock(self) -> None:
        """Nothing to take."""

    def stale(self, chapter: str, token: str) -> bool:
        """Return whether the page shows something else than it should."""
        shown = self.turn.shown.get(chapter)
        return shown is None or shown.token != token

    def begin(self, chapter: str, text: str, path: Path) -> str:
        """Return the text to parse: that whose outputs are in the cache."""
        parsed = source.parse(chapter, text, str(path))
        shown = self.turn.shown.get(chapter)
        self.fits = bool(parsed and shown and shown.token and parsed.code == shown.code)
        return source.with_token(text, shown.token) if shown and self.fits else text

    def end(
        self, chapter: str, path: Path, notebook: Path, execution: dict[str, Any] | None
    ) -> str | None:
        """Note the chapter; return its token, None if it was edited a moment ago."""
        self._take(chapter)
        shown = self.turn.shown.get(chapter)
        return shown.token if shown and (self.fits or not shown.token) else None

    def unchanged(self, chapter: str, token: str) -> None:
        """Note a chapter whose page did not have to be read again."""
        self._take(chapter)

    def _take(self, chapter: str) -> None:
        if chapter in self.turn.shown:
            self.outcomes[chapter] = self.turn.shown[chapter].outcome

    def last(self, chapter: str) -> Record | None:
        """Return the record whose results the page shows."""
        shown = self.turn.shown.get(chapter)
        if shown is None or not shown.token:
            return None
        records = Records(self.state / shown.variant).of(chapter)
        return next((r for r in records if r.token == shown.token), None)

    def shows(self, chapter: str) -> Shows:
        """Return what stands on the page of a chapter."""
        shown = self.turn.shown.get(chapter)
        return shown.shows if shown else "nothing"

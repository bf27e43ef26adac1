"""The engine that runs cells: it decides which chapters are stale, runs them, and knows what the
site shows.

Chapters run before and outside of Sphinx. In a replay and in the smoke profile nothing is measured,
so several chapters run at the same time; otherwise a chapter has the machine to itself, in the
order of the book. What each page shows is a `Build`, which a drawing pass of Sphinx draws.
"""

from __future__ import annotations

import itertools
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

import yaml

from lab import paths
from lab.book.pipeline import cache_repair, report, toc
from lab.book.pipeline import chapter as source
from lab.book.pipeline.build import NOTHING, Build, ShownChapter, Shows
from lab.book.pipeline.executor import Broken, Executor
from lab.book.pipeline.locks import BuildLock
from lab.book.pipeline.report import Outcome, say, short
from lab.book.pipeline.variant import REMOVED, ChapterPlan, Variant, cached
from lab.kernels.forks import provisioner

# Kernels also wait: on two cores a replay took 64 s with four kernels and 68 s with two.
REPLAYED_AT_ONCE = 4
SMOKED_AT_ONCE = 2
CELL_S = 30  # Jupyter Book's own limit, for a _config.yml without one
NOT_YET = "its page shows the recorded run until the chapter is measured here"
NOTHING_FITS = "no recorded run fits the chapter as it is now"


@dataclass(frozen=True)
class ChapterPage:
    """A chapter as it is now."""

    name: str
    path: Path
    text: str
    parsed: source.Chapter


class Engine:
    """The chapters of one build below `folder`, from `with self` on, which takes the locks."""

    def __init__(self, folder: Path, toc_file: Path | None = None) -> None:
        """toc_file : the table of contents of a part of the book; by default that of all of it."""
        self.folder = folder
        self.started = time.time()
        self.variant = Variant(paths.ROOT, folder)
        self.recorded = Variant(paths.ROOT, folder, "replay", self.variant.present)
        self._toc = toc_file
        self._cache = folder / ".jupyter_cache"
        self._timeout = seconds_a_cell()
        self._open = ExitStack()
        # Outcomes of this build, by chapter and digest of its cells. A chapter that was edited
        # meanwhile has another digest.
        self._tried: dict[tuple[str, str], tuple[ChapterPlan, Outcome]] = {}
        self._kept: dict[str, str] = {}  # tokens of results in the cache, with their cells

    def __enter__(self) -> Engine:
        lock = BuildLock(paths.ROOT, self.folder, measures=self.variant.mode == "live")
        self._open.enter_context(lock)
        if lock.killed:
            cache_repair.repair(self._cache)
        provisioner.use()
        self._open.callback(provisioner.let_go)
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    @property
    def falls_back(self) -> bool:
        """Whether a page shows the recorded run where nothing was measured here: a quick look has
        no reader, and a reference run is none before it is whole.
        """
        return self.variant.mode == "live" and self.variant.profile == "course"

    def pages(self) -> list[ChapterPage]:
        """Return the chapters in reading order, as they are now."""
        pages = []
        for name in toc.pages(self._toc):
            path = paths.ROOT / f"{name}.md"
            text = path.read_text("utf8") if path.exists() else ""
            parsed = source.parse(name, text, str(path))
            if parsed is not None:
                pages.append(ChapterPage(name, path, text, parsed))
        return pages

    def to_run(self) -> list[tuple[ChapterPage, ChapterPlan]]:
        """Return the chapters that have to run and did not yet, in reading order."""
        plans = [(page, self._plan(self.variant, page)) for page in self.pages()]
        return [(page, plan) for page, plan in plans if plan.because and not self._was(page)]

    def run(self) -> Iterator[Outcome]:
        """Run what is stale, and say so; what is edited meanwhile runs again."""
        at_once, finished_count = self._at_once(), 0
        while remaining := self.to_run():
            batch = remaining if at_once > 1 else remaining[:1]
            minutes = self._minutes_left([page for page, _ in remaining]) if at_once == 1 else ""
            starts = iter(range(finished_count + 1, finished_count + len(remaining) + 1))

            def begins(page: ChapterPage, plan: ChapterPlan) -> None:
                place = f"{next(starts)} of {finished_count + len(remaining)}{minutes}"  # noqa: B023 - of now
                why = f"executing because {plan.because} ({place}) ..."
                say(f"{short(page.name)}: {why}", transient=True)

            for page, plan, outcome in self._run(self.variant, batch, at_once, begins):
                self._tried[page.name, page.parsed.code] = plan, outcome
                outcome.tell()
                yield outcome
            finished_count += len(batch)

    def draw_recorded(self) -> None:
        """Run the chapters without a result of this machine in replay, so that their pages show
        something.
        """
        plans = [(page, self._plan(self.recorded, page)) for page, _ in self.to_run()]
        chapters = [(page, plan) for page, plan in plans if plan.because]
        nth = 0

        def begins(*_: object) -> None:
            nonlocal nth
            nth += 1
            say(f"Drawing the recorded run ({nth} of {len(chapters)}) ...", transient=True)

        for page, _, outcome in self._run(self.recorded, chapters, REPLAYED_AT_ONCE, begins):
            if outcome.failure:
                why = outcome.failure.reason()
                say(f"{short(page.name)}: {NOTHING_FITS}; it is measured in its turn ({why})")

    def build(self, *, is_last: bool = True) -> Build:
        """Return what the site shows now."""
        shown = {page.name: self._shown(page) for page in self.pages()}
        mode, profile = self.variant.mode, self.variant.profile
        return Build(paths.ROOT, self.folder, mode, profile, shown, self.started, is_last)

    def tell_cached(self) -> None:
        """Report for each chapter with a cached result when the result was made."""
        for shown in self.build().shown.values():
            if shown.outcome.action == "cached":
                say(shown.outcome.line())

    def _at_once(self) -> int:
        if self.variant.mode == "replay":
            return REPLAYED_AT_ONCE
        return SMOKED_AT_ONCE if self.variant.profile == "smoke" else 1

    def _minutes_left(self, pages: list[ChapterPage]) -> str:
        """Return how long these chapters took the last time, in words; "" if one was never run
        here.
        """
        seconds = 0.0
        for page in pages:
            records = self.variant.records.of(page.name)
            if not records:
                return ""
            seconds += records[0].seconds
        return f", about {max(1, round(seconds / 60))} min left if they take as long as before"

    def _was(self, page: ChapterPage) -> tuple[ChapterPlan, Outcome] | None:
        return self._tried.get((page.name, page.parsed.code))

    def _plan(self, variant: Variant, page: ChapterPage) -> ChapterPlan:
        """Return the plan for a chapter: to run its cells if the cache has lost its result."""
        plan = variant.plan(page.name, page.parsed)
        return (
            plan if plan.because or self._has(page, plan.token) else replace(plan, because=REMOVED)
        )

    def _has(self, page: ChapterPage, token: str) -> bool:
        if self._kept.get(token) != page.parsed.code:
            from jupyter_cache import get_cache
            from myst_nb.core.read import read_myst_markdown_notebook

            text = source.with_token(page.text, token)
            notebook = read_myst_markdown_notebook(text, path=str(page.path))
            try:
                get_cache(str(self._cache)).match_cache_notebook(notebook)
            except KeyError:
                return False
            self._kept[token] = page.parsed.code
        return True

    def _shown(self, page: ChapterPage) -> ShownChapter:
        code, variant = page.parsed.code, self.variant
        shows: Shows = "measured" if variant.mode == "live" else "recorded"
        attempt = self._was(page)
        if attempt and not attempt[1].failure:
            return ShownChapter(shows, code, attempt[0].token, variant.name, attempt[1])
        plan = self._plan(variant, page)
        if not plan.because and not attempt:
            record = next(r for r in variant.records.of(page.name) if r.token == plan.token)
            return ShownChapter(shows, code, plan.token, variant.name, cached(page.name, record))
        failure = attempt[1] if attempt else None
        replay_plan = self._plan(self.recorded, page) if self.falls_back else None
        if replay_plan is None or replay_plan.because:
            outcome = failure or Outcome(page.name, "waiting", NOTHING_FITS)
            return ShownChapter("nothing", code, NOTHING, variant.name, outcome)
        outcome = failure or Outcome(page.name, "waiting", NOT_YET)
        return ShownChapter("recorded", code, replay_plan.token, self.recorded.name, outcome)

    def _run(
        self,
        variant: Variant,
        batch: list[tuple[ChapterPage, ChapterPlan]],
        at_once: int,
        begins: Callable[[ChapterPage, ChapterPlan], None],
    ) -> Iterator[tuple[ChapterPage, ChapterPlan, Outcome]]:
        """Run the cells of these chapters. Report each chapter when it begins, and return it at its
        end.
        """
        if not batch:
            return
        left, running = iter(batch), dict[str, tuple[ChapterPage, ChapterPlan]]()
        with Executor(self._cache, self._timeout) as executor:
            while True:
                for page, plan in itertools.islice(left, at_once - len(running)):
                    begins(page, plan)
                    text = source.with_token(page.text, plan.token)
                    executor.submit(page.name, text, page.path, variant.environment(page.name))
                    running[page.name] = page, plan
                if not running:
                    return
                page, plan = running.pop(executor.first_done())
                yield page, plan, _taken(executor, variant, page, plan)


def _taken(executor: Executor, variant: Variant, page: ChapterPage, plan: ChapterPlan) -> Outcome:
    """Return the outcome of a finished chapter, after noting it in the variant."""
    try:
        executed = executor.finish(page.name)
        return variant.note(page.name, plan, executed.seconds, cells=executed.cells)
    except Broken as broken:
        error = broken.__cause__
        if isinstance(error, OSError) and not isinstance(error, TimeoutError):
            raise error from None  # a full disk is not an error of the chapter
        error_text = "".join(traceback.format_exception_only(error))
        cells = broken.notebook.cells
        failure = report.failure_in(page.name, page.path, cells, error_text)
        return variant.note(page.name, plan, broken.seconds, failure)


def seconds_a_cell() -> int:
    """Return how long a cell may take."""
    config = yaml.safe_load((paths.ROOT / "_config.yml").read_text("utf8")) or {}
    return int(config.get("execute", {}).get("timeout", CELL_S))

"""The book to be read at once and measured meanwhile: what `make book` does in the course profile.

First the whole site is drawn from the recorded run. Then the chapters are measured in the order of
the book, one at a time, and the pages of those that are done are drawn every few minutes and at the
end. At every moment the site is whole, and each page says whose results it shows; so a build may be
stopped anywhere, and the next one goes on.

All cells run from here. Sphinx only draws (`showing`), each time in a process of its own, forked
from one that has imported everything: nothing of it is left, and nothing of it runs, while
something is measured.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import forkserver
from multiprocessing.connection import Connection
from pathlib import Path

import yaml

from lab import paths
from lab.book.pipeline import cache_repair, report, toc
from lab.book.pipeline import chapter as source
from lab.book.pipeline.build import REMOVED, Build, ChapterPlan, cached
from lab.book.pipeline.executor import AT_ONCE, Ahead, Broken
from lab.book.pipeline.report import Outcome, say, short
from lab.book.pipeline.showing import NOTHING, BuildPass, ShownChapter
from lab.book.pipeline.sphinx_run import sphinx
from lab.errors import LabError
from lab.kernels.forks import provisioner

# Imported before the first page is to be written.
AHEAD = ("lab.book.preload_records", __name__)
DRAW_EVERY_S = 180.0  # a drawing pass takes some seconds, in which nothing is measured
CELL_S = 30  # Jupyter Book's own limit, where _config.yml has none
NOT_YET = "it shows the recorded run until it is measured here"
NOTHING_FITS = "no recorded run fits it as it is now"


@dataclass(frozen=True)
class ChapterPage:
    """A chapter as it is now."""

    name: str
    path: Path
    text: str
    parsed: source.Chapter


class Staged:
    """One such build below `folder`, from `with self` on, which takes the locks."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.build = Build(paths.ROOT, folder)
        self.recorded = Build(paths.ROOT, folder, "replay", self.build.present)
        self._cache = folder / ".jupyter_cache"
        self._timeout = seconds_a_cell()
        # By chapter and digest of its cells: what became of it in this build. One that was edited
        # meanwhile is another.
        self._tried: dict[tuple[str, str], tuple[ChapterPlan, Outcome]] = {}
        self._kept: dict[str, str] = {}  # tokens of results that the cache has, with their cells
        self._running: Ahead | None = None

    def __enter__(self) -> Staged:
        self.build.lock()
        if self.build.killed:
            cache_repair.repair(self._cache)
        provisioner.use()
        return self

    def __exit__(self, *_: object) -> None:
        try:
            if self._running:
                self._running.stop()
        finally:
            provisioner.let_go()
            self.build.unlock()

    def pages(self) -> list[ChapterPage]:
        """Return the chapters in reading order, as they are now."""
        found = []
        for name in toc.pages():
            path = paths.ROOT / f"{name}.md"
            text = path.read_text("utf8") if path.exists() else ""
            parsed = source.parse(name, text, str(path))
            if parsed is not None:
                found.append(ChapterPage(name, path, text, parsed))
        return found

    def to_measure(self) -> list[tuple[ChapterPage, ChapterPlan]]:
        """Return the chapters without a result of this machine, in reading order."""
        plans = [(page, self._plan(self.build, page)) for page in self.pages()]
        return [(page, plan) for page, plan in plans if plan.because and not self._was(page)]

    def draw(self) -> None:
        """Draw what is not measured yet from the recorded run, a few chapters at once."""
        plans = [(page, self._plan(self.recorded, page)) for page, _ in self.to_measure()]
        wanted = [(page, plan) for page, plan in plans if plan.because]
        if not wanted:
            return
        with self._executing() as ahead:
            for page, plan in wanted:
                self._submit(self.recorded, ahead, page, plan)
            for nth, (page, plan) in enumerate(wanted, 1):
                say(f"Drawing the recorded run ({nth} of {len(wanted)}) ...", transient=True)
                outcome = self._take(self.recorded, ahead, page, plan)
                if outcome.failure:
                    why = outcome.failure.reason()
                    say(f"{short(page.name)}: {NOTHING_FITS}; it is measured in its turn ({why})")

    def measure(self, page: ChapterPage, plan: ChapterPlan) -> Outcome:
        """Run the cells of a chapter, alone."""
        with self._executing(places=1) as ahead:
            self._submit(self.build, ahead, page, plan)
            outcome = self._take(self.build, ahead, page, plan)
        self._tried[page.name, page.parsed.code] = plan, outcome
        return outcome

    def turn(self, *, last: bool) -> BuildPass:
        """Return what the site shows now."""
        shown = {page.name: self._shown(page) for page in self.pages()}
        return BuildPass(shown, self.build.started, last)

    def minutes_left(self, pages: list[ChapterPage]) -> str:
        """Return how long these took the last time, in words; "" if one was never measured here."""
        seconds = 0.0
        for page in pages:
            records = self.build.records.of(page.name)
            if not records:
                return ""
            seconds += records[0].seconds
        return f", about {max(1, round(seconds / 60))} min left if they take as long as before"

    def _was(self, page: ChapterPage) -> tuple[ChapterPlan, Outcome] | None:
        return self._tried.get((page.name, page.parsed.code))

    def _plan(self, build: Build, page: ChapterPage) -> ChapterPlan:
        """Return what is to be done, which is to run the cells if the cache has lost its result."""
        plan = build.plan(page.name, page.parsed)
        if plan.because or self._has(page, plan.token):
            return plan
        return ChapterPlan(plan.parsed, plan.token, REMOVED, plan.begun_ns)

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
        code = page.parsed.code
        if (tried := self._was(page)) and not tried[1].failure:
            return ShownChapter("measured", code, tried[0].token, self.build.variant, tried[1])
        plan = self._plan(self.build, page)
        if not plan.because and not tried:
            record = next(r for r in self.build.records.of(page.name) if r.token == plan.token)
            outcome = cached(page.name, record)
            return ShownChapter("measured", code, plan.token, self.build.variant, outcome)
        drawn = self._plan(self.recorded, page)
        failed = tried[1] if tried else None
        if drawn.because:
            outcome = failed or Outcome(page.name, "waiting", NOTHING_FITS)
            return ShownChapter("nothing", code, NOTHING, self.recorded.variant, outcome)
        outcome = failed or Outcome(page.name, "waiting", NOT_YET)
        return ShownChapter("recorded", code, drawn.token, self.recorded.variant, outcome)

    @contextmanager
    def _executing(self, places: int = AT_ONCE) -> Iterator[Ahead]:
        self._running = Ahead(self._cache, self._timeout, places)
        try:
            yield self._running
        finally:
            self._running.stop()
            self._running = None

    @staticmethod
    def _submit(build: Build, ahead: Ahead, page: ChapterPage, plan: ChapterPlan) -> None:
        text = source.with_token(page.text, plan.token)
        ahead.submit(page.name, text, page.path, build.environment(page.name))

    @staticmethod
    def _take(build: Build, ahead: Ahead, page: ChapterPage, plan: ChapterPlan) -> Outcome:
        try:
            drawn = ahead.finish(page.name)
            return build.note(page.name, plan, drawn.seconds, cells=drawn.cells)
        except Broken as broken:
            error = broken.__cause__
            if isinstance(error, OSError) and not isinstance(error, TimeoutError):
                raise error from None  # a full disk is not the chapter's fault
            told = "".join(traceback.format_exception_only(error))
            cells = broken.notebook.cells
            failure = report.failure_in(page.name, page.path, cells, told)
            return build.note(page.name, plan, broken.seconds, failure)


class Passes:
    """Runs Sphinx, each time in a fresh process that has imported everything."""

    def __init__(self, folder: Path, verbose: bool) -> None:
        self._folder = folder
        self._verbose = verbose
        self._context = multiprocessing.get_context("forkserver")
        self._context.set_forkserver_preload(list(AHEAD))
        forkserver.ensure_running()  # it is ready when the recorded run is drawn

    def draw(self, turn: BuildPass) -> int:
        """Write what has changed; return Sphinx's exit code."""
        ours, theirs = self._context.Pipe()
        options = (turn, self._folder, self._verbose, theirs)
        process = self._context.Process(target=_draw, args=options)
        process.start()
        theirs.close()
        try:
            code = ours.recv()
        except EOFError:
            process.join()
            raise LabError(
                f"The process that writes the pages ended at once (exit code {process.exitcode}). "
                "Build again; if it does so every time, `jupyter-book build .` shows where."
            ) from None
        finally:
            ours.close()  # it ends with that, whatever it is about
            process.join()
        return int(code)


def _draw(turn: BuildPass, folder: Path, verbose: bool, pipe: Connection) -> None:
    # The one who started us tells us when to stop, or is gone.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_leave_with, args=(pipe,), daemon=True).start()
    quiet = 0 if verbose else 1 if turn.last else 2
    code = sphinx(folder, quiet, {"lab_turn": turn}, strict=turn.last)
    sys.stdout.flush()
    sys.stderr.flush()
    pipe.send(code)


def _leave_with(pipe: Connection) -> None:
    try:
        pipe.recv()
    except (EOFError, OSError):
        os._exit(1)  # pages are replaced in one step, and the next build looks after the rest


def build(folder: Path, verbose: bool, draw_every_s: float = DRAW_EVERY_S) -> int | None:
    """Measure what is not measured yet; return Sphinx's exit code, None if there is nothing to do.

    draw_every_s : how old the site's pages may become while chapters are measured

    Raises LabError if it cannot be done at all, KeyboardInterrupt if it is told to stop.
    """
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with Staged(folder) as staged:
            left = staged.to_measure()
            if not left:
                return None
            passes = Passes(folder, verbose)
            staged.draw()
            if code := passes.draw(staged.turn(last=False)):
                return code
            page = folder / "html" / "index.html"
            say(
                f"Read now: {page.as_uri()}. Your own results replace these, chapter by chapter, "
                "in the order of the book."
            )
            for shown in staged.turn(last=False).shown.values():
                if shown.shows == "measured":
                    say(shown.outcome.line())
            return _measure(staged, passes, left, draw_every_s)
    finally:
        signal.signal(signal.SIGTERM, before)


def _measure(
    staged: Staged,
    passes: Passes,
    left: list[tuple[ChapterPage, ChapterPlan]],
    draw_every_s: float,
) -> int:
    nth = 0
    drawn, is_drawn = time.monotonic(), True  # when the site was, and whether it shows all results
    try:
        while left:
            page, plan = left[0]
            nth += 1
            minutes = staged.minutes_left([page for page, _ in left])
            place = f"{nth} of {nth - 1 + len(left)}{minutes}"
            say(
                f"{short(page.name)}: executing because {plan.because} ({place}) ...",
                transient=True,
            )
            outcome = staged.measure(page, plan)
            is_drawn = False
            outcome.tell()
            left = staged.to_measure()
            if left and time.monotonic() - drawn < draw_every_s:
                continue
            if code := passes.draw(staged.turn(last=not left)):
                return code
            drawn, is_drawn = time.monotonic(), True
    except KeyboardInterrupt:
        if not is_drawn:
            say("Writing the pages of what was measured; Ctrl-C again stops that, too ...")
            passes.draw(staged.turn(last=False))
        raise
    return 0


def seconds_a_cell() -> int:
    """Return how long a cell may take."""
    config = yaml.safe_load((paths.ROOT / "_config.yml").read_text("utf8")) or {}
    return int(config.get("execute", {}).get("timeout", CELL_S))

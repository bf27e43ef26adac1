"""What `make book` and its like do: run what is stale, then draw.

In the course profile a reader waits, and so `make book` draws the recorded run first, and later
what is measured meanwhile.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from lab import claims, paths, settings
from lab.book.pipeline import one_chapter as chosen
from lab.book.pipeline import site_stamp
from lab.book.pipeline.build import Build
from lab.book.pipeline.drawing import NOT_RIGHT, Passes, explain, sphinx
from lab.book.pipeline.engine import Engine
from lab.book.pipeline.report import not_held, say
from lab.errors import LabError
from lab.text.numbers import count

DRAW_EVERY_S = 180.0  # a drawing pass takes some seconds in which nothing is measured
OUTPUT = {"course": "_build", "smoke": "_build/smoke", "reference": "_build/reference"}


def default_output() -> Path:
    """Return the folder of the mode and profile, so that none ever shows another's results."""
    name = "_build/preview" if settings.mode() == "replay" else OUTPUT[settings.profile().name]
    return paths.ROOT / name


def one_chapter(name: str) -> int:
    """Measure one chapter again and make its page in a folder of its own; return the exit code."""
    page = chosen.resolve(name)
    if settings.mode() != "live":
        raise LabError(
            "LAB_MODE=replay measures nothing. Unset it to measure the chapter that you chose."
        )
    output = (paths.ROOT / chosen.OUTPUT / page.removeprefix("book/")).resolve()
    only = chosen.prepare(page, output)
    print(chosen.announce(page, output), flush=True)
    return run(output, only=only, start=f"{page}.html")


def run(
    output: Path,
    verbose: bool = False,
    *,
    only: dict[str, Any] | None = None,
    start: str = "index.html",
    draw_every_s: float = DRAW_EVERY_S,
) -> int:
    """Build the site below `output`; return the exit code.

    only : Sphinx's settings for a part of the book; start : the page to open; draw_every_s : how
    old the site's pages may become while chapters are measured
    """
    start_s = time.monotonic()
    output = output.resolve()
    html = output / "html"
    profile = settings.profile().name
    what = "replays the reference run" if settings.mode() == "replay" else f"profile {profile}"
    print(f"Building the book ({what}) in {_short(html)}", flush=True)
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        # An invalid file of a sitting stops the build here, and not in each of the chapters.
        claims.sittings()
        code = _build(output, verbose, only or {}, draw_every_s)
    except LabError as error:
        print(error, file=sys.stderr)
        return 1
    except (KeyboardInterrupt, Exception) as error:
        print(f"\n{explain(error, output)}", file=sys.stderr)
        return 130 if isinstance(error, KeyboardInterrupt) else 1
    finally:
        signal.signal(signal.SIGTERM, before)
    seconds = time.monotonic() - start_s
    if code == NOT_RIGHT:
        print(
            f"\nThe book is not right (see above); took {seconds:.0f} s. What was written: {html}",
            file=sys.stderr,
        )
        return 1
    if code:
        return code
    print(f"{_tally(output)} in {seconds:.1f} s. Open {(html / start).as_uri()}")
    return 0


def _build(output: Path, verbose: bool, only: dict[str, Any], draw_every_s: float) -> int:
    """Run what is stale, and draw; return the exit code, or NOT_RIGHT."""
    part = only.get("external_toc_path")
    with Engine(output, Path(part) if part else None) as engine:
        if engine.falls_back and not part and engine.to_run():
            return _read_meanwhile(engine, verbose, draw_every_s)
        engine.tell_cached()
        for _ in engine.run():
            pass  # the error has already been reported
        build = engine.build()
        if site_stamp.is_current(build, only):
            for line in not_held(list(build.outcomes.values())):
                say(line)
            for folder in (output, output / "html"):
                build.write_report(folder / "build.json", ok=True, warnings=0)
            return 0
        return _drawn(build, only, lambda: sphinx(build, verbose, only))


def _read_meanwhile(engine: Engine, verbose: bool, draw_every_s: float) -> int:
    """Draw the whole site from the recorded run, and then the pages of what was measured every few
    minutes and at the end: at every moment the site is whole, and a build may be stopped anywhere.
    """
    with Passes(verbose) as passes:
        engine.draw_recorded()
        build = engine.build(is_last=False)
        if code := _drawn(build, {}, lambda: passes.draw(build)):
            return code
        page = engine.folder / "html" / "index.html"
        say(
            f"You can read the book now: {page.as_uri()}. Your own results will replace the "
            "recorded ones, chapter by chapter, in the order of the book."
        )
        engine.tell_cached()
        # When the site was drawn, and whether it shows all results.
        drawn_at, is_drawn = time.monotonic(), True
        try:
            for _ in engine.run():
                is_drawn = False
                if time.monotonic() - drawn_at >= draw_every_s and engine.to_run():
                    if code := passes.draw(engine.build(is_last=False)):
                        return code
                    drawn_at, is_drawn = time.monotonic(), True
        except KeyboardInterrupt:
            if not is_drawn:
                say(
                    "Writing the pages of the chapters that were measured. Press Ctrl-C "
                    "again to stop that as well ..."
                )
                passes.draw(engine.build(is_last=False))
            raise
        last = engine.build()
        return _drawn(last, {}, lambda: passes.draw(last))


def _drawn(build: Build, only: dict[str, Any], draw: Callable[[], int]) -> int:
    """Draw, and leave a stamp if all is right and nothing is left; return the exit code."""
    drawn_from = site_stamp.sources(build, only)
    site_stamp.remove(build)
    code = draw()
    if build.is_last and not code:
        site_stamp.leave(build, drawn_from)
    return code


def _tally(output: Path) -> str:
    chapters = json.loads((output / "build.json").read_text("utf8"))["chapters"]
    found = Counter(c["action"] for c in chapters)
    parts = [
        f"{n} {word}"
        for word, key in (("executed", "executed"), ("from cache", "cached"))
        if (n := found[key])
    ]
    return f"Done: {count(len(chapters), 'chapter')} ({', '.join(parts) or 'none to run'})"


def _short(path: Path) -> str:
    return os.path.relpath(path) if path.is_relative_to(Path.cwd()) else str(path)

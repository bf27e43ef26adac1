"""What `make book` and its like do: stages where there are any, else one run of Sphinx."""

from __future__ import annotations

import json
import os
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

from lab import paths, settings
from lab.book.pipeline import one_chapter as chosen
from lab.book.pipeline.sphinx_run import AGAIN, NOT_RIGHT, explain, sphinx
from lab.errors import LabError
from lab.text.numbers import count

OUTPUT = {"course": "_build", "smoke": "_build/smoke", "reference": "_build/reference"}


def default_output() -> Path:
    """Return the folder of the mode and profile, so that none ever shows another's results."""
    name = "_build/preview" if settings.mode() == "replay" else OUTPUT[settings.profile().name]
    return paths.ROOT / name


def one_chapter(name: str) -> int:
    """Measure one chapter again and make its page in a folder of its own; return the exit code."""
    page = chosen.resolve(name)
    if settings.mode() != "live":
        raise LabError("LAB_MODE=replay measures nothing: unset it to measure a chapter chosen.")
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
    draw_every_s: float | None = None,
) -> int:
    """Build the site below `output`; return the exit code.

    only : Sphinx's settings for a part of the book; start : the page to open; draw_every_s : as
    `staged.build` takes it.
    """
    started = time.monotonic()
    output = output.resolve()
    html = output / "html"
    profile = settings.profile().name
    what = "replays the reference run" if settings.mode() == "replay" else f"profile {profile}"
    print(f"Building the book ({what}) in {_short(html)}", flush=True)
    code: int | None = None
    # A quick look has no reader, and a reference run is none before it is whole.
    if settings.mode() == "live" and profile == "course" and only is None:
        code = _staged(output, verbose, draw_every_s)
    if code is None:
        code = sphinx(output, 0 if verbose else 1, only or {})
    seconds = time.monotonic() - started
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


def _staged(output: Path, verbose: bool, draw_every_s: float | None) -> int | None:
    """Return the exit code, or NOT_RIGHT; None if nothing is left to be measured."""
    from lab.book.pipeline import staged

    try:
        every_s = staged.DRAW_EVERY_S if draw_every_s is None else draw_every_s
        return staged.build(output, verbose, every_s)
    except LabError as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(f"\nInterrupted. {AGAIN}", file=sys.stderr)
        return 130
    except Exception as error:
        print(f"\n{explain(error, output)}", file=sys.stderr)
        return 1


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

"""`python -m lab.book build`, `chapter` and `preview`: what `make book`, `make chapter`, `make
preview` and `make test` run.

The site is the one that a bare `jupyter-book build .` makes. Added here: warnings are errors, the
console shows chapters instead of Sphinx's steps, and a failure's reason is the last thing printed.
"""

from __future__ import annotations

import argparse
import errno
import os
import sqlite3
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

from lab import nodes, paths, settings
from lab.book import again, interrupt
from lab.book.report import count
from lab.errors import LabError

AGAIN = "What is done stays cached: the next build goes on from there."
NOT_RIGHT = -1  # not an exit code yet: the site is there, and what is wrong was told
OUTPUT = {"course": "_build", "smoke": "_build/smoke", "reference": "_build/reference"}


def main(argv: list[str] | None = None) -> int:
    """Return the exit code: 0, 1 the book is not right, 2 not even tried, 130 interrupted."""
    parser = argparse.ArgumentParser(prog="python -m lab.book", description="Build the book.")
    commands = parser.add_subparsers(dest="command", required=True)
    build = commands.add_parser("build", help="run what has changed and write the site")
    build.add_argument(
        "--output",
        type=Path,
        help="folder for html/ and the cache (default: by profile, in _build)",
    )
    build.add_argument("--verbose", action="store_true", help="show Sphinx's own steps too")
    preview = commands.add_parser("preview", help="serve the replayed site, rebuild on save")
    preview.add_argument("--port", type=int, default=8000, help="0 = any free port")
    chapter = commands.add_parser("chapter", help="measure one chapter again, whatever is cached")
    chapter.add_argument("name", nargs="?", default="", help="such as blocking/off-the-loop")
    options = parser.parse_args(argv)
    try:
        os.environ.update(nodes.anchored())
        os.environ.update(nodes.on_path())  # for what cells start by name
        if options.command == "preview":
            from lab.book.preview import serve

            return serve(options.port)
        if options.command == "chapter":
            return one_chapter(options.name)
        return run(options.output or default_output(), options.verbose)
    except LabError as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\nInterrupted. Chapters that were done stay cached.", file=sys.stderr)
        return 130


def default_output() -> Path:
    """Return the folder of the mode and profile, so that none ever shows another's results."""
    name = "_build/preview" if settings.mode() == "replay" else OUTPUT[settings.profile().name]
    return paths.ROOT / name


def one_chapter(name: str) -> int:
    """Measure one chapter again and make its page in a folder of its own; return the exit code."""
    page = again.resolve(name)
    if settings.mode() != "live":
        raise LabError("LAB_MODE=replay measures nothing: unset it to measure a chapter again.")
    output = (paths.ROOT / again.OUTPUT / page.removeprefix("book/")).resolve()
    only = again.prepare(page, output)
    print(again.announce(page, output), flush=True)
    return run(output, only=only, start=f"{page}.html")


def run(
    output: Path,
    verbose: bool = False,
    *,
    only: dict[str, Any] | None = None,
    start: str = "index.html",
) -> int:
    """Build the site below `output`; return the exit code.

    only : Sphinx's settings for a part of the book; start : the page to open.
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
        code = _staged(output, verbose)
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


def _staged(output: Path, verbose: bool) -> int | None:
    """Return the exit code, or NOT_RIGHT; None if nothing is left to be measured."""
    from lab.book import staged

    try:
        return staged.build(output, verbose)
    except LabError as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(f"\nInterrupted. {AGAIN}", file=sys.stderr)
        return 130
    except Exception as error:
        print(f"\n{explain(error, output)}", file=sys.stderr)
        return 1


def sphinx(
    output: Path,
    quiet: int,
    overrides: dict[str, Any],
    *,
    strict: bool = True,
) -> int:
    """Run Sphinx once; return the exit code, or NOT_RIGHT if the site was written and is not right.

    What stopped it is told here.

    quiet : 1 shows warnings only, 2 not even those; strict : a warning is an error.
    """
    from jupyter_book.sphinx import build_sphinx
    from sphinx.util.console import nocolor

    from lab.book.extension import BookError

    if not sys.stderr.isatty():
        nocolor()
    with interrupt.noticed() as interrupts:
        result = build_sphinx(
            paths.ROOT,
            output / "html",
            noconfig=True,
            path_config=paths.ROOT / "_config.yml",
            confoverrides={
                "external_toc_path": (paths.ROOT / "_toc.yml").as_posix(),
                "latex_individualpages": False,
                **overrides,
            },
            warningiserror=strict,
            keep_going=True,
            quiet=quiet > 0,
            really_quiet=quiet > 1,
        )
    if interrupts.came and result:
        print(f"\nInterrupted. {AGAIN}", file=sys.stderr)
        return 130
    if isinstance(result, BookError):
        return 1  # told already, in its own words
    if isinstance(result, BaseException):
        print(f"\n{explain(result, output)}", file=sys.stderr)
        return 130 if isinstance(result, KeyboardInterrupt) else 1
    return NOT_RIGHT if result else 0


def explain(error: BaseException, output: Path) -> str:
    """Return what stopped the build, and what to do, in a sentence or two."""
    chain = [error]
    while (cause := chain[-1].__cause__ or chain[-1].__context__) is not None:
        chain.append(cause)
    for link in chain:
        text = str(link)
        if isinstance(link, KeyboardInterrupt):
            return f"Interrupted. {AGAIN}"
        if (
            getattr(link, "errno", None) in (errno.ENOSPC, errno.EDQUOT)
            or "database or disk is full" in text
        ):
            return f"The disk that holds {output} is full. Make room and build again. {AGAIN}"
        if isinstance(link, sqlite3.DatabaseError) and (
            "malformed" in text or "not a database" in text
        ):
            folder = output / ".jupyter_cache"
            return f"The cache in {folder} is damaged. Delete that folder and build again."
        if isinstance(link, PermissionError):
            return (
                f"Not allowed to write {link.filename}. Change its owner, or build with --output."
            )
    return f"The build stopped: {type(error).__name__}: {error}"


def _tally(output: Path) -> str:
    import json

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


if __name__ == "__main__":
    sys.exit(main())

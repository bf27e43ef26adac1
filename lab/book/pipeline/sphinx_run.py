"""One run of Sphinx over the book, and what stopped it in a sentence."""

from __future__ import annotations

import errno
import sqlite3
import sys
from pathlib import Path
from typing import Any

from lab import paths
from lab.book.pipeline import interrupt

AGAIN = "What is done stays cached: the next build goes on from there."
NOT_RIGHT = -1  # not an exit code yet: the site is there, and what is wrong was told


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
    if getattr(result, "is_told", False):
        return 1
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

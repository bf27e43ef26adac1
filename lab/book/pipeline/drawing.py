"""A drawing pass: Sphinx reads the pages and writes the site, and no cell runs.

`sphinx` draws in this process, and says in a sentence what stopped it. While chapters are measured,
`Passes` has each pass drawn in a process of its own, forked from one that has imported everything:
nothing of it is left, and nothing of it runs, while something is measured.
"""

from __future__ import annotations

import contextlib
import errno
import gc
import pickle
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

from lab import paths
from lab.book.pipeline.build import Build
from lab.errors import LabError
from lab.kernels import forks

# The number of new objects between two garbage collections. A pass makes millions of objects that
# stay, and ends soon.
RUBBISH = (100_000, 20, 100)
AGAIN = "Finished chapters stay in the cache, and the next build continues from there."
NOT_RIGHT = 3  # not an exit code: the site was written, and its errors were reported
IMPORTED = "lab.book.preload_records"  # it must be imported before the first page is written
PROGRAM = "lab.book.pipeline.drawing_process"
SIZE_BYTES = 8  # the bytes of the number before the data to draw
CODES = (0, 1, NOT_RIGHT)


def sphinx(build: Build, verbose: bool, overrides: dict[str, Any]) -> int:
    """Draw the site; return the exit code, or NOT_RIGHT if it was written and is not right.

    What stopped it is told here. A pass that others follow is silent, and warnings do not stop it.

    verbose : show Sphinx's own steps, too; overrides : settings of Sphinx for a part of the book
    """
    from jupyter_book.sphinx import build_sphinx
    from sphinx.util.console import nocolor

    if not sys.stderr.isatty():
        nocolor()
    gc.freeze()
    gc.set_threshold(*RUBBISH)
    result = build_sphinx(
        paths.ROOT,
        build.folder / "html",
        noconfig=True,
        path_config=paths.ROOT / "_config.yml",
        confoverrides={
            "external_toc_path": (paths.ROOT / "_toc.yml").as_posix(),
            "latex_individualpages": False,
            "lab_build": build,
            **overrides,
        },
        warningiserror=build.is_last,
        keep_going=True,
        quiet=not verbose,
        really_quiet=not verbose and not build.is_last,
    )
    if getattr(result, "is_told", False):
        return 1
    if isinstance(result, BaseException):
        print(f"\n{explain(result, build.folder)}", file=sys.stderr)
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
            return (
                f"The disk that holds {output} is full. Free some space, then build again. {AGAIN}"
            )
        if isinstance(link, sqlite3.DatabaseError) and (
            "malformed" in text or "not a database" in text
        ):
            folder = output / ".jupyter_cache"
            return f"The cache in {folder} is damaged. Delete that folder, then build again."
        if isinstance(link, PermissionError):
            return (
                f"Not allowed to write {link.filename}. Change its owner, or build with --output."
            )
    return f"The build stopped: {type(error).__name__}: {error}"


class Passes:
    """Draws while a build goes on, each time in a fresh process that has imported everything."""

    def __init__(self, verbose: bool) -> None:
        self._verbose = verbose
        # The process is ready by the time when the recorded run has been drawn.
        self._server = forks.server(IMPORTED) if forks.POSSIBLE else None

    def __enter__(self) -> Passes:
        return self

    def __exit__(self, *_: object) -> None:
        if self._server:
            self._server.close()

    def draw(self, build: Build) -> int:
        """Write what has changed; return the exit code as `sphinx` does."""
        command = ["-m", PROGRAM]
        if self._server:
            command = ["-I", "-S", str(forks.HERE / "ask.py"), self._server.address, PROGRAM]
        process = subprocess.Popen(
            [sys.executable, *command],
            stdin=subprocess.PIPE,
            start_new_session=True,  # Ctrl-C reaches only us; we then end the process
        )
        assert process.stdin is not None
        try:
            with contextlib.suppress(BrokenPipeError):
                data = pickle.dumps((build, self._verbose))
                process.stdin.write(len(data).to_bytes(SIZE_BYTES, "big") + data)
                process.stdin.flush()
            code = process.wait()
        finally:
            with contextlib.suppress(BrokenPipeError):
                process.stdin.close()  # the process ends at the end of its input, at any point
            process.wait()
        if code not in CODES:
            raise LabError(
                "The process that writes the pages ended as soon as it had started (exit "
                f"code {code}). Build again. If this happens every time, run `jupyter-book "
                "build .`, which shows where it ends."
            )
        return code

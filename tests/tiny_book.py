"""The book of two chapters in fixtures/tiny-book: a copy to build, and what a build left of it.

Most builds of it, and their kernels, are forks of one process that has imported what they will
import (`lab/kernels/forks`): two thirds of such a build are imports. `begun` and `bare` start as
people do.
"""

import atexit
import fcntl
import functools
import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from lab.kernels import forks

TINY = Path(__file__).parent / "fixtures" / "tiny-book"
DEADLINE_S = 900
# What a build imports besides what its kernels do; nothing of `lab`, which reads LAB_ROOT.
IMPORTED = (
    *("fontTools.subset", "jupyter_book.sphinx", "jupyter_cache", "myst_nb.sphinx_ext"),
    *("myst_parser.sphinx_ext.main", "nbclient", "psutil", "sphinx.application"),
    *("sphinx.builders.html", "sphinx.domains.cpp", "sphinx.domains.python", "sphinx_book_theme"),
    *("sphinx_copybutton", "sphinx_design", "sphinx_external_toc", "sphinx_togglebutton"),
    "sqlalchemy.dialects.sqlite",
)


@functools.cache
def kept():
    """The process that builds are forked from, for as long as this one runs; None on macOS."""
    if not forks.POSSIBLE:
        return None
    server = forks.ForkServer(*IMPORTED)
    atexit.register(server.close)
    assert server.wait(DEADLINE_S)
    return server


def made_once(tmp_path_factory, name, make):
    """The folder that `make(folder)` made, once for all workers of a test run. It is only read:
    who changes something has a copy.
    """
    base = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        base = base.parent  # that of the run, in which each worker has its own
    folder, is_made = base / name, base / f"{name}.made"
    with (base / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not is_made.exists():
            shutil.rmtree(folder, ignore_errors=True)  # a worker may have failed to make it
            make(folder)
            is_made.touch()
    return folder


@dataclass
class Book:
    root: Path

    @classmethod
    def copied(cls, root, original=TINY):
        """A book of its own in a folder that is not there yet."""
        shutil.copytree(original, root)
        return cls(root)

    def env(self, **extra):
        clean = {k: v for k, v in os.environ.items() if not k.startswith("LAB_")}
        return {**clean, "LAB_ROOT": str(self.root), **extra}

    def bare(self, **extra):
        """What people type: `jupyter-book build .`"""
        return self._run(
            "-c", "from jupyter_book.cli.main import main; main()", "build", ".", **extra
        )

    def build(self, **extra):
        return self.command("build", **extra)

    def command(self, *words, **extra):
        """`python -m lab.book WORDS`, with `extra` in its environment."""
        if (server := kept()) is None:
            return self._run("-m", "lab.book", *words, **extra)
        ask = ("-I", "-S", str(forks.HERE / "ask.py"), server.address)
        return self._run(*ask, "lab.book", *words, **{forks.KEPT: server.address, **extra})

    def begun(self, *words, **extra):
        """The same command, still running, in a session of its own."""
        return subprocess.Popen(
            [sys.executable, "-m", "lab.book", *words],
            cwd=self.root,
            env=self.env(**extra),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def _run(self, *words, **extra):
        return subprocess.run(
            [sys.executable, *words],
            cwd=self.root,
            env=self.env(**extra),
            capture_output=True,
            text=True,
            timeout=DEADLINE_S,
            check=False,
        )

    def ran(self):
        """Chapters that were measured since the last call."""
        return self._names("ran.log")

    def drawn(self):
        """Chapters that were drawn in a replay since the last call."""
        return self._names("drawn.log")

    def _names(self, name):
        log = self.root / name
        names = log.read_text().split() if log.exists() else []
        log.unlink(missing_ok=True)
        return names

    def page(self, name, folder="_build"):
        return (self.root / folder / "html/book" / f"{name}.html").read_text()

    def report(self, folder="_build"):
        return json.loads((self.root / folder / "build.json").read_text())

    def edit(self, name, old, new):
        path = self.root / name
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new))

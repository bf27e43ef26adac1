"""The program to record: a file, or source text written to a file of its own."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from lab.errors import LabError
from lab.paths import RUNS, NoProgram, relative
from lab.paths import program as find

TYPED = (".ts", ".cts", ".mts")
SUFFIXES = (".js", ".cjs", ".mjs", *TYPED)
SOURCE_KEPT = 20_000
KINDS = ("cjs", "esm")
_MODULE = re.compile(r"^\s*(import\s*[\w{*\"']|export\s+[\w{*])", re.MULTILINE)


@dataclass(frozen=True)
class TracedProgram:
    """A file Node can run. `name` is what the reader sees."""

    path: Path
    name: str
    source: str


def is_path(program: str | os.PathLike[str]) -> bool:
    """True for a file name; source text has a line break, a bracket or no suffix of a program."""
    return isinstance(program, os.PathLike) or (
        "\n" not in program and program.rstrip().endswith(SUFFIXES) and "(" not in program
    )


@contextlib.contextmanager
def prepared(
    program: str | os.PathLike[str], kind: str | None, name: str | None = None
) -> Iterator[TracedProgram]:
    """Yield the program as a file; a text lives in data/runs/ so that `require` finds packages.

    Raises LabError when the file does not exist, is not JavaScript, `kind` is unknown, or the text
    can't be written.
    """
    if kind not in (None, "auto", *KINDS):
        raise LabError(
            f"kind is {kind!r}. Use 'cjs' or 'esm', or leave it out to have it detected."
        )
    if is_path(program):
        try:
            path = find(program)
        except NoProgram as error:
            if Path(program).is_dir():
                raise LabError(f"{program} is a folder. Name the program in it.") from None
            raise LabError(f"{error} You can also pass the program's text itself.") from None
        yield TracedProgram(path, name or path.name, path.read_text("utf-8", errors="replace"))
        return
    text = str(program)
    module_kind = guess(text) if kind in (None, "auto") else kind
    with contextlib.ExitStack() as stack:
        try:
            folder = RUNS / "trace"
            folder.mkdir(parents=True, exist_ok=True)
            own = Path(tempfile.mkdtemp(dir=folder))
            stack.callback(shutil.rmtree, own, ignore_errors=True)
            path = own / f"program.{'mjs' if module_kind == 'esm' else 'cjs'}"
            path.write_text(text, "utf-8")
        except OSError as error:
            raise LabError(
                f"The program could not be written to {relative(RUNS)}: {error.strerror}. "
                "Free some space there, or pass the path of a file instead of a text."
            ) from None
        yield TracedProgram(path, name or path.name, text)


def guess(text: str) -> str:
    """'esm' when the text has a static import or an export; what Node says decides the rest."""
    return "esm" if _MODULE.search(text) else "cjs"


def looks_like_module(stderr: str) -> bool:
    """Node's own words for a CommonJS file that should have been a module."""
    return bool(
        re.search(
            r"SyntaxError: (await is only valid in async functions and the top level bodies|"
            r"Cannot use import statement outside a module|Unexpected token 'export'|"
            r"Cannot use 'import.meta' outside a module)",
            stderr,
        )
    )

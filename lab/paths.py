"""Where things are. Everything hangs off ROOT, so a chapter may run in any folder."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from lab import settings
from lab.errors import LabError

ROOT = Path(os.environ.get("LAB_ROOT") or Path(__file__).resolve().parent.parent).resolve()
SERVERS = ROOT / "servers"
CATALOG = SERVERS / "catalog.toml"
LOADTOOLS = ROOT / "tools" / "loadtools" / "node_modules"  # what `make tools` brings from npm
DATA = ROOT / "data"
# What is measured, run and handed in here; on a hub each student has a folder of his own.
RUNS = Path(os.environ.get("LAB_RUNS") or DATA / "runs").resolve()
REFERENCE = DATA / "reference"
FILES = RUNS / "files"
# Running servers of everybody; a test run has a folder of its own.
STATE = Path(os.environ.get("LAB_STATE") or RUNS / ".state").resolve()
CELL_SERVERS = RUNS / "servers"
NODE_SIDE = Path(__file__).resolve().parent / "node"
WIDGETS = Path(__file__).resolve().parent / "widgets"
PROBE = NODE_SIDE / "probe.cjs"


def relative(path: str | os.PathLike[str]) -> str:
    """The path as seen from ROOT where it lies inside, else unchanged; '/' on every system."""
    absolute = Path(path).resolve()
    try:
        return absolute.relative_to(ROOT).as_posix()
    except ValueError:
        return absolute.as_posix()


class NoProgram(LabError):
    """A name means no file, or more than one."""


def program(name: str | os.PathLike[str]) -> Path:
    """Return the file of the program that a notebook names. Raises NoProgram.

    Paths start in the chapter's own folder, which lies next to the notebook and has its name, or in
    the working directory. A copy of a chapter has no such folder, and some programs that run a
    notebook do not tell its name: then the only folder next to the notebook with that file is
    meant.
    """
    folder_of_notebook = Path.cwd()
    folder_of_chapter = folder_of_notebook / Path(settings.notebook()).stem
    places = [folder_of_notebook]
    if folder_of_chapter.is_dir():
        places.insert(0, folder_of_chapter)
    for folder in places:
        if file := _file(folder / name):
            return file
    if Path(name).is_absolute():
        raise NoProgram(f"There is no file {name}.")
    neighbours = [] if folder_of_chapter in places else _folders(folder_of_notebook)
    candidates = sorted({file for folder in neighbours if (file := _file(folder / name))})
    if len(candidates) > 1:
        raise NoProgram(
            f"There is no file {name}. It may be {' or '.join(map(relative, candidates))}, so "
            "write its folder as well."
        )
    if not candidates:
        raise NoProgram(
            f"There is no file {name} in {' or '.join(map(str, places))}. Give a "
            "path relative to that folder."
        )
    return candidates[0]


def _file(path: Path) -> Path | None:
    with contextlib.suppress(OSError, ValueError):  # a name that no file can have
        file = path.resolve()
        return file if file.is_file() else None
    return None


def _folders(parent: Path) -> list[Path]:
    with contextlib.suppress(OSError):  # one that we may not list
        return [folder for folder in parent.iterdir() if folder.is_dir()]
    return []

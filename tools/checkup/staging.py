"""The package node_checkup out of the clinic's code: every module that `lab.clinic.checkup` leads
to, and the JavaScript that they start, under another name. backend.py makes the wheel of what
`stage` writes; nothing of it is checked in.
"""

from __future__ import annotations

import ast
import re
import shutil
import tomllib
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PACKAGE = "node_checkup"
FIRST = "lab.clinic.checkup"
# Started as files, by no import.
STARTED = ("lab.processes.guard",)
FILES = (
    "lab/clinic/report.schema.json",
    *("lab/node/clinic/*.?js", "lab/node/loadgen/*.?js"),
)
BOOK_ONLY = {"calibration-server.mjs"}
# The door of the book, whose place the package's own one takes.
REPLACED = ("lab", "lab.clinic.name")
# numpy is ten times the rest and little of it is used: the package has that in plain Python.
PLAIN = {"lab.arrays": HERE / "plain/arrays.py"}

DOOR = '''"""node-checkup: examine a Node.js server under load."""

import os
import sys
import tempfile

# Where running servers are noted: never in the folder of the package.
if "CHECKUP_RUNS" not in os.environ:
    usual = "~/Library/Caches" if sys.platform == "darwin" else "~/.cache"
    caches = os.path.expanduser(os.environ.get("XDG_CACHE_HOME") or usual)
    folder = os.path.join(caches, "node-checkup")
    try:
        os.makedirs(folder, exist_ok=True)
        writable = os.access(folder, os.W_OK)
    except OSError:
        writable = False
    if not writable:
        folder = os.path.join(tempfile.gettempdir(), f"node-checkup-{os.getuid()}")
    os.environ["CHECKUP_RUNS"] = folder
'''
NAME = '''"""What the tool is called."""

PROGRAM = "node-checkup"
DISTRIBUTION = "node-checkup"
'''
MAIN = '''"""`python -m node_checkup`."""

import sys

from node_checkup.clinic.checkup import main

sys.exit(main())
'''


def modules() -> dict[str, Path]:
    """Every module that the program leads to, by its name, with its file."""
    files: dict[str, Path] = {}
    names_left = [FIRST, *STARTED, *PLAIN]
    while names_left:
        name = names_left.pop()
        if name not in files and name not in REPLACED and (file := _file(name)):
            files[name] = file
            names_left += _imported(name, file)
    return dict(sorted(files.items()))


def _file(name: str) -> Path | None:
    if name in PLAIN:
        return PLAIN[name]
    path = ROOT.joinpath(*name.split("."))
    candidates = (path.with_suffix(".py"), path / "__init__.py")
    return next((file for file in candidates if file.is_file()), None)


def _imported(name: str, file: Path) -> Iterator[str]:
    """The modules of `lab` that a file imports, anywhere in it."""
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (a.name for a in node.names if a.name.startswith("lab."))
        elif isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "lab":
            assert node.module is not None and not node.level, f"{name}: a relative import"
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield inner if _file(inner) else node.module


def renamed(text: str, is_python: bool) -> str:
    """Return a text of the house with the names of the package."""
    if is_python:
        text = re.sub(r"^(\s*)from lab(?=[. ])", rf"\1from {PACKAGE}", text, flags=re.M)
        text = re.sub(r"^(\s*)import lab\.", rf"\1import {PACKAGE}.", text, flags=re.M)
        text = re.sub(r"`lab\.", f"`{PACKAGE}.", text)
        text = plain(text, PACKAGE)
    return re.sub(r"\bLAB_", "CHECKUP_", text)


def plain(text: str, package: str) -> str:
    """Return the text of a module with arrays in plain Python in place of numpy."""
    ours = rf"\1from {package} import arrays as np"
    return re.sub(r"^(\s*)import numpy as np", ours, text, flags=re.M)


def stage(folder: Path) -> None:
    """Fill a folder with the source distribution."""
    target = folder / PACKAGE
    packages = {target}
    for name, file in modules().items():
        place = target.joinpath(*name.split(".")[1:])
        place = place / "__init__.py" if file.name == "__init__.py" else place.with_suffix(".py")
        _write(place, renamed(file.read_text("utf-8"), True))
        packages |= {place.parent, *(p for p in place.parents if target in p.parents)}
    for pattern in FILES:
        for file in sorted(ROOT.glob(pattern)):
            place = target / file.relative_to(ROOT / "lab")
            if file.name in BOOK_ONLY:
                continue
            _write(place, renamed(file.read_text("utf-8"), False))
    _write(target / "clinic" / "name.py", NAME)
    _write(target / "__main__.py", MAIN)
    _write(target / "__init__.py", DOOR)
    for package in packages:
        if not (package / "__init__.py").exists():
            _write(package / "__init__.py", "")
    _write(folder / "pyproject.toml", _project())
    shutil.copy(HERE / "README.md", folder)
    shutil.copy(ROOT / "LICENSE", folder)


def _project() -> str:
    """The same project, built by setuptools alone."""
    text = (HERE / "pyproject.toml").read_text("utf-8")
    ours = 'build-backend = "backend"\nbackend-path = ["."]\n'
    assert ours in text
    return text.replace(ours, 'build-backend = "setuptools.build_meta"\n')


def version() -> str:
    """The version of the package."""
    return str(tomllib.loads((HERE / "pyproject.toml").read_text("utf-8"))["project"]["version"])


def _write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")

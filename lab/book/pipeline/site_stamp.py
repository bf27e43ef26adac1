"""Whether a site shows already what a build would draw, so that Sphinx need not even start.

A stamp says from which files, settings and results the pages were drawn, and what files these are,
each by size and date. It is taken away before pages are drawn, and left by a pass that was right.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import sysconfig
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from lab import paths
from lab.book.pipeline.build import Build
from lab.book.pipeline.history import write_json
from lab.simulator import bundle

# Nothing is drawn from these folders, nor from folders whose names begin with a point.
NOT_DRAWN = {"_build", "bench", "node_modules", "__pycache__", "target", "tests"}
GIT = ("HEAD", "logs/HEAD", "packed-refs", "shallow")  # pages say when their source was changed
# A pass writes these itself.
REPORT = "build.json"
RESULTS = "my-results.json"


def sources(build: Build, overrides: Mapping[str, Any]) -> str:
    """Return a digest of all that the pages of this build are drawn from."""
    chapters = [
        (name, shown.shows, shown.code, shown.token, shown.variant, shown.outcome.executed)
        for name, shown in build.shown.items()
    ]
    settings = sorted((k, v) for k, v in os.environ.items() if k.startswith("LAB_"))
    facts = [build.present.digest(name) for name in ("node", "python", "machine")]
    # Also the digests of the Nodes on which a page's programs can run.
    facts.append(bundle.digest())
    packages = sorted(os.listdir(sysconfig.get_path("purelib")))  # noqa: PTH208 - names only
    about = [build.mode, build.profile, chapters, settings, facts, sys.version, packages]
    files = [*_files(paths.ROOT, drawn_from=True), *_git(paths.ROOT / ".git")]
    if paths.ROOT not in paths.RUNS.parents:
        files += _files(paths.RUNS, drawn_from=True)
    return _digest([*about, sorted(overrides.items()), files])


def is_current(build: Build, overrides: Mapping[str, Any]) -> bool:
    """Return whether a pass would change nothing."""
    try:
        stamp = json.loads(_stamp(build).read_text("utf8"))
        return bool(
            stamp["sources"] == sources(build, overrides) and stamp["pages"] == _pages(build)
        )
    except (OSError, ValueError, KeyError, TypeError):
        return False


def remove(build: Build) -> None:
    """Say that pages are about to be written."""
    _stamp(build).unlink(missing_ok=True)


def leave(build: Build, drawn_from: str) -> None:
    """Say that the pages are right; drawn_from : `sources` before they were drawn."""
    write_json(_stamp(build), {"sources": drawn_from, "pages": _pages(build)})


def _stamp(build: Build) -> Path:
    return build.state / "site.json"


def _pages(build: Build) -> str:
    return _digest(list(_files(build.folder / "html")))


def _git(folder: Path) -> Iterator[tuple[str, int, int]]:
    for name in GIT:
        if (folder / name).is_file():
            status = (folder / name).stat()
            yield name, status.st_size, status.st_mtime_ns


def _files(folder: Path, *, drawn_from: bool = False) -> Iterator[tuple[str, int, int]]:
    """Yield each file below the folder with its size and date."""
    with os.scandir(folder) as entries:
        for entry in sorted(entries, key=lambda entry: entry.name):
            if drawn_from and (entry.name in NOT_DRAWN or entry.name.startswith(".")):
                continue
            if entry.is_dir(follow_symlinks=False):
                yield from _files(Path(entry.path), drawn_from=drawn_from)
            elif entry.name not in (REPORT, RESULTS) and entry.is_file():
                status = entry.stat()
                yield entry.path, status.st_size, status.st_mtime_ns


def _digest(facts: Any) -> str:
    return hashlib.sha256(json.dumps(facts, default=str).encode()).hexdigest()

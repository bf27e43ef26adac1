"""One chapter measured again, alone, whatever is cached: `make chapter NAME=cases/off-the-loop`.

It has a folder of its own, so that it neither waits for the other chapters nor touches the site
that `make book` made of them.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import yaml

from lab import paths, settings
from lab.book.pipeline import chapter as source
from lab.book.pipeline import toc
from lab.book.pipeline.locks import take
from lab.errors import LabError, did_you_mean, nearest

OUTPUT = "_build/chapter"
# Warnings of links to chapters that are not in this site. All other warnings are errors, as in the
# whole book.
ELSEWHERE = ("myst.xref_missing", "myst.xref_ambiguous", "ref.doc", "ref.term", "toc.not_readable")
LOCK = ".lab/lock"


class NoChapter(LabError):
    """There is no chapter of that name, or it has no cells."""


def resolve(address: str) -> str:
    """Return the page that is meant: `book/cases/off-the-loop`, also for a whole address of it.

    Raises NoChapter with the nearest names.
    """
    pages = toc.pages()
    name = _name(address)
    chapters = {page.removeprefix("book/"): page for page in pages if has_cells(page)}
    if name in chapters:
        return chapters[name]
    ends = [page for short, page in chapters.items() if short.rpartition("/")[2] == name]
    if len(ends) == 1:
        return ends[0]
    if f"book/{name}" in pages:
        raise NoChapter(f"{name} has no cells, so there is nothing to measure.")
    offer = did_you_mean(name, chapters) if name and nearest(name, chapters) else ""
    known = "" if offer else f"There are: {', '.join(chapters)}."
    what = f"There is no chapter {name!r}." if name else "Say which: make chapter NAME=…"
    raise NoChapter(" ".join(filter(None, [what, offer, known])))


def prepare(page: str, output: Path) -> dict[str, Any]:
    """Make room for a site of this page and those that explain; return Sphinx's settings for it.

    Raises BuildBusy if any build runs: measurements at the same time ruin each other.
    """
    refuse_beside(_folders(output))
    keep = output / LOCK
    if output.is_dir():  # this command made the files that are there; they show an older run
        for old in sorted(output.rglob("*"), reverse=True):
            if old != keep and old not in keep.parents:
                shutil.rmtree(old) if old.is_dir() and not old.is_symlink() else old.unlink()
    output.mkdir(parents=True, exist_ok=True)
    return part([page], output)


def part(pages: list[str], output: Path) -> dict[str, Any]:
    """Write a table of contents of these pages and those that explain; return Sphinx's settings
    for it.
    """
    toc_file = output / "_toc.yml"
    root, *more = pages
    others = [name for name in toc.pages() if "/about/" in name and not has_cells(name)]
    listed = [{"file": name} for name in (*more, *others)]
    toc_file.write_text(
        yaml.safe_dump({"format": "jb-book", "root": root, "chapters": listed}), "utf8"
    )
    return {
        "external_toc_path": toc_file.as_posix(),
        "suppress_warnings": [*_suppressed(), *ELSEWHERE],
        "lab_redirects": None,  # an empty dictionary would be merged with that of _config.yml
    }


def refuse_beside(folders: Iterable[Path]) -> None:
    """Raise BuildBusy if a build holds one of these folders."""
    for folder in folders:
        if (folder / LOCK).exists():
            os.close(take(folder / LOCK, f"Another build is writing to {folder}"))


def announce(page: str, output: Path) -> str:
    """Return what is about to happen."""
    profile = settings.profile()
    name = page.removeprefix("book/")
    message = f"Measuring {name} again (profile {profile.name}). No other chapter is run."
    if profile.name == "reference":
        message += (
            "\n"
            "This also records its experiments again in data/reference. `git diff` shows "
            "what changed, and `git checkout data/reference` undoes it."
        )
    return f"{message}\nRaw rows go to data/runs, the page to {paths.relative(output)}."


def _folders(output: Path) -> Iterator[Path]:
    yield output
    for lock in paths.ROOT.glob(f"_build/**/{LOCK}"):
        yield lock.parent.parent


def _name(asked: str) -> str:
    """The page of an address or a file, without `book/`. Only the path counts: a site may stand in
    a folder of its host, and a repository has others above.
    """
    text = asked.strip()
    whole = re.match(r"(?i)[a-z][a-z0-9+.-]*:", text)
    path = unquote(urlsplit(text).path if whole else re.split(r"[?#]", text)[0]).strip("/")
    # JupyterLab serves the folder of the book.
    inside = re.split(r"(?:^|/)(?:book|lab/tree)/", path)[-1].removeprefix("./")
    return re.sub(r"\.(md|html|ipynb)$", "", inside)


def has_cells(page: str) -> bool:
    """Return whether a page is a chapter, with cells to run."""
    file = paths.ROOT / f"{page}.md"
    try:
        return source.parse(page, file.read_text("utf8"), str(file)) is not None
    except OSError:
        return False


def _suppressed() -> list[str]:
    config = yaml.safe_load((paths.ROOT / "_config.yml").read_text("utf8"))
    return list(config.get("sphinx", {}).get("config", {}).get("suppress_warnings", ()))

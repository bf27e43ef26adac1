"""The pages of the book in reading order, as _toc.yml lists them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from lab import paths
from lab.errors import LabError, did_you_mean, nearest

SUFFIXES = ("", ".md", ".ipynb", ".rst")  # the endings that a page's file may have


def pages(file: Path | None = None) -> list[str]:
    """Return the pages in order, the root first: `book/welcome`; [] without a _toc.yml. Raises
    LabError if there is no file of one.

    file : the table of contents of a part of the book
    """
    file = file or paths.ROOT / "_toc.yml"
    listed = list(_listed(file.read_text("utf8"))) if file.exists() else []
    for page in listed:
        if not any((paths.ROOT / f"{page}{suffix}").is_file() for suffix in SUFFIXES):
            raise LabError(_absent(page, listed))
    return listed


def _absent(page: str, listed_pages: list[str]) -> str:
    """Return the error for a page without a file. Most often the page was renamed."""
    folder, *inside = page.split("/")
    files = (paths.ROOT / folder).rglob("*.md") if inside else paths.ROOT.glob("*.md")
    names = {file.relative_to(paths.ROOT).with_suffix("").as_posix() for file in files}
    others = sorted(names - set(listed_pages))
    renamed = f" {did_you_mean(page, others)}" if nearest(page, others) else ""
    return (
        f"_toc.yml lists {page}, and there is no {page}.md.{renamed} If the page has a new "
        "name, write that name into _toc.yml, and the old name into lab_redirects in "
        "_config.yml. If the page was removed, remove its line from _toc.yml."
    )


@lru_cache(maxsize=4)
def _listed(text: str) -> tuple[str, ...]:
    toc = yaml.safe_load(text)
    return (str(toc["root"]), *_files(toc)) if toc else ()


def in_order(chapters: Iterable[str]) -> list[str]:
    """Return these pages in reading order; those that are not listed come last, by name."""
    place = {page: i for i, page in enumerate(pages())}
    return sorted(chapters, key=lambda page: (place.get(page, len(place)), page))


def _files(entry: Any) -> Iterator[str]:
    if isinstance(entry, dict):
        if "file" in entry:
            yield str(entry["file"])
        entry = list(entry.values())
    if isinstance(entry, list):
        for value in entry:
            yield from _files(value)

"""The pages of the book in reading order, as _toc.yml lists them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

import yaml

from lab import paths


def pages() -> list[str]:
    """Return the pages in order, the root first: `book/welcome`; [] without a _toc.yml."""
    file = paths.ROOT / "_toc.yml"
    return list(_listed(file.read_text("utf8"))) if file.exists() else []


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

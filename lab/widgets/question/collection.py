"""The questions of the book, read from the folders of its chapters."""

from __future__ import annotations

import functools
import re
import tomllib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from lab import paths
from lab.errors import LabError
from lab.widgets.question.entry import FILE, question_of
from lab.widgets.question.question import Question

_ASKED = re.compile(r"""\bask\(\s*["']([^"']+)["']""")


def questions(folder: Path | None = None) -> dict[str, Question]:
    """Return every question of the book by its id: by chapter, there as they are asked.

    Raises LabError for a file that can't be read, an entry that is no question, an id used twice.
    """
    by_id: dict[str, Question] = {}
    for file in sorted((folder or paths.ROOT / "book").rglob(FILE)):
        for question in _read(file):
            if question.id in by_id:
                raise LabError(
                    f"{paths.relative(file)}: {question.id!r} is also in "
                    f"{by_id[question.id].chapter}/{FILE}, but ids must be unique in the book"
                )
            by_id[question.id] = question
    return by_id


def _read(file: Path) -> tuple[Question, ...]:
    """The questions of a file, in the order in which its chapter asks them."""
    page = file.parent.with_name(f"{file.parent.name}.md")
    edited = page.stat().st_mtime_ns if page.exists() else None
    return _ordered(file, file.stat().st_mtime_ns, page, edited)


@functools.lru_cache(maxsize=256)
def _ordered(file: Path, mtime: int, page: Path, edited: int | None) -> tuple[Question, ...]:
    entries = _parsed(file, mtime)
    text = page.read_text("utf-8") if edited is not None else ""
    positions = {match.group(1): match.start() for match in _ASKED.finditer(text)}
    in_order = sorted(entries, key=lambda q: positions.get(q.id, len(text)))
    summary = text.find("\n## Summary")
    late = {id for id, at in positions.items() if 0 <= summary < at}
    return tuple(
        replace(q, number=i, of=len(entries), memory=q.id in late)
        for i, q in enumerate(in_order, 1)
    )


def by_chapter() -> Iterator[tuple[str, list[Question]]]:
    """Return the questions of each chapter."""
    chapters: dict[str, list[Question]] = {}
    for question in questions().values():
        chapters.setdefault(question.chapter, []).append(question)
    yield from chapters.items()


def file_of(chapter: str) -> Path:
    """Return the file that has the questions of a chapter."""
    return paths.ROOT / chapter / FILE


@functools.lru_cache(maxsize=256)
def _parsed(file: Path, _mtime: int) -> tuple[Question, ...]:
    name = paths.relative(file)
    try:
        data = tomllib.loads(file.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise LabError(f"{name} can't be read: {error}") from None
    return tuple(question_of(name, id, entry) for id, entry in data.items())

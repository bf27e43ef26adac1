"""Errors meant for people: what is wrong, the value seen, what to do next."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class LabError(Exception):
    """Something the reader can act on; a notebook shows its message and no stack."""

    def _render_traceback_(self) -> list[str]:
        # IPython calls this instead of formatting the frames of our own code, which tell a
        # reader nothing about their mistake.
        return [f"{type(self).__name__}: {self}"]


def nearest(word: str, known: Iterable[str], count: int = 3) -> list[str]:
    """The known words a misspelt one may have meant, best first (also by the part after '/')."""
    names = sorted(known)
    close = difflib.get_close_matches(word, names, n=count, cutoff=0.5)
    tail = word.rsplit("/", 1)[-1].lower()
    inside = [name for name in names if tail and tail in name.lower()]
    return list(dict.fromkeys(close + inside))[:count]


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A sentence offering the nearest known words, or the whole short list."""
    names = sorted({*known})
    close = nearest(word, names)
    if close:
        return f"Did you mean {' or '.join(close)}?"
    return f"Known: {', '.join(names) or 'none'}."

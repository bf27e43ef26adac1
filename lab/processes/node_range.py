"""For which versions of Node something is said: `">=22 <26"`, as package.json writes it.

Only `>=` and `<`, each once: from a version on, and up to but without another. A version named in
part means the first of its kind, so `<26` is everything before 26.0.0.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from lab.errors import LabError

Version = tuple[int, int, int]
_PART = re.compile(r"(>=|<)(\d+)(?:\.(\d+))?(?:\.(\d+))?")
_VERSION = re.compile(r"v?(\d+)\.(\d+)\.(\d+)")


@dataclass(frozen=True)
class Range:
    """From a version of Node on (`low`), up to another (`high`), which is not in it."""

    low: str = ""
    high: str = ""

    def __contains__(self, version: str) -> bool:
        number = _parsed(version)
        return not (
            (self.low and number < _number(self.low))
            or (self.high and number >= _number(self.high))
        )

    def __str__(self) -> str:
        told = [f"{self.low} or newer"] if self.low else []
        return f"Node {', '.join([*told, *([f'below {self.high}'] if self.high else [])])}"


def node_range(text: str) -> Range:
    """Return the range that a text like ">=22 <26" names. Raises LabError if it names none."""
    limits: dict[str, str] = {}
    for word in str(text).split():
        part = _PART.fullmatch(word)
        if part is None or part[1] in limits:
            limits = {}
            break
        limits[part[1]] = word.removeprefix(part[1])
    low, high = limits.get(">=", ""), limits.get("<", "")
    if not limits or (low and high and _number(low) >= _number(high)):
        raise LabError(
            f'node = {text!r} does not name versions of Node. Write ">=26", "<26" or ">=22 <26"'
        )
    return Range(low, high)


def _parsed(version: str) -> Version:
    """Return the numbers of a version such as v26.10.0. Raises LabError if it is none."""
    found = _VERSION.match(version)
    if found is None:
        raise LabError(f"{version!r} is not a version of Node, such as v26.10.0")
    return int(found[1]), int(found[2]), int(found[3])


def _number(text: str) -> Version:
    numbers = [int(n) for n in text.split(".")]
    return tuple([*numbers, 0, 0][:3])  # type: ignore[return-value]

"""Names and findings in words: what the alternative text and the tables say."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence


def listed(items: Sequence[str], last: str = "and") -> str:
    """Return a list in words: `a, b and c`."""
    items = list(items)
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} {last} {items[-1]}"


def printable(text: object) -> str:
    """Return the text with control characters as spaces: SVG must not carry them."""
    return "".join(ch if ch.isprintable() else " " for ch in str(text))


def unbroken(text: str) -> str:
    """Return the text with no line break before a per cent sign."""
    return text.replace(" %", "\u00a0%")


_UNITS = {
    **{unit: unit for unit in ("ms", "s", "ns", "bytes")},
    **{"us": "µs", "kib": "KiB", "mib": "MiB"},
}


def heading(column: str) -> str:
    """Return what a column is called where it has no label: `late_ms` is `late (ms)`."""
    text = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", str(column)).replace("_per_", "/")
    *words, last = text.split("_")
    unit, *per = last.lower().split("/")
    if words and unit in _UNITS:
        return f"{' '.join(words)} ({'/'.join([_UNITS[unit], *per])})"
    if words:
        return " ".join([*words, last]).lower()
    return "/".join([_UNITS.get(unit, last.split("/")[0]), *per])


def capital(text: str) -> str:
    """Return the text as a sentence begins; `p99` and units stay as they are."""
    word = re.split(r"[/ ]", text, maxsplit=1)[0]
    return text if text[1:2].isdigit() or word in _UNITS.values() else text[:1].upper() + text[1:]


def parted(label: str) -> tuple[str, str]:
    """Return a label without its unit, and the unit: `wait (ms)` is `wait` and `ms`."""
    found = re.fullmatch(r"(.+?) \(([^()]{1,14})\)(,.*)?", label)
    return (found[1] + (found[3] or ""), found[2]) if found else (label, "")


def named(name: object, value: str) -> str:
    """Return a name and its value so that digits at its end are not read as part of it."""
    text = str(name)
    return f"{text}: {value}" if text[-1:].isdigit() else f"{text} {value}"


def visible(text: object) -> str:
    """Return a user's text as a terminal may show it: control characters become escapes, which
    steer nothing. Line breaks and tabs stay.
    """
    return "".join(_escape(char) if _steers(char) else char for char in str(text))


def _steers(char: str) -> bool:
    return char not in "\n\t" and unicodedata.category(char) in {"Cc", "Cf", "Cs", "Zl", "Zp"}


def _escape(char: str) -> str:
    return char.encode("unicode_escape").decode()

"""Numbers and findings in words: what the alternative text and the tables say."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence


def number(value: float, digits: int = 3) -> str:
    """Return a number to this many significant digits, as prose writes it: `20,100`, `0.26`."""
    if not math.isfinite(value):
        return "–"
    if value == 0:
        return "0"
    size = math.floor(math.log10(abs(value)))
    rounded = round(value, digits - 1 - size)
    size = math.floor(math.log10(abs(rounded)))
    decimals = max(0, digits - 1 - size)
    text = f"{rounded:,.{decimals}f}"
    return text.replace("-", "−")


def short(value: float) -> str:
    """Return a number for a tick label: `20k`, `1.5M`, `0.05`."""
    size = abs(value)
    for limit, unit in ((1e9, "G"), (1e6, "M"), (1e4, "k")):
        if size >= limit:
            scaled = value / (1e3 if unit == "k" else limit)
            return f"{scaled:.4g}{unit}".replace("-", "−")
    return f"{value:.4g}".replace("-", "−") if size < 1000 else f"{value:,.0f}".replace("-", "−")


def tidy(value: float, digits: int = 3) -> str:
    """Return a number without zeros at its end: `0.25`, `3`."""
    text = number(value, digits)
    return text.rstrip("0").rstrip(".") if "." in text else text


def factor(value: float) -> str:
    """Return a ratio to three digits, or to as many as keep it from being told as 1: `0.9996`."""
    told = (tidy(value, digits) for digits in range(3, 8))
    return next((text for text in told if text != "1" or value == 1), "1")


def times(ratio: float) -> str:
    """Return a factor in words: `2.1 times`; what is told as `1.00 times` is not exactly 1."""
    text = tidy(ratio)
    return f"{number(ratio) if text == '1' and ratio != 1 else text} times"


def interval(low: float, high: float) -> str:
    """Return the ends of an interval of ratios in words: `0.843 to 0.963`; empty without one."""
    if not (math.isfinite(low) and math.isfinite(high)):
        return ""
    return f"{factor(low)} to {factor(high)}"


def count(n: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun: `1 pair`, `6 pairs`."""
    return f"{n:,} {noun if n == 1 else plural or noun + 's'}"


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


def ms(seconds: float) -> str:
    """Return a duration in milliseconds with its unit: `12.3 ms`."""
    return f"{number(seconds * 1e3)} ms"


def size(n_bytes: float) -> str:
    """Return a size with the binary unit that fits: `1 byte`, `64 KiB`, `1.5 MiB`."""
    if abs(n_bytes) < 1024:
        return "1 byte" if n_bytes == 1 else f"{tidy(n_bytes)} bytes"
    power = min(int(math.log(abs(n_bytes), 1024)), 3)
    n_bytes, unit = n_bytes / 1024**power, ("KiB", "MiB", "GiB")[power - 1]
    return f"{tidy(n_bytes, 4 if abs(n_bytes) >= 1000 else 3)} {unit}"


_UNITS = {
    **{unit: unit for unit in ("ms", "s", "ns", "kib", "mib", "bytes")},
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


def place(x: object, unit: str = "") -> str:
    """Return a value of x with its unit: `16 MiB`, `1,000 bytes`, `20 ms`, `nginx`."""
    if isinstance(x, bool) or not isinstance(x, (int, float)):
        return str(x)
    if unit in _BYTES and x >= 0:
        n = x * _BYTES[unit]
        whole = round(n)
        if n < 1024 or whole % 1024 == 0 or unit != "bytes":
            return size(max(whole, 1) if n else 0)
    text = f"{x:,.0f}" if float(x).is_integer() else tidy(x, 4)
    return f"{text} {unit}".strip().replace("-", "−")


_BYTES = {"bytes": 1, "KiB": 1024, "MiB": 2**20}

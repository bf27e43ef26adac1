"""Numbers and findings in words: what the alternative text and the tables say."""

from __future__ import annotations

import math
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


def tidy(value: float) -> str:
    """Return a number without zeros at its end: `0.25`, `3`."""
    text = number(value)
    return text.rstrip("0").rstrip(".") if "." in text else text


def _decimals(low: float, high: float) -> int | None:
    """Return the decimals an interval leaves standing: its first open digit is the last told."""
    width = high - low
    if not math.isfinite(width) or width <= 0:
        return None
    decimals = max(0, min(4, -math.floor(math.log10(width))))
    while low > 0 and round(low, decimals) == 0 and decimals < 3:
        decimals += 1  # a low end above 0 is not told as 0
    return decimals


def times(ratio: float, low: float = math.nan, high: float = math.nan) -> str:
    """Return a factor in words, rounded to what its interval leaves standing: `2.1 times`."""
    decimals = _decimals(low, high)
    if decimals is None:
        return f"{number(ratio, 2 if ratio < 10 else 3)} times"
    return f"{ratio:,.{max(decimals, 1 if ratio < 10 else 0)}f} times"


def interval(low: float, high: float) -> str:
    """Return an interval in words, both ends to the same decimal: `1.9 to 2.3`."""
    decimals = _decimals(low, high)
    if decimals is None:
        return "no interval"
    return f"{low:,.{decimals}f} to {high:,.{decimals}f}".replace("-", "−")


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
    """Return a size with the binary unit that fits: `64 KiB`, `1.5 MiB`."""
    for unit in ("bytes", "KiB", "MiB"):
        if abs(n_bytes) < 1024:
            return f"{number(n_bytes)} {unit}"
        n_bytes /= 1024
    return f"{number(n_bytes)} GiB"

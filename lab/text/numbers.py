"""Numbers as readers see them: rounded for prose, a tick, a ratio, with their unit or noun."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import ROUND_HALF_UP, Context, Decimal

_BINARY = {"KiB": 1024, "MiB": 2**20, "GiB": 2**30}
_BYTES = {"bytes": 1, "KiB": 1024, "MiB": 2**20}
_TICKS = ((1e9, 1e9, "G"), (1e6, 1e6, "M"), (1e4, 1e3, "k"))  # from, in units of


def number(value: float, digits: int = 3) -> str:
    """Return a number to this many significant digits, as prose writes it: `20,100`, `0.26`."""
    return _fixed(value, digits, ",").replace("-", "−") if math.isfinite(value) else "–"


def tidy(value: float, digits: int = 3) -> str:
    """Return a number without zeros at its end: `0.25`, `3`."""
    return _trimmed(number(value, digits))


def bare(value: float, digits: int = 3) -> str:
    """Return a number without zeros at its end, thousands not set apart, as ratios are: `3630`."""
    if not math.isfinite(value):
        return "?" if math.isnan(value) else "∞"
    return _trimmed(_fixed(value, digits))


def exact(value: float) -> str:
    """Return a number that may be a count: whole as it is, `65,536`, else to four digits."""
    return f"{value:,.0f}" if float(value).is_integer() else bare(value, 4)


def short(value: float) -> str:
    """Return a number for a tick label: `20k`, `1.5M`, `0.05`."""
    unit, name = next(((u, name) for low, u, name in _TICKS if abs(value) >= low), (1, ""))
    thousands = not name and abs(value) >= 1000
    text = f"{value:,.0f}" if thousands else bare(value / unit, 4) + name
    return text.replace("-", "−")


def factor(value: float, write: Callable[[float, int], str] = tidy) -> str:
    """Return a ratio to three digits, or to as many as keep it from being told as 1: `0.9996`."""
    told = (write(value, digits) for digits in range(3, 8))
    return next((text for text in told if text != "1" or value == 1), "1")


def within(value: float, low: float, high: float) -> str:
    """Return `value` rounded to two digits beyond the first that its interval leaves open
    (rule 20 of book/about/rules.md); what is not 1 is not rounded onto 1, since 1 decides, and
    what is not 0 not onto 0.
    """
    width = high - low
    if not (math.isfinite(value) and math.isfinite(width) and width > 0):
        return bare(value)
    decimals = min(max(1 - math.floor(math.log10(width)), 0), 4)
    while decimals < 4 and value != 1 and round(value, decimals) == 1:
        decimals += 1
    text = f"{value:.{decimals}f}" if value < 1000 else f"{value:.0f}"
    return text if float(text) or not value else bare(value, 2)


def half_up(value: float) -> str:
    """Return a number that somebody wrote: three digits that count, all before the point,
    thousands apart; a half goes up, as in numbers.js.
    """
    if value == 0 or not math.isfinite(value):
        return f"{value + 0:g}"
    digits = min(20, max(0, 2 - math.floor(math.log10(abs(value)))))
    step = Decimal(1).scaleb(-digits)
    rounded = Decimal(repr(float(value))).quantize(step, ROUND_HALF_UP, Context(400))
    return _trimmed(f"{rounded:,f}").replace("-", "−")


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


def ms(seconds: float) -> str:
    """Return a duration in milliseconds with its unit: `12.3 ms`."""
    return f"{number(seconds * 1e3)} ms"


def size(n_bytes: float) -> str:
    """Return a size with the binary unit that fits: `1 byte`, `64 KiB`, `1.5 MiB`."""
    if abs(n_bytes) < 1024:
        return "1 byte" if n_bytes == 1 else f"{tidy(n_bytes)} bytes"
    # What would be told as 1,024 of one is 1 of the next.
    fits = (unit for unit, n in _BINARY.items() if round(abs(n_bytes) / n) < 1024)
    unit = next(fits, "GiB")
    n_bytes /= _BINARY[unit]
    return f"{tidy(n_bytes, 4 if abs(n_bytes) >= 1000 else 3)} {unit}"


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


def _fixed(value: float, digits: int, comma: str = "") -> str:
    if value == 0:
        return "0"
    rounded = round(value, digits - 1 - math.floor(math.log10(abs(value))))
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(rounded))))
    return f"{rounded:{comma}.{decimals}f}"


def _trimmed(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text

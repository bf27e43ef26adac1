"""How wide a text is at most, and where it is broken."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

_WIDE = 0.65  # of a letter's height: a broad letter of most fonts


@lru_cache(maxsize=4096)
def text_width(text: str, size: float, weight: str = "normal") -> float:
    """Return the width in pixels at this size, in the font that layout uses; where matplotlib is
    not installed, as beside node-checkup, a width that is rather too large.
    """
    try:
        from matplotlib.font_manager import FontProperties
        from matplotlib.textpath import text_to_path
    except ImportError:
        return _WIDE * size * len(text)

    prop = FontProperties(family="DejaVu Sans", size=size, weight=weight)
    return float(text_to_path.get_text_width_height_descent(text, prop, False)[0])


def wrap(text: str, fits: Callable[[str], bool]) -> list[str]:
    """Return the text in lines that fit, broken at spaces."""
    lines: list[str] = []
    for word in text.split(" "):
        if lines and fits(f"{lines[-1]} {word}"):
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines

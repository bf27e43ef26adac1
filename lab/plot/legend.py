"""Names of series, and the key: a row of samples above the axes."""

from __future__ import annotations

from typing import Any, NamedTuple

from lab.plot.palette import SENTINELS, Look

INK = SENTINELS["ink"]
HOLLOW = {"*", "d"}  # the marks of values that we did not measure: published, predicted


class Label(NamedTuple):
    """A name for a series: where it ends, what it says and how the series looks."""

    y: float
    text: str
    look: Look | None = None
    colour: str = INK


class KeySample(NamedTuple):
    """One sample of a key: a line in its dash, a marker, a tint, or several of them."""

    text: str
    colour: str = INK
    marker: str = ""
    dash: Any = "none"
    fill: bool = False
    hollow: bool = False

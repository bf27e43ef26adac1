"""Names of series, and the key: a row of samples above the axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from .palette import SENTINELS, Look

if TYPE_CHECKING:
    from .canvas import Canvas

INK = SENTINELS["ink"]
HOLLOW = {"*", "d"}  # marks that somebody else made: published, predicted


class Label(NamedTuple):
    """A name for a series: where it ends, what it says and how the series looks."""

    y: float
    text: str
    look: Look | None = None
    colour: str = INK


class Entry(NamedTuple):
    """One sample of a key: a line in its dash, a marker, a tint, or several of them."""

    text: str
    colour: str = INK
    marker: str = ""
    dash: Any = "none"
    fill: bool = False


def draw_key(canvas: Canvas, entries: Sequence[Entry], top: float) -> float:
    """Draw a row of samples with names from `top` pixels on, and return how high it is."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Rectangle

    gap, row, x, y = 14.0, canvas.font * 1.6, 0.0, 0.0
    width, height = canvas.size.width, canvas.size.height
    for entry in entries:
        sample = 26.0 if entry.dash != "none" or entry.fill else 14.0
        text = canvas.clip(entry.text, width - sample - 8)
        length = sample + 5 + canvas.width_of(text)
        if x and x + length > width - 2:
            x, y = 0.0, y + row
        middle = top + y + row / 2
        at = 1 - middle / height
        style: dict[str, Any] = {"color": entry.colour, "linewidth": 2}
        if entry.fill:
            corner, extent = (x / width, at - 5 / height), (sample / width, 10 / height)
            canvas.figure.add_artist(
                Rectangle(corner, *extent, facecolor=entry.colour, edgecolor="none", alpha=0.3)
            )
        if entry.dash != "none":
            ends = [(x + 2) / width, (x + sample) / width]
            canvas.figure.add_artist(Line2D(ends, [at, at], linestyle=entry.dash, **style))
        if entry.marker:
            hollow = entry.marker in HOLLOW
            dot = Line2D(
                [(x + 1 + sample / 2) / width],
                [at],
                marker=entry.marker,
                markersize=11 if hollow else 7,
                markeredgewidth=1.3 if hollow else 0,
                linestyle="none",
                markerfacecolor="none" if hollow else entry.colour,
                **style,
            )
            canvas.figure.add_artist(dot)
        canvas.text(x + sample + 5, middle, text, va="center_baseline", gid="lab-key")
        x += length + gap
    return y + row + 4 if entries else 0.0

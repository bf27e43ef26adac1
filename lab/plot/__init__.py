"""Figures of the course: each shows itself, states its finding and carries its data.

Drawn with matplotlib, shown as inline SVG that follows the page's theme. Nothing here measures.
"""

from .arms import comparison
from .figure import Figure
from .forest import forest
from .histograms import histogram
from .latency import spectrum
from .marks import Band, Published
from .series import Line
from .simple import bars, dots, lines
from .sweeps import sweep
from .timelines import timeline

__all__ = [
    "Band",
    "Figure",
    "Line",
    "Published",
    "bars",
    "comparison",
    "dots",
    "forest",
    "histogram",
    "lines",
    "spectrum",
    "sweep",
    "timeline",
]

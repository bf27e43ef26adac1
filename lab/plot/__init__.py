"""Plots of the course: each shows itself, states its finding and carries its data.

    lab.plot.lines(rows, x="KiB", y="ms")       a plot that a cell shows; `rows` are mappings
    lab.plot.lines(rows, x="KiB", y="ms").data  the rows as drawn
    lab.plot.comparison(run, metric="p99")      the arms of a comparison, in ms

Drawn with matplotlib, shown as inline SVG that follows the page's theme. Nothing here measures.
"""

from lab.plot.arms import comparison
from lab.plot.figure import Figure
from lab.plot.forest import forest
from lab.plot.grids import grid
from lab.plot.histograms import histogram
from lab.plot.latency import spectrum
from lab.plot.overlays import Band, Published
from lab.plot.series import Line
from lab.plot.simple import bars, dots, lines
from lab.plot.sweeps import sweep
from lab.plot.timelines import timeline

__all__ = [
    "Band",
    "Figure",
    "Line",
    "Published",
    "bars",
    "comparison",
    "dots",
    "forest",
    "grid",
    "histogram",
    "lines",
    "spectrum",
    "sweep",
    "timeline",
]

"""Overlays on measured values: published numbers, predictions and bands of theory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from lab.errors import LabError
from lab.plot.legend import KeySample
from lab.plot.palette import SENTINELS
from lab.storage.gate import fit, shown


@dataclass(frozen=True)
class Band:
    """A band of theory behind the values: lower and upper y at each x, in the unit of the axis."""

    name: str
    xs: Sequence[Any]
    low: Sequence[float]
    high: Sequence[float]


Source = Literal["published", "theory"]


@dataclass(frozen=True)
class Published:
    """One figure that was not measured here: where it belongs, what it says, what it is called,
    e.g. `published 2013`, and whether somebody published it or theory says it.
    """

    x: Any
    y: float
    name: str = "published"
    source: Source = "published"


def _mark(source: Source) -> tuple[str, str]:
    """Marker and colour: what somebody published is a star, what theory says a diamond."""
    return ("d", SENTINELS["band"]) if source == "theory" else ("*", SENTINELS["published"])


def mark_entry(name: str, source: Source = "published") -> KeySample:
    """Return the sample of a key for single figures of this name."""
    marker, colour = _mark(source)
    return KeySample(name, colour, marker)


def draw_mark(axes: Any, xs: Sequence[float], ys: Sequence[float], source: Source) -> None:
    """Draw hollow marks at these places, joined by dots where they are the ends of a range."""
    marker, colour = _mark(source)
    axes.plot(
        xs,
        ys,
        color=colour,
        linestyle=(0, (1, 3)) if len(xs) > 1 else "none",
        linewidth=1.3,
        marker=marker,
        markersize=12,
        markerfacecolor="none",
        markeredgecolor=colour,
        markeredgewidth=1.3 if marker == "*" else 1.8,
        zorder=6,
        gid="lab-published",
    )


def draw_published(axes: Any, scale: Any, published: Sequence[Published]) -> None:
    """Draw each published figure as a hollow star, a predicted one as a diamond; the key names
    them.
    """
    for point in published:
        draw_mark(axes, [scale.place(point.x)], [point.y], point.source)


def draw_band(axes: Any, scale: Any, band: Band) -> None:
    """Fill between what theory bounds, with a dashed edge so that it is more than a tint."""
    xs = [scale.place(x) for x in band.xs]
    tint = SENTINELS["band"]
    axes.fill_between(xs, band.low, band.high, color=tint, alpha=0.22, linewidth=0, zorder=0.6)
    for edge in (band.low, band.high):
        if not any(edge):  # a bound has only one side
            continue
        axes.plot(xs, edge, color=tint, linestyle=(0, (2, 2)), linewidth=1.2, zorder=0.7)


def points(marks: Any) -> list[Published]:
    """Return published figures as points from Published, mappings or (x, y, name).

    Raises LabError for anything else.
    """
    fit("published", marks, Iterable[Any] | None)
    out = []
    for p in marks if marks is not None else ():
        if isinstance(p, Published):
            out.append(p)
        elif isinstance(p, Mapping) and {"x", "y"} <= set(p):
            source = p.get("source", "published")
            fit("source", source, Source)
            out.append(Published(p["x"], float(p["y"]), str(p.get("name", source)), source))
        elif isinstance(p, Sequence) and not isinstance(p, str) and len(p) in (2, 3):
            name = str(p[2]) if len(p) > 2 else "published"
            out.append(Published(p[0], float(p[1]), name))
        else:
            raise LabError(f"a published point is {{'x': …, 'y': …, 'name': …}}; got {shown(p)}")
    return out


def behind(
    bands: Sequence[Band] = (), recorded_name: str = "", marks: Sequence[Published] = ()
) -> list[KeySample]:
    """Return the key of what stands behind the measured series."""
    # All bands look alike, so several bands share one entry of the key.
    names = [b.name for b in bands] if len(bands) < 2 else ["predicted"]
    entries = [KeySample(name, SENTINELS["band"], dash=(0, (2, 2)), fill=True) for name in names]
    if recorded_name:
        entries.append(KeySample(recorded_name, SENTINELS["recorded"], dash="-"))
    samples = dict.fromkeys((p.name, p.source) for p in marks)
    return entries + [mark_entry(*sample) for sample in samples]

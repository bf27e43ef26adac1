"""What stands beside the measured: published figures, predictions and bands of theory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lab.errors import LabError
from lab.plot.legend import KeySample
from lab.plot.palette import SENTINELS
from lab.storage.gate import fit, shown


@dataclass(frozen=True)
class Band:
    """What theory says, drawn behind: lower and upper y at each x, in the unit of the axis."""

    name: str
    xs: Sequence[Any]
    low: Sequence[float]
    high: Sequence[float]


@dataclass(frozen=True)
class Published:
    """One published figure: where it belongs and what it says, e.g. `published 2013`."""

    x: Any
    y: float
    name: str = "published"


def is_predicted(name: str) -> bool:
    """Return whether what is marked under this name was reckoned and not measured."""
    return any(word in name.lower() for word in ("predict", "theory", "arithmetic"))


def source_of(name: str) -> str:
    """Return what the data say of such a mark in their column `source`."""
    return "theory" if is_predicted(name) else "published"


def _mark(name: str) -> tuple[str, str, str]:
    """Marker, colour and class: what somebody published is a star, what theory says a diamond."""
    kind = "band" if is_predicted(name) else "published"
    return ("d" if kind == "band" else "*", SENTINELS[kind], "lab-published")


def mark_entry(name: str) -> KeySample:
    """Return the sample of a key for single figures of this name."""
    marker, colour, _ = _mark(name)
    return KeySample(name, colour, marker)


def draw_mark(axes: Any, xs: Sequence[float], ys: Sequence[float], name: str) -> None:
    """Draw hollow marks at these places, joined by dots where they are the ends of a range."""
    marker, colour, group = _mark(name)
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
        gid=group,
    )


def draw_published(axes: Any, scale: Any, published: Sequence[Published]) -> None:
    """Draw each published figure as a hollow star, a predicted one as a diamond; the key names
    them.
    """
    for point in published:
        draw_mark(axes, [scale.place(point.x)], [point.y], point.name)


def draw_band(axes: Any, scale: Any, band: Band) -> None:
    """Fill between what theory bounds, with a dashed edge so that it is more than a tint."""
    xs = [scale.place(x) for x in band.xs]
    tint = SENTINELS["band"]
    axes.fill_between(xs, band.low, band.high, color=tint, alpha=0.22, linewidth=0, zorder=0.6)
    for edge in (band.low, band.high):
        if not any(edge):  # a bound has one side only
            continue
        axes.plot(xs, edge, color=tint, linestyle=(0, (2, 2)), linewidth=1.2, zorder=0.7)


def points(published: Any) -> list[Published]:
    """Return published figures as points from Published, mappings or (x, y, name).

    Raises LabError for anything else.
    """
    fit("published", published, Iterable[Any] | None)
    out = []
    for p in published if published is not None else ():
        if isinstance(p, Published):
            out.append(p)
        elif isinstance(p, Mapping) and {"x", "y"} <= set(p):
            out.append(Published(p["x"], float(p["y"]), str(p.get("name", "published"))))
        elif isinstance(p, Sequence) and not isinstance(p, str) and len(p) in (2, 3):
            out.append(Published(p[0], float(p[1]), *map(str, p[2:])))
        else:
            raise LabError(f"a published point is {{'x': …, 'y': …, 'name': …}}; got {shown(p)}")
    return out


def behind(
    bands: Sequence[Band] = (), recorded: str = "", published: Sequence[Published] = ()
) -> list[KeySample]:
    """Return the key of what stands behind the measured series."""
    # All bands look alike, each behind its own series: several of them share one entry.
    said = [b.name for b in bands] if len(bands) < 2 else ["predicted"]
    entries = [KeySample(name, SENTINELS["band"], dash=(0, (2, 2)), fill=True) for name in said]
    if recorded:
        entries.append(KeySample(recorded, SENTINELS["recorded"], dash="-"))
    return entries + [mark_entry(name) for name in dict.fromkeys(p.name for p in published)]

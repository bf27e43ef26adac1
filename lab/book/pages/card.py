"""The picture that a link to the site is shown with elsewhere: the forest plot of the verdicts."""

from __future__ import annotations

import hashlib
import math
from pathlib import Path
from typing import Any

from lab.book.pages import verdicts
from lab.book.pipeline.build import Build
from lab.book.site.pagefacts import CARD
from lab.plot.palette import THEMES
from lab.plot.series import Line
from lab.plot.ticks import ratio_ticks
from lab.text.numbers import short

WIDTH, HEIGHT = 1200, 630  # the size that Open Graph requires
COLOURS = {name: light for name, (light, _) in THEMES.items()}


def write(build: Build, title: str, out: Path) -> None:
    """Draw the verdicts of this build as a PNG, unless the file there shows the same already;
    without verdicts there is none.
    """
    lines = verdicts.lines(build)
    file = out / CARD
    if not lines:
        file.unlink(missing_ok=True)
        return
    source = (
        b"".join(file.read_bytes() for file in (Path(__file__), *verdicts.CODE))
        + repr((title, lines)).encode()
    )
    digest = hashlib.sha256(source).hexdigest()
    if file.exists() and digest.encode() in file.read_bytes():
        return
    draw(lines, title).savefig(file, dpi=100, metadata={"Comment": digest, "Software": None})


def draw(lines: list[Line], title: str) -> Any:
    """Return a matplotlib figure: a row a claim, ours as a dot with its interval, theirs a star."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH / 100, HEIGHT / 100), dpi=100, facecolor=COLOURS["paper"])
    axes = figure.add_axes((0.36, 0.11, 0.605, 0.68))
    figure.text(0.035, 0.9, title, fontsize=31, weight="bold", color=COLOURS["ink"])
    key = "published (stars) and measured again (dots, 95 % interval; hollow: no verdict)"
    figure.text(0.035, 0.835, f"Claims about speed: {key}", fontsize=16, color=COLOURS["muted"])
    axes.axvline(1, color=COLOURS["axis"], linewidth=1.6)
    for row, line in enumerate(lines):
        low, high = (end if math.isfinite(end) else line.estimate for end in (line.low, line.high))
        if not line.undecided:  # the picture has no room for the reason of a missing verdict
            axes.plot([low, high], [row, row], color=COLOURS["1"], linewidth=3)
        fill = COLOURS["paper" if line.undecided else "1"]
        axes.plot(line.estimate, row, "o", color=COLOURS["1"], markersize=9, markerfacecolor=fill)
        theirs = line.theirs
        axes.plot(
            theirs,
            [row] * len(theirs),
            "*:",
            color=COLOURS["published"],
            markersize=15,
            markerfacecolor="none",
            markeredgewidth=1.4,
        )
    axes.set_xscale("log")
    axes.set_ylim(len(lines) - 0.4, -0.6)
    axes.set_yticks(range(len(lines)), [line.name for line in lines])
    size = max(8.0, min(15.0, 260 / len(lines)))
    axes.tick_params(axis="y", length=0, labelsize=size, labelcolor=COLOURS["ink"])
    ticks = ratio_ticks(*axes.get_xlim(), 0.08)
    axes.set_xticks(ticks, [f"{short(t)}×" for t in ticks])
    axes.set_xticks([], minor=True)
    axes.tick_params(axis="x", labelsize=14, labelcolor=COLOURS["muted"], color=COLOURS["axis"])
    for side in ("top", "left", "right"):
        axes.spines[side].set_visible(False)
    axes.spines["bottom"].set_color(COLOURS["axis"])
    return figure

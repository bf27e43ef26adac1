"""One drawing surface in two sizes: what all figures share, from tick labels to direct labels.

Each figure is drawn twice, wide for a page and narrow for a phone, because scaling one drawing
makes its text unreadable. A drawing function gets a Canvas and asks it for axes; sizes are CSS
pixels (matplotlib's point is made one pixel). Layout uses DejaVu Sans, which comes with matplotlib
and is wider than the fonts pages use: what fits here fits there.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any, NamedTuple

from lab.plot.legend import HOLLOW, KeySample, Label
from lab.plot.palette import SENTINELS
from lab.plot.text import text_width, wrap
from lab.plot.ticks import spread
from lab.text.phrasing import printable

_DPI = 72
INK, MUTED, AXIS, GRID = (SENTINELS[name] for name in ("ink", "muted", "axis", "grid"))


LOG = "(log scale)"


class Size(NamedTuple):
    """Width, height and font size of one drawing, in CSS pixels."""

    width: float
    height: float
    font: float


class Canvas:
    """A figure under construction; `narrow` tells a drawing function which of the two it makes."""

    def __init__(self, size: Size, *, narrow: bool, stamps: Sequence[str] = ()) -> None:
        from matplotlib.figure import Figure

        self.size = size
        self.narrow = narrow
        self.font = size.font
        self._top = 2.0
        self.panel_width = size.width * 0.8
        self.row_gap = 0.03  # of a row's height: between axes one above the other
        self.figure = Figure(
            figsize=(size.width / _DPI, size.height / _DPI), dpi=_DPI, layout="constrained"
        )
        self.figure.patch.set_visible(False)
        self._titles: dict[Any, Any] = {}
        if stamps:
            self._stamp(" · ".join(stamps))

    # -- axes -------------------------------------------------------------------------------
    def axes(self, y_label: str, x_label: str = "") -> Any:
        """Return the one pair of axes of a simple figure."""
        return self.lanes([y_label], x_label)[0]

    def lanes(
        self, y_labels: Sequence[str], x_label: str, heights: Sequence[float] | None = None
    ) -> list[Any]:
        """Return axes one above the other that share x; each says what it shows at its top left."""
        grid = self.figure.subplots(
            len(y_labels), 1, sharex=True, squeeze=False, height_ratios=heights
        )
        lanes = [row[0] for row in grid]
        for axes, label in zip(lanes, y_labels, strict=True):
            _plain(axes, self.font)
            self._title(axes, label)
        lanes[-1].set_xlabel(printable(x_label), color=MUTED, fontsize=self.font, labelpad=6)
        return lanes

    def panels(self, labels: Sequence[str], weights: Sequence[float]) -> list[Any]:
        """Return axes side by side, one above the other on a phone; labels at their top left."""
        n = len(labels)
        self.panel_width = self.size.width * (0.9 if self.narrow else 0.8 / n)
        if self.narrow:
            heights = [w + 0.8 for w in weights[:n]]
            grid = self.figure.subplots(n, 1, squeeze=False, height_ratios=heights).ravel()
        else:
            grid = self.figure.subplots(1, n, squeeze=False).ravel()
        for axes, label in zip(grid, labels, strict=True):
            _plain(axes, self.font)
            self._title(axes, label)
        return list(grid)

    def _title(self, axes: Any, label: str) -> None:
        if label:
            style = {"fontsize": self.font, "color": MUTED, "pad": 7}
            self._titles[axes] = axes.set_title(printable(label), loc="left", **style)

    def is_log(self, axes: Any, axis: str) -> None:
        """Say in the label of x or y that the scale is logarithmic, where there is room."""
        if axis == "y" or not axes.get_xlabel():
            title = self._titles.get(axes)
            if title is not None:
                title.set_text(self._with_log(title.get_text(), self.panel_width))
        else:
            axes.set_xlabel(self._with_log(axes.get_xlabel(), self.size.width * 0.9))

    def _with_log(self, label: str, room: float) -> str:
        told = (f"{label} {log}" for log in (LOG, "(log)"))
        fits = (text for text in told if self.width_of(text) <= room)
        return label if label.endswith((LOG, "(log)")) else next(fits, label)

    # -- words on the figure ------------------------------------------------------------------
    def width_of(self, text: str, size: float | None = None, weight: str = "normal") -> float:
        """Return how wide a text is at most, in pixels."""
        return text_width(printable(text), size or self.font, weight)

    def clip(self, text: str, width: float) -> str:
        """Return the text, cut with an ellipsis where it would be wider than this many pixels."""
        text = printable(text)
        if self.width_of(text) <= width:
            return text
        while text and self.width_of(text + "…") > width:
            text = text[:-1]
        return text.rstrip() + "…"

    def in_lines(self, text: str, width: float, at_most: int = 2) -> str:
        """Return the text in one line or more, each at most this many pixels wide. What the last
        of `at_most` lines has no room for is cut off.
        """
        lines = wrap(printable(text), lambda line: self.width_of(line) <= width)
        if any(self.width_of(line) > width for line in lines[: at_most - 1]):
            return self.clip(text, width)  # a word that is too long has no second line
        kept = lines[: at_most - 1] + [" ".join(lines[at_most - 1 :])] * (len(lines) >= at_most)
        return "\n".join(self.clip(line, width) for line in kept)

    def text(self, x: float, y: float, text: str, **kwargs: Any) -> Any:
        """Write at a place in pixels from the top left of the whole figure."""
        kwargs.setdefault("color", INK)
        kwargs.setdefault("fontsize", self.font)
        return self.figure.text(
            x / self.size.width, 1 - y / self.size.height, printable(text), **kwargs
        )

    def key(self, entries: Sequence[KeySample]) -> None:
        """Draw a row of samples with names above the axes: line, marker or tint, then the name."""
        self._top += _draw_key(self, entries, self._top)

    def end_labels(self, axes: Any, labels: Sequence[Label]) -> None:
        """Write each series' name at its right end, moved apart where they would touch."""
        if not labels:
            return
        self.settle()
        low, high = axes.get_window_extent().y0, axes.get_window_extent().y1
        places = [float(axes.transData.transform((0, label.y))[1]) for label in labels]
        places = spread(places, self.font * 1.3, low, high)
        for place, label in zip(places, labels, strict=True):
            axes.annotate(
                printable(label.text),
                xy=(1, (place - low) / (high - low)),
                xycoords="axes fraction",
                xytext=(9, 0),
                textcoords="offset points",
                va="center",
                ha="left",
                color=label.look.colour if label.look else label.colour,
                fontsize=self.font,
                annotation_clip=False,
            )

    def names(self, axes: Any, labels: Sequence[Label], behind: Sequence[KeySample] = ()) -> None:
        """Name the series: at their ends where there is room, else in a key above the axes.

        behind : what stands in the background (band, recorded, published), always in the key.
        """
        widest = max((self.width_of(label.text) for label in labels), default=0)
        in_key = self.narrow or widest > self.size.width * 0.26
        entries = [
            KeySample(label.text, label.look.colour, label.look.marker, label.look.dash)
            for label in labels
            if label.look and in_key
        ]
        self.key([*entries, *behind])
        if not in_key:
            self.end_labels(axes, sorted(labels, key=lambda label: label.y))

    def note(self, axes: Any, text: str, *, corner: str = "upper right") -> None:
        """Write a quiet remark inside the axes."""
        vertical, horizontal = corner.split()
        axes.annotate(
            printable(text),
            xy=(1 if horizontal == "right" else 0, 1 if vertical == "upper" else 0),
            xycoords="axes fraction",
            xytext=(-4 if horizontal == "right" else 4, -4 if vertical == "upper" else 5),
            textcoords="offset points",
            ha=horizontal,
            va="top" if vertical == "upper" else "bottom",
            color=MUTED,
            fontsize=self.font,
            gid="lab-halo",
        )

    def _stamp(self, words: str) -> None:
        room = self.size.width - 24
        lines = wrap(words, lambda text: self.width_of(text, weight="bold") <= room)
        for line in lines:
            self.text(
                8,
                self._top + self.font * 0.95,
                line,
                color=SENTINELS["fail"],
                va="center_baseline",
                fontweight="bold",
                gid="lab-stamp",
                bbox={
                    "boxstyle": "round,pad=0.35",
                    "facecolor": "none",
                    "edgecolor": SENTINELS["fail"],
                    "linewidth": 1.3,
                },
            )
            self._top += self.font * 2.0
        self._top += 3

    # -- out --------------------------------------------------------------------------------
    def settle(self) -> None:
        """Run the layout, so that places in pixels can be asked for."""
        top = 1 - self._top / self.size.height
        engine: Any = self.figure.get_layout_engine()
        engine.set(
            rect=(0.004, 0.006, 0.992, top - 0.006),
            w_pad=0.02,
            h_pad=0.02,
            hspace=self.row_gap,
            wspace=0.06,
        )
        engine.execute(self.figure)

    def source(self) -> str:
        """Return what matplotlib writes for this figure, as SVG text."""
        from matplotlib.backends.backend_svg import FigureCanvasSVG

        for axes in self._titles:
            if axes.get_yscale() == "log":
                self.is_log(axes, "y")
        self.settle()
        self._keep_inside()
        # The layout is done. `savefig` would run the layout twice more, and draw once for nothing.
        self.figure.set_layout_engine("none")
        out = io.StringIO()
        FigureCanvasSVG(self.figure).print_svg(out, metadata={"Date": None})
        return out.getvalue()

    def _keep_inside(self) -> None:
        """Move what the axes say back in where it would end beyond the edge, as on a phone."""
        edge = self.figure.bbox.width - 2
        for axes in self.figure.axes:
            across = axes.get_window_extent().width
            labels: list[Any] = [axes.xaxis.label, self._titles.get(axes)]
            for label in labels:
                if label is None or not label.get_text():
                    continue
                box = label.get_window_extent()
                # Layout measures hinted letters, and an SVG has letters as they were designed: in
                # some versions of matplotlib a text is wider than layout has it.
                missing = max(0.0, self._drawn_width(label) - box.width)
                end = box.x1 + (
                    missing if label.get_horizontalalignment() == "left" else missing / 2
                )
                beyond = min(end - edge, box.x0 - 2)
                if beyond > 0:
                    label.set_x(label.get_position()[0] - beyond / across)

    def _drawn_width(self, label: Any) -> float:
        size, weight = label.get_fontsize(), label.get_fontweight()
        return max(self.width_of(line, size, weight) for line in label.get_text().split("\n"))


def _plain(axes: Any, font: float) -> None:
    axes.patch.set_visible(False)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.spines["bottom"].set_color(AXIS)
    axes.grid(axis="y", color=GRID, linewidth=1)
    axes.set_axisbelow(True)
    axes.tick_params(axis="y", length=0, labelsize=font, labelcolor=MUTED, pad=5)
    axes.tick_params(axis="x", length=4, labelsize=font, labelcolor=MUTED, color=AXIS)


def _draw_key(canvas: Canvas, entries: Sequence[KeySample], top: float) -> float:
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
            theirs = entry.marker in HOLLOW
            fill = "none" if theirs else entry.colour
            dot = Line2D(
                [(x + 1 + sample / 2) / width],
                [at],
                marker=entry.marker,
                markersize=11 if theirs else 7,
                markeredgewidth=1.3 if theirs or entry.hollow else 0,
                linestyle="none",
                markerfacecolor=SENTINELS["paper"] if entry.hollow else fill,
                **style,
            )
            canvas.figure.add_artist(dot)
        canvas.text(x + sample + 5, middle, text, va="center_baseline", gid="lab-key")
        x += length + gap
    return y + row + 4 if entries else 0.0

"""A drawing function as SVG text, in the house style whatever matplotlib is set to."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence

from lab.plot.canvas import AXIS, INK, MUTED, Canvas, Size


def drawn(
    draw: Callable[[Canvas], None], size: Size, *, narrow: bool, stamps: Sequence[str] = ()
) -> str:
    """Return matplotlib's SVG of a drawing function, in the house style and always the same."""
    import matplotlib

    settings = {
        "svg.fonttype": "none",
        "svg.hashsalt": "lab",
        "font.family": ["DejaVu Sans"],
        "font.size": size.font,
        "axes.unicode_minus": True,
        "text.usetex": False,
        "text.parse_math": False,
        "text.color": INK,
        "axes.labelcolor": MUTED,
        "axes.edgecolor": AXIS,
        "xtick.color": AXIS,
        "ytick.color": AXIS,
        "lines.linewidth": 2,
        "lines.solid_capstyle": "round",
        "lines.scale_dashes": False,
        "path.simplify": True,
        "path.simplify_threshold": 0.3,
        "patch.edgecolor": INK,
        "hatch.color": AXIS,
    }
    # matplotlib validates every setting again, so only settings that differ are set back.
    now, usual = dict(matplotlib.rcParams.copy()), dict(matplotlib.rcParamsDefault.copy())
    changed = {key: value for key, value in usual.items() if now[key] != value}
    with (
        matplotlib.rc_context({**changed, **settings}),
        warnings.catch_warnings(),
    ):
        # The fonts of the page have the glyph. matplotlib only guessed its width.
        warnings.filterwarnings("ignore", "Glyph .* missing from font")
        canvas = Canvas(size, narrow=narrow, stamps=stamps)
        draw(canvas)
        return canvas.source()

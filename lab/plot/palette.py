"""The colours of every figure: one name, two themes, and the sentinel matplotlib draws with.

matplotlib needs hex colours; the page needs CSS variables. So figures are drawn in sentinels that
occur nowhere else, and `lab.plot.svg` replaces each by `var(--lab-<name>, <light value>)`. The dark
values are set by `book/_static/lab.css` and, for JupyterLab, by the style inside each figure.
"""

from __future__ import annotations

from dataclasses import dataclass

# name: (light, dark). Text >= 4.5:1 and marks >= 3:1 on both papers (a test computes it).
THEMES: dict[str, tuple[str, str]] = {
    "ink": ("#1b1f24", "#e6e9ed"),
    "muted": ("#57606a", "#a9b1ba"),
    "axis": ("#868f99", "#7d8691"),
    "grid": ("#d8dde3", "#333a42"),
    "paper": ("#ffffff", "#121212"),
    "recorded": ("#7b838c", "#8b949e"),
    "band": ("#8c7a3d", "#b8a45c"),
    "published": ("#1b1f24", "#e6e9ed"),
    "ok": ("#176f3d", "#5fcf8a"),
    "warn": ("#8a5300", "#f0b429"),
    "fail": ("#b42318", "#ff8a80"),
    "less": ("#6b3fa0", "#c9a6ff"),
    "1": ("#0b5cad", "#6cb4ff"),
    "2": ("#b3410e", "#ff9a5c"),
    "3": ("#0a7055", "#45cfa0"),
    "4": ("#8338a8", "#d09bf0"),
    "5": ("#7a5c00", "#dfc04a"),
    "6": ("#b01e68", "#ff8abb"),
}

# Variables of JupyterLab that take precedence over our light value, so that ink follows the theme.
_JUPYTER = {
    "ink": "--jp-content-font-color1",
    "published": "--jp-content-font-color1",
    "muted": "--jp-content-font-color2",
    "paper": "--jp-layout-color0",
}

SENTINELS: dict[str, str] = {name: f"#fe{i:02x}ed" for i, name in enumerate(THEMES, start=1)}
_BY_SENTINEL = {value: name for name, value in SENTINELS.items()}

MARKERS = ("o", "s", "^", "D", "v", "P")
DASHES: tuple[object, ...] = (
    "-",
    (0, (6, 2)),
    (0, (1.2, 1.8)),
    (0, (7, 2, 1.5, 2)),
    (0, (3, 1.5)),
    (0, (9, 2, 1.5, 2, 1.5, 2)),
)


@dataclass(frozen=True)
class Look:
    """How one arm is drawn: colour name, marker and dash differ together."""

    name: str
    marker: str
    dash: object

    @property
    def colour(self) -> str:
        """The sentinel to hand to matplotlib."""
        return SENTINELS[self.name]


def look(index: int) -> Look:
    """Return the look of the arm with this index; after six the looks repeat."""
    i = index % 6
    return Look(str(i + 1), MARKERS[i], DASHES[i])


def variable(colour: str) -> str:
    """Return the CSS value for a sentinel: `var(--lab-1, #0b5cad)`.

    Raises ValueError for a colour that is no sentinel: it would not follow the reader's theme.
    """
    name = _BY_SENTINEL.get(colour.lower())
    if name is None:
        raise ValueError(
            f"the colour {colour} does not follow the theme. Draw with lab.plot.palette.SENTINELS"
        )
    light = THEMES[name][0]
    if name in _JUPYTER:
        return f"var(--lab-{name}, var({_JUPYTER[name]}, {light}))"
    return f"var(--lab-{name}, {light})"


def declarations(theme: str) -> str:
    """Return the custom properties of a theme ("light" or "dark") as CSS declarations."""
    column = ("light", "dark").index(theme)
    return ";".join(f"--lab-{name}:{values[column]}" for name, values in THEMES.items())

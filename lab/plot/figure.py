"""A figure as the page gets it: two drawings, the finding in words, and the data one click away."""

from __future__ import annotations

import csv
import hashlib
import io
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote

from lab.errors import LabError
from lab.plot.canvas import Canvas, Size
from lab.plot.drawing import drawn
from lab.plot.palette import declarations
from lab.plot.svg import compact, view_box
from lab.text.phrasing import printable, unbroken

WIDE = Size(680, 320, 12.5)
NARROW = Size(340, 350, 13)

# Only system fonts, because a figure must look the same offline. The layout used wider glyphs.
FONTS = (
    "system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue','Liberation Sans',Arial,sans-serif"
)

# The first drawing contains the style, so that a figure is complete wherever its HTML ends up.
_STYLE = (
    ".lab-figure{container-type:inline-size;margin:1.2em 0;max-width:720px}"
    ".lab-figure svg{display:block;width:100%;height:auto;overflow:visible}"
    f".lab-figure text{{font-family:{FONTS}}}"
    ".lab-figure .lab-halo text{paint-order:stroke;stroke:var(--lab-paper,"
    "var(--jp-layout-color0,#fff));stroke-width:4px;stroke-linejoin:round}"
    ".lab-figure svg.lab-narrow{display:none;max-width:430px}"
    ".lab-figure figcaption{font-size:.9em;line-height:1.45;margin-top:.4em;"
    "color:var(--lab-muted,var(--jp-content-font-color2,#57606a))}"
    "@container (max-width:599px){.lab-figure svg.lab-wide{display:none}"
    ".lab-figure svg.lab-narrow{display:block}}"
    f":is([data-jp-theme-light=false],.vscode-dark) .lab-figure{{{declarations('dark')}}}"
)

# How often this process has shown each content. The second figure of a content gets new ids.
_shown: Counter[str] = Counter()
# The contents that were shown under each file name. Two downloads must not overwrite each other.
_named: dict[str, list[str]] = {}

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Figure:
    """What a plot returns: shows itself in notebook and book, and can be saved.

    name : file name without ending; title : what is drawn; alt : the finding, in words, computed
    from the data; caption : a few words under the figure; data : rows as drawn; notes : where and
    when it was measured; stamps : words for each check that failed.
    """

    name: str
    title: str
    alt: str
    caption: str
    draw: Callable[[Canvas], None] = field(repr=False)
    data: Sequence[Row] = field(repr=False)
    notes: Sequence[str] = ()
    stamps: Sequence[str] = ()
    wide: Size = WIDE
    narrow: Size = NARROW

    @property
    def description(self) -> str:
        """The alternative text: the finding, then what a stamp on the figure says."""
        if not self.stamps:
            return self.alt
        return f"{self.alt} On the plot: {'; '.join(self.stamps)}."

    @cached_property
    def csv(self) -> str:
        """The data as CSV, a header line first."""
        rows = [dict(row) for row in self.data]
        columns = list(dict.fromkeys(key for row in rows for key in row))
        if self.stamps and "warnings" not in columns:  # these rows are not trials
            columns.append("stamped")
            rows = [{**row, "stamped": "; ".join(self.stamps)} for row in rows]
        out = io.StringIO()
        writer = csv.DictWriter(out, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows({key: _cell(value) for key, value in row.items()} for row in rows)
        return out.getvalue()

    @property
    def file_name(self) -> str:
        """The name without ending, safe in any file system."""
        return re.sub(r"[^a-z0-9]+", "-", self.name.lower()).strip("-")[:80] or "figure"

    @property
    def _own_name(self) -> str:
        """The name without ending that no other content has on this page."""
        same = _named.setdefault(self.file_name, [])
        if self._key not in same:
            same.append(self._key)
        n = same.index(self._key) + 1
        return self.file_name if n == 1 else f"{self.file_name}-{n}"

    @cached_property
    def _key(self) -> str:
        content = "\n".join([self.name, self.title, self.description, self.caption, self.csv])
        return hashlib.sha256(content.encode()).hexdigest()[:8]

    @cached_property
    def _sources(self) -> tuple[str, str]:
        return (
            drawn(self.draw, self.wide, narrow=False, stamps=self.stamps),
            drawn(self.draw, self.narrow, narrow=True, stamps=self.stamps),
        )

    def _svg(
        self, prefix: str, *, narrow: bool, style: str = "", attributes: str = "", words: str = ""
    ) -> str:
        """One drawing; `words` is the prefix of another that has its title and description."""
        source = self._sources[int(narrow)]
        font = (self.narrow if narrow else self.wide).font
        width, height = view_box(source)
        body = compact(source, prefix=prefix, font_px=font)
        told = words or prefix
        return (
            f'<svg class="lab-{"narrow" if narrow else "wide"}" role="img" '
            f'aria-labelledby="{told}-t" aria-describedby="{told}-d" '
            f'viewBox="0 0 {width:g} {height:g}" '
            f'width="{width:g}" height="{height:g}" font-size="{font:g}" '
            f'stroke-linejoin="round"{attributes}>'
            f"{'' if words else self._words(prefix)}"
            f"{f'<style>{style}</style>' if style else ''}"
            f'<g aria-hidden="true">{body}</g></svg>'
        )

    def _words(self, prefix: str) -> str:
        title, said = (escape(printable(text)) for text in (self.title, self.description))
        return f'<title id="{prefix}-t">{title}</title><desc id="{prefix}-d">{said}</desc>'

    @property
    def svg(self) -> str:
        """The wide drawing as a file of its own, following the viewer's light or dark setting."""
        style = (
            f"text{{font-family:{FONTS}}}svg{{{declarations('light')};background:var(--lab-paper)}}"
            f"@media (prefers-color-scheme:dark){{svg{{{declarations('dark')}}}}}"
        )
        xmlns = ' xmlns="http://www.w3.org/2000/svg"'
        return self._svg(f"lab-{self._key}", narrow=False, style=style, attributes=xmlns)

    @property
    def data_uri(self) -> str:
        """The data as a `data:` link: works from a file and offline."""
        return "data:text/csv;charset=utf-8," + quote(self.csv, safe="(),:;/ -_.").replace(
            " ", "%20"
        )

    def _repr_html_(self) -> str:
        _shown[self._key] += 1
        again = _shown[self._key]
        prefix = f"lab-{self._key}" + (f"-{again}" if again > 1 else "")
        notes = "".join(f' <span class="lab-note">{_sentence(note)}</span>' for note in self.notes)
        return (
            f'<figure class="lab-figure" id="{prefix}">'
            f"{self._svg(prefix + 'w', narrow=False, style=_STYLE)}"
            f"{self._svg(prefix + 'n', narrow=True, words=prefix + 'w')}"
            f"<figcaption>{_sentence(self.caption)}{notes} "
            f'<a class="lab-data" download="{self._own_name}.csv" href="{self.data_uri}" '
            f'aria-label="data of this plot: {escape(self.caption)} (CSV)">data</a>'
            f"</figcaption></figure>"
        )

    def __repr__(self) -> str:
        return self.description

    def save(self, path: str | Path) -> Path:
        """Write the figure; the ending decides: .svg, .html (as on a page) or .csv (its data).

        Returns the path. Raises LabError for another ending.
        """
        path = Path(path)
        writers = {".svg": lambda: self.svg, ".html": self._repr_html_, ".csv": lambda: self.csv}
        if path.suffix not in writers:
            raise LabError(f"cannot save a plot as {path.name!r}: end it in .svg, .html or .csv")
        path.write_text(writers[path.suffix](), encoding="utf-8")
        return path


def _sentence(text: str) -> str:
    first = text[:1] if text[1:2].isdigit() else text[:1].upper()  # p99 stays p99
    return escape(unbroken(f"{first}{text[1:].rstrip('.')}."))


def _cell(value: Any) -> Any:
    if isinstance(value, float):
        return f"{value:.6g}"
    # A spreadsheet runs a cell that begins like a formula, and an arm may have any name.
    if isinstance(value, str) and value[:1] in {"=", "+", "@", "\t"}:
        return "'" + value
    return value

"""The badges of README: facts that the repository knows, in a picture that comes with it.

`python -m lab.book picture` writes docs/badges.svg. A badge of a workflow needs the address of the
repository, which only its owner has: OWNER.md.
"""

from __future__ import annotations

import tomllib
from html import escape

from lab import paths
from lab.plot.text import text_width
from lab.processes import nodes
from lab.storage.written import write

FILE = paths.ROOT / "docs" / "badges.svg"
HEIGHT, SIZE, PADDING, GAP = 22, 12, 8, 6  # px
LABEL, VALUE, LETTERS = "#3d444d", "#0b5cad", "#ffffff"
TEXT_LICENCE = "CC BY 4.0"  # LICENSE-TEXT


def facts() -> dict[str, str]:
    """Return label and value of each badge."""
    project = tomllib.loads((paths.ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return {
        "version": project["version"],
        "Node": ", ".join(map(str, nodes.SUPPORTED)),
        "Python": f"{project['requires-python'].removeprefix('>=')} or newer",
        "licence": f"{project['license']}, text {TEXT_LICENCE}",
    }


def words() -> str:
    """Return the badges in words, for README's alternative text."""
    return "; ".join(f"{label} {value}" for label, value in facts().items())


def file_text() -> str:
    """Return the badges as a file, readable on a light and on a dark page."""
    parts, x = [], 0
    for label, value in facts().items():
        for text, colour in ((label, LABEL), (value, VALUE)):
            width = round(text_width(text, SIZE)) + 2 * PADDING
            parts.append(
                f'<rect x="{x}" width="{width}" height="{HEIGHT}" fill="{colour}"/>'
                f'<text x="{x + width / 2:g}" y="15.5">{escape(text)}</text>'
            )
            x += width
        x += GAP
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{x - GAP}" height="{HEIGHT}" '
        f'viewBox="0 0 {x - GAP} {HEIGHT}" role="img" aria-label="{escape(words())}">'
        f"<style>text {{ fill: {LETTERS}; font: {SIZE}px system-ui, sans-serif; "
        f"text-anchor: middle }}</style>{''.join(parts)}</svg>\n"
    )


def write_file() -> str:
    """Draw docs/badges.svg again; return a sentence that says so."""
    write(FILE, file_text().encode())
    return f"Drawn: {FILE.relative_to(paths.ROOT).as_posix()}"

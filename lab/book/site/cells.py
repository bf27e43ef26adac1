"""What a live page has to know of itself: its cells, hidden ones too, and the names of its numbers.

Written beside the site, as `_live/PAGE.json`. No page loads it by itself: whoever serves the pages
with kernels behind them does (`lab.live`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from docutils import nodes
from myst_nb.ext.glue.roles import PasteTextRole
from sphinx.application import Sphinx
from sphinx.config import Config

from lab import paths
from lab.book.pipeline.build import Build
from lab.book.pipeline.chapter import cell_digest
from lab.book.site import pagefacts
from lab.storage import written
from lab.widgets import parts

FOLDER = "_live"
SECONDS = paths.DATA / "cell-seconds.json"  # `lab.live.seconds` writes it
NAME = "lab_glued"  # on the node of a glued number: under which name


class NamedText(PasteTextRole):
    """MyST-NB's role for a glued number, which remembers the name."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Return the number as it stands in the sentence."""
        found, messages = super().run()
        for node in found:
            if isinstance(node, nodes.Element):
                node[NAME] = self.text
        return found, messages


def setup(app: Sphinx) -> None:
    """Register the role, and write the file with each page."""
    app.connect("config-inited", _name_numbers)
    app.connect("doctree-resolved", _write, priority=900)


def _name_numbers(app: Sphinx, config: Config) -> None:
    app.add_role_to_domain("glue", "text", NamedText(), override=True)


def described(
    doctree: nodes.document, notebook: dict[str, Any], took: Mapping[str, float]
) -> dict[str, Any]:
    """Return what the file says: `shown` are the cells that have a place on the page, in its order,
    `glued` the names of its numbers.

    took : seconds of cells, by digest
    """
    cells = [
        _cell(index, cell, took)
        for index, cell in enumerate(notebook["cells"])
        if cell["cell_type"] == "code"
    ]
    return {
        "kernel": notebook["metadata"].get("kernelspec", {}).get("name", ""),
        "cells": cells,
        "shown": list(_shown(doctree)),
        "glued": [node[NAME] for node in doctree.findall(nodes.inline) if NAME in node],
        # What a page loads with a component: a cell may show one that the built page has not.
        "parts": {
            name: mark
            for start, mark in pagefacts.FOR.items()
            for name in parts.names()
            if name.startswith(start)
        },
    }


def _cell(index: int, cell: dict[str, Any], took: Mapping[str, float]) -> dict[str, Any]:
    source = "".join(cell["source"])
    tags = cell.get("metadata", {}).get("tags", [])
    known = {"seconds": took[key]} if (key := cell_digest(source)) in took else {}
    return {"index": index, "source": source, "tags": tags, **known}


def _shown(doctree: nodes.document) -> Iterator[int]:
    for node in doctree.findall(nodes.container):
        if node.get("nb_element") == "cell_code":
            yield int(node["cell_index"])


def seconds() -> dict[str, dict[str, float]]:
    """Return how long cells took where the book was written: by page, then by digest."""
    known: dict[str, dict[str, float]] = (
        json.loads(SECONDS.read_text("utf-8")) if SECONDS.exists() else {}
    )
    return known


def _took(build: Build, page: str) -> Mapping[str, float]:
    # What this machine took says more than what another did.
    record = build.last(page) if build.shows(page) == "measured" else None
    return {**seconds().get(page, {}), **(record.cells if record else {})}


def _write(app: Sphinx, doctree: nodes.document, page: str) -> None:
    executed = pagefacts.notebook_of(app, page)
    if app.builder.format != "html" or not executed.exists():
        return
    build: Build = app.lab_build  # type: ignore[attr-defined]
    said = described(doctree, json.loads(executed.read_text("utf-8")), _took(build, page))
    file = Path(app.outdir) / FOLDER / f"{page}.json"
    written.write(file, (json.dumps(said) + "\n").encode())

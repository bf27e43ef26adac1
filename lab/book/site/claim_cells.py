"""Cells that only judge a claim are folded: the box below says in sentences what they found.

A cell that also measures stays as it is, and so does one with the tag `show-input`.
"""

from __future__ import annotations

import re

from docutils import nodes
from sphinx.application import Sphinx

CLAIM = re.compile(r"\blab\.claim\(")
MEASURES = re.compile(r"\blab\.(?:compare|load|survey|node|trace|vary|server|table|plot)\b")
SHOWN = "show-input"
PROMPT = "How the claim is computed"


def setup(app: Sphinx) -> None:
    """Mark the cells of each page that is read; MyST-NB folds them when it is written."""
    app.connect("doctree-read", _fold)


def is_folded(source: str) -> bool:
    """Return whether the code of a cell does nothing but judge."""
    return CLAIM.search(source) is not None and MEASURES.search(source) is None


def _fold(app: Sphinx, doctree: nodes.document) -> None:
    for cell in doctree.findall(nodes.container):
        if cell.get("nb_element") != "cell_code" or not cell.children or cell.get("hide_mode"):
            continue
        code = cell.children[0]
        tags = cell.get("cell_metadata", {}).get("tags", [])
        is_code = isinstance(code, nodes.Element) and code.get("nb_element") == "cell_code_source"
        if is_code and SHOWN not in tags and is_folded(code.astext()):
            cell["hide_mode"] = "input"
            cell["prompt_show"] = cell["prompt_hide"] = PROMPT
            cell["classes"].append("lab-claim-cell")

"""A chapter's source text: its kernel, the digest of its cells, the token in its front matter.

jupyter-cache's key is made of code cells and the `kernelspec` mapping. An entry more in that
mapping changes the key and nothing else: nbformat allows it, kernels ignore it.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import yaml
from myst_nb.core.read import is_myst_markdown_notebook, read_myst_markdown_notebook

from lab.errors import LabError

ENTRY = "lab_fingerprint"


def cell_digest(source: str) -> str:
    """Return what a cell is known by where its duration is kept."""
    return hashlib.sha256(source.encode()).hexdigest()[:12]


@dataclass(frozen=True)
class Chapter:
    """The properties of a page with cells that the build needs."""

    kernel: str
    language: str
    code: str


# A replay parses a chapter twice: when the chapter is scheduled, and when its page is read.
@lru_cache(maxsize=64)
def parse(name: str, text: str, path: str) -> Chapter | None:
    """Return the chapter in `text`, None for a page without cells.

    Raises LabError if its front matter is incomplete.
    """
    if not is_myst_markdown_notebook(text):
        if re.search(r"^(`{3,}|:{3,})\{code-cell\}", text, re.M):
            raise LabError(
                f"{name} has code cells, but its front matter does not say that it is a "
                "notebook, because the jupytext block is missing. Copy it from the top of "
                "another chapter."
            )
        return None
    notebook = read_myst_markdown_notebook(text, add_source_map=True, path=path)
    spec: dict[str, Any] = notebook.metadata.get("kernelspec", {})
    missing = [key for key in ("name", "display_name", "language") if not spec.get(key)]
    if missing:
        raise LabError(
            f"{name}: the front matter's kernelspec lacks {', '.join(missing)}. "
            "Copy the block from another chapter of the same language."
        )
    cells = [(c.source, dict(c.metadata)) for c in notebook.cells if c.cell_type == "code"]
    text_of_cells = json.dumps([cells, dict(spec)], sort_keys=True, default=str)
    digest = hashlib.sha256(text_of_cells.encode()).hexdigest()[:16]
    return Chapter(kernel=spec["name"], language=spec["language"], code=digest)


def with_token(text: str, token: str) -> str:
    """Return the text with the token in its kernelspec.

    Every other line stays where it was: warnings quote line numbers.
    """
    fence = re.search(r"^(---|\.\.\.)\s*$", text[3:], re.M)
    assert fence is not None  # parse() has already read this front matter
    head, body = text[: fence.start() + 3], text[fence.start() + 3 :]
    opening, yaml_text = head.split("\n", 1)
    root = yaml.compose(yaml_text)
    assert isinstance(root, yaml.MappingNode)
    for key, value in root.value:
        if key.value == "kernelspec":
            start, end = key.start_mark.index, value.end_mark.index
            spec = {**yaml.safe_load(yaml_text)["kernelspec"], ENTRY: token}
            lines = yaml_text[start:end].count("\n")
            yaml_text = (
                yaml_text[:start]
                + f"kernelspec: {json.dumps(spec)}"
                + "\n" * lines
                + yaml_text[end:]
            )
            return f"{opening}\n{yaml_text}{body}"
    raise AssertionError("parse() found a kernelspec")

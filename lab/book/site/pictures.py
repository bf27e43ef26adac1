"""Drawings of ours, `{figure} NAME/loop.svg`: put into the page itself, so that they take its
colours, in the light and in the dark, and their words can be found and marked.

A file that stays beside the page as an image would know nothing of the page's theme. JupyterLab
shows it as such, in the colours that the file names after each variable.
"""

from __future__ import annotations

import re
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

BEFORE_IMAGES_ARE_COLLECTED = 400  # Sphinx would copy the files beside the pages
_HEAD = re.compile(r'<svg xmlns="[^"]+" (?=class="lab-picture" viewBox="[\d ]+")')


def setup(app: Sphinx) -> None:
    """Register what replaces the images."""
    app.connect("doctree-read", _put_in, priority=BEFORE_IMAGES_ARE_COLLECTED)


def inlined(source: str, alt: str) -> str:
    """Return a drawing as it stands in a page: one image to those who hear it, told by `alt`.

    Raises ValueError for a file that is no drawing of ours.
    """
    head = _HEAD.match(source)
    if head is None:
        raise ValueError('begins with <svg xmlns="…" class="lab-picture" viewBox="…">')
    return f'<svg role="img" aria-label="{escape(alt)}" {source[head.end() :]}'


def _put_in(app: Sphinx, doctree: nodes.document) -> None:
    env: Any = app.env
    for image in list(doctree.findall(nodes.image)):
        if not image["uri"].endswith(".svg") or not isinstance(image.parent, nodes.figure):
            continue
        image_name, path = env.relfn2path(image["uri"], env.docname)
        env.note_dependency(image_name)
        try:
            html = inlined(Path(path).read_text("utf-8"), image.get("alt", ""))
        except (OSError, ValueError) as error:
            raise ExtensionError(
                f"{env.docname}: {image_name} is not a drawing that a page can show: {error}"
            ) from None
        image.parent["classes"].append("lab-drawn")
        image.replace_self(nodes.raw("", html, format="html"))

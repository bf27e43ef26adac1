"""Mathematics as MathML: drawn by the browser, spoken by a screen reader, without a script."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util.math import get_node_equation_number
from sphinx.writers.html5 import HTML5Translator


def setup(app: Sphinx) -> None:
    """Register the renderer; `html_math_renderer: mathml` selects it."""
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))


def mathml(latex: str, display: str) -> str:
    """Return the <math> element; ExtensionError with the formula if it can't be converted."""
    try:
        return convert(latex.strip(), display=display)
    except Exception as error:  # the library raises some ten unrelated classes
        raise ExtensionError(
            f"This formula cannot be converted to MathML: {latex!r} ({error!r})"
        ) from error


def _inline(self: HTML5Translator, node: nodes.math) -> None:
    self.body.append(mathml(node.astext(), "inline"))
    raise nodes.SkipNode


def _block(self: HTML5Translator, node: Any) -> None:
    self.body.append(self.starttag(node, "div", CLASS="math"))
    if node["number"]:
        self.body.append(f'<span class="eqno">({get_node_equation_number(self, node)})')
        self.add_permalink_ref(node, "Link to this equation")
        self.body.append("</span>")
    self.body.append(mathml(node.astext(), "block"))
    self.body.append("</div>")
    raise nodes.SkipNode

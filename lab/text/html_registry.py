"""The registry of functions that show a kind of thing as HTML in a notebook.

The module that draws a kind registers its function here. So the kind itself imports neither figures
nor pages.
"""

from __future__ import annotations

import functools
from html import escape
from typing import Any

from lab import injection, usage

__all__ = ["Shown", "html", "macros"]


@functools.singledispatch
def html(thing: Any) -> str:
    """Return the HTML of a thing: by the function of its kind, or else its escaped `repr`."""
    return f"<pre>{escape(repr(thing))}</pre>"


def macros(source: str) -> Any:
    """Return the macros of a Jinja template as functions that return HTML.

    A macro escapes its arguments, except for the HTML of another macro. The indents and line ends
    of a template are dropped.
    """
    from jinja2 import Environment, StrictUndefined  # late, because most programs draw nothing

    lines = "".join(line.strip() for line in source.splitlines())
    return Environment(autoescape=True, undefined=StrictUndefined).from_string(lines).module


class Shown:
    """A thing that shows itself in a notebook by the function of its kind."""

    def _repr_html_(self) -> str:
        injection.bring(type(self).__name__)
        usage.note_modules()
        return html(self)

"""How things show themselves in a notebook: those who draw a kind register it here, so that what is
drawn knows nothing of figures and pages.
"""

from __future__ import annotations

import functools
from html import escape
from typing import Any

from lab import late, usage

__all__ = ["Shown", "html", "macros"]


@functools.singledispatch
def html(thing: Any) -> str:
    """Return the HTML of a thing as it is registered for its kind, or its escaped `repr`."""
    return f"<pre>{escape(repr(thing))}</pre>"


def macros(source: str) -> Any:
    """Return the macros of a Jinja template as functions that return HTML: what they are given is
    escaped, unless such a function made it. Indents and ends of lines are no part of a template.
    """
    from jinja2 import Environment, StrictUndefined  # not before something is drawn

    lines = "".join(line.strip() for line in source.splitlines())
    return Environment(autoescape=True, undefined=StrictUndefined).from_string(lines).module


class Shown:
    """What shows itself as its kind is registered."""

    def _repr_html_(self) -> str:
        late.bring(type(self).__name__)
        usage.note_modules()
        return html(self)

"""How things show themselves in a notebook: those who draw a kind register it here, so that what is
drawn knows nothing of figures and pages.
"""

from __future__ import annotations

import functools
from html import escape
from typing import Any

from lab import late, usage

__all__ = ["Shown", "html"]


@functools.singledispatch
def html(thing: Any) -> str:
    """Return the HTML of a thing as it is registered for its kind, or its escaped `repr`."""
    return f"<pre>{escape(repr(thing))}</pre>"


class Shown:
    """What shows itself as its kind is registered."""

    def _repr_html_(self) -> str:
        late.bring(type(self).__name__)
        usage.note_modules()
        return html(self)

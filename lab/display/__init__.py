"""How records, servers and verdicts show themselves in a notebook and in the book: HTML fragments.

Everything that comes from outside (names, log lines, sources) is escaped. The fragments carry their
few styles with them, so that they look the same in JupyterLab, where the book's stylesheet is not.
"""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import Any

from .pieces import Table, box, check, table
from .records import comparison, ratio, stream, trial
from .servers import claim, recipe

# By class name, not class: a claim or a recipe can be shown without importing what runs servers.
_SHOWN: dict[str, Callable[[Any], str]] = {
    "Trial": trial,
    "Stream": stream,
    "Comparison": comparison,
    "Ratio": ratio,
    "Check": check,
    "Recipe": recipe,
    "Claim": claim,
}


def html(thing: Any) -> str:
    """Return the HTML of a trial, comparison, ratio, check, recipe, claim, or list of mappings.

    Anything else is shown as its escaped `repr`.
    """
    for kind in type(thing).__mro__:
        if kind.__name__ in _SHOWN and kind.__module__.startswith("lab."):
            return _SHOWN[kind.__name__](thing)
    if isinstance(thing, list) and thing and all(isinstance(row, dict) for row in thing):
        return table(thing)
    return f"<pre>{escape(repr(thing))}</pre>"


__all__ = ["Table", "box", "check", "html", "table"]

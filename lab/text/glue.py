"""Numbers for the prose: what a cell glues under a name, `{glue:text}` puts into a sentence."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from numbers import Real
from typing import Any

from lab.errors import LabError

__all__ = ["NotGlued", "glue"]

# MyST-NB keeps such output for the prose and does not show it.
PREFIX = "application/papermill.record/"
FORMS = 'lab.glue(name, value) or lab.glue({"name": value, …})'
_NOTHING: Any = object()  # None is a value, and refused in words


class NotGlued(LabError):
    """A name that no sentence can ask for, or a value that cannot stand in one."""


def glue(name: str | Mapping[str, object], value: object = _NOTHING, /) -> None:
    """Keep `value` as `name` for the sentences of the page, or several at once as a mapping.

        lab.glue("gain", f"{ratio:.1f}")            {glue:text}`gain` shows the text
        lab.glue("threads", 4)                      a number, as Python writes it
        lab.glue({"low": "1.9", "high": "2.1"})     two names at once

    value : a text, or a number that is already rounded. Nothing is kept outside a notebook.

    Raises NotGlued before anything is kept.
    """
    if isinstance(name, Mapping) == (value is not _NOTHING):
        wrong = (
            "a mapping already has its values"
            if isinstance(name, Mapping)
            else "the value is missing"
        )
        raise NotGlued(f"{FORMS}: {wrong}.")
    values = name if isinstance(name, Mapping) else {name: value}
    texts = {key: _text(key, one) for key, one in values.items()}
    ipython = sys.modules.get("IPython")
    if ipython is None or ipython.get_ipython() is None:
        return
    for key, text in texts.items():
        ipython.display.publish_display_data(
            {f"{PREFIX}text/plain": text},
            {"scrapbook": {"name": key, "mime_prefix": PREFIX}},
        )


def _text(name: object, value: object) -> str:
    """Return a value as MyST-NB reads it: a text quoted, or 2,000 would become two numbers."""
    if not isinstance(name, str) or not name:
        raise NotGlued(
            f"{FORMS}: the name must be the text that {{glue:text}} uses, and not {name!r}."
        )
    if isinstance(value, bool) or not isinstance(value, (str, Real)):
        raise NotGlued(
            f"lab.glue({name!r}, …) needs a text or a number for the sentence, and not "
            f'{value!r}. Write the value as the sentence should show it: f"{{value:.1f}}".'
        )
    return repr(value) if isinstance(value, str) else str(value)

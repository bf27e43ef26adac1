"""Repairs, in the built site, of scripts that Sphinx ships and whose errors a reader of this book
would meet.

An entry is removed when Sphinx has fixed its error: tests/site/mended.test.mjs runs the shipped
scripts and fails then.
"""

from __future__ import annotations

import re
from pathlib import Path

from sphinx.util import logging

from lab.simulator import bundle
from lab.storage import written
from lab.widgets import parts

log = logging.getLogger(__name__)

# (script, what stands there, what has to), without names of variables: a build may find the script
# of the one before, which is minified.
MENDS = (
    # Whatever holds the word in a figure is asked for its box, also a <title>, which has none.
    (
        "sphinx_highlight.js",
        '.matches("button, select, textarea")',
        '.matches("button, select, textarea, svg")',
    ),
)


# The theme and Sphinx break off where a browser refuses to keep anything: the colours cannot be
# changed then. Their scripts use lab/widgets/storage.js, as ours do.
_STORAGE = re.compile(r"\b(?:window\.)?(local|session)Storage\b")


def with_our_storage(script: str) -> str:
    """Return a script, or a page's own ones, that cannot fail where nothing is kept."""
    return _STORAGE.sub(r"LabStorage.\1", script)


def apply(static: Path) -> None:
    """Mend the scripts that were copied to this folder; warn of one that is not as it was."""
    for name, shipped_text, right in MENDS:
        script = static / name
        text = script.read_text("utf8")
        if right in text:
            continue
        if shipped_text not in text:
            log.warning(
                "%s no longer contains %r. If Sphinx has repaired this, remove the repair from %s.",
                name,
                shipped_text,
                Path(__file__).name,
            )
        written.write(script, text.replace(shipped_text, right).encode())
    for script in static.rglob("*.js"):
        # The scripts of the model keep nothing themselves, and explain what localStorage is.
        of_model = script.parent.name.startswith(bundle.FOLDER)
        if script.name not in parts.names() and not of_model:
            text = script.read_text("utf8")
            if (safe := with_our_storage(text)) != text:
                written.write(script, safe.encode())

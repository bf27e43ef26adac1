"""What of a page of the book is prose, and what is code, a formula, an address."""

from __future__ import annotations

import re

FENCE = re.compile(r"^ *(`{3,}|:{3,})\{?([\w-]*)\}?[^\n]*\n(.*?)^ *\1[ ]*$", re.S | re.M)
HAS_PROSE = {"glossary", "note", "warning", "tip", "important", "admonition", "container"}
NO_PROSE = re.compile(
    r"""\A---\n.*?^---\n            # what JupyterLab keeps on top
    | <!--.*?-->
    | ^\[\^[\w-]+\]:.*(?:\n[ ]{4}.*)*  # a source
    | \[\^[\w-]+\]
    | \{[\w:-]+\}`[^`]*`          # a role: what a cell made, a page of the book
    | `[^`\n]+(?:\n[^`\n]+)?`
    | \]\([^)\s]*\) | <https?://[^>\s]*>
    | \$\$.*?\$\$ | \$[^$\n]+(?:\n[^$\n]+)?\$
    | </?[a-z][^>]*>""",
    re.S | re.M | re.X,
)


def prose(text: str) -> str:
    """Return the text with everything that is no prose blanked out; lines stay where they are."""

    def blank(match: re.Match[str]) -> str:
        return re.sub(r"[^\n]", " ", match[0])

    def fence(match: re.Match[str]) -> str:
        # A directive with prose in it keeps it; what is code goes.
        if match[2] in HAS_PROSE:
            return "\n" + prose(match[3]) + "\n"
        return blank(match)

    return NO_PROSE.sub(blank, FENCE.sub(fence, text))

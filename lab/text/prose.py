"""What of a page of the book is prose, and what is code, a formula, an address."""

from __future__ import annotations

import re

FENCE = re.compile(r"^ *(`{3,}|:{3,})\{?([\w-]*)\}?[^\n]*\n(.*?)^ *\1[ ]*$", re.S | re.M)
HAS_PROSE = {"glossary", "note", "warning", "tip", "important", "admonition", "container"}
NO_TEXT = r"""\A---\n.*?^---\n            # what JupyterLab keeps on top
    | <!--.*?-->
    | ^\[\^[\w-]+\]:.*(?:\n[ ]{4}.*)*  # a source
    """
NO_PROSE = re.compile(
    NO_TEXT
    + r"""
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
    return _without(NO_PROSE, text)


def sentences_with_code(text: str) -> str:
    """Return the same with what is written inside a sentence: code, roles, links and formulas."""
    return _without(re.compile(NO_TEXT, re.S | re.M | re.X), text)


def _without(pattern: re.Pattern[str], text: str) -> str:
    def blank(match: re.Match[str]) -> str:
        return re.sub(r"[^\n]", " ", match[0])

    def fence(match: re.Match[str]) -> str:
        # A directive with prose in it keeps it; what is code goes.
        if match[2] in HAS_PROSE:
            return "\n" + _without(pattern, match[3]) + "\n"
        return blank(match)

    return pattern.sub(blank, FENCE.sub(fence, text))

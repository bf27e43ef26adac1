"""A strict reader of line-shaped summaries: every line is known, or the whole output is refused."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from lab.instruments.adapters.child import unreadable

Matches = dict[str, list[re.Match[str]]]


def read_lines(
    tool: str, output: str, grammar: Mapping[str, str], must_have: Iterable[str] = ()
) -> Matches:
    """Matches by name of the grammar's regular expressions (each must match a whole line).

    The first expression in the grammar's order that matches a line takes it; blank lines are
    skipped. Raises UnreadableOutput for a line that no expression matches and for a required name
    without a line.
    """
    patterns = {name: re.compile(pattern) for name, pattern in grammar.items()}
    matches: Matches = {name: [] for name in patterns}
    for line in output.splitlines():
        if not line.strip():
            continue
        for name, pattern in patterns.items():
            match = pattern.fullmatch(line.rstrip())
            if match:
                matches[name].append(match)
                break
        else:
            raise unreadable(tool, f"unknown line {line!r}", output)
    for name in must_have:
        if not matches[name]:
            raise unreadable(tool, f"it has no line for {name!r}", output)
    return matches

"""A program that differs little from another one, written as edits of that program in a TOML file:

    [[edit]]
    old = '''
    server.listen(port, "127.0.0.1");
    '''
    new = '''
    server.listen(port);
    '''

The edits are made in their order. Each `old` must occur exactly once in the text as the edits
before it left the text.
"""

from __future__ import annotations

from pathlib import Path

from lab.errors import LabError
from lab.storage import stored

SUFFIX = ".toml"
ADVICE = "It is a list of [[edit]], each with `old` and `new`."


class BadEdit(LabError):
    """An edit cannot be made, or a file of edits holds something else."""


def applied(file: Path, text: str) -> str:
    """The text after the edits of that file. Raises BadEdit."""
    tables = stored.read_toml(file, ADVICE, BadEdit)
    name = f"{file.parent.name}/{file.name}"
    edits = tables.get("edit")
    if set(tables) != {"edit"} or not isinstance(edits, list):
        raise BadEdit(f"{name} has other keys than [[edit]]: write `old` and `new` below each")
    for number, edit in enumerate(edits, 1):
        if not isinstance(edit, dict) or set(edit) != {"old", "new"}:
            raise BadEdit(f"edit {number} of {name} has other keys than `old` and `new`")
        old, new = edit["old"], edit["new"]
        if not isinstance(old, str) or not isinstance(new, str):
            raise BadEdit(f"`old` and `new` of edit {number} of {name} must be texts")
        if (count := text.count(old) if old else 0) != 1:
            raise BadEdit(
                f"the `old` of edit {number} of {name} occurs {count} times in the solution: "
                "write lines that the solution has exactly once"
            )
        text = text.replace(old, new)
    return text

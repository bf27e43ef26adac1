"""`%%submit id`: the text of a cell is handed in for an exercise."""

from __future__ import annotations

from typing import Any

from lab.grading.handin import BadHandIn, below


def load_ipython_extension(shell: Any) -> None:
    """Register the magic with a running IPython; harmless when repeated."""
    shell.register_magic_function(submit_cell, "cell", "submit")


def submit_cell(line: str, cell: str) -> Any:
    """%%submit ID

    Hands in the text of this cell, a program in JavaScript, for the exercise of that id, and checks
    it.
    """
    from lab.grading import verbs  # a chapter that hands nothing in does not depend on the grader

    words = line.split()
    if len(words) != 1:
        raise BadHandIn(
            f"%%submit {line.strip()}: write the id of one exercise, such as %%submit summary."
        )
    return verbs.submit(words[0], below(cell))

"""Results as Markdown: for the summary of a run on a git host, or a pull request."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from lab.grading.batch import Work
from lab.grading.choice import Fate
from lab.grading.intake import Sum
from lab.grading.result import FAILED, GRADED, NOISY, Looked, Result, flat, told_once
from lab.text.numbers import bare

# Characters that would be markup. A message may contain what a hand-in printed.
_MARKUP = re.compile(r"[\\`*_\[\]<>#!|~&@$]")


def markdown(
    works: Sequence[Work], results: Sequence[Result], fates: Iterable[Fate], came_in: Sum
) -> str:
    """Return a table with a row for each result, with the messages of criteria that didn't hold and
    the hand-ins that were not judged, and the number of hand-ins.
    """
    rows = list(zip(works, results, strict=True))
    lines = ["| student | exercise | points | |", "|---|---|---|---|"]
    for work, result in rows:
        cells = (_plain(work.student), _plain(result.exercise), _points(result), _word(result))
        lines.append(f"| {' | '.join(cells)} |")
    for work, result in rows:
        if not result.missed:
            continue
        values = f" ({_plain(result.values)})" if result.values else ""
        lines += ["", f"### {_plain(work.student)}: {_plain(result.title)}{values}", ""]
        lines += [_criterion(criterion) for criterion in told_once(result.missed)]
    if not_judged := [str(fate) for fate in fates if not fate.is_plain]:
        lines += ["", "### Not judged", "", *(f"- {_plain(text)}" for text in not_judged)]
    total = [f"{_plain(line.strip())}  " for line in str(came_in).splitlines()]
    return "\n".join([*lines, "", *total]) + "\n"


def _plain(text: str) -> str:
    return _MARKUP.sub(lambda sign: f"&#{ord(sign[0])};", flat(text))


def _points(result: Result) -> str:
    return f"{bare(result.points)} of {bare(result.of)}" if result.outcome == GRADED else "–"


def _word(result: Result) -> str:
    if result.outcome == GRADED:
        return "every criterion held" if result.passed else "see below"
    return "no verdict: " + (_plain(result.untold) if result.outcome == NOISY else _plain(FAILED))


def _criterion(criterion: Looked) -> str:
    points = f"{bare(criterion.points)} of {bare(criterion.of)}"
    values = [
        f"{name}: {_plain(text)}"
        for name, text in (("saw", criterion.saw), ("wanted", criterion.wanted))
        if text
    ]
    return f"- **{_plain(criterion.says)}** ({points}) " + "; ".join(
        [_plain(criterion.message), *values]
    )

"""How often the rule of verdicts is wrong, and what it finds: `{build-status} judging`.

From the simulation that `python bench/judging.py --store` has run at the noise of the records.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from lab import paths
from lab.book.pipeline.build import Build
from lab.book.site import placeholders
from lab.book.site.placeholders import Html
from lab.text.numbers import count
from lab.text.phrasing import unbroken

STORED = paths.DATA / "judging.json"
PAIRS = (6, 8, 10)
RULES = {
    "today": "the rule",
    "widened": "each end moved outwards by the A/A spread",
    "p up to 0.05": "p up to 0.05",
    "interval alone": "the interval alone",
}
FAMILY = {
    "shared": "four measures that share the 5 %, judged up to four times",
    "each alone": "four measures, each judged alone and once",
}
MEASURES = {"as recorded": "from the same trials", "independent": "from independent trials"}
HEAD = ("Pairs", "A/A", "Judged by", "False alarms", "Finds 1.1 times", "Finds 1.3 times")
NONE = "–"


def told() -> dict[str, Any] | None:
    """Return what the simulation has stored; None if it has not."""
    try:
        found: dict[str, Any] = json.loads(STORED.read_text("utf-8"))
    except OSError:
        return None
    return found


def judging_table(build: Build) -> Html:
    """Return the shares of false alarms and of differences found, for each rule."""
    simulation = told()
    if simulation is None:
        return Html("<p>Nothing has been simulated.</p>")
    rows = "".join(_rows(simulation["rows"]))
    head = "".join(f'<th scope="col">{name}</th>' for name in HEAD)
    worst = max(one["claims"] for one in simulation["rows"] if one["rule"] == "today")
    caption = (
        f"{count(simulation['times'], 'simulated comparison')} in each row, with the noise of "
        f"{simulation['comparisons']} that were recorded ({simulation['made']}). In a false "
        "alarm, a verdict says that a server differs from itself. The numbers after ± are standard "
        "errors. The last columns show how often the verdict finds that one server does 1.1 "
        "or 1.3 times as much, and names the right server."
    )
    return Html(
        f'<div class="lab-scroll"><table class="table"><caption>{caption}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>"
        f"<p>By the present rule, at most {_percent(worst)} % of the verdicts on claims were "
        "false, whatever the truth was.</p>"
    )


def _rows(rows: Iterable[Mapping[str, Any]]) -> Iterable[str]:
    for row in rows:
        rule = row["rule"]
        if rule in RULES and row["pairs"] in PAIRS and (row["control"] or rule == "today"):
            yield _row(row, RULES[rule])
        elif rule in FAMILY:
            times = f" ({count(row['times'], 'comparison')})" if "times" in row else ""
            yield _row(row, f"{FAMILY[rule]}, {MEASURES[row['measures']]}{times}")


def _row(row: Mapping[str, Any], name: str) -> str:
    finds = [row["finds"].get(effect) for effect in ("1.1", "1.3")]
    alarms = f"{_percent(row['alarms'])} ±{_percent(row['error'])} %"
    cells = [alarms, *(NONE if x is None else f"{100 * x:.0f} %" for x in finds)]
    told = "".join(f'<td class="lab-n">{unbroken(cell)}</td>' for cell in cells)
    control = "yes" if row["control"] else "no"
    return (
        f'<tr><td class="lab-n">{row["pairs"]}</td><td>{control}</td>'
        f'<th scope="row">{name}</th>{told}</tr>'
    )


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"


MAKERS: dict[str, placeholders.Maker] = {"judging": judging_table}

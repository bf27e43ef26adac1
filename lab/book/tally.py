"""What the checks said of the recorded run, for the rules: `{build-status} checks`.

Counted from the records themselves, so that the page of rules cannot promise more than was kept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from html import escape

from lab import paths
from lab.book import filled
from lab.book.build import Build
from lab.book.filled import Html
from lab.book.report import count
from lab.records import store
from lab.records.checks import ALL, warning
from lab.records.comparison import Comparison
from lab.records.trial import Check, Trial

# Which rule of book/about/rules.md each check belongs to.
RULES = {
    **{"littles_law": 2, "on_schedule": 4, "accounted": 6, "answered": 6, "no_errors": 6},
    **{"verified": 7, "client_headroom": 8, "steady": 14, "window": 14},
    **{"ports": 17, "backlog": 17, "quiet": 18, "throttled": 18, "finished": 6},
}


def recorded() -> tuple[list[Comparison], list[Trial]]:
    """Return the comparisons of the reference run, and every trial of it, controls too."""
    comparisons, trials = [], []
    for found in _records():
        if isinstance(found, Comparison):
            comparisons.append(found)
            trials += [*found.trials, *found.control]
        else:
            trials.append(found)
    return comparisons, trials


def _records() -> Iterator[Comparison | Trial]:
    for file in sorted(paths.REFERENCE.glob("*.json")):
        if file.name.endswith(".trace.json"):
            continue
        found = store.reference(file.stem)
        if isinstance(found, (Comparison, Trial)):
            yield found


def check_table(build: Build) -> Html:
    """Return how many of the recorded trials failed each check, or were warned of by it, and what
    is kept of them.
    """
    comparisons, trials = recorded()
    if not trials:
        return Html("<p>There is no recorded run.</p>")
    raised = {"fail": Counter[str](), "warn": Counter[str]()}
    for t in trials:
        raised["fail"].update({_own(name, c) for name, c in t.failures.items()})
        raised["warn"].update({_own(name, c) for name, c in t.warnings.items()})
    names = {*ALL, *raised["fail"], *raised["warn"]}
    rows = [_row(name, raised, len(trials)) for name in sorted(names, key=_place)]
    control = sum(c.aa_arm is not None for c in comparisons)
    raw = sum(t.raw_ref is not None for t in trials)
    clean = sum(all(c.status == "ok" for c in t.checks.values()) for t in trials)
    said = (
        f"The recorded run has {count(len(trials), 'trial')}, most of them in "
        f"{count(len(comparisons), 'comparison')}, {control} of which have an A/A control. Raw "
        f"rows are kept of {raw} of the trials, histograms of all. {clean} trials passed every "
        f"check without a warning ({clean / len(trials):.0%})."
    )
    head = "".join(
        f'<th scope="col">{h}</th>' for h in ("check", "rule", "failed", "warned", "share")
    )
    return Html(
        f'<p>{said.replace("%", " %")}</p><div class="lab-scroll"><table class="table">'
        f"<caption>Trials of the recorded run that a check failed or warned of</caption>"
        f"<thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def _own(name: str, check: Check) -> str:
    """The name of a check without its stream; with a question mark where it had nothing to judge
    by.
    """
    own = name.rpartition(".")[2]
    return f"{own}?" if check.status == "warn" and check.value is None else own


def _place(name: str) -> tuple[int, str]:
    return RULES[name.rstrip("?")], name


def _row(name: str, raised: dict[str, Counter[str]], trials: int) -> str:
    failed, warned = raised["fail"][name], raised["warn"][name]
    share = f"{(failed + warned) / trials:.1%}".replace("%", " %")
    return (
        f'<tr><th scope="row">{escape(warning(name))}</th><td>{_place(name)[0]}</td>'
        f'<td class="lab-n">{failed}</td><td class="lab-n">{warned}</td>'
        f'<td class="lab-n">{share}</td></tr>'
    )


MAKERS: dict[str, filled.Maker] = {"checks": check_table}

"""What the checks said of the recorded run, for the rules: `{build-status} checks`; and what each
of them asks: `check-names`.

Counted from the records themselves, so that the page of rules cannot promise more than was kept.
"""

from __future__ import annotations

import math
from collections import Counter
from html import escape

from lab.book import reference_run
from lab.book.pipeline.build import Build
from lab.book.site import placeholders
from lab.book.site.placeholders import Cell, Html, PageTable
from lab.records.checks import ALL, EXPECTED, FAILURES, words
from lab.records.trial import Check
from lab.text.numbers import count

# Which rule of book/about/rules.md each check belongs to, and what it asks: the page of the data
# lists them, the page of the rules counts them.
CHECKS = {
    "littles_law": (2, "the number of connections is throughput × mean response time"),
    "silence": (3, "a closed loop was never left long without a response, unless its p99 shows it"),
    "on_schedule": (4, "the sends of an open loop kept to their schedule"),
    "accounted": (6, "every request has one fate, and rows and counters agree"),
    "answered": (
        6,
        "there were responses, and no request that was still waiting would lengthen the tail",
    ),
    "no_errors": (6, "every response was successful"),
    "finished": (6, "the trial ended as planned"),
    "verified": (7, "bodies were compared"),
    "client_headroom": (8, "the client is not the bottleneck"),
    "warm": (14, "the warm-up went on until the rate was steady, where that was asked"),
    "steady": (14, "the rate does not drift in the part that is kept"),
    "window": (14, "the window has three or more responses per connection on average"),
    "backlog": (17, "no connection was dropped at a full listen backlog"),
    "ports": (17, "enough ports are free for new connections"),
    "quiet": (18, "other programs did not use the processors"),
    "throttled": (18, "neither a quota nor a hypervisor took processor time from the trial"),
}
HOWS = ("failed", "warned", "expected")
NO_RULE = "–"  # the rule of a check that this version does not know


def check_table(build: Build) -> Html:
    """Return how many of the recorded trials failed each check, or were warned of by it, and what
    is kept of them.
    """
    comparisons, trials = reference_run.comparisons(), reference_run.trials()
    if not trials:
        return Html("<p>There is no recorded run.</p>")
    counts: dict[str, Counter[str]] = {how: Counter() for how in HOWS}
    for t in trials:
        for name, how in {(check_of(n, c), how_of(c)) for n, c in t.checks.items()}:
            if how:
                counts[how][name] += 1
    # A check that was added after the recorded run has no results.
    asked = {check_of(name, check) for t in trials for name, check in t.checks.items()}
    names = {*(set(ALL) & asked), *(name for found in counts.values() for name in found)}
    rows = [_row(name, counts, len(trials)) for name in sorted(names, key=_place)]
    control = sum(c.aa_arm is not None for c in comparisons)
    raw = sum(t.raw_ref is not None for t in trials)
    clean = sum(all(c.status == "ok" for c in t.checks.values()) for t in trials)
    summary = (
        f"The recorded run has {count(len(trials), 'trial')}, most of them in "
        f"{count(len(comparisons), 'comparison')}, {control} of which have an A/A control. "
        f"Raw rows are kept for {raw} of the trials, and histograms for all of them. {clean} "
        f"trials passed every check without a warning ({clean / len(trials):.0%})."
    )
    head = "".join(f'<th scope="col">{h}</th>' for h in ("check", "rule", *HOWS, "share"))
    return Html(
        f'<p>{summary.replace("%", " %")}</p><div class="lab-scroll"><table class="table">'
        "<caption>Trials of the recorded run that a check failed or warned of. Expected is what an "
        "experiment is about, such as clients that lose patience.</caption>"
        f"<thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def check_of(name: str, check: Check) -> str:
    """Return the name of a check without its stream, and with a question mark if it had no data."""
    own = name.rpartition(".")[2]
    return f"{own}?" if check.status == "warn" and check.value is None else own


def how_of(check: Check) -> str:
    """Return the result of a check, one of HOWS; "" if it passed."""
    if check.status == "ok":
        return ""
    if check.text.endswith(EXPECTED):
        return "expected"
    return "failed" if check.status == "fail" else "warned"


def _rule(name: str) -> str:
    known = CHECKS.get(name.rstrip("?"))
    return str(known[0]) if known else NO_RULE


def _place(name: str) -> tuple[float, str]:
    rule = _rule(name)
    return (math.inf if rule == NO_RULE else int(rule)), name


def _row(name: str, raised: dict[str, Counter[str]], trials: int) -> str:
    failed_count, warned_count, expected_count = (raised[how][name] for how in HOWS)
    share = f"{(failed_count + warned_count + expected_count) / trials:.1%}".replace("%", " %")
    if_failed, if_warned = words(f"{name}!"), words(name)
    said = if_warned
    if (failed_count or (expected_count and name in FAILURES)) and if_failed != if_warned:
        said = f"{if_failed} (failed); {if_warned} (warned)" if warned_count else if_failed
    return (
        f'<tr><th scope="row">{escape(said)}</th><td>{_rule(name)}</td>'
        f'<td class="lab-n">{failed_count}</td><td class="lab-n">{warned_count}</td>'
        f'<td class="lab-n">{expected_count}</td><td class="lab-n">{share}</td></tr>'
    )


def name_table(build: Build) -> PageTable:
    """Return what each check asks, by the name that it has in the records, and its rule."""
    rows: list[list[Cell]] = [[name, str(rule), asks] for name, (rule, asks) in CHECKS.items()]
    return PageTable(["check", "rule", "what it asks"], rows)


MAKERS: dict[str, placeholders.Maker] = {"checks": check_table, "check-names": name_table}

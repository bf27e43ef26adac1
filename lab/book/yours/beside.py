"""Two results side by side, as figures and words: a row a claim, and the machine factor.

What book/_static/yours.js does with a dropped file; a test holds the two against each other. Data
and arithmetic only.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np

from lab.numbers import bare, count

BUSY_CORES = 0.5
NONE = "no verdict"
SAME, DIFFERENT, OPEN, MISSING = "yes", "no", "cannot tell", "not in this file"
NOTHING = "–"  # in a cell
CLAIM_COLUMNS = (
    "id",
    "published_low",
    "published_high",
    *(f"{side}_{k}" for side in ("book", "your") for k in ("estimate", "low", "high", "verdict")),
    "same_verdict",
)
ARM_COLUMNS = ("experiment", "arm", "at", "book_per_s", "your_per_s", "ratio", "in_factor")

Arm = tuple[str, str, str]


@dataclass(frozen=True)
class Factor:
    """How many times as many requests a second yours answers: `experiments` holds the factor of
    each, ascending; `estimate` is their geometric mean, low and high the middle half.
    """

    estimate: float
    low: float
    high: float
    experiments: tuple[float, ...]
    arms: int


def shown(value: float | None) -> str:
    """Return a number with three digits, as the page writes it."""
    if value is None or not math.isfinite(value):
        return NOTHING
    return bare(value)


def measured(claim: Mapping[str, Any] | None) -> list[str]:
    """Return what a result says of a claim, in pieces: "0.884×", "[0.808, 0.967]", "reversed"."""
    if claim is None:
        return [NOTHING]
    times = "×" if claim["ratio"] and claim["estimate"] is not None else ""
    pieces = [shown(claim["estimate"]) + times]
    if claim["low"] is not None and claim["high"] is not None:
        pieces.append(f"[{shown(claim['low'])}, {shown(claim['high'])}]")
    return [*pieces, claim["verdict"]]


def same(book: Mapping[str, Any] | None, yours: Mapping[str, Any] | None) -> str:
    """Return whether two verdicts are the same word; no verdict is neither."""
    if book is None or yours is None:
        return MISSING
    if NONE in (book["verdict"], yours["verdict"]):
        return OPEN
    return SAME if book["verdict"] == yours["verdict"] else DIFFERENT


def finding(
    named: Mapping[str, str], book: Mapping[str, Any], yours: Mapping[str, Any], kind: str
) -> str:
    """Return how many verdicts agree, in a few sentences. named : what to call each claim; ""
    where it has no short name.
    """
    told = [(name, same(book.get(id), yours.get(id))) for id, name in named.items()]
    decided = [(name, answer) for name, answer in told if answer in (SAME, DIFFERENT)]
    if not decided:
        return f"None of the {len(told)} {kind} was decided by both runs."
    other = [name for name, answer in decided if answer == DIFFERENT]
    agree = f"{len(decided) - len(other)} of {len(decided)}"
    parts = [f"{agree} {kind} that both runs decided have the same verdict."]
    if names := "; ".join(filter(None, other)):
        parts.append(f"Another verdict: {names}.")
    elif other:
        rows = "row" if len(other) == 1 else f"{len(other)} rows"
        parts.append(f"Another verdict: the first {rows} below.")
    if left := len(told) - len(decided):
        parts.append(f"{left} {'is' if left == 1 else 'are'} not decided by both.")
    return " ".join(parts)


def medians(arms: Iterable[Mapping[str, Any]]) -> dict[Arm, float]:
    """Return the median throughput of each arm over its trials, in 1/s."""
    return {
        (a["experiment"], a["arm"], a["at"]): median(a["throughput_per_s"])
        for a in arms
        if a["throughput_per_s"]
    }


def busy(arms: Iterable[Mapping[str, Any]]) -> set[Arm]:
    """Return the arms whose throughput says something about a machine: nobody set it (a closed
    loop, and no server that takes a programmed time), and the server computed for at least half of
    a core. Asked of the book's arms; those of a reader are taken as they are.
    """
    return {
        (a["experiment"], a["arm"], a["at"])
        for a in arms
        if a["loop"] == "closed" and not a["paced"] and (a["server_cores"] or 0) >= BUSY_CORES
    }


def factor(
    book: Mapping[Arm, float], yours: Mapping[Arm, float], counted: Iterable[Arm]
) -> Factor | None:
    """Return the machine factor over the counted arms that both have; None without any.

    Arms are averaged within their experiment first, so that a sweep of thirty settings weighs as
    much as a pair.
    """
    logs: dict[str, list[float]] = {}
    for arm in counted:
        a, b = yours.get(arm, 0), book.get(arm, 0)
        if a > 0 and b > 0:
            logs.setdefault(arm[0], []).append(math.log(a / b))
    if not logs:
        return None
    means = sorted(sum(v) / len(v) for v in logs.values())
    return Factor(
        math.exp(sum(means) / len(means)),
        math.exp(np.quantile(means, 0.25)),
        math.exp(np.quantile(means, 0.75)),
        tuple(math.exp(m) for m in means),
        sum(map(len, logs.values())),
    )


def factor_text(found: Factor | None) -> str:
    """Return the machine factor in words."""
    if found is None:
        return "No arm was measured in both runs, so there is no machine factor."
    n = len(found.experiments)
    text = f"Machine factor {shown(found.estimate)}×, from {count(n, 'experiment')}"
    if n == 1:
        return f"{text}."
    least, most = found.experiments[0], found.experiments[-1]
    return (
        f"{text}: half of them lie between {shown(found.low)}× and {shown(found.high)}×, "
        f"all between {shown(least)}× and {shown(most)}×."
    )


def claims_csv(
    claims: Iterable[Mapping[str, Any]], book: Mapping[str, Any], yours: Mapping[str, Any]
) -> str:
    """Return a line a claim, both sides. claims : id and published (low, high, or None)."""
    rows = []
    for claim in claims:
        a, b = book.get(claim["id"]), yours.get(claim["id"])
        sides = [s.get(k) for s in (a or {}, b or {}) for k in ("estimate", "low", "high")]
        verdicts = [(s or {}).get("verdict") for s in (a, b)]
        rows.append(
            [
                claim["id"],
                *(claim["published"] or (None, None)),
                *sides[:3],
                verdicts[0],
                *sides[3:],
                verdicts[1],
                same(a, b),
            ]
        )
    return _csv(CLAIM_COLUMNS, rows)


def arms_csv(book: Mapping[Arm, float], yours: Mapping[Arm, float], counted: set[Arm]) -> str:
    """Return a line for each arm that both have: median throughputs and their ratio."""
    rows = [
        [*arm, a, yours[arm], shown(yours[arm] / a), "yes" if arm in counted else "no"]
        for arm, a in book.items()
        if a > 0 and yours.get(arm, 0) > 0
    ]
    return _csv(ARM_COLUMNS, rows)


def _csv(head: Iterable[str], rows: Iterable[Iterable[Any]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(head)
    for row in rows:
        writer.writerow([_plain(cell) for cell in row])
    return text.getvalue()


def _plain(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.0f}" if value == round(value) else repr(value)
    return "" if value is None else str(value)

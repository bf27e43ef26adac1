"""Sentences that can be false. Published ones stand beside our figures; the course's own must hold
in the reference run.

A published claim ends as: held, held weaker, no difference, reversed, no verdict. Which one is a
finding, not a failure.
One of our own ends as: held, did not hold, no verdict; "did not hold" fails the reference build.
"""

from __future__ import annotations

import csv
import functools
import importlib
import math
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lab import paths, usage
from lab.errors import LabError, did_you_mean
from lab.records.record import flat, plain
from lab.settings import profile
from lab.stats import Ratio, number

if TYPE_CHECKING:
    from lab.records.comparison import Comparison
    from lab.records.trial import Trial

tomllib: Any = importlib.import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")

CLAIMS = paths.DATA / "claims.toml"
FIGURES = paths.DATA / "published-results.csv"
SAME = 0.05


@dataclass(frozen=True)
class Published:
    """One figure as a source printed it."""

    system: str
    metric: str
    value: float
    unit: str
    workload: str = ""
    note: str = ""

    def __str__(self) -> str:
        unit = "×" if self.unit == "ratio" else f" {self.unit}"
        return f"{self.system}: {self.value:g}{unit}"


@dataclass(frozen=True)
class Claim:
    """A sentence, what is known about it, and its verdict; `holds` is True, False, or None without
    a verdict.
    """

    id: str
    sentence: str
    verdict: str
    text: str  # figures and verdict in a line
    value: Ratio | float | None
    source: str = ""  # author, title, year; empty for the course's own
    url: str = ""
    quote: str = ""
    measures: str = ""
    published: tuple[Published, ...] = ()
    # low and high; equal if the source gives one
    published_ratio: tuple[float, float] | None = None
    why: str = ""  # the mechanism in a sentence
    limit: str = ""

    @property
    def holds(self) -> bool | None:
        """Whether the sentence holds here; None without a verdict."""
        return {"held": True, "held weaker": True, "no verdict": None}.get(self.verdict, False)

    @property
    def own(self) -> bool:
        """True for a sentence of the course itself."""
        return not self.source

    def to_json(self) -> dict[str, Any]:
        """Return plain data, one key a field."""
        return {k: plain(v) for k, v in self.__dict__.items()}

    def __repr__(self) -> str:
        lines = [f"{self.verdict.upper()}: {self.sentence}"]
        if self.source:
            lines.append(f"published ({self.source}): {published_text(self.published_ratio)}")
        return "\n  ".join([*lines, f"here: {self.text}"])

    def _repr_html_(self) -> str:
        from lab.display import html

        return html(self)


def claim(
    id: str,
    value: Ratio | float,
    *,
    above: float | None = None,
    below: float | None = None,
    between: tuple[float, float] | None = None,
    sentence: str = "",
    exact: bool = False,
    of: Trial | Comparison | None = None,
) -> Claim:
    """Return the verdict on a claim: a published one by its id, or one of the course with its
    limit.

    value : a ratio (its interval decides, widened by what its A/A control differed) or a number;
    of : the trial or comparison that a number was taken from: no verdict if a check of it failed;
    above, below, between : the limit of the course's own sentence;
    exact : the number is counted, not measured, so every profile can judge it. Raises LabError for
    an unknown id, a limit on a published claim, or none on another.
    """
    limits = [x for x in (above, below, between) if x is not None]
    known = claims()["claims"]
    if id in known:
        if limits:
            raise LabError(
                f"{id!r} is a published claim, its limits are in data/claims.toml: leave them out"
            )
        if not isinstance(value, Ratio):
            raise LabError(
                f"{id!r} compares two servers: give it a ratio, e.g. "
                f"comparison.ratio(a, b); got {value!r}"
            )
        result = _judge_published(id, known[id], value, _failed(value, of))
    elif len(limits) == 1:
        low, high = between or (
            above if above is not None else -math.inf,
            below if below is not None else math.inf,
        )
        failed = _failed(value, of)
        limit = (float(low), float(high))
        result = _judge_own(id, sentence, value, limit, exact=exact, failed=failed)
    else:
        raise LabError(
            f"{id!r} is no published claim. {did_you_mean(id, known)} "
            "A sentence of the course needs exactly one of above=, below=, between=."
        )
    # What a published one comes to is a finding, so only our own can fail to hold.
    usage.note("claim", held=result.holds if result.own else None, **result.to_json())
    return result


def claims() -> dict[str, Any]:
    """Return data/claims.toml. Raises LabError if it can't be read."""
    usage.note_file(CLAIMS)
    try:
        return _read(CLAIMS.stat().st_mtime_ns)
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise LabError(f"data/claims.toml can't be read: {error}") from None


@functools.lru_cache(maxsize=1)
def _read(_mtime: int) -> dict[str, Any]:
    data: dict[str, Any] = tomllib.loads(CLAIMS.read_text(encoding="utf-8"))
    return data


def published_ratio(id: str) -> tuple[float, float] | None:
    """Return the ratio that a source printed, low and high; None if it gave none."""
    return _published(id, claims()["claims"][id])[1]


def published_text(ratio: tuple[float, float] | None) -> str:
    """Return a published ratio for people: "1.27×", "2–3×"."""
    if ratio is None:
        return "no figure"
    low, high = ratio
    return f"{low:.3g}×" if low == high else f"{low:g}–{high:g}×"


@functools.lru_cache(maxsize=1)
def figures() -> tuple[dict[str, str], ...]:
    """Return the rows of data/published-results.csv."""
    with FIGURES.open(newline="", encoding="utf-8") as file:
        return tuple(csv.DictReader(file))


def published(source: str, experiment: str, system: str, metric: str) -> Published:
    """Return one published figure by its key. Raises LabError if there isn't exactly one."""
    usage.note_file(FIGURES)
    key = {"source_id": source, "experiment_id": experiment, "system": system, "metric": metric}
    found = [row for row in figures() if all(row[k] == v for k, v in key.items())]
    if len(found) != 1:
        raise LabError(
            f"published-results.csv has {len(found)} figures for "
            f"{', '.join(key.values())}; one is needed"
        )
    return flat(Published, {**found[0], "value": float(found[0]["value"])})


def published_figures(
    experiment: str, metric: str | None = None, system: str | None = None
) -> list[Published]:
    """Return the published figures of an experiment; `metric` and `system` match in part.

    Raises LabError for an experiment that no source published.
    """
    usage.note_file(FIGURES)
    rows = [row for row in figures() if row["experiment_id"] == experiment]
    if not rows:
        raise LabError(
            f"no figures of {experiment!r} in data/published-results.csv. "
            + did_you_mean(experiment, {row["experiment_id"] for row in figures()})
        )
    return [
        flat(Published, {**row, "value": float(row["value"])})
        for row in rows
        if (metric or "") in row["metric"] and (system or "") in row["system"]
    ]


def _published(
    id: str, entry: dict[str, Any]
) -> tuple[tuple[Published, ...], tuple[float, float] | None]:
    given = entry.get("published", {})
    experiment = entry.get("experiment", id)
    found = {
        role: published(
            entry["source"], key.get("experiment", experiment), key["system"], key["metric"]
        )
        for role, key in given.items()
        if "system" in key
    }
    if {"a", "b"} <= found.keys():
        ratio = found["a"].value / found["b"].value
        return tuple(found.values()), (ratio, ratio)
    if {"low", "high"} <= found.keys():
        return tuple(found.values()), (found["low"].value, found["high"].value)
    value = given.get("value", {}).get("ratio")
    return tuple(found.values()), None if value is None else (float(value), float(value))


def _failed(value: Ratio | float | None, of: Trial | Comparison | None) -> list[str]:
    """Return what failed in the measurements that a value comes from, said by itself or by `of`."""
    said = "check failed: "
    found = {w for w in value.warnings if w.startswith(said)} if isinstance(value, Ratio) else set()
    return sorted(found | {f"{said}{name}" for name in (of.failures if of is not None else ())})


def _judge_published(id: str, entry: dict[str, Any], ratio: Ratio, failed: list[str]) -> Claim:
    rows, printed = _published(id, entry)
    source = claims()["sources"][entry["source"]]
    verdict = band(
        ratio, printed, entry.get("held"), entry.get("same", SAME), entry.get("expects", "more")
    )
    if failed:
        verdict = "no verdict"
    return Claim(
        id=id,
        sentence=entry["sentence"],
        verdict=verdict,
        text=f"{_with(ratio.verdict, failed)} → {verdict}",
        value=ratio,
        source=f"{source['author']}, {source['title']}, {source['year']}",
        url=source["url"],
        quote=entry.get("quote", ""),
        measures=entry["measures"],
        published=rows,
        published_ratio=printed,
        why=entry.get("why", ""),
    )


def band(
    ratio: Ratio,
    printed: tuple[float, float] | None,
    held: float | None,
    same: float,
    expects: str = "more",
) -> str:
    """Return the verdict on a published ratio: which band ours falls into.

    printed : published (low, high); held : from this ratio on the claim holds, by default the
    square root of the published one, half of its effect on a log scale; same : half-width of "no
    difference"; expects : "more", or "same" where the claim is that there is none. A published
    ratio below 1 is judged upside down.
    """
    if ratio.blind or not math.isfinite(ratio.low * ratio.high):
        return "no verdict"
    target = printed[0] if printed else held or 1 + same
    low, high, middle = ratio.low, ratio.high, ratio.estimate
    if target < 1 and expects == "more":
        target, low, high, middle = 1 / target, 1 / high, 1 / low, 1 / middle
        held = 1 / held if held else None
    if 1 / (1 + same) <= low and high <= 1 + same:
        return "held" if expects == "same" else "no difference"
    if not ratio.decided:
        return "no verdict"
    if expects == "same":
        return (
            "reversed"
            if middle < 1
            else "held weaker"
            if middle < (1 + same) ** 2
            else "did not hold"
        )
    if middle < 1:
        return "reversed"
    return "held" if middle >= (held or math.sqrt(target)) else "held weaker"


def _with(shown: str, failed: list[str]) -> str:
    return "; ".join([shown, *(f for f in failed if f not in shown)])


def _judge_own(
    id: str,
    sentence: str,
    value: Ratio | float,
    limits: tuple[float, float],
    *,
    exact: bool,
    failed: list[str],
) -> Claim:
    low, high = limits
    wanted = (
        f"≥ {low:g}"
        if high == math.inf
        else f"≤ {high:g}"
        if low == -math.inf
        else f"{low:g} to {high:g}"
    )
    if isinstance(value, Ratio):
        # A limit this near could be passed, or missed, by what the same server differs from itself.
        noise = value.aa_spread or 1.0
        least, most, shown = value.low / noise, value.high * noise, value.verdict
        unsure = bool(value.blind)
        named = f"{number(value.estimate, value)}×"
    else:
        least = most = float(value)
        shown, named = f"{float(value):.4g}", f"{float(value):.4g}"
        unsure = math.isnan(least) or not (exact or profile().verdicts)
    if unsure or failed:
        verdict = "no verdict"
    elif low <= least and most <= high:
        verdict = "held"
    elif most < low or least > high:
        verdict = "did not hold"
    else:
        verdict = "no verdict"
    text = f"{_with(shown, failed)} → {verdict} (wanted {wanted})"
    return Claim(
        id, sentence or f"{id}: {named}, wanted {wanted}", verdict, text, value, limit=wanted
    )

"""Sentences that can be false. Published ones stand beside our figures; the course's own must hold
in the reference run.

What a published claim ends as (`lab.judging.judge.WORDS`) is a finding, not a failure.
One of our own ends as: held, demonstrated, did not hold, no verdict; "did not hold" fails the
reference build.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import fmean
from typing import Any, TypeAlias

from lab import paths, usage
from lab.errors import LabError, did_you_mean
from lab.judging import judge
from lab.judging.sittings import DIFFERS, agreed
from lab.judging.sittings import NONE as NO_VERDICT
from lab.judging.stats import PAIRS_FOR_A_VERDICT, Ratio, measured
from lab.processes.node_range import node_range
from lab.records import sitting
from lab.records.checks import words
from lab.records.comparison import Comparison, raised
from lab.records.output import Printed
from lab.records.sitting import Found, Sitting
from lab.records.stamp import Dated
from lab.records.trace import Trace
from lab.records.trial import Trial
from lab.settings import mode, profile
from lab.storage import gate, stored
from lab.storage.gate import checked
from lab.storage.json_form import Stored, flat
from lab.text.html_registry import Shown
from lab.text.numbers import bare
from lab.text.numbers import exact as exact_text
from lab.text.phrasing import listed

Measured: TypeAlias = Trial | Comparison | Printed | Trace | Dated
CLAIMS = paths.DATA / "claims.toml"
SITTINGS = paths.DATA / "sittings"
FIGURES = paths.DATA / "published-results.csv"


# The keys of a sentence that is quoted in data/claims.toml.
QUOTED = {
    *("source", "title", "url", "quote", "sentence", "wanted", "measured", "why", "changed"),
}


@dataclass(frozen=True)
class PublishedFigure:
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
class Claim(Shown, Stored):
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
    published: tuple[PublishedFigure, ...] = ()
    # Low and high; they are equal if the source gives one number.
    published_ratio: tuple[float, float] | None = None
    derived: str = ""  # why the published ratio is not a number of the source
    why: str = ""  # the mechanism in a sentence
    limit: str = ""  # the limit that decides the verdict
    because: str = ""  # why there is no verdict
    alone: str = ""  # of a published claim: the word of this sitting, without the others
    quoted: str = ""  # of a sentence that a source wrote without a ratio: author, title, year
    # What the number is, as a sentence with the number at {}; of a yes and a no, a sentence each.
    found: tuple[str, ...] = ()
    basis: str = "number"  # what was judged: "interval", one measured "number", or a "count"
    warnings: tuple[str, ...] = ()  # the checks that failed or warned, with their numbers of trials
    beside: tuple[Ratio, ...] = ()  # further ratios of the same trials, not judged
    demonstrates: str = ""  # why a sentence of the course could hardly fail; empty if it could
    changed: tuple[str, ...] = ()  # how the criterion changed after a first result
    experiment: str = ""
    measured: str = ""  # UTC, ISO
    on: dict[str, str] | None = None  # machine, kernel, node, python
    judged_on: str = ""  # the Nodes that the sentence is about; empty: any
    recorded: bool = False  # the value is from the record, at least in part
    # Whether everything on the page of the claim is from the record. The JSON leaves this out.
    replayed: bool = field(default=False, repr=False, compare=False)
    apart = ("replayed",)

    @property
    def holds(self) -> bool | None:
        """Whether the sentence holds here; None without a verdict."""
        return judge.holds(self.verdict)

    @property
    def own(self) -> bool:
        """True for a sentence of the course itself."""
        return not self.source and not self.quoted

    @property
    def told(self) -> str:
        """The value for a sentence of the page, with the word of the verdict unless it holds: a
        page that took the word from the ratio could tell another than its card.
        """
        if not isinstance(self.value, Ratio):
            figures = "no value" if self.value is None else exact_text(self.value)
            return figures if self.holds else f"{figures} ({self.verdict})"
        return self.value.told(without="" if self.holds else self.verdict)

    def __repr__(self) -> str:
        lines = [f"{self.verdict.upper()}: {self.sentence}"]
        if self.quoted:
            lines.append(f"written ({self.quoted}): {self.quote}")
        if self.source:
            lines.append(f"published ({self.source}): {published_text(self.published_ratio)}")
        return "\n  ".join([*lines, f"here: {self.text}"])


@checked
def claim(
    id: str,
    value: Ratio | float,
    *,
    above: float | None = None,
    below: float | None = None,
    between: tuple[float, float] | None = None,
    sentence: str = "",
    exact: bool = False,
    of: Measured | None = None,
    beside: Sequence[Ratio] = (),
    node: str = "",
    because: str = "",
) -> Claim:
    """Return the verdict on a claim: a published claim or a quoted sentence by its id, or a claim
    of the course with its limit.

        lab.claim("sync-vs-async-file", ratio)          a published claim; its number is shown too
        lab.claim("learn-marks", 65536, of=run)         a sentence quoted in data/claims.toml
        lab.claim("mine", ratio, sentence="...", above=5)
                                                        our own: holds if the interval is above 5
        lab.claim("mine", n, sentence="...", between=(3, 4), exact=True)
                                                        a count, which every profile can judge

    value : a ratio, whose interval decides, or a number
    of : what a number was taken from: a trial, a comparison, a trace or what a program printed.
        There is no verdict if a check of it failed, if there is no output, or if a measured number
        is made of several Nodes of which some ran here and others come from the record
    above, below, between : the limit of the course's own sentence
    exact : the number is counted, not measured
    beside : further ratios that a reader should see with the verdict
    node, because : the versions of Node that the sentence is about, such as "<26", and why it ends
        there. What was measured on another has no verdict. Published claims have both in
        data/claims.toml

    Raises LabError for an unknown id, a limit on a published claim or a quoted sentence, or no
    limit on one of the course.
    """
    limits = [x for x in (above, below, between) if x is not None]
    ends = [end for end in (above, below, *(between or ())) if end is not None]
    if any(not math.isfinite(end) for end in ends) or (between and between[0] > between[1]):
        raise LabError(
            f"{id!r}: a limit is a finite number, and between=(low, high) ascends; got "
            f"above={above!r}, below={below!r}, between={between!r}"
        )
    if id in quotations():
        if limits or sentence or node or because or exact or isinstance(value, Ratio):
            raise LabError(
                f"{id!r} is a quoted sentence, so give only its number. Everything else is in "
                "data/claims.toml"
            )
        exact = not quotations()[id].get("measured", False)
    entries = claims()["claims"]
    replayed = mode() == "replay"
    about: dict[str, Any] = {
        "warnings": _warned(value, of),
        "beside": tuple(beside),
        "changed": changes().get(id, ()),
        **_where(value, of),
        "recorded": replayed or _recorded(value, of),
        "replayed": replayed,
    }
    entry = entries.get(id, {"node": node, "because": because})
    blind = _no_run(of, exact=exact) or _other_node(id, entry, value, of) or _full(value)
    about |= {"blind": blind, "judged_on": entry.get("node", "")}
    if isinstance(of, Printed) and of.absent:
        value = math.nan  # a program without rows has no value, whatever the caller computed
    if id in entries:
        if node or because:
            raise LabError(f"{id!r} is a published claim, and its Nodes are in data/claims.toml")
        if limits:
            raise LabError(
                f"{id!r} is a published claim, and its limits are in data/claims.toml, so "
                "leave them out here"
            )
        if not isinstance(value, Ratio):
            raise LabError(
                f"{id!r} compares two servers, so it needs a ratio such as "
                f"comparison.ratio(a, b), and not {value!r}"
            )
        result = _judge_published(id, entries[id], value, _failed(value, of), **about)
    elif id in quotations():
        result = _judge_quoted(id, value, _failed(value, of), **about)
    elif len(limits) == 1:
        low, high = between or (
            above if above is not None else -math.inf,
            below if below is not None else math.inf,
        )
        failures = _failed(value, of)
        limit = (float(low), float(high))
        result = _judge_own(id, sentence, value, limit, exact=exact, failures=failures, **about)
    else:
        raise LabError(
            f"{id!r} is not a published claim. {did_you_mean(id, entries)} "
            "A sentence of the course needs exactly one of above=, below=, between=."
        )
    # The verdict on what others wrote is a finding, so only a claim of the course can fail to hold.
    usage.note("claim", held=result.holds if result.own else None, **result.to_json())
    return result


FULL = 0.9  # of the time: above it the least difference decides how long a queue is


def _full(value: Ratio | float | None) -> str:
    """Return why a ratio of servers that were asked at a given rate says nothing: the loop of one
    was busy for more than nine tenths of the time. In a closed loop, clients wait instead.
    """
    comparison = getattr(value, "comparison", None)
    if not isinstance(value, Ratio) or not isinstance(comparison, Comparison):
        return ""
    for arm in (value.a, value.b):
        trials = comparison.pool(arm, value.at) if arm in comparison.arms else []
        shares = [t.resources.loop.elu for t in trials if t.resources.loop is not None]
        if shares and trials[0].load.loop == "open" and (busy := fmean(shares)) > FULL:
            return (
                f"the loop of {arm} was busy for {busy:.0%} of the time, and above {FULL:.0%} "
                "even a tiny difference decides how long a queue becomes"
            ).replace("%", " %")
    return ""


def _no_run(of: Measured | None, *, exact: bool) -> str:
    """Return why what a program printed can't be judged; empty if it can."""
    if not isinstance(of, Printed):
        return ""
    if of.absent:
        return of.note
    if of.runs > 1 and not exact:  # a count is the same on every machine
        run_nodes, record_nodes = (
            ", ".join(one.node for one in of.versions if one.recorded == which)
            for which in (False, True)
        )
        return (
            f"Node {run_nodes} ran here, and {record_nodes} in the recorded run. `make nodes` "
            "installs all of them"
        )
    return ""


def _recorded(value: Ratio | float, of: Measured | None) -> bool:
    found: Any = of if of is not None else getattr(value, "comparison", None)
    return bool(getattr(found, "recorded", None))


def _other_node(
    id: str,
    entry: dict[str, Any],
    value: Ratio | float,
    of: Measured | None,
) -> str:
    """Return why a claim is not judged on the Node of its measurement; empty if it is."""
    text, why = entry.get("node", ""), entry.get("because", "")
    if not text and not why:
        return ""
    if not (text and why):
        raise LabError(f"{id!r} needs both: `node`, the versions it is judged on, and `because`")
    nodes = _nodes(value, of)
    if not nodes:
        raise LabError(
            f"{id!r} is judged only on {node_range(text)}, but its value does not say on "
            "which Node it was measured. Name the trial, comparison or program that the "
            "value is from with of=..."
        )
    others = [n.removeprefix("v") for n in sorted(nodes) if n not in node_range(text)]
    return f"it is judged on {node_range(text)}, not {', '.join(others)}: {why}" if others else ""


def claims() -> dict[str, Any]:
    """Return data/claims.toml. Raises LabError if it can't be read."""
    usage.note_file(CLAIMS)
    try:
        return _read(CLAIMS.stat().st_mtime_ns)
    except OSError as error:
        raise LabError(f"data/claims.toml can't be read: {error}") from None


@functools.lru_cache(maxsize=1)
def _read(_mtime: int) -> dict[str, Any]:
    data = stored.read_toml(CLAIMS)
    with stored.named(CLAIMS, stored.FROM_GIT):
        for table in ("claims", "sources"):
            gate.fit(table, data[table], dict[str, dict[str, Any]])
        gate.fit("own", data.get("own", {}), dict[str, dict[str, Any]])
        gate.fit("demonstrations", data.get("demonstrations", {}), dict[str, list[str]])
        gate.fit("quoted", data.get("quoted", {}), dict[str, dict[str, Any]])
        for id, entry in data.get("quoted", {}).items():
            for key in ("sentence", "source", "quote", "why"):
                gate.fit(f"{key} of {id}", entry[key], str)
            gate.fit(f"wanted of {id}", entry["wanted"], list[float])
            low, high = entry["wanted"]
            if not low <= high:
                raise ValueError(
                    f"`wanted` of {id} must be in ascending order, but it is {low:g} and {high:g}"
                )
            gate.fit(f"measured of {id}", entry.get("measured", False), bool)
            if unknown := sorted(entry.keys() - QUOTED):
                raise ValueError(f"{id} has keys that quoted sentences do not have: {unknown}")
            gate.fit(f"the source of {id}", data["sources"][entry["source"]], dict[str, Any])
        for id, said in data.get("found", {}).items():
            gate.fit(f"found of {id}", said, list[str] if isinstance(said, list) else str)
            if isinstance(said, list) and len(said) != 2:
                raise ValueError(
                    f"found of {id} has to be a sentence with {{}}, or one for yes and no"
                )
        gate.fit("worded", data.get("worded", {}), dict[str, list[str]])
        gate.fit("withdrawn", data.get("withdrawn", {}), dict[str, str])
        for id, entry in data["claims"].items():
            for key in ("sentence", "source", "measures"):
                gate.fit(f"{key} of {id}", entry[key], str)
            gate.fit(f"the source of {id}", data["sources"][entry["source"]], dict[str, Any])
            gate.fit(f"published of {id}", entry.get("published", {}), dict[str, dict[str, Any]])
    return data


def changes() -> dict[str, tuple[str, ...]]:
    """Return how criteria changed after a first result was known, by the id of the claim."""
    data = claims()
    entries = {**data["claims"], **data.get("own", {}), **data.get("quoted", {})}
    return {id: tuple(e["changed"]) for id, e in entries.items() if "changed" in e}


# Why a sentence could hardly fail, by the name of its list in data/claims.toml.
DEMONSTRATES = {
    "definition": "the sentence follows from the meaning of its words",
    "documented": "the documentation of Node or of the language promises it",
    "program": "the sentence only says that a program of the book does what it was written to do",
    "far": "the measured value is at least five times away from the limit",
}


def demonstrations() -> dict[str, str]:
    """Return why each of the book's sentences that could hardly fail could not, by its id."""
    kinds = claims().get("demonstrations", {})
    return {id: DEMONSTRATES[kind] for kind, ids in kinds.items() for id in ids}


def quotations() -> dict[str, dict[str, Any]]:
    """Return the sentences that sources wrote without a ratio, by their ids: `source`, `quote`,
    `sentence`, `wanted` (low and high), `why`; `title` and `url` of the source's own page, where
    they are not those of the source; `measured` if the number is no count; `changed`.
    """
    return dict(claims().get("quoted", {}))


def found(id: str) -> tuple[str, ...]:
    """Return what the number of a claim is: a sentence with {}, or one for 1 and one for 0. Empty
    if data/claims.toml does not say.
    """
    sentences = claims().get("found", {}).get(id, ())
    return (sentences,) if isinstance(sentences, str) else tuple(sentences)


def wordings() -> dict[str, tuple[str, ...]]:
    """Return how the words of a sentence changed while its limit stayed, by the id of the claim."""
    return {id: tuple(texts) for id, texts in claims().get("worded", {}).items()}


def withdrawn() -> dict[str, str]:
    """Return the claims that the book made once and makes no more: when and why, by their id."""
    return dict(claims().get("withdrawn", {}))


def published_ratio(id: str) -> tuple[float, float] | None:
    """Return the ratio that a source printed, low and high; None if it gave none."""
    return _published(id, claims()["claims"][id])[1]


def published_text(ratio: tuple[float, float] | None) -> str:
    """Return a published ratio for people: "1.27×", "2–3×"."""
    if ratio is None:
        return "no figure"
    low, high = ratio
    return f"{bare(low)}×" if low == high else f"{bare(low, 6)}–{bare(high, 6)}×"


_COLUMNS = ("source_id", "experiment_id", "system", "metric", "value", "unit")


@functools.lru_cache(maxsize=1)
def figures() -> tuple[dict[str, str], ...]:
    """Return the rows of data/published-results.csv."""
    rows = stored.read_csv(FIGURES, _COLUMNS)
    with stored.named(FIGURES, stored.FROM_GIT):
        for row in rows:
            float(row["value"])
    return tuple(rows)


def published(source: str, experiment: str, system: str, metric: str) -> PublishedFigure:
    """Return one published figure by its key. Raises LabError if there isn't exactly one."""
    usage.note_file(FIGURES)
    key = {"source_id": source, "experiment_id": experiment, "system": system, "metric": metric}
    rows = [row for row in figures() if all(row[k] == v for k, v in key.items())]
    if len(rows) != 1:
        raise LabError(
            f"published-results.csv has {len(rows)} numbers for {', '.join(key.values())}, "
            "but must have one"
        )
    return flat(PublishedFigure, {**rows[0], "value": float(rows[0]["value"])})


@checked
def published_figures(
    experiment: str, metric: str | None = None, system: str | None = None
) -> list[PublishedFigure]:
    """Return the published numbers of an experiment, each with its system, metric and unit.

        lab.published("sync-vs-async-file")             all numbers that a source gives
        lab.published("hello-sleep", "throughput")      those of a metric, here in requests/s
        lab.published("sync-vs-async-file", "latency_p", " async")
                                                        the percentiles of one system

    metric, system : a part of the name is enough.

    Raises LabError for an experiment that no source published.
    """
    usage.note_file(FIGURES)
    rows = [row for row in figures() if row["experiment_id"] == experiment]
    if not rows:
        raise LabError(
            f"no numbers of {experiment!r} in data/published-results.csv. "
            + did_you_mean(experiment, {row["experiment_id"] for row in figures()})
        )
    return [
        flat(PublishedFigure, {**row, "value": float(row["value"])})
        for row in rows
        if (metric or "") in row["metric"] and (system or "") in row["system"]
    ]


def _published(
    id: str, entry: dict[str, Any]
) -> tuple[tuple[PublishedFigure, ...], tuple[float, float] | None]:
    keys = entry.get("published", {})
    experiment = entry.get("experiment", id)
    by_role = {
        role: published(
            entry["source"], key.get("experiment", experiment), key["system"], key["metric"]
        )
        for role, key in keys.items()
        if "system" in key
    }
    if {"a", "b"} <= by_role.keys():
        ratio = by_role["a"].value / by_role["b"].value
        return tuple(by_role.values()), (ratio, ratio)
    if {"low", "high"} <= by_role.keys():
        return tuple(by_role.values()), (by_role["low"].value, by_role["high"].value)
    value = keys.get("value", {}).get("ratio")
    return tuple(by_role.values()), None if value is None else (float(value), float(value))


def _failed(value: Ratio | float | None, of: Measured | None) -> list[str]:
    """Return what failed in the measurements that a value comes from, said by itself or by `of`."""
    names = {name for source in (value, of) for name in getattr(source, "failures", ())}
    return [f"check failed: {name}" for name in sorted(names)]


def _judge_published(
    id: str,
    entry: dict[str, Any],
    ratio: Ratio,
    failures: list[str],
    *,
    blind: str,
    **rest: Any,
) -> Claim:
    rows, source_ratio = _published(id, entry)
    source = claims()["sources"][entry["source"]]
    alone = judge.published(ratio, criterion(id), blind or "; ".join(failures))
    on = rest.get("on") or {"node": "", "machine": ""}
    judgement = (
        _over_sittings(id, alone, ratio, on["node"], on["machine"]) if rest["replayed"] else alone
    )
    judgement = _limited(judgement, rest["judged_on"])
    return Claim(
        id=id,
        sentence=entry["sentence"],
        alone=alone.verdict,
        **_said(ratio, judgement, failures),
        value=ratio,
        source=f"{source['author']}, {source['title']}, {source['year']}",
        url=source["url"],
        quote=entry.get("quote", ""),
        measures=entry["measures"],
        published=rows,
        published_ratio=source_ratio,
        derived=entry.get("derived", ""),
        why=entry.get("why", ""),
        basis="interval",
        **rest,
    )


def criterion(id: str) -> judge.Criterion:
    """Return what a published claim is judged by. Raises KeyError for one that is none."""
    entry = claims()["claims"][id]
    return judge.Criterion(
        printed=_published(id, entry)[1],
        held=entry.get("held"),
        same=entry.get("same", judge.SAME),
        expects=entry.get("expects", "more"),
        derived=bool(entry.get("derived")),
    )


def judged_again(id: str, verdict: str, ratio: tuple[float, float, float]) -> str:
    """Return the word that the rule and the limit of today give an interval that was judged before.

    verdict : the word that it had; ratio : estimate, low and high. An interval without a verdict
    stays without one: what its trials lacked is not in these numbers. Whether the test excluded
    chance is in the word alone: "did not hold" of a difference is said where it did not. Raises
    KeyError for a claim that nobody published.
    """
    if judge.holds(verdict) is None:
        return verdict
    rule = criterion(id)
    estimate, low, high = ratio
    chance = low <= 1 <= high or (verdict == "did not hold" and rule.expects != "same")
    side = "none" if chance else "higher" if estimate > 1 else "lower"
    p = 1.0 if chance else 0.0
    interval = Ratio("", "", "", None, estimate, low, high, PAIRS_FOR_A_VERDICT, p, difference=side)
    return judge.published(interval, rule).verdict


@functools.cache
def _sitting(file: Path, _mtime: int) -> Sitting:
    return sitting.read(file, judged_by_interval())


def judged_by_interval() -> frozenset[str]:
    """Return the ids of the claims that an interval decides, published and of the course."""
    return frozenset(claims()["claims"]) | frozenset(claims().get("by_interval", {}).get("ids", ()))


def sittings() -> list[Sitting]:
    """Return the sittings that the book has, the oldest first. Raises BadSitting for a file that is
    none.
    """
    files = sorted(SITTINGS.glob("*.json"), key=lambda file: file.stem)
    for path in (SITTINGS, *files):  # the folder, too: a page is drawn again when a file is added
        usage.note_file(path)
    return [_sitting(file, file.lstat().st_mtime_ns) for file in files]


def words_of(id: str, node: str = "") -> list[tuple[Sitting, Found, str]]:
    """Return each sitting that found something of a published claim on the release line of this
    Node, by default on any, with its word by the rule and the limit of today.

    A sitting that is older than the question of the claim (`asked` in data/claims.toml) found the
    answer to another one, and is left out.
    """
    question_day = claims()["claims"].get(id, {}).get("asked", "")
    major = node.lstrip("v").partition(".")[0]
    return [
        (one, found, _word(id, found))
        for one in sittings()
        if (found := one.claims.get(id))
        and one.made >= question_day
        and major in ("", str(one.major))
    ]


def _word(id: str, found: Found) -> str:
    if id not in claims()["claims"]:
        return found.verdict
    return judged_again(id, found.verdict, (found.estimate, found.low, found.high))


def _over_sittings(
    id: str, alone: judge.Judged, ratio: Ratio, node: str, machine: str
) -> judge.Judged:
    """Return the verdict on a published claim of the recorded run: what its sittings agree on.

    The sitting that is judged here counts once, whether its file is there already or not.
    """
    rows = words_of(id, node)
    same = [at for at, row, _ in rows if math.isclose(row.estimate, ratio.estimate, rel_tol=1e-4)]
    other_words = [(at, word) for at, _, word in rows if at not in same]
    on_it = [*same, *(at for at in sittings() if at.is_on(machine))]
    here = on_it[0].cpu if on_it else machine
    word = agreed([(here, alone.verdict), *((at.cpu, word) for at, word in other_words)])
    if word == DIFFERS:
        said = [f"{word} on {at.where}" for at, word in other_words if word != NO_VERDICT]
        first = [f"{alone.verdict} in the recorded run"] if alone.verdict != NO_VERDICT else []
        return replace(alone, verdict=word, because=listed([*first, *said]))
    if word == NO_VERDICT:
        few = "a verdict needs sittings on two processors that agree, and there aren't two"
        return replace(alone, verdict=word, because=alone.because or few)
    return replace(alone, verdict=word, because="")


def _judge_own(
    id: str,
    sentence: str,
    value: Ratio | float,
    limits: tuple[float, float],
    *,
    exact: bool,
    failures: list[str],
    blind: str,
    **rest: Any,
) -> Claim:
    failure = blind or "; ".join(failures)
    demonstrates = demonstrations().get(id, "")
    judgement = judge.own(
        value,
        limits,
        failure=failure,
        judged=exact or profile().verdicts,
        demonstrates=bool(demonstrates),
    )
    judgement = _limited(judgement, rest["judged_on"])
    value_text = (
        f"{value.within(value.estimate)}×" if isinstance(value, Ratio) else exact_text(value)
    )
    return Claim(
        id=id,
        sentence=sentence or f"{id}: {value_text}, wanted {judgement.limit}",
        **_said(value, judgement, failures),
        value=value,
        found=() if isinstance(value, Ratio) else found(id),
        basis="interval" if isinstance(value, Ratio) else "count" if exact else "number",
        demonstrates=demonstrates,
        **rest,
    )


def _judge_quoted(
    id: str, value: Ratio | float, failures: list[str], *, blind: str, **rest: Any
) -> Claim:
    entry = quotations()[id]
    source = claims()["sources"][entry["source"]]
    low, high = entry["wanted"]
    exact = not entry.get("measured", False)
    judgement = judge.own(
        value,
        (float(low), float(high)),
        failure=blind or "; ".join(failures),
        judged=exact or profile().verdicts,
    )
    return Claim(
        id=id,
        sentence=entry["sentence"],
        **_said(value, judgement, failures),
        value=value,
        found=found(id),
        quoted=f"{source['author']}, {entry.get('title', source['title'])}, {source['year']}",
        url=entry.get("url", source["url"]),
        quote=entry["quote"],
        why=entry["why"],
        basis="count" if exact else "number",
        **rest,
    )


def _limited(judged: judge.Judged, nodes: str) -> judge.Judged:
    """Return a verdict whose limit also says on which Nodes it is one."""
    if not nodes:
        return judged
    return replace(judged, limit=f"{judged.limit} on {node_range(nodes)}")


def _said(value: Ratio | float, judgement: judge.Judged, failures: list[str]) -> dict[str, Any]:
    """Return the verdict, and figures and verdict in a line."""
    value_text = measured(value) if isinstance(value, Ratio) else exact_text(float(value))
    why = f": {judgement.because}" if judgement.because and not failures else ""
    text = "; ".join([value_text, *failures])
    return {
        "verdict": judgement.verdict,
        "limit": judgement.limit,
        "because": judgement.because,
        "text": f"{text} → {judgement.verdict}{why} (wanted {judgement.limit})",
    }


def _where(value: Ratio | float | None, of: Measured | None) -> dict[str, Any]:
    """Return when and where the measurements behind a value were made, as far as they are known."""
    measurement: Any = of if of is not None else getattr(value, "comparison", None)
    machine = getattr(measurement, "machine", None)
    if machine is None or not machine.id:  # a trace does not say where it was recorded
        return {}
    return {
        "experiment": measurement.experiment,
        "measured": measurement.started,
        "on": {
            "machine": machine.label,
            "kernel": machine.kernel,
            "node": _node(measurement),
            "python": machine.python,
        },
    }


def _trials(measurement: Any) -> tuple[Trial, ...]:
    """Return the trials of a trial or a comparison; none of what a program printed."""
    if hasattr(measurement, "resources"):
        return (measurement,)
    return tuple(getattr(measurement, "trials", ()))


def _node(measurement: Any) -> str:
    client_nodes = [t.resources.client_node for t in _trials(measurement)]
    trace_nodes = [v for v in getattr(measurement, "versions", ()) if isinstance(v, str)]
    program_nodes = ", ".join(
        p.node for p in getattr(measurement, "versions", ()) if isinstance(p, Printed)
    )
    return next(
        filter(None, [*client_nodes, *trace_nodes]),
        getattr(measurement, "node", "") or program_nodes,
    )


def _nodes(value: Ratio | float | None, of: Any) -> set[str]:
    """Return the versions of Node that were measured: the servers' own where they are Node."""
    measurement: Any = of if of is not None else getattr(value, "comparison", None)
    if isinstance(measurement, Printed) and measurement.versions:
        return {program.node for program in measurement.versions}
    trials = _trials(measurement)
    server_nodes = {
        t.server.version.partition(",")[0]
        for t in trials
        if t.server.runtime == "node" and t.server.version
    }
    return server_nodes or {n for n in (_node(measurement),) if n}


def _warned(value: Ratio | float | None, of: Measured | None) -> tuple[str, ...]:
    """Return which checks failed or warned in the trials that a value comes from, in words."""
    measurement: Any = of
    if measurement is not None and _trials(measurement):
        used = [*_trials(measurement), *getattr(measurement, "control", ())]
        counts, trials = raised(used), len(used)
    elif isinstance(value, Ratio):
        counts, trials = dict(value.checks), value.trials
    else:
        return ()
    of_all = f"of {trials} trials" if trials > 1 else "of the one trial"
    return tuple(f"{words(name)} in {n} {of_all}" for name, n in counts.items())

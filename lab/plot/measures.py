"""Metrics, swept values, checks and ratios as figures and tables name them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from lab.records.trial import Trial
from lab.stats import Ratio

from .words import count, interval, listed, number, size, times


class Metric(NamedTuple):
    """How a metric of a trial is shown: axis label, unit, factor to that unit, words for more."""

    name: str
    label: str
    unit: str
    factor: float
    more: str  # "{a} … {ratio} … {b}"

    def of(self, trial: Trial) -> float:
        """Return the trial's value in the unit shown; not-a-number if it has none."""
        return trial.metric(self.name) * self.factor


_MORE = {
    "throughput": "{a} answers {ratio} as many requests per second as {b}",
    "cpu_per_request": "{a} spends {ratio} the server CPU per request of {b}",
}
_FIXED = {
    "throughput": ("throughput (req/s)", "req/s", 1.0),
    "mean": ("mean latency (ms)", "ms", 1e3),
    "min": ("smallest latency (ms)", "ms", 1e3),
    "max": ("largest latency (ms)", "ms", 1e3),
    "failed": ("failed requests", "requests", 1.0),
    "cpu_per_request": ("server CPU per request (ms)", "ms", 1e3),
    "server_cpu_share": ("server CPU (cores)", "cores", 1.0),
    "client_elu": ("client's event loop utilisation", "", 1.0),
    "elu": ("event loop utilisation", "", 1.0),
    "delay_max": ("largest event loop delay (ms)", "ms", 1e3),
    "delay_p99": ("event loop delay p99 (ms)", "ms", 1e3),
    "rss_peak": ("peak resident memory (MiB)", "MiB", 2.0**-20),
    "heap_peak": ("peak heap (MiB)", "MiB", 2.0**-20),
}


def metric_of(name: str) -> Metric:
    """Return how to show a metric by its name: `throughput`, `p99`, `alongside.ping.p50` …"""
    stream, rest = "", name
    if name.startswith("alongside."):
        _, stream, rest = [*name.split(".", 2), "", ""][:3]
    if rest in _FIXED:
        label, unit, factor = _FIXED[rest]
    elif re.fullmatch(r"p\d+(\.\d+)?", rest):
        label, unit, factor = f"{rest} latency (ms)", "ms", 1e3
    else:
        label, unit, factor = rest.replace("_", " "), "", 1.0
    if stream:
        label = f"/{stream} alongside: {label}"
    noun = re.sub(r" \([^)]*\)$", "", label)
    more = _MORE.get(name, f"the {noun} of {{a}} is {{ratio}} that of {{b}}")
    return Metric(name, label, unit, factor, more)


def sweep_label(sweep: str) -> str:
    """Return the axis label of a swept parameter, lower case, with its unit."""
    known = {"rate": "rate asked for (req/s)", "seconds": "seconds (s)", "requests": "requests"}
    return known.get(sweep, sweep.replace("_", " "))


def value_label(value: Any) -> str:
    """Return a swept value as a tick label: `100`, `/big`, `FILE=small`."""
    if isinstance(value, dict):
        return ", ".join(f"{k}={v}" for k, v in value.items())
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def sweep_of(r: Ratio) -> str:
    """Return the swept parameter of a ratio on its own: only its verdict still names it."""
    found = re.search(r" at (\w+)=", r.verdict)
    return found[1] if found else ""


def at_words(sweep: str, value: Any) -> str:
    """Return where a figure was taken, as a phrase: `at 100 connections`; empty without a sweep."""
    if value is None or not sweep:
        return ""
    if sweep == "connections":
        return f"at {count(value, 'connection')}"
    if sweep == "rate":
        return f"at {value_label(value)} requests per second"
    if isinstance(value, dict):  # variables that already have names
        return f"at {listed([_set_to(name, str(one)) for name, one in value.items()])}"
    return f"at {sweep.replace('_', ' ')} {value_label(value)}"


def _set_to(name: str, value: str) -> str:
    file = re.fullmatch(r"\{file:(\d+)\}", value)
    return f"a {name} of {size(int(file[1]))}" if file else f"{name}={value}"


class Side(NamedTuple):
    """A ratio as told: the first arm has more."""

    more: str
    less: str
    estimate: float
    low: float
    high: float


def oriented(r: Ratio, flip: bool | None = None) -> Side:
    """Return the ratio with the larger side first, or as `flip` says, to tell several alike."""
    if flip if flip is not None else r.estimate < 1:
        low, high = (1 / r.high if r.high else math.inf), (1 / r.low if r.low else math.inf)
        return Side(r.b, r.a, 1 / r.estimate, low, high)
    return Side(r.a, r.b, r.estimate, r.low, r.high)


def ratio_words(ratio: Ratio, sweep: str = "") -> str:
    """Return the finding as a sentence that a listener understands without the figure.

    The larger side comes first, whichever arm is the numerator; without a verdict it says so first.
    """
    r = ratio
    if not math.isfinite(r.estimate) or r.estimate <= 0:
        return f"There is no ratio of {r.a} to {r.b}: {r.why_none or 'no pairs'}."
    side = oriented(r)
    factor = times(side.estimate, side.low, side.high)
    said = metric_of(r.metric).more.format(a=side.more, b=side.less, ratio=factor)
    spread = f"95 % interval {interval(side.low, side.high)}, " if r.pairs > 1 else ""
    where = at_words(sweep, r.at)
    figures = f"({spread}{count(r.pairs, 'pair')})"
    if r.decided:
        return _sentence(f"{where} {said} {figures}")
    why = r.why_none.removeprefix("no verdict: ") or "none was asked for"
    return _sentence(f"{where} the data carry no verdict: {said} {figures}, but {why}")


def range_words(first: Ratio, last: Ratio, sweep: str) -> str:
    """Return the ratio at another value, told in the same direction: `At 1 connection it is …`"""
    if not (first.estimate > 0 and last.estimate > 0):
        return ""
    side = oriented(first, flip=last.estimate < 1)
    spread = f" ({interval(side.low, side.high)})" if first.pairs > 1 else ""
    where = at_words(sweep, first.at)
    factor = times(side.estimate, side.low, side.high)
    return _sentence(f"{where} it is {factor}{spread}")


def _sentence(text: str) -> str:
    text = text.strip()
    return f"{text[:1].upper()}{text[1:]}." if text.startswith(("at ", "the ")) else f"{text}."


_STAMPS = {
    "littles_law": "breaks Little’s law",
    "accounted": "requests unaccounted for",
    "answered": "nothing answered",
    "no_errors": "requests failed",
    "verified": "wrong body",
    "finished": "ended early",
    "client_headroom": "client-bound",
    "steady": "not steady",
    "on_schedule": "requests never sent",
    "throttled": "CPU throttled",
}


def stamp_words(check: str) -> str:
    """Return the word or two stamped on a figure when this check fails."""
    return _STAMPS.get(check, f"check failed: {check.replace('_', ' ')}")


def stamps(trials: Iterable[Trial], *, cells: bool = True) -> list[str]:
    """Return what to stamp on a figure of these trials, and in which cells: failed checks, a client
    at its limit, a rate that drifts.
    """
    trials = list(trials)
    everywhere = list(dict.fromkeys((t.arm, value_label(t.at)) for t in trials))
    found: dict[str, list[tuple[str, str]]] = {}
    for t in trials:
        for name in _stamped(t):
            found.setdefault(name, []).append((t.arm, value_label(t.at)))
    out = []
    for name, hits in found.items():
        where = list(dict.fromkeys(hits))
        text = stamp_words(name)
        if cells and len(where) < len(everywhere):
            named = [arm if at == "None" else f"{arm} at {at}" for arm, at in where]
            more = f" and {len(named) - 2} more" if len(named) > 2 else ""
            text += f" ({', '.join(named[:2])}{more})"
        out.append(text)
    return out


def _stamped(t: Trial) -> list[str]:
    # A client at its limit only warns in the record, but the figure then shows the client.
    bound = [n for n, c in t.warnings.items() if c.text.startswith("client-bound")]
    # Neither does a server that drifts have one rate; without a value nothing was seen to drift.
    drifting = [n for n, c in t.warnings.items() if n == "steady" and c.value is not None]
    return [*t.failures, *bound, *drifting]


def provenance(thing: Any) -> list[str]:
    """Return the notes of a caption: where it was recorded if it was, and an interrupt."""
    notes = []
    if getattr(thing, "recorded", None) is not None:
        notes.append(thing.recorded.label)
    if not getattr(thing, "complete", True):
        notes.append("interrupted before all trials ran")
    return notes


def trial_rows(trials: Sequence[Trial], shown: Metric, sweep: str) -> list[dict[str, Any]]:
    """Return one row per trial for the data link: arm, swept value, block, value as drawn."""
    column = re.sub(r"\W+", "_", f"{shown.name}_{shown.unit}").strip("_").lower()
    return [
        {
            "arm": t.arm,
            sweep or "at": value_label(t.at) if isinstance(t.at, dict) else t.at,
            "block": t.block,
            column: shown.of(t),
            "failed_checks": " ".join(sorted(t.failures)),
            **({"recorded": t.recorded.when[:10]} if t.recorded else {}),
        }
        for t in trials
    ]


def value_words(shown: Metric, value: float) -> str:
    """Return a value with its unit: `2,310 req/s`, `4.2 ms`."""
    return f"{number(value)} {shown.unit}".strip()

"""Metrics, swept values, checks and ratios as figures and tables name them."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from lab.judging.stats import Ratio, too_few
from lab.records.trial import Trial
from lab.text.numbers import count, interval, number, size, times
from lab.text.phrasing import listed


class Metric(NamedTuple):
    """How a metric of a trial is shown: what it is, its unit, factor to that unit, words for
    more.
    """

    name: str
    noun: str
    unit: str
    factor: float
    more: str  # the sentence of a ratio: "{a} … {ratio} … {b}"

    @property
    def label(self) -> str:
        """The label of an axis, with the unit unless the name has the unit."""
        told = not self.unit or self.noun.endswith(self.unit)
        return self.noun if told else f"{self.noun} ({self.unit})"

    def of(self, trial: Trial) -> float:
        """Return the trial's value in the unit shown; not-a-number if it has none."""
        return trial.metric(self.name) * self.factor


_MORE = {
    "throughput": "{a} responds to {ratio} as many requests per second as {b}",
    "cpu_per_request": "{a} uses {ratio} the server CPU per request of {b}",
}
_FIXED = {
    "throughput": ("throughput", "req/s", 1.0),
    "mean": ("mean latency", "ms", 1e3),
    "min": ("smallest latency", "ms", 1e3),
    "max": ("largest latency", "ms", 1e3),
    "failed": ("failed requests", "requests", 1.0),
    "cpu_per_request": ("server CPU per request", "ms", 1e3),
    "server_cpu_share": ("server CPU", "cores", 1.0),
    "client_elu": ("client's event loop utilisation", "", 1.0),
    "elu": ("event loop utilisation", "", 1.0),
    "delay_max": ("largest event loop delay", "ms", 1e3),
    "delay_p99": ("event loop delay p99", "ms", 1e3),
    "rss_peak": ("peak resident memory", "MiB", 2.0**-20),
    "heap_peak": ("peak heap", "MiB", 2.0**-20),
}


def metric_of(name: str) -> Metric:
    """Return how to show a metric by its name: `throughput`, `p99`, `alongside.ping.p50` …"""
    stream, base_name = "", name
    if name.startswith("alongside."):
        _, stream, base_name = [*name.split(".", 2), "", ""][:3]
    if base_name in _FIXED:
        noun, unit, factor = _FIXED[base_name]
    elif re.fullmatch(r"p\d+(\.\d+)?", base_name):
        noun, unit, factor = f"{base_name} latency", "ms", 1e3
    else:
        noun, unit, factor = base_name.replace("_", " "), "", 1.0
    more = _MORE.get(name, f"the {noun} of {{a}} is {{ratio}} that of {{b}}")
    if stream:
        more = f"the {noun} of /{stream} with {{a}} is {{ratio}} that with {{b}}"
        noun = f"/{stream} alongside: {noun}"
    return Metric(name, noun, unit, factor, more)


def sweep_label(sweep: str) -> str:
    """Return the axis label of a swept parameter, lower case, with its unit."""
    labels = {"rate": "requested rate (req/s)", "seconds": "seconds (s)", "requests": "requests"}
    return labels.get(sweep, sweep.replace("_", " "))


def value_label(value: Any) -> str:
    """Return a swept value as a tick label: `100`, `/big`, `64 KiB`."""
    if isinstance(value, dict):
        sizes = [re.fullmatch(r"\{file:(\d+)\}", str(v)) for v in value.values()]
        if len(sizes) == 1 and sizes[0]:
            return size(int(sizes[0][1]))
        return ", ".join(f"{k}={v}" for k, v in value.items())
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def of_arms(arms: Sequence[str]) -> str:
    """Return whose a figure is, for its title; empty where that would be long."""
    text = f": {listed(list(arms))}"
    return text if len(arms) > 1 and len(text) <= 50 else ""


def at_words(sweep: str, value: Any) -> str:
    """Return where a figure was taken, as a phrase: `at 100 connections`; empty without a sweep."""
    if value is None or not sweep:
        return ""
    if sweep == "connections":
        return f"at {count(value, 'connection')}"
    if sweep == "rate":
        return f"at {value_label(value)} requests per second"
    if isinstance(value, dict):  # environment variables, which have names of their own
        return f"at {listed([_set_to(name, str(part)) for name, part in value.items()])}"
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
        return f"There is no ratio of {r.a} to {r.b}, because {r.why_none or 'there are no pairs'}."
    side = oriented(r)
    finding = metric_of(r.metric).more.format(a=side.more, b=side.less, ratio=times(side.estimate))
    spread = [f"95 % interval {interval(side.low, side.high)}"] if r.pairs > 1 else []
    at_text = at_words(sweep, r.at)
    inside = ", ".join([*spread, count(r.pairs, "pair")])
    if r.decided:
        return _sentence(f"{at_text} {finding} ({inside})")
    why = r.undecided or "no ratio was requested"
    if r.blind == too_few(r.pairs):  # this reason already gives the number of pairs
        inside, why = ", ".join([*spread, r.blind]), ""
    return _sentence(
        f"{at_text} the data don't allow a verdict: {finding} ({inside}){why and f', but {why}'}"
    )


def range_words(first: Ratio, last: Ratio, sweep: str) -> str:
    """Return the ratio at another value, told in the same direction: `At 1 connection it is …`"""
    if not (first.estimate > 0 and last.estimate > 0):
        return ""
    side = oriented(first, flip=last.estimate < 1)
    spread = interval(side.low, side.high) if first.pairs > 1 else ""
    ratio_text = times(side.estimate) + (f" ({spread})" if spread else "")
    return _sentence(f"{at_words(sweep, first.at)} it is {ratio_text}")


def _sentence(text: str) -> str:
    text = text.strip()
    return f"{text[:1].upper()}{text[1:]}." if text.startswith(("at ", "the ")) else f"{text}."


def value_words(measure: Metric, value: float) -> str:
    """Return a value with its unit: `2,310 req/s`, `4.2 ms`."""
    return f"{number(value)} {measure.unit}".strip()

"""The record of one trial: what one fresh server process did under one load.

Data only, every request accounted for. How rows become these numbers: `lab.records.rows`; what is
wrong with them: `lab.records.checks`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, Self

import numpy as np

from lab.errors import LabError
from lab.processes.machine import Machine, Noise
from lab.records import raw, reference
from lab.records.histogram import Histogram
from lab.records.raw import RawRef
from lab.records.reference import Recorded
from lab.storage.gate import checked
from lab.storage.json_form import Stored, flat, plain, rounded
from lab.text.html_registry import Shown
from lab.text.numbers import tidy

SCHEMA = 1

Status = Literal["ok", "warn", "fail"]  # the status of a check
# Closed: a connection sends when its response is in. Open: a schedule says when requests are sent.
LoopKind = Literal["closed", "open"]
Schedule = Literal["poisson", "constant"]


@dataclass(frozen=True)
class Check:
    """One thing that can be wrong with a trial: its number, the limit, and the finding in words."""

    status: Status
    value: float | None
    limit: float | None
    text: str


@dataclass(frozen=True)
class Counts:
    """Where every request of the whole run went; sent = ok + non2xx + errors + timeouts + in flight
    at the end.
    """

    sent: int = 0
    ok: int = 0
    non2xx: dict[str, int] = field(default_factory=dict)
    errors: dict[str, int] = field(default_factory=dict)
    timeouts: int = 0
    in_flight_at_end: int = 0
    reconnects: int = 0
    late: int = 0  # open loop: sent more than a millisecond after the intended time
    dropped: int = 0  # open loop: never sent because the run ended first

    @property
    def failed(self) -> int:
        """Requests with any other end than a verified 2xx answer or the end of the run."""
        return sum(self.non2xx.values()) + sum(self.errors.values()) + self.timeouts

    @property
    def accounted(self) -> int:
        """Sum of all fates; equals `sent` in a sound record."""
        return self.ok + self.failed + self.in_flight_at_end


@dataclass(frozen=True)
class Bin:
    """A tenth of a second of a trial; latencies in seconds; loop figures only for Node servers."""

    t_s: float  # the start, from the first request; a bin before `window[0]` belongs to the warm-up
    n: int = 0
    errors: int = 0
    p50: float | None = None
    p99: float | None = None
    elu: float | None = None
    delay_max_s: float | None = None
    delay_p99_s: float | None = None
    heap_used: int | None = None
    rss: int | None = None


@dataclass(frozen=True)
class Loop:
    """The server's event loop over the window, from the probe inside it (Node only); the busiest
    process of several.
    """

    elu: float
    delay_mean_s: float
    delay_p99_s: float  # the largest of the 99th percentiles of all intervals of 100 ms
    delay_max_s: float
    heap_peak: int | None  # none if no line of the probe had the number
    rss_peak: int | None
    samples: int


@dataclass(frozen=True)
class Resources:
    """What server and client used; CPU seconds and shares are those of the window."""

    server_cpu_s: float | None = None
    server_cpu_share: float | None = (
        None  # of one core, over the run; above 1 with several processes
    )
    rss_peak: int | None = None
    processes: int | None = None
    loop: Loop | None = None
    client_cpu_s: float | None = None
    client_elu: float | None = None
    client_node: str = ""


@dataclass(frozen=True)
class ServerSpec:
    """What was under test; `source_sha256` is empty for a URL that `lab` didn't start."""

    name: str
    command: tuple[str, ...] = ()
    runtime: str = ""
    env: dict[str, str] = field(default_factory=dict)
    source_sha256: str = ""
    version: str = ""
    workers: int | None = None
    cpus: tuple[int, ...] | None = None  # None = not pinned


@dataclass(frozen=True)
class LoadSpec:
    """What was asked of it; times in seconds, rate per second."""

    loop: LoopKind = "closed"
    connections: int = 10
    rate_per_s: float | None = None
    schedule: Schedule | None = None
    seed: int = 1
    requests: int | None = None
    keep_alive: bool = True
    method: str = "GET"
    path: str = "/"
    headers: dict[str, str] = field(default_factory=dict)
    body_bytes: int = 0
    expect: dict[str, Any] | None = None
    warmup_s: float = 0.25
    warm_cap_s: float | None = None  # then warmup_s was the least, and it went on until steady
    measure_s: float = 0.5
    timeout_s: float = 10.0
    cpus: tuple[int, ...] | None = None
    tool: str = "lab/node/loadgen"


class _Answered(Stored):
    """A record with a series, which is stored by columns."""

    def to_json(self) -> dict[str, Any]:
        """Return plain data, one key a field; the series by columns."""
        return {
            k: columns(v) if k == "series" else plain(v)
            for k, v in self.__dict__.items()
            if k not in self.apart
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """Return what `to_json` wrote."""
        return flat(cls, {**data, "series": bins(data.get("series") or {})})


@dataclass(frozen=True)
class Stream(_Answered):
    """The answer to one stream of requests: throughput in 1/s (verified 2xx in the window),
    latency, counts, series.
    """

    name: str
    throughput: float
    latency: Histogram
    counts: Counts
    in_flight_mean: float | None = None
    bytes_in: int = 0
    load: LoadSpec = field(default_factory=LoadSpec)
    series: tuple[Bin, ...] = ()
    raw_ref: RawRef | None = None
    # The trial in which this stream ran. It is not stored, because a trial would then contain
    # itself.
    trial: Any = field(default=None, repr=False, compare=False)
    apart = ("trial",)


@dataclass(frozen=True)
class Trial(Shown, _Answered):
    """One fresh server process under one load. `.latency` answers in seconds, `.throughput` is in
    1/s.
    """

    id: str
    experiment: str
    started: str  # UTC, ISO
    server: ServerSpec
    load: LoadSpec
    counts: Counts
    window: tuple[float, float]
    throughput: float
    latency: Histogram
    series: tuple[Bin, ...] = ()
    resources: Resources = field(default_factory=Resources)
    machine: Machine = field(default_factory=Machine)
    noise: Noise = field(default_factory=Noise)
    checks: dict[str, Check] = field(default_factory=dict)
    alongside: dict[str, Stream] = field(default_factory=dict)
    in_flight_mean: float | None = None
    bytes_in: int = 0
    stopped: str = "time"
    raw_ref: RawRef | None = None
    arm: str = ""
    at: Any = None  # the swept value
    block: int = 0
    order: int = 0
    seed: int = 1
    lab: str = ""
    commit: str = ""
    dirty: bool = False
    note: str = ""
    schema: int = SCHEMA
    # Only a trial that is not part of a comparison has a question.
    question: dict[str, Any] = field(default_factory=dict, repr=False)
    recorded: Recorded | None = None
    folder: str = field(
        default="", repr=False, compare=False
    )  # where raw_ref.file lies, on this machine only
    apart = ("folder", "recorded")

    def __post_init__(self) -> None:
        # The streams are copied, because the originals may belong to the trial that was copied.
        own = {name: replace(stream, trial=self) for name, stream in self.alongside.items()}
        object.__setattr__(self, "alongside", own)

    @property
    def failures(self) -> dict[str, Check]:
        """The checks that failed."""
        return {name: c for name, c in self.checks.items() if c.status == "fail"}

    @property
    def warnings(self) -> dict[str, Check]:
        """The checks that warn."""
        return {name: c for name, c in self.checks.items() if c.status == "warn"}

    @property
    def answers(self) -> int:
        """Verified answers in the window."""
        return round(self.throughput * (self.window[1] - self.window[0]))

    @checked
    def metric(self, name: str) -> float:
        """Return a figure by name: see `METRICS` and `p50`, `p99`, `p99.9` …; `alongside.ping.p99`
        for another stream.

        Seconds, 1/s or bytes; not-a-number if the trial has none. Raises LabError if there is no
        such metric.
        """
        if name.startswith("alongside."):
            _, stream, figure = [*name.split(".", 2), "", ""][:3]
            if stream not in self.alongside:
                raise LabError(
                    f"no stream {stream!r} ran alongside. The streams were "
                    f"{', '.join(self.alongside) or 'none'}"
                )
            return _stream_metric(self.alongside[stream], figure)
        if name in _OWN:
            value = _OWN[name](self)
            return math.nan if value is None else float(value)
        return _stream_metric(self, name)

    def raw(self) -> dict[str, np.ndarray]:
        """Return the rows of the main stream: t_end_us, latency_us, status, connect_us, late_us,
        connection.

        Raises LabError if this record has no raw rows (replayed, or the tool gives none).
        """
        if self.recorded is not None:
            raise LabError(
                f"{self.recorded.label} has no raw rows here, because a record keeps only the "
                "histogram and the series"
            )
        if self.raw_ref is None or not self.folder:
            raise LabError(
                "this trial has no raw rows, because it was read from JSON or its tool does "
                "not report rows"
            )
        return raw.read(self.raw_ref, Path(self.folder))

    def reference(self) -> Trial | None:
        """Return the recorded run of the same question, or None if there is none or it is stale."""
        found = reference.answer(self.experiment, self.question) if self.question else None
        return found if isinstance(found, Trial) else None

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """Return the trial that `to_json` wrote. Raises LabError for a schema this version doesn't
        know.
        """
        if data.get("schema") != SCHEMA:
            raise LabError(
                f"this trial has schema {data.get('schema')!r}, but this lab reads schema {SCHEMA}"
            )
        return super().from_json(data)

    def __repr__(self) -> str:
        ms = {q: f"p{q * 100:g} {tidy(self.latency.quantile(q) * 1e3)} ms" for q in (0.5, 0.99)}
        percentiles = [text for q, text in ms.items() if self.latency.support(q)] or [
            "too few responses for percentiles"
        ]
        odd = [f"{n}: {c.text}" for n, c in {**self.failures, **self.warnings}.items()]
        how = (
            f"{self.load.connections} connections"
            if self.load.loop == "closed"
            else f"{tidy(self.load.rate_per_s or 0.0, 6)}/s"
        )
        head = (
            f"{self.arm or self.server.name} ({how}): "
            f"{tidy(self.throughput, 4)} req/s, {', '.join(percentiles)}"
        )
        return "\n  ".join([head, *(odd or ["all checks ok"])])


def _cpu_per_request(t: Trial) -> float | None:
    # The CPU time is of all streams, so the responses of all streams count.
    window_s = t.window[1] - t.window[0]
    answers = t.answers + sum(round(s.throughput * window_s) for s in t.alongside.values())
    used = t.resources.server_cpu_s
    return used / answers if used is not None and answers else None


def _of_loop(name: str) -> Callable[[Trial], float | None]:
    return lambda t: None if t.resources.loop is None else getattr(t.resources.loop, name)


_OWN: dict[str, Callable[[Trial], float | None]] = {
    "cpu_per_request": _cpu_per_request,
    "server_cpu_share": lambda t: t.resources.server_cpu_share,
    "rss_peak": lambda t: t.resources.rss_peak,
    "client_elu": lambda t: t.resources.client_elu,
    "elu": _of_loop("elu"),
    "delay_max": _of_loop("delay_max_s"),
    "delay_p99": _of_loop("delay_p99_s"),
    "heap_peak": _of_loop("heap_peak"),
}
METRICS = ("throughput", "mean", "min", "max", "pNN", "failed", *_OWN)


def _stream_metric(stream: Trial | Stream, name: str) -> float:
    if name == "throughput":
        return stream.throughput
    if name in ("mean", "min", "max"):
        return float(getattr(stream.latency, name)())
    if name == "failed":
        return float(stream.counts.failed)
    if found := re.fullmatch(r"p(\d+(?:\.\d+)?)", name):
        return stream.latency.quantile(round(float(found[1]) / 100, 8))
    raise LabError(
        f"there is no metric {name!r}; there are {', '.join(METRICS)} (pNN: p50, p99, p99.9 …)"
    )


def columns(series: tuple[Bin, ...]) -> dict[str, list[Any]]:
    """Return a series by columns, empty columns left out: a third of the size of one object a
    bin.
    """
    found = {name: [getattr(b, name) for b in series] for name in Bin.__dataclass_fields__}
    return {
        name: [rounded(v, 4) if isinstance(v, float) else v for v in values]
        for name, values in found.items()
        if any(v is not None for v in values)
    }


def bins(data: dict[str, list[Any]]) -> tuple[Bin, ...]:
    """Return the series that `columns` wrote."""
    return tuple(
        Bin(**dict(zip(data, row, strict=True))) for row in zip(*data.values(), strict=True)
    )

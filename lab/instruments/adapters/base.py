"""What every load-tool adapter takes and gives back: `ToolSpec` in, `ToolResult` out.

A tool's own summary (`said`) and what may be believed of it (`trusted`) are kept apart, because
every tool is wrong somewhere. The idea of `present`, `run` and one small class per tool is that of
Node's `benchmark/_http-benchmarkers.js`.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import numpy as np

from lab.errors import LabError
from lab.records.load import BadLoad, Bounds, Load, Stream, number
from lab.records.survey import Figures
from lab.storage.gate import fit
from lab.text.numbers import bare

MAX_REQUESTS = 1_000_000  # hey and ab keep every result in memory; hey drops more
MAX_RATE_PER_S = 1_000_000
TOOL_BOUNDS = Bounds(connections=1000, requests=MAX_REQUESTS, seconds=60, timeout_s=60)
LOOPBACK = {"127.0.0.1", "localhost", "::1"}

Columns = Mapping[
    str, np.ndarray
]  # t_end_us, latency_us, status (HTTP code; < 0 as in the generator)


class AdapterError(LabError):
    """A load tool could not be run, or what it printed could not be used."""


class ToolMissing(AdapterError):
    """The tool is not installed, or not in the version the adapter was checked with."""


class ToolFailed(AdapterError):
    """The tool ended with an error or did not end; its output is in the message."""


class UnreadableOutput(AdapterError):
    """The tool printed something the adapter does not know; nothing is guessed from it."""


class Unsupported(AdapterError):
    """The tool cannot do what the spec asks for."""


@dataclass(frozen=True)
class ToolSpec:
    """One load: `seconds` or `requests` in total, `connections` at once, on a loopback `url`.

    `rate_per_s` asks for an open loop, `fresh` for a new connection per request, `cpus` pins the
    tool to those cores. Raises AdapterError if the host is not this machine, and for a load that
    `Load` refuses or that is more than `TOOL_BOUNDS`.
    """

    url: str
    connections: int = 10
    seconds: float | None = 1.0
    requests: int | None = None
    rate_per_s: float | None = None
    fresh: bool = False
    timeout_s: float = 10.0
    cpus: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        _check_url(self.url)
        if (self.seconds is None) == (self.requests is None):
            raise AdapterError(
                "Give either seconds or requests (and None for the other), but not "
                f"seconds={self.seconds} together with requests={self.requests}."
            )
        fit("fresh", self.fresh, bool, AdapterError)
        fit("cpus", self.cpus, tuple[int, ...] | None, AdapterError)
        if self.cpus is not None and (not self.cpus or min(self.cpus) < 0):
            raise AdapterError(
                f"cpus={self.cpus} names no cores. Give their numbers, from 0 on, or None for all."
            )
        try:
            self.load()
        except BadLoad as error:
            raise AdapterError(f"{error}.") from None

    def load(self) -> Load:
        """Return the same for our generator, which checks it. Raises BadLoad."""
        if self.connections is None:  # no number of our own for another tool
            raise BadLoad("connections=None must be a whole number")
        parts = urlsplit(self.url)
        # Checked under the names that they have here.
        timeout_s = number("timeout_s", self.timeout_s, 0.001, TOOL_BOUNDS.timeout_s)
        if self.rate_per_s is not None:
            number("rate_per_s", self.rate_per_s, 0.001, MAX_RATE_PER_S)
        stream = Stream.of(
            bounds=TOOL_BOUNDS,
            connections=self.connections,
            rate=self.rate_per_s,
            requests=self.requests,
            path=(parts.path or "/") + (f"?{parts.query}" if parts.query else ""),
            keep_alive=not self.fresh,
            timeout=timeout_s,
        )
        if self.seconds is None:  # the count ends it; a generator that hangs gives up by itself
            return Load(stream, 0.0, self.deadline_s - 5)
        return Load(stream, 0.0, number("seconds", self.seconds, 0.001, TOOL_BOUNDS.seconds))

    @property
    def deadline_s(self) -> float:
        """Seconds after which a tool that still runs is killed."""
        return (TOOL_BOUNDS.seconds if self.seconds is None else self.seconds) + self.timeout_s + 10


def _check_url(url: str) -> None:
    """Raise AdapterError unless a URL is of this machine, and every tool reads it in the same way.

    A name may have several addresses: at `localhost`, one tool may ask 127.0.0.1 and another ::1.
    """
    try:
        parts = urlsplit(url) if isinstance(url, str) else urlsplit("")
        host, port = parts.hostname, parts.port
    except ValueError:  # no address, or no port
        parts, host, port = urlsplit(""), None, None
    if host not in LOOPBACK:
        raise AdapterError(
            f"Load tools may send requests only to this machine, and {url!r} names "
            f"the host {host!r}. Use the URL of a server that was started here "
            "(http://127.0.0.1:PORT/)."
        )
    plain = parts.scheme == "http" and "@" not in parts.netloc and "#" not in url
    if not plain or port == 0 or any(c <= " " or c > "~" for c in url):
        raise AdapterError(
            f"{url!r} is not a URL that every load tool reads in the same way. Write "
            "http://127.0.0.1:PORT/PATH in visible ASCII characters, others as %XX."
        )


@dataclass(frozen=True)
class Capability:
    """Whether a tool can do something (`ok`), and the sentence that says how far."""

    ok: bool
    why: str


@dataclass(frozen=True)
class Capabilities:
    """What a tool can honestly give, as data for tables and for refusing a plot."""

    raw_rows: Capability
    latency: Capability
    open_loop: Capability
    fresh_connections: Capability
    error_kinds: Capability

    def table(self) -> dict[str, tuple[bool, str]]:
        """(ok, sentence) by the name of the capability."""
        return {name: (c.ok, c.why) for name, c in vars(self).items()}


@dataclass(frozen=True)
class Presence:
    """The version found, or None and in `install` the one line that installs the tool."""

    version: str | None
    install: str

    def __bool__(self) -> bool:
        return self.version is not None


@dataclass(frozen=True)
class ToolResult:
    """One run of one tool: what it said, what can be trusted, and the output both came from.

    `said` holds the tool's own figures in our units, `summary` all it printed under its own names,
    `trusted` the figures that survive the tool's known faults, `rows` one row per request or None.
    """

    tool: str
    version: str
    argv: tuple[str, ...]
    spec: ToolSpec
    said: Figures
    trusted: Figures
    summary: Mapping[str, Any]
    counts: Mapping[str, Any]
    raw_output: str
    caveats: tuple[str, ...]
    wall_s: float
    capabilities: Capabilities = field(repr=False)
    rows: Columns | None = None

    @property
    def throughput_per_s(self) -> float | None:
        """Answers per second as far as the tool lets them be told from failures."""
        return self.trusted.throughput_per_s

    @property
    def latency_us(self) -> np.ndarray | None:
        """Microseconds of every answered request, in order of arrival, or None without rows."""
        if self.rows is None:
            return None
        return self.rows["latency_us"][self.rows["status"] > 0]

    def to_json(self) -> dict[str, Any]:
        """Plain data without the rows and with the raw output."""
        plain = {k: v for k, v in vars(self).items() if k not in ("rows", "capabilities")}
        plain |= {
            "spec": vars(self.spec),
            "said": vars(self.said),
            "trusted": vars(self.trusted),
            "capabilities": self.capabilities.table(),
            "rows": None if self.rows is None else len(self.rows["latency_us"]),
        }
        return plain

    def __repr__(self) -> str:
        def shown(figures: Figures) -> str:
            parts = [
                f"{name[:-3]} {bare(value / 1000, 4)} ms"
                for name, value in vars(figures).items()
                if name.endswith("_us") and value is not None
            ]
            if figures.throughput_per_s is not None:
                parts.insert(0, f"{bare(figures.throughput_per_s, 5)} req/s")
            return ", ".join(parts) or "nothing"

        said = f"{self.tool} {self.version} says {shown(self.said)}"
        return f"{said}\n  of which can be trusted: {shown(self.trusted)}"


@dataclass(frozen=True)
class Ran:
    """How one run of a tool went: what was started, what it printed, how long it took."""

    argv: tuple[str, ...]
    raw_output: str
    wall_s: float


class Adapter(ABC):
    """One load tool: is it here, what can it do, run it."""

    name: str
    program: str = ""  # the program on the PATH; empty: the tool comes with the book's own packages
    install: str
    capabilities: Capabilities
    is_open: bool = False  # sends at a rate_per_s, whatever is answered
    counts: bool = True  # can be asked for a number of requests
    rounds_ms: float = 0.0  # how far the printed figures may be off by rounding

    @abstractmethod
    def _version(self) -> str | None:
        """The version found, or None."""

    @abstractmethod
    def _run(self, spec: ToolSpec, version: str) -> ToolResult:
        """One bounded run of the version found."""

    def present(self) -> Presence:
        """The version found, or None with the line that installs the tool."""
        return Presence(self._version(), self.install)

    def run(self, spec: ToolSpec) -> ToolResult:
        """One bounded run. Raises ToolMissing, Unsupported, ToolFailed or UnreadableOutput."""
        return self._run(spec, self.require())

    def require(self) -> str:
        """The version found. Raises ToolMissing with the line that installs the tool."""
        presence = self.present()
        if presence.version is None:
            raise ToolMissing(
                f"{self.name} is not installed here. Install it with: {presence.install}"
            )
        return presence.version

    def refuse(self, what: str, instead: str) -> Unsupported:
        """The error for a spec this tool cannot meet."""
        return Unsupported(f"{self.name} cannot {what}. {instead}")

    def closed_only(self, spec: ToolSpec, why: str = "") -> None:
        """Raise Unsupported if a rate is asked for, of a tool that only knows the closed loop."""
        if spec.rate_per_s is not None:
            raise self.refuse(f"send at a fixed rate{why}", "Use ours-open.")

    def result(self, spec: ToolSpec, version: str, ran: Ran, **found: Any) -> ToolResult:
        """The result of a run; `found` holds the fields that the adapter has to say itself."""
        about: Any = {"tool": self.name, "version": version, "capabilities": self.capabilities}
        return ToolResult(spec=spec, **about, **vars(ran), **found)


def figures_of(rows: Columns, seconds: float) -> Figures:
    """The five numbers of raw rows; throughput counts 2xx over `seconds`, latency every answer.

    Quantiles are order statistics (the smallest value with at least that share at or below it).
    """
    status = rows["status"]
    latencies_us = rows["latency_us"][status > 0].astype(float)
    good = int(((status >= 200) & (status < 300)).sum())
    throughput = good / seconds if seconds > 0 else math.nan
    if len(latencies_us) == 0:
        return Figures(throughput_per_s=throughput, n=0)
    p50, p99 = np.quantile(latencies_us, [0.5, 0.99], method="inverted_cdf")
    return Figures(
        throughput_per_s=throughput,
        mean_us=float(latencies_us.mean()),
        p50_us=float(p50),
        p99_us=float(p99),
        max_us=float(latencies_us.max()),
        n=len(latencies_us),
    )

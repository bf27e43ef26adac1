"""Closed systems: N connections that send, wait for the answer and send again. Bounds, exact MVA,
and the band between.

Symbols: N connections, Z think time (0 here), D_k demand at station k (seconds a request), m_k
servers there, X throughput
(1/s), R response time (s). Sources: Denning & Buzen 1978 (operational laws); Lazowska, Zahorjan,
Graham, Sevcik,
Quantitative System Performance, 1984, ch. 5 (bounds); Reiser & Lavenberg, JACM 27(2), 1980, doi
10.1145/322186.322195
(MVA); Bolch et al., Queueing Networks and Markov Chains, § 8.2 (several servers); Seidmann et al.
1987 (the simpler form).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from lab.errors import LabError
from lab.storage.gate import checked


@dataclass(frozen=True)
class Station:
    """A place where a request spends time: `demand_s` seconds at one of `servers`; infinitely many
    for a mere delay.
    """

    demand_s: float
    servers: float = 1

    @property
    def limit(self) -> float:
        """The highest throughput it lets through, m / D in 1/s."""
        return self.servers / self.demand_s if self.demand_s else math.inf


@dataclass(frozen=True)
class Band:
    """A prediction that admits what it doesn't know: the truth lies between `low` and `high` at
    each x.

    what : "throughput" (1/s) or "response" (s); x : numbers of connections.
    """

    x: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    what: str = "throughput"
    label: str = ""

    def at(self, x: float) -> tuple[float, float]:
        """Return (low, high) at one x that the band was made for."""
        if x not in self.x:
            raise LabError(
                f"the band was made for x = {', '.join(f'{v:g}' for v in self.x)}, and not "
                f"for {x!r}"
            )
        i = self.x.index(x)
        return self.low[i], self.high[i]

    def contains(self, x: float, value: float, slack: float = 0.0) -> bool:
        """True if `value` lies in the band at x, widened by the share `slack` on both sides."""
        low, high = self.at(x)
        return low * (1 - slack) <= value <= high * (1 + slack)

    def to_json(self) -> dict[str, Any]:
        """Return plain data, one key a field."""
        return {k: list(v) if isinstance(v, tuple) else v for k, v in self.__dict__.items()}


@dataclass(frozen=True, eq=False)
class Mva:
    """Exact mean values for 1…N connections; arrays of shape (N,), `queue` (N, stations)."""

    n: np.ndarray
    throughput: np.ndarray
    response: np.ndarray
    queue: np.ndarray


@checked
def queue(demand_s: float, servers: int = 1) -> Station:
    """Return a station that works on `servers` requests at a time, `demand_s` each; the others
    wait.
    """
    if demand_s < 0 or servers < 1 or servers != int(servers):
        raise LabError(
            f"a station needs a demand >= 0 and whole servers >= 1, and not {demand_s!r} s "
            f"and {servers!r}"
        )
    return Station(demand_s, int(servers))


@checked
def delay(demand_s: float) -> Station:
    """Return a station where nobody waits for anybody: a timer, a remote machine with room."""
    if demand_s < 0:
        raise LabError(f"a delay must be 0 or more seconds, and not {demand_s!r}")
    return Station(demand_s, math.inf)


@checked
def closed(*, think_s: float = 0.0, **stations: Station | float) -> Closed:
    """Return the model of a server in a closed loop.

    A number is a queueing station with one server, except under the name `delay`: there no request
    waits for another.

    closed(loop=0.005)                                5 ms of the loop a request: at most 200 /s
    closed(loop=0.005, delay=0.045)                   and 45 ms elsewhere, for all at once
    closed(loop=0.005, pool=queue(0.1, servers=4))    and 100 ms in a pool of four threads
    """
    if not stations:
        raise LabError("closed() needs at least one station, e.g. closed(loop=0.005, delay=0.045)")
    made = {
        name: s if isinstance(s, Station) else delay(s) if name == "delay" else queue(s)
        for name, s in stations.items()
    }
    return Closed(made, think_s)


@dataclass(frozen=True)
class Closed:
    """A closed model; every method takes numbers of connections."""

    stations: dict[str, Station]
    think_s: float = 0.0

    @property
    def demand_s(self) -> float:
        """D: the time of one request alone, without think time."""
        return sum(s.demand_s for s in self.stations.values())

    @property
    def limit(self) -> float:
        """The highest throughput for any N: min over stations of m / D, 1/s."""
        return min(s.limit for s in self.stations.values())

    @property
    def bottleneck(self) -> str:
        """The name of the station that sets the limit; "" if nothing does."""
        name = min(self.stations, key=lambda k: self.stations[k].limit)
        return name if math.isfinite(self.limit) else ""

    @property
    def knee(self) -> float:
        """N* = (D + Z) * limit: where the two bounds meet; more connections than this only wait."""
        return (self.demand_s + self.think_s) * self.limit

    def bound(self, n: float) -> float:
        """Return the most that N connections can get: min(N / (D + Z), limit), 1/s."""
        alone = self.demand_s + self.think_s
        return min(n / alone if alone else math.inf, self.limit)

    def bound_response(self, n: float) -> float:
        """Return the shortest possible mean response time: max(D, N / limit - Z), s."""
        return max(self.demand_s, n / self.limit - self.think_s)

    def pessimistic(self, n: float) -> float:
        """Return the least that N connections get: N / (N * D_queues + D_delays + Z), 1/s."""
        queues = sum(s.demand_s for s in self.stations.values() if math.isfinite(s.servers))
        return n / (n * queues + (self.demand_s - queues) + self.think_s)

    def mva(self, n: int, *, seidmann: bool = False) -> Mva:
        """Return exact means for 1…n connections, assuming exponential or processor-sharing
        service.

        seidmann : a station of m servers becomes one of demand D / m and a delay D (m - 1) / m:
        simpler, an approximation.
        """
        parts = list(self.stations.values())
        if seidmann:
            parts = [p for s in parts for p in _seidmann(s)]
        return _mva(parts, self.think_s, int(n))

    def throughput(self, n: Iterable[float]) -> Band:
        """Return the band of throughput at each number of connections: MVA below, the bound above.

        A deterministic server follows the bound, an exponential one MVA; real ones often lie
        between.
        """
        x = tuple(n)
        exact = self.mva(int(max(x)))
        low = tuple(min(float(exact.throughput[int(v) - 1]), self.bound(v)) for v in x)
        return Band(x, low, tuple(self.bound(v) for v in x), "throughput", "theory: MVA to bound")

    def response(self, n: Iterable[float]) -> Band:
        """Return the band of mean response time (s): the bound below, MVA above."""
        x = tuple(n)
        exact = self.mva(int(max(x)))
        high = tuple(max(float(exact.response[int(v) - 1]), self.bound_response(v)) for v in x)
        return Band(
            x, tuple(self.bound_response(v) for v in x), high, "response", "theory: bound to MVA"
        )


def _seidmann(s: Station) -> list[Station]:
    if not math.isfinite(s.servers) or s.servers == 1:
        return [s]
    m = s.servers
    return [queue(s.demand_s / m), delay(s.demand_s * (m - 1) / m)]


def _mva(parts: list[Station], think_s: float, n_max: int) -> Mva:
    if n_max < 1:
        raise LabError(f"MVA starts with one connection, and not {n_max}")
    demand = np.array([s.demand_s for s in parts])
    mean_queue: Any = np.zeros(len(parts))  # mean number at each station, for the population before
    busy = {
        i: _MultiServer(s, _rates(parts[:i] + parts[i + 1 :], think_s, n_max))
        for i, s in enumerate(parts)
        if 1 < s.servers < math.inf
    }
    flat = np.array([math.isinf(s.servers) for s in parts])
    x, r, q = np.empty(n_max), np.empty(n_max), np.empty((n_max, len(parts)))
    for n in range(1, n_max + 1):
        response = np.where(flat, demand, demand * (1 + mean_queue))
        for i, station in busy.items():
            response[i] = station.response(float(mean_queue[i]))
        total = float(response.sum())
        rate = n / (think_s + total)
        mean_queue = rate * response
        for station in busy.values():
            station.update(n, rate)
        x[n - 1], r[n - 1], q[n - 1] = rate, total, mean_queue
    return Mva(np.arange(1, n_max + 1), x, r, q)


def _rates(parts: list[Station], think_s: float, n_max: int) -> np.ndarray:
    if not parts and not think_s:
        return np.full(n_max, np.inf)
    if not parts:
        return np.arange(1, n_max + 1) / think_s
    return _mva(parts, think_s, n_max).throughput


class _MultiServer:
    """A station of m servers: the probabilities that 0…m - 1 requests are there, for growing N.

    p(0) as in Reiser, Performance Evaluation 1(1), 1981: from the throughput without this station.
    The usual form, one minus the others, loses all digits near saturation and then exceeds the
    bounds.
    """

    def __init__(self, station: Station, rates_without: np.ndarray) -> None:
        self.demand_s, self.m = station.demand_s, int(station.servers)
        self.rates_without = rates_without
        self.p = np.zeros(self.m)
        self.p[0] = 1.0

    def response(self, held: float) -> float:
        m = self.m
        idle = sum((m - j - 1) * self.p[j] for j in range(m - 1))
        return float(self.demand_s / m * (1 + held + idle))

    def update(self, n: int, rate: float) -> None:
        before = self.p.copy()
        self.p[1:] = rate * self.demand_s / np.arange(1, self.m) * before[:-1]
        self.p[0] = before[0] * rate / self.rates_without[n - 1]

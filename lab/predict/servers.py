"""Laws of whole servers: the least of several limits, each with its name, so that a chapter can say
what binds.

Sources: asymptotic bounds as in `lab.predict.closed`; Gunther, Guerrilla Capacity Planning, 2007,
ch. 4 (USL).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from lab.errors import LabError
from lab.predict.closed_network import Band, Closed, closed, delay, queue
from lab.predict.queues import above_zero
from lab.storage.gate import checked, shown


@dataclass(frozen=True)
class Law:
    """X <= min of limits (1/s) that don't depend on N, and N / D."""

    limits: dict[str, float]
    demand_s: float

    def binding(self, n: float) -> str:
        """Return the name of what limits n connections; "connections" while more of them would
        help.
        """
        return min({**self.limits, "connections": n / self.demand_s}.items(), key=lambda kv: kv[1])[
            0
        ]

    def bound(self, n: float) -> float:
        """Return the most that n connections can get, 1/s."""
        return min(n / self.demand_s, *self.limits.values())

    @property
    def knee(self) -> float:
        """The number of connections from which on more don't help."""
        return self.demand_s * min(self.limits.values())

    def throughput(self, n: Iterable[float]) -> Band:
        """Return the bound at each number of connections; it has no lower edge (low = 0)."""
        x = tuple(n)
        return Band(x, (0.0,) * len(x), tuple(self.bound(v) for v in x), "throughput", "at most")


@checked
def blocking(demand_s: float) -> Closed:
    """Return a server that does one request at a time, waiting included: X = 1 / D for any N."""
    return closed(loop=queue(demand_s))


@checked
def nonblocking(loop_s: float, wait_s: float) -> Closed:
    """Return an event loop that computes `loop_s` a request and lets the rest of it, `wait_s`,
    happen elsewhere.
    """
    return closed(loop=queue(loop_s), wait=delay(wait_s))


@checked
def pooled(loop_s: float, job_s: float, threads: int = 4) -> Closed:
    """Return an event loop whose jobs of `job_s` run on a pool: X <= min(k / job, 1 / loop); 4 is
    libuv's default.
    """
    return closed(loop=queue(loop_s), pool=queue(job_s, threads))


@checked
def prefork(workers: int, demand_s: float, cpu_s: float, cores: int) -> Law:
    """Return w processes that each do one request at a time: X <= min(N / D, w / D, cores / D_cpu).

    demand_s : seconds that a request holds a worker, waiting included; cpu_s : CPU seconds of it.
    """
    above_zero(workers=workers, demand_s=demand_s)
    return Law({"workers": workers / demand_s, "cores": _over(cores, cpu_s)}, demand_s)


@checked
def threaded(threads: int, demand_s: float, cpu_s: float) -> Law:
    """Return k threads under a global interpreter lock: X <= min(N / D, k / D, 1 / D_cpu)."""
    above_zero(threads=threads, demand_s=demand_s)
    return Law({"threads": threads / demand_s, "interpreter lock": _over(1, cpu_s)}, demand_s)


@checked
def two_core(server_s: float, client_s: float, cores: int = 2) -> Law:
    """Return the law of client and server on one machine: X <= min(1 / D_s, 1 / D_c, cores / (D_s +
    D_c)).

    server_s, client_s : CPU seconds a request of the (one-threaded) server and of the load
    generator, from a record.
    """
    total_s = server_s + client_s
    limits = {
        "server": _over(1, server_s),
        "client": _over(1, client_s),
        "cores": _over(cores, total_s),
    }
    return Law(limits, total_s)


def _over(amount: float, each: float) -> float:
    return amount / each if each else math.inf


_FIT_STEPS = 500
_FIT_DAMPING_MOST = 1e12  # then no step is downhill any more


@dataclass(frozen=True)
class Usl:
    """Gunther's universal scalability law X(N) = g N / (1 + a (N - 1) + b N (N - 1)): a
    description, not an explanation.
    """

    gamma: float
    alpha: float
    beta: float

    def throughput(self, n: float) -> float:
        """Return X(N), 1/s."""
        return self.gamma * n / (1 + self.alpha * (n - 1) + self.beta * n * (n - 1))

    @property
    def peak(self) -> float:
        """The N of the highest throughput, sqrt((1 - alpha) / beta); infinite without retrograde
        scaling.
        """
        return math.sqrt((1 - self.alpha) / self.beta) if self.beta > 0 else math.inf


@checked
def usl(n: Sequence[float], throughput: Sequence[float]) -> Usl:
    """Return the USL fitted to measured points, least squares on log X. Raises LabError below 6
    points.
    """
    if len(n) < 6 or len(n) != len(throughput):
        raise LabError(
            "a fit of 3 parameters needs at least 6 points with throughput > 0, and there "
            f"are {len(n)}"
        )
    x, y = np.asarray(n, float), np.asarray(throughput, float)
    if not ((x > 0) & (y > 0) & np.isfinite(x) & np.isfinite(y)).all():
        raise LabError(
            "a fit needs finite numbers of connections and throughput > 0, and not "
            f"n={shown(n)} with throughput={shown(throughput)}"
        )
    alpha, beta = _usl_shape(np.column_stack((x - 1, x * (x - 1))), np.log(y / x))
    gamma = math.exp(
        float(np.mean(np.log(y / x) + np.log(1 + alpha * (x - 1) + beta * x * (x - 1))))
    )
    return Usl(gamma, alpha, beta)


def _usl_shape(terms: np.ndarray, log_share: np.ndarray) -> tuple[float, float]:
    """Return alpha in [0, 1] and beta >= 0 of the least squares of log_share + log(1 + alpha
    terms[:, 0] + beta terms[:, 1]) about its mean: the best gamma for each shape is known.

    Steps are those of Levenberg and Marquardt, cut off at the bounds. Source: J. Nocedal & S.
    Wright, Numerical Optimization, 2006, 10.3 and 16.7.
    """

    def residuals(shape: np.ndarray) -> np.ndarray:
        off = log_share + np.log1p(terms @ shape)
        return np.asarray(off - off.mean())

    shape, most = np.array([0.05, 1e-4]), np.array([1.0, np.inf])
    damping, off = 1e-3, residuals(shape)
    for _ in range(_FIT_STEPS):
        slopes = terms / (1 + terms @ shape)[:, None]
        slopes -= slopes.mean(axis=0)
        downhill = -slopes.T @ off
        free = ~(((shape <= 0) & (downhill < 0)) | ((shape >= most) & (downhill > 0)))
        curvature = (slopes.T @ slopes)[np.ix_(free, free)]
        step = np.zeros(2)
        step[free] = np.linalg.lstsq(
            curvature + damping * np.diag(np.diag(curvature)), downhill[free], rcond=None
        )[0]
        tried = np.clip(shape + step, 0, most)
        after = residuals(tried)
        if after @ after < off @ off:
            shape, off, damping = tried, after, damping / 3
        elif damping < _FIT_DAMPING_MOST:
            damping *= 4
        else:
            break
    return float(shape[0]), float(shape[1])

"""Open arrivals at one server: what a request waits when others arrive at random; and the two laws
that need no assumption.

Sources: Kleinrock, Queueing Systems I, 1975 (M/M/1, § 3.2; Pollaczek–Khinchine, § 5.6). They need
Poisson arrivals: the open loop's `schedule="poisson"`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from lab.errors import LabError
from lab.storage.gate import checked, fit


@dataclass(frozen=True)
class Open:
    """Means of an open queue: utilisation, wait and response in seconds, number in the system."""

    rate_per_s: float
    service_s: float
    utilisation: float
    wait_s: float

    @property
    def response_s(self) -> float:
        """Mean time in the system: wait plus service."""
        return self.wait_s + self.service_s

    @property
    def in_system(self) -> float:
        """Mean number in the system, by Little's law."""
        return self.rate_per_s * self.response_s


@dataclass(frozen=True)
class Exponential(Open):
    """M/M/1: the response time is exponential, so every percentile is known."""

    def quantile(self, q: float) -> float:
        """Return the response time (s) that a share q of the requests does not exceed: -ln(1 - q) *
        S / (1 - rho).
        """
        return -math.log(1 - q) * self.response_s


def above_zero(**given: float) -> None:
    """Raise LabError, naming it, for a number that is not above 0 and finite."""
    for name, value in given.items():
        if not 0 < value < math.inf:
            raise LabError(f"{name}={value!r} must be a number above 0")


@checked
def mg1(rate_per_s: float, service: float | Iterable[tuple[float, float]]) -> Open:
    """Return the means of M/G/1: W = rate * E[S²] / (2 (1 - rho)) (Pollaczek–Khinchine).

    service : seconds, if all requests take the same, or (share, seconds) pairs whose shares add up
    to 1.
    Raises LabError if the server can't keep up (rho >= 1).
    """
    mix = list(service) if isinstance(service, Iterable) else [(1.0, float(service))]
    fit("service", mix, list[tuple[float, float]])
    if not math.isclose(sum(share for share, _ in mix), 1, rel_tol=1e-6):
        raise LabError(
            f"the shares of the service times must add up to 1, and not to {[s for s, _ in mix]}"
        )
    first = sum(share * s for share, s in mix)
    second = sum(share * s * s for share, s in mix)
    rho = _utilisation(rate_per_s, first)
    return Open(rate_per_s, first, rho, rate_per_s * second / (2 * (1 - rho)))


@checked
def md1(rate_per_s: float, service_s: float) -> Open:
    """Return the means of M/D/1: all requests take the same; waits half of M/M/1."""
    return mg1(rate_per_s, service_s)


@checked
def mm1(rate_per_s: float, service_s: float) -> Exponential:
    """Return M/M/1, exponential service times: W = rho * S / (1 - rho). Raises LabError for rho >=
    1.
    """
    rho = _utilisation(rate_per_s, service_s)
    return Exponential(rate_per_s, service_s, rho, rho * service_s / (1 - rho))


def _utilisation(rate_per_s: float, service_s: float) -> float:
    if rate_per_s < 0 or service_s < 0:
        raise LabError(
            f"rate and service time can't be negative, but are {rate_per_s!r}/s and {service_s!r} s"
        )
    rho = rate_per_s * service_s
    if rho >= 1:
        raise LabError(
            f"{rate_per_s:g}/s of {service_s * 1e3:g} ms each is {rho:.0%} of the capacity of "
            f"one server, so the queue grows without end. Stay below {1 / service_s:.4g}/s"
        )
    return rho


@checked
def little(throughput: float, response_s: float) -> float:
    """Return N = X * R, the mean number in the system (Little 1961)."""
    return throughput * response_s


@checked
def demand(cpu_s: float, requests: int) -> float:
    """Return D = U * T / requests: the CPU seconds of one request (utilisation law)."""
    if requests < 1:
        raise LabError("a demand needs at least one request to divide by")
    return cpu_s / requests

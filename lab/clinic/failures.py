"""What went wrong under load, in numbers: requests that failed, clients that got no response any
more, memory and descriptors that a program kept after a load.

Each number is a function of what was observed. The limits on them are in `lab.clinic.illnesses`.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from lab.clinic.loading import Phase
from lab.clinic.observed import Observed

# Loads that a healthy server answers in full: the one above its capacity is not among them.
FAIR = ("one", "many", "look", "profile", "below", "kept-1", "kept-2")
# A silence counts from here on, in seconds, and only if it is longer than all clients of the load
# would need one after another.
SILENCE_S = 1.2
FAILED_LEAST = 3  # requests: one that failed may be an accident


@dataclass(frozen=True)
class Silence:
    """A load at whose end clients waited and nothing came back: for how many seconds, after how
    many good responses of the whole examination.
    """

    phase: Phase
    waiting: int
    silent_s: float
    responses: int

    @property
    def share(self) -> float:
        """The share of the clients that waited; in an open loop each client waits."""
        is_closed = self.phase.rate_per_s is None
        return min(1.0, self.waiting / self.phase.connections) if is_closed else 1.0

    @property
    def who(self) -> str:
        """Who waited, in words."""
        if self.phase.rate_per_s is None:
            return f"{self.waiting:,} of {self.phase.connections:,} clients"
        return f"{self.waiting:,} requests"


def is_silent(phase: Phase, alone_s: float) -> bool:
    """Did most clients of a load wait at its end while nothing came back, for longer than all of
    them would need one after another? alone_s : how long one request takes alone, in seconds.

    An open loop has no number of clients: there a few requests must wait, and none be answered.
    """
    is_closed = phase.rate_per_s is None
    patience_s = max(SILENCE_S, (1.5 * (phase.connections if is_closed else 2) + 2) * alone_s)
    least = 0.75 * (phase.connections if is_closed else 4)
    return phase.silent_s >= patience_s and _waiting(phase) >= least


def silence(seen: Observed) -> Silence | None:
    """Return the first load whose end no response was seen at, None if there is none.

    One load that ends in silence, after which a request alone is answered, may be the machine's
    doing; two are the program's.
    """
    silent = list(_silences(seen))
    lasting = [one for one in silent if one.phase.name not in seen.recovered]
    return next(iter(lasting or (silent if len(silent) > 1 else [])), None)


def _silences(seen: Observed) -> Iterator[Silence]:
    one = seen.phases.get("one")
    alone_s = (one.mean_s if one else None) or 0.0
    responses = 0
    for phase in seen.phases.values():
        responses += phase.before + phase.answers
        if is_silent(phase, alone_s):
            yield Silence(phase, _waiting(phase), phase.silent_s, responses)


def _waiting(phase: Phase) -> int:
    """Return how many requests had no response: those that wait, and those that gave up."""
    return phase.waiting + phase.kinds.get("timed out", 0)


@dataclass(frozen=True)
class Failed:
    """Requests that failed in loads that a healthy server answers: how many of how many, by kind,
    the commonest first.
    """

    failed: int
    requests: int
    kinds: tuple[tuple[str, int], ...]

    @property
    def share(self) -> float:
        """The share of the requests that failed, from 0 to 1."""
        return self.failed / self.requests if self.failed >= FAILED_LEAST else 0.0


def failed(seen: Observed) -> Failed:
    """Return the requests that failed in the fair loads."""
    kinds: Counter[str] = Counter()
    requests = 0
    for phase in _fair(seen):
        kinds.update(phase.kinds)
        requests += phase.failed + phase.answers + phase.before
    return Failed(kinds.total(), max(1, requests), tuple(kinds.most_common()))


def behind(seen: Observed) -> float:
    """Return the share of the arrivals at half of its own most that it did not answer, from 0 to
    1; 0 where too few were asked to tell.
    """
    phase = seen.phases.get("below")
    if phase is None or not phase.rate_per_s or phase.rate_per_s * phase.span_s < 20:
        return 0.0
    return max(0.0, 1 - (phase.answers + phase.failed) / (phase.rate_per_s * phase.span_s))


@dataclass(frozen=True)
class Growth:
    """What was kept after each of two loads, garbage collected: bytes and bytes a response.

    where : "in the heap", or "outside the heap" (Buffers and what native code holds)
    """

    bytes: float = 0.0
    each: float = 0.0
    where: str = ""


def growth(seen: Observed) -> Growth:
    """Return what came again with the second load; nothing where memory levels off."""
    most = Growth()
    for name, where in (("heap", "in the heap"), ("external", "outside the heap")):
        steps = list(_steps(seen, name))
        if len(steps) == 2:
            (first, first_n), (second, second_n) = steps
            if min(first, second) > 0 and second / second_n >= 0.4 * first / first_n:
                kept = Growth(min(first, second), second / second_n, where)
                most = max(most, kept, key=lambda growth: growth.bytes)
    return most


def descriptors(seen: Observed) -> tuple[float, str]:
    """Return how many more descriptors were open after each of two loads, the smaller number, and
    of which kind most of them are.
    """
    steps = [more for more, _ in _steps(seen, "descriptors")]
    if len(steps) < 2 or min(steps) <= 0:
        return 0.0, ""
    before, after = seen.kept[0]["kinds"], seen.kept[-1]["kinds"]
    more = {kind: n - before.get(kind, 0) for kind, n in after.items()}
    return float(min(steps)), max(more, key=lambda kind: more[kind], default="")


def heap_share(seen: Observed) -> float:
    """Return the largest share of its limit that the heap took at rest, garbage collected."""
    return max((mark.get("heap_share") or 0.0 for mark in seen.kept), default=0.0)


def connection_wait(seen: Observed) -> tuple[float, float]:
    """Return how long requests of the program waited for a connection of an http.Agent, for each
    response with many clients: in ms, and as a share of its time.
    """
    phase, rows = seen.phases.get("many"), seen.during("many")
    if phase is None or not phase.answers or not phase.mean_s:
        return 0.0, 0.0
    ms = 0.0
    for pid in {row["pid"] for row in rows}:
        totals = [row.get("agent_ms", 0.0) for row in rows if row["pid"] == pid]
        ms += totals[-1] - totals[0]
    each_ms = ms / phase.answers
    return each_ms, min(1.0, each_ms / (phase.mean_s * 1e3))


def _fair(seen: Observed) -> Iterator[Phase]:
    for name in FAIR:
        if name in seen.phases:
            yield seen.phases[name]


def _steps(seen: Observed, name: str) -> Iterator[tuple[float, int]]:
    """Yield growth and responses of each of the two loads that ask what is kept."""
    marks: list[dict[str, Any]] = seen.kept
    for index, (before, after) in enumerate(itertools.pairwise(marks)):
        phase = seen.phases.get(f"kept-{index + 1}")
        if phase is not None and phase.answers and before.get(name) is not None:
            yield (after[name] or 0) - before[name], phase.answers + phase.before

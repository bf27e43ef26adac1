"""What went wrong under load, in numbers: requests that failed, clients that got no response any
more, memory and descriptors that a program kept after a load.

Each number is a function of what was observed. The limits on them are in `lab.clinic.illnesses`.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from lab.clinic.loading import Phase
from lab.clinic.observation import Observed
from lab.clinic.profile import is_probe
from lab.clinic.source_map import file_of

# Loads that a healthy server answers completely. The load above its capacity is not among them.
FAIR = ("one", "many", "look", "profile", "below", "kept-1", "kept-2", "kept-3")
# A silence counts if it is longer than so many seconds, and longer than all clients of the load
# would need one after another.
SILENCE_S = 1.2
VOID = 0.9  # in a load without any response, this share of it must be silent
RECOVERY_S = 3.0  # in so many seconds after a load, a program that still works answers one request
FETCHED_LEAST = 50  # the least number of responses of other services
FAILED_LEAST = 3  # the least number of failed requests: a single one may be an accident


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
        """The clients that waited, in words."""
        if self.phase.rate_per_s is None:
            return f"{self.waiting:,} of {self.phase.connections:,} clients"
        return f"{self.waiting:,} requests"


def is_silent(phase: Phase, alone_s: float) -> bool:
    """Did most clients of a load wait at its end while nothing came back, for longer than all of
    them would need one after another? alone_s : how long one request takes alone, in seconds.

    An open loop has no number of clients: there a few requests must wait, and none be answered.
    """
    is_closed = phase.rate_per_s is None
    # A short load without any response is silent as a whole, if there were responses before.
    is_void = alone_s > 0 and not phase.answers and not phase.before
    least_s = min(SILENCE_S, VOID * phase.span_s) if is_void else SILENCE_S
    patience_s = max(least_s, (1.5 * (phase.connections if is_closed else 2) + 2) * alone_s)
    least = 0.75 * (phase.connections if is_closed else 4)
    return phase.silent_s >= patience_s and _waiting(phase) >= least


def silence(observation: Observed) -> Silence | None:
    """Return the first load that ended without responses, None if there is none.

    The machine may cause one such load if the program answers a single request afterwards. If two
    loads end like this, the program is the cause.
    """
    silent = list(_silences(observation))
    lasting = [one for one in silent if one.phase.name not in observation.recovered]
    return next(iter(lasting or (silent if len(silent) > 1 else [])), None)


def _silences(observation: Observed) -> Iterator[Silence]:
    one = observation.phases.get("one")
    alone_s = (one.mean_s if one else None) or 0.0
    responses = 0
    for phase in observation.phases.values():
        responses += phase.before + phase.answers
        # The close look slows a program down. If the program answers afterwards, it has not
        # stopped.
        is_slowed = phase.name == "look" and any(
            later.answers for later in _after(observation, "look")
        )
        if is_silent(phase, alone_s) and not is_slowed:
            silent_s = phase.silent_s
            if silent_s < SILENCE_S and phase.name not in observation.recovered:
                silent_s += RECOVERY_S  # so long a single request waited after the load
            yield Silence(phase, _waiting(phase), silent_s, responses)


def _after(seen: Observed, name: str) -> list[Phase]:
    """Return the loads that followed one."""
    loads = list(seen.phases)
    return [seen.phases[later] for later in loads[loads.index(name) + 1 :]]


def _waiting(phase: Phase) -> int:
    """Return how many requests had no response: those that still wait, and those that timed out."""
    return phase.waiting + phase.kinds.get("timed out", 0)


# What Node prints last of all if an error that nothing handled ends the program.
_NODE = re.compile(r"^\s*\|\s*Node\.js v\d")
_CARET = re.compile(r"^\s*\|\s*\^+$")
# The line that Node shows above the caret, and a frame of a stack.
_SHOWN = re.compile(r"^\s*\|\s*((?:file://)?/\S.*?):(\d+)$")
_FRAME = re.compile(r"^\s*\|\s+at (?:.* )?\(?((?:file://)?/[^()]*?):(\d+):\d+\)?(?: \{)?$")
_ABOVE = 5  # lines, in which Node shows one line of the program


def thrown_at(observation: Observed) -> tuple[str, ...]:
    """Return the line of the program, `file:line`, at which the error was thrown that ended it.
    Empty if no error did (a signal, `process.exit`), or if the error has no line of the program.
    """
    lines = observation.died.splitlines()
    ends = [index for index, line in enumerate(lines) if _NODE.match(line)]
    if not ends:
        return ()
    report = lines[: ends[-1]]
    carets = [index for index, line in enumerate(report) if _CARET.match(line)]
    begin = carets[-1] if carets else 0
    shown = report[max(0, begin - _ABOVE) : begin]
    for pattern, candidates in ((_FRAME, report[begin:]), (_SHOWN, reversed(shown))):
        for line in candidates:
            match = pattern.match(line)
            if match and "/node_modules/" not in match[1] and not is_probe(match[1]):
                return (f"{file_of(match[1])}:{match[2]}",)
    return ()


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
    """Return the share of the arrivals at half of its highest throughput that the program did not
    answer, from 0 to 1; 0 if there were too few requests.
    """
    phase = seen.phases.get("below")
    if phase is None or not phase.rate_per_s or phase.rate_per_s * phase.span_s < 20:
        return 0.0
    return max(0.0, 1 - (phase.answers + phase.failed) / (phase.rate_per_s * phase.span_s))


@dataclass(frozen=True)
class Growth:
    """What was kept after each of several loads, garbage collected.

    bytes : after each of two loads, the smaller number; of three loads, after the last one, which
    is longer; least : the smallest number of all loads; each : after the last load, for each of its
    responses; where : "in the heap", or "outside the heap" (Buffers and what native code holds)
    """

    bytes: float = 0.0
    least: float = 0.0
    each: float = 0.0
    where: str = ""
    loads: int = 2


def growth(observation: Observed) -> Growth:
    """Return what was kept after each load except the first; nothing if memory levels off. If the
    first two loads had too few responses for a sure verdict, the third load is long enough for the
    bytes of each response to add up. With three loads, the heap may have shrunk after the first,
    for example because V8 dropped code.
    """
    most = Growth()
    for name, place in (("heap", "in the heap"), ("external", "outside the heap")):
        steps = list(_steps(observation, name))
        if len(steps) >= 2:
            *earlier, (last, last_n) = steps
            growing = [more for more, _ in steps if more > 0]
            is_again = min(more for more, _ in steps[-2:]) > 0
            if is_again and last / last_n >= 0.4 * max(more / n for more, n in earlier):
                total = min(growing) if len(steps) == 2 else last
                kept = Growth(total, min(growing), last / last_n, place, len(growing))
                most = max(most, kept, key=lambda growth: growth.bytes)
    return most


def left_behind(observation: Observed) -> tuple[float, float]:
    """Return how many bytes that were allocated in the second of the loads are still there, by
    samples, and how many for each response of that load.
    """
    load = observation.phases.get("kept-2")
    total = float(sum(keeper["bytes"] for keeper in observation.keepers))
    return total, total / max(1, load.answers + load.before) if load else 0.0


def descriptors(observation: Observed) -> tuple[float, str]:
    """Return how many more descriptors were open after each of two loads, the smaller number, and
    of which kind most of them are.
    """
    steps = [more for more, _ in _steps(observation, "descriptors")]
    if len(steps) < 2 or min(steps) <= 0:
        return 0.0, ""
    before, after = observation.kept[0]["kinds"], observation.kept[-1]["kinds"]
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


@dataclass(frozen=True)
class Line:
    """Requests that wait in line inside the program: how long, in ms and as a share of the time of
    a response; for how many `slots`, about; how many connections to which port the program had.
    """

    ms: float = 0.0
    share: float = 0.0
    slots: float = 0.0
    connections: int = 0
    port: int = 0


IDLE = 0.6  # up to this share of busy time, the loop is not the limit
COMPUTED = 0.15  # up to this share of the response time alone, computing is not the limit
# The name of a wait for a name in Node's async hooks. It has a sign of its own.
LOOK_UPS = ("GETADDRINFOREQWRAP", "GETNAMEINFOREQWRAP", "QUERYWRAP")
CONNECTED = 1.6  # up to so many connections for each slot, the connections belong to the slots


def line(observation: Observed) -> Line:
    """Return how requests wait in line for a resource that only some of them get at once, while
    neither the loop nor a processor nor the pool is busy.

    By Little's law the number of requests in work is the rate times the seconds of one request
    alone. If the program has many more connections to another service than that, the line is at
    that service and not in the program.
    """
    alone, many = observation.phases.get("one"), observation.phases.get("many")
    all_rows = observation.during("many")
    rows = [row for row in all_rows if row["pid"] in observation.serving]
    if alone is None or many is None or not alone.mean_s or not many.mean_s or not rows:
        return Line()
    if observation.bridged or many.failed or len({row["pid"] for row in rows}) > 1:
        return Line()
    wall_ms = rows[-1]["t_ms"] - rows[0]["t_ms"]
    idle_ms = rows[-1]["idle_ms"] - rows[0]["idle_ms"]
    # A helper process of the program also uses processors, from its first row on.
    cpu_ms = sum(row["cpu_us"] for row in all_rows[1:]) / 1e3
    if wall_ms <= 0 or idle_ms < (1 - IDLE) * wall_ms or full_workers(observation):
        return Line()
    # Threads of the pool or of the program that work are waiting for processors, and not idle. The
    # loop's own work is theirs in no case.
    threads_ms = max(0.0, cpu_ms - (wall_ms - idle_ms))
    computed_ms = max(threads_ms / (many.throughput * wall_ms / 1e3 or 1), _in_pool_ms(observation))
    if computed_ms > COMPUTED * 1e3 * alone.mean_s:
        return Line()
    slots = many.throughput * alone.mean_s
    most = max(rows, key=lambda row: row.get("outgoing", 0.0))
    connections = int(most.get("outgoing", 0.0))
    if connections > max(CONNECTED * slots, slots + 1):
        return Line()
    # While the thread waits for a processor, all requests wait too. That line is caused by the
    # machine.
    share = max(0.0, 1 - alone.mean_s / many.mean_s - _waited_share(observation))
    port = int(most.get("outgoing_port", 0.0))
    return Line(1e3 * share * many.mean_s, share, slots, connections, port)


def _waited_share(observation: Observed) -> float:
    """Return the share of the close look in which the program's thread waited for a processor."""
    return max((one["waited_ms"] / 1e3 / one["seconds"] for one in observation.looks), default=0.0)


def full_workers(observation: Observed) -> bool:
    """Whether messages waited, with many clients, for worker threads that were always busy."""
    rows = observation.during("many")
    return 2 * sum(row.get("posted", 0.0) > 0 for row in rows) > len(rows)


def _in_pool_ms(observation: Observed) -> float:
    """Return how long jobs of libuv's pool took, for each response of the close look, in ms."""
    most = 0.0
    for look in observation.looks:
        jobs = [job for kind, job in look["waits"].items() if kind not in LOOK_UPS]
        most = max(most, sum(job["ms"] for job in jobs) / max(1, look["answered"]))
    return most


def unread(observation: Observed) -> float:
    """Return the share of the responses of other services, to fetch or undici, whose bodies were
    not read to their end; 0 of too few.
    """
    responses = read = 0.0
    for pid in observation.pids:
        rows = [row for row in observation.rows if row["pid"] == pid and "fetched" in row]
        if rows:
            responses += rows[-1]["fetched"]
            read += rows[-1]["fetched_read"]
    return max(0.0, 1 - read / responses) if responses >= FETCHED_LEAST else 0.0


def failed_calls(observation: Observed, phase_name: str = "many") -> float:
    """Return how many calls to other services failed for each response in a phase: statuses from
    500 on, 429, and errors, over http, undici and fetch.
    """
    phase, failed_count = observation.phases.get(phase_name), 0.0
    if phase is None or not phase.answers:
        return 0.0
    for pid in observation.pids:
        rows = [row for row in observation.during(phase_name) if row["pid"] == pid]
        counts = [row["calls_failed"] for row in rows if "calls_failed" in row]
        failed_count += counts[-1] - counts[0] if counts else 0.0
    return failed_count / phase.answers


@dataclass(frozen=True)
class Throttled:
    """The share of the system's periods in which the limit of the container stopped the program
    with many clients, and how many processors the limit gives.
    """

    share: float = 0.0
    processors: float = 0.0


PERIODS_LEAST = 8


def throttled(observation: Observed) -> Throttled:
    """Return how often the limit on processor time stopped the program."""
    most = Throttled()
    for pid in observation.pids:
        rows = [row for row in observation.during("many") if row["pid"] == pid]
        counted = [row["throttled"] for row in rows if row.get("throttled")]
        if counted and (periods := counted[-1]["all"] - counted[0]["all"]) >= PERIODS_LEAST:
            share = (counted[-1]["stopped"] - counted[0]["stopped"]) / periods
            most = max(most, Throttled(share, counted[0]["processors"]), key=lambda one: one.share)
    return most


@dataclass(frozen=True)
class Calls:
    """What a request to the program makes it ask of other services, means of the close look: calls
    during which no other call was open, their time in ms and as a share of that of a response, and
    calls again after the same one had failed.
    """

    alone: float = 0.0
    ms: float = 0.0
    share: float = 0.0
    again: float = 0.0


def calls(observation: Observed) -> Calls:
    """Return the calls of the process that made the most."""
    return _in_turn(observation, "alone")


def timers(observation: Observed) -> Calls:
    """Return the same for timers for which a request waited, one after another."""
    return _in_turn(observation, "timed")


def _in_turn(observation: Observed, kind: str) -> Calls:
    of_processes = [Calls()]
    for look in observation.looks:
        total = look.get("calls")
        if total and total["requests"]:
            n = total["requests"]
            each_ms, ms = total["latency_ms"] / n, total.get(f"{kind}_ms", 0.0) / n
            share = min(1.0, ms / each_ms) if each_ms else 0.0
            of_processes.append(Calls(total.get(kind, 0) / n, ms, share, total["again"] / n))
    return max(of_processes, key=lambda one: (one.alone, one.again))


def _fair(seen: Observed) -> Iterator[Phase]:
    for name in FAIR:
        if name in seen.phases:
            yield seen.phases[name]


def _steps(seen: Observed, name: str) -> Iterator[tuple[float, int]]:
    """Yield growth and responses of each of the loads that ask what is kept."""
    marks: list[dict[str, Any]] = seen.kept
    for index, (before, after) in enumerate(itertools.pairwise(marks)):
        phase = seen.phases.get(f"kept-{index + 1}")
        if phase is not None and phase.answers and before.get(name) is not None:
            yield (after[name] or 0) - before[name], phase.answers + phase.before

"""The signs: numbers that tell one illness from another, each a function of what was observed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from lab.clinic import failures
from lab.clinic.observation import Observed, Row

# A run is one callback of the loop with all ticks and promise jobs after it. Until it ends, no
# other request is served. A run counts as long from here on: between the two or three milliseconds
# of rendering a page and the twenty from which on programs block (`bench.clinic table`).
LONG_MS = 7.0
# A run counts as one of many jobs if it has at least so many jobs, and if the longest of them
# leaves at least this share of the run to the others. Its jobs follow each other before the loop
# turns.
MANY_JOBS, BESIDE = 20, 0.6


@dataclass(frozen=True)
class Signs:
    """One number a sign.

    long_share : share of the time of the close look that was spent in long runs
    longest_ms : the tenth longest run, or the longest if there are fewer than ten long ones;
    long_runs : how many long ones there were
    job_share : share of the time in long runs that was spent in runs of many short jobs
    jobs : the median number of jobs in a long run
    pool_wait_ms : how long a tiny job of the pool waited under load, median; name_wait_ms the same
    of a look-up; both less what it was at rest
    name_share : share of the time of all waits for the pool's work and names that was for names
    name_ms : how long a request waited for names, mean; name_latency_share of its latency
    log_share, log_ms : share of the busy time spent writing logs, and how much of it per answer
    sync_share, sync_ms : the same of functions whose name ends with Sync, other than for a log
    queued_bytes, queued_objects : most that stood in a stream whose `write()` had said no
    ignored : writes after a no, per stream that had said one
    grown_bytes : memory beyond that at rest while clients did not read
    silent_ms : the longest time in which the loop did not come round
    stuck_share, stuck_s : share of the clients that waited at the end of a load, and for how many
    seconds nothing had come back by then; both 0 where responses went on
    failed_share : share of the requests that failed in loads that a healthy server answers
    behind_share : share of the arrivals at half of its own most that it did not answer
    ended : did the program end by itself (1) or not (0)?
    kept_bytes, kept_each : memory that it kept after each of two loads (of three: after the last),
    garbage collected, in all and for each response; open_more : descriptors likewise;
    open_share : the largest share of its limit of descriptors that a process had open
    gc_share : share of the busy time spent in the garbage collector
    heap_share : the largest share of its limit that the heap took at rest, garbage collected
    agent_ms, agent_share : how long requests of the program waited for a connection of an
    http.Agent, for each response, and the share of its time
    loop_busy : share of the time in which the loop was busy with many clients
    line_ms, line_share : how long a request waited in line while the program was idle, and the
    share of its time
    unread_share : share of the responses of other services that were not read to their end
    throttled_share : share of the system's periods in which the container's limit stopped it
    calls_each, calls_ms, calls_share : calls of other services in turn, for each response: how
    many, how long, and the share of its time; again_each : calls again after a failure
    timers_each, timers_ms, timers_share : the same of timers for which a request waited in turn
    posted : messages that waited for a worker thread of the program which was always busy
    stale : requests of the program that were reset on a connection that had been kept
    """

    long_share: float = 0.0
    longest_ms: float = 0.0
    long_runs: int = 0
    job_share: float = 0.0
    jobs: float = 0.0
    pool_wait_ms: float = 0.0
    name_wait_ms: float = 0.0
    name_share: float = 0.0
    name_ms: float = 0.0
    name_latency_share: float = 0.0
    log_share: float = 0.0
    log_ms: float = 0.0
    sync_share: float = 0.0
    sync_ms: float = 0.0
    queued_bytes: float = 0.0
    queued_objects: float = 0.0
    ignored: float = 0.0
    grown_bytes: float = 0.0
    silent_ms: float = 0.0
    stuck_share: float = 0.0
    stuck_s: float = 0.0
    failed_share: float = 0.0
    behind_share: float = 0.0
    ended: float = 0.0
    kept_bytes: float = 0.0
    kept_each: float = 0.0
    open_more: float = 0.0
    open_share: float = 0.0
    gc_share: float = 0.0
    loop_busy: float = 0.0
    heap_share: float = 0.0
    agent_ms: float = 0.0
    agent_share: float = 0.0
    line_ms: float = 0.0
    line_share: float = 0.0
    unread_share: float = 0.0
    throttled_share: float = 0.0
    calls_each: float = 0.0
    calls_ms: float = 0.0
    calls_share: float = 0.0
    again_each: float = 0.0
    timers_each: float = 0.0
    timers_ms: float = 0.0
    timers_share: float = 0.0
    stale: float = 0.0
    posted: float = 0.0


def of(observation: Observed) -> Signs:
    """Return the signs of what was observed; of several processes the worst of each."""
    runs, look_ms = _own_time(observation)
    long = [run for run in runs if run.own_ms >= LONG_MS]
    long_ms = sum(run.own_ms for run in long)
    many = [r for r in long if r.jobs >= MANY_JOBS and r.ms - r.longest_ms >= BESIDE * r.own_ms]
    run_times_ms = sorted((run.own_ms for run in runs), reverse=True)
    requests = sum(look["answered"] or look["requests"] for look in observation.looks)
    waits: Counter[str] = Counter()
    number: Counter[str] = Counter()
    for look in observation.looks:
        for kind in ("waits", "still"):
            for name, one in look[kind].items():
                waits[name] += one["ms"]
                number[name] += one["n"]
    names_ms = sum(waits[name] for name in failures.LOOK_UPS)
    connecting = sum(look["named"]["ms"] for look in observation.looks)
    all_ms = sum(waits.values())
    latency = sum(look["latency_ms"] for look in observation.looks)
    load_rows = observation.during("many") or observation.during("unanswered")
    names_ms = max(names_ms, connecting)
    # The gate is passed only if both a thread of the pool and our thread get a processor.
    late = 2 * float(np.median([row["wake_late_ms"] for row in load_rows])) if load_rows else 0.0
    many_phase = observation.phases.get("profile")
    streams = [look["streams"] for look in observation.looks]
    stuck, growth = failures.silence(observation), failures.growth(observation)
    agent_ms, agent_share = failures.connection_wait(observation)
    line, calls, timers = (
        failures.line(observation),
        failures.calls(observation),
        failures.timers(observation),
    )
    # The profile shows which code writes into a file; the close look shows which code writes to
    # stdout and stderr.
    spoken_ms = sum(s.get("stdio_ms", 0.0) for s in streams)
    spoken = spoken_ms / max(sum(look["busy_ms"] for look in observation.looks), 1.0)
    log_share = max([p.log_share for p in observation.profiles] + [min(1.0, spoken)])
    log_s = sum(p.log_share * p.busy_s for p in observation.profiles)
    sync_share = max((p.sync_share for p in observation.profiles), default=0.0)
    sync_s = sum(p.sync_share * p.busy_s for p in observation.profiles)
    profile_requests = (
        max(1.0, many_phase.throughput * max(p.seconds for p in observation.profiles))
        if (many_phase and observation.profiles)
        else 1.0
    )
    return Signs(
        long_share=min(1.0, long_ms / look_ms) if look_ms else 0.0,
        longest_ms=run_times_ms[min(9, len(run_times_ms) - 1)]
        if len(long) >= 10
        else max(run_times_ms, default=0.0),
        long_runs=len(long),
        job_share=sum(run.own_ms for run in many) / long_ms if long_ms else 0.0,
        jobs=float(np.median([run.jobs for run in long])) if long else 0.0,
        pool_wait_ms=max(
            0.0, gate(load_rows, "pool") - undisturbed(observation.rows, "pool") - late
        ),
        name_wait_ms=max(
            0.0, gate(load_rows, "names") - undisturbed(observation.rows, "names") - late
        ),
        name_share=names_ms / max(all_ms, names_ms) if names_ms else 0.0,
        name_ms=names_ms / requests if requests else 0.0,
        name_latency_share=min(1.0, names_ms / latency) if latency else 0.0,
        log_share=log_share,
        log_ms=max(log_s * 1e3 / profile_requests, spoken_ms / max(requests, 1)),
        sync_share=sync_share,
        sync_ms=sync_s * 1e3 / profile_requests,
        queued_bytes=max((s["most_bytes"] for s in streams), default=0),
        queued_objects=max((s["most_objects"] for s in streams), default=0),
        # This is not counted per request: a feed or a log that all requests share returns false
        # once for all of them.
        ignored=sum(s["ignored"] for s in streams) / max(1, sum(s["refused"] for s in streams)),
        grown_bytes=_grown(observation),
        silent_ms=max((row["silent_ms"] for row in observation.rows), default=0.0),
        stuck_share=stuck.share if stuck else 0.0,
        stuck_s=stuck.silent_s if stuck else 0.0,
        failed_share=failures.failed(observation).share,
        behind_share=failures.behind(observation),
        ended=float(bool(observation.died)),
        kept_bytes=growth.bytes,
        kept_each=growth.each,
        open_more=failures.descriptors(observation)[0],
        open_share=observation.open_share,
        gc_share=max((p.gc_share for p in observation.profiles), default=0.0),
        loop_busy=busy(observation),
        heap_share=failures.heap_share(observation),
        agent_ms=agent_ms,
        agent_share=agent_share,
        line_ms=line.ms,
        line_share=line.share,
        unread_share=failures.unread(observation),
        throttled_share=failures.throttled(observation).share,
        calls_each=calls.alone,
        calls_ms=calls.ms,
        calls_share=calls.share,
        again_each=calls.again,
        timers_each=timers.alone,
        timers_ms=timers.ms,
        timers_share=timers.share,
        posted=max((row.get("posted", 0.0) for row in load_rows), default=0.0),
        stale=max((row.get("stale", 0.0) for row in observation.rows), default=0.0),
    )


def busy(observation: Observed, phase: str = "many") -> float:
    """Return the share of a phase in which the loop of the busiest process had work. It is not a
    sign, because a healthy program works too.
    """
    shares = [0.0]
    for pid in observation.pids:
        rows = [row for row in observation.during(phase) if row["pid"] == pid]
        if len(rows) > 1:
            # A loop that does not turn can't report that it is busy, but it is not idle either.
            idle = rows[-1]["idle_ms"] - rows[0]["idle_ms"]
            span = rows[-1]["t_ms"] - rows[0]["t_ms"]
            shares.append(max(0.0, 1 - idle / span) if span else 0.0)
    return max(shares)


def gate(rows: Iterable[Row], gate_name: str) -> float:
    """The median wait in ms of jobs that come at any moment, of those rows.

    The gate asks again only when it has its answer, and then after a pause, `pause_ms` of its rows.
    A wait thus stands for its own length and that pause: a pool that is taken for a second and free
    for a tenth of one shows more short waits than long ones, and yet nearly every job waits.
    """
    rows = list(rows)
    waits = sorted(_waits(rows, gate_name))
    if not waits:
        return 0.0
    spans = np.cumsum([ms + rows[0][gate_name]["pause_ms"] for ms in waits])
    return float(waits[int(np.searchsorted(spans, spans[-1] / 2))])


def undisturbed(rows: Iterable[Row], which: str) -> float:
    """Return the shortest wait at this gate, in ms, as the machine's own share. The shortest counts
    because a program may fill the pool by itself, and even at rest nearly always.
    """
    return min(_waits(rows, which), default=0.0)


def _waits(rows: Iterable[Row], gate_name: str) -> list[float]:
    """Return the waits at a gate in ms. A job that has not come back counts with its age."""
    waits: list[float] = []
    pending: dict[int, float] = {}
    for row in rows:
        waits += row[gate_name]["waits"]
        pending[row["pid"]] = row[gate_name]["pending_ms"]
    return waits + [ms for ms in pending.values() if ms > 0]


def _grown(seen: Observed) -> float:
    """Return the growth of the process's memory while clients did not read."""
    stalled, before = seen.during("stalled"), seen.during("look")
    grown = 0.0
    for pid in {row["pid"] for row in stalled}:
        then = [row["rss"] for row in before if row["pid"] == pid]
        now = [row["rss"] for row in stalled if row["pid"] == pid]
        if then and now:
            grown = max(grown, max(now) - float(np.median(then)))
    return grown


@dataclass(frozen=True)
class _Run:
    """own_ms : of `ms`, without the time in which the thread waited for a processor."""

    ms: float
    own_ms: float
    jobs: int
    longest_ms: float


def _own_time(observation: Observed) -> tuple[list[_Run], float]:
    """The runs of the close look, and how long it was in ms, both without the time in which the
    thread waited for a processor: that is the machine's doing, or that of the program's other
    threads. Linux tells it.
    """
    runs = [_Run(*run) for look in observation.looks for run in look["runs"]]
    spans = [1e3 * look["seconds"] - look["waited_ms"] for look in observation.looks]
    return runs, max(spans, default=0.0)

"""Six illnesses and how each is told: by limits on signs, which stand between what healthy and sick
programs show (`python -m bench.clinic table` measures that).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from urllib.parse import unquote

from lab.clinic.observed import Observed
from lab.clinic.profile import Place
from lab.clinic.signs import LONG_MS, LOOK_UPS, Signs
from lab.text.numbers import number, size


@dataclass(frozen=True)
class Limit:
    """From where on a sign speaks for an illness."""

    sign: str
    least: float
    says: str
    show: Callable[[float], str]


def _ms(value: float) -> str:
    return f"{number(value)} ms"


def _share(value: float) -> str:
    return f"{value:.0%}"


def _plain(value: float) -> str:
    return number(value)


@dataclass(frozen=True)
class Illness:
    """One illness: all of its limits must be reached."""

    id: str
    name: str
    limits: tuple[Limit, ...]
    means: str
    chapter: tuple[str, str]  # path in the book, title
    try_: tuple[str, ...]


LONG_SHARE = Limit("long_share", 0.12, "of the time was spent in long runs", _share)
LONGEST = Limit("longest_ms", LONG_MS, "the tenth longest run of the loop", _ms)
SEVERAL = Limit("long_runs", 3, "long runs in the close look", _plain)

BLOCKED = Illness(
    "blocked-loop",
    "blocked loop",
    (LONG_SHARE, LONGEST, SEVERAL),
    "One callback keeps the thread for so long that everybody else waits for its end.",
    ("blocking/one-thread-many-clients", "One Thread, Many Clients"),
    (
        "Call the asynchronous version where Node has one: it uses the pool.",
        "What only computes goes to a worker thread, or into slices with setImmediate in between.",
        "Do it once and keep the result, where every request asks for the same.",
    ),
)
# Below a long run too: a call that waits for a disk or another program holds the loop although it
# computes nothing, and Node names it by its last four letters.
SYNC = replace(
    BLOCKED,
    limits=(
        Limit("sync_ms", 2.0, "for each answer in calls that block, ...Sync", _ms),
        Limit("sync_share", 0.5, "of the busy time in such calls", _share),
    ),
)
FLOOD = Illness(
    "microtask-flood",
    "microtask flood",
    (
        LONG_SHARE,
        LONGEST,
        SEVERAL,
        Limit("job_share", 0.5, "of the time in long runs was in runs of many short jobs", _share),
    ),
    "Promise jobs or ticks follow each other without end: each is short, but the loop goes on only "
    "when none is left.",
    ("event-loop/ticks-and-microtasks", "Ticks and Microtasks"),
    (
        "Await what really waits, and not every step of a computation.",
        "Give the loop a turn now and then: await setImmediate of node:timers/promises, once every "
        "few milliseconds. Neither await null nor process.nextTick is a turn.",
        "What computes for long belongs in a worker thread.",
    ),
)
POOL = Illness(
    "starved-pool",
    "starved pool",
    (Limit("pool_wait_ms", 10.0, "a tiny job waited for a thread of the pool, median", _ms),),
    "The threads of libuv's pool are all busy: files, hashes and look-ups wait for one, while the "
    "loop is idle.",
    ("blocking/four-hidden-threads", "Four Hidden Threads"),
    (
        "Let only a few of the long jobs at once into the pool, so that short ones get through.",
        "Long computations belong in worker threads, which are not the pool's.",
        "UV_THREADPOOL_SIZE helps where the jobs wait (a slow disk); where they compute, only "
        "up to the number of processors.",
    ),
)
NAMES = Illness(
    "slow-look-ups",
    "slow look-ups",
    (
        Limit("name_ms", 8.0, "of each request went to waiting for names, mean", _ms),
        Limit("name_latency_share", 0.3, "of the server's time for a request", _share),
    ),
    "Names are looked up for each request, and the answer takes its time. The system's look-up "
    "has half of the pool at most: two of four threads.",
    ("blocking/four-hidden-threads", "Four Hidden Threads"),
    (
        "Keep connections open: an Agent with keepAlive asks for the name once.",
        "Remember the address for as long as it may be used.",
        "dns.resolve4 asks a server of names without the pool; it reads no hosts file.",
    ),
)
PRESSURE = Illness(
    "missing-backpressure",
    "missing backpressure",
    (
        Limit("queued_bytes", 1_048_576.0, "stood in one stream that had said no", size),
        Limit("ignored", 1.0, "writes after a no, per stream that had said one", _plain),
    ),
    "Data is written on although write() said no: all of it waits in memory, for each client that "
    "reads slowly.",
    ("streams/flow-and-backpressure", "Flow and Backpressure"),
    (
        "Use pipeline() of node:stream/promises, which waits.",
        "Or stop at false and go on at 'drain'.",
    ),
)
# Of a stream of objects only their number is known: the same illness, told by another sign.
OBJECTS = replace(
    PRESSURE,
    limits=(
        Limit("queued_objects", 1000, "objects stood in one stream that had said no", _plain),
        PRESSURE.limits[1],
    ),
)
LOGGING = Illness(
    "synchronous-logging",
    "synchronous logging",
    (Limit("log_share", 0.4, "of the busy time spent writing logs", _share),),
    "Each line of the log is written before the program goes on, and every client waits for it.",
    ("blocking/sync-or-async-files", "Sync or Async Files"),
    (
        "Write to a stream that is opened once (fs.createWriteStream), or collect lines and write "
        "them together.",
        "Log less for each request: one line, not forty.",
        "console.log to a file or a pipe is synchronous, too.",
    ),
)
ALL = (BLOCKED, FLOOD, POOL, NAMES, PRESSURE, LOGGING)
# Those, and the other ways in which two of them are told.
FORMS = (BLOCKED, SYNC, FLOOD, POOL, NAMES, PRESSURE, OBJECTS, LOGGING)


@dataclass(frozen=True)
class Evidence:
    """One row: what was seen, from where on it speaks for the illness."""

    says: str
    seen: str
    limit: str
    reached: bool


@dataclass(frozen=True)
class Finding:
    """An illness that is likely, its evidence, and the lines of the program where it shows."""

    illness: Illness
    rows: tuple[Evidence, ...]
    strength: float  # how far beyond its limits; 1 is just there
    places: tuple[Place, ...] = ()
    sites: tuple[str, ...] = ()


@dataclass(frozen=True)
class Diagnosis:
    """The findings, the likeliest first; empty where nothing was found."""

    findings: tuple[Finding, ...]
    signs: Signs

    @property
    def first(self) -> str:
        """The name of the likeliest illness, "nothing found" if there is none."""
        return self.findings[0].illness.name if self.findings else "nothing found"


def diagnose(seen: Observed, signs: Signs) -> Diagnosis:
    """Return what is likely ill."""
    found = {one.id: one for one in ALL if _reached(one, signs)}
    if seen.answer_status is None and signs.silent_ms > 1000 and not found:
        found[BLOCKED.id] = BLOCKED
    # One cause has several signs; whoever names the cause must not name its signs, too.
    if _reached(SYNC, signs):
        found.setdefault(BLOCKED.id, SYNC)
    if _reached(OBJECTS, signs):
        found.setdefault(PRESSURE.id, OBJECTS)
    if FLOOD.id in found:
        found.pop(BLOCKED.id, None)
    writing = max((p.write_share for p in seen.profiles), default=0.0)
    if PRESSURE.id in found and writing >= 0.2:
        found.pop(BLOCKED.id, None)
        found.pop(FLOOD.id, None)
    if LOGGING.id in found:
        found.pop(BLOCKED.id, None)
    if NAMES.id in found and signs.name_share >= 0.5:
        found.pop(POOL.id, None)
    if POOL.id in found and BLOCKED.id in found and signs.pool_wait_ms > signs.longest_ms:
        found.pop(BLOCKED.id)  # threads of the pool took the processor from the loop
    findings = [_finding(one, seen, signs) for one in found.values()]
    findings.sort(key=lambda one: -one.strength)
    return Diagnosis(tuple(findings), signs)


def _reached(one: Illness, signs: Signs) -> bool:
    return all(getattr(signs, limit.sign) >= limit.least for limit in one.limits)


def evidence(one: Illness, signs: Signs) -> Iterable[Evidence]:
    """The rows of an illness."""
    for limit in one.limits:
        value = float(getattr(signs, limit.sign))
        yield Evidence(
            limit.says, limit.show(value), f"≥ {limit.show(limit.least)}", value >= limit.least
        )


def _finding(one: Illness, seen: Observed, signs: Signs) -> Finding:
    ratios = [getattr(signs, limit.sign) / limit.least for limit in one.limits if limit.least]
    strength = min(ratios)
    profile = max(seen.profiles, key=lambda p: p.busy_s, default=None)
    places: tuple[Place, ...] = ()
    sites: tuple[str, ...] = ()
    if one.id in (BLOCKED.id, FLOOD.id) and profile:
        places = tuple(profile.places[:3])
    if one is LOGGING and profile:
        places = tuple(profile.log_places[:3])
    wanted = {
        POOL.id: None,
        NAMES.id: set(LOOK_UPS),
        PRESSURE.id: {"write"},
    }
    if one.id in wanted:
        sites = _sites(seen, wanted[one.id])
        if not sites and one.id == PRESSURE.id and profile:
            places = tuple(profile.write_places[:2])
    return Finding(one, tuple(evidence(one, signs)), strength, places, sites)


def _sites(seen: Observed, kinds: set[str] | None) -> tuple[str, ...]:
    """Where in the program that was asked for, most often first; if kinds is None, all but
    writes.
    """
    total: dict[str, int] = {}
    for look in seen.looks:
        for kind, places in look["sites"].items():
            if kind in kinds if kinds is not None else kind != "write":
                for place, n in places.items():
                    total[_place(place)] = total.get(_place(place), 0) + n
    return tuple(sorted(total, key=lambda place: -total[place])[:3])


def _place(frame: str) -> str:
    """File and line of a frame of a stack, and its function if it has a name."""
    found = re.search(r"(?:(\S.*) )?\(?((?:file://)?/.*?):(\d+):\d+\)?$", frame)
    if not found:
        return frame
    function, file, line = found.groups()
    where = f"{unquote(file.removeprefix('file://'))}:{line}"
    return f"{where}, in {function}" if function and "<anonymous>" not in function else where

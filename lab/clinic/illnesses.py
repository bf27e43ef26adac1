"""The problems (`Illness`) and the limits on signs by which each is diagnosed. A limit lies between
the signs of healthy programs and of programs with the problem (`python -m bench.clinic table`
measures that).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from lab.clinic import failures
from lab.clinic.failures import LOOK_UPS, SILENCE_S
from lab.clinic.observation import Observed
from lab.clinic.profile import Place, by_line
from lab.clinic.signs import LONG_MS, Signs
from lab.clinic.source_map import file_of
from lab.text.numbers import count, number, size


@dataclass(frozen=True)
class Limit:
    """The number from which on a sign speaks for a problem."""

    sign: str
    least: float
    says: str
    show: Callable[[float], str]


def _ms(value: float) -> str:
    return f"{number(value)} ms"


def _share(value: float) -> str:
    return f"{value:.0%}"


def _seconds(value: float) -> str:
    return f"{number(value)} s"


def _count(value: float) -> str:
    return f"{value:,.0f}"


def _plain(value: float) -> str:
    return number(value)


@dataclass(frozen=True)
class Illness:
    """One problem. It is found if all of its limits are reached.

    is_failure : whether it says that a load failed. Such a finding comes first, whatever else is
        found.
    sites : the kinds of sites of the close look that are shown with it; None: sites that wait for a
        thread of the pool
    """

    id: str
    name: str
    limits: tuple[Limit, ...]
    means: str
    chapter: tuple[str, str]  # path in the book, title
    try_: tuple[str, ...]
    is_failure: bool = False
    sites: frozenset[str] | None = frozenset()

    @property
    def names_lines(self) -> bool:
        """Whether the report names lines of the program with it."""
        return self.sites != frozenset() or self.id in OF_PROFILE

    @property
    def is_timed(self) -> bool:
        """Whether its signs are times. Other programs on the machine can also cause such signs."""
        return any(limit.sign.endswith("_ms") or limit is BEHIND_SHARE for limit in self.limits)


# A profile, of the processor or of the heap, gives their lines, and not the sites.
OF_PROFILE = frozenset(
    {"blocked-loop", "microtask-flood", "garbage-collection", "memory-leak", "synchronous-logging"}
)
# Kinds of sites that ask another service.
ASKED = frozenset({"call", "fetch", "request", "query"})

LONG_SHARE = Limit("long_share", 0.12, "of the time was spent in long runs", _share)
LONGEST = Limit("longest_ms", LONG_MS, "the tenth longest run of the loop", _ms)
SEVERAL = Limit("long_runs", 3, "long runs in the close observation", _plain)

BLOCKED = Illness(
    "blocked-loop",
    "blocked loop",
    (LONG_SHARE, LONGEST, SEVERAL),
    "One callback holds the thread for so long that all other requests wait until it ends.",
    ("blocking/one-thread-many-clients", "One Thread, Many Clients"),
    (
        "Call the asynchronous version if Node has one, because it uses the pool.",
        "Move pure computation to a worker thread, or slice it with setImmediate in between.",
        "If every request needs the same result, compute it once and keep it.",
    ),
)
# The limit is below a long run, because a call that waits for a disk or another program blocks the
# loop without computing. Node's name of such a call ends with Sync.
# computes nothing, and Node names it by its last four letters.
SYNC = replace(
    BLOCKED,
    limits=(
        Limit("sync_ms", 2.0, "for each response in blocking calls (...Sync)", _ms),
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
    "Promise jobs or ticks follow each other without end. Each is short, but the loop continues "
    "only when none is left.",
    ("event-loop/ticks-and-microtasks", "Ticks and Microtasks"),
    (
        "Use await only where something really waits, and not for every step of a computation.",
        "Let the loop continue now and then: await setImmediate from node:timers/promises "
        "once every few milliseconds. Neither await null nor process.nextTick does that.",
        "Long computations belong in a worker thread.",
    ),
)
POOL = Illness(
    "starved-pool",
    "starved pool",
    (Limit("pool_wait_ms", 10.0, "median wait of a tiny job for a thread of the pool", _ms),),
    "The threads of libuv's pool are all busy, so files, hashes and look-ups wait for a "
    "thread while the loop is idle.",
    ("blocking/four-hidden-threads", "Four Hidden Threads"),
    (
        "Let only a few long jobs into the pool at once, so that short jobs get through.",
        "Long computations belong in worker threads, which are separate from the pool.",
        "A larger UV_THREADPOOL_SIZE helps if the jobs wait (for a slow disk). If they compute, it "
        "helps only up to the number of processors.",
    ),
    sites=None,
)
NAMES = Illness(
    "slow-look-ups",
    "slow look-ups",
    (
        Limit("name_ms", 8.0, "of each request was spent waiting for names, on average", _ms),
        Limit("name_latency_share", 0.3, "of the server's time for a request", _share),
    ),
    "Names are looked up for each request, and each look-up is slow. The system's look-ups get "
    "at most half of the pool: two of four threads.",
    ("blocking/four-hidden-threads", "Four Hidden Threads"),
    (
        "Keep connections open. An Agent with keepAlive looks up the name only once.",
        "Cache the address for as long as it is valid.",
        "dns.resolve4 asks a name server without using the pool, but does not read the hosts file.",
    ),
    sites=frozenset(LOOK_UPS),
)
PRESSURE = Illness(
    "missing-backpressure",
    "missing backpressure",
    (
        Limit(
            "queued_bytes",
            1_048_576.0,
            "waited in one stream whose write() had returned false",
            size,
        ),
        Limit(
            "ignored", 1.0, "writes after write() had returned false, for each such stream", _plain
        ),
    ),
    "The program keeps writing although write() returned false, so for each client that reads "
    "slowly, all data waits in memory.",
    ("streams/flow-and-backpressure", "Flow and Backpressure"),
    (
        "Use pipeline() from node:stream/promises, which waits.",
        "Or stop when write() returns false, and continue at 'drain'.",
    ),
    sites=frozenset({"write"}),
)
# Of a stream of objects only the number of objects is known: the same problem with another sign.
OBJECTS = replace(
    PRESSURE,
    limits=(
        Limit(
            "queued_objects",
            1000,
            "objects waited in one stream whose write() had returned false",
            _plain,
        ),
        PRESSURE.limits[1],
    ),
)
# Of messages to a thread only their number is known, too.
INBOX = replace(
    PRESSURE,
    limits=(
        Limit("posted", 500, "messages waited for a worker thread that had no time left", _count),
    ),
    means="Messages are posted to a worker thread faster than it can handle them. They all "
    "wait in memory, outside the heap, because postMessage() never refuses a message.",
    try_=(
        "Let the thread answer each message, and allow only a few unanswered messages.",
        "Refuse requests (503) while too many are waiting, or start more threads.",
    ),
    sites=frozenset({"post"}),
)
LOGGING = Illness(
    "synchronous-logging",
    "synchronous logging",
    (Limit("log_share", 0.4, "of the busy time spent writing logs", _share),),
    "Each line of the log is written before the program continues, so every client waits for it.",
    ("blocking/sync-or-async-files", "Sync or Async Files"),
    (
        "Write to a stream that you open once (fs.createWriteStream), or collect lines and "
        "write them together.",
        "Log less for each request, for example one line instead of forty.",
        "console.log to a file or a pipe is also synchronous.",
    ),
)
ENDED = Illness(
    "program-ended",
    "program ended",
    (Limit("ended", 1, "time under load, without being told to", _count),),
    "The program ended under load, so all requests that were open failed.",
    ("cases/when-it-throws", "When It Throws"),
    (
        "Read the error that it printed. If it is an unhandled rejection, await the promise or add "
        "`.catch()`. If it is an exception in a callback, handle it there.",
        "Add a listener to 'error' of each stream, socket and emitter that a request uses.",
        "If signal 9 ended it, it probably needed more memory than the system or container had.",
        "Run it under a supervisor that starts it again, because other errors will follow.",
    ),
    is_failure=True,
    sites=frozenset({"ended"}),
)
STOPS = Illness(
    "stops-answering",
    "stops answering",
    (
        Limit("stuck_share", 0.75, "of the clients waited at the end of a load", _share),
        Limit("stuck_s", SILENCE_S, "without any response before that end", _seconds),
    ),
    "Requests arrive, but no responses are sent any more.",
    ("cases/a-database-behind-it", "A Database Behind It"),
    (
        "Look for a resource that each request takes and does not always release, such as a "
        "client of a connection pool, a lock or a slot of a limiter. Release it in `finally`.",
        "Give every wait a deadline (AbortSignal.timeout), so that a request without a "
        "response fails with an error.",
    ),
    is_failure=True,
)
FAILS = Illness(
    "failing-requests",
    "failing requests",
    (Limit("failed_share", 0.01, "of the requests failed in loads that it should answer", _share),),
    "Under load, some responses have a status outside 200 to 299.",
    ("cases/overload", "Overload"),
    (
        "Look in the program's own log for the first error under load.",
        "If a limiter refused the requests, examine the program without the limiter. "
        "Otherwise the examination measures the refusals.",
    ),
    is_failure=True,
)
BEHIND_SHARE = Limit(
    "behind_share", 0.4, "of the arrivals at half of its highest rate got no response", _share
)
BEHIND = Illness(
    "falls-behind",
    "falls behind",
    (BEHIND_SHARE,),
    "Requests pile up at half of the rate that the program reached before, so its capacity "
    "does not last.",
    ("cases/overload", "Overload"),
    (
        "Look for something that becomes slower with each request, such as a growing table, "
        "a queue or a cache without an index.",
        "Look at the rows of the load. The problem begins in the first phase whose times rise.",
    ),
    is_failure=True,
)
LEAK = Illness(
    "memory-leak",
    "memory leak",
    (
        Limit(
            "kept_bytes",
            400_000.0,
            "more was in memory after a load and a garbage collection",
            size,
        ),
        Limit("kept_each", 24.0, "of that for each response of the last load", size),
    ),
    "Memory grows with every request and is not released.",
    ("cases/finding-the-line", "Finding the Line"),
    (
        "Give a cache a maximum number of entries, or a time after which entries expire.",
        "Remove the listener or timer that a request adds, in `finally` or when the request "
        "closes.",
        "Compare two heap snapshots (`node --inspect`, Memory, Comparison). The retainers of "
        "the objects that have increased show what keeps them in memory.",
    ),
    is_failure=True,
)
OPEN = Illness(
    "descriptors-left-open",
    "descriptors left open",
    (Limit("open_more", 4, "more descriptors were open after each of two loads", _count),),
    "Files or sockets are opened for requests and not closed, until the system refuses to "
    "open more.",
    ("streams/files-over-http", "Files over HTTP"),
    (
        "Close a file handle in `finally`, or use `await using` where your Node has it.",
        "Read the body of every fetch response, or cancel it with `await response.body?.cancel()`.",
        "Destroy streams on errors, as pipeline() from node:stream/promises does.",
    ),
    is_failure=True,
)
ALL_OPEN = replace(
    OPEN,
    limits=(
        Limit("open_share", 0.9, "of the descriptors that the system allows were open", _share),
    ),
    means="Files or sockets are opened for requests and not closed, and the system refuses to open "
    "more.",
)
GARBAGE = Illness(
    "garbage-collection",
    "garbage collection",
    (
        Limit("gc_share", 0.4, "of the busy time was spent in the garbage collector", _share),
        Limit("loop_busy", 0.8, "of the time the loop was busy with many clients", _share),
    ),
    "So many objects are created for each request that collecting them is most of the work.",
    ("cases/finding-the-line", "Finding the Line"),
    (
        "Do not copy a collection at each step (`{...all, [key]: value}`), but fill one object.",
        "Build the data that all requests share only once, and keep it.",
        "A larger young generation (`--max-semi-space-size`) helps if objects live for only "
        "one request. Measure whether it helps.",
    ),
)
HEAP = Illness(
    "heap-near-its-limit",
    "heap near its limit",
    (
        Limit(
            "heap_share", 0.75, "of the heap's limit was taken at rest, garbage collected", _share
        ),
    ),
    "The data that the program keeps nearly fills its heap. Garbage collection takes more "
    "and more time, and after a few more requests the program ends with an out-of-memory "
    "error.",
    ("cases/finding-the-line", "Finding the Line"),
    (
        "Keep less data in memory. Read data when it is needed, or keep it in a database.",
        "Give the heap more memory (`--max-old-space-size`, in MiB) if the machine or the "
        "container has enough. A heap of about three quarters of the container's memory is "
        "usual.",
    ),
)
OUT_OF_MEMORY = "JavaScript heap out of memory"
FULL_HEAP = replace(
    HEAP,
    limits=tuple(replace(one, says="time under load, of a full heap") for one in ENDED.limits),
    means=f"The program ended because its heap was full ({OUT_OF_MEMORY}). Either the data that it "
    "keeps nearly fills the heap, or requests add to it.",
    is_failure=True,
)
CONNECTIONS = Illness(
    "too-few-connections",
    "too few connections",
    (
        Limit(
            "agent_ms", 5.0, "of each response was spent waiting for a connection, on average", _ms
        ),
        Limit("agent_share", 0.3, "of the response time", _share),
    ),
    "Requests to another service wait until one of the agent's connections is free.",
    ("cases/a-database-behind-it", "A Database Behind It"),
    (
        "Raise the http.Agent's maxSockets to what the other service can handle. Without it, an "
        "agent opens as many connections as are asked for.",
        "Make fewer calls. Cache the data that many requests need, or ask for several things "
        "at once.",
        "If the other service itself is slow, more connections only move the queue there.",
    ),
    sites=frozenset({"agent"}),
)
# The same problem with times: whatever the pool is, requests wait in line while the program is
# idle.
IN_LINE = replace(
    CONNECTIONS,
    limits=(
        Limit("line_share", 0.6, "of the response time was waiting in line", _share),
        Limit("line_ms", 20.0, "of each response was spent waiting in line, on average", _ms),
    ),
    means="Only a few requests are handled at once, and the others wait for their turn "
    "although the program is idle.",
    try_=(
        "Give the pool more connections (`max` of pg, `connectionLimit` of mysql2, "
        "`connections` of undici), up to the number that the other service can handle.",
        "Hold a connection for as short a time as possible. Ask for it late, release it in "
        "`finally`, and do not wait for another service while you hold it.",
        "If a lock or a limiter in the program lets only a few requests through, check "
        "whether that is necessary.",
    ),
    sites=ASKED,
)
UNREAD = Illness(
    "bodies-not-read",
    "bodies not read",
    (
        Limit(
            "unread_share",
            0.5,
            "of the responses from other services were not read to the end",
            _share,
        ),
    ),
    "The program asks another service and does not read the body of the response. Each such body "
    "holds its connection and memory until garbage is collected.",
    ("streams/flow-and-backpressure", "Flow and Backpressure"),
    (
        "Read the body (`await response.text()`) or cancel it (`await response.body?.cancel()`).",
        "Use HEAD where you need only the status and headers.",
    ),
    sites=frozenset({"fetch"}),
)
THROTTLED = Illness(
    "cpu-limit",
    "stopped by a CPU limit",
    (
        Limit(
            "throttled_share",
            0.25,
            "of the system's periods, the limit stopped the program",
            _share,
        ),
    ),
    "The container may use only a share of a processor. When that share is used up, the whole "
    "program stops until the next period begins, whatever it was doing.",
    ("cases/overload", "Overload"),
    (
        "Raise the limit (`--cpus` of docker, `limits.cpu` of Kubernetes) or remove it and "
        "keep the request. Garbage collection and the pool's threads also use up the limit.",
        "Start only as many processes and threads as the limit allows processors. "
        "`os.availableParallelism()` may count all processors of the machine.",
        "Make each request cheaper. The profile names the line.",
    ),
)
IN_TURN = Illness(
    "calls-in-turn",
    "calls in turn",
    (
        Limit(
            "calls_each",
            4.5,
            "calls to other services, one after another, for each response, on average",
            _plain,
        ),
        Limit("calls_ms", 5.0, "of each response was spent in such calls, on average", _ms),
        Limit("calls_share", 0.5, "of the response time", _share),
    ),
    "For each request the program calls another service many times, and waits for each response "
    "before the next call.",
    ("event-loop/from-callbacks-to-await", "From Callbacks to await"),
    (
        "Ask for all the data at once, with a join, with `WHERE id = ANY($1)` or with one "
        "request for a list of ids.",
        "If one call does not need the result of another, make the calls concurrently with "
        "`await Promise.all(ids.map(load))`, and limit their number.",
        "Cache the data that many requests ask for.",
    ),
    sites=ASKED,
)
# The same problem with timers: pauses in the program, or delayed answers of a test double.
IN_PAUSES = replace(
    IN_TURN,
    limits=(
        Limit(
            "timers_each", 4.5, "timers, one after another, for each response, on average", _plain
        ),
        Limit("timers_ms", 5.0, "of each response was spent waiting for them, on average", _ms),
        Limit("timers_share", 0.5, "of the response time", _share),
    ),
    means="Each request waits for many timers, one after another. They may be pauses between "
    "attempts, or timers in place of calls to another service.",
    try_=(
        "If one wait does not need the result of another, wait for all of them at once with "
        "`await Promise.all(ids.map(load))`.",
        "Do not ask again and again whether something is done. Wait for an event, or for the "
        "promise of the work.",
        "If the work takes long, respond at once (202) and let the client ask later.",
    ),
    sites=frozenset({"timer"}),
)
RETRIES = Illness(
    "retry-storm",
    "retry storm",
    (
        Limit(
            "again_each",
            1.5,
            "repeated calls after a failure for each response, on average",
            _plain,
        ),
    ),
    "A failed call is repeated again and again, so an overloaded service gets several times "
    "as many calls at the moment when it can handle the fewest.",
    ("cases/overload", "Overload"),
    (
        "Retry at most once, after a pause with jitter, and only if the failure may be temporary.",
        "Give retries a budget, such as a tenth of all calls.",
        "Stop calling for a while when most calls fail (a circuit breaker), and respond without "
        "them.",
    ),
    sites=ASKED,
)
STALE = Illness(
    "keep-alive-mismatch",
    "keep-alive mismatch",
    (Limit("stale", 3, "requests were reset on a kept connection", _count),),
    "The program calls another service over connections that it keeps, and the other service "
    "closes them after a shorter idle time. A request that is sent at that moment is reset.",
    ("streams/sockets-and-servers", "Sockets and Servers"),
    (
        "Let the calling side close first. Give the agent a shorter idle time (`timeout` of "
        "http.Agent, `keepAliveTimeout` of undici) than the other service's.",
        "If this program is the other service, behind a proxy, set `server.keepAliveTimeout` above "
        "the proxy's idle time (60 s for most), and `headersTimeout` above that.",
        "Repeat the request once if it may be repeated and the connection was a kept one "
        "(`request.reusedSocket`).",
    ),
    sites=frozenset({"request"}),
)
# Requests that wait this long for the pool or for names look as if the program stopped answering.
LONG_WAIT_MS = 1000.0
OF_DESCRIPTOR = 262_144  # the bytes that a socket and its objects may hold
NOT_EXAMINED = (
    "Not examined: requests other than those that were sent, work that runs once an hour or "
    "grows over days, what slows other machines down, kept connections that a proxy in front of "
    "the program outlives, WebSockets, event streams, and security."
)
ALL = (
    *(
        BLOCKED,
        FLOOD,
        POOL,
        NAMES,
        PRESSURE,
        LOGGING,
        ENDED,
        STOPS,
        FAILS,
        BEHIND,
        LEAK,
        OPEN,
        GARBAGE,
    ),
    *(HEAP, CONNECTIONS, UNREAD, THROTTLED, IN_TURN, RETRIES, STALE),
)
# These problems, and the other forms of two of them.
FORMS = (
    *(ENDED, FULL_HEAP, STOPS, FAILS, BEHIND, LEAK, OPEN, ALL_OPEN),
    *(BLOCKED, SYNC, FLOOD, POOL, NAMES, PRESSURE, OBJECTS, LOGGING, GARBAGE, HEAP, CONNECTIONS),
    *(INBOX, IN_LINE, UNREAD, THROTTLED, IN_TURN, IN_PAUSES, RETRIES, STALE),
)


def known() -> list[Illness]:
    """Return each problem once, in its usual form, failures first."""
    usual_forms = {illness.id: illness for illness in ALL}
    return [usual_forms[id] for id in dict.fromkeys(form.id for form in FORMS)]


def other_limits(illness: Illness) -> list[tuple[Limit, ...]]:
    """Return the limits of each other form of a problem. The problem is also found if all limits of
    one of these forms are reached.
    """
    forms = [form for form in FORMS if form.id == illness.id and form.limits != illness.limits]
    return [form.limits for form in forms]


def names() -> str:
    """Return the names of all problems that are looked for, in a sentence."""
    return ", ".join(illness.name for illness in known())


@dataclass(frozen=True)
class Evidence:
    """One row of evidence: the number that was seen, and the limit from which on it speaks for the
    problem.
    """

    says: str
    seen: str
    limit: str
    reached: bool


@dataclass(frozen=True)
class Finding:
    """An illness that is likely, its evidence, and the lines of the program where it shows."""

    illness: Illness
    rows: tuple[Evidence, ...]
    strength: float  # by how much it exceeds its limits; 1 is exactly the limit
    places: tuple[Place, ...] = ()
    sites: tuple[str, ...] = ()

    @property
    def of_place(self) -> str:
        """Return the words between a share and its place, which name the whole."""
        kept = "of what it kept in the heap was allocated in"
        return kept if self.illness.id == LEAK.id else "of its work is in"


@dataclass(frozen=True)
class Diagnosis:
    """The findings, the likeliest first; empty where nothing was found."""

    findings: tuple[Finding, ...]
    signs: Signs

    @property
    def first(self) -> str:
        """The name of the likeliest illness, "nothing found" if there is none."""
        return self.findings[0].illness.name if self.findings else "nothing found"


def diagnose(observation: Observed, signs: Signs) -> Diagnosis:
    """Return the likely problems."""
    problems = {problem.id: problem for problem in ALL if _reached(problem, signs)}
    if observation.answer_status is None and signs.silent_ms > 1000 and not problems:
        problems[BLOCKED.id] = BLOCKED
    _add_other_forms(problems, signs)
    if ENDED.id in problems and OUT_OF_MEMORY in observation.died:
        problems[HEAP.id] = FULL_HEAP
    _leave_causes(problems, observation, signs)
    _leave_first_failure(problems, observation)
    findings = [
        _finding(_in_words(problem, observation), observation, signs)
        for problem in problems.values()
    ]
    order = _order(problems, signs)
    findings.sort(
        key=lambda finding: (
            order.index(finding.illness.id) if finding.illness.id in order else len(order),
            -finding.strength,
        )
    )
    return Diagnosis(tuple(findings), signs)


def _order(problems: dict[str, Illness], signs: Signs) -> list[str]:
    """Return the ids of the problems that come first: failures, and before a failure its cause."""
    order = [HEAP.id, ENDED.id, STOPS.id, FAILS.id, BEHIND.id, LEAK.id, OPEN.id]
    # Memory that belongs to open descriptors is not a leak of its own: the descriptors are the
    # cause.
    if signs.kept_bytes <= OF_DESCRIPTOR * signs.open_more:
        order = [HEAP.id, ENDED.id, STOPS.id, FAILS.id, BEHIND.id, OPEN.id, LEAK.id]
    if PRESSURE.id in problems:  # what it kept is what waits to be written
        order.insert(order.index(LEAK.id), PRESSURE.id)
    if FAILS.id in problems:  # each repeated call makes it likelier that the next request fails
        order.insert(order.index(FAILS.id), RETRIES.id)
    if STOPS.id in problems:
        if signs.pool_wait_ms >= LONG_WAIT_MS:
            order.insert(order.index(STOPS.id), POOL.id)
        if signs.name_ms >= LONG_WAIT_MS:
            order.insert(order.index(STOPS.id), NAMES.id)
    if signs.open_share >= ALL_OPEN.limits[0].least:  # requests fail for want of descriptors
        order.remove(OPEN.id)
        order.insert(order.index(STOPS.id), OPEN.id)
    return order


def _leave_causes(problems: dict[str, Illness], observation: Observed, signs: Signs) -> None:
    """Remove the problems that only name signs of another one, which is their cause."""
    if FLOOD.id in problems:
        problems.pop(BLOCKED.id, None)
    writing = max((p.write_share for p in observation.profiles), default=0.0)
    if PRESSURE.id in problems and writing >= 0.2:
        problems.pop(BLOCKED.id, None)
        problems.pop(FLOOD.id, None)
    if LOGGING.id in problems:
        problems.pop(BLOCKED.id, None)
    if NAMES.id in problems and signs.name_share >= 0.5:
        problems.pop(POOL.id, None)
    if POOL.id in problems and BLOCKED.id in problems and signs.pool_wait_ms > signs.longest_ms:
        problems.pop(BLOCKED.id)  # threads of the pool took the processor from the loop
    if HEAP.id in problems and signs.gc_share >= GARBAGE.limits[0].least:
        problems.pop(BLOCKED.id, None)  # the long runs are collections of a heap that is full
        problems.pop(FLOOD.id, None)
    if problems.keys() & {BLOCKED.id, FLOOD.id, LOGGING.id, HEAP.id}:
        problems.pop(GARBAGE.id, None)
    if UNREAD.id in problems and failures.descriptors(observation)[1] == "socket":
        problems.pop(OPEN.id, None)  # each unread body keeps its connection open
    if RETRIES.id in problems:  # retries are calls in turn
        problems.pop(IN_TURN.id, None)
    if LEAK.id in problems:  # a leak fills every heap in the end
        problems.pop(HEAP.id, None)


def _leave_first_failure(problems: dict[str, Illness], observation: Observed) -> None:
    """Remove the failures that another failure causes."""
    if ENDED.id in problems:  # no request survives the end of the program
        problems.pop(STOPS.id, None)
        problems.pop(BEHIND.id, None)
        if not any(kind.startswith("status") for kind, _ in failures.failed(observation).kinds):
            problems.pop(FAILS.id, None)
    if problems.keys() & {STOPS.id, LEAK.id}:  # each of these makes a program slower and slower
        problems.pop(BEHIND.id, None)


# A line for the pool's threads, or for names, has its own sign, and so does a program that stops.
_LINES = {POOL.id, NAMES.id, BLOCKED.id, FLOOD.id, LOGGING.id, STOPS.id, FAILS.id, LEAK.id}


def _add_other_forms(problems: dict[str, Illness], signs: Signs) -> None:
    """Add the problems that are found by another sign than the usual one."""
    for form in (ALL_OPEN, SYNC, OBJECTS, INBOX, IN_PAUSES):
        if _reached(form, signs):
            problems.setdefault(form.id, form)
    if _reached(IN_LINE, signs) and not problems.keys() & _LINES:
        problems.setdefault(CONNECTIONS.id, IN_LINE)


def _descriptor_words(illness: Illness, observation: Observed) -> str:
    if illness is ALL_OPEN:
        most = observation.open_most
        what = most if most == "sockets" else f"of {most}"
        return f"{illness.means} Most of them are {what}." if most else illness.means
    more, kind = failures.descriptors(observation)
    examples = observation.opened if kind == "file" else []
    such_as = f", such as {', '.join(examples)}." if examples else "."
    return (
        f"After each of two loads, {more:.0f} more were open than before, mostly {kind}s{such_as}"
    )


def _in_words(illness: Illness, observation: Observed) -> Illness:
    """Return the problem with the particulars of this program: how many, of which kind, after how
    much.
    """
    if illness is STOPS and (silence := failures.silence(observation)):
        words = (
            f"After {silence.responses:,} responses, no more arrived. {silence.who} waited in "
            f"vain for the last {number(silence.silent_s)} s."
        )
        if silence.phase.name in observation.recovered:
            words += " After the load, a single request got a response again."
    elif illness is FAILS:
        failure_counts = failures.failed(observation)
        kind, n = failure_counts.kinds[0]
        others = "".join(f", {m:,} × {other}" for other, m in failure_counts.kinds[1:4])
        words = (
            f"{failure_counts.failed:,} of {failure_counts.requests:,} requests failed under load "
            f"({n:,} × {kind}{others})."
        )
        if kind in ("status 429", "status 503") and failure_counts.share >= 0.5:
            words += " So the load measured the refusals."
    elif illness is LEAK:
        growth = failures.growth(observation)
        words = (
            f"After each of the last {growth.loads} loads, the program kept {size(growth.least)} "
            f"or more, {growth.where}. That is {size(growth.each)} for each response of the last "
            "load. A cache that has not yet reached its maximum size looks the same, but levels "
            "off later."
        )
    elif illness.id == OPEN.id:
        words = _descriptor_words(illness, observation)
    elif illness is THROTTLED:
        words = (
            f"{illness.means} Its limit is {failures.throttled(observation).processors:.3g} of a "
            "processor's time."
        )
    elif illness is IN_LINE:
        line = failures.line(observation)
        words = (
            f"{illness.means} About {max(1, round(line.slots))} of "
            f"{observation.phases['many'].connections} requests were handled at once."
        )
        if line.connections:
            words += (
                f" The program has {count(line.connections, 'connection')} to port {line.port}."
            )
    elif illness is CONNECTIONS:
        most = max((look.get("agent_most") or 0 for look in observation.looks), default=0)
        words = illness.means
        if most:
            words = f"{words} The agent allows {most} at once (maxSockets)."
    else:
        return illness
    return replace(illness, means=words)


def _reached(one: Illness, signs: Signs) -> bool:
    return all(getattr(signs, limit.sign) >= limit.least for limit in one.limits)


def evidence(one: Illness, signs: Signs) -> Iterable[Evidence]:
    """The rows of an illness."""
    for limit in one.limits:
        value = float(getattr(signs, limit.sign))
        yield Evidence(
            limit.says, limit.show(value), f"≥ {limit.show(limit.least)}", value >= limit.least
        )


def _finding(illness: Illness, observation: Observed, signs: Signs) -> Finding:
    ratios = [getattr(signs, limit.sign) / limit.least for limit in illness.limits if limit.least]
    strength = min(ratios)
    profile = max(observation.profiles, key=lambda p: p.busy_s, default=None)
    places: tuple[Place, ...] = ()
    if illness.id == LEAK.id:
        total = sum(keeper["bytes"] for keeper in observation.keepers) or 1
        places = tuple(
            Place(k["function"], k["file"], k["line"], k["bytes"] / total, "", k["text"])
            for k in observation.keepers
        )
    if illness.id in (BLOCKED.id, FLOOD.id, GARBAGE.id) and profile:
        places = tuple(by_line(profile.places)[:3])
    if illness is LOGGING and profile:
        places = tuple(profile.log_places[:3])
    sites = _sites(observation, illness.sites)
    if illness.id == ENDED.id:
        sites = failures.thrown_at(observation)
    if illness.sites == PRESSURE.sites and not sites and profile:
        places = tuple(profile.write_places[:2])
    return Finding(illness, tuple(evidence(illness, signs)), strength, places, sites)


def _sites(observation: Observed, kinds: frozenset[str] | None) -> tuple[str, ...]:
    """Return where in the program sites of these kinds are, the most frequent first; None: sites
    that wait for a thread of the pool. Kinds in capitals are names of Node's async hooks; kinds in
    small letters are names of the probe.
    """
    total: dict[str, int] = {}
    for look in observation.looks:
        for kind, places in look["sites"].items():
            if kind.isupper() if kinds is None else kind in kinds:
                for place, n in places.items():
                    total[_place(place)] = total.get(_place(place), 0) + n
    # A line of the program itself says more than a line of a driver.
    own = {place: n for place, n in total.items() if "/node_modules/" not in place}
    return tuple(sorted(own or total, key=lambda place: -total[place])[:3])


def _place(frame: str) -> str:
    """File and line of a frame of a stack, and its function if it has a name."""
    found = re.search(r"(?:(\S.*) )?\(?((?:file://)?/.*?):(\d+):\d+\)?$", frame)
    if not found:
        return frame
    function, file, line = found.groups()
    where = f"{file_of(file)}:{line}"
    return f"{where}, in {function}" if function and "<anonymous>" not in function else where

"""What can be wrong with a trial: each check has a number, a limit, and the finding in words.

"fail" means that the numbers don't say what they seem to say; figures are stamped and the reference
run refuses. "warn" means that something disturbed or limits them. The numbers of rules are those of
book/about/rules.md, which has their sources.
"""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from lab.processes.machine import Noise
from lab.records.rows import Window
from lab.records.trial import Check, Counts, LoadSpec, Resources, Status
from lab.text.numbers import ms, tidy

Warm = Literal["fixed", "steady", "capped"]  # the way in which a warm-up ended
EXPECTED = "(expected in this experiment)"  # the end of the text of a tolerated check
STOLEN = 0.05  # of one processor's time
# The number of standard errors that chance exceeds in 0.27 % of cases (as it exceeds three of a
# known variance), if the variance is estimated with six degrees of freedom: Student's t.
STUDENTS_THREE = 4.90
# A time without a response counts if it is longer than this share of the window, than this number
# of seconds, and than so many times the 99th percentile.
SILENCE, LEAST_SILENCE_S, HIDDEN = 0.1, 0.1, 2


@dataclass(frozen=True)
class Evidence:
    """Everything a check may look at."""

    load: LoadSpec
    counts: Counts
    window: Window
    fates: dict[str, int]
    resources: Resources
    noise: Noise
    stopped: str = "time"
    warm: Warm = "fixed"
    warmed_s: float = 0.0
    in_flight_mean: float | None = None
    late: int = 0  # requests whose latency shows that they were sent late
    verified: bool = False
    bodies: dict[str, Any] | None = None
    unchanged: bool | None = None
    ceiling_per_s: float | None = None
    cores: int = 1
    span_s: float = 0.0


def littles_law(e: Evidence) -> Check:
    """N = X * R within 5 %: the cheapest lie detector there is (Little 1961; rule 2).

    X * R is taken as the time average of requests in flight from the rows, which is X times mean
    cycle time without the error that requests cut by the window's edges would make in a short
    window. Closed loop: N connections. Open loop: the generator's own count. Failed and timed-out
    requests belong to the cycle, so they are in.
    """
    in_flight, limit = e.window.in_flight, 0.05
    n = float(e.load.connections) if e.load.loop == "closed" else e.in_flight_mean
    if e.load.requests is not None and e.load.loop == "closed":
        # Clients that have sent their share leave, so fewer than N are in flight, never more.
        over = in_flight / e.load.connections - 1
        text = (
            f"{tidy(in_flight)} requests in flight on average, and at most N = "
            f"{e.load.connections} (clients leave when they are done)"
        )
        return Check("fail" if over > limit else "ok", round(over, 4), limit, text)
    if not n or not e.window.ended:
        return Check(
            "warn",
            None,
            limit,
            "no request ended in the window, so Little's law cannot be checked",
        )
    off = in_flight / n - 1
    product = e.window.ended / e.span_s * e.window.mean_cycle_s if e.span_s else math.nan
    name = "N" if e.load.loop == "closed" else "the mean number in flight"
    text = f"X × R = {tidy(product, 4)}, in flight {tidy(in_flight, 4)} for {name} = {tidy(n, 4)}"
    # In an open loop with hardly anything in flight, 5 % of it is less than one clock tick of each
    # request.
    slack = limit if e.load.loop == "closed" else max(limit, 0.05 / n)
    if abs(off) <= slack:
        return Check("ok", round(off, 4), limit, text)
    why = (
        "the latencies are wrong"
        if off > 0
        else "the client idles between a response and the next request"
    )
    return Check("fail", round(off, 4), limit, f"{text}: {why}")


def accounted(e: Evidence) -> Check:
    """Every request has a fate, and rows and counters agree (rule 6)."""
    c, f = e.counts, e.fates
    missing = c.sent - c.accounted
    rows = (f["ok"], f["non2xx"], f["timeouts"], f["in_flight"], f["errors"], f["dropped"])
    counters = (
        c.ok,
        sum(c.non2xx.values()),
        c.timeouts,
        c.in_flight_at_end,
        sum(c.errors.values()),
        c.dropped,
    )
    text = (
        f"{c.sent} sent = {c.ok} ok + {c.failed} failed + {c.in_flight_at_end} in flight at the end"
    )
    if missing or rows != counters:
        return Check(
            "fail",
            missing,
            0,
            f"{text}; {missing} unaccounted for, with {rows} according to the rows and "
            f"{counters} according to the counters",
        )
    return Check("ok", 0, 0, text)


def answered(e: Evidence) -> Check:
    """Something was answered in the window, and no waiting request hides a longer tail (right-
    censoring, rule 6).
    """
    if not e.window.ended:
        text = (
            f"no request got a response within {e.span_s:g} s; {e.window.waiting} were "
            f"waiting, the longest for {e.window.waiting_longest_s:.3g} s"
        )
        return Check("fail", 0, 1, text + ": measure for longer")
    longest = e.window.latency.max() if e.window.latency.count else 0.0
    if e.window.waiting_longest_s > max(longest, 0.001) * 1.5:
        text = (
            f"a request was still waiting after {e.window.waiting_longest_s:.3g} s, which is "
            "longer than any response took, so the tail is longer than shown"
        )
        return Check("warn", round(e.window.waiting_longest_s, 6), round(longest, 6), text)
    return Check("ok", e.window.ended, 1, f"{e.window.ended} requests ended in the window")


def window(e: Evidence) -> Check:
    """The window holds three responses a connection on average, or more (rule 14).

    By Little's law in flight / throughput is the time from one answer of a connection to its next.
    A window of n such times sees n answers of each, give or take one; and connections that were
    opened together go in step, so that averaging over them does not help: at n = 3 the throughput
    may be off by a third. A warning, not a failure: one second may be enough to look at a handler
    of half a second.
    """
    if e.load.requests is not None:
        return Check("ok", None, None, "a fixed number of requests has no window")
    in_flight = e.window.in_flight
    if not e.window.ended or not in_flight:
        return Check("warn", 0, 3, "no response in the window")
    per_connection = e.window.ended / in_flight
    text = f"the window holds {tidy(per_connection)} responses of each connection"
    if per_connection < 3:
        needed_s = 3 * e.span_s / per_connection
        return Check(
            "warn", round(per_connection, 3), 3, f"{text}: measure for {needed_s:.2g} s or longer"
        )
    return Check("ok", round(per_connection, 3), 3, text)


def client_headroom(e: Evidence) -> Check:
    """The generator is not the bottleneck: its loop is busy below 80 %, X below 70 % of the null-
    server ceiling (rule 8).

    locust warns at 90 % CPU of its own process; a Node loop at 80 % already delays what it reads.
    """
    elu, limit = e.resources.client_elu, 0.8
    if elu is None:
        return Check("warn", None, limit, "the client's own load is unknown")
    text = f"the load generator was busy {elu:.0%} of the time"
    if e.ceiling_per_s:
        share = e.window.throughput / e.ceiling_per_s
        text += f", at {share:.0%} of what it can do against a null server"
        if share > 0.7:
            return Check("warn", round(elu, 3), limit, f"client-bound: {text}")
    return Check(
        "warn" if elu >= limit else "ok",
        round(elu, 3),
        limit,
        f"client-bound: {text}" if elu >= limit else text,
    )


def warm(e: Evidence) -> Check:
    """The warm-up went on until the rate was steady, if that was required (rule 14).

    The generator checks the last second in the way `steady` checks the window, a little more
    strictly (lab/node/loadgen/settling.mjs). Some servers never reach a steady rate (Barrett et al.
    2017), so the warm-up has a limit. A server that reached the limit may still be warming up in
    the window; `steady` says whether it is.
    """
    cap = e.load.warm_cap_s
    if cap is None:
        return Check("ok", None, None, "a warm-up of fixed length")
    took = round(e.warmed_s, 3)
    if e.warm == "capped":
        text = f"not steady after {took:.3g} s of warm-up, the longest that is allowed"
        return Check("warn", took, cap, text)
    return Check("ok", took, cap, f"steady after {took:.3g} s of warm-up")


def steady(e: Evidence) -> Check:
    """First and last third of the window differ by less than 5 %, or by less than chance (rule 14).

    Thirds of a short window hold few answers, and the rate of any machine that does something else
    too goes up and down: a fixed 5 % would raise the alarm on noise alone. The limit is the largest
    of 5 % and what chance exceeds in 0.27 % of trials, once by what the three ninths of each third
    scatter (three of those standard errors, which are estimates, chance exceeds in 2.4 %), once by
    the count itself taken as Poisson, which is wider than a closed loop really is but not by chance
    0. A drift that is smaller than that the interval of the pairs has in it, and a step within one
    third is scatter here. Judged is the difference as a share of the mean of both thirds, so that a
    rate that falls is no more steady than one that rises; told is how it differs from the first.
    """
    if e.load.requests is not None:
        return Check("ok", None, None, "a fixed number of requests has no steady part")
    thirds = [e.window.ninths[at : at + 3] for at in (0, 3, 6)]
    first, _, last = (statistics.fmean(third) for third in thirds)
    counts = [rate * e.span_s / 3 for rate in (first, last)]
    if min(counts) < 1:
        return Check("warn", None, None, "too few responses to see whether the rate was steady")
    within = statistics.fmean(statistics.variance(third) for third in thirds)
    mean = statistics.fmean((first, last))
    scatter = math.sqrt(within * 2 / 3) / mean
    # Of two counts of n, sqrt(2 n) is the standard error of their difference.
    limit = max(0.05, STUDENTS_THREE * scatter, 3 * math.sqrt(2 / statistics.fmean(counts)))
    drifts = abs(last - first) > limit * mean
    off = last / first - 1
    text = (
        f"the last third of the window was {abs(off):.1%} {'faster' if off > 0 else 'slower'} "
        "than the first"
    )
    if drifts and off > 0 and e.load.warm_cap_s is None and e.load.loop == "closed":
        text += ": still warming up"
    return Check("warn" if drifts else "ok", round(off, 4), round(limit, 4), text)


def verified(e: Evidence) -> Check:
    """Each body was compared with what the catalogue says the server must answer (rule 7); with the
    first answer's where the catalogue does not know.
    """
    wrong = e.counts.errors.get("WRONG_BODY", 0) + e.counts.errors.get("wrong-body", 0)
    if not e.verified:
        return _compared_with_the_first(e)
    if wrong:
        text = f"{wrong} responses had a body that differs from the catalogue's"
        return Check("fail", wrong, 0, text)
    by_length = (e.bodies or {}).get("by_length", 0)
    if e.load.expect is not None and "sha256" not in e.load.expect:
        had = "every body had the expected length"
    elif by_length:
        had = f"every body had the expected length, but {by_length} were too large to be hashed"
    else:
        had = "every body had the expected length and hash"
    return Check("ok", 0, 0, had)


def _compared_with_the_first(e: Evidence) -> Check:
    """Compare bodies that nobody promises; a server may have reasons to vary them."""
    unknown = "the catalogue does not describe the body"
    bodies = e.bodies or {}
    first = bodies.get("first")
    if first is None:
        return Check("warn", None, None, f"{unknown}: status only")
    differing, by_length = bodies["differing"], bodies["by_length"]
    differences = []
    if e.unchanged is False:
        differences.append(
            "the body of the first response differed from the body when the server was started"
        )
    if differing:
        differences.append(
            f"{differing} of {e.counts.ok} responses had a body that differs from the first"
        )
    if differences:
        return Check("warn", differing, 0, f"{unknown}: " + ", and ".join(differences))
    # The catalogue promises no body, so this body may be wrong, but all responses agree.
    same = f"every response had the same {first['bytes']} bytes as the first"
    if by_length:
        same = (
            f"every response was as long as the first, with {first['bytes']} bytes, but the "
            f"content of {by_length} was not compared"
        )
    return Check("ok", 0, 0, f"{unknown}: {same}")


def no_errors(e: Evidence) -> Check:
    """Nothing but 2xx: failures are faster or slower than answers and change every percentile (rule
    6).
    """
    c = e.counts
    if not c.failed:
        return Check("ok", 0, 0, "no failed request")
    kinds = {**{f"status {k}": v for k, v in c.non2xx.items()}, **c.errors}
    if c.timeouts:
        kinds["timed out"] = c.timeouts
    listed = ", ".join(f"{v} × {k}" for k, v in sorted(kinds.items(), key=lambda kv: -kv[1]))
    if "EMFILE" in kinds:
        listed += f" (too many open files: raise `ulimit -n` above {e.load.connections + 100})"
    return Check("fail", c.failed, 0, f"{c.failed} of {c.sent} requests failed: {listed}")


def ports(e: Evidence) -> Check:
    """A local port is left for each new connection (rule 17; TechEmpower pauses at 5000 in
    TIME_WAIT).

    Linux gives a port on loopback to a new connection when it has been in TIME_WAIT for a second
    (tcp_tw_reuse is 2 from 4.19 on). There it matters how many connections a second brings; half of
    the ports is the limit. Elsewhere a port is gone for a minute: 5000 waiting, or half of all.
    """
    waiting, total = e.noise.time_wait_after, e.noise.ephemeral_ports
    if waiting is None:
        return Check("ok", None, None, "this system does not say how many ports are in TIME_WAIT")
    half = (total or 28232) // 2
    text = f"{waiting} connections in TIME_WAIT of {total or 'an unknown number of'} ports"
    if e.load.keep_alive:
        return Check("ok", waiting, None, text)
    if e.noise.reuses_ports:
        ran_s = max(e.warmed_s + e.span_s, 1.0)
        opened = round(e.counts.sent / ran_s)
        text += f", which are free again after a second; {opened} connections a second"
        return Check("warn" if opened > half else "ok", opened, half, text)
    return Check("warn" if waiting > min(5000, half) else "ok", waiting, min(5000, half), text)


def throttled(e: Evidence) -> Check:
    """The container's CPU quota did not stop us, and the hypervisor took less than 5 % (rule 18).

    A throttled period freezes every process for up to 100 ms; the tail is then the quota's, not the
    server's. What a hypervisor takes counts as if all of it were taken from one processor: then a
    server with one thread lacks as much, and a twentieth is also the drift that `steady` lets pass.
    """
    n, steal = e.noise.throttled_n, e.noise.steal_s
    if n is None and steal is None:
        return Check("ok", None, None, "no quota and no steal counter on this system")
    share = (steal or 0.0) / max(e.noise.wall_s, 1e-9)
    # /proc/stat counts in ticks of 10 ms, and a single tick proves nothing.
    if n:
        seconds = e.noise.throttled_s or 0.0
        return Check(
            "fail" if seconds > 0.01 * e.noise.wall_s else "warn",
            n,
            0,
            f"stopped by the CPU quota {n} times, {seconds:.3f} s in all",
        )
    if share > STOLEN and (steal or 0) > 0.02:
        text = f"the hypervisor took {share:.1%} of a processor's time"
        return Check("warn", round(share, 4), STOLEN, text)
    text = "not throttled" + (f", {share:.1%} of a processor stolen" if share else "")
    return Check("ok", round(share, 4), STOLEN, text)


def quiet(e: Evidence) -> Check:
    """Other programs used less than 10 % of the processors in the window; from half on it fails.

    What another program takes, server and generator lack, and not evenly: interleaving spreads it
    over the arms, but nothing takes it out of the figures (rule 18, load during a trial).
    """
    return quiet_beside(e.noise.others_cores, e.cores)


def quiet_beside(used_cores: float | None, cores: int) -> Check:
    """As `quiet`, if other programs used so many cores; None if that is unknown."""
    if used_cores is None:
        return Check("ok", None, None, "the load from other programs is unknown here")
    share = used_cores / max(cores, 1)
    text = f"other programs used {max(used_cores, 0):.2g} of {cores} cores"
    status: Status = "fail" if share >= 0.5 else "warn" if share >= 0.1 else "ok"
    return Check(status, round(share, 3), 0.1, text if status == "ok" else f"{text}: close them")


def backlog(e: Evidence) -> Check:
    """No connection was dropped at a full listen backlog: the retry comes after 1 s and makes a
    false tail (rule 17).
    """
    n = e.noise.listen_overflows
    if n is None:
        return Check("ok", None, None, "this system does not count backlog overflows")
    if n:
        return Check(
            "warn",
            n,
            0,
            f"{n} connections found the listen backlog full, and the kernel retries after 1 s",
        )
    return Check("ok", 0, 0, "the listen backlog was never full")


def silence(e: Evidence) -> Check:
    """A closed loop was never left without a response for a tenth of its window, unless its
    percentiles show that (rule 3).

    While a server stands still, each connection waits with one request and sends no other. A few
    long latencies among thousands are then all that is left of half the window: coordinated
    omission, as Tene calls it. In an open loop every request that came due meanwhile counts as late
    as it was answered.
    """
    if e.load.loop != "closed":
        return Check("ok", None, None, "in an open loop, latencies include every wait")
    if not e.window.ended or not e.window.latency.count:
        return Check("ok", None, None, "no response in the window, as another check says")
    longest, limit = e.window.silence_s, max(SILENCE * e.span_s, LEAST_SILENCE_S)
    p99 = e.window.latency.quantile(0.99)
    text = f"the longest time without a response was {ms(longest)}"
    value, limit = round(longest, 6), round(limit, 6)
    if longest < limit or longest <= HIDDEN * p99:
        return Check("ok", value, limit, text)
    share = f"{longest / e.span_s:.0%} of the window" if e.span_s else "all of the window"
    return Check(
        "warn",
        value,
        limit,
        f"{text}, {share}, and p99 is {ms(p99)}. A closed loop sends nothing while it waits, "
        "so its percentiles do not show this. Use rate= to see how long requests at that "
        "time would have waited",
    )


def on_schedule(e: Evidence) -> Check:
    """Open loop: the sends kept the schedule; late sends are counted from their intended time,
    dropped ones are lost (rule 4).

    Late is what makes more than a twentieth of the request's own latency, and a millisecond: beside
    an answer of 100 ms nobody sees that it was sent 2 ms late.
    """
    if e.load.loop == "closed":
        return Check("ok", None, None, "a closed loop has no schedule")
    c = e.counts
    if c.dropped:
        return Check(
            "fail",
            c.dropped,
            0,
            f"{c.dropped} requests were never sent, because the server can't handle "
            f"{tidy(e.load.rate_per_s or 0.0, 6)}/s with {e.load.connections} connections",
        )
    share = e.late / c.sent if c.sent else 0.0
    return Check(
        "warn" if share > 0.05 else "ok",
        round(share, 4),
        0.05,
        f"{e.late} of {c.sent} requests were sent so late that their latency shows it",
    )


def finished(e: Evidence) -> Check:
    """The run ended as planned: by time or count; a count that a limit cuts did not (rule 6)."""
    if e.stopped == "time" and e.load.requests is not None:
        return Check(
            "fail",
            e.counts.sent,
            e.load.requests,
            f"the run reached its limit of {e.load.measure_s:g} s after {e.counts.sent} of "
            f"{e.load.requests} requests",
        )
    if e.stopped in ("time", "count"):
        return Check("ok", None, None, f"ended by {e.stopped}")
    return Check("fail", None, None, f"ended early: {e.stopped}")


ALL: dict[str, Callable[[Evidence], Check]] = {
    "littles_law": littles_law,
    "accounted": accounted,
    "answered": answered,
    "window": window,
    "no_errors": no_errors,
    "verified": verified,
    "finished": finished,
    "client_headroom": client_headroom,
    "warm": warm,
    "steady": steady,
    "on_schedule": on_schedule,
    "silence": silence,
    "quiet": quiet,
    "throttled": throttled,
    "backlog": backlog,
    "ports": ports,
}


# The words for a check: when it failed, when it warned (if the words differ), and when it had no
# data.
FAILURES = {
    "littles_law": "breaks Little’s law",
    "accounted": "requests unaccounted for",
    "answered": "nothing answered",
    "no_errors": "requests failed",
    "verified": "wrong bodies",
    "finished": "ended early",
    "on_schedule": "requests never sent",
    "quiet": "other programs busy",
    "throttled": "CPU throttled",
}
_WARNED = {
    "answered": "a request outlasted the window",
    "window": "fewer than three responses per connection",
    "client_headroom": "client-bound",
    "warm": "warm-up reached its limit",
    "steady": "not steady",
    "verified": "bodies differ",
    "on_schedule": "requests sent late",
    "silence": "a standstill that the percentiles do not show",
    "throttled": "processor time taken by others",
    "backlog": "listen backlog full",
    "ports": "many ports in TIME_WAIT",
}
_UNKNOWN = {
    "littles_law": "no response with which to check Little’s law",
    "client_headroom": "client’s load unknown",
    "steady": "too few responses to see a drift",
    "verified": "expected body not known",
}


def finding(name: str, check: Check) -> str:
    """Return a check that did not pass in the form that `words` reads: with `!` if it failed, with
    `?` if it warned because it had no data.
    """
    return f"{name}!" if check.status == "fail" else name if check.value is not None else f"{name}?"


def words(found: str) -> str:
    """Return in a few words what a check found. `answered` is a warning, `answered!` a failure, and
    `steady?` had no data. `ping.on_schedule` is a check of a stream alongside.
    """
    stream, _, rest = found.rpartition(".")
    name = rest.rstrip("!?")
    if rest.endswith("!"):
        phrase = FAILURES.get(name, f"check failed: {name.replace('_', ' ')}")
    elif rest.endswith("?"):
        phrase = _UNKNOWN.get(name, f"{name.replace('_', ' ')}: unknown")
    else:
        phrase = _WARNED.get(name) or FAILURES.get(name) or name.replace("_", " ")
    return f"/{stream}: {phrase}" if stream else phrase


# Why a check that failed allows no verdict, as the end of a sentence.
_REASONS = {
    "littles_law": "the numbers break Little’s law",
    "accounted": "requests are unaccounted for",
    "answered": "no request got a response in a window",
    "no_errors": "requests failed",
    "verified": "a server sent wrong bodies",
    "finished": "a trial ended early",
    "on_schedule": "the client did not send all requests",
    "quiet": "other programs were using the processor",
    "throttled": "the processor was throttled",
}
_FAILED = re.compile(r"check failed: (?:([\w/-]+)\.)?(\w+)")


def in_words(reason: str) -> str:
    """Return a reason with each `check failed: quiet` in words."""

    def phrase(check: re.Match[str]) -> str:
        sentence = _REASONS.get(check[2], check[0])
        return f"alongside, at /{check[1]}, {sentence}" if check[1] else sentence

    return _FAILED.sub(phrase, reason)


def run(e: Evidence) -> dict[str, Check]:
    """Return the result of every check, most important first."""
    return {name: check(e) for name, check in ALL.items()}

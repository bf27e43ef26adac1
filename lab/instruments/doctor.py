"""What this machine can and cannot measure: a table, worst first, with what to do about each row.

Limits and their sources: two cores and pinning, Node's benchmark guide (CPUSET); TIME_WAIT below
5000, TechEmpower's pause; backlog 511, Node's default; governor and battery, pyperf's tuning
guide; client below 70 % of its ceiling, rule 8 of book/about/rules.md. Of the CPU that others take,
a twentieth warns and a quarter fails: our own choice.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from lab.instruments.adapters import Adapter
from lab.instruments.calibrate import calibrate
from lab.instruments.calibration import ORDER, Calibration
from lab.instruments.machine_facts import Facts, gather
from lab.processes import nodes
from lab.records.table import Table
from lab.storage.gate import checked

OPTIONAL = ("artillery",)  # listed if installed, no warning if not
TIME_WAIT_MOST = 5000
BACKLOG = 511  # of Node's listen()
FILES = 4096
HEADROOM = 0.7  # rule 8: above this share of the ceiling you measure the client


@dataclass(frozen=True)
class Finding:
    """One row: the fact, its number, what it means for which measurements, what to do."""

    status: str  # ok | warn | fail
    what: str
    value: str
    means: str
    do: str = ""


@dataclass(frozen=True)
class Examination:
    """All findings, the worst first."""

    findings: tuple[Finding, ...]
    facts: Facts

    @property
    def status(self) -> str:
        """The worst status of all."""
        return min((f.status for f in self.findings), key=ORDER.__getitem__, default="ok")

    def rows(self) -> list[dict[str, Any]]:
        """One mapping a finding, the worst first."""
        ranked = sorted(self.findings, key=lambda f: ORDER[f.status])
        return [
            {"status": f.status, "what": f.what, "found": f.value, "means": f.means, "do": f.do}
            for f in ranked
        ]

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return {"status": self.status, "findings": self.rows()}

    def __repr__(self) -> str:
        marks = {"ok": "ok  ", "warn": "warn", "fail": "FAIL"}
        lines = []
        for row in self.rows():
            lines.append(f"{marks[row['status']]}  {row['what']}: {row['found']}. {row['means']}")
            if row["do"]:
                lines.append(f"      -> {row['do']}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return Table(self.rows(), caption="What this machine can and cannot measure")._repr_html_()


@checked
def doctor(measure: bool = True) -> Examination:
    """Return the findings about this machine, the worst first.

        lab.doctor()                                all findings, in about 5 s
        lab.doctor(measure=False)                   without a measurement of the generator
        lab.doctor().findings[0]                    the worst finding

    measure : also calibrate our generator and find its ceiling, after other measurements have
        ended. Nothing is changed and nothing is left running.
    """
    quick = lambda: calibrate(["ours"], seconds=0.5, cases=("delays", "ceiling"))  # noqa: E731
    facts = gather(quick if measure else None)
    return Examination(tuple(judge(facts)), facts)


def judge(facts: Facts) -> Iterator[Finding]:
    """The findings that follow from the facts, in no order of weight."""
    yield from _cores(facts)
    yield from _disturbance(facts)
    yield from _sockets(facts)
    yield from _clocks(facts)
    yield from _tools(facts)
    if facts.calibration is not None:
        yield from _instrument(facts.calibration)


def _cores(f: Facts) -> Iterator[Finding]:
    share = "on one core, which they share"
    if f.cores >= 2:
        yield Finding("ok", "cores", str(f.cores), "client and server have a core each")
    else:
        yield Finding(
            *("warn", "cores", str(f.cores), f"client and server run {share}"),
            "compare only arms with each other, and use a machine with two cores for "
            "absolute numbers",
        )
    if f.can_pin:
        yield Finding("ok", "pinning", "possible", "server and client each keep to their own cores")
    else:
        yield Finding(
            *(
                "warn",
                "pinning",
                "not possible",
                "the system moves the server and the client between cores",
            ),
            "expect wider intervals; on Linux, install util-linux (taskset); macOS has no "
            "such call",
        )
    if f.quota_cores is not None and f.quota_cores < f.cores:
        yield Finding(
            *("warn", "CPU quota", f"{f.quota_cores:g} of {f.cores} cores"),
            "a container that has used its share stops for up to 0.1 s, which makes a false tail",
            "give the container whole cores (--cpuset-cpus) instead of a share (--cpus)",
        )


def _disturbance(f: Facts) -> Iterator[Finding]:
    if f.throttled is not None:
        status = "warn" if f.throttled else "ok"
        means = (
            "the quota stopped this program during the check, so p99 would show the quota"
            if f.throttled
            else ""
        )
        yield Finding(
            status, "throttled", f"{f.throttled} periods", means or "no quota stopped this program"
        )
    if f.steal_share is not None:
        status = "warn" if f.steal_share > 0.02 else "ok"
        do = "measure at another time or on your own machine" if status == "warn" else ""
        means = "CPU time of one core that other guests of the host took from this machine"
        yield Finding(status, "steal", f"{f.steal_share:.1%}", means, do)
    if f.busy_share is not None:
        status = "ok" if f.busy_share <= 0.05 else "warn" if f.busy_share <= 0.25 else "fail"
        means = {
            "ok": "nothing else runs",
            "warn": "something else is running and widens every interval",
            "fail": "something else uses the processors that we measure, so no number is "
            "worth keeping",
        }[status]
        load = "" if f.load is None else f" (load average {f.load:.2f})"
        do = (
            ""
            if status == "ok"
            else ("close other programs (python -m lab ps), then wait a minute")
        )
        value = f"{f.busy_share:.0%} of {f.cores} cores{load}"
        yield Finding(status, "CPU taken by others", value, means, do)
    if f.governor is not None:
        good = f.governor == "performance"
        yield Finding(
            *("ok" if good else "warn", "CPU governor", f.governor),
            "the clock rate is fixed"
            if good
            else "the clock rate follows the load, so the beginning of a run is slow",
            "" if good else "sudo cpupower frequency-set -g performance (and back afterwards)",
        )
    if f.on_battery is not None:
        yield Finding(
            *("warn" if f.on_battery else "ok", "power", "battery" if f.on_battery else "mains"),
            "a laptop on battery slows down unpredictably" if f.on_battery else "no power saving",
            "plug it in" if f.on_battery else "",
        )


def _sockets(f: Facts) -> Iterator[Finding]:
    files = f.open_files
    enough = files is None or files >= FILES
    yield Finding(
        *("ok" if enough else "warn" if files and files >= 1024 else "fail", "open files"),
        "unlimited" if files is None else str(files),
        "each connection uses one in the client and one in the server",
        "" if enough else f"ulimit -n {min(f.open_files_most or FILES, FILES)}",
    )
    if f.ephemeral_ports is not None and f.time_wait is not None:
        left = f.ephemeral_ports - f.time_wait
        status = "fail" if left < 1000 else "warn" if f.time_wait >= TIME_WAIT_MOST else "ok"
        yield Finding(
            *(status, "ports", f"{f.time_wait} of {f.ephemeral_ports} in TIME_WAIT"),
            "a load with a new connection for each request uses a port for a minute with "
            "each of them",
            "" if status == "ok" else "wait a minute before a load without keep-alive",
        )
    if f.backlog_most is not None:
        good = f.backlog_most >= BACKLOG
        yield Finding(
            *("ok" if good else "warn", "listen backlog", f"at most {f.backlog_most}"),
            "connections beyond it are retried a second later, which makes a false tail of 1 s",
            "" if good else f"sudo sysctl net.core.somaxconn={BACKLOG + 1}",
        )


def _clocks(f: Facts) -> Iterator[Finding]:
    if f.clock_step_us is not None:
        good = f.clock_step_us <= 10
        means = (
            "finer than the microseconds of a record" if good else "coarser than a fast response"
        )
        yield Finding("ok" if good else "warn", "clock", f"{f.clock_step_us:.2g} us steps", means)
    if f.sleep_late_us is not None:
        status = "ok" if f.sleep_late_us <= 500 else "warn"
        means = "how late a sleep of 1 ms ends; the requests of an open loop are at least as late"
        do = "see the line CPU taken by others" if status == "warn" else ""
        yield Finding(status, "timers", f"{f.sleep_late_us:.0f} us late", means, do)


def _tools(f: Facts) -> Iterator[Finding]:
    least = f"{nodes.LEAST} or newer: https://nodejs.org/en/download"
    if f.node is None:
        yield Finding("fail", "node", "not found", "nothing can be measured", f"install {least}")
    else:
        old = int(f.node.split(".")[0]) < nodes.LEAST
        means = "older than the book's servers need" if old else "runs the servers and the load"
        yield Finding("fail" if old else "ok", "node", f.node, means, least if old else "")
    for name, version in f.tools.items():
        if version is not None:
            yield Finding("ok", name, version, _can(name))
        else:
            means = "plots show its results from the recorded run, or leave them out"
            status = "ok" if name in OPTIONAL else "warn"
            install = f.installs.get(name, "make tools")
            yield Finding(status, name, "not installed", means, f"to install it: {install}")


def _can(name: str) -> str:
    from lab.instruments.adapters import ADAPTERS

    tool: Adapter | None = ADAPTERS.get(name)
    return f"latency: {tool.capabilities.latency.why}" if tool else "a server of the comparisons"


def _instrument(c: Calibration) -> Iterator[Finding]:
    for r in c.readings:
        if r.case == "ceiling":
            if r.seen is None:
                yield Finding(
                    "fail", "ceiling", "none", f"the book's generator measured nothing. {r.note}"
                )
            else:
                most = HEADROOM * r.seen
                means = f"a server above {most:,.0f} req/s cannot be told from the client"
                yield Finding("ok", "ceiling of our generator", f"{r.seen:,.0f} req/s", means)
            continue
        name = f"our generator, {r.case}: {r.quantity}"
        value = f"{'nothing' if r.seen is None else format(r.seen, '.4g')} {r.unit}".strip()
        do = (
            "see the line CPU taken by others; if that is low, measure on another machine"
            if r.status == "fail"
            else ""
        )
        truth = f"{r.truth:g} {r.unit}".strip()
        yield Finding(
            r.status, name, value, f"the known truth is {truth}; the reading is {r.text}", do
        )

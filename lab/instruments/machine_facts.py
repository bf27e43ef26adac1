"""Facts about this machine that decide what can be measured on it. Collected, not judged.

A fact that cannot be had is None: a machine that does not say something can still be measured on.
"""

from __future__ import annotations

import contextlib
import itertools
import shutil
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from lab.instruments.adapters import ADAPTERS, AdapterError
from lab.instruments.adapters.child import run_to_end
from lab.instruments.calibration import Calibration
from lab.processes import nodes
from lab.processes.machine import cpu_set, ephemeral_ports, machine, noise, sample

SLEEP_S = 0.001
LOOK_S = 0.3


@dataclass(frozen=True)
class Facts:
    """What `lab.doctor` judges; None where the system does not say or nothing was measured."""

    cores: int = 1
    can_pin: bool = False
    quota_cores: float | None = None
    governor: str | None = None
    on_battery: bool | None = None
    load: float | None = None
    busy_share: float | None = None  # of all cores, by others, before we measured
    steal_share: float | None = None  # of one core, while we looked
    throttled: int | None = None  # periods, while we looked
    open_files: int | None = None
    open_files_most: int | None = None
    ephemeral_ports: int | None = None
    time_wait: int | None = None
    backlog_most: int | None = None
    clock_step_us: float | None = None
    sleep_late_us: float | None = None  # median lateness of a 1 ms sleep
    node: str | None = None
    tools: Mapping[str, str | None] = field(default_factory=dict)  # name -> version
    installs: Mapping[str, str] = field(default_factory=dict)  # name -> the line that installs it
    calibration: Calibration | None = None


def gather(measure: Callable[[], Calibration] | None) -> Facts:
    """The facts, with a calibration by `measure`, around which throttling and steal are watched."""
    busy_share = psutil.cpu_percent(interval=LOOK_S) / 100
    before, start = sample(), time.monotonic()
    late_us = sleep_late_us()
    calibration = measure() if measure is not None else None
    during, seconds = noise(before, sample()), time.monotonic() - start
    this_machine = machine()
    soft, most = open_files()
    tools: dict[str, str | None] = {}
    for name, tool in ADAPTERS.items():
        if not name.startswith("ours"):
            tools[name] = version(lambda tool=tool: tool.present().version)  # type: ignore[misc]
    tools["nginx"] = version(nginx_version)
    return Facts(
        cores=this_machine.cores,
        can_pin=bool(cpu_set()) and shutil.which("taskset") is not None,
        quota_cores=this_machine.quota_cores,
        governor=this_machine.governor,
        on_battery=during.on_battery,
        load=during.loadavg_before,
        busy_share=busy_share,
        steal_share=None if during.steal_s is None else during.steal_s / seconds,
        throttled=during.throttled_n,
        open_files=soft,
        open_files_most=most,
        ephemeral_ports=ephemeral_ports(),
        time_wait=during.time_wait_before,
        backlog_most=number_in("/proc/sys/net/core/somaxconn"),
        clock_step_us=clock_step_us(),
        sleep_late_us=late_us,
        node=version(node_version),
        tools=tools,
        installs={name: tool.install for name, tool in ADAPTERS.items()}
        | {"nginx": "make tools (or sudo apt-get install nginx-light)"},
        calibration=calibration,
    )


def version(ask: Callable[[], str | None]) -> str | None:
    """Return the output of a tool, None if the tool is missing or its output cannot be read."""
    try:
        return ask()
    except AdapterError:
        return None


def node_version() -> str | None:
    """The version of the Node that is meant, without the v, however old it is."""
    with contextlib.suppress(nodes.NoNodeError):
        return nodes.version()
    return None


def nginx_version() -> str | None:
    """The version of nginx, which distributions put where users have no PATH to."""
    found = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")
    if found is None:
        return None
    return run_to_end([found, "-v"], 10).stderr.strip().rpartition("/")[2] or None


def open_files() -> tuple[int | None, int | None]:
    """(soft, hard) limit of open files; None is no limit."""
    try:
        import resource
    except ImportError:
        return None, None
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    unlimited = resource.RLIM_INFINITY
    return (None if soft == unlimited else soft), (None if hard == unlimited else hard)


def clock_step_us() -> float:
    """The smallest step of the monotonic clock that 1000 successive readings show, microseconds."""
    seen = [time.perf_counter_ns() for _ in range(1000)]
    steps = [b - a for a, b in itertools.pairwise(seen) if b > a]
    return min(steps, default=0) / 1e3


def sleep_late_us(times: int = 20) -> float:
    """The median lateness of a sleep of 1 ms, microseconds: what a busy machine does to timers."""
    late = []
    for _ in range(times):
        start = time.perf_counter()
        time.sleep(SLEEP_S)
        late.append((time.perf_counter() - start - SLEEP_S) * 1e6)
    return statistics.median(late)


def number_in(path: str) -> int | None:
    """The integer in a file of /proc, or None."""
    try:
        return int(Path(path).read_text())
    except (OSError, ValueError):
        return None

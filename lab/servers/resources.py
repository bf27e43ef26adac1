"""CPU time and memory of a server's process tree."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lab.servers import probe

_LINUX = sys.platform.startswith("linux")


@dataclass(frozen=True)
class TreeUsage:
    """The processor time that a tree of processes has used, and the memory that it holds now."""

    cpu_s: float = 0.0  # user + system, ended children included as far as they were waited for
    rss_bytes: int = 0
    processes: int = 0
    probe: tuple[dict[str, Any], ...] = field(default=(), repr=False)


def measure(pids: Iterable[int], probe_path: Path | None = None) -> TreeUsage:
    """The resources of these processes together; one that ends meanwhile counts as nothing.

    probe_path : the rows of their probe are read too; of many servers that takes a while.
    """
    import psutil  # not before somebody measures

    cpu_s, rss_bytes, processes = 0.0, 0, 0
    for pid in pids:
        with contextlib.suppress(psutil.Error):
            process = psutil.Process(pid)
            with process.oneshot():
                times = process.cpu_times()
                cpu_s += _own_cpu_s(pid, times.user + times.system)
                cpu_s += times.children_user + times.children_system
                rss_bytes += process.memory_info().rss
                processes += 1
    return TreeUsage(
        cpu_s, rss_bytes, processes, tuple(probe.rows(probe_path)) if probe_path else ()
    )


def _own_cpu_s(pid: int, coarse_s: float) -> float:
    """CPU time of one process; in nanoseconds on Linux, where psutil knows clock ticks of 10 ms."""
    if not _LINUX:
        return coarse_s
    try:
        # The clock of another process: what clock_getcpuclockid(3) computes from its pid.
        return time.clock_gettime(((~pid) << 3) | 2)
    except OSError:
        return coarse_s

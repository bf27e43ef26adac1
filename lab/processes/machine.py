"""Where a trial ran, and what disturbed it: provenance that is constant, noise that is sampled
around each trial.

Collectors return nothing rather than fail (as in pyperf's `_collect_metadata.py`): a record without
a governor is a record, a trial lost because of a missing file in /sys is not. No host or user name
is stored.
"""

from __future__ import annotations

import contextlib
import functools
import os
import platform
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lab.storage.json_form import Stored, digest


@dataclass(frozen=True)
class Machine(Stored):
    """The machine and the versions under a record; two records may be pooled only if `id` is the
    same.
    """

    id: str = ""
    cpu: str = ""
    cores: int = 1  # logical processors this process may use
    smt: bool | None = None
    governor: str | None = None
    turbo: bool | None = None
    quota_cores: float | None = None  # of the container; None = no limit
    ram_bytes: int = 0
    virt: str | None = None
    os: str = ""
    kernel: str = ""
    arch: str = ""
    python: str = ""
    model: str = ""  # what /proc/cpuinfo says besides the name, which a hypervisor may blur

    @property
    def label(self) -> str:
        """One line for a caption: cores, processor, system."""
        return f"{self.cores} × {self.cpu or self.arch}, {self.os}"


@dataclass(frozen=True)
class Noise(Stored):
    """What the rest of the system did around a trial: differences over it, or the state just
    before.
    """

    loadavg_before: float | None = None  # 1 minute
    loadavg_after: float | None = None
    steal_s: float | None = None  # CPU time the hypervisor gave to others
    throttled_n: int | None = None  # periods in which the container's quota stopped us
    throttled_s: float | None = None
    listen_overflows: int | None = None  # connections the kernel dropped because a backlog was full
    time_wait_before: int | None = None
    time_wait_after: int | None = None
    ephemeral_ports: int | None = None
    reuses_ports: bool | None = None  # on loopback, a second after they began to wait
    on_battery: bool | None = None
    others_cores: float | None = None  # CPU that other programs used in the window, in cores
    wall_s: float = 0.0
    tries: int = 1  # trials that it took; something outside disturbed the others


@functools.lru_cache(maxsize=1)
def machine() -> Machine:
    """Return this machine; looked up once per process."""
    cpu, cores, quota = _cpu(), _cores(), _quota()
    ram = _ram()
    system = f"{platform.system()} {_os_release()}".strip()
    key = [cpu, cores, quota, round(ram / 2**30), platform.system(), platform.machine()]
    smt = _read("/sys/devices/system/cpu/smt/active")
    return Machine(
        id=digest(key),
        cpu=cpu,
        cores=cores,
        smt=None if smt is None else smt == "1",
        governor=_read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
        turbo=_turbo(),
        quota_cores=quota,
        ram_bytes=ram,
        virt=_virt(),
        os=system,
        kernel=platform.release(),
        arch=platform.machine(),
        python=platform.python_version(),
        model=_model(),
    )


def cpu_set() -> list[int]:
    """Return the processors this process may use, ascending; empty where the system can't say
    (macOS).
    """
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return []


def sample() -> dict[str, Any]:
    """Return the counters of the system now, for `noise(before, after)`; takes well under a
    millisecond.
    """
    counters: dict[str, Any] = {"wall_s": _monotonic()}
    with contextlib.suppress(OSError):
        counters["loadavg"] = os.getloadavg()[0]
    stat = _read("/proc/stat")
    if stat and len(fields := stat.split("\n", 1)[0].split()) > 8:
        counters["steal_s"] = int(fields[8]) / os.sysconf("SC_CLK_TCK")
    counters.update(_throttling())
    if tw := re.search(r"^TCP:.* tw (\d+)", _read("/proc/net/sockstat") or "", re.M):
        counters["time_wait"] = int(tw[1])
    counters["listen_overflows"] = _listen_overflows()
    return counters


def may_have_networks() -> bool:
    """Return whether this process may make a network of its own, with a TUN device in it."""
    found = re.search(r"^CapEff:\s*([0-9a-f]+)$", _read("/proc/self/status") or "", re.MULTILINE)
    rights = int(found[1], 16) if found else 0
    net_admin, sys_admin = 1 << 12, 1 << 21
    may = rights & net_admin and rights & sys_admin and os.access("/dev/net/tun", os.R_OK)
    return bool(may) and _makes_a_network()


@functools.lru_cache(maxsize=1)
def _makes_a_network() -> bool:
    """Return whether one can be made. A container may have the rights and the file, and no device
    behind it, or a filter of system calls.
    """
    command = [sys.executable, "-I", "-S", str(Path(__file__).with_name("network_probe.py"))]
    with contextlib.suppress(OSError, subprocess.TimeoutExpired):
        done = subprocess.run(command, check=False, capture_output=True, timeout=60)
        return done.returncode == 0
    return False


@functools.lru_cache(maxsize=1)
def may_limit() -> bool:
    """Return whether a program can be started here under limits of a control group (limits.py)."""
    command = [sys.executable, "-I", "-S", str(Path(__file__).with_name("limits.py")), "--check"]
    with contextlib.suppress(OSError, subprocess.TimeoutExpired):
        done = subprocess.run(command, check=False, capture_output=True, timeout=60)
        return done.returncode == 0 and bool(done.stdout.strip())
    return False


def busy_s() -> float | None:
    """Return the seconds that our processors have worked since boot, for anybody; None if unknown.

    In ticks of 10 ms. Behind a CPU quota it would be the work of the whole host: None then.
    """
    lines = (_read("/proc/stat") or "").splitlines()
    mine = {f"cpu{n}" for n in cpu_set()}
    if not lines or not mine or machine().quota_cores is not None:
        return None
    # user nice system idle iowait irq softirq steal; guest time is part of user
    rows = [line.split()[1:8] for line in lines if line.split(" ", 1)[0] in mine]
    ticks = sum(int(r[0]) + int(r[1]) + int(r[2]) + int(r[5]) + int(r[6]) for r in rows)
    return ticks / float(os.sysconf("SC_CLK_TCK"))


def noise(
    before: dict[str, Any], after: dict[str, Any], others_cores: float | None = None
) -> Noise:
    """Return what happened between two samples."""

    def delta(key: str) -> Any:
        a, b = before.get(key), after.get(key)
        return None if a is None or b is None else round(b - a, 6)

    return Noise(
        loadavg_before=before.get("loadavg"),
        loadavg_after=after.get("loadavg"),
        steal_s=delta("steal_s"),
        throttled_n=delta("throttled_n"),
        throttled_s=delta("throttled_s"),
        listen_overflows=delta("listen_overflows"),
        time_wait_before=before.get("time_wait"),
        time_wait_after=after.get("time_wait"),
        ephemeral_ports=ephemeral_ports(),
        reuses_ports=reuses_ports(),
        on_battery=_on_battery(),
        others_cores=others_cores,
        wall_s=delta("wall_s") or 0.0,
    )


@functools.lru_cache(maxsize=1)
def ephemeral_ports() -> int | None:
    """Return how many local ports the system hands out, or None where it does not say."""
    text = _read("/proc/sys/net/ipv4/ip_local_port_range")
    if text:
        low, high = (int(n) for n in text.split())
        return high - low + 1
    return 16384 if platform.system() == "Darwin" else None


@functools.lru_cache(maxsize=1)
def reuses_ports() -> bool | None:
    """Return whether a new connection on loopback may take a port that waits, or None where the
    system does not say: tcp_tw_reuse is 1 (all) or 2 (loopback), which asks for timestamps.
    """
    reuse, stamps = (
        _read(f"/proc/sys/net/ipv4/{name}") for name in ("tcp_tw_reuse", "tcp_timestamps")
    )
    if reuse is None or stamps is None:
        return None
    return reuse.strip() in ("1", "2") and stamps.strip() != "0"


@functools.lru_cache(maxsize=1)
def commit() -> tuple[str, bool]:
    """Return (commit of the book, whether other tracked files than results differ from it);
    ("", False) outside git. A reference run writes its results itself.
    """
    from lab.paths import ROOT

    def git(*args: str) -> str:
        done = subprocess.run(
            ["git", "-C", str(ROOT), *args], capture_output=True, text=True, timeout=60, check=True
        )
        return done.stdout.strip()

    try:
        results = (":(exclude)data/reference", ":(exclude)data/book-results.json")
        changed = git("status", "--porcelain", "-uno", "--", ".", *results)
        return git("rev-parse", "--short=12", "HEAD"), bool(changed)
    except (OSError, subprocess.SubprocessError):
        return "", False


@functools.lru_cache(maxsize=16)
def version(program: str) -> str:
    """Return what `program --version` says in its first line, or ""; asked once per process."""
    try:
        result = subprocess.run(
            [program, "--version"], capture_output=True, text=True, timeout=60, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return next(iter(result.stdout.strip().splitlines()), "")


def _monotonic() -> float:
    import time

    return time.monotonic()


def _read(path: str) -> str | None:
    try:
        return Path(path).read_text().strip()
    except (OSError, UnicodeDecodeError):
        return None


def _cpu() -> str:
    text = _read("/proc/cpuinfo") or ""
    if found := re.search(r"^(?:model name|Model|Hardware)\s*:\s*(.+)$", text, re.M):
        return " ".join(found[1].split())
    if platform.system() == "Darwin":
        try:
            return subprocess.run(
                ["sysctl", "-n", "machdep.cpu.brand_string"],
                capture_output=True,
                text=True,
                timeout=60,
                check=True,
            ).stdout.strip()
        except (OSError, subprocess.SubprocessError):
            pass
    return platform.processor() or platform.machine()


def _model() -> str:
    """Return `family 6, model 143, stepping 8, 36864 KB cache`, or what is known of it."""
    text = _read("/proc/cpuinfo") or ""
    words = {"cpu family": "family", "model": "model", "stepping": "stepping"}
    found = {key: re.search(rf"^{key}\s*:\s*(.+)$", text, re.M) for key in words}
    told = [f"{words[key]} {match[1].strip()}" for key, match in found.items() if match]
    if cache := re.search(r"^cache size\s*:\s*(.+)$", text, re.M):
        told.append(f"{cache[1].strip()} cache")
    return ", ".join(told)


def _cores() -> int:
    return len(cpu_set()) or os.cpu_count() or 1


def _ram() -> int:
    import psutil

    return int(psutil.virtual_memory().total)


def _os_release() -> str:
    if platform.system() == "Darwin":
        return platform.mac_ver()[0]
    found = re.search(r'^PRETTY_NAME="?([^"\n]+)', _read("/etc/os-release") or "", re.M)
    return f"({found[1]})" if found else ""


def _turbo() -> bool | None:
    if (text := _read("/sys/devices/system/cpu/intel_pstate/no_turbo")) is not None:
        return text == "0"
    text = _read("/sys/devices/system/cpu/cpufreq/boost")
    return None if text is None else text == "1"


def _quota() -> float | None:
    text = _read("/sys/fs/cgroup/cpu.max")
    if text and not text.startswith("max"):
        quota, period = text.split()
        return int(quota) / int(period)
    quota_us, period_us = (_read(f"/sys/fs/cgroup/cpu/cpu.cfs_{n}_us") for n in ("quota", "period"))
    if quota_us and period_us and int(quota_us) > 0:
        return int(quota_us) / int(period_us)
    return None


def _virt() -> str | None:
    if Path("/.dockerenv").exists() or Path("/run/.containerenv").exists():
        return "container"
    if re.search(r"^flags\s*:.*\bhypervisor\b", _read("/proc/cpuinfo") or "", re.M):
        return "virtual machine"
    return None


def _throttling() -> dict[str, Any]:
    for path in ("/sys/fs/cgroup/cpu.stat", "/sys/fs/cgroup/cpu/cpu.stat"):
        facts = dict(
            line.split() for line in (_read(path) or "").splitlines() if len(line.split()) == 2
        )
        if "nr_throttled" in facts:
            seconds = (
                int(facts.get("throttled_usec", 0)) / 1e6
                or int(facts.get("throttled_time", 0)) / 1e9
            )
            return {"throttled_n": int(facts["nr_throttled"]), "throttled_s": seconds}
    return {}


def _listen_overflows() -> int | None:
    lines = [
        line.split()
        for line in (_read("/proc/net/netstat") or "").splitlines()
        if line.startswith("TcpExt:")
    ]
    if len(lines) == 2 and "ListenOverflows" in lines[0]:
        return int(lines[1][lines[0].index("ListenOverflows")])
    return None


def _on_battery() -> bool | None:
    for supply in Path("/sys/class/power_supply").glob("A*/online"):
        if (text := _read(str(supply))) is not None:
            return text == "0"
    return None

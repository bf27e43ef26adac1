"""A program under limits of processor time and memory, as a container has them.

`python -I -S limits.py --cpus=0.5 --memory-mib=256 [--report=3] -- COMMAND...` makes control
groups, starts the command in them and ends as it does: with its code, or with 128 and the number of
its signal, so 137 if the kernel killed it for its memory. The command finds the folders of its
groups in CGROUP_CPU and CGROUP_MEMORY. `--report` names an open descriptor for one line of
JSON at the end: what the groups counted, which nobody can read once they are gone.

In version 1 of control groups the new ones are children of this process's own, so no limit is left
behind. In version 2 they are made in the nearest group above that lends the controllers and may be
written; where there is none, systemd makes one for its user. `--check` only says which it would be.

A second process removes the groups, whatever happens to the first. The names of groups hold the pid
and the start of their owner, and each run removes those whose owner is gone. Standard library only.
"""
# ruff: noqa: PTH100, PTH120 - what starts fast does not need more

from __future__ import annotations

import argparse
import contextlib
import ctypes
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

# Last in the path, so that nothing in the project can hide a standard module.
sys.path.append(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))

from lab.processes.proctree import LINUX, start_ticks

ROOT = Path("/sys/fs/cgroup")
OWN = Path("/proc/self/cgroup")
PERIOD_US = 100_000  # of a quota; what Docker and systemd use
GIVE_UP_S = 10.0
NAME = re.compile(r"lab-limits-(\d+)-(\d+)")
CONTROLLERS = ("cpu", "memory")


class NoLimits(Exception):
    """This process may not limit another one here."""


class Limits:
    """The folders of a group, by controller: one folder for both in version 2."""

    def __init__(self, version: int, folders: dict[str, Path]) -> None:
        self.version, self.folders = version, folders

    def set(self, cpus: float, memory_mib: int) -> None:
        """Write the limits; 0 means none."""
        quota_us, memory = round(cpus * PERIOD_US), memory_mib << 20
        cpu, mem = self.folders["cpu"], self.folders["memory"]
        if self.version == 1:
            (cpu / "cpu.cfs_period_us").write_text(str(PERIOD_US))
            (cpu / "cpu.cfs_quota_us").write_text(str(quota_us or -1))
            (mem / "memory.limit_in_bytes").write_text(str(memory or -1))
            swap, most = mem / "memory.memsw.limit_in_bytes", str(memory or -1)
        else:
            (cpu / "cpu.max").write_text(f"{quota_us or 'max'} {PERIOD_US}")
            (mem / "memory.max").write_text(str(memory or "max"))
            swap, most = mem / "memory.swap.max", "0" if memory else "max"
        with contextlib.suppress(OSError):  # a machine without swap has no such file
            swap.write_text(most)

    def enter(self) -> None:
        """Move this process into the group."""
        for folder in set(self.folders.values()):
            (folder / "cgroup.procs").write_text(str(os.getpid()))

    def environment(self) -> dict[str, str]:
        """Return where a program in the group finds its files."""
        return {f"CGROUP_{name.upper()}": str(path) for name, path in self.folders.items()}

    def counted(self) -> dict[str, int]:
        """Return what the group counted: periods, those that were throttled, and kills."""
        cpu = _numbers(self.folders["cpu"] / "cpu.stat")
        events = "memory.oom_control" if self.version == 1 else "memory.events"
        memory = _numbers(self.folders["memory"] / events)
        ns = cpu.get("throttled_time", 0)
        return {
            "version": self.version,
            "periods": cpu.get("nr_periods", 0),
            "throttled": cpu.get("nr_throttled", 0),
            "throttled_us": cpu.get("throttled_usec", ns // 1000),
            "oom_kills": memory.get("oom_kill", 0),
        }

    def remove(self) -> None:
        """End every process in the group and remove its folders."""
        for folder in set(self.folders.values()):
            _remove(folder)


def groups_of(text: str) -> dict[str, str]:
    """Return the groups that a /proc/PID/cgroup names, by controller; "" is version 2."""
    groups = {}
    for line in text.splitlines():
        _, controllers, path = line.split(":", 2)
        for controller in controllers.split(","):
            groups[controller] = path
    return groups


def parents(root: Path = ROOT, own_file: Path = OWN) -> tuple[int, dict[str, Path]] | None:
    """Return the version, and the folder by controller in which this process may make a group; None
    if there is none.
    """
    try:
        groups = groups_of(own_file.read_text("utf-8"))
    except OSError:
        return None
    if (root / "cgroup.controllers").exists():
        path = root / groups.get("", "/").lstrip("/")
        for folder in (path, *path.parents):
            if _lends(folder):
                return 2, dict.fromkeys(CONTROLLERS, folder)
            if folder == root:
                return None
    folders = {name: root / name / groups.get(name, "/").lstrip("/") for name in CONTROLLERS}
    if all(name in groups and _writable(folder) for name, folder in folders.items()):
        return 1, folders
    return None


def _lends(folder: Path) -> bool:
    """Whether groups in this folder have the controllers, and this process may make some."""
    try:
        lent = (folder / "cgroup.subtree_control").read_text("utf-8").split()
    except OSError:
        return False
    return {*CONTROLLERS} <= {*lent} and _writable(folder)


def _writable(folder: Path) -> bool:
    """Whether this process may make a group here and move itself there, which takes both."""
    procs = folder / "cgroup.procs"
    return os.access(folder, os.W_OK) and os.access(procs, os.W_OK) and not _read_only(folder)


def _read_only(folder: Path) -> bool:
    return bool(os.statvfs(folder).f_flag & os.ST_RDONLY)


def leftovers(folders: set[Path]) -> Iterator[Path]:
    """Yield the groups whose owner is gone."""
    for folder in folders:
        for path in folder.glob("lab-limits-*"):
            found = NAME.fullmatch(path.name)
            if found and start_ticks(int(found[1])) != int(found[2]):
                yield path


def made(root: Path = ROOT, own_file: Path = OWN) -> Limits:
    """Make a group, after removing those of owners that are gone. Raises NoLimits."""
    found = parents(root, own_file)
    if not found:
        raise NoLimits("no control group may be made here")
    version, folders = found
    for path in leftovers(set(folders.values())):
        _remove(path)
    name = f"lab-limits-{os.getpid()}-{start_ticks(os.getpid())}"
    limits = Limits(version, {key: folder / name for key, folder in folders.items()})
    try:
        for folder in set(limits.folders.values()):
            folder.mkdir()
    except OSError as error:
        limits.remove()
        raise NoLimits(f"a control group cannot be made: {error}") from None
    return limits


def by_systemd(command: list[str], cpus: float, memory_mib: int, report: int) -> list[str]:
    """Return the command that has systemd start another one in a group of this user."""
    settings = ["--property=MemorySwapMax=0"]
    if cpus:
        settings.append(f"--property=CPUQuota={cpus:.0%}")
    if memory_mib:
        settings.append(f"--property=MemoryMax={memory_mib}M")
    scope = ["systemd-run", "--user", "--scope", "--quiet", "--collect", *settings, "--"]
    # Without a controller, systemd starts a command without its limit, and says nothing.
    inside = [sys.executable, "-I", "-S", os.path.abspath(__file__), "--inside"]
    return [*scope, *inside, f"--report={report}", "--", *command]


def enclosing(root: Path = ROOT, own_file: Path = OWN) -> Limits:
    """Return the group that systemd put this process in. Raises NoLimits if it limits nothing."""
    folder = root / groups_of(own_file.read_text("utf-8")).get("", "/").lstrip("/")
    if not (folder / "cpu.max").exists() or not (folder / "memory.max").exists():
        raise NoLimits("systemd does not lend the controllers cpu and memory to this user")
    return Limits(2, dict.fromkeys(CONTROLLERS, folder))


def _numbers(file: Path) -> dict[str, int]:
    """Return the numbers of a file that has a name and a number on each line."""
    try:
        lines = file.read_text("utf-8").splitlines()
    except OSError:
        return {}
    pairs = (line.split() for line in lines)
    return {pair[0]: int(pair[1]) for pair in pairs if len(pair) == 2 and pair[1].isdigit()}


def _remove(folder: Path) -> None:
    """Kill what is in a group, and remove the group once its last process is reaped."""
    until = time.monotonic() + GIVE_UP_S
    while time.monotonic() < until:
        try:
            _kill_all(folder)
            folder.rmdir()
        except FileNotFoundError:
            return
        except OSError:
            time.sleep(0.01)
        else:
            return


def _kill_all(folder: Path) -> None:
    """Kill every process in a group except this one; 0 is one that this process cannot see."""
    for pid in map(int, (folder / "cgroup.procs").read_text("utf-8").split()):
        if pid not in (0, os.getpid()):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def die_with_parent() -> None:
    """Ask the kernel to kill this process when its parent ends."""
    if LINUX:
        ctypes.CDLL(None).prctl(1, signal.SIGKILL, 0, 0, 0)  # PR_SET_PDEATHSIG


class Watcher:
    """The process that removes a group as soon as this one is gone, or says so."""

    def __init__(self, limits: Limits, report: int) -> None:
        end, self._ours = os.pipe()
        self._pid = os.fork()
        if self._pid == 0:
            try:
                self._watch(limits, end, report)
            finally:
                os._exit(0)
        os.close(end)

    def done(self) -> None:
        """Return once the group is gone."""
        os.close(self._ours)
        os.waitpid(self._pid, 0)

    def _watch(self, limits: Limits, end: int, report: int) -> None:
        os.setsid()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        os.close(self._ours)
        null = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2, *([report] if report >= 0 else [])):
            os.dup2(null, descriptor)  # or who reads our output would wait for this process
        os.read(end, 1)
        limits.remove()


def run(command: list[str], limits: Limits, report: int = -1, *, inside: bool = False) -> int:
    """Run a command in the group and return the code to end with. inside : this process is there
    already.
    """
    pid = os.fork()
    if pid == 0:
        _become(command, limits, report, inside=inside)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, _: os.kill(pid, number))
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if report >= 0:
        with contextlib.suppress(BrokenPipeError):
            os.write(report, json.dumps(limits.counted()).encode() + b"\n")
    return code if code >= 0 else 128 - code


def _become(command: list[str], limits: Limits, report: int, *, inside: bool) -> None:
    try:
        die_with_parent()
        if report >= 0:
            os.close(report)
        if not inside:
            limits.enter()
        os.execvpe(command[0], command, {**os.environ, **limits.environment()})
    except OSError as error:
        os.write(2, f"cannot run {command[0]}: {error}\n".encode())
    finally:
        os._exit(127)


def limited(command: list[str], cpus: float, memory_mib: int, report: int = -1) -> int:
    """Run a command in a group of its own and return the code to end with. Raises NoLimits."""
    limits = made()
    watcher = Watcher(limits, report)
    try:
        limits.set(cpus, memory_mib)
        return run(command, limits, report)
    except OSError as error:
        raise NoLimits(f"a limit cannot be set: {error}") from None
    finally:
        watcher.done()


def available() -> str:
    """Return what limits a program here: "cgroup v1", "cgroup v2", "systemd", or "" if nothing."""
    if not LINUX:
        return ""
    with contextlib.suppress(NoLimits):
        found = parents()
        if found and limited(["true"], 0.5, 64) == 0:
            return f"cgroup v{found[0]}"
    with contextlib.suppress(OSError, subprocess.TimeoutExpired):
        command = by_systemd(["true"], 0.5, 64, -1)
        if subprocess.run(command, check=False, capture_output=True, timeout=20).returncode == 0:
            return "systemd"
    return ""


def main() -> int:
    """Run the command of the command line under its limits."""
    parser = argparse.ArgumentParser(description="Run a command under limits of a control group.")
    parser.add_argument("--cpus", type=float, default=0)
    parser.add_argument("--memory-mib", type=int, default=0)
    parser.add_argument("--report", type=int, default=-1)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("command", nargs="*")
    arguments = parser.parse_args()
    die_with_parent()
    if arguments.check:
        print(available())
        return 0
    command, report = arguments.command, arguments.report
    most = arguments.cpus, arguments.memory_mib
    try:
        if not arguments.inside:
            return limited(command, *most, report)
        limits = enclosing()
        try:
            return run(command, limits, report, inside=True)
        finally:
            _kill_all(limits.folders["cpu"])
    except NoLimits as reason:
        if not arguments.inside and shutil.which("systemd-run"):
            words = by_systemd(command, *most, report)
            os.execvp(words[0], words)
        print(f"no limits: {reason}", file=sys.stderr)
        return 125


if __name__ == "__main__":
    sys.exit(main())

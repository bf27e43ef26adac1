"""Programs under limits: the group is entered before the program runs, and gone however it ends."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from lab.processes import limits, machine

PROGRAM = [sys.executable, "-I", "-S", str(Path(limits.__file__))]
can_limit = pytest.mark.skipif(
    not machine.may_limit(), reason="this user may make no control groups here"
)
V1_FOLDERS = [Path("/sys/fs/cgroup") / name for name in ("cpu", "memory")]
PATIENCE_S = 60


def until(condition):
    """Wait for something to be true, for a minute at most, and return what it was."""
    end = time.monotonic() + PATIENCE_S
    while not (seen := condition()) and time.monotonic() < end:
        time.sleep(0.05)
    return seen


def limited(*words, **options):
    return subprocess.run(
        [*PROGRAM, *words], capture_output=True, text=True, check=False, timeout=60, **options
    )


def groups_of_owner(pid):
    """Return the groups that are there for a process of ours."""
    parents = limits.parents()
    folders = set(parents[1].values()) if parents else set()
    return [path for folder in folders for path in folder.glob(f"lab-limits-{pid}-*")]


def reported(*words):
    """Run limits.py with a report, and return its code and the report."""
    ours, theirs = os.pipe()
    done = limited(f"--report={theirs}", *words, pass_fds=[theirs])
    os.close(theirs)
    with os.fdopen(ours) as file:
        return done.returncode, json.loads(file.read())


def is_root_of_version_1():
    """Whether groups can be made here for certain, decided without the program under test."""
    procs = [folder / "cgroup.procs" for folder in V1_FOLDERS]
    return os.geteuid() == 0 and all(
        file.exists() and not os.statvfs(file).f_flag & os.ST_RDONLY for file in procs
    )


@pytest.mark.skipif(not is_root_of_version_1(), reason="needs root and version 1 of control groups")
def test_root_may_limit_so_that_no_test_below_is_skipped_because_the_program_is_broken():
    assert machine.may_limit()


@can_limit
@pytest.mark.parametrize(("script", "code"), [("exit 7", 7), ("kill -9 $$", 137), ("exit 0", 0)])
def test_it_ends_as_its_program_does(script, code):
    assert limited("--", "sh", "-c", script).returncode == code


@can_limit
def test_a_program_is_in_its_groups_with_their_limits_before_it_runs():
    script = "cat /proc/self/cgroup; cat $CGROUP_CPU/cpu.* $CGROUP_MEMORY/memory.* 2>/dev/null"
    done = limited("--cpus=0.5", "--memory-mib=64", "--", "sh", "-c", script)
    assert done.stdout.count("lab-limits-") >= 1
    assert "50000" in done.stdout
    assert str(64 << 20) in done.stdout


@can_limit
def test_the_kernel_kills_what_takes_more_memory_and_the_report_counts_it():
    code, counted = reported(
        "--memory-mib=64", "--", sys.executable, "-c", "x = []\nwhile 1: x.append(b'1' * 1000000)"
    )
    assert code == 137
    assert counted["oom_kills"] >= 1


@pytest.mark.alone  # beside others it may get less than its quota, and is not throttled
@can_limit
def test_a_program_that_computes_is_throttled_under_a_quota_and_not_without():
    compute = "import time\nend = time.monotonic() + 1\nwhile time.monotonic() < end: pass"
    _, with_quota = reported("--cpus=0.2", "--", sys.executable, "-c", compute)
    _, without = reported("--", sys.executable, "-c", compute)
    assert with_quota["throttled"] >= 2
    assert with_quota["throttled_us"] > 0
    assert without["throttled"] == 0


@can_limit
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_nothing_is_left_however_it_is_ended(number):
    script = "echo $$; sleep 1000 & exec sleep 1000"  # a child of the program has to go as well
    command = [*PROGRAM, "--cpus=0.5", "--", "sh", "-c", script]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    inner = int(process.stdout.readline())
    (group, *_) = groups_of_owner(process.pid)
    assert until(lambda: len((group / "cgroup.procs").read_text().split()) >= 2)
    process.send_signal(number)
    process.wait(PATIENCE_S)
    assert until(lambda: not groups_of_owner(process.pid))
    assert until(lambda: not Path(f"/proc/{inner}").exists())


@can_limit
def test_it_ends_with_the_process_that_started_it():
    starter = subprocess.Popen(
        [
            sys.executable,
            "-c",
            f"import subprocess; subprocess.run({[*PROGRAM, '--', 'sleep', '1000']!r})",
        ]
    )
    children = Path(f"/proc/{starter.pid}/task/{starter.pid}/children")
    pid = int(until(lambda: children.read_text().split())[0])
    assert until(lambda: groups_of_owner(pid))
    starter.kill()
    starter.wait(PATIENCE_S)
    assert until(lambda: not groups_of_owner(pid))


@can_limit
def test_groups_whose_owner_is_gone_are_removed_by_the_next_run():
    version, folders = limits.parents()
    assert version in (1, 2)
    old_groups = {folder / "lab-limits-999999999-1" for folder in folders.values()}
    for path in old_groups:
        path.mkdir()
    try:
        assert limited("--", "true").returncode == 0
        assert not [path for path in old_groups if path.exists()]
    finally:
        for path in old_groups:
            with contextlib.suppress(OSError):
                path.rmdir()


def hierarchy(root, *groups, lent=""):
    """Write a hierarchy of version 2; `lent` names the group that lends the controllers."""
    for group in ("", *groups):
        folder = root / group
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "cgroup.controllers").write_text("cpu memory")
        (folder / "cgroup.procs").write_text("")
        (folder / "cgroup.subtree_control").write_text("cpu memory" if group == lent else "memory")


@pytest.mark.parametrize("lent", ["user/app", "user"])
def test_version_2_takes_the_nearest_group_that_lends_both_controllers(tmp_path, lent):
    hierarchy(tmp_path / "cg", "user", "user/app", "user/app/shell", lent=lent)
    (tmp_path / "own").write_text("0::/user/app/shell\n")
    parents = limits.parents(tmp_path / "cg", tmp_path / "own")
    assert parents == (2, dict.fromkeys(limits.CONTROLLERS, tmp_path / "cg" / lent))


def test_where_no_group_lends_controllers_there_are_no_limits(tmp_path):
    hierarchy(tmp_path / "cg", "app", lent="none")
    (tmp_path / "own").write_text("0::/app\n")
    assert limits.parents(tmp_path / "cg", tmp_path / "own") is None
    with pytest.raises(limits.NoLimits):
        limits.made(tmp_path / "cg", tmp_path / "own")


def test_version_1_makes_groups_inside_those_of_its_own_process(tmp_path):
    for folder in ("cpu", "memory/outer"):
        (tmp_path / "cg" / folder).mkdir(parents=True)
        (tmp_path / "cg" / folder / "cgroup.procs").write_text("")
    (tmp_path / "own").write_text("4:memory:/outer\n1:cpu,cpuacct:/\n0::/\n")
    version, folders = limits.parents(tmp_path / "cg", tmp_path / "own")
    assert version == 1
    assert folders == {"cpu": tmp_path / "cg/cpu", "memory": tmp_path / "cg/memory/outer"}


@pytest.mark.parametrize(
    ("cpus", "memory", "cpu_max", "memory_max"),
    [(0.5, 64, "50000 100000", str(64 << 20)), (0, 0, "max 100000", "max")],
)
def test_limits_of_version_2_are_written_as_the_kernel_reads_them(
    tmp_path, cpus, memory, cpu_max, memory_max
):
    limits.Limits(2, dict.fromkeys(limits.CONTROLLERS, tmp_path)).set(cpus, memory)
    assert (tmp_path / "cpu.max").read_text() == cpu_max
    assert (tmp_path / "memory.max").read_text() == memory_max


def test_counts_of_version_2_are_read(tmp_path):
    (tmp_path / "cpu.stat").write_text("nr_periods 9\nnr_throttled 4\nthrottled_usec 123\n")
    (tmp_path / "memory.events").write_text("oom 2\noom_kill 1\n")
    counted = limits.Limits(2, dict.fromkeys(limits.CONTROLLERS, tmp_path)).counted()
    assert counted == {
        "version": 2, "periods": 9, "throttled": 4, "throttled_us": 123, "oom_kills": 1
    }  # fmt: skip


def test_a_group_of_systemd_without_the_controllers_is_no_limit(tmp_path):
    (tmp_path / "scope").mkdir()
    (tmp_path / "own").write_text("0::/scope\n")
    with pytest.raises(limits.NoLimits, match="systemd"):
        limits.enclosing(tmp_path, tmp_path / "own")
    for name in ("cpu.max", "memory.max"):
        (tmp_path / "scope" / name).write_text("max")
    assert limits.enclosing(tmp_path, tmp_path / "own").folders["cpu"] == tmp_path / "scope"


def test_systemd_is_given_both_limits_and_no_swap():
    command = limits.by_systemd(["node", "x.mjs"], 0.5, 128, 3)
    assert command[:3] == ["systemd-run", "--user", "--scope"]
    assert {
        "--property=CPUQuota=50%",
        "--property=MemoryMax=128M",
        "--property=MemorySwapMax=0",
    } <= {*command}
    assert command[-4:] == ["--report=3", "--", "node", "x.mjs"]


@pytest.mark.parametrize("python", ["/no/python", "/bin/false"])
def test_where_no_limit_can_be_set_that_is_missing_and_no_error(monkeypatch, python):
    monkeypatch.setattr(machine.sys, "executable", python)
    machine.may_limit.cache_clear()
    assert machine.may_limit() is False
    machine.may_limit.cache_clear()

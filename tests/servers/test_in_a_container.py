"""The programs of the page on containers: what they limit, and what they only pretend."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from lab.processes import machine, nodes
from lab.servers.sources import covered

PAGE = Path(__file__).parents[2] / "book/cases/in-a-container"
can_limit = pytest.mark.skipif(not machine.may_limit(), reason="needs control groups")


def rows(program, *words):
    """Return the rows that a program of the page prints."""
    command = [nodes.program(), str(PAGE / program), *words]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize("program", ["frozen.mjs", "turns.mjs", "heap.mjs", "full.mjs"])
def test_a_record_is_also_one_of_what_its_program_starts(program):
    names = {path.name for path in covered(PAGE / program)}
    assert {"_contained.mjs", "limits.py"} <= names
    assert names & {"_hashes.mjs", "_ticks.mjs", "_seen.mjs", "_fills.mjs"}


@can_limit
def test_the_server_is_found_where_output_is_coloured_as_in_a_kernel(monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    [row] = rows("threads.mjs", "2")
    assert row["hashes (/s)"] > 0


@can_limit
def test_node_is_told_the_memory_of_its_container():
    [row] = rows("heap.mjs", "300")
    assert row["constrainedMemory (MiB)"] == 300


@can_limit
def test_files_that_are_pretended_are_seen_inside_and_nowhere_else():
    inside = "cat /proc/$$/cgroup /sys/fs/cgroup/app/cpu.max"
    pretend = [sys.executable, "-I", "-S", str(PAGE / "pretend.py"), "70000 100000"]
    before = Path("/proc/self/cgroup").read_text()
    command = [*pretend, "/bin/sh", "-c", inside]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    assert "0::/app" in done.stdout
    assert "70000 100000" in done.stdout
    assert Path("/proc/self/cgroup").read_text() == before
    assert not Path("/sys/fs/cgroup/app").exists()

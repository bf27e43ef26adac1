"""Who is left behind by an attack is seen, whatever became of its parents; a table of what held."""

import ctypes
from collections import Counter

import pytest

from lab.processes import proctree
from lab.processes.spawn import become_subreaper

from .ground import SEED, copy_project

_PR_SET_CHILD_SUBREAPER = 36
_GROUPS = {}


@pytest.fixture(autouse=True, scope="package")
def orphans_come_to_us():
    """So that `nobody_left_behind` finds a daemon that has neither parent nor mark (Linux)."""
    become_subreaper()
    yield
    if proctree.LINUX:
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)


@pytest.fixture(scope="session")
def project(tmp_path_factory):
    """A copy of the project for what is attacked, whose runs, logs and locks are its own."""
    return copy_project(tmp_path_factory.mktemp("project"))


def pytest_collection_modifyitems(items):
    for item in items:
        if "/attack/" in item.nodeid:  # this hook is given those of other folders, too
            item.add_marker(pytest.mark.alone)


def pytest_runtest_logreport(report):
    if "/attack/" not in report.nodeid:
        return
    group = report.nodeid.split("::")[0].rpartition("test_")[2].removesuffix(".py")
    found = _GROUPS.setdefault(group, Counter())
    found["seconds"] += report.duration
    if report.skipped:
        found["skipped"] += 1
    elif report.when == "call":  # one test may try hundreds of cases, and say so
        said = dict(report.user_properties)
        found["tried"] += said.get("tried", 1)
        found["fell"] += said.get("fell", int(report.failed))
    elif report.failed:  # it left something behind, or could not begin
        found["fell"] += 1


def pytest_terminal_summary(terminalreporter, config):
    if not _GROUPS or config.option.markexpr:
        return
    write = terminalreporter.write_line
    terminalreporter.section("attack")
    write(f"{'group':<16}{'tried':>8}{'held':>8}{'skipped':>9}{'seconds':>9}")
    total = sum(_GROUPS.values(), Counter())
    for name, one in [*_GROUPS.items(), ("in all", total)]:
        held = one["tried"] - one["fell"]
        row = f"{name.replace('_', ' '):<16}{one['tried']:>8,}{held:>8,}"
        write(f"{row}{one['skipped']:>9,}{one['seconds']:>9.1f}")
    write(f"seed {SEED}; the same again: LAB_ATTACK_SEED={SEED} make attack")

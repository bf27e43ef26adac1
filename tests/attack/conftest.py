"""Who is left behind by an attack is seen, whatever became of its parents; a table of what held."""

import ctypes

import pytest

from lab.processes import proctree
from lab.processes.spawn import become_subreaper

from .ground import SEED, Table, copy_project

_PR_SET_CHILD_SUBREAPER = 36
_TABLE = Table()


@pytest.fixture(scope="module")
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


def pytest_runtest_logreport(report):
    if "/attack/" in report.nodeid:
        _TABLE.note(report)


def pytest_terminal_summary(terminalreporter, config):
    if not _TABLE.tests or config.option.markexpr:
        return
    terminalreporter.section("attack")
    for line in _TABLE.lines():
        terminalreporter.write_line(line)
    terminalreporter.write_line(f"seed {SEED}; the same again: LAB_ATTACK_SEED={SEED} make attack")

"""How many seconds of processor time each test takes, with all that it starts.

    .venv/bin/python -m pytest -p tests.cpu_seconds tests/text

The output ends with the sums of the files, and the tests that took the most. On a machine whose
processors are all busy, this is the time that a test costs; what a test waits for costs nothing,
and what runs beside it changes little. Programs are counted while they run where Linux lets us make
a group for its accounts (control groups, version 1, as root); elsewhere only once they have ended
and their parent has waited for them.
"""

import contextlib
import os
import resource
from collections import Counter
from pathlib import Path

import pytest

ACCOUNTS = Path("/sys/fs/cgroup/cpuacct")
SHOWN = 40  # tests
NANO = 1e-9
LEAST_S = 0.05  # what takes less is not listed


def own_group(groups="/proc/self/cgroup", accounts=ACCOUNTS):
    """Return the folder of this process's group; the topmost where its own is not to be seen."""
    for line in Path(groups).read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        folder = accounts / path.lstrip("/")
        if "cpuacct" in controllers.split(",") and folder.is_dir():
            return folder
    return accounts


def pytest_configure(config):
    """Add the plugin with the counter of this process."""
    config.pluginmanager.register(Seconds(config), "seconds of processor time")


class Seconds:
    """Counts in each process that runs tests, and adds up in the one that reports."""

    def __init__(self, config):
        self.taken = Counter()
        self.is_reporting = not hasattr(config, "workerinput")
        self.group = None
        with contextlib.suppress(OSError):
            self.before = own_group()
            group = ACCOUNTS / f"pytest-{os.getpid()}"
            group.mkdir()
            (group / "cgroup.procs").write_text(str(os.getpid()))
            self.group = group

    def now(self):
        """Seconds of processor time so far, of this process and all that it started."""
        if self.group:
            return int((self.group / "cpuacct.usage").read_text()) * NANO
        used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        return sum(one.ru_utime + one.ru_stime for one in used)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item):
        """Note what a test takes with its fixtures, in the report of its end."""
        item.began = self.now()
        return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item, call):
        """Hand the number to the process that reports."""
        report = yield
        if call.when == "teardown":
            report.user_properties.append(("cpu_s", self.now() - item.began))
        return report

    def pytest_runtest_logreport(self, report):
        """Add up."""
        if report.when == "teardown":
            self.taken[report.nodeid] += dict(report.user_properties).get("cpu_s", 0)

    def pytest_terminal_summary(self, terminalreporter):
        """Print the files and the tests that took the most."""
        if not self.is_reporting:
            return
        files = Counter()
        for test, seconds in self.taken.items():
            files[test.partition("::")[0]] += seconds
        terminalreporter.section(f"processor time: {self.taken.total():.1f} s")
        for sums in (files, self.taken):
            for name, seconds in sums.most_common(SHOWN):
                if seconds >= LEAST_S:
                    terminalreporter.line(f"{seconds:8.2f}  {name}")
            terminalreporter.line("")

    def pytest_unconfigure(self):
        """Go back to the group of before, so that this one can be removed."""
        if self.group:
            with contextlib.suppress(OSError):
                (self.before / "cgroup.procs").write_text(str(os.getpid()))
                self.group.rmdir()

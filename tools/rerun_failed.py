"""Run pytest; run a few tests that failed a second time, one after another, with no worker beside.

python tools/rerun_failed.py 8 -n 8 --dist worksteal -m "not alone"

The first argument is how many failures may be run again; with 0, or with more failures than that,
the exit code is that of the first run. A test that fails twice has failed. A test that passes the
second time is named at the end: it depends on what runs beside it, so the program or the test needs
mending, or the test needs the mark `alone`.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest


class Failures:
    """The tests that failed, by id, in the order of their reports, and whether a file of tests
    could not be read: what it would have failed is unknown.
    """

    def __init__(self) -> None:
        self.test_ids: list[str] = []
        self.unread = False

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Note that a file of tests could not be imported."""
        self.unread |= report.failed

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note a test of which a part failed: set-up, call or teardown."""
        if report.failed and report.nodeid not in self.test_ids:
            self.test_ids.append(report.nodeid)


def run(limit: int, arguments: list[str]) -> int:
    """Return the exit code: pytest's of the first run, or of the second one if there was one."""
    sys.path[0] = str(Path.cwd())  # as `python -m pytest` has it
    failures = Failures()
    code = int(pytest.main(arguments, plugins=[failures]))
    few = 0 < len(failures.test_ids) <= limit
    if code != pytest.ExitCode.TESTS_FAILED or failures.unread or not few:
        return code
    test_ids = failures.test_ids
    print(f"== running again, one after another: {len(test_ids)} that failed", flush=True)
    again = subprocess.run([sys.executable, "-m", "pytest", *test_ids], check=False).returncode
    if again == 0:
        print("== failed next to others but passed alone; correct these tests, or mark them alone:")
        print("\n".join(f"   {test_id}" for test_id in test_ids), flush=True)
    return again


if __name__ == "__main__":
    sys.exit(run(int(sys.argv[1]), sys.argv[2:]))

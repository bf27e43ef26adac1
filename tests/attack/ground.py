"""What all groups stand on: tables of cases, and programs in a world of their own."""

import os
import random
import shutil
import subprocess
import sys
import textwrap
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from lab import paths

nightly = pytest.mark.nightly
# Of a group that starts what may run away.
apart = [pytest.mark.starts, pytest.mark.usefixtures("orphans_come_to_us")]
# What is random draws from it. `make attack` takes another each day; a test run is the same on all.
SEED = int(os.environ.get("LAB_ATTACK_SEED") or 1)
BOUND_S = 180.0  # of any program that is attacked, however badly it goes


def chance(*words):
    """Random numbers of this seed, for this purpose."""
    return random.Random(f"{SEED} {words}")


def cases(table, sample=()):
    """The names of a table as parameters of a test; those of `sample` are in `make pytest`, too."""
    missing = set(sample) - set(table)
    assert not missing, f"the sample names no case: {missing}"
    return [pytest.param(name, id=name, marks=() if name in sample else nightly) for name in table]


def each(record_property, table, attack):
    """Try all of (name, case), although some fall, and count them for the table."""
    fell, tried = [], 0
    for name, case in table:
        tried += 1
        try:
            attack(case)
        except (Exception, pytest.fail.Exception) as error:  # the second is none of the first
            fell.append(f"{name}: {type(error).__name__}: {error}"[:600])
    record_property("tried", tried)
    record_property("fell", len(fell))
    assert tried
    assert not fell, f"{len(fell)} of {tried} fell (seed {SEED}):\n" + "\n".join(fell[:20])


@dataclass
class Attempt:
    """One test: how many cases it tried, one if it doesn't say, and how many of them fell."""

    tried: int = 0
    fell: int = 0
    skipped: int = 0
    seconds: float = 0.0


class Table:
    """What was tried and what held, group by group: a file of tests is one."""

    def __init__(self):
        self.tests = {}

    def note(self, report):
        """Count one phase of a test. It may fall in several, and has fallen once."""
        one = self.tests.setdefault(report.nodeid, Attempt())
        one.seconds += report.duration
        one.skipped += report.skipped
        if report.when == "call" and not report.skipped:
            said = dict(report.user_properties)
            one.tried, one.fell = said.get("tried", 1), said.get("fell", 0)
        if report.failed:  # perhaps before its first case, or as it left something behind
            one.fell = max(one.fell, 1)
            one.tried = max(one.tried, one.fell)

    def lines(self):
        """The table as text, the sum of all groups last."""
        groups = {}
        for name, one in self.tests.items():
            group = name.split("::")[0].rpartition("test_")[2].removesuffix(".py")
            groups.setdefault(group.replace("_", " "), []).append(one)
        groups["in all"] = list(self.tests.values())
        yield f"{'group':<16}{'tried':>8}{'held':>8}{'skipped':>9}{'seconds':>9}"
        for name, tests in groups.items():
            tried, fell, skipped = (
                sum(getattr(one, what) for one in tests) for what in ("tried", "fell", "skipped")
            )
            seconds = sum(one.seconds for one in tests)
            yield f"{name:<16}{tried:>8,}{tried - fell:>8,}{skipped:>9,}{seconds:>9.1f}"


def copy_project(folder):
    """All that a measurement needs, as a copy in `folder`: returns it."""
    ignore = shutil.ignore_patterns("target", ".state", "runs", "reference")
    for name in ("lab", "servers", "data"):
        shutil.copytree(paths.ROOT / name, folder / name, ignore=ignore)
    for name in ("package.json", "pyproject.toml"):
        shutil.copy2(paths.ROOT / name, folder / name)
    (folder / "node_modules").symlink_to(paths.ROOT / "node_modules")
    (folder / "data" / "reference").symlink_to(paths.REFERENCE)
    return folder


def environment(folder, **changes):
    """An ordinary environment with changes (None: without it), its temporary files in `folder`."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("LAB_", "PYTEST"))}
    temporary = folder / "tmp"
    temporary.mkdir(exist_ok=True)
    kept |= {"TMPDIR": str(temporary), "LAB_PROFILE": "smoke"}
    if node := os.environ.get("LAB_NODE"):
        kept["LAB_NODE"] = node
    return {k: str(v) for k, v in {**kept, **changes}.items() if v is not None}


@dataclass(frozen=True)
class Ended:
    """How a program ended, what it printed, and how long it took."""

    code: int
    out: str
    err: str
    seconds: float


class Attacked:
    """A Python program in a copy of the project and a session of its own; a context manager."""

    def __init__(self, folder, text, env=None, **options):
        self.folder = Path(folder)
        self.began = time.monotonic()
        self.process = subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(text)],
            cwd=folder,
            env=environment(self.folder) if env is None else env,
            start_new_session=True,
            **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options},
        )

    def end(self, within_s=BOUND_S):
        """How it ended. An AssertionError if it does not."""
        try:
            out, err = self.process.communicate(timeout=within_s)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"it did not end within {within_s:g} s") from None
        seconds = time.monotonic() - self.began
        words = [(text or b"").decode("utf-8", "replace") for text in (out, err)]
        return Ended(self.process.returncode, *words, seconds)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()


def attacked(folder, text, env=None, within_s=BOUND_S, **options):
    """How a program ended that was left alone."""
    with Attacked(folder, text, env, **options) as program:
        return program.end(within_s)

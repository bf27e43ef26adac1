"""Many hand-ins at once on Dask: the points are those of one after another, whatever dies."""

import contextlib
import os
import signal
import subprocess
import sys

import pytest

from lab.classroom import handins, many
from lab.grading import batch, exercise

pytestmark = [pytest.mark.nbgrader, pytest.mark.sandboxed, pytest.mark.timeout(600)]
SUMMARY = exercise.exercise("summary")


@pytest.fixture
def works(small):
    """Twelve hand-ins, no two alike: right, wrong and hostile."""
    texts = [
        SUMMARY.solution.read_text(),
        *((SUMMARY.folder / "wrong" / one.file).read_text() for one in SUMMARY.wrong),
        "process.exit(0)\nexport const summary = 7\n",
    ]
    for at in range(12):
        small.hand_in(f"s{at:02}", summary=f"// {at}\n{texts[at % len(texts)]}\n")
    return list(handins.found(small.course, small.week, ["summary"]))


@contextlib.contextmanager
def cluster(workers):
    """A scheduler that anybody may ask, with workers. Gives its address."""
    from distributed import LocalCluster

    options = {"threads_per_worker": 1, "dashboard_address": None, "silence_logs": 40}
    with LocalCluster(n_workers=workers, host="127.0.0.1", **options) as there:
        yield there.scheduler_address


def points(results):
    return [(one.student, one.points) for one in results]


def serial(works):
    return [(one.student, batch.judged(one).points) for one in works]


def test_points_are_those_of_one_after_another(works, tmp_path):
    told = []
    results = many.grade(
        works, tmp_path / "kept", workers=2, tell=lambda *said: told.append(said[0])
    )
    assert points(results) == serial(works)
    assert told == list(range(1, len(works) + 1))
    assert len(list((tmp_path / "kept").iterdir())) == len(works)


def test_workers_that_are_killed_lose_nothing_and_double_nothing(works, tmp_path, monkeypatch):
    pids, killed = [], []
    made = many.client

    def known(*given):
        class Known:
            def __enter__(self):
                self.inner = made(*given)
                there = self.inner.__enter__()
                pids.extend(there.run(os.getpid).values())
                return there

            def __exit__(self, *error):
                return self.inner.__exit__(*error)

        return Known()

    def kill(done, *_):
        if done in (1, 4) and pids:
            os.kill(pids[0], signal.SIGKILL)
            killed.append(pids.pop(0))

    monkeypatch.setattr(many, "client", known)
    asked = []
    keep = batch.keep
    monkeypatch.setattr(
        batch, "keep", lambda work, *a, **k: asked.append(work) or keep(work, *a, **k)
    )
    results = many.grade(works, tmp_path / "kept", workers=2, tell=kill)
    assert len(killed) == 2
    assert points(results) == serial(works)
    assert sorted(one.student for one in asked) == [one.student for one in works]


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError("the disk is full")])
def test_who_is_stopped_leaves_no_workers_and_keeps_what_was_judged(works, tmp_path, error):
    def stop(done, *_):
        if done == 3:
            raise error

    with pytest.raises((KeyboardInterrupt, OSError)):
        many.grade(works, tmp_path / "kept", workers=2, tell=stop)
    assert len(list((tmp_path / "kept").iterdir())) == 3
    assert points(many.grade(works, tmp_path / "kept", workers=2)) == serial(works)


def test_what_is_kept_is_not_judged_again(works, tmp_path, monkeypatch):
    first = many.grade(works, tmp_path / "kept", workers=2)

    def never(*_):
        raise AssertionError("no worker is needed")

    monkeypatch.setattr(many, "client", never)
    monkeypatch.setattr(batch, "judged", never)
    again = many.grade(works, tmp_path / "kept")
    assert [(r.student, r.graded, r.seed) for r in again] == [
        (r.student, r.graded, r.seed) for r in first
    ]


def test_what_is_alike_is_judged_once_and_is_of_each(small, tmp_path, monkeypatch):
    for name in ("anna", "ben", "carl"):
        small.hand_in(name, summary="solution")
    works = list(handins.found(small.course, small.week, ["summary"]))
    asked = []
    judge = batch.judged
    monkeypatch.setattr(batch, "judged", lambda work: asked.append(work.student) or judge(work))
    results = many.grade(works, tmp_path / "kept")
    assert points(results) == [("anna", 7), ("ben", 7), ("carl", 7)]
    assert asked == ["anna"]


def test_a_cluster_is_used_by_its_address_and_one_that_is_none_is_named(works, tmp_path):
    with cluster(2) as address:
        results = many.grade(works[:3], tmp_path / "kept", scheduler=address)
    assert points(results) == serial(works[:3])
    with pytest.raises(many.NoCluster, match=r"No scheduler answers at tcp://127\.0\.0\.1:1"):
        many.grade(works[3:], tmp_path / "kept", scheduler="tcp://127.0.0.1:1")


def test_what_a_clock_decides_asks_for_a_core_of_its_own(small, tmp_path, monkeypatch):
    import dataclasses

    small.hand_in("anna", summary="solution")
    (work,) = handins.found(small.course, small.week, ["summary"])
    timed = dataclasses.replace(work, exercise=dataclasses.replace(work.exercise, clock=True))
    with cluster(1) as address, pytest.raises(many.NoCluster, match='--resources "clock=1"'):
        many.grade([timed], tmp_path / "kept", scheduler=address)


def test_nobody_else_of_this_machine_gives_the_workers_something_to_run(tmp_path):
    # In a process of its own, as a stranger would: what is left of a Client that came to nothing is
    # closed when Python collects it, and waits for ever if another one is being made just then.
    asks = "import sys; from distributed import Client; "
    asks += "print(Client(sys.argv[1], timeout='3s').submit(sum, (1, 2)).result(9))"
    with many.client(workers=1) as there:
        address = there.scheduler.address
        assert address.startswith("tls://")
        for stranger in (address, address.replace("tls://", "tcp://")):
            command = [sys.executable, "-c", asks, stranger]
            done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
            assert (done.returncode, done.stdout) == (1, "")
        assert there.submit(sum, (1, 2)).result() == 3

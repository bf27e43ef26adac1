"""Many hand-ins at once, here and on Dask: points are those of one after another, whatever dies."""

import contextlib
import dataclasses
import os
import signal
import threading
import time
from types import SimpleNamespace

import psutil
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
    progress = []
    results = many.grade(
        works, tmp_path / "kept", workers=2, tell=lambda *said: progress.append(said[0])
    )
    assert points(results) == serial(works)
    assert progress == list(range(1, len(works) + 1))
    assert len(list((tmp_path / "kept").iterdir())) == len(works)


def test_a_processor_has_two_in_hand_and_no_more_than_memory_is_for(works, tmp_path, monkeypatch):
    """One hand-in waits while another computes; 1 GiB each, twice what a hand-in may take."""
    count, most, lock = 0, [], threading.Lock()

    def judged(work, stop):
        nonlocal count
        with lock:
            count += 1
            most.append(count)
        time.sleep(0.05)
        with lock:
            count -= 1
        return batch.broken(work, "nothing was run")

    monkeypatch.setattr(batch, "judged", judged)
    for gib, at_once in ((64, 6), (4.5, 4), (0.5, 3)):
        memory = SimpleNamespace(available=int(gib * 2**30))
        monkeypatch.setattr(psutil, "virtual_memory", lambda memory=memory: memory)
        most.clear()
        many.grade(works, tmp_path / "kept", workers=3)
        assert max(most) == at_once


def test_what_a_clock_decides_is_judged_last_and_alone(works, tmp_path, monkeypatch):
    clock = dataclasses.replace(SUMMARY, clock=True)
    slow_works = [dataclasses.replace(one, exercise=clock) for one in works[:3]]
    running, lock, beside = set(), threading.Lock(), {}

    def judged(work, stop):
        with lock:
            running.add(work.student)
            beside[work.student] = set(running)
        time.sleep(0.05)
        with lock:
            running.remove(work.student)
        return batch.broken(work, "nothing was run")

    monkeypatch.setattr(batch, "judged", judged)
    many.grade(slow_works + works[3:], tmp_path / "kept", workers=2)
    assert list(beside)[-3:] == [one.student for one in slow_works]
    assert [beside[one.student] for one in slow_works] == [{one.student} for one in slow_works]
    assert max(map(len, beside.values())) > 1


def test_an_error_of_ours_over_one_hand_in_leaves_the_others_their_verdict(
    works, tmp_path, monkeypatch
):
    judge = batch.judged

    def judged(work, **how):
        if work is works[1]:
            raise RuntimeError("an error of the grader's")
        return judge(work, **how)

    monkeypatch.setattr(batch, "judged", judged)
    results = many.grade(works[:3], tmp_path / "kept", workers=2)
    assert [one.outcome for one in results] == ["graded", "broken", "graded"]
    assert "an error of the grader's" in results[1].fault
    assert len(list((tmp_path / "kept").iterdir())) == 2


def test_workers_that_are_killed_lose_nothing_and_double_nothing(works, tmp_path, monkeypatch):
    works_judged, pids_killed = [], []
    keep = batch.keep
    monkeypatch.setattr(
        batch, "keep", lambda work, *a, **k: works_judged.append(work) or keep(work, *a, **k)
    )
    with cluster(2) as address:
        from distributed import Client

        with Client(address, set_as_default=False) as there:
            pids = list(there.run(os.getpid).values())

        def kill(done, *_):
            if done in (1, 4):
                os.kill(pids[0], signal.SIGKILL)
                pids_killed.append(pids.pop(0))

        results = many.grade(works, tmp_path / "kept", scheduler=address, tell=kill)
    assert len(pids_killed) == 2
    assert points(results) == serial(works)
    assert sorted(one.student for one in works_judged) == [one.student for one in works]


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError("the disk is full")])
def test_who_is_stopped_waits_for_nobody_and_keeps_what_was_judged(
    small, works, tmp_path, monkeypatch, error
):
    endless = "export const summary = () => { for (;;); };\n"
    small.hand_in("a-first", summary=endless)  # it would run for seconds
    works = list(handins.found(small.course, small.week, ["summary"]))
    became, judge = {}, batch.judged

    def judged(work, **how):
        became[work.student] = judge(work, **how)
        return became[work.student]

    def stop(done, *_):
        if done == 3:
            raise error

    with pytest.raises((KeyboardInterrupt, OSError)), monkeypatch.context() as patch:
        patch.setattr(batch, "judged", judged)
        many.grade(works, tmp_path / "kept", workers=2, tell=stop)
    assert "stopped" in became["a-first"].fault
    assert len(list((tmp_path / "kept").iterdir())) == 3
    assert not [one for one in psutil.Process().children() if one.name() in ("bwrap", "node")]
    assert points(many.grade(works[1:], tmp_path / "kept", workers=2)) == serial(works[1:])


def test_what_is_kept_is_not_judged_again(works, tmp_path, monkeypatch):
    first = many.grade(works, tmp_path / "kept", workers=2)

    def never(*_):
        raise AssertionError("it was judged already")

    monkeypatch.setattr(batch, "judged", never)
    again = many.grade(works, tmp_path / "kept")
    assert [(r.student, r.graded, r.seed) for r in again] == [
        (r.student, r.graded, r.seed) for r in first
    ]


def test_what_is_alike_is_judged_once_and_is_of_each(small, tmp_path, monkeypatch):
    for name in ("anna", "ben", "carl"):
        small.hand_in(name, summary="solution")
    works = list(handins.found(small.course, small.week, ["summary"]))
    students = []
    judge = batch.judged
    monkeypatch.setattr(
        batch, "judged", lambda work, **how: students.append(work.student) or judge(work, **how)
    )
    results = many.grade(works, tmp_path / "kept")
    assert points(results) == [("anna", 7), ("ben", 7), ("carl", 7)]
    assert students == ["anna"]


def test_a_cluster_is_used_by_its_address_and_one_that_is_none_is_named(works, tmp_path):
    with cluster(2) as address:
        results = many.grade(works[:3], tmp_path / "kept", scheduler=address)
    assert points(results) == serial(works[:3])
    with pytest.raises(many.NoCluster, match=r"No scheduler responds at tcp://127\.0\.0\.1:1"):
        many.grade(works[3:], tmp_path / "kept", scheduler="tcp://127.0.0.1:1")


def test_what_a_clock_decides_asks_for_a_core_of_its_own(small, tmp_path, monkeypatch):
    small.hand_in("anna", summary="solution")
    (work,) = handins.found(small.course, small.week, ["summary"])
    timed = dataclasses.replace(work, exercise=dataclasses.replace(work.exercise, clock=True))
    with cluster(1) as address, pytest.raises(many.NoCluster, match='--resources "clock=1"'):
        many.grade([timed], tmp_path / "kept", scheduler=address)

"""Where the check is at fault it says so: nobody loses points, and its authors learn where."""

import contextlib
import csv
import dataclasses
import io
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from lab.display import grading_result
from lab.grading import batch, cgroup, exercise, handin, run
from lab.grading.result import BROKEN, GRADED, NOISY
from lab.processes import nodes

FILES = {
    "in a scene": (
        "inside.js",
        "exports.order = async function order(student, { rounds }) {",
        "exports.order = async function order(student, { rounds }) { null.there;",
        "the-scene-of-a-check",
    ),
    "in something of Node's that a scene calls": (
        "inside.js",
        "exports.order = async function order(student, { rounds }) {",
        "exports.order = async function order(student, { rounds }) { Buffer.alloc(-1);",
        "the-scene-of-a-check",
    ),
    "in the check": ("check.mjs", "async order(t) {", "async order(t) { null.there;", "check.mjs"),
}


@pytest.fixture
def broken(request, tmp_path, monkeypatch):
    """An exercise that judges as it should, but for one criterion."""
    file, before, after, _ = FILES[request.param]
    folder = tmp_path / "event-loop" / "always-later"
    shutil.copytree(exercise.exercise("always-later").folder, folder)
    text = (folder / file).read_text()
    assert before in text
    (folder / file).write_text(text.replace(before, after))
    monkeypatch.setattr(exercise, "EXERCISES", tmp_path)
    exercise._read.cache_clear()
    yield exercise.exercise("always-later")
    exercise._read.cache_clear()


@pytest.mark.judges
@pytest.mark.parametrize("broken", FILES, indirect=True)
def test_a_check_that_fails_decides_nothing(broken, request):
    result = run.grade(broken, handin.from_file(broken.solution, broken))
    assert result.outcome == BROKEN and not result.passed
    assert [one.outcome for one in result.criteria].count(BROKEN) == 1
    assert "your code" not in str(result)
    for told in (result.line(), grading_result.page(result)):
        assert "the check itself failed" in told.lower() and "not your fault" in told
        assert "authors" in told
    where = FILES[request.node.callspec.params["broken"]][3]
    assert "order: " in result.fault and where in result.fault
    assert where not in str(result) + grading_result.page(result)


@pytest.mark.judges
@pytest.mark.parametrize("broken", ["in a scene"], indirect=True)
def test_in_a_table_what_is_not_decided_is_no_zero(broken, tmp_path):
    place = tmp_path / "class" / "anna"
    place.mkdir(parents=True)
    shutil.copy(broken.solution, place / "always-later.mjs")
    works = batch.found(place.parent)
    rows = list(csv.DictReader(io.StringIO(batch.table(works, batch.grade(works)))))
    assert rows and {row["points"] for row in rows} == {""}


@pytest.mark.judges
@pytest.mark.parametrize(
    "text",
    [
        "export const cached = () => { throw new Error('mine') };",
        "export const cached = () => () => { null.mine };",
        "export const cached = () => () => { Buffer.alloc(-1) };",
        "export const cached = (fetch) => (key, done) => fetch(key, (_, it) => done(it.mine()));",
    ],
)
def test_an_error_of_the_hand_in_is_its_own(text):
    asked = exercise.exercise("always-later")
    result = run.grade(asked, handin.from_text(text))
    assert result.outcome == GRADED and result.points == 0 and not result.fault
    assert "threw" in result.missed[0].message or "thrown" in result.missed[0].message


@pytest.mark.judges
def test_a_value_of_another_kind_is_a_wrong_answer_though_the_check_stumbles_over_it():
    """The reference comes through the same cases, so it was not the check."""
    asked = exercise.exercise("always-later")
    result = run.grade(asked, handin.from_text("export const cached = () => undefined;"))
    assert result.outcome == GRADED and result.points == 0
    assert "not of the type that the task asks for" in result.missed[0].message
    assert "not a function" in result.line()


@pytest.mark.judges
@pytest.mark.parametrize("broken", ["in a scene"], indirect=True)
def test_a_fault_that_the_reference_meets_too_is_never_a_wrong_answer(broken):
    other = "// another one\n" + broken.solution.read_text()
    assert run.grade(broken, handin.from_text(other)).outcome == BROKEN


@pytest.mark.judges
@pytest.mark.parametrize("falls", ["the hand-in", "once", "both"])
def test_who_alone_brings_the_driver_down_gains_nothing_by_it(falls, monkeypatch):
    task = exercise.exercise("summary")
    first = task.criteria[0].id
    judgements = []

    def driver(exercise, hand_in, **_):
        reference = hand_in.text == task.solution.read_text()
        judgements.append("reference" if reference else "hand-in")
        held = {one.id: {"outcome": "held"} for one in task.criteria}
        if falls == "both" or (
            not reference and (falls == "the hand-in" or judgements == ["hand-in"])
        ):
            raise run.Fell("it fell over", {first: held[first]})
        return run.Said(held, {"end": True}), {}

    monkeypatch.setattr(run, "_judged", driver)
    hand_in = handin.from_text("// mine\nexport const summary = 1;\n")
    if falls == "both":
        with pytest.raises(run.NotGraded, match="fell over"):
            run.grade(task, hand_in)
        return
    result = run.grade(task, hand_in)
    assert judgements == ["hand-in", "reference", "hand-in"]
    assert result.outcome == GRADED
    if falls == "once":
        assert result.passed
    else:
        assert result.points == task.criteria[0].points  # what was seen before stands
        assert "it finishes with the reference" in result.missed[0].message


@pytest.mark.judges
def test_an_error_that_was_written_to_look_like_one_of_the_check_is_a_wrong_answer():
    task = exercise.exercise("always-later")
    text = (
        "export const cached = () => {\n"
        "  const error = new RangeError('odd');\n"
        "  error.stack = `${error}\\n    at order (the-scene-of-a-check:1:1)`;\n"
        "  throw error;\n};\n"
    )
    result = run.grade(task, handin.from_text(text, "mine.mjs"))
    assert result.outcome == GRADED and result.points == 0


@pytest.mark.judges
@pytest.mark.nightly
def test_a_node_that_comes_late_is_no_fault_of_the_hand_in(tmp_path, monkeypatch):
    slow = tmp_path / "node"
    slow.write_text(f'#!/bin/sh\ncase "$*" in *-e*) sleep 12;; esac\nexec {nodes.program()} "$@"\n')
    slow.chmod(0o755)
    monkeypatch.setattr(run, "TRIES", 1)
    asked = exercise.exercise("summary")
    hand_in = handin.from_file(asked.solution, asked)
    result = run.grade(asked, hand_in, node=str(slow), unsandboxed=True)
    assert result.outcome == NOISY and "Node did not start" in result.line()
    assert "try again" in result.line()


@pytest.mark.parametrize(("seconds_each", "tries"), [(1, 3), (15, 2), (35, 2)])
def test_a_busy_machine_is_asked_once_more_and_not_for_minutes(monkeypatch, seconds_each, tries):
    task = exercise.exercise("summary")
    clock, judgements = [0.0], []

    def busy(*_given, **_how):
        clock[0] += seconds_each
        judgements.append(seconds_each)
        undecided = {one.id: {"outcome": NOISY, "message": run.BUSY} for one in task.criteria}
        return run.Said(undecided, {}), {}

    monkeypatch.setattr(run, "TRIES", 3)
    monkeypatch.setattr(run, "PATIENCE_S", 20.0)
    monkeypatch.setattr(run, "_decided", busy)
    monkeypatch.setattr(run.time, "monotonic", lambda: clock[0])
    result = run.grade(task, handin.from_file(task.solution, task))
    assert len(judgements) == tries
    assert result.outcome == NOISY and "try again" in result.line()


TRIED = {
    # What each try says of three criteria, of which the third needs the second; what stands.
    "each criterion is undecided once": (["held noisy left", "noisy held held"], "held held held"),
    "a miss stands": (["missed noisy left", "held held held"], "missed held held"),
    "what needs a miss stays left": (["noisy missed left", "held held held"], "held missed left"),
    "a held criterion that is not seen again is no loss": (
        ["held held noisy", "held noisy left", "held noisy left"], "held held noisy"
    ),
    "the last try decides": (
        ["noisy held noisy", "noisy noisy left", "held held missed"], "held held missed"
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", TRIED)
def test_what_one_try_decides_stands_where_another_leaves_it_open(monkeypatch, what):
    tries, outcome_expected = TRIED[what]
    summary = exercise.exercise("summary")
    first, second, third = (
        dataclasses.replace(criterion, needs=()) for criterion in summary.criteria[:3]
    )
    third = dataclasses.replace(third, needs=(second.id,))
    task = dataclasses.replace(summary, criteria=(first, second, third))
    outcomes, lines, seeds = iter(tries), [], []

    def tried(*_given, seed, tell, **_how):
        seeds.append(seed)
        criteria = {}
        for criterion, outcome in zip(task.criteria, next(outcomes).split(), strict=True):
            message = second.id if outcome == "left" else f"with {seed}"
            criteria[criterion.id] = {
                "criterion": criterion.id,
                "outcome": outcome,
                "message": message,
            }
            tell(criteria[criterion.id])
        return run.Said(criteria, {}), {}

    monkeypatch.setattr(run, "TRIES", 3)
    monkeypatch.setattr(run, "_decided", tried)
    hand_in = handin.from_file(summary.solution, summary)
    result = run.grade(task, hand_in, seed=7, tell=lines.append)
    assert " ".join(criterion.outcome for criterion in result.criteria) == outcome_expected
    assert len(seeds) == len(tries)
    assert (result.outcome == NOISY) is ("noisy" in outcome_expected)
    for miss in result.missed:  # the cases that it missed can be given again
        assert miss.message == f"with {result.seed}"
    last_told = {line["criterion"]: line["outcome"] for line in lines}
    for criterion in result.criteria:
        if criterion.outcome in ("held", "missed"):
            assert last_told[criterion.id] == criterion.outcome


class Silent:
    """A driver that says nothing until `ends_s` have passed on its clock, and then that it ends."""

    pid = 0
    stdout = None


@pytest.mark.parametrize(
    ("starved", "ends_s", "end"),
    [
        ([], 5, "end"),
        ([False], 99, run.LONG),
        ([True], 15, "end"),  # it came to its end when it had a processor
        ([True, False], 99, run.LONG),
        ([True, True], 99, run.BUSY),
    ],
)
def test_a_check_that_had_no_processor_has_its_seconds_once_more(monkeypatch, starved, ends_s, end):
    passed_s, answers = [0.0], iter(starved)
    reading, writing = os.pipe()
    process = Silent()
    process.stdout = os.fdopen(reading, "rb", buffering=0)

    def now():
        passed_s[0] += 0.01
        if passed_s[0] > ends_s and ends_s < 99 and not process.stdout.closed:
            with contextlib.suppress(OSError):
                os.write(writing, b'{"end": true}\n')
        return passed_s[0]

    monkeypatch.setattr(run.time, "monotonic", now)
    monkeypatch.setattr(run, "LOOK_S", 0)
    monkeypatch.setattr(run.proctree, "processes", dict)
    monkeypatch.setattr(run.proctree, "grown", lambda pids, _all: pids)
    monkeypatch.setattr(run._Queue, "is_starved", lambda _self, _seconds: next(answers))
    try:
        first = next(iter(run._lines(process, 10, 8, None)))
    finally:
        process.stdout.close()
        os.close(writing)
    assert ("end" if isinstance(first, dict) else first) == end
    assert next(answers, None) is None  # it was asked as often as it had to be


@pytest.fixture
def hardly_any_processor(monkeypatch):
    """The driver and all that it starts get a fortieth of a processor: who comes late is the
    machine. Others on it notice nothing.
    """
    folder = Path("/sys/fs/cgroup/cpu") / f"lab-test-{os.getpid()}"
    try:
        folder.mkdir()
        (folder / "cpu.cfs_period_us").write_text("100000")
        (folder / "cpu.cfs_quota_us").write_text("2500")
    except OSError:
        pytest.skip("no control group of processors can be made here")
    before = cgroup.Cgroup.enter

    def enter(self):
        return before(cgroup.Cgroup([*self.folders, folder], self.kind))

    monkeypatch.setattr(cgroup.Cgroup, "enter", enter)
    monkeypatch.setattr(run, "TRIES", 1)
    yield
    for _ in range(100):
        with contextlib.suppress(OSError):
            folder.rmdir()
        if not folder.exists():
            return
        time.sleep(0.05)


@pytest.mark.judges
@pytest.mark.nightly
@pytest.mark.usefixtures("hardly_any_processor")
def test_right_work_on_a_machine_that_is_too_busy_is_not_wrong():
    asked = exercise.exercise("half-failing")
    result = run.grade(asked, handin.from_file(asked.solution, asked))
    assert result.outcome == NOISY or result.passed, str(result)
    assert result.outcome != NOISY or "try again" in result.line()


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="only Linux ties to a processor")
def test_a_process_that_stood_in_the_queue_counts_when_it_has_ended():
    """A check starts many, one after another: who is late because of those is no less late."""
    processor = min(os.sched_getaffinity(0))
    spin = f"import os\nos.sched_setaffinity(0, {{{processor}}})\nwhile True: pass"
    queue = run._Queue()
    start_s = time.monotonic()
    spinning = [subprocess.Popen([sys.executable, "-c", spin]) for _ in range(12)]
    try:
        time.sleep(2)
        queue.look([spinning[0].pid])
        seconds = time.monotonic() - start_s
    finally:
        for one in spinning:
            one.kill()
            one.wait()
    queue.look([])
    assert queue.is_starved(seconds)
    assert not queue.is_starved(100 * seconds)
    assert not run._Queue().is_starved(seconds)


@pytest.fixture
def looked(monkeypatch):
    """Looks of half a second at processes, of which each waits for a processor, and has one, for
    these shares of the time; on two processors.
    """

    def after(looks, name, **shares):
        queue, passed_s = run._Queue(), [0.0]
        tick = run.os.sysconf("SC_CLK_TCK")

        def read(path):
            if path.endswith("schedstat"):
                return b"0 %d 0" % (1e9 * shares["waited"] * passed_s[0])
            return b"7 (%s) S %s %d 0" % (name, b"0 " * 10, tick * shares["had"] * passed_s[0])

        monkeypatch.setattr(run.proctree, "read", read)
        monkeypatch.setattr(run.machine, "cpu_set", lambda: [0, 1])
        for pids in looks:
            passed_s[0] += 0.5
            queue.look(pids)
        return queue, passed_s[0]

    return after


@pytest.mark.parametrize(
    ("processes", "waited", "had", "is_starved"),
    [
        (8, 0.1, 0.0, False),  # each waits for a moment, and all of them for the same one
        (8, 0.8, 0.01, True),
        (6, 0.8, 0.06, True),  # together they have more than a quarter of one processor, not of two
        (6, 0.8, 0.3, False),  # they wait for each other
        (2, 0.6, 0.15, False),  # the driver, and one that computes
    ],
)
def test_processes_that_wait_at_the_same_time_wait_once(looked, processes, waited, had, is_starved):
    queue, seconds = looked([range(processes)] * 40, b"node", waited=waited, had=had)
    assert queue.is_starved(seconds) is is_starved


def test_the_parts_of_a_sandbox_are_no_program_that_computes(looked):
    queue, seconds = looked([range(6)] * 40, b"bwrap", waited=0.8, had=0.05)
    assert not queue.is_starved(seconds)

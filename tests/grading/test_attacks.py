"""Hand-ins that want more than they are worth: no point gained, nothing read, nothing left behind,
and each is told why it got nothing.
"""

import contextlib
import os
import threading
import time
from pathlib import Path

import pytest

from lab.grading import exercise, handin, run, sandbox
from lab.processes import nodes, proctree

pytestmark = pytest.mark.skipif(
    sandbox.bubblewrap() is None,
    reason="there is no bubblewrap here, and attacks run in a sandbox only",
)
HERE = Path(__file__).parent / "attacks"
ATTACKS = sorted([*HERE.glob("*.mjs"), *HERE.glob("*.cjs")])
# Those that are ended by a limit of seconds: all of them at night, one of each kind in every run.
SLOW = {
    "fills-the-disk", "heap-bomb", "loops-in-microtasks", "loops-while-loading", "memory-bomb",
    "never-settles", "returns-too-much", "starts-a-debugger", "stops-itself", "thread-bomb",
}  # fmt: skip


# What lies where in memory differs from Node to Node: these are tried on each that is here in every
# run, the others at night.
OF_MEMORY = {"looks-into-its-memory", "signs-frames"}


def cases():
    for file in ATTACKS:
        slow = [pytest.mark.nightly] if file.stem in SLOW else []
        yield pytest.param(file, None, id=file.stem, marks=slow)
        for major, node in nodes.known().items():
            marks = [] if file.stem in OF_MEMORY else [pytest.mark.nightly]
            if node != nodes.program():
                yield pytest.param(file, node, id=f"{file.stem}-{major}", marks=marks)


@contextlib.contextmanager
def watched():
    """Every process that descends from this one meanwhile, as (pid, when it started): a detached
    one, too, for the sandbox's first process becomes its parent.
    """
    seen, over = set(), threading.Event()
    before = proctree.grown({os.getpid()}, proctree.processes())  # what other tests keep

    def look():
        while not over.wait(0.01):
            for pid in proctree.grown({os.getpid()}, proctree.processes()) - before:
                seen.add((pid, proctree.start_ticks(pid)))

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield seen
    finally:
        over.set()
        thread.join()


def alive(seen):
    return {pid for pid, started in seen if started and proctree.start_ticks(pid) == started}


@pytest.mark.parametrize(("file", "node"), list(cases()))
def test_an_attack_gains_nothing_and_is_explained(file, node):
    asked = exercise.exercise(file.read_text().partition(".")[0].removeprefix("// ").strip())
    for _ in range(3):
        started = time.monotonic()
        with watched() as seen:
            result = run.grade(asked, handin.from_file(file, asked), own=False, node=node)
        seconds = time.monotonic() - started
        if len(seen) >= 3:
            break  # else it was over before a busy machine let us look
    assert result.outcome == "graded"
    assert result.points == 0, str(result)
    assert result.missed[0].message
    assert "LEAK" not in str(result)
    assert "\x1b" not in str(result) + result._repr_html_()
    assert "<script" not in result._repr_html_().lower()
    assert "<img" not in result._repr_html_().lower()
    assert seconds < asked.limits.seconds + run.GRACE_S + 5
    assert len(seen) >= 3  # the sandbox, the driver, the hand-in
    deadline = time.monotonic() + 5
    while alive(seen) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not alive(seen)


def test_every_attack_says_what_it_tries():
    for file in ATTACKS:
        first = file.read_text().splitlines()[0]
        name, _, words = first.removeprefix("// ").partition(". ")
        assert name in exercise.names() and len(words) > 20, file.name


def test_other_peoples_work_is_refused_where_nothing_would_hold_it(monkeypatch):
    monkeypatch.setattr(sandbox, "bubblewrap", lambda: None)
    asked = exercise.exercise("summary")
    hand_in = handin.from_file(asked.solution, asked)
    with pytest.raises(sandbox.NoSandbox, match="bubblewrap"):
        run.grade(asked, hand_in, own=False)
    own = run.grade(asked, hand_in)
    assert own.passed and own.sandbox == "none" and "not in a sandbox" in own.line()


def test_the_checks_of_an_exercise_can_not_be_seen_from_the_sandbox_of_a_hand_in(tmp_path):
    """The test that would fail if the sandbox were not there: the same program without one."""
    asked = exercise.exercise("summary")
    spy = handin.from_file(HERE / "reads-secrets.mjs", asked)
    assert "LEAK" not in str(run.grade(asked, spy))
    assert "LEAK" in str(run.grade(asked, spy, unsandboxed=True))


def test_workers_by_another_class_are_counted_too():
    """A wrong answer that looks for a class of which nobody hears gets no more than it got."""
    asked = exercise.exercise("worker-pool")
    each = (asked.folder / "wrong" / "worker-each.mjs").read_text()
    other = (
        'import { Worker as Counted } from "node:worker_threads";\n'
        "const made = [Counted, Counted.prototype.constructor, Reflect.getPrototypeOf(Counted)];\n"
        "const Worker = made.findLast((one) => one.name === 'Worker');\n"
    )
    hidden = each.replace('import { Worker } from "node:worker_threads";\n', other)
    assert hidden != each
    result = run.grade(asked, handin.from_text(hidden, "hidden.mjs"), own=False)
    assert result.points == 0, str(result)

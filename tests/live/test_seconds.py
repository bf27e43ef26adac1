"""How long a cell takes, said before: as a build found it here, else by the recorded trials."""

import json
from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from lab import paths, settings
from lab.book.pipeline import toc
from lab.book.pipeline.chapter import cell_digest
from lab.book.pipeline.history import Record, Records
from lab.book.site import cells
from lab.live import seconds
from lab.records import store

PAGE = "book/one"
COMPARED = 'run = lab.compare(arms, experiment="files-small")'
PROGRAM = 'lab.node("count.mjs", experiment="await-count-added")'
TEXT = """---
jupytext:
  text_representation:
    extension: .md
    format_name: myst
kernelspec:
  name: python3
  display_name: Python 3
  language: python
---

# One

```{code-cell} python
%s
```

```{code-cell} python
%s
```
"""


@pytest.fixture
def book(tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    monkeypatch.setattr(cells, "SECONDS", tmp_path / "cell-seconds.json")
    monkeypatch.setattr(toc, "pages", lambda: [PAGE])
    (tmp_path / "book").mkdir()
    (tmp_path / f"{PAGE}.md").write_text(TEXT % (COMPARED, PROGRAM))
    return Records(tmp_path / "_build/.lab/live-course")


def said():
    return json.loads(cells.SECONDS.read_text())[PAGE]


def record(token, **took):
    return Record(token, "c", "2026-01-02T03:04:05", "", 1.0, 1, 1, {}, cells=took)


def test_a_comparison_takes_as_long_as_its_trials_in_the_course_profile():
    run = store.reference("files-small")
    trials = [*run.trials, *run.control]
    least = sum(t.window[1] - t.window[0] for t in trials) / 2 / 2  # half the pairs, half the time
    took = seconds.expected(COMPARED)
    assert least < took < 4 * least + len(trials)
    assert seconds.expected(f"{COMPARED}\n{COMPARED}") == pytest.approx(2 * took, abs=0.2)


@pytest.mark.parametrize(("recorded", "course"), [(2, 1), (6, 3), (10, 6), (12, 6)])
def test_a_cell_has_as_many_pairs_in_the_course_as_it_asks_for(recorded, course):
    assert seconds._asked(recorded, settings.PROFILES["reference"]) == course


def test_what_a_recorded_trial_was_waited_for_is_not_told(monkeypatch):
    run, took = store.reference("files-small"), seconds.expected(COMPARED)
    *others, last = run.trials
    late = datetime.fromisoformat(last.started) + timedelta(seconds=300)
    last = replace(last, started=late.isoformat(), noise=replace(last.noise, tries=20))
    monkeypatch.setattr(store, "reference", lambda _name: replace(run, trials=(*others, last)))
    assert seconds.expected(COMPARED) == pytest.approx(took, rel=0.2)


@pytest.mark.parametrize(
    "source",
    [PROGRAM, 'lab.compare(arms, experiment="nobody-recorded")', "lab.compare(arms)",
     'lab.vary("x", run, values={})', f"{COMPARED}\n{PROGRAM}"],
)  # fmt: skip
def test_of_what_no_trial_tells_nothing_is_said(source):
    assert seconds.expected(source) is None


@pytest.mark.parametrize("source", ["lab.plot.sweep(run)", "import lab", 'lab.claim("x", 3)'])
def test_a_cell_that_measures_nothing_takes_a_moment(source):
    assert seconds.expected(source) == seconds.DRAWS_S


def test_what_a_build_found_here_goes_before_what_was_reckoned(book):
    seconds.collected()
    assert said() == {cell_digest(COMPARED): seconds.expected(COMPARED)}
    compared, program = cell_digest(COMPARED), cell_digest(PROGRAM)
    book.add(PAGE, record("a", **{compared: 7.5, program: 3.0, "of-another-cell": 1.0}))
    book.add(PAGE, record("b", **{program: 2.0}))  # the shorter: a busy machine adds to it
    assert seconds.collected().endswith("1 page.")
    assert said() == {compared: 7.5, program: 2.0}


def test_a_cell_that_nobody_knows_is_told(book):
    assert "Cells without a known time before `make book`: one (1)." in seconds.collected()


def test_what_is_kept_is_of_cells_that_there_are():
    kept = cells.seconds()
    assert kept, "python -m lab.live seconds"
    for page, took in kept.items():
        assert page in toc.pages()
        assert all(0 < one < 900 for one in took.values())

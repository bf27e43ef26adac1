"""All exercises: each is whole, stands on its page, and its check tells right from wrong."""

import json
import re
import shutil
import unittest.mock

import pytest

from lab import paths
from lab.book.pipeline import toc
from lab.errors import LabError
from lab.grading import exercise, handin, mutation, run
from lab.grading.result import Result

NAMES = exercise.names()
PAGES = {name: exercise.exercise(name) for name in NAMES}


@pytest.mark.judges
@pytest.mark.parametrize("name", NAMES)
def test_the_reference_is_accepted_and_a_wrong_answer_gets_its_own_message(name):
    asked = PAGES[name]
    # test_parameters.py judges the reference of the others, with the values of a student.
    references = [] if asked.parameters else [None]
    rows = [mutation.judged(asked, answer) for answer in [*references, asked.wrong[0]]]
    assert not [str(row) for row in rows if row.fault], "\n".join(map(str, rows))


@pytest.mark.judges
@pytest.mark.nightly  # in each test run it is judged with the values of a student
@pytest.mark.parametrize("name", [name for name, one in PAGES.items() if one.parameters])
def test_so_is_a_reference_with_the_values_of_its_page(name):
    row = mutation.judged(PAGES[name], None)
    assert not row.fault, row


@pytest.mark.judges
@pytest.mark.nightly
@pytest.mark.parametrize("name", NAMES)
def test_so_does_every_other_wrong_answer(name):
    rows = [mutation.judged(PAGES[name], wrong) for wrong in PAGES[name].wrong[1:]]
    assert not [str(row) for row in rows if row.fault], "\n".join(map(str, rows))


@pytest.mark.judges
@pytest.mark.nightly
@pytest.mark.parametrize("name", NAMES)
def test_the_starter_runs_and_is_no_solution(name):
    asked = PAGES[name]
    result = run.grade(asked, handin.from_text(asked.begin(), asked.starter.name))
    assert result.outcome in ("graded", "noisy") and not result.passed
    assert "cannot be loaded" not in str(result)


def test_every_exercise_stands_on_its_page_once():
    for name, exercise_of_page in PAGES.items():
        if not exercise_of_page.chapter:
            continue  # it stands on no page, for who looks for more of them
        page = paths.ROOT / "book" / f"{exercise_of_page.chapter}.md"
        assert page.exists(), f"{name}: there is no chapter {exercise_of_page.chapter}"
        assert exercise_of_page.topic == exercise_of_page.chapter.partition("/")[0]
        cells = re.findall(rf'lab\.exercise\("{name}"\)', page.read_text())
        assert len(cells) == 1, f"{name} stands {len(cells)} times on {exercise_of_page.chapter}"


def test_every_page_with_exercises_has_two_at_least():
    for name in toc.pages():
        page = paths.ROOT / f"{name}.md"
        if "\n## Exercises\n" in (text := page.read_text()):
            found = re.findall(r'lab\.exercise\("([\w-]+)"\)', text)
            assert len(found) >= 2, f"{page.name} has {found}"
            assert {PAGES[name].chapter for name in found} == {f"{page.parent.name}/{page.stem}"}


def test_no_solution_is_in_what_readers_get():
    for name, one in PAGES.items():
        given = one.task() + one.begin() + " ".join(one.hints)
        lines = [line.strip() for line in one.solution.read_text().splitlines()]
        own = [line for line in lines if len(line) > 40 and line not in one.begin()]
        told = [line for line in own if line in given]
        assert len(told) <= len(own) / 2, f"{name} gives away {told}"


def test_the_first_ones_are_twenty_four():
    stars = sorted(one.star for one in PAGES.values() if one.star)
    assert stars == list(range(1, exercise.STARS + 1))


def test_a_folder_that_is_no_exercise_says_what_is_missing(tmp_path):
    good = PAGES["summary"].folder
    for change, message in [
        (lambda text: "levle = 2\n" + text, "unknown key 'levle'. Did you mean level"),
        (lambda text: text.replace("level = 1", "level = 7"), "its level is 7"),
        (lambda text: text.replace('misses = ["support"]', 'misses = ["suport"]'), "suport"),
        (lambda text: text.replace('needs = ["percentiles"]', 'needs = ["empty"]'), "needs "
                                                                                    "'empty'"),
        (lambda text: text.replace("points = 1", "points = 0"), "more than 0"),
        (lambda text: text.replace("minutes = 20", 'minutes = "long"'), "minutes"),
        (lambda text: text.replace("sorts-text.mjs", "sorts.mjs"), "sorts.mjs is missing"),
        (lambda text: text[: len(text) // 2], "TOML|wrong|missing"),
    ]:  # fmt: skip
        folder = tmp_path / "summary"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(good, folder)
        file = folder / exercise.FILE
        text = file.read_text()
        changed = change(text)
        assert changed != text
        file.write_text(changed)
        exercise._read.cache_clear()
        with pytest.raises(LabError, match=message):
            _whole(folder)


def _whole(folder):
    """Read an exercise that lies elsewhere: its files are looked for beside it."""
    with unittest.mock.patch.object(exercise, "EXERCISES", folder.parent.parent):
        target = folder.parent.parent / folder.parent.name / folder.name
        assert target == folder
        return exercise.read(folder)


@pytest.mark.judges
def test_a_result_is_data_with_a_schema():
    task = PAGES["summary"]
    result = run.grade(
        task, handin.from_file(task.folder / "wrong" / "sorts-text.mjs", task), seed=7
    )
    again = Result.from_json(json.loads(json.dumps(result.to_json())))
    assert again == result
    assert (again.schema, again.seed, again.of) == (1, 7, 7)
    second = run.grade(
        task, handin.from_file(task.folder / "wrong" / "sorts-text.mjs", task), seed=7
    )
    assert [one.saw for one in second.criteria] == [one.saw for one in result.criteria]


@pytest.mark.nightly
@pytest.mark.judges
@pytest.mark.parametrize("name", [step.id for step in exercise.steps("drop")])
def test_a_folder_that_has_done_the_last_step_of_the_project_passes_all_steps(name):
    last, step = exercise.steps("drop")[-1], PAGES[name]
    right = handin.from_text(last.program(last.solution, last.for_student("")), last.solution.name)
    assert run.grade(step, right).passed

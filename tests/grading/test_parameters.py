"""What differs by student: the task says it, a program has it, and an answer that was copied from
somebody with other values loses points for it.
"""

import contextlib
import json
import shutil
import threading
from pathlib import Path

import pytest

from lab.errors import LabError
from lab.grading import exercise, handin, run
from tests.grading.test_exercises import PAGES, _whole

VARIED = [name for name, one in PAGES.items() if one.parameters]


def test_some_exercises_differ_by_student():
    assert len(VARIED) >= 3


@pytest.mark.parametrize("name", VARIED)
def test_the_task_and_the_programs_have_the_values_of_the_student(name):
    page = PAGES[name]
    values = page.for_student("anna")
    texts = [page.task(values), page.begin(values), page.program(page.solution, values)]
    assert not [text for text in texts if "{{" in text]
    for value in values.values():
        assert str(value) in page.task(values)
        assert f"= {json.dumps(value)};" in page.program(page.solution, values)


@pytest.mark.judges
@pytest.mark.parametrize("name", VARIED)
def test_an_answer_with_the_values_of_another_student_misses_a_criterion(name):
    page = PAGES[name]
    mine, others = two_students(page)
    right = program_of(page, mine)
    assert run.grade(page, right, student=mine).passed
    missed = first_missed(page, right, others)
    assert missed["criterion"] in {criterion.id for criterion in page.criteria}
    assert missed["message"]


@pytest.mark.judges
@pytest.mark.nightly  # in each test run it is judged up to the first criterion that it misses
@pytest.mark.parametrize("name", VARIED)
def test_and_loses_points_when_it_is_judged_to_the_end(name):
    page = PAGES[name]
    mine, others = two_students(page)
    copied = run.grade(page, program_of(page, mine), student=others)
    assert copied.outcome == "graded" and not copied.passed
    assert copied.points < copied.of and copied.missed[0].message


def program_of(page, student):
    """The reference with the values of a student."""
    text = page.program(page.solution, page.for_student(student))
    return handin.from_text(text, page.solution.name)


def first_missed(page, hand_in, student):
    """What the check says of the first criterion that a hand-in misses; then the check is stopped.
    Fails if the check comes to its end without one.
    """
    reports, stop = [], threading.Event()

    def tell(line):
        if line["outcome"] == "missed":
            reports.append(line)
            stop.set()

    with contextlib.suppress(run.Stopped):
        result = run.grade(page, hand_in, student=student, tell=tell, stop=stop)
        assert reports, str(result)
    return reports[0]


@pytest.mark.judges
def test_a_result_says_with_whose_values_it_was_judged():
    page = PAGES["die-well"]
    hand_in = handin.from_text("process.exit(1);\n", "mine.mjs")
    for who, values in {
        "": "grace = 2000, the default. Set LAB_STUDENT=anna",
        "anna": f"grace = {page.for_student('anna')['grace']}, the values of anna",
    }.items():
        result = run.grade(page, hand_in, student=who)
        assert f"judged with {values}" in str(result)
        assert f"Judged with {values}".replace("'", "&#39;") in result._repr_html_()
    plain = PAGES["summary"]
    assert "judged with" not in str(run.grade(plain, handin.from_text("1;\n", "mine.mjs")))


def two_students(one):
    """Two names for which no parameter is the same."""
    names = [f"student {n}" for n in range(200)]
    first = names[0]
    own = one.for_student(first)
    for other in names[1:]:
        theirs = one.for_student(other)
        if all(theirs[key] != own[key] for key in own):
            return first, other
    raise AssertionError("no two of them differ in everything")


@pytest.mark.parametrize(
    ("file", "change", "message"),
    [
        ("exercise.toml", ("[2000, 2400, 2800, 3200]", "[2000]"), "at least two different values"),
        ("task.md", ("{{patience}}", "2000"), "does not mention {{patience}}"),
        ("task.md", ("{{patience}}", "{{patients}}"), "{{patients}}, which is not under"),
        ("solution.mjs", ("= 2000; //", "= 2001; //"), "const … = 2000; // {{patience}}"),
    ],
)
def test_a_parameter_that_is_not_where_it_should_be(tmp_path, file, change, message):
    folder = tmp_path / "time-left"
    shutil.copytree(PAGES["time-left"].folder, folder)
    place = Path(folder / file)
    place.write_text(place.read_text().replace(*change))
    exercise._read.cache_clear()
    with pytest.raises(LabError) as error:
        _whole(folder)
    assert message in str(error.value)

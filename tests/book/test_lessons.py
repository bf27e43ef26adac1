"""What instructors are told is counted from the book, and gives no answer away."""

import re

import pytest

from lab import paths
from lab.book.pages import lessons
from lab.book.site.placeholders import Html, Link
from lab.grading import exercise as exercises

COURSE = """
[[weeks]]
title = "First"
exercises = ["twelve-calls", "summary"]
[[weeks]]
title = "Second"
exercises = ["one-of-five"]
points = { one-of-five = 3 }
"""


def links(cell):
    return [piece.to for piece in cell if isinstance(piece, Link)]


@pytest.fixture
def weeks(tmp_path, monkeypatch):
    (tmp_path / "6.toml").write_text(COURSE)
    monkeypatch.setattr(lessons, "COURSES", tmp_path)
    return lessons.syllabus(6, None).rows


def test_a_week_names_its_pages_in_the_order_of_the_book_and_its_exercises_as_listed(weeks):
    assert weeks[0][0] == "1. First"
    pages = [f"book/{exercises.exercise(name).chapter}" for name in ("summary", "twelve-calls")]
    assert links(weeks[0][1]) == pages
    assert links(weeks[0][3]) == pages[::-1]


def test_minutes_and_points_are_the_sums_of_the_exercises_or_what_the_course_says(weeks):
    asked = [exercises.exercise(name) for name in ("twelve-calls", "summary")]
    assert weeks[0][4] == str(sum(one.minutes for one in asked))
    assert weeks[0][5] == f"{sum(one.points for one in asked):g}"
    assert weeks[1][5] == "3"


def test_a_page_that_was_read_is_not_asked_for_again(weeks, tmp_path):
    (tmp_path / "6.toml").write_text(COURSE.replace('"one-of-five"]', '"summary"]'))
    second = lessons.syllabus(6, None).rows[1]
    assert second[1:3] == [["nothing new"], "0"]


def test_a_step_of_the_project_does_not_bring_a_page_before_its_other_exercises(weeks, tmp_path):
    steps = '"drop-01", "drop-02"'  # of these only the first has a page that another one places
    (tmp_path / "6.toml").write_text(
        COURSE.replace('"summary"]', f'"summary", {steps}]').replace(
            '-five"]', '-five", "after-io"]'
        )
    )
    first, second = lessons.syllabus(6, None).rows
    of_first, of_second = (
        f"book/{exercises.exercise(name).chapter}" for name in ("drop-01", "drop-02")
    )
    assert of_first not in links(first[1]) and of_second in links(first[1])
    assert of_first in links(second[1])
    assert of_first in links(first[3])


def test_a_course_that_is_not_there_is_said_to_be_missing(tmp_path, monkeypatch):
    monkeypatch.setattr(lessons, "COURSES", tmp_path)
    assert isinstance(lessons.syllabus(12, None), Html)


def test_every_ready_course_names_exercises_that_are_there():
    for file in lessons.COURSES.glob("*.toml"):
        assert lessons.syllabus(int(file.stem), None).rows


def test_each_page_says_what_a_reader_must_know():
    rows = lessons.prerequisites(None).rows
    assert len(rows) > 20
    for row in rows:
        assert row[1] and not re.search(r"[\[\]{}`]|\.md", row[1])
    assert [row[0].to for row in rows if row[1] == "nothing"] == ["book/start"]


def test_mistakes_are_told_in_the_words_of_the_task_without_any_line_of_a_program():
    html = lessons.mistakes(None).html
    text = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html))
    for name in exercises.names():
        one = exercises.exercise(name)
        if one.wrong and one.chapter:
            assert one.title.split("`")[0].strip() in text.replace("&amp;", "&").replace(
                "&#x27;", "'"
            )
        for file in [one.solution, *(one.folder / "wrong").iterdir(), one.folder / "check.mjs"]:
            starter = set(one.starter.read_text("utf-8").splitlines())
            for line in set(one.source(file).splitlines()) - starter:
                if len(line.strip()) > 30:
                    assert line.strip() not in text, f"{paths.relative(file)}: {line}"


def test_sizes_that_nobody_measured_are_none(tmp_path, monkeypatch):
    monkeypatch.setattr(lessons, "SIZES", tmp_path / "none.json")
    assert "Nothing has been measured" in lessons.hub_sizes(None).html


def test_a_student_s_memory_on_the_hub_is_more_than_was_measured():
    most = re.findall(r"([\d,]+) MiB", " ".join(row[4] for row in lessons.hub_sizes(None).rows))
    config = (paths.ROOT / "tools/hub/jupyterhub_config.py").read_text("utf-8")
    given = int(re.search(r'"LAB_HUB_STUDENT_MIB"\) or (\d+)', config)[1])
    assert max(int(one.replace(",", "")) for one in most) < given

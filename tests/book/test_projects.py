"""The page of the project: it shows the steps that there are, each with the way to its page."""

import re

import pytest

from lab.book.pages import projects
from lab.grading import exercise

STEPS = exercise.steps(projects.NAME)


def test_each_step_has_a_line_in_the_picture_and_a_way_to_its_card():
    picture, steps = projects.picture(None).html, projects.steps(None).html
    assert re.findall(r'class="number"[^>]*>(\d+)<', picture) == [str(step.step) for step in STEPS]
    for step in STEPS:
        assert f'href="{step.chapter}.html#exercise-{step.id}"' in steps
        assert steps.count(f'data-step="{step.id}"') == 1
    assert f"{sum(step.minutes for step in STEPS)} minutes" in steps


def test_steps_count_from_one_without_a_gap():
    assert [step.step for step in STEPS] == list(range(1, len(STEPS) + 1))


def test_the_rubric_has_all_points_of_each_step():
    rows = projects.rubric(None).rows
    for step, row in zip(STEPS, rows, strict=True):
        lines = [piece for piece in row[3] if ": " in piece]
        assert sum(float(line.partition(":")[0]) for line in lines) == step.points == float(row[2])


def test_a_picture_that_lacks_a_step_is_an_error_that_says_what_to_write(tmp_path, monkeypatch):
    text = (projects.EXERCISES / "drop.toml").read_text()
    (tmp_path / "drop.toml").write_text(text.rpartition("[[parts]]")[0])
    monkeypatch.setattr(projects, "EXERCISES", tmp_path)
    with pytest.raises(projects.BadProject, match=r"write one \[\[parts\]\] for each"):
        projects.picture(None)

"""The page of the project: it shows the steps that there are, each with the way to its page."""

import re

import pytest

from lab.book.pages import projects
from lab.grading import exercise
from lab.widgets.exercise.card import Card

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


def test_each_card_and_the_page_of_the_project_say_why_a_step_is_not_judged_in_the_page():
    table = projects.lacks(None).rows
    names = [name for row in table for name in row[0].split(", ")]
    assert names == [step.title.partition(": ")[2] for step in STEPS]
    for step in STEPS:
        (words,) = (row[1] for row in table if step.title.partition(": ")[2] in row[0].split(", "))
        card = Card(step)._repr_html_()
        checked_part = card.partition("How it is checked")[2].partition("</details>")[0]
        (sentence,) = re.findall(r"<p>This page can't check it.*?</p>", checked_part, re.DOTALL)
        assert words in " ".join(re.sub("<.*?>", "", sentence).split())
    other = Card(exercise.exercise("summary"))._repr_html_()
    assert "This page can't check it" not in other


def test_the_rubric_has_all_points_of_each_step():
    rows = projects.rubric(None).rows
    for step, row in zip(STEPS, rows, strict=True):
        lines = [piece for piece in row[3] if ": " in piece]
        assert sum(float(line.partition(":")[0]) for line in lines) == step.points == float(row[2])


def test_a_picture_that_lacks_a_step_is_an_error_that_says_what_to_write(tmp_path, monkeypatch):
    text = (projects.EXERCISES / "drop.toml").read_text()
    (tmp_path / "drop.toml").write_text(text.rpartition("[[parts]]")[0])
    monkeypatch.setattr(projects, "EXERCISES", tmp_path)
    with pytest.raises(projects.BadProject, match=r"Write one \[\[parts\]\] for each"):
        projects.picture(None)

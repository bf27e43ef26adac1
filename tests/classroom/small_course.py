"""A small course with hand-ins, as a collection leaves them."""

import json

from lab.classroom import course as courses
from lab.classroom import make, notebook
from lab.grading import exercise

WEEK = "week-1"
COURSE = """
name = "small"
seed = "tests"
start = 2027-01-11
[late]
grace_hours = 1
a_day = 0.1
most = 0.5
[[weeks]]
title = "One"
exercises = ["summary", "twelve-calls"]
points = { summary = 14 }
"""


class Class:
    """A course in a folder, and hand-ins laid into it as a collection leaves them."""

    def __init__(self, root):
        self.root = root
        root.mkdir()
        (root / courses.FILE).write_text(COURSE)
        self.course = make.made(root)
        self.week = self.course.week(WEEK)

    def folder(self, student):
        place = self.course.submitted / student / WEEK
        place.mkdir(parents=True, exist_ok=True)
        (place / "timestamp.txt").write_text("2027-01-15 10:00:00 UTC")
        return place

    def notebook(self, student, name, program):
        """The notebook as a student hands it in, as JSON; written."""
        made = notebook.made(self.course, self.week, name, program)
        self.write(student, name, made)
        return made

    def write(self, student, name, made):
        (self.folder(student) / f"{name}.ipynb").write_text(json.dumps(made))

    def hand_in(self, student, **programs):
        """Programs by exercise: `summary="solution"`, a file of `wrong/`, or a text."""
        for name, program in programs.items():
            asked = exercise.exercise(name.replace("_", "-"))
            self.notebook(student, asked.id, text_of(asked, program))


def text_of(asked, program):
    if program == "solution":
        return asked.solution.read_text()
    wrong = asked.folder / "wrong" / program
    return wrong.read_text() if "\n" not in program and wrong.is_file() else program

"""A course says what it is, and what students get of it gives nothing away."""

import json
import re
import shlex
import subprocess
from datetime import datetime

import pytest

from lab.classroom import __main__ as door
from lab.classroom import course as courses
from lab.classroom import make, notebook
from lab.grading import exercise


@pytest.mark.parametrize(("name", "weeks"), [("6", 6), ("12", 12)])
def test_a_syllabus_is_ready_as_it_is(tmp_path, name, weeks):
    course = make.made(tmp_path / "course", name)
    assert len(course.weeks) == weeks
    stars = {one for one in exercise.names() if exercise.exercise(one).star}
    assert {name for week in course.weeks for name in week.exercises} >= stars
    assert all(one.due > two.due for two, one in zip(course.weeks, course.weeks[1:], strict=False))
    minutes = [
        sum(exercise.exercise(one).minutes for one in week.exercises) for week in course.weeks
    ]
    assert all(40 <= one <= 150 for one in minutes), minutes


def test_six_weeks_are_the_stars_in_their_order(tmp_path):
    course = make.made(tmp_path / "course", "6")
    asked = [exercise.exercise(name) for week in course.weeks for name in week.exercises]
    order = [one.star for one in asked if not one.project]
    assert order == list(range(1, exercise.STARS + 1))


@pytest.mark.parametrize("name", ["6", "12"])
def test_steps_of_the_project_come_in_their_order_from_the_first_on(tmp_path, name):
    course = make.made(tmp_path / "course", name)
    asked = [exercise.exercise(name) for week in course.weeks for name in week.exercises]
    steps = [one.step for one in asked if one.project]
    assert steps and steps == list(range(1, len(steps) + 1))


def secrets(task):
    """Lines that only solution, check and wrong answers have, by the file they stand in."""
    says = [criterion.says for criterion in task.criteria]
    public = "\n".join([task.begin(), task.task(), *says])
    files = [
        criterion
        for criterion in task.folder.rglob("*")
        if criterion.is_file() and criterion not in (task.starter, task.folder / "task.md")
    ]
    for file in files:
        if file.name == exercise.FILE:
            messages = [text for wrong in task.wrong for text in (wrong.is_, wrong.message)]
            yield from (text for text in messages if len(text) > 25 and text not in public)
            continue
        for line in file.read_text().splitlines():
            if len(line.strip()) > 25 and line.strip() not in public:
                yield line.strip()


def test_a_released_notebook_holds_no_solution_no_check_and_no_wrong_answer(tmp_path):
    course = courses.Course(tmp_path, "all", ())
    for name in exercise.names():
        asked = exercise.exercise(name)
        week = courses.Week("week-1", "", (name,))
        cells = notebook.made(course, week, name)["cells"]
        told = "\n".join(cell["source"] for cell in cells)
        found = [line for line in secrets(asked) if line in told]
        assert found == [], name
    assert list(secrets(exercise.exercise("summary"))), "nothing was searched for"


def test_what_a_course_writes_for_students_holds_none_either(small):
    text = "\n".join(file.read_text() for file in small.root.rglob("*") if file.is_file())
    asked = exercise.exercise("twelve-calls")
    assert asked.title in text
    assert [line for line in secrets(asked) if line in text] == []


def test_points_of_a_week_are_shared_as_the_exercise_shares_its_own(small):
    asked = exercise.exercise("summary")
    cells = notebook.made(small.course, small.week, "summary")["cells"]
    points = [c["metadata"]["nbgrader"].get("points", 0) for c in cells]
    assert sum(points) == 14
    assert [p for p in points if p] == [2 * one.points for one in asked.criteria]


def test_deadlines_are_those_of_the_time_zone(tmp_path):
    root = tmp_path / "course"
    root.mkdir()
    (root / courses.FILE).write_text(
        'name = "x"\nstart = 2027-01-11\ntimezone = "Europe/Madrid"\n'
        '[[weeks]]\nexercises = ["summary"]\n[[weeks]]\nexercises = ["every"]\n'
        "due = 2027-07-01 12:00:00\n"
    )
    first, second = courses.read(root).weeks
    assert first.due == datetime(2027, 1, 17, 22, 59)
    assert second.due == datetime(2027, 7, 1, 10, 0)


def test_lateness_costs_what_the_course_says():
    late = courses.Late(grace_hours=1, a_day=0.1, most=0.5)
    day = 86400
    hours = {0: 0, 3600: 0, 3700: 1, day: 1, day + 3700: 2, 30 * day: 5}
    assert {at: late.lost(10, at) for at in hours} == hours


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (("name =", "nam ="), "unknown key 'nam'.*name"),
        (("summary", "sumary"), "sumary.*summary"),
        (('"twelve-calls"', '"summary"'), "but may be in only one of them"),
        (("most = 0.5", "most = 5"), "shares from 0 to 1"),
        (("start = 2027-01-11", 'start = "soon"'), "a day such as"),
        (("points = { summary = 14 }", "points = { every = 1 }"), "not one of its exercises"),
        (("points = { summary = 14 }", "points = { summary = 0 }"), "more than 0"),
        (("[[weeks]]", "[[week]]"), "unknown key 'week'"),
    ],
)
def test_what_is_wrong_with_a_course_is_said(small, change, says):
    file = small.root / courses.FILE
    file.write_text(file.read_text().replace(*change))
    with pytest.raises(courses.BadCourse, match=says):
        courses.read(small.root)


@pytest.mark.parametrize("name", ["100%", "50% %s", "%(here)s", "why?", "two\nlines", "a\rb"])
def test_a_folder_whose_gradebook_could_not_be_opened_is_refused_before_anything_is_made(
    tmp_path, capsys, name
):
    folder = tmp_path / name / "course"
    assert door.main(["make", str(folder)]) == 1
    assert "Give the folder another name" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_course_that_was_moved_to_such_a_folder_says_so(small, tmp_path):
    moved = small.root.rename(tmp_path / "100%")
    with pytest.raises(courses.BadCourse, match="a per cent sign in its name"):
        courses.read(moved)


def test_where_there_is_no_course_it_says_how_to_make_one(tmp_path, capsys):
    assert door.main(["grade", "week-1", "--course", str(tmp_path)]) == 1
    assert "make course" in capsys.readouterr().err


def test_a_folder_with_something_else_in_it_is_left_alone(tmp_path):
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(make.NoCourse, match="something other"):
        make.made(tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["thesis.tex"]


def test_a_course_is_made_again_from_its_own_words(small):
    (small.root / make.CONFIG).write_text("# mine\n")
    file = small.root / courses.FILE
    file.write_text(file.read_text().replace("summary = 14", "summary = 21"))
    make.made(small.root, "12")
    made = json.loads((small.root / "source/week-1/summary.ipynb").read_text())
    points = [cell["metadata"]["nbgrader"].get("points", 0) for cell in made["cells"]]
    assert sum(points) == 21
    assert (small.root / make.CONFIG).read_text() == "# mine\n"
    assert len(courses.read(small.root).weeks) == 1


def test_the_next_steps_can_be_pasted_into_a_shell_wherever_the_course_lies(tmp_path, capfd):
    pytest.importorskip("nbgrader", reason="nbgrader is not installed here: make classtest")
    (tmp_path / "other").mkdir()
    folder = tmp_path / "other" / ".." / "Ann's courses"
    assert door.main(["make", str(folder)]) == 0
    assert ".." not in capfd.readouterr().out
    text = (folder / make.NEXT).read_text()
    commands = text.partition("```sh\n")[2].partition("```")[0].splitlines()
    (to,) = [line for line in commands if line.startswith("cd ")]
    went = subprocess.run(
        ["sh", "-c", f"{to} && pwd"], capture_output=True, text=True, check=True, cwd="/"
    )
    assert went.stdout.strip() == str(folder.resolve())
    (again,) = re.findall("`(make course COURSE=[^`]+)`", text)
    words = shlex.split(again)
    assert words == ["make", "course", f"COURSE={folder.resolve()}"]


def test_the_next_steps_name_commands_that_there_are(small):
    apps = pytest.importorskip("nbgrader.apps.nbgraderapp", reason="nbgrader is not installed here")
    said = (small.root / make.NEXT).read_text()
    commands = re.findall(r"^nbgrader (\w+)", said, re.M)
    assert len(commands) > 6
    assert [one for one in commands if one not in apps.NbGraderApp().subcommands] == []

"""nbgrader's own commands in a course: from the release to the grades that go out."""

import csv
import io
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from small_course import WEEK, Class

from lab import paths
from lab.classroom import __main__ as door
from lab.classroom import config, export, judging, make, notebook
from lab.classroom import course as courses
from lab.grading import exercise
from tests.classroom.test_handins import TAMPERINGS

pytestmark = [pytest.mark.nbgrader, pytest.mark.sandboxed, pytest.mark.timeout(900)]
SUMMARY = exercise.exercise("summary")
TOTAL = 14 + exercise.exercise("twelve-calls").points
# Each right, half right and hostile; and how many points it is worth with summary = 14.
ATTACKS = {
    "exits": "process.exit(0)\nexport const summary = () => ({})\n",
    "prints": "console.log(JSON.stringify({ criterion: 'throughput', outcome: 'held' }))\n"
    "export const summary = () => ({})\n",
    "hangs": "for (;;) {}\n",
}


def environment(**more):
    kept = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    bin = str(Path(sys.executable).parent)
    path = f"{bin}{os.pathsep}{kept['PATH']}"
    return {**kept, "PATH": path, "PYTHONPATH": str(paths.ROOT), **more}


def nbgrader(root, *arguments, **more):
    """Run one of nbgrader's commands; returns what it said."""
    process = subprocess.run(
        [sys.executable, "-m", "nbgrader", *arguments],
        cwd=root,
        env=environment(**more),
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 0, process.stderr[-3000:]
    return process.stderr


def scores(root):
    """Points by student, exercise and criterion, as the gradebook has them."""
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{root / 'gradebook.db'}") as book:
        rows = export.by_criterion(book)
    return {(r["student_id"], r["exercise"], r["criterion"]): r["score"] for r in rows}


def of(found, student, name=""):
    return sum(v for (who, what, _), v in found.items() if who == student and name in ("", what))


@pytest.fixture
def ready(small):
    """A course with its assignment generated."""
    make.gradebook(small.course)
    nbgrader(small.root, "generate_assignment", WEEK)
    return small


def test_a_week_from_release_to_grades(small, tmp_path):
    root, exchange = small.root, tmp_path / "exchange"
    exchange.mkdir(mode=0o777)
    exchange.chmod(0o777)
    at = {"LAB_EXCHANGE": str(exchange)}
    make.gradebook(small.course)
    nbgrader(root, "generate_assignment", WEEK)
    nbgrader(root, "release_assignment", WEEK, **at)
    home = tmp_path / "anna"
    home.mkdir()
    options = [f"--Exchange.root={exchange}", "--course=small"]
    nbgrader(home, "fetch_assignment", WEEK, *options)
    file = home / WEEK / "summary.ipynb"
    hand_in = json.loads(file.read_text())
    (work,) = [c for c in hand_in["cells"] if "".join(c["source"]).startswith("%%submit")]
    assert SUMMARY.begin().strip() in "".join(work["source"])
    wrong = (SUMMARY.folder / "wrong" / "sorts-text.mjs").read_text()
    work["source"] = f"%%submit summary\n{wrong}"
    file.write_text(json.dumps(hand_in))
    nbgrader(home, "submit", WEEK, *options, "--student=anna")
    nbgrader(root, "collect", WEEK, **at)
    said = nbgrader(root, "autograde", WEEK)
    assert "1/2" in said and "2/2" in said
    assert "Warning:" not in said
    assert of(scores(root), "anna", "summary") == 6
    assert of(scores(root), "anna", "twelve-calls") < 7
    # A teacher gives a point by hand, and it stays when the week is graded again.
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{root / 'gradebook.db'}") as book:
        grade = book.find_grade("summary-support", "summary", WEEK, "anna")
        grade.manual_score = 1.5
        book.find_comment("summary", "summary", WEEK, "anna").manual_comment = "Nearly."
        book.db.commit()
    nbgrader(root, "autograde", WEEK, "--force")
    assert of(scores(root), "anna", "summary") == 7.5
    log = (root / config.LOG).read_text()
    assert f"submitted/anna/{WEEK}/summary.ipynb" in log and "\x1b" not in log
    nbgrader(root, "generate_feedback", WEEK)
    page = (root / "feedback" / "anna" / WEEK / "summary.html").read_text()
    assert "sorted as text" in page and "Nearly." in page
    assert SUMMARY.hints[0].partition("`")[0] in page
    # What differs between the page and the check's own text is the check.
    check = [line.strip() for line in (SUMMARY.folder / "check.mjs").read_text().splitlines()]
    assert [line for line in check if len(line) > 30 and line in page] == []
    nbgrader(root, "release_feedback", WEEK, **at)
    nbgrader(root, "export")
    (row,) = csv.DictReader(io.StringIO((root / "grades.csv").read_text()))
    assert (row["student_id"], float(row["max_score"])) == ("anna", TOTAL)
    assert door.main(["export", "--course", str(root)]) == 0
    rows = list(csv.DictReader(io.StringIO((root / "criteria.csv").read_text())))
    assert len(rows) == sum(len(exercise.exercise(n).criteria) for n in small.week.exercises)


def test_tampered_hostile_and_broken_hand_ins_cost_their_own_points_only(ready):
    for tamper in TAMPERINGS:
        made = ready.notebook(tamper.__name__, "summary", SUMMARY.solution.read_text())
        tamper(made)
        ready.write(tamper.__name__, "summary", made)
    for name, program in ATTACKS.items():
        ready.hand_in(name, summary=program)
    for name, content in {"no-json": b"{", "no-text": b"\xff", "empty": b"", "list": b"[]"}.items():
        (ready.folder(name) / "summary.ipynb").write_bytes(content)
    extra = ready.notebook("extra", "summary", "export const summary = 7\n")
    (ready.folder("extra") / "bonus.ipynb").write_text(json.dumps(extra))
    ready.hand_in("anna", summary="solution", twelve_calls="solution")
    nbgrader(ready.root, "autograde", WEEK)
    points = scores(ready.root)
    assert of(points, "anna") == TOTAL
    assert {one.__name__: of(points, one.__name__) for one in TAMPERINGS} == {
        one.__name__: 14 for one in TAMPERINGS
    }
    hostile = [*ATTACKS, "no-json", "no-text", "empty", "list", "extra"]
    assert {name: of(points, name) for name in hostile} == dict.fromkeys(hostile, 0)
    nbgrader(ready.root, "generate_feedback", WEEK)
    page = (ready.root / "feedback" / "no-json" / WEEK / "summary.html").read_text()
    assert "its JSON cannot be read" in page


def test_what_was_not_judged_is_neither_full_points_nor_zero_but_a_stop(ready, monkeypatch):
    """The trap: a test cell without output has all points for nbgrader."""
    ready.hand_in("anna", summary="export const summary = 7\n")
    (ready.root / make.CONFIG).write_text(
        "import lab.grading.run as run\n"
        "def fails(*_, **__): raise run.NotGraded('the driver fell over')\n"
        "run.grade = fails\n" + (ready.root / make.CONFIG).read_text()
    )
    process = subprocess.run(
        [sys.executable, "-m", "nbgrader", "autograde", WEEK],
        cwd=ready.root,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode != 0
    assert "no verdict now: the driver fell over" in process.stderr
    assert not (ready.root / "autograded" / "anna" / WEEK).exists()
    assert of(scores(ready.root), "anna") == 0


def test_the_judge_is_on_where_nbgrader_would_execute(ready):
    from nbgrader.converters import Autograde
    from nbgrader.preprocessors import Execute
    from traitlets.config import Config

    from lab.classroom import convert

    c = Config()
    config.configure(c, ready.root / make.CONFIG)
    found = c.Autograde.autograde_preprocessors
    assert Execute not in found and convert.Judge in found
    assert len(found) == len(Autograde().autograde_preprocessors)
    assert convert.Judge().enabled


@pytest.mark.parametrize("broken", ["the course", "the environment"])
def test_where_the_grader_cannot_stand_nothing_of_a_hand_in_is_run(ready, tmp_path, broken):
    """The trap: nbgrader goes on without a configuration that fails, and executes what it finds."""
    made = ready.notebook("mal", "summary", "")
    for cell in made["cells"]:
        if cell["cell_type"] == "code":
            cell["source"] = f"open({str(tmp_path / 'ran')!r}, 'w')"
    ready.write("mal", "summary", made)
    more = {}
    if broken == "the course":
        (ready.root / courses.FILE).write_text("[[weeks")
    else:  # an nbgrader in which the book is not
        (tmp_path / "other").mkdir()
        (tmp_path / "other" / "lab.py").write_text("raise ImportError('No module named lab')")
        more = {"PYTHONPATH": str(tmp_path / "other")}
    process = subprocess.run(
        [sys.executable, "-m", "nbgrader", "autograde", WEEK],
        cwd=ready.root,
        env=environment() | more,
        capture_output=True,
        text=True,
        check=False,
    )
    assert not (tmp_path / "ran").exists()
    assert process.returncode != 0
    says = courses.FILE if broken == "the course" else "bin/activate"
    assert says in process.stderr.splitlines()[-1], process.stderr


def test_the_formgrader_refuses_what_a_course_that_cannot_be_read_would_run(ready):
    from nbgrader.preprocessors import Execute
    from traitlets.config import Config

    from lab.classroom import convert

    (ready.root / courses.FILE).write_text("[[weeks")
    c = Config()
    config.configure(c, ready.root / make.CONFIG)
    for found in (c.Autograde.sanitize_preprocessors, c.Autograde.autograde_preprocessors):
        assert Execute not in found
        with pytest.raises(convert.NotOurs, match=courses.FILE):
            found[0](config=c).preprocess(None, {})


def test_what_an_lms_gives_is_graded_as_what_the_exchange_gives(ready):
    right = SUMMARY.solution.read_text()
    hand_in = notebook.made(ready.course, ready.week, "summary", right)
    place = ready.root / "downloaded" / WEEK / "archive"
    place.mkdir(parents=True)
    with zipfile.ZipFile(place / "moodle.zip", "w") as archive:
        folder = "Anna B_17_assignsubmission_file_"
        archive.writestr(f"{folder}/summary.mjs", right)
        archive.writestr("Ben C_18_assignsubmission_file_/summary.ipynb", json.dumps(hand_in))
        archive.writestr("../evil/summary.mjs", right)
    with zipfile.ZipFile(place / "canvas.zip", "w") as archive:
        archive.writestr("dorad_LATE_19_77_summary.mjs", right)
    (place / "carl").mkdir()
    (place / "carl" / "summary.mjs").write_text(right)
    said = nbgrader(ready.root, "zip_collect", WEEK)
    assert "../evil/summary.mjs: its path leads out of the archive" in said
    assert "Came in: 5 files: 4 judged, 0 listed, 1 refused" in said
    nbgrader(ready.root, "autograde", WEEK)
    found = scores(ready.root)
    names = ("anna-b", "ben-c", "carl", "dorad-19")
    assert {name: of(found, name, "summary") for name in names} == dict.fromkeys(names, 14)
    assert {who for who, *_ in found} == set(names)


def test_what_was_handed_in_anew_is_graded_anew_though_an_archive_says_no_time(ready):
    place = ready.root / "downloaded" / WEEK / "archive"
    (place / "anna").mkdir(parents=True)
    (place / "ben").mkdir()
    wrong = (SUMMARY.folder / "wrong" / "sorts-text.mjs").read_text()
    (place / "anna" / "summary.mjs").write_text(wrong)
    (place / "ben" / "summary.mjs").write_text(wrong)
    nbgrader(ready.root, "zip_collect", WEEK)
    nbgrader(ready.root, "autograde", WEEK)
    before = scores(ready.root)
    assert 0 < of(before, "anna") < 14
    (place / "anna" / "summary.mjs").write_text(SUMMARY.solution.read_text())
    (place / "anna" / "one_of_five.mjs").write_text("export const handlers = {};\n")
    nbgrader(ready.root, "zip_collect", WEEK, "--force")
    said = nbgrader(ready.root, "autograde", WEEK)
    after = scores(ready.root)
    assert (of(after, "anna"), of(after, "ben")) == (14, of(before, "ben"))
    assert re.search("Skipping existing assignment.*ben", said)  # what is the same is left alone
    assert re.search(r"but not judged:\n *anna/one_of_five.mjs: no exercise is called", said)


def test_who_stops_it_is_told_how_to_go_on(ready):
    for student in ("anna", "ben", "carl"):
        ready.hand_in(student, summary=f"{SUMMARY.solution.read_text()}// {student}\n")
    with subprocess.Popen(
        [sys.executable, "-m", "nbgrader", "autograde", WEEK],
        cwd=ready.root,
        env=environment(),
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as running:
        lines = []
        for line in running.stderr:
            if "1/6" in line:
                os.killpg(running.pid, signal.SIGINT)
            lines.append(line)
    assert running.returncode != 0
    assert config.STOPPED in lines[-1] and not [one for one in lines if "Traceback" in one]
    nbgrader(ready.root, "autograde", WEEK)
    assert of(scores(ready.root), "carl") == 14


def test_exported_tables_hold_no_formula(ready):
    from nbgrader.api import Gradebook

    ready.hand_in("=cmd|x", summary="solution")
    with Gradebook(f"sqlite:///{ready.root / 'gradebook.db'}") as book:
        book.update_or_create_student("=cmd|x", last_name='+1,"x', first_name="@SUM(A1)")
    nbgrader(ready.root, "autograde", WEEK)
    nbgrader(ready.root, "export")
    assert door.main(["export", "--course", str(ready.root)]) == 0
    for name in ("grades.csv", "criteria.csv"):
        rows = list(csv.reader(io.StringIO((ready.root / name).read_text())))
        assert len({len(row) for row in rows}) == 1
        cells = [cell for row in rows for cell in row]
        assert "'=cmd|x" in cells
        assert [cell for cell in cells if cell.startswith(("=", "+", "@", "-"))] == []


def killed_at(root, line):
    """Run autograde and kill it with all it started when it has said so many lines. Returns whether
    it came to its end before.
    """
    with subprocess.Popen(
        [sys.executable, "-m", "nbgrader", "autograde", WEEK],
        cwd=root,
        env=environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as running:
        for count, _ in enumerate(running.stderr):
            if count == line:
                os.killpg(running.pid, signal.SIGKILL)
                return False
        assert running.wait() == 0
        return True


@pytest.mark.parametrize("times", [3, pytest.param(20, marks=pytest.mark.nightly)])
def test_killed_at_any_moment_the_same_command_goes_on_to_the_same_gradebook(
    ready, tmp_path, times
):
    ready.hand_in("anna", summary="solution", twelve_calls="solution")
    ready.hand_in("ben", summary="sorts-text.mjs")
    ready.hand_in("carl", summary=ATTACKS["exits"])
    copy_root = tmp_path / "other"
    shutil.copytree(ready.root, copy_root)
    nbgrader(copy_root, "autograde", WEEK)
    lines = len(nbgrader(copy_root, "autograde", WEEK, "--force").splitlines())
    chance = random.Random(int(os.environ.get("LAB_ATTACK_SEED", "19")))
    kills = 0
    for _ in range(3 * times):
        has_ended = killed_at(ready.root, chance.randrange(lines - 5))
        kills += not has_ended
        if kills == times:
            break
        # All again, as when somebody hands in anew: after an end there is less to do.
        if has_ended or chance.random() < 0.3:
            shutil.rmtree(ready.root / "autograded", ignore_errors=True)
    assert kills == times
    nbgrader(ready.root, "autograde", WEEK)
    assert scores(ready.root) == scores(copy_root)
    assert of(scores(copy_root), "anna") == TOTAL
    kept = {file.name for file in judging.kept(ready.course).iterdir()}
    assert len(kept) == len({name for name in kept if name.endswith(".json")}) == 4


def test_a_class_of_one_uses_the_same_door(tmp_path):
    """`python -m lab.classroom grade` judges what nbgrader books afterwards."""
    small_class = Class(tmp_path / "own")
    small_class.hand_in("anna", summary="solution")
    assert (
        door.main(["grade", WEEK, "--course", str(small_class.root), "--exercise", "summary"]) == 0
    )
    (result,) = judging.results(small_class.course, small_class.week)
    assert (result.student, result.points) == ("anna", 7)
    assert (
        judging.place(small_class.course, small_class.week, "anna", "summary")
        .with_suffix(".html")
        .exists()
    )


def test_what_is_printed_is_booked_whatever_a_notebook_is_called(ready):
    made = notebook.made(ready.course, ready.week, "summary", SUMMARY.solution.read_text())
    (ready.folder("anna") / "Week 1 homework.ipynb").write_text(json.dumps(made))
    (ready.folder("ben") / "summary.mjs").write_text(SUMMARY.solution.read_text())
    output = nbgrader(ready.root, "autograde", WEEK)
    assert output.count("7 of 7 points") == 2
    assert (
        of(scores(ready.root), "anna", "summary"),
        of(scores(ready.root), "ben", "summary"),
    ) == (
        14,
        14,
    )
    assert "Came in: " in output


def test_a_check_that_was_mended_is_judged_and_booked_anew(ready, tmp_path):
    """Of the same hand-ins, without --force: what is printed is what is booked."""
    ready.hand_in("anna", summary="sorts-text.mjs")
    nbgrader(ready.root, "autograde", WEEK)
    before = of(scores(ready.root), "anna")
    (mark_file,) = (ready.root / "autograded").glob("anna/*/.graded")
    of_now = mark_file.read_text()
    assert "Skipping existing assignment" in nbgrader(ready.root, "autograde", WEEK)
    mark_file.chmod(0o600)
    mark_file.write_text("of another version of the check")
    said = nbgrader(ready.root, "autograde", WEEK)
    assert "Skipping existing assignment" not in said
    assert mark_file.read_text() == of_now and of(scores(ready.root), "anna") == before


def test_a_mended_check_makes_what_was_booked_stale(small, monkeypatch):
    small.hand_in("anna", summary="solution")
    folder = small.course.submitted / "anna" / WEEK
    before = config._of_now(folder, small.course)
    assert config._of_now(folder, small.course) == before
    monkeypatch.setattr(type(SUMMARY), "version", lambda self: "mended")
    assert config._of_now(folder, small.course) != before

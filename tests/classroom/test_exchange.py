"""The exchange: what a student may lay into it costs nobody else anything."""

import os
import shutil
import subprocess
import sys
from datetime import UTC, datetime, timedelta

import pytest
from small_course import WEEK

from lab.classroom import make
from lab.grading import exercise
from tests.classroom.test_nbgrader import TOTAL, environment, nbgrader, of, scores

pytestmark = [pytest.mark.nbgrader, pytest.mark.sandboxed, pytest.mark.timeout(600)]
SUMMARY = exercise.exercise("summary")
WRONG = (SUMMARY.folder / "wrong" / "sorts-text.mjs").read_text()


@pytest.fixture
def room(small, tmp_path):
    """A course with its first week released, and one right hand-in in the exchange."""
    small.exchange = tmp_path / "exchange"
    small.exchange.mkdir()
    small.exchange.chmod(0o777)
    make.gradebook(small.course)
    nbgrader(small.root, "generate_assignment", WEEK)
    nbgrader(small.root, "release_assignment", WEEK, LAB_EXCHANGE=str(small.exchange))
    small.inbound = small.exchange / "small" / "inbound"
    small.hand_in("ben", summary="solution", twelve_calls="solution")
    moved(small, "ben")
    return small


def stamp(minutes=0):
    """A time as nbgrader writes it, so many minutes from now."""
    when = datetime.now(UTC) + timedelta(minutes=minutes)
    return when.strftime("%Y-%m-%d %H:%M:%S.%f UTC")


def moved(room, student, when=None):
    """Move what was handed in into the exchange, as `nbgrader submit` lays it there."""
    place = room.inbound / f"{student}+{WEEK}+{when or stamp()}+{os.urandom(6).hex()}"
    shutil.move(room.course.submitted / student / WEEK, place)
    shutil.rmtree(room.course.submitted / student)
    (place / "timestamp.txt").write_text(when or stamp())
    (place / "submission_secret.txt").write_text("ab" * 64)
    return place


def collect(room):
    return nbgrader(room.root, "collect", WEEK, "--update", LAB_EXCHANGE=str(room.exchange))


def test_hand_ins_that_are_none_are_named_and_the_others_are_collected_and_get_their_feedback(room):
    (room.inbound / f"eve+{WEEK}+soon").mkdir()
    (room.inbound / f"..+{WEEK}+{stamp()}").mkdir()
    (room.inbound / f"eve+{WEEK}+{stamp(1)}+link").symlink_to(room.root)
    (room.inbound / f"eve+{WEEK}+{stamp(2)}+file").write_text("no folder")
    room.hand_in("dan", summary="solution")
    place = moved(room, "dan")
    os.mkfifo(place / "pipe.ipynb")
    (place / "submission_secret.txt").unlink()
    (place / "timestamp.txt").unlink()
    (place / "timestamp.txt").symlink_to("/etc/hostname")
    said = collect(room)
    for name in ("+soon", "+link", "+file", "pipe.ipynb is not a file"):
        assert name in said
    assert sorted(one.name for one in room.course.submitted.iterdir()) == ["ben", "dan"]
    assert not (room.root / WEEK).exists()
    nbgrader(room.root, "autograde", WEEK)
    assert of(scores(room.root), "ben") == TOTAL
    assert of(scores(room.root), "dan", "summary") == 14
    nbgrader(room.root, "generate_feedback", WEEK)
    nbgrader(room.root, "release_feedback", WEEK, LAB_EXCHANGE=str(room.exchange))
    pages = list((room.exchange / "small" / "feedback").glob("*.html"))
    assert len(pages) == 3, "two of ben, one of dan"


def test_a_link_to_what_only_the_instructor_may_read_brings_nothing(room):
    """nbgrader's own collect copies what a link leads to, with the rights of who collects."""
    collect(room)
    theirs = room.course.submitted / "ben" / WEEK
    place = room.inbound / f"eve+{WEEK}+{stamp()}+x"
    place.mkdir()
    (place / "summary.ipynb").symlink_to(theirs / "summary.ipynb")
    (place / "more").symlink_to(theirs)
    collect(room)
    nbgrader(room.root, "autograde", WEEK)
    assert of(scores(room.root), "ben") == TOTAL
    assert of(scores(room.root), "eve") == 0
    collected = room.course.submitted / "eve" / WEEK
    plain = [file.name for file in collected.rglob("*") if file.is_file() and not file.is_symlink()]
    assert sorted(plain) == ["submission_secret.txt", "timestamp.txt"]
    nbgrader(room.root, "generate_feedback", WEEK)
    page = (room.root / "feedback" / "eve" / WEEK / "summary.html").read_text()
    assert "a link that leads out of the folder" in page
    solution = [line.strip() for line in SUMMARY.solution.read_text().splitlines()]
    begin = SUMMARY.begin()
    assert [
        file for file in solution if len(file) > 25 and file not in begin and file in page
    ] == []


@pytest.mark.skipif(os.getuid() != 0, reason="only root can lay in what others own")
def test_who_hands_in_for_somebody_else_hands_in_for_himself(room):
    room.hand_in("ben", summary=WRONG)
    place = moved(room, "ben", stamp(30))  # newer than what ben handed in
    owner = "nobody"
    subprocess.run(["chown", "-R", owner, str(place)], check=True)
    said = collect(room)
    assert f"is collected as the work of {owner}" in said
    nbgrader(room.root, "autograde", WEEK)
    found = scores(room.root)
    assert (of(found, "ben"), of(found, owner, "summary")) == (TOTAL, 6)


@pytest.mark.skipif(os.getuid() != 0, reason="only root can lay in what others own")
def test_a_file_that_is_not_of_who_hands_it_in_is_left_out(room):
    """Whoever puts another folder in the place of his own, when it was looked at, gains nothing."""
    room.hand_in("dan", summary="solution")
    place = moved(room, "dan")
    shutil.chown(place, "nobody")  # and what lies in it stays of somebody else
    said = collect(room)
    assert "and the hand-in belong to different accounts" in said
    assert not (room.course.submitted / "nobody" / WEEK / "summary.ipynb").exists()
    assert (room.course.submitted / "ben" / WEEK / "summary.ipynb").exists()


def test_who_owns_a_file_is_asked_for_when_it_is_open(tmp_path):
    from lab.classroom import exchange  # which needs nbgrader

    file = tmp_path / "summary.mjs"
    file.write_text("1;")
    with pytest.raises(exchange.NotCopied, match="belong to different accounts"):
        exchange._copied(str(file), str(tmp_path / "copy"), [9, 999], os.getuid() + 1)
    assert not (tmp_path / "copy").exists()
    exchange._copied(str(file), str(tmp_path / "copy"), [9, 999], os.getuid())
    assert (tmp_path / "copy").read_text() == "1;"


def test_a_hand_in_that_names_an_earlier_time_than_its_last_change_is_told(room):
    room.hand_in("dan", summary="solution")
    moved(room, "dan", stamp(-60 * 24))
    said = collect(room)
    assert [
        line for line in said.splitlines() if "was changed later than its timestamp says" in line
    ] != []
    assert "dan+" in next(line for line in said.splitlines() if "changed later" in line)


def test_a_course_is_its_instructors_alone(room, tmp_path):
    """Students of the same machine cannot look into it, whatever the instructor's umask."""
    root = tmp_path / "own"
    process = subprocess.run(
        ["sh", "-c", f"umask 022; exec {sys.executable} -m lab.classroom make {root}"],
        env={**environment(), "PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 0, process.stderr
    assert root.stat().st_mode & 0o077 == 0

"""nbgrader's pass over what was judged: shorter than its own, the same gradebook."""

import shutil
import sqlite3

import pytest
from small_course import WEEK, Class

from lab.classroom import make, notebook
from tests.classroom.test_nbgrader import ATTACKS, nbgrader

slow = [pytest.mark.nbgrader, pytest.mark.sandboxed, pytest.mark.timeout(900)]
OWN = """
from nbgrader.converters import Autograde
from lab.classroom import booking
own = {booking.Save: booking.SaveAutoGrades, booking.Check: booking.CheckCellMetadata}
c = get_config()
c.Autograde.autograde_preprocessors = [
    own.get(one, one) for one in c.Autograde.autograde_preprocessors
]
c.Autograde.sanitize_preprocessors = [
    own.get(one, one) for one in c.Autograde.sanitize_preprocessors
]
"""


@pytest.fixture(scope="module")
def laid(tmp_path_factory):
    """A course with hand-ins, its assignment generated; for copies."""
    course = Class(tmp_path_factory.mktemp("laid") / "course")
    make.gradebook(course.course)
    nbgrader(course.root, "generate_assignment", WEEK)
    course.hand_in("anna", summary="solution", twelve_calls="solution")
    course.hand_in("ben", summary="sorts-text.mjs")
    course.hand_in("carl", summary=ATTACKS["exits"])
    course.hand_in("dora", summary="solution")
    (course.course.submitted / "dora" / WEEK / "timestamp.txt").write_text(
        "2027-01-20 10:00:00 UTC"
    )
    return course.root


@pytest.fixture
def root(laid, tmp_path):
    """A copy of it to grade."""
    return shutil.copytree(laid, tmp_path / "course")


def book(root):
    """All that a gradebook says of hand-ins, whatever its ids are."""
    of = """ from {} x join submitted_notebook sn on sn.id = x.notebook_id
        join submitted_assignment s on s.id = sn.assignment_id
        join notebook n on n.id = sn.notebook_id join base_cell b on b.id = x.cell_id
        order by 1, 2, 3"""
    query = "select s.student_id, n.name, b.name, "
    grades = "x.auto_score, x.manual_score, x.needs_manual_grade, sn.late_submission_penalty"
    with sqlite3.connect(root / "gradebook.db") as base:
        return (
            base.execute(f"{query}{grades}{of.format('grade')}").fetchall(),
            base.execute(f"{query}x.auto_comment{of.format('comment')}").fetchall(),
            base.execute("select student_id, timestamp from submitted_assignment").fetchall(),
        )


@pytest.fixture(scope="module")
def expected(laid, tmp_path_factory):
    """The gradebook that nbgrader's own preprocessors and connections make."""
    course = shutil.copytree(laid, tmp_path_factory.mktemp("own") / "course")
    file = course / make.CONFIG
    quick = "import lab.classroom.booking as booking\nbooking.keep_connections = lambda: None\n"
    file.write_text(quick + file.read_text() + OWN)
    nbgrader(course, "autograde", WEEK)
    result = book(course)
    points = {who: sum(row[3] for row in result[0] if row[0] == who) for who, *_ in result[0]}
    assert points["anna"] > points["ben"] > points["carl"] == 0
    assert any(row[6] for row in result[0] if row[0] == "dora")  # late
    return result


class TestTheGradebook:
    pytestmark = slow

    def test_is_the_one_that_nbgrader_s_own_pass_makes(self, root, expected):
        nbgrader(root, "autograde", WEEK)
        assert book(root) == expected

    def test_has_all_cells_of_a_notebook_or_none(self, root):
        file = root / make.CONFIG
        file.write_text(
            file.read_text() + "\nfrom lab.classroom import booking\n"
            "own = booking.Save.preprocess_cell\n"
            "def fails(self, cell, resources, at):\n"
            "    if at == len(resources['cells']) - 1: raise OSError('the disk is full')\n"
            "    return own(self, cell, resources, at)\n"
            "pass_on = booking.Save.preprocess\n"
            "def told(self, nb, resources):\n"
            "    resources['cells'] = nb.cells\n"
            "    return pass_on(self, nb, resources)\n"
            "booking.Save.preprocess, booking.Save.preprocess_cell = told, fails\n"
        )
        with pytest.raises(AssertionError, match="the disk is full"):
            nbgrader(root, "autograde", WEEK)
        of_anna = {row[3] for row in book(root)[0] if (row[0], row[1]) == ("anna", "summary")}
        assert of_anna == {None}


@pytest.mark.nbgrader
def test_metadata_that_nbgrader_refuses_is_refused_also_after_good_ones(small):
    import nbformat
    from nbgrader.nbgraderformat import ValidationError

    from lab.classroom import booking

    good = nbformat.from_dict(notebook.made(small.course, small.week, "summary"))
    booking.Check().preprocess(good, {})
    booking.Check().preprocess(good, {})
    good.cells[-1].metadata.nbgrader.points = "many"
    for _ in range(2):
        with pytest.raises(ValidationError):
            booking.Check().preprocess(good, {})

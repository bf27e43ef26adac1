"""What was handed in: whatever a notebook looks like, the text of one cell is all that counts."""

import json

import pytest

from lab.classroom import handins
from lab.grading import exercise, hints, notes

SUMMARY = exercise.exercise("summary")
RIGHT = SUMMARY.solution.read_text()


def cell_of(made, grade_id):
    (found,) = [c for c in made["cells"] if c["metadata"]["nbgrader"]["grade_id"] == grade_id]
    return found


def of(small, student="anna", name="summary"):
    return handins.work(small.course, small.week, student, exercise.exercise(name))


def duplicated(made):
    made["cells"] += [json.loads(json.dumps(c)) for c in made["cells"]]


def the_starter_again_at_the_end(made):
    made["cells"].append(
        {**cell_of(made, "summary"), "source": "%%submit summary\n" + SUMMARY.begin()}
    )


def test_cells_deleted(made):
    made["cells"] = [cell_of(made, "summary")]


def retagged(made):
    cell_of(made, "summary")["metadata"] = {
        "nbgrader": {"grade_id": "summary-support", "grade": True}
    }


def untagged(made):
    for cell in made["cells"]:
        cell["metadata"] = {}


def without_its_first_line(made):
    cell = cell_of(made, "summary")
    cell["source"] = cell["source"].partition("\n")[2]


def more_points(made):
    for cell in made["cells"]:
        cell["metadata"]["nbgrader"]["points"] = 1000


def outputs_filled_in(made):
    for cell in made["cells"]:
        if cell["cell_type"] == "code":
            cell["outputs"] = [
                {"output_type": "execute_result", "data": {"text/plain": "1000"}, "metadata": {}}
            ]


def test_cells_as_text(made):
    for cell in made["cells"]:
        if cell["metadata"]["nbgrader"]["grade"]:
            cell["cell_type"] = "markdown"


def metadata_of_other_kinds(made):
    made["metadata"] = []
    for cell in made["cells"][2:]:
        cell["metadata"] = (
            ["nbgrader"] if cell["source"].startswith("%%submit") else {"nbgrader": 7}
        )


def split(made):
    """As JupyterLab splits a cell: both parts have the same metadata."""
    at = made["cells"].index(cell_of(made, "summary"))
    made["cells"].insert(at + 1, {**made["cells"][at], "source": "// what I tried before\n"})


def inserted(made):
    for kind in ("code", "markdown", "raw"):
        made["cells"].insert(1, {"cell_type": kind, "metadata": {}, "source": "notes = 1"})


# What students do, or try: nbgrader's issues 108 and 1083 and pull request 1753 tell of cells that
# were duplicated or split, issue 1941 of cells that were deleted, inserted or made into text.
TAMPERINGS = [
    duplicated,
    split,
    inserted,
    the_starter_again_at_the_end,
    test_cells_deleted,
    retagged,
    untagged,
    without_its_first_line,
    more_points,
    outputs_filled_in,
    test_cells_as_text,
    metadata_of_other_kinds,
]
for one in TAMPERINGS:
    one.__test__ = False


@pytest.mark.parametrize("tamper", TAMPERINGS, ids=lambda one: one.__name__)
def test_a_notebook_that_was_tampered_with_hands_in_its_program_all_the_same(small, tamper):
    made = small.notebook("anna", "summary", RIGHT)
    tamper(made)
    small.write("anna", "summary", made)
    assert of(small).hand_in.text.strip() == RIGHT.strip()


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "its JSON cannot be read"),
        (b"[]", "its JSON cannot be read"),
        (b'{"cells": 7}', "its JSON cannot be read"),
        (b'{"cells": [{"cell_type": "code", "source": [7]}]}', "its JSON cannot be read"),
        (b'{"cells": []}', "no cell that begins with"),
        (b"\xff\xfe", "is UTF-16: save it as UTF-8"),
        (b"\xff\xff", "not valid UTF-8"),
        (b"[" * 100_000, "its JSON cannot be read"),
    ],
)
def test_what_is_no_notebook_says_so_and_stops_nobody(small, content, says):
    (small.folder("anna") / "summary.ipynb").write_bytes(content)
    small.hand_in("ben", summary="solution")
    works = {(w.student, w.exercise.id): w for w in handins.found(small.course, small.week)}
    assert says in works["anna", "summary"].refused
    assert works["ben", "summary"].hand_in
    assert str(small.root) not in works["anna", "summary"].refused


def test_what_is_missing_is_no_absence_but_a_hand_in_without_points(small):
    small.hand_in("anna", summary="solution")
    works = list(handins.found(small.course, small.week))
    assert [w.exercise.id for w in works] == ["summary", "twelve-calls"]
    assert "Nothing was handed in" in works[1].refused


def test_a_file_counts_instead_of_the_cell_and_a_link_is_refused(small):
    small.hand_in("anna", summary=SUMMARY.begin())
    (small.folder("anna") / "summary.mjs").write_text(RIGHT)
    assert of(small).hand_in.text == RIGHT
    (small.folder("ben") / "summary.mjs").symlink_to(SUMMARY.solution)
    assert "link" in of(small, "ben").refused
    (small.folder("carl") / "summary.mjs").symlink_to("nowhere")
    assert "nowhere" in of(small, "carl").refused


def test_any_notebook_with_the_cell_will_do(small):
    made = small.notebook("anna", "summary", RIGHT)
    (small.folder("anna") / "summary.ipynb").rename(small.folder("anna") / "mine (1).ipynb")
    assert of(small).hand_in.text.strip() == RIGHT.strip()
    assert made


def test_hints_and_checks_are_noted_beside_the_notebook(small, monkeypatch):
    import lab

    monkeypatch.chdir(small.folder("anna"))
    small.hand_in("anna", summary=RIGHT)
    lab.hint("summary")
    lab.hint("summary")
    place = small.folder("anna") / "summary.hints.json"
    assert hints.opened(place) == (1, 2)
    lab.check("summary", SUMMARY.folder / "wrong" / "sorts-text.mjs")
    assert len(notes.read(small.folder("anna") / notes.FILE)["summary"]["checks"]) == 1


@pytest.mark.parametrize(
    "content",
    [b"", b"[]", b'{"summary": 7}', b'{"summary": {"checks": [7, null, "x", {}]}}', b"\xff"],
)
def test_notes_that_somebody_edited_are_none(tmp_path, content):
    (tmp_path / notes.FILE).write_bytes(content)
    found = notes.read(tmp_path / notes.FILE)
    assert not found.get("summary", {}).get("checks")


def test_minutes_of_work_leave_out_the_pauses():
    times = [f"2027-01-11T{at}+00:00" for at in ("10:00:00", "10:05:00", "14:00:00", "14:09:00")]
    assert notes.minutes(times) == 14


def test_what_counts_gets_a_notebook_to_be_booked_by_which_counts_for_nothing(small):
    """nbgrader books notebooks of an exercise's name alone: issue 1302 there."""
    small.notebook("anna", "summary", RIGHT)
    (small.folder("anna") / "summary.ipynb").rename(small.folder("anna") / "Week 1 homework.ipynb")
    (small.folder("ben") / "summary.mjs").write_text(RIGHT)
    handins.lay_notebooks(small.course, small.week, "[ab]*")
    for student in ("anna", "ben"):
        assert (small.folder(student) / "summary.ipynb").exists()
        assert not (small.folder(student) / "twelve-calls.ipynb").exists()
        assert of(small, student).hand_in.text.strip() == RIGHT.strip()
    came = handins.came_in(small.course, small.week)
    assert [str(one) for one in came.listed() if not one.is_plain] == []
    (small.folder("anna") / "Week 1 homework.ipynb").unlink()
    assert of(small, "anna").hand_in.text.strip() == SUMMARY.begin().strip()


def test_work_in_a_folder_of_a_student_s_own_is_not_passed_over(small):
    place = small.folder("anna") / "my work" / "summary.mjs"
    place.parent.mkdir()
    place.write_text(RIGHT)
    assert of(small, "anna").hand_in.text == RIGHT


def test_a_notebook_that_is_a_link_is_refused_as_one_and_not_as_missing(small):
    (small.folder("ben") / "summary.ipynb").symlink_to(small.folder("anna") / "summary.ipynb")
    assert "a link that leads out of the folder" in of(small, "ben").refused

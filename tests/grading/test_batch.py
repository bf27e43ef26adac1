"""Many hand-ins at once: found, judged side by side, kept, told; a bad one costs its own points
only.
"""

import csv
import io
import json
import os
import shutil
import time

import pytest

from lab import __main__ as door
from lab.grading import batch, exercise, run, sandbox

pytestmark = [
    pytest.mark.judges,
    pytest.mark.skipif(
        sandbox.bubblewrap() is None,
        reason="there is no bubblewrap here, and a class needs a sandbox",
    ),
]
SUMMARY = exercise.exercise("summary")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A class of four: right, wrong by a notebook, empty, and a link to what is not theirs."""
    monkeypatch.setattr(batch, "KEPT", tmp_path / "kept")
    top = tmp_path / "week 1"
    for name in ("anna b", "=ben", "carl", "dora"):
        (top / name).mkdir(parents=True)
    shutil.copy(SUMMARY.solution, top / "anna b" / "summary.mjs")
    wrong = (SUMMARY.folder / "wrong" / "always-p99.mjs").read_text()
    cell = {
        "cell_type": "code",
        "source": ["%%submit summary\n", wrong],
        "outputs": [{"points": 7}],
    }
    (top / "=ben" / "work.ipynb").write_text(json.dumps({"cells": [cell]}))
    (top / "carl" / "summary.mjs").write_text("")
    (top / "dora" / "summary.mjs").symlink_to("/etc/passwd")
    (top / "dora" / "notes.txt").write_text("not a hand-in")
    return top


def test_each_gets_what_is_theirs(folder):
    works = batch.found(folder)
    points = {w.student: r.points for w, r in zip(works, batch.grade(works), strict=True)}
    assert points == {"anna b": 7, "=ben": 5, "carl": 0, "dora": 0}
    refused = {w.student: w.refused for w in works if w.refused}
    assert "empty" in refused["carl"] and "link" in refused["dora"]


def test_a_link_to_the_work_of_another_student_is_refused_and_so_is_one_to_itself(folder):
    (folder / "dora" / "summary.mjs").unlink()
    (folder / "dora" / "summary.mjs").symlink_to("../anna b/summary.mjs")
    (folder / "carl" / "summary.mjs").unlink()
    (folder / "carl" / "summary.mjs").symlink_to("summary.mjs")
    works = batch.found(folder)
    points = {w.student: r.points for w, r in zip(works, batch.grade(works), strict=True)}
    assert points == {"anna b": 7, "=ben": 5, "carl": 0, "dora": 0}


def test_the_same_text_is_judged_once_and_each_keeps_their_name(folder):
    (folder / "emil").mkdir()
    shutil.copy(SUMMARY.solution, folder / "emil" / "summary.mjs")
    works = batch.found(folder, students=["anna b", "emil"])
    assert [one.student for one in batch.grade(works, workers=1)] == ["anna b", "emil"]


def test_names_that_steer_a_terminal_or_are_no_text_stop_nobody(folder, capsys):
    for name in (b"x\x1b[2J\nanna b", b"x\x1c[2J\nanna b", b"x\xff"):
        (folder / os.fsdecode(name)).mkdir()
        (folder / os.fsdecode(name) / "summary.mjs").write_bytes(SUMMARY.solution.read_bytes())
    inner = folder / "carl" / os.fsdecode(b"\x1b[2J\xff")
    inner.mkdir()
    (folder / "carl" / "summary.mjs").unlink()
    (inner / "summary.mjs").write_bytes(b"\xff")
    assert door.main(["grade", str(folder), "--workers", "2"]) == 0
    said = capsys.readouterr().out
    assert "\x1b" not in said and said.count("\n") == 8 + 3
    out = folder.with_name("week 1-graded")
    assert len(list(out.glob("*/summary.json"))) == 7
    assert "\x1b" not in (out / "grades.csv").read_text()


def test_what_was_judged_is_not_judged_again(folder, monkeypatch):
    works = batch.found(folder)
    first = batch.grade(works)
    hand_ins = []
    judge = run.grade
    monkeypatch.setattr(run, "grade", lambda *a, **k: hand_ins.append(a[1]) or judge(*a, **k))
    again = batch.grade(batch.found(folder))
    assert [one for one in again if one.node] == [one for one in first if one.node]
    assert len(again) == len(first)
    assert not hand_ins
    (folder / "anna b" / "summary.mjs").write_text(SUMMARY.begin())
    batch.grade(batch.found(folder))
    assert len(hand_ins) == 1


def test_a_damaged_result_is_judged_again(folder):
    works = batch.found(folder, students=["anna b"])
    (first,) = batch.grade(works)
    (kept,) = batch.KEPT.iterdir()
    for damage in (b"", b"{", b"[]", b'{"schema": 1}'):
        kept.write_bytes(damage)
        (again,) = batch.grade(works)
        assert (again.points, again.passed) == (first.points, True)


def test_a_run_that_is_stopped_goes_on_where_it_was(folder):
    works = batch.found(folder)
    done = []

    def stop(count, of, work, result):
        done.append(work.student)
        if len(done) == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        batch.grade(works, workers=1, tell=stop)
    kept = len(list(batch.KEPT.glob("*.json")))
    results = batch.grade(works)
    assert kept >= 1 and sum(one.points for one in results) == 12


def test_the_table_is_safe_in_a_spreadsheet(folder):
    works = batch.found(folder)
    rows = list(csv.DictReader(io.StringIO(batch.table(works, batch.grade(works)))))
    assert len(rows) == 4 * len(SUMMARY.criteria)
    assert {row["student"] for row in rows} == {"anna b", "'=ben", "carl", "dora"}
    assert all(not row["message"].startswith(("=", "+", "-", "@")) for row in rows)


def test_hints_that_are_noted_beside_the_work_stand_in_the_table(folder):
    (folder / "anna b" / "summary.hints.json").write_text('{"opened": [1, 2]}')
    (folder / "=ben" / "summary.hints.json").symlink_to("../anna b/summary.hints.json")
    works = batch.found(folder)
    for _ in range(2):  # judged, and kept
        rows = list(csv.DictReader(io.StringIO(batch.table(works, batch.grade(works)))))
        told = {row["student"]: row["hints"] for row in rows}
        assert told == {"anna b": "2", "'=ben": "0", "carl": "0", "dora": "0"}


def test_one_student_or_one_exercise_again(folder):
    assert {w.student for w in batch.found(folder, students=["carl"])} == {"carl"}
    assert len(batch.found(folder, only=["summary"])) == 4
    with pytest.raises(exercise.UnknownExercise, match="summary"):
        batch.found(folder, only=["sumary"])


def test_where_there_is_nothing_it_says_what_it_wants(tmp_path):
    with pytest.raises(batch.NoFolder, match="no folder"):
        batch.found(tmp_path / "nowhere")
    (tmp_path / "anna").mkdir()
    with pytest.raises(batch.NoFolder, match=r"summary\.mjs"):
        batch.found(tmp_path)


def test_the_command_writes_grades_and_a_page_for_each(folder, capsys, monkeypatch):
    monkeypatch.setattr("sys.argv", ["lab", "grade", str(folder)])
    assert door.main(["grade", str(folder), "--workers", "2"]) == 0
    out = folder.with_name("week 1-graded")
    rows = 4 * len(SUMMARY.criteria)  # and none for dora's notes.txt, which is only counted
    assert len((out / "grades.csv").read_text().splitlines()) == 1 + rows
    page = (out / "=ben" / "summary.html").read_text()
    assert "may not be reported" in page and "<script" not in page
    data = json.loads((out / "=ben" / "summary.json").read_text())
    assert (data["schema"], data["points"], data["of"]) == (1, 5, 7)
    said = capsys.readouterr().out
    assert "4/4" in said and "left" in said


def test_a_check_that_breaks_costs_nobody_points(folder, monkeypatch):
    def broken(*_, **__):
        raise run.NotGraded("the driver fell over")

    monkeypatch.setattr(run, "grade", broken)
    works = batch.found(folder, students=["anna b"])
    (result,) = batch.grade(works)
    assert result.outcome == "broken" and not list(batch.KEPT.glob("*.json"))
    assert "not your fault" in result.line()


@pytest.mark.nightly
def test_three_hundred_hand_ins_grow_as_their_number(folder, tmp_path):
    """Time per hand-in stays the same from 30 to 300, with as many workers as processors."""
    seconds = {}
    for count in (30, 300):
        top = tmp_path / f"class of {count}"
        for at in range(count):
            (top / f"s{at:04}").mkdir(parents=True)
            (top / f"s{at:04}" / "summary.mjs").write_text(
                f"// {count} {at}\n{SUMMARY.solution.read_text()}"
            )
        started = time.monotonic()
        results = batch.grade(batch.found(top))
        seconds[count] = time.monotonic() - started
        assert [one.points for one in results] == [7] * count
    assert seconds[300] / seconds[30] < 25


def test_what_is_not_judged_is_told_and_written_with_what_to_do(folder, capsys):
    right = SUMMARY.solution.read_text()
    (folder / "summary.mjs").write_text(right)
    for name in ("fay", "gus", "hal", "ida"):
        (folder / name).mkdir()
    (folder / "fay" / "homework.mjs").write_text(right)
    (folder / "fay" / "sumary.mjs").write_text("1;\n")
    (folder / "hal" / "summary.txt").write_text(right)
    cells = [
        {"cell_type": "code", "source": f"%%submit {name}\n{right}"}
        for name in ("summary", "abbba")
    ]
    for name, chosen in {"ida/a.ipynb": cells, "anna b/b.ipynb": cells[:1]}.items():
        (folder / name).write_text(json.dumps({"cells": chosen}))
    (folder / "anna b" / "c.ipynb").write_text('{"cells": []}')
    (folder / "=ben" / ".ipynb_checkpoints").mkdir()
    (folder / "=ben" / ".ipynb_checkpoints" / "work-checkpoint.ipynb").write_text("{}")
    assert door.main(["grade", str(folder), "--workers", "2"]) == 0
    lines = capsys.readouterr().out.partition("Not judged (8):\n")[2].splitlines()
    assert lines[-3:] == [
        "Neither programs nor notebooks, or not asked for: 2",
        "Came in: 13 files: 3 judged, 7 listed, 3 refused",
        "         8 students: 3 judged, 3 listed, 2 refused",
    ]
    assert [line.strip() for line in lines[:-3]] == [
        "anna b/b.ipynb: summary.mjs counts for summary",
        "anna b/c.ipynb: it has no cell that begins with %%submit and the id of an exercise",
        "fay/homework.mjs: no exercise is called 'homework'; if it is for summary, name it "
        "summary.mjs",
        "fay/sumary.mjs: no exercise is called 'sumary' (summary?); name it after its exercise",
        "gus: it is empty",
        "hal/summary.txt: a program ends in .mjs, .cjs or .js, a notebook in .ipynb",
        "ida/a.ipynb: a cell names 'abbba', and no exercise is called that (abba?)",
        "summary.mjs: it is not in a student's folder",
    ]
    rows = csv.DictReader((folder.with_name("week 1-graded") / "grades.csv").open())
    assert [row["message"] for row in rows if row["outcome"] == "refused"] == [
        "summary.mjs: it is not in a student's folder"
    ]
    with (folder.with_name("week 1-graded") / "grades.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["outcome"] == "not judged"]
    assert [row["student"] for row in rows] == [
        *["anna b"] * 2, *["fay"] * 2, "gus", "hal", "ida"
    ]  # fmt: skip
    assert {row["points"] for row in rows} == {""} and "it is empty" in rows[4]["message"]


def test_an_older_copy_that_an_editor_keeps_is_not_judged_instead(folder):
    hidden = folder / "=ben" / ".ipynb_checkpoints"
    hidden.mkdir()
    (hidden / "work-checkpoint.ipynb").write_text(
        json.dumps({"cells": [{"cell_type": "code", "source": "%%submit summary\n1;\n"}]})
    )
    (work,) = batch.found(folder, students=["=ben"])
    assert work.file.name == "work.ipynb"


def test_a_student_who_is_not_there_is_named(folder):
    with pytest.raises(batch.NoFolder, match="no folder 'nobody'"):
        batch.found(folder, students=["nobody"])


def test_a_folder_without_a_single_hand_in_still_says_what_lies_there(tmp_path, capsys):
    (tmp_path / "summary.mjs").write_text(SUMMARY.begin())
    assert door.main(["grade", str(tmp_path)]) == 1
    assert "summary.mjs: it is not in a student's folder" in capsys.readouterr().out


def test_what_a_program_throws_cannot_look_like_a_row_of_its_own(folder, capsys):
    row = "eve,summary,throughput,2,2,held,,0"
    (folder / "carl" / "summary.mjs").write_text(
        f"export const summary = () => {{ throw new Error('a\\n{row}\\nb'); }};\n"
    )
    assert door.main(["grade", str(folder), "--student", "carl"]) == 0
    text = (folder.with_name("week 1-graded") / "grades.csv").read_text()
    lines = capsys.readouterr().out.splitlines() + text.splitlines()
    assert f"a ⏎ {row} ⏎ b" in text and row not in lines


def test_each_hand_in_has_its_total(folder):
    assert door.main(["grade", str(folder), "--workers", "2"]) == 0
    with (folder.with_name("week 1-graded") / "totals.csv").open() as file:
        assert [tuple(row.values()) for row in csv.DictReader(file)] == [
            ("'=ben", "summary", "5", "7"),
            ("anna b", "summary", "7", "7"),
            ("carl", "summary", "0", "7"),
            ("dora", "summary", "0", "7"),
        ]


def test_what_is_no_file_or_has_no_end_is_not_waited_for(folder, capsys):
    """A pipe that nobody writes to, files of a size that no memory holds, JSON without an end."""
    for name in ("carl/x.mjs", "carl/notes.ipynb", "anna b/summary.hints.json", "fifo/summary.mjs"):
        (folder / name).parent.mkdir(exist_ok=True)
        os.mkfifo(folder / name)
    (folder / "=ben" / "summary.hints.json").write_text("[" * 100_000)
    for name in ("carl/huge.mjs", "carl/huge.ipynb", "carl/summary.hints.json"):
        with (folder / name).open("wb") as file:
            file.truncate(1 << 40)
    (folder / "carl" / "bytes.ipynb").write_bytes(b"\xff")
    (folder / "carl" / "text.ipynb").write_text("{")
    assert door.main(["grade", str(folder), "--workers", "2"]) == 0
    output = capsys.readouterr().out
    for line in (
        "carl/bytes.ipynb: it is not valid UTF-8 (byte 0): save it as UTF-8",
        "carl/huge.ipynb: it has more than 16 MiB, and is not read: clear its outputs",
        "carl/huge.mjs: no exercise is called 'huge'",
        "carl/text.ipynb: it is not a notebook: its JSON cannot be read",
        "carl/x.mjs: no exercise is called 'x'",
    ):
        assert line in output
    rows = list(csv.DictReader((folder.with_name("week 1-graded") / "grades.csv").open()))
    refused = {row["message"] for row in rows if row["student"] == "fifo" and row["points"] == "0"}
    assert len(refused) == 1 and "is a pipe or a device" in refused.pop()
    assert {row["hints"] for row in rows if row["points"]} == {"0"}


def test_what_was_judged_without_a_sandbox_is_judged_again_in_one(folder):
    works = batch.found(folder, students=["anna b"])
    (loose,) = batch.grade(works, unsandboxed=True)
    assert batch.kept(works[0], unsandboxed=True) == loose
    (held,) = batch.grade(works)
    assert (loose.sandbox, held.sandbox) == ("none", "bubblewrap")
    assert batch.kept(works[0]).sandbox == "bubblewrap"


def test_the_folder_that_a_shell_is_in_is_graded_as_any_other(folder, monkeypatch):
    monkeypatch.chdir(folder)
    assert door.main(["grade", ".", "--student", "anna b"]) == 0
    assert (folder.with_name("week 1-graded") / "grades.csv").exists()


def test_results_that_would_be_taken_for_hand_ins_are_refused_before_anything_runs(folder, capsys):
    for out in (folder / "graded", folder):
        assert door.main(["grade", str(folder), "--out", str(out)]) == 1
        assert "is in the folder of hand-ins" in capsys.readouterr().err
    (folder / "anna b").rename(folder / "totals.csv")
    assert door.main(["grade", str(folder)]) == 1
    assert "A student's folder is called totals.csv" in capsys.readouterr().err
    assert not folder.with_name("week 1-graded").exists()


def test_a_step_that_is_not_asked_for_now_is_only_counted(folder, capsys):
    (folder / "anna b" / "drop-02").mkdir()
    (folder / "anna b" / "drop-02" / "server.mjs").write_text("1;")
    command = ["grade", str(folder), "--student", "anna b", "--exercise", "summary"]
    assert door.main(command) == 0
    output = capsys.readouterr().out
    assert "no exercise is called" not in output
    assert "Neither programs nor notebooks, or not asked for: 1" in output


def test_where_nothing_is_graded_every_hand_in_is_named_here(tmp_path, capsys):
    for at in range(30):
        (tmp_path / f"s{at}_summary.mjs").write_text("1;")
    assert door.main(["grade", str(tmp_path)]) == 1
    output = capsys.readouterr().out
    assert "Not judged (30):" in output and "grades.csv" not in output
    assert output.count("_summary.mjs: it is not in a student's folder") == 30


def test_a_file_that_is_too_large_has_its_size_in_the_reason(folder):
    with (folder / "carl" / "summary.mjs").open("wb") as file:
        file.truncate(3 << 30)
    (work,) = batch.found(folder, students=["carl"])
    assert "summary.mjs has 3,221,225,472 bytes" in work.refused

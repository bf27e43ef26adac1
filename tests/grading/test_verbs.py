"""`%%submit` and `lab.check` in a notebook, in both languages, and what they show."""

import json
import subprocess
import sys

import pytest

import lab
from lab import __main__ as door
from lab import paths
from lab.grading import exercise, handin, hints, submit_cell, verbs
from lab.processes import nodes

SUMMARY = exercise.exercise("summary")
RIGHT = SUMMARY.solution.read_text()


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    monkeypatch.setattr(verbs, "HANDED_IN", tmp_path)
    return tmp_path


@pytest.mark.judges
def test_a_cell_is_handed_in_and_can_be_checked_again():
    from IPython.core.interactiveshell import InteractiveShell

    shell = InteractiveShell()
    submit_cell.load_ipython_extension(shell)
    result = shell.run_cell_magic("submit", "summary", RIGHT)
    assert result.passed and result.points == 7
    assert lab.check("summary").passed


@pytest.mark.judges
def test_a_line_is_the_one_of_the_cell_wherever_it_is_judged(tmp_path):
    from IPython.core.interactiveshell import InteractiveShell

    body = "export function summary(rows) {\n  return rows.filtre();\n}\n"
    cell = f"%%submit summary\n{body}"
    shell = InteractiveShell()
    submit_cell.load_ipython_extension(shell)
    message = "filtre is not a function (the cell, line 3)"
    assert message in shell.run_cell(cell).result.line()
    assert message in lab.check("summary").line()
    (tmp_path / "work.ipynb").write_text(
        json.dumps({"cells": [{"cell_type": "code", "source": cell}]})
    )
    assert message in lab.check("summary", tmp_path / "work.ipynb").line()
    process = subprocess.run(
        [nodes.program(), "-p", f"require('./transpile.cjs').transpile({json.dumps(cell)}).body"],
        cwd=paths.ROOT / "lab" / "node" / "kernel",
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert json.dumps(f"\n{body}") in process


def test_before_anything_is_handed_in_it_says_how():
    with pytest.raises(handin.BadHandIn, match=r"%%submit summary.*summary\.mjs"):
        lab.check("summary")


@pytest.mark.judges
def test_a_file_is_checked():
    result = lab.check("summary", SUMMARY.folder / "wrong" / "sorts-text.mjs")
    assert result.points == 3
    assert "sorted as text" in result._repr_html_()


@pytest.mark.parametrize("line", ["", "summary lookup"])
def test_a_cell_that_names_no_exercise_or_two(line):
    with pytest.raises(handin.BadHandIn, match="write the id of one exercise"):
        submit_cell.submit_cell(line, RIGHT)


def test_an_unknown_exercise_names_the_nearest():
    for call in (lab.check, lab.exercise, lambda id: lab.submit(id, RIGHT)):
        with pytest.raises(exercise.UnknownExercise, match="Did you mean summary"):
            call("sumary")


def test_a_table_in_a_task_is_one_on_the_card():
    card = lab.exercise("twelve-calls")._repr_html_()
    assert card.count("<tr>") == 13
    assert "|---|" not in card


def test_the_card_has_what_a_reader_needs_and_no_solution():
    card = lab.exercise("summary")._repr_html_()
    for part in (
        "Download summary.mjs",
        "make check EXERCISE=summary FILE=summary.mjs",
        "%%submit summary",
    ):
        assert part in card
    assert all(hint.split("`")[0][:20] in card for hint in SUMMARY.hints)
    own = [line.strip() for line in RIGHT.splitlines() if len(line) > 30]
    assert not [line for line in own if line in card and line not in SUMMARY.begin()]


def test_students_get_parameters_of_their_own(monkeypatch):
    import dataclasses

    one = dataclasses.replace(SUMMARY, parameters={"pool": (2, 3, 4, 5, 6, 7)})
    assert one.for_student("") == {"pool": 2}
    assert one.for_student("anna") == one.for_student("anna")
    assert len({one.for_student(f"student {n}")["pool"] for n in range(60)}) == 6
    monkeypatch.setenv("JUPYTERHUB_USER", "anna")
    assert exercise.student() == "anna"
    monkeypatch.setenv("LAB_CHAPTER", "book/x.md")
    assert exercise.student() == ""


def test_a_page_with_exercises_does_not_depend_on_what_judges_them():
    """A chapter is measured again when a module that it used has changed: the grader is none."""
    code = (
        "import sys, lab, types\n"
        "sys.modules['IPython'] = types.SimpleNamespace(get_ipython=lambda: types.SimpleNamespace("
        "register_magic_function=lambda *a: None))\n"
        "lab._enter_notebook(); lab.exercise('summary')._repr_html_()\n"
        "print([m for m in sys.modules if m.startswith('lab.grading.')])"
    )
    process = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert "lab.grading.exercise" in process.stdout
    assert not {"run", "sandbox", "verbs", "cgroup", "batch"} & {
        name.rpartition(".")[2].strip("']") for name in process.stdout.split(", ")
    }


@pytest.mark.judges
def test_hints_are_opened_one_by_one_and_stand_in_the_result(place):
    assert lab.check("summary", SUMMARY.solution).hints == 0
    first, second = lab.hint("summary"), lab.hint("summary")
    assert SUMMARY.hints[0] in str(first) and SUMMARY.hints[1] in second._repr_markdown_()
    assert "2 of 3 opened" in str(second) and "you can delete it" in str(second)
    result = lab.check("summary", SUMMARY.solution)
    assert result.hints == 2 and result.to_json()["hints"] == 2
    assert "Hints opened: 2" in result._repr_html_() and "hints opened: 2" in str(result)
    page = place / "seen.html"
    assert door.main(["check", "summary", str(SUMMARY.solution), "--page", str(page)]) == 0
    assert "Hints opened: 2" in page.read_text()
    assert lab.check("abba", exercise.exercise("abba").solution).hints == 0


def test_a_hint_by_its_number_again_and_beyond(place):
    assert lab.hint("summary", 3).opened == 1
    assert [lab.hint("summary").number for _ in range(4)] == [1, 2, 3, 3]
    assert lab.hint("summary", 1).opened == 3
    assert "the last" in str(lab.hint("summary", 3)) and "no more" in str(lab.hint("summary"))
    for number in (4, 0, -1):
        with pytest.raises(hints.NoHint, match="1 to 3"):
            lab.hint("summary", number)
    assert door.main(["hint", "summary", "0"]) == 1
    with pytest.raises(exercise.UnknownExercise, match="Did you mean summary"):
        lab.hint("sumary")


@pytest.mark.parametrize("note", ["", "[]", '{"opened": 7}', '{"opened": [9, "x", null, [1]]}'])
def test_a_note_that_is_none_counts_as_none(place, tmp_path, note):
    (tmp_path / "summary.hints.json").write_text(note)
    assert hints.opened(tmp_path / "summary.hints.json") == ()
    assert lab.hint("summary").number == 1


def test_the_shell_shows_a_task_and_its_starter(capsys, monkeypatch):
    page = exercise.exercise("die-well")
    monkeypatch.setenv("LAB_STUDENT", "anna")
    values = page.for_student("anna")
    assert values != page.for_student("")
    assert door.main(["task", "die-well"]) == 0
    said = capsys.readouterr().out
    assert page.title in said and page.task(values).strip() in said and "{{" not in said
    assert all(each.says in said for each in page.criteria)
    assert "python -m lab task die-well --starter > die-well.mjs" in said
    assert door.main(["task", "die-well", "--starter"]) == 0
    assert capsys.readouterr().out == page.begin(values)
    assert door.main(["task", "die-wel"]) == 1
    assert "Did you mean die-well" in capsys.readouterr().err


def test_the_list_and_an_empty_file_say_where_the_starter_is(capsys, tmp_path):
    assert door.main(["exercises"]) == 0
    assert "python -m lab task ID" in capsys.readouterr().out
    (tmp_path / "mine.mjs").write_text("\n")
    with pytest.raises(handin.BadHandIn, match="python -m lab task summary --starter"):
        handin.from_file(tmp_path / "mine.mjs", SUMMARY)


def test_the_shell_opens_hints_too(place, capsys):
    assert door.main(["hint", "summary"]) == 0
    assert door.main(["hint", "summary", "3"]) == 0
    said = capsys.readouterr().out
    assert SUMMARY.hints[0] in said and SUMMARY.hints[2] in said and "2 of 3 opened" in said
    assert door.main(["hint", "summary", "9"]) == 1


def test_a_reader_that_has_seen_enough_is_no_error(tmp_path):
    command = [sys.executable, "-m", "lab", "task", "summary"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=paths.ROOT
    ) as shell:
        shell.stdout.close()  # before anything is written
        assert shell.stderr.read() == b""


@pytest.mark.judges
def test_a_result_in_a_terminal_has_its_seed_and_says_a_reason_once():
    result = lab.submit("summary", "export const summary = {;\n")
    reason = "Unexpected token ';'"
    assert str(result).count(reason) == 2  # in the line, and with the first criterion
    assert str(result).count("for the same reason as above") == 2
    assert result._repr_html_().count(reason.replace("'", "&#39;")) == 1
    assert all(reason in one.message for one in result.missed)
    assert f"--seed {result.seed}" in str(result)
    assert repr(result) == str(result)
    assert "--seed" not in str(lab.check("summary", SUMMARY.solution))

"""A wrong answer that is written as edits of the solution: what is read, and what is refused."""

import re
import shutil

import pytest

from lab.errors import LabError
from lab.grading import edits, exercise, mutation
from tests.grading.test_exercises import PAGES, _whole

SOLUTION = "a();\nb();\nb();\nc();\n"


def applied(tmp_path, text):
    (tmp_path / "wrong").mkdir(exist_ok=True)
    file = tmp_path / "wrong" / "x.toml"
    file.write_text(text)
    return edits.applied(file, SOLUTION)


def edit(old, new):
    return f"[[edit]]\nold = '''\n{old}'''\nnew = '''\n{new}'''\n"


def test_edits_are_made_in_their_order_and_change_nothing_else(tmp_path):
    assert applied(tmp_path, edit("a();\n", "d();\n")) == "d();\nb();\nb();\nc();\n"
    twice = edit("a();\nb();\n", "") + edit("b();\n", "d();\n")
    assert applied(tmp_path, twice) == "d();\nc();\n"
    assert applied(tmp_path, edit("c();\n", r'e("\n");' + "\n")).endswith('b();\ne("\\n");\n')


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (edit("e();\n", ""), "the `old` of edit 1 of wrong/x.toml occurs 0 times in the solution"),
        (edit("a();\n", "") + edit("b();\n", ""), "edit 2 of wrong/x.toml occurs 2 times"),
        (edit("", "d();\n"), "occurs 0 times"),
        ("[[edit]]\nold = 'a'\n", "edit 1 of wrong/x.toml has other keys than `old` and `new`"),
        ("[[edit]]\nold = 1\nnew = ''\n", "must be texts"),
        ("[[edits]]\nold = 'a'\nnew = ''\n", "has other keys than [[edit]]"),
        ("edit = 1\n", "has other keys than [[edit]]"),
        ("", "has other keys than [[edit]]"),
        ("[[edit]\n", "x.toml can't be read"),
    ],
)
def test_an_edit_that_cannot_be_made_says_so_in_a_sentence(tmp_path, text, message):
    with pytest.raises(edits.BadEdit, match=re.escape(message)) as refusal:
        applied(tmp_path, text)
    assert "\n" not in str(refusal.value)


def test_an_exercise_whose_solution_changed_below_an_edit_cannot_be_read(tmp_path):
    folder = tmp_path / "topic" / "time-left"
    shutil.copytree(PAGES["time-left"].folder, folder)
    answer = PAGES["time-left"].wrong[0]
    file = folder / "exercise.toml"
    file.write_text(file.read_text().replace(f'"{answer.file}"', '"x.toml"'))
    (folder / "wrong" / answer.file).unlink()
    (folder / "wrong/x.toml").write_text(edit("no line of it\n", ""))
    exercise._read.cache_clear()
    with pytest.raises(LabError, match=r"wrong/x\.toml occurs 0 times in the solution"):
        _whole(folder)


def test_an_edited_answer_is_judged_as_a_program_of_its_own(monkeypatch):
    step = PAGES["drop-01"]
    answer = next(wrong for wrong in step.wrong if wrong.file == "own-port.toml")
    judged_programs = []

    def graded(exercise, hand_in, **_options):
        judged_programs.append(hand_in)
        raise LabError("enough")

    monkeypatch.setattr(mutation.run, "grade", graded)
    row = mutation.judged(step, answer, student="anna")
    (program,) = judged_programs
    assert row.answer == "own-port.toml" and program.name == "own-port.mjs"
    values = step.for_student("anna")
    own_lines = set(program.text.splitlines()) - set(
        step.program(step.solution, values).splitlines()
    )
    assert own_lines == {'const PORT = "3000";'}

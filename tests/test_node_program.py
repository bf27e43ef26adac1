import pytest

from lab import paths
from lab.node_program import ProgramFailed, node


def program(tmp_path, text):
    path = tmp_path / "program.mjs"
    path.write_text(text)
    return path


def test_json_lines_become_rows(tmp_path):
    printed = node(program(tmp_path, "console.log('{\"a\": 1}'); console.log('{\"a\": 2}');"))
    assert printed.rows == [{"a": 1}, {"a": 2}]
    assert "<table" in printed._repr_html_()


def test_other_output_stays_text_and_is_escaped(tmp_path):
    printed = node(program(tmp_path, "console.log('<b>' + process.argv[2]);"), 7)
    assert printed.rows == []
    assert repr(printed) == "<b>7\n"
    assert "&lt;b&gt;7" in printed._repr_html_()


def test_a_program_that_throws_shows_its_error(tmp_path):
    with pytest.raises(ProgramFailed, match="the reason"):
        node(program(tmp_path, "throw new Error('the reason');"))


def test_an_endless_program_is_stopped(tmp_path):
    with pytest.raises(ProgramFailed, match="not done after"):
        node(program(tmp_path, "setInterval(() => {}, 1000);"), timeout_s=1)


def test_the_trips_of_the_file_chapter_are_four():
    small = paths.ROOT / "LICENSE"
    rows = {r["style"]: r for r in node(paths.ROOT / "book/blocking/four-trips.mjs", small).rows}
    assert rows["sync"]["turns"] == 0
    assert round(rows["async"]["turns"]) == round(rows["promises"]["turns"]) == 4
    assert rows["async"]["promises"] == 0 < rows["promises"]["promises"]

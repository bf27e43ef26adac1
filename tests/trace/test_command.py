"""`python -m lab.trace`: the table, the files that it writes, and what it says of mistakes."""

from __future__ import annotations

import json
import re

import pytest

import lab
from lab.trace import __main__ as command
from lab.trace.table import table
from lab.trace.verb import Trace

PROGRAM = """\
setTimeout(() => {
  console.log("timer");
  process.nextTick(() => console.log("tick"));
}, 1);
require("fs").stat(__filename, () => setTimeout(() => console.log("last"), 30));
console.log("first\\nline");
console.log("second");
process.on("exit", () => console.log("bye"));
"""


@pytest.fixture(scope="module")
def traced(tmp_path_factory):
    """A program in a folder that a shell would stumble over, and what the command said of it."""
    file = tmp_path_factory.mktemp("a b ü") / "my prog.cjs"
    file.write_text(PROGRAM)
    return file


@pytest.fixture(scope="module")
def trace(traced):
    return lab.trace(traced, runs=1)


def rows(text):
    """The table's cells, by what was printed."""
    cells = [re.split(r"  +", line.strip()) for line in text.splitlines()]
    return {row[0]: row[1:] for row in cells if len(row) > 3}


def test_the_table_says_of_each_line_its_phase_turn_line_and_the_replays_reason(trace):
    table_rows = rows(table(trace, 400))
    main_text = "The program's text runs, from its first line to its last."
    assert table_rows["first⏎line"] == ["main", "0", "6", main_text]
    assert table_rows["second"] == ["main", "0", "7", "(the same callback)"]
    phase, turn, line, why = table_rows["timer"]
    assert (phase, line) == ("timers", "2")
    assert why.startswith("Line 1: setTimeout 1 ms. Its callback waits among the timers. The call")
    assert table_rows["tick"][1:] == [
        turn,
        "3",
        "Line 3: process.nextTick. Its callback joins the tick queue. The tick queue is emptied: "
        "process.nextTick (line 3) runs.",
    ]
    assert table_rows["last"][0] == "timers"
    assert int(table_rows["last"][1]) > 0


def test_a_line_is_no_wider_than_the_terminal_and_a_long_trace_says_how_much_is_left_out(trace):
    assert max(map(len, table(trace, 90).splitlines())) <= 90
    many = lab.trace("for (let i = 0; i < 70; i++) console.log(i);\n", runs=1)
    assert "… and 10 more lines" in table(many)
    assert "It printed nothing." in table(lab.trace("1;\n", runs=1))


def test_the_command_prints_the_table_and_writes_trace_and_page(traced, capsys):
    page = traced.with_name("page.html")
    assert command.main([str(traced), "-n", "2", "--html", str(page)]) == 0
    said = capsys.readouterr().out
    assert "   2 × first" in said
    assert "why" in said
    assert "drop" not in said.lower()
    file = traced.with_name("my prog.trace.json")
    assert Trace.from_json(json.loads(file.read_text())).orders[0].count == 2
    html = page.read_text("utf-8")
    assert "<loop-replay id=" in html
    assert "customElements.define" in html
    assert not re.search(r"(?:src|href)=|url\(|@import|fetch\(", html)
    assert "default-src 'none'" in html


def test_a_trace_that_is_there_is_shown_without_a_run(traced, capsys, monkeypatch):
    file = traced.with_name("copy.trace.json")
    lab.trace("console.log('kept');\n", runs=1).save(file)
    before = file.read_bytes()
    monkeypatch.setattr(command, "trace", None)
    page = traced.with_name("kept.html")
    assert command.main([str(file), "--html", str(page), "--predict"]) == 0
    assert "kept" in capsys.readouterr().out
    assert "<loop-replay predict id=" in page.read_text("utf-8")
    assert file.read_bytes() == before
    file.write_text("{")
    assert command.main([str(file)]) == 1
    assert command.main([str(traced.with_name("none.trace.json"))]) == 1


def test_arguments_and_input_reach_the_program(tmp_path, capsys):
    program, text = tmp_path / "reads.cjs", tmp_path / "text"
    program.write_text(
        "process.stdin.on('data', (d) => console.log(process.argv.slice(2).join(), String(d)));\n"
    )
    text.write_text("typed")
    words = [str(program), "-n", "1", "--stdin", str(text), "--", "--port", "3"]
    assert command.main(words) == 0
    assert "--port,3 typed" in capsys.readouterr().out


MISTAKES = {
    "no program": ([], 2, "are required: program"),
    "no number": (["x.js", "-n", "many"], 2, "invalid int value: 'many'"),
    "no such option": (["x.js", "--htm", "x"], 2, "--htm"),
    "no file": (["none.js"], 1, "There is no file"),
    "a folder": (["."], 1, "is a folder. Name the program in it"),
    "no run": (["one.js", "-n", "0"], 1, "at least one run"),
    "no time": (["one.js", "--seconds", "-1"], 1, "seconds is -1; a run may take"),
    "no Node": (["one.js", "--node", "/nowhere"], 1, "'/nowhere' is not there"),
    "no input": (["one.js", "--stdin", "none"], 1, "none cannot be read for --stdin"),
    "no folder": (["one.js", "-n", "1", "--html", "no/x.html"], 1, "no/x.html"),
}


@pytest.mark.parametrize("kind", MISTAKES)
def test_a_mistake_is_told_in_a_sentence_and_by_the_exit_code(kind, tmp_path, monkeypatch, capsys):
    words, code, message = MISTAKES[kind]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "one.js").write_text("1;\n")
    try:
        ended = command.main(words)
    except SystemExit as error:
        ended = error.code
    told = capsys.readouterr().err
    assert (ended, told.count("\n")) == (code, 1), told
    assert message in told


def test_the_help_has_examples_and_exit_codes(capsys):
    with pytest.raises(SystemExit) as ended:
        command.main(["--help"])
    assert ended.value.code == 0
    told = capsys.readouterr().out
    assert told.count("python -m lab.trace my") >= 5
    assert "exit codes:" in told


def test_an_interrupt_ends_it_with_130_and_a_sentence(monkeypatch, tmp_path, capsys):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(command, "trace", interrupted)
    assert command.main([str(tmp_path / "x.js")]) == 130
    assert "Interrupted" in capsys.readouterr().err

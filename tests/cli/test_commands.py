"""The command line: every verb is in one table, is written in full, and fails with a hint."""

import os
import re
import shlex
import subprocess
import sys

import pytest

from lab import __main__ as door
from lab import paths
from lab.book import __main__ as book
from lab.classroom import __main__ as classroom
from lab.cli import commands, help, table
from lab.errors import LabError
from lab.grading import mutation
from lab.trace import __main__ as trace

MAINS = {"lab": door, "lab.book": book, "lab.classroom": classroom, "lab.trace": trace}
VERBS = [
    pytest.param(home, verb, id=f"{home.name} {verb.name}")
    for home in table.HOMES.values()
    for verb in home.verbs
    if home.name in MAINS
]
EXAMPLES = [
    pytest.param(home, example, id=example)
    for home in table.HOMES.values()
    for verb in home.verbs
    for example in verb.examples
    if home.name in MAINS
]


def ended(call, *arguments):
    """The exit code of a call that ends the program."""
    with pytest.raises(SystemExit) as end:
        call(*arguments)
    return end.value.code


@pytest.mark.parametrize(("home", "verb"), VERBS)
def test_every_verb_explains_itself_with_its_exit_codes(home, verb, capsys):
    assert ended(MAINS[home.name].main, [*verb.name.split(), "--help"]) == 0
    shown = capsys.readouterr().out
    assert f"usage: {home.line(verb)}" in shown
    assert "exit codes:" in shown
    for example in verb.examples:
        assert f"  {home.program} {example.strip()}\n" in shown


@pytest.mark.parametrize(("home", "example"), EXAMPLES)
def test_every_example_is_accepted(home, example, monkeypatch):
    """Up to where the verb would begin."""
    called = []
    monkeypatch.setattr(commands, "run", lambda *_, **__: called.append(example) or 0)
    words = shlex.split(example.partition(" > ")[0])
    assert MAINS[home.name].main(words) == 0
    assert called == [example]


@pytest.mark.parametrize("home", [table.LAB, table.BOOK, table.CLASSROOM], ids=lambda h: h.name)
def test_no_home_has_a_verb_that_the_table_lacks(home, capsys):
    assert ended(MAINS[home.name].main, ["help"]) == 0
    shown = capsys.readouterr().out
    assert all(f"  {home.line(verb)} " in shown for verb in home.verbs)
    assert ended(MAINS[home.name].main, ["--help"]) == 0
    known = re.findall(r"^    ([a-z-]+)(?: |$)", capsys.readouterr().out, re.M)
    assert known == [verb.name for verb in home.verbs]


def test_help_lists_every_verb_with_its_summary(capsys):
    assert ended(door.main, ["help"]) == 0
    help_text = capsys.readouterr().out
    homes = [*table.HOMES.values(), *table.TOOLS]
    for home in homes:
        for verb in home.verbs:
            assert any(
                line.split("  ")[1:2] == [home.line(verb)] and line.endswith(verb.summary)
                for line in help_text.splitlines()
            ), home.line(verb)


def test_help_of_a_verb_is_its_own(capsys):
    assert ended(door.main, ["help", "check"]) == 0
    assert "usage: python -m lab check" in capsys.readouterr().out
    assert ended(door.main, ["help", "chek"]) == 2
    assert "Did you mean check" in capsys.readouterr().err


def test_every_program_of_the_package_is_in_the_table():
    listed_homes = {home.name for home in (*table.HOMES.values(), *table.TOOLS)}
    modules = {
        ".".join(file.relative_to(paths.ROOT).with_suffix("").parts).removesuffix(".__main__")
        for file in (paths.ROOT / "lab").rglob("*.py")
        if 'if __name__ == "__main__":' in file.read_text("utf-8")
    }
    # Programs that only our own programs start.
    inner = {
        "lab.book.pipeline.drawing_process",
        "lab.kernels.bridge",
        "lab.kernels.forks.server",
        "lab.kernels.forks.ask",
        "lab.processes.guard",
        "lab.processes.limits",
        "lab.processes.network_probe",
    }
    assert modules - inner == listed_homes


@pytest.mark.parametrize(
    ("main", "words", "offer"),
    [
        (door, ["chek", "a", "b"], "Did you mean check"),
        (door, ["exercise"], "Did you mean exercises"),
        (door, ["boook", "build"], "Did you mean book"),
        (door, ["zzz"], "Known: book, check"),
        (book, ["biuld"], "Did you mean build"),
        (book, ["build", "--verb"], "Did you mean --verbose"),
        (book, ["build", "--outptu=x"], "Did you mean --output"),
        (book, ["build", "--out", "x"], "Did you mean --output"),
        (classroom, ["grde", "week-1"], "Did you mean grade"),
        (classroom, ["grade", "week-1", "--sched", "x"], "Did you mean --scheduler"),
        (trace, ["a.js", "--run", "5"], "Did you mean --runs"),
        (mutation, ["--time", "3"], "Did you mean --times"),
    ],
)
def test_a_slip_gets_its_nearest_neighbour_and_starts_nothing(main, words, offer, capsys):
    assert ended(main.main, words) == 2
    assert offer in capsys.readouterr().err


@pytest.mark.parametrize(
    "words",
    [
        ["\x1b[2J\x1b[31m"],
        ["check", "\x1b[2Jsummary", "a.mjs"],
        ["ps", "\x1b[2J"],
        ["ps", "a\rb\x07"],
    ],
)
def test_what_was_typed_is_echoed_without_control_characters(words, capsys):
    try:
        code = door.main(words)
    except SystemExit as end:
        code = end.code
    shown = capsys.readouterr().err
    assert code in {1, 2}
    assert shown
    assert all(char.isprintable() or char == "\n" for char in shown)


@pytest.mark.parametrize("words", [["book", "teaching", "--help"], ["classroom", "make", "--help"]])
def test_a_home_is_a_first_word_too(words, capsys):
    assert ended(door.main, words) == 0
    assert f"usage: python -m lab.{words[0]} {words[1]}" in capsys.readouterr().out


def test_no_command_at_all_is_told_where_all_are(capsys):
    assert ended(door.main, []) == 2
    assert "COMMAND" in capsys.readouterr().err


@pytest.mark.parametrize("main", [door, book, classroom])
def test_the_version_is_asked_of_every_home(main, capsys):
    assert ended(main.main, ["--version"]) == 0
    assert capsys.readouterr().out.startswith("Node.js I/O, Measured 0.")


def test_an_option_of_a_program_that_is_examined_is_not_ours(monkeypatch):
    seen = []
    monkeypatch.setattr("lab.clinic.commands.examine", lambda options: seen.append(options) or 0)
    assert door.main(["examine", "--", "node", "app.mjs", "--version", "--help"]) == 0
    assert seen[0].words == ["node", "app.mjs", "--version", "--help"]


@pytest.mark.parametrize(
    ("error", "code", "words"),
    [
        (LabError("no \x1b[2J file"), 3, "no \\x1b[2J file"),
        (KeyboardInterrupt(), 130, "Interrupted."),
        (
            PermissionError(13, "Permission denied", "week 1/\x1bx.mjs"),
            3,
            "week 1/\\x1bx.mjs cannot be used: Permission denied. Change its permissions, or use "
            "a copy that belongs to you.",
        ),
    ],
)
def test_a_verb_that_fails_says_why_in_a_line(error, code, words, capsys):
    def failing():
        raise error

    assert commands.run(failing, error_code=3) == code
    assert capsys.readouterr().err.strip() == words


@pytest.mark.parametrize("error", [ZeroDivisionError(), PermissionError("of no file")])
def test_an_error_of_the_program_itself_is_not_swallowed(error):
    def failing():
        raise error

    with pytest.raises(type(error)):
        commands.run(failing)


def test_help_needs_no_heavy_package_and_may_be_cut_off():
    program = (
        "import sys\nfrom lab.__main__ import main\n"
        "try:\n    main(['help'])\nexcept SystemExit: pass\n"
        "print({'numpy', 'matplotlib', 'sphinx', 'nbgrader'} & set(sys.modules))"
    )
    lines = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
        cwd=paths.ROOT,
    ).stdout.splitlines()
    assert lines[-1] == "set()"
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "wb") as closed:
        process = subprocess.run(
            [sys.executable, "-m", "lab", "help"],
            stdout=closed,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            timeout=300,
            cwd=paths.ROOT,
        )
    assert "Traceback" not in process.stderr


def test_the_page_of_some_homes_has_theirs_only():
    assert "lab.classroom" not in help.page([table.BOOK])

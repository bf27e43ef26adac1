"""node-checkup from a terminal: its help, its mistakes, its colours and its completion."""

import json
import re
import shutil
import subprocess
import sys

import pytest

from lab.cli import completion, table
from lab.clinic import checkup, commands, outputs


def ended(*words):
    with pytest.raises(SystemExit) as end:
        checkup.main(words)
    return end.value.code


@pytest.mark.parametrize("verb", [verb.name for verb in table.CHECKUP.verbs])
def test_every_verb_says_examples_and_exit_codes(verb, capsys):
    assert ended(verb, "--help") == 0
    shown = capsys.readouterr().out
    assert f"usage: node-checkup {verb}" in shown
    assert "exit codes:" in shown
    assert "python -m lab" not in shown


def test_examine_and_compare_say_how_long_they_take(capsys):
    for verb in ("examine", "compare"):
        ended(verb, "--help")
        assert "duration:" in capsys.readouterr().out


def test_the_version_is_told(capsys):
    assert ended("--version") == 0
    assert re.fullmatch(r"node-checkup \d+\.\d+\.\d+ \(Python 3\.\S+\)\n", capsys.readouterr().out)


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (["exmine"], "examine"),
        (["examine", "--jsn", "--", "node", "app.mjs"], "--json"),
        (["compare", "--hepl"], "--help"),
        (["compare", "--revision", "a", "b", "--", "node", "x"], "--revisions"),
        (["examine", "--sar", "x"], "--sarif"),
    ],
)
def test_a_mistake_is_told_with_what_was_meant_and_an_abbreviation_is_one(words, meant, capsys):
    assert ended(*words) == 2
    assert f"Did you mean {meant}" in capsys.readouterr().err


def test_what_is_behind_the_dashes_is_the_programs_own(monkeypatch):
    seen = []
    monkeypatch.setitem(checkup.VERBS, "examine", lambda chosen: seen.append(chosen.words) or 0)
    assert checkup.main(["examine", "--", "node", "app.mjs", "--prot", "1"]) == 0
    assert seen == [["node", "app.mjs", "--prot", "1"]]


def test_the_schema_is_printed(capsys):
    assert checkup.main(["schema"]) == 0
    assert json.loads(capsys.readouterr().out)["title"].endswith(f"schema {outputs.SCHEMA}")


@pytest.mark.parametrize(
    ("is_terminal", "environment", "is_coloured"),
    [
        (True, {}, True),
        (False, {}, False),
        (True, {"NO_COLOR": "1"}, False),
        (True, {"NO_COLOR": ""}, True),
        (True, {"TERM": "dumb"}, False),
    ],
)
def test_colour_is_for_terminals_that_want_it(monkeypatch, is_terminal, environment, is_coloured):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: is_terminal, raising=False)
    shown = commands._coloured("a: well\nb", is_well=True)
    assert shown == ("\x1b[1;32ma: well\x1b[0m\nb" if is_coloured else "a: well\nb")


def completed(shell, tmp_path, *words):
    """What the shell offers at the end of these words."""
    file = tmp_path / "completion"
    file.write_text(completion.script(checkup._parsers(), shell))
    line = " ".join(f"'{word}'" for word in words)
    programs = {
        "bash": f". '{file}'; COMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; _node_checkup; "
        'printf "%s\\n" "${COMPREPLY[@]}"',
        # The builtins that need a line editor are replaced by printing.
        "zsh": "compdef() :; _files() :; _describe() { print -l ${(P)2%%:*} }; "
        "_normal() print normal $words; compadd() { shift; print -rl -- $@ }; "
        f". '{file}'; words=({line}); CURRENT={len(words)}; _node_checkup",
    }
    told = subprocess.run(
        [shell, "-c", programs[shell]], capture_output=True, text=True, check=True, timeout=300
    )
    return set(told.stdout.split())


@pytest.mark.parametrize("shell", [s for s in completion.SHELLS if shutil.which(s)])
def test_a_shell_completes_verbs_options_and_choices(shell, tmp_path):
    assert {"examine", "compare"} <= completed(shell, tmp_path, "node-checkup", "")
    assert {"--scenario", "--sarif"} <= completed(shell, tmp_path, "node-checkup", "examine", "--s")
    assert "--pairs" not in completed(shell, tmp_path, "node-checkup", "examine", "--")
    assert {"bash", "zsh"} <= completed(shell, tmp_path, "node-checkup", "completion", "")

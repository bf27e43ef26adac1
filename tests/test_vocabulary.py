"""Names of locals say what they hold: each room is held to the count of today, or to fewer."""

import ast
import textwrap

import pytest

from bench import vocabulary


def vague(tmp_path, monkeypatch, code, name="part.py"):
    monkeypatch.setattr(vocabulary, "ROOT", tmp_path)
    file = tmp_path / name
    file.write_text(textwrap.dedent(code))
    return {local.name for local in vocabulary.python_locals(file) if local.vague}


def test_a_pronoun_that_lives_long_is_counted_and_a_short_one_is_not(tmp_path, monkeypatch):
    body = "\n".join(f"    print({n})" for n in range(6))
    assert vague(tmp_path, monkeypatch, f"def f():\n    found = g()\n{body}\n    h(found)\n") == {
        "found"
    }
    assert vague(tmp_path, monkeypatch, "def f():\n    found = g()\n    h(found)\n") == set()


@pytest.mark.parametrize("value", ["a > b", "not a", "True", "any(a)", "a > b and not c"])
def test_a_participle_may_name_a_boolean(value):
    assert vocabulary.is_boolean(ast.parse(value, mode="eval").body)


@pytest.mark.parametrize("value", ["a or b", "f(a)", "1", "[a]", "None"])
def test_other_values_are_no_boolean(value):
    assert not vocabulary.is_boolean(ast.parse(value, mode="eval").body)


@pytest.mark.parametrize("name", ["found", "one", "_seen", "asked", "rendered", "whose"])
def test_vague_names(name):
    assert vocabulary.is_vague(name)


@pytest.mark.parametrize(
    "name", ["seed", "speed", "run", "trial", "speed_ms", "is_known", "isWatched", "path"]
)
def test_names_that_say_what_they_hold(name):
    assert not vocabulary.is_vague(name)


def test_scripts_are_counted_by_scope():
    lines = "\n".join("  step();" for _ in range(6))
    code = f"function f(found) {{\n{lines}\n  return found;\n}}\nconst told = 1;\n"
    file = vocabulary.ROOT / "tests" / "__pycache__" / "vocabulary.js"
    file.parent.mkdir(exist_ok=True)
    file.write_text(code)
    try:
        [local] = vocabulary.javascript_locals([file])
    finally:
        file.unlink()
    assert (local.name, local.lines, local.vague) == ("found", 8, True)


def test_counts_of_vague_names_only_fall():
    counts = vocabulary.vague_counts(vocabulary.all_locals())
    limits = vocabulary.limits()
    risen = {
        room: f"{count}, was {limits.get(room, 0)}"
        for room, count in counts.items()
        if count > limits.get(room, 0)
    }
    assert risen == {}, (
        "Name these locals for what they hold: `.venv/bin/python bench/vocabulary.py ROOM` "
        f"says where. A room that took them over from another takes its count in "
        f"tests/vocabulary.toml along. {risen}"
    )

"""What a notebook means by the name of a program: its own folder's, or one beside it."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import lab
from lab import paths
from lab.errors import LabError


@pytest.fixture
def part(tmp_path, monkeypatch):
    """A part of a book, seen from its chapter `one`."""
    for name in ("one/own.mjs", "two/own.mjs", "two/other.mjs", "beside.mjs", "one/beside.mjs"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(f"console.log('{name}');\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LAB_CHAPTER", "part/one")
    return tmp_path


def test_a_name_is_looked_up_in_the_folder_of_the_chapter_and_then_beside_it(part):
    assert paths.program("own.mjs") == part / "one/own.mjs"
    assert paths.program("beside.mjs") == part / "one/beside.mjs"
    (part / "one/beside.mjs").unlink()
    assert paths.program(Path("beside.mjs")) == part / "beside.mjs"


def test_a_path_starts_in_the_folder_of_the_chapter_or_beside_it(part):
    for path in ("../two/own.mjs", "two/own.mjs", part / "two/own.mjs"):
        assert paths.program(path) == part / "two/own.mjs"


@pytest.mark.parametrize("called", ["one.md", "book/part/one.ipynb"])
def test_a_notebook_in_jupyterlab_is_known_by_its_file(part, monkeypatch, called):
    monkeypatch.delenv("LAB_CHAPTER")
    monkeypatch.setenv("JPY_SESSION_NAME", called)
    assert paths.program("own.mjs") == part / "one/own.mjs"


def test_a_copy_of_a_chapter_finds_what_only_one_folder_beside_it_has(part, monkeypatch):
    monkeypatch.setenv("LAB_CHAPTER", "part/my-one")
    assert paths.program("other.mjs") == part / "two/other.mjs"
    assert paths.program("../two/own.mjs") == part / "two/own.mjs"
    with pytest.raises(
        paths.NoProgram, match=r"own\.mjs\. It may be .*/one/own.mjs or .*/two/own.mjs"
    ):
        paths.program("own.mjs")


def test_a_chapter_does_not_take_what_another_one_has(part):
    with pytest.raises(paths.NoProgram, match=re.escape(f"no file other.mjs in {part}/one or ")):
        paths.program("other.mjs")


@pytest.mark.parametrize("find", [lab.node, lab.trace])
def test_both_verbs_say_where_they_looked(part, find):
    looked = (
        f"There is no file gone.mjs in {part}/one or {part}. Give a path relative to that folder."
    )
    with pytest.raises(LabError, match=re.escape(looked)):
        find("gone.mjs")
    with pytest.raises(LabError, match=re.escape(f"There is no file {part}/gone.mjs.")):
        find(part / "gone.mjs")


def test_without_a_folder_of_its_own_a_notebook_hears_of_the_working_directory(part, monkeypatch):
    monkeypatch.setenv("LAB_CHAPTER", "part/three")
    with pytest.raises(
        paths.NoProgram,
        match=re.escape(f"gone.mjs in {part}. Give a path relative to that folder."),
    ):
        paths.program("gone.mjs")


@pytest.mark.parametrize("name", ["\0.mjs", f"{'x' * 5000}.mjs", "", "."])
def test_a_name_that_no_file_can_have_is_an_error_like_others(part, name):
    with pytest.raises(paths.NoProgram):
        paths.program(name)


def test_runs_may_lie_elsewhere_so_that_students_of_one_folder_do_not_share_them(tmp_path):
    say = "from lab import paths, claims\nprint(paths.RUNS, paths.STATE, paths.FILES, sep='\\n')"
    env = {name: value for name, value in os.environ.items() if name != "LAB_STATE"}
    paths_printed = subprocess.run(
        [sys.executable, "-c", say],
        env={**env, "LAB_RUNS": str(tmp_path / "ann")},
        cwd=paths.ROOT,
        text=True,
        capture_output=True,
        check=True,
    ).stdout.splitlines()
    assert paths_printed == [str(tmp_path / "ann" / name) for name in ("", ".state", "files")]

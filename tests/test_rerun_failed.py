"""Tests that failed beside others run a second time, one after another."""

import os
import subprocess
import sys

import pytest

from lab import paths

SCRIPT = paths.ROOT / "tools" / "rerun_failed.py"
EACH_SECOND_RUN = """
import pathlib, pytest
@pytest.mark.parametrize("name", ["a", "b c"])
def test_busy(name):
    note = pathlib.Path(__file__).with_name(name)
    first = not note.exists()
    note.touch()
    assert not first
"""


@pytest.fixture
def rerun(tmp_path):
    def run(text, *arguments, limit=8):
        (tmp_path / "test_it.py").write_text(text)
        options = ["-p", "no:cacheprovider", "-n", "2", *arguments, "test_it.py"]
        command = [sys.executable, str(SCRIPT), str(limit), *options]
        env = {name: value for name, value in os.environ.items() if name != "PYTEST_ADDOPTS"}
        return subprocess.run(
            command, capture_output=True, text=True, check=False, cwd=tmp_path, env=env
        )

    return run


def test_what_passes_the_second_time_is_named_and_no_failure(rerun):
    done = rerun(EACH_SECOND_RUN)
    assert done.returncode == 0
    named = done.stdout.partition("failed next to others but passed alone")[2]
    assert "test_it.py::test_busy[a]\n" in named
    assert "test_it.py::test_busy[b c]\n" in named


@pytest.mark.parametrize("limit", [0, 1])
def test_more_failures_than_the_limit_are_failures(rerun, limit):
    done = rerun(EACH_SECOND_RUN, limit=limit)
    assert done.returncode == 1
    assert "once more" not in done.stdout


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("def test_wrong():\n    assert False", 1),
        ("import pytest\n@pytest.fixture\ndef broken():\n    assert False\n"
         "def test_set_up(broken): pass", 1),
        ("import nothing_of_the_kind", 1),  # each worker's collection fails
        ("", 5),
    ],
)  # fmt: skip
def test_what_fails_twice_fails_and_no_test_is_not_green(rerun, text, code):
    assert rerun(text).returncode == code


def test_where_a_file_of_tests_cannot_be_read_nothing_becomes_green(rerun, tmp_path):
    (tmp_path / "test_unread.py").write_text("import nothing_of_the_kind")
    done = rerun(EACH_SECOND_RUN, "--continue-on-collection-errors", "test_unread.py")
    assert "2 failed" in done.stdout
    assert done.returncode == 1
    assert "once more" not in done.stdout


def test_test_files_import_from_the_folder_of_the_call(rerun, tmp_path):
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "part.py").write_text("PART = 1")
    text = "from parts.part import PART\ndef test_part():\n    assert PART == 1"
    assert rerun(text, "--import-mode=importlib").returncode == 0


def test_a_lost_worker_is_a_failure_that_runs_again(rerun):
    text = EACH_SECOND_RUN.replace("assert not first", "__import__('os')._exit(3) if first else 0")
    done = rerun(text)
    assert done.returncode == 0
    assert "test_busy[a]" in done.stdout.partition("passed alone")[2]

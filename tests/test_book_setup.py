"""tools/setup.sh on machines that lack something: one line says what, nothing is half made."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
UTILITIES = ["sh", "cat", "cksum", "cut", "dirname", "grep", "mkdir", "mv", "paste", "ps", "rm"]
UTILITIES += ["sleep", "tr"]


@pytest.fixture
def machine(tmp_path):
    """A folder with the set-up script, and a PATH with nothing but what the test puts there."""
    shutil.copytree(ROOT / "tools", tmp_path / "tools")
    for name in ("requirements.txt", "pyproject.toml", "package.json", "package-lock.json"):
        shutil.copy(ROOT / name, tmp_path)
    (tmp_path / "bin").mkdir()
    for name in UTILITIES:
        if found := shutil.which(name):  # ps is not everywhere
            (tmp_path / "bin" / name).symlink_to(found)
    return tmp_path


def program(machine, name, script):
    path = machine / "bin" / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def set_up(machine, timeout_s=60):
    return run(machine, "tools/setup.sh", timeout_s)


def run(machine, script, timeout_s=60):
    return subprocess.run(
        ["sh", script],
        cwd=machine,
        env={"PATH": str(machine / "bin"), "HOME": os.environ.get("HOME", "/")},
        capture_output=True,
        text=True,
        timeout=timeout_s,
        check=False,
    )


def complains(machine, text):
    done = set_up(machine)
    assert done.returncode == 1
    assert text in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (machine / ".venv").exists()
    assert not (machine / ".setup-lock").exists()


def test_without_node_it_says_so(machine):
    complains(machine, "Node is missing: install Node 20 or newer")


def test_an_old_node_is_named_with_its_version(machine):
    program(machine, "node", "echo v18.19.1")
    complains(machine, "Node v18.19.1 is too old")


def test_an_old_python_is_named_with_its_version(machine):
    program(machine, "node", "echo v20.1.0")
    program(machine, "npm", "exit 0")
    program(machine, "python3", 'case $1 in --version) echo "Python 3.8.1";; *) exit 1;; esac')
    complains(machine, "Python 3.10 to 3.13 is missing (python3 is: Python 3.8.1)")


def test_a_python_without_venv_is_told_which_package_has_it(machine):
    program(machine, "node", "echo v20.1.0")
    program(machine, "npm", "exit 0")
    script = "case $2 in *ensurepip*) exit 1;; *print*) echo python3.11-venv;; *) exit 0;; esac"
    program(machine, "python3", script)
    complains(machine, "apt install python3.11-venv")


def test_a_lock_left_by_a_killed_set_up_is_taken_over(machine):
    (machine / ".setup-lock").mkdir()
    (machine / ".setup-lock/pid").write_text("999999\n")
    complains(machine, "Node is missing")


def test_a_lock_without_a_name_is_taken_over_after_a_while(machine):
    (machine / ".setup-lock").mkdir()
    done = set_up(machine)
    assert "Waiting for another set-up in this folder (process unknown)." in done.stderr
    assert "Node is missing" in done.stderr
    assert not list(machine.glob(".setup-lock*"))


def test_the_lock_of_a_living_process_is_respected(machine):
    (machine / ".setup-lock").mkdir()
    (machine / ".setup-lock/pid").write_text("1\n")  # often another user's
    with pytest.raises(subprocess.TimeoutExpired):
        set_up(machine, timeout_s=3)
    assert (machine / ".setup-lock/pid").read_text() == "1\n"


def test_optional_programs_that_cannot_be_installed_are_no_failure(machine):
    program(machine, "id", "echo 0")
    program(machine, "apt-get", "echo no network >&2; exit 100")
    (machine / "bin/env").symlink_to(shutil.which("env"))
    script = (machine / "tools/programs.sh").read_text()
    script = script.replace("PATH=$PATH:/usr/sbin:/usr/local/sbin", "")  # of the real machine
    (machine / "tools/programs.sh").write_text(script)
    done = run(machine, "tools/programs.sh")
    assert done.returncode == 0
    assert "not available here: chromium" in done.stdout
    assert "not available here: wrk" in done.stdout


def test_without_a_browser_make_test_says_so_before_anything_else(machine):
    shutil.copy(ROOT / "Makefile", machine)
    done = subprocess.run(
        [shutil.which("make"), "test"],
        cwd=machine,
        env={"PATH": str(machine / "bin"), "CHROME": str(machine / "no-chrome")},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode != 0
    assert "make test needs Chromium or Chrome" in done.stderr
    assert done.stdout == ""

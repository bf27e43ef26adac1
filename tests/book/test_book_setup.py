"""tools/setup.sh on machines that lack something: one line says what, nothing is half made."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
UTILITIES = ["sh", "cat", "cksum", "cut", "dirname", "grep", "ln", "mkdir", "mv", "paste", "rm"]
UTILITIES += ["rmdir", "sed", "sleep", "tr", "uname"]
PROJECT = ["requirements.txt", "pyproject.toml", "package.json", "package-lock.json", ".npmrc"]
PROJECT += [
    "lab/kernels/kernelspec.py",
    "lab/processes/nodes.py",
    *(f"requirements/{layer}.txt" for layer in ("postgres", "lab", "preview", "dev", "hub")),
    *(f"tools/live/{name}" for name in ("package.json", "package-lock.json", "bundle.mjs")),
    "lab/live/client/live.js",
    "lab/simulator/page/code.css",
]
LIVE = "--omit=dev"  # what npm is asked for with JupyterLab, for live pages
# Says that it is this version, writes down what pip is asked for, and fails at it if told to.
PYTHON = """
case "$1 $2" in
  "--version "*) echo "Python {version}.1" ;;
  "-m venv") mkdir -p "$3/bin"; cat "$0" > "$3/bin/python"; {chmod} +x "$3/bin/python" ;;
  "-m pip") echo "$*" >> '{log}'; case "$*" in *"$FAIL_AT"*) [ -z "$FAIL_AT" ] || exit 1 ;; esac ;;
  "-c "*) exec '{python}' -c "import sys; sys.version_info = ({tuple}, 1); $2" ;;
esac
"""
NPM = """
echo "npm $*" >> "{log}"
rm -rf node_modules
for system in linux darwin win32; do
  for processor in x64 arm64; do mkdir -p node_modules/zeromq6/build/$system/$processor; done
done
"""


def made(folder):
    """A folder with the set-up script, and a PATH with nothing but what the test puts there."""
    (folder / "tools").mkdir(parents=True)
    for script in (ROOT / "tools").glob("*.sh"):
        shutil.copy(script, folder / "tools")
    for name in [
        *PROJECT,
        *(file.relative_to(ROOT) for file in ROOT.glob("lab/node/*/package.json")),
    ]:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    (folder.parent / "bin").mkdir()
    for name in UTILITIES:
        (folder.parent / "bin" / name).symlink_to(shutil.which(name))
    return folder


@pytest.fixture
def machine(tmp_path):
    return made(tmp_path / "a book")


@pytest.fixture
def complete(machine):
    """One with a Node, an npm and a Python that write down what they are asked for."""
    program(machine, "node", "echo v24.1.0")
    program(machine, "npm", NPM.format(log=machine / "log"))
    python(machine, "python3", "3.13")
    return machine


def program(machine, name, script):
    path = machine.parent / "bin" / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def python(machine, name, version):
    facts = {"log": machine / "log", "python": sys.executable, "tuple": version.replace(".", ", ")}
    chmod = shutil.which("chmod")
    program(machine, name, PYTHON.format(version=version, chmod=chmod, **facts))


def set_up(machine, *layers, timeout_s=600, **env):
    return run(machine, "tools/setup.sh", *layers, timeout_s=timeout_s, **env)


def run(machine, script, *words, timeout_s=600, **env):
    return subprocess.run(
        ["sh", script, *words],
        cwd=machine,
        env={"PATH": str(machine.parent / "bin"), **env},  # no HOME: some containers have none
        capture_output=True,
        text=True,
        timeout=timeout_s,
        check=False,
    )


def asked(machine):
    """What pip and npm were asked to install since the last time: lock files, and npm's option."""
    log = machine / "log"
    said = log.read_text().splitlines() if log.exists() else []
    log.unlink(missing_ok=True)
    words = [line.split() for line in said]
    files = [w[-1] for w in words if w[:1] == ["-m"] and "-r" in w]
    return files + [w[2] for w in words if w[0] == "npm"]


def bundled(machine):
    """What Node was asked to run while JupyterLab is set up again."""
    program(machine, "node", 'case $1 in --version) echo v24.1.0 ;; *) echo "ran $*" ;; esac')
    return set_up(machine, "lab").stdout


def complains(machine, text, layer=None, **env):
    done = set_up(machine, *filter(None, [layer]), **env)
    assert done.returncode == 1
    assert text in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (machine / ".venv").exists()
    assert not (machine / ".setup-lock").exists()


def test_without_node_it_says_so(machine):
    complains(machine, "Node is missing: install Node 22, 24 or 26")


def test_an_old_node_is_named_with_its_version(machine):
    program(machine, "node", "echo v18.19.1")
    complains(machine, "Node v18.19.1 is too old")


def test_the_node_that_lab_node_names_is_enough(complete):
    (complete.parent / "bin/node").rename(complete.parent / "theirs")
    complains(complete, "or set LAB_NODE to the path of one")
    done = set_up(complete, LAB_NODE=str(complete.parent / "theirs"))
    assert (done.returncode, done.stderr) == (0, "")
    assert asked(complete) == ["requirements.txt", "--omit=dev"]


def test_make_finds_npm_beside_the_node_that_lab_node_names_after_those_on_the_path(complete):
    theirs = complete / "the other"
    theirs.mkdir()
    for name in ("node", "npm"):
        (complete.parent / "bin" / name).rename(theirs / name)
    (complete / "where.mk").write_text("where: ; @command -v node; command -v npm\n")

    def found(node):
        words = [shutil.which("make"), "-f", ROOT / "Makefile", "-f", "where.mk", "where"]
        env = {"PATH": str(complete.parent / "bin"), "LAB_NODE": node}
        done = subprocess.run(
            words, cwd=complete, env=env, capture_output=True, text=True, check=False
        )
        return done.stdout.splitlines()

    assert found(str(theirs / "node")) == [str(theirs / "node"), str(theirs / "npm")]
    assert found("the other/node") == [str(theirs / "node"), str(theirs / "npm")]
    assert found("/no/node") == found("") == []
    program(complete, "npm", "")
    assert found(str(theirs / "node"))[1] == str(complete.parent / "bin/npm")


def test_a_lab_node_that_is_none_is_told_though_there_is_another(complete):
    program(complete, "mute", "exit 3")
    program(complete, "old", "echo v18.19.1")
    complains(complete, "LAB_NODE=/no/node is not there or not executable", LAB_NODE="/no/node")
    complains(
        complete, "mute is not Node: asked for its version, it said: nothing", LAB_NODE="mute"
    )
    complains(complete, "Node v18.19.1 is too old", LAB_NODE="old")


def test_without_npm_it_says_so(machine):
    program(machine, "node", "echo v24.1.0")
    complains(machine, "npm is missing: it comes with Node")


def test_an_old_python_is_named_with_its_version(complete):
    python(complete, "python3", "3.10")
    complains(complete, "Python 3.11 to 3.15 is missing (python3 is: Python 3.10.1)")


@pytest.mark.parametrize("version", ["3.11", "3.15"])
def test_the_oldest_and_the_newest_python_do(complete, version):
    python(complete, "python3", version)
    done = set_up(complete)
    assert (done.returncode, done.stderr) == (0, "")
    assert f"Making .venv with Python {version}.1" in done.stdout


def test_beside_a_python_that_is_too_new_one_that_was_tried_is_taken(complete):
    python(complete, "python3", "3.16")
    python(complete, "python3.12", "3.12")
    assert "Making .venv with Python 3.12.1" in set_up(complete).stdout


def test_a_newer_python_is_tried_and_named_only_if_packages_are_missing(complete):
    python(complete, "python3", "3.16")
    done = set_up(complete, FAIL_AT="-r requirements.txt")
    assert done.returncode == 1
    assert "Python 3.16.1 is newer than what this book's packages are made for" in done.stderr
    done = set_up(complete)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_python_that_was_named_is_the_one_or_none_is(complete):
    python(complete, "python3.12", "3.12")
    python(complete, "old", "3.9")
    assert "Making .venv with Python 3.12.1" in set_up(complete, PYTHON="python3.12").stdout
    shutil.rmtree(complete / ".venv")
    complains(
        complete, "PYTHON=old is not Python 3.11 or newer (it is: Python 3.9.1)", PYTHON="old"
    )


def test_a_kept_environment_of_an_older_python_is_made_again(complete):
    python(complete, "python3", "3.14")
    set_up(complete)
    python(complete, ".venv", "3.10")
    (complete.parent / "bin/.venv").rename(complete / ".venv/bin/python")
    assert "Making .venv with Python 3.14.1" in set_up(complete).stdout


def test_the_book_installs_nothing_that_only_other_commands_need(complete):
    done = set_up(complete)
    assert (done.returncode, done.stderr) == (0, "")
    assert asked(complete) == ["requirements.txt", "--omit=dev"]


def test_what_one_chapter_needs_is_installed_when_it_is_asked_for_after_what_builds_it(complete):
    set_up(complete, "postgres")
    assert asked(complete) == ["requirements.txt", "requirements/postgres.txt", "--omit=dev"]
    assert "\nsetuptools==" in (complete / "requirements.txt").read_text()


def test_a_second_time_there_is_nothing_to_do(complete):
    set_up(complete)
    asked(complete)
    done = set_up(complete)
    assert (done.stdout, asked(complete)) == ("", [])


def test_what_a_layer_adds_is_installed_once_and_stays(complete):
    set_up(complete)
    asked(complete)
    set_up(complete, "dev")
    assert asked(complete) == ["requirements/dev.txt", "--include=dev"]
    set_up(complete)
    set_up(complete, "dev")
    assert asked(complete) == []
    set_up(complete, "lab")
    assert asked(complete) == ["requirements/lab.txt", LIVE]
    set_up(complete, "lab")
    assert asked(complete) == []
    for source in ("lab/live/client/live.js", "lab/simulator/page/code.css"):
        (complete / source).write_text("changed")
        assert "tools/live/bundle.mjs" in bundled(complete)
    assert asked(complete) == []
    assert bundled(complete) == ""


def test_a_changed_lock_file_is_installed_again_and_keeps_what_was_there(complete):
    set_up(complete, "dev")
    asked(complete)
    with (complete / "package-lock.json").open("a") as lock:
        lock.write("\n")
    set_up(complete)
    assert asked(complete) == ["--include=dev"]
    with (complete / "requirements/dev.txt").open("a") as lock:
        lock.write("nothing==1\n")
    set_up(complete)
    assert asked(complete) == ["requirements/dev.txt"]


def test_what_a_layer_installed_once_keeps_in_step_and_is_checked_when_all_is_there(complete):
    set_up(complete, "dev", "lab")
    for name in ("requirements.txt", "requirements/lab.txt", "requirements/dev.txt"):
        with (complete / name).open("a") as lock:
            lock.write("other==2\n")
    (complete / "log").unlink()
    # What is begun and does not end is still there, and joins the next time too.
    assert set_up(complete, FAIL_AT="-r requirements/lab.txt").returncode == 1
    assert set_up(complete).returncode == 0
    pip = [line.split()[-1] for line in (complete / "log").read_text().splitlines()]
    files = [word for word in pip if word == "check" or word.startswith("requirements")]
    assert files == [
        "requirements.txt",
        "requirements/lab.txt",
        "requirements/lab.txt",
        "requirements/dev.txt",
        "check",
    ]


def test_packages_that_do_not_fit_together_are_told_until_they_do(complete):
    for _ in range(2):
        done = set_up(complete, FAIL_AT="pip check")
        assert done.returncode == 1
        assert "do not fit together" in done.stderr
        assert "Remove .venv" in done.stderr
    assert set_up(complete).returncode == 0
    assert set_up(complete, FAIL_AT="pip check").returncode == 0, "and then not asked again"


def test_an_install_that_failed_is_repeated_and_what_was_finished_is_not(complete):
    done = set_up(complete, "lab", FAIL_AT="-r requirements/lab.txt")
    assert done.returncode == 1
    assert "pip could not install what requirements/lab.txt names" in done.stderr
    assert asked(complete) == ["requirements.txt", "requirements/lab.txt"]
    assert set_up(complete, "lab").returncode == 0
    assert asked(complete) == ["requirements/lab.txt", "--omit=dev", LIVE]


def test_binaries_for_other_systems_do_not_stay(complete):
    set_up(complete)
    build = complete / "node_modules/zeromq6/build"
    processor = {"x86_64": "x64", "aarch64": "arm64"}.get(os.uname().machine, os.uname().machine)
    kept = [str(folder.relative_to(build)) for folder in build.glob("*/*")]
    assert kept == [f"{sys.platform}/{processor}"]
    assert [folder.name for folder in build.iterdir()] == [sys.platform]


def test_an_unknown_layer_is_named(complete):
    complains(
        complete,
        "tools/setup.sh knows dev, hub, lab, postgres, preview, not test.",
        layer="test",
    )


@pytest.mark.parametrize("name", ["of $x", "a:b", "a\\b"])
def test_a_folder_that_packaging_tools_cannot_do_with_is_named(tmp_path, name):
    machine = made(tmp_path / name)
    complains(machine, f"This folder is {machine}")


def test_a_folder_that_only_a_class_cannot_do_with_is_named_to_a_class_alone(tmp_path):
    machine = made(tmp_path / "100%20%s")
    program(machine, "node", "echo v9.9.9")
    complains(machine, f"This folder is {machine}, and nbgrader opens no", layer="classroom")
    complains(machine, "Node v9.9.9 is too old", layer="dev")


def test_a_python_without_venv_is_told_which_package_has_it(machine):
    program(machine, "node", "echo v24.1.0")
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
    (machine.parent / "bin/sleep").unlink()
    program(machine, "sleep", 'echo "$1" >>slept')
    done = set_up(machine)
    assert sum(map(int, (machine / "slept").read_text().split())) == 12
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
    (machine.parent / "bin/env").symlink_to(shutil.which("env"))
    script = (machine / "tools/programs.sh").read_text()
    script = script.replace("PATH=$PATH:/usr/sbin:/usr/local/sbin", "")  # of the real machine
    (machine / "tools/programs.sh").write_text(script)
    done = run(machine, "tools/programs.sh")
    assert done.returncode == 0
    assert "not available here: wrk" in done.stdout
    assert "not available here: artillery, pm2" in done.stdout

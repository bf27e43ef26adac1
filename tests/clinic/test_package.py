"""The clinic as a package of its own: what is in it, what it needs, and how npx starts it."""

import compileall
import json
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
from house import ROOT
from staging_module import CHECKUP, staging

from lab.processes import nodes

LAUNCHER = CHECKUP / "bin" / "node-checkup.mjs"
NEEDS = {"psutil", "jinja2", "markupsafe"}
# Nothing but the standard library, what the package declares, and the package itself is found.
ALONE = f"""
import sys
class Alone:
    def find_spec(self, name, path=None, target=None):
        top = name.partition(".")[0]
        if top not in sys.stdlib_module_names and top not in {NEEDS | {"node_checkup"}!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Alone())
"""
SERVER = """
import http from "node:http";
import { pbkdf2Sync } from "node:crypto";
const answer = (request, response) => response.end(pbkdf2Sync("a", "b", 40000, 32, "sha256"));
http.createServer(answer).listen(process.env.PORT, "127.0.0.1");
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    folder = tmp_path_factory.mktemp("built")
    command = [sys.executable, str(CHECKUP / "build.py"), str(folder)]
    subprocess.run(command, check=True, capture_output=True)
    return folder


@pytest.fixture(scope="module")
def installed(built, tmp_path_factory):
    """The wheel's files in a folder that is not written to."""
    folder = tmp_path_factory.mktemp("installed")
    with zipfile.ZipFile(next(built.glob("*.whl"))) as wheel:
        wheel.extractall(folder)
    assert compileall.compile_dir(folder, quiet=2)  # as pip does
    return folder


def alone(installed, program, **options):
    environment = {**os.environ, "PYTHONPATH": str(installed), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(
        [sys.executable, "-c", ALONE + program],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        env={**environment, **options.pop("env", {})},
        **options,
    )


def test_the_wheel_has_the_files_that_are_needed_and_no_others(installed):
    files = {file.relative_to(installed) for file in installed.rglob("*.*") if file.is_file()}
    files = {file for file in files if file.suffix != ".pyc"}
    code = {file for file in files if file.parts[0] == "node_checkup"}
    assert {file.parts[0] for file in files - code} == {"node_checkup-0.1.0.dist-info"}
    stage = staging()
    package_files = {Path("node_checkup", *file.parts[1:]) for file in code if file.suffix == ".py"}
    modules = {
        Path("node_checkup", *name.split(".")[1:]).with_suffix(".py")
        if file.name != "__init__.py"
        else Path("node_checkup", *name.split(".")[1:], "__init__.py")
        for name, file in stage.modules().items()
    }
    assert modules <= package_files
    generated = {Path("node_checkup/__main__.py"), Path("node_checkup/clinic/name.py")}
    assert {file for file in package_files - modules if file.name != "__init__.py"} == generated
    other_files = {file.as_posix() for file in code - package_files}
    javascript = {
        f"node_checkup/node/{room}/{file.name}"
        for room in ("clinic", "loadgen")
        for file in (ROOT / "lab" / "node" / room).glob("*.?js")
    }
    javascript -= {"node_checkup/node/loadgen/calibration-server.mjs"}
    assert other_files == {"node_checkup/clinic/report.schema.json", *javascript}
    rooms = {file.parts[1] for file in code}
    assert rooms.isdisjoint({"book", "kernels", "widgets", "grading", "classroom", "live"})


def test_every_module_of_it_loads_with_nothing_but_what_it_declares(installed):
    program = """
import importlib, pathlib, node_checkup
root = pathlib.Path(node_checkup.__file__).parent
for file in sorted(root.rglob("*.py")):
    parts = file.relative_to(root.parent).with_suffix("").parts
    if parts[-1] not in ("__main__", "guard"):
        importlib.import_module(".".join(parts[:-1] if parts[-1] == "__init__" else parts))
print(sorted({name.partition(".")[0] for name in sys.modules} & {"lab", "matplotlib", "scipy"}))
"""
    seen = alone(installed, program)
    assert seen.stdout == "[]\n", seen.stderr


def test_starting_it_imports_nothing_outside_the_standard_library(installed):
    program = """
before = set(sys.modules)
import node_checkup.clinic.checkup
tops = {name.partition(".")[0] for name in set(sys.modules) - before}
print(sorted(tops - set(sys.stdlib_module_names)))
"""
    seen = alone(installed, program)
    assert seen.stdout == "['node_checkup']\n", seen.stderr


@pytest.mark.alone
def test_it_examines_a_server_elsewhere_and_writes_nothing_beside_itself(installed, tmp_path):
    (tmp_path / "app.mjs").write_text(SERVER)
    before = {file: file.stat().st_mtime_ns for file in installed.rglob("*")}
    program = """
from node_checkup.clinic import direct, outputs, report
examination = direct.order(["node", "app.mjs"], load_s=2.0).examined(lambda _: None)
open("page.html", "w").write(report.page(examination))
print(outputs.examination_json(examination))
"""
    caches = tmp_path / "caches"
    seen = alone(installed, program, cwd=tmp_path, env={"XDG_CACHE_HOME": str(caches)})
    found = json.loads(seen.stdout or "null") or pytest.fail(seen.stderr)
    assert found["first"] == "blocked loop"
    place = found["findings"][0]["places"][0]
    assert (place["file"], place["line"]) == (str(tmp_path / "app.mjs"), 4)
    assert "<svg" in (tmp_path / "page.html").read_text()
    assert {file: file.stat().st_mtime_ns for file in installed.rglob("*")} == before
    assert (caches / "node-checkup").is_dir()


def test_the_package_for_npx_is_the_launcher_and_the_wheel(built):
    with tarfile.open(next(built.glob("*.tgz"))) as package:
        names = {member.name.removeprefix("package/") for member in package.getmembers()}
    wheel = "node_checkup-0.1.0-py3-none-any.whl"
    assert names == {"LICENSE", "README.md", "package.json", "bin/node-checkup.mjs", wheel}


def test_the_package_for_npx_names_the_repository_whose_workflow_publishes_it(tmp_path):
    """npm refuses a package of a workflow whose repository it does not name."""
    command = [sys.executable, str(CHECKUP / "build.py"), str(tmp_path)]
    environment = {**os.environ, "LAB_REPOSITORY_URL": "https://git.example/us/course"}
    subprocess.run(command, check=True, capture_output=True, env=environment)
    with tarfile.open(next(tmp_path.glob("*.tgz"))) as package:
        manifest = json.load(package.extractfile("package/package.json"))
    assert manifest["repository"]["url"] == "git+https://git.example/us/course.git"


@pytest.fixture
def launched(tmp_path):
    """The launcher as npx unpacks it, run with nothing on the PATH but the programs given."""
    package, programs = tmp_path / "package", tmp_path / "programs"
    (package / "bin").mkdir(parents=True)
    programs.mkdir()
    shutil.copy(LAUNCHER, package / "bin")
    (package / "node_checkup-0.1.0-py3-none-any.whl").touch()

    def run(*words, **scripts):
        for name, script in scripts.items():
            (programs / name).write_text(f"#!/bin/sh\n{script}\n")
            (programs / name).chmod(0o755)
        return subprocess.run(
            [nodes.program(), str(package / "bin" / LAUNCHER.name), *words],
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
            env={"PATH": str(programs), "HOME": str(tmp_path)},
        )

    return run


def test_the_launcher_says_in_one_sentence_that_there_is_no_python(launched):
    for scripts in ({}, {"python3": "echo 3 9"}):
        seen = launched("--version", **scripts)
        assert seen.returncode == 2
        assert seen.stderr.count("\n") == 1
        assert "needs Python 3.11 or newer, and none is on the PATH. Install it" in seen.stderr


def test_the_launcher_says_what_is_missing_where_python_makes_no_environment(launched):
    answer = '[ "$2" = venv ] && { echo No module named venv >&2; exit 1; }; echo 3 11'
    seen = launched("--version", python3=answer)
    assert seen.returncode == 2
    assert "the package python3-venv" in seen.stderr
    assert "No module named venv" in seen.stderr


def test_the_launcher_passes_words_and_exit_code_through_and_prefers_uv(launched):
    seen = launched("examine", "--", "node", "my app.mjs", uv='printf "%s|" "$@"; [ $# = 1 ]')
    assert seen.returncode == 1
    assert seen.stdout.endswith("node-checkup|examine|--|node|my app.mjs|")


def test_the_launcher_makes_its_environment_once(launched, tmp_path):
    venv = (
        'mkdir -p "$3/bin"; echo made >>"$HOME/log"; '
        'printf "#!/bin/sh\\nshift; echo \\"\\$@\\"" >"$3/bin/python"; chmod +x "$3/bin/python"'
    )
    python = f'if [ "$2" = venv ]; then {venv}; else echo 3 12; fi'
    path = os.defpath
    for _ in range(2):
        seen = launched("--version", python3=f"PATH={path}; {python}")
        assert (seen.returncode, seen.stdout) == (0, "node_checkup --version\n"), seen.stderr
    assert (tmp_path / "log").read_text() == "made\n"

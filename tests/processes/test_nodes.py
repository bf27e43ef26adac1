"""Which Node is meant: one answer, whoever asks; and the Nodes that `make nodes` brings."""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import lab
from lab import LabError, paths
from lab import __main__ as main
from lab.book import __main__ as book
from lab.book.pipeline import inputs
from lab.instruments import machine_facts
from lab.instruments.adapters import ToolSpec, adapter
from lab.kernels import kernelspec
from lab.measure import generator
from lab.processes import nodes
from lab.servers import versions
from lab.servers.recipe import MissingProgram
from lab.trace import nodes as traced_with

WHO = "import { execFileSync } from 'node:child_process';\n"
WHO += "const named = execFileSync('node', ['-p', 'process.version'], { encoding: 'utf8' });\n"
WHO += "console.log(JSON.stringify({ own: process.version, named: named.trim() }));\n"
SERVER = """
import { execFileSync } from "node:child_process";
import { createServer } from "node:http";
const named = execFileSync("node", ["-p", "process.version"], { encoding: "utf8" }).trim();
const server = createServer((_, response) => response.end(`${process.version} ${named}`));
server.listen(Number(process.env.PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
"""


@pytest.fixture
def other(monkeypatch):
    """Version of a Node that LAB_NODE names and the PATH does not."""
    on_path = shutil.which("node")
    versions_there = {path: nodes.version(path) for path in nodes.brought().values()}
    found = [p for p, v in versions_there.items() if v != nodes.version(on_path)]
    assert found, "make pytest brings Nodes into tools/nodes first"
    monkeypatch.setenv("LAB_NODE", found[0])
    return versions_there[found[0]]


def test_servers_and_what_they_start_by_name_run_on_the_node_that_is_meant(other, program):
    recipe = program(SERVER)
    assert versions.of(recipe) == f"v{other}"
    with recipe.start() as running:
        assert running.get("/").text == f"v{other} v{other}"


def test_programs_of_chapters_and_what_they_start_by_name_run_on_it(other, tmp_path):
    who = tmp_path / "who.mjs"
    who.write_text(WHO)
    assert lab.node(who).rows == [{"own": f"v{other}", "named": f"v{other}"}]
    made = lab.trace(who, runs=1)
    assert made.versions == [f"v{other}"]
    assert json.loads(made.orders[0].lines[0]) == {"own": f"v{other}", "named": f"v{other}"}


def test_generators_run_on_it(other, hello, program):
    with generator.Generator() as started:
        assert started._process.args[0] == os.environ["LAB_NODE"]
    with program(hello).start() as running:
        for name in ("ours", "autocannon"):
            tool = adapter(name)
            if tool.present().version:
                spec = ToolSpec(running.url, 1, seconds=None, requests=5)
                assert os.environ["LAB_NODE"] in tool.run(spec).argv


def test_the_javascript_kernel_runs_on_it_whatever_node_it_was_installed_with(
    other, tmp_path, monkeypatch
):
    meant = os.environ.pop("LAB_NODE")
    kernelspec.install(str(tmp_path))
    monkeypatch.setenv("LAB_NODE", meant)
    spec = json.loads((tmp_path / "share/jupyter/kernels/javascript/kernel.json").read_text())
    start = [*spec["argv"][:4], "-p", "process.version"]
    assert subprocess.check_output(start, text=True).strip() == f"v{other}"
    monkeypatch.delenv("LAB_NODE")
    on_path = subprocess.check_output(["node", "-p", "process.version"], text=True)
    assert subprocess.check_output(start, text=True) == on_path
    monkeypatch.setenv("PATH", "/nowhere")
    assert subprocess.check_output(start, text=True) == on_path


def test_what_is_said_of_node_is_said_of_it(other):
    assert machine_facts.node_version() == other
    assert inputs.node_version() == other
    assert next(node.version for node in traced_with.find(None)) == f"v{other}"
    assert nodes.known()[nodes.major(other)] == os.environ["LAB_NODE"]


def test_its_name_is_no_part_of_an_experiments_identity(monkeypatch, tmp_path):
    link = tmp_path / "node26"
    link.symlink_to(nodes.program())
    usual = lab.server("node/hello")
    monkeypatch.setenv("LAB_NODE", str(link))
    from lab.records.identity import of_recipe

    assert of_recipe(lab.server("node/hello")) == of_recipe(usual)
    assert lab.server("node/waiting-sync").interpreter == str(link)


def test_a_folder_with_nothing_but_node_comes_first_in_the_path(other):
    python = shutil.which("python3")
    path = nodes.on_path()["PATH"]
    assert nodes.version(shutil.which("node", path=path)) == other
    assert shutil.which("python3", path=path) == python
    assert [file.name for file in Path(path.split(os.pathsep)[0]).iterdir()] == ["node"]


def broken(folder: Path) -> dict[str, str]:
    """Paths that are no Node, with a piece of what must be said of each."""
    mute, liar, old, plain = (folder / name / "node" for name in ("mute", "liar", "old", "plain"))
    for file in (mute, liar, old, plain):
        file.parent.mkdir()
    (directory := folder / "directory" / "node").mkdir(parents=True)
    mute.write_text("#!/bin/sh\nexit 3\n")
    liar.write_text("#!/bin/sh\necho 22.1.0 or so\n")
    old.write_text("#!/bin/sh\necho v18.20.8\n")
    plain.write_text("")
    for file in (mute, liar, old):
        file.chmod(0o755)
    return {
        "/nonexist/node": "is not there",
        "node99": "is not on the PATH",
        str(directory): "is a folder",
        str(plain): "is not executable",
        str(mute): "does not answer like Node .* status 3",
        str(liar): "does not answer like Node .*22.1.0 or so",
        str(old): "is Node 18.20.8, but Node 20 or newer is needed",
    }


def test_a_node_that_is_none_is_told_with_what_to_do(tmp_path, monkeypatch):
    for path, why in broken(tmp_path).items():
        monkeypatch.delenv("LAB_NODE", raising=False)
        with pytest.raises(nodes.NoNodeError, match=f"{path}.*{why}.*nodejs.org.*LAB_NODE"):
            nodes.program(path)
        with pytest.raises(LabError, match=why):
            lab.trace("1;\n", node=path)
        with pytest.raises(MissingProgram, match=why):
            lab.server("node/hello", node=path).start()
        monkeypatch.setenv("LAB_NODE", path)
        asking = (
            lambda: lab.server("node/hello"),
            lambda: lab.trace("1;\n"),
            generator.Generator,
            lambda: lab.node(paths.SERVERS / "node" / "hello.mjs"),
            lambda: kernelspec.install(str(tmp_path / "prefix")),
        )
        for ask in asking:
            with pytest.raises(LabError, match=f"LAB_NODE names .*{path}.*{why}"):
                ask()
        assert inputs.node_version() in (inputs.ABSENT, "18.20.8")


def test_without_any_node_it_is_said_what_to_install(monkeypatch):
    monkeypatch.delenv("LAB_NODE", raising=False)
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(LabError, match=r"no `node` on the PATH: install Node"):
        nodes.program()
    assert machine_facts.node_version() is None


def test_a_wrong_one_among_lab_nodes_is_told(monkeypatch):
    monkeypatch.setenv("LAB_NODES", os.pathsep.join([nodes.program(), "/nonexist"]))
    with pytest.raises(LabError, match="LAB_NODES names '/nonexist', which is not there"):
        nodes.known()


def test_a_build_with_a_wrong_node_is_not_even_tried():
    process = subprocess.run(
        [sys.executable, "-m", "lab.book", "build"],
        env={**os.environ, "LAB_NODE": "/nonexist", "LAB_MODE": "replay"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert process.returncode == 2
    assert "LAB_NODE names '/nonexist', which is not there" in process.stderr


def test_a_relative_path_means_the_folder_of_the_command_not_that_of_a_chapter(
    tmp_path, monkeypatch
):
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "node").symlink_to(nodes.program())
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LAB_NODE", "mine/node")
    monkeypatch.setenv("LAB_NODES", os.pathsep.join(["./mine/node", "node"]))
    monkeypatch.setitem(main.COMMANDS, "ps", lambda _: os.chdir("/") or 0)
    main.main(["ps"])
    assert nodes.program() == str(folder / "node")
    assert nodes.others() == [str(folder / "node"), shutil.which("node")]


def test_a_build_looks_for_a_relative_one_in_the_folder_it_was_started_in(tmp_path, monkeypatch):
    (tmp_path / "node").symlink_to(nodes.program())
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LAB_NODE", "./node")
    for name in ("PATH", "LAB_MODE"):  # what the build sets goes with the test
        monkeypatch.setenv(name, os.environ.get(name, ""))
    monkeypatch.setattr(book, "run", lambda *_, **__: os.chdir("/") or 0)
    assert book.main(["build", "--output", str(tmp_path)]) == 0
    assert nodes.program() == str(tmp_path / "node")


def test_another_node_counts_as_absent_when_those_there_are_cannot_be_told(monkeypatch):
    monkeypatch.setenv("LAB_NODES", "/nonexist")
    assert inputs.other_node(26) == inputs.ABSENT


def test_make_nodes_lists_every_supported_version_for_every_system():
    lock = json.loads((nodes.BROUGHT / "package-lock.json").read_text())["packages"]
    for major in (16, 18, nodes.LEAST, *nodes.SUPPORTED):
        asked = json.loads((nodes.BROUGHT / str(major) / "package.json").read_text())
        packages = asked["optionalDependencies"]
        systems = set()
        for package, version in packages.items():
            assert nodes.major(version) == major
            lock_entry = lock[f"{major}/node_modules/{package}"]
            assert lock_entry["version"] == version
            assert "resolved" not in lock_entry
            systems.add(
                (lock_entry["os"], lock_entry["cpu"])
                if isinstance(lock_entry["os"], str)
                else (*lock_entry["os"], *lock_entry["cpu"])
            )
        assert systems == {
            (system, cpu) for system in ("linux", "darwin") for cpu in ("x64", "arm64")
        }


def test_the_supported_versions_are_there_and_are_what_they_are_called():
    if platform.libc_ver()[0] != "glibc" and sys.platform == "linux":
        pytest.skip("npm's builds are linked with glibc")
    assert set(nodes.brought()) >= set(nodes.SUPPORTED)
    for major, path in nodes.brought().items():
        assert nodes.major(nodes.version(path)) == major


def test_the_client_runs_on_the_node_that_is_meant_unless_another_is_named(monkeypatch):
    node_paths = nodes.brought()
    monkeypatch.setenv("LAB_NODE", node_paths[26])
    monkeypatch.delenv("LAB_CLIENT_NODE", raising=False)
    assert nodes.client() == node_paths[26]
    monkeypatch.setenv("LAB_CLIENT_NODE", node_paths[22])
    assert (nodes.program(), nodes.client()) == (node_paths[26], node_paths[22])
    monkeypatch.setenv("LAB_CLIENT_NODE", "/no/node")
    with pytest.raises(nodes.NoNodeError, match=r"LAB_CLIENT_NODE names '/no/node', which is not"):
        nodes.client()


def test_an_older_node_is_taken_only_where_that_is_said(monkeypatch, tmp_path):
    old = tmp_path / "node"
    old.write_text("#!/bin/sh\necho v18.20.8\n")
    old.chmod(0o755)
    monkeypatch.setenv("LAB_NODE", str(old))
    monkeypatch.delenv("LAB_LEAST_NODE", raising=False)
    with pytest.raises(nodes.NoNodeError, match="Node 20 or newer is needed"):
        nodes.program()
    monkeypatch.setenv("LAB_LEAST_NODE", "18")
    assert nodes.program() == str(old)
    monkeypatch.setenv("LAB_LEAST_NODE", "22")  # it makes nothing stricter
    assert nodes.least() == nodes.LEAST


def test_every_node_whose_claims_are_measured_is_brought_and_so_is_their_client():
    folders = {int(folder.name) for folder in nodes.BROUGHT.glob("[0-9]*")}
    assert set(nodes.VERSIONS) <= folders
    assert nodes.CLIENT in nodes.SUPPORTED

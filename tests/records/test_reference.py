"""What is recorded in data/reference is about the servers as they are now."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import lab
from lab import paths
from lab.errors import LabError
from lab.measure.program import covered, digest
from lab.records import reference
from lab.records.identity import of_recipe

FILES = sorted(
    file for file in paths.REFERENCE.glob("*.json") if not file.name.endswith(".trace.json")
)


def outdated(file: Path) -> list[str]:
    """What changed since this file was recorded, in words, server by server."""
    question = reference.migrate(json.loads(file.read_text("utf8")), file.stem)["question"]
    return sorted({text for server in servers(question["arms"]) if (text := change(server))})


def servers(arms: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Every server asked about; an arm is one, or one per swept value."""
    for arm in arms.values():
        for server in arm if isinstance(arm, list) else [arm]:
            # URLs have no source; servers of cells lie in the chapter, which asks when replayed,
            # whatever stands before them.
            command = server.get("command", ())
            of_a_cell = any("data/runs/servers/" in word for word in command)
            if any(word.startswith("servers/") for word in command) and not of_a_cell:
                yield server


def change(recorded: dict[str, Any]) -> str:
    """What became of one recorded server; empty if it is the same."""
    name = recorded["server"]
    try:
        present = of_recipe(lab.server(name))
    except LabError:
        return f"{name} is not in the catalogue any more"
    return "" if present["source"] == recorded["source"] else f"{name} changed"


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_recorded_answer_is_about_the_present_servers(file):
    changed = outdated(file)
    assert not changed, f"{'; '.join(changed)} since {file.name} was recorded: make reference"


PROGRAMS = [file for file in FILES if json.loads(file.read_text("utf8"))["kind"] == "program"]


@pytest.mark.parametrize("file", PROGRAMS, ids=lambda file: file.stem)
def test_a_recorded_output_is_of_the_present_program_and_of_what_it_imports(file):
    recorded = json.loads(file.read_text("utf8"))["question"]["options"]
    program = paths.ROOT / recorded["program"]
    if paths.RUNS in program.parents:
        pytest.skip(f"{program.name} is written by a cell, which asks when replayed")
    assert program.exists(), f"{recorded['program']} is gone: python -m lab.book moved"
    present = digest(covered(program))
    assert present == recorded["source"], (
        f"{recorded['program']} or what it imports changed since {file.name} was recorded: "
        "make reference"
    )


def test_there_is_a_reference_run():
    assert FILES, "data/reference is empty: make reference"


@pytest.fixture
def project(monkeypatch, tmp_path):
    """A copy of the servers with one recorded answer about two of them."""
    shutil.copytree(paths.SERVERS, tmp_path / "servers")
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    monkeypatch.setattr(paths, "CATALOG", tmp_path / "servers/catalog.toml")
    hello, null = (of_recipe(lab.server(name)) for name in ("node/hello", "node/null"))
    arms = {"one": hello, "swept": [null, null], "theirs": {"server": "http://127.0.0.1:1"}}
    record = {"schema": reference.SCHEMA, "question": {"arms": arms}}
    (tmp_path / "record.json").write_text(json.dumps(record))
    return tmp_path


def test_an_unchanged_server_leaves_its_record_good(project):
    assert outdated(project / "record.json") == []


def test_a_changed_or_removed_server_outdates_its_record(project):
    catalog = project / "servers/catalog.toml"
    (source,) = lab.server("node/null").sources
    source.write_text(source.read_text() + "// edited\n")
    assert outdated(project / "record.json") == ["node/null changed"]
    renamed = '[servers."node/x"]\nsource = ["servers/node/hello.mjs"]'
    catalog.write_text(catalog.read_text().replace('[servers."node/hello"]', renamed))
    assert outdated(project / "record.json") == [
        "node/hello is not in the catalogue any more",
        "node/null changed",
    ]

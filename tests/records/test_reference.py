"""What is recorded in data/reference is about the servers as they are now."""

from __future__ import annotations

import functools
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import lab
from lab import paths
from lab.errors import LabError
from lab.records import reference
from lab.records.identity import differences, of_recipe
from lab.servers.sources import covered, digest

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
            files = server.get("files", ())
            of_a_cell = any("data/runs/servers/" in file for file in files)
            if files and not of_a_cell:
                yield server


def change(recorded: dict[str, Any]) -> str:
    """What became of one recorded server; empty if it is the same."""
    name = recorded["server"]
    # A file that a server sends is made where it is recorded.
    env = {k: v for k, v in recorded["env"].items() if not v.startswith("{root}/data/runs/files/")}
    try:
        server = lab.server(name)
    except LabError:
        return f"{name} is not in the catalogue any more"
    present = of_recipe(server.configured(env=env, workers=recorded["workers"]))
    changed = [key for key in ("command", "source") if present[key] != recorded[key]]
    return f"{name} changed" if changed else ""


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_recorded_answer_is_about_the_present_servers(file):
    changed = outdated(file)
    assert not changed, f"{'; '.join(changed)} since {file.name} was recorded: make reference"


@functools.cache
def _digests() -> set[str]:
    """Those of all programs of chapters: one that moved is found by its digest."""
    programs = [f for f in (paths.ROOT / "book").rglob("*") if f.suffix in (".mjs", ".cjs", ".js")]
    return {digest(covered(program)) for program in programs}


def of_kind(kind: str) -> list[Path]:
    return [file for file in FILES if json.loads(file.read_text("utf8"))["kind"] == kind]


PROGRAMS, EXAMINATIONS = of_kind("program"), of_kind("examination")


@pytest.mark.parametrize("file", EXAMINATIONS, ids=lambda file: file.stem)
def test_a_recorded_examination_is_of_the_present_program_and_of_what_it_imports(file):
    record = reference.migrate(json.loads(file.read_text("utf8")), file.stem)
    options = record["question"]["options"]
    (name,) = [word for word in options["command"] if word.endswith(".mjs")]
    present = {digest(covered(one)) for one in (paths.ROOT / "book").rglob(name)}
    assert options["source"] in present, f"{name} changed since {file.name} was recorded"


@pytest.mark.parametrize("file", PROGRAMS, ids=lambda file: file.stem)
def test_a_recorded_output_is_of_the_present_program_and_of_what_it_imports(file):
    record = reference.migrate(json.loads(file.read_text("utf8")), file.stem)
    options = record["question"]["options"]
    program = paths.ROOT / options["program"]
    if paths.RUNS in program.parents:
        pytest.skip(f"{program.name} is written by a cell, which asks when replayed")
    present = {digest(covered(one)) for one in [program] if one.exists()} or _digests()
    assert options["source"] in present, (
        f"{options['program']} or what it imports changed since {file.name} was recorded: "
        "make reference"
    )


def test_there_is_a_reference_run():
    assert FILES and PROGRAMS and EXAMINATIONS, "data/reference is empty: make reference"


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


def test_a_server_that_moved_leaves_its_record_good(project):
    before = of_recipe(lab.server("node/null"))
    (source,) = lab.server("node/null").sources
    moved = source.with_name("another.mjs")
    source.rename(moved)
    catalog = project / "servers/catalog.toml"
    header, at = '[servers."node/null"]', f"servers/node/{moved.name}"
    entry = f'{header}\ncommand = ["{{node}}", "{at}"]\nsource = ["{at}"]'
    catalog.write_text(catalog.read_text().replace(header, entry))
    assert outdated(project / "record.json") == []
    after = of_recipe(lab.server("node/null"))
    assert after["files"] == [at] != before["files"]
    assert differences({"arms": {"null": before}}, {"arms": {"null": after}}) == []


def test_a_changed_or_removed_server_outdates_its_record(project):
    catalog = project / "servers/catalog.toml"
    (source,) = lab.server("node/null").sources
    source.write_text(source.read_text() + "// edited\n")
    assert outdated(project / "record.json") == ["node/null changed"]
    served = catalog.read_text()
    by_hand = '[servers."node/hello"]\ncommand = ["{node}", "--jitless", "servers/node/hello.mjs"]'
    catalog.write_text(served.replace('[servers."node/hello"]', by_hand))
    assert outdated(project / "record.json") == ["node/hello changed", "node/null changed"]
    catalog.write_text(served)
    renamed = '[servers."node/x"]\nsource = ["servers/node/hello.mjs"]'
    catalog.write_text(catalog.read_text().replace('[servers."node/hello"]', renamed))
    assert outdated(project / "record.json") == [
        "node/hello is not in the catalogue any more",
        "node/null changed",
    ]

"""A release: one version everywhere, and files that are the same whenever they are packed."""

import json
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tools" / "release"))

import pack  # noqa: E402 - beside the commands, not in a package


def test_every_file_that_names_the_version_names_that_of_pyproject():
    lock = json.loads((ROOT / "package-lock.json").read_text())
    checkup = ROOT / "tools" / "checkup"
    versions = {
        "package.json": json.loads((ROOT / "package.json").read_text())["version"],
        "package-lock.json": lock["version"],
        "CITATION.cff": yaml.safe_load((ROOT / "CITATION.cff").read_text())["version"],
        "checkup": tomllib.loads((checkup / "pyproject.toml").read_text())["project"]["version"],
        "checkup for npx": json.loads((checkup / "package.json").read_text())["version"],
    }
    assert set(versions.values()) == {pack.version()}, versions


def test_this_version_has_its_section_of_changes_and_another_is_refused():
    text = (ROOT / "CHANGELOG.md").read_text("utf8")
    assert pack.changes(text, pack.version())
    assert pack.changes("## 1.2.0 (a Monday)\n\nNew.\n\n## 1.1.0\n\nOld.\n", "1.2.0") == "New.\n"
    for missing in ("9.9.9", "1.1"):
        with pytest.raises(SystemExit, match="has no section on"):
            pack.changes("## 9.9.9\n\n## 1.1.0\n\nOld.\n", missing)


def test_a_tag_that_is_not_the_version_is_refused_before_anything_is_built():
    pack.check_tag(f"v{pack.version()}")
    for wrong in ("v9.9.9", pack.version(), ""):
        process = subprocess.run(
            [sys.executable, str(ROOT / "tools/release/pack.py"), "--tag", wrong],
            capture_output=True,
            text=True,
            check=False,
        )
        assert process.returncode == 1
        assert f"The tag {wrong} does not fit the version in pyproject.toml" in process.stderr


def test_a_zip_of_the_same_files_is_the_same_zip(tmp_path):
    for name in ("b.html", "a/c.js"):
        file = tmp_path / "site" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(name)
    (tmp_path / "site" / "index.html").write_text("first")
    files = pack.site_files(tmp_path / "site")
    first = pack.packed(tmp_path / "1.zip", "top", files)
    (tmp_path / "site" / "b.html").touch()
    second = pack.packed(tmp_path / "2.zip", "top", reversed(files))
    assert first.read_bytes() == second.read_bytes()
    assert zipfile.ZipFile(first).namelist() == ["top/a/c.js", "top/b.html", "top/index.html"]


def test_what_is_not_built_is_named_with_the_command_that_builds_it(tmp_path, monkeypatch):
    with pytest.raises(SystemExit, match="Run make replay first"):
        pack.site_files(tmp_path)
    monkeypatch.setattr(pack, "BUILT", tmp_path)
    with pytest.raises(SystemExit, match="run make pdf"):
        pack.copies(tmp_path)


def test_the_data_set_has_every_record_its_licence_and_nothing_that_was_measured_here():
    names = {name for _, name in pack.data_files()}
    tracked = subprocess.run(
        ["git", "ls-files", "data"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.split()
    assert names >= {*tracked, "LICENSE-TEXT", "CITATION.cff"}
    assert not [name for name in names if name.startswith("data/runs")]


def test_the_data_set_says_what_is_in_it_and_where_its_fields_are_explained():
    files = pack.data_files()
    text = pack.about_data(files)
    for link in set(re.findall(r"\]\(([^)]+)\)", text)):
        assert link in {name for _, name in files}
    records = [file for file, name in files if name.startswith("data/reference/")]
    listed = re.findall(r"^\| `data/reference/` \| (\w+), schema (\d+) \| (\d+) \|", text, re.M)
    assert sum(int(number) for _, _, number in listed) == len(records)
    kinds = {json.loads(file.read_bytes()).get("kind", "trace") for file in records}
    assert {kind for kind, _, _ in listed} == kinds
    fields = (ROOT / pack.FIELDS).read_text()
    assert all(f"`{kind}`" in fields for kind in kinds)


def test_a_citation_has_what_a_bibliography_asks_for():
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert {"title", "authors", "version", "date-released", "license"} <= cited.keys()
    assert json.loads((ROOT / ".zenodo.json").read_text())["license"] == "cc-by-4.0"

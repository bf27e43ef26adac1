"""The records of a program follow it where it goes, and nothing else in them changes."""

import json
import re
import shutil

import pytest

from lab import paths
from lab.book.moved import NotMoved, moved
from lab.measure.program import node
from lab.records.reference import StaleRecord

OLD, NEW = "book/part/count.mjs", "book/part/chapter/count.mjs"


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A recorded program that imports another, a record that is none of it, and a trace."""
    for name, place in (("ROOT", ""), ("REFERENCE", "data/reference"), ("RUNS", "data/runs")):
        monkeypatch.setattr(paths, name, tmp_path / place)
    (tmp_path / "book/part/chapter").mkdir(parents=True)
    (tmp_path / "book/part/two.mjs").write_text("export default 2;\n")
    (tmp_path / OLD).write_text(
        'import two from "./two.mjs";\nconsole.log(`"program": "${two}"`);\n'
    )
    (tmp_path / "book/part/other.mjs").write_text("console.log('other');\n")
    monkeypatch.chdir(tmp_path / "book/part")
    monkeypatch.setenv("LAB_MODE", "live")
    monkeypatch.setenv("LAB_PROFILE", "reference")
    node("count.mjs", experiment="counted")
    node("other.mjs", experiment="other")
    (paths.REFERENCE / "traced.trace.json").write_text('{"type": "loop-trace"}')
    monkeypatch.setenv("LAB_MODE", "replay")
    return tmp_path


def move(project, *names):
    for name in names or ("count.mjs", "two.mjs"):
        shutil.move(project / "book/part" / name, project / "book/part/chapter" / name)


def contents():
    return {file.name: file.read_bytes() for file in paths.REFERENCE.iterdir()}


def test_a_moved_program_is_replayed_again_once_its_records_have_followed(project):
    move(project)
    with pytest.raises(StaleRecord, match=re.escape(f"program: recorded '{OLD}'; now '{NEW}'")):
        node("chapter/count.mjs", experiment="counted")
    assert moved(OLD, NEW) == ["counted"]
    assert node("chapter/count.mjs", experiment="counted").text == '"program": "2"\n'


def test_only_the_name_of_the_program_changes_in_its_records_and_nothing_in_others(project):
    before = contents()
    move(project)
    moved(OLD, NEW)
    after = contents()
    changed = before["counted.json"].replace(json.dumps(OLD).encode(), json.dumps(NEW).encode())
    assert after == before | {"counted.json": changed} and after != before
    assert moved(OLD, NEW) == []


@pytest.mark.parametrize("spelt", ["./{}", "{root}/{}", "book/../{}"])
def test_however_a_path_is_spelt_the_record_names_it_from_the_root(project, spelt):
    move(project)
    ways = [spelt.format(name, root=paths.ROOT) for name in (OLD, NEW)]
    assert moved(*ways) == ["counted"]
    assert json.loads(contents()["counted.json"])["question"]["options"]["program"] == NEW


def test_a_program_outside_the_project_takes_no_record_along(project, tmp_path_factory):
    other = tmp_path_factory.mktemp("other") / "count.mjs"
    (paths.ROOT / OLD).rename(other)
    with pytest.raises(NotMoved, match="not in this project"):
        moved(OLD, str(other))


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda part: None, "There is no file book/part/chapter/count.mjs"),
        (lambda part: shutil.copy(part / "count.mjs", part / "chapter"), "is still there"),
        (lambda part: (part / "count.mjs").rename(part / "chapter/count.mjs"), "what it imports"),
    ],
)
def test_records_of_what_is_not_the_same_program_stay_and_are_named(project, spoil, said):
    spoil(project / "book/part")
    before = contents()
    with pytest.raises(NotMoved, match=said):
        moved(OLD, NEW)
    assert contents() == before

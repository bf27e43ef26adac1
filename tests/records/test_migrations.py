"""Records of schema 1, which know a program by its path too, answer the present questions."""

import hashlib
import json

import pytest

import lab
from lab import paths
from lab.errors import LabError
from lab.records import reference
from lab.records.identity import differences, of_recipe, question
from lab.servers import catalog
from lab.servers.sources import covered, digest

PROGRAM, MODULE = "book/part/count.mjs", "book/part/two.mjs"


def old_arm(recipe):
    """A server as schema 1 has it, with the paths in its command."""
    arm = of_recipe(recipe)
    words = [str(word) for word in recipe.command]
    command = [
        word if new.startswith("{source") else new
        for word, new in zip(words, arm["command"], strict=True)
    ]
    command = [word.replace(str(paths.ROOT), "{root}") for word in command]
    del arm["files"]
    return {**arm, "command": command}


def old_record(kind="comparison", arms=None, options=None, **more):
    asked = {"arms": arms or {}, "sweep": "", "values": [], "options": options or {}}
    return {"schema": 1, "kind": kind, "experiment": "old", "question": asked, **more}


def migrated(record):
    before = json.dumps(record)
    after = reference.migrate(record, "old")
    assert json.dumps(record) == before, "the record itself is changed"
    assert after["schema"] == reference.SCHEMA
    return after


@pytest.fixture
def program(tmp_path, monkeypatch):
    """A program in a project of its own that imports another file."""
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    (tmp_path / "book/part").mkdir(parents=True)
    (tmp_path / PROGRAM).write_text('import "./two.mjs";\n')
    (tmp_path / MODULE).write_text("console.log(2);\n")
    return tmp_path / PROGRAM


def old_digest(path):
    return hashlib.sha256(b"".join(covered(path).values())).hexdigest()[:16]


@pytest.mark.parametrize(
    "name",
    ["node/hello", "python/gunicorn-sleep", "node/books", "ruby/thin-body", "node/qr"],
)
def test_a_server_of_an_old_record_is_the_server_of_today(name):
    recipe = lab.server(name)
    old = old_record(arms={"one": old_arm(recipe), "swept": [old_arm(recipe)] * 2})
    assert all("/" in json.dumps(arm) for arm in old["question"]["arms"].values())
    now = question({"one": of_recipe(recipe), "swept": [of_recipe(recipe)] * 2})
    after = migrated(old)["question"]
    assert differences(after, now) == []
    words = json.dumps(old).replace("servers.python.flask_sleep:", "servers/python/flask_sleep.py")
    named = [file for file in now["arms"]["one"]["files"] if file in words]
    assert after["arms"]["one"]["files"] == named


def test_a_server_of_a_cell_and_an_address_of_somebody_are_the_same(tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "CELL_SERVERS", paths.ROOT / "data/runs/servers")
    monkeypatch.setattr(catalog, "_defined", {})
    mine = lab.server("node/of-an-old-record", program="// a text\n", like="node/books")
    try:
        theirs = {"server": "http://127.0.0.1:1"}
        old = old_record(arms={"mine": old_arm(mine), "theirs": theirs})
        now = question({"mine": of_recipe(mine), "theirs": theirs})
        assert differences(migrated(old)["question"], now) == []
    finally:
        mine.sources[0].unlink()


def test_a_server_that_was_edited_since_stays_another_one():
    recipe = lab.server("node/hello")
    edited = {**old_arm(recipe), "source": "0123456789abcdef"}
    now = question({"one": of_recipe(recipe)})
    after = migrated(old_record(arms={"one": edited}))["question"]
    assert differences(after, now) == ["arm one: the program changed"]


@pytest.mark.parametrize(
    ("kind", "named"),
    [("program", {"program": PROGRAM}), ("examination", {"command": ["node", "count.mjs"]})],
)
def test_a_program_of_an_old_record_is_the_program_of_today_unless_it_was_edited(
    program, kind, named
):
    old = old_record(kind, options={**named, "source": old_digest(program)})
    source = migrated(old)["question"]["options"]["source"]
    assert source == digest(covered(program)) != old_digest(program)
    (paths.ROOT / MODULE).write_text("console.log(3);\n")
    assert migrated(old)["question"]["options"]["source"] == old["question"]["options"]["source"]
    program.unlink()
    assert migrated(old)["question"]["options"]["source"] == old["question"]["options"]["source"]


OF_A_PROGRAM = {"program": PROGRAM, "source": "0123456789abcdef"}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"arms": None}, r"question\['arms'\]=None must be a dict"),
        ({"arms": ["one"]}, r"question\['arms'\]=\['one'\] must be a dict"),
        ({"options": None}, "has no 'text'"),
        ({"options": ["one"]}, "has no 'text'"),
        ({"options": {"program": 5, "source": 6}}, "has no 'text'"),
        ({"options": {"source": "one"}}, "has no 'text'"),
        ({"options": {**OF_A_PROGRAM, "program": "book"}}, "has no 'text'"),
        ({"options": {**OF_A_PROGRAM, "program": "book/part/no-text.mjs"}}, "has no 'text'"),
        ({"arms": {"one": {"command": None}}}, "has no 'text'"),
        ({"arms": {"one": {"command": [1, None]}}}, "has no 'text'"),
    ],
)
def test_a_damaged_record_of_schema_1_is_told_of_as_one_of_schema_2_is(
    program, monkeypatch, change, said
):
    monkeypatch.setattr(paths, "REFERENCE", program.parent)
    (program.parent / "no-text.mjs").write_bytes(b"\xff")
    damaged = old_record("program", options=OF_A_PROGRAM, when="", profile="", commit="")
    damaged = {**damaged, "machine": {}, "question": {**damaged["question"], **change}}
    file = program.parent / "old.json"
    for record in (damaged, {**damaged, "schema": 2}):
        file.write_text(json.dumps(record))
        with pytest.raises(reference.NoRecord, match=said):
            reference.read("old")


@pytest.mark.parametrize("word", ["/count.mjs", "../part/count.mjs", "**/*.mjs", "unt.mjs", 5])
def test_a_word_that_is_no_file_of_a_chapter_names_no_program(program, word):
    old = old_record("examination", options={"command": ["node", word], "source": "one"})
    old["question"]["options"]["source"] = old_digest(program)
    assert migrated(old)["question"] == old["question"]


@pytest.mark.parametrize("schema", [0, 3, "1", None, [1], 1.5])
def test_a_schema_that_no_book_had_is_told_with_what_to_do(schema):
    with pytest.raises(LabError, match=r"has schema .*Update the book, or record again with"):
        reference.migrate({**old_record(), "schema": schema}, "old")


def test_an_address_that_no_file_can_have_leads_to_none(program):
    text = program.read_text() + f'import "./{"a" * 300}.mjs"; import "./\0.mjs";\n'
    program.write_text(text)
    source = hashlib.sha256((text + "console.log(2);\n").encode()).hexdigest()[:16]
    options = {"program": PROGRAM, "source": source}
    after = migrated(old_record("program", options=options))
    assert after["question"]["options"]["source"] == digest(covered(program))

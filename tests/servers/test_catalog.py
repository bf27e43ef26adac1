import hashlib
import json
import re
import resource
import sys
import tomllib

import pytest

import lab
from lab import files, paths
from lab.servers import catalog
from lab.servers.catalog import CatalogError, UnknownParameter, UnknownServer


def test_an_unknown_server_is_an_error_that_offers_the_nearest_names():
    with pytest.raises(UnknownServer, match=r"node/red-sync.*Did you mean node/read-sync"):
        lab.server("node/red-sync")


def test_an_unknown_parameter_is_an_error_because_it_would_change_nothing():
    with pytest.raises(UnknownParameter, match=r"'DELAY_MSS'.*DELAY_MS\?"):
        lab.server("node/delay", env={"DELAY_MSS": 5})


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("node/one-stall", ["{node}", "servers/node/one-stall.mjs"]),
        ("python/flask-hello", ["{python}", "servers/python/flask_hello.py"]),
    ],
)
def test_a_name_says_what_runs_unless_its_entry_does(name, command):
    follows = catalog.filled(name, {})
    runtime, word = name.split("/")
    assert follows == {
        "command": command,
        "runtime": runtime,
        "source": command[1:],
        "workload": word,
        "keep_alive": True,
    }
    said = {"command": ["x"], "runtime": "system", "source": ["y"], "keep_alive": False}
    assert catalog.filled(name, said) == {**said, "workload": word}


def test_the_catalogue_does_not_say_what_follows_from_the_name():
    entries = tomllib.loads(paths.CATALOG.read_text("utf-8"))["servers"]
    unsorted_keys = {
        name: sorted(
            key for key, value in catalog.filled(name, {}).items() if entry.get(key) == value
        )
        for name, entry in entries.items()
    }
    assert {name: keys for name, keys in unsorted_keys.items() if keys} == {}


def test_variables_of_the_runtime_may_be_set():
    recipe = lab.server("node/read-async", env={"UV_THREADPOOL_SIZE": 1})
    assert recipe.env["UV_THREADPOOL_SIZE"] == "1"


def test_a_recipe_knows_the_body_of_the_file_it_is_given():
    small = files.make("64-bytes.txt", 64)
    recipe = lab.server("node/read-sync", env={"FILE": small})
    assert recipe.body.bytes == 64
    assert recipe.body.sha256 == hashlib.sha256(small.read_bytes()).hexdigest()


def test_a_file_that_is_not_there_is_an_error_before_anything_starts(tmp_path):
    with pytest.raises(CatalogError, match=r"files\.make"):
        lab.server("node/read-sync", env={"FILE": tmp_path / "none"})


def test_the_keep_alive_policy_follows_the_parameter():
    assert lab.server("node/delay").keep_alive
    assert not lab.server("node/delay", env={"KEEP_ALIVE": "close"}).keep_alive


def test_a_recipe_can_be_configured_again_and_keeps_its_other_parameters():
    closing = lab.server("node/delay", env={"KEEP_ALIVE": "close"})
    slower = closing.configured(env={"DELAY_MS": 50})
    assert (slower.env["DELAY_MS"], slower.env["KEEP_ALIVE"]) == ("50", "close")


def test_a_recipe_knows_what_runs_its_program():
    for name in ("node/hello", "node/waiting-sync"):
        assert lab.server(name, node="/opt/node/bin/node").interpreter == "/opt/node/bin/node"
    assert lab.server("node/hello", node="/opt/bin/node18").interpreter == "/opt/bin/node18"
    assert lab.server("python/flask-hello").interpreter == sys.executable


def test_another_node_can_be_asked_for():
    assert lab.server("node/hello", node="/opt/node/bin/node").command[0] == "/opt/node/bin/node"


def test_workers_are_refused_where_there_is_no_choice():
    with pytest.raises(UnknownParameter, match="number of workers"):
        lab.server("node/hello", workers=2)


@pytest.mark.parametrize("workers", [0, 2])
def test_workers_are_refused_in_another_configuration_too(workers):
    with pytest.raises(UnknownParameter, match="number of workers"):
        lab.server("node/hello").configured(workers=workers)


def test_workers_can_be_chosen_again_and_are_kept_otherwise(program, monkeypatch):
    name = program("// several\n").name
    monkeypatch.setitem(catalog._defined[name], "workers", 1)
    recipe = lab.server(name, workers=3)
    assert recipe.configured(workers=2).workers == 2
    assert recipe.configured(env={}).workers == 3
    with pytest.raises(UnknownParameter, match="1 to 256"):
        recipe.configured(workers=0)


def test_a_cell_server_shares_workload_body_and_parameters_with_its_model(program):
    recipe = program("// mine\n", like="node/read-sync")
    model = lab.server("node/read-sync")
    assert (recipe.workload, recipe.body, recipe.env) == (model.workload, model.body, model.env)


def test_a_recipe_made_earlier_keeps_the_text_it_was_made_of(program):
    first = program("// one\n")
    second = catalog.define(first.name, "// two\n")
    assert first.source_text == "// one\n"
    assert first.source_sha256 != second.source_sha256
    second.sources[0].unlink()


def test_common_js_and_modules_get_the_suffix_that_node_needs(program):
    assert program('const http = require("node:http");').sources[0].suffix == ".cjs"
    assert program('import http from "node:http";').sources[0].suffix == ".mjs"


def test_a_cell_server_may_be_like_one_of_another_cell(program):
    first = program("// mine\n", like="node/read-sync")
    again = program("// faster\n", like=first.name)
    assert (again.workload, again.body, again.env) == (first.workload, first.body, first.env)


def test_what_is_offered_in_place_of_an_unknown_model_may_be_one(program):
    known = program("// mine\n").name
    with pytest.raises(UnknownServer, match=f"for like=.*Did you mean.* {known}") as refused:
        program("// faster\n", like=f"{known}s")
    offered = re.search(r"Did you mean (.*)\?", str(refused.value))[1].split(" or ")
    assert [program("// faster\n", like=name).workload for name in offered]


def test_a_program_that_cannot_be_stored_whole_is_not_stored():
    """So that another notebook never starts half of it."""
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20, limit[1]))
    try:
        with pytest.raises(CatalogError, match=r"Cannot store node/test-half in .*File too large"):
            catalog.define("node/test-half", f"// {'long ' * 10}\n")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
    assert not list((paths.CELL_SERVERS / "node").glob("*test-half*"))


@pytest.mark.parametrize("name", ["hello", "node/", "ruby/hello", "node/../x", "node/Hello"])
def test_a_cell_server_needs_a_name_with_its_runtime(name):
    with pytest.raises(CatalogError, match="not a name for a server"):
        catalog.define(name, "// text")


def test_a_cell_server_cannot_replace_one_of_the_catalogue():
    with pytest.raises(CatalogError, match="already in the catalogue"):
        catalog.define("node/hello", "// text")


def test_an_empty_cell_is_no_server():
    with pytest.raises(CatalogError, match="empty"):
        catalog.define("node/nothing", " \n")


ENTRY = '[servers."node/hello"]\nsummary=""\n'
BROKEN = {
    "not TOML": ("[servers", "not valid TOML"),
    "missing keys": ('[servers."system/x"]\nruntime = "system"', "command, source, summary"),
    "missing program": ('[servers."node/x"]\nsummary = ""', r"servers/node/x\.mjs does not exist"),
    "unknown key": (
        '[servers."node/x"]\ncommand=[]\nruntime="node"\nsource=[]\nsummary=""\nworkload=""\n'
        "keep_alive=true\nsumary=1",
        r"'sumary'\. Did you mean summary",
    ),
    "unknown runtime": (
        '[servers."node/x"]\ncommand=[]\nruntime="deno"\nsource=[]\nsummary=""\nworkload=""\n'
        "keep_alive=true",
        "deno",
    ),
    "a server that is a number": ("[servers]\nx = 5", r"servers\['x'\]=5 must be a dict"),
    "a source that is a number": (ENTRY + "source=5", "source=5 must be a list"),
    "a command of numbers": (ENTRY + "command=[5]", r"command\[0\]=5 must be text"),
    "nothing to run": (ENTRY + "command=[]", "command is empty"),
    "a summary that is a number": ('[servers."node/hello"]\nsummary=5', "summary=5 must be text"),
    "a body that is a text": (ENTRY + 'body="hi"', "body='hi' must be a dict"),
    "a length in words": (ENTRY + 'body={bytes="ten"}', "body: bytes='ten' must be a whole number"),
    "a policy without values": (ENTRY + 'keep_alive={variable="X"}', "keep_alive: closes missing"),
    "how to get a program": ("[programs]\nnode = 5", r"programs\['node'\]=5 must be a dict"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_catalogue_says_what_is_broken(case, tmp_path, monkeypatch):
    text, words = BROKEN[case]
    broken = tmp_path / "catalog.toml"
    broken.write_text(text)
    monkeypatch.setattr(paths, "CATALOG", broken)
    with pytest.raises(CatalogError, match=words):
        lab.server("node/x")


def test_test_files_are_the_same_bytes_every_time():
    path = files.make("1000-bytes.txt", 1000)
    first = path.read_bytes()
    path.write_bytes(b"x" * 1000)  # somebody spoilt it
    assert files.make("1000-bytes.txt", 1000).read_bytes() == first
    assert len(first) == 1000


@pytest.mark.parametrize(
    ("name", "size"), [("../x", 1), ("", 1), ("x", -1), ("x", 1 << 40), ("x", True)]
)
def test_test_files_stay_in_their_folder_and_are_bounded(name, size):
    with pytest.raises(files.BadFile):
        files.make(name, size)


def test_what_a_chapter_used_is_noted(tmp_path, monkeypatch):
    noted = tmp_path / "usage.jsonl"
    monkeypatch.setenv("LAB_USAGE_FILE", str(noted))
    lab.server("node/hello")
    lines = [json.loads(line) for line in noted.read_text().splitlines()]
    assert {"kind": "file", "path": "servers/node/hello.mjs"} in lines
    assert {"kind": "file", "path": "lab/servers/catalog.py"} in lines


def test_what_stands_behind_a_model_stands_behind_the_server_like_it():
    catalog.define("node/test-8-waiting", "// mine\n", like="node/waiting-sync")
    mine, model = lab.server("node/test-8-waiting"), lab.server("node/waiting-sync")
    assert mine.command[:-1] == model.command[:-1]
    assert mine.command[-1].endswith(".mjs")
    assert mine.source_text.startswith("--- ")
    assert "// mine" in mine.source_text
    assert "A disk that turns" in mine.source_text

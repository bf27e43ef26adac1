"""A model says what Node does: real programs make the same moves, on every Node there is."""

import json
import math
import re
import subprocess

import pytest
from support import supported_nodes

import lab
from lab import paths, predict
from lab.errors import LabError
from lab.processes import nodes
from lab.widgets.model import model as module

PROGRAMS = paths.ROOT / "tests/models"
BESIDE_NODE = ["breaks", "close", "cut", "door", "flow", "knife", "loop", "pool"]
MEASURED = ["draws"]  # shows what was measured, and says nothing of Node
NODES = supported_nodes()


def asked(path, name):
    """What the program of a model said of this Node."""
    program = str(PROGRAMS / f"{name}.mjs")
    done = subprocess.run([path, program], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("major", NODES)
@pytest.mark.parametrize("name", BESIDE_NODE)
def test_what_a_model_says_is_what_node_does(name, major):
    assert asked(NODES[major], name)["cases"] > 0


def test_each_model_is_held_against_node_or_shows_what_was_measured():
    assert module.names() == sorted([*BESIDE_NODE, *MEASURED])
    programs = {file.stem for file in PROGRAMS.glob("*.mjs")} - {"_model"}
    assert programs == set(BESIDE_NODE)


def test_turns_at_the_door_are_those_of_the_theory():
    for crowd in asked(nodes.program(), "door")["crowds"]:
        per_turn = 1 if crowd["rule"] == "one" else math.inf
        admission = predict.accept_turns(
            crowd["clients"], crowd["rounds"], 1, crowd["patience"], per_turn=per_turn
        )
        found = {"failed": admission.failed, "answered": admission.ok, "now": admission.total_s}
        assert {key: crowd[key] for key in found} == found, crowd
        assert crowd["turn"] == admission.turns, crowd


@pytest.mark.parametrize("name", BESIDE_NODE)
def test_without_javascript_the_moves_are_told_by_the_model(name):
    shown_model = lab.model(name)
    page = shown_model._repr_html_()
    told = re.sub(r"<script.*?</script>|<style.*?</style>", "", page, flags=re.S)
    assert shown_model.told["title"] in told
    assert "<li>" in told
    for step in shown_model.told["steps"]:
        assert step["told"] in told
    assert json.loads(re.search(r'json">(.*?)</script>', page)[1]) == {"name": name}
    assert "<code>" not in repr(shown_model)


def test_a_draw_shows_what_was_measured_and_what_the_textbook_says_of_it():
    draws = [[100.0, 2.0, 110.0, 2.0], [100.0, 9.0, 110.0, 9.0]]
    made = lab.model("draws", data={"draws": draws})
    assert made.to_json()["data"] == {"draws": draws}
    shown = dict((one["lane"], one["text"]) for one in made.told["shown"])
    assert shown == {
        "draw": "1 of 2",
        "one run": "100 ± 4.0 µs",
        "the other": "110 ± 4.0 µs",
    }


def test_a_mistake_is_said():
    with pytest.raises(LabError, match=r"no model 'pol'\. Did you mean pool"):
        lab.model("pol")
    with pytest.raises(LabError, match="'draws' can't show these data"):
        lab.model("draws", data={"draws": 3})


def test_a_notebook_gets_the_model_with_it_and_a_page_of_the_book_does_not(monkeypatch):
    monkeypatch.delenv("LAB_CHAPTER", raising=False)
    page = lab.model("pool")._repr_html_()
    assert "LabModels.pool =" in page
    assert page.index("LabModels.pool =") < page.index('customElements.define("lab-model"')
    assert "LabModels.flow" not in page
    monkeypatch.setenv("LAB_CHAPTER", "book/x")
    assert "customElements" not in lab.model("pool")._repr_html_()


def test_javascript_has_the_same_verb(tmp_path):
    program = tmp_path / "cell.js"
    api = json.dumps(str(paths.NODE_SIDE / "api"))
    program.write_text(
        f'require({api}).model("cut").then((made) => console.log(require("util").inspect(made)));'
    )
    command = [nodes.program(), program]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout.startswith("A cut through your text"), done.stderr

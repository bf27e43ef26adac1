"""Numbers for the prose from the cells of both languages, through the kernel and as MyST-NB reads
them.
"""

from __future__ import annotations

import json
import logging
import re

import nbformat
import pytest
from jupyter_client.manager import KernelManager
from myst_nb.core.variables import format_plain_text
from myst_nb.ext.glue import extract_glue_data
from nbclient import NotebookClient

import lab
from lab.kernels.own_address import own_address
from lab.paths import ROOT

pytest_plugins = ["kernel_fixtures"]

SECONDS = 300


@pytest.fixture
def executed(specs):
    """A notebook of cells, executed as the book does it."""

    def execute(*cells, kernel="javascript"):
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in cells])
        manager = KernelManager(kernel_name=kernel, kernel_spec_manager=specs, ip=own_address())
        where = {"metadata": {"path": str(ROOT / "servers")}}
        try:
            client = NotebookClient(notebook, km=manager, timeout=SECONDS, allow_errors=True)
            client.resources = where
            client.execute()
        finally:
            manager.shutdown_kernel()
        return notebook

    return execute


def glued(notebook):
    found = extract_glue_data(notebook, [0] * len(notebook.cells), logging.getLogger("test"))
    return {name: output["data"] for name, output in found.items()}


def shown(notebook):
    """What a sentence of the page says for each name; its outputs become what a reader sees."""
    found = glued(notebook).items()
    return {name: format_plain_text(data["text/plain"], "") for name, data in found}


def test_a_glued_value_is_kept_for_the_prose_and_not_shown(executed):
    notebook = executed(
        'const lab = require("lab"); lab.glue("mean", (6.5).toFixed(1)); lab.glue("n", 3);',
        'console.log("next"); lab.glue("unit", "µs"); 7',
    )
    assert glued(notebook) == {
        "mean": {"text/plain": '"6.5"'},
        "n": {"text/plain": "3"},
        "unit": {"text/plain": '"µs"'},
    }
    # extract_glue_data has taken the glued outputs away: what is left is what a reader sees
    assert notebook.cells[0].outputs == []
    assert [o.output_type for o in notebook.cells[1].outputs] == ["stream", "execute_result"]


TEXTS = {
    f"x-{i}": text
    for i, text in enumerate(["2,000", "6.50", "50, 100", "None", 'a "word" µs', "it's", "007", ""])
}


@pytest.mark.parametrize(
    ("kernel", "begin"), [("javascript", 'const lab = require("lab")'), ("python3", "import lab")]
)
def test_a_sentence_says_exactly_the_text_that_was_glued(executed, kernel, begin):
    single = [f"lab.glue({json.dumps(name)}, {json.dumps(text)})" for name, text in TEXTS.items()]
    at_once = f"lab.glue({json.dumps({f'all-{name}': text for name, text in TEXTS.items()})})"
    notebook = executed(begin, "\n".join([*single, at_once]), kernel=kernel)
    assert shown(notebook) == TEXTS | {f"all-{name}": text for name, text in TEXTS.items()}
    assert notebook.cells[1].outputs == []


def test_python_glues_what_myst_nb_itself_would_and_numbers_of_numpy_as_numbers(executed):
    values = {"n": 3, "x": 6.5, "text": "2,000 µs"}
    notebook = executed(
        f"import lab; lab.glue({values})",
        f"from myst_nb import glue\nfor name, value in {values}.items(): glue(name, value, False)",
        "import numpy as np; lab.glue({'of-numpy': np.int64(3), 'half': np.float64(0.5)})",
        "lab.glue({'kept': 1, 'refused': None})",
        kernel="python3",
    )
    ours, theirs, numpys, refused = notebook.cells
    assert len(ours.outputs) == len(values)
    assert ours.outputs == theirs.outputs
    theirs.outputs = []
    assert [output.output_type for output in refused.outputs] == ["error"], "all are kept or none"
    said = {"n": "3", "x": "6.5", "text": "2,000 µs", "of-numpy": "3", "half": "0.5"}
    assert shown(notebook) == said
    assert numpys.outputs == []


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (("x",), "the value is missing"),
        (("x", None), "for the sentence, and not None"),
        (("x", True), "not True"),
        (("x", [1, 2]), r"not \[1, 2\]"),
        (("", 1), "the name must be the text"),
        ((7, 1), "not 7"),
        (({"a": 1, "b": None},), r"lab\.glue\('b', …\).*not None"),
        (({"a": 1, "": 2},), "the name must be the text"),
        (({"a": 1}, 2), "a mapping already has its values"),
        (({}, None), "a mapping already has its values"),
    ],
)
def test_python_refuses_in_words_what_no_sentence_can_say(given, words):
    with pytest.raises(lab.LabError, match=words):
        lab.glue(*given)


def test_cells_glue_in_one_spelling():
    pages = [*ROOT.glob("book/**/*.md"), ROOT / "tools/new/chapter.md"]
    texts = {page.name: page.read_text("utf-8") for page in pages if "_build" not in page.parts}
    glues = {name: re.findall(r"[\w.]*\bglue\(", text) for name, text in texts.items()}
    assert set().union(*glues.values()) == {"lab.glue("}
    assert [name for name, text in texts.items() if "myst_nb" in text] == []


def test_outside_a_notebook_nothing_is_printed(capfd):
    lab.glue("mean", "6.5")
    lab.glue({"runs": 3})
    assert capfd.readouterr() == ("", "")


def test_a_bundle_without_metadata_is_shown_as_before(executed):
    notebook = executed('$$.mime({ "text/plain": "plain", "text/html": "<b>b</b>" })')
    (shown,) = notebook.cells[0].outputs
    assert (shown.output_type, dict(shown.metadata)) == ("display_data", {})
    assert shown.data == {"text/plain": "plain", "text/html": "<b>b</b>"}

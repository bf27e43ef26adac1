"""Numbers for the prose from JavaScript cells, through the kernel and as MyST-NB reads them."""

from __future__ import annotations

import json
import logging

import nbformat
import pytest
from jupyter_client.manager import KernelManager
from myst_nb.core.variables import format_plain_text
from myst_nb.ext.glue import extract_glue_data
from nbclient import NotebookClient

from lab.paths import ROOT

pytest_plugins = ["kernel_fixtures"]

SECONDS = 60


@pytest.fixture
def executed(specs):
    """A notebook of JavaScript cells, executed as the book does it."""

    def execute(*cells):
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in cells])
        manager = KernelManager(kernel_name="javascript", kernel_spec_manager=specs)
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


def shown(notebook, name):
    """What a sentence of the page says for it."""
    return format_plain_text(glued(notebook)[name]["text/plain"], "")


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


@pytest.mark.parametrize("text", ["2,000", "6.50", "50, 100", "None", 'a "word" µs', "007"])
def test_a_sentence_says_exactly_the_text_that_was_glued(executed, text):
    notebook = executed(f'require("lab").glue("x", {json.dumps(text)})')
    assert shown(notebook, "x") == text


def test_a_value_that_is_no_text_or_number_is_refused_in_words(executed):
    notebook = executed('require("lab").glue("mean", Promise.resolve(1))')
    (error,) = notebook.cells[0].outputs
    assert error.ename == "TypeError"
    assert "Await it first" in error.evalue


def test_a_bundle_without_metadata_is_shown_as_before(executed):
    notebook = executed('$$.mime({ "text/plain": "plain", "text/html": "<b>b</b>" })')
    (shown,) = notebook.cells[0].outputs
    assert (shown.output_type, dict(shown.metadata)) == ("display_data", {})
    assert shown.data == {"text/plain": "plain", "text/html": "<b>b</b>"}

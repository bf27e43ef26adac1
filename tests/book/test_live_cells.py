"""What the build writes for a live page: its cells, where they stand, the names of its numbers."""

import json

from docutils import nodes
from docutils.utils import new_document

from lab.book.pipeline.chapter import cell_digest
from lab.book.site import cells, pagefacts
from lab.widgets import parts


def notebook(*sources):
    code = [{"cell_type": "code", "source": one, "metadata": {"tags": ["t"]}} for one in sources]
    text = {"cell_type": "markdown", "source": "text", "metadata": {}}
    return {"metadata": {"kernelspec": {"name": "python3"}}, "cells": [text, *code]}


def page(*shown, glued=()):
    document = new_document("page")
    for index in shown:
        document += nodes.container("", nb_element="cell_code", cell_index=index)
    for name in glued:
        number = nodes.inline("", "1", classes=["pasted-text"])
        number[cells.NAME] = name
        document += nodes.paragraph("", "", number)
    document += nodes.inline("", "no number")
    return document


def test_every_cell_is_there_and_those_that_are_shown_are_named_in_order():
    description = cells.described(page(1, 3), notebook("a", ["b", "c"], "d"), {})
    assert [(one["index"], one["source"]) for one in description["cells"]] == [
        (1, "a"),
        (2, "bc"),
        (3, "d"),
    ]
    assert description["cells"][0]["tags"] == ["t"]
    assert description["shown"] == [1, 3]
    assert description["kernel"] == "python3"
    json.dumps(description)


def test_the_names_of_numbers_come_in_the_order_of_the_page():
    assert cells.described(page(glued=["b", "a", "b"]), notebook(), {})["glued"] == ["b", "a", "b"]


def test_a_cell_knows_its_seconds_only_while_it_is_the_one_that_was_timed():
    took = {cell_digest("a"): 2.5}
    said = cells.described(page(1), notebook("a", "a "), took)["cells"]
    assert [one.get("seconds") for one in said] == [2.5, None]


def test_components_are_named_with_what_asks_for_them():
    said = cells.described(page(), notebook(), {})["parts"]
    assert said["replay.js"] == pagefacts.FOR["replay."]
    assert next(iter(said)) == parts.FIRST
    assert set(said) <= set(parts.names())

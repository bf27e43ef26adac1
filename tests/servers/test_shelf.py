"""Each way of node/shelf to ask for a book brings the same one, and ends with its thread."""

import pytest

import lab
from lab.processes import nodes

EACH = [(how, query) for how in ("loop", "prepare", "thread") for query in ("row", "scan")]


@pytest.mark.parametrize(("how", "query"), EACH)
def test_each_way_brings_the_last_book_as_often_as_it_is_asked(how, query):
    env = {"HOW": how, "QUERY": query, "TIMES": "3", "ROWS": "50"}
    # SQLite is in Node from 22.13 on: the newest that is here, if the one that is meant is older.
    recipe = lab.server("node/shelf", env=env, node=next(iter(nodes.known().values())))
    assert recipe.missing() == []
    with recipe.start() as server:
        assert server.get("/ping").text == "pong\n"
        assert server.get("/").text == "The Art of Waiting, volume 1\n"
    assert server.exit_code == 0

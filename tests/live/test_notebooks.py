"""A chapter opened in JupyterLab has its numbers and footnotes, and is saved as it was written."""

import asyncio
import json
import re

import pytest

from lab import paths
from lab.book.pipeline import toc
from lab.live import notebooks

CHAPTERS = [
    page for page in toc.pages() if "kernelspec:" in (paths.ROOT / f"{page}.md").read_text()
]


@pytest.fixture
def site(tmp_path, monkeypatch):
    monkeypatch.setenv("LAB_LIVE_SITE", str(tmp_path))
    (tmp_path / "index.html").write_text("")

    def put(page, **values):
        outputs = [
            {
                "data": {notebooks.PREFIX: value},
                "metadata": {"scrapbook": {"name": name}},
            }
            for name, value in values.items()
        ]
        file = tmp_path / "_sources" / f"{page}.ipynb"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps({"cells": [{"outputs": outputs}, {"cell_type": "markdown"}]}))

    return put


class Contents:
    """Jupyter's contents manager as far as it is asked, with one file."""

    def __init__(self, *sources, kind="notebook"):
        cells = [{"cell_type": "markdown", "source": source} for source in sources]
        self.model = {"type": kind, "content": {"cells": cells}}

    async def get(self, path, content=True, **_):
        return json.loads(json.dumps(self.model if content else {**self.model, "content": None}))

    async def save(self, model, path=""):
        self.model = json.loads(json.dumps(model))
        return {**model, "content": None}

    def sources(self):
        return [cell["source"] for cell in self.model["content"]["cells"]]


def opened(contents, path="book/start.md", **options):
    notebooks.add_to(contents)
    return asyncio.run(contents.get(path, **options))


def test_numbers_and_footnotes_are_filled_in_and_taken_out_again(site):
    site("book/start", one="'5.34'", two='"a *b* [c]"', three="12")
    written = [
        "It is {glue:text}`one` times [^dahl], and {glue:text}`two`, {glue:text}`three`.",
        "Again [^dahl], then [^brier].",
        "[^brier]: G. W. Brier,\n    1950\n[^dahl]: Ryan Dahl",
    ]
    contents = Contents(*written)
    model = opened(contents)
    shown = [cell["source"] for cell in model["content"]["cells"]]
    assert shown == [
        "It is [5.34](#glue:one) times [[1]](#note:dahl), and "
        r"[a \*b\* \[c\]](#glue:two), [12](#glue:three).",
        "Again [[1]](#note:dahl), then [[2]](#note:brier).",
        "- [[2]](#note:brier) G. W. Brier,\n    1950\n- [[1]](#note:dahl) Ryan Dahl",
    ]
    asyncio.run(contents.save(model, "book/start.md"))
    assert contents.sources() == written


def test_what_is_not_known_and_what_is_no_notebook_stays_as_it_is(site):
    site("book/start", one="'5.34'")
    written = "{glue:text}`other`\n[^nobody]: nothing"
    assert opened(Contents(written))["content"]["cells"][0]["source"] == written
    text = "{glue:text}`one`"
    for path, kind in [("book/start.md", "file"), ("book/start.ipynb", "notebook")]:
        model = opened(Contents(text, kind=kind), path)
        assert model["content"]["cells"][0]["source"] == text
    assert opened(Contents(text), content=False)["content"] is None
    model = opened(Contents(text), "book/what-if.md")  # not built
    assert model["content"]["cells"][0]["source"] == text


@pytest.mark.parametrize("page", CHAPTERS)
def test_every_chapter_can_be_read_and_is_saved_as_it_was(page):
    text = (paths.ROOT / f"{page}.md").read_text("utf-8")
    values = dict.fromkeys(notebooks.GLUED.findall(text), "1.5 [ms] of `x`")
    (shown,) = notebooks.filled([text], values)
    assert "{glue:text}" not in shown
    assert not re.search(r"\[\^[\w-]+\]", shown)
    assert notebooks.emptied(shown) == text

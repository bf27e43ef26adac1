"""The line of a folded part of a page says what is in it and how long that is."""

import re
from types import SimpleNamespace

import pytest
from docutils import nodes
from docutils.core import publish_doctree
from myst_parser.docutils_ import Parser

from lab import paths
from lab.book.site import long_parts

PAGE = """# Page

## Part

Before.

<!-- fold: Two servers & a table -->

One two three.

| a | b |
|---|---|
| 1 | 2 |

- four
- five

## Next

After.
"""
FIGURE = '<figure class="lab-figure"></figure>'


def folded(markdown):
    doctree = publish_doctree(
        markdown, parser=Parser(), settings_overrides={"doctitle_xform": False}
    )
    app = SimpleNamespace(builder=SimpleNamespace(format="html"))
    long_parts._mark(app, doctree, "page")
    return doctree


def test_the_line_says_what_the_fold_holds_and_how_long_it_is():
    first, last = (raw.astext() for raw in folded(PAGE).findall(nodes.raw))
    assert "<summary>Two servers &amp; a table" in first
    assert "(1 table, 5 words)" in first
    assert last == "</details>"


def test_the_fold_ends_with_its_section():
    part, following = list(folded(PAGE).findall(nodes.section))[1:]
    assert part.children[-1].astext() == "</details>"
    assert not list(following.findall(nodes.raw))


def test_numbers_behind_a_plot_and_code_are_not_counted():
    table = '<div class="lab-scroll"></div>'
    cell = nodes.container(classes=["cell"])
    cell += nodes.raw("", f"{FIGURE}<details>a<details>{table}</details>{table}</details>{table}")
    cell += nodes.paragraph("", "printed words")
    cell += nodes.raw("", '<div id="claim-one"></div><div id="claim-two"></div>')
    assert long_parts.length_of([cell]) == "1 plot, 1 table, 2 claims"
    assert long_parts.length_of([nodes.paragraph("", "word " * 127)]) == "130 words"


def test_a_fold_that_does_not_say_what_it_holds_is_a_warning(monkeypatch):
    told = []
    monkeypatch.setattr(long_parts.log, "warning", lambda text, **_: told.append(text))
    folded(PAGE.replace(": Two servers & a table", ""))
    assert told == ["say what the fold holds: <!-- fold: ... -->"]


@pytest.mark.parametrize("page", sorted((paths.ROOT / "book").rglob("*.md")), ids=lambda p: p.stem)
def test_the_lines_of_a_page_differ_and_are_short(page):
    holds = re.findall(r"<!-- fold: (.+) -->", page.read_text("utf-8"))
    assert len(set(holds)) == len(holds)
    assert [one for one in holds if len(one) > 70 or one.endswith(".")] == []

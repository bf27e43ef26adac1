"""What search engines and the book's own search know of a page."""

from types import SimpleNamespace

from docutils import nodes
from docutils.core import publish_doctree
from myst_parser.docutils_ import Parser
from sphinx import addnodes

from lab.book.pipeline import toc
from lab.book.site import pagefacts, search_index

MARKDOWN = """# Page

Prose with `readFile` and more.

## Part

```js
secret
```

- one
- two
"""


def doctree_of(markdown):
    return publish_doctree(markdown, parser=Parser(), settings_overrides={"doctitle_xform": False})


def test_the_search_has_prose_and_headings_and_no_code():
    doctree = doctree_of(MARKDOWN)
    title, part = search_index.sections_of(doctree)
    assert title[1:] == ("Page", "Prose with readFile and more.")
    assert part == ("part", "Part", "one two")


def test_of_a_long_table_the_search_has_the_names_of_its_rows():
    head = "# Page\n\n| name | meaning |\n|---|---|\n"
    for count, last in [(search_index.LONG_TABLE, "what"), (search_index.LONG_TABLE + 1, "it")]:
        rows = "".join("| it | what |\n" for _ in range(count))
        ((*_, text),) = search_index.sections_of(doctree_of(head + rows))
        assert text.startswith("name meaning it") and text.endswith(last)


def test_the_index_says_which_pages_have_a_word_and_how_often():
    first = [("a", "A", "Read the file, read!"), ("b", "B", "The end")]
    pages = [first, [("c", "C", "")], [("d", "D", "the_end: 2")]]
    assert search_index.counted_words(pages) == {
        "2": [2, 1],
        "end": [0, 1, 2, 1],
        "file": [0, 1],
        "read": [0, 2],
        "the": [0, 2, 2, 1],
    }


def test_each_page_has_a_script_with_its_text_and_a_dropped_page_has_none(tmp_path):
    titles = {"book/start": SimpleNamespace(astext=lambda: "Start")}
    sections = {"book/start": [("a", "A", "one “word”")]}
    app = SimpleNamespace(env=SimpleNamespace(lab_sections=sections, titles=titles))
    dropped = tmp_path / search_index.TEXTS / "book" / "dropped.js"
    dropped.parent.mkdir(parents=True)
    dropped.touch()
    search_index.write(app, tmp_path)
    assert not dropped.exists()
    script = (tmp_path / search_index.TEXTS / "book" / "start.js").read_text("utf-8")
    assert script == 'LabSearch.texts("book/start.html", [["a","A","one “word”"]]);\n'
    index = (tmp_path / search_index.INDEX).read_text("utf-8")
    assert '"title":"Start"' in index and '"word":[0,1]' in index


def test_a_link_to_a_page_has_the_title_of_the_page_and_not_its_path(tmp_path):
    doctree = doctree_of("# Page\n\nMore in it.\n")
    paragraph = next(iter(doctree.findall(nodes.paragraph)))
    link = {"reftype": "doc", "refdoc": "book/part/page", "refexplicit": False}
    for target in ("../other", "/book/other"):
        paragraph += addnodes.pending_xref("", nodes.inline("", target), reftarget=target, **link)
    ((*_, text),) = search_index.sections_of(doctree)
    assert text == "More in it.{doc book/other}{doc book/other}"
    titles = {"book/start": SimpleNamespace(astext=lambda: "Start")}
    titles |= {"book/other": SimpleNamespace(astext=lambda: "The Other")}
    env = SimpleNamespace(lab_sections={"book/start": [("a", "A", text)]}, titles=titles)
    search_index.write(SimpleNamespace(env=env), tmp_path)
    script = (tmp_path / search_index.TEXTS / "book" / "start.js").read_text("utf-8")
    assert "More in it.The OtherThe Other" in script


def test_the_search_keeps_pages_that_were_not_read_again():
    env = SimpleNamespace(docname="new", lab_sections={"old": [("a", "A", "a")], "new": []})
    search_index._read(SimpleNamespace(env=env), doctree_of("# New\n\nText.\n"))
    assert env.lab_sections == {"old": [("a", "A", "a")], "new": [("new", "New", "Text.")]}
    search_index._forget(None, env, "old")
    assert [*env.lab_sections] == ["new"]


def test_further_words_are_of_pages_of_the_book():
    assert set(search_index._keywords()) <= {*toc.pages(), "book/index"}


def test_each_page_has_a_description_of_its_own_of_a_length_that_previews_show():
    descriptions = pagefacts.written_descriptions()
    assert {*toc.pages(), "book/index"} == set(descriptions)
    assert len(set(descriptions.values())) == len(descriptions)
    assert [page for page, text in descriptions.items() if not 60 <= len(text) <= 160] == []
    assert [page for page, text in descriptions.items() if text[-1] not in ".?"] == []

"""The components of a page, put together from their parts."""

import json
import re
from collections import Counter

import pytest

from lab import paths
from lab.book.site import pagefacts
from lab.simulator import bundle
from lab.widgets import parts
from lab.widgets.parts import assets

PARTS = json.loads((paths.WIDGETS / "parts.json").read_text())


def test_every_part_is_in_one_file_of_the_page():
    script_names = [
        file.relative_to(paths.WIDGETS).as_posix()
        for kind in ("js", "css")
        for file in paths.WIDGETS.rglob(f"*.{kind}")
    ]
    # The replay's sentences are below the widgets, because the table of a trace prints them too.
    trace = paths.WIDGETS.parent / "trace"
    script_names += [f"../trace/{file.name}" for file in trace.glob("*.js")]
    listed = Counter(part for parts in PARTS.values() for part in parts)
    assert sorted(listed) == sorted(script_names)
    # The signs in the sidebar are on pages without a review, and say when its questions are due.
    assert [part for part, count in listed.items() if count > 1] == ["review/schedule.js"]


def test_what_pages_ask_for_is_there():
    config = (paths.ROOT / "_config.yml").read_text()
    asked = re.findall(r"html_(?:css|js)_files: \[(.*)\]", config)
    names = {name for line in asked for name in line.split(", ")}
    own = {file.name for file in (paths.ROOT / "book/_static").iterdir()}
    assert len(asked) == 2
    assert names <= own | set(PARTS) | {bundle.LOADER}
    assert not own & set(PARTS)


def test_a_page_without_components_loads_nothing_of_them_and_any_other_what_they_share():
    elements = {
        name
        for part in paths.WIDGETS.rglob("*.js")
        for name in re.findall(r'customElements.define\("([\w-]+)"', part.read_text())
    }
    assert {"loop-replay", "lab-question", "lab-yours"} <= elements
    for name in elements:
        assert re.search(pagefacts.FOR[parts.FIRST.removesuffix("js")], f"<{name}>")
    # Those of the search and of the page of results are loaded there alone, by name, and page.js
    # loads the signs of the sidebar where there are answers; every page has the storage.
    apart = {"search.js", "yours.js", "ticks.js", parts.STORAGE}
    scripts = [name for name in PARTS if name.endswith(".js") and name not in apart]
    for name in scripts:
        assert not re.search(pagefacts.FOR[name.removesuffix("js")], "<lab-claim><p>A replay</p>")


def test_a_site_gets_each_file_whole_and_anew_when_a_part_is_saved(tmp_path, monkeypatch):
    widgets = tmp_path / "widgets"
    widgets.mkdir()
    (widgets / "parts.json").write_text('{"a.js": ["one.js", "two.js"], "a.css": ["a.css"]}')
    for name in ("one.js", "two.js", "a.css"):
        (widgets / name).write_text(f"{name}\n")
    monkeypatch.setattr(parts, "WIDGETS", widgets)
    site = tmp_path / "site"
    parts.put(site)
    assert {f.name: f.read_text() for f in site.iterdir()} == {
        "a.js": "one.js\ntwo.js\n",
        "a.css": "a.css\n",
    }
    before = {f.name: f.stat().st_mtime_ns for f in site.iterdir()}
    (widgets / "two.js").write_text("saved\n")
    parts.put(site)
    assert (site / "a.js").read_text() == "one.js\nsaved\n"
    assert (site / "a.css").stat().st_mtime_ns == before["a.css"]


@pytest.mark.parametrize("name", ["question", "explore", "vary", "replay"])
def test_what_stands_inside_a_page_has_all_it_needs_and_cannot_end_early(name, monkeypatch):
    code = parts.script(name)
    assert "</script" not in code
    assert code.index("globalThis.LabDom =") < code.index("customElements.define(")
    monkeypatch.delenv("LAB_CHAPTER", raising=False)
    assert code in assets(name)
    monkeypatch.setenv("LAB_CHAPTER", "book/x")
    assert assets(name) == ""

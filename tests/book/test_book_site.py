"""What the site ships beside its pages, on the book of two chapters."""

import hashlib
import json
import os
import re
import shutil
import subprocess
from types import SimpleNamespace
from xml.etree import ElementTree

import pytest
import yaml
from sphinx.errors import ConfigError
from tiny_book import TINY, Book, made_once

from lab.book.pages import card
from lab.book.site import assets, icons, minify, pagefacts, styles
from lab.plot.forest import Line
from lab.widgets import parts

pytestmark = [pytest.mark.builds, pytest.mark.timeout(1800)]
PUBLISHED = {
    "LAB_SITE_URL": "https://example.org/course",
    "LAB_REPOSITORY_URL": "https://git.example.org/us/course/",
}


def build(root, *, redirects, **extra):
    config = yaml.safe_load((TINY / "_config.yml").read_text())
    config["sphinx"]["config"]["lab_redirects"] = redirects
    config["sphinx"]["config"]["html_favicon"] = "mark.svg"
    shutil.copy(TINY.parent.parent.parent / "book/_static/mark.svg", root)
    options = {"article_footer_items": ["page-facts.html"]}
    config["sphinx"]["config"]["html_theme_options"] = options
    (root / "_config.yml").write_text(yaml.safe_dump(config))
    return Book(root).build(**extra)


@pytest.fixture(scope="session")
def root(tmp_path_factory):
    def published(folder):
        shutil.copytree(TINY, folder)
        shutil.copy(TINY.parent.parent.parent / "CITATION.cff", folder)
        done = build(folder, redirects={"book/zero/old": "book/one/alpha"}, **PUBLISHED)
        assert done.returncode == 0, done.stdout + done.stderr

    return made_once(tmp_path_factory, "site", published)


@pytest.fixture
def html(root):
    return root / "_build" / "html"


def test_a_renamed_page_sends_its_readers_on(html):
    page = (html / "book/zero/old.html").read_text()
    assert 'content="0; url=../one/alpha.html"' in page
    assert "url=book/index.html" in (html / "index.html").read_text()


def test_a_redirect_to_nowhere_stops_the_build(root, tmp_path):
    shutil.copytree(root, tmp_path / "book")
    done = build(tmp_path / "book", redirects={"old": "book/gone"})
    assert done.returncode != 0
    assert "lab_redirects in _config.yml" in done.stdout + done.stderr


@pytest.mark.parametrize("redirects", [{"old": "book/gone"}, {"book/one/beta": "book/one/alpha"}])
def test_a_redirect_to_nowhere_or_from_a_living_page_is_refused(redirects):
    config = SimpleNamespace(lab_redirects=redirects, root_doc="index")
    env = SimpleNamespace(found_docs={"index", "book/one/alpha", "book/one/beta"})
    with pytest.raises(ConfigError, match=r"lab_redirects in _config\.yml"):
        assets._redirects(SimpleNamespace(config=config, env=env))


def test_a_published_site_has_each_page_as_markdown_and_a_list_of_them(html):
    listed = (html / "llms.txt").read_text()
    assert "(https://example.org/course/book/one/alpha.md)" in listed
    text = (html / "book/one/alpha.md").read_text()
    assert "\n# Chapter alpha\n" in text
    assert "```python\n" in text
    page = (html / "book/one/alpha.html").read_text()
    assert 'type="text/markdown" href="https://example.org/course/book/one/alpha.md"' in page


def test_a_report_names_its_page_and_what_it_was_built_from(html):
    page = (html / "book/one/alpha.html").read_text()
    (address,) = re.findall(r'href="([^"]+)">Report a mistake', page)
    assert address.startswith("https://git.example.org/us/course/issues/new?template=mistake.yml")
    assert "page=book%2Fone%2Falpha" in address
    assert "mybinder" not in page, "which knows no repository but one on GitHub"


@pytest.mark.parametrize(
    "address", ["https://github.com/us/my.book", "https://github.com/us/my.book.git"]
)
def test_a_repository_on_github_can_be_run_in_two_clouds(address):
    codespaces, binder = pagefacts.clouds(address, "main")
    assert codespaces["url"] == "https://codespaces.new/us/my.book?ref=main"
    assert binder["url"] == "https://mybinder.org/v2/gh/us/my.book/main?urlpath=book"


@pytest.mark.parametrize(
    "address", ["", "https://gitlab.com/us/book", "https://github.com.evil.example/a/b"]
)
def test_another_repository_cannot(address):
    assert pagefacts.clouds(address, "main") == []


def test_the_map_lists_every_page_at_the_site_s_address(html):
    space = "{http://www.sitemaps.org/schemas/sitemap/0.9}"
    tree = ElementTree.parse(html / "sitemap.xml")
    found = {loc.text for loc in tree.iter(f"{space}loc")}
    assert "https://example.org/course/book/one/alpha.html" in found
    assert len(found) == len(list((html / "book").glob("**/*.html"))) - 1  # but no old name


def test_a_page_knows_its_address_source_and_where_to_report(html):
    page = (html / "book/one/alpha.html").read_text()
    assert '<link rel="canonical" href="https://example.org/course/book/one/alpha.html"' in page
    assert 'content="https://example.org/course/_static/card.png"' in page
    assert "https://git.example.org/us/course/blob/main/book/one/alpha.md" in page


def test_the_page_for_the_lost_needs_no_other_file_and_leads_to_every_page(html):
    page = (html / "404.html").read_text()
    assert 'href="/course/book/one/beta.html"' in page
    links = re.findall(r'<link rel="(\w+)" href="(\w+:)', page)
    assert links == [("icon", "data:")] and page.count("<link") == 1 and "src=" not in page


def test_the_book_s_name_stands_where_sphinx_has_none_and_only_once_at_home(html):
    assert "<title>No such page &#8212; A tiny book</title>" in (html / "404.html").read_text()
    home = (html / "book/index.html").read_text()
    assert 'og:site_name" content="A tiny book"' in home
    assert "<title>A tiny book</title>" in home
    beta = (html / "book/one/beta.html").read_text()
    assert "&#8212; A tiny book</title>" in beta


def test_a_chapter_says_how_to_repeat_it_and_a_page_without_cells_does_not(html):
    page = (html / "book/one/beta.html").read_text()
    assert "make chapter NAME=one/beta" in page
    assert "make chapter" not in (html / "book/about/machine.html").read_text()


def test_the_notebook_beside_the_source_is_clean_and_readable_from_disk(html):
    file = html / "_sources/book/one/alpha.ipynb"
    notebook = json.loads(file.read_text())
    assert "lab_fingerprint" not in notebook["metadata"]["kernelspec"]
    script = file.with_name("alpha.ipynb.js").read_text()
    assert (
        json.loads(script.removeprefix("labFile(").rstrip().removesuffix(")")) == file.read_text()
    )


@pytest.fixture(scope="session")
def later(root, tmp_path_factory):
    """The site after a chapter was reworded, and without an address."""

    def reworded(folder):
        book = Book.copied(folder, root)
        book.edit("book/one/alpha.md", "Prose of alpha.", "Other prose of alpha.")
        (folder / "_build/html/sitemap.xml").unlink()
        done = build(folder, redirects={})
        assert done.returncode == 0, done.stderr

    return made_once(tmp_path_factory, "later", reworded) / "_build/html"


def test_a_chapter_that_is_only_reworded_keeps_the_outputs_in_its_notebook(later):
    text = (later / "_sources/book/one/alpha.ipynb").read_text()
    assert "Other prose" in text
    cells = json.loads(text)["cells"]
    assert any(cell["outputs"] for cell in cells if cell["cell_type"] == "code")


def test_without_an_address_there_is_no_map_and_no_picture_to_be_fetched(later):
    assert not (later / "sitemap.xml").exists()
    assert not (later / "book/zero/old.html").exists()
    page = (later / "book/one/alpha.html").read_text()
    assert "og:title" in page
    assert "og:image" not in page and "canonical" not in page


def test_a_build_that_finds_no_page_changed_brings_the_components_as_they_are_now(root, tmp_path):
    shutil.copytree(root, tmp_path / "book")
    script = tmp_path / "book/_build/html/_static/replay.js"
    minified_text = minify.minified({"replay.js": parts.text("replay.js")})["replay.js"]
    assert script.read_text() == minified_text
    script.write_text("as it was\n")
    done = Book(tmp_path / "book").build(**PUBLISHED)
    assert done.returncode == 0, done.stdout + done.stderr
    assert script.read_text() == minified_text


def test_licences_that_must_travel_along_do(html):
    scripts = [*(html / "_static").rglob("*.js")]
    named = [s for s in scripts if f"{s.name}.LICENSE.txt" in s.read_text("utf8")[:500]]
    assert all(s.with_name(f"{s.name}.LICENSE.txt").exists() for s in named)
    sheet = (html / "_static/styles/pydata-sphinx-theme.css").read_text()
    for whose in ("Bootstrap", "Font Awesome"):
        assert re.search(rf"/\*![^/]*{whose}(?s:.)*?licensed?", sheet, re.IGNORECASE)


def test_no_page_asks_for_the_script_that_is_left_out(html):
    pages = [p.read_text() for p in html.rglob("*.html")]
    assert not any("bootstrap.js" in page for page in pages)
    assert not (html / "_static/scripts/bootstrap.js").exists()
    assert any("scripts/pydata-sphinx-theme.js" in page for page in pages)


def test_of_the_themes_styles_only_what_pages_and_scripts_name_is_left(html):
    theme = (html / "_static/styles/pydata-sphinx-theme.css").read_text()
    assert len(theme) < 120_000
    assert ".bd-article" in theme  # a page has it
    assert ".pst-squeeze" in theme  # only a script sets it
    assert ".offcanvas-bottom" not in theme
    ours = (html / "_static/question.css").read_text()
    assert ours == minify.minified({"question.css": parts.text("question.css")})["question.css"]


def test_pages_ask_for_styles_by_what_they_are_now(html):
    for page in (html / "book/one/alpha.html", html / "search.html"):
        text = page.read_text()
        for name in ("pydata-sphinx-theme.css", "sphinx-book-theme.css"):
            made = hashlib.sha256((html / "_static/styles" / name).read_bytes()).hexdigest()
            assert re.findall(rf"/{name}[^\"]*", text) == [f"/{name}?v={made[:8]}"]


def test_a_rule_stays_if_a_page_could_meet_it():
    classes = frozenset({"a", "b"})
    cases = {
        ".a{x:1}": ".a{x:1}",
        ".gone{x:1}": "",
        ".a .gone,.b>p{x:1}": ".b>p{x:1}",
        "p,:root{--x:1}": "p,:root{--x:1}",
        "#gone{x:1}": "",
        ".a:not(.gone){x:1}": ".a:not(.gone){x:1}",
        ":is(.a,.gone) p{x:1}": ":is(.a,.gone) p{x:1}",
        '[href$=".gone"],.b[title="a,b"]{x:1}': '[href$=".gone"],.b[title="a,b"]{x:1}',
        ".b\\/2{x:1}": "",
        "@media print{.gone{x:1}.a{x:1}}": "@media print{.a{x:1}}",
        "@media print{.gone{x:1}}": "",
        "@media print{@supports (y:1){.gone{x:1}}}": "",
        "@font-face{src:url(a;b{c)}": "@font-face{src:url(a;b{c)}",
        '@charset "UTF-8";.gone{x:1}': '@charset "UTF-8";',
        '@import url("basic.css");.a{x:1}': '@import url("basic.css");.a{x:1}',
        "@keyframes k{from{x:1}to{x:2}}": "@keyframes k{from{x:1}to{x:2}}",
        '.a{content:"}.gone{"}': '.a{content:"}.gone{"}',
        "/*! licence: {.gone} */.gone{x:1}": "/*! licence: {.gone} */",
        "/* note { */.a{x:1}": ".a{x:1}",
        ".a{x:1;/* note } */y:2}": ".a{x:1;y:2}",
        ".a{background:url(data:image/svg+xml,%3csvg/%3e)}": (
            ".a{background:url(data:image/svg+xml,%3csvg/%3e)}"
        ),
    }
    for css, kept in cases.items():
        assert styles.cut(css, classes) == kept, css


def test_classes_are_found_in_pages_in_their_data_and_as_words_of_scripts():
    pages = [
        '<p class="one two" id="three">by four</p>',
        '<script type="application/json">{"html":"<b class=\\"five\\">"}</script>',
        "<i data-html='&lt;i class=&quot;six&quot;&gt;'>",
    ]
    found = styles.names(pages, ['e.classList.add("seven", `eight-${n}`)'])
    assert found >= {"one", "two", "three", "five", "six", "seven"}
    assert "four" not in found


def test_only_icons_that_pages_show_stay_in_font_and_styles(html):
    assert (html / "_static/icons.woff").stat().st_size < 20_000
    sheets = "".join(f.read_text() for f in (html / "_static").rglob("*.css"))
    assert "icons.woff" in sheets
    assert ".fa-bars:before" in sheets
    assert ".fa-hippo" not in sheets


def test_codes_of_icons_are_found():
    assert icons.CODE.findall('{content:"\\f6d3"}') == ["f6d3"]


def git(folder, *words, **env):
    subprocess.run(
        ["git", "-c", "user.name=a", "-c", "user.email=a@b", *words],
        cwd=folder,
        env={**os.environ, **env},
        check=True,
        capture_output=True,
    )


def test_the_last_change_of_a_page_is_its_last_commit(tmp_path):
    (tmp_path / "book").mkdir()
    git(tmp_path, "init", "-q")
    for name, day in (("one", "2024-05-01"), ("two", "2025-01-31")):
        (tmp_path / f"book/{name}.md").write_text(name)
        git(tmp_path, "add", ".")
        git(tmp_path, "commit", "-qm", name, GIT_COMMITTER_DATE=f"{day}T12:00:00Z")
    assert pagefacts.last_changes(tmp_path) == {
        "book/one.md": "2024-05-01",
        "book/two.md": "2025-01-31",
    }
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{tmp_path}", "shallow")
    assert pagefacts.last_changes(tmp_path / "shallow") == {}


def test_without_git_no_page_has_a_last_change(tmp_path, monkeypatch):
    assert pagefacts.last_changes(tmp_path) == {}
    monkeypatch.setenv("PATH", str(tmp_path))
    assert pagefacts.last_changes(tmp_path) == {}
    assert pagefacts.words("2026-03-01") == "1 March 2026"


def test_the_card_is_drawn_once_for_what_it_shows(tmp_path, monkeypatch):
    (tmp_path / "_static").mkdir()
    rows = [Line("async ÷ sync", 2.0, 1.8, 2.2, published=10.0)]
    monkeypatch.setattr(card.verdicts, "lines", lambda build: rows)
    file = tmp_path / "_static/card.png"
    card.write(SimpleNamespace(), "A book", tmp_path)
    assert file.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    assert file.stat().st_size < 100_000
    first = file.stat().st_mtime_ns
    card.write(SimpleNamespace(), "A book", tmp_path)
    assert file.stat().st_mtime_ns == first
    rows.append(Line("Buffer ÷ string", 5.0))
    card.write(SimpleNamespace(), "A book", tmp_path)
    assert file.stat().st_mtime_ns != first
    rows.clear()
    card.write(SimpleNamespace(), "A book", tmp_path)
    assert not file.exists()


def test_of_the_book_s_own_styles_only_comments_go():
    css = "/* why */a::after{content:'/* kept */'}/*! licence */ b{background:url(a/*b.png)}"
    kept = "a::after{content:'/* kept */'}/*! licence */ b{background:url(a/*b.png)}"
    assert styles.without_comments(css) == kept

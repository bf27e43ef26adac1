"""Pages as Markdown: what a page says is there, what it hides is not."""

from types import SimpleNamespace

import pytest

from lab.book.site import twins

PAGE = """<html><body><nav>Menu</nav><article class="bd-article">
<h1>Phases<a class="headerlink" href="#phases">#</a></h1>
<p>It took <span class="pasted-text">4.2 ms</span>, see <a href="ticks.html#why">ticks</a> and
<a href="https://nodejs.org/a.html">Node</a>.</p>
<lab-question><script>{"right": "secret"}</script><p>Which?</p>
<details><summary>Answer</summary><p>secret</p></details></lab-question>
<lab-answer><details><summary>Show the answer</summary>secret</details></lab-answer>
<details><summary>A hint</summary>secret</details>
<p>Recorded. <a href="data:text/csv,secret">data</a></p>
<details class="hide above-input"><summary>Show secret Hide secret</summary>
<div class="highlight-javascript notranslate"><div class="highlight"><pre>load(1)</pre></div></div>
</details>
<style>.secret{}</style><button>secret</button>
<table><thead><tr><th>n</th><th>ms</th></tr></thead><tbody><tr><td>1</td><td>2</td></tr></tbody></table>
</article></body></html>"""


def test_what_a_page_says_is_there_with_its_results():
    text = twins.markdown_of(PAGE)
    assert text.startswith("# Phases\n")
    assert "It took 4.2 ms" in text
    assert "```javascript\nload(1)\n```" in text
    assert "| 1 | 2 |" in text
    assert "Which?" in text
    assert "Menu" not in text


def test_answers_hints_and_what_a_script_needs_are_not():
    assert "secret" not in twins.markdown_of(PAGE)


@pytest.mark.parametrize(
    ("link", "leads_to"),
    [
        ("ticks.html#why", "ticks.md#why"),
        ("../about/glossary.html", "../about/glossary.md"),
        ("#answer", "#answer"),
        ("https://nodejs.org/a.html", "https://nodejs.org/a.html"),
        ("//cdn.example/a.html", "//cdn.example/a.html"),
        ("data.html.zip", "data.html.zip"),
    ],
)
def test_links_lead_to_the_markdown_of_pages_and_elsewhere_as_before(link, leads_to):
    page = f'<article class="bd-article"><a href="{link}">x</a></article>'
    assert twins.markdown_of(page) == f"[x]({leads_to})\n"


def test_a_page_without_an_article_has_nothing_to_say():
    assert twins.markdown_of("<html><body>Moved</body></html>") == ""


def test_each_page_is_listed_and_only_what_changed_is_written_again(tmp_path, monkeypatch):
    pages = ["book/index", "book/start"]
    monkeypatch.setattr(twins.toc, "pages", lambda: [*pages, "book/not-built"])
    monkeypatch.setattr(twins.pagefacts, "written_descriptions", lambda: {"book/start": "A ping."})
    for page in pages:
        (tmp_path / page).parent.mkdir(exist_ok=True)
        (tmp_path / f"{page}.html").write_text(PAGE)
    title = SimpleNamespace(astext=lambda: "A title")
    app = SimpleNamespace(
        env=SimpleNamespace(found_docs=set(pages), titles=dict.fromkeys(pages, title)),
        config=SimpleNamespace(
            project="The book", root_doc="book/index", html_baseurl="https://site.example/book/"
        ),
    )
    twins.write(app, tmp_path)
    listed = (tmp_path / "llms.txt").read_text()
    assert "- [A title](https://site.example/book/book/start.md): A ping.\n" in listed
    assert "not-built" not in listed
    (tmp_path / "book/start.md").write_text("kept")
    twins.write(app, tmp_path)
    assert (tmp_path / "book/start.md").read_text() == "kept"

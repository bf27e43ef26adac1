"""Pages as Markdown, with their results in them, and `llms.txt`, which lists them: for assistants
and for programs that read. A published site has them: one whose address is set.

Source: Jeremy Howard, The /llms.txt file, 2024 (llmstxt.org).
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

from sphinx.application import Sphinx

from lab.book.pipeline import toc
from lab.book.site import pagefacts
from lab.storage import written

INDEX = "llms.txt"
# What draws, asks or decorates; what says an answer, a hint or a solution.
_SILENT = (
    "script, style, button, form, svg, .headerlink, lab-answer, lab-search, "
    'details.hide > summary, a[href^="data:"]'
)
_ANSWER = re.compile(r"^(Answer|Show the answer|A hint|Another hint|The last hint|Where to begin)")
_PAGE = re.compile(r"^(?!\w+:|//)([^#?]*)\.html(?=[#?]|$)")
# What Pygments calls otherwise than the world does.
_LANGUAGES = {"ipython3": "python", **dict.fromkeys(("none", "text", "default", "myst-ansi"), "")}
_BLANK_LINES = re.compile(r"\n{3,}")


def write(app: Sphinx, out: Path) -> None:
    """Write the Markdown of each page that has changed, and the list of all."""
    descriptions = pagefacts.written_descriptions()
    names = [page for page in toc.pages() if page in app.env.found_docs]
    for page in names:
        html, twin = out / f"{page}.html", out / f"{page}.md"
        if html.is_file() and not (twin.exists() and twin.stat().st_mtime >= html.stat().st_mtime):
            written.write(twin, markdown_of(html.read_text("utf8")).encode())
    lines = [f"# {app.config.project}", ""]
    if about := descriptions.get(app.config.root_doc):
        lines += [f"> {about}", ""]
    lines += ["## Pages", ""]
    for page in names:
        url = urljoin(app.config.html_baseurl, f"{page}.md")
        about = descriptions.get(page, "")
        lines.append(f"- [{app.env.titles[page].astext()}]({url}){f': {about}' if about else ''}")
    written.write(out / INDEX, ("\n".join(lines) + "\n").encode())


def markdown_of(html: str) -> str:
    """Return the article of a page as Markdown, without answers, hints and solutions; links lead to
    the Markdown of other pages. Empty where a page has no article.
    """
    from bs4 import BeautifulSoup
    from markdownify import markdownify

    article = BeautifulSoup(html, "html.parser").select_one("article.bd-article")
    if article is None:
        return ""
    for element in article.select(_SILENT):
        element.decompose()
    for folded in article.select("details"):
        summary = folded.find("summary")
        if summary and _ANSWER.match(summary.get_text(" ", strip=True)):
            folded.decompose()
    for link in article.select("a[href]"):
        link["href"] = _PAGE.sub(r"\1.md", str(link["href"]))
    text = markdownify(str(article), heading_style="ATX", code_language_callback=_language)
    return _BLANK_LINES.sub("\n\n", text).strip() + "\n"


def _language(block: Any) -> str:
    """Return the language of a block of code, which a class of an element around it names."""
    for parent in block.parents:
        for name in parent.get("class") or ():
            if name.startswith("highlight-"):
                language = str(name).removeprefix("highlight-")
                return _LANGUAGES.get(language, language)
    return ""

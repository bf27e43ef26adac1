"""What a page tells about itself: a description, its last change, its downloads, how to cite it.

The templates in `templates/pages` show it (`lab_page`). Where the site and its repository are is
not known here: `html_baseurl` and `lab_repository_url` of _config.yml, or LAB_SITE_URL and
LAB_REPOSITORY_URL of the environment. What depends on one that is not set is left out.
"""

from __future__ import annotations

import os
import re
import subprocess
import tomllib
from base64 import b64encode
from contextlib import suppress
from datetime import date
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import quote, urlencode, urljoin, urlparse

import yaml
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.environment import BuildEnvironment

from lab import paths
from lab.book.pipeline.build import Build
from lab.book.pipeline.report import short
from lab.book.site import record_files
from lab.widgets import parts

CARD = "_static/card.png"
CARD_ALT = "Forest plot: published ratios as stars, ours as dots with 95 % intervals"
DESCRIPTIONS = paths.ROOT / "book" / "descriptions.toml"
DATA_PAGE = "book/about/data"
LONGEST = 200  # characters of a description; what previews and results of a search show
# Static files, by how their name begins, that only some pages need, and what these have in them.
FOR = {
    "numbers.": "<(loop-replay|lab-(question|answer|asked|review|progress|explore|vary|model|yours|"
    "verdicts|project))",
    "replay.": "<loop-replay",
    "curve.": '"kind":"curve"',
    "question.": "<lab-(question|answer|review|progress)",
    "review.": "<lab-(review|progress)",
    "explore.": "<lab-explore",
    "vary.": "<lab-vary",
    "model.": "<lab-model",
    "exercise.": "lab-exercise",
    **{
        name.removesuffix("js"): f'<lab-model name="{name[len("model-") : -len(".js")]}"'
        for name in parts.names()
        if name.startswith("model-")
    },
    "ratios.": "lab-ratios",
    "verdicts.": "<lab-verdicts",
    "project.": "<lab-project",
    "mystnb.": 'class="cell|pasted-',
    "sphinx-design.": "sd-",
    "design-tabs.": "sd-tab",
    "togglebutton.": "toggle|dropdown",
    "copybutton": "highlight",
    "clipboard.": "highlight",
}
ADDRESSES = {"html_baseurl": "LAB_SITE_URL", "lab_repository_url": "LAB_REPOSITORY_URL"}


def setup(app: Sphinx) -> None:
    """Register the addresses, and give every page its facts."""
    app.add_config_value("lab_repository_url", "", "html")
    app.add_config_value("lab_repository_branch", "main", "html")
    app.connect("config-inited", _addresses)
    app.connect("env-updated", _changed)
    # Before the theme, which leaves out what turns out empty; and after it, when all is known.
    app.connect("html-page-context", _facts, priority=400)
    app.connect("html-page-context", _later, priority=900)


def _addresses(app: Sphinx, config: Config) -> None:
    for name, variable in ADDRESSES.items():
        address = os.environ.get(variable) or getattr(config, name) or ""
        # Sphinx joins the two without looking.
        slash = "/" if name == "html_baseurl" and address else ""
        config[name] = address.rstrip("/") + slash


def last_changes(root: Path, folder: str = "book") -> dict[str, str]:
    """Return the day of the last commit (2026-11-21) of each file below root/folder, by its path
    from root. Empty without git, and in a shallow clone, where every file would seem to be new.
    """
    log = ["log", "--format=%x00%cs", "--name-only", "--relative", "--", folder]
    try:
        if _git(root, "rev-parse", "--is-shallow-repository").strip() != "false":
            return {}
        commits = _git(root, "-c", "core.quotePath=false", *log).split("\0")
    except (OSError, subprocess.SubprocessError):
        return {}
    found: dict[str, str] = {}
    for day, *names in (commit.split("\n") for commit in commits if commit):
        for name in filter(None, names):
            found.setdefault(name, day)  # the newest commit comes first
    return found


def _git(root: Path, *words: str) -> str:
    done = subprocess.run(
        ["git", *words], cwd=root, capture_output=True, text=True, timeout=60, check=True
    )
    return done.stdout


def _changed(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Read days and descriptions, once a build; return the pages of which one has changed."""
    e: Any = env
    by_file = last_changes(paths.ROOT)
    before = getattr(e, "lab_last_changes", {})
    e.lab_last_changes = {
        name: day
        for name in env.found_docs
        if (day := by_file.get(Path(str(env.doc2path(name, base=False))).as_posix()))
    }
    days = e.lab_last_changes
    described_before = getattr(e, "lab_descriptions", {})
    e.lab_descriptions = described = written_descriptions()
    return [
        name
        for name in env.found_docs
        if days.get(name) != before.get(name) or described.get(name) != described_before.get(name)
    ]


def _facts(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    if page == "404":
        context["lab_base"] = urlparse(app.config.html_baseurl).path or "/"
        context["lab_pages"] = _pages(app)
        if icon := app.config.html_favicon:
            context["lab_icon"] = b64encode((Path(app.srcdir) / icon).read_bytes()).decode()
    if doctree is None:
        return
    config, env = app.config, app.env
    title = env.titles[page].astext()
    source = Path(str(env.doc2path(page, base=False))).as_posix()
    day = getattr(env, "lab_last_changes", {}).get(page, "")
    repository = config.lab_repository_url
    context["lab_page"] = {
        "title": title,
        "description": written_descriptions().get(page) or description(doctree) or title,
        "changed": day,
        "changed_words": words(day) if day else "",
        "downloads": _downloads(app, page, context.get("sourcename", "")),
        "source": f"{repository}/blob/{config.lab_repository_branch}/{source}"
        if repository
        else "",
        "issue": _issue(repository, title, page, _commit()),
        "clouds": clouds(repository, config.lab_repository_branch),
        "records": _behind(app, page),
        "unsteady": record_files.never_steady(
            record_files.of_chapter(_build(app), page), "../" * page.count("/")
        ),
        "about_data": DATA_PAGE if DATA_PAGE in env.found_docs else "",
        "chapter": short(page) if page in _build(app).outcomes else "",
        "cite": _cite(config, title, context.get("pageurl") or ""),
        "card": urljoin(config.html_baseurl, CARD) if config.html_baseurl else "",
        "card_alt": CARD_ALT,
    }


def _issue(repository: str, title: str, page: str, commit: str) -> str:
    """Return the address of the form for a mistake, with page and commit filled in; "" without a
    repository. Hosts that know no such forms take the title.
    """
    if not repository:
        return ""
    filled = {"template": "mistake.yml", "title": title, "page": f"{page} {commit}".strip()}
    return f"{repository}/issues/new?{urlencode(filled, quote_via=quote)}"


@cache
def _head(root: Path) -> str:
    return _git(root, "rev-parse", "--short", "HEAD").strip()


def _commit() -> str:
    with suppress(OSError, subprocess.SubprocessError):
        return _head(paths.ROOT)
    return ""


def clouds(repository: str, branch: str) -> list[dict[str, str]]:
    """Return where a reader can run the book without a copy of it: name and address of each. Only
    a repository on GitHub is known there.
    """
    match = re.fullmatch(r"https://github\.com/([\w.-]+/[\w.-]+?)(?:\.git)?/?", repository)
    if match is None:
        return []
    return [
        {"name": "Codespaces", "url": f"https://codespaces.new/{match[1]}?ref={quote(branch)}"},
        {
            "name": "Binder",
            "url": f"https://mybinder.org/v2/gh/{match[1]}/{quote(branch)}?urlpath=book",
        },
    ]


def _build(app: Sphinx) -> Build:
    build: Build = app.lab_build  # type: ignore[attr-defined]
    return build


def _behind(app: Sphinx, page: str) -> str:
    """Return the list of a chapter's records, "" if it has none."""
    found = record_files.of_chapter(_build(app), page)
    return record_files.listing(found, "../" * page.count("/")) if found else ""


def _later(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Leave out what the page has no use for, and let no script hold up its first paint, but those
    that an inline one needs at once: that with the options.
    """
    body = context.get("body", "")

    def needed(file: Any) -> bool:
        name = PurePosixPath(str(getattr(file, "filename", None) or "")).name
        marks = [mark for start, mark in FOR.items() if name.startswith(start)]
        return not marks or re.search(marks[0], body) is not None

    def deferred(script: Any) -> Any:
        name = str(getattr(script, "filename", None) or "")
        if not name or "documentation_options" in name:
            return script
        attributes = {**script.attributes, "defer": "defer"}
        return type(script)(script.filename, priority=script.priority, **attributes)

    context["css_files"] = [file for file in context.get("css_files", ()) if needed(file)]
    context["script_files"] = _joined(
        [deferred(file) for file in context.get("script_files", ()) if needed(file)]
    )
    # What it shows is its name. MyST-NB's is another, and who speaks to the page can't know it.
    body = body.replace(' aria-label="Toggle hidden content"', "")
    # The empty corner of a table is the head of nothing.
    context["body"] = re.sub(r'<th class="head">(<p></p>)?</th>', "<td></td>", body)


def _joined(scripts: list[Any]) -> list[Any]:
    """Make one of the scripts without a file, which extensions add by the line: the policy of a
    page names each by a hash (policy.py).
    """
    inline = [script for script in scripts if not getattr(script, "filename", None)]
    if not inline:
        return scripts
    texts = dict.fromkeys(script.attributes["body"].rstrip("; \n") for script in inline)
    body = "; ".join(texts)
    joined = type(inline[-1])(None, priority=inline[-1].priority, body=body)
    return [
        joined if script is inline[-1] else script
        for script in scripts
        if script not in inline[:-1]
    ]


def words(day: str) -> str:
    """Return `21 November 2026`."""
    then = date.fromisoformat(day)
    return f"{then.day} {then:%B %Y}"


def written_descriptions() -> dict[str, str]:
    """Return the description of each page that has one: `{"book/start": "How long does ..."}`."""
    try:
        return _read_descriptions(DESCRIPTIONS.stat().st_mtime_ns)
    except FileNotFoundError:
        return {}


@cache
def _read_descriptions(_changed: int) -> dict[str, str]:
    return tomllib.loads(DESCRIPTIONS.read_text("utf-8"))


def description(doctree: nodes.document) -> str:
    """Return the beginning of a page's text, cut at a word."""
    text = ""
    for paragraph in doctree.findall(nodes.paragraph):
        text += " ".join(paragraph.astext().split()) + " "
        if len(text) > LONGEST:
            break
    text = text.strip()
    return text if len(text) <= LONGEST else text[:LONGEST].rsplit(" ", 1)[0].rstrip(",;:") + "…"


def _downloads(app: Sphinx, page: str, source: str) -> list[dict[str, str]]:
    if not source:
        return []
    name = page.rpartition("/")[2]
    downloads = []
    if notebook_of(app, page).exists():
        path = f"_sources/{page}.ipynb"
        downloads.append(
            {"path": path, "name": f"{name}.ipynb", "label": "Notebook (.ipynb)", "icon": "fa-code"}
        )
    path = f"_sources/{source}"
    downloads.append({"path": path, "name": f"{name}.md", "label": "Text (.md)", "icon": "fa-file"})
    return downloads


def notebook_of(app: Sphinx, page: str) -> Path:
    """Return where MyST-NB leaves the executed notebook of a chapter."""
    return Path(app.outdir).parent / "jupyter_execute" / f"{page}.ipynb"


def _pages(app: Sphinx) -> list[dict[str, str]]:
    listed = [name.removesuffix(".md") for name in app.config.external_site_map]
    return [
        {"title": app.env.titles[name].astext(), "path": f"{name}.html"}
        for name in listed
        if name in app.env.titles
    ]


def _cite(config: Config, title: str, url: str) -> dict[str, str]:
    try:
        cff = yaml.safe_load((paths.ROOT / "CITATION.cff").read_text("utf8"))
    except OSError:
        return {}
    book, version, year = cff["title"], cff["version"], config.copyright
    authors = " and ".join(
        one.get("name") or f"{one['given-names']} {one['family-names']}" for one in cff["authors"]
    )
    fields = {"title": title, "booktitle": book, "author": f"{{{authors}}}", "year": year}
    fields |= {"note": f"Version {version}"} | ({"url": url} if url else {})
    key = "".join(c if c.isalnum() else "-" for c in title.lower())
    lines = [f"  {name} = {{{value}}}" for name, value in fields.items()]
    return {
        "text": f"{authors} ({year}): “{title}”. In: {book}, version {version}."
        + (f" {url}" if url else ""),
        "bibtex": f"@incollection{{{key},\n" + ",\n".join(lines) + "\n}",
    }

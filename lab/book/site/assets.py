"""What the site ships besides its pages: redirects, notebooks, a map; and nothing never loaded."""

from __future__ import annotations

import json
import os
import shutil
from contextlib import suppress
from html import escape
from pathlib import Path
from urllib.parse import urljoin

from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.errors import ConfigError

from lab import paths
from lab.book.pipeline.build import Build
from lab.book.pipeline.chapter import ENTRY
from lab.book.site import (
    asset_repairs,
    icons,
    minify,
    pagefacts,
    policy,
    record_files,
    search_index,
    styles,
    twins,
)
from lab.simulator import bundle
from lab.storage import written
from lab.widgets import parts

HERE = Path(__file__).parent
# Copied by the theme, loaded by no page: source maps, the icon script, Bootstrap's, icons of
# companies, translations.
UNUSED = (
    "**/*.map",
    "**/fontawesome.js*",
    "scripts/bootstrap.js*",
    "vendor/**/*.js*",
    "webpack-*",
    "sbt-webpack-*",
    "locales",
    "images/logo_*",
    "searchtools.js",
    "language_data.js",
)
REDIRECT = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="refresh" content="0; url={target}">
</head>
<h1>{title}</h1>
<p>This page is now at <a href="{target}">{target}</a>.</p>
</html>
"""


def setup(app: Sphinx) -> None:
    """Let our templates win over the theme's; know the pages that have another name now."""
    app.add_config_value("lab_redirects", {}, "html", (dict, type(None)))
    app.connect("config-inited", _configure)
    app.connect("builder-inited", _components)
    pagefacts.setup(app)
    search_index.setup(app)


def _configure(app: Sphinx, config: Config) -> None:
    # First: the theme finds "../components/NAME" beside any of these folders.
    config.templates_path = [str(HERE / "templates" / "pages"), *config.templates_path]
    # Else "Project name not set" would stand on pages and in previews of links.
    config.project = config.html_title or config.project
    more = {"404": "404.html", "search": "search.html"}
    config.html_additional_pages = {**config.html_additional_pages, **more}


def _components(app: Sphinx) -> None:
    # Before anything else: pages name the digest of what they load, and a build that finds no page
    # changed copies nothing.
    if app.builder.format == "html":
        static = Path(app.outdir) / "_static"
        parts.put(static, minify.minified)
        bundle.put(static)


def finish(app: Sphinx) -> None:
    """Write what is not a page; delete dropped pages and what no reader loads."""
    out = Path(app.outdir)
    if not getattr(app, "statuscode", 0):
        shutil.rmtree(out / "reports", ignore_errors=True)  # tracebacks of earlier builds
    redirects = _redirects(app)
    kept = {*app.env.found_docs, *redirects, "search", "404"}
    for page in out.rglob("*.html"):
        name = page.relative_to(out).as_posix()
        if name.removesuffix(".html") not in kept and not name.startswith("_"):
            page.unlink()
    for old, new in redirects.items():
        _write(out / f"{old}.html", _redirect(app, old, new))
    for page_name in sorted(app.env.found_docs):
        _notebook(app, page_name)
    if (paths.ROOT / "CITATION.cff").exists():
        shutil.copyfile(paths.ROOT / "CITATION.cff", out / "CITATION.cff")
    sources = out / "_sources"
    readable_from_disk(*sources.rglob("*.ipynb"), *sources.rglob("*.md"), out / "CITATION.cff")
    if app.config.html_baseurl:
        _write(out / "sitemap.xml", _sitemap(app))
    asset_repairs.apply(out / "_static")
    policy.protect_all(out, app.env.found_docs)
    search_index.write(app, out)
    build: Build = app.lab_build  # type: ignore[attr-defined]
    record_files.write(build, out)
    _remove(out / "_static", *UNUSED)
    minify.put(out / "_static")
    styles.keep_used(out)
    icons.keep_used(out, build.state)
    styles.name_by_content(out)
    _remove(out / "_static", "vendor/**/*.ttf")  # for old browsers, and what the icons are cut from
    if app.config.html_baseurl:
        twins.write(app, out)


def _remove(folder: Path, *patterns: str) -> None:
    for pattern in patterns:
        for unused in folder.glob(pattern):
            if unused.is_dir():
                shutil.rmtree(unused)
            else:
                unused.unlink()


def _redirects(app: Sphinx) -> dict[str, str]:
    """Return old name -> page; ConfigError for one that leads nowhere or hides a page."""
    redirects: dict[str, str] = dict(app.config.lab_redirects or {})
    root = app.config.root_doc
    if root != "index":
        redirects["index"] = root
    for old, new in redirects.items():
        if new not in app.env.found_docs or old in app.env.found_docs:
            raise ConfigError(
                f"lab_redirects in _config.yml: {old} leads to {new}. "
                "The first must not be a page of the book any more, and the second must be one."
            )
    return redirects


def _redirect(app: Sphinx, old: str, new: str) -> str:
    target = os.path.relpath(f"{new}.html", Path(old).parent).replace(os.sep, "/")
    title = app.env.titles[new].astext()
    return REDIRECT.format(title=escape(title), target=escape(target))


def _notebook(app: Sphinx, page: str) -> None:
    """Put the executed notebook beside its source, without the mark that our build left in it."""
    executed_file = pagefacts.notebook_of(app, page)
    file = Path(app.outdir) / "_sources" / f"{page}.ipynb"
    if not executed_file.exists() or _newer(file, executed_file):
        return
    import nbformat
    from jupyter_cache import get_cache

    notebook = nbformat.read(executed_file, as_version=4)
    # Of a notebook that is found in the cache MyST-NB shows the outputs, and leaves them out here.
    with suppress(KeyError):
        cache = get_cache(app.env.mystnb_config.execution_cache_path)  # type: ignore[attr-defined]
        _, notebook = cache.merge_match_into_notebook(notebook)
    notebook["metadata"].get("kernelspec", {}).pop(ENTRY, None)
    _write(file, nbformat.writes(notebook) + "\n")


def readable_from_disk(*files: Path) -> None:
    """Put a script beside each file to be downloaded that hands its text to page.js: on disk a page
    may run a script from another file, and is not allowed to read or to save one.
    """
    for file in files:
        script = file.with_name(f"{file.name}.js")
        if file.exists() and not _newer(script, file):
            _write(script, f"labFile({json.dumps(file.read_text('utf8'))})\n")


def _newer(made: Path, source: Path) -> bool:
    return made.exists() and made.stat().st_mtime_ns > source.stat().st_mtime_ns


def _sitemap(app: Sphinx) -> str:
    days = getattr(app.env, "lab_last_changes", {})
    entries = []
    for name in sorted(app.env.found_docs):
        url = escape(urljoin(app.config.html_baseurl, f"{name}.html"))
        day = f"<lastmod>{days[name]}</lastmod>" if name in days else ""
        entries.append(f"<url><loc>{url}</loc>{day}</url>\n")
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n'
        '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
        f"{''.join(entries)}</urlset>\n"
    )


def _write(path: Path, text: str) -> None:
    written.write(path, text.encode())

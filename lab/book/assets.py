"""What the site ships besides its pages: a redirect, and nothing that readers never load."""

from __future__ import annotations

import shutil
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.config import Config

HERE = Path(__file__).parent
# Copied by the theme, loaded by no page: source maps, the icon script, fonts for old browsers.
UNUSED = ("**/*.map", "**/fontawesome.js*", "vendor/**/*.js*", "vendor/**/*.ttf", "webpack-*")
REDIRECT = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>{title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="refresh" content="0; url={target}">
<h1>{title}</h1>
<p>The book begins at <a href="{target}">{target}</a>.</p>
</html>
"""


def setup(app: Sphinx) -> None:
    """Let our templates win over the theme's."""
    app.connect("config-inited", _add_templates)


def _add_templates(app: Sphinx, config: Config) -> None:
    config.templates_path = [*config.templates_path, str(HERE / "templates")]


def finish(app: Sphinx) -> None:
    """Write the redirect; delete dropped pages and what no reader loads."""
    out = Path(app.outdir)
    if not getattr(app, "statuscode", 0):
        shutil.rmtree(out / "reports", ignore_errors=True)  # tracebacks of earlier builds
    kept = {f"{name}.html" for name in app.env.found_docs} | {
        "index.html",
        "search.html",
        "404.html",
    }
    for page in out.rglob("*.html"):
        name = page.relative_to(out).as_posix()
        if name not in kept and not name.startswith("_"):
            page.unlink()
    root = app.config.root_doc
    if root != "index":
        text = REDIRECT.format(
            title=app.config.html_title or app.config.project, target=f"{root}.html"
        )
        (out / "index.html").write_text(text, "utf8")
    for pattern in UNUSED:
        for unused in (out / "_static").glob(pattern):
            unused.unlink()

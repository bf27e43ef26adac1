"""What the site ships besides its pages: a redirect, and nothing that readers never load."""

from __future__ import annotations

import shutil
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.config import Config

HERE = Path(__file__).parent
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
    """Let our templates and static files win over the theme's."""
    app.connect("config-inited", _add_folders)


def _add_folders(app: Sphinx, config: Config) -> None:
    config.templates_path = [*config.templates_path, str(HERE / "templates")]
    config.html_static_path = [*config.html_static_path, str(HERE / "static")]  # copied last


def finish(app: Sphinx) -> None:
    """Write the redirect; delete dropped pages and source maps (2 MB that no reader loads)."""
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
    for unused in (out / "_static").rglob("*.map"):
        unused.unlink()

"""What the site ships besides its pages: a redirect, and nothing that readers never load."""

from __future__ import annotations

from pathlib import Path

from sphinx.application import Sphinx

STATIC = Path(__file__).parent / "static"
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
    """Let our static files win over the theme's: Sphinx copies `html_static_path` last."""
    app.connect("builder-inited", lambda app: app.config.html_static_path.append(str(STATIC)))


def finish(app: Sphinx) -> None:
    """Write the redirect and delete source maps (2 MB that no reader loads)."""
    out = Path(app.outdir)
    root = app.config.root_doc
    if root != "index":
        text = REDIRECT.format(
            title=app.config.html_title or app.config.project, target=f"{root}.html"
        )
        (out / "index.html").write_text(text, "utf8")
    for unused in (out / "_static").rglob("*.map"):
        unused.unlink()

"""A content security policy in every page: nothing from another host, no script that is not ours.

A page is read from any host, and from disk, so it brings its policy in itself. Scripts come from
files beside it; the few that stand in a page are those of our templates, let in by their hash. What
a page's text brings along, be it out of a cell, a record or an address, is shown and never run.
`connect-src 'self'` lets a page talk to whoever served it, which may be a Jupyter server.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Container
from pathlib import Path

from sphinx.util import logging

from lab.storage.written import write

# Pages with programs to be changed may show one frame: that of the model of Node, which has a
# policy of its own (lab/simulator/bundle.py) and is of no origin.
FRAMES = "frame-src 'self'; "
_PROGRAMS = re.compile(r"<loop-replay\b|\blab-(?:program|server|loop-lab)\b|\bdata-here\b")

log = logging.getLogger(__name__)

# Styles may stand anywhere: the theme, figures and outputs have them, and they run nothing.
POLICY = (
    "default-src 'none'; script-src {scripts}; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; font-src 'self'; connect-src 'self'; {frames}form-action 'self'; "
    "base-uri 'none'"
)
META = '<meta http-equiv="Content-Security-Policy" content="{policy}">'
_CHARSET = re.compile(r'<meta charset="utf-8"\s*/?>', re.IGNORECASE)
_HEAD = re.compile(r"<head>.*?</head>", re.DOTALL | re.IGNORECASE)
_SCRIPT = re.compile(r"<script\b([^>]*)>(.*?)</script\s*>", re.DOTALL | re.IGNORECASE)
# Data in a page (of a widget, say) is no script, whatever the element's name.
_DATA = re.compile(r"""\btype\s*=\s*["']?(?!text/javascript|module)[\w.+-]+/""", re.IGNORECASE)


def meta(*scripts: str, has_programs: bool = False) -> str:
    """Return the element that lets in the site's own files and these texts of scripts."""
    hashes = [hashlib.sha256(text.encode()).digest() for text in dict.fromkeys(scripts)]
    sources = ["'self'", *(f"'sha256-{base64.b64encode(one).decode()}'" for one in hashes)]
    policy = POLICY.format(scripts=" ".join(sources), frames=FRAMES if has_programs else "")
    return META.format(policy=policy)


def inline_scripts(html: str) -> list[str]:
    """Return the texts of the scripts that stand in a piece of a page and would be run."""
    return [
        text
        for attributes, text in _SCRIPT.findall(html)
        if not re.search(r"\bsrc\s*=", attributes) and not _DATA.search(attributes)
    ]


def protect(html: str, name: str, *, has_text: bool) -> str:
    """Return a page with the policy in it, once.

    has_text : somebody wrote it. Then only the scripts of its head are the templates' own; one that
    stands in its text is left out, with a warning.
    """
    if "Content-Security-Policy" in html[:1024]:
        return html
    head = _HEAD.search(html)
    charset = _CHARSET.search(html)
    if head is None or charset is None:
        raise ValueError(f"{name} has no <head> with <meta charset>, so the policy can't be added.")
    if has_text and (late_scripts := inline_scripts(html[head.end() :])):
        log.warning(
            "%s: browsers will not run a script in the text of this page, because its policy "
            "allows only files and the scripts of our templates: %.60s",
            name,
            late_scripts[0].strip(),
        )
    scripts = inline_scripts(head[0] if has_text else html)
    element = meta(*scripts, has_programs=_PROGRAMS.search(html) is not None)
    return f"{html[: charset.end()]}{element}{html[charset.end() :]}"


def protect_all(out: Path, pages_with_text: Container[str]) -> None:
    """Protect the pages of the site that have no policy yet, such as redirects.

    pages_with_text : the names of the pages that an author wrote
    """
    for page in sorted(out.rglob("*.html")):
        name = page.relative_to(out).as_posix()
        if not name.startswith("_"):
            html = page.read_bytes().decode()
            safe = protect(html, name, has_text=name.removesuffix(".html") in pages_with_text)
            if safe != html:
                write(page, safe.encode())

"""Where a GitHub codespace shows a port of this machine. Its forwarder asks as localhost, and the
browser names the forwarder as the page's origin.

Source: GitHub Docs, Default environment variables for your codespace (CODESPACES, CODESPACE_NAME,
GITHUB_CODESPACES_PORT_FORWARDING_DOMAIN).
"""

from __future__ import annotations

import os
import re

_PART = re.compile(r"[\w-]+(?:\.[\w-]+)*", re.ASCII)


def host(port: int) -> str | None:
    """Return the name under which a browser reaches this port: `NAME-8888.app.github.dev`; None
    outside a codespace.
    """
    name = os.environ.get("CODESPACE_NAME", "")
    domain = os.environ.get("GITHUB_CODESPACES_PORT_FORWARDING_DOMAIN", "app.github.dev")
    if os.environ.get("CODESPACES") != "true" or not port:
        return None
    if not (_PART.fullmatch(name) and _PART.fullmatch(domain)):
        return None
    return f"{name}-{port}.{domain}".lower()


def origin_pattern(port: int) -> str | None:
    """Return a pattern of Jupyter's `allow_origin_pat` for this one origin; None outside one."""
    public = host(port)
    return rf"https://{re.escape(public)}\Z" if public else None

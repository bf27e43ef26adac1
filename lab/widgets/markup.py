"""Texts and data as the HTML of a component."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from html import escape
from typing import Any

_CODE = re.compile(r"`([^`]+)`")
_EMPHASIS = re.compile(r"(?<![\w*])\*([^*\s][^*]*)\*(?![\w*])")


def inline(text: str) -> str:
    """Return text as HTML: escaped, with `code` and *emphasis* (outside of code)."""
    return _marked(escape(text, quote=False), r"<code>\1</code>", r"<em>\1</em>")


def plain(text: str) -> str:
    """Return text without the marks of `code` and *emphasis*, for what shows no markup."""
    return _marked(text, r"\1", r"\1")


def sequence(items: Iterable[str]) -> str:
    """Return lines in an order as HTML."""
    return ", ".join(f"<code>{escape(item)}</code>" for item in items)


def _marked(text: str, code: str, emphasis: str) -> str:
    parts = re.split(r"(`[^`]+`)", text)  # every second part is code
    return "".join(
        (_CODE if i % 2 else _EMPHASIS).sub(code if i % 2 else emphasis, part)
        for i, part in enumerate(parts)
    )


def json_script(data: Any) -> str:
    """Return data as the element that a component's script reads; no text in it can end it."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    text = text.replace("</", "<\\/").replace("<!--", "<\\u0021--")
    return f'<script type="application/json">{text}</script>'

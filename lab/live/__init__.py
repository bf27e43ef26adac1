"""Live pages: the built book, served by the Jupyter server that has the kernels, and run there.

An extension of Jupyter Server. `book.py` serves the site below `/book/`, `sessions.py` starts a
kernel for a page and ends it with its tab; what a browser runs is in `client`, bundled by
`tools/live/bundle.mjs`. `python -m lab.live` is what `make live` starts.
"""

from __future__ import annotations

from typing import Any


def _jupyter_server_extension_points() -> list[dict[str, str]]:
    return [{"module": "lab.live"}]


def _load_jupyter_server_extension(server: Any) -> None:
    from lab.live import book

    book.add_to(server)

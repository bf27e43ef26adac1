"""`%%server name`: the text of a cell becomes a server that can be started and measured."""

from __future__ import annotations

from typing import Any


def load_ipython_extension(shell: Any) -> None:
    """Register the magics with a running IPython."""

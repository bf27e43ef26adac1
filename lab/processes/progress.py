"""Progress while a cell measures: a bar in a notebook or terminal, nothing in the book."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

_EVERY_S = 0.2
Tell = Callable[[float, int], None]  # called with seconds, and how many answers or trials


class Progress:
    """A bar over seconds of measuring; removed when it is done."""

    def __init__(self, total_s: float, label: str, quiet: bool | None = None) -> None:
        self.total_s, self.label = max(total_s, 1e-9), label
        self._shown = 0.0
        self._handle: Any = None
        # The build sets this when it executes chapters: a bar would stay in the page.
        self._where = "" if quiet or os.environ.get("LAB_USAGE_FILE") else _where()

    def at(self, seconds: float, detail: str = "") -> None:
        """Say that `seconds` of measuring are done, with a word about it."""
        now = time.monotonic()
        if not self._where or now - self._shown < _EVERY_S:
            return
        self._shown = now
        left = max(0.0, self.total_s - seconds)
        text = f"{self.label} · {detail + ' · ' if detail else ''}about {left:.0f} s left"
        share = min(1.0, seconds / self.total_s)
        if self._where == "terminal":
            bar = "█" * round(share * 20)
            print(f"\r\x1b[K{bar:<20} {text}", end="", file=sys.stderr, flush=True)
            return
        from html import escape

        from IPython.display import HTML, display

        bar = f'<progress max="1" value="{share:.3f}" aria-label="measuring"></progress>'
        page = HTML(f"{bar} {escape(text)}")
        if self._handle is None:
            self._handle = display(page, display_id=True)
        else:
            self._handle.update(page)

    def close(self) -> None:
        """Remove the bar."""
        if self._handle is not None:
            from IPython.display import HTML

            self._handle.update(HTML(""))
        elif self._where == "terminal" and self._shown:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@contextlib.contextmanager
def telling(
    total_s: float, label: str, progress: Tell | bool | None, words: Callable[[int], str]
) -> Iterator[Tell]:
    """Give what is called with the progress: the reader's own function, or a bar that says it."""
    if callable(progress):
        yield progress
        return
    with Progress(total_s, label, quiet=progress is False) as bar:
        bar.at(0.0)
        yield lambda seconds, n: bar.at(seconds, words(n))


def _where() -> str:
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if shell is not None and "IPKernelApp" in getattr(shell, "config", {}):
        return "notebook"
    return "terminal" if sys.stderr.isatty() else ""

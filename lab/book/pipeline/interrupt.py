"""What Ctrl-C and `kill` do to a build: one line, not the trouble of whoever noticed first.

nbclient takes their signals for itself while a notebook runs: it stops the kernel and says nothing.
What follows is an error about a kernel that is not there, and Sphinx asks the reader to report it.
"""

from __future__ import annotations

import signal
from asyncio import unix_events
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


class Interrupts:
    """Whether a signal that means "stop" came to an event loop."""

    came = False


@contextmanager
def noticed() -> Iterator[Interrupts]:
    """Notice that a signal ends an event loop's work, and mute Sphinx's report of the result."""
    from jupyter_book import sphinx as jupyter_book_sphinx

    found = Interrupts()
    loop = unix_events._UnixSelectorEventLoop
    add, report = loop.add_signal_handler, jupyter_book_sphinx.handle_exception

    def adding(self: Any, sig: int, callback: Callable[..., Any], *args: Any) -> None:
        def noting(*args: Any) -> None:
            found.came = found.came or sig in (signal.SIGINT, signal.SIGTERM)
            callback(*args)

        add(self, sig, noting, *args)

    def reporting(*args: Any, **kwargs: Any) -> None:
        if not found.came:
            report(*args, **kwargs)

    loop.add_signal_handler = adding  # type: ignore[method-assign,assignment]
    jupyter_book_sphinx.handle_exception = reporting
    try:
        yield found
    finally:
        loop.add_signal_handler = add  # type: ignore[method-assign]
        jupyter_book_sphinx.handle_exception = report

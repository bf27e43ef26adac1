"""`make preview`: what is saved is on the page, from the first moment on."""

import contextlib
import signal
import threading
import urllib.request

import psutil
import pytest
from conftest import eventually
from kernel_client import gone
from tiny_book import Book

ALPHA = "book/one/alpha.md"
PATIENCE_S = 60


class Preview:
    """A preview, the lines that it printed, and the page that it serves."""

    def __init__(self, book):
        self.lines = []
        self.process = book.begun("preview", "--port", "0", LAB_MODE="replay")
        for stream in (self.process.stdout, self.process.stderr):
            threading.Thread(target=self.lines.extend, args=(stream,), daemon=True).start()

    def says(self, text):
        def said():
            return next((line for line in list(self.lines) if text in line), "")

        assert eventually(said, PATIENCE_S), "".join(self.lines)
        return said()

    def shows(self, text):
        address = self.says("Serving ").split()[1]

        def page():
            with (
                contextlib.suppress(OSError),  # a moment later it listens
                urllib.request.urlopen(f"{address}book/one/alpha.html") as answer,
            ):
                return text in answer.read().decode()

        return eventually(page, PATIENCE_S, 0.2)


@pytest.fixture
def book(tmp_path):
    return Book.copied(tmp_path / "book")


def test_what_is_saved_while_the_site_is_built_first_is_shown_too(book):
    preview = Preview(book)
    try:
        preview.says("executing because")
        book.edit(ALPHA, "Chapter alpha", "Chapter early")
        assert preview.shows("Chapter early"), "".join(preview.lines)
        book.edit(ALPHA, "Chapter early", "Chapter later")
        assert preview.shows("Chapter later"), "".join(preview.lines)
    finally:
        here = psutil.Process(preview.process.pid)
        family = [here, *here.children(recursive=True)]
        preview.process.send_signal(signal.SIGINT)
        preview.process.wait(20)
    assert not gone(family)

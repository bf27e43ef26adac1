"""`make preview`: what is saved is on the page, from the first moment on."""

import contextlib
import http.client
import signal
import socket
import threading
import urllib.request

import psutil
import pytest
import uvicorn
from kernel_client import gone
from support import eventually
from tiny_book import Book

from lab.book.pipeline.preview import application

ALPHA = "book/one/alpha.md"
PATIENCE_S = 300


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
                # A moment later it listens, or the page is whole that is being written.
                contextlib.suppress(OSError, http.client.HTTPException),
                urllib.request.urlopen(f"{address}book/one/alpha.html") as answer,
            ):
                return text in answer.read().decode()

        return eventually(page, PATIENCE_S, 0.2)


@pytest.fixture
def book(tmp_path):
    return Book.copied(tmp_path / "book")


@pytest.mark.builds
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
        preview.process.wait(120)
    assert not gone(family)


# --- who is answered -----------------------------------------------------------------------------


class _Watcher:
    """Says at once that a page has to be loaded again, to whoever is let in."""

    @contextlib.asynccontextmanager
    async def lifespan(self, _app):
        yield

    async def __call__(self, scope, receive, send):
        await receive()
        await send({"type": "websocket.accept"})
        await send({"type": "websocket.send", "text": "refresh"})


@pytest.fixture
def served(tmp_path):
    (tmp_path / "index.html").write_text("<!doctype html><p>the site</p>")
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        config = uvicorn.Config(application(tmp_path, _Watcher()), log_level="critical")
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        assert eventually(lambda: server.started, PATIENCE_S)
        yield listening.getsockname()[1]
        server.should_exit = True
        thread.join()


def answer(port, path="/", **headers):
    """The status line and body that a request of exactly these headers gets."""
    lines = [f"GET {path} HTTP/1.1", *(f"{k.replace('_', '-')}: {v}" for k, v in headers.items())]
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S) as connection:
        connection.sendall("\r\n".join([*lines, "Connection: close", "", ""]).encode())
        return b"".join(iter(lambda: connection.recv(65536), b"")).decode()


def upgrade(port, **headers):
    lines = [
        "GET /websocket-reload HTTP/1.1",
        *(f"{k}: {v}" for k, v in headers.items()),
        *("Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13"),
        *("Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==", "", ""),
    ]
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S) as connection:
        connection.sendall("\r\n".join(lines).encode())
        # Frames of the socket may follow the head at once: only its first line is text.
        return connection.recv(65536).split(b"\r\n")[0].decode()


def test_only_our_own_names_are_answered(served):
    for host in (f"127.0.0.1:{served}", f"localhost:{served}"):
        assert "200 OK" in answer(served, Host=host)
    for host in ("rebound.example", f"rebound.example:{served}", f"127.0.0.1.example:{served}"):
        refused = answer(served, Host=host)
        assert "400 Bad Request" in refused
        assert "the site" not in refused


def test_the_reload_socket_is_for_pages_of_ours(served):
    here = f"127.0.0.1:{served}"
    assert "101" in upgrade(served, Host=here, Origin=f"http://{here}")
    for origin in ("https://other.example", f"http://localhost:{served}", "null"):
        assert "403" in upgrade(served, Host=here, Origin=origin)
    assert "403" in upgrade(served, Host=here)
    rebound = f"rebound.example:{served}"
    assert "101" not in upgrade(served, Host=rebound, Origin=f"http://{rebound}")


def test_the_reload_script_is_a_file_as_the_policy_of_pages_wants_it(served):
    address = f"127.0.0.1:{served}"
    page = answer(served, Host=address)
    assert "the site" in page
    assert '<script src="/reload.js"></script>' in page
    assert page.count("<script") == 1
    script = answer(served, "/reload.js", Host=address)
    assert "text/javascript" in script
    assert "/websocket-reload" in script

"""A Jupyter server with the book on it, for tests, and what a page would ask of it."""

import contextlib
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
import uuid
from pathlib import Path
from urllib.parse import urlparse

from support import eventually
from websocket import WebSocketTimeoutException

ROOT = Path(__file__).resolve().parents[2]
STARTS_S = 600
TOKEN = "a-token-of-the-tests"
HTML = """<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; connect-src 'self'">
<title>{0}</title></head><body><article class="bd-article"><h1>{0}</h1></article></body></html>
"""


def small_site(folder, **pages):
    """A site with these pages: name → kernel; what a build would write for each."""
    for name in ("index", "404", *pages):
        file = folder / f"{name}.html"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(HTML.format(name))
    for name, kernel in pages.items():
        file = folder / "_live" / f"{name}.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps({"kernel": kernel, "cells": [], "shown": [], "glued": []}))
    return folder


class Server:
    """`python -m lab.live`, or another program, with a site of the tests' own, until `stop`."""

    def __init__(self, site, runtime, words=("--port=0",), program=("-m", "lab.live"), **env):
        self.runtime = runtime
        words = ["--no-browser", f"--IdentityProvider.token={TOKEN}", *words]
        if os.getuid() == 0:
            words.append("--allow-root")
        settings = {
            "LAB_LIVE_SITE": str(site),
            "LAB_PROFILE": "smoke",
            "JUPYTER_RUNTIME_DIR": str(runtime),
            "TMPDIR": str(
                runtime
            ),  # with a lock of its own: nobody waits for what is measured here
            "JUPYTER_CONFIG_DIR": str(runtime / "config"),
            **env,
        }
        self.process = subprocess.Popen(
            [sys.executable, *program, *words],
            cwd=ROOT,
            env={**os.environ, **settings},
            stdout=subprocess.DEVNULL,
            stderr=(runtime / "log").open("w"),
        )
        self.url = urlparse(eventually(self._address, STARTS_S) or self._failed())

    def _address(self):
        for file in self.runtime.glob("jpserver-*.json"):
            # It is written before anybody listens.
            with contextlib.suppress(ValueError, OSError):
                url = json.loads(file.read_text())["url"]
                socket.create_connection(urlparse(url).netloc.split(":"), 1).close()
                return url
        return self.process.poll() is not None and "http://gone/"

    def _failed(self):
        raise AssertionError((self.runtime / "log").read_text())

    def ask(self, method, path, body=None, *, signed=True, **headers):
        """Status, headers and body of an answer; `signed` with the token, as a script would."""
        connection = http.client.HTTPConnection(self.url.hostname, self.url.port, timeout=300)
        request_headers = {name.replace("_", "-"): value for name, value in headers.items()}
        if signed:
            request_headers["Authorization"] = f"token {TOKEN}"
        with contextlib.closing(connection):
            data = None if body is None else json.dumps(body)
            connection.request(method, path, data, request_headers)
            response = connection.getresponse()
            return response.status, response.headers, response.read()

    def run(self, page, tab="a", **more):
        """Ask for the kernel of a page."""
        status, _, body = self.ask("POST", "/book/_live/run", {"page": page, "tab": tab, **more})
        return status, json.loads(body)

    def kernels(self):
        """The kernels that run."""
        return json.loads(self.ask("GET", "/api/kernels")[2])

    def socket(self, kernel, **headers):
        """Be connected to a kernel, as a page is."""
        from websocket import create_connection

        address = f"ws://{self.url.netloc}/api/kernels/{kernel}/channels?session_id={uuid.uuid4()}"
        sent = [f"Authorization: token {TOKEN}"]
        return create_connection(
            address, header=[*sent, *(f"{k}: {v}" for k, v in headers.items())]
        )

    def stop(self, how=signal.SIGTERM):
        """End it, and wait until it has."""
        if self.process.poll() is None:
            self.process.send_signal(how)
        try:
            self.process.wait(120)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def answering(socket):
    """Wait until a kernel answers: what it is asked while it starts may be lost."""
    for _ in range(50):
        with contextlib.suppress(WebSocketTimeoutException, AssertionError):
            outputs(socket, execute(socket, "1"), seconds=6)
            return socket
    raise AssertionError("The kernel does not answer.")


def execute(socket, code):
    """Send code to a kernel; what came of it is `outputs(socket, id)`."""
    number = uuid.uuid4().hex
    header = {"msg_id": number, "msg_type": "execute_request", "username": "", "session": number}
    header |= {"version": "5.3", "date": "2026-01-01T00:00:00Z"}
    content = {"code": code, "silent": False, "store_history": False, "allow_stdin": False}
    message = {"header": header, "parent_header": {}, "metadata": {}, "content": content}
    socket.send(json.dumps({**message, "channel": "shell", "buffers": []}))
    return number


def outputs(socket, number, seconds=300):
    """The messages that a request brought, until the kernel is idle again."""
    messages, end = [], time.monotonic() + seconds
    while time.monotonic() < end:
        socket.settimeout(max(0.1, end - time.monotonic()))
        message = json.loads(socket.recv())
        if message["parent_header"].get("msg_id") != number:
            continue
        if message["msg_type"] == "status" and message["content"]["execution_state"] == "idle":
            return messages
        messages.append((message["msg_type"], message["content"]))
    raise AssertionError(f"no end after {seconds} s: {messages}")

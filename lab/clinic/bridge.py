"""The bridge between the load generator, which speaks plain HTTP/1.1 over TCP, and a server that
listens otherwise: `lab/node/clinic/relay.mjs`, as a child process that ends when we end.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import select
import subprocess
import time
from collections.abc import Iterable
from typing import Any

from lab import paths
from lab.clinic.spoken import Place
from lab.errors import LabError
from lab.processes import nodes
from lab.servers.http_get import address

MAIN = paths.NODE_SIDE / "clinic" / "relay.mjs"
BOOT_S = 60.0


class BridgeFailed(LabError):
    """The bridge did not start: nothing can be loaded through it."""


class Bridge:
    """A started bridge to a server; a context manager that leaves no process behind.

    http2 : how many clients share a connection of HTTP/2, 0 without
    url : where bytes pass unchanged, or become HTTP/2
    """

    def __init__(self, place: Place, *, tls: bool = False, http2: int = 0) -> None:
        self._process = subprocess.Popen(
            [nodes.client(), str(MAIN)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # interrupts reach the bridge only through us
            env={name: v for name, v in os.environ.items() if name != "NODE_OPTIONS"},
        )
        target: dict[str, str | int] = {"path": str(place)}
        if isinstance(place, tuple):
            target = dict(zip(("host", "port"), place, strict=True))
        try:
            self.url = self._opened({"target": target, "tls": tls, "http2": int(http2)})
        except BaseException:
            self.close()
            raise

    def replacing(self, requests: Iterable[tuple[bytes, int]]) -> str:
        """Return a URL at which each incoming request is replaced by the next of these, in
        proportion to their weights.
        """
        sent = [
            {"base64": base64.b64encode(content).decode(), "weight": weight}
            for content, weight in requests
        ]
        return self._opened({"requests": sent})

    def busy(self) -> float:
        """Return the share of the time since the last call in which the bridge was busy."""
        return float(self._answered({"busy": True})["busy"])

    def _opened(self, order: object) -> str:
        return address("127.0.0.1", self._answered(order)["port"])

    def _answered(self, order: object) -> dict[str, Any]:
        assert self._process.stdin is not None and self._process.stdout is not None
        line = b""
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(json.dumps(order).encode() + b"\n")
            self._process.stdin.flush()
            end = time.monotonic() + BOOT_S
            while not line.endswith(b"\n"):
                left = max(0.0, end - time.monotonic())
                if not select.select([self._process.stdout], [], [], left)[0]:
                    break
                if not (chunk := os.read(self._process.stdout.fileno(), 4096)):
                    break
                line += chunk
        if not line.endswith(b"\n"):
            raise BridgeFailed(
                "The bridge to a server with TLS, HTTP/2, a UNIX socket or a scenario did "
                "not respond. Try again. If it fails again, report the problem with the output "
                "of `node --version`."
            )
        answer: dict[str, Any] = json.loads(line)
        return answer

    def close(self) -> None:
        """End it. Harmless when repeated."""
        for stream in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(OSError):
                if stream is not None:
                    stream.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(5.0)
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait(5.0)

    def __enter__(self) -> Bridge:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

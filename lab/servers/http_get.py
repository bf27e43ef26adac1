"""One GET with a deadline for the whole of it, for checking servers and for looking at them."""

from __future__ import annotations

import contextlib
import http.client
import re
import socket
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from lab.errors import LabError

LARGEST_BODY = 256 * 1024 * 1024
# The whole authority: programs read a URL with a user's name before the host differently.
_LOOPBACK = re.compile(r"(127\.0\.0\.1|localhost|\[::1\])(:[0-9]*)?", re.IGNORECASE | re.ASCII)
_BARE_IPV6 = re.compile(r"http://[0-9a-f]*:[0-9a-f]*:", re.IGNORECASE)


class NoAnswer(LabError):
    """A request was not answered completely in time."""


class Endless(NoAnswer):
    """The head of a response came in time, and the end of its body did not. kind : its type."""

    def __init__(self, message: str, kind: str) -> None:
        super().__init__(message)
        self.kind = kind


class BadPath(LabError):
    """The path or a header cannot be written into a request."""


class NotLoopback(LabError):
    """An address outside this machine: the course loads nobody else's servers."""


@dataclass(frozen=True)
class Response:
    """What a server answered; header names in small letters. cookies : all that it sets."""

    status: int
    headers: dict[str, str]
    body: bytes = field(repr=False)
    cookies: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The body as UTF-8; what is not UTF-8 is shown as replacement characters."""
        return self.body.decode("utf-8", "replace")

    @property
    def size(self) -> int:
        """Length of the body in bytes."""
        return len(self.body)


class NoPort(NotLoopback):
    """An address with port 0, on which nobody can listen."""


def address(host: str, port: int) -> str:
    """The URL of a host and a port; an IPv6 address gets its brackets."""
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def loopback(url: str) -> tuple[str, int]:
    """Host and port of a URL on this machine. Raises NotLoopback for any other, NoPort for 0."""
    host, port, place = None, None, ""
    with contextlib.suppress(ValueError):
        parts = urlsplit(url)
        place, host = parts.netloc, parts.hostname
        port = 80 if parts.port is None else parts.port
    if _BARE_IPV6.match(url):
        raise NotLoopback(
            f"{url!r} is not a URL, because an IPv6 address needs brackets, as in "
            "http://[::1]:3000."
        )
    if not (port is not None and _LOOPBACK.fullmatch(place) and url.startswith("http://")):
        raise NotLoopback(
            f"{url!r} is not a server on this machine. Use http://127.0.0.1:PORT/. "
            "This tool must not send load to other people's machines."
        )
    if not port:
        raise NoPort(
            f"{url!r} has port 0, on which no server can listen. Give the port of a server."
        )
    return str(host), port


def get(
    url: str,
    path: str = "/",
    deadline_s: float = 10.0,
    *,
    method: str = "GET",
    headers: Mapping[str, str] | None = None,
    body: bytes | None = None,
) -> Response:
    """GET `path` from the server at `url`, on a connection of its own; or ask by another method,
    with headers that a program wants to see, and with a body.

    Raises NoAnswer when there is no complete answer within `deadline_s`, or none that is HTTP,
    BadPath when the path cannot be sent.
    """
    host, port = loopback(url)
    if not path.startswith("/") or any(c <= " " or c >= "\x7f" for c in path):
        raise BadPath(
            f"{path!r} is not a path. Begin with '/', and write spaces and special letters as %XX."
        )
    connection = http.client.HTTPConnection(host, port, timeout=deadline_s)
    late = threading.Event()
    line: socket.socket | None = None  # the connection drops its socket once it has the headers
    kind: str | None = None  # the type of a response whose head has come

    def cut() -> None:
        # A socket's timeout is per read, and a server may drip. This limit is for the answer.
        late.set()
        if line is not None:
            with contextlib.suppress(OSError):  # the connection has ended by itself
                line.shutdown(socket.SHUT_RDWR)

    timer = threading.Timer(deadline_s, cut)
    timer.daemon = True
    timer.start()
    try:
        connection.connect()
        line = connection.sock
        if late.is_set():  # the time was over before there was a socket to close
            raise TimeoutError
        sent = {**(headers or {}), "Connection": "close"}
        connection.request(method, path, body=body, headers=sent)
        answer = connection.getresponse()
        kind = answer.headers.get("content-type", "")
        content = answer.read(LARGEST_BODY + 1)
        if len(content) > LARGEST_BODY:
            raise NoAnswer(
                f"{method} {path} sent more than {LARGEST_BODY >> 20} MiB, so reading stopped."
            )
        if late.is_set():
            raise TimeoutError
        if answer.length:  # bytes still missing of the announced length
            raise http.client.IncompleteRead(content, answer.length)
        headers = {name.lower(): value for name, value in answer.getheaders()}
        cookies = answer.headers.get_all("set-cookie") or ()
        return Response(answer.status, headers, content, tuple(cookies))
    except (OSError, http.client.HTTPException, ValueError) as error:  # of a chunk of -5 bytes
        if late.is_set() or isinstance(error, TimeoutError):
            if kind is not None:
                raise Endless(
                    f"{method} {path} got no complete response within {deadline_s:g} s. The "
                    f"headers arrived ({kind or 'without a type'}), but the body did not end.",
                    kind,
                ) from None
            raise NoAnswer(f"{method} {path} was not answered within {deadline_s:g} s.") from None
        raise NoAnswer(f"{method} {path} failed: {_words(error)}.") from None
    finally:
        timer.cancel()
        connection.close()


def _words(error: Exception) -> str:
    if isinstance(error, http.client.IncompleteRead):
        return f"the response broke off after {len(error.partial):,} bytes"
    if isinstance(error, ConnectionRefusedError):
        return "nothing listens there"
    return f"{type(error).__name__} {error}".strip()

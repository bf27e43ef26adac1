"""The protocols that a server speaks, as far as a client can see: TLS, HTTP/1.1, HTTP/2."""

from __future__ import annotations

import contextlib
import socket
import ssl
from pathlib import Path

Place = tuple[str, int] | Path  # a host with a port, or a UNIX socket

DEADLINE_S = 10.0  # so long a server may take to answer, on a busy machine
HTTP1, HTTP2 = "http/1.1", "h2"  # the names in the handshake of TLS
# A client of HTTP/2 begins with these bytes, and a server answers with its own settings.
_EMPTY_SETTINGS = bytes((0, 0, 0, 4, 0, 0, 0, 0, 0))
_PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + _EMPTY_SETTINGS
# The bytes of a frame's head, the position of its type, and the type of settings.
_HEAD, _TYPE, _SETTINGS = 9, 3, 4


def is_tls(place: Place) -> bool:
    """Whether a server shakes hands with a client of TLS. A server without TLS refuses the
    handshake at once, before the program sees a request.
    """
    return _agreed(place) is not None


def is_http2(place: Place, *, tls: bool) -> bool:
    """Whether a server accepts HTTP/2: by ALPN with TLS, with prior knowledge without TLS."""
    return _agreed(place, HTTP2) == HTTP2 if tls else _answers_preface(place)


def is_http2_only(place: Place, *, tls: bool) -> bool:
    """Whether a server accepts HTTP/2 and not HTTP/1.1. Without TLS no Node server accepts both."""
    return is_http2(place, tls=tls) and not (tls and _agreed(place, HTTP1) == HTTP1)


def _agreed(place: Place, *offered: str) -> str | None:
    """Return the protocol of a handshake, "" if it names none, None if there is no TLS."""
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    if offered:
        context.set_alpn_protocols(offered)
    with (
        contextlib.suppress(OSError),
        _connected(place) as plain,
        context.wrap_socket(plain) as secure,
    ):
        return secure.selected_alpn_protocol() or ""
    return None


def _answers_preface(place: Place) -> bool:
    head = b""
    with contextlib.suppress(OSError), _connected(place) as client:
        client.sendall(_PREFACE)
        while len(head) < _HEAD and (chunk := client.recv(_HEAD - len(head))):
            head += chunk
    return len(head) == _HEAD and head[_TYPE] == _SETTINGS and not any(head[5:])


def _connected(place: Place) -> socket.socket:
    if isinstance(place, tuple):
        return socket.create_connection(place, DEADLINE_S)
    client = socket.socket(socket.AF_UNIX)
    client.settimeout(DEADLINE_S)
    try:
        client.connect(str(place))
    except OSError:
        client.close()
        raise
    return client

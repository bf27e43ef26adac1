"""The load on a user's program: bounded, only on this machine, each phase with a question."""

from __future__ import annotations

import contextlib
import json
import re
import socket
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np

from lab.clinic.bridge import Bridge
from lab.measure.generator import Generator
from lab.records import rows as raw_rows
from lab.records.load import Load, Stream
from lab.servers.http_get import Response, get

GRACE_S = 5.0
TIMEOUT_S = 10.0
CLIENT_BUSY = 0.8  # from here on the client may be the limit, as for every trial (records.checks)


_OTHERWISE = (
    "Give a path that it has (--path /there), and a login if it needs one (--header NAME:VALUE)."
)
_BODY = (
    'It may need a body: --body \'{"name": "value"}\', or --body @FILE, with '
    "--header content-type:TYPE if it needs a type that the body does not look like."
)
_NEXT_STEP = {
    **dict.fromkeys((400, 411, 415, 422), _BODY),
    401: "It requires a login: --header 'authorization:Bearer …', or --header 'cookie:…'.",
    403: "It admits only some clients: --header 'authorization:Bearer …', or --header 'cookie:…'.",
    405: f"The server needs another method, such as --method POST. {_BODY}",
    426: (
        "The server speaks another protocol on this path, most likely WebSocket, which is "
        "not examined. Give the --path of a plain HTTP request."
    ),
    429: "The server refuses the request because too many have come. Switch its rate limiter off "
    "for the examination.",
}


def next_step(status: int) -> str:
    """Return what a user can do about a status that is not from 200 to 299."""
    if 300 <= status < 400:
        return (
            "The server redirects this request. Give the address that it redirects to "
            "(--path /there) or, if that is a login, log in (--header 'cookie:…', or a login "
            "in a --scenario)."
        )
    if status == 503:
        return (
            "The server is not ready or refuses the request. If the program takes longer to "
            "warm up, give it more time with --listen SECONDS."
        )
    if status >= 500:
        return (
            "The program failed. Look in its own log, and check that it has everything "
            "that it needs."
        )
    return _NEXT_STEP.get(status, _OTHERWISE)


@dataclass(frozen=True)
class Request:
    """The request of a load: every request is the same.

    body : None sends none. A body without a Content-Type among the headers gets the type that its
    text has: JSON, a form, or plain text.
    """

    path: str = "/"
    method: str = "GET"
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes | None = None

    @classmethod
    def of(
        cls, path: str, method: str | None, headers: Mapping[str, str], body: str | bytes | None
    ) -> Request:
        """Return the request; with a body the method is POST unless another is given."""
        content = body.encode() if isinstance(body, str) else body
        usual = "GET" if content is None else "POST"
        return cls(path, method or usual, tuple(headers.items()), content)

    @property
    def sent_headers(self) -> dict[str, str]:
        """The headers as they are sent, without Content-Length, which each sender adds."""
        headers = dict(self.headers)
        if self.body and "content-type" not in {name.lower() for name in headers}:
            headers["Content-Type"] = _content_type(self.body)
        return headers

    def answer(self, url: str, deadline_s: float) -> Response:
        """Send it once to the server at `url`. Raises what `lab.servers.http_get.get` raises."""
        return get(
            url,
            self.path,
            deadline_s,
            method=self.method,
            headers=self.sent_headers,
            body=self.body,
        )


_FORM = re.compile(r"[\w.\-%+\[\]]+=[^\s&]*(&[\w.\-%+\[\]]+=[^\s&]*)*")


def _content_type(body: bytes) -> str:
    """Return the media type of a body that came without one, read from the body itself."""
    try:
        text = body.decode()
    except UnicodeDecodeError:
        return "application/octet-stream"
    with contextlib.suppress(ValueError):
        json.loads(text)
        return "application/json"
    if _FORM.fullmatch(text.strip()):
        return "application/x-www-form-urlencoded"
    return "text/plain; charset=utf-8"


@dataclass(frozen=True)
class Phase:
    """One load: what was asked (in seconds and 1/s), when it ran (Unix time in ms), what came back.

    rate_per_s : of an open loop, None in a closed one. quantiles in seconds, None without answers.
    connects : responses that came on a new connection. silent_s : seconds from the last response
    (of any status) to the end of the window, the whole window if none came. before : good responses
    before the window, those of the warm-up.
    """

    name: str
    connections: int
    rate_per_s: float | None
    from_ms: float
    to_ms: float
    throughput: float
    answers: int
    failed: int
    kinds: dict[str, int]
    waiting: int
    dropped: int
    mean_s: float | None
    p50_s: float | None
    p90_s: float | None
    p99_s: float | None
    in_flight: float
    client_elu: float
    connects: int
    silent_s: float = 0.0
    before: int = 0

    @property
    def span_s(self) -> float:
        """Length of the window."""
        return max(self.to_ms - self.from_ms, 1e-3) / 1e3


def load(
    generator: Generator,
    name: str,
    url: str,
    request: Request,
    *,
    seconds: float,
    warmup: float = 0.0,
    connections: int = 1,
    rate: float | None = None,
    bridge: Bridge | None = None,
) -> Phase:
    """Run one load with a fresh generator. Raises GeneratorFailed.

    bridge : what the requests pass; the busier of the two counts as the client
    """
    if bridge is not None:
        bridge.busy()
    with tempfile.TemporaryDirectory(prefix="lab-") as folder:
        stream = Stream.of(
            connections=connections,
            rate=rate,
            path=request.path,
            method=request.method,
            headers=request.sent_headers,
            timeout=TIMEOUT_S,
        )
        stream = replace(stream, body=request.body)  # an empty body has a length, too
        generator.send(Load(stream, warmup, seconds).spec(url, folder))
        result: dict[str, Any] = {}
        for event in generator.events(warmup + seconds + TIMEOUT_S + GRACE_S):
            result = event
        answer = result["streams"][0]
        raw = answer["raw"]
        rows = raw_rows.read(Path(folder) / Path(raw["file"]).name, raw["rows"], raw["columns"])
    client_elu = float(result["client"].get("elu") or 0.0)
    if bridge is not None:
        client_elu = max(client_elu, bridge.busy())
    start, stop = result["window_us"]
    window = raw_rows.window(rows, (start, stop))
    end, status = rows["t_end_us"], rows["status"]
    good = (end >= start) & (end < stop) & (status >= 200) & (status < 300)
    answered = (status >= 100) & (end < stop)
    last = int(end[answered].max()) if answered.any() else start
    latency = rows["latency_us"][good] / 1e6
    counts = answer["counts"]
    kinds = {**{f"status {k}": v for k, v in counts["non2xx"].items()}, **counts["errors"]}
    if counts["timeouts"]:
        kinds["timed out"] = counts["timeouts"]

    def quantile(q: float) -> float | None:
        # With fewer than one value beyond it, a quantile is the maximum.
        return float(np.quantile(latency, q)) if len(latency) * (1 - q) >= 1 else None

    return Phase(
        name=name,
        connections=connections,
        rate_per_s=rate,
        from_ms=(result["epoch_us"] + start) / 1e3,
        to_ms=(result["epoch_us"] + stop) / 1e3,
        throughput=window.throughput,
        answers=int(good.sum()),
        failed=sum(kinds.values()),
        kinds=kinds,
        waiting=window.waiting,
        dropped=counts["dropped"],
        mean_s=float(latency.mean()) if len(latency) else None,
        p50_s=quantile(0.5) if len(latency) else None,
        p90_s=quantile(0.9),
        p99_s=quantile(0.99),
        in_flight=window.in_flight,
        client_elu=client_elu,
        connects=int((rows["connect_us"][good] > 0).sum()),
        silent_s=(stop - max(last, start)) / 1e6,
        before=int(((end < start) & (status >= 200) & (status < 300)).sum()),
    )


def stalled_readers(url: str, request: Request, readers: int, seconds: float) -> int:
    """Send requests of so many clients and don't read the responses for so many seconds. Return the
    bytes that the kernels of both sides took from the slowest server connection: what each client
    finds when it reads.
    """
    parts = urlsplit(url)
    host, port = str(parts.hostname), parts.port or 80
    body = request.body or b""
    headers = {"Host": parts.netloc, **request.sent_headers}
    if request.body is not None:
        headers["Content-Length"] = str(len(body))
    head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    message = f"{request.method} {request.path} HTTP/1.1\r\n{head}\r\n".encode("latin-1") + body
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    clients: list[socket.socket] = []
    try:
        for _ in range(readers):
            with contextlib.suppress(OSError):
                client = socket.socket(family)
                clients.append(client)
                client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8192)
                client.settimeout(2.0)
                client.connect((host, port))
                client.sendall(message)
        time.sleep(seconds)
    finally:
        for client in clients:
            # A socket that is closed with unread bytes sends a reset, so the server notices at
            # once.
            client.close()
    return len(clients)

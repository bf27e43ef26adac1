"""Loading somebody's own program as a careful person would: bounded, on this machine, and each
phase with its own question.
"""

from __future__ import annotations

import contextlib
import socket
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np

from lab.measure.generator import Generator
from lab.records import rows as raw_rows
from lab.servers.http_get import Response, get

GRACE_S = 5.0
TIMEOUT_S = 10.0
CLIENT_BUSY = 0.8  # from here on the client may be what limits; as of every trial (records.checks)


@dataclass(frozen=True)
class Request:
    """What is sent: always the same."""

    path: str = "/"
    method: str = "GET"
    headers: tuple[tuple[str, str], ...] = ()

    def answer(self, url: str, deadline_s: float) -> Response:
        """Send it once to the server at `url`. Raises what `lab.servers.http_get.get` raises."""
        return get(url, self.path, deadline_s, method=self.method, headers=dict(self.headers))


@dataclass(frozen=True)
class Phase:
    """One load: what was asked (in seconds and 1/s), when it ran (Unix time in ms), what came back.

    rate_per_s : of an open loop, None in a closed one. quantiles in seconds, None without answers.
    reconnects : connections that were opened beyond the first of each.
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
) -> Phase:
    """Run one load with a fresh generator. Raises GeneratorFailed."""
    with tempfile.TemporaryDirectory(prefix="lab-") as folder:
        stream = {
            "name": "main",
            "url": url.rstrip("/") + request.path,
            "method": request.method,
            "headers": dict(request.headers),
            "loop": "closed" if rate is None else "open",
            "connections": connections,
            "timeout_s": TIMEOUT_S,
            **({} if rate is None else {"rate_per_s": rate, "schedule": "poisson", "seed": 1}),
        }
        generator.send(
            {
                "streams": [stream],
                "warmup_s": warmup,
                "measure_s": seconds,
                "raw_dir": folder,
            }
        )
        result: dict[str, Any] = {}
        for event in generator.events(warmup + seconds + TIMEOUT_S + GRACE_S):
            result = event
        answer = result["streams"][0]
        raw = answer["raw"]
        rows = raw_rows.read(Path(folder) / Path(raw["file"]).name, raw["rows"], raw["columns"])
    start, stop = result["window_us"]
    seen = raw_rows.window(rows, (start, stop))
    end, status = rows["t_end_us"], rows["status"]
    good = (end >= start) & (end < stop) & (status >= 200) & (status < 300)
    latency = rows["latency_us"][good] / 1e6
    counts = answer["counts"]
    kinds = {**{f"status {k}": v for k, v in counts["non2xx"].items()}, **counts["errors"]}
    if counts["timeouts"]:
        kinds["timed out"] = counts["timeouts"]

    def quantile(q: float) -> float | None:
        # With less than one value beyond it a quantile is their maximum under another name.
        return float(np.quantile(latency, q)) if len(latency) * (1 - q) >= 1 else None

    return Phase(
        name=name,
        connections=connections,
        rate_per_s=rate,
        from_ms=(result["epoch_us"] + start) / 1e3,
        to_ms=(result["epoch_us"] + stop) / 1e3,
        throughput=seen.throughput,
        answers=int(good.sum()),
        failed=sum(kinds.values()),
        kinds=kinds,
        waiting=seen.waiting,
        dropped=counts["dropped"],
        mean_s=float(latency.mean()) if len(latency) else None,
        p50_s=quantile(0.5) if len(latency) else None,
        p90_s=quantile(0.9),
        p99_s=quantile(0.99),
        in_flight=seen.in_flight,
        client_elu=float(result["client"].get("elu") or 0.0),
        connects=int((rows["connect_us"][good] > 0).sum()),
    )


def stalled_readers(url: str, request: Request, readers: int, seconds: float) -> int:
    """Ask, and do not read: as many clients as said, for so long. Return the bytes that the kernels
    of both sides took meanwhile from the slowest to the end: what each client finds when it reads.
    """
    parts = urlsplit(url)
    host, port = str(parts.hostname), parts.port or 80
    head = "".join(f"{k}: {v}\r\n" for k, v in request.headers)
    ask = f"{request.method} {request.path} HTTP/1.1\r\nHost: {parts.netloc}\r\n{head}\r\n".encode()
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
                client.sendall(ask)
        time.sleep(seconds)
    finally:
        for client in clients:
            # Closed with unread bytes the kernel sends a reset: the server sees it at once.
            client.close()
    return len(clients)

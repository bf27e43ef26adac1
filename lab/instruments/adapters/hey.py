"""hey: a closed loop in Go; `hey` is its printed summary, `hey-csv` its rows.

The two are separate runs because `-o csv` prints no summary. What to know (requester/report.go):
`Requests/sec` counts failed requests too, so a dead port gives thousands per second; the rows hold
only answered ones; an answer whose body breaks off counts as a 200; a percentile that needs more
samples than there are is printed as "0% in 0.0000 secs"; -n is floored to a multiple of -c.
"""

from __future__ import annotations

import hashlib
import math
import shutil
from pathlib import Path
from typing import Any

import numpy as np

from lab.instruments.adapters.base import (
    MAX_REQUESTS,
    Adapter,
    Capabilities,
    Capability,
    Figures,
    ToolResult,
    ToolSpec,
    figures_of,
)
from lab.instruments.adapters.child import ran, unreadable
from lab.instruments.adapters.lines import read_lines

SECS = r" *(NaN|[\d.]+) secs"
GRAMMAR = {
    "summary": r"Summary:",
    "total": rf"  Total:\t{SECS}",
    "slowest": rf"  Slowest:\t{SECS}",
    "fastest": rf"  Fastest:\t{SECS}",
    "average": rf"  Average:\t{SECS}",
    "per_s": r"  Requests/sec:\t([\d.]+)",
    "bytes": r"  Total data:\t(\d+) bytes",
    "size": r"  Size/request:\t\d+ bytes",
    "histogram": r"Response time histogram:",
    "bar": r"  [\d.]+ \[\d+\]\t\|■*",
    "distribution": r"Latency distribution:",
    "quantile": rf"  (\d+)% in{SECS}",
    "details": r"Details \(average, fastest, slowest\):",
    "detail": rf"  (?:DNS\+dialup|DNS-lookup|req write|resp wait|resp read):\t{SECS},{SECS},{SECS}",
    "statuses": r"Status code distribution:",
    "status": r"  \[(\d{3})\]\t(\d+) responses",
    "errors": r"Error distribution:",
    "error": r"  \[(\d+)\]\t(.+)",
}
HEADER = (
    "response-time,DNS+dialup,DNS,Request-write,Response-delay,Response-read,status-code,offset"
)
KINDS = {  # the end of Go's message -> the name Node gives the same thing
    "connection refused": "ECONNREFUSED",
    "connection reset by peer": "ECONNRESET",
    "EOF": "closed early",
    "Client.Timeout exceeded": "timeout",
    "malformed HTTP": "malformed response",
    "broken pipe": "EPIPE",
}


class Hey(Adapter):
    """hey as it is used: its summary, with latencies in tenths of a millisecond."""

    name = program = "hey"
    install = "sudo apt-get install hey (Debian, Ubuntu) or brew install hey (macOS)"
    csv = False
    rounds_ms = 0.05
    capabilities = Capabilities(
        raw_rows=Capability(
            False, "The summary has no rows. hey-csv is the same program with rows."
        ),
        latency=Capability(
            True,
            "Measured to 0.1 ms, for at most a million responses. Beyond that, the average "
            "in the summary is wrong.",
        ),
        open_loop=Capability(
            False,
            "-q throttles each worker and skips missed ticks, so this is still a closed loop.",
        ),
        fresh_connections=Capability(
            True, "With -disable-keepalive, the latency includes connecting."
        ),
        error_kinds=Capability(
            True,
            "Errors are counted by Go's message, but Requests/sec includes them, and a "
            "truncated body counts as a 200.",
        ),
    )

    def _version(self) -> str | None:
        path = shutil.which("hey")
        if path is None:
            return None
        # hey has no option that prints a version, so the program itself is named by its hash
        digest = hashlib.sha256(Path(path).read_bytes()).hexdigest()
        return f"sha256:{digest[:12]}"

    def _run(self, spec: ToolSpec, version: str) -> ToolResult:
        self.closed_only(spec, " (-q skips ticks)")
        if spec.requests is not None and spec.requests % spec.connections:
            raise self.refuse(
                f"send {spec.requests} requests over {spec.connections} connections, because "
                f"it rounds down to {spec.requests // spec.connections * spec.connections}",
                "Give a multiple of connections.",
            )
        how_long = (
            ["-z", f"{round(spec.seconds * 1000)}ms"]
            if spec.seconds is not None
            else ["-n", str(spec.requests)]
        )
        argv = [
            *("hey", *how_long, "-c", str(spec.connections), "-t", str(math.ceil(spec.timeout_s))),
            *("-disable-redirects", *(["-disable-keepalive"] if spec.fresh else [])),
            *(*(["-o", "csv"] if self.csv else []), spec.url),
        ]
        once = ran("hey", spec, argv)
        read = parse_rows if self.csv else parse
        said_figures, trusted_figures, summary, counts, rows = read(once.raw_output)
        return self.result(
            spec,
            version,
            once,
            said=said_figures,
            trusted=trusted_figures,
            summary=summary,
            counts=counts,
            rows=rows,
            caveats=(
                "latencies are rounded to 0.1 ms",
                "the first response of each connection includes connecting",
                "a truncated body counts as a complete response",
                "failed requests are not in the rows"
                if self.csv
                else "Requests/sec counts failed requests",
            ),
        )


class HeyRows(Hey):
    """hey with `-o csv`: one row per answered request, no summary."""

    name = "hey-csv"
    csv = True
    capabilities = Capabilities(
        raw_rows=Capability(
            True,
            "It has rows for at most a million responses, to 0.1 ms, and no rows for failures.",
        ),
        latency=Hey.capabilities.latency,
        open_loop=Hey.capabilities.open_loop,
        fresh_connections=Hey.capabilities.fresh_connections,
        error_kinds=Capability(False, "Failed requests leave no trace in the CSV."),
    )


Parsed = tuple[Figures, Figures, dict[str, Any], dict[str, Any], dict[str, np.ndarray] | None]


def parse(output: str) -> Parsed:
    """(said, trusted, summary, counts, None) of a printed summary. Raises UnreadableOutput."""
    matches = read_lines(
        "hey", output, GRAMMAR, ["summary", "total", "average", "per_s", "slowest", "fastest"]
    )
    statuses = {m[1]: int(m[2]) for m in matches["status"]}
    errors: dict[str, int] = {}
    for match in matches["error"]:
        errors[kind(match[2])] = errors.get(kind(match[2]), 0) + int(match[1])
    n_answers = sum(statuses.values())
    good = sum(n for code, n in statuses.items() if code.startswith("2"))
    total_s = float(matches["total"][0][1])
    quantiles_us = {int(m[1]): us(m[2]) for m in matches["quantile"] if m[1] != "0"}
    summary = {
        "total_s": total_s,
        "requests_per_s": float(matches["per_s"][0][1]),
        "average_us": us(matches["average"][0][1]),
        "fastest_us": us(matches["fastest"][0][1]),
        "slowest_us": us(matches["slowest"][0][1]),
        "latency_quantiles_us": quantiles_us,
        "percentiles_not_given": sum(m[1] == "0" for m in matches["quantile"]),
    }
    said_figures = Figures(
        throughput_per_s=summary["requests_per_s"],
        mean_us=summary["average_us"],
        p50_us=quantiles_us.get(50),
        p99_us=quantiles_us.get(99),
        max_us=summary["slowest_us"] if n_answers else None,
        n=n_answers,
    )
    exact = n_answers <= MAX_REQUESTS
    trusted_figures = Figures(
        throughput_per_s=good / total_s if total_s > 0 else None,
        mean_us=said_figures.mean_us if exact else None,
        p50_us=said_figures.p50_us if exact else None,
        p99_us=said_figures.p99_us if exact else None,
        max_us=said_figures.max_us if exact else None,
        n=n_answers,
    )
    counts = {
        "responses": n_answers,
        "statuses": statuses,
        "errors": errors,
        # the Content-Length that was promised; None where the answers had none (chunked)
        "body_bytes_in": int(matches["bytes"][0][1]) if matches["bytes"] else None,
    }
    return said_figures, trusted_figures, summary, counts, None


def parse_rows(output: str) -> Parsed:
    """(said: nothing, trusted, {}, counts, rows) of the CSV. Raises UnreadableOutput."""
    lines = output.split("\n")
    if lines[0] != HEADER:
        raise unreadable(
            "hey", f"its first line is {lines[0]!r} instead of the known columns", output
        )
    try:
        numbers_of = [[float(v) for v in line.split(",")] for line in lines[1:] if line]
        table = np.array(numbers_of, dtype=float).reshape(-1, len(HEADER.split(",")))
    except ValueError as error:
        raise unreadable("hey", f"a row does not hold eight numbers ({error})", output) from error
    latency_us = np.rint(table[:, 0] * 1e6)
    t_end_us = np.rint(table[:, 7] * 1e6) + latency_us  # offset is when the request was begun
    order = np.argsort(t_end_us, kind="stable")
    rows = {
        "t_end_us": t_end_us[order].astype(np.int64),
        "latency_us": latency_us[order].astype(np.int64),
        "status": table[order, 6].astype(np.int16),
        "connect_us": np.rint(table[order, 1] * 1e6).astype(np.int64),
    }
    seconds = float(t_end_us.max()) / 1e6 if len(table) else 0.0
    codes, numbers = np.unique(rows["status"], return_counts=True)
    statuses = {str(code): int(n) for code, n in zip(codes, numbers, strict=True)}
    trusted = figures_of(rows, seconds) if len(table) else Figures(throughput_per_s=0.0, n=0)
    return Figures(), trusted, {}, {"responses": len(table), "statuses": statuses}, rows


def kind(message: str) -> str:
    """The short name of one of Go's error messages, or the message itself."""
    return next((name for part, name in KINDS.items() if part in message), message)


def us(seconds: str) -> float | None:
    """Seconds as hey prints them, in microseconds; None for NaN."""
    return None if seconds == "NaN" else round(float(seconds) * 1e6, 1)

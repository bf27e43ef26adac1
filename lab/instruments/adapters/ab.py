"""ab: one thread, HTTP/1.0, whole milliseconds.

What to know: `Time per request` is N/X by definition, so Little's law can never catch it;
percentiles are rounded to 1 ms; one reset or one timeout ends the whole run; a failed request is
counted under several headings at once; with -l a body that breaks off is a success. A server
that answers HTTP/1.0 with a close (Node's http does, unless the handler sets a Content-Length) is
measured on fresh connections even with -k: the line `Keep-Alive requests: 0` is the only sign.
"""

from __future__ import annotations

import math
import tempfile
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
from lab.instruments.adapters.child import ran, unreadable, version_said
from lab.instruments.adapters.lines import read_lines

NUMBER = r"([\d.]+)"
TIMES = r" +(\d+) +(\d+) +[\d.]+ +(\d+) +(\d+)"
GRAMMAR = {
    "banner": r"This is ApacheBench, .*|Copyright 1996 .*|Licensed to .*|Benchmarking .*",
    "software": r"Server Software:.*",
    "host": r"Server (?:Hostname|Port): +\S+",
    "path": r"Document Path: +\S+",
    "length": r"Document Length: +(?:Variable|\d+ bytes)",
    "level": r"Concurrency Level: +(\d+)",
    "seconds": rf"Time taken for tests: +{NUMBER} seconds",
    "complete": r"Complete requests: +(\d+)",
    "failed": r"Failed requests: +(\d+)",
    "kinds": r" +\(Connect: (\d+), Receive: (\d+), Length: (\d+), Exceptions: (\d+)\)",
    "write": r"Write errors: +(\d+)",
    "non2xx": r"Non-2xx responses: +(\d+)",
    "kept": r"Keep-Alive requests: +(\d+)",
    "bytes": r"Total transferred: +(\d+) bytes",
    "html": r"HTML transferred: +(\d+) bytes",
    "per_s": rf"Requests per second: +{NUMBER} \[#/sec\] \(mean\)",
    "by_n": rf"Time per request: +{NUMBER} \[ms\] \(mean\)",
    "across": rf"Time per request: +{NUMBER} \[ms\] \(mean, across all concurrent requests\)",
    "transfer": r"Transfer rate: +[\d.]+ \[Kbytes/sec\] received",
    "times": r"Connection Times \(ms\)",
    "columns": r" +min +mean\[\+/-sd\] +median +max",
    "part": rf"(?:Connect|Processing|Waiting):{TIMES}",
    "total": rf"Total:{TIMES}",
    "doubt": r"(?:WARNING|ERROR): The median and mean for the [a-z ]+ time are "
    r"(?:not within a normal deviation|more than twice the standard)",
    "doubted": r" +(?:deviation apart\. )?These results are (?:NOT|probably not that) reliable\.",
    "served": r"Percentage of the requests served within a certain time \(ms\)",
    "quantile": r" +(\d+)% +(\d+)(?: \(longest request\))?",
}
ROWS_HEADER = "starttime\tseconds\tctime\tdtime\tttime\twait"


class Ab(Adapter):
    """ApacheBench 2.3 with -l (lengths may vary) and, unless fresh, -k."""

    name = program = "ab"
    install = "sudo apt-get install apache2-utils (Debian, Ubuntu); included in macOS"
    rounds_ms = 0.5
    capabilities = Capabilities(
        raw_rows=Capability(
            False,
            "-g writes one row per request, but sorts the rows by duration, in whole "
            "milliseconds, with start times in whole seconds and without a status. The file "
            "is a distribution and not a record.",
        ),
        latency=Capability(True, "To 1 ms; Time per request is N/X, not a measurement."),
        open_loop=Capability(False, "ab only knows the closed loop."),
        fresh_connections=Capability(
            True,
            "This is the default. -k asks for keep-alive, which Node declines without a "
            "Content-Length.",
        ),
        error_kinds=Capability(
            False, "Counts overlap, and the first reset or timeout ends the run without a summary."
        ),
    )

    def _version(self) -> str | None:
        return version_said(["ab", "-V"], r"This is ApacheBench, Version (\S+)")

    def _run(self, spec: ToolSpec, version: str) -> ToolResult:
        self.closed_only(spec)
        how_long = (
            # -t sets -n to 50 000, so -n has to come after it
            ["-t", str(math.ceil(spec.seconds)), "-n", str(MAX_REQUESTS)]
            if spec.seconds is not None
            else ["-n", str(spec.requests)]
        )
        with tempfile.TemporaryDirectory() as folder:
            table = Path(folder) / "requests.tsv"
            argv = [
                *("ab", "-q", "-l", *([] if spec.fresh else ["-k"]), *how_long),
                *("-c", str(spec.connections), "-s", str(math.ceil(spec.timeout_s))),
                *("-g", str(table), spec.url),
            ]
            once = ran("ab", spec, argv)
            said_figures, summary, counts = parse(once.raw_output)
            total_ms = parse_table(table.read_text()) if counts["responses"] else np.empty(0)
        seconds = summary["seconds"]
        good = counts["responses"] - counts["non2xx"]
        latency = figures_of(
            {"latency_us": total_ms * 1000.0, "status": np.full(len(total_ms), 200)}, seconds
        )
        caveats = [
            "times are rounded to 1 ms",
            "Time per request is connections / throughput, not a measured time",
            "a truncated body counts as a complete response (-l)",
            "requests in flight at the end are not counted",
        ]
        if not spec.fresh and counts["keep_alive"] < counts["responses"] - spec.connections:
            caveats.insert(
                0,
                f"keep-alive was requested, but only {counts['keep_alive']} of "
                f"{counts['responses']} requests left their connection open, because ab "
                "speaks HTTP/1.0",
            )
        return self.result(
            spec,
            version,
            once,
            said=said_figures,
            trusted=Figures(
                throughput_per_s=good / seconds if seconds else None,
                mean_us=latency.mean_us,
                p50_us=latency.p50_us,
                p99_us=latency.p99_us,
                max_us=latency.max_us,
                n=latency.n,
            ),
            summary=summary | {"durations_ms": total_ms.tolist()},
            counts=counts,
            caveats=tuple(caveats),
        )


def parse(output: str) -> tuple[Figures, dict[str, Any], dict[str, Any]]:
    """(what it says, its summary, its counts). Raises UnreadableOutput."""
    matches = read_lines("ab", output, GRAMMAR, ["seconds", "complete", "failed", "bytes"])
    quantiles_us = {int(m[1]): int(m[2]) * 1000.0 for m in matches["quantile"]}
    kinds = ("connect", "receive", "length", "exceptions")
    failures = map(int, matches["kinds"][0].groups()) if matches["kinds"] else (0, 0, 0, 0)

    def one(name: str) -> float | None:
        return float(matches[name][0][1]) if matches[name] else None

    total = matches["total"][0] if matches["total"] else None
    complete = int(matches["complete"][0][1])
    summary: dict[str, Any] = {
        "seconds": float(matches["seconds"][0][1]),
        "requests_per_s": one("per_s"),
        "time_per_request_ms": one("by_n"),
        "total_mean_ms": int(total[2]) if total else None,
        "total_max_ms": int(total[4]) if total else None,
        "latency_quantiles_us": quantiles_us,
    }
    by_n = summary["time_per_request_ms"]
    said_figures = Figures(
        throughput_per_s=summary["requests_per_s"],
        mean_us=by_n * 1000 if by_n is not None else None,
        p50_us=quantiles_us.get(50),
        p99_us=quantiles_us.get(99),
        max_us=quantiles_us.get(100),
        n=complete,
    )
    counts = {
        "responses": complete,
        "failed": int(matches["failed"][0][1]),
        "errors": dict(zip(kinds, failures, strict=True)),
        "non2xx": int(matches["non2xx"][0][1]) if matches["non2xx"] else 0,
        "keep_alive": int(matches["kept"][0][1]) if matches["kept"] else 0,
        "bytes_in": int(matches["bytes"][0][1]),
        "body_bytes_in": int(matches["html"][0][1]) if matches["html"] else None,
    }
    return said_figures, summary, counts


def parse_table(text: str) -> np.ndarray:
    """The total milliseconds per request of a -g file, shape (n,). Raises UnreadableOutput."""
    header, *lines = text.splitlines()
    if header != ROWS_HEADER:
        raise unreadable(
            "ab -g", f"its first line is {header!r} instead of the known columns", text
        )
    durations_ms = []
    for line in lines:
        fields = line.split("\t")
        if len(fields) != 6 or not fields[4].isdigit():
            raise unreadable("ab -g", f"a row does not have six fields: {line!r}", text)
        durations_ms.append(float(fields[4]))
    return np.array(durations_ms)

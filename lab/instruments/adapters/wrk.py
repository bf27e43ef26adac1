"""wrk: the fastest of the tools, right about throughput, wrong about latency.

Its latency table is not what it measured: `stats_correct` in wrk.c adds invented samples for every
latency above twice the mean cycle. A latency beyond `--timeout` is left out of the table and
counted as an error, and a request that is never answered appears nowhere.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from lab.instruments.adapters.base import (
    Adapter,
    Capabilities,
    Capability,
    Figures,
    ToolResult,
    ToolSpec,
)
from lab.instruments.adapters.child import ran, unreadable, version_said
from lab.instruments.adapters.lines import Matches, read_lines

REPORT = Path(__file__).with_name("wrk_report.lua")
UNITS_US = {"us": 1.0, "ms": 1e3, "s": 1e6, "m": 60e6, "h": 3600e6}
TIME = r"(-?nan|[\d.]+)(us|ms|s|m|h)"
METRIC = r"(?:-?nan|[\d.]+)[kMGTP]?"
GRAMMAR = {
    "running": r"Running \S+ test @ \S+",
    "threads": r"  \d+ threads and \d+ connections",
    "header": r"  Thread Stats +Avg +Stdev +Max +\+/- Stdev",
    "latency": rf"    Latency +{TIME} +{TIME} +{TIME} +(?:-?nan|[\d.]+)%",
    "rate": rf"    Req/Sec +{METRIC} +{METRIC} +{METRIC} +(?:-?nan|[\d.]+)%",
    "distribution": r"  Latency Distribution",
    "quantile": rf" +(\d+)% +{TIME}",
    "total": r"  (\d+) requests in [\d.]+(?:us|ms|s|m|h), [\d.]+[KMGTP]?B read",
    "socket": r"  Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)",
    "status": r"  Non-2xx or 3xx responses: (\d+)",
    "per_s": r"Requests/sec: +([\d.]+)",
    "bytes_per_s": r"Transfer/sec: +[\d.]+[KMGTP]?B",
    "report": r"(\{.*\})",
}


class Wrk(Adapter):
    """wrk 4.x, one thread, with a Lua `done()` that reports its counts as JSON."""

    name = program = "wrk"
    install = "sudo apt-get install wrk (Debian, Ubuntu) or brew install wrk (macOS)"
    counts = False
    capabilities = Capabilities(
        raw_rows=Capability(
            False, "wrk keeps only a histogram, which is corrected before the output."
        ),
        latency=Capability(
            False,
            "Its table contains invented samples (stats_correct) and no response that came "
            "after --timeout. Its Lua function done() gets the same table.",
        ),
        open_loop=Capability(False, "wrk only knows the closed loop (wrk2 is another program)."),
        fresh_connections=Capability(
            True,
            "It sends a Connection: close header, and the latency does not include connecting.",
        ),
        error_kinds=Capability(
            True,
            "It counts connect, read, write and timeout errors and a status above 399, "
            "but never a request without a response.",
        ),
    )

    def _version(self) -> str | None:
        # prints the version, then its usage, and exits with 1
        return version_said(["wrk", "-v"], r"wrk (\S+) \[")

    def _run(self, spec: ToolSpec, version: str) -> ToolResult:
        self.closed_only(spec)
        if spec.seconds is None:
            raise self.refuse("stop after a number of requests", "Give seconds.")
        fresh = ("--header", "Connection: close") if spec.fresh else ()
        argv = [
            *("wrk", "--threads", "1", "--connections", str(spec.connections)),
            *("--duration", f"{math.ceil(spec.seconds)}s"),  # whole seconds only
            *("--timeout", f"{math.ceil(spec.timeout_s)}s", "--latency", *fresh),
            *("--script", str(REPORT), spec.url),
        ]
        once = ran("wrk", spec, argv)
        said_figures, summary, counts = parse(once.raw_output)
        answered_ok = counts["responses"] - counts["errors"]["status"]
        return self.result(
            spec,
            version,
            once,
            said=said_figures,
            trusted=Figures(
                throughput_per_s=answered_ok / (counts["duration_us"] / 1e6), n=answered_ok
            ),
            summary=summary,
            counts=counts,
            caveats=(
                "latencies are corrected and not measured",
                f"responses after {math.ceil(spec.timeout_s)} s are missing from the latencies",
                "requests in flight at the end are not counted",
                "3xx responses count as successes",
            ),
        )


def parse(output: str) -> tuple[Figures, dict[str, Any], dict[str, Any]]:
    """(what it says, its summary, its counts). Raises UnreadableOutput."""
    matches = read_lines(
        "wrk", output, GRAMMAR, ["running", "latency", "quantile", "total", "per_s", "report"]
    )
    report = json.loads(matches["report"][0][1])
    latency = matches["latency"][0]
    quantiles = {int(m[1]): microseconds(m[2], m[3]) for m in matches["quantile"]}
    if not {50, 99} <= set(quantiles):
        raise unreadable("wrk", f"its quantiles are {sorted(quantiles)}, not 50 and 99", output)
    responses = int(matches["total"][0][1])
    if responses != report["requests"]:
        raise unreadable("wrk", f"{responses} requests here, {report['requests']} there", output)
    none = responses == 0  # wrk then prints zeros, which are no latencies
    summary: dict[str, Any] = {
        "requests_per_s": float(matches["per_s"][0][1]),
        "latency_mean_us": microseconds(latency[1], latency[2]),
        "latency_stdev_us": microseconds(latency[3], latency[4]),
        "latency_max_us": microseconds(latency[5], latency[6]),
        "latency_quantiles_us": quantiles,
        "socket_errors_printed": printed_errors(matches),
    }
    said_figures = Figures(
        throughput_per_s=summary["requests_per_s"],
        mean_us=None if none else summary["latency_mean_us"],
        p50_us=None if none else quantiles[50],
        p99_us=None if none else quantiles[99],
        max_us=None if none else summary["latency_max_us"],
        n=responses,
    )
    counts = {
        "responses": responses,
        "errors": report["errors"],
        "bytes_in": report["bytes"],
        "duration_us": report["duration_us"],
    }
    return said_figures, summary, counts


def printed_errors(matches: Matches) -> dict[str, int]:
    """The line of socket errors, which wrk prints only when there are any."""
    if not matches["socket"]:
        return {}
    names = ("connect", "read", "write", "timeout")
    return dict(zip(names, map(int, matches["socket"][0].groups()), strict=True))


def microseconds(number: str, unit: str) -> float | None:
    """A time as wrk prints it, in microseconds; None for nan."""
    return None if number.endswith("nan") else float(number) * UNITS_US[unit]

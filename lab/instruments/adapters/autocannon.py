"""autocannon, twice: as it is, and without its stale requests.

Stock autocannon (<= 9.0.0) forgets the request it wrote into a connection that the server then
closed, so against a server that closes connections its latencies grow with the length of the run.
Its summary counts in whole milliseconds, truncated; requests in flight at the end vanish from it.
"""

from __future__ import annotations

import json
import math
import tempfile
from pathlib import Path
from typing import Any

from lab.instruments.adapters.base import (
    Adapter,
    Capabilities,
    Capability,
    Figures,
    Presence,
    ToolResult,
    ToolSpec,
    figures_of,
)
from lab.instruments.adapters.child import ran, unreadable
from lab.paths import NODE_SIDE, ROOT
from lab.processes import nodes
from lab.records import rows as raw_rows

RUNNER = NODE_SIDE / "autocannon-run.mjs"
FIXED_VERSION = "9.0.0"  # the fix touches private names: another version has to be calibrated first
COLUMNS = [
    {"name": "t_end_us", "type": "u32"},
    {"name": "latency_us", "type": "u32"},
    {"name": "status", "type": "i16"},
    {"name": "connect_us", "type": "u32"},
]


class Autocannon(Adapter):
    """autocannon as it is used: one thread, no pipelining, its own summary."""

    name = "autocannon"
    install = "npm ci (in the folder of the book)"
    fix = False
    rounds_ms = 1.0
    capabilities = Capabilities(
        raw_rows=Capability(
            False,
            "Its response event reports every response, but may time it from the start of an "
            "older, lost request.",
        ),
        latency=Capability(
            False,
            "Latencies are wrong as soon as a server closes a connection. They are truncated "
            "to whole milliseconds (1.9 ms is 1, 0.9 ms is 0).",
        ),
        open_loop=Capability(
            False,
            "overallRate sends the requests of each second in one burst, and invents "
            "latencies as a correction.",
        ),
        fresh_connections=Capability(
            False, "With Connection: close, its latencies belong to stale requests."
        ),
        error_kinds=Capability(
            True,
            "Errors are counted by the client's connError event. The summary has only their sum.",
        ),
    )

    def _version(self) -> str | None:
        manifest = ROOT / "node_modules" / "autocannon" / "package.json"
        if not manifest.is_file():
            return None
        return str(json.loads(manifest.read_text())["version"])

    def _run(self, spec: ToolSpec, version: str) -> ToolResult:
        self.closed_only(spec, " (overallRate is not an open loop)")
        with tempfile.TemporaryDirectory() as folder:
            raw_file = Path(folder) / "rows.bin"
            ask = {
                "url": spec.url,
                "connections": spec.connections,
                "seconds": spec.seconds,
                "requests": spec.requests,
                "timeout_s": math.ceil(spec.timeout_s),
                "fresh": spec.fresh,
                "fix": self.fix,
                "raw_file": str(raw_file),
            }
            argv = [nodes.client(), str(RUNNER)]
            once = ran("autocannon", spec, argv, line=json.dumps(ask))
            report = parse(once.raw_output)
            rows = raw_rows.read(raw_file, report["rows"], COLUMNS)
        said_figures = said_by(report["summary"])
        row_figures = figures_of(rows, report["seconds"])
        return self.result(
            spec,
            version,
            once,
            said=said_figures,
            trusted=row_figures
            if self.fix
            else Figures(throughput_per_s=row_figures.throughput_per_s, n=row_figures.n),
            summary=report["summary"],
            counts={
                **report["counts"],
                "bytes_in": report["summary"]["throughput"]["total"],
                "client": report["client"],
                "seconds": report["seconds"],
            },
            rows=rows if self.fix else None,
            caveats=self.caveats(report),
        )

    def caveats(self, report: dict[str, Any]) -> tuple[str, ...]:
        """What to keep in mind about this run."""
        common = [
            "the first response of each connection includes connecting",
            "the run ends on a full second and not at the requested time",
        ]
        if report["client"]["elu"] > 0.8:
            common.insert(0, f"autocannon was busy {report['client']['elu']:.0%} of the time")
        if self.fix:
            lost = report["counts"]["lost_on_close"]
            return (
                *common,
                f"{lost} requests went into connections that the server was closing, and were "
                "sent again",
            )
        return (
            *common,
            "latencies are in whole milliseconds, truncated",
            "each closed connection leaves a stale request from which later responses are timed",
            "requests in flight at the end are not counted",
        )


class AutocannonFixed(Autocannon):
    """autocannon 9.0.0 that forgets lost requests: right rows, a summary that still rounds."""

    name = "autocannon-fixed"
    fix = True
    rounds_ms = 0.0
    capabilities = Capabilities(
        raw_rows=Capability(
            True, "It has a row for each response, error, timeout and request in flight at the end."
        ),
        latency=Capability(
            True,
            "Latencies are taken from the rows, to a microsecond. The "
            "summary still truncates them.",
        ),
        open_loop=Autocannon.capabilities.open_loop,
        fresh_connections=Capability(
            True, "It works with Connection: close, and the latency includes connecting."
        ),
        error_kinds=Autocannon.capabilities.error_kinds,
    )

    def present(self) -> Presence:
        """The version found, or None with the line that installs it."""
        presence = super().present()
        if presence.version not in (None, FIXED_VERSION):
            return Presence(
                None,
                f"npm ci (the fix is checked with autocannon {FIXED_VERSION}, "
                f"and {presence.version} is installed)",
            )
        return presence


def parse(output: str) -> dict[str, Any]:
    """The report of the runner. Raises UnreadableOutput for anything but one JSON line."""
    try:
        report = json.loads(output)
        missing = {"version", "seconds", "rows", "counts", "client", "summary"} - set(report)
    except (ValueError, TypeError) as error:
        raise unreadable("autocannon", f"it is not one line of JSON ({error})", output) from error
    if missing:
        raise unreadable("autocannon", f"it lacks {sorted(missing)}", output)
    return report


def said_by(summary: dict[str, Any]) -> Figures:
    """The figures of autocannon's own result object. Raises UnreadableOutput if one is missing."""
    try:
        latency_us = {
            name: float(summary["latency"][name]) * 1000
            for name in ("average", "p50", "p99", "max")
        }
        return Figures(
            throughput_per_s=float(summary["requests"]["average"]),
            mean_us=latency_us["average"],
            p50_us=latency_us["p50"],
            p99_us=latency_us["p99"],
            max_us=latency_us["max"],
            n=int(summary["requests"]["total"]),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise unreadable("autocannon", f"no figure {error}", json.dumps(summary)) from error

"""artillery, where it is installed: an open loop of virtual users.

It is never a dependency (about 1,000 packages, 600 MB): `make tools` brings it. What to know, from
its source (2.0.21): `http.response_time` is the time to the *first* byte, without connecting, in
whole milliseconds; percentiles come from buckets about 2 % wide; the host of its telemetry is
looked up outside this machine even when telemetry is switched off, which the preload
`loopback-only.cjs` refuses.
"""

from __future__ import annotations

import json
import math
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from lab.instruments.adapters.base import (
    Adapter,
    Capabilities,
    Capability,
    Figures,
    ToolResult,
    ToolSpec,
)
from lab.instruments.adapters.child import ran, unreadable, version_said
from lab.paths import LOADTOOLS, NODE_SIDE
from lab.processes import nodes

START_S = 30.0  # loading its packages takes seconds, and after the load it waits for its own report
OFFLINE = {
    "ARTILLERY_DISABLE_TELEMETRY": "true",
    "NODE_OPTIONS": f'--require "{NODE_SIDE / "loopback-only.cjs"}"',
}


class Artillery(Adapter):
    """artillery 2.x: one GET per virtual user, users arriving evenly at rate_per_s."""

    name = program = "artillery"
    install = "make tools (about 600 MB)"
    is_open, counts = True, False
    capabilities = Capabilities(
        raw_rows=Capability(False, "It keeps only sketches with buckets about 2 % wide."),
        latency=Capability(
            False,
            "It measures the time to the first byte, without connecting, in whole milliseconds.",
        ),
        open_loop=Capability(
            True, "Users always arrive evenly, and response times count from the real send."
        ),
        fresh_connections=Capability(
            True,
            "This is the default. Every user opens a new connection, and response times do "
            "not include connecting.",
        ),
        error_kinds=Capability(True, "Errors are counted by Node's error codes."),
    )

    def _version(self) -> str | None:
        asked = [_artillery(), "--version"]
        return version_said(asked, r"Artillery: (\S+)$", START_S, OFFLINE)

    def _run(self, spec: ToolSpec, version: str) -> ToolResult:
        if spec.rate_per_s is None or spec.seconds is None:
            raise self.refuse(
                "keep a number of connections busy, because it only knows arrivals",
                "Give rate_per_s and seconds, or use ours.",
            )
        seconds = math.ceil(spec.seconds)
        url = urlsplit(spec.url)
        script = {
            "config": {
                "target": f"{url.scheme}://{url.netloc}",
                "phases": [{"duration": seconds, "arrivalCount": round(spec.rate_per_s * seconds)}],
                "http": {"timeout": math.ceil(spec.timeout_s)}
                | ({} if spec.fresh else {"pool": spec.connections}),
            },
            "scenarios": [{"flow": [{"get": {"url": url.path or "/"}}]}],
        }
        with tempfile.TemporaryDirectory() as folder:
            script_file, report_file = Path(folder) / "script.json", Path(folder) / "report.json"
            script_file.write_text(json.dumps(script))
            argv = [_artillery(), "run", "--quiet", "--output", str(report_file), str(script_file)]
            env = {**OFFLINE, **nodes.on_path(nodes.client())}
            once = ran("artillery", spec, argv, more_s=START_S, env=env)
            once = replace(once, raw_output=report_file.read_text())
        said_figures, summary, counts = parse(once.raw_output, seconds)
        return self.result(
            spec,
            version,
            once,
            said=said_figures,
            trusted=Figures(
                throughput_per_s=sum(
                    n for code, n in counts["statuses"].items() if code.startswith("2")
                )
                / seconds,
                n=said_figures.n,
            ),
            summary=summary,
            counts=counts,
            caveats=(
                "open loop, so its throughput is the requested rate and not the server's limit",
                "response times end with the first byte and do not include connecting",
                "percentiles come from buckets about 2 % wide",
            ),
        )


def _artillery() -> str:
    """The one that `make tools` brought, else the one on the PATH."""
    brought = LOADTOOLS / ".bin" / "artillery"
    return str(brought) if brought.exists() else "artillery"


def parse(output: str, seconds: float) -> tuple[Figures, dict[str, Any], dict[str, Any]]:
    """(what it says, its aggregate, its counts) of a report file. Raises UnreadableOutput."""
    try:
        aggregate = json.loads(output)["aggregate"]
        counters = aggregate["counters"]
        latency = aggregate["summaries"].get("http.response_time", {})
        figures = {name: latency.get(name) for name in ("mean", "p50", "p99", "max")}
        said_figures = Figures(
            throughput_per_s=float(counters.get("http.responses", 0)) / seconds,
            n=int(counters.get("http.responses", 0)),
            **{f"{k}_us": None if v is None else float(v) * 1000 for k, v in figures.items()},
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise unreadable("artillery", f"no report of the known form ({error!r})", output) from error

    def starting(prefix: str) -> dict[str, int]:
        return {k[len(prefix) :]: int(n) for k, n in counters.items() if k.startswith(prefix)}

    counts = {
        "sent": int(counters.get("http.requests", 0)),
        "responses": said_figures.n,
        "statuses": starting("http.codes."),
        "errors": starting("errors."),
        "users_failed": int(counters.get("vusers.failed", 0)),
    }
    return said_figures, aggregate, counts

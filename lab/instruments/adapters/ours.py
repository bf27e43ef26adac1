"""Our own generator behind the same interface, so that one table can hold it and the others.

Chapters use `lab.load`, which starts servers, verifies bodies and checks records; this adapter only
drives `lab/node/loadgen` against a url, closed or open, and cuts no warm-up, as the other tools.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from lab.instruments.adapters.base import (
    Adapter,
    Capabilities,
    Capability,
    ToolFailed,
    ToolResult,
    ToolSpec,
    figures_of,
)
from lab.instruments.adapters.child import ran, unreadable
from lab.paths import NODE_SIDE
from lab.processes import nodes
from lab.processes.child import shown
from lab.records import rows as raw_rows

GENERATOR = NODE_SIDE / "loadgen" / "main.mjs"


class Ours(Adapter):
    """The generator of this course, closed loop."""

    name = "ours"
    install = "nothing: it is part of lab (Node >= 20)"
    capabilities = Capabilities(
        raw_rows=Capability(True, "It has one row for each request, including failed requests."),
        latency=Capability(
            True,
            "Measured from the send, to 1 us. The latency includes connecting, which "
            "also has a column of its own.",
        ),
        open_loop=Capability(True, "ours-open fixes the intended times before the run."),
        fresh_connections=Capability(
            True, "With keep_alive false, each request opens a new connection."
        ),
        error_kinds=Capability(
            True, "Each kind of error has its own code, in the row of the request."
        ),
    )

    def _version(self) -> str | None:
        return "1" if GENERATOR.is_file() else None

    def check_loop(self, spec: ToolSpec) -> None:
        """Raise Unsupported for a load of the other loop."""
        if spec.rate_per_s is not None:
            raise self.refuse("send at a rate in its closed loop", "Use ours-open.")

    def _run(self, spec: ToolSpec, version: str) -> ToolResult:
        self.check_loop(spec)
        with tempfile.TemporaryDirectory() as folder:
            argv = [nodes.client(), str(GENERATOR)]
            line = json.dumps(spec.load().spec(base_of(spec.url), folder))
            once = ran(self.name, spec, argv, line=line)
            report = parse(once.raw_output)
            stream = report["streams"][0]
            raw = stream["raw"]
            rows = raw_rows.read(Path(folder) / Path(raw["file"]).name, raw["rows"], raw["columns"])
        start_us, end_us = report["window_us"]
        ended = rows["t_end_us"][rows["status"] > 0]
        by_count = spec.requests is not None and len(ended)
        seconds = ((int(ended.max()) if by_count else end_us) - start_us) / 1e6
        figures = figures_of(rows, seconds)
        return self.result(
            spec,
            version,
            once,
            said=figures,
            trusted=figures,
            summary={"stopped": report["stopped"], "client": report["client"]},
            counts=stream["counts"] | {"bytes_in": stream["bytes_in"]},
            rows=rows,
            caveats=("no warm-up is removed here, because lab.load removes it",),
        )


class OursOpen(Ours):
    """The generator of this course, open loop: Poisson arrivals, latency from the intended time."""

    name = "ours-open"
    is_open, counts = True, False

    def check_loop(self, spec: ToolSpec) -> None:
        """Raise Unsupported for a load of the other loop."""
        if spec.rate_per_s is None or spec.requests is not None:
            raise self.refuse("run without rate_per_s and seconds", "Give both, or use ours.")


def base_of(url: str) -> str:
    """The url without path and query."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def parse(output: str) -> dict[str, Any]:
    """The result event. Raises ToolFailed on an error event, UnreadableOutput without a result."""
    try:
        events = [json.loads(line) for line in output.splitlines() if line]
        last = events[-1]
        kind = last["event"]
    except (ValueError, IndexError, KeyError, TypeError) as error:
        raise unreadable(
            "the generator", f"no JSON lines with events ({error!r})", output
        ) from error
    if kind == "error":
        raise ToolFailed(f"The generator gave up: {last['message']}.\n{shown(output)}")
    if kind != "result":
        raise unreadable("the generator", f"its last event is {kind!r} instead of a result", output)
    return last

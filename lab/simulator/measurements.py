"""What was measured of the servers that readers change (page/servers.json), from their records.

The model's figures stand beside it and are never called measured.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lab import paths
from lab.records import store
from lab.records.comparison import Comparison
from lab.records.histogram import Histogram

SERVERS = Path(__file__).parent / "page" / "servers.json"
POINTS = 40  # of the curve of waits


def servers() -> list[dict[str, Any]]:
    """Return the servers, each with its text, its clients and where it was measured."""
    listed: list[dict[str, Any]] = json.loads(SERVERS.read_text("utf8"))
    return listed


def records() -> Iterator[Path]:
    """Name the files that the figures come from, as far as there are such."""
    for server in servers():
        file = paths.REFERENCE / f"{server['measured']['experiment']}.json"
        if file.exists():
            yield file


def figures() -> dict[str, dict[str, Any]]:
    """Return the measured figures by the servers' ids; a server without a record is left out.

    waits : ms at equal shares of the requests, from the shortest wait to the longest; throughput :
    responses per second; p50, p99 : ms; gave_up and sent : requests of a trial, on average; trials;
    machine, node, when. Of a program with a wait per try there are only waits and p50.
    """
    known = {file.stem for file in records()}
    return {
        server["id"]: _figures(server["measured"])
        for server in servers()
        if server["measured"]["experiment"] in known
    }


def _figures(source: dict[str, Any]) -> dict[str, Any]:
    experiment = source["experiment"]
    record = json.loads((paths.REFERENCE / f"{experiment}.json").read_text("utf8"))
    about = {"machine": record["machine"]["cpu"], "when": record["when"][:10]}
    if "key" in source:
        waits = sorted(json.loads(line)[source["key"]] for line in record["text"].splitlines())
        return {**about, "node": record["node"], "trials": len(waits), **_of_tries(waits)}
    comparison = store.reference(experiment)
    assert isinstance(comparison, Comparison)
    trials = comparison.pool(source["arm"], source.get("at"))
    latency = Histogram.merged(t.latency for t in trials)
    waits = [1e3 * latency.quantile((i + 0.5) / POINTS) for i in range(POINTS)]
    count = len(trials)
    return {
        **about,
        "node": (trials[0].server.version or "").removeprefix("v"),
        "trials": count,
        "throughput": round(sum(t.throughput for t in trials) / count, 1),
        "gave_up": round(sum(t.counts.timeouts for t in trials) / count, 1),
        "sent": round(sum(t.counts.sent for t in trials) / count),
        "waits": [round(wait, 2) for wait in waits],
        "p50": round(1e3 * latency.quantile(0.5), 2),
        "p99": round(1e3 * latency.quantile(0.99), 2),
    }


def _of_tries(waits: list[float]) -> dict[str, Any]:
    middle = waits[(len(waits) - 1) // 2]
    return {"waits": [round(wait, 2) for wait in waits], "p50": round(middle, 2)}

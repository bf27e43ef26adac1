"""The trials of a record as rows for a spreadsheet, the control's too."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from lab import paths
from lab.book import reference_run
from lab.records.comparison import Comparison
from lab.records.reference import kind_of
from lab.records.trial import Stream, Trial
from lab.storage import stored
from lab.storage.json_form import rounded

QUANTILES = (0.5, 0.9, 0.99)


def of_file(source: Path) -> list[dict[str, Any]]:
    """Return a row for each trial of a recorded file or of a run of this machine."""
    result = opened(source)
    if isinstance(result, Trial):
        return [_row(result, "", None)]
    swept = result.sweep
    aa = {id(t) for t in result.control}
    trials = sorted((*result.trials, *result.control), key=lambda t: (t.block, t.started, t.order))
    return [_row(t, swept, id(t) in aa) for t in trials]


def opened(source: Path) -> Trial | Comparison:
    """Return what a recorded file, or a run of this machine, holds."""
    if paths.RUNS not in source.parents:
        return reference_run.results()[source.stem]
    data = stored.read_json(source, stored.MEASURE_AGAIN)
    with stored.named(source, stored.MEASURE_AGAIN):
        found: Trial | Comparison = kind_of(source.stem).run(data, source.parent)
    return found


def _row(t: Trial, sweep: str, control: bool | None) -> dict[str, Any]:
    row = {
        "arm": t.arm or t.server.name,
        "control": "" if control is None else "yes" if control else "no",
        "sweep": sweep,
        "at": json.dumps(t.at) if isinstance(t.at, (dict, list)) else t.at,
        "block": t.block,
        "order": t.order,
        "started": t.started,
        "server": t.server.name,
        "version": t.server.version,
        "loop": t.load.loop,
        "connections": t.load.connections,
        "rate_per_s": t.load.rate_per_s,
        "warmup_s": rounded(t.window[0]),
        "window_s": rounded(t.window[1] - t.window[0]),
        **_answers(t, ""),
        "sent": t.counts.sent,
        "ok": t.counts.ok,
        "failed": t.counts.failed,
        "in_flight_at_end": t.counts.in_flight_at_end,
        "server_cores": rounded(t.resources.server_cpu_share, 4),
        "client_elu": rounded(t.resources.client_elu, 4),
        "loadavg_before": rounded(t.noise.loadavg_before, 4),
        "others_cores": rounded(t.noise.others_cores, 4),
        "warnings": " ".join(sorted(t.warnings)),
        "failures": " ".join(sorted(t.failures)),
    }
    for name, stream in t.alongside.items():
        row |= _answers(stream, f"alongside_{name}_")
    return row


def _answers(stream: Trial | Stream, before: str) -> dict[str, Any]:
    """Return throughput and latencies; a percentile that the sample does not carry is empty."""
    latency = stream.latency
    columns = {
        "throughput_per_s": rounded(stream.throughput),
        "mean_ms": _ms(latency.mean()),
        **{
            f"p{q * 100:.0f}_ms": _ms(latency.quantile(q)) if latency.support(q) else None
            for q in QUANTILES
        },
        "max_ms": _ms(latency.max()),
    }
    return {before + name: value for name, value in columns.items()}


def _ms(seconds: float) -> float | None:
    return None if math.isnan(seconds) else rounded(seconds * 1e3)

"""Plots to explore: a reader asks a measured grid "what if" with a slider; no server is needed.

    lab.explore.shares(busy, idle)              two comparisons over connections, as one grid
    lab.explore.sizes(small, large, of=("Buffer", "string"))
                                                one sweep over sizes, and the ratio of two arms
    lab.explore.over_the_bound(busy)        the largest share of its law, a number without unit

The page gets what was measured as JSON and lab/widgets/explore/explore.js draws it; without
JavaScript the same grid stands there as a plot and a table. The plot has a dot where something was
measured and nowhere else: between dots only theory moves.
"""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from html import escape
from itertools import combinations
from typing import Any

from lab import predict
from lab.display.html import STYLE, table
from lab.errors import LabError
from lab.plot import lines, sweep
from lab.plot.figure import Figure
from lab.plot.measures import ratio_words
from lab.plot.provenance import stamps
from lab.plot.reference_run import reference_of
from lab.records.comparison import Comparison
from lab.records.table import Table
from lab.records.trial import Trial
from lab.storage.gate import checked
from lab.storage.json_form import rounded
from lab.text.numbers import count, number, size
from lab.text.phrasing import listed
from lab.widgets.markup import json_script
from lab.widgets.parts import assets

TOTAL_MS = 50  # servers/node/share.mjs
METRICS = ("throughput", "p50", "p99")


@dataclass(frozen=True)
class Explorable:
    """A grid that shows itself: with controls in a browser, else as its figure and its table.

    comparison : the trials of the grid, of several comparisons in one.
    """

    comparison: Comparison
    data: dict[str, Any] = field(repr=False)
    figure: Figure = field(repr=False)
    table: Table = field(repr=False)

    def to_json(self) -> dict[str, Any]:
        """Return what the element gets."""
        return self.data

    def __repr__(self) -> str:
        return repr(self.figure)

    def _repr_html_(self) -> str:
        told = f"<details><summary>{escape(self.table.caption)}</summary>"
        rows = STYLE + table(self.table.rows, label=self.table.caption)
        inside = f"{json_script(self.data)}{self.figure._repr_html_()}{told}{rows}</details>"
        return f"{assets('explore')}<lab-explore>{inside}</lab-explore>"


@checked
def shares(*comparisons: Comparison) -> Explorable:
    """Return the explorable of `node/share` servers over connections, one arm for each WAIT_MS.

    Several comparisons make one grid, which may have gaps. Theory is made of the programmed times
    alone. Raises LabError for other servers, another sweep, or the same arm twice.
    """
    grid = _together(comparisons)
    recorded = [reference_of(one) for one in comparisons]
    reference = None if None in recorded else _together(recorded)
    models = {
        arm: predict.nonblocking((TOTAL_MS - wait) / 1e3, wait / 1e3)
        for arm, wait in _waits(grid).items()
    }
    data = {
        "kind": "share",
        "total": TOTAL_MS,
        "cells": _share_cells(grid),
        **({"recorded": _share_cells(reference)} if reference else {}),
        "stamps": stamps(grid.trials),
    }
    figure = sweep(
        grid,
        predict=models,
        recorded=reference,
        y_scale="log",
        finding=_share_finding(grid),
        caption="Throughput by number of connections and by the milliseconds that a request waits",
    )
    return Explorable(grid, data, figure, _share_table(grid, models))


@checked
def sizes(*comparisons: Comparison, of: Sequence[str] = ("Buffer", "string")) -> Explorable:
    """Return the explorable of arms that answer with a FILE, swept over its size.

    Several comparisons of the same arms make one sweep. of : the two arms whose ratio is shown
    first and tabled. Raises LabError if the sweep is not env={"FILE": "{file:BYTES}"}, or if the
    arms differ.
    """
    comparison = _one_sweep(comparisons)
    references = [reference_of(part) for part in comparisons]
    reference = None if None in references else _one_sweep(references)
    bytes_of = {i: _bytes(value) for i, value in enumerate(comparison.values)}
    data = {
        "kind": "size",
        "arms": list(comparison.arms),
        "of": list(of),
        "connections": _connections(comparison),
        "sizes": [{"bytes": n, "name": size(n)} for n in bytes_of.values()],
        "cells": _size_cells(comparison),
        **({"recorded": _size_cells(reference)} if reference else {}),
        "said": {metric: _said(comparison, metric) for metric in METRICS},
        "stamps": stamps(comparison.trials),
    }
    figure = lines(
        {part.experiment: part for part in comparisons},
        rows=lambda parts: [row for part in parts.values() for row in _size_rows(part)],
        x="bytes",
        y="throughput",
        by="arm",
        x_label="body (bytes)",
        y_label="throughput (req/s)",
        x_scale="log",
        y_scale="log",
        name=f"{comparison.experiment} throughput",
        caption="Throughput by size of the body",
        finding=_size_finding(comparison, of),
    )
    return Explorable(comparison, data, figure, _size_table(comparison, of))


# A grid of several comparisons has no control: the control of one comparison would be at one dot.
_NO_CONTROL: Any = {"control": (), "aa_arm": None, "aa_at": None}


# -- of 50 ms, how many wait ----------------------------------------------------------------------
def _together(parts: Sequence[Comparison]) -> Comparison:
    if not parts or any(part.sweep != "connections" or not part.trials for part in parts):
        raise LabError(f"shares() needs trials over connections, and not {parts!r}")
    arms = [arm for part in parts for arm in part.arms]
    if len(set(arms)) < len(arms):
        raise LabError(f"shares() needs each arm once, and not {', '.join(arms)}")
    return replace(
        parts[0],
        arms=tuple(arms),
        values=tuple(sorted({n for part in parts for n in part.values})),
        trials=tuple(t for part in parts for t in part.trials),
        **_NO_CONTROL,
        complete=all(part.complete for part in parts),
    )


def _one_sweep(parts: Sequence[Comparison]) -> Comparison:
    if len({part.arms for part in parts}) != 1:
        raise LabError(f"sizes() needs comparisons of the same arms, and not {parts!r}")
    return replace(
        parts[0],
        values=tuple(value for part in parts for value in part.values),
        trials=tuple(t for part in parts for t in part.trials),
        **_NO_CONTROL,
        complete=all(part.complete for part in parts),
    )


def _waits(comparison: Comparison) -> dict[str, int]:
    waits = {}
    for arm in comparison.arms:
        cell = next((t for t in comparison.trials if t.arm == arm), None)
        wait_ms = cell.server.env.get("WAIT_MS") if cell else None
        if wait_ms is None:
            raise LabError(f"arm {arm!r} is not a node/share server, because it has no WAIT_MS")
        waits[arm] = int(wait_ms)
    return waits


def _share_cells(comparison: Comparison) -> list[dict[str, Any]]:
    waits = _waits(comparison)
    return [
        {"wait": wait, "n": n, "x": [rounded(t.throughput, 4) for t in comparison.cell(arm, n)]}
        for arm, wait in waits.items()
        for n in comparison.values
        if comparison.cell(arm, n)
    ]


def _share_finding(comparison: Comparison) -> str:
    parts = []
    for arm, wait in _waits(comparison).items():
        last = _measured(comparison, arm)[-1]
        rate = number(_median(comparison, arm, last))
        parts.append(f"{rate} with {count(last, 'connection')} where {wait} ms wait")
    return (
        f"Responses per second of a server that needs {TOTAL_MS} ms for each request: "
        f"{listed(parts)}."
    )


def _measured(comparison: Comparison, arm: str) -> list[int]:
    return [n for n in comparison.values if comparison.cell(arm, n)]


@checked
def over_the_bound(grid: Comparison) -> float:
    """Return the largest share of what its law allows that any trial of `shares` counted.

    One answer a connection is taken off: where the window begins decides whether it is counted. On
    a full loop, too: answers that are due wait until it is free, and then go out together.
    """
    waits = _waits(grid)

    def share(t: Trial) -> float:
        wait, n = waits[t.arm], t.load.connections
        law = predict.nonblocking((TOTAL_MS - wait) / 1e3, wait / 1e3).bound(n)
        span = t.window[1] - t.window[0]
        return (t.throughput * span - n) / (law * span)

    return max(share(t) for t in grid.trials)


def _share_table(comparison: Comparison, models: dict[str, Any]) -> Table:
    rows = [
        {
            "waits (ms)": wait,
            "limit (req/s)": models[arm].limit if wait < TOTAL_MS else None,
            "knee N*": models[arm].knee if wait < TOTAL_MS else None,
            **{f"N = {n}": _median(comparison, arm, n) for n in comparison.values},
        }
        for arm, wait in _waits(comparison).items()
    ]
    return Table(rows, caption="The grid as a table: requests per second with N connections")


def _median(comparison: Comparison, arm: str, at: Any) -> float:
    values = [t.throughput for t in comparison.cell(arm, at)]
    return statistics.median(values) if values else math.nan


# -- how many bytes, sent as what -----------------------------------------------------------------
def _bytes(value: Any) -> int:
    match = re.fullmatch(
        r"\{file:(\d+)\}", value.get("FILE", "") if isinstance(value, dict) else ""
    )
    if not match:
        raise LabError(f"sizes() wants env=[{{'FILE': '{{file:BYTES}}'}}, …] swept, got {value!r}")
    return int(match[1])


def _metric(t: Trial, metric: str) -> float | None:
    if metric != "throughput" and not t.latency.support(float(metric[1:]) / 100):
        return None
    return rounded(t.metric(metric), 4)


def _size_cells(comparison: Comparison) -> list[dict[str, Any]]:
    return [
        {
            "arm": arm,
            "size": i,
            **{m: [_metric(t, m) for t in comparison.cell(arm, at)] for m in METRICS},
        }
        for i, at in enumerate(comparison.values)
        for arm in comparison.arms
    ]


def _connections(comparison: Comparison) -> int | None:
    """Their number in all trials; None if it differs."""
    found = {t.load.connections for t in comparison.trials}
    return found.pop() if len(found) == 1 else None


def _size_rows(comparison: Comparison) -> list[dict[str, Any]]:
    return [
        {"arm": t.arm, "bytes": _bytes(t.at), "throughput": t.throughput}
        for at in comparison.values
        for arm in comparison.arms
        for t in comparison.cell(arm, at)
    ]


def _said(comparison: Comparison, metric: str) -> list[dict[str, str]]:
    """The ratio of each two arms as a sentence, size by size."""
    return [
        {
            f"{a}/{b}": ratio_words(comparison.ratio(a, b, at=at, metric=metric))[:-1]
            for a, b in combinations(comparison.arms, 2)
        }
        for at in comparison.values
    ]


def _size_finding(comparison: Comparison, of: Sequence[str]) -> str:
    told = []
    for at in (comparison.values[0], _farthest(comparison, of)):
        words = ratio_words(comparison.ratio(*of, at=at))
        told.append(f"{size(_bytes(at))}: {words}")
    return " ".join(dict.fromkeys(told))


def _farthest(comparison: Comparison, of: Sequence[str]) -> Any:
    def effect(at: Any) -> float:
        estimate = comparison.ratio(*of, at=at).estimate
        return abs(math.log(estimate)) if estimate > 0 else -1.0

    return max(comparison.values, key=effect)


def _size_table(comparison: Comparison, of: Sequence[str]) -> Table:
    rows = [
        {
            "body": size(_bytes(at)),
            **{f"{arm} (req/s)": _median(comparison, arm, at) for arm in comparison.arms},
            f"{of[0]} ÷ {of[1]}": comparison.ratio(*of, at=at).text,
        }
        for at in comparison.values
    ]
    return Table(rows, caption="The grid as a table: requests per second")

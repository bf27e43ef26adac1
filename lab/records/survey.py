"""What several load tools said of the same servers, and what their rows say."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from lab.errors import LabError, did_you_mean
from lab.processes.machine import Machine
from lab.records.reference import Kind, Recorded
from lab.records.table import Rows, Table
from lab.storage.json_form import Stored

# metric -> how sources call it in published-results.csv, best first; ab's mean is N/X
PUBLISHED = {
    "throughput": ("throughput",),
    "mean": ("latency_mean", "time_per_request"),
    "p50": ("latency_p50",),
    "p99": ("latency_p99",),
    "longest": ("latency_max", "latency_p100"),
}
# name -> (field of Figures, factor to the unit of the reader)
METRICS = {
    "throughput": ("throughput_per_s", 1.0),
    "mean": ("mean_us", 1e-3),
    "p50": ("p50_us", 1e-3),
    "p99": ("p99_us", 1e-3),
    "longest": ("max_us", 1e-3),
}


@dataclass(frozen=True)
class Figures:
    """The five usual numbers; None if a tool doesn't print the number, or if it is not credible."""

    throughput_per_s: float | None = None
    mean_us: float | None = None
    p50_us: float | None = None
    p99_us: float | None = None
    max_us: float | None = None
    n: int | None = None

    def little(self, connections: int) -> float | None:
        """Return X·R/N. It is 1 for a closed loop without idle time; None without a throughput and
        a mean.
        """
        if self.throughput_per_s is None or self.mean_us is None:
            return None
        return self.throughput_per_s * self.mean_us / 1e6 / connections


@dataclass(frozen=True)
class ToolRun:
    """One run of one tool: `said` is its summary, `rows_say` the same figures from its rows."""

    arm: str
    tool: str
    version: str
    connections: int | None  # none in an open loop, where the number of requests in flight varies
    said: Figures
    rows_say: Figures | None = None  # none if the tool gives no rows, or no credible ones
    caveats: tuple[str, ...] = ()
    recorded: bool = False  # true if the tool is not installed, and the run comes from the record

    @property
    def little(self) -> float:
        """X·R/N of its own figures, 1 in a closed loop that idles nowhere; else not-a-number."""
        value = None if self.connections is None else self.said.little(self.connections)
        return math.nan if value is None else value

    def metric(self, name: str, rows: bool = False) -> float:
        """A figure in 1/s or ms, or `little`; `rows` asks its rows instead of its summary.

        Not-a-number if the tool does not give it. Raises LabError for an unknown name.
        """
        if name == "little":
            return self.little
        if name not in METRICS:
            raise LabError(
                f"there is no metric {name!r}. The metrics are little, {', '.join(METRICS)}"
            )
        where, factor = METRICS[name]
        figures = self.rows_say if rows else self.said
        value = None if figures is None else getattr(figures, where)
        return math.nan if value is None else value * factor

    def row(self) -> dict[str, Any]:
        """One line of the table."""
        tool = f"{self.tool} (recorded)" if self.recorded else self.tool
        figures = {name: self.metric(name) for name in METRICS}
        return _row(self.arm, tool, figures) | {"X·R/N": self.little}


def _row(server: str, tool: str, figures: Mapping[str, float]) -> dict[str, Any]:
    throughput, *latencies = METRICS
    said = {f"{name} (ms)": figures[name] for name in latencies}
    return {"server": server, "tool": tool, "req/s": figures[throughput], **said}


def _printed(figures: Iterable[Any]) -> dict[str, float]:
    """The five numbers of published figures, in 1/s and ms; not-a-number where there is none."""
    found = {f.metric: f.value * (1e3 if f.unit == "s" else 1) for f in figures}
    return {
        name: next((found[key] for key in keys if key in found), math.nan)
        for name, keys in PUBLISHED.items()
    }


@dataclass(frozen=True)
class Survey(Stored):
    """What several tools said of the same servers; `left_out` maps a tool to the reason."""

    apart = ("recorded",)

    experiment: str
    said: tuple[ToolRun, ...]
    left_out: Mapping[str, str]
    started: str  # UTC, ISO
    machine: Machine
    profile: str = ""
    question: dict[str, Any] = field(default_factory=dict, repr=False)
    recorded: Recorded | None = None

    def of(self, tool: str, arm: str | None = None) -> ToolRun | None:
        """The run of that tool (on that arm, by default the only one), or None."""
        found = (s for s in self.said if s.tool == tool and arm in (None, s.arm))
        return next(found, None)

    def figure(self, tool: str, metric: str, arm: str | None = None, rows: bool = False) -> float:
        """A metric of one run in 1/s or ms; not-a-number if the tool is missing or says nothing."""
        run = self.of(tool, arm)
        return math.nan if run is None else run.metric(metric, rows)

    def rows(self, *names: str) -> Rows:
        """One mapping per run for a figure: server, tool and the metrics named (1/s, ms)."""
        rows = (
            {"server": s.arm, "tool": s.tool} | {name: s.metric(name) for name in names}
            for s in self.said
            if all(math.isfinite(s.metric(name)) for name in names)
        )
        return Rows(rows, self)

    def by_tool(self, metric: str) -> Table:
        """A table of one metric: a row per tool, a column per server."""
        unit = {"little": "X·R/N", "throughput": "req/s"}.get(metric, f"{metric} in ms")
        table: dict[str, dict[str, Any]] = {}
        for s in self.said:
            line = table.setdefault(s.tool, {"tool": s.row()["tool"]})
            line[s.arm] = s.metric(metric)
        return Table(list(table.values()), caption=f"{unit}; {self.provenance}")

    def within(
        self, metric: str, low: float, high: float, arm: str | None = None
    ) -> dict[str, Any]:
        """{tool: whether its figure lies from low to high}; tools without one are missing."""
        runs = [s for s in self.said if arm in (None, s.arm)]
        return {
            s.tool: low <= s.metric(metric) <= high for s in runs if math.isfinite(s.metric(metric))
        }

    @property
    def provenance(self) -> str:
        """When, where, and what was left out."""
        told = self.recorded.label if self.recorded else f"measured on {self.machine.label}"
        taken = sorted({s.tool for s in self.said if s.recorded})
        old = f"; {', '.join(taken)} from the recorded run" if taken and not self.recorded else ""
        left = "".join(f"; {tool} left out: {why}" for tool, why in self.left_out.items())
        return told + old + left

    def table(self) -> Table:
        """Return all numbers that each tool printed, and whether they agree with Little's law."""
        return Table([s.row() for s in self.said], caption=self.provenance)

    def beside(self, published: Mapping[str, Iterable[Any]], name: str = "published") -> Table:
        """A table with a row of published figures above what the tools said of each server.

        published : server -> what `lab.published` gives of it; name : of those rows, with a year.
        Raises LabError for a server that was not asked.
        """
        servers = list(dict.fromkeys(s.arm for s in self.said)) or list(self.question["arms"])
        if unknown := [server for server in published if server not in servers]:
            other = did_you_mean(unknown[0], servers)
            raise LabError(f"no tool was run against {unknown[0]!r}. {other}")
        rows = []
        for server in servers:
            if server in published:
                rows.append(_row(server, name, _printed(published[server])))
            rows += [s.row() for s in self.said if s.arm == server]
        kept = [{k: v for k, v in row.items() if k != "X·R/N"} for row in rows]
        return Table(kept, caption=self.provenance)

    def __repr__(self) -> str:
        return repr(self.table())

    def _repr_html_(self) -> str:
        return self.table()._repr_html_()


class _Surveys(Kind[Survey]):
    name = key = "survey"
    made, holds = Survey, list

    def run(self, data: Any, folder: Path) -> Survey:
        return Survey.from_json(data[0])  # the outputs of the tools follow

    def of_run(self, data: Any, file: Path) -> dict[str, Any]:
        made = data[0]
        facts = {k: made[k] for k in ("profile", "machine", "question")}
        return {**self.head(file, made["started"]), **facts, "survey": made}

    def told(self, data: Mapping[str, Any]) -> str:
        return f"load tools about {' / '.join(data['question']['arms'])}"

    def opened(self, data: dict[str, Any], recorded: Recorded) -> Survey:
        return replace(Survey.from_json(data["survey"]), recorded=recorded)

    def content(self, result: Survey) -> dict[str, Any]:
        return {"survey": result.to_json()}  # the survey is small, so it is recorded as it is

    def refused(self, result: Survey) -> str:
        told = "; ".join(f"{tool}: {why}" for tool, why in result.left_out.items())
        return told and f"tools are missing: {told}"


SURVEY = _Surveys()

"""The same servers measured by several load tools: what each said, and what its rows say.

A tool that is not installed is taken from the recorded run, where there is one of the same
question, and marked; else it is left out with the line that installs it.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from lab import lock, paths, settings, stored, usage
from lab.adapters import AdapterError, Figures, ToolResult, ToolSpec, adapter
from lab.display import Table
from lab.errors import LabError
from lab.gate import checked, fit
from lab.load import resolve
from lab.pinning import split
from lab.progress import Progress
from lab.records import machine, store
from lab.records.machine import Machine
from lab.records.question import experiment_id, question
from lab.records.record import canonical, flat, plain
from lab.records.trial import Recorded
from lab.servers.recipe import Recipe

# ab and autocannon last: what they leave in TIME_WAIT is nobody else's trouble then
TOOLS = ("ours", "hey", "wrk", "ab", "autocannon", "autocannon-fixed")
PRIMING = 3  # requests before each run: the first answers of a fresh process are slow
SMOKE_ROUNDS = 3  # the smoke profile asks whether everything runs: a few requests a connection
TIMED = ("wrk", "ours-open")  # cannot be asked for a number of requests
OPEN_CONNECTIONS = 1000  # the most in flight in an open loop

# name -> (field of Figures, factor to the unit of the reader)
METRICS = {
    "throughput": ("throughput_per_s", 1.0),
    "mean": ("mean_us", 1e-3),
    "p50": ("p50_us", 1e-3),
    "p99": ("p99_us", 1e-3),
    "longest": ("max_us", 1e-3),
}


@dataclass(frozen=True)
class Said:
    """One run of one tool: `said` is its summary, `rows_say` the same figures from its rows."""

    arm: str
    tool: str
    version: str
    connections: int | None  # None in an open loop, where nothing fixes how many are in flight
    said: Figures
    rows_say: Figures | None = None  # None: the tool gives no rows that can be believed
    caveats: tuple[str, ...] = ()
    recorded: bool = False  # not measured here: the tool is not installed

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
            raise LabError(f"there is no metric {name!r}; there are little, {', '.join(METRICS)}")
        where, factor = METRICS[name]
        figures = self.rows_say if rows else self.said
        value = None if figures is None else getattr(figures, where)
        return math.nan if value is None else value * factor

    def row(self) -> dict[str, Any]:
        """One line of the table."""
        return {
            "server": self.arm,
            "tool": f"{self.tool} (recorded)" if self.recorded else self.tool,
            "req/s": self.metric("throughput"),
            **{f"{name} (ms)": self.metric(name) for name in ("mean", "p50", "p99", "longest")},
            "X·R/N": self.little,
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Said:
        """Return what `plain` wrote."""
        rows = data.get("rows_say")
        parts = {
            "said": flat(Figures, data["said"]),
            "rows_say": flat(Figures, rows) if rows else None,
            "caveats": tuple(data.get("caveats", ())),
        }
        return flat(cls, {**data, **parts})


@dataclass(frozen=True)
class Survey:
    """What several tools said of the same servers; `left_out` maps a tool to the reason."""

    experiment: str
    said: tuple[Said, ...]
    left_out: Mapping[str, str]
    started: str  # UTC, ISO
    machine: Machine
    profile: str = ""
    question: dict[str, Any] = field(default_factory=dict, repr=False)
    recorded: Recorded | None = None

    def of(self, tool: str, arm: str | None = None) -> Said | None:
        """The run of that tool (on that arm, by default the only one), or None."""
        found = (s for s in self.said if s.tool == tool and arm in (None, s.arm))
        return next(found, None)

    def figure(self, tool: str, metric: str, arm: str | None = None, rows: bool = False) -> float:
        """A metric of one run in 1/s or ms; not-a-number if the tool is missing or says nothing."""
        run = self.of(tool, arm)
        return math.nan if run is None else run.metric(metric, rows)

    def rows(self, *names: str) -> list[dict[str, Any]]:
        """One mapping per run for a figure: server, tool and the metrics named (1/s, ms)."""
        return [
            {"server": s.arm, "tool": s.tool} | {name: s.metric(name) for name in names}
            for s in self.said
            if all(math.isfinite(s.metric(name)) for name in names)
        ]

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

    def to_json(self) -> dict[str, Any]:
        """Return plain data."""
        return {k: plain(v) for k, v in vars(self).items() if k != "recorded"}

    @classmethod
    def from_json(cls, data: dict[str, Any], recorded: Recorded | None = None) -> Survey:
        """Return the survey that `to_json` wrote."""
        parts = {
            "said": tuple(Said.from_json(s) for s in data["said"]),
            "machine": Machine.from_json(data["machine"]),
            "recorded": recorded,
        }
        return flat(cls, {**data, **parts})

    def table(self) -> Table:
        """Everything each tool said, and whether Little's law believes it."""
        return Table([s.row() for s in self.said], caption=self.provenance)

    def __repr__(self) -> str:
        return repr(self.table())

    def _repr_html_(self) -> str:
        return self.table()._repr_html_()


@checked
def survey(
    arms: Mapping[str, Any],
    *,
    tools: Iterable[str] = TOOLS,
    connections: int = 10,
    seconds: float = 1.0,
    rate: float | None = None,
    experiment: str | None = None,
) -> Survey:
    """Return what each of `tools` says of each server, one run and one fresh process each.

    arms : recipes or names of the catalogue, by the name shown; seconds : of each run (most tools
    round up to whole ones; the smoke profile asks for few requests instead); rate : requests per
    second of `ours-open`. A tool that fails is left out with its reason. Raises AdapterError for an
    unknown tool, LabError in the reference profile if one is missing; NoRecord, StaleRecord in
    replay.
    """
    names = list(tools)
    fit("tools", names, list[str])
    found = {arm: resolve(target) for arm, target in arms.items()}
    name = experiment_id(experiment, settings.notebook(), ["tools", *arms])
    what = question(
        {arm: f.question for arm, f in found.items()},
        "tools",
        names,
        {"connections": connections, "seconds": seconds, "rate": rate},
    )
    if settings.mode() == "replay":
        recorded = store.replay(name, what)
        if not isinstance(recorded, Survey):
            raise LabError(f"experiment {name!r} is recorded, but not as a survey of tools")
        return recorded
    recipes = {arm: _recipe(f.recipe, arm) for arm, f in found.items()}
    profile = settings.profile()
    for program in sorted({adapter(n).program for n in names} - {""}):
        usage.note("runtime", name=program)  # also if it is absent: installing it changes the page
    said: list[Said] = []
    left_out = {n: p.install for n in names if not (p := adapter(n).present())}
    kept = []
    started = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    total_s = len(names) * len(recipes) * (seconds + 1)
    with lock.measuring(), Progress(total_s, f"asking {len(names)} tools") as bar:
        begun = time.monotonic()
        for arm, recipe in recipes.items():
            for tool in [n for n in names if n not in left_out]:
                bar.at(time.monotonic() - begun, f"{tool}, {arm}")
                try:
                    result = _run(recipe, tool, connections, seconds, rate)
                except AdapterError as error:
                    left_out[tool] = str(error).splitlines()[0]
                    continue
                kept.append({"arm": arm, **plain(result.to_json())})
                said.append(_said(arm, result))
    made = Survey(name, tuple(said), left_out, started, machine.machine(), profile.name, what)
    store.Folder(name).keep("survey", [made.to_json(), *kept])
    if profile.name == "reference":
        _write_reference(made)
    return _completed(made, names)


def _recipe(recipe: Recipe | None, arm: str) -> Recipe:
    if recipe is None:
        raise LabError(f"{arm}: a survey starts a fresh process for each tool; give it a recipe")
    return recipe


def _run(
    recipe: Recipe, tool: str, connections: int, seconds: float, rate: float | None
) -> ToolResult:
    """One tool against a fresh process of the server."""
    theirs, ours = split(None, recipe.workers)
    is_open = tool == "ours-open"
    with recipe.start(cpus=theirs) as running:
        for _ in range(PRIMING):
            running.get()
        spec = ToolSpec(
            running.url.rstrip("/") + "/",
            OPEN_CONNECTIONS if is_open else connections,
            seconds,
            rate_per_s=rate if is_open else None,
            cpus=ours,
        )
        if settings.profile().name == "smoke" and tool not in TIMED:
            spec = replace(spec, seconds=None, requests=SMOKE_ROUNDS * connections)
        result = adapter(tool).run(spec)
    usage.note("load", requests=result.said.n or result.trusted.n or 0)
    return result


def _said(arm: str, result: ToolResult) -> Said:
    rows = result.trusted if result.rows is not None else None
    return Said(
        arm,
        result.tool,
        result.version,
        None if result.spec.rate_per_s else result.spec.connections,
        result.said,
        rows,
        result.caveats,
    )


def _write_reference(made: Survey) -> None:
    if made.left_out:
        told = "; ".join(f"{tool}: {why}" for tool, why in made.left_out.items())
        raise LabError(f"{made.experiment!r} is not recorded, tools are missing: {told}")
    record = {
        "schema": store.SCHEMA,
        "kind": "survey",
        "experiment": made.experiment,
        "when": made.started,
        "profile": made.profile,
        "commit": machine.commit()[0],
        "machine": made.machine.to_json(),
        "question": made.question,
        "survey": made.to_json(),
    }
    file = paths.REFERENCE / f"{made.experiment}.json"
    store.write(file, json.dumps(record, indent=1, ensure_ascii=False).encode())


def _completed(made: Survey, names: list[str]) -> Survey:
    """The survey with the runs of missing tools from the recorded one, if that asked the same."""
    if not made.left_out:
        return made
    file = paths.REFERENCE / f"{made.experiment}.json"
    usage.note_file(file)  # also if it is absent: a page is drawn again when it arrives
    if not file.exists():
        return made
    data = store.read_reference(made.experiment)
    if canonical(data["question"]) != canonical(made.question):
        return made
    with stored.named(file, stored.RECORD_AGAIN):
        theirs = Survey.from_json(data["survey"]).said
    old = [replace(s, recorded=True) for s in theirs if s.tool in made.left_out]
    every = sorted((*made.said, *old), key=lambda s: (_place(made, s.arm), names.index(s.tool)))
    return replace(made, said=tuple(every))


def _place(made: Survey, arm: str) -> int:
    return list(made.question["arms"]).index(arm)

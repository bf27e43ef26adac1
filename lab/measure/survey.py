"""The same servers measured by several load tools: what each said, and what its rows say.

A tool that is not installed is taken from the recorded run, where there is one of the same
question, and marked; else it is left out with the line that installs it.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from lab import settings, usage
from lab.errors import LabError
from lab.instruments.adapters import AdapterError, ToolResult, ToolSpec, adapter
from lab.instruments.adapters.base import MAX_REQUESTS
from lab.measure.experiment import Experiment, ask
from lab.measure.load import resolve
from lab.processes.machine import machine
from lab.processes.pinning import split
from lab.processes.progress import Progress
from lab.records.identity import question
from lab.records.stamp import utc
from lab.records.store import Folder
from lab.records.survey import SURVEY, Survey, ToolRun
from lab.servers.recipe import Recipe
from lab.storage.gate import checked, fit
from lab.storage.json_form import plain

# ab and autocannon come last, so that their connections in TIME_WAIT disturb no other tool.
TOOLS = ("ours", "hey", "wrk", "ab", "autocannon", "autocannon-fixed")
PRIMING = 3  # requests before each run, because the first responses of a fresh process are slow
# Requests for each connection in the smoke profile, which only tests that everything runs.
SMOKE_ROUNDS = 3
SMOKE_CONNECTIONS = (
    # The most requests in the smoke profile: a thousand clients would take as long as a published
    # run.
    100
)
OPEN_CONNECTIONS = 1000  # the most requests in flight in an open loop


@dataclass(frozen=True)
class _Asking:
    """The load that each tool gets."""

    connections: int
    seconds: float
    rate: float | None
    requests: int | None
    fresh: bool
    warm: bool
    pin: Any

    @property
    def options(self) -> dict[str, Any]:
        """The options that belong to the question. Defaults are left out, so that older records
        ask the same question.
        """
        counted = {"requests": self.requests} if self.requests is not None else {}
        timed = {} if counted else {"seconds": self.seconds}
        unusual = {"fresh": True} if self.fresh else {}
        unusual |= {} if self.warm else {"warm": False}
        return {"connections": self.connections, **timed, "rate": self.rate, **counted, **unusual}


@checked
def survey(
    arms: Mapping[str, Any],
    *,
    tools: Iterable[str] = TOOLS,
    connections: int = 10,
    seconds: float = 1.0,
    rate: float | None = None,
    requests: int | None = None,
    fresh: bool = False,
    warm: bool = True,
    pin: Any = None,
    experiment: str | None = None,
) -> Survey:
    """Return what each of `tools` says of each server, one run and one fresh process each.

        lab.survey({"hello": "node/hello"})                  six tools, 10 connections, 1 s each
        lab.survey({"hello": "node/hello"}, tools=["hey", "ab"], requests=1000)
                                                             two tools, 1,000 requests each
        lab.survey({"slow": "node/delay"}, tools=["ours-open"], rate=50, fresh=True)
                                                             50 requests/s, a connection for each

    arms : recipes or names of the catalogue, by the name shown
    seconds : of each run (most tools round up to whole ones; the smoke profile asks for few
        requests instead)
    rate : requests per second of tools with an open loop
    requests : so many in total instead of seconds, as `hey -n` and `ab -n` send them
    fresh : a new connection for each request; warm : ask a few times before the tool does
    pin, experiment : as for `lab.load`

    A tool that fails is left out with its reason. Raises AdapterError for an unknown tool or one
    that cannot count, LabError in the reference profile if one is missing; NoRecord, StaleRecord in
    replay.
    """
    names = list(tools)
    fit("tools", names, list[str])
    if uncounted := [n for n in names if requests is not None and not adapter(n).counts]:
        raise AdapterError(
            f"{uncounted[0]} can't send a fixed number of requests. Leave it out, or give "
            "seconds= instead of requests="
        )
    asking = _Asking(connections, seconds, rate, requests, fresh, warm, pin)
    servers = {arm: resolve(target) for arm, target in arms.items()}
    this_experiment = ask(
        SURVEY,
        experiment,
        ["tools", *arms],
        question(
            {arm: f.question for arm, f in servers.items()},
            "tools",
            names,
            asking.options,
        ),
    )
    if recorded := this_experiment.replayed(", but not as a survey of tools"):
        return recorded
    recipes = {arm: _recipe(f.recipe, arm) for arm, f in servers.items()}
    for program in sorted({adapter(n).program for n in names} - {""}):
        usage.note("runtime", name=program)  # an absent one, too: installing it changes the page
    left_out = {n: p.install for n in names if not (p := adapter(n).present())}
    raw_results: list[Any] = []

    def asked(_: Folder) -> Survey:
        answers: list[ToolRun] = []
        start_utc = utc()
        total_s = len(names) * len(recipes) * (1 + (seconds if requests is None else 2))
        with Progress(total_s, f"asking {len(names)} tools") as bar:
            start_s = time.monotonic()
            for arm, recipe in recipes.items():
                for tool in [n for n in names if n not in left_out]:
                    bar.at(time.monotonic() - start_s, f"{tool}, {arm}")
                    try:
                        result = _run(recipe, tool, asking)
                    except AdapterError as error:
                        left_out[tool] = str(error).splitlines()[0]
                        continue
                    raw_results.append({"arm": arm, **plain(result.to_json())})
                    answers.append(_said(arm, result))
        profile = this_experiment.profile.name
        return Survey(
            this_experiment.id,
            tuple(answers),
            left_out,
            start_utc,
            machine(),
            profile,
            this_experiment.question,
        )

    outcome = this_experiment.measured(asked, lambda outcome: [outcome.to_json(), *raw_results])
    return _completed(outcome, this_experiment, names)


def _recipe(recipe: Recipe | None, arm: str) -> Recipe:
    if recipe is None:
        raise LabError(
            f"{arm} can't be surveyed. A survey starts a new process for each "
            "tool, so give it a recipe"
        )
    return recipe


def _run(recipe: Recipe, tool: str, asking: _Asking) -> ToolResult:
    """One tool against a fresh process of the server."""
    theirs, ours = split(asking.pin, recipe.workers)
    program = adapter(tool)
    with recipe.start(cpus=theirs) as running:
        for _ in range(PRIMING if asking.warm else 0):
            running.get()
        spec = ToolSpec(
            running.url.rstrip("/") + "/",
            OPEN_CONNECTIONS if program.is_open else asking.connections,
            asking.seconds if asking.requests is None else None,
            asking.requests,
            rate_per_s=asking.rate if program.is_open else None,
            fresh=asking.fresh,
            cpus=ours,
        )
        if settings.profile().name == "smoke" and program.counts:
            n = min(asking.connections, SMOKE_CONNECTIONS)
            few = min(SMOKE_ROUNDS * n, asking.requests or MAX_REQUESTS)
            spec = replace(spec, seconds=None, connections=n, requests=few)
        result = program.run(spec)
    usage.note("load", requests=result.said.n or result.trusted.n or 0)
    return result


def _said(arm: str, result: ToolResult) -> ToolRun:
    rows = result.trusted if result.rows is not None else None
    return ToolRun(
        arm,
        result.tool,
        result.version,
        None if result.spec.rate_per_s else result.spec.connections,
        result.said,
        rows,
        result.caveats,
    )


def _completed(outcome: Survey, experiment: Experiment[Survey], names: list[str]) -> Survey:
    """The survey with the runs of missing tools from the recorded one, if that asked the same."""
    theirs = experiment.instead() if outcome.left_out else None
    if theirs is None:
        return outcome
    old = [replace(s, recorded=True) for s in theirs.said if s.tool in outcome.left_out]
    every = sorted(
        (*outcome.said, *old), key=lambda s: (_place(outcome, s.arm), names.index(s.tool))
    )
    return replace(outcome, said=tuple(every))


def _place(made: Survey, arm: str) -> int:
    return list(made.question["arms"]).index(arm)

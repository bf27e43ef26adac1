"""One trial: start a fresh process, verify the body, warm up, measure, stop; everything that
happened becomes a Trial.
"""

from __future__ import annotations

import contextlib
import inspect
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlsplit

from lab import usage
from lab.errors import LabError
from lab.measure.disturbance import Patience, undisturbed
from lab.measure.experiment import ask
from lab.measure.generator import Generator, GeneratorFailed, Standby
from lab.measure.plan import OPTIONS, Plan, is_default, plan
from lab.processes import machine
from lab.processes.pinning import Cpus, split
from lab.processes.progress import Tell, telling
from lab.records import ceiling, rows
from lab.records.checks import EXPECTED
from lab.records.compact import TRIAL
from lab.records.identity import of_recipe, portable, question
from lab.records.load import Load, Stream, known_options, path_of
from lab.records.stamp import new_id, utc
from lab.records.store import Folder
from lab.records.summary import Run, StreamRun, trial_of
from lab.records.trial import Check, ServerSpec, Trial
from lab.servers.catalog import server
from lab.servers.http_get import loopback
from lab.servers.process import Running, refuse_outside
from lab.servers.recipe import Recipe
from lab.servers.server_errors import advice
from lab.settings import profile
from lab.storage.gate import checked, shown
from lab.storage.written import MAKE_ROOM, NotWritten

LONGER = (1, 4)  # factors of the cell's window, for a shortened window without a response
GRACE_S = 30.0  # the time beyond load and time-out after which we stop waiting for the generator

__all__ = ["BadTarget", "ServerGone", "load", "measure", "resolve"]


class BadTarget(LabError):
    """The target can't be loaded."""


class ServerGone(LabError):
    """The server died or refused connections under load; the trial is void."""


@checked
def load(
    target: Any,
    *,
    experiment: str | None = None,
    progress: Tell | bool | None = None,
    **options: Any,
) -> Trial:
    """Return one trial: what one fresh server process did under one load.

        lab.load("node/hello", connections=10)          10 requests in flight, one after another on
                                                        each connection: a closed loop
        lab.load("node/hello", rate=200, seconds=5)     200 requests/s for 5 s, whether the earlier
                                                        ones are answered or not: an open loop
        lab.load("http://127.0.0.1:3000/cart", requests=500, connections=50)
                                                        500 requests in all to a server that runs,
                                                        without a warm-up

    target : a recipe (`lab.server(name)`) or its name, which are started afresh; a running server;
        a URL on this machine, whose path and query count as path=
    connections : requests in flight: 10 in a closed loop; in an open loop the most, 256
    seconds, warmup : in seconds, the window and what is cut before it, by default the profile's; in
        the reference profile the warm-up goes on until the rate is steady, unless it is 0
    requests : a fixed number in total, instead of a time
    rounds : a fixed number on each connection (as hey counts): a quick one leaves early
    rate : requests per second of an open loop, latency from the intended send time; schedule
        "poisson" or "constant"
    timeout : in seconds, of one request
    alongside : other streams at the same time, e.g. {"ping": {"path": "/ping", "rate": 20}}
    pin : None apart where possible, False never, True, "together" on one processor, or
        ([server's processors], [generator's])
    tolerate : checks that this experiment breaks on purpose, in a stream alongside too; they count
        as expected, not as failed
    experiment : the id under which it is stored and replayed
    progress : called with (seconds, answers); False for no bar

    The trial has `throughput` in 1/s, `latency` as a histogram in seconds, `checks`.

    Raises BadTarget, BadLoad, NotLoopback for what can't be meant; ServerGone, GeneratorFailed for
    a void trial; NoRecord, StaleRecord in replay.
    """
    known_options("", options, OPTIONS)
    # The options that the caller set; pinning and tolerance are no part of the question.
    given = {k: v for k, v in options.items() if not is_default(v, OPTIONS[k].default)}
    said = {k: v for k, v in given.items() if k not in ("pin", "tolerate")}
    trial_plan = plan(**given, given=said)
    server = resolve(target)
    trial_plan = aimed(server, trial_plan)
    this_experiment = ask(
        TRIAL,
        experiment,
        [server.name],
        question({server.name: server.question}, options=trial_plan.given),
    )
    unlike = " as a comparison and not as a load, so give one of them another id"
    if recorded := this_experiment.replayed(unlike):
        return recorded

    def once(folder: Folder) -> Trial:
        answers = "{:,} responses".format
        with telling(trial_plan.duration_s, server.name, progress, answers) as tell:
            measure_again = partial(
                measure, server, trial_plan, folder, tell=tell, experiment=this_experiment.id
            )
            # Only a fresh process can repeat the trial: a running server has had a load by then.
            fresh = server.recipe is not None and server.running is None
            trial = undisturbed(measure_again, Patience.of_profile() if fresh else None)
        return replace(trial, question=this_experiment.question)

    return this_experiment.measured(once)


_own = inspect.signature(load).parameters
load.__signature__ = inspect.signature(load).replace(  # type: ignore[attr-defined]
    parameters=[_own["target"], *OPTIONS.values(), _own["experiment"], _own["progress"]]
)


@dataclass(frozen=True)
class Found:
    """A resolved target: its name, its recipe (if any), its address, and what identifies it."""

    name: str
    recipe: Recipe | None = None
    running: Running | None = None
    url: str = ""  # of the server, without a path
    question: dict[str, Any] = field(default_factory=dict)
    path: str = ""  # and query, if the target was a URL with more than "/"


def resolve(target: Any) -> Found:
    """Return what a target means. Raises BadTarget, NotLoopback, UnknownServer."""
    if isinstance(target, Recipe):
        return Found(target.name, recipe=target, question=of_recipe(target))
    if isinstance(target, Running):
        recipe = cast("Recipe", target.recipe)  # only recipes are started
        return Found(recipe.name, recipe, target, target.url, of_recipe(recipe))
    if isinstance(target, str) and "://" in target:
        loopback(target)
        parts = urlsplit(target)
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        return Found(
            target.rstrip("/"),
            url=f"{parts.scheme}://{parts.netloc}",
            path="" if path == "/" else path_of("the URL's path", path),
            question={"server": target},
        )
    if isinstance(target, str):
        return resolve(server(target))
    raise BadTarget(
        f"{shown(target)} can't be loaded. Give a recipe (lab.server(name)), a running "
        "server, a name of the catalogue, or a URL like http://127.0.0.1:3000"
    )


def aimed(server: Found, trial_plan: Plan) -> Plan:
    """Return the plan with the path of a target that has one. Raises BadTarget if both have."""
    if not server.path or trial_plan.main.path == server.path:
        return trial_plan
    if trial_plan.main.path != "/":
        raise BadTarget(
            f"the URL says {server.path!r} and path= says {trial_plan.main.path!r}: give one of "
            f"them, e.g. {server.url}/ with path={trial_plan.main.path!r}"
        )
    return replace(trial_plan, main=replace(trial_plan.main, path=server.path))


def measure(
    server: Found,
    trial_plan: Plan,
    folder: Folder,
    tell: Tell | None = None,
    standby: Standby | None = None,
    **labels: Any,
) -> Trial:
    """Return one trial, with its raw rows in `folder`. The caller holds the lock. No process is
    left running.

    If a profile shortens the window and the window has no response, the trial is repeated with the
    window that the cell wrote, and then with a longer one, because chapters need a response.
    """
    trial = _trial(server, trial_plan, folder, tell, standby, **labels)
    shorter = profile().stretch
    for times in LONGER if shorter < 1 else ():
        if trial.checks["answered"].status != "fail":
            break
        longer_plan = replace(trial_plan, measure_s=trial_plan.measure_s / shorter * times)
        trial = _trial(server, longer_plan, folder, tell, standby, **labels)
    return trial


def _trial(
    server: Found,
    trial_plan: Plan,
    folder: Folder,
    tell: Tell | None = None,
    standby: Standby | None = None,
    **labels: Any,
) -> Trial:
    trial_plan = aimed(server, trial_plan)
    recipe = server.recipe
    server_cpus, client_cpus = (
        split(trial_plan.pin, recipe.workers) if server.running is None and recipe else (None, None)
    )
    trial_id, start_utc, before = new_id(), utc(), machine.sample()
    with contextlib.ExitStack() as stack:
        generator = stack.enter_context(
            standby.take(client_cpus) if standby else Generator(client_cpus)
        )
        running = server.running
        if running is None and recipe is not None:
            running = stack.enter_context(recipe.start(cpus=server_cpus))
        expect = {name: _expect(recipe, stream) for name, stream in trial_plan.streams.items()}
        base, raw_dir = running.url if running else server.url, folder.path / "raw"
        result, readings = _drive(
            generator, trial_plan.spec(base, raw_dir, expect), trial_plan, running, tell
        )
        log = advice(running.log(200)) if running else ""
        _void(result, server, running, log)
        if running is not None:
            refuse_outside(running)
        if standby is not None:
            standby.prepare(client_cpus)
        streams = [
            _stream_run(a, trial_plan, raw_dir, client_cpus, expect) for a in result["streams"]
        ]
        cpus = running.cpus if running else None
    # A server that we started has stopped by now, and its probe has written the last line.
    readings.probe = tuple(running.resources().probe) if running else ()
    streams = [replace(s, raw_ref=folder.raw(f"{trial_id}-{s.name}", s.rows)) for s in streams]
    run = _run_of(
        result,
        streams,
        readings,
        server=_server_spec(server, cpus),
        noise=machine.noise(before, machine.sample(), readings.others_cores(result, trial_plan)),
        verified=bool(expect["main"] and {"sha256", "bytes"} & expect["main"].keys()),
        unchanged=_unchanged(running, trial_plan.main, streams[0].bodies),
    )
    usage.note("load", requests=sum(stream.counts["sent"] for stream in streams))
    commit, dirty = machine.commit()
    trial = trial_of(
        run,
        id=trial_id,
        started=start_utc,
        commit=commit,
        dirty=dirty,
        folder=str(folder.path),
        **labels,
    )
    if log and (check := trial.checks["no_errors"]).status != "ok":
        trial.checks["no_errors"] = replace(check, text=f"{check.text}. {log}")
    return replace(trial, checks={n: _tolerated(n, c, trial_plan) for n, c in trial.checks.items()})


def _run_of(result: dict[str, Any], streams: list[StreamRun], readings: _Used, **facts: Any) -> Run:
    """Return a run: the generator's result, the readings of the server's processes and `facts`."""
    start_us, stop_us = result["window_us"]
    return Run(
        streams=streams,
        epoch_us=result["epoch_us"],
        window_us=(start_us, stop_us),
        stopped=result["stopped"],
        warm=result["warm"],
        client=result["client"],
        probe=list(readings.probe),
        server_cpu_s=readings.cpu_s((stop_us - start_us) / 1e6),
        rss_peak=readings.rss_peak,
        processes=readings.processes,
        machine=machine.machine(),
        ceiling_per_s=ceiling.known(),
        **facts,
    )


@dataclass
class _Used:
    """Readings of the resources of the server's processes, at the ends of the window."""

    moments: list[tuple[float, Any, float | None]] = field(default_factory=list)
    probe: tuple[dict[str, Any], ...] = ()

    def look(self, running: Running | None) -> None:
        if running is not None:
            found = running.resources()
            self.moments.append((time.monotonic(), found, machine.busy_s()))

    def cpu_s(self, window_s: float) -> float | None:
        """Return CPU seconds in the window, from the rate between the first and the last reading,
        which are close to its ends.
        """
        if len(self.moments) < 2:
            return None
        (t0, first, _), (t1, last, _) = self.moments[0], self.moments[-1]
        return (
            float((last.cpu_s - first.cpu_s) / max(t1 - t0, 1e-9) * window_s) if t1 > t0 else None
        )

    def others_cores(self, result: dict[str, Any], load: Load) -> float | None:
        """Return how many cores other programs used between the readings; None if unknown."""
        client = result["client"]
        client_cpu_s, window_s = client["cpu_s"], client.get("wall_s", load.measure_s)
        if len(self.moments) < 2:
            return None
        (t0, first, busy), (t1, last, later) = self.moments[0], self.moments[-1]
        if busy is None or later is None or t1 - t0 < 0.1:
            return None
        ours = (last.cpu_s - first.cpu_s) / (t1 - t0) + client_cpu_s / max(window_s, 1e-9)
        return float(round((later - busy) / (t1 - t0) - ours, 3))

    @property
    def rss_peak(self) -> int | None:
        return max((r.rss_bytes for _, r, _ in self.moments), default=None)

    @property
    def processes(self) -> int | None:
        return max((r.processes for _, r, _ in self.moments), default=None)


def _drive(
    generator: Generator,
    spec: dict[str, Any],
    trial_plan: Plan,
    running: Running | None,
    tell: Tell | None,
) -> tuple[dict[str, Any], _Used]:
    """Run the load, and read the server's processes at both ends of the window."""
    readings = _Used()
    generator.send(spec)
    start_s = time.monotonic()
    counted = trial_plan.main.requests is not None
    ends = [start_s + trial_plan.warmup_s] + ([] if counted else [start_s + trial_plan.duration_s])
    if trial_plan.settle:
        ends = []  # the generator reports when the window begins
    try:
        for event in generator.events(trial_plan.longest_s + trial_plan.timeout_s + GRACE_S, ends):
            if event["event"] == "wake":
                readings.look(running)
            elif event["event"] == "window":
                readings.look(running)
                ends.append(time.monotonic() + trial_plan.measure_s)
            elif event["event"] == "progress" and tell is not None:
                tell(event["t_s"], event["ok"])
            elif event["event"] == "result":
                if counted or len(readings.moments) < 2:
                    readings.look(running)
                return event, readings
    except GeneratorFailed as error:
        if "ENOSPC" in str(error) or "no space left" in str(error).lower():
            raise NotWritten(
                "the disk is full, so the raw rows could not be written: "
                f"{str(error).rstrip('.')}. {MAKE_ROOM}"
            ) from None
        raise
    raise GeneratorFailed("the load generator ended without a result, so the trial is void.")


def _void(result: dict[str, Any], server: Found, running: Running | None, log: str) -> None:
    if running is not None and running.failed(0.3 if result["stopped"] == "server-gone" else 0.0):
        code = running.exit_code
        how = f" (exit code {code})" if code is not None else ""
        raise ServerGone(
            f"{server.name} ended during the load{how}, so the trial is void. Its last output:\n"
            f"{running.log(10) or '(nothing)'}" + (f"\n{log}" if log else "")
        )
    if result["stopped"] == "server-gone":
        where = running.url if running else server.url
        raise ServerGone(
            f"{server.name}: nothing accepts connections at {where} any more, so the trial is void."
        )


def _stream_run(
    answer: dict[str, Any],
    load: Load,
    raw_dir: Path,
    cpus: Cpus,
    expect: Mapping[str, dict[str, Any] | None],
) -> StreamRun:
    raw, name = answer["raw"], answer["name"]
    file = raw_dir / Path(raw["file"]).name
    columns = rows.read(file, raw["rows"], raw["columns"])
    file.unlink()
    return StreamRun(
        name=name,
        load=load.record(load.streams[name], expect["main"] if name == "main" else None, cpus),
        counts=answer["counts"],
        rows=columns,
        bytes_in=answer["bytes_in"],
        in_flight_mean=answer["in_flight_mean"],
        bodies=answer["bodies"],
    )


def _expect(recipe: Recipe | None, stream: Stream) -> dict[str, Any] | None:
    """Return the body that the catalogue promises for this request, if it promises one."""
    if (
        recipe is None
        or recipe.body is None
        or stream.method != "GET"
        or recipe.body.path != stream.path
    ):
        return None
    return recipe.body.expect()


def _unchanged(
    running: Running | None, stream: Stream, bodies: dict[str, Any] | None
) -> bool | None:
    """Return whether the first body of the load equals the body of the server's start."""
    first, before = (bodies or {}).get("first"), running.first if running else None
    same_request = (
        before is not None
        and (stream.method, stream.path) == ("GET", before.path)
        and not (stream.headers or stream.body)
    )
    if first is None or before is None or not same_request:
        return None
    return bool(first["sha256"] == before.sha256)


def _server_spec(found: Found, cpus: Cpus) -> ServerSpec:
    recipe = found.recipe
    if recipe is None:
        return ServerSpec(found.name)
    return ServerSpec(
        name=recipe.name,
        command=tuple(portable(word) for word in recipe.command),
        runtime=recipe.runtime,
        env={k: portable(str(v)) for k, v in recipe.env.items()},
        source_sha256=recipe.source_sha256,
        version=recipe.version,
        workers=recipe.workers,
        cpus=cpus,
    )


def _tolerated(name: str, check: Check, trial_plan: Plan) -> Check:
    # A check without data has found nothing, so there is nothing to tolerate. `steady` is the
    # exception: a rate that collapses as expected leaves too few responses to judge it.
    unknown = check.status == "warn" and check.value is None and name != "steady"
    own = name.rpartition(".")[2]  # the same check of a stream alongside, too
    if own in trial_plan.tolerate and check.status != "ok" and not unknown:
        return replace(check, status="warn", text=f"{check.text} {EXPECTED}")
    return check

"""From one run of the generator to a Trial: rows, counters, probe lines and samples in, record out.
No process, no clock.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lab.processes.machine import Machine, Noise
from lab.records import checks, rows
from lab.records.trial import (
    Check,
    Counts,
    LoadSpec,
    RawRef,
    Resources,
    ServerSpec,
    Stream,
    Trial,
)
from lab.storage.json_form import flat


@dataclass(frozen=True, eq=False)
class StreamRun:
    """What the generator gave for one stream: the load asked for, its counters, its rows."""

    name: str
    load: LoadSpec
    counts: dict[str, Any]
    rows: dict[str, np.ndarray]
    bytes_in: int = 0
    in_flight_mean: float | None = None
    # The bodies with which the accepted responses were compared.
    bodies: dict[str, Any] | None = None
    raw_ref: RawRef | None = None


@dataclass(frozen=True, eq=False)
class Run:
    """Everything known after a run; times of the rows count from `epoch_us`."""

    server: ServerSpec
    streams: list[StreamRun]
    epoch_us: int
    window_us: tuple[int, int]
    stopped: str = "time"
    warm: checks.Warm = "fixed"
    client: dict[str, Any] = field(default_factory=dict)
    probe: list[dict[str, Any]] = field(default_factory=list)
    server_cpu_s: float | None = None
    rss_peak: int | None = None
    processes: int | None = None
    machine: Machine = field(default_factory=Machine)
    noise: Noise = field(default_factory=Noise)
    ceiling_per_s: float | None = None
    verified: bool = False
    # Whether the first body equals the body of the server's start; None if unknown.
    unchanged: bool | None = None


def trial_of(run: Run, **labels: Any) -> Trial:
    """Return the trial of a run; the first stream is the load, the others ran alongside.

    labels : id, experiment, started, arm, at, block, order, seed, lab, commit, dirty, note, folder.
    """
    main, *side_streams = run.streams
    window = rows.window(main.rows, run.window_us)
    resources = _resources(run)
    evidence = _evidence(run, main, window, resources)
    results = checks.run(evidence)
    alongside = {}
    for side in side_streams:
        its = rows.window(side.rows, run.window_us)
        alongside[side.name] = _stream(run, side, its)
        results |= _alongside_checks(side.name, _evidence(run, side, its, resources))
    stream = _stream(run, main, window)
    return Trial(
        server=run.server,
        load=main.load,
        counts=stream.counts,
        window=(run.window_us[0] / 1e6, run.window_us[1] / 1e6),
        throughput=stream.throughput,
        latency=stream.latency,
        series=stream.series,
        resources=resources,
        machine=run.machine,
        noise=run.noise,
        checks=results,
        alongside=alongside,
        in_flight_mean=main.in_flight_mean,
        bytes_in=main.bytes_in,
        stopped=run.stopped,
        raw_ref=main.raw_ref,
        **{"id": "", "experiment": "", "started": "", "seed": main.load.seed, **labels},
    )


def _stream(run: Run, stream: StreamRun, window: rows.Window) -> Stream:
    return Stream(
        name=stream.name,
        throughput=window.throughput,
        latency=window.latency,
        counts=flat(Counts, stream.counts),
        in_flight_mean=stream.in_flight_mean,
        bytes_in=stream.bytes_in,
        load=stream.load,
        series=rows.series(
            stream.rows,
            rows.busiest(run.probe, run.epoch_us, run.window_us)
            if stream is run.streams[0]
            else [],
            run.epoch_us,
        ),
        raw_ref=stream.raw_ref,
    )


def _resources(run: Run) -> Resources:
    duration_s = (run.window_us[1] - run.window_us[0]) / 1e6
    cpu = run.server_cpu_s
    loop = rows.loop(run.probe, run.epoch_us, run.window_us)
    return Resources(
        server_cpu_s=cpu,
        server_cpu_share=cpu / duration_s if cpu is not None and duration_s else None,
        rss_peak=run.rss_peak,
        processes=run.processes,
        loop=loop,
        client_cpu_s=run.client.get("cpu_s"),
        client_elu=run.client.get("elu"),
        client_node=str(run.client.get("node", "")),
    )


def _evidence(
    run: Run, stream: StreamRun, window: rows.Window, resources: Resources
) -> checks.Evidence:
    return checks.Evidence(
        load=stream.load,
        counts=flat(Counts, stream.counts),
        window=window,
        fates=rows.fates(stream.rows),
        resources=resources,
        noise=run.noise,
        stopped=run.stopped,
        warm=run.warm,
        warmed_s=run.window_us[0] / 1e6,
        in_flight_mean=stream.in_flight_mean,
        late=rows.late(stream.rows),
        verified=run.verified,
        bodies=stream.bodies,
        unchanged=run.unchanged,
        ceiling_per_s=run.ceiling_per_s,
        cores=run.machine.cores,
        span_s=(run.window_us[1] - run.window_us[0]) / 1e6,
    )


def _alongside_checks(name: str, evidence: checks.Evidence) -> dict[str, Check]:
    """A stream that only watches is checked for what would make its own latencies wrong, not for
    its load.

    Late and dropped sends are a fact about the server it shares, so they warn.
    """
    results = {}
    for check in ("accounted", "no_errors", "on_schedule"):
        result = checks.ALL[check](evidence)
        if result.status != "ok":
            status = "warn" if check == "on_schedule" else result.status
            results[f"{name}.{check}"] = Check(status, result.value, result.limit, result.text)
    return results

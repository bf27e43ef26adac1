"""Records made from synthetic raw rows through the real constructors: for tests of what shows,
stores and compares them.
"""

from __future__ import annotations

import functools

import numpy as np

from lab import stats
from lab.processes.machine import Machine, Noise
from lab.records import compact
from lab.records.comparison import Comparison
from lab.records.summary import Run, StreamRun, trial_of
from lab.records.trial import LoadSpec, ServerSpec, Trial

EPOCH_US = 1_750_000_000_000_000
MACHINE = Machine(
    id="0123456789abcdef",
    cpu="Example CPU @ 2.50GHz",
    cores=2,
    ram_bytes=8 * 2**30,
    os="Linux (Debian GNU/Linux 12)",
    kernel="6.1.0",
    arch="x86_64",
    python="3.11.2",
)


def shared(make):
    """What `make` returned before for the same arguments: what it makes is frozen."""
    once = functools.lru_cache(maxsize=256)(make)

    @functools.wraps(make)
    def made(*args, **options):
        try:
            return once(*args, **options)
        except TypeError:  # an argument that has no hash, such as a question
            return make(*args, **options)

    return made


def closed_rows(*args, **options) -> dict[str, np.ndarray]:
    """Rows of N connections without think time at one server that takes `service_us` a request,
    first come first served; yours to change. The arguments are those of `_closed_rows`.
    """
    return {name: column.copy() for name, column in _closed_rows(*args, **options).items()}


@shared
def _closed_rows(
    connections: int = 10,
    service_us: float = 500.0,
    spread: float = 0.2,
    duration_us: int = 750_000,
    seed: int = 1,
    status: int = 200,
) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    ready, free, rows = [0.0] * connections, 0.0, []
    n = 0
    while True:
        connection = n % connections
        start = max(ready[connection], free)
        end = start + service_us * float(rng.lognormal(0, spread))
        if end >= duration_us:
            break
        rows.append((end, end - ready[connection], status, connection))
        free = ready[connection] = end
        n += 1
    rows += [(duration_us, duration_us - ready[c], -1, c) for c in range(connections)]
    end, latency, codes, conn = (np.array(column) for column in zip(*rows, strict=True))
    return {
        "t_end_us": end.astype("u4"),
        "latency_us": np.maximum(latency, 1).astype("u4"),
        "status": codes.astype("i2"),
        "connect_us": np.zeros(len(end), "u4"),
        "late_us": np.zeros(len(end), "u4"),
        "connection": conn.astype("u2"),
    }


def open_rows(
    rate: float = 20, latency_us: float = 3000, duration_us: int = 750_000, seed: int = 1
):
    """Rows of a Poisson schedule at `rate` a second, each answered after about `latency_us`."""
    rng = np.random.default_rng(seed)
    sent = np.cumsum(rng.exponential(1e6 / rate, int(rate * duration_us / 1e6 * 3) + 10))
    latency = latency_us * rng.lognormal(0, 0.3, len(sent))
    end = sent + latency
    keep = end < duration_us
    n = int(keep.sum())
    order = np.argsort(end[keep])
    return {
        "t_end_us": end[keep][order].astype("u4"),
        "latency_us": latency[keep][order].astype("u4"),
        "status": np.full(n, 200, "i2"),
        "connect_us": np.zeros(n, "u4"),
        "late_us": np.zeros(n, "u4"),
        "connection": np.zeros(n, "u2"),
    }


def counts_of(rows: dict[str, np.ndarray]) -> dict:
    status = rows["status"]
    ok, waiting = int(((status >= 200) & (status < 300)).sum()), int((status == -1).sum())
    bad = status[(status >= 300)]
    return {
        "sent": len(status),
        "ok": ok,
        "non2xx": {str(code): int((bad == code).sum()) for code in np.unique(bad)},
        "errors": {},
        "timeouts": int((status == -2).sum()),
        "in_flight_at_end": waiting,
        "reconnects": 0,
        "late": 0,
        "dropped": 0,
    }


def probe_lines(duration_us: int = 750_000, elu: float = 0.9, delay_us: float = 1500) -> list[dict]:
    return [
        {
            "t_us": EPOCH_US + t,
            "elu": elu,
            "delay_max_us": delay_us * 2,
            "delay_p99_us": delay_us,
            "delay_mean_us": delay_us / 5,
            "heap_used": 6_000_000 + t,
            "rss": 48_000_000 + 2 * t,
            "external": 1_000_000,
            "array_buffers": 10_000,
            "loop_count": 1000,
        }
        for t in range(100_000, duration_us + 1, 100_000)
    ]


@shared
def example_trial(
    arm: str = "sync",
    connections: int = 10,
    service_us: float = 500.0,
    seed: int = 1,
    ping: bool = True,
    status: int = 200,
    **labels,
) -> Trial:
    """A trial of 0.25 s warm-up and 0.5 s window of a Node server; `status=500` makes one whose
    checks fail.
    """
    rows = closed_rows(connections, service_us, seed=seed, status=status)
    load = LoadSpec(connections=connections, seed=seed)
    streams = [StreamRun("main", load, counts_of(rows), rows, bytes_in=len(rows["status"]) * 200)]
    if ping:
        pings = open_rows(latency_us=service_us * connections, seed=seed)
        slow = LoadSpec(loop="open", rate_per_s=20, schedule="poisson", connections=4, path="/ping")
        mean = float(pings["latency_us"].sum()) / 750_000
        streams.append(StreamRun("ping", slow, counts_of(pings), pings, in_flight_mean=mean))
    run = Run(
        server=ServerSpec(
            name=f"node/read-{arm}",
            command=("node", f"servers/node/read-{arm}.mjs"),
            runtime="node",
            source_sha256="ab" * 32,
            version="v20.20.2",
        ),
        streams=streams,
        epoch_us=EPOCH_US,
        window_us=(250_000, 750_000),
        client={"cpu_s": 0.2, "elu": 0.35, "node": "v20.20.2"},
        probe=probe_lines(),
        server_cpu_s=0.7,
        rss_peak=52_000_000,
        processes=1,
        machine=MACHINE,
        noise=Noise(loadavg_before=0.4, loadavg_after=0.5, steal_s=0.0, wall_s=1.0),
        verified=True,
    )
    about = {"id": f"example-{arm}-{connections}-{seed}", "experiment": "example", "arm": arm}
    return trial_of(
        run, **{**about, "started": "2025-06-15T15:06:40Z", "at": connections, **labels}
    )


@shared
def example_comparison(
    pairs: int = 6,
    values: tuple[int, ...] = (1, 10, 100),
    arms: dict[str, float] | None = None,
    noise: float = 0.02,
    seed: int = 7,
) -> Comparison:
    """Two arms over three concurrencies, with an A/A control; `arms` gives the service time in µs
    of each.
    """
    arms = arms or {"sync": 300.0, "async": 540.0}
    names = list(arms)
    rng = np.random.default_rng(seed)
    order = stats.abba(names, pairs, seed)
    trials, control, position = [], [], 0
    for block, sequence in enumerate(order):
        for value in values:
            turns = [(arm, False) for arm in sequence]
            turns += [(names[0], True)] if value == values[-1] else []
            for arm, is_control in turns:
                service = arms[arm] * float(rng.lognormal(0, noise))
                trial = example_trial(
                    arm,
                    value,
                    service,
                    seed=1 + position,
                    ping=value == values[-1],
                    block=block,
                    order=position,
                )
                (control if is_control else trials).append(trial)
                position += 1
    return Comparison(
        id="example-comparison",
        experiment="example",
        arms=tuple(names),
        sweep="connections",
        values=values,
        trials=tuple(trials),
        control=tuple(control),
        aa_arm=names[0],
        aa_at=values[-1],
        baseline=names[0],
        pairs=pairs,
        seed=seed,
        order=tuple(tuple(block) for block in order),
        started="2025-06-15T15:06:40Z",
    )


def kind_of(result):
    """How a trial or a comparison is stored."""
    return compact.TRIAL if isinstance(result, Trial) else compact.COMPARISON


def record(result, question, strict=True):
    """Record a trial or a comparison as the reference run; returns the file."""
    return kind_of(result).record(result.experiment, result, question, "reference", strict)


def saved(folder, result):
    """Store a trial or a comparison as a run."""
    folder.keep(kind_of(result).name, result.to_json())

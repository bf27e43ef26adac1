"""From the raw rows of the generator to the numbers of a record, in one pass of numpy. Summaries
are functions of the file.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lab.errors import LabError
from lab.records.histogram import Histogram
from lab.records.trial import Bin, Loop

# The meanings of a negative status in a row (the generator's protocol).
IN_FLIGHT, TIMEOUT, REFUSED, RESET, CLOSED_EARLY, MALFORMED, WRONG_BODY, OTHER, NEVER_SENT = range(
    -1, -10, -1
)
BIN_US = 100_000
LATE_US = 1_000
LATE_SHARE = 0.05
_TYPES = {
    "u8": "<u1",
    "u16": "<u2",
    "u32": "<u4",
    "i16": "<i2",
    "i32": "<i4",
    "u64": "<u8",
    "f64": "<f8",
}


def read(path: Path, rows: int, columns: Iterable[dict[str, str]]) -> dict[str, np.ndarray]:
    """Return the columns of a raw file: one after another, little endian, each of length `rows`.

    Raises LabError if the file's size isn't exactly that of the rows announced.
    """
    types = [(c["name"], np.dtype(_TYPES[c["type"]])) for c in columns]
    data = path.read_bytes()
    expected = rows * sum(t.itemsize for _, t in types)
    if len(data) != expected:
        raise LabError(
            f"the load generator's raw file has {len(data)} bytes, but {rows} rows need "
            f"{expected}, so the trial is void"
        )
    found, offset = {}, 0
    for name, dtype in types:
        found[name] = np.frombuffer(data, dtype, rows, offset)
        offset += rows * dtype.itemsize
    return found


@dataclass(frozen=True, eq=False)
class Window:
    """What the rows say about the window [from, to)."""

    throughput: float
    latency: Histogram  # verified responses, and time-outs at the age at which the client gave up
    ended: int  # all requests that ended in the window
    mean_cycle_s: float  # the mean time from send to end of all requests that ended
    in_flight: (
        float  # time average of requests in flight, from the rows: the integral of their overlaps
    )
    ninths: tuple[float, ...]  # verified responses per second in each ninth
    waiting_longest_s: float  # oldest age of a request still in flight at the end
    waiting: int
    silence_s: float = 0.0  # longest time within the window in which no request ended


def window(rows: dict[str, np.ndarray], window_us: tuple[int, int]) -> Window:
    """Return the summary of the rows whose end lies in the window; the warm-up is only cut here."""
    start, stop = window_us
    span_s = max(stop - start, 1) / 1e6
    end, latency, status = rows["t_end_us"], rows["latency_us"], rows["status"]
    in_window = (end >= start) & (end < stop) & (status != IN_FLIGHT) & (status != NEVER_SENT)
    good = in_window & (status >= 200) & (status < 300)
    # In an open loop a request is in the system from its intended send time, even if it is sent
    # late.
    last = end.astype(np.int64)
    first = last - latency.astype(np.int64)
    overlap = np.clip(np.minimum(last, stop) - np.maximum(first, start), 0, None)
    cycle = latency[in_window]
    waiting = latency[status == IN_FLIGHT]
    ninths, _ = np.histogram(end[good], bins=9, range=(start, max(stop, start + 1)))
    return Window(
        throughput=float(good.sum()) / span_s,
        latency=Histogram.of(latency[good | (in_window & (status == TIMEOUT))]),
        ended=int(in_window.sum()),
        mean_cycle_s=float(cycle.mean()) / 1e6 if len(cycle) else float("nan"),
        in_flight=float(overlap.sum()) / 1e6 / span_s,
        ninths=tuple(float(n) / (span_s / 9) for n in ninths),
        waiting_longest_s=float(waiting.max()) / 1e6 if len(waiting) else 0.0,
        waiting=len(waiting),
        silence_s=_longest_gap(end[in_window], start, stop) / 1e6,
    )


def _longest_gap(end_us: np.ndarray, start_us: int, stop_us: int) -> float:
    """The longest time between two ends, or an end and an edge of the window."""
    moments = np.concatenate(([start_us], np.sort(end_us).astype(np.int64), [stop_us]))
    return float(np.diff(moments).max())


def series(
    rows: dict[str, np.ndarray], probe: list[dict[str, Any]], epoch_us: int
) -> tuple[Bin, ...]:
    """Return 100 ms bins of the whole run, warm-up included: answers, failures, p50 and p99 in
    seconds, loop figures.

    probe : lines of the probe inside a Node server, each about the 100 ms before its `t_us`; of one
    process, see `busiest`.
    """
    end, latency, status = rows["t_end_us"], rows["latency_us"], rows["status"]
    over = (status != IN_FLIGHT) & (status != NEVER_SENT)
    bin_numbers = end[over] // BIN_US
    n_bins = int(bin_numbers.max()) + 1 if len(bin_numbers) else 0
    good = (status[over] >= 200) & (status[over] < 300)
    counts = np.bincount(bin_numbers[good], minlength=n_bins)
    errors = np.bincount(bin_numbers[~good], minlength=n_bins)
    cut = np.searchsorted(bin_numbers[good], np.arange(n_bins + 1))
    good_latency = latency[over][good]
    loop: dict[int, dict[str, Any]] = {}
    for line in probe:
        loop[int((line["t_us"] - epoch_us - BIN_US // 2) // BIN_US)] = line
    bins = []
    for i in range(n_bins):
        part = good_latency[cut[i] : cut[i + 1]]
        p50, p99 = _percentiles(part)
        bins.append(
            Bin(
                t_s=round(i * BIN_US / 1e6, 1),
                n=int(counts[i]),
                errors=int(errors[i]),
                p50=p50,
                p99=p99,
                **_loop_bin(loop.get(i)),
            )
        )
    return tuple(bins)


def late(rows: dict[str, np.ndarray]) -> int:
    """Return how many requests were sent so late that their latency shows it: by more than a
    millisecond, and more than a twentieth of the latency, which begins when they were meant to go.
    """
    sent, by = rows["status"] != NEVER_SENT, rows["late_us"]
    return int((sent & (by > LATE_US) & (by > LATE_SHARE * rows["latency_us"])).sum())


def _percentiles(latency_us: np.ndarray) -> tuple[float | None, float | None]:
    if not len(latency_us):
        return None, None
    p50, p99 = np.percentile(latency_us, (50, 99), method="inverted_cdf") / 1e6
    # A p99 of fewer than 100 values is their maximum.
    return float(p50), float(p99) if len(latency_us) >= 100 else None


def _loop_bin(line: dict[str, Any] | None) -> dict[str, Any]:
    if line is None:
        return {}
    return {
        "elu": line.get("elu"),
        "delay_max_s": _seconds(line.get("delay_max_us")),
        "delay_p99_s": _seconds(line.get("delay_p99_us")),
        "heap_used": line.get("heap_used"),
        "rss": line.get("rss"),
    }


def busiest(
    probe: list[dict[str, Any]], epoch_us: int, window_us: tuple[int, int]
) -> list[dict[str, Any]]:
    """Return the lines of the process whose loop was busy for longest in the window.

    A server of several processes has as many event loops. Their mean would hide a saturated worker
    behind an idle primary, and their lines taken together are those of no loop at all.
    """
    start, stop = epoch_us + window_us[0], epoch_us + window_us[1] + BIN_US
    busy_us: dict[Any, float] = {}
    before: dict[Any, float] = {}
    for line in sorted(probe, key=lambda x: float(x["t_us"])):
        pid, t_us = line.get("pid"), line["t_us"]
        # A blocked loop writes its line late; the line covers all the time since the line before.
        since = max(before.get(pid, t_us - BIN_US), start - BIN_US)
        share = t_us - since if start < t_us <= stop else 0
        busy_us[pid] = busy_us.get(pid, 0.0) + (line.get("elu") or 0) * share
        before[pid] = t_us
    if len(busy_us) < 2:
        return list(probe)
    chosen = max(busy_us, key=lambda pid: busy_us[pid])
    return [line for line in probe if line.get("pid") == chosen]


def _seconds(us: float | None) -> float | None:
    return None if us is None else us / 1e6


def loop(probe: list[dict[str, Any]], epoch_us: int, window_us: tuple[int, int]) -> Loop | None:
    """Return the server's event loop over the window, or None without a probe line that ends in it.
    Of several processes the busiest counts.

    A blocked loop can't write a line. Its next line reports the whole delay, so a line just after
    the window counts.
    """
    start, stop = epoch_us + window_us[0], epoch_us + window_us[1] + BIN_US
    process_lines = busiest(probe, epoch_us, window_us)
    lines = [x for x in process_lines if start < x["t_us"] <= stop]
    if not lines:
        return None

    def values(key: str) -> np.ndarray:
        return np.array([x.get(key) or 0 for x in lines], float)

    # A line covers all the time since the line before: a blocked loop's line covers more.
    ends = values("t_us")
    before = max((x["t_us"] for x in process_lines if x["t_us"] <= start), default=ends[0] - BIN_US)
    durations = np.diff(ends, prepend=before)
    return Loop(
        elu=round(float(np.average(values("elu"), weights=durations)), 4),
        delay_mean_s=float(np.average(values("delay_mean_us"), weights=durations)) / 1e6,
        delay_p99_s=float(values("delay_p99_us").max()) / 1e6,
        delay_max_s=float(values("delay_max_us").max()) / 1e6,
        heap_peak=_peak(lines, "heap_used"),
        rss_peak=_peak(lines, "rss"),
        samples=len(lines),
    )


def _peak(lines: list[dict[str, Any]], key: str) -> int | None:
    """Return the largest that was read; None if the probe could not read any."""
    return max((int(line[key]) for line in lines if line.get(key) is not None), default=None)


def fates(rows: dict[str, np.ndarray]) -> dict[str, int]:
    """Return how many rows ended in each way: ok, non2xx, timeouts, in_flight, errors, dropped. The
    result is compared with the counts.
    """
    status = rows["status"]
    return {
        "ok": int(((status >= 200) & (status < 300)).sum()),
        "non2xx": int(((status >= 0) & ((status < 200) | (status >= 300))).sum()),
        "timeouts": int((status == TIMEOUT).sum()),
        "in_flight": int((status == IN_FLIGHT).sum()),
        "errors": int(((status <= REFUSED) & (status > NEVER_SENT)).sum()),
        "dropped": int((status == NEVER_SENT).sum()),
    }

"""Servers that never came to a steady rate, and the rates of their trials as they went.

A server of which most trials drift has no one throughput; what it has is a course, so the page
whose figures it is in shows that: below the page, and all of them on the page of the rules.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from statistics import fmean, median
from typing import Any

from lab.plot.measures import value_label
from lab.records.rows import BIN_US
from lab.text.numbers import count, number

MOST = 0.5  # the share of a server's trials
LINES = 12  # the most trials that are drawn
BIN_S = BIN_US / 1e6
WIDTH, HEIGHT = 240, 64
HEADS = ("experiment", "server", "not steady", "drift", "its rate in each tenth of a second")

Line = tuple[tuple[float, float], ...]  # seconds, and multiples of the mean rate in the window


@dataclass(frozen=True)
class Unsteady:
    """A server in one experiment, more than half of whose trials drifted."""

    server: str
    drifts: tuple[float, ...]  # of each trial that drifted: the last third by the first, less 1
    trials: int
    warm_s: float  # the shortest warm-up
    lines: tuple[Line, ...]  # only of trials whose record has a series

    @property
    def drift(self) -> str:
        """The drift of the typical one, `+29 %`; of some up and some down from which to which."""
        low, high = min(self.drifts), max(self.drifts)
        if low < 0 < high:
            return f"{_percent(low)} to {_percent(high)}"
        return _percent(median(self.drifts))


def _percent(share: float) -> str:
    return f"{share:+.0%}".replace("-", "−").replace("%", " %")


def of_trials(trials: Iterable[Mapping[str, Any]]) -> tuple[Unsteady, ...]:
    """Return the servers of which more than half of two recorded trials or more were not steady."""
    of: defaultdict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for trial in trials:
        at = "" if trial.get("at") is None else f" at {value_label(trial['at'])}"
        of[f"{trial.get('arm') or trial['server']['name']}{at}"].append(trial)
    unsteady_servers = []
    for server, its in of.items():
        drifts = tuple(d for d in map(_drift, its) if d is not None)
        if len(its) > 1 and len(drifts) > MOST * len(its):
            warm = min(trial["window"][0] for trial in its)
            lines = tuple(line for line in map(_line, its[:LINES]) if line)
            unsteady_servers.append(Unsteady(server, drifts, len(its), warm, lines))
    return tuple(unsteady_servers)


def _drift(trial: Mapping[str, Any]) -> float | None:
    check = trial["checks"].get("steady", {})
    return check.get("value") if check.get("status") == "warn" else None


def _line(trial: Mapping[str, Any]) -> Line:
    begin, end = trial["window"]
    # The end of the run cuts the last tenth short. Its rate would be a dip that did not happen.
    series = trial.get("series") or {"t_s": (), "n": ()}
    bins = [
        (t, n)
        for t, n in zip(*map(series.get, ("t_s", "n")), strict=True)
        if t + BIN_S <= end + 1e-6
    ]
    kept = [n for t, n in bins if t >= begin - 1e-6]
    mean = fmean(kept) if kept else 0.0
    return tuple((t + BIN_S / 2, n / mean) for t, n in bins) if mean else ()


def drawn(unsteady_servers: Sequence[tuple[str, Unsteady]], root: str) -> str:
    """Return a row for each of these, with the name of its experiment; root : from the page to the
    root of the site.
    """
    head = "".join(f'<th scope="col">{name}</th>' for name in HEADS)
    rows = "".join(_row(name, one, root) for name, one in unsteady_servers)
    return (
        "<p>Of these, more than half of the trials drifted. Each line is a trial, in multiples of "
        "its mean after the warm-up, which is the broken line; the shortest warm-up is shaded.</p>"
        f'<div class="lab-scroll"><table class="table"><thead><tr>{head}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )


def _row(name: str, unsteady: Unsteady, root: str) -> str:
    record = f'<a href="{root}records/{escape(name)}.json">{escape(name)}</a>'
    return (
        f'<tr><th scope="row">{record}</th><td>{escape(unsteady.server)}</td>'
        f'<td class="lab-n">{len(unsteady.drifts)} of {unsteady.trials}</td>'
        f'<td class="lab-n">{unsteady.drift}</td><td>{_course(unsteady)}</td></tr>'
    )


def _course(unsteady: Unsteady) -> str:
    """The rates as lines of one small drawing; words where no record has them."""
    if not unsteady.lines:
        return "not recorded"
    end = max(t for line in unsteady.lines for t, _ in line)
    top = max(rate for line in unsteady.lines for _, rate in line)
    courses = "".join(f'<path d="{_path(line, end, top)}"/>' for line in unsteady.lines)
    alt = (
        f"{unsteady.server}: {count(len(unsteady.lines), 'trial')} over {number(end, 2)} s, drift "
        f"{unsteady.drift} from the first third of the window to the last"
    )
    return (
        f'<svg class="lab-course" role="img" aria-label="{escape(alt)}" '
        f'viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}">'
        f'<rect width="{min(unsteady.warm_s / end, 1) * WIDTH:.1f}" height="{HEIGHT}"/>{courses}'
        f'<path class="lab-level" d="M0 {HEIGHT * (1 - 1 / top):.1f}H{WIDTH}"/></svg>'
    )


def _path(line: Line, end: float, top: float) -> str:
    return "M" + "L".join(_points(line, end, top))


def _points(line: Line, end: float, top: float) -> Iterator[str]:
    for t, rate in line:
        yield f"{t / end * WIDTH:.1f} {HEIGHT * (1 - rate / top):.1f}"

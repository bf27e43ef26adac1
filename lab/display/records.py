"""Trials, comparisons and ratios: a load generator's summary, with its support and checks."""

from __future__ import annotations

import math
from html import escape
from typing import Any

from lab.display.html import STYLE, box, checks, facts, record, table
from lab.errors import LabError
from lab.judging.stats import Ratio
from lab.plot.arms import comparison as comparison_figure
from lab.plot.histograms import histogram
from lab.plot.measures import ratio_words, sweep_label, value_label
from lab.plot.provenance import stamps
from lab.plot.sweeps import sweep, sweep_finding
from lab.records.checks import in_words
from lab.records.comparison import Comparison
from lab.records.histogram import SUPPORT, Histogram
from lab.records.output import Printed
from lab.records.table import plain
from lab.records.trial import LoadSpec, Stream, Trial
from lab.text.html_registry import html
from lab.text.numbers import count, ms, number, size, tidy

_QUANTILES = (0.5, 0.9, 0.99, 0.999)


@html.register
def trial(t: Trial) -> str:
    """Return a trial: what was asked, throughput, percentiles with support, checks, histogram."""
    name = t.arm or t.server.name
    head = (
        f"<p><strong>{escape(name)}</strong>, {escape(_load_words(t.load))}; measured for "
        f"{tidy(t.window[1] - t.window[0])} s after {tidy(t.window[0])} s of warm-up.</p>"
    )
    figures = {"throughput": f"{number(t.throughput)} req/s", **_percentiles(t.latency)}
    plot_html = histogram(t)._repr_html_() if t.latency.count else ""
    rows = [_fates(t.counts, "main")] + [_fates(s.counts, n) for n, s in t.alongside.items()]
    beside = "".join(stream(s, inside=True) for s in t.alongside.values())
    more = table(rows, label="requests by outcome") + table(_resources(t), label="resources")
    source = f"<p><small>{escape(_source(t))}</small></p>"
    folded = f"<details><summary>every request and resource</summary>{more}{source}</details>"
    about = [head, facts(figures), beside, checks(t.checks), plot_html, folded]
    return record("trial", f"trial of {name}", *about)


@html.register
def stream(s: Stream, *, inside: bool = False) -> str:
    """Return a stream that ran alongside: its throughput and percentiles."""
    figures = {"throughput": f"{number(s.throughput)} req/s", **_percentiles(s.latency)}
    text = f"<p>Alongside: <strong>{escape(s.name)}</strong>, {escape(_load_words(s.load))}.</p>"
    return f"{'' if inside else STYLE}{text}{facts(figures)}"


@html.register
def comparison(c: Comparison) -> str:
    """Return a comparison: figure, verdict in words, table of all cells."""
    if not c.trials:
        return f"{STYLE}{box('warn', 'nothing measured', ['No trial ran to its end.'])}"
    several = len(c.values) > 1
    figure = sweep(c) if several else comparison_figure(c)
    ratios = c.ratios() if len(c.arms) > 1 else []
    last = [r for r in ratios if r.at == c.values[-1]]
    verdicts = "".join(_verdict(r, c.sweep, c) for r in last)
    if not ratios:
        verdicts = f"<p>{escape(sweep_finding(c))}</p>"
    cells = table(_cells(c), label="trials by arm", row_head=2)
    n = len(c.trials) + len(c.control)
    folded = f"<details><summary>all {n} trials in a table</summary>{cells}</details>"
    about = [figure._repr_html_(), verdicts, folded]
    return record("comparison", f"comparison {c.experiment}", *about)


@html.register
def ratio(r: Ratio) -> str:
    """Return a ratio as a verdict box."""
    return STYLE + _verdict(r, r.sweep)


@html.register
def printed(p: Printed) -> str:
    """Return what a program printed: a table of its rows, else its text; and why it is the recorded
    one, if something is missing here.
    """
    if not p.rows:
        return f"<pre>{escape(p.text)}</pre>" + (f"<p>{escape(p.note)}</p>" if p.instead else "")
    return STYLE + table(p.rows, caption=p.note) if p.versions or p.instead else table(p.rows)


def _verdict(r: Ratio, sweep_name: str, c: Comparison | None = None) -> str:
    tone, word = ("none", "verdict") if r.decided else ("warn", "no verdict")
    warnings = stamps([t for a in (r.a, r.b) for t in c.pool(a, r.at)]) if c else list(r.warnings)
    if warnings:
        tone = "fail" if r.decided else "warn"
    words = ratio_words(r, sweep_name)
    if not r.decided:
        words = words.replace("the data allow no verdict: ", "")
        words = words[:1].upper() + words[1:]
    lines = [words]
    if warnings:
        lines.append(in_words(f"Read with care: {'; '.join(warnings)}."))
    return box(tone, word, lines)


def _percentiles(h: Histogram) -> dict[str, str]:
    out = {f"p{q * 100:g}": ms(h.quantile(q)) for q in _QUANTILES if h.support(q)}
    for q in (q for q in _QUANTILES[:3] if not h.support(q)):
        least = count(math.ceil(SUPPORT / min(q, 1 - q) - 1e-6), "response")
        were = f"there {'was' if h.count == 1 else 'were'} {h.count:,}"
        out[f"p{q * 100:g}"] = f"needs {least}, {were}"
    if h.count:
        out["mean"] = ms(h.mean())
        out["longest"] = ms(h.max())
    return out


def _load_words(load: LoadSpec) -> str:
    if load.loop == "open":
        rate = "" if load.rate_per_s is None else f" at {tidy(load.rate_per_s)} requests per second"
        words = f"open loop{rate} ({load.schedule or 'constant'} schedule)"
    else:
        words = f"closed loop of {count(load.connections, 'connection')}"
    if load.requests is not None:
        words += f", {count(load.requests, 'request')}"
    kept = "keep-alive" if load.keep_alive else "a fresh connection for each request"
    return f"{load.method} {load.path}, {words}, {kept}"


def _fates(counts: Any, name: str) -> dict[str, Any]:
    row: dict[str, Any] = {"stream": name, "sent": counts.sent, "answered": counts.ok}
    row |= {f"status {code}": n for code, n in counts.non2xx.items()}
    row |= dict(counts.errors)
    row |= {"timed out": counts.timeouts, "in flight at the end": counts.in_flight_at_end}
    row |= {
        key: getattr(counts, key)
        for key in ("reconnects", "late", "dropped")
        if getattr(counts, key)
    }
    return row


def _resources(t: Trial) -> list[dict[str, Any]]:
    r = t.resources
    server: dict[str, Any] = {
        "who": "server",
        "CPU (s)": r.server_cpu_s,
        "peak memory": size(r.rss_peak) if r.rss_peak else None,
        "loop utilisation": r.loop.elu if r.loop else None,
        "longest loop delay": ms(r.loop.delay_max_s) if r.loop else None,
    }
    client = {"who": "client", "CPU (s)": r.client_cpu_s, "loop utilisation": r.client_elu}
    return [server, client]


def _source(t: Trial) -> str:
    parts = [t.server.name, t.server.version, t.machine.label if t.machine.id else ""]
    parts.append(t.recorded.label if t.recorded else f"started {t.started}")
    return " · ".join(filter(None, parts))


def _cells(c: Comparison) -> list[dict[str, Any]]:
    rows = []
    for row in c.table():
        arm, at = row["arm"], row[c.sweep]
        cells: dict[str, Any] = {} if at is None else {sweep_label(c.sweep): value_label(at)}
        low, high = row["throughput_min"], row["throughput_max"]
        cells |= {
            "arm": arm,
            "trials": row["trials"],
            "req/s (median)": row["throughput"],
            "smallest to largest": f"{plain(low)} to {plain(high)}",
            "p50 (ms)": _in_ms(row["p50"]),
            "p99 (ms)": _in_ms(row["p99"]),
        }
        if len(c.arms) > 1:
            cells[f"ratio to {c.baseline}"] = _ratio_cell(c, arm, at)
        cells["checks"] = ", ".join(n.replace("_", " ") for n in row["failed_checks"]) or "ok"
        rows.append(cells)
    return rows


def _ratio_cell(c: Comparison, arm: str, at: Any) -> str:
    if arm == c.baseline:
        return "1"
    try:
        r = c.ratio(arm, at=at)
    except LabError:
        return "–"
    if not math.isfinite(r.estimate):
        return "–"
    spread = f" [{number(r.low)}, {number(r.high)}]" if r.pairs > 1 else ""
    return f"{number(r.estimate)}{spread}"


def _in_ms(seconds: float | None) -> float | None:
    return None if seconds is None else seconds * 1e3

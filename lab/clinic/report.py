"""An examination as one page that needs nothing else: what is likely ill first, then the evidence,
what theory expects, and what was measured.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np
from markupsafe import Markup, escape

from lab import predict
from lab.clinic import chart, illnesses
from lab.clinic.examination import PARTLY, Examination, Part
from lab.clinic.loading import CLIENT_BUSY, Phase
from lab.clinic.name import PROGRAM
from lab.clinic.observation import Observed
from lab.clinic.signs import busy, gate
from lab.clinic.versions import (
    CONNECTIONS,
    LOOKS,
    NEW,
    NO_VERDICT,
    NOT_WORSE,
    WORSE,
    Versions,
    medians,
)
from lab.display.html import STYLE, box, facts, table
from lab.judging.stats import P_MOST, least_pairs
from lab.plot.palette import THEMES
from lab.text.html_registry import macros
from lab.text.numbers import count, number, size

_WORDS = {
    "one": "one client at a time",
    "many": "16 clients, each as fast as it gets responses",
    "look": "4 clients, during the close observation",
    "profile": "8 clients, during the profile",
    "below": "arrivals at half of the highest rate",
    "above": "arrivals at a quarter above the highest rate",
    "kept-1": "16 clients, to see whether memory is kept",
    "kept-2": "16 clients, to see whether memory is kept again",
    "kept-3": "16 clients for longer, to see whether memory levels off",
}

# The page asks its reader nothing, and runs nothing.
POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
    "form-action 'none'"
)

HTML = macros("""
{% macro page(title, body, colours, style, policy) -%}
<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{{ policy }}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{ title }}</title>{{ style }}<style>{{ colours }}
body{font:16px/1.55 system-ui,sans-serif;max-width:58rem;margin:1.5rem auto;padding:0 1rem;
color:var(--lab-ink);background:var(--lab-paper);overflow-wrap:break-word}
h1{font-size:1.5rem;line-height:1.25}h2{font-size:1.2rem;margin-top:2rem}h3{font-size:1rem}
a{color:var(--lab-1)}
pre{overflow-x:auto;padding:.6em .8em;border-left:3px solid var(--lab-axis);margin:.5em 0}
code{font-size:.92em}figure{margin:1em 0}figure svg{max-width:100%;height:auto}
figcaption{font-size:.9em;color:var(--lab-muted)}.lab-figure .lab-narrow{display:none}
@media (max-width:40rem){.lab-figure .lab-wide{display:none}.lab-figure .lab-narrow{display:block}
.lab-scroll th[scope=row]{white-space:normal;min-width:9rem}}
summary{cursor:pointer;margin:.8em 0;font-weight:600}
.lab-how{color:var(--lab-muted);font-size:.9em}
:focus-visible{outline:2px solid var(--lab-1);outline-offset:2px}
</style></head><body><main>{{ body }}</main></body></html>
{%- endmacro %}

{% macro code(place, note, text) -%}
<p>{{ note }} <code>{{ place }}</code></p>
{% if text %}<pre tabindex="0"><code>{{ text }}</code></pre>{% endif %}
{%- endmacro %}

{% macro finding(name, means, rows, lines, chapter, address, ways) -%}
<h3>{{ name }}</h3><p>{{ means }}</p>{{ rows }}{{ lines }}
<p>Explained in the chapter <em>{{ chapter }}</em> (<code>{{ address }}</code>). What to try:</p>
<ul>{% for way in ways %}<li>{{ way }}</li>{% endfor %}</ul>
{%- endmacro %}

{% macro text(words) -%}<p>{{ words }}</p>{%- endmacro %}
{% macro quiet(words) -%}<p class="lab-how">{{ words }}</p>{%- endmacro %}
{% macro heading(words) -%}<h2>{{ words }}</h2>{%- endmacro %}
{% macro title(words) -%}<h1>{{ words }}</h1>{%- endmacro %}
{% macro folded(words, inside) -%}
<details><summary>{{ words }}</summary>{{ inside }}</details>
{%- endmacro %}
{% macro printed(words) -%}<pre tabindex="0"><code>{{ words }}</code></pre>{%- endmacro %}
""")


class Figures(NamedTuple):
    """The functions that draw the charts of a report, each as HTML."""

    lines: Callable[..., str]
    dots: Callable[..., str]


PLAIN = Figures(chart.lines, chart.dots)


def page(one: Examination) -> str:
    """Return the page of an examination, as one file."""
    title = HTML.title(f"Examined: {one.observed.title}")
    return _page(f"{one.observed.title}: {one.first}", f"{title}{body(one, PLAIN)}")


def versions_page(one: Versions) -> str:
    """Return the page of a comparison, as one file."""
    title = f"{one.new} against {one.old}"
    return _page(title, f"{HTML.title(title)}{versions(one, PLAIN)}")


def of_parts(title: str, parts: Iterable[str]) -> str:
    """Return a page of these parts, each HTML, in the style of a report, as one file."""
    return _page(title, "".join(map(str, parts)))


def _page(title: str, body: str) -> str:
    colours = ":root{color-scheme:light dark;" + "".join(
        f"--lab-{name}:light-dark({light},{dark});" for name, (light, dark) in THEMES.items()
    )
    colours += "--lab-tint:light-dark(#f3f6f9,#1b2026)}"
    return str(HTML.page(title, Markup(body), Markup(colours), Markup(STYLE), POLICY))


def part(report_part: Part, figures: Figures) -> str:
    """Return a part of the report with its heading."""
    observation = report_part.of.observed
    draw = {
        "illness": lambda: _verdict(report_part.of) + _likely(report_part.of),
        "law": lambda: _law(observation, figures),
        "load": lambda: _measured(observation),
        "inside": lambda: _inside(observation),
        "signs": lambda: _signs_table(report_part.of),
    }[report_part.name]
    return draw()


def body(examination: Examination, figures: Figures) -> str:
    """Return the report without its title."""
    observation = examination.observed
    parts = [_verdict(examination), _likely(examination)]
    if observation.died:
        parts += [HTML.heading("How it ended"), HTML.printed(observation.died)]
    parts += [
        _law(observation, figures),
        _measured(observation),
        _inside(observation),
        _all_signs(examination),
        _how(examination),
    ]
    return "".join(str(part) for part in parts if part)


def _verdict(examination: Examination) -> str:
    observation, findings = examination.observed, examination.diagnosis.findings
    if not findings:
        if not observation.inside:
            return box(
                "none",
                "no name",
                [
                    "A server that is already running is seen only from outside, so no problem can "
                    f"be named. Start the program from here: {PROGRAM} examine -- node app.mjs"
                ],
            )
        if observation.answer_status is None:
            return box(
                "fail", "no answer", ["It listens, but does not respond.", *observation.warnings]
            )
        if observation.stopped:
            return box("none", "stopped early", [*observation.remarks, *examination.limiting])
        if observation.gaps:
            return box(
                "none",
                PARTLY,
                [*observation.gaps, examination.next_step, *examination.limiting],
            )
        return box(
            "ok",
            "nothing found",
            [
                "None of the problems that the clinic looks for was found with the requests "
                f"that were sent: {illnesses.names()}. {illnesses.NOT_EXAMINED}",
                *examination.limiting,
            ],
        )
    first, *others = findings
    likely = "" if first.illness.is_failure else "likely "
    words = [f"{likely}{first.illness.name}. {first.illness.means}"]
    if others:
        words.append("Also: " + ", ".join(f.illness.name for f in others) + ".")
    words += examination.limiting
    return box("fail", "found", words)


def _likely(one: Examination) -> str:
    if not one.diagnosis.findings:
        return ""
    parts = [HTML.heading("The likely problem")]
    for found in one.diagnosis.findings:
        rows = table(
            [
                {"evidence": row.says, "seen": row.seen, "is evidence from": row.limit}
                for row in found.rows
            ],
            label=f"evidence for {found.illness.name}",
        )
        lines = [
            HTML.code(
                f"{p.file}:{p.line}",
                f"{p.share:.0%} {found.of_place} {p.function}"
                + (f", inside {p.inside}," if p.inside else "")
                + " at",
                p.text,
            )
            for p in found.places
            if p.share >= 0.1
        ] + [HTML.code(site, "Called at", "") for site in found.sites]
        chapter = found.illness.chapter
        parts.append(
            HTML.finding(
                found.illness.name,
                found.illness.means,
                Markup(rows),
                Markup("".join(map(str, lines))),
                chapter[1],
                chapter[0],
                [_coded(way) for way in found.illness.try_],
            )
        )
    return "".join(map(str, parts))


def _coded(text: str) -> Markup:
    """Return a text in which what is between backticks is code."""
    parts = [str(escape(part)) for part in text.split("`")]
    return Markup("".join(f"<code>{p}</code>" if i % 2 else p for i, p in enumerate(parts)))


# --- what theory expects


ENOUGH = 10  # the number of responses from which on a phase tells how long a response takes


def loop_s(seen: Observed, name: str) -> float | None:
    """Return the loops' busy seconds for each response of a phase; None if there are too few."""
    phase, rows = seen.phases.get(name), seen.during(name)
    if phase is None or not phase.answers:
        return None
    busy, held = 0.0, False
    for pid in {row["pid"] for row in rows}:
        process_rows = [row for row in rows if row["pid"] == pid]
        # A row has the loop's numbers of its last beat, which may be long before the row.
        between_ms = process_rows[-1]["beat_ms"] - process_rows[0]["beat_ms"]
        if between_ms > 0:
            busy += (process_rows[-1]["active_ms"] - process_rows[0]["active_ms"]) / between_ms
        elif len(process_rows) > 1:
            held = True  # the loop did not turn at all
    # If another loop turned, the loop that did not turn may belong to a program that only started
    # the server.
    busy = busy or float(held)
    return busy * phase.span_s / phase.answers if busy else None


def demand(observation: Observed) -> tuple[str, float] | None:
    """The phase in which an answer took least of a loop, and for how many seconds it did.

    Not simply that with one client: of a demand that is too large comes a limit that is too low,
    and a bound that can be passed is none (`instruments/the-law-before-the-run`). Whatever makes it
    too large adds to it: a loop that sleeps between two requests and must be woken, code that is
    cold, other programs on the processor. So the least counts. That with many clients is among
    them: by the utilisation law a loop that is busy for U of the time and gives X can give X / U,
    and that is never passed. The close look and the profile are not: they take time themselves.
    """
    took = {name: loop_s(observation, name) for name in ("one", "many", "below", "above")}
    known = {name: seconds for name, seconds in took.items() if seconds}
    sure = {name: known[name] for name in known if observation.phases[name].answers >= ENOUGH}
    return min((sure or known).items(), key=lambda one: one[1], default=None)


def _law(observation: Observed, figures: Figures) -> str:
    one_client, many = observation.phases.get("one"), observation.phases.get("many")
    if one_client is None or many is None or not one_client.mean_s:
        return ""
    parts = [HTML.heading("What theory expects, and the knee")]
    if least := demand(observation):
        least_phase, least_s = least
        alone_s = min(loop_s(observation, "one") or least_s, one_client.mean_s)
        law = predict.closed(
            loop=predict.queue(least_s), wait=predict.delay(one_client.mean_s - alone_s)
        )
        at = (1, 2, 4, 8, 16, 32)
        band = law.throughput(at)
        serving = {row["pid"] for row in observation.during("many")} & observation.serving
        processes = max(1, len(serving))
        own_points = [
            {"clients": p.connections, "responses (/s)": p.throughput, "of": "measured"}
            for p in (one_client, many)
            if p.throughput
        ]
        expected_points = [
            {"clients": n, "responses (/s)": high, "of": "theory: at most"}
            for n, high in zip(at, band.high, strict=True)
        ]
        figure = figures.lines(
            expected_points + own_points,
            x="clients",
            y="responses (/s)",
            by="of",
            caption="Responses by number of clients, measured and at most from one loop",
        )
        parts.append(Markup(figure))
        law_text = (
            f"Alone, a request takes {_ms(one_client.mean_s)}, and the loop is busy with it for "
            f"{_ms(alone_s)} of that time. "
        )
        if least_phase != "one":
            law_text += (
                f"The loop needed the least time for a request with {_WORDS[least_phase]}: "
                f"{_ms(least_s)}. "
            )
        law_text += (
            f"So one loop gives at most {number(law.limit)} responses a second, and from "
            f"{number(law.knee)} clients on, additional clients only wait (the knee). With "
            f"{many.connections} clients, {number(many.throughput)} a second were measured"
            + (f", of {count(processes, 'process', 'processes')}" if processes > 1 else "")
            + f", and the {'loop' if processes == 1 else 'busiest loop'} was busy for "
            f"{busy(observation):.0%} of the time."
        )
        parts.append(HTML.text(law_text))
        if many.throughput < 0.5 * band.low[at.index(16)]:
            parts.append(
                HTML.text(
                    "That is less than half of what the loop alone allows, so something else is "
                    "the bottleneck."
                )
            )
    below, above = observation.phases.get("below"), observation.phases.get("above")
    for phase, words in ((below, "Below its highest rate"), (above, "Above it")):
        if phase is not None and phase.p50_s:
            parts.append(
                HTML.text(
                    f"{words}, with {number(phase.rate_per_s or 0)} arrivals a second, half of the "
                    f"responses took more than {_ms(phase.p50_s)}"
                    + (f", one in ten more than {_ms(phase.p90_s)}." if phase.p90_s else ".")
                )
            )
    return "".join(map(str, parts))


def _ms(seconds: float | None) -> str:
    return "" if seconds is None else f"{number(seconds * 1e3)} ms"


# --- what was measured


def _measured(observation: Observed) -> str:
    rows = [_row(p) for p in observation.phases.values()]
    if not rows:
        return ""
    told = str(HTML.heading("What was measured")) + table(rows, label="the phases of the load")
    # In an open loop the requests that are not sent in time are reported as such.
    most = max(
        (p.client_elu for p in observation.phases.values() if p.rate_per_s is None), default=0.0
    )
    if most >= CLIENT_BUSY:
        told += str(
            HTML.text(
                f"The program that sends the load was busy for {most:.0%} of the time, so the "
                "server may be able to give more responses than these."
            )
        )
    return told


def _row(phase: Phase) -> dict[str, Any]:
    kinds = ", ".join(f"{n} × {kind}" for kind, n in phase.kinds.items())
    return {
        "load": _WORDS.get(phase.name, phase.name),
        "responses (/s)": number(phase.throughput),
        "mean": _ms(phase.mean_s),
        "median": _ms(phase.p50_s),
        "p90": _ms(phase.p90_s),
        "p99": _ms(phase.p99_s),
        "failed": kinds or "0",
        "waiting at the end": str(phase.waiting),
        "not sent": str(phase.dropped),
    }


def _inside(seen: Observed) -> str:
    if not seen.rows:
        return ""
    loaded, rest = seen.during("many"), seen.during("rest")
    last = seen.during("after")
    wall = sum(row["t_ms"] for row in loaded[-1:]) - sum(row["t_ms"] for row in loaded[:1])
    cpu = sum(row["cpu_us"] for row in loaded) / 1e3 / wall if wall > 0 else 0.0
    grown = _kept(rest, last)
    # An event for each collection would slow the program down, and the profile has the collections
    # anyway.
    busiest = max(seen.profiles, key=lambda one: one.busy_s, default=None)
    named = {
        "processes": str(len(seen.pids)),
        "loop busy with 16 clients": f"{busy(seen):.0%}",
        "processors used": number(cpu),
        "longest silence of the loop": f"{number(max(r['silent_ms'] for r in seen.rows))} ms",
        "garbage collection": f"{busiest.gc_share:.1%} of the busy time"
        if busiest
        else "not known, because there is no profile",
        "wait for the pool": f"{number(gate(loaded, 'pool'))} ms",
        "wait for a look-up": f"{number(gate(loaded, 'names'))} ms",
        "most memory used": size(max(r["rss"] for r in seen.rows)),
        "kept after the load": ("−" if grown < 0 else "+") + size(abs(grown)),
        "descriptors at most": str(max((r["descriptors"] or 0) for r in seen.rows)),
        "connections at most": str(round(max(r["connections"] for r in seen.rows))),
        "most in the accept queue": str(max((n for _, n in seen.accept_queue), default=0)),
    }
    policy: dict[str, float] = next((one["policy"] for one in seen.listening if one["http"]), {})
    pool = next((one["pool"] for one in seen.listening), None)
    words = ", ".join(
        f"{name} {value / 1e3:g} s" for name, value in policy.items() if "imeout" in name
    )
    many = seen.phases.get("many")
    reused = ""
    # Of fewer responses, most may be the first on their connection, whatever the policy is.
    if many is not None and many.answers >= 3 * many.connections:
        share = many.connects / many.answers
        reused = (
            "It closes each connection after its response, so clients pay for a new one each time. "
            if share > 0.9
            else f"{share:.0%} of the responses came on a new connection. "
        )
    return (
        str(HTML.heading("Inside the program"))
        + facts(named)
        + str(
            HTML.text(
                f"{reused}Its limits are {words or 'Node’s own'}. "
                f"Threads of the pool: {pool or '4, Node’s default'}."
            )
        )
    )


def _kept(before: list[dict[str, Any]], after: list[dict[str, Any]]) -> float:
    total = 0.0
    for pid in {row["pid"] for row in before}:
        a = [row["rss"] for row in before if row["pid"] == pid]
        b = [row["rss"] for row in after if row["pid"] == pid]
        if a and b:
            total += float(np.median(b) - np.median(a))
    return total


def _all_signs(one: Examination) -> str:
    if not one.observed.looks:
        return ""
    return str(HTML.folded("Every sign, row by row", Markup(_signs_table(one))))


def _signs_table(examination: Examination) -> str:
    rows = [
        {
            "illness": illness.name,
            "sign": row.says,
            "seen": row.seen,
            "is evidence from": row.limit,
            "reached": "yes" if row.reached else "no",
        }
        for illness in illnesses.FORMS
        for row in illnesses.evidence(illness, examination.diagnosis.signs)
    ]
    return table(rows, label="every sign")


def _by_http2(streams: int) -> str:
    if streams > 1:
        return f" by HTTP/2, {streams} requests at once on each connection"
    return " by HTTP/2" if streams else ""


def _how(examination: Examination) -> str:
    observation = examination.observed
    notes = list(observation.warnings)
    if examination.first != PARTLY:  # else the verdict has told them
        notes += observation.gaps
    if examination.diagnosis.findings:  # with findings, the verdict already says it
        notes.insert(0, illnesses.NOT_EXAMINED)
    if examination.recorded is not None:
        notes.append(f"{examination.recorded.label[:1].upper()}{examination.recorded.label[1:]}.")
    if observation.outside:
        notes.append(
            f"The program listens on {', '.join(observation.outside)}, where other machines can "
            "reach it. The load used only this machine's own address."
        )
    if observation.stubborn:
        notes.append("The program did not end within two seconds of SIGTERM and was killed.")
    notes.append(
        f"Requested: {observation.path} at {observation.url}{_by_http2(observation.http2)}, "
        f"{observation.started}, {observation.node or 'a running server'}, in "
        f"{observation.seconds:.0f} s. Long runs are counted without the time in which another "
        "thread had the processor. This is one run on one machine. Treat its result as a lead, "
        "and look first at the line that it names."
    )
    return str(HTML.heading("How it was measured")) + "".join(str(HTML.quiet(n)) for n in notes)


# --- two versions


def _together(m: int) -> str:
    """How so many measures are judged."""
    verdicts = m * LOOKS
    return (
        f"All {m} measures are judged together, up to {LOOKS} times, so that at most one in "
        "twenty comparisons of a version with itself reports a difference. Each interval is "
        f"at {100 - 5 / verdicts:.4g} %, and p is multiplied by {verdicts}. A difference "
        f"needs an interval without 1, a p of at most {P_MOST} and {least_pairs(verdicts)} "
        "pairs. The A/A spread shows how far two processes of the old version differ. Both "
        "processes count as the old version, and the spread does not change any interval. If "
        "the trials suggest that the new version is worse but do not prove it, the same "
        "number of pairs is measured again, and all pairs are judged together."
    )


def versions(comparison: Versions, figures: Figures) -> str:
    """Return the verdicts, the ratios behind them, and every trial as a dot."""
    words = comparison.failures + [repr(m) for m in comparison.measured if m.word == WORSE]
    if not words:
        words = ["No measure is worse by the rule of this comparison."] * (
            comparison.word == NOT_WORSE
        )
        words += [
            f"No verdict on {m.name}: "
            f"{'; '.join(filter(None, (m.because, m.advice))) or 'the trials do not show it'}."
            for m in comparison.measured
            if m.word == NO_VERDICT
        ]
    words += [comparison.how_long] if comparison.how_long else []
    tone = {WORSE: "fail", NOT_WORSE: "ok"}.get(comparison.word, "none")
    rows = [
        {
            "measure": m.name,
            "new ÷ old": number(m.ratio.estimate),
            "interval": f"{number(m.ratio.low)} to {number(m.ratio.high)}",
            "A/A spread": f"±{((m.ratio.aa_spread or 1) - 1):.1%}",
            "p": number(m.ratio.p),
            "verdict": m.word + (f": {m.because}" if m.because else ""),
        }
        for m in comparison.measured
    ]
    figure = figures.dots(
        [
            {"block": t.block + 1, "responses (/s)": t.throughput, "version": t.arm}
            for t in comparison.trials
        ],
        x="block",
        y="responses (/s)",
        by="version",
        caption="Responses per second in every trial, in the order in which they were measured",
    )
    parts = [
        box(tone, comparison.word, words),
        HTML.heading("The measures"),
        HTML.text(
            "Each ratio says how many times worse the new version is, in time or in responses. "
            + _together(len(comparison.measured))
        ),
        table(rows, label="the measures"),
        Markup(figure),
        table(medians(comparison.trials), label="medians of each version"),
        HTML.heading("How it was measured"),
        HTML.quiet(
            f"{sum(t.arm == NEW for t in comparison.trials)} pairs of fresh processes were "
            f"measured in turn in {comparison.seconds:.0f} s. Old version: {comparison.old}. "
            f"New version: {comparison.new}. "
            f"The throughput was measured with {CONNECTIONS} clients, each as fast as it gets "
            f"responses, and the times at {number(comparison.rate_per_s)} arrivals a second for "
            "both versions."
        ),
    ]
    return "".join(map(str, parts))

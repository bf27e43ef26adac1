"""The result of a hand-in as HTML: in a notebook, and as a page of its own."""

from __future__ import annotations

from typing import Any

from markupsafe import Markup

from lab.display.html import STYLE
from lab.grading.result import BROKEN, FAILED, GRADED, HELD, LEFT, NOISY, Result, told_once
from lab.text.html_registry import html, macros
from lab.text.numbers import bare

MOST_POINTS = 2000  # of one line of a plot
_TONES = {HELD: "ok", LEFT: "none", NOISY: "warn", BROKEN: "warn"}
_WORDS = {HELD: "held", LEFT: "not checked", NOISY: "can't be decided", BROKEN: "the check failed"}

HTML = macros("""
{% macro result(one, rows, plots, style) -%}
{{ style }}
<style>.lab-graded td{vertical-align:top}.lab-graded td p{margin:.3em 0}
.lab-seen{display:grid;grid-template-columns:auto 1fr;gap:.1em .9em;margin:.3em 0;font-size:.92em}
.lab-seen :is(dd,pre){margin:0;padding:0;background:none;border:0;box-shadow:none;
white-space:pre-wrap;overflow-wrap:anywhere}
.lab-seen dt{font-weight:400}</style>
<div class="lab-record lab-graded">
<div class="lab-box lab-{{ one.tone }}"><p><strong>{{ one.title }}
</strong>: <span class="lab-word">{{ one.word }}</span></p>
{% if one.note %}<p>{{ one.note }}</p>{% endif %}</div>
<div class="lab-scroll"><table><thead><tr><th scope="col">what is looked at</th>
<th scope="col">outcome</th>
<th scope="col" class="lab-n">points</th></tr></thead><tbody>
{% for row in rows %}<tr><td class="lab-long">{{ row.says }}
{% if row.message %}<p>{{ row.message }}</p>{% endif %}
{% if row.seen %}<dl class="lab-seen">{% for name, text in row.seen %}<dt>{{ name }}</dt><dd>
<pre tabindex="0">{{ text }}</pre></dd>{% endfor %}</dl>{% endif %}</td>
<td class="lab-{{ row.tone }}"><span class="lab-word">{{ row.word }}</span></td>
<td class="lab-n">{{ row.points }} of {{ row.of }}</td></tr>{% endfor %}
</tbody></table></div>
{{ plots }}
<p class="lab-how">{{ one.how }}</p></div>
{%- endmacro %}

{% macro page(title, body) -%}
<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{ title }}</title><style>
:root{color-scheme:light dark}
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:1.5rem auto;padding:0 1rem;
color:light-dark(#1b1f24,#e6edf3);background:light-dark(#fff,#0d1117);
--lab-ink:light-dark(#1b1f24,#e6edf3);--lab-muted:light-dark(#57606a,#9aa7b4);--lab-grid:light-dark(#d8dde3,#30363d);
--lab-ok:light-dark(#176f3d,#5fcf8a);--lab-warn:light-dark(#8a5300,#f0b429);--lab-fail:light-dark(#b42318,#ff8a80)}
pre{overflow-x:auto;white-space:pre-wrap;overflow-wrap:anywhere}
</style></head><body><main><h1>{{ title }}</h1>{{ body }}</main></body></html>
{%- endmacro %}
""")


@html.register
def graded(result: Result) -> str:
    """Return the criteria with points and messages, the plot of the hand-in's own run, and how it
    was judged.
    """
    rows = [
        {
            "says": criterion.says,
            "message": criterion.message,
            "seen": [
                (name, text)
                for name, text in (
                    ("seen", criterion.saw),
                    ("wanted", criterion.wanted),
                    ("printed in the meantime", criterion.output),
                )
                if text
            ],
            "tone": _TONES.get(criterion.outcome, "fail"),
            "word": _WORDS.get(criterion.outcome, "missed"),
            "points": "–" if criterion.outcome in (NOISY, BROKEN) else bare(criterion.points),
            "of": bare(criterion.of),
        }
        for criterion in told_once(result.criteria)
    ]
    return str(HTML.result(_head(result), rows, Markup(_plots(result)), Markup(STYLE)))


def _head(result: Result) -> dict[str, Any]:
    points = f"{bare(result.points)} of {bare(result.of)} points"
    tone, word, note = "fail", points, ""
    if result.outcome == NOISY:
        tone, word = ("fail" if result.missed else "warn"), result.at_least or "no verdict"
        note = f"{result.again[0].upper()}{result.again[1:]}"
    elif result.outcome != GRADED:
        tone, word, note = "warn", "no verdict", f"{FAILED[0].upper()}{FAILED[1:]}"
    elif result.passed:
        tone = "ok"
    elif result.points:
        tone = "warn"
    sandbox = {
        "bubblewrap": "in a sandbox",
        "none": "without a sandbox: a result for your own use",
    }[result.sandbox]
    version = f"exercise {result.version}, grader {result.grader}"
    how = f"Nothing was run; {version}."
    if result.node:
        how = (
            f"Judged {sandbox} on Node {result.node} in {result.seconds:.1f} s; {version}, "
            f"seed {result.seed}."
        )
    if result.values:
        how += f" {result.values[0].upper()}{result.values[1:]}."
    if result.hints:
        how += f" Hints opened: {result.hints}."
    return {"title": result.title, "tone": tone, "word": word, "note": note, "how": how}


def _plots(result: Result) -> str:
    """The figures that the check drew: lines of the hand-in and of the reference, by title."""
    titles = dict.fromkeys(str(line.get("title", "")) for line in result.series)
    plots = []
    for title in titles:
        lines = [line for line in result.series if line.get("title") == title]
        plots.append(_plot(title, lines))
    return "".join(plots)


def _plot(title: str, series: list[dict[str, Any]]) -> str:
    # This imports matplotlib, which a result without a plot doesn't need.
    from lab.plot.simple import lines

    rows = [
        {"x": x, "y": y, "whose": str(line.get("of", "yours"))}
        for line in series
        for x, y in list(line.get("points", ()))[:MOST_POINTS]
    ]
    if not rows:
        return ""
    first = series[0]
    figure = lines(
        rows,
        x="x",
        y="y",
        by="whose",
        x_label=str(first.get("x", "")),
        y_label=str(first.get("y", "")),
        caption=title,
    )
    return (
        html(figure)
        if html.dispatch(type(figure)) is not html.dispatch(object)
        else figure._repr_html_()
    )


def page(result: Result) -> str:
    """Return a page of its own, in one file."""
    return str(HTML.page(f"{result.title}: what was seen", Markup(graded(result))))

"""The trace in a page: the replay element, a table for readers without JavaScript, the orders."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

from lab import usage
from lab.records.trace import Trace, modelled, notes, words
from lab.text.html_registry import html as look
from lab.text.numbers import count
from lab.widgets import parts

TABLE_ROWS = 60

PHASE_NAMES = {
    "main": "main program",
    "timers": "timers",
    "poll": "poll",
    "check": "check",
    "close": "close callbacks",
    "exit": "at exit",
    "task": "V8 task",
}


@look.register
def shown(trace: Trace) -> str:
    """The HTML of a trace, which asks for its order first if it was made so."""
    data = trace.data
    if trace.predict:
        seen = [order["lines"] for made in data["versions"] for order in made["orders"]]
        of = {"name": data["name"], "source": data["source"]}
        usage.note("replay", place=_place(data), key=key(data), orders=seen, **of)
    return page(data, predict=trace.predict)


def key(data: Mapping[str, Any]) -> str:
    """Return under what a browser keeps the order that its reader predicts, as predict.js does."""
    units = f"{data['name']}\n{data['source']}".encode("utf-16-le", "surrogatepass")
    mixed = 5381
    for low, high in zip(units[::2], units[1::2], strict=True):
        mixed = (mixed * 33 ^ (low | high << 8)) & 0xFFFFFFFF
    return f"loop-replay:{_base36(mixed)}"


def _base36(number: int) -> str:
    digits = "0123456789abcdefghijklmnopqrstuvwxyz"
    return (_base36(number // 36) if number >= 36 else "") + digits[number % 36]


def _place(data: Mapping[str, Any]) -> str:
    """Return the id of a replay's element on its page."""
    return key(data).replace("loop-replay:", "replay-")


def page(data: Mapping[str, Any], *, predict: bool = True) -> str:
    """The HTML of a trace: works without JavaScript, from a file, in the book and in JupyterLab."""
    body = json.dumps(data, separators=(",", ":"), ensure_ascii=False).replace("</", "<\\/")
    body = body.replace("<!--", "<\\u0021--")
    flag = " predict" if predict else ""
    return (
        f'{_assets()}<loop-replay{flag} id="{_place(data)}">'
        f'<script type="application/json">{body}</script>'
        f'{fallback(data)}<div slot="orders" class="lab-orders">{histogram(data)}</div>'
        "</loop-replay>"
    )


def _assets() -> str:
    """In the book the page loads the component; in a bare notebook it comes along."""
    if not parts.come_along():
        return ""
    css = json.dumps(parts.text("replay.css")).replace("</", "<\\/")
    return f"<script>globalThis.LOOP_REPLAY_CSS={css};\n{parts.script('replay')}</script>"


def fallback(data: Mapping[str, Any]) -> str:
    """The program and a table of the callbacks of its first recording, in the order they ran."""
    recordings = [(v, r) for v in data["versions"] for r in v["recordings"]]
    if not recordings:
        return "<p>Nothing was recorded.</p>"
    version, recording = recordings[0]
    rows = list(callbacks(recording))
    body = "".join(
        f"<tr><td>{n}</td><td>{row['iteration']}</td>"
        f"<td>{PHASE_NAMES.get(row['phase'], row['phase'])}</td><td>{escape(row['label'])}</td>"
        f"<td>{row['line'] or ''}</td>"
        f"<td>{escape(' / '.join(row['printed']))}</td></tr>"
        for n, row in enumerate(rows[:TABLE_ROWS], 1)
    )
    alone = " Its phases come only from the recorder." if recording.get("verified") is False else ""
    runner = f"{'the model of ' if modelled(version) else ''}Node {escape(version['node'])}"
    more = f" The first {TABLE_ROWS} of {len(rows)}." if len(rows) > TABLE_ROWS else ""
    return (
        f"<pre style='overflow-x:auto'><code>{escape(data['source'])}</code></pre>"
        '<div style="overflow-x:auto">'
        f"<table><caption>What {runner} ran, in order.{alone}{more}</caption>"
        '<thead><tr><th scope="col">#</th><th scope="col">iteration</th><th scope="col">phase</th>'
        '<th scope="col">callback of</th><th scope="col">line</th><th scope="col">printed</th></tr>'
        f"</thead><tbody>{body}</tbody></table></div>"
    )


def callbacks(recording: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The callbacks of a recording that a reader wrote or waits for, with what they printed.

    The lines stand in their order: one that prints after another has printed inside of it gets a
    row more. What none of them printed, a listener of `process` did.
    """
    runs: list[dict[str, Any]] = []
    stack: list[int] = []  # the places in runs of the callbacks that run now
    last = max(
        (i for i, row in enumerate(recording["events"]) if row[1] in ("run", "node")), default=-1
    )
    place = {"iteration": 0, "phase": "main"}
    for i, row in enumerate(recording["events"]):
        kind = row[1]
        if kind in ("run", "node"):
            place = {"iteration": row[3], "phase": row[4]}
        task = recording["tasks"][row[2]] if len(row) > 2 and row[2] is not None else None
        if kind == "run" and task is not None:
            run = {
                "label": task["label"],
                "line": task.get("line"),
                "iteration": row[3],
                "phase": row[4],
                "internal": task.get("internal", False),
                "printed": [],
            }
            stack.append(len(runs))
            runs.append(run)
        elif kind == "end" and stack:
            stack.pop()
        elif kind in ("out", "err") and len(row) > 6:
            if not stack:
                at_exit = i > last
                runs.append(
                    {
                        "label": "process exit" if at_exit else "process",
                        "line": row[5],
                        "iteration": place["iteration"],
                        "phase": "exit" if at_exit else place["phase"],
                        "internal": False,
                        "printed": [row[6]],
                    }
                )
            else:
                now = stack[-1]
                if any(run["printed"] for run in runs[now + 1 :]):
                    stack[-1] = len(runs)
                    runs.append(runs[now] | {"printed": []})
                runs[stack[-1]]["printed"].append(row[6])
    return (run for run in runs if run["printed"] or not run["internal"])


def histogram(data: Mapping[str, Any]) -> str:
    """How often each order was seen, per Node version: bars with the counts in words."""
    parts = [
        (_modelled_orders if modelled(version) else _orders)(version)
        for version in data["versions"]
    ]
    items = "".join(f"<li>{escape(note)}</li>" for note in notes(data))
    listed = f'<ul class="lab-notes">{items}</ul>' if items else ""
    return "".join(parts) + listed


def _orders(version: Mapping[str, Any]) -> str:
    """The orders of the plain runs, as `Trace.orders` has them; then those that only the recorder's
    own runs printed, as far as there is a replay of them.
    """
    node, runs = version["node"], version["runs"]
    replayed = {recording["order"] for recording in version["recordings"]}
    orders = [order for order in version["orders"] if order["count"]]
    recorder_orders = [
        o for i, o in enumerate(version["orders"]) if i in replayed and not o["count"]
    ]
    codes = "; ".join(_code(order) for order in recorder_orders)
    recorder_html = f"<p>Seen only while recording, and not counted: {codes}.</p>" if codes else ""
    if len(orders) == 1:
        times = "the only run" if runs == 1 else f"all {runs} runs"
        return f"<p>Node {escape(node)}: {times} printed {_code(orders[0])}.</p>{recorder_html}"
    rows = "".join(_order_row(order, runs) for order in orders[:8])
    more = f"<p>… and {count(len(orders) - 8, 'rarer order')}.</p>" if len(orders) > 8 else ""
    return (
        '<div style="margin:1em 0"><table style="width:100%;max-width:52rem">'
        f"<caption style='text-align:left'>Orders seen on Node {escape(node)} in {runs} runs: "
        f"{len(orders)} different ones. The order of this program is not fixed.</caption>"
        '<thead><tr><th scope="col" style="width:9rem;text-align:left">runs</th>'
        f'<th scope="col" style="text-align:left">printed</th></tr></thead><tbody>{rows}</tbody>'
        f"</table>{more}{recorder_html}</div>"
    )


def _modelled_orders(version: Mapping[str, Any]) -> str:
    """The orders of the model, the likeliest first, each with what decides it."""
    node, orders = escape(version["node"]), version["orders"]
    if len(orders) == 1:
        return f"<p>The model of Node {node} has one order: {_code(orders[0])}.</p>"
    items = "".join(
        f"<li>{_code(order)}{', if ' if order['because'] else ''}"
        f"{escape('; '.join(order['because']))}</li>"
        for order in orders[:8]
    )
    more = f"<p>… and {count(len(orders) - 8, 'rarer order')}.</p>" if len(orders) > 8 else ""
    return (
        f"<p>Orders in the model of Node {node}, the likeliest first: {len(orders)}. "
        f"The order of this program is not fixed.</p><ol>{items}</ol>{more}"
    )


def _order_row(order: Mapping[str, Any], runs: int) -> str:
    share = 100 * order["count"] / max(1, runs)
    bar = (
        f'<div style="height:.5em;border-radius:2px;width:{share:.0f}%;min-width:2px;'
        'background:var(--lab-1,#0b5cad)"></div>'
    )
    return (
        f'<tr><td style="vertical-align:top;text-align:left">{order["count"]} of {runs}{bar}</td>'
        f'<td style="text-align:left;overflow-wrap:anywhere">{_code(order)}</td></tr>'
    )


def _code(order: Mapping[str, Any]) -> str:
    return f"<code>{escape(words(order['lines']))}</code>"

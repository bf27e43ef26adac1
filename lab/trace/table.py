"""A trace as text: what was printed, in which phase and turn, by which line, and why."""

from __future__ import annotations

import json
import tempfile
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from lab.errors import LabError
from lab.processes import child, nodes
from lab.records.trace import Trace, modelled

REASONS = Path(__file__).with_name("output-reasons.mjs")
PATIENCE_S = 600
ROWS = 60
PRINTED_WIDTH = 28
LEAST_WHY = 24  # columns; a terminal that is narrower wraps the lines itself
HEAD = ("printed", "phase", "turn", "line", "why")


def table(trace: Trace, width: int = 100) -> str:
    """One table for each Node, of the run that printed its commonest order.

    The reasons are the sentences of the replay. Raises LabError where Node cannot tell them.
    """
    parts = []
    for version, rows in zip(trace.data["versions"], _printed(trace), strict=True):
        parts += [_title(version), *_lines(rows, width), ""]
    return "\n".join(parts[:-1])


def _title(version: Mapping[str, Any]) -> str:
    node, orders, recordings = version["node"], version["orders"], version["recordings"]
    if not recordings:
        return f"Node {node}: nothing was recorded."
    if modelled(version):
        rank = "the only order" if len(orders) == 1 else f"the likeliest of {len(orders)} orders"
        return f"Model of Node {node}, {rank}:"
    order = orders[recordings[0]["order"]]
    frequency = (
        f"printed in {order['count']} of {version['runs']} runs"
        if order["count"]
        else ("printed only while it was recorded")
    )
    others = sum(bool(other["count"]) for other in orders) - bool(order["count"])
    more = f"; {others} more above" if others > 0 else ""
    return f"Node {node}, the order {frequency}{more}:"


def _printed(trace: Trace) -> list[list[dict[str, Any]]]:
    with tempfile.TemporaryDirectory(prefix="lab-trace-") as folder:
        file = trace.save(Path(folder) / "trace.json")
        command = [nodes.program(), str(REASONS), str(file)]
        done = child.run_to_end(command, PATIENCE_S, env={"NODE_OPTIONS": ""})
    if done.returncode:
        raise LabError(f"Node could not explain the trace: {done.stderr.strip()[-300:]}")
    rows: list[list[dict[str, Any]]] = json.loads(done.stdout)
    return rows


def _lines(rows: Sequence[Mapping[str, Any]], width: int) -> Iterator[str]:
    cells = [*_cells(rows[:ROWS])]
    if not cells:
        yield "  It printed nothing."
        return
    widths = [max(len(row[at]) for row in (HEAD, *cells)) for at in range(4)]
    why = max(LEAST_WHY, width - sum(widths) - 2 * len(widths) - 2)
    rule = tuple("-" * size for size in (*widths, min(why, max(len(row[4]) for row in cells))))
    for row in (HEAD, rule, *cells):
        first, *more = textwrap.wrap(row[4], why) or [""]
        yield _line(row, widths) + first
        yield from (" " * (2 + sum(widths) + 2 * len(widths)) + text for text in more)
    if len(rows) > ROWS:
        yield f"  … and {len(rows) - ROWS:,} more lines, which the replay shows."


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    texts = [text.ljust(size) for text, size in zip(row, widths, strict=False)]
    return "  " + "  ".join([*texts, ""])


def _cells(rows: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, str, str, str, str]]:
    before = None
    for row in rows:
        again = row["run"] is not None and row["run"] == before
        before = row["run"]
        why = "(the same callback)" if again else row["why"]
        line = str(row["line"] or "")
        yield _text(row["text"]), row["phase"], str(row["turn"]), line, why


def _text(printed: str) -> str:
    """The printed text on one line, without characters that control a terminal."""
    plain = "".join(c if c.isprintable() else "⏎" if c == "\n" else "·" for c in printed)
    return plain if len(plain) <= PRINTED_WIDTH else f"{plain[: PRINTED_WIDTH - 1]}…"

"""Run a program many times on one Node: plain for the orders, under the recorder for the replay."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from lab import settings
from lab.text.numbers import count
from lab.trace import child, endings, orders
from lab.trace.canonical import Builder
from lab.trace.child import Limits, RunEnd, Setting, Undertaker
from lab.trace.nodes import KNOWN, Node
from lab.trace.phases import Spans, TraceRefusedError, agree
from lab.trace.program import TracedProgram

RECORDINGS_KEPT = 3  # one per order, the most frequent first
ATTEMPTS = 8
ENDLESS = (
    2  # times the seconds of one run: how long more runs of a program that never ends may take
)


@dataclass
class Versioned:
    """The runs of the program on one version of Node."""

    node: Node
    runs: int
    ended: dict[str, int]
    orders: list[orders.Order]
    recordings: list[dict[str, Any]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    plain_s: float = 0.0
    recorded_s: float = 0.0
    unconfirmed: bool = False

    def to_json(self) -> dict[str, Any]:
        """Plain data, the keys of a `.trace.json` file."""
        return {
            "node": self.node.version,
            "uv": self.node.uv,
            "runs": self.runs,
            "ended": self.ended,
            "orders": [
                {"lines": list(o.lines), "count": o.count, "recorded": o.recorded}
                for o in self.orders
            ],
            "recordings": self.recordings,
            "notes": self.notes,
            "plain_s": round(self.plain_s, 4),
            "recorded_s": round(self.recorded_s, 4),
        }


def record(
    program: TracedProgram,
    node: Node,
    setting: Setting,
    limits: Limits,
    keeper: Undertaker,
    *,
    runs: int,
    budget_s: float,
) -> Versioned:
    """The orders of `runs` plain runs and a verified recording of each of the commonest.

    On a Node whose trace events are not known, the two sources may differ because we misread one of
    them: then the recordings hold the hooks' word alone, say so, and show nothing else.
    Raises TraceRefusedError when no recording could be verified on a Node that is known, where
    disagreement means that something drawn would be wrong; or when there are no hooks' rows.
    """

    def again(stop_at: list[Any] | None) -> RunEnd:
        return child.run(node, setting, limits, keeper, record=True, stop_at=stop_at)

    def run(enough: int | None) -> RunEnd:
        return child.run(node, setting, limits, keeper, enough=enough)

    plain = _plain(run, runs, limits, budget_s)
    # A reference is for all readers, so it holds nothing unconfirmed.
    alone = not node.known and settings.profile().name != "reference"
    recorded_runs, recordings, refusal = _recordings(program, limits, plain, again, alone=alone)
    if not recordings and refusal:
        raise refusal
    comparison = orders.Comparison.of([*plain, *recorded_runs])
    counted_orders = comparison.count(plain, recorded_runs)
    shown = [list(order.lines) for order in counted_orders]
    for recording in recordings:
        recording["order"] = shown.index(list(comparison.order(recording.pop("printed"))))
    recordings = _one_of_each(recordings)
    is_unconfirmed = (
        bool(refusal) and alone and not any(recording["verified"] for recording in recordings)
    )
    notes = [_too_few(plain, runs, budget_s), comparison.note]
    if is_unconfirmed:
        notes.append(
            f"The recorder does not know the trace events of Node {node.version} (it knows "
            f"the events of Node {', '.join(map(str, KNOWN))}): its phases come only from the "
            "hooks, and nothing confirms them."
        )
    return Versioned(
        node,
        len(plain),
        _ends(plain),
        counted_orders,
        recordings,
        [
            *filter(None, notes),
            *_notes(plain, recorded_runs, limits),
            *_cuts(recordings, limits),
            *endings.notes(plain, recorded_runs, program),
        ],
        min(o.seconds for o in plain),
        min((o.seconds for o in recorded_runs), default=0.0),
        is_unconfirmed,
    )


def _plain(
    run: Callable[[int | None], RunEnd], runs: int, limits: Limits, budget_s: float
) -> list[RunEnd]:
    """Up to `runs` plain runs within the budget.

    If the first run had to be stopped, its number of lines is enough for the others, which are
    compared up to there. If it printed nothing, the others would add nothing.
    """
    start_s = time.monotonic()
    plain = [run(None)]
    while len(plain) < runs:
        enough = None
        if (first := plain[0]).stopped:
            budget_s = min(budget_s, ENDLESS * limits.seconds)
            enough = len(first.lines)
            if not enough:
                break
        if time.monotonic() - start_s > budget_s:
            break
        plain.append(run(enough))
    return plain


def _too_few(plain: list[RunEnd], runs: int, budget_s: float) -> str | None:
    if len(plain) == runs:
        return None
    if plain[0].stopped:
        was = "run was" if len(plain) == 1 else "runs were"
        return (
            f"Only {len(plain)} of {runs} {was} made, because the program does not end. "
            "Another order may be possible."
        )
    return f"{len(plain)} of {runs} runs were made in {budget_s:g} s."


def _one_of_each(drawn: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The first recording of each order."""
    return list({recording["order"]: recording for recording in reversed(drawn)}.values())[::-1]


def _recordings(
    program: TracedProgram,
    limits: Limits,
    plain: list[RunEnd],
    record_once: Callable[[list[Any] | None], RunEnd],
    *,
    alone: bool,
) -> tuple[list[RunEnd], list[dict[str, Any]], TraceRefusedError | None]:
    comparison = orders.Comparison.of(plain)
    plain_orders = comparison.count(plain)
    # Where nearly every run differs, no order is likely to come back.
    common_orders = [order.lines for order in plain_orders if order.count > 1][:RECORDINGS_KEPT]
    attempts = ATTEMPTS if len(plain_orders) <= RECORDINGS_KEPT else RECORDINGS_KEPT
    endless = any(outcome.stopped for outcome in plain)
    outcomes: list[RunEnd] = []
    by_order: dict[tuple[str, ...], dict[str, Any]] = {}
    doubtful: dict[tuple[str, ...], dict[str, Any]] = {}
    refusal: TraceRefusedError | None = None
    stop_at = None
    for _ in range(2 if endless else attempts):
        outcome = record_once(stop_at)
        outcomes.append(outcome)
        lines = comparison.order(outcome)
        if outcome.spans is None and outcome.ended == "time" and stop_at is None:
            stop_at = _running(outcome.rows)
            if stop_at:
                continue  # blocked in a callback: run again and save the trace events before it
        try:
            recording = canonical(program, outcome, limits)
        except TraceRefusedError as error:
            refusal = error
            if alone and not _failed(outcome):
                recording = canonical(program, outcome, limits, alone=True)
                doubtful[lines] = recording | {"printed": outcome}
            continue
        by_order.setdefault(lines, recording | {"printed": outcome})
        if (endless and len(common_orders) < 2) or all(
            lines in by_order for lines in common_orders
        ):
            break
    by_order = by_order or doubtful
    in_order = sorted(by_order.items(), key=lambda pair: _rank(pair[0], common_orders))
    return outcomes, [recording for _, recording in in_order][:RECORDINGS_KEPT], refusal


def _rank(lines: tuple[str, ...], wanted: list[tuple[str, ...]]) -> int:
    return wanted.index(lines) if lines in wanted else len(wanted)


def canonical(
    program: TracedProgram, outcome: RunEnd, limits: Limits, *, alone: bool = False
) -> dict[str, Any]:
    """One run's recording, cut to `limits.events`. Raises TraceRefusedError.

    alone : by the hooks alone; it is not verified then.
    """
    if why := _failed(outcome):
        raise TraceRefusedError(f"There is no trace because {why}.")
    spans = None if alone else outcome.spans
    pairs = agree(outcome.rows, spans)
    placed = {callback.row: (callback, phase) for callback, phase in pairs}
    source = program.source.split("\n")
    recording = Builder(source, outcome.rows, spans or Spans(), placed).build(program.name)
    events = recording["events"]
    if len(events) > limits.events:
        t_us = events[limits.events - 1][0]
        recording["cut_events"] = len(events) - limits.events
        recording["events"] = [
            *events[: limits.events],
            [t_us, "cut", None, None, None, None, "events"],
        ]
        used = {event[2] for event in recording["events"] if len(event) > 2}
        last = max((index for index in used if index is not None), default=0)
        recording["tasks"] = recording["tasks"][: last + 1]
    recording["verified"] = spans is not None or not pairs
    recording["code"] = outcome.code
    recording["ended"] = outcome.ended if outcome.code is not None else _how(outcome)
    return recording


def _failed(outcome: RunEnd) -> str:
    """Why the recorder has no word at all on this run, or ""."""
    if not outcome.rows:
        return "the recorder did not write anything"
    where = str(child.PRELOAD.parent)
    if outcome.code and where in outcome.stderr:
        return f"the recorder itself failed on this Node: {endings.last_error(outcome.stderr)}"
    return ""


def _how(outcome: RunEnd) -> str:
    return "time" if any(row[0] == "T" for row in outcome.rows) else outcome.ended


def _running(rows: list[list[Any]]) -> list[Any] | None:
    """Type, line and number (among its like) of the callback that never ended; None for the text
    of the program itself.
    """
    facts = {
        row[2]: (row[3], row[6]["at"][0][0] if row[6] else None) for row in rows if row[0] == "i"
    }
    stack: list[int] = []
    starts: list[tuple[Any, ...]] = []
    for row in rows:
        if row[0] == "b" and row[2] in facts:
            stack.append(row[2])
            starts.append(facts[row[2]])
        elif row[0] == "a" and stack:
            stack.pop()
    return [*facts[stack[-1]], starts.count(facts[stack[-1]])] if stack else None


def _ends(outcomes: list[RunEnd]) -> dict[str, int]:
    ends: dict[str, int] = {}
    for outcome in outcomes:
        key = f"code {outcome.code}" if outcome.ended == "exit" else outcome.ended
        ends[key] = ends.get(key, 0) + 1
    return ends


def _cuts(drawn: list[dict[str, Any]], limits: Limits) -> list[str]:
    """Return the notes for the reader on recordings that were cut."""
    cut = [recording for recording in drawn if recording.get("cut_events")]
    if not cut:
        return []
    events = cut[0]["events"]
    printed = sum(event[1] in ("out", "err") for event in events)
    by_then = (
        f"by then {count(printed, 'line')} had been printed"
        if printed
        else "nothing had been printed by then"
    )
    total = limits.events + cut[0]["cut_events"]
    return [
        f"The replay shows the first {limits.events:,} of {total:,} events, {by_then}. Use "
        f"events={total} to show all of them."
    ]


def _notes(plain: list[RunEnd], recorded_runs: list[RunEnd], limits: Limits) -> list[str]:
    notes = []
    if any(outcome.ended == "time" for outcome in plain):
        notes.append(
            f"The program was still running after {limits.seconds:g} s and was stopped, so "
            "the trace shows only its beginning."
        )
    if any(outcome.ended == "output" for outcome in plain):
        notes.append(
            f"The program was stopped after it had printed {child.OUTPUT_BYTES:,} bytes, so "
            "the trace shows only its beginning."
        )
    rows = [row for outcome in recorded_runs for row in outcome.rows]
    if any(row[0] == "L" for row in rows):
        notes.append(
            f"The recorder stopped after {limits.rows:,} events, but the program continued."
        )
    last = recorded_runs[-1]
    if last.spans is None and any(row[0] == "b" for row in last.rows):
        notes.append(
            "The program was killed, so Node's own trace events are missing, and the phases "
            "come only from the recorder."
        )
    if any(row[0] == "i" and row[3] == "WORKER" for row in rows):
        notes.append(
            "A worker has its own event loop, which is not recorded. Its messages are recorded."
        )
    return notes

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
    """What one Node version did with the program."""

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

    On a Node whose trace events are not known the two sources may differ because one of them is
    read wrongly: then the recordings are those of the hooks alone, say so, and show nothing else.
    Raises TraceRefusedError when no recording could be verified on a Node that is known, where
    disagreement means that something drawn would be wrong; or when there are no hooks' rows.
    """

    def again(stop_at: list[Any] | None) -> RunEnd:
        return child.run(node, setting, limits, keeper, record=True, stop_at=stop_at)

    def run(enough: int | None) -> RunEnd:
        return child.run(node, setting, limits, keeper, enough=enough)

    plain = _plain(run, runs, limits, budget_s)
    # A reference is for everybody: nothing unconfirmed goes into it.
    alone = not node.known and settings.profile().name != "reference"
    recorded, drawn, refused = _recordings(program, limits, plain, again, alone=alone)
    if not drawn and refused:
        raise refused
    comparison = orders.Comparison.of([*plain, *recorded])
    found = comparison.count(plain, recorded)
    shown = [list(order.lines) for order in found]
    for recording in drawn:
        recording["order"] = shown.index(list(comparison.order(recording.pop("printed"))))
    drawn = _one_of_each(drawn)
    unconfirmed = bool(refused) and alone and not any(one["verified"] for one in drawn)
    notes = [_too_few(plain, runs, budget_s), comparison.note]
    if unconfirmed:
        notes.append(
            f"The recorder does not know the trace events of Node {node.version} (it knows those "
            f"of Node {', '.join(map(str, KNOWN))}): the phases are its hooks' word alone, "
            "and nothing confirms them."
        )
    return Versioned(
        node,
        len(plain),
        _ends(plain),
        found,
        drawn,
        [
            *filter(None, notes),
            *_notes(plain, recorded, limits),
            *_cuts(drawn, limits),
            *endings.notes(plain, recorded, program),
        ],
        min(o.seconds for o in plain),
        min((o.seconds for o in recorded), default=0.0),
        unconfirmed,
    )


def _plain(
    run: Callable[[int | None], RunEnd], runs: int, limits: Limits, budget_s: float
) -> list[RunEnd]:
    """Up to `runs` plain runs within the budget.

    One that had to be stopped tells the others how many lines are enough: they are compared as far
    as they got. If it had printed nothing, the others would tell no more.
    """
    started = time.monotonic()
    plain = [run(None)]
    while len(plain) < runs:
        enough = None
        if (first := plain[0]).stopped:
            budget_s = min(budget_s, ENDLESS * limits.seconds)
            enough = len(first.lines)
            if not enough:
                break
        if time.monotonic() - started > budget_s:
            break
        plain.append(run(enough))
    return plain


def _too_few(plain: list[RunEnd], runs: int, budget_s: float) -> str | None:
    if len(plain) == runs:
        return None
    if plain[0].stopped:
        was = "run was" if len(plain) == 1 else "runs were"
        return (
            f"Only {len(plain)} of {runs} {was} made, because the program does not end: "
            "another order may be possible."
        )
    return f"{len(plain)} of {runs} runs were made in {budget_s:g} s."


def _one_of_each(drawn: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The first recording of each order."""
    return list({recording["order"]: recording for recording in reversed(drawn)}.values())[::-1]


def _recordings(
    program: TracedProgram,
    limits: Limits,
    plain: list[RunEnd],
    again: Callable[[list[Any] | None], RunEnd],
    *,
    alone: bool,
) -> tuple[list[RunEnd], list[dict[str, Any]], TraceRefusedError | None]:
    comparison = orders.Comparison.of(plain)
    seen = comparison.count(plain)
    # When nearly every run differs, waiting for one of those orders to come back is vain.
    wanted = [order.lines for order in seen if order.count > 1][:RECORDINGS_KEPT]
    attempts = ATTEMPTS if len(seen) <= RECORDINGS_KEPT else RECORDINGS_KEPT
    endless = any(outcome.stopped for outcome in plain)
    outcomes: list[RunEnd] = []
    drawn: dict[tuple[str, ...], dict[str, Any]] = {}
    unconfirmed: dict[tuple[str, ...], dict[str, Any]] = {}
    refused: TraceRefusedError | None = None
    stop_at = None
    for _ in range(2 if endless else attempts):
        outcome = again(stop_at)
        outcomes.append(outcome)
        lines = comparison.order(outcome)
        if outcome.spans is None and outcome.ended == "time" and stop_at is None:
            stop_at = _running(outcome.rows)
            if stop_at:
                continue  # blocked in a callback: once more, saving the trace events before it
        try:
            recording = canonical(program, outcome, limits)
        except TraceRefusedError as error:
            refused = error
            if alone and not _failed(outcome):
                recording = canonical(program, outcome, limits, alone=True)
                unconfirmed[lines] = recording | {"printed": outcome}
            continue
        drawn.setdefault(lines, recording | {"printed": outcome})
        if (endless and len(wanted) < 2) or all(lines in drawn for lines in wanted):
            break
    drawn = drawn or unconfirmed
    in_order = sorted(drawn.items(), key=lambda pair: _rank(pair[0], wanted))
    return outcomes, [recording for _, recording in in_order][:RECORDINGS_KEPT], refused


def _rank(lines: tuple[str, ...], wanted: list[tuple[str, ...]]) -> int:
    return wanted.index(lines) if lines in wanted else len(wanted)


def canonical(
    program: TracedProgram, outcome: RunEnd, limits: Limits, *, alone: bool = False
) -> dict[str, Any]:
    """One run's recording, cut to `limits.events`. Raises TraceRefusedError.

    alone : by the hooks alone; it is not verified then.
    """
    if why := _failed(outcome):
        raise TraceRefusedError(f"There is no trace: {why}.")
    spans = None if alone else outcome.spans
    agreed = agree(outcome.rows, spans)
    placed = {callback.row: (callback, phase) for callback, phase in agreed}
    source = program.source.split("\n")
    built = Builder(source, outcome.rows, spans or Spans(), placed).build(program.name)
    events = built["events"]
    if len(events) > limits.events:
        t_us = events[limits.events - 1][0]
        built["cut_events"] = len(events) - limits.events
        built["events"] = [
            *events[: limits.events],
            [t_us, "cut", None, None, None, None, "events"],
        ]
        used = {event[2] for event in built["events"] if len(event) > 2}
        last = max((index for index in used if index is not None), default=0)
        built["tasks"] = built["tasks"][: last + 1]
    built["verified"] = spans is not None or not agreed
    built["code"] = outcome.code
    built["ended"] = outcome.ended if outcome.code is not None else _how(outcome)
    return built


def _failed(outcome: RunEnd) -> str:
    """Why the recorder has no word at all on this run, or ""."""
    if not outcome.rows:
        return "the recorder wrote nothing"
    where = str(child.PRELOAD.parent)
    if outcome.code and where in outcome.stderr:
        return f"the recorder itself failed on this Node: {endings.last_error(outcome.stderr)}"
    return ""


def _how(outcome: RunEnd) -> str:
    return "time" if any(row[0] == "T" for row in outcome.rows) else outcome.ended


def _running(rows: list[list[Any]]) -> list[Any] | None:
    """Type, line and how-manieth of its like of the callback that never ended; None for the text
    of the program itself.
    """
    facts = {
        row[2]: (row[3], row[6]["at"][0][0] if row[6] else None) for row in rows if row[0] == "i"
    }
    stack: list[int] = []
    seen: list[tuple[Any, ...]] = []
    for row in rows:
        if row[0] == "b" and row[2] in facts:
            stack.append(row[2])
            seen.append(facts[row[2]])
        elif row[0] == "a" and stack:
            stack.pop()
    return [*facts[stack[-1]], seen.count(facts[stack[-1]])] if stack else None


def _ends(outcomes: list[RunEnd]) -> dict[str, int]:
    ends: dict[str, int] = {}
    for outcome in outcomes:
        key = f"code {outcome.code}" if outcome.ended == "exit" else outcome.ended
        ends[key] = ends.get(key, 0) + 1
    return ends


def _cuts(drawn: list[dict[str, Any]], limits: Limits) -> list[str]:
    """What the reader must know of recordings that were cut."""
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
        f"The replay shows the first {limits.events:,} of {total:,} events: {by_then}. "
        f"events={total} shows all."
    ]


def _notes(plain: list[RunEnd], recorded: list[RunEnd], limits: Limits) -> list[str]:
    notes = []
    if any(outcome.ended == "time" for outcome in plain):
        notes.append(
            f"The program was still running after {limits.seconds:g} s and was stopped: "
            "the trace is its beginning."
        )
    if any(outcome.ended == "output" for outcome in plain):
        notes.append(
            f"The program was stopped after it had printed {child.OUTPUT_BYTES:,} bytes: "
            "the trace is its beginning."
        )
    rows = [row for outcome in recorded for row in outcome.rows]
    if any(row[0] == "L" for row in rows):
        notes.append(
            f"The recorder stopped after {limits.rows:,} events; the program itself went on."
        )
    last = recorded[-1]
    if last.spans is None and any(row[0] == "b" for row in last.rows):
        notes.append(
            "The program was killed, so Node's own trace events are missing: the phases are "
            "the recorder's word alone."
        )
    if any(row[0] == "i" and row[3] == "WORKER" for row in rows):
        notes.append(
            "A worker has an event loop of its own, which is not recorded; its messages are."
        )
    return notes

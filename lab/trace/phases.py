"""In which phase of which loop iteration did each callback run? Two witnesses, and their agreement.

The hooks' witness: the type of the callback, whether its handle was being closed, and libuv's own
iteration counter (`uvMetricsInfo.loopCount`, incremented just before poll), all read inside the
program. The trace events' witness: the spans RunTimers and CheckImmediate that Node's C++ wrote
around the phases. Neither knows everything; a callback's phase is what both allow.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from lab.errors import LabError
from lab.trace import kinds

Place = tuple[str, int]  # phase, iteration
Places = frozenset[Place]
ADVICE = "Run it again. If this happens every time, please report the program."
MAIN: Places = frozenset({("main", 0)})


class TraceRefusedError(LabError):
    """The two sources disagree: nothing is drawn, because a wrong trace is worse than none."""


@dataclass(frozen=True)
class Callback:
    """One run of a callback as the hooks saw it; `row` and `end_row` index the recorder's rows."""

    row: int
    id: int
    kind: str
    t_us: int
    iteration: int
    depth: int
    places: Places


@dataclass
class Spans:
    """The trace events of Node's main thread, with times in microseconds on the hooks' clock."""

    timers: list[tuple[int, int]] = field(default_factory=list)
    check: list[tuple[int, int]] = field(default_factory=list)
    exits: list[tuple[int, int]] = field(default_factory=list)
    loop_start: int | None = None
    loop_exit: int | None = None
    callbacks: list[tuple[str, int]] = field(default_factory=list)  # type, async id
    gc: list[tuple[int, int, str]] = field(default_factory=list)  # start, duration, kind
    fs: list[tuple[int, str]] = field(default_factory=list)  # start, name of the call
    work: list[tuple[int, int | None, str]] = field(default_factory=list)  # given, back, what
    threads: list[tuple[int, int, int, str]] = field(default_factory=list)  # start, end, id, what
    unread: str = ""  # why the file could not be understood


def _hook_places(kind: str, loop: int, closing: bool, last_places: Places) -> Places:
    """What the hooks alone allow for a callback called straight from the loop."""
    poll = frozenset({("poll", loop)})
    same = frozenset(place for place in last_places if place[1] == loop)
    if kind == "Timeout":
        places = frozenset({("timers", loop)})
    elif kind == "Immediate":
        places = frozenset({("check", loop)})
    elif kind in kinds.QUEUES:
        # V8 drains the queues after a task of its own, too (a WebAssembly module, a finalizer),
        # in poll or, when nothing else keeps the loop alive, outside it.
        places = (same or poll) | {("task", loop)}
    elif closing:
        places = frozenset({("close", loop)})
    elif kinds.MAY_CLOSE.match(kind):
        places = poll | {("close", loop), ("pending", loop)}
    elif kinds.LOOSE.match(kind):
        places = poll | {("check", loop)} | same
    else:
        places = poll if kinds.lane(kind) != "other" else poll | same
    return places


def from_hooks(rows: list[list[Any]]) -> Iterator[Callback]:
    """Yield every callback run in order, with the places the hooks alone allow for it."""
    kind_of: dict[int, str] = {}
    closing: set[int] = set()
    stack: list[tuple[int, Places]] = []
    last_places = MAIN
    leaving = False  # between beforeExit and the next callback of the loop
    for number, row in enumerate(rows):
        code = row[0]
        if code == "i":
            kind_of[row[2]] = row[3]
        elif code == "c":
            closing.add(row[2])
        elif code in ("B", "x"):
            stack.clear()
            leaving = True
        elif code == "a":
            while stack and stack[-1][0] != row[2]:
                stack.pop()  # an exception skipped the inner `after`s
            if stack:
                stack.pop()
        elif code == "b":
            kind, loop = kind_of.get(row[2], "unknown"), row[3]
            if stack:
                places = stack[-1][1]
            elif leaving and kind in kinds.QUEUES:
                places = frozenset({("exit", loop)})
            else:
                leaving = False
                places = last_places = _hook_places(kind, loop, row[2] in closing, last_places)
            stack.append((row[2], places))
            yield Callback(number, row[2], kind, row[1], loop, len(stack), places)


class SpanWitness:
    """Answers, from the trace events alone, where the main thread was at a moment."""

    def __init__(self, spans: Spans) -> None:
        self.spans = spans
        self._named = (("timers", spans.timers), ("check", spans.check), ("exit", spans.exits))
        self._starts = {name: [start for start, _ in intervals] for name, intervals in self._named}
        self._check_ends = [end for _, end in spans.check]
        # A program that exits or throws inside a phase leaves its span without an end: length 0.
        self._open: tuple[str, int] | None = None
        last = max(
            ((start, end, name) for name, intervals in self._named for start, end in intervals),
            default=None,
        )
        if last and last[0] == last[1]:
            self._open = (last[2], last[0])

    def places(self, t_us: int) -> Places:
        """The places the spans allow at `t_us`; both sides of an edge that falls on it."""
        # Clocks of whole microseconds: look half a microsecond before and after.
        return self._at(t_us - 0.5) | self._at(t_us + 0.5)

    def _at(self, t_us: float) -> Places:
        spans = self.spans
        if spans.loop_start is None or t_us < spans.loop_start:
            return MAIN
        n_checks = bisect_right(self._check_ends, t_us)
        if spans.loop_exit is not None and t_us > spans.loop_exit:
            return frozenset({("exit", n_checks)})
        for name, intervals in self._named:
            index = bisect_right(self._starts[name], t_us) - 1
            if index >= 0 and t_us <= intervals[index][1]:
                return frozenset({(name, n_checks + 1 if name == "check" else n_checks)})
        gap = self._gap(t_us, n_checks)
        if self._open and t_us > self._open[1]:
            name, start = self._open
            # The check that ended in this microsecond may be the check before.
            counts = {find(self._check_ends, start) for find in (bisect_left, bisect_right)}
            return gap | {(name, n + 1 if name == "check" else n) for n in counts}
        return gap

    def _gap(self, t_us: float, n_checks: int) -> Places:
        # Poll and close have no span. Close comes after this iteration's check, poll before the
        # next check: only the hooks' iteration number can tell them apart. Once the timers ran, the
        # closing is over. Postponed callbacks of libuv (an error of a write, say) come before the
        # poll that moves the counter on.
        timers = bisect_right(self._starts["timers"], t_us) - 1
        check = self._check_ends[n_checks - 1] if n_checks else 0
        over = timers >= 0 and self._starts["timers"][timers] > check
        before = ("pending" if over else "close", n_checks)
        return frozenset({("poll", n_checks + 1), before, ("task", n_checks)})


def agree(rows: list[list[Any]], spans: Spans | None) -> list[tuple[Callback, str]]:
    """Each callback with its phase; without `spans` the hooks' word alone.

    Raises TraceRefusedError when some callback has no place, or more than one, that both allow, or
    when the trace events do not list the same callbacks in the same order.
    """
    callbacks = list(from_hooks(rows))
    if spans is None:
        return [(callback, _likeliest(callback.places)) for callback in callbacks]
    if spans.unread:
        raise TraceRefusedError(
            f"The trace is refused because, of the trace events, {spans.unread}."
        )
    _same_callbacks(callbacks, spans)
    witness = SpanWitness(spans)
    pairs = []
    for callback in callbacks:
        theirs = witness.places(callback.t_us)
        common = callback.places & theirs
        if len(common) > 1:
            common = frozenset(place for place in common if place[0] != "task")
        if len({phase for phase, _ in common}) != 1:
            raise TraceRefusedError(
                "The trace is refused because its two sources do not agree on callback "
                f"{callback.id} ({callback.kind}). The hooks say {_words(callback.places)}, "
                f"and the trace events say {_words(theirs)}. {ADVICE}"
            )
        phase = next(iter(common))[0]
        if phase == "pending":
            # A pending callback reports input or output, so it is drawn in the next poll.
            late = replace(callback, iteration=callback.iteration + 1)
            pairs.append((late, "poll"))
        else:
            pairs.append((callback, phase))
    return pairs


def _likeliest(places: Places) -> str:
    """The phase of a callback by the hooks alone: of several the one that is usual for its kind."""
    usual = ("main", "timers", "check", "poll", "close", "exit", "task", "pending")
    return min((phase for phase, _ in places), key=usual.index)


def _same_callbacks(callbacks: list[Callback], spans: Spans) -> None:
    """Queues, timers and immediates must match one to one; the trace events may name no other.

    Callbacks that C++ makes without MakeCallback (FSREQPROMISE, some of an HTTP parser's) leave no
    trace event, so for the other types theirs need only be among ours.
    """
    hook_counts = Counter((c.kind, c.id) for c in callbacks)
    ours = [(c.kind, c.id) for c in callbacks if c.kind in kinds.LANES]
    theirs = [pair for pair in spans.callbacks if pair in hook_counts and pair[0] in kinds.LANES]
    if ours != theirs:
        pairs = zip(ours, theirs, strict=False)
        at = next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(ours), len(theirs)))
        raise TraceRefusedError(
            f"The trace is refused because callback number {at + 1} is "
            f"{dict(enumerate(ours)).get(at)} according to the hooks and "
            f"{dict(enumerate(theirs)).get(at)} according to the trace events. {ADVICE}"
        )
    extra = Counter(pair for pair in spans.callbacks if pair in hook_counts) - hook_counts
    if extra:
        raise TraceRefusedError(
            "The trace is refused because the trace events name callbacks that the hooks did "
            f"not see: {', '.join(f'{kind} {number}' for kind, number in list(extra)[:3])}. "
            f"{ADVICE}"
        )


def _words(places: Places) -> str:
    if not places:
        return "nothing"
    return " or ".join(f"{phase} of iteration {at}" for phase, at in sorted(places))

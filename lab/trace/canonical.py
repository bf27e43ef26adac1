"""One recorded run as the compact, canonical recording that the replay and the reader get.

A recording has tasks (what waits and runs) and events. An event is a row of EVENT_COLUMNS with
empty columns at its end left out:

    run, end    a callback begins (with its iteration and phase) or ends
    node        Node's own ticks and promise callbacks that did nothing to show,
                `data` = [count, microseconds]
    new         a task starts to wait, in its lane
    ready       a promise reaction enters the microtask queue
    gone        a timer, immediate or handle is cleared before it ran again
    closing     close() of a handle was called
    thread, done    a thread of the pool begins and ends the work (crypto and zlib; since Node 26
                    also files that are read or written in one job)
    out, err    a line of output
    req         an HTTP server received a request
    gc          a pause of the garbage collector, `data` = [microseconds, kind]
    error, exit, cut    an uncaught error; the exit code; the recording stops here
"""

from __future__ import annotations

from collections import defaultdict, deque
from dataclasses import dataclass, field
from typing import Any

from lab.records.trace import EVENT_COLUMNS
from lab.trace import kinds
from lab.trace.events import ONE_TRIP
from lab.trace.phases import Callback, Spans
from lab.trace.tasks import UNKNOWN, Task, collect

GC_SHOWN_US = 50
MAIN = 0


@dataclass
class Builder:
    """Turns rows into events, in one pass over the rows after one that collects the tasks."""

    source: list[str]
    rows: list[list[Any]]
    spans: Spans
    placed: dict[int, tuple[Callback, str]]
    tasks: dict[int, Task] = field(default_factory=dict)
    shown: list[dict[str, Any]] = field(default_factory=list)
    events: list[list[Any]] = field(default_factory=list)
    stack: list[int] = field(default_factory=list)
    resolved: dict[int, int] = field(default_factory=dict)
    waiters: dict[int, list[Task]] = field(default_factory=dict)
    requests: int = 0
    request_of: dict[int, int | None] = field(default_factory=dict)
    t0: int = 0
    main_id: int | None = None  # the callback that runs an ES module's text; None for CommonJS
    pending: list[tuple[int, Task, int, str]] = field(default_factory=list)
    folded: list[Any] = field(default_factory=list)
    started: bool = False

    def build(self, name: str) -> dict[str, Any]:
        """The recording: `tasks`, `events` and what they need to be read."""
        self.tasks = collect(self.rows, self.spans, self.source)
        start = self._find_main()
        self.shown.append({"kind": "main", "lane": "main", "label": name})
        side = self._side_rows()
        running = self.main_id is None
        if running:
            self.started, self.t0 = True, self.rows[0][1] if self.rows else 0
            self._emit(self.t0, "run", MAIN, iteration=0, phase="main")
        for number in range(start, len(self.rows)):
            row = self.rows[number]
            while side and side[0][0] <= row[1]:
                self._emit_side(side.pop(0))
            if running and row[0] in ("b", "x", "B", "T"):
                self._emit(row[1], "end", MAIN)
                running = False
            self._row(number, row)
        return {
            "tasks": self.shown,
            "columns": list(EVENT_COLUMNS),
            "events": self.events,
            "module": "cjs" if self.main_id is None else "esm",
        }

    def _find_main(self) -> int:
        """Row at which the program's text begins. An ES module runs inside a promise's callback."""
        stack: list[tuple[int, int]] = []
        first = 0
        for number, row in enumerate(self.rows):
            if row[0] == "b":
                stack.append((row[2], number))
            elif row[0] == "a" and stack:
                stack.pop()
            site = row[6] if row[0] == "i" else row[4] if row[0] == "o" else None
            if not site:
                continue
            task = self.tasks[stack[0][0]] if stack else None
            if task is None or task.own or not (task.lane == "micro" or task.kind == UNKNOWN):
                return first
            self.main_id, first = stack[0]
            # Linking a module with top-level await makes a promise at 1:1, before its text runs.
            if not (row[0] == "i" and row[3] == "PROMISE" and site["at"][0][:2] == [1, 1]):
                return first
        return first

    def _side_rows(self) -> list[tuple[int, str, Any]]:
        """The steps that the trace events add: GC pauses, and work on the threads of the pool."""
        side: list[tuple[int, str, Any]] = [
            (at, "gc", [duration, kind])
            for at, duration, kind in self.spans.gc
            if duration >= GC_SHOWN_US
        ]
        threads = dict.fromkeys(thread for _, _, thread, _ in self.spans.threads)
        slots = {thread: n for n, thread in enumerate(threads)}
        work = [c for c, _ in self.placed.values() if kinds.POOL_WORK.match(c.kind)]
        files = [c for c, _ in self.placed.values() if c.kind in kinds.POOL_FILES]
        # The pool is first in, first out: of one kind the n-th work given is the n-th that begins.
        # Of two kinds the later may say first that it begins, where its thread gets a processor.
        spans_by_name: defaultdict[str, deque[tuple[int, int, int]]] = defaultdict(deque)
        for start, end, thread, name in self.spans.threads:
            spans_by_name[name].append((start, end, thread))
        for given_at, back, name in self.spans.work:
            if not spans_by_name[name]:
                continue
            start, end, thread = spans_by_name[name].popleft()
            runs = files if name in ONE_TRIP else work
            task = next((c.id for c in runs if back is not None and c.t_us >= back), None)
            if task is None:
                continue
            if self.tasks[task].kind == "ZLIB":
                side.append((given_at, "new", task))  # the stream waits only while it compresses
            side.append((start, "thread", (task, slots[thread])))
            side.append((end, "done", task))
        return sorted(side, key=lambda row: row[0])

    def _emit_side(self, row: tuple[int, str, Any]) -> None:
        at, kind, data = row
        if not self.started:
            return
        if kind == "gc":
            self._emit(at, "gc", data=data)
        elif kind == "thread":
            self._emit(at, kind, self._index(self.tasks[data[0]]), data=data[1])
        else:
            self._emit(at, kind, self._index(self.tasks[data]))

    def _emit(self, at: int, kind: str, task: int | None = None, **rest: Any) -> None:
        # A callback of Node's own is shown once something happens inside it.
        shown, self.pending = self.pending, []
        if self.folded:
            self._flush()
        for start, inner, iteration, phase in shown:
            self._run(start, inner, iteration, phase)
        row: list[Any] = [max(0, at - self.t0), kind, task]
        row += [rest.get(name) for name in EVENT_COLUMNS[3:]]
        while row[-1] is None:
            row.pop()
        self.events.append(row)

    def _index(self, task: Task) -> int:
        if task.index is None:
            task.index = len(self.shown)
            maker = self.tasks.get(task.by)
            while maker and maker.index is None:
                maker = self.tasks.get(maker.by)
            facts = {
                "kind": task.kind,
                "lane": task.lane,
                "label": task.label,
                "line": task.line,
                "by": maker.index if maker else None,
                "ms": task.detail.get("ms"),
                "fn": task.detail.get("fn"),
                "req": task.req,
                "stays": task.detail.get("every") is not None or task.kind in kinds.HANDLES or None,
                "internal": None if task.own or task.input_output else True,
            }
            self.shown.append({k: v for k, v in facts.items() if v is not None})
        return task.index

    def _row(self, number: int, row: list[Any]) -> None:
        code, at = row[0], row[1]
        handler = getattr(self, f"_on_{CODES.get(code, 'other')}")
        handler(number, at, row)

    def _on_init(self, number: int, at: int, row: list[Any]) -> None:
        task = self.tasks[row[2]]
        task.req = self.request_of.get(self.stack[-1]) if self.stack else None
        waits_unseen = task.kind in ("PROMISE", "ZLIB") or task.lane == "other"
        if (task.own or task.input_output) and not waits_unseen:
            self._emit(at, "new", self._index(task), **_place(task.site))
        elif task.kind == "PROMISE" and task.own and task.runs:
            self._emit(at, "new", self._index(task), **_place(task.site))
            if task.trigger not in self.tasks or task.trigger in self.resolved:
                self._emit(at, "ready", task.index)
            else:
                self.waiters.setdefault(task.trigger, []).append(task)

    def _on_before(self, number: int, at: int, row: list[Any]) -> None:
        self.stack.append(row[2])
        if row[2] not in self.tasks:
            return
        task = self.tasks[row[2]]
        self.request_of[row[2]] = task.req
        placed = self.placed.get(number)
        if placed is None:
            return
        callback, phase = placed
        if task.own or task.lane not in ("tick", "micro") or row[2] == self.main_id:
            self._run(at, task, callback.iteration, phase)
        else:
            self.pending.append((at, task, callback.iteration, phase))

    def _run(self, at: int, task: Task, iteration: int, phase: str) -> None:
        main = task.id == self.main_id and not self.started
        index = MAIN if main else self._index(task)
        if main:
            task.index = MAIN
            self.started, self.t0 = True, at
        line = None if main else task.line
        self._emit(at, "run", index, iteration=iteration, phase=phase, line=line)

    def _on_after(self, number: int, at: int, row: list[Any]) -> None:
        while self.stack and self.stack[-1] != row[2]:
            self._end(at, self.stack.pop())
        if self.stack:
            self._end(at, self.stack.pop())

    def _end(self, at: int, id_: int) -> None:
        task = self.tasks.get(id_)
        if self.pending and task is self.pending[-1][1]:
            start, _, iteration, phase = self.pending.pop()
            if self.folded and self.folded[3:] == [iteration, phase]:
                self.folded[1] += 1
                self.folded[2] += at - start
            elif self.started:
                if self.folded:
                    self._flush()
                self.folded = [start, 1, at - start, iteration, phase]
        elif task is not None and task.index is not None:
            self._emit(at, "end", task.index)

    def _flush(self) -> None:
        start, *data, iteration, phase = self.folded
        self.folded = []
        self._emit(start, "node", iteration=iteration, phase=phase, data=data)

    def _on_resolve(self, number: int, at: int, row: list[Any]) -> None:
        self.resolved[row[2]] = number
        for task in self.waiters.pop(row[2], []):
            self._emit(at, "ready", task.index)

    def _on_destroy(self, number: int, at: int, row: list[Any]) -> None:
        task = self.tasks.get(row[2])
        if task and task.index is not None and task.kind in kinds.HANDLES:
            self._emit(at, "gone", task.index)

    def _on_clear(self, number: int, at: int, row: list[Any]) -> None:
        task = self.tasks.get(row[2])
        if task and task.index is not None:
            self._emit(at, "gone", task.index, **_place(row[3]))

    def _on_close(self, number: int, at: int, row: list[Any]) -> None:
        task = self.tasks.get(row[2])
        if task and task.index is not None:
            self._emit(at, "closing", task.index, **_place(row[3]))

    def _on_output(self, number: int, at: int, row: list[Any]) -> None:
        current = self.tasks.get(self.stack[-1]) if self.stack else None
        index = self._index(current) if current else MAIN
        what = "out" if row[2] == 1 else "err"
        self._emit(at, what, index, data=row[3].removesuffix("\n"), **_place(row[4]))

    def _on_request(self, number: int, at: int, row: list[Any]) -> None:
        self.requests += 1
        for id_ in self.stack:
            self.request_of[id_] = self.requests
        current = self.tasks.get(self.stack[-1]) if self.stack else None
        index = self._index(current) if current else MAIN
        self._emit(at, "req", index, data=[self.requests, row[3]])

    def _on_exit(self, number: int, at: int, row: list[Any]) -> None:
        while self.stack:
            self._end(at, self.stack.pop())
        self._emit(at, "exit", data=row[2])

    def _on_error(self, number: int, at: int, row: list[Any]) -> None:
        current = self.tasks.get(self.stack[-1]) if self.stack else None
        index = self._index(current) if current else MAIN
        self._emit(at, "error", index, data=row[2])

    def _on_cut(self, number: int, at: int, row: list[Any]) -> None:
        self._emit(at, "cut", data="events" if row[0] == "L" else "time")

    def _on_other(self, number: int, at: int, row: list[Any]) -> None:
        """Start and beforeExit: nothing to show."""


CODES = {
    "i": "init",
    "b": "before",
    "a": "after",
    "r": "resolve",
    "d": "destroy",
    "k": "clear",
    "c": "close",
    "o": "output",
    "q": "request",
    "x": "exit",
    "!": "error",
    "L": "cut",
    "T": "cut",
}


def _place(site: dict[str, Any] | None) -> dict[str, Any]:
    """Line, and the chain of the program's functions when there is one."""
    if not site:
        return {}
    named = [[name or "(anonymous)", line] for line, _, name in site["at"]]
    chain = len(named) > 1 or site["at"][0][2]
    return {"line": site["at"][0][0], "stack": named if chain else None}

"""Tasks that wait and run: the resources of async_hooks, under the names that readers know."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lab.trace import kinds
from lab.trace.phases import Spans

UNKNOWN = "unknown"  # made before the recording began
# The function of Node that the program's line called, when the resource is the program's own.
CALLED_FOR = {
    "TickObject": re.compile(r"^nextTick$"),
    "Timeout": re.compile(r"^(setTimeout|setInterval|wait)$"),
    "Immediate": re.compile(r"^setImmediate$"),
    "Microtask": re.compile(r"^queueMicrotask$"),
    "PROMISE": re.compile(
        r"^(promiseInitHook\w*|then|catch|finally|Promise|resolve|reject|all|allSettled|race|any|"
        r"withResolvers|try)$"
    ),
}


@dataclass
class Task:
    """A resource of async_hooks, as the reader knows it."""

    id: int
    kind: str
    lane: str
    row: int
    t_us: int
    trigger: int
    by: int  # async id of the callback that made it; 0 for the program's text
    site: dict[str, Any] | None
    detail: dict[str, Any]
    line: int | None = None
    runs: int = 0
    label: str = ""
    req: int | None = None
    index: int | None = None  # place in the recording, once something of it is shown

    @property
    def own(self) -> bool:
        """True when the program's own text asked for it, false when Node made it."""
        if not self.site or self.kind == "DNSCHANNEL":
            return False
        pattern = CALLED_FOR.get(self.kind)
        return pattern is None or bool(pattern.match(self.site["called"] or ""))

    @property
    def input_output(self) -> bool:
        """True for work of the kernel or the thread pool: shown even when Node made it."""
        return self.lane in ("pool", "slow", "kernel") and self.kind != "DNSCHANNEL"


def collect(rows: Sequence[Sequence[Any]], spans: Spans, source: Sequence[str]) -> dict[int, Task]:
    """Every resource of the recorder's rows by its async id, with line and label."""
    tasks: dict[int, Task] = {}
    for number, row in enumerate(rows):
        if row[0] == "i":
            _, at, id_, kind, trigger, by, site, detail = row
            task = Task(id_, kind, kinds.lane(kind), number, at, trigger, by, site, detail or {})
            maker = tasks.get(by) or tasks.get(trigger)
            task.line = site["at"][0][0] if site else (maker.line if maker else None)
            tasks[id_] = task
        elif row[0] == "b":
            if row[2] not in tasks:
                tasks[row[2]] = Task(row[2], UNKNOWN, "other", number, row[1], 0, 0, None, {})
            tasks[row[2]].runs += 1
    calls = list(spans.fs)
    for task in tasks.values():
        if task.kind in kinds.POOL_FILES:
            # Node writes the name of the call right after it makes the request.
            while calls and calls[0][0] < task.t_us:
                calls.pop(0)
            task.detail["call"] = calls[0][1] if calls else None
        task.label = label(task, tasks, source)
    return tasks


def label(task: Task, tasks: Mapping[int, Task], source: Sequence[str]) -> str:
    """What the reader wrote (`fs.readFile`), with what Node made of it (`open`)."""
    source_call = _written(task.site, source) if task.site else None
    if task.kind == "Timeout":
        every = task.detail.get("every")
        name = source_call or ("setInterval" if every else "setTimeout")
        return f"{name} {_ms(task.detail.get('ms'))}"
    maker = tasks.get(task.by) or tasks.get(task.trigger)
    inherits = maker and maker.line is not None and not (maker.own and maker.kind in kinds.LANES)
    source_call = source_call or (maker.label.split(" · ")[0] if maker and inherits else None)
    if task.own and task.kind in kinds.LANES:
        usual = {"Immediate": "setImmediate", "TickObject": "process.nextTick"}
        return source_call or usual.get(task.kind) or "promise"
    if task.kind in ("HTTPINCOMINGMESSAGE", "HTTPCLIENTREQUEST"):
        return kinds.NOUNS[task.kind]
    if maker and maker.kind == "TCPSERVERWRAP" and task.kind == "TCPWRAP":
        return "connection"
    noun = task.detail.get("call") or kinds.NOUNS.get(task.kind) or task.detail.get("fn")
    if not source_call:
        return noun or task.kind
    return (
        f"{source_call} · {noun}" if noun and not source_call.endswith(f".{noun}") else source_call
    )


def _written(site: dict[str, Any], source: Sequence[str]) -> str | None:
    line, column, _ = site["at"][0]
    if not 1 <= line <= len(source):
        return None
    text = source[line - 1]
    match = re.compile(r"(new\s+)?[\w$.#]+").match(text, column - 1)
    if not match:
        return None
    before = re.search(r"[\w$.?\])]*$", text[: column - 1])
    return f"{_last_names(before[0]) if before else ''}{match[0]}"


def _ms(value: Any) -> str:
    return f"{value:g} ms" if isinstance(value, (int, float)) else ""


def _last_names(before: str) -> str:
    """`fs.` of `await fs.`; only a dot when the name is a property of a call's result."""
    match = re.search(r"(?:[\w$]+\.)+$", before)
    if match:
        return match[0]
    return "." if before.endswith(".") else ""

"""Read what one recorded run left behind: the recorder's rows and Node's trace events."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from lab.trace.phases import Spans

# The phase letter at the beginning of a callback. A callback of C++ has "b", a span found by its
# id, in every version. A callback of JavaScript (timers, immediates, ticks, promises and
# microtasks) has "B" since Node 26, a span found by its nesting on the thread: there
# lib/internal/trace_events_async_hooks.js writes kSyncBegin for kBeforeEvent. The id stayed.
CALLBACK_BEGINS = ("b", "B")
# A whole file in one job of the pool, since Node 26.8 (readFile) and 26.9 (writeFile): to fs.async
# it is one `read` or `write`, right after which the pool is given the job under a name of its own.
ONE_TRIP = {"fs.readfile": "open, fstat, read, close", "fs.writefile": "open, write, close"}
GC_NAMES = {"MinorGC": "minor", "MajorGC": "major"}


def read_rows(path: Path) -> list[list[Any]]:
    """The recorder's rows in order; a last line cut off by a kill is left out."""
    if not path.exists():
        return []
    rows = []
    for line in path.read_text("utf-8", "replace").splitlines():
        try:
            rows.append(json.loads(line))
        except ValueError:
            break
    return rows


def read_spans(path: Path) -> Spans | None:
    """The spans of the main thread; None when the program was killed before Node wrote them."""
    try:
        text = path.read_text("utf-8", "replace").rstrip()
        # A program that is killed after the recorder wrote the events leaves the list open.
        events = json.loads(text if text.endswith("]}") else text + "]}")["traceEvents"]
    except (OSError, ValueError, KeyError):
        return None
    try:
        return _spans(events)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        return Spans(unread=f"an event has an unknown form ({error!r})")


def _spans(events: list[Any]) -> Spans | None:
    spans = Spans()
    open_spans: dict[tuple[int, str], int] = {}
    written = False  # a program killed earlier leaves only metadata
    for event in sorted(events, key=lambda e: e["ts"]):
        name, phase, at = event["name"], event["ph"], event["ts"]
        if "threadpoolwork.sync" in event["cat"]:
            key = (event["tid"], name)
            if phase == "B":
                open_spans[key] = at
            elif key in open_spans:
                spans.threads.append((open_spans.pop(key), at, event["tid"], name))
            continue
        if event["tid"] != event["pid"]:
            continue  # a worker has a loop of its own
        written |= phase != "M"
        _place(spans, event, open_spans)
    spans.threads.sort()
    return spans if written else None


def _place(spans: Spans, event: Any, open_spans: dict[tuple[int, str], int]) -> None:
    name, phase, at, category = event["name"], event["ph"], event["ts"], event["cat"]
    if phase == "X" and name in ("RunTimers", "CheckImmediate", "BeforeExit"):
        target = {"RunTimers": spans.timers, "CheckImmediate": spans.check}.get(name, spans.exits)
        target.append((at, at + event.get("dur", 0)))
    elif phase == "I" and name == "loopStart":
        spans.loop_start = at
    elif phase == "I" and name == "loopExit":
        spans.loop_exit = at
    elif name in GC_NAMES:
        if phase == "B":
            open_spans[0, name] = at
        elif phase == "E" and (0, name) in open_spans:
            start = open_spans.pop((0, name))
            spans.gc.append((start, at - start, GC_NAMES[name]))
    elif phase in CALLBACK_BEGINS and "node.async_hooks" in category and name.endswith("_CALLBACK"):
        spans.callbacks.append((name.removesuffix("_CALLBACK"), int(event["id"], 16)))
    elif phase == "b" and "node.fs.async" in category:
        spans.fs.append((at, name))
    elif "threadpoolwork.async" in category:
        if phase == "b":
            open_spans[0, event["id"]] = len(spans.work)
            spans.work.append((at, None, name))
            if name in ONE_TRIP and spans.fs:
                spans.fs[-1] = (spans.fs[-1][0], ONE_TRIP[name])
        elif phase == "e" and (0, event["id"]) in open_spans:
            index = open_spans.pop((0, event["id"]))
            spans.work[index] = (spans.work[index][0], at, name)

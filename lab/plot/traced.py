"""Which records the rows of a figure were taken from, found by their values.

A chapter hands over plain rows, made of what was replayed; the rows no longer know where they come
from. But a measured value has digits enough to be found again in the records that were read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from lab.records import reference
from lab.records.comparison import Comparison
from lab.records.trial import Trial

_SCALES = (1.0, 1e3, 1e-3, 1e6, 1e-6, 100.0, 2.0**10, 2.0**-10, 2.0**20, 2.0**-20)
_SHARE = 0.5  # of the values that can be told apart: so many of them must be found
_DIGITS = 3  # fewer, and a value says nothing about where it is from
_numbers: dict[int, tuple[Any, set[str]]] = {}  # by id of a record, which is kept alive


def sources(values: Iterable[float]) -> list[Any]:
    """Return the fewest records of a replay that at least half of these values stand in.

    Values may be scaled by thousands or by binary units. Values of fewer than three digits are not
    looked at; without others nothing is found.
    A record whose values all stand in others as well, a round size for example, is none of them.
    """
    wanted = {_key(v) for v in values if _telling(v)}
    if not wanted:
        return []
    opened = list(reference.OPENED.values())
    there = [{k for k in wanted if not _scaled(k).isdisjoint(_known(r))} for r in opened]
    found: set[str] = set()
    used = []
    while opened:
        most = max(range(len(opened)), key=lambda i: len(there[i] - found))
        if not there[most] - found:
            break
        found |= there.pop(most)
        used.append(opened.pop(most))
    return used if len(found) >= _SHARE * len(wanted) else []


def trials_of(records: Iterable[Any]) -> list[Trial]:
    """Return the trials of these records."""
    trials: list[Trial] = []
    for record in records:
        if isinstance(record, Comparison):
            trials += record.trials
        elif isinstance(record, Trial):
            trials.append(record)
    return trials


def _key(value: float) -> str:
    return f"{value:.8g}"


def _telling(value: float) -> bool:
    digits = _key(value).lstrip("-").split("e")[0].replace(".", "").strip("0")
    return digits.isdigit() and len(digits) >= _DIGITS


def _scaled(key: str) -> set[str]:
    return {_key(float(key) * scale) for scale in _SCALES}


def _known(record: Any) -> set[str]:
    kept = _numbers.get(id(record))
    if kept is None:
        kept = _numbers[id(record)] = (record, {_key(v) for v in _values(record) if _telling(v)})
    return kept[1]


def _values(record: Any) -> Iterator[float]:
    if isinstance(record, Comparison):
        for trial in record.trials:
            yield from _values(trial)
        yield from _inside(record.table())
    elif isinstance(record, Trial):
        streams: list[Any] = [record, *record.alongside.values()]
        for stream in streams:
            yield stream.throughput
            if stream.latency.count:
                yield from (stream.latency.quantile(q) for q in (0.5, 0.9, 0.95, 0.99, 0.999))
                yield from (stream.latency.mean(), stream.latency.min(), stream.latency.max())
        yield record.metric("cpu_per_request")
        yield from _inside(record.to_json()["resources"])
    elif hasattr(record, "text"):
        yield from _printed(record.text)
    elif hasattr(record, "to_json"):
        yield from _inside(record.to_json())


def _printed(text: str) -> Iterator[float]:
    for line in text.splitlines():
        try:
            yield from _inside(json.loads(line))
        except ValueError:
            yield from map(float, re.findall(r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?", line))


def _inside(data: Any) -> Iterator[float]:
    if isinstance(data, bool):
        return
    if isinstance(data, (int, float)):
        yield float(data)
    elif isinstance(data, dict):
        for value in data.values():
            yield from _inside(value)
    elif isinstance(data, (list, tuple)):
        for value in data:
            yield from _inside(value)

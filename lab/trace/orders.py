"""The set of orders a program's lines were printed in, with counts."""

from __future__ import annotations

from collections.abc import Iterable

from lab.records.trace import Order
from lab.trace.child import RunEnd


def count(plain: Iterable[RunEnd], recorded: Iterable[RunEnd] = ()) -> list[Order]:
    """The distinct orders, most frequent first."""
    found: dict[tuple[str, ...], Order] = {}
    for outcome in plain:
        found.setdefault(outcome.lines, Order(outcome.lines)).count += 1
    for outcome in recorded:
        found.setdefault(outcome.lines, Order(outcome.lines)).recorded += 1
    return sorted(found.values(), key=lambda order: (-order.count, -order.recorded))

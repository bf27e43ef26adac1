"""The set of orders a program's lines were printed in, with counts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from lab.tracing.child import Outcome


@dataclass
class Order:
    """One observed order: `count` plain runs printed it, and `recorded` runs under the recorder."""

    lines: tuple[str, ...]
    count: int = 0
    recorded: int = 0

    def __str__(self) -> str:
        return words(self.lines)


def words(lines: Iterable[str], limit: int = 12) -> str:
    """The lines on one line: `immediate → timeout`; long ones and long lists shortened."""
    kept = [line if len(line) <= 40 else f"{line[:39]}…" for line in lines]
    if not kept:
        return "(nothing printed)"
    rest = len(kept) - limit
    return " → ".join(kept[:limit]) + (f" → … {rest} more" if rest > 0 else "")


def count(plain: Iterable[Outcome], recorded: Iterable[Outcome] = ()) -> list[Order]:
    """The distinct orders, most frequent first."""
    found: dict[tuple[str, ...], Order] = {}
    for outcome in plain:
        found.setdefault(outcome.lines, Order(outcome.lines)).count += 1
    for outcome in recorded:
        found.setdefault(outcome.lines, Order(outcome.lines)).recorded += 1
    return sorted(found.values(), key=lambda order: (-order.count, -order.recorded))

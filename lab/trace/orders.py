"""The set of orders a program's lines were printed in, with counts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from lab.records.trace import Order
from lab.trace.child import RunEnd
from lab.trace.varying import Lines, Varying


@dataclass(frozen=True)
class Comparison:
    """When two runs printed the same: values that vary are masked, and runs that were stopped are
    compared as far as they got.
    """

    varying: Varying
    beginnings: tuple[Lines, ...] = ()

    @classmethod
    def of(cls, runs: Sequence[RunEnd]) -> Comparison:
        """The comparison that suits these runs."""
        varying = Varying.of(run.lines for run in runs)
        stopped = {varying.masked(run.lines) for run in runs if run.stopped}
        beginnings: list[Lines] = []
        for lines in sorted(filter(None, stopped), key=len):
            if not any(_begins(lines, beginning) for beginning in beginnings):
                beginnings.append(lines)
        return cls(varying, tuple(beginnings))

    @property
    def note(self) -> str | None:
        """The notes for the reader on these orders."""
        return self.varying.note

    def order(self, run: RunEnd) -> Lines:
        """The lines by which a run is compared."""
        lines = self.varying.masked(run.lines)
        if not run.stopped:
            return lines
        return next((b for b in self.beginnings if _begins(lines, b)), lines)

    def count(self, plain: Iterable[RunEnd], recorded_runs: Iterable[RunEnd] = ()) -> list[Order]:
        """The distinct orders, most frequent first."""
        orders: dict[Lines, Order] = {}
        for run in plain:
            lines = self.order(run)
            orders.setdefault(lines, Order(lines)).count += 1
        for run in recorded_runs:
            lines = self.order(run)
            orders.setdefault(lines, Order(lines)).recorded += 1
        return sorted(orders.values(), key=lambda order: (-order.count, -order.recorded))


def _begins(lines: Lines, beginning: Lines) -> bool:
    return lines[: len(beginning)] == beginning

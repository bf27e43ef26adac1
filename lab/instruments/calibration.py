"""What instruments read where the truth is known, judged: as it must be, a known fault, or off."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lab.errors import LabError
from lab.records.table import Table
from lab.text.html_registry import Shown
from lab.text.numbers import bare

ORDER = {"fail": 0, "warn": 1, "ok": 2}

_STALE = (
    "each connection that the server closes leaves a stale request, from which responses are timed"
)
_LOST = "requests that it wrote into a closing connection count as sent, but never get a response"
_PARSER = "its parser never learns that the connection ended"
KNOWN = {  # (tool, case, quantity) -> why it is off
    **{("autocannon", mode, q): _STALE for mode in ("close", "every10") for q in ("p50", "X·R/N")},
    **{
        (tool, framing, "answers"): _LOST
        for tool in ("autocannon", "autocannon-fixed")
        for framing in ("length", "chunked")
    },
    **{
        (tool, "until-close", quantity): _PARSER
        for tool in ("autocannon", "autocannon-fixed")
        for quantity in ("answers", "bytes", "errors")
    },
    ("autocannon-fixed", "close", "X·R/N"): "it idles until it notices that a connection closed",
    ("wrk", "until-close", "errors"): "it counts the end of each such response as a read error",
    ("ab", "ceiling", "throughput"): "it speaks HTTP/1.0 and waits for a close that never comes",
}


class NotCalibrated(LabError):
    """An instrument missed a known truth."""


@dataclass(frozen=True)
class Reading:
    """What one tool read of one truth; from `low` to `high` it is right (None: there is no truth).

    said : the tool's own summary; trusted : what its adapter believes of it.
    """

    tool: str
    case: str
    quantity: str
    unit: str
    truth: float | None
    said: float | None
    trusted: float | None
    low: float | None = None
    high: float | None = None
    note: str = ""

    @property
    def seen(self) -> float | None:
        """The figure judged: the trusted one, else what the tool said."""
        return self.said if self.trusted is None else self.trusted

    def fits(self, value: float | None) -> bool:
        """Whether a value lies where the truth allows."""
        if self.low is None or self.high is None:
            return value is not None
        return value is not None and self.low <= value <= self.high

    @property
    def known_fault(self) -> str:
        """Why this tool is expected to be off here; empty if it is not."""
        return KNOWN.get((self.tool, self.case, self.quantity), "")

    @property
    def status(self) -> str:
        """'ok'; 'warn' for a known fault, or a summary less right than the rows; else 'fail'."""
        if not self.fits(self.seen):
            return "warn" if self.known_fault else "fail"
        return "ok" if self.said is None or self.fits(self.said) else "warn"

    @property
    def text(self) -> str:
        """The finding in words."""
        if not self.fits(self.seen):
            finding = (
                self.known_fault
                or f"wrong, because only {shown(self.low)} to {shown(self.high)} is right"
            )
        elif self.said is not None and not self.fits(self.said):
            finding = f"its rows are right, but its summary says {shown(self.said)}"
        elif self.known_fault:
            finding = f"right this time, although expected to be wrong: {self.known_fault}"
        else:
            finding = "as expected" if self.low is not None else "a ceiling has no known truth"
        return f"{finding}. {self.note}" if self.note else finding

    def row(self) -> dict[str, Any]:
        """One line of the table."""
        return {
            "status": self.status,
            "tool": self.tool,
            "case": self.case,
            "quantity": f"{self.quantity} ({self.unit})" if self.unit else self.quantity,
            "truth": whole(self.truth),
            "says": whole(self.said),
            "trusted": whole(self.trusted),
            "finding": self.text,
        }


@dataclass(frozen=True)
class Calibration(Shown):
    """All readings of one calibration, and the tools that are not installed."""

    readings: tuple[Reading, ...]
    missing: tuple[tuple[str, str], ...]  # (tool, the line that installs it)
    started: str
    machine: str
    load: float | None  # load average before; above the number of cores the readings are unreliable

    @property
    def failed(self) -> tuple[Reading, ...]:
        """Readings that are off for no reason we know."""
        return tuple(r for r in self.readings if r.status == "fail")

    def require(self, *tools: str) -> None:
        """Return if none of these tools failed; else raise NotCalibrated with the readings."""
        off = [r for r in self.failed if r.tool in tools]
        if off:
            told = "; ".join(
                f"{r.tool}, {r.case}: {r.quantity} {shown(r.seen)} {r.unit} ({r.text})" for r in off
            )
            raise NotCalibrated(
                f"The instruments missed known truths: {told}. The load average was "
                f"{shown(self.load)}. Close other programs on this machine and calibrate "
                "again (python -m lab.instruments.calibrate). Until then, do not use any "
                "number from these instruments."
            )

    def ceiling_per_s(self, tool: str = "ours") -> float | None:
        """Requests per second of the tool against a server that does nothing, if measured."""
        found = (r.seen for r in self.readings if (r.tool, r.case) == (tool, "ceiling"))
        return next(found, None)

    def rows(self) -> list[dict[str, Any]]:
        """One mapping a reading, the worst first."""
        return [r.row() for r in sorted(self.readings, key=lambda r: ORDER[r.status])]

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return {**vars(self), "readings": [{**vars(r), "status": r.status} for r in self.readings]}

    @property
    def caption(self) -> str:
        """What, when, where, and what was left out."""
        told = f"Known truths, {self.started}, {self.machine}, load {shown(self.load)} before"
        left = "".join(f"; {tool} not measured ({how})" for tool, how in self.missing)
        return told + left

    def __repr__(self) -> str:
        return repr(Table(self.rows(), caption=self.caption))


def shown(value: float | None) -> str:
    """A figure for a sentence."""
    return "nothing" if value is None else bare(value, 4)


def whole(value: float | None) -> float | None:
    """The value, as an integer where it is one: bytes and counts are exact."""
    return int(value) if value is not None and float(value).is_integer() else value

"""What was observed of a program, as data: the phases of the load, the rows of its probes, the
close look, the profile. Signs are functions of this, and of nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from lab.clinic.loading import Phase
from lab.clinic.profile import Profile

Row = dict[str, Any]
IN_TIME = "in time"  # in a gap's sentence: a quieter machine may close it


@dataclass
class Observed:
    """Everything of one examination. rows : those of the probes, of all processes, by time.

    kept : what all processes held before and after each of two loads, garbage collected: bytes of
    `heap`, `external` and `rss`, `descriptors` and their `kinds`, and `heap_share`, the most that
    the heap of a process took of its limit; keepers : the functions that
    allocated what is left of the second load, with `file`, `line`, `function`, `bytes`, `text`

    gaps : what could not be observed, a sentence each: a problem that shows itself only there would
    not be found, so a report without findings is not a healthy one
    open_share : the largest share of its limit of descriptors that a process had open after a load;
    open_most : what more than half of these were of, "sockets" or a path, or empty
    opened : the files of which more were open at the end of these loads, those with the most first
    recovered : the loads that ended in silence, after which one request alone was answered
    stopped : did the user end it early (Ctrl-C)? Then only some of the loads were seen
    bridged : did requests pass our bridge, because of TLS, a UNIX socket, HTTP/2 or a scenario?
    http2 : from 1 on they were sent by HTTP/2, and so many clients shared a connection
    """

    title: str
    url: str
    path: str
    seconds: float = 0.0
    started: str = ""
    inside: bool = True  # false for a server that was already running
    node: str = ""
    listening: list[dict[str, Any]] = field(default_factory=list)
    outside: list[str] = field(default_factory=list)
    answer_status: int | None = None  # none if the program listens and does not answer
    answer_bytes: int = 0
    answer_type: str = ""
    phases: dict[str, Phase] = field(default_factory=dict)
    rows: list[Row] = field(default_factory=list)
    spans: dict[str, tuple[float, float]] = field(default_factory=dict)  # phases without a load
    looks: list[dict[str, Any]] = field(default_factory=list)
    profiles: list[Profile] = field(default_factory=list)
    accept_queue: list[tuple[float, int]] = field(default_factory=list)
    starved: list[int] = field(default_factory=list)  # processes whose loop did not turn
    warnings: list[str] = field(default_factory=list)
    gaps: list[str] = field(default_factory=list)
    kept: list[dict[str, Any]] = field(default_factory=list)
    keepers: list[dict[str, Any]] = field(default_factory=list)
    open_share: float = 0.0
    open_most: str = ""
    opened: list[str] = field(default_factory=list)
    recovered: list[str] = field(default_factory=list)
    bridged: bool = False
    http2: int = 0
    stopped: bool = False
    stubborn: bool = False
    died: str = ""

    def during(self, name: str) -> list[Row]:
        """The rows of a phase, of all processes."""
        if name in self.phases:
            start, stop = self.phases[name].from_ms, self.phases[name].to_ms
        elif name in self.spans:
            start, stop = self.spans[name]
        else:
            return []
        return [row for row in self.rows if start < row["t_ms"] <= stop + 100]

    @property
    def is_late(self) -> bool:
        """Whether time was short for everything that could not be observed."""
        return all(IN_TIME in gap for gap in self.gaps)

    @property
    def remarks(self) -> list[str]:
        """What the report says of the examination itself: warnings, then gaps."""
        return [*self.warnings, *self.gaps]

    @property
    def pids(self) -> list[int]:
        """The processes that were watched."""
        return sorted({row["pid"] for row in self.rows})

    @property
    def serving(self) -> frozenset[int]:
        """The watched processes that answer the load: those that listen at its address or, behind a
        bridge, for HTTP anywhere; all where no probe reported such a process. A helper that the
        program started, such as a stand-in for a database, is not among them.
        """
        port = None if self.bridged else urlsplit(self.url).port
        probed_pids = frozenset(self.pids)
        at_address = {
            listener["pid"]
            for listener in self.listening
            if (
                listener["where"].get("port") == port
                if port
                else listener["http"] or listener["http2"]
            )
        }
        return probed_pids & at_address or probed_pids

"""What the build says: one line a chapter while it runs, failures in full at the end."""

from __future__ import annotations

import json
import re
import sys
import textwrap
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from lab.text.numbers import count

ANSI = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


@dataclass(frozen=True)
class Failure:
    """A chapter that could not be executed: where, and what its kernel said."""

    chapter: str
    cell: str
    line: int | None
    traceback: str

    def reason(self) -> str:
        """Return the error's own line: the first of ours, the last of a Python traceback."""
        lines = [line.strip() for line in self.traceback.splitlines() if line.strip()] or [""]
        own = re.match(r"[A-Z]\w+: ", lines[0])
        return lines[0] if own else lines[-1]

    def text(self) -> str:
        """Return it readable on a terminal: place, cell, traceback."""
        place = self.chapter if self.line is None else f"{self.chapter}, line {self.line}"
        cell = textwrap.indent(self.cell.rstrip(), "    | ")
        return f"{place}:\n{cell}\n\n{textwrap.indent(self.traceback.strip(), '    ')}\n"


Action = Literal["executed", "cached", "failed", "waiting"]


@dataclass
class Outcome:
    """The outcome of one chapter in a build."""

    chapter: str
    action: Action
    because: str
    seconds: float = 0.0
    servers: int = 0
    requests: int = 0
    executed: str = ""
    failure: Failure | None = None
    claims: list[dict[str, Any]] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)

    def line(self) -> str:
        """Return the console's one line."""
        name = short(self.chapter)
        if self.action == "cached":
            when = self.executed.replace("T", " ")[:16]
            return f"{name}: from the cache of {when}, because nothing that it uses has changed"
        verb = "failed; executed" if self.action == "failed" else "executed"
        what = facts(self.seconds, self.servers, self.requests)
        reason = f" {self.failure.reason()}" if self.failure else ""
        return f"{name}: {verb} because {self.because} ({what}){reason}"

    def tell(self) -> None:
        """Print the line, and what the chapter wants to be said in the build's report."""
        say(self.line())
        for remark in self.remarks:
            say(f"{short(self.chapter)}: {remark}")


def short(chapter: str) -> str:
    """Return the chapter's name as people say it: without `book/`."""
    return chapter.removeprefix("book/")


def facts(seconds: float, servers: int, requests: int) -> str:
    """Return `41 s, 36 servers, 120,334 requests`."""
    time = f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"
    return f"{time}, {count(servers, 'server')}, {count(requests, 'request')}"


def say(text: str, *, transient: bool = False) -> None:
    """Print a line now. A transient one is overwritten by the next line on a terminal."""
    terminal = sys.stdout.isatty()
    if terminal:
        sys.stdout.write("\r\x1b[K" + text + ("" if transient else "\n"))
    else:
        sys.stdout.write(text + "\n")
    sys.stdout.flush()


def failure_from(chapter: str, source: Path, notebook: Path, traceback: str) -> Failure:
    """Return the failure recorded in an executed notebook, else what the exception's text says."""
    try:
        cells = json.loads(notebook.read_text("utf8"))["cells"]
    except (OSError, ValueError, KeyError):
        cells = []
    return failure_in(chapter, source, cells, traceback)


def failure_in(
    chapter: str, source: Path, cells: Iterable[Mapping[str, Any]], traceback: str
) -> Failure:
    """Return the failure that these cells recorded, else what the exception's text says."""
    cell, error_text = "", traceback
    for candidate in cells:
        for output in candidate.get("outputs", []):
            if output.get("output_type") == "error":
                cell = "".join(candidate["source"])
                error_text = (
                    "\n".join(output["traceback"]) or f"{output['ename']}: {output['evalue']}"
                )
    if not cell and (found := re.search(r"^-{18}\n(.*?)\n-{18}$", traceback, re.M | re.S)):
        cell = found[1]  # a timeout leaves no error output; nbclient quotes the cell between rules
    return Failure(chapter, cell, _line_of(cell, source), ANSI.sub("", error_text))


def _line_of(cell: str, source: Path) -> int | None:
    try:
        before, found, _ = source.read_text("utf8").partition(cell.strip("\n"))
    except OSError:
        return None
    return before.count("\n") + 1 if cell.strip() and found else None


def not_held(outcomes: list[Outcome]) -> list[str]:
    """Return a line for each claim that was measured and did not hold."""
    return [
        f"{short(o.chapter)}: claim {c.get('id', '?')} did not hold. {c.get('text', '')}".rstrip()
        for o in outcomes
        for c in o.claims
        if c.get("held") is False
    ]

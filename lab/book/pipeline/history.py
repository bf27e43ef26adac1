"""What earlier builds know about each chapter: what its results came from, where they are.

One JSON file a chapter, newest record first; a few are kept so that an undone edit finds its
results again.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from lab.book.pipeline.inputs import Present, explain
from lab.storage import written

KEPT = 8


@dataclass(frozen=True)
class Record:
    """One successful execution of a chapter."""

    token: str  # a part of the notebook's kernelspec, and so of jupyter-cache's key
    code: str  # the digest of the code cells
    executed: str  # the local time, ISO 8601, in seconds
    because: str
    seconds: float
    servers: int
    requests: int
    inputs: dict[str, str]
    versions: dict[str, str] = field(default_factory=dict)
    machine: str = ""
    claims: list[dict[str, Any]] = field(default_factory=list)
    # The right answers of its questions.
    answers: list[dict[str, Any]] = field(default_factory=list)
    replays: list[dict[str, Any]] = field(default_factory=list)  # programs whose order is asked
    # Experiments that were read from the reference run.
    drawn_from: list[str] = field(default_factory=list)
    measured: list[str] = field(default_factory=list)  # experiments that were measured while it ran
    # The seconds of each cell, by the cell's digest.
    cells: dict[str, float] = field(default_factory=dict)

    def holds(self, code: str, present: Present) -> bool:
        """Return whether its cells and all its inputs are what they were."""
        return self.code == code and self.inputs == present.digests(self.inputs)


class Records:
    """The records of one variant (mode and profile), below `folder`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def of(self, chapter: str) -> list[Record]:
        """Return the chapter's records, newest first; none if there are none that can be read."""
        try:
            rows = json.loads(self._path(chapter).read_text("utf8"))
            known = {f.name for f in fields(Record)}
            return [Record(**{k: v for k, v in row.items() if k in known}) for row in rows]
        except (OSError, ValueError, TypeError, AttributeError):
            return []

    def match(self, chapter: str, code: str, present: Present) -> Record | None:
        """Return the newest record made from exactly the present cells and inputs."""
        return next((r for r in self.of(chapter) if r.holds(code, present)), None)

    def why(self, chapter: str, code: str, present: Present) -> str:
        """Return in words why no record matches."""
        records = self.of(chapter)
        if not records:
            return "it has no result here yet"
        # The nearest record: if an edit is undone and another made, only the second is a reason.
        changes = [(r.inputs, present.digests(r.inputs)) for r in records if r.code == code]
        if not changes:
            return "its cells changed"
        nearest = min(
            changes, key=lambda pair: sum(pair[0][name] != pair[1][name] for name in pair[0])
        )
        return explain(*nearest)

    def add(self, chapter: str, record: Record) -> None:
        """Add a record as the first. The file is replaced in one step, because a build may be
        killed at any moment.
        """
        rows = [record, *(r for r in self.of(chapter) if r.token != record.token)][:KEPT]
        write_json(self._path(chapter), [asdict(r) for r in rows])

    def drop(self, chapter: str) -> None:
        """Forget what is recorded of a chapter."""
        self._path(chapter).unlink(missing_ok=True)

    def _path(self, chapter: str) -> Path:
        return self.folder / f"{chapter}.json"


def write_json(path: Path, data: Any) -> None:
    """Write `data` so that a reader sees the old file or the new one, never half of it."""
    written.put(path, f"{json.dumps(data, indent=1, ensure_ascii=False)}\n".encode())

"""The notes of a chapter's run (`lab.usage`), summed up for its record."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lab.book.pipeline.inputs import WRITTEN

KNOWN_RUNTIMES = ("node", "python")  # every chapter depends on these, by version


@dataclass
class Usage:
    """Names of inputs, and counts."""

    names: set[str] = field(default_factory=set)
    servers: int = 0
    requests: int = 0
    versions: dict[str, str] = field(default_factory=dict)
    claims: list[dict[str, Any]] = field(default_factory=list)
    answers: list[dict[str, Any]] = field(default_factory=list)
    replays: list[dict[str, Any]] = field(default_factory=list)
    drawn_from: set[str] = field(default_factory=set)
    measured: set[str] = field(default_factory=set)
    remarks: list[str] = field(default_factory=list)
    unreadable: int = 0

    def take(self, row: dict[str, Any]) -> None:
        """Add one noted line."""
        kind = row.get("kind")
        if kind == "file":
            path = str(row["path"])
            if not path.startswith(WRITTEN):
                self.names.add(f"file:{path}")
        elif kind == "server":
            self.servers += int(row.get("started", 1))
        elif kind == "load":
            self.requests += int(row.get("requests", 0))
        elif kind == "record":
            self.drawn_from.add(str(row.get("experiment", row.get("id", ""))))
        elif kind == "measured":
            self.measured.add(str(row["experiment"]))
        elif kind == "node":  # a Node on which a program ran in addition to the book's own
            self.names.add(f"node:{row['major']}")
        elif kind == "remark":
            self.remarks.append(str(row["text"]))
        elif kind == "runtime":
            name = str(row["name"])
            if row.get("version"):
                self.versions[name] = str(row["version"]).removeprefix("v")
            if name not in KNOWN_RUNTIMES:
                self.names.add(f"program:{name}")
        elif kind in ("claim", "answer", "replay"):
            of = {"claim": self.claims, "answer": self.answers, "replay": self.replays}[kind]
            of.append({k: v for k, v in row.items() if k != "kind"})


def read(path: Path) -> Usage:
    """Return what the file's lines say; a missing file is a chapter that used nothing of `lab`."""
    usage = Usage()
    try:
        lines = path.read_text("utf8").splitlines()
    except FileNotFoundError:
        return usage
    for line in lines:
        try:
            usage.take(json.loads(line))
        except (ValueError, KeyError, TypeError, AttributeError):
            usage.unreadable += 1
    return usage

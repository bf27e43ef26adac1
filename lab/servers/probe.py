"""The rows that the probe inside a Node server wrote: one per 100 ms and process."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

LARGEST_BYTES = 32 * 1024 * 1024  # a hundred hours of one process


def files(prefix: Path) -> list[Path]:
    """The files of all Node processes of one server; `prefix` is its LAB_PROBE_FILE."""
    return sorted(prefix.parent.glob(f"{prefix.name}.*"))


def rows(prefix: Path, since_us: float = 0) -> list[dict[str, Any]]:
    """The rows of all processes in order of time, each with its "pid".

    since_us : leave out what is older (epoch, microseconds). A last line that is only half
    written, because its process was killed or is writing now, is left out too.
    """
    rows = []
    for path in files(prefix):
        with contextlib.suppress(OSError), path.open("rb") as file:
            pid = int(path.name.rpartition(".")[2])
            for line in file.read(LARGEST_BYTES).split(b"\n")[:-1]:
                with contextlib.suppress(ValueError, KeyError, TypeError):
                    row = json.loads(line)
                    if row["t_us"] >= since_us:
                        rows.append({**row, "pid": pid})
    return sorted(rows, key=lambda row: row["t_us"])

"""The readings of the instruments where the truth is known: wrong readings first, others folded."""

from __future__ import annotations

from lab.display.html import STYLE, table
from lab.instruments.calibration import Calibration
from lab.text.html_registry import html


@html.register
def calibration(read: Calibration) -> str:
    """Return the readings that are wrong, and the other readings behind a fold."""
    rows = read.rows()
    odd = [row for row in rows if row["status"] != "ok"]
    fine = [row for row in rows if row["status"] == "ok"]
    folded = (
        f"<details><summary>{len(fine)} readings are correct</summary>"
        f"{table(fine, label='readings are correct')}</details>"
    )
    return STYLE + (table(odd, caption=read.caption) if odd else "") + folded

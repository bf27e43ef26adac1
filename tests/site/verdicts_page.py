"""Prints the page of verdicts as the build draws it of made-up results, without its chapters; with
the folder of a site and its address, writes the small page of each verdict there.
"""

import json
import os
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace

notes = Path(tempfile.mkdtemp()) / "usage"
os.environ |= {"LAB_USAGE_FILE": str(notes), "LAB_PROFILE": "reference"}

from lab import claims  # noqa: E402  what it notes goes where the environment says
from lab.book.pages import cards, verdict_pages, verdicts  # noqa: E402
from lab.book.pipeline import usage_notes  # noqa: E402
from lab.book.pipeline.history import Record  # noqa: E402
from lab.judging.stats import Ratio  # noqa: E402


def ratio(estimate, low, high, difference, **more):
    """A ratio of twelve pairs."""
    about = {"a": "one", "b": "other", "metric": "throughput", "at": 100, "pairs": 12, "p": 0.001}
    found = {"estimate": estimate, "low": low, "high": high, "difference": difference}
    return Ratio(**about, **found, verdict="in words", **more)


CHAPTERS = {
    "book/blocking/one-thread-many-clients": (
        ("hello-sleep", ratio(1.01, 0.98, 1.04, "none"), {}),
        ("db-as-run", ratio(5, 4, 6, "higher"), {}),
        ("db-read", ratio(0.8, 0.7, 0.9, "lower", aa_spread=1.02), {}),
        ("own-one", ratio(3, 2.9, 3.1, "higher"), {"above": 2, "sentence": "Three is more."}),
    ),
    "book/blocking/sync-or-async-files": (
        ("sync-vs-async-file", ratio(0.9, 0.85, 0.95, "lower", aa_spread=1.01), {}),
        ("sync-vs-async-file-p50", ratio(1.1, 0.9, 1.3, "none", aa_spread=1.1), {}),
        ("own-two", 2, {"between": (2, 2), "exact": True, "sentence": "Two is two."}),
    ),
}

records = {}
for chapter, judged in CHAPTERS.items():
    notes.unlink(missing_ok=True)
    for name, value, limits in judged:
        claims.claim(name, value, **limits)
    found = usage_notes.read(notes).claims
    records[chapter] = Record(
        "t", "c", "2026-01-01T00:00:00", "", 1.0, 1, 1, {}, machine="a machine", claims=found
    )
build = SimpleNamespace(outcomes=records, last=records.get, mode="replay", waiting=list)
build.state = notes.parent
if len(sys.argv) > 1:
    folder, address = sys.argv[1:]
    verdict_pages.write(build, Path(folder), address=address, project="The book")
makers = {**verdicts.MAKERS, **cards.MAKERS}
shown = ("verdict-words", "verdicts", "verdict-data", "sentences", "criteria")
json.dump({name: makers[name](build).html for name in shown}, sys.stdout)

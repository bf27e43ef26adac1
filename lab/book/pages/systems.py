"""The servers of the sources, one by one: `{build-status} systems`.

A verdict is about a ratio; here stand both of its sides, as its source printed them and as the
trials of that ratio had them.
"""

from __future__ import annotations

from pathlib import Path
from statistics import median
from typing import Any

from lab import claims
from lab.book.pages.cards import NOT_JUDGED
from lab.book.pages.verdicts import judged
from lab.book.pipeline.build import Build
from lab.book.site import placeholders, rows
from lab.book.site import record_files as records
from lab.book.site.placeholders import Cell, PageTable
from lab.plot.measures import metric_of
from lab.records.comparison import Comparison
from lab.text.numbers import number

HEAD = ["source", "chapter", "server", "published", "here", "verdict"]
NONE = "–"
# The units of measured numbers. Numbers with other units describe a source's set-up.
UNITS = ("req/s", "s", "ms")


def systems_table(build: Build) -> PageTable:
    """Return a row for each side of each published claim: source, chapter, server, the figure that
    was published, ours, the verdict on both together.
    """
    found = {c["id"]: c for c in judged(build, published=True)}
    files = {one.name: one.source for one in records.of_build(build)}
    entries = claims.claims()["claims"]
    return PageTable(HEAD, [row for name in entries for row in _rows(name, found.get(name), files)])


def _rows(name: str, c: dict[str, Any] | None, files: dict[str, Path]) -> list[list[Cell]]:
    entry = claims.claims()["claims"][name]
    source = claims.claims()["sources"][entry["source"]]
    author_and_year = f"{source['author']} {source['year']}"
    published_sides = _printed(name, entry)
    verdict = f"{entry['short']}: {c['verdict'] if c else NOT_JUDGED}"
    if c is None:
        return [
            [author_and_year, NONE, system or NONE, text, NONE, verdict]
            for system, text in published_sides
        ]
    our_sides = _here(c, files.get(c["record"]))
    given = entry.get("published", {})
    rates = all(given.get(side, {}).get("metric") == "throughput" for side in "ab")
    if rates and c["value"]["metric"] != "throughput":
        published_sides.reverse()  # Node's rate ÷ Flask's is Flask's time ÷ Node's
    page = str(c["chapter"])
    return [
        [author_and_year, page, _server(arm, system), text, measured, verdict]
        for (arm, measured), (system, text) in zip(our_sides, published_sides, strict=True)
    ]


def _server(arm: str, system: str) -> str:
    """Return an arm under the name in our chapter, with its counterpart in the source."""
    return arm if not system or system.lower() == arm.lower() else f"{arm} ({system})"


def _printed(name: str, entry: dict[str, Any]) -> list[tuple[str, str]]:
    """Return for each side of a ratio the system of the source and its figure. A source that gives
    only a ratio, or only words, has that on its first side.
    """
    experiment, sources = entry.get("experiment", name), entry.get("published", {})
    sides = []
    for side in "ab":
        key = sources.get(side)
        if key is None:
            sides.append(("", NONE))
            continue
        where = key.get("experiment", experiment)
        figure = claims.published(entry["source"], where, key["system"], key["metric"])
        measured = figure.unit in UNITS
        text = f"{number(figure.value)} {figure.unit}" if measured else "not measured there"
        sides.append((figure.system, text))
    if not {"a", "b"} & sources.keys():
        ratio = claims.criterion(name).printed
        words = f"{claims.published_text(ratio)} the other" if ratio else "in words"
        sides[0] = ("", words)
    return sides


def _here(c: dict[str, Any], source: Path | None) -> list[tuple[str, str]]:
    """Return for each side of a ratio our arm and the median of its trials; no figure where the
    record is not there.
    """
    value = c["value"]
    metric = metric_of(value["metric"])
    result = rows.opened(source) if source else None
    sides = []
    for arm in (value["a"], value["b"]):
        text = NONE
        if isinstance(result, Comparison) and arm in result.arms:
            seen = [metric.of(t) for t in result.pool(arm, value["at"])]
            text = f"{number(median(seen))} {metric.unit}".strip() if seen else NONE
        sides.append((arm, text))
    return sides


MAKERS: dict[str, placeholders.Maker] = {"systems": systems_table}

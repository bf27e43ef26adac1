"""The records behind each page, as files that need nothing of `lab` to be read: html/records/.

A recorded file leaves out what did not change from one trial to the next and keeps its histograms
as differences; here every trial is whole, and a bucket says from which microsecond to which. What
the fields mean is on the page about/data, whose list of records is made here too.
"""

from __future__ import annotations

import csv
import functools
import io
import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import lru_cache
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np

from lab import paths
from lab.book.pipeline import toc
from lab.book.pipeline.build import Build
from lab.book.pipeline.history import write_json
from lab.book.pipeline.report import short
from lab.book.site import placeholders, rows
from lab.book.site.placeholders import Html
from lab.book.site.unsteady import Unsteady, drawn, of_trials
from lab.clinic import examination  # noqa: F401  makes its kind known
from lab.processes.machine import Machine
from lab.records import compact, reference
from lab.records.histogram import bucket_edges
from lab.records.reference import Kind
from lab.records.trace import TRACE
from lab.storage import stored, written
from lab.storage.json_form import flat
from lab.text.numbers import count

FOLDER = "records"
FROM_ABOUT = "../../"  # to the site's root from book/about, where the list of all stands
MARK = "file:data/reference/"
FILLS = ".recorded"  # after the name of a record of Nodes that a run of that name did not have
NOT_RECORDED = "not recorded"


@dataclass(frozen=True)
class PublishedRecord:
    """One record of the site: where it comes from, and what it holds in words and numbers."""

    experiment: str
    chapter: str
    source: Path = field(repr=False)
    kind: Kind[Any] = field(repr=False)
    here: bool  # measured by this build, not taken from the reference run
    when: str  # UTC, ISO; "" if the file does not say
    profile: str
    commit: str
    what: str
    pairs: int | None = None
    trials: int = 0
    dirty: int = 0  # trials measured while tracked files differed from the commit
    requests: int = 0
    warned: tuple[tuple[str, int], ...] = ()  # check, in how many trials it warned or failed
    unsteady: tuple[Unsteady, ...] = ()  # servers that came to no steady rate
    machine: Machine | None = None
    versions: tuple[tuple[str, str], ...] = ()  # server or tool, what the record says it was

    @property
    def name(self) -> str:
        """The file's name on the site, without its ending."""
        return f"{self.experiment}{self.kind.ending}".removesuffix(".json")

    @property
    def size(self) -> str:
        """How much it holds: `6 pairs, 18 trials`."""
        told = [count(self.pairs, "pair")] if self.pairs else []
        return ", ".join([*told, *([count(self.trials, "trial")] if self.trials else [])])

    @property
    def doubts(self) -> str:
        """The checks that did not pass, with the number of trials: `steady 9, quiet 1`."""
        return ", ".join(f"{name} {n}" for name, n in self.warned)


def of_build(build: Build) -> list[PublishedRecord]:
    """Return the records that the shown chapters were drawn from, chapter by chapter."""
    published_records: list[PublishedRecord] | None = getattr(build, "_published", None)
    if published_records is None:
        published_records = [
            about(experiment, chapter, source)
            for chapter in toc.in_order(build.outcomes)
            for experiment, source in _sources(build, chapter)
        ]
        build._published = published_records  # type: ignore[attr-defined]  # asked for by every page
    return published_records


def of_chapter(build: Build, chapter: str) -> list[PublishedRecord]:
    """Return the records behind one page."""
    return [p for p in of_build(build) if p.chapter == chapter]


def behind(claim: Mapping[str, Any], record_names: Collection[str]) -> str:
    """Return the name of the record of a claim, one of those on the site; empty if it is none."""
    name = claim.get("experiment", "")
    filling = f"{name}{FILLS}"
    if claim.get("recorded") and filling in record_names:
        return filling
    return name if name in record_names else ""


def _sources(build: Build, chapter: str) -> Iterator[tuple[str, Path]]:
    record = build.last(chapter)
    if record is None:
        return
    # A chapter that was measured looks for the reference run too, to draw it behind its own.
    looked = {Path(n).name for n in record.inputs if n.startswith(MARK) and n.endswith(".json")}
    names = {reference.experiment_of(name) for name in looked}
    endings = dict.fromkeys(kind.ending for kind in Kind.known.values())
    until = datetime.fromisoformat(record.executed).astimezone(UTC)
    for name in sorted({*record.measured, *record.drawn_from, *names}):
        if name in record.measured and build.shows(chapter) == "measured":
            if run := _run(name, until):  # only the last few runs are kept
                yield name, run
                if name in record.drawn_from and (file := _filling(name, run)):
                    yield f"{name}{FILLS}", file
            continue
        kept = [paths.REFERENCE / f"{name}{ending}" for ending in endings]
        yield from ((name, file) for file in kept if file.exists())


def _filling(name: str, run: Path) -> Path | None:
    """The record of a program that gave what it printed on the Nodes that are not here."""
    file = paths.REFERENCE / f"{name}.json"
    if run.stem != "program" or not file.exists():
        return None
    asked = stored.read_json(run, stored.MEASURE_AGAIN)["question"]
    return None if reference.stale(name, asked) else file


def _run(experiment: str, until: datetime) -> Path | None:
    """This machine's newest complete run that had begun when the chapter was done."""
    limit = f"{until:%Y%m%dT%H%M%S}.999999"
    for folder in sorted((paths.RUNS / experiment).glob("*-*"), reverse=True):
        if folder.name.rpartition("-")[0] <= limit:
            for kind in Kind.known:
                if (file := folder / f"{kind}.json").exists():
                    return file
    return None


def about(experiment: str, chapter: str, source: Path) -> PublishedRecord:
    """Return what a recorded file, or a run of this machine, holds."""
    found = _about(source, source.stat().st_mtime_ns)
    return replace(found, experiment=experiment, chapter=chapter)


@lru_cache(maxsize=1024)
def _about(source: Path, _: int) -> PublishedRecord:
    """The same of a file of that age, whoever asks."""
    data = whole(source)
    kind = reference.kind_of(data["kind"])
    trials = [*data.get("trials", ()), *data.get("control", ())]
    warnings = Counter(
        name
        for t in trials
        for name, check in t["checks"].items()
        if check["status"] in ("warn", "fail")
    )
    said = data.get("survey", {}).get("said", ())
    versions = {(t["server"]["name"], t["server"]["version"]) for t in trials}
    versions |= {(s["tool"], s["version"]) for s in said}
    versions |= {("node", v["node"]) for v in data.get("versions", ())}
    return PublishedRecord(
        experiment="",
        chapter="",
        source=source,
        kind=kind,
        here=paths.RUNS in source.parents,
        when=data.get("when", ""),
        profile=data.get("profile", ""),
        commit=data.get("commit", ""),
        what=kind.told(data),
        pairs=data.get("design", {}).get("pairs"),
        trials=len(trials),
        dirty=sum(t["dirty"] for t in trials),
        requests=sum(_sent(t) for t in trials),
        warned=tuple(warnings.most_common()),
        unsteady=of_trials(trials),
        machine=flat(Machine, data["machine"]) if data.get("machine") else None,
        versions=tuple(sorted((name, version) for name, version in versions if version)),
    )


def _sent(trial: dict[str, Any]) -> int:
    streams = [trial, *trial.get("alongside", {}).values()]
    return sum(int(stream["counts"]["sent"]) for stream in streams)


def whole(source: Path) -> dict[str, Any]:
    """Return a recorded file, or a run below data/runs, as it is published: nothing left out."""
    here = paths.RUNS in source.parents
    advice = stored.MEASURE_AGAIN if here else stored.RECORD_AGAIN
    with stored.named(source, advice):
        kind = reference.kind_of(source.stem) if here else None
    data = stored.read_json(source, advice, kind=kind.holds if kind else dict)
    with stored.named(source, advice):
        if kind:
            data = kind.of_run(data, source)
        elif data.get("type") == "loop-trace":
            return {"kind": TRACE.name, **data}
        data = reference.migrate(data, source.stem)
        plain: dict[str, Any] = _open_buckets(reference.kind_of(data["kind"]).whole(data))
        return plain


def _open_buckets(value: Any) -> Any:
    """Return plain data with every histogram's buckets as (from_us, to_us), both inclusive."""
    if isinstance(value, list):
        return [_open_buckets(one) for one in value] if value and _nested(value) else value
    if not isinstance(value, dict):
        return value
    if "step" in value and "bits" in value:
        low, high = bucket_edges(np.cumsum(np.asarray(value["step"], np.int64)), value["bits"])
        rest = {k: v for k, v in value.items() if k != "step"}
        return {**rest, "from_us": low.tolist(), "to_us": high.tolist()}
    return {k: _open_buckets(v) for k, v in value.items()}


def _nested(values: list[Any]) -> bool:
    return isinstance(values[0], (dict, list))


def write(build: Build, out: Path) -> None:
    """Write the records behind this build's pages into the site, and take others out of it."""
    folder = out / FOLDER
    notes = build.state / "published.json"
    before = json.loads(notes.read_text("utf8")) if notes.exists() else {}
    made_from: dict[str, str] = {}
    current_files: set[Path] = set()
    code = max(file.stat().st_mtime_ns for file in paths.NODE_SIDE.parent.glob("**/*.py"))
    for record in of_build(build):
        writers: dict[Path, Callable[[dict[str, Any], PublishedRecord], str]] = {}
        writers[folder / f"{record.name}.json"] = _json
        if record.kind.has_trials:
            writers[folder / f"{record.name}.csv"] = _csv
        # Both files of a record are written from the same data, which are read at most once.
        data = functools.cache(functools.partial(whole, record.source))
        for file, text in writers.items():
            key = made_from.setdefault(file.name, _key(record.source, code))
            if file not in current_files and not (file.exists() and before.get(file.name) == key):
                written.put(file, text(data(), record).encode())
        current_files.update(writers)
    for file in folder.glob("*"):
        if file not in current_files:
            file.unlink()
    write_json(notes, made_from)


def _key(source: Path, code: int) -> str:
    """Which file, of when, read by code of when: another one may be older than what was made."""
    return f"{source} {source.stat().st_mtime_ns} {code}"


def _json(data: dict[str, Any], _: PublishedRecord) -> str:
    return compact.readable(data, [key for key in ("trials", "control") if data.get(key)])


def _csv(_: dict[str, Any], one: PublishedRecord) -> str:
    found = rows.of_file(one.source)
    out = io.StringIO()
    writer = csv.DictWriter(out, list(dict.fromkeys(k for row in found for k in row)))
    writer.writeheader()
    writer.writerows(found)
    return out.getvalue()


def listing(found: list[PublishedRecord], root: str) -> str:
    """Return a list of records as HTML: links, what they hold, what was not in order. root : the
    way from the page to the site's root, such as `../../`.
    """
    return f'<ul class="lab-records">{"".join(_item(one, root) for one in found)}</ul>'


def _item(record: PublishedRecord, root: str) -> str:
    name, where = escape(record.name), f"{root}{FOLDER}/{quote(record.name)}"
    link = f'<a href="{where}.json">{name}</a>'
    if record.kind.has_trials:
        link += f' (<a href="{where}.csv" aria-label="{name} as CSV">CSV</a>)'
    warned = f"warned: {record.doubts}" if record.doubts else ""
    told = "; ".join(filter(None, [record.what, record.size, warned]))
    return f"<li>{link}: {escape(told)}</li>"


def records_list(build: Build) -> Html:
    """Return the records of all chapters, a part to be opened for each."""
    parts = []
    for chapter in toc.in_order(build.outcomes):
        if chapter_records := of_chapter(build, chapter):
            name = escape(short(chapter))
            trials = sum(one.trials for one in chapter_records)
            sums = [
                count(len(chapter_records), "record"),
                count(trials, "trial"),
                span(chapter_records),
            ]
            page = f"{FROM_ABOUT}{quote(chapter)}.html"
            parts.append(
                f"<details><summary>{name}: {escape(', '.join(sums))}</summary>"
                f'<p><a href="{page}">The page {name}</a></p>'
                f"{listing(chapter_records, FROM_ABOUT)}</details>"
            )
    return Html("".join(parts) or "<p>No chapter of this build has a record.</p>")


def span(found: Iterable[PublishedRecord]) -> str:
    """Return from when to when these were measured, in UTC, as far as they say it."""
    times = sorted(when_words(p) for p in found if p.when)
    if not times:
        return NOT_RECORDED
    first, last = times[0].removesuffix(" UTC"), times[-1].removesuffix(" UTC")
    if first == last:
        return f"{last} UTC"
    return f"{first} to {last[11:] if first[:10] == last[:10] else last} UTC"


def when_words(one: PublishedRecord) -> str:
    """Return when it was measured: `2026-11-21 21:34 UTC`."""
    if not one.when:
        return NOT_RECORDED
    return f"{re.sub('T', ' ', one.when)[:16]} UTC"


def never_steady(found: Iterable[PublishedRecord], root: str) -> str:
    """Return the servers of these records that came to no steady rate; "" if there is none."""
    named = [(one.name, server) for one in found for server in one.unsteady]
    return drawn(named, root) if named else ""


def unsteady_list(build: Build) -> Html:
    """Return the servers of the whole book that came to no steady rate."""
    told = never_steady(of_build(build), FROM_ABOUT)
    return Html(told or "<p>Every server of this book came to a steady rate.</p>")


MAKERS: dict[str, placeholders.Maker] = {"records": records_list, "unsteady": unsteady_list}

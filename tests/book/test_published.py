"""The records on the site: whole, plain, explained, and enough to compute a ratio again."""

from __future__ import annotations

import contextlib
import csv
import dataclasses
import io
import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from lab import paths
from lab.book.pages import status
from lab.book.pages.verdicts import COLUMNS
from lab.book.pipeline.history import Record
from lab.book.site import record_files, rows
from lab.claims import Claim
from lab.judging.stats import Ratio
from lab.processes.machine import Machine, Noise
from lab.records import store
from lab.records.comparison import Comparison
from lab.records.reference import SCHEMA, Kind
from lab.records.trial import (
    Bin,
    Check,
    Counts,
    LoadSpec,
    Loop,
    RawRef,
    Resources,
    ServerSpec,
    Stream,
    Trial,
)

PAGE = (paths.ROOT / "book/about/data.md").read_text("utf8")
RECORDS = sorted(paths.REFERENCE.glob("*.json"))
SERVED = ("system/nginx-hello", "Python 3.11.7")  # as records say that were made before


def reference(kind: str) -> list[Path]:
    return [f for f in RECORDS if json.loads(f.read_text("utf8")).get("kind") == kind]


def _with_control() -> str:
    """A comparison with a control, some of whose trials warned, so that a test of it can fail."""
    return next(
        f.stem
        for f in reference("comparison")
        if record_files.whole(f)["control"] and record_files.about(f.stem, "", f).warned
    )


WITH_CONTROL = _with_control()


@pytest.mark.parametrize(
    ("other", "arms"),
    [("processes-talk", ("nginx", "Tornado")), ("files-wave", ("async", "sync"))],
)
def test_the_lines_on_the_page_compute_the_ratio_that_the_book_prints(
    tmp_path, monkeypatch, other, arms
):
    (code,) = re.findall(r"^```python\n(.*?)^```", PAGE, re.S | re.M)
    for before, after in zip(("processes-talk", "nginx", "Tornado"), (other, *arms), strict=True):
        assert before in code
        code = code.replace(before, after)
    (name,) = re.findall(r'open\("(.+?)\.json"\)', code)
    source = paths.REFERENCE / f"{name}.json"
    one = record_files.about(name, "", source)
    (tmp_path / f"{name}.json").write_text(
        record_files._json(record_files.whole(source), one), "utf8"
    )
    monkeypatch.chdir(tmp_path)
    with contextlib.redirect_stdout(io.StringIO()) as said:
        exec(compile(code, "page", "exec"), {})
    ratio = store.reference(name).ratio(*arms)
    assert json.loads(said.getvalue()) == [
        round(x, 2) for x in (ratio.estimate, ratio.low, ratio.high)
    ]


@pytest.mark.parametrize("file", reference("comparison"), ids=lambda f: f.stem)
def test_nothing_is_left_out_of_a_published_comparison(file):
    data, comparison = record_files.whole(file), store.reference(file.stem)
    assert len(data["trials"]) == len(comparison.trials)
    assert len(data["control"]) == len(comparison.control)
    first = data["trials"][0]
    assert all(trial.keys() == first.keys() for trial in data["trials"])
    for told, trial in zip(data["trials"], comparison.trials, strict=True):
        assert told["throughput"] == pytest.approx(trial.throughput)
        latency = told["latency"]
        assert sum(latency["counts"]) == trial.latency.count
        low, high, _ = trial.latency.bins()
        np.testing.assert_allclose(np.array(latency["from_us"]) / 1e6, low)
        np.testing.assert_allclose((np.array(latency["to_us"]) + 1) / 1e6, high)


def test_the_csv_has_the_trials_of_the_control_and_the_checks_that_warned():
    file = paths.REFERENCE / f"{WITH_CONTROL}.json"
    comparison = store.reference(file.stem)
    table = list(
        csv.DictReader(io.StringIO(record_files._csv({}, record_files.about("x", "", file))))
    )
    assert sum(row["control"] == "yes" for row in table) == len(comparison.control) > 0
    assert len(table) == len(comparison.trials) + len(comparison.control)
    assert {row["arm"] for row in table} == set(comparison.arms)
    warned = {row["started"] for row in table if row["warnings"]}
    assert warned == {t.started for t in (*comparison.trials, *comparison.control) if t.warnings}


FIELDS = [
    (cls, f.name)
    for cls in (
        Bin,
        Check,
        Comparison,
        Counts,
        LoadSpec,
        Loop,
        Machine,
        Noise,
        RawRef,
        Resources,
        ServerSpec,
        Stream,
        Trial,
    )
    for f in dataclasses.fields(cls)
    if f.name not in ("folder", "recorded")  # never written
]


@pytest.mark.parametrize(("cls", "name"), FIELDS, ids=lambda x: getattr(x, "__name__", x))
def test_every_field_of_a_record_is_explained(cls, name):
    assert f"`{name}`" in PAGE, f"{cls.__name__}.{name} is not on about/data"


def test_every_column_of_the_csv_of_trials_is_explained_and_none_that_it_has_not():
    section = PAGE.split("## The columns of the CSV of trials")[1].split("\n## ")[0]
    firsts = [line.split("|")[1] for line in section.splitlines() if line.startswith("| `")]
    told = [name for first in firsts for name in re.findall(r"`([^`]+)`", first)]
    found = rows.of_file(reference("trial")[0])
    columns = [name for name in found[0] if not name.startswith("alongside_")]
    assert told == [*columns, "alongside_NAME_…"]


@pytest.mark.parametrize("cls", [Claim, Ratio])
def test_every_field_of_a_verdict_is_explained(cls):
    names = [f.name for f in dataclasses.fields(cls) if f.name not in cls.apart]
    assert [name for name in names if f"`{name}`" not in PAGE] == []
    assert [name for name in COLUMNS if f"`{name}`" not in PAGE] == []


def test_checks_that_records_hold_are_explained():
    from lab.book.pages import checks_page
    from lab.records.checks import ALL

    assert "{build-status} check-names" in PAGE
    assert {row[0] for row in checks_page.name_table(None).rows} == set(ALL)


def build(tmp_path: Path, mode: str = "replay", **known: Any) -> Any:
    """A build of one chapter, as far as records care."""
    record = Record("t", "c", "2026-11-21T20:00:00", "", 1.0, 0, 0, **{"inputs": {}, **known})
    return SimpleNamespace(
        mode=mode,
        outcomes={"book/x": None},
        last=lambda _: record,
        shows=lambda _: "measured" if mode == "live" else "recorded",
        waiting=list,
        state=tmp_path,
        present=SimpleNamespace(digest=lambda name: name),
    )


@pytest.fixture
def data(tmp_path, monkeypatch):
    """A small data folder of our own."""
    for name in ("RUNS", "REFERENCE"):
        monkeypatch.setattr(paths, name, tmp_path / name.lower())
        (tmp_path / name.lower()).mkdir()
    for name in (WITH_CONTROL, reference("program")[0].stem):
        text = (RECORDS[0].parent / f"{name}.json").read_text("utf8")
        (paths.REFERENCE / f"{name}.json").write_text(text, "utf8")
    return tmp_path


def run_of(stamp: str, text: str) -> None:
    folder = paths.RUNS / "asked" / f"{stamp}.000000-abc"
    folder.mkdir(parents=True)
    (folder / "program.json").write_text(json.dumps({"question": {}, "text": text}), "utf8")


def test_a_measured_chapter_publishes_its_own_newest_run_and_none_that_came_later(
    data, monkeypatch
):
    monkeypatch.setenv("TZ", "UTC")
    for stamp, text in (
        ("20261121T190000", "older"),
        ("20261121T195900", "shown"),
        ("20261121T210000", "later, in a notebook"),
    ):
        run_of(stamp, text)
    book = build(data, "live", measured=["asked"], drawn_from=[WITH_CONTROL])
    out = data / "html"
    record_files.write(book, out)
    assert json.loads((out / "records/asked.json").read_text("utf8"))["text"] == "shown"
    here = {one.experiment: one.here for one in record_files.of_build(book)}
    assert here == {"asked": True, WITH_CONTROL: False}
    assert (out / f"records/{WITH_CONTROL}.csv").exists()


class Echoes(Kind):
    """A verb that is no part of the course yet."""

    name = key = "echo"


def test_a_run_of_a_new_verb_is_published_like_any_other(data, monkeypatch):
    monkeypatch.setattr(Kind, "known", {**Kind.known})
    Echoes()
    folder = paths.RUNS / "heard" / "20261121T190000.000000-abc"
    folder.mkdir(parents=True)
    asked = {"arms": {"a wall": {}}, "sweep": "metres", "values": [10, 1000]}
    record = {"question": asked, "heard": "hello"}
    (folder / "echo.json").write_text(json.dumps(record), "utf8")
    book = build(data, "live", measured=["heard"])
    record_files.write(book, data / "html")
    (one,) = record_files.of_build(book)
    assert (one.what, one.here) == ("a wall; metres 10, 1,000", True)
    head = {
        "schema": SCHEMA,
        "kind": "echo",
        "experiment": "heard",
        "when": "2026-11-21T19:00:00Z",
    }
    assert json.loads((data / "html/records/heard.json").read_text("utf8")) == {**head, **record}
    assert not (data / "html/records/heard.csv").exists(), "it has no trials"


def test_the_record_that_filled_the_gaps_of_a_run_stands_beside_it_and_behind_its_claims(data):
    name = reference("program")[0].stem
    record = json.loads((paths.REFERENCE / f"{name}.json").read_text("utf8"))

    def published_of(stamp, **known):
        folder = paths.RUNS / name / f"{stamp}.000000-abc"
        folder.mkdir(parents=True)
        asked = {"question": known.pop("question", record["question"]), "text": "here"}
        (folder / "program.json").write_text(json.dumps(asked), "utf8")
        book = build(data, "live", measured=[name], **known)
        record_files.write(book, data / "html")
        return {one.name: one.here for one in record_files.of_build(book)}

    files = published_of("20261121T190000", drawn_from=[name])
    assert files == {name: True, f"{name}.recorded": False}
    texts = [json.loads((data / f"html/records/{n}.json").read_text("utf8"))["text"] for n in files]
    assert texts == ["here", record["text"]]
    assert record_files.behind({"experiment": name, "recorded": True}, files) == f"{name}.recorded"
    assert record_files.behind({"experiment": name, "recorded": False}, files) == name
    assert record_files.behind({"experiment": "other"}, files) == ""
    assert published_of("20261121T190100", drawn_from=[]) == {name: True}
    other = {**record["question"], "options": {}}  # it was looked at, and did not fit
    assert published_of("20261121T190200", drawn_from=[name], question=other) == {name: True}


def test_a_replay_publishes_what_it_drew_from_and_drops_what_it_no_longer_draws(data):
    run_of("20261121T190000", "of this machine")
    out = data / "html"
    record_files.write(build(data, drawn_from=[WITH_CONTROL]), out)
    stamp = (out / f"records/{WITH_CONTROL}.json").stat().st_mtime_ns
    record_files.write(build(data, drawn_from=[WITH_CONTROL]), out)
    assert (out / f"records/{WITH_CONTROL}.json").stat().st_mtime_ns == stamp
    record_files.write(build(data, drawn_from=[]), out)
    assert list((out / "records").iterdir()) == []


def test_who_reads_a_record_while_it_is_published_again_gets_one_of_both_whole(data):
    run_of("20261121T190000", "of the first build")
    file = data / "html/records/asked.json"
    record_files.write(build(data, "live", measured=["asked"]), data / "html")
    first = file.read_bytes()
    with file.open("rb") as reader:
        run_of("20261121T190100", "of the second build")
        record_files.write(build(data, "live", measured=["asked"]), data / "html")
        assert reader.read() == first
    assert b"of the second build" in file.read_bytes()


def test_a_build_looks_once_at_how_old_its_code_is(data, monkeypatch):
    looks = []
    found = Path.glob
    monkeypatch.setattr(Path, "glob", lambda *words: looks.append(words[1]) or found(*words))
    drawn = [WITH_CONTROL, reference("program")[0].stem]
    record_files.write(build(data, drawn_from=drawn), data / "html")
    assert len(list((data / "html/records").iterdir())) == 3
    assert looks.count("**/*.py") == 1


def test_records_are_listed_in_the_order_of_the_book(tmp_path, monkeypatch):
    known = {"book/b": "first", "book/a": "second", "book/c": "not listed"}
    book = build(tmp_path)
    book.outcomes = dict.fromkeys(known)
    monkeypatch.setattr(record_files, "_sources", lambda _, chapter: [(known[chapter], chapter)])
    monkeypatch.setattr(record_files, "about", lambda experiment, *_: experiment)
    monkeypatch.setattr(record_files.toc, "pages", lambda: ["book/index", "book/b", "book/a"])
    assert record_files.of_build(book) == ["first", "second", "not listed"]


def test_published_records_name_no_folder_of_this_machine():
    home = str(paths.ROOT)
    for file in [*reference("comparison")[:5], *reference("survey")]:
        assert home not in json.dumps(record_files.whole(file)), file.name


def test_a_list_of_records_links_to_both_files_and_names_what_warned():
    one = record_files.about(WITH_CONTROL, "book/x", paths.REFERENCE / f"{WITH_CONTROL}.json")
    html = record_files.listing([one], "../../")
    assert f'href="../../records/{WITH_CONTROL}.json"' in html
    assert f'href="../../records/{WITH_CONTROL}.csv"' in html
    assert one.warned and f"{one.warned[0][0]} {one.warned[0][1]}" in html


def test_the_page_of_machines_says_what_records_say_and_what_they_do_not(data):
    old = record_files.about(WITH_CONTROL, "", paths.REFERENCE / f"{WITH_CONTROL}.json")
    facts = dict(status._of_machine(dataclasses.replace(old.machine, model=""), ""))
    assert facts["Processor"].endswith("model: not recorded")
    assert old.machine.kernel in facts["System"]
    book = build(data)
    rows = dict(status._programs([dataclasses.replace(old, versions=(SERVED,))], book))
    assert rows["Versions not recorded"] == "nginx"
    told = (SERVED[0], "nginx 1.22.1")
    rows = dict(status._programs([dataclasses.replace(old, versions=(told,))], book))
    assert rows["Programs, from the records"] == "nginx 1.22.1"
    assert "Versions not recorded" not in rows

"""Stored files, whole and damaged: what can't be read names its file and says what to do."""

import copy
import hashlib
import io
import json
import random
import sys
import zipfile
from dataclasses import replace

import numpy as np
import pytest
from examples import closed_rows, example_comparison, example_trial, record, saved

from lab import claims, paths
from lab.book.pages.yours import results
from lab.book.site import record_files
from lab.errors import LabError
from lab.records import compact, reference, store
from lab.records.trace import TRACE, Trace

# From 3.15 on Python reads what is nested as deep as its stack allows, and finds no end.
TOO_DEEP = "nested too deeply" if sys.version_info < (3, 15) else "Expecting value"
KEPT = sorted(paths.REFERENCE.glob("*.json"))


@pytest.fixture
def places(monkeypatch, tmp_path):
    monkeypatch.setattr("lab.paths.RUNS", tmp_path / "runs")
    monkeypatch.setattr("lab.paths.REFERENCE", tmp_path / "reference")
    (tmp_path / "reference").mkdir()
    return tmp_path


def of_kind(kind):
    """The smallest record of a kind."""
    every = [f for f in KEPT if not f.name.endswith(".trace.json")]
    return min(
        (f for f in every if f'"kind":"{kind}"' in f.read_text("utf-8").replace(" ", "")),
        key=lambda f: f.stat().st_size,
    )


ODD = [None, True, -1, 1e308, "", "x", "\ud800", [], [[]], {}, {"a": {"a": []}}, [None] * 3]


def damaged(data, chance):
    """A copy of a record in which one value, anywhere, is another or is gone."""
    damaged_data = copy.deepcopy(data)
    at = damaged_data
    while True:
        inside = list(at) if isinstance(at, dict) else range(len(at))
        key = chance.choice(list(inside))
        if isinstance(at[key], (dict, list)) and at[key] and chance.random() < 0.8:
            at = at[key]
        else:
            break
    if chance.random() < 0.4:
        del at[key]
    else:
        at[key] = chance.choice(ODD)
    return damaged_data


def shown(record, figure):
    """What a page asks of a record; drawing takes a while."""
    parts = [repr(record)]
    if figure and hasattr(record, "_repr_html_"):
        parts.append(record._repr_html_())
    if hasattr(record, "trials"):
        parts += [str(record.table()), str(record.aa), str(record.ratios("p50"))]
    return parts


@pytest.mark.parametrize("kind", ["trial", "comparison", "survey", "program"])
def test_a_damaged_record_names_its_file_or_can_be_shown(kind, places):
    whole = json.loads(of_kind(kind).read_text("utf-8"))
    name = whole["experiment"]
    file = places / "reference" / f"{name}.json"
    refusals = 0
    for seed in range(120):
        chance = random.Random(f"{kind} {seed}")
        file.write_text(json.dumps(damaged(whole, chance)), "utf-8")
        try:
            result = store.reference(name)
        except LabError as error:
            refusals += 1
            assert file.name in str(error), seed
            assert "make reference" in str(error), seed
        else:
            assert all(shown(result, figure=seed % 8 == 0)) or kind == "program", seed
    assert refusals > 12


def test_an_event_of_a_trace_that_is_only_a_time_is_named():
    kept = min((f for f in KEPT if f.name.endswith(".trace.json")), key=lambda f: f.stat().st_size)
    whole = json.loads(kept.read_text("utf-8"))
    whole["versions"][0]["recordings"][0]["events"][-1] = [2060]
    with pytest.raises(LabError, match=r"the event \[2060\] does not say what happened"):
        Trace.from_json(whole)


def test_a_damaged_trace_names_its_file_or_can_be_shown(places):
    smallest_file = min(
        (f for f in KEPT if f.name.endswith(".trace.json")), key=lambda f: f.stat().st_size
    )
    whole = json.loads(smallest_file.read_text("utf-8"))
    file = places / "reference" / smallest_file.name
    refusals = 0
    for seed in range(120):
        made = damaged(whole, random.Random(f"trace {seed}"))
        file.write_text(json.dumps(made), "utf-8")
        try:
            replay = TRACE.replay(smallest_file.name.removesuffix(".trace.json"), made.get("asked"))
        except LabError as error:
            refusals += 1
            assert file.name in str(error), seed
        else:
            assert isinstance(replay, Trace)
            assert repr(replay), seed
            assert replay._repr_html_(), seed
            assert isinstance(replay.events, list), seed
            assert isinstance(replay.deterministic, bool), seed
    assert refusals > 12


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "can't be read"),
        ("[" * 30_000, TOO_DEEP),
        ("[]", "instead of an object"),
        ("\udcff", "can't be read"),
        ('{"schema": []}', "can't be read"),
        ('{"schema": 1}', "'experiment' is missing"),
    ],
)
def test_what_is_no_record_is_told_as_such(text, told, places):
    file = places / "reference" / "one.json"
    file.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(LabError, match=told) as error:
        store.reference("one")
    assert "one.json" in str(error.value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"experiment": "another"}, "the record of 'another'"),
        ({"kind": "comparision"}, "Did you mean comparison"),
        ({"kind": "trial"}, "has no 'trial'"),
    ],
)
def test_a_record_of_something_else_is_refused(change, message, places):
    whole = replace(example_comparison(pairs=1), question={"arms": {}})
    file = record(whole, whole.question)
    file.write_text(json.dumps({**json.loads(file.read_text()), **change}))
    for read in (store.reference, lambda name: compact.COMPARISON.replay(name, whole.question)):
        with pytest.raises(reference.NoRecord, match=message) as error:
            read("example")
        assert "Record it again" in str(error.value)


@pytest.mark.parametrize("text", ["{", "[1]", "{}", '{"schema": 1, "trials": 5}'])
def test_a_damaged_run_of_this_machine_is_named_too(text, places):
    folder = store.Folder("example")
    saved(folder, example_comparison(pairs=1))
    (folder.path / "comparison.json").write_text(text)
    for read in (store.latest, lambda _: record_files.whole(folder.path / "comparison.json")):
        with pytest.raises(LabError, match=r"comparison\.json can't be read: .* Measure again"):
            read("example")


def packed(**columns):
    """The bytes of an npz file."""
    out = io.BytesIO()
    np.savez_compressed(out, **columns)
    return out.getvalue()


def with_raw(data, rows=1000, columns=("status",)):
    folder = store.Folder("example")
    ref = folder.raw("x", closed_rows())
    (folder.path / ref.file).write_bytes(data)
    sha256 = hashlib.sha256(data).hexdigest()
    ref = replace(ref, sha256=sha256, rows=rows, columns=columns)
    return replace(example_trial(), raw_ref=ref, folder=str(folder.path))


def npy(shape, content=b""):
    """A column that promises a shape, whatever follows."""
    out = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        out, {"descr": "<i4", "fortran_order": False, "shape": shape}
    )
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as file:
        file.writestr("t_end_us.npy", out.getvalue() + content)
    return made.getvalue()


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (packed(t_end_us=np.zeros(50_000_000, np.int8)), "1,000 rows have at most"),
        (packed(t_end_us=np.zeros(999)), "999"),
        (packed(other=np.zeros(1000)), "its record says t_end_us"),
        (packed(t_end_us=np.array(["a"] * 1000, "U1")), "not 1,000 numbers"),
        (packed(t_end_us=np.zeros(1000))[:-50], "can't be read"),
        (npy((2**33,)), "8589934592"),
        (npy((1000,), b"short"), "can't be read"),
        (b"PK", "can't be read"),
    ],
    ids=lambda v: v if isinstance(v, str) else "",
)
def test_rows_are_unpacked_no_further_than_their_record_says(data, told, places, monkeypatch):
    monkeypatch.setattr("numpy.load", lambda *_, **__: pytest.fail("unpacked without a bound"))
    trial = with_raw(data, columns=("t_end_us",))
    with pytest.raises(LabError, match=told) as error:
        trial.raw()
    assert "x.npz" in str(error.value)
    assert "Measure again" in str(error.value)


@pytest.mark.parametrize(
    "text",
    [
        "claims = 5",
        "[claims.a]\nsource = 'x'",
        "[claims",
        "",
        "\udcff",
        "[claims]\n[sources]\nown=1",
    ],
)
def test_damaged_claims_are_named(text, monkeypatch, tmp_path):
    file = tmp_path / "claims.toml"
    file.write_bytes(text.encode("utf-8", "surrogateescape"))
    monkeypatch.setattr(claims, "CLAIMS", file)
    claims._read.cache_clear()
    try:
        with pytest.raises(LabError, match=r"claims\.toml can't be read"):
            claims.claims()
    finally:
        claims._read.cache_clear()


HEAD = "source_id,experiment_id,system,metric,value,unit\n"


@pytest.mark.parametrize(
    "text", ["", "a,b\n", f"{HEAD}1,2,3,4\n", f"{HEAD}1,2,3,4,many,6\n", f"{HEAD}1,2,3,4,5,6,7\n"]
)
def test_damaged_published_figures_are_named(text, monkeypatch, tmp_path):
    file = tmp_path / "published-results.csv"
    file.write_text(text)
    monkeypatch.setattr(claims, "FIGURES", file)
    claims.figures.cache_clear()
    try:
        with pytest.raises(LabError, match=r"published-results\.csv can't be read"):
            claims.published_figures("hello")
    finally:
        claims.figures.cache_clear()


@pytest.mark.parametrize("text", ["{", "[]", "5", "[" * 100_000])
def test_damaged_results_of_the_book_are_named(text, monkeypatch, tmp_path):
    file = tmp_path / "book-results.json"
    file.write_text(text)
    monkeypatch.setattr(reference, "BOOK_RESULTS", file)
    with pytest.raises(LabError, match=r"book-results\.json can't be read.*make book-results"):
        results.book()
    file.unlink()
    assert results.book() is None

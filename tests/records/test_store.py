"""Storage: whole or not at all, records that answer the question asked, small enough for git."""

from __future__ import annotations

import errno
import gzip
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from examples import closed_rows, example_comparison, example_trial, record, saved

from lab.errors import LabError
from lab.records import compact, reference, store
from lab.storage.written import NotWritten, write

QUESTION = {
    "arms": {"sync": {"source": "1", "env": {}}, "async": {"source": "2", "env": {}}},
    "sweep": "connections",
    "values": [1, 10, 100],
    "options": {},
}


@pytest.fixture(autouse=True)
def places(monkeypatch, tmp_path):
    monkeypatch.setattr("lab.paths.RUNS", tmp_path / "runs")
    monkeypatch.setattr("lab.paths.REFERENCE", tmp_path / "reference")
    return tmp_path


@pytest.fixture(scope="module")
def whole():
    return replace(example_comparison(pairs=12), question=QUESTION)


def test_raw_rows_come_back_as_they_were():
    folder = store.Folder("example")
    rows = closed_rows()
    trial = replace(example_trial(), raw_ref=folder.raw("x-main", rows), folder=str(folder.path))
    found = trial.raw()
    assert found.keys() == rows.keys()
    for name, column in rows.items():
        assert found[name].dtype == column.dtype
        assert np.array_equal(found[name], column)


def test_raw_rows_that_were_changed_or_removed_are_not_shown():
    folder = store.Folder("example")
    trial = replace(
        example_trial(), raw_ref=folder.raw("x", closed_rows()), folder=str(folder.path)
    )
    file = folder.path / trial.raw_ref.file
    file.write_bytes(file.read_bytes()[:-1] + b"!")
    with pytest.raises(LabError, match="not the file that was recorded"):
        trial.raw()
    file.unlink()
    with pytest.raises(LabError, match="Measure again"):
        trial.raw()


def test_latest_gives_back_the_newest_result(whole):
    for result in (example_trial(), whole):
        saved(store.Folder("example"), result)
    found = store.latest("example")
    assert found.to_json() == whole.to_json()
    with pytest.raises(reference.NoRecord, match="has not been measured here"):
        store.latest("another")


def test_old_runs_are_removed_the_newest_stay():
    folders = []
    for _ in range(8):
        folders.append(store.Folder("example"))
        saved(folders[-1], example_trial())
    left = sorted(folders[0].path.parent.iterdir())
    assert left == [folder.path for folder in folders[-5:]]


def test_the_run_just_saved_stays_and_is_the_latest_after_the_clock_was_put_back():
    runs = store.Folder("example").path.parent
    for day in range(1, 8):
        folder = runs / f"20990101T00000{day}.000000-abcdef"
        (folder / "raw").mkdir(parents=True)
        (folder / "trial.json").write_text(json.dumps(example_trial().to_json()))
    folder = store.Folder("example")
    saved(folder, replace(example_trial(), note="the last"))
    assert folder.path.exists()
    assert store.latest("example").note == "the last"
    assert len(list(runs.iterdir())) == 5


def full(*_args, **_kwargs):
    raise OSError(errno.ENOSPC, "No space left on device")


def test_a_full_disk_is_named_and_leaves_nothing_half_written(monkeypatch, tmp_path):
    file = tmp_path / "record.json"
    write(file, b"before")
    monkeypatch.setattr("pathlib.Path.replace", full)
    with pytest.raises(NotWritten, match="disk is full"):
        write(file, b"after")
    assert file.read_bytes() == b"before"
    assert [p.name for p in tmp_path.iterdir() if p.is_file()] == ["record.json"]


def test_a_folder_that_cannot_be_made_is_named(monkeypatch):
    monkeypatch.setattr("pathlib.Path.mkdir", full)
    with pytest.raises(NotWritten):
        store.Folder("example")


@pytest.mark.parametrize(
    ("error", "next_step"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), r"^the disk is full, .*Free some space"),
        (OSError(errno.EROFS, "Read-only file system"), "Read-only.* Make .* you may write to"),
        (PermissionError(errno.EACCES, "Permission denied"), "denied.* Make .* you may write to"),
        (OSError(errno.EIO, "Input/output error"), "Input/output error. Correct this"),
    ],
    ids=str,
)
def test_what_cannot_be_written_says_what_to_do_about_it(error, next_step, tmp_path, monkeypatch):
    def fails(*_args, **_kwargs):
        raise error

    monkeypatch.setattr("pathlib.Path.replace", fails)
    with pytest.raises(NotWritten, match=next_step) as told:
        write(tmp_path / "new" / "record.json", b"text")
    assert "record.json" in str(told.value)
    assert str(told.value).endswith("then try again.")


def test_a_file_where_a_folder_belongs_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(NotWritten, match=rf"Make {tmp_path}/file a folder"):
        write(tmp_path / "file" / "deeper" / "record.json", b"text")


def test_trials_are_on_disk_before_the_comparison_is_complete():
    folder = store.Folder("example")
    folder.append(example_trial())
    folder.append(example_trial())
    lines = (folder.path / "trials.jsonl").read_text().splitlines()
    assert [json.loads(line)["schema"] for line in lines] == [1, 1]
    folder.discard()
    assert folder.path.exists()


def test_a_folder_without_a_trial_is_discarded():
    folder = store.Folder("example")
    folder.discard()
    assert not folder.path.exists()


def test_a_reference_replays_the_same_verdicts(whole):
    record(whole, QUESTION)
    comparison = compact.COMPARISON.replay("example", QUESTION)
    for metric in ("throughput", "p50", "p95", "p99", "mean", "cpu_per_request"):
        for at in whole.values:
            mine, theirs = (
                whole.ratio("async", at=at, metric=metric),
                comparison.ratio("async", at=at, metric=metric),
            )
            assert theirs.estimate == pytest.approx(mine.estimate, rel=1e-4)
            assert theirs.difference == mine.difference
    assert comparison.aa.estimate == pytest.approx(whole.aa.estimate, rel=1e-4)
    assert len(comparison.trials) == len(whole.trials)
    assert len(comparison.control) == len(whole.control)


def test_a_replay_says_when_and_where_it_was_measured(whole):
    record(whole, QUESTION)
    comparison = compact.COMPARISON.replay("example", QUESTION)
    assert comparison.recorded.label.startswith("recorded 2025-06-15 on 2 × Example CPU")
    assert comparison.trials[0].recorded == comparison.recorded
    assert comparison.recorded.label in repr(comparison)
    with pytest.raises(LabError, match="has no raw rows here"):
        comparison.trials[0].raw()


def test_a_record_of_72_trials_is_below_20_kilobytes(whole):
    file = record(whole, QUESTION)
    assert len(gzip.compress(file.read_bytes(), 9)) <= compact.LIMIT_BYTES


def test_a_recorded_file_is_written_again_byte_by_byte():
    kinds = set()
    for file in sorted((Path(__file__).parents[2] / "data/reference").glob("*.json")):
        text = file.read_text("utf-8")
        data = json.loads(text)
        if data.get("kind") in ("comparison", "trial"):  # the others have writers of their own
            kinds.add(data["kind"])
            assert compact.readable(data) == text, file.name
    assert kinds == {"comparison", "trial"}


def test_a_single_trial_is_recorded_and_replayed():
    trial = example_trial()
    record(trial, {})
    found = compact.COMPARISON.replay("example", {})
    assert found.throughput == pytest.approx(trial.throughput)
    assert found.latency.quantile(0.99) == pytest.approx(trial.latency.quantile(0.99), rel=1e-5)
    assert len(found.series) == len(trial.series)


def test_a_stale_record_names_experiment_change_and_command(whole):
    record(whole, QUESTION)
    question = json.loads(json.dumps(QUESTION))
    question["arms"]["async"]["source"] = "3"
    question["values"] = [1, 10]
    with pytest.raises(reference.StaleRecord) as error:
        compact.COMPARISON.replay("example", question)
    for part in (
        "'example'",
        "arm async: the program changed",
        "recorded [1, 10, 100]; now [1, 10]",
        "make reference",
    ):
        assert part in str(error.value)
    assert reference.answer("example", question) is None
    assert reference.answer(whole.experiment, whole.question).recorded is not None
    assert reference.stale("example", QUESTION) == []


def test_a_missing_record_offers_the_nearest_name(whole):
    record(whole, QUESTION)
    with pytest.raises(reference.NoRecord, match="example"):
        compact.COMPARISON.replay("exampel", QUESTION)


def test_a_damaged_record_is_named_not_shown_as_a_stack(places):
    (places / "reference").mkdir()
    (places / "reference" / "broken.json").write_text('{"schema": 1, ')
    with pytest.raises(reference.NoRecord, match="can't be read"):
        store.reference("broken")


def test_a_trial_whose_check_failed_is_not_recorded():
    with pytest.raises(LabError, match="no_errors"):
        record(example_trial(status=500), {})


def test_an_older_schema_is_migrated_step_by_step(monkeypatch, places):
    record(example_trial(), {})
    file = places / "reference" / "example.json"
    old = json.loads(file.read_text())
    old["schema"], old["data_kind"] = 0, old.pop("kind")
    file.write_text(json.dumps(old))
    monkeypatch.setitem(
        reference.MIGRATIONS,
        0,
        lambda d: {
            **{k: v for k, v in d.items() if k != "data_kind"},
            "kind": d["data_kind"],
            "schema": 1,
        },
    )
    assert store.reference("example").throughput > 0


def test_a_record_from_the_future_is_refused(places):
    record(example_trial(), {})
    file = places / "reference" / "example.json"
    file.write_text(file.read_text().replace('"schema":1', '"schema":7', 1))
    with pytest.raises(LabError, match="schema 7"):
        store.reference("example")


def test_a_record_that_cannot_be_made_small_is_refused(monkeypatch, whole):
    monkeypatch.setattr(compact, "LIMIT_BYTES", 500)
    with pytest.raises(LabError, match="a record may have 500"):
        record(whole, QUESTION)


def test_a_record_that_is_not_there_yet_is_noted(whole, monkeypatch, tmp_path):
    monkeypatch.setenv("LAB_USAGE_FILE", str(tmp_path / "notes"))
    assert reference.answer(whole.experiment, whole.question) is None
    noted = json.loads((tmp_path / "notes").read_text())
    assert noted["path"].endswith("reference/example.json")

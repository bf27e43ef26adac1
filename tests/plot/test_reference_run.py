"""The reference run stands grey behind a reader's own run, in every kind of figure."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace

import pytest
from examples import MACHINE, example_comparison, example_trial, record

from lab import claim, paths, plot
from lab.records import store

ELSEWHERE = replace(MACHINE, cpu="Another CPU @ 3.0GHz", id="fedcba9876543210")
QUESTION = {"arms": {}, "sweep": "", "values": [], "options": {}}
GREY = "var(--lab-recorded"


def elsewhere(trial):
    load = replace(trial.load, warm_cap_s=12.0)  # of the reference profile; it asks the same
    name = f"there-{trial.id}"
    return replace(trial, id=name, load=load, machine=ELSEWHERE, started="2025-01-02T03:04:05Z")


@pytest.fixture(scope="module")
def experiments(tmp_path_factory):
    """Two experiments as a reader measured them, and a folder with a reference run of each on
    another machine.
    """
    folder = tmp_path_factory.mktemp("reference")
    comparison = replace(example_comparison(values=(10,)), question=QUESTION)
    reference = example_comparison(values=(10,), arms={"sync": 260.0, "async": 500.0}, seed=5)
    reference = replace(
        reference,
        id="there",
        trials=tuple(map(elsewhere, reference.trials)),
        control=tuple(map(elsewhere, reference.control)),
        started="2025-01-02T03:04:05Z",
    )
    trial = example_trial(experiment="alone", question=QUESTION)
    other = elsewhere(example_trial(service_us=400, experiment="alone", seed=9))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(paths, "REFERENCE", folder)
        record(reference, QUESTION)
        record(other, QUESTION)
    return folder, comparison, trial


@pytest.fixture
def recorded(experiments, monkeypatch, tmp_path):
    """The two experiments, where their reference runs are found; what a test records there is its
    own.
    """
    folder, compared, trial = experiments
    monkeypatch.setattr(paths, "REFERENCE", shutil.copytree(folder, tmp_path / "reference"))
    return compared, trial


def medians(thing):
    trials = getattr(thing, "trials", [thing])
    return [{"arm": t.arm, "n": t.at, "ms": 1e3 * t.latency.quantile(0.5)} for t in trials]


KINDS = {
    "sweep": lambda c, t: plot.sweep(c),
    "comparison": lambda c, t: plot.comparison(c),
    "spectrum": lambda c, t: plot.spectrum(c),
    "spectrum of trials": lambda c, t: plot.spectrum({"ours": t}),
    "spectrum of cells": lambda c, t: plot.spectrum({"ours": c.cell("sync", 10)}),
    "spectrum of a stream": lambda c, t: plot.spectrum({"ping": t.alongside["ping"]}),
    "histogram": lambda c, t: plot.histogram(t),
    "histogram of a cell": lambda c, t: plot.histogram(c.cell("sync", 10)),
    "timeline": lambda c, t: plot.timeline(t),
    "lines": lambda c, t: plot.lines(c, rows=medians, x="n", y="ms", by="arm"),
    "dots": lambda c, t: plot.dots(c, rows=medians, x="n", y="ms", by="arm"),
    "bars": lambda c, t: plot.bars(t, rows=medians, x="arm", y="ms"),
}


def shown(page):
    """The page without what stands in the background of every figure: style and A/A strip."""
    return re.sub(r"<style>.*?</style>", "", page)


@pytest.mark.parametrize("kind", KINDS)
def test_a_readers_run_has_the_recorded_one_behind_it_and_its_machine_in_the_caption(
    kind, recorded
):
    page = shown(KINDS[kind](*recorded)._repr_html_())
    assert "recorded run" in page
    assert GREY in page
    assert "Grey: recorded 2025-01-02 on 2 × Another CPU @ 3.0GHz" in page


@pytest.mark.parametrize("kind", KINDS)
def test_in_replay_the_recorded_run_is_the_figure_and_nothing_stands_behind(kind, recorded):
    compared, trial = (store.reference(thing.experiment) for thing in recorded)
    page = shown(KINDS[kind](compared, trial)._repr_html_())
    assert "recorded run" not in page
    assert "Grey:" not in page
    assert page.count("Recorded 2025-01-02 on") == 1


@pytest.mark.parametrize("kind", KINDS)
def test_without_a_record_of_the_same_question_nothing_stands_behind(kind, recorded):
    other_question = {**QUESTION, "options": {"path": "/other"}}
    comparison, trial = recorded
    trials = tuple(
        replace(t, server=replace(t.server, source_sha256="cd" * 32)) for t in comparison.trials
    )
    comparison = replace(comparison, question=other_question, trials=trials)
    page = shown(KINDS[kind](comparison, replace(trial, question=other_question))._repr_html_())
    assert "recorded run" not in page


def test_the_run_that_becomes_the_record_does_not_stand_behind_itself(recorded):
    compared, trial = recorded
    record(compared, QUESTION)
    record(trial, QUESTION)
    for draw in KINDS.values():
        assert "recorded run" not in shown(draw(compared, trial)._repr_html_())


def test_a_published_claim_shows_the_recorded_ratio_below_ours(recorded):
    compared, _ = recorded
    page = shown(claim("sync-vs-async-file", compared.ratio("async", "sync"))._repr_html_())
    assert "recorded run" in page
    assert "Another CPU" in page


def test_grey_rows_can_be_given_with_their_record(recorded):
    _, trial = recorded
    there = trial.reference()
    rows = {"rows": medians(there), "of": there}
    page = shown(plot.lines(medians(trial), x="n", y="ms", recorded=rows)._repr_html_())
    assert "recorded run" in page
    assert "Another CPU" in page


def test_the_grey_outline_of_a_histogram_has_as_many_requests_as_ours(recorded):
    _, trial = recorded
    data = plot.histogram(trial).data
    assert sum(row["requests"] for row in data) == trial.latency.count
    assert sum(row["recorded_scaled"] for row in data) == pytest.approx(
        trial.latency.count, rel=0.03
    )


def test_the_grey_can_be_left_out(recorded):
    compared, trial = recorded
    for figure in (
        plot.sweep(compared, recorded=None),
        plot.comparison(compared, recorded=None),
        plot.spectrum(compared, recorded=None),
        plot.histogram(trial, recorded=None),
        plot.timeline(trial, recorded=None),
    ):
        assert "recorded run" not in shown(figure._repr_html_())

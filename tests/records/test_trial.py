"""The record of a trial: plain data and back, figures by name."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import pytest
from examples import example_trial

from lab.errors import LabError
from lab.records.trial import Counts, Trial


def test_json_gives_back_the_same_trial():
    t = example_trial()
    second = Trial.from_json(json.loads(json.dumps(t.to_json())))
    assert json.dumps(second.to_json()) == json.dumps(t.to_json())
    assert second.latency.quantile(0.5) == t.latency.quantile(0.5)
    assert second.series == pytest.approx(second.series)
    assert second.checks == t.checks
    assert second.resources == t.resources


def test_a_changed_copy_of_a_trial_or_a_stream_knows_what_it_belongs_to():
    trial = example_trial(ping=True)
    ping = trial.alongside["ping"]
    again = replace(trial, note="again")
    assert replace(ping, name="other").trial is trial
    assert again.alongside["ping"].trial is again
    assert ping.trial is trial
    assert trial.alongside["ping"] is ping
    assert "trial" not in ping.to_json()


def test_json_holds_no_number_that_json_does_not_know():
    text = json.dumps(example_trial(status=500).to_json(), allow_nan=False)
    assert math.isnan(Trial.from_json(json.loads(text)).latency.quantile(0.5))


def test_a_trial_of_an_unknown_schema_is_refused():
    with pytest.raises(LabError, match="schema 99"):
        Trial.from_json({**example_trial().to_json(), "schema": 99})


def test_every_request_has_a_fate():
    c = Counts(
        sent=20, ok=10, non2xx={"500": 2}, errors={"ECONNRESET": 3}, timeouts=1, in_flight_at_end=4
    )
    assert c.failed == 6
    assert c.accounted == c.sent


def test_figures_by_name_are_in_seconds_and_per_second():
    t = example_trial(connections=10, service_us=500)
    assert t.metric("throughput") == pytest.approx(2000, rel=0.05)
    assert t.metric("p50") == pytest.approx(0.005, rel=0.1)
    assert t.metric("p99.9") >= t.metric("p99") >= t.metric("mean") > 0
    assert t.metric("delay_max") == pytest.approx(0.003)
    assert t.metric("alongside.ping.p50") == t.alongside["ping"].latency.quantile(0.5)


def test_cpu_per_request_is_shared_by_the_answers_of_all_streams():
    alone, watched = example_trial(ping=False), example_trial(ping=True)
    assert alone.metric("cpu_per_request") == pytest.approx(0.7 / alone.answers)
    pings = round(watched.alongside["ping"].throughput * 0.5)
    assert pings > 0
    assert watched.metric("cpu_per_request") == pytest.approx(0.7 / (watched.answers + pings))


def test_an_unknown_figure_or_stream_is_named():
    with pytest.raises(LabError, match="no metric 'speed'"):
        example_trial().metric("speed")
    with pytest.raises(LabError, match=r"no stream 'pong' ran alongside\. The streams were ping"):
        example_trial().metric("alongside.pong.p50")


def test_repr_says_throughput_percentiles_it_carries_and_what_is_wrong():
    assert "req/s, p50" in repr(example_trial())
    fast = replace(example_trial(), throughput=100_549.0)
    assert "): 100,500 req/s, p50" in repr(fast)
    assert "p99" not in repr(example_trial(connections=1, service_us=5000, ping=False))
    assert "no_errors" in repr(example_trial(status=500))


def test_a_trial_read_from_json_has_no_raw_rows_and_says_so():
    with pytest.raises(LabError, match="no raw rows"):
        example_trial().raw()

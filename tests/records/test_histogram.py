"""Latency histograms: exact where it matters, mergeable, honest about what they carry."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from lab.errors import LabError
from lab.records.histogram import Histogram, bucket_edges, bucket_of


@pytest.fixture
def values() -> np.ndarray:
    return np.random.default_rng(1).lognormal(8, 1, 20_000).astype(int)


@pytest.mark.parametrize("bits", [4, 7, 11])
def test_every_value_lies_in_its_bucket(bits):
    v = np.unique(np.concatenate([np.arange(5000), 2 ** np.arange(40), 2 ** np.arange(1, 40) - 1]))
    low, high = bucket_edges(bucket_of(v, bits), bits)
    assert (low <= v).all()
    assert (v <= high).all()
    assert ((high - low) <= np.maximum(v >> (bits - 1), 0)).all()


def test_buckets_leave_no_gap_and_do_not_overlap():
    low, high = bucket_edges(np.arange(20_000))
    assert (low[1:] == high[:-1] + 1).all()


@pytest.mark.parametrize("q", [0.01, 0.5, 0.9, 0.99, 0.999])
def test_quantiles_are_within_a_tenth_of_a_percent_of_the_sorted_values(values, q):
    exact = np.sort(values)[math.ceil(q * len(values) - 1e-9) - 1] / 1e6
    assert Histogram.of(values).quantile(q) == pytest.approx(exact, rel=1e-3)


def test_mean_and_extremes_are_exact_not_from_buckets(values):
    h = Histogram.of(values)
    assert h.mean() == pytest.approx(values.mean() / 1e6, rel=1e-12)
    assert (h.min(), h.max()) == (values.min() / 1e6, values.max() / 1e6)
    assert (h.quantile(0), h.quantile(1)) == (h.min(), h.max())


def test_merging_equals_the_histogram_of_all_values(values):
    parts = [Histogram.of(part) for part in np.array_split(values, 7)]
    union, whole = parts[0].merge(*parts[1:]), Histogram.of(values)
    assert union.count == whole.count
    assert [union.quantile(q) for q in (0.1, 0.5, 0.99)] == [
        whole.quantile(q) for q in (0.1, 0.5, 0.99)
    ]
    assert union.mean() == pytest.approx(whole.mean())


def test_merging_is_not_averaging_percentiles():
    fast, slow = Histogram.of([100] * 900), Histogram.of([10_000] * 100)
    assert fast.merge(slow).quantile(0.5) == pytest.approx(100e-6)
    assert fast.merge(slow).quantile(0.95) == pytest.approx(10_000e-6, rel=1e-3)


def test_a_percentile_needs_ten_values_beyond_it():
    assert Histogram.of(range(1000)).support(0.99)
    assert not Histogram.of(range(999)).support(0.99)
    assert Histogram.of(range(20)).support(0.5)
    assert not Histogram.of([]).support(0.5)


def test_an_empty_histogram_has_no_figures():
    h = Histogram.of([])
    assert h.count == 0
    assert math.isnan(h.quantile(0.5))
    assert math.isnan(h.mean())
    assert h.merge(Histogram.of([5])).count == 1
    assert repr(h) == "Histogram(empty)"


def test_a_quantile_given_in_percent_is_refused_with_a_hint():
    with pytest.raises(LabError, match=r"p99 is 0\.99"):
        Histogram.of([1]).quantile(99)


def test_json_gives_back_the_same_histogram(values):
    h = Histogram.of(values)
    again = Histogram.from_json(json.loads(json.dumps(h.to_json())))
    assert again.to_json() == h.to_json()
    assert again.quantile(0.99) == h.quantile(0.99)
    assert Histogram.from_json(Histogram.of([]).to_json()).count == 0


def test_a_coarser_histogram_keeps_pinned_quantiles_exactly(values):
    h = Histogram.of(values)
    small = Histogram.from_json(h.coarser(5, (0.5, 0.99)).to_json())
    assert len(small.index) < len(h.index) / 10
    assert small.count == h.count
    assert small.quantile(0.99) == pytest.approx(h.quantile(0.99), rel=1e-5)
    assert small.quantile(0.9) == pytest.approx(h.quantile(0.9), rel=0.04)


@pytest.mark.parametrize(
    ("q", "value"), [(0.2, 1), (0.21, 2), (0.5, 3), (0.8, 4), (0.81, 5), (1, 5)]
)
def test_a_quantile_is_the_value_of_the_nearest_rank(q, value):
    assert Histogram.of([1, 2, 3, 4, 5]).quantile(q) == pytest.approx(value / 1e6)


def test_a_histogram_merged_with_nothing_keeps_its_exact_quantiles():
    values = np.arange(1, 2000, 7)
    coarse = Histogram.of(values).coarser(4, pin=(0.5,))
    assert coarse.merge().quantile(0.5) == Histogram.of(values).quantile(0.5)

"""The package of the clinic counts in plain Python what the book counts with numpy: the same."""

import ast
import dataclasses
import importlib
import math
import os
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from staging_module import NOT_RUN, staging

from lab import predict
from lab.clinic import signs
from lab.judging import stats
from lab.records import histogram, rows

COLUMNS = [
    {"name": "t_end_us", "type": "u32"},
    {"name": "latency_us", "type": "u32"},
    {"name": "status", "type": "i16"},
    {"name": "late_us", "type": "u32"},
]
SECOND = 1_000_000
STATUSES = (*[200] * 20, 204, 302, 404, 429, 500, *range(-9, 0))


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """Gives a module of the package by its name in `lab`."""
    folder = tmp_path_factory.mktemp("staged")
    staging().stage(folder)
    sys.path.insert(0, str(folder))
    try:
        yield lambda name: importlib.import_module(f"node_checkup.{name}")
    finally:
        sys.path.remove(str(folder))
        for name in [name for name in sys.modules if name.partition(".")[0] == "node_checkup"]:
            del sys.modules[name]


def same(ours, theirs):
    """Numbers but for the last digits, arrays number by number, data classes field by field."""
    if dataclasses.is_dataclass(ours):
        for field in dataclasses.fields(ours):
            same(getattr(ours, field.name), getattr(theirs, field.name))
    elif isinstance(ours, (list, tuple, np.ndarray)):
        assert len(ours) == len(theirs)
        for a, b in zip(ours, theirs, strict=True):
            same(a, b)
    elif isinstance(ours, (int, float, np.number)):
        assert theirs == pytest.approx(ours, rel=1e-9, abs=1e-12, nan_ok=True)
    else:
        assert ours == theirs


def drawn(n, seed):
    """Rows of a load, sorted by their ends."""
    numbers = random.Random(seed)
    ends = sorted(numbers.randrange(3 * SECOND) for _ in range(n))
    latencies = [min(end, round(numbers.lognormvariate(7, 1.5))) for end in ends]
    statuses = numbers.choices(STATUSES, k=n)
    late = [numbers.choice((0, 0, 2_000, 90_000)) for _ in range(n)]
    packed = zip(("<u4", "<u4", "<i2", "<u4"), (ends, latencies, statuses, late), strict=True)
    return b"".join(np.array(column, kind).tobytes() for kind, column in packed)


@pytest.mark.parametrize("n", [0, 1, 2, 7, 40, 3000])
def test_rows_are_read_and_summed_up_to_the_same_numbers(package, tmp_path, n):
    theirs = package("records.rows")
    file = tmp_path / "rows.bin"
    file.write_bytes(drawn(n, seed=n))
    ours_rows, their_rows = (module.read(file, n, COLUMNS) for module in (rows, theirs))
    for name, column in ours_rows.items():
        assert column.tolist() == their_rows[name].tolist()
    for edges in ((0, 3 * SECOND), (SECOND, 2 * SECOND), (3 * SECOND, 4 * SECOND)):
        ours = rows.window(ours_rows, edges)
        same(ours, theirs.window(their_rows, edges))
        quantiles = (0, 0.5, 0.9, 0.99, 1)
        window = theirs.window(their_rows, edges)
        same(
            [ours.latency.quantile(q) for q in quantiles],
            [window.latency.quantile(q) for q in quantiles],
        )
    assert rows.fates(ours_rows) == theirs.fates(their_rows)
    assert rows.late(ours_rows) == theirs.late(their_rows)
    same(rows.series(ours_rows, [], 0), theirs.series(their_rows, [], 0))


def test_histograms_are_merged_stored_and_made_coarser_alike(package):
    theirs = package("records.histogram").Histogram
    numbers = random.Random(3)
    parts = [[numbers.randrange(1, 10**e) for _ in range(200)] for e in (2, 4, 7, 9)] + [[]]
    ours = histogram.Histogram.merged([histogram.Histogram.of(part) for part in parts])
    numpy_histogram = theirs.merged([theirs.of(part) for part in parts])
    same(ours, numpy_histogram)
    assert ours.to_json() == numpy_histogram.to_json()
    same(ours.coarser(6, pin=(0.99,)), numpy_histogram.coarser(6, pin=(0.99,)))
    same(ours.bins(), numpy_histogram.bins())
    same(histogram.Histogram.from_json(ours.to_json()), theirs.from_json(numpy_histogram.to_json()))
    with pytest.raises(Exception, match="not in ascending order"):
        theirs.from_json({**numpy_histogram.to_json(), "step": [2, 0], "counts": [1, 1]})


@pytest.mark.parametrize("pairs", [1, 2, 6, 10, 13, 20, 40])
def test_ratios_have_the_same_intervals_and_chances(package, pairs):
    theirs = package("judging.stats")
    numbers = random.Random(pairs)
    old = [numbers.uniform(90, 110) for _ in range(pairs)]
    new = [x * numbers.uniform(0.97, 1.13) for x in old]
    for a, b in ((new, old), (old, old), ([math.nan, *new[1:]], old), ([0.0, *new[1:]], old)):
        ratios = [module.paired_ratio(a, b, a="new", b="old") for module in (stats, theirs)]
        same(*ratios)
        same(*(m.simultaneous([r] * 4, 4) for m, r in zip((stats, theirs), ratios, strict=True)))


def test_theory_expects_the_same(package):
    for kinds in (
        {"loop": 0.002},
        {"loop": 0.002, "delay": 0.05},
        {"pool": (0.01, 4), "loop": 0.002},
    ):
        bands = []
        for module in (predict, package("predict")):
            made = {k: module.queue(*v) if isinstance(v, tuple) else v for k, v in kinds.items()}
            model = module.closed(think_s=0.001, **made)
            bands.append(
                [model.throughput((1, 2, 8, 32)).to_json(), model.response((1, 8)).to_json()]
            )
        for ours, theirs in zip(*bands, strict=True):
            assert ours.keys() == theirs.keys()
            for key, value in ours.items():
                same(value, theirs[key])


def test_a_gate_waits_as_long(package):
    lines = [
        {"pid": 1, "gate": {"waits": [w], "pending_ms": 0, "pause_ms": 5.0}}
        for w in (1.0, 90.0, 3.0, 2.0)
    ]
    ours = signs.gate(lines, "gate")
    assert ours == 90.0
    assert package("clinic.signs").gate(lines, "gate") == ours


@pytest.mark.parametrize("n", [1, 2, 5, 100])
def test_middles_and_spreads_are_alike(package, n):
    arrays = package("arrays")
    values = [random.Random(n).uniform(0, 9) for _ in range(n)]
    same(np.median(values), arrays.median(values))
    for q in (0, 0.1, 0.5, 0.99, 1):
        same(np.quantile(values, q), arrays.quantile(values, q))
    same(np.cumsum(values), arrays.cumsum(values))
    same(np.log(values), arrays.log(values))
    same(np.diff(values, prepend=1), arrays.diff(values, prepend=1))
    if n > 1:
        same(np.log(values).std(ddof=1), arrays.log(values).std(ddof=1))
    weights = arrays.array(values) * 2
    same(np.average(values, weights=values), arrays.average(arrays.array(values), weights=weights))
    assert arrays.log([0.0]).tolist() == [-math.inf]


def test_every_name_of_numpy_that_the_package_runs_is_there(package):
    arrays, stage = package("arrays"), staging()
    for name, file in stage.modules().items():
        text = file.read_text("utf-8")
        if name in NOT_RUN or "numpy as np" not in text:
            continue
        assert name not in stage.PLAIN
        names = {
            node.attr
            for node in ast.walk(ast.parse(text))
            if isinstance(node, ast.Attribute) and getattr(node.value, "id", "") == "np"
        }
        assert {used for used in names if not hasattr(arrays, used)} == set(), name


def test_what_numpy_would_refuse_is_refused(package):
    arrays = package("arrays")
    pair = arrays.asarray([1, 2])
    with pytest.raises(ValueError, match="2 and 3 elements"):
        pair + arrays.asarray([1, 2, 3])
    with pytest.raises(IndexError, match="a mask of 1 can't be used for 2"):
        pair[arrays.asarray([True])]
    with pytest.raises(ValueError, match="has no truth value"):
        bool(pair)


def test_the_book_judges_the_same_with_plain_arrays():
    folder = Path(__file__).parent
    files = ["judging/test_stats.py", "judging/test_judge.py", "clinic/test_rules.py"]
    files += ["clinic/test_failures.py", "clinic/test_kinds.py", "clinic/test_outputs.py"]
    plugins = ["-p", "with_plain_arrays", "-p", "no:cacheprovider"]
    settings = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST_")}
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", *plugins, *(str(folder.parent / file) for file in files)],
        capture_output=True,
        text=True,
        check=False,
        timeout=900,
        env={**settings, "PYTHONPATH": str(folder)},
        cwd=folder.parents[1],
    )
    assert ran.returncode == 0, ran.stdout[-4000:]

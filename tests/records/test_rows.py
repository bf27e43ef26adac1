"""From raw rows to figures: window, series, loop, fates."""

from __future__ import annotations

import numpy as np
import pytest
from examples import EPOCH_US, closed_rows, probe_lines

from lab.errors import LabError
from lab.records import rows

COLUMNS = [
    {"name": "t_end_us", "type": "u32"},
    {"name": "latency_us", "type": "u32"},
    {"name": "status", "type": "i16"},
]


def made(*entries):
    """Rows from (end in ms, latency in ms, status)."""
    end, latency, status = zip(*entries, strict=True)
    return {
        "t_end_us": np.array(end, "u4") * 1000,
        "latency_us": np.array(latency, "u4") * 1000,
        "status": np.array(status, "i2"),
    }


def test_a_raw_file_is_read_column_by_column(tmp_path):
    expected_rows = made((1, 1, 200), (70_000, 3, -1))
    file = tmp_path / "x.rows"
    file.write_bytes(
        b"".join(
            expected_rows[c["name"]]
            .astype(expected_rows[c["name"]].dtype.newbyteorder("<"))
            .tobytes()
            for c in COLUMNS
        )
    )
    found = rows.read(file, 2, COLUMNS)
    assert {k: v.tolist() for k, v in found.items()} == {
        k: v.tolist() for k, v in expected_rows.items()
    }


def test_a_raw_file_of_the_wrong_size_voids_the_trial(tmp_path):
    file = tmp_path / "x.rows"
    file.write_bytes(b"\0" * 19)
    with pytest.raises(LabError, match="19 bytes, but 2 rows need 20"):
        rows.read(file, 2, COLUMNS)


def test_only_the_window_counts_and_only_2xx_as_throughput():
    window = rows.window(
        made((50, 5, 200), (150, 5, 200), (160, 5, 500), (190, 5, 204), (250, 5, 200)),
        (100_000, 200_000),
    )
    assert window.throughput == pytest.approx(20)
    assert window.ended == 3
    assert window.latency.count == 2


def test_timeouts_stay_in_the_tail_at_the_age_of_giving_up():
    found = rows.window(
        made(*[(100 + i, 1, 200) for i in range(9)], (150, 50, -2)), (100_000, 200_000)
    )
    assert found.latency.max() == pytest.approx(0.050)
    assert found.throughput == pytest.approx(90)


def test_requests_in_flight_at_the_end_are_censored_not_counted():
    found = rows.window(made((150, 5, 200), (200, 3000, -1)), (0, 200_000))
    assert found.latency.count == 1
    assert (found.waiting, found.waiting_longest_s) == (1, 3.0)


def test_in_flight_is_n_in_a_closed_loop_even_for_a_window_of_a_few_cycles():
    found = rows.window(closed_rows(20, 3000), (100_000, 230_000))
    assert found.in_flight == pytest.approx(20, rel=0.01)


def test_a_request_that_was_never_sent_waits_in_the_system_from_its_intended_time():
    found = rows.window(made((200, 100, -9)), (0, 200_000))
    assert found.in_flight == pytest.approx(0.5)
    assert found.ended == 0


def test_series_covers_warm_up_and_every_answer():
    raw = closed_rows(10, 500)
    series = rows.series(raw, probe_lines(), EPOCH_US)
    assert [b.t_s for b in series] == pytest.approx([i / 10 for i in range(8)])
    assert sum(b.n for b in series) == (raw["status"] == 200).sum()
    assert series[2].p50 == pytest.approx(0.005, rel=0.2)
    assert series[2].elu == 0.9
    assert series[7].p99 is None or series[7].n >= 100


def test_series_of_nothing_is_empty():
    assert rows.series(made((10, 10, -1)), [], EPOCH_US) == ()


def test_a_p99_of_fewer_than_a_hundred_answers_is_not_given():
    series = rows.series(closed_rows(10, 5000), [], EPOCH_US)
    assert all(b.p99 is None for b in series)
    assert all(b.p50 is not None for b in series if b.n)


def test_loop_figures_are_those_of_the_window():
    lines = probe_lines()
    lines[0]["delay_max_us"] = 1e9  # in the warm-up
    lines[4]["delay_max_us"] = 80_000
    found = rows.loop(lines, EPOCH_US, (250_000, 750_000))
    assert found is not None
    assert found.delay_max_s == pytest.approx(0.080)
    assert found.elu == pytest.approx(0.9)


def test_a_delay_told_just_after_the_window_counts():
    late = [{**probe_lines()[0], "t_us": EPOCH_US + 790_000, "delay_max_us": 700_000}]
    found = rows.loop(late, EPOCH_US, (250_000, 750_000))
    assert found is not None
    assert found.delay_max_s == pytest.approx(0.7)


def test_a_line_counts_as_long_as_it_is():
    # A loop that stood for a second, and then had nothing to do for two tenths.
    line = probe_lines()[0]
    lines = [
        {**line, "t_us": EPOCH_US + at, "elu": elu, "delay_mean_us": 10 * elu}
        for at, elu in ((100_000, 0.0), (1_100_000, 1.0), (1_200_000, 0.0), (1_300_000, 0.0))
    ]
    found = rows.loop(lines, EPOCH_US, (100_000, 1_300_000))
    assert found is not None
    assert found.elu == pytest.approx(1 / 1.2, abs=1e-3)
    assert found.delay_mean_s == pytest.approx(10e-6 / 1.2)


def test_a_server_without_probe_has_no_loop():
    assert rows.loop([], EPOCH_US, (0, 1)) is None


def test_every_row_has_a_fate():
    found = rows.fates(
        made(*[(1, 1, s) for s in (200, 204, 301, 500, -1, -2, -3, -4, -5, -6, -7, -8, -9)])
    )
    assert found == {"ok": 2, "non2xx": 2, "timeouts": 1, "in_flight": 1, "errors": 6, "dropped": 1}


def test_of_several_processes_the_busiest_has_the_loop_figures_and_the_series():
    primary = [{**line, "pid": 10} for line in probe_lines(elu=0.02, delay_us=100)]
    worker = [{**line, "pid": 11} for line in probe_lines(elu=0.98, delay_us=3000)]
    # A line of the primary is the last of each tenth of a second.
    mixed = sorted([*worker, *primary], key=lambda line: line["t_us"])
    window_us = (250_000, 750_000)
    assert rows.loop(mixed, EPOCH_US, window_us) == rows.loop(worker, EPOCH_US, window_us)
    chosen = rows.busiest(mixed, EPOCH_US, window_us)
    assert chosen == worker
    found = rows.series(closed_rows(), chosen, EPOCH_US)
    assert {one.elu for one in found if one.elu is not None} == {0.98}


def test_a_blocked_process_is_the_busiest_although_it_writes_few_lines():
    idle = [{**line, "pid": 10} for line in probe_lines(elu=0.3)]
    blocked = [{**line, "pid": 11} for line in (probe_lines(elu=1.0)[i] for i in (0, 5))]
    assert rows.busiest([*idle, *blocked], EPOCH_US, (0, 700_000)) == blocked

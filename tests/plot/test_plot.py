"""Figures: the finding in words, the theme by variables, the data behind one link."""

from __future__ import annotations

import csv
import io
import json
import math
import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from itertools import pairwise
from statistics import geometric_mean
from urllib.parse import unquote

import pytest
from examples import MACHINE, example_comparison, example_trial
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from lab import plot, predict
from lab.errors import LabError
from lab.judging.stats import spread_text
from lab.paths import ROOT
from lab.plot import latency
from lab.plot.canvas import Canvas
from lab.plot.figure import NARROW, WIDE
from lab.plot.measures import metric_of, value_words
from lab.plot.palette import THEMES
from lab.plot.series import Line, _tick_names
from lab.plot.svg import leftovers
from lab.plot.text import text_width
from lab.plot.ticks import spread
from lab.records.histogram import Histogram
from lab.records.output import Printed
from lab.records.reference import Recorded
from lab.records.trial import Check

RECORDED = Recorded("example", "2025-06-15T10:00:00Z", MACHINE)


@pytest.fixture(scope="module")
def compared():
    return example_comparison()


@pytest.fixture(scope="module")
def figures(compared):
    trial = example_trial("sync", 50, 300, seed=4)
    rows = [{"n": n, "ms": n * k, "who": w} for n in (1, 10, 100) for w, k in (("a", 1), ("b", 2))]
    published = [{"x": 100, "y": 2079.5, "name": "published 2013"}]
    recorded = example_comparison(pairs=12, seed=3).with_recorded(RECORDED)
    model = predict.closed(loop=0.0003)
    return {
        "sweep": plot.sweep(compared, predict=model, published=published, recorded=recorded),
        "sweep p99": plot.sweep(compared, metric="p99", recorded=None),
        "comparison": plot.comparison(compared, at=100, published={"sync": 208, "async": 263}),
        "spectrum": plot.spectrum(compared, at=100),
        "histogram": plot.histogram(trial),
        "histogram of arms": plot.histogram(compared, at=100),
        "timeline": plot.timeline(trial),
        "lines": plot.lines(rows, x="n", y="ms", by="who"),
        "bars": plot.bars({"what": ["sync", "async"], "us": [3, 5]}, x="what", y="us"),
        "dots": plot.dots({"file": ["a", "b"], "ms": [1, 2]}, x="file", y="ms"),
        "forest": plot.forest([{"name": "x", "estimate": 2, "low": 1.8, "high": 2.2}]),
    }


ARMS = ("sync", "async")
KINDS = ("sweep", "sweep p99", "comparison", "spectrum", "histogram", "timeline")
KINDS += ("lines", "bars", "dots", "forest")


@pytest.fixture(scope="module")
def pages(figures):
    return {kind: figure._repr_html_() for kind, figure in figures.items()}


def drawings(page: str) -> list[str]:
    return re.findall(r"<svg.*?</svg>", page, re.S)


@pytest.mark.parametrize("kind", KINDS)
def test_every_figure_states_its_finding_to_those_who_do_not_see_it(kind, pages):
    roots = [ET.fromstring(svg) for svg in drawings(pages[kind])]
    words = {n.attrib["id"]: n.text for root in roots for n in root if "id" in n.attrib}
    for root in roots:
        title, finding = (words[root.attrib[f"aria-{by}"]] for by in ("labelledby", "describedby"))
        assert root.attrib["role"] == "img"
        assert title
        assert len(finding) >= 20
        assert re.search(r"\d", finding), finding


@pytest.mark.parametrize("kind", KINDS)
def test_a_finding_is_told_once_and_the_texts_of_the_drawing_not_at_all(kind, pages):
    assert len(re.findall("<desc", pages[kind])) == 1  # of two drawings, of which one is shown
    for svg in drawings(pages[kind]):
        root = ET.fromstring(svg)
        silent = root.find("{*}g[@aria-hidden='true']")
        inside = set(silent.iter())
        outside = [node for node in root.iter() if node not in inside]
        assert {node.tag.split("}")[-1] for node in outside} <= {"svg", "title", "desc", "style"}


@pytest.mark.parametrize("kind", KINDS)
def test_no_colour_is_fixed(kind, pages):
    for svg in drawings(pages[kind]):
        assert leftovers(svg) == []
        assert "var(--lab-" in svg


@pytest.mark.parametrize("kind", KINDS)
def test_a_drawing_stays_below_40_kB(kind, pages):
    assert max(map(len, drawings(pages[kind]))) <= 40_000


@pytest.mark.parametrize("kind", KINDS)
def test_the_data_link_carries_the_rows_of_the_figure(kind, figures, pages):
    link = re.search(r'<a class="lab-data" download="([\w-]+\.csv)" href="([^"]+)"', pages[kind])
    assert link
    head, _, body = link[2].partition(",")
    assert head == "data:text/csv;charset=utf-8"
    rows = list(csv.DictReader(io.StringIO(unquote(body))))
    assert len(rows) == len(figures[kind].data) > 0
    assert set(rows[0]) >= set(map(str, figures[kind].data[0]))


@pytest.mark.parametrize("kind", KINDS)
def test_no_text_is_smaller_than_11_pixels_where_it_is_shown(kind, pages):
    # The wide drawing is shown from 600 px, the narrow one in at least 300.
    shown = zip(drawings(pages[kind]), (600 / WIDE.width, 300 / NARROW.width), strict=True)
    for svg, scale in shown:
        sizes = [float(v) for v in re.findall(r'font-size[:=]"?(\d+(?:\.\d+)?)', svg)]
        assert sizes
        assert min(sizes) * scale >= 11


def test_a_name_of_several_words_has_two_lines_on_a_phone_before_it_is_cut():
    canvas = Canvas(NARROW, narrow=True)
    room = canvas.width_of("waits of random")
    assert canvas.in_lines("waits of random", room) == "waits of random"
    assert canvas.in_lines("waits of random length", room) == "waits of random\nlength"
    assert canvas.in_lines("waits of random length and of more", room).endswith("…")
    assert canvas.in_lines("one-word-that-is-longer-than-its-place", room).endswith("…")


def test_a_row_of_a_forest_plot_has_all_of_its_title_wide_and_on_a_phone():
    words = " ".join(f"word{i}" for i in range(40))
    title = f"A title that is much longer than a phone is wide {words}."
    row = {"estimate": 2, "low": 1.8, "high": 2.2}
    figure = plot.forest([{"name": "a", "title": title, **row}, {"name": "b", **row}])
    for svg in drawings(figure.svg):
        texts = re.findall(r"<text[^>]*>([^<]+)</text>", svg)
        assert words.split()[-1] in " ".join(texts)
        assert not [text for text in texts if text.endswith("…")]
        assert " ".join(title.split()) in " ".join(" ".join(texts).split())


def test_names_below_an_axis_are_on_two_lines_or_two_heights_before_they_are_cut():
    canvas = Canvas(NARROW, narrow=True)
    two_words = _tick_names(canvas, ["as it was", "advice mended"], 70)
    assert two_words == ["as it was", "advice\nmended"]
    long_words = _tick_names(canvas, ["wrk", "autocannon", "hey"], canvas.width_of("autocan"))
    assert long_words == ["wrk", "\nautocannon", "hey"]


@pytest.mark.parametrize("label", ["reads at once", "reads that wait at once (throughput × 50 ms)"])
def test_what_the_axes_say_ends_inside_of_a_phone(label):
    canvas = Canvas(NARROW, narrow=True)
    axes = canvas.axes(f"{label}: y", label)
    axes.set_yticks([0], ["async, 8 threads"])
    canvas.source()
    for words in (axes.xaxis.label, axes.title, axes._left_title):
        box = words.get_window_extent()
        assert not words.get_text() or 0 <= box.x0 < box.x1 <= NARROW.width


def test_a_title_that_layout_takes_for_narrower_than_it_is_drawn_ends_inside(monkeypatch):
    """Layout's letters are hinted: matplotlib 3.11 has this title 4 pixels narrower."""
    label = "reads that wait at once (throughput × 50 ms)"
    canvas = Canvas(NARROW, narrow=True)
    axes = canvas.axes(f"{label}: y", label)
    axes.set_yticks([0], ["async, 8 threads"])
    real = Text.get_window_extent

    def hinted(self, *words, **options):
        box = real(self, *words, **options)
        return Bbox.from_bounds(box.x0, box.y0, box.width - 8, box.height)

    with monkeypatch.context() as patch:
        patch.setattr(Text, "get_window_extent", hinted)
        canvas.source()
    box = axes._left_title.get_window_extent()
    assert 0 <= box.x0 < box.x1 <= NARROW.width


def test_a_comparison_whose_baseline_answered_nothing_is_drawn_without_ratios():
    """Such as one that a busy machine measured for a second."""
    comparison = example_comparison(pairs=2, values=(10,))
    silent = [
        replace(t, throughput=0.0) if t.arm == comparison.baseline else t for t in comparison.trials
    ]
    figure = plot.comparison(replace(comparison, trials=silent), at=10, recorded=None)
    assert not math.isfinite(replace(comparison, trials=silent).ratio("async", at=10).estimate)
    assert len(drawings(figure._repr_html_())) == 2


def test_ids_are_unique_even_when_a_figure_is_shown_twice(figures):
    page = "".join(f._repr_html_() for f in [*figures.values(), *figures.values()])
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    references = set(re.findall(r'(?:href="|url\()#([\w-]+)', page))
    assert references <= set(ids)


def test_the_same_content_gives_the_same_drawing():
    first, second = (plot.bars({"a": ["x"], "b": [1]}, x="a", y="b") for _ in range(2))
    assert first.svg == second.svg


def test_every_trial_is_a_dot(compared, pages):
    wide = drawings(pages["sweep p99"])[0]
    groups = re.findall(r'<g class="lab-dots">(.*?)</g></g>', wide, re.S)
    assert sum(g.count("<use ") for g in groups) == len(compared.trials) + len(compared.control)


def test_a_figure_counts_an_arm_that_ran_twice_as_its_ratio_does(compared):
    slow = tuple(replace(t, throughput=t.throughput / 2) for t in compared.control)
    slow = (replace(slow[0], checks={"quiet": Check("fail", 0.6, 0.1, "busy")}), *slow[1:])
    uneven = replace(compared, control=slow)
    figure = plot.comparison(uneven, at=100, recorded=None)
    pairs = zip(uneven.cell("sync", 100), slow, strict=True)
    middle = geometric_mean(math.sqrt(a.throughput * b.throughput) for a, b in pairs)
    assert f"sync {value_words(metric_of('throughput'), middle)}" in figure.alt
    ratio = uneven.ratio("async", "sync", at=100)
    alone = geometric_mean(t.throughput for t in uneven.cell("async", 100))
    assert alone / middle == pytest.approx(ratio.estimate)
    assert "each row: 6 blocks, geometric mean, 95 % interval" in figure.notes
    assert "sync ran twice in each block (A/A), and both runs count" in figure.notes
    assert "checks, of 18 trials: 1 × other programs busy" in figure.notes
    assert figure.stamps == ["other programs busy (sync at 100)"]
    wide = drawings(figure.svg)[0]
    groups = re.findall(r'<g class="lab-dots">(.*?)</g></g>', wide, re.S)
    assert sum(g.count("<use ") for g in groups) == 18 + 6  # every trial, then every ratio

    swept = plot.sweep(uneven, recorded=None)
    assert (
        "sync ran twice in each block at 100 connections (A/A), and both runs count" in swept.notes
    )
    assert "each point: 6 blocks, geometric mean, 95 % interval" in swept.notes
    assert swept.stamps and f"checks, of {36 + 6} trials: 1 ×" in " ".join(swept.notes)
    elsewhere = plot.comparison(uneven, at=10, recorded=None)
    assert "each row: 6 trials, geometric mean, 95 % interval" in elsewhere.notes
    assert not any("A/A): both" in note for note in elsewhere.notes)
    requests = sum(t.latency.count for t in (*uneven.cell("sync", 100), *slow))
    groups, every, _ = latency.groups_of(uneven, 100)
    assert sum(h.count for h in groups["sync"]) == requests and len(every) == 18


def test_the_spread_of_a_control_is_told_as_what_it_is(compared):
    noted = " ".join(plot.comparison(compared, at=100).notes)
    told = spread_text(compared.aa_spread())
    assert f"A/A ±{told}, the grey strip, shows how far from 1 the 95 % interval" in noted
    assert "up to" not in noted


def test_a_figure_has_one_kind_of_mean_and_says_which():
    rows = {"n": [1, 1, 2, 2], "ms": [1, 9, 0, 4]}  # one value has no logarithm
    figure = plot.lines(rows, x="n", y="ms")
    assert figure.alt == "ms, by n: goes from 5 at 1 to 2 at 2."
    assert "each point: 2 values, mean, 95 % interval" in figure.notes
    fine = plot.lines({**rows, "ms": [1, 9, 1, 4]}, x="n", y="ms")
    assert "from 3 at 1 to 2 at 2" in fine.alt
    assert "each point: 2 values, geometric mean, 95 % interval" in fine.notes


def test_published_points_of_lines_are_stars_also_when_they_come_as_plain_data():
    given = [{"x": 2, "y": 7, "name": "published 2010"}]
    figure = plot.lines({"x": [1, 2], "y": [3, 4]}, x="x", y="y", published=given)
    assert "published 2010" in figure.svg
    assert figure.alt == "Y, by x: goes from 3 at 1 to 4 at 2. Published 2010 is 7 at 2."
    assert 'class="lab-published"' in figure.svg


def test_the_finding_of_a_sweep_is_the_ratio_with_its_interval(compared):
    alt = plot.sweep(compared, recorded=None).alt
    r = compared.ratio("async", at=100)
    assert r.decided
    assert alt.startswith("At 100 connections sync responds to 1.")
    assert "times as many requests per second as async (95 % interval" in alt
    assert "6 pairs" in alt
    low, high = map(float, re.search(r"interval ([\d.]+) to ([\d.]+)", alt).groups())
    assert low == pytest.approx(1 / r.high, abs=0.06)
    assert high == pytest.approx(1 / r.low, abs=0.06)


def test_without_enough_pairs_the_finding_says_that_there_is_no_verdict():
    few = example_comparison(pairs=2, values=(10,))
    assert "don't allow a verdict" in plot.comparison(few).alt


def test_a_failed_check_is_stamped_in_words(compared):
    bad = replace(
        compared,
        trials=tuple(
            replace(t, checks={**t.checks, "littles_law": Check("fail", 0.3, 0.05, "X × R = 3")})
            if (t.arm, t.at) == ("async", 100)
            else t
            for t in compared.trials
        ),
    )
    page = plot.sweep(bad, recorded=None)._repr_html_()
    for svg in drawings(page):
        assert 'class="lab-stamp"' in svg
        assert "breaks Little’s law (async at 100)</text>" in svg
    assert re.search(r"<desc[^>]*>[^<]*On the plot: breaks Little’s law", page)
    assert "lab-stamp" not in plot.sweep(compared, recorded=None)._repr_html_()


def test_each_line_of_a_stamp_fits_into_the_figure_in_bold():
    words = "not steady (Tornado at 100, Thin at 300 and 4 more)"
    canvas = Canvas(NARROW, narrow=True, stamps=[words])
    lines = [text.get_text() for text in canvas.figure.texts]
    assert " ".join(lines) == words
    assert all(text_width(line, NARROW.font, "bold") < NARROW.width - 20 for line in lines)


def test_a_client_at_its_limit_is_stamped_although_it_only_warns():
    trial = example_trial()
    check = Check("warn", 0.93, 0.8, "client-bound: the load generator was busy 93% of the time")
    bound = replace(trial, checks={**trial.checks, "client_headroom": check})
    assert "client-bound" in plot.histogram(bound).stamps


def test_a_drifting_server_is_stamped_and_one_with_too_few_answers_is_not():
    trial = example_trial()
    drift = Check("warn", -0.4, 0.05, "the last third of the window was 40.0% slower")
    unknown = Check("warn", None, None, "too few answers to see whether the rate was steady")
    for check, told in ((drift, True), (unknown, False)):
        shown = plot.histogram(replace(trial, checks={**trial.checks, "steady": check}))
        assert ("not steady" in shown.stamps) is told


def test_a_replayed_figure_says_when_and_where_it_was_recorded(compared):
    page = plot.sweep(compared.with_recorded(RECORDED))._repr_html_()
    assert "Recorded 2025-06-15 on 2 × Example CPU @ 2.50GHz" in page


def test_recorded_run_published_figure_and_prediction_are_named(pages):
    for svg in drawings(pages["sweep"]):
        for words in ("recorded run", "published 2013", "theory: MVA to bound"):
            assert words in svg
        assert 'class="lab-published"' in svg


def test_hostile_names_are_only_text():
    evil = '"><script>alert(1)</script>&\x07'
    hostile = example_comparison(arms={evil: 300.0, "$x_{1}$": 500.0}, values=(1, 10))
    page = plot.sweep(hostile, recorded=None)._repr_html_()
    page += plot.comparison(hostile, at=10)._repr_html_()
    assert "<script" not in page
    assert "alert(1)" in page
    for svg in drawings(page):
        ET.fromstring(svg)


def test_a_cell_that_looks_like_a_formula_is_disarmed():
    figure = plot.bars({"a": ["=HYPERLINK(1)"], "b": [1]}, x="a", y="b")
    assert "'=HYPERLINK(1)" in figure.csv


@pytest.mark.parametrize("theme", [0, 1])
def test_text_and_marks_have_contrast_in_both_themes(theme):
    paper = THEMES["paper"][theme]
    for name, values in THEMES.items():
        least = {"paper": 0, "grid": 0, "axis": 3, "recorded": 3, "band": 3}.get(name, 4.5)
        assert _contrast(values[theme], paper) >= least, name


def _contrast(a: str, b: str) -> float:
    def luminance(colour: str) -> float:
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    high, low = sorted((luminance(a), luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_the_books_stylesheet_has_the_colours_of_the_figures():
    from lab.paths import ROOT

    css = (ROOT / "book/_static/lab.css").read_text()
    light, dark = css.split('html[data-theme="dark"] {', 1)
    for name, (day, night) in THEMES.items():
        assert f"--lab-{name}: {day};" in light
        assert f"--lab-{name}: {night};" in dark.split("}")[0]


def test_a_figure_saves_as_svg_html_or_csv_and_refuses_the_rest(tmp_path, figures):
    figure = figures["bars"]
    assert ET.parse(figure.save(tmp_path / "a.svg")).getroot().tag.endswith("svg")
    assert figure.save(tmp_path / "a.csv").read_text() == figure.csv
    assert "<figure" in figure.save(tmp_path / "a.html").read_text()
    with pytest.raises(LabError, match=r"end it in \.svg, \.html or \.csv"):
        figure.save(tmp_path / "a.png")


def test_labels_that_touch_move_apart_and_keep_their_order():
    places = spread([10, 11, 50, 12], 10, 0, 100)
    ordered = sorted(places)
    assert all(b - a >= 9.999 for a, b in pairwise(ordered))
    assert places[0] < places[1] < places[3] < places[2]
    assert min(spread([1, 2], 10, 0, 100)) >= 0


def test_the_names_of_percentiles_stay_inside_the_axes():
    latencies = [5000 + i for i in range(1900)] + [100_000] * 100  # p50 and p90 at the left edge
    page = plot.histogram(Histogram.of(latencies))._repr_html_()
    for svg in drawings(page):
        for name, anchor in (("p50", "start"), ("p90", "start"), ("p99", "end")):
            (style,) = re.findall(rf"<text([^>]*)>{name} ", svg)
            assert ("text-anchor:end" in style) is (anchor == "end")


def test_the_shapes_of_several_arms_share_bins_and_each_has_all_of_its_own_answers(compared):
    rows = plot.histogram(compared, at=100).data
    bins = {arm: [(r["from_ms"], r["to_ms"]) for r in rows if r["series"] == arm] for arm in ARMS}
    assert bins["sync"] == bins["async"] and len(bins["sync"]) > 5
    for arm in ARMS:
        shares = [r["share"] for r in rows if r["series"] == arm]
        assert sum(shares) == pytest.approx(100, abs=0.5)
        middle = compared.latency(arm, 100).quantile(0.5) * 1e3
        below = sum(r["share"] for r in rows if r["series"] == arm and r["to_ms"] <= middle)
        above = sum(r["share"] for r in rows if r["series"] == arm and r["from_ms"] >= middle)
        assert below <= 50 and above <= 50


def test_a_series_in_time_has_round_ticks():
    rows = [{"t": i / 10, "n": i} for i in range(35)]
    page = plot.lines(rows, x="t", y="n", x_scale="linear")._repr_html_()
    assert {">0.5</text>", ">2.5</text>"} <= set(re.findall(r">[\d.]+</text>", page))
    assert ">2.1</text>" not in page


def test_a_percentile_without_support_is_neither_drawn_nor_told():
    few = example_trial(connections=1, service_us=20_000)
    assert "p99" not in plot.histogram(few)._repr_html_()
    assert "p99" not in plot.spectrum(few)._repr_html_()


@pytest.mark.parametrize(
    ("draw", "words"),
    [
        (lambda: plot.lines([{"a": 1}], x="a", y="b"), "no column 'b'. The columns are a"),
        (lambda: plot.lines([], x="a", y="b"), "no rows"),
        (lambda: plot.lines({"a": [1], "b": [1, 2]}, x="a", y="b"), "different lengths"),
        (lambda: plot.lines(3, x="a", y="b"), "cannot plot a int"),
        (lambda: plot.spectrum(3), "the latencies of a int can't be drawn"),
        (lambda: plot.forest([{"name": "x"}]), "needs a name and an estimate"),
    ],
)
def test_what_cannot_be_drawn_is_said_with_the_value_seen(draw, words):
    with pytest.raises(LabError, match=re.escape(words)):
        draw()


@pytest.mark.parametrize(
    "values", [("/small", "/big"), ({"FILE": "small"}, {"FILE": "big"}), (64, 1_000_000)]
)
def test_any_swept_value_has_a_place_on_the_axis(values):
    comparison = example_comparison(pairs=2, values=(1, 10))
    named = dict(zip(comparison.values, values, strict=True))
    trials = tuple(replace(t, at=named[t.at]) for t in comparison.trials)
    swept = replace(comparison, sweep="path", values=values, trials=trials, control=(), aa_arm=None)
    page = plot.sweep(swept, recorded=None)._repr_html_()
    wanted = {"/big", "FILE=big", "1M"}
    assert any(f">{tick}</text>" in page for tick in wanted)


def test_one_trial_of_one_value_is_drawn_without_an_interval():
    lone = example_comparison(pairs=1, values=(10,))
    page = plot.comparison(lone)._repr_html_()
    assert "allow a verdict" in page
    for svg in drawings(page):
        assert "nan" not in svg.lower()
        ET.fromstring(svg)


def test_a_mark_names_a_place_on_the_x_axis():
    figure = plot.lines({"x": [1, 2], "y": [3, 4]}, x="x", y="y", mark={"2 cores": 2})
    assert "2 cores" in figure.svg


# -- what is said --------------------------------------------------------------------------------
CONCAT = {"bytes": [64, 16384, 2**24], "speed": [159, 1431, 32.8]}


def test_a_line_that_turns_says_where_and_sizes_have_their_unit():
    figure = plot.lines(
        CONCAT, x="bytes", y="speed", x_label="frame (bytes)", y_label="throughput (MiB/s)"
    )
    assert figure.alt == (
        "Throughput, by frame: goes from 159 MiB/s at 64 bytes to 32.8 MiB/s at 16 MiB, "
        "highest 1,430 MiB/s at 16 KiB."
    )
    assert all(f">{tick}</text>" in figure.svg for tick in ("64", "16 KiB", "16 MiB"))
    shorter = [{"bytes": 2**k - 1, "speed": 100} for k in (12, 15)]
    rows = [{"bytes": 2**k, "speed": 90} for k in (7, 12, 15, 20)]
    svg = plot.lines(rows + shorter, x="bytes", y="speed", x_label="size (bytes)").svg
    assert all(f">{tick}</text>" in svg for tick in ("128", "32 KiB", "1 MiB"))


def test_a_timeline_tells_its_beginning_and_no_lane_that_is_not_drawn():
    trial = example_trial("sync", 50, 300, seed=4)
    first = value_words(metric_of("throughput"), trial.series[0].n / 0.1).split()[0]
    said = plot.timeline(trial).alt
    assert said.startswith(
        f"In its first 100 ms, sync responds to {first} requests per second. After 0.25 s"
    )
    assert "event loop" in said
    assert "event loop" not in plot.timeline(trial, loop=False).alt


def test_a_line_that_only_rises_names_its_ends_alone():
    said = plot.lines({"n": [1, 10, 1000], "late_ms": [1, 2, 3]}, x="n", y="late_ms").alt
    assert said == "Late, by n: goes from 1 ms at 1 to 3 ms at 1,000."


def test_where_x_are_names_every_one_of_them_is_told_and_no_raw_column():
    rows = [
        {"tool": tool, "p50_ms": 20 + i, "how": how}
        for how in ("open", "closed")
        for i, tool in enumerate(("ours", "wrk", "ab"))
    ]
    figure = plot.dots(rows, x="tool", y="p50_ms", by="how", y_label="median (ms)")
    assert figure.alt == (
        "Median, by tool: open: ours 20, wrk 21, ab 22 ms; closed: ours 20, wrk 21, ab 22 ms."
    )
    assert figure.csv.splitlines()[0] == "how,tool,median (ms)"
    assert "perTurn" not in plot.bars({"n": ["a"], "perTurn": [2]}, x="n", y="perTurn").svg


def test_a_forest_tells_each_row_and_no_end_of_an_interval_as_1_that_is_not():
    rows = [
        {"name": f"row {i}.", "estimate": 0.9, "low": 0.843, "high": 0.99962} for i in range(20)
    ]
    said = plot.forest(rows).alt
    assert all(row["name"] in said for row in rows)
    assert said.count("(0.843 to 0.9996)") == 20


def test_means_are_named_by_their_kind(compared):
    assert "Geometric means: sync" in plot.comparison(compared, at=10).alt
    assert "Published" not in plot.comparison(compared, at=10).alt
    marked = plot.comparison(compared, at=10, published={"sync": 208}).alt
    assert marked.endswith(". Published: sync 208 req/s.")
    notes = plot.sweep(compared).notes
    assert "each point: 6 blocks, geometric mean, 95 % interval" in notes


# -- what the axes say ---------------------------------------------------------------------------
def test_a_logarithmic_scale_says_so_and_a_linear_one_does_not():
    rows = {"n": [1, 100], "ms": [1, 1000], "s": [5, 6]}
    assert drawings(plot.lines(rows, x="n", y="ms").svg)[0].count("(log scale)") == 2
    assert "(log scale)" not in plot.lines(rows, x="n", y="s", x_scale="linear").svg
    assert "(log scale)" in plot.forest([{"name": "a", "estimate": 2}], x_label="a ÷ b").svg


def test_an_interval_that_leaves_the_axes_has_an_arrow(compared):
    wide = {"n": [1, 1, 2, 2], "ms": [1, 9, 5, 5.1]}
    assert 'class="lab-cut"' in plot.lines(wide, x="n", y="ms").svg
    assert 'class="lab-cut"' not in plot.sweep(compared).svg


def test_what_is_predicted_is_no_star(compared):
    def mark(**theirs):
        figure = plot.comparison(compared, at=10, **theirs)
        outline = re.search(r'class="lab-published">.*?<path[^>]* d="([^"]+)"', figure.svg, re.S)
        return outline[1], figure.csv

    figures = {"sync": 2000.0}
    star, theirs = mark(published=figures, published_name="predicted in 2013")
    diamond, reckoned = mark(predicted=figures)
    assert star.count("L") > diamond.count("L")
    assert "\npublished,sync" in theirs
    assert "\ntheory,sync" in reckoned
    with pytest.raises(LabError, match="give only one of them"):
        mark(published=figures, predicted=figures)
    there = {"x": 1, "y": 2.0, "source": "theory"}
    line = plot.lines([{"x": 1, "y": 1}], x="x", y="y", published=[there])
    assert "\ntheory,1,2,theory" in line.csv
    with pytest.raises(LabError, match="source='reckoned' must be"):
        plot.lines([{"x": 1, "y": 1}], x="x", y="y", published=[{**there, "source": "reckoned"}])


# -- checks and data -----------------------------------------------------------------------------
def warned(compared, n, **checks):
    trials = tuple(
        replace(t, checks={**t.checks, **checks}) if i < n else t
        for i, t in enumerate(compared.trials)
    )
    return replace(compared, trials=trials)


def read_csv(figure):
    return list(csv.DictReader(io.StringIO(figure.csv)))


def test_a_check_that_only_warns_is_a_note_with_its_number_and_stands_in_the_data(compared):
    full = Check("warn", 3, 0, "3 connections found the listen backlog full")
    figure = plot.sweep(warned(compared, 4, backlog=full))
    assert figure.stamps == []
    trials = len(compared.trials) + len(compared.control)
    assert f"checks, of {trials} trials: 4 × listen backlog full" in figure.notes
    assert [row["warnings"] for row in read_csv(figure)].count("backlog") == 4
    assert not any("checks" in note for note in plot.sweep(compared).notes)


def test_what_is_stamped_on_a_figure_stands_in_its_data(compared):
    drift = Check("warn", -0.4, 0.05, "the last third of the window was 40.0% slower")
    shaky = warned(compared, len(compared.trials), steady=drift)
    for figure in (
        plot.sweep(shaky),
        plot.comparison(shaky, at=10),
        plot.spectrum(shaky, at=10),
        plot.timeline(shaky.trials[0]),
        plot.lines(shaky, x="n", y="x", rows=lambda c: [{"n": 1, "x": c.trials[0].throughput}]),
    ):
        assert figure.stamps == ["not steady"]
        measured = [row for row in read_csv(figure) if row.get("source", "measured") == "measured"]
        assert all("steady" in row.get("warnings", row.get("stamped")) for row in measured)


def test_the_data_say_which_rows_are_measured_control_theory_and_published(figures, compared):
    rows = read_csv(figures["sweep"])
    found = {row["source"] for row in rows}
    assert found == {"measured", "control (A/A)", "recorded run", "theory", "published"}
    control = [row for row in rows if row["source"] == "control (A/A)"]
    assert len(control) == len(compared.control)
    assert all(row["throughput_req_s"] for row in control)
    assert not any(row["throughput_req_s"] for row in rows if row["source"] == "theory")


ODD = math.nan


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([("a", 2, 1.8, 2.2, None)], "Ratio with 95 % interval: a: 2 times (1.8 to 2.2)."),
        (
            [("a", 2, -math.inf, math.inf, 3)],
            "Ratio: a: 2 times, without an interval, published 3.",
        ),
        ([("a", ODD, -math.inf, math.inf, None)], "Ratio: a: no ratio."),
        ([("a", 0.0, -math.inf, math.inf, None)], "Ratio: a: no ratio."),
        (
            [("a", 1, 1, 1, None), ("b", 2, -math.inf, math.inf, None)],
            "Ratios with 95 % interval: a: 1 times (1 to 1); b: 2 times, without an interval.",
        ),
        (  # a range that our interval lies in; no interval, so nothing can lie in it
            [("a", 2, 1.8, 2.2, (1.5, 3)), ("b", 2, -math.inf, math.inf, 9), ("c", 2, 1, 3, 4)],
            "1 of 3 published ratios lies in our interval or reaches into it. Ratios with 95 % "
            "interval: a: 2 times (1.8 to 2.2), published 1.5 to 3; b: 2 times, without an "
            "interval, published 9; c: 2 times (1 to 3), published 4.",
        ),
    ],
)
def test_ratios_are_told_whatever_they_are(rows, said):
    keys = ("name", "estimate", "low", "high", "published")
    assert plot.forest([dict(zip(keys, row, strict=True)) for row in rows]).alt == said


def test_a_row_without_a_verdict_is_hollow_told_and_not_counted_and_makes_no_axis_longer():
    sure = [Line("a", 2, 1.8, 2.2, published=2.1), Line("b", 3, 2.8, 3.2, published=1.0)]
    wide = Line("c", 6, 0.0154, 2700, published=5, undecided="no verdict")
    figure = plot.forest([*sure, wide])
    assert figure.alt.startswith(
        "1 of 2 published ratios with a verdict lies in our interval. "
        "1 dot is hollow and not counted, because there is no verdict. "
    )
    assert "c: 6 times (0.0154 to 2,700), published 5, no verdict" in figure.alt
    assert ">no verdict</text>" in figure.svg and ">no verdict</text>" not in plot.forest(sure).svg
    assert figure.svg.count("lab-cut") == 2  # both ends of its interval
    assert not any(f">{tick}×</text>" in figure.svg for tick in ("0.1", "0.02", "50", "100"))


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ([3], "b: a0 3."),
        ([3, 5, 4], "b: a0: 3; a1: 5; a2: 4. The largest is a1."),
        ([3, 3, 3], "b: a0: 3; a1: 3; a2: 3."),
        ([3, 5, 5], "b: a0: 3; a1: 5; a2: 5. The largest are a1 and a2."),
        ([0, 0, 0], "b: a0: 0; a1: 0; a2: 0."),
        ([ODD, 1, 2], "b: a0: no value; a1: 1; a2: 2. The largest is a2."),
        ([ODD, ODD, ODD], "b: a0: no value; a1: no value; a2: no value."),
    ],
)
def test_bars_are_told_whatever_they_are(values, said):
    rows = {"a": [f"a{i}" for i in range(len(values))], "b": values}
    figure = plot.bars(rows, x="a", y="b")
    assert figure.alt.lower() == said.replace("a0 3", "a0: 3").lower()
    assert "nan" not in figure.svg.lower()


def documented():
    page = (ROOT / "book/about/data.md").read_text("utf-8")
    section = page.split("## The columns of a plot's CSV")[1].split("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("| `")]
    return {name: row for row in rows for name in re.findall(r"`([^`]+)`", row.split("|")[1])}


def test_the_page_of_the_data_has_the_columns_of_figures_and_no_others(figures, compared):
    drift = Check("warn", -0.4, 0.05, "the last third of the window was 40.0% slower")
    line = {"name": "x", "estimate": 2, "low": 1, "high": 3, "recorded": (1.5, 1, 2)}
    trial = example_trial()
    all_figures = [
        *figures.values(),
        plot.sweep(compared.with_recorded(RECORDED)),
        plot.histogram(replace(trial, checks={"steady": drift})),
        plot.forest([line]),
        plot.lines({"n": [1], "ms": [2]}, x="n", y="ms", published=[{"x": 1, "y": 3}]),
    ]
    axes = {"connections", "throughput_req_s", "p99_ms", "n", "ms", "who", "what", "µs", "file"}
    columns = {column for figure in all_figures for column in read_csv(figure)[0]}
    known = set(documented())
    bounds = {c for c in columns if re.sub("_(low|high)$", "", c) in axes - {c}}
    assert {f"…_{c.rpartition('_')[2]}" for c in bounds} == {c for c in known if c[0] == "…"}
    grey = {"recorded_scaled"}  # stands behind a reader's own run: tests/plot/test_reference_run.py
    assert columns - bounds - axes == {c for c in known if c[0] != "…"} - grey - axes
    for source in {row.get("source") for figure in all_figures for row in read_csv(figure)} - {
        None
    }:
        assert f"`{source}`" in documented()["source"], source


def test_two_figures_of_one_page_have_two_file_names():
    pages = [
        plot.bars({"a": ["x"], "b": [n]}, x="a", y="b", name="same name")._repr_html_()
        for n in (1, 2, 1)
    ]
    first, second, again = (re.search(r'download="([^"]+)"', page)[1] for page in pages)
    assert first == again != second


def test_a_figure_of_plain_rows_says_which_records_they_are_made_of(compared):
    cell = compared.cell("sync", 10)
    rows = [{"n": i, "ms": 1e3 * t.latency.mean()} for i, t in enumerate(cell)]
    then = compared.with_recorded(RECORDED)
    table = plot.lines(rows, x="n", y="ms", of=then)
    assert table.notes[0] == RECORDED.label
    assert plot.bars(rows, x="n", y="ms", of=[then, then.trials[0]]).notes == table.notes
    checks = [note for note in table.notes if note.startswith("checks")]
    assert plot.lines(rows, x="n", y="ms", of=compared).notes == checks  # measured just now
    assert plot.lines(rows, x="n", y="ms").notes == []


def test_rows_bring_along_the_record_they_were_taken_from(compared):
    rows = [{"n": i, "ms": 1.2345 * i + 0.1} for i in range(6)]
    printed = Printed(json.dumps(rows), rows, RECORDED.label, recorded=True)
    rows = printed.rows
    rows.sort(key=lambda row: -row["n"])
    assert plot.lines(rows, x="n", y="ms").notes == [RECORDED.label]
    filtered = [row for row in rows if row["n"] > 2]
    assert plot.lines(filtered, x="n", y="ms").notes == []
    assert plot.lines(filtered, x="n", y="ms", of=rows).notes == [RECORDED.label]
    table = compared.with_recorded(RECORDED).table()
    figure = plot.lines(table, x="connections", y="throughput", by="arm")
    assert figure.notes[0] == RECORDED.label


@pytest.mark.parametrize("of", [5, "qr-full", [{"n": 1}], [5]], ids=repr)
def test_what_is_no_record_is_refused_as_the_source_of_a_figure(of):
    with pytest.raises(LabError, match=r"of=.* is not a record. Give a result of lab\.node"):
        plot.bars({"a": ["x"], "b": [1]}, x="a", y="b", of=of)


@pytest.mark.parametrize("draw", [plot.histogram, plot.spectrum])
@pytest.mark.parametrize("empty", [[], ()])
def test_no_trials_at_all_are_refused_in_a_sentence(draw, empty):
    with pytest.raises(LabError, match="nothing to plot"):
        draw(empty)

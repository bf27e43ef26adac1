"""A page shows the course of its servers that came to no steady rate, and of no other."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import pytest

from lab.book.site import unsteady


def trial(arm="string", at=None, drift=None, status=None, series=True, window=(0.2, 0.7)):
    bins = {"t_s": [i / 10 for i in range(7)], "n": [10 * (i + 1) for i in range(7)]}
    status = status or ("ok" if drift is None else "warn")
    return {
        "arm": arm,
        "at": at,
        "server": {"name": "node/body"},
        "window": list(window),
        "series": bins if series else None,
        "checks": {"steady": {"status": status, "value": drift, "limit": 0.05, "text": ""}},
    }


def test_most_of_its_trials_must_drift_and_one_trial_is_no_server():
    servers = unsteady.of_trials(
        [
            *(trial("two of three", drift=d) for d in (0.4, 0.2, None)),
            *(trial("half", drift=d) for d in (0.4, None)),
            trial("once", drift=0.9),
            *(trial("few answers", drift=None, status="warn") for _ in range(3)),
        ]
    )
    assert [(one.server, len(one.drifts), one.trials) for one in servers] == [
        ("two of three", 2, 3)
    ]


def test_the_values_of_a_sweep_are_servers_of_their_own():
    trials = [trial(at=1, drift=0.3), trial(at=1, drift=0.3), trial(at=64), trial(at=64)]
    assert [one.server for one in unsteady.of_trials(trials)] == ["string at 1"]


def test_the_drift_told_is_that_of_the_typical_trial():
    [one] = unsteady.of_trials([trial(drift=d) for d in (-0.1, -0.3, -0.2)])
    assert one.drift == "−20 %"
    [one] = unsteady.of_trials([trial(drift=d) for d in (-0.1, 0.12, 0.08)])
    assert one.drift == "−10 % to +12 %"


def test_a_line_is_a_multiple_of_the_mean_after_the_warm_up():
    [one] = unsteady.of_trials([trial(drift=0.5), trial(drift=0.5)])
    line = one.lines[0]
    kept = [rate for t, rate in line if t > 0.2]
    assert sum(kept) / len(kept) == pytest.approx(1)
    assert line[0] == (0.05, pytest.approx(10 / 50))  # 30 to 70 in the window


def test_the_drawing_says_in_words_what_it_shows_and_is_sound():
    [one] = unsteady.of_trials([trial(drift=0.5), trial(drift=0.5)])
    html = unsteady.drawn([("size<talk", one)], "../../")
    [drawing] = re.findall(r"<svg.*?</svg>", html)
    root = ET.fromstring(drawing)
    said = root.attrib["aria-label"]
    assert said.startswith("string: 2 trials") and "+50 %" in said
    points = [
        float(n) for path in root.iter("path") for n in re.findall(r"[\d.]+", path.attrib["d"])
    ]
    assert points and all(0 <= n <= unsteady.WIDTH for n in points)
    assert 'href="../../records/size&lt;talk.json"' in html


def test_records_without_a_series_say_so():
    [one] = unsteady.of_trials([trial(drift=0.5, series=False)] * 2)
    assert "not recorded" in unsteady.drawn([("x", one)], "")

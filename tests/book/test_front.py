"""The front page: its picture is drawn from the records, and says in words what it shows."""

import re
from xml.etree import ElementTree

from lab import paths
from lab.book import teaching
from lab.book.pages import front

ROOT = paths.ROOT
OUTCOMES = front.pinged()


def test_the_picture_of_readme_is_that_of_the_records():
    assert front.FILE.read_text("utf-8") == front.file_text(), (
        "`python -m lab.book picture` draws docs/ping.svg again"
    )
    assert f"]({front.FILE.relative_to(ROOT).as_posix()})" in (ROOT / "README.md").read_text(
        "utf-8"
    )


def test_a_picture_has_a_dot_for_each_ping_and_a_line_as_long_as_the_wait():
    rows = [front.Pinged("a", 400.0, 0), front.Pinged("b", 2.5, 60)]
    root = ElementTree.fromstring(front.drawing(rows))
    circles, lines = (
        [*root.iter(f"{{http://www.w3.org/2000/svg}}{tag}")] for tag in ("circle", "line")
    )
    assert len(circles) == 1 + 60
    lengths = [float(line.attrib["x2"]) - float(line.attrib["x1"]) for line in lines]
    assert lengths[0] / lengths[1] > 50
    assert "with a it waited 400 ms; 0 pings answered" in root.attrib["aria-label"]
    assert "with b it waited 2.5 ms; 60 pings answered" in root.attrib["aria-label"]


def test_every_moving_part_rests_for_readers_who_want_less_motion():
    style = front.MOTION
    guarded = style[style.index("@media (prefers-reduced-motion: no-preference)") :]
    assert "animation" not in style.replace(guarded, "")
    assert guarded.count("animation:") == 2
    assert "infinite" not in style


def test_the_colours_of_the_file_are_those_of_the_pages():
    css = (ROOT / "book/_static/lab.css").read_text("utf-8")
    for name, (light, dark) in front.COLOURS.items():
        assert re.findall(rf"--lab-{name}: (#\w+);", css) == [light, dark]


def test_a_finding_is_a_sentence_with_a_number_and_its_verdict(monkeypatch):
    value = {"a": "async", "b": "sync", "metric": "throughput", "estimate": 0.894}
    claim = {"id": "sync-vs-async-file", "sentence": "Async is faster.", "verdict": "reversed"}
    claim |= {"value": value, "published_ratio": [1.5], "derived": False}
    monkeypatch.setattr(front.verdicts, "judged", lambda build, published: [claim])
    html = str(front.findings(None).html)
    text = re.sub("<[^>]+>", "", html)
    assert (
        "“Async is faster.” Published: 1.5 times. In our trials, async responds to 0.894 times as "
        "many requests per second as sync. Reversed"
    ) in text
    waits = {row.code: row.pings for row in OUTCOMES}
    assert f"{waits['await Promise.resolve();']} pings of another client" in text
    assert f"with setImmediate {waits['await new Promise(setImmediate);']} did." in text
    assert html.count("<strong>") == 2 + 1


def test_each_way_leads_over_chapters_of_the_book_in_its_order():
    order = [page.chapter for page in teaching.chapters()]
    for chapters in front.WAYS.values():
        assert set(chapters) <= set(order)
        # The way for a slow server begins with the tool, which needs no chapter before it.
        places = [order.index(name) for name in chapters if "clinic/" not in name]
        assert places == sorted(places)

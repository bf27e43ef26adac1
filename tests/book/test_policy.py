"""The policy of a page lets in the frame of the model wherever a program can be changed."""

import re

import pytest

from lab import paths
from lab.book.site import policy

SCRIPT = paths.ROOT / "lab" / "simulator" / "page" / "change.js"
PLACES = {
    "[data-here]": '<div class="lab-exercise" data-here="map-limit"></div>',
    "loop-replay:not([drop])": "<loop-replay></loop-replay>",
    "[class*='lab-program-']:has(pre)": '<div class="lab-program-race-cjs"><pre></pre></div>',
    "[class*='lab-server-']": '<div class="lab-server-database docutils container"></div>',
    ".lab-loop-lab": '<div class="lab-loop-lab"></div>',
}


def page(body: str) -> str:
    html = f'<html><head><meta charset="utf-8"></head><body>{body}</body></html>'
    return policy.protect(html, "a page", has_text=True)


@pytest.mark.parametrize("place", PLACES)
def test_a_page_with_a_place_for_programs_may_show_the_frame_of_the_model(place):
    assert "frame-src 'self';" in page(PLACES[place])


def test_a_page_without_one_shows_no_frame():
    assert "frame-src" not in page("<p>A program, a server, an exercise.</p>")


def test_these_are_all_the_places_that_the_script_looks_for():
    found = re.findall(r'document\.querySelector(?:All)?\("([^"]+)"\)', SCRIPT.read_text())
    assert set(found) == set(PLACES)

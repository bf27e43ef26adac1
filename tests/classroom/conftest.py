"""A small course with hand-ins; what needs nbgrader or a sandbox says so and is skipped without."""

import importlib.util
from multiprocessing import resource_tracker

import pytest
from small_course import Class

from lab.grading import sandbox


def pytest_collection_modifyitems(items):
    missing = [
        name for name in ("nbgrader", "distributed") if importlib.util.find_spec(name) is None
    ]
    for item in items:
        if "nbgrader" in item.keywords and missing:
            why = f"{missing[0]} is not installed here: make classtest installs it"
            item.add_marker(pytest.mark.skip(reason=why))
        if "sandboxed" in item.keywords and sandbox.bubblewrap() is None:
            item.add_marker(pytest.mark.skip(reason="there is no bubblewrap here"))


@pytest.fixture
def small(tmp_path):
    return Class(tmp_path / "course")


@pytest.fixture(autouse=True)
def nobody_tracks(nobody_left_behind):
    """Python's own process for what processes share lives as long as who started it: end it."""
    yield
    resource_tracker._resource_tracker._stop()

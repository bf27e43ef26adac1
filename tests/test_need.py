import os

import pytest

import lab
from lab import settings
from lab.servers import catalog
from lab.servers.recipe import MissingProgram

ABSENT = "import sys\nprint('no engine in this machine', file=sys.stderr)\nsys.exit(69)\n"


@pytest.fixture(autouse=True)
def live(monkeypatch):
    monkeypatch.setenv("LAB_MODE", "live")


def test_what_runs_here_is_measured_here():
    assert lab.need("node/hello")
    assert settings.mode() == "live"


def test_what_cannot_start_is_replayed_from_then_on_and_the_reason_is_said():
    catalog.define("python/test-7-absent", ABSENT)
    found = lab.need("node/hello", "python/test-7-absent")
    assert not found
    assert "no engine in this machine" in repr(found)
    assert "no engine in this machine" in found._repr_html_()
    assert settings.mode() == "replay"


def test_as_a_block_it_holds_for_the_block(monkeypatch):
    catalog.define("python/test-7-absent", ABSENT)
    with lab.need("python/test-7-absent"):
        assert settings.mode() == "replay"
    assert settings.mode() == "live"
    monkeypatch.delenv("LAB_MODE")
    with lab.need("python/test-7-absent"):
        assert os.environ["LAB_MODE"] == "replay"
    assert "LAB_MODE" not in os.environ


def test_a_missing_package_is_a_reason_too(monkeypatch):
    monkeypatch.setattr(
        "lab.servers.recipe.Recipe.missing", lambda self: ["cargo: https://rustup.rs"]
    )
    assert "rustup" in repr(lab.need("node/hello"))


def test_the_reference_run_does_not_go_on_without(monkeypatch):
    monkeypatch.setenv("LAB_PROFILE", "reference")
    monkeypatch.setattr("lab.servers.recipe.Recipe.missing", lambda self: ["cargo: get it"])
    with pytest.raises(MissingProgram):
        lab.need("node/hello")
    assert settings.mode() == "live"


def test_in_replay_nothing_is_started(monkeypatch):
    monkeypatch.setenv("LAB_MODE", "replay")
    monkeypatch.setattr("lab.servers.recipe.Recipe.start", lambda self: 1 / 0)
    assert "replayed" in repr(lab.need("node/hello"))

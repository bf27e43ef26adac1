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
    yield
    settings.replaying.clear()


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


def test_as_a_block_it_holds_for_the_block():
    catalog.define("python/test-7-absent", ABSENT)
    with lab.need("python/test-7-absent"):
        assert settings.mode() == "replay"
    assert settings.mode() == "live"


def test_a_block_leaves_a_page_that_replays_as_it_was():
    catalog.define("python/test-7-absent", ABSENT)
    lab.need("python/test-7-absent")
    with lab.need("python/test-7-absent"):
        assert settings.mode() == "replay"
    assert settings.mode() == "replay"
    with lab.need("node/hello"):
        assert settings.mode() == "replay"
    assert settings.mode() == "replay"


def test_the_cell_asks_again_when_the_program_was_installed(monkeypatch):
    installations = []
    monkeypatch.setattr(
        "lab.servers.recipe.Recipe.missing", lambda self: [] if installations else ["cargo: get it"]
    )
    assert not lab.need("node/hello")
    assert not lab.need("node/hello")
    assert settings.mode() == "replay"
    installations.append("cargo")
    found = lab.need("node/hello")
    assert found
    assert repr(found) == "node/hello: ready"
    assert settings.mode() == "live"


def test_one_need_that_is_met_does_not_end_the_replay_of_another():
    catalog.define("python/test-7-absent", ABSENT)
    lab.need("python/test-7-absent")
    assert lab.need("node/hello")
    assert settings.mode() == "replay"


def test_nothing_is_left_in_the_environment(monkeypatch):
    catalog.define("python/test-7-absent", ABSENT)
    monkeypatch.delenv("LAB_MODE")
    lab.need("python/test-7-absent")
    assert "LAB_MODE" not in os.environ  # else a program started from here would replay, too


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
    found = lab.need("node/hello")
    assert "replayed" in repr(found)
    assert found._repr_html_() == ""  # a page of recorded results has nothing to say of it

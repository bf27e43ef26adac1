"""What judges hand-ins beside other tests gets more tries before it is too busy to tell."""

import pytest

from lab.grading import run

TRIES = 8


@pytest.fixture(autouse=True)
def more_tries(monkeypatch):
    monkeypatch.setattr(run, "TRIES", TRIES)
    monkeypatch.setattr(run, "PATIENCE_S", float("inf"))

import pytest

from lab.errors import LabError
from lab.processes import pinning


@pytest.fixture(autouse=True)
def four_processors(monkeypatch):
    monkeypatch.setattr(pinning, "cpu_set", lambda: [0, 1, 2, 3])
    monkeypatch.setattr(pinning, "_core_of", lambda cpu: ("0", str(cpu)))


def test_a_server_of_one_process_and_the_generator_are_apart():
    assert pinning.split(None, None) == ((0, 1, 2), (3,))


def test_several_processes_share_everything_unless_told():
    assert pinning.split(None, 4) == (None, None)
    assert pinning.split(True, 4) == ((0, 1, 2), (3,))


def test_together_puts_both_on_one_processor():
    assert pinning.split("together", None) == ((3,), (3,))


def test_together_is_not_pinned_where_the_system_cannot(monkeypatch):
    monkeypatch.setattr(pinning, "cpu_set", lambda: [])
    assert pinning.split("together", None) == (None, None)


def test_a_processor_that_is_not_ours_is_an_error():
    with pytest.raises(LabError, match="may use"):
        pinning.split(([0], [7]), None)
    with pytest.raises(LabError, match="together"):
        pinning.split("apart", None)

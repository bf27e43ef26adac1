import math

import pytest

from lab.errors import LabError
from lab.predict import accept_losses, accept_turns

# clients, rounds, S, T, answered, failed, total: worked out once with a model written independently
PUBLISHED = (100, 10, 0.0441, 20, 942, 58, 44.1)
TENTH = (100, 10, 0.0044, 2, 942, 58, 4.4)
IMPATIENT = (100, 10, 0.0441, 5, 461, 539, 44.1)
SMALL = (40, 10, 0.010, 2, 384, 16, 4.0)


@pytest.mark.parametrize("case", [PUBLISHED, TENTH, IMPATIENT, SMALL])
def test_the_turns_agree_with_the_known_cases(case):
    *given, ok, failed, total_s = case
    found = accept_turns(*given)
    assert (found.ok, found.failed) == (ok, failed)
    assert found.total_s == pytest.approx(total_s)


def test_the_formula_gives_the_published_losses():
    assert accept_losses(100, 10, 0.0441, 20) == pytest.approx(54.6, abs=0.1)


def test_the_formula_is_the_model_where_it_may_be_used():
    model = accept_turns(100, 10, 0.0044, 3).failed
    assert abs(accept_losses(100, 10, 0.0044, 3) - model) < 6


def test_nobody_loses_who_is_patient():
    found = accept_turns(100, 10, 0.0044)
    assert (found.ok, found.failed) == (1000, 0)
    assert found.quantile(0.5) == pytest.approx(10 * 0.0044, rel=0.25)
    assert found.first_s[-1] == max(found.first_s) > 0.9 * (found.total_s - 10 * 0.0044)


def test_a_loop_that_lets_in_everybody_serves_all_alike():
    found = accept_turns(100, 10, 0.0044, 2, per_turn=math.inf)
    assert found.failed == 0
    assert found.quantile(0.25) == pytest.approx(0.44)


def test_every_request_has_an_end():
    for timeout_s in (0.05, 0.3, 1, 2):
        found = accept_turns(30, 7, 0.003, timeout_s)
        assert found.ok + found.failed == 210
        assert found.ok == 0 or found.quantile(1) <= timeout_s


@pytest.mark.parametrize(
    ("given", "options", "said"),
    [
        ((100, 0, 0.0044, 2), {}, "at least 1 request"),
        ((100, 1, 0, 2), {}, "at least 1 request"),
        ((-1, 1, 0.1, 2), {}, "clients=-1"),
        ((3, 1, 0.1, 0), {}, "timeout_s=0"),
        ((3, 1, 0.1, math.nan), {}, "timeout_s=nan"),
        ((3, 1, 0.1), {"per_turn": 0.5}, "no client is ever let in"),
        ((3, 1, 0.1), {"per_turn": 0}, "no client is ever let in"),
    ],
)
def test_numbers_that_cannot_be_are_refused_and_do_not_run_for_ever(given, options, said):
    with pytest.raises(LabError, match=said):
        accept_turns(*given, **options)


def test_the_formula_refuses_them_too():
    with pytest.raises(LabError, match="timeout_s"):
        accept_losses(100, 10, 0.0044, -1)


def test_nobody_comes_and_nothing_happens():
    assert accept_turns(0, 1, 0.1).turns == 0

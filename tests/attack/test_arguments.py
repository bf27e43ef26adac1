"""Arguments that nobody meant, for every public function: test_gate.py with other seeds."""

import pytest
import test_gate
from test_gate import nothing_starts  # noqa: F401  a fixture

from .ground import SEED, each, nightly

CALLS = 400  # of each function


@nightly
@pytest.mark.parametrize(
    ("function", "call"),
    test_gate.EVERY,
    ids=[getattr(f, "__qualname__", str(f)) for f, _ in test_gate.EVERY],
)
def test_arguments(function, call, nothing_starts, record_property):  # noqa: F811
    # Behind those of every day, which are small.
    seeds = range(SEED * CALLS, (SEED + 1) * CALLS)
    each(
        record_property,
        ((f"seed {seed}", seed) for seed in seeds),
        lambda seed: test_gate.passed(function, call, seed),
    )

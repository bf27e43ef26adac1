"""Patterns of signs for the sign-flip test: the share of them whose sum is as far from 0 as that of
the values.
"""

from __future__ import annotations

import math
import operator
import random
from bisect import bisect_left, bisect_right
from collections.abc import Sequence

PATTERNS = 100_000  # random patterns for more values than have all of theirs tried
_SEED = 1935
_OF_A_BYTE = 8  # signs
_ROUNDING = 1e-12  # of the sum of all absolute values


def of_all(values: Sequence[float]) -> float:
    """Return the share of all 2**n patterns.

    Half of the values have 2**(n / 2) sums. Sorted, the sums of one half show by two searches how
    many of them are far enough from 0 together with a sum of the other half.
    """
    limit = _limit(values)
    if limit <= 0:
        return 1.0
    middle = len(values) // 2
    sums = sorted(_sums(values[middle:]))
    extreme = 0
    for other in _sums(values[:middle]):
        extreme += len(sums) - bisect_left(sums, limit - other)
        extreme += bisect_right(sums, -limit - other)
    return float(extreme / 2 ** len(values))


def of_some(values: Sequence[float]) -> float:
    """Return the share of random patterns, which are the same for as many values."""
    drawn = random.Random(_SEED)
    totals = [0.0] * (PATTERNS - 1)
    for start in range(0, len(values), _OF_A_BYTE):
        sums = _sums(values[start : start + _OF_A_BYTE])
        sums *= 2**_OF_A_BYTE // len(sums)
        of_bytes = map(sums.__getitem__, drawn.randbytes(len(totals)))
        totals = list(map(operator.add, totals, of_bytes))
    extreme = 1  # the observed pattern counts, so p can't be 0
    extreme += sum(map(_limit(values).__le__, map(abs, totals)))
    return extreme / PATTERNS


def _sums(values: Sequence[float]) -> list[float]:
    """Return the sums of some values under all patterns of signs."""
    sums = [0.0]
    for value in values:
        sums = [s - value for s in sums] + [s + value for s in sums]
    return sums


def _limit(values: Sequence[float]) -> float:
    """Return how far from 0 a sum is at least that counts; sums differ by rounding."""
    return abs(math.fsum(values)) - _ROUNDING * math.fsum(map(abs, values))

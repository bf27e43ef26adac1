"""Patterns of signs for the sign-flip test: the share of them whose sum is as far from 0 as that of
the values.

The values are split in two parts, whose sums are sorted. Then one walk through both lists counts
all pairs of sums that are far enough from 0 together.
"""

from __future__ import annotations

import math
import operator
import random
from collections.abc import Sequence

PATTERNS = 8_192  # random patterns, of more values than have all of theirs tried
_ALL_OF = 13  # values have all of their patterns tried beside random patterns of the others
_SEED = 1935
_OF_A_BYTE = 8  # signs
_ROUNDING = 1e-12  # of the sum of all absolute values


def of_all(values: Sequence[float]) -> float:
    """Return the share of all 2**n patterns."""
    middle = len(values) // 2
    extreme, pairs = _counted(_sums(values[:middle]), _sums(values[middle:]), _limit(values))
    return extreme / pairs


def of_some(values: Sequence[float]) -> float:
    """Return the share of all patterns of the largest values, each with random patterns of the
    others, which are the same for as many values.
    """
    ordered = sorted(values, key=abs, reverse=True)
    largest, others = _sums(ordered[:_ALL_OF]), _some_sums(ordered[_ALL_OF:])
    extreme, pairs = _counted(largest, others, _limit(values))
    return (1 + extreme) / (1 + pairs)  # the observed pattern counts, so p can't be 0


def _counted(sums: list[float], other_sums: list[float], limit: float) -> tuple[int, int]:
    """Return how many pairs of sums are so far from 0, and how many pairs there are. Each list has
    the negative of every sum in it, so that as many are far below 0 as are far above.
    """
    pairs = len(sums) * len(other_sums)
    if limit <= 0:
        return pairs, pairs
    above, place = 0, len(other_sums)
    sums.sort()
    other_sums.sort()
    for s in sums:
        least = limit - s
        while place and other_sums[place - 1] >= least:
            place -= 1
        above += len(other_sums) - place
    return 2 * above, pairs


def _sums(values: Sequence[float]) -> list[float]:
    """Return the sums of some values under all patterns of signs."""
    sums = [0.0]
    for value in values:
        sums = [s - value for s in sums] + [s + value for s in sums]
        sums.sort()  # two sorted halves, so that takes one pass
    return sums


def _some_sums(values: Sequence[float]) -> list[float]:
    """Return the sums of some values under random patterns, and under their opposites."""
    generator = random.Random(_SEED)
    totals = [0.0] * (PATTERNS // 2)
    for start in range(0, len(values), _OF_A_BYTE):
        sums = _sums(values[start : start + _OF_A_BYTE])
        sums *= 2**_OF_A_BYTE // len(sums)
        of_bytes = map(sums.__getitem__, generator.randbytes(len(totals)))
        totals = list(map(operator.add, totals, of_bytes))
    return totals + [-s for s in totals]


def _limit(values: Sequence[float]) -> float:
    """Return how far from 0 a sum is at least that counts; sums differ by rounding."""
    return abs(math.fsum(values)) - _ROUNDING * math.fsum(map(abs, values))

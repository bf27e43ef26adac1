"""Patterns of signs for the sign-flip test in plain Python: those of `lab.judging.patterns`, and so
the same shares.

numpy draws them with `default_rng(1935)`, which is the generator PCG64. Source: M. E. O'Neill, PCG:
A Family of Simple Fast Space-Efficient Statistically Good Algorithms for Random Number Generation,
2014, 6.3 (XSL-RR).
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator, Sequence

PATTERNS = 100_000
_CELLS = 1_000_000
_KEPT_UP_TO = 200  # values: their patterns take 20 MB
_STATE = 111598717656137002285459693090014246328  # of default_rng(1935)
_STEP = 219437903929090146655782285285730902237
_FACTOR = 47026247687942121848144207491837523525
_128_BITS = (1 << 128) - 1
_64_BITS = (1 << 64) - 1
_UPPER_BIT = bytes(byte >> 7 for byte in range(256))


def of_all(v: Sequence[float]) -> float:
    """Return the share of all 2**n patterns."""
    sums = [0.0]
    for x in v:
        sums = [s + x for s in sums] + [s - x for s in sums]
    limit = _limit(v)
    return sum(abs(s) >= limit for s in sums) / len(sums)


def of_some(v: Sequence[float]) -> float:
    """Return the share of random patterns, which are the same for as many values."""
    n, total, limit = len(v), sum(v), _limit(v)
    twice = [2 * x for x in v]
    extreme = 1  # the observed pattern counts, so p can't be 0
    for signs in kept_signs(n) if n <= _KEPT_UP_TO else _random_signs(n):
        for start in range(0, len(signs), n):
            plus = sum(itertools.compress(twice, signs[start : start + n]))
            extreme += abs(plus - total) >= limit
    return extreme / PATTERNS


def _limit(v: Sequence[float]) -> float:
    return abs(sum(v)) * (1 - 1e-12) - 1e-300


def _random_signs(n: int) -> Iterator[bytes]:
    """Yield the patterns in slices, a byte for each sign: 1 for plus. A slice begins with four new
    bytes, as numpy's do.
    """
    words = _words()
    remaining = PATTERNS - 1
    while remaining:
        rows = min(remaining, max(_CELLS // n, 1))
        drawn = b"".join(itertools.islice(words, -(-rows * n // 4)))
        yield drawn[: rows * n].translate(_UPPER_BIT)
        remaining -= rows


@functools.lru_cache(maxsize=4)
def kept_signs(n: int) -> list[bytes]:
    """Return the patterns of so many values, kept: drawing them takes longer than using them."""
    return list(_random_signs(n))


def _words() -> Iterator[bytes]:
    """Yield the generator's numbers in halves of four bytes, the lower half first."""
    state = _STATE
    while True:
        state = (state * _FACTOR + _STEP) & _128_BITS
        mixed = (state >> 64 ^ state) & _64_BITS
        turn = state >> 122
        drawn = ((mixed >> turn) | (mixed << (64 - turn) & _64_BITS)).to_bytes(8, "little")
        yield drawn[:4]
        yield drawn[4:]

"""Patterns of signs for the sign-flip test: the share of them whose sum is as far from 0 as that of
the values.

`tools/checkup/plain/patterns.py` is the same without numpy, for the package of the clinic.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator

import numpy as np

PATTERNS = 100_000  # random patterns for more values than have all of theirs tried
_CELLS = 1_000_000  # signs in memory at a time
_KEPT_UP_TO = 64  # values: their patterns take 6 MB


def of_all(v: np.ndarray) -> float:
    """Return the share of all 2**n patterns."""
    n = len(v)
    signs = 1 - 2 * ((np.arange(2**n)[:, None] >> np.arange(n)) & 1)
    return float(np.mean(_as_extreme(signs, v)))


def of_some(v: np.ndarray) -> float:
    """Return the share of random patterns, which are the same for as many values."""
    n = len(v)
    extreme = 1  # the observed pattern counts, so p can't be 0
    for signs in kept_signs(n) if n <= _KEPT_UP_TO else _random_signs(n):
        extreme += int(_as_extreme(signs, v).sum())
    return extreme / PATTERNS


def _random_signs(n: int) -> Iterator[np.ndarray]:
    """Yield the patterns in slices, which bound the memory: a slice has _CELLS signs, each one
    byte, and eight in the product.
    """
    random_signs = np.random.default_rng(1935)
    remaining = PATTERNS - 1
    while remaining:
        rows = min(remaining, max(_CELLS // n, 1))
        yield 2 * random_signs.integers(0, 2, size=(rows, n), dtype=np.int8) - 1
        remaining -= rows


@functools.lru_cache(maxsize=4)
def kept_signs(n: int) -> list[np.ndarray]:
    """Return the patterns of so many values, kept: drawing them takes longer than using them."""
    return list(_random_signs(n))


def _as_extreme(signs: np.ndarray, v: np.ndarray) -> np.ndarray:
    return np.asarray(np.abs(signs.astype(float) @ v) >= abs(v.sum()) * (1 - 1e-12) - 1e-300)

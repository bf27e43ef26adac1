"""Latency histograms: log buckets of three digits over microseconds, merged by adding, never by
averaging.

Buckets as in HdrHistogram (https://github.com/HdrHistogram/HdrHistogram): below 2**bits every
microsecond has its own bucket, above it each doubling is cut into 2**(bits - 1). With bits = 11 no
value is off by more than 0.05 %.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lab.errors import LabError
from lab.storage.gate import checked
from lab.storage.json_form import rounded

BITS = 11
SUPPORT = 10  # values that must lie beyond a percentile before it is more than an anecdote


def bucket_of(values_us: np.ndarray, bits: int = BITS) -> np.ndarray:
    """Return the bucket index of each value, shape as given; values below 0 count as 0."""
    v = np.maximum(np.asarray(values_us, dtype=np.int64), 0)
    shift = np.maximum(np.frexp(v.astype(np.float64))[1] - bits, 0)
    return (shift << (bits - 1)) + (v >> shift)


def bucket_edges(index: np.ndarray, bits: int = BITS) -> tuple[np.ndarray, np.ndarray]:
    """Return (lowest, highest) microsecond value of each bucket, both inclusive."""
    i = np.asarray(index, dtype=np.int64)
    shift = np.maximum((i >> (bits - 1)) - 1, 0)
    low = (i - (shift << (bits - 1))) << shift
    return low, low + (np.int64(1) << shift) - 1


@dataclass(frozen=True, eq=False)
class Histogram:
    """The distribution of latencies; seconds at its surface, microseconds inside.

    index, counts : arrays, shape (buckets,): non-empty buckets in ascending order, and how many
    values each holds
    sum_us, min_us, max_us : exact, not from buckets
    pinned : quantiles kept exactly when the buckets were made coarser for a small record, {q:
    microseconds}
    """

    index: np.ndarray
    counts: np.ndarray
    sum_us: float = 0.0
    min_us: float = math.nan
    max_us: float = math.nan
    bits: int = BITS
    pinned: dict[float, float] = field(default_factory=dict)

    @classmethod
    def of(cls, values_us: Iterable[float] | np.ndarray) -> Histogram:
        """Return the histogram of latencies in microseconds."""
        v = np.asarray(values_us, dtype=np.int64)
        if not len(v):
            return cls(np.empty(0, np.int64), np.empty(0, np.int64))
        index, counts = np.unique(bucket_of(v), return_counts=True)
        return cls(index, counts, float(v.sum()), float(v.min()), float(v.max()))

    @property
    def count(self) -> int:
        """Number of values."""
        return int(self.counts.sum())

    def __len__(self) -> int:
        return self.count

    def mean(self) -> float:
        """Mean in seconds, exact; not-a-number if empty."""
        return self.sum_us / self.count / 1e6 if self.count else math.nan

    def min(self) -> float:
        """Smallest value in seconds, exact."""
        return self.min_us / 1e6

    def max(self) -> float:
        """Largest value in seconds, exact."""
        return self.max_us / 1e6

    @checked
    def quantile(self, q: float) -> float:
        """Latency in seconds that a share `q` of the values does not exceed (nearest rank).

        Not-a-number if empty. Whether the sample carries it is another question: `support(q)`.
        Raises LabError if q is outside [0, 1].
        """
        if not 0 <= q <= 1:
            raise LabError(f"a quantile lies between 0 and 1; got {q!r} (p99 is 0.99)")
        n = self.count
        if not n:
            return math.nan
        if q in (0, 1):
            return (self.min_us if q == 0 else self.max_us) / 1e6
        if q in self.pinned:
            return self.pinned[q] / 1e6
        rank = max(1, math.ceil(q * n - 1e-9))
        at = int(np.searchsorted(np.cumsum(self.counts), rank))
        low, high = bucket_edges(self.index[at : at + 1], self.bits)
        middle = (float(low[0]) + float(high[0])) / 2
        return min(max(middle, self.min_us), self.max_us) / 1e6

    def support(self, q: float) -> bool:
        """True if at least 10 values lie beyond quantile `q` (rule 15 of
        book/about/rules.md: n * (1 - q) >= 10, and n * q below).
        """
        return self.count * min(q, 1 - q) >= SUPPORT - 1e-9

    def bins(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return (low_s, high_s, counts) of the non-empty buckets; `high_s` is exclusive."""
        low, high = bucket_edges(self.index, self.bits)
        return low / 1e6, (high + 1) / 1e6, self.counts

    def coarser(self, bits: int, pin: Iterable[float] = ()) -> Histogram:
        """Return the same values in buckets of 2**(bits - 1) a doubling, keeping the quantiles
        `pin` exact.
        """
        if bits >= self.bits:
            return self
        index, where = np.unique(
            bucket_of(bucket_edges(self.index, self.bits)[0], bits), return_inverse=True
        )
        counts = np.bincount(where, weights=self.counts, minlength=len(index)).astype(np.int64)
        pinned = {q: self.quantile(q) * 1e6 for q in (*self.pinned, *pin) if self.count}
        return Histogram(index, counts, self.sum_us, self.min_us, self.max_us, bits, pinned)

    @classmethod
    def merged(cls, parts: Iterable[Histogram]) -> Histogram:
        """Return the histogram of all values together, an empty one of no parts."""
        first, *others = list(parts) or [cls.of([])]
        return first.merge(*others)

    def merge(self, *others: Histogram) -> Histogram:
        """Return the histogram of all values together; the coarsest of the bucket sizes wins."""
        if not others:
            return self  # this histogram has exact quantiles, which a sum cannot keep
        bits = min(h.bits for h in (self, *others))
        parts = [h.coarser(bits) for h in (self, *others) if h.count]
        if not parts:
            return self
        index, where = np.unique(np.concatenate([h.index for h in parts]), return_inverse=True)
        counts = np.bincount(where, weights=np.concatenate([h.counts for h in parts]))
        return Histogram(
            index,
            counts.astype(np.int64),
            sum(h.sum_us for h in parts),
            min(h.min_us for h in parts),
            max(h.max_us for h in parts),
            bits,
        )

    def to_json(self) -> dict[str, Any]:
        """Return plain data: bucket indices as differences (they compress well), counts, exact sum
        and extremes.
        """
        return {
            "bits": self.bits,
            "step": np.diff(self.index, prepend=0).tolist(),
            "counts": self.counts.tolist(),
            "sum_us": rounded(self.sum_us, 9),
            "min_us": rounded(self.min_us, 9),
            "max_us": rounded(self.max_us, 9),
            **(
                {"pinned": {str(q): rounded(v, 6) for q, v in self.pinned.items()}}
                if self.pinned
                else {}
            ),
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Histogram:
        """Return the histogram that `to_json` wrote."""

        step, counts = np.asarray(data["step"], np.int64), np.asarray(data["counts"], np.int64)
        bits = int(data["bits"])
        if step.ndim != 1 or step.shape != counts.shape or not 2 <= bits <= BITS:
            raise LabError(
                f"a histogram has {step.size} buckets but {counts.size} counts, with bits={bits}"
            )
        if (step[1:] <= 0).any() or (step[:1] < 0).any() or (counts < 0).any():
            raise LabError(
                "the buckets of a histogram are not in ascending order, or a count is below 0"
            )

        def number(key: str) -> float:
            return math.nan if data[key] is None else float(data[key])

        return cls(
            np.cumsum(step),
            counts,
            number("sum_us"),
            number("min_us"),
            number("max_us"),
            bits,
            {float(q): float(v) for q, v in data.get("pinned", {}).items()},
        )

    def __repr__(self) -> str:
        if not self.count:
            return "Histogram(empty)"
        parts = [
            f"p{q * 100:g} {self.quantile(q) * 1e3:.4g} ms"
            for q in (0.5, 0.9, 0.99)
            if self.support(q)
        ]
        return (
            f"Histogram({self.count} values, mean {self.mean() * 1e3:.4g} "
            f"ms, {', '.join(parts) or 'few values'})"
        )

"""Arrays in plain Python: what the clinic asks of numpy, and no more, under numpy's names.

The package has this module in numpy's place. The clinic's arrays are columns of a load's rows, the
logarithms of some pairs, and buckets of a histogram, so an array here is a list of numbers, of one
dimension. Sums of floats are exact before they are rounded, where numpy's may differ in the last
digit. What the package does not reach is missing.
"""

from __future__ import annotations

import bisect
import itertools
import math
import operator
import struct
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

inf = math.inf
int64 = int
float64 = float


def _is_array(value: Any) -> bool:
    return hasattr(value, "__len__")


def _pairs(a: Any, b: Any) -> tuple[Iterable[Any], Iterable[Any]]:
    """Two operands side by side: a number is paired with each element of an array."""
    a_has, b_has = _is_array(a), _is_array(b)
    if not a_has and not b_has:
        raise ValueError(f"no array: {a!r} and {b!r}")
    if a_has and b_has and len(a) != len(b):
        raise ValueError(f"arrays of {len(a)} and {len(b)} elements")
    return a if a_has else itertools.repeat(a), b if b_has else itertools.repeat(b)


def _each(function: Callable[[Any, Any], Any]) -> Any:
    return lambda self, other: Array(map(function, *_pairs(self, other)))


def _reflected(function: Callable[[Any, Any], Any]) -> Any:
    return lambda self, other: Array(map(function, *_pairs(other, self)))


class Array(list[Any]):
    """A list of numbers whose operators work on each of them."""

    __add__, __radd__ = _each(operator.add), _reflected(operator.add)
    __sub__, __rsub__ = _each(operator.sub), _reflected(operator.sub)
    __mul__, __rmul__ = _each(operator.mul), _reflected(operator.mul)
    __truediv__, __rtruediv__ = _each(operator.truediv), _reflected(operator.truediv)
    __floordiv__ = _each(operator.floordiv)
    __lshift__, __rlshift__ = _each(operator.lshift), _reflected(operator.lshift)
    __rshift__, __rrshift__ = _each(operator.rshift), _reflected(operator.rshift)
    __and__, __or__ = _each(operator.and_), _each(operator.or_)
    __lt__, __le__ = _each(operator.lt), _each(operator.le)
    __gt__, __ge__ = _each(operator.gt), _each(operator.ge)
    __eq__, __ne__ = _each(operator.eq), _each(operator.ne)
    __hash__ = None  # type: ignore[assignment]

    def __iadd__(self, other: Any) -> Any:
        return self + other

    def __invert__(self) -> Array:
        return Array(map(operator.not_, self))

    def __bool__(self) -> bool:
        raise ValueError("an array has no truth value, so use any(), all() or its length")

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            return Array(super().__getitem__(key))
        if isinstance(key, Array):  # all masks, no array of places
            if len(key) != len(self):
                raise IndexError(f"a mask of {len(key)} can't be used for {len(self)} elements")
            return Array(itertools.compress(self, key))
        return super().__getitem__(key)

    @property
    def size(self) -> int:
        """How many elements it has."""
        return len(self)

    @property
    def shape(self) -> tuple[int]:
        """Its length, as the only one."""
        return (len(self),)

    @property
    def ndim(self) -> int:
        """One."""
        return 1

    def astype(self, kind: Callable[[Any], Any]) -> Array:
        """Return each element as an int or a float."""
        return Array(map(kind, self))

    def copy(self) -> Array:
        """Return another array with these elements."""
        return Array(self)

    def tolist(self) -> list[Any]:
        """Return the elements as a list."""
        return list(self)

    def any(self) -> bool:
        """Is one of the elements true?"""
        return any(iter(self))

    def all(self) -> bool:
        """Are all elements true?"""
        return all(iter(self))

    def sum(self) -> Any:
        """Return the sum, of integers as an integer."""
        return _sum(self)

    def mean(self) -> float:
        """Return the mean, not-a-number of no elements."""
        return self.sum() / len(self) if len(self) else math.nan

    def std(self, ddof: int = 0) -> float:
        """Return the standard deviation."""
        if len(self) <= ddof:
            return math.nan
        mean = self.mean()
        return math.sqrt(_sum([(x - mean) ** 2 for x in self]) / (len(self) - ddof))

    def max(self) -> Any:
        """Return the largest element. Raises ValueError if there is none."""
        return max(iter(self))

    def min(self) -> Any:
        """Return the smallest element. Raises ValueError if there is none."""
        return min(iter(self))


ndarray = Array


def _sum(values: Sequence[Any]) -> Any:
    if any(isinstance(x, float) for x in values):
        try:
            return math.fsum(values)
        except (OverflowError, ValueError):  # infinities
            return sum(values)
    return sum(values)


def _number(value: Any) -> float:
    return math.nan if value is None else float(value)


def asarray(values: Iterable[Any], dtype: type | None = None) -> Array:
    """Return an array of these values, as ints or floats if that is asked for."""
    return Array(values if dtype is None else map(_number if dtype is float else dtype, values))


array = asarray


def zeros(n: int) -> Array:
    """Return an array of zeros."""
    return Array([0.0] * n)


def empty(shape: int | tuple[int, int], dtype: type = float) -> Any:
    """Return an array to be filled; of two dimensions, a list for as many rows."""
    return [None] * shape[0] if isinstance(shape, tuple) else Array([dtype()] * shape)


def full(n: int, value: float) -> Array:
    """Return an array with one value everywhere."""
    return Array([value] * n)


def arange(*ends: int) -> Array:
    """Return the integers of a range."""
    return Array(range(*ends))


class dtype(NamedTuple("dtype", [("code", str)])):
    """The type of a column in a file, named as numpy does: "<u4"."""

    __slots__ = ()

    @property
    def letter(self) -> str:
        """The letter of the module `struct` for this type."""
        letters = {"u1": "B", "u2": "H", "u4": "I", "u8": "Q", "i2": "h", "i4": "i", "f8": "d"}
        return letters[self.code.removeprefix("<")]

    @property
    def itemsize(self) -> int:
        """How many bytes a value takes."""
        return struct.calcsize(f"<{self.letter}")


def frombuffer(data: bytes, kind: dtype, count: int, offset: int) -> Array:
    """Return as many values from a place in some bytes on."""
    return Array(struct.unpack_from(f"<{count}{kind.letter}", data, offset))


def maximum(a: Any, b: Any) -> Array:
    """Return the larger of each two."""
    return Array(map(max, *_pairs(a, b)))


def minimum(a: Any, b: Any) -> Array:
    """Return the smaller of each two."""
    return Array(map(min, *_pairs(a, b)))


def clip(values: Array, low: Any, high: Any) -> Array:
    """Return the values, none below `low`, none above `high` if that is given."""
    values = maximum(values, low)
    return values if high is None else minimum(values, high)


def where(mask: Array, a: Any, b: Any) -> Array:
    """Return the elements of `a` where the mask is true, else those of `b`."""
    return Array(x if chosen else y for chosen, x, y in zip(mask, *_pairs(a, b), strict=False))


def _log(x: float) -> float:
    if x > 0:
        return math.log(x)
    return -math.inf if x == 0 else math.nan


def _exp(x: float) -> float:
    try:
        return math.exp(x)
    except OverflowError:
        return math.inf


def log(values: Iterable[float]) -> Array:
    """Return the natural logarithm of each."""
    return Array(map(_log, values))


def exp(values: Iterable[float]) -> Array:
    """Return the exponential of each."""
    return Array(map(_exp, values))


def expm1(x: float) -> float:
    """Return the exponential of a number, less one."""
    return math.expm1(x)


def isfinite(values: Iterable[float]) -> Array:
    """Is each of them a number?"""
    return Array(map(math.isfinite, values))


def frexp(values: Iterable[float]) -> tuple[Array, Array]:
    """Return the mantissas and the exponents."""
    both = list(map(math.frexp, values))
    return Array(m for m, _ in both), Array(e for _, e in both)


def sort(values: Iterable[Any]) -> Array:
    """Return the values in ascending order."""
    return Array(sorted(values))


def concatenate(parts: Iterable[Iterable[Any]]) -> Array:
    """Return all elements of all parts."""
    return Array(itertools.chain.from_iterable(parts))


def diff(values: Sequence[Any], prepend: Any = None) -> Array:
    """Return the differences of neighbours, of the first to `prepend` if that is given."""
    before = values[:-1] if prepend is None else [prepend, *values[:-1]]
    return Array(map(operator.sub, values[1:] if prepend is None else values, before))


def cumsum(values: Iterable[Any]) -> Array:
    """Return the sum up to each element."""
    return Array(itertools.accumulate(values))


def searchsorted(values: Sequence[Any], value: Any) -> Any:
    """Return the place of the first element that is not smaller, or the places for values."""
    if _is_array(value):
        return Array(bisect.bisect_left(values, x) for x in value)
    return bisect.bisect_left(values, value)


def unique(
    values: Iterable[Any], return_counts: bool = False, return_inverse: bool = False
) -> tuple[Array, Array]:
    """Return the values that there are, and how often, or where each element's value is."""
    if return_counts == return_inverse:
        raise ValueError("give either the counts or the places")
    if return_counts:
        pairs = sorted(Counter(values).items())
        return Array(value for value, _ in pairs), Array(n for _, n in pairs)
    values = list(values)
    distinct = Array(sorted(set(values)))
    place = {value: i for i, value in enumerate(distinct)}
    return distinct, Array(place[value] for value in values)


def bincount(places: Array, weights: Array | None = None, minlength: int = 0) -> Array:
    """Return how often each integer occurs, or the sum of the weights there."""
    n = max(minlength, places.max() + 1 if len(places) else 0)
    counts = Array([0 if weights is None else 0.0] * n)
    for place, weight in zip(*_pairs(places, 1 if weights is None else weights), strict=False):
        list.__setitem__(counts, place, counts[place] + weight)
    return counts


def histogram(values: Array, bins: int, range: tuple[float, float]) -> tuple[Array, Array]:
    """Return how many values lie in each of equal bins, and the edges; the last one is included."""
    low, high = range
    edges = Array(low + (high - low) * i / bins for i in [*map(int, arange(bins + 1))])
    counts = Array([0] * bins)
    for value in values:
        if low <= value <= high:
            counts[min(bisect.bisect_right(edges, value), bins) - 1] += 1
    return counts, edges


def average(values: Array, weights: Array) -> float:
    """Return the weighted mean."""
    return float((values * weights).sum() / weights.sum())


def median(values: Iterable[float]) -> float:
    """Return the median, not-a-number of no values."""
    return quantile(values, 0.5)


def quantile(values: Iterable[float], q: float) -> float:
    """Return a quantile, with a straight line between the two nearest values."""
    ascending = sorted(values)
    if not ascending or any(map(math.isnan, ascending)):
        return math.nan
    at = (len(ascending) - 1) * q
    below = math.floor(at)
    above = min(below + 1, len(ascending) - 1)
    low, high, share = ascending[below], ascending[above], at - below
    if low == high:
        return float(low)
    return float(low + (high - low) * share if share < 0.5 else high - (high - low) * (1 - share))


def percentile(values: Iterable[float], percents: Iterable[float], method: str) -> Array:
    """Return the smallest values that so many of a hundred do not exceed."""
    if method != "inverted_cdf":
        raise ValueError(f"only the values themselves can be used, and not {method}")
    ordered = sorted(values)
    ranks = [max(1, math.ceil(len(ordered) * percent / 100)) for percent in percents]
    return Array(ordered[rank - 1] for rank in ranks)

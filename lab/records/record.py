"""Plain data to JSON and back, the same way for every record of `lab`.

A record is a frozen dataclass. Its JSON has the field names as keys; keys that a reader of an older
version does not know are ignored, so a record written by a newer `lab` of the same schema still
opens.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
from typing import Any, TypeVar

T = TypeVar("T")


def plain(value: Any) -> Any:
    """Return `value` as JSON types only: dataclasses become objects, tuples lists, not-a-number and
    infinity null.
    """
    if hasattr(value, "to_json") and not isinstance(value, type):
        return value.to_json()
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(v) for v in value]
    if hasattr(value, "tolist"):  # numpy scalars and arrays
        return plain(value.tolist())
    return _leaf(value)


def _leaf(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)


def flat(cls: type[T], data: dict[str, Any]) -> T:
    """Return a `cls` from the keys of `data` that it has fields for; unknown keys are ignored."""
    names = {f.name for f in dataclasses.fields(cls)}  # type: ignore[arg-type]
    return cls(**{k: v for k, v in data.items() if k in names})


def canonical(value: Any) -> str:
    """Return the one JSON text of `value`: sorted keys, no spaces; equal values give equal
    texts.
    """
    return json.dumps(plain(value), sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def digest(value: Any) -> str:
    """Return the SHA-256 of `canonical(value)`, 16 hex digits."""
    return hashlib.sha256(canonical(value).encode()).hexdigest()[:16]


def rounded(value: float | None, digits: int = 6) -> float | None:
    """Return `value` with that many significant digits, null if it isn't finite; for files that go
    into git.
    """
    if value is None or not math.isfinite(value):
        return None
    return float(f"{value:.{digits}g}")

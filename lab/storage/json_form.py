"""Plain data to JSON and back, the same way for every record of `lab`.

A record is a frozen dataclass. Its JSON has the field names as keys; keys that a reader of an older
version does not know are ignored, so a record written by a newer `lab` of the same schema still
opens.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import json
import math
import types
import typing
from typing import Any, ClassVar, Self, TypeVar

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
    """Return a `cls` from the keys of `data` that it has fields for, each made what its annotation
    says; unknown keys are ignored. Raises KeyError if one is missing.
    """
    kind: Any = cls
    fields = _fields(kind).items()
    return cls(**{k: _made(hint, data[k]) for k, (hint, must) in fields if must or k in data})


class Stored:
    """A frozen dataclass that is written as JSON, and read again."""

    apart: ClassVar[tuple[str, ...]] = ()  # the fields that the JSON leaves out

    def to_json(self) -> dict[str, Any]:
        """Return plain data, one key a field."""
        return {k: plain(v) for k, v in self.__dict__.items() if k not in self.apart}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """Return what `to_json` wrote."""
        return flat(cls, data)


@functools.cache
def _fields(cls: Any) -> dict[str, tuple[Any, bool]]:
    """Hint of each field, and whether it has no default."""
    hints, none = typing.get_type_hints(cls), dataclasses.MISSING
    return {
        f.name: (hints[f.name], f.default is none and f.default_factory is none)
        for f in dataclasses.fields(cls)
    }


def _made(hint: Any, value: Any) -> Any:
    """Return what `plain` made into `value`. What does not fit stays as it is, nothing is turned
    into what it should be: lab.storage.gate tells the reader.
    """
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if origin is types.UnionType and value is not None:
        return _made(parts[0], value)  # the other type of the union is None
    if origin is tuple and isinstance(value, list):
        hints = parts if len(parts) == len(value) and ... not in parts else parts[:1] * len(value)
        return tuple(map(_made, hints, value))
    if not isinstance(value, dict):
        return value
    if origin is dict:
        return {k: _made(parts[1], v) for k, v in value.items()}
    if hasattr(hint, "from_json"):
        return hint.from_json(value)
    return flat(hint, value) if hasattr(hint, "__dataclass_fields__") else value


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

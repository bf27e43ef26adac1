"""Python values as JSON for another language, and back: plain data by value, objects by handle."""

from __future__ import annotations

import base64
import dataclasses
import inspect
import itertools
import math
import os
import re
from collections.abc import Mapping, Sequence, Set
from typing import Any

import numpy as np

from lab.errors import LabError
from lab.records.table import Rows

# A response carries at most so many objects with their attributes. Others can be requested.
_BUDGET = 400
_HIDDEN = ("from_json", "with_recorded")
_DTYPES = ("u1", "i1", "u2", "i2", "u4", "i4", "f4", "f8")


def snake(name: str) -> str:
    """`keepAlive` as `keep_alive`; other names unchanged."""
    return re.sub(r"(?<=[a-z0-9])([A-Z])", lambda found: "_" + found[1].lower(), name)


def camel(name: str) -> str:
    """`keep_alive` as `keepAlive`."""
    return re.sub(r"_([a-z0-9])", lambda found: found[1].upper(), name)


class Objects:
    """The objects the other side holds, by number."""

    def __init__(self) -> None:
        self._numbers = itertools.count(1)
        self._held: dict[int, Any] = {}

    def __getitem__(self, number: int) -> Any:
        try:
            return self._held[number]
        except KeyError:
            raise LabError(
                f"This result ({number}) belongs to an earlier session. Run its cell again."
            ) from None

    def values(self) -> list[Any]:
        """All objects held."""
        return list(self._held.values())

    def release(self, numbers: Sequence[int]) -> None:
        """Forget objects that the other side no longer uses."""
        for number in numbers:
            self._held.pop(number, None)

    def encode(self, value: Any) -> Any:
        """The value as JSON; the object it is, if it is one, also says how it reads."""
        budget = [_BUDGET]
        message = self._encode(value, budget)
        if isinstance(message, dict) and "$type" in message:
            message["text"] = repr(value)
            if "$object" not in message:
                message["$object"] = self._hold(value)
        return message

    def decode(self, value: Any) -> Any:
        """Return the received value, with objects in place of their handles."""
        if isinstance(value, list):
            return [self.decode(item) for item in value]
        if not isinstance(value, dict):
            return value
        if "$object" in value:
            held = self[value["$object"]]
            return Rows(self.decode(value["$rows"]), held) if "$rows" in value else held
        if "$bytes" in value:
            return base64.b64decode(value["$bytes"])
        if "$number" in value:
            return float(value["$number"])
        return {key: self.decode(item) for key, item in value.items()}

    def _hold(self, value: Any) -> int:
        number = next(self._numbers)
        self._held[number] = value
        return number

    def _encode(self, value: Any, budget: list[int]) -> Any:
        if isinstance(value, Mapping):
            return {str(key): self._encode(item, budget) for key, item in value.items()}
        if not _is_simple(value) and isinstance(value, (Sequence, Set)):
            items = [self._encode(item, budget) for item in value]
            if isinstance(value, Rows) and value.of is not None:
                return {"$rows": items, "$object": self._hold(value.of)}
            if hasattr(value, "_repr_html_"):
                return {"$type": type(value).__name__, "items": items, "methods": []}
            return items
        return _simple(value) if _is_simple(value) else self._object(value, budget)

    def _object(self, value: Any, budget: list[int]) -> dict[str, Any]:
        budget[0] -= 1
        message: dict[str, Any] = {"$type": type(value).__name__, "methods": methods(value)}
        if budget[0] > 0:
            message["attributes"] = {
                camel(name): self._encode(item, budget) for name, item in attributes(value).items()
            }
        if message["methods"] or budget[0] <= 0:
            message["$object"] = self._hold(value)
        return message


_SIMPLE = (
    *(type(None), bool, str, int, float, bytes, bytearray),
    *(np.generic, np.ndarray, os.PathLike),
)


def _is_simple(value: Any) -> bool:
    return isinstance(value, _SIMPLE)


def _simple(value: Any) -> Any:
    """Everything that has no parts of its own."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, np.ndarray):
        return _array(value)
    if isinstance(value, (bytes, bytearray)):
        return {"$bytes": base64.b64encode(value).decode()}
    if isinstance(value, float) and not math.isfinite(value):
        return {"$number": str(value)}
    return os.fspath(value) if isinstance(value, os.PathLike) else value


_of_classes: dict[type, list[tuple[str, Any]]] = {}


def _members(kind: type) -> list[tuple[str, Any]]:
    """Return the public names that a class defines, without running any of its code. The result is
    cached, because a response has hundreds of objects of a few classes.
    """
    if kind not in _of_classes:
        names = [name for name in dir(kind) if not name.startswith("_")]
        _of_classes[kind] = [(name, inspect.getattr_static(kind, name)) for name in names]
    return _of_classes[kind]


def attributes(value: Any) -> dict[str, Any]:
    """Return the public data of an object: its fields and properties."""
    names = list(getattr(value, "__dataclass_fields__", ())) or list(vars(value))
    names += [name for name, kind in _members(type(value)) if isinstance(kind, property)]
    data: dict[str, Any] = {}
    for name in names:
        if name.startswith("_") or name in data:
            continue
        try:
            item = getattr(value, name)
        except Exception:
            continue  # a property may raise an error for this object
        if not callable(item) and _is_data(item):
            data[name] = item
    return data


def methods(value: Any) -> list[str]:
    """Return the names of an object's methods, as the JavaScript side writes them."""
    return [
        camel(name)
        for name, kind in _members(type(value))
        if inspect.isfunction(kind) and name not in _HIDDEN
    ]


def _is_data(item: Any) -> bool:
    shown = dataclasses.is_dataclass(item) or hasattr(item, "_repr_html_")
    return _is_simple(item) or isinstance(item, (Mapping, Sequence, Set)) or shown


def _array(value: np.ndarray) -> Any:
    kind = value.dtype.str.lstrip("<=|")
    if value.ndim != 1 or kind not in _DTYPES:
        return value.tolist()
    return {"$array": kind, "data": base64.b64encode(value.tobytes()).decode()}


def show(value: Any) -> dict[str, str]:
    """The MIME bundle of an object, as IPython would make it."""
    bundle: dict[str, str] = {"text/plain": repr(value)}
    if hasattr(value, "_repr_mimebundle_"):
        display = value._repr_mimebundle_()
        bundle.update(display[0] if isinstance(display, tuple) else display or {})
    if "text/html" not in bundle and hasattr(value, "_repr_html_"):
        display = value._repr_html_()
        if display:
            bundle["text/html"] = display
    return bundle

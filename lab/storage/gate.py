"""One gate for what a cell may pass and for what a stored file may hold: the annotations say it.

`checked` holds the arguments of a function against its signature, `held` a record against its
fields. What does not fit is a LabError with the value seen and what is expected, before anything
is started, sent or drawn.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import numbers
import os
import types
import typing
from collections import abc
from collections.abc import Callable
from typing import Any, TypeVar

from lab.errors import LabError

__all__ = ["BadArgument", "checked", "fit", "held", "shown"]

F = TypeVar("F", bound=Callable[..., Any])
LONGEST = 80  # characters of a value in a message


class BadArgument(LabError):
    """A value of a type or kind that the function has no use for."""


@dataclasses.dataclass(frozen=True)
class _Misfit:
    """The innermost value that does not fit, where it is, and what belongs there."""

    where: str
    value: Any
    hint: Any


def checked(function: F) -> F:
    """Let a function be called only with arguments that fit its annotations.

    Too many, too few and misspelt arguments stay Python's own business. Raises BadArgument.
    """
    signature = inspect.signature(function)
    name = function.__qualname__
    hints: dict[str, Any] = {}

    @functools.wraps(function)
    def gate(*args: Any, **kwargs: Any) -> Any:
        if not hints:  # the first call comes when all names in the annotations are defined
            hints.update(typing.get_type_hints(function))
        try:
            arguments = signature.bind(*args, **kwargs).arguments
        except TypeError:
            return function(*args, **kwargs)  # Python raises its usual TypeError
        for key, value in arguments.items():
            for place, part in _named(key, value, signature.parameters[key].kind):
                if (misfit := _misfit(part, hints.get(key, Any), place)) is not None:
                    raise BadArgument(f"{name}(): {_sentence(misfit)}")
        return function(*args, **kwargs)

    return typing.cast(F, gate)


def _named(key: str, value: Any, kind: Any) -> list[tuple[str, Any]]:
    """An argument by its name; those behind a star each by its own."""
    if kind is inspect.Parameter.VAR_POSITIONAL:
        return [(f"{key}[{i}]", item) for i, item in enumerate(value)]
    return list(value.items()) if kind is inspect.Parameter.VAR_KEYWORD else [(key, value)]


def fit(where: str, value: Any, hint: Any, error: type[LabError] = BadArgument) -> None:
    """Raise `error` if a value does not fit a hint; `where` is what a reader calls it."""
    if (misfit := _misfit(value, hint, where)) is not None:
        raise error(_sentence(misfit))


def held(record: Any) -> None:
    """Raise LabError if a field of a record, at any depth, does not hold what its annotation says:
    so a damaged file is refused where it is read, not where it is drawn.
    """
    if (misfit := _fields(record, "")) is not None:
        raise LabError(_sentence(misfit))


def shown(value: Any) -> str:
    """Return a value as its `repr`, short enough for a sentence, whatever it is."""
    if isinstance(value, (str, bytes, bytearray)) and len(value) > LONGEST:
        return f"{value[: LONGEST - 20]!r} … ({len(value):,} long)"
    try:
        text = repr(value)
    except Exception:  # a class of the caller may have a broken __repr__
        text = f"<{type(value).__name__}>"
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 2]} …"


def _sentence(misfit: _Misfit) -> str:
    value = misfit.value
    if isinstance(value, str) and not _is_text(value):
        return (
            f"{misfit.where}={shown(value)} has half a character (a lone surrogate), which "
            "can't be sent or stored. Leave it out"
        )
    return (
        f"{misfit.where}={shown(value)} must be {_words(misfit.hint)}, "
        f"not {_article(type(value).__name__)}"
    )


@functools.lru_cache(maxsize=128)
def _of_class(kind: Any) -> list[tuple[str, Any, frozenset[type]]]:
    """The fields of a class of records: name, hint, and the types that surely fit it."""
    hints = typing.get_type_hints(kind)
    return [(f.name, hints[f.name], _exact(hints[f.name])) for f in dataclasses.fields(kind)]


def _misfit(  # noqa: PLR0911  one for each kind of hint
    value: Any, hint: Any, place: str, deep: bool = False
) -> _Misfit | None:
    """The first thing in `value` that the hint does not allow, or None."""
    if type(value) in _exact(hint):  # nearly all of a record's 10,000 values
        return None
    wrong = _Misfit(place, value, hint)
    if hint in (Any, object) or isinstance(hint, TypeVar):
        return None
    if hint is None or hint is type(None):
        return None if value is None else wrong
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        misfits = [_misfit(value, part, place, deep) for part in parts]
        inside = [f for f in misfits if f is not None and f.where != place]
        return None if None in misfits else inside[0] if inside else wrong
    if origin is typing.Literal:
        return None if any(type(value) is type(p) and value == p for p in parts) else wrong
    if origin is Callable:
        return None if callable(value) else wrong
    if origin is tuple:
        return _of_tuple(wrong, parts, deep)
    if isinstance(origin, type) and issubclass(origin, abc.Mapping):
        return _of_mapping(wrong, parts, deep)
    if isinstance(origin, type) and issubclass(origin, abc.Iterable):
        return _of_items(wrong, origin, parts, deep)
    if not _is_a(value, origin or hint):
        return wrong
    return _fields(value, f"{place}.") if deep and dataclasses.is_dataclass(value) else None


@functools.lru_cache(maxsize=512)
def _exact(hint: Any) -> frozenset[type]:
    """The types whose values all fit a hint, as far as that is sure without looking at them."""
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        return frozenset(kind for part in typing.get_args(hint) for kind in _exact(part))
    types_of_hint: dict[Any, set[type]] = {
        int: {int},
        float: {int, float},
        bool: {bool},
        type(None): {type(None)},
    }
    return frozenset(types_of_hint.get(hint, ()))


def _of_tuple(misfit: _Misfit, parts: tuple[Any, ...], deep: bool) -> _Misfit | None:
    value, place = misfit.value, misfit.where
    if not isinstance(value, (tuple, list)):
        return misfit
    hints = [parts[0]] * len(value) if parts[1:] == (...,) else list(parts)
    if len(hints) != len(value):
        return misfit
    misfits = (
        _misfit(v, h, f"{place}[{i}]", deep)
        for i, (v, h) in enumerate(zip(value, hints, strict=True))
    )
    return next((inner for inner in misfits if inner is not None), None)


def _of_mapping(misfit: _Misfit, parts: tuple[Any, ...], deep: bool) -> _Misfit | None:
    value, place = misfit.value, misfit.where
    if not isinstance(value, abc.Mapping):
        return misfit
    for key, item in value.items():
        inner = _misfit(key, parts[0], f"a key of {place}: it", deep)
        inner = inner or _misfit(item, parts[1], f"{place}[{shown(key)}]", deep)
        if inner is not None:
            return inner
    return None


def _of_items(misfit: _Misfit, kind: Any, parts: tuple[Any, ...], deep: bool) -> _Misfit | None:
    value, place = misfit.value, misfit.where
    # Python iterates over the letters of a text, but a reader who passes a text has made a mistake.
    # An array counts as a list.
    is_array = hasattr(value, "__array__") and kind is not list
    is_list = getattr(value, "ndim", 0) > 0 if is_array else isinstance(value, kind)
    if isinstance(value, (str, bytes, abc.Mapping)) or not is_list:
        return misfit
    if not isinstance(value, abc.Sized) or not isinstance(value, abc.Iterable):
        return None  # reading an iterator would use up its items
    items = value[:1] if isinstance(value, range) else value  # the items of a range have one type
    found = (_misfit(one, parts[0], f"{place}[{i}]", deep) for i, one in enumerate(items))
    return next((one for one in found if one is not None), None)


def _fields(record: Any, prefix: str) -> _Misfit | None:
    kind: Any = type(record)
    for name, hint, exact in _of_class(kind):
        value = getattr(record, name)
        if type(value) not in exact:
            misfit = _misfit(value, hint, f"{prefix}{name}", deep=True)
            if misfit is not None:
                return misfit
    return None


def _is_text(value: Any) -> bool:
    if not isinstance(value, str):
        return False
    try:
        return value.isascii() or bool(value.encode()) or not value
    except UnicodeEncodeError:
        return False


def _is_a(value: Any, kind: Any) -> bool:
    if kind is str:
        return _is_text(value)
    if kind in (int, float):
        wanted = numbers.Integral if kind is int else numbers.Real
        return isinstance(value, wanted) and not isinstance(value, bool)
    return isinstance(value, kind)


_PLAIN = {
    str: "text",
    bytes: "bytes",
    bool: "True or False",
    int: "a whole number",
    float: "a number",
    type(None): "None",
}


def _words(hint: Any) -> str:  # noqa: PLR0911  as there
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if hint is None or hint in _PLAIN:
        return _PLAIN[type(None) if hint is None else hint]
    if origin in (typing.Union, types.UnionType):
        *some, last = dict.fromkeys(_words(part) for part in parts)
        return f"{', '.join(some)} or {last}" if some else last
    if origin is typing.Literal:
        return " or ".join(map(repr, parts))
    if origin is Callable:
        return "a function"
    if origin is tuple and parts[1:] != (...,):
        return f"({', '.join(_words(part) for part in parts)})"
    if isinstance(origin, type) and issubclass(origin, os.PathLike):
        return "a path"
    if isinstance(origin, type) and issubclass(origin, abc.Mapping):
        return "a dict" if Any in parts else f"a dict {{{_words(parts[0])}: {_words(parts[1])}}}"
    if isinstance(origin, type) and issubclass(origin, abc.Iterable):
        return "a list" if parts[0] in (Any, object) else f"a list, each item {_words(parts[0])}"
    return "anything" if hint in (Any, object) else _article(hint.__name__)


def _article(name: str) -> str:
    return name if name == "NoneType" else f"{'an' if name[:1] in 'aeiouAEIO' else 'a'} {name}"

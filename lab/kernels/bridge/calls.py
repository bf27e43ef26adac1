"""From a name in another language to the function, and from its arguments to options."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable
from typing import Any

from lab.errors import LabError, did_you_mean
from lab.kernels.bridge.values import camel, snake


def verb(path: str) -> Callable[..., Any]:
    """The function of `lab` under that name, as another language writes it. Raises LabError."""
    if path == "define":  # what the `%%server` magic calls
        path = "servers.catalog.define"
    target: Any = importlib.import_module("lab")
    for part in path.split("."):
        name = snake(part)
        if name.startswith("_"):
            raise LabError(f"lab.{path} is not public.")
        try:
            target = getattr(target, name)
        except AttributeError:
            try:
                target = importlib.import_module(f"{target.__name__}.{name}")
            except (ImportError, AttributeError):
                raise LabError(f"There is no lab.{path}.") from None
    if not callable(target):
        raise LabError(f"lab.{path} is not a function.")
    result: Callable[..., Any] = target
    return result


def bind(function: Callable[..., Any], args: list[Any]) -> tuple[list[Any], dict[str, Any]]:
    """Return positional arguments and options. The last argument holds options if it is an object,
    and if the function can do without it or knows its names.
    """
    if not args or not isinstance(args[-1], dict):
        return args, {}
    *before, last = args
    parameters = inspect.signature(function).parameters.values()
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    required = [p for p in positional if p.default is p.empty]
    names = {p.name for p in parameters}
    missing = len(required) > len(before)
    if missing and not (last and {snake(key) for key in last} <= names):
        return [*before, _inside(last)], {}
    options = {snake(key): value for key, value in last.items()}
    for name in ("alongside", "arms"):
        if isinstance(options.get(name), dict):
            options[name] = _inside(options[name])
    if before and isinstance(before[0], dict):
        before[0] = _inside(before[0])
    return before, options


def check(
    function: Callable[..., Any], name: str, args: list[Any], options: dict[str, Any]
) -> None:
    """Raise LabError for an option that does not exist or an argument too many or too few."""
    signature = inspect.signature(function)
    kinds = {p.kind for p in signature.parameters.values()}
    names = [p for p in signature.parameters if p != "progress"]
    if inspect.Parameter.VAR_KEYWORD not in kinds:
        for option in options:
            if option not in signature.parameters:
                raise LabError(
                    f"{name}() has no option {camel(option)!r}. "
                    f"{did_you_mean(camel(option), map(camel, names))}"
                )
    try:
        signature.bind(*args, **options)
    except TypeError as error:
        raise LabError(f"{name}(): {error}. It takes {', '.join(map(camel, names))}.") from None


def _inside(named: dict[str, Any]) -> dict[str, Any]:
    """The reader chooses the names of arms and streams; the names of their options are ours."""
    return {
        name: {snake(key): v for key, v in value.items()} if isinstance(value, dict) else value
        for name, value in named.items()
    }

"""An entry of a chapter's questions.toml, checked: a question, or a LabError that says why not."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from lab.errors import LabError, did_you_mean
from lab.processes.node_range import Range, node_range
from lab.text.arithmetic import value as arithmetic
from lab.text.numbers import place
from lab.widgets.question.question import CURVE, WITHIN, Kind, Mistake, Question

KINDS: dict[str, Kind] = {"options": "choice", "unit": "number", "items": "order"}
FILE = "questions.toml"  # in the folder of the chapter


def question_of(name: str, id: str, entry: Any) -> Question:
    """Return the question that an entry of a file of that name describes.

    Raises LabError for an entry that is none.
    """
    if not isinstance(entry, Mapping) or not {"on", "run"} & set(entry):
        return _plain(name, id, entry)

    def wrong(what: str) -> LabError:
        return LabError(f"{name}: question {id!r} {what}")

    base_entry = {key: value for key, value in entry.items() if key not in ("on", "run")}
    variants, run = entry.get("on"), entry.get("run")
    if not (
        isinstance(variants, list) and variants and all(isinstance(o, Mapping) for o in variants)
    ):
        raise wrong(f"has on = {variants!r}: write [[{id}.on]] above its keys")
    if not isinstance(run, str) or not run:
        raise wrong("needs `run`, the experiment whose Node decides between its answers")
    if "right" not in base_entry:
        raise wrong("has `on`, but no `right`, which is the answer on every other Node")
    base = _plain(name, id, base_entry)
    return replace(
        base, run=run, on=tuple(_other(name, id, base_entry, o, wrong) for o in variants)
    )


def _other(
    name: str, id: str, entry: Mapping[str, Any], variant: Mapping[str, Any], wrong: Any
) -> tuple[Range, Question]:
    """What a question is on some versions of Node: another answer, other reasons."""
    if unknown := set(variant) - {"node", "right", "why", "options", "mistakes"}:
        raise wrong(
            f"has a key {min(unknown)!r} in `on`: it may have node, right, why, options, mistakes"
        )
    try:
        versions = node_range(variant.get("node", ""))
    except LabError as error:
        raise wrong(f"has in `on` {error}") from None
    options = dict(entry.get("options", {}))
    for key, override in dict(variant.get("options", {})).items():
        if key not in options or not isinstance(override, Mapping) or set(override) != {"why"}:
            raise wrong(f"has {key!r} in `on`, but only the `why` of one of its options may differ")
        options[key] = {**options[key], **override}
    new_keys = {key: variant[key] for key in ("right", "why", "mistakes") if key in variant}
    new_options = {"options": options} if options else {}
    return versions, _plain(name, id, {**entry, **new_keys, **new_options})


def _plain(name: str, id: str, entry: Any) -> Question:
    """A question that is the same on every Node."""

    def wrong(what: str) -> LabError:
        return LabError(f"{name}: question {id!r} {what}")

    if not isinstance(entry, Mapping):
        raise wrong("is not a table. Write [its-id] above its keys")
    kind = _kind(entry, wrong)
    known = {*Question.__dataclass_fields__}
    known -= {"id", "kind", "node", "chapter", "number", "of", "memory"}
    if unknown := set(entry) - known:
        raise wrong(f"has a key {min(unknown)!r}. {did_you_mean(min(unknown), known)}")
    if not entry.get("ask"):
        raise wrong("asks nothing, because it has no `ask`")
    for key in ("ask", "code", "unit", "why"):
        if not isinstance(entry.get(key, ""), str):
            raise wrong(f"has {key} = {entry[key]!r}, which is not text")
    options, items = entry.get("options", {}), entry.get("items", [])
    if kind == "choice" and not _are_options(options):
        raise wrong("needs two options or more, each with `text` and `why`: options.its-name = {…}")
    if kind == "order" and not (_are_texts(items) and len(items) > 1):
        raise wrong(f"has items = {items!r}: two lines or more, each a text")
    if kind != "choice" and not entry.get("why") and "right" in entry:
        raise wrong("has no `why`. Explain the answer there")
    for key in ("warm_up", "guess"):
        if not isinstance(entry.get(key, False), bool):
            raise wrong(f"has {key} = {entry[key]!r}: it is true or false")
    if entry.get("warm_up") and "right" not in entry:
        raise wrong("is a warm-up, which shows its answer at once, but has no `right`")
    within = entry.get("within", WITHIN)
    if not _is_number(within) or within < 1:
        raise wrong(f"has within = {within!r}: it is the factor a guess may be off, 1 or more")
    curve = _axes(entry, wrong) if kind == CURVE else {}
    right = _right(kind, entry.get("right"), options, items or curve.get("x", ()), wrong)
    return Question(
        id=id,
        kind=kind,
        ask=entry["ask"],
        right=right,
        why=entry.get("why", ""),
        code=entry.get("code", "").strip("\n"),
        options=tuple((k, o["text"], o["why"]) for k, o in options.items()),
        unit=entry.get("unit", ""),
        within=float(within),
        items=tuple(items),
        **curve,
        mistakes=_mistakes(kind, entry.get("mistakes", []), right, within, wrong),
        warm_up=entry.get("warm_up", False),
        guess=entry.get("guess", False),
        chapter=name.removesuffix(f"/{FILE}"),
    )


def _kind(entry: Mapping[str, Any], wrong: Any) -> Kind:
    kinds = [kind for key, kind in KINDS.items() if key in entry]
    if len(kinds) != 1:
        raise wrong("needs exactly one of options, unit, items")
    if "x" in entry and kinds == ["number"]:
        return CURVE
    if extra := {"x", "x_name", "y", "scale", "rows"} & set(entry):
        raise wrong(f"has {min(extra)!r}, which is only for curves, with x, y and unit")
    return kinds[0]


def _axes(entry: Mapping[str, Any], wrong: Any) -> dict[str, Any]:
    """The axes of a curve."""
    x, y, scale = entry["x"], entry.get("y"), entry.get("scale", "linear")
    places = [place(one) for one in x] if isinstance(x, list) else []
    if len(places) < 3 or not _are_texts(places) or len(set(places)) < len(places):
        raise wrong(f"has x = {x!r}: three places or more, numbers or texts, no two the same")
    if not (isinstance(y, list) and len(y) == 2 and all(map(_is_number, y)) and y[0] < y[1]):
        raise wrong(f"has y = {y!r}: the two ends of its axis, the lower one first")
    if scale not in ("linear", "log") or (scale == "log" and y[0] <= 0):
        raise wrong(f'has scale = {scale!r}: "linear", or "log" with y above 0')
    if not isinstance(entry.get("x_name", ""), str):
        raise wrong(f"has x_name = {entry['x_name']!r}, which is not text")
    if not isinstance(entry.get("rows", False), bool):
        raise wrong(f"has rows = {entry['rows']!r}: it is true or false")
    return {
        "rows": entry.get("rows", False),
        "x": tuple(places),
        "x_name": entry.get("x_name", ""),
        "y": (float(y[0]), float(y[1])),
        "scale": scale,
    }


def _mistakes(
    kind: str, mistakes: Any, right: Any, within: float, wrong: Any
) -> tuple[Mistake, ...]:
    if not mistakes:
        return ()
    if kind != "number":
        raise wrong("has mistakes, which are only for numbers. Each option has its own `why`")
    if not isinstance(mistakes, list) or not all(isinstance(entry, Mapping) for entry in mistakes):
        raise wrong(f"has mistakes = {mistakes!r}: write [[its-id.mistakes]] above their keys")
    return tuple(_mistake(entry, right, within, wrong) for entry in mistakes)


def _mistake(entry: Mapping[str, Any], right: Any, within: float, wrong: Any) -> Mistake:
    ways = set(entry) & {"formula", "range"}
    if set(entry) - {"formula", "range", "why"} or len(ways) != 1:
        raise wrong(
            f"has a mistake with {', '.join(entry)}, but a mistake needs formula or range, and why"
        )
    if not _are_texts([entry.get("why")]):
        raise wrong("has a mistake without `why`. Say there what a reader may have thought")
    if "range" in entry:
        ends = entry["range"]
        if not (isinstance(ends, list) and len(ends) == 2 and all(map(_is_number, ends))):
            raise wrong(f"has a mistake with range = {ends!r}: two numbers, the lower one first")
        mistake = Mistake(entry["why"], range=(float(ends[0]), float(ends[1])))
        if ends[0] > ends[1]:
            raise wrong(f"has a mistake with range = {ends!r}: the lower one comes first")
    else:
        mistake = Mistake(entry["why"], formula=str(entry["formula"]))
        try:
            value = arithmetic(mistake.formula, right=math.e if right is None else right)
        except (ValueError, ArithmeticError):
            raise wrong(
                f"has a mistake with formula = {entry['formula']!r}: write arithmetic, of numbers "
                "and `right`"
            ) from None
        if right is not None and _passes(value, right, within):
            raise wrong(f"has the right answer {entry['formula']!r}, which it also calls a mistake")
    span = None if right is None else mistake.span(right)
    if span and span[0] <= right <= span[1]:
        raise wrong(f"calls its own answer a mistake: {entry}")
    return mistake


def _passes(number: float, right: float, within: float) -> bool:
    """Whether a number is near enough to be right, as in question.js."""
    if right == 0 or number == 0 or (right < 0) != (number < 0):
        return number == right
    return 1 / within <= number / right * (1 + 1e-9) and number / right <= within * (1 + 1e-9)


def _is_number(value: Any) -> bool:
    # A value of TOML may also be true, nan or inf.
    return type(value) in (int, float) and math.isfinite(value)


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) and one for one in value)


def _are_options(options: Any) -> bool:
    return (
        isinstance(options, Mapping)
        and len(options) > 1
        and all(
            isinstance(one, Mapping) and _are_texts([one.get("text"), one.get("why")])
            for one in options.values()
        )
    )


def _right(kind: str, right: Any, options: Any, items: Any, wrong: Any) -> Any:
    if right is None:
        return None
    if kind == "number":
        if not _is_number(right):
            raise wrong(f"has right = {right!r}, which is not a number")
        if right < 0:
            raise wrong(f"has right = {right!r}, but a reader can enter no number below 0")
        return float(right)
    if kind == CURVE:
        if (
            not isinstance(right, list)
            or len(right) != len(items)
            or not all(map(_is_number, right))
        ):
            raise wrong(f"has right = {right!r}: a number for each x")
        return tuple(map(float, right))
    if kind == "choice":
        rights = [right] if isinstance(right, str) else right
        if not _are_texts(rights) or not rights or not set(rights) <= set(options):
            raise wrong(f"has no option {right!r}")
        return tuple(dict.fromkeys(rights))
    orders = right if isinstance(right, list) else [right]
    if not orders or any(not _are_texts(o) or sorted(o) != sorted(items) for o in orders):
        raise wrong("has a right order that is not made of its items")
    return tuple(tuple(order) for order in orders)

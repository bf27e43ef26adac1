"""Predictions and questions: `lab.ask` shows one where it is asked, `lab.answer` what a run said
to it, `lab.reveal` what is right where no run of the page decides it.

They lie in the folder of the chapter, in NAME/questions.toml, so that a notebook does not give its
answers away. Each has an id that is unique in the book and never changes: readers' answers are kept
under it, in their browser and nowhere else. Kinds, by the keys that an entry has:

    options   several choices, each with `text` and `why` (shown when it is chosen or right)
    unit      a number; `within` is the factor by which a guess may be off (1 for exactly)
    items     lines to be put in order
    x         a curve, to be drawn: a number with its `unit` at each of these places, between the
              two of `y`; `scale` of that axis is "linear" or "log", `x_name` says what x is. It is
              right if three quarters of the points are within the factor, or, on a linear axis,
              within a sixtieth of it. With `rows = true`, for places that have no order, each has
              a slider of its own, and no line joins them

`right` is the answer: names of options, a number, or lists of items (any of them is right). It is
left out when the run decides; the chapter then gives it to `lab.answer`.

A prediction is locked: what a reader says is kept, and what is right, and why, stands where the
page calls `lab.answer` or `lab.reveal`. Two kinds tell at once: `warm_up = true`, for what a page
presumes, and whatever is asked after the summary, from memory.

A number may have typical `[[its-id.mistakes]]`, each with its own `why`: those who said what a
`formula` makes (arithmetic, in which `right` is the answer: "right * 4"), or a number in a `range`
of two, are told that. The first one that fits is taken.

Where Nodes differ and no run decides, `right` is what holds on most; `[[its-id.on]]` with `node`
(such as ">=26") holds another `right`, `why` or `options.name.why`, and `run` names the experiment
that shows it. The Node is the one that the page ran on: here, or that of the recorded run.
"""

from __future__ import annotations

import functools
import json
import math
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from typing import Any

from lab import paths, settings, usage
from lab.errors import LabError, did_you_mean
from lab.judging.stats import Ratio
from lab.processes.node_range import Range, node_range
from lab.records.reference import node_of
from lab.storage.gate import checked
from lab.text.arithmetic import value as arithmetic
from lab.text.numbers import half_up, place
from lab.widgets import parts

WITHIN = 1.5
MISTAKEN = 1.1  # the factor by which a guess may be off what a mistake's formula makes
KINDS = {"options": "choice", "unit": "number", "items": "order"}
CURVE = "curve"  # has a unit, too
FILE = "questions.toml"  # in the folder of the chapter


@dataclass(frozen=True)
class Mistake:
    """A number that people come to by a typical error, and what to tell them."""

    why: str
    formula: str = ""
    range: tuple[float, float] | None = None

    def span(self, right: float) -> tuple[float, float] | None:
        """Return the lowest and the highest number that it is about; None if that can't be said
        of this answer.
        """
        if self.range is not None:
            return self.range
        try:
            made = float(arithmetic(self.formula, right=right))
        except (ZeroDivisionError, OverflowError):
            return None
        low, high = sorted(float(f"{end:.4g}") for end in (made / MISTAKEN, made * MISTAKEN))
        return (low, high) if math.isfinite(low) and math.isfinite(high) else None


@dataclass(frozen=True)
class Question:
    """A question as it is asked; shows itself, with or without JavaScript."""

    id: str
    kind: str  # choice | number | order | curve
    ask: str
    right: tuple[Any, ...] | float | None  # None: the run decides
    why: str = ""
    code: str = ""
    options: tuple[tuple[str, str, str], ...] = ()  # name, text, why
    unit: str = ""
    within: float = WITHIN
    items: tuple[str, ...] = ()
    x: tuple[str, ...] = ()  # the places of a curve
    x_name: str = ""
    y: tuple[float, float] = (0.0, 1.0)  # the ends of its axis
    scale: str = "linear"
    rows: bool = False  # the places have no order: a slider for each
    mistakes: tuple[Mistake, ...] = ()
    warm_up: bool = False  # tells at once: what the page presumes
    on: tuple[tuple[Range, Question], ...] = ()  # what is asked on other versions of Node
    run: str = ""  # the experiment whose Node decides between them
    node: str = ""  # the one that it was decided for
    chapter: str = ""  # the page it is asked on, "book/part/name"
    number: int = 1  # its place among the questions of that page, from 1
    of: int = 1
    memory: bool = False  # asked after the summary

    @property
    def at_once(self) -> bool:
        """Return whether it tells what is right as soon as it is answered."""
        return self.warm_up or self.memory

    def to_json(self) -> dict[str, Any]:
        """Return what the element needs, texts as HTML; of a locked one nothing that tells."""
        data = self._asks() | {"code": self.code}
        if self.at_once:
            return data | self.tells(self.right)
        if self.kind == "choice" and len(self._rights) > 1:
            data["several"] = True
        return data

    def _asks(self) -> dict[str, Any]:
        data: dict[str, Any] = {"id": self.id, "kind": self.kind, "ask": inline(self.asked)}
        data |= {"number": self.number, "of": self.of}
        if self.kind == "choice":
            data["options"] = [{"name": name, "text": inline(t)} for name, t, _ in self.options]
        elif self.kind == "number":
            data["unit"] = inline(self.unit)
        elif self.kind == CURVE:
            data |= {"unit": inline(self.unit), "x": list(self.x), "x_name": inline(self.x_name)}
            data |= {"y": list(self.y), "scale": self.scale}
            data |= {"rows": True} if self.rows else {}
        else:
            data["items"] = list(self.items)
        return data

    def tells(self, right: Any) -> dict[str, Any]:
        """Return what an element needs that says what is right, and why."""
        data = self._asks() | {"right": list(right) if isinstance(right, tuple) else right}
        if self.kind == "choice":
            for option, (_, _, why) in zip(data["options"], self.options, strict=True):
                option["why"] = inline(why)
            return data
        data["why"] = inline(self.why)
        if self.kind in ("number", CURVE):
            data["within"] = self.within
            if told := self._mistaken(right):
                data["mistakes"] = [
                    {"low": low, "high": high, "why": inline(why)} for low, high, why in told
                ]
        return data

    def _mistaken(self, right: Any) -> list[tuple[float, float, str]]:
        if right is None:
            return []
        spans = ((one.span(right), one.why) for one in self.mistakes)
        return [(*span, why) for span, why in spans if span]

    def __repr__(self) -> str:
        lines = [self.asked, *self.code.splitlines()]
        lines += [f"  {name}: {text}" for name, text, _ in self.options]
        lines += [f"  - {item}" for item in self.items]
        return "\n".join([*lines, f"  ({self.unit})" if self.unit else ""]).rstrip()

    def _repr_html_(self) -> str:
        inside = f"{json_script(self.to_json())}{self._fallback()}"
        id = f"question-{escape(self.id)}"
        return f'{_assets(self)}<lab-question id="{id}">{inside}</lab-question>'

    def _fallback(self) -> str:
        if self.at_once:
            told = f"<details><summary>Answer</summary>{self.solution(self.right)}</details>"
        else:
            place = f'<a href="#answer-{escape(self.id)}">further down the page</a>'
            told = f"<p>The answer waits {place}.</p>"
        return f"<p>Question {self.number} of {self.of}</p>{self.plainly()}{told}"

    def plainly(self) -> str:
        """Return as HTML what is asked, for who has no JavaScript."""
        parts = [f"<p>{inline(self.asked)}</p>"]
        if self.code:
            parts.append(f"<pre><code>{escape(self.code)}</code></pre>")
        choices = [inline(t) for _, t, _ in self.options] + [
            f"<code>{escape(i)}</code>" for i in self.items
        ]
        if choices:
            parts.append(f"<ul>{''.join(f'<li>{c}</li>' for c in choices)}</ul>")
        if self.kind == CURVE:
            places, unit = escape("; ".join(self.x)), inline(self.unit)
            at = f"{inline(self.x_name)} {escape(', '.join(self.x))}"
            each = f"A number for each ({unit}): {places}."
            parts.append(f"<p>{each if self.rows else f'A curve: {unit} at {at}.'}</p>")
        elif self.unit:
            parts.append(f"<p>A number: {inline(self.unit)}.</p>")
        return "".join(parts)

    def solution(self, right: Any, where: str = "The answer") -> str:
        """Return as HTML what is right, and why, for who has no JavaScript."""
        if right is None:
            return f"<p>{where}: this run could not tell.</p>"
        if self.kind == "choice":
            rights = [right] if isinstance(right, str) else right
            told = [
                f"<li>{inline(text)} <strong>{'Right' if name in rights else 'No'}.</strong> "
                f"{inline(why)}</li>"
                for name, text, why in self.options
            ]
            return f"<p>{where}: {self.said(right)}.</p><ul>{''.join(told)}</ul>"
        errors = [
            f"<li>{half_up(low)} to {half_up(high)}: {inline(why)}</li>"
            for low, high, why in self._mistaken(right)
        ]
        typical = f"<p>Typical mistakes:</p><ul>{''.join(errors)}</ul>" if errors else ""
        return f"<p>{where}: {self.said(right)}. {inline(self.why)}</p>{typical}"

    def said(self, right: Any, *, markup: bool = True) -> str:
        """Return an answer in words."""
        written: Callable[[str], str] = inline if markup else str
        if self.kind == "choice":
            rights = [right] if isinstance(right, str) else right
            texts = (text for name, text, _ in self.options if name in rights)
            return "; ".join(written(text).removesuffix(".") for text in texts)
        if self.kind == "number":
            return f"{half_up(float(right))} {written(self.unit)}"
        if self.rows:
            pairs = zip(self.x, right, strict=True)
            each = "; ".join(f"{place} {half_up(float(value))}" for place, value in pairs)
            return f"{escape(each) if markup else each} {written(self.unit)}"
        if self.kind == CURVE:
            drawn = ", ".join(half_up(float(value)) for value in right)
            places = ", ".join(self.x)
            at = f"{written(self.x_name)} {escape(places) if markup else places}".strip()
            return f"{drawn} {written(self.unit)} (at {at})"
        orders = [right] if isinstance(right[0], str) else right
        lines = (_sequence(order) if markup else ", ".join(order) for order in orders)
        return "; or ".join(lines)

    @property
    def asked(self) -> str:
        """The question as it is shown: with the Node it is about, where another has another
        answer.
        """
        return f"{self.ask} (On Node {self.node}, as on this page.)" if self.node else self.ask

    @property
    def _rights(self) -> tuple[Any, ...]:
        return self.right if isinstance(self.right, tuple) else ()


@dataclass(frozen=True)
class Answer:
    """What is right, and why; shows itself beside the reader's prediction."""

    question: Question
    value: Any  # name of an option, number, list of items; None if the run could not tell
    recorded: bool = False  # made of rows of the recorded run, wherever the others were measured
    measured: bool = True  # by a run; what no run decides stands in the question's file

    def to_json(self) -> dict[str, Any]:
        """Return what the element needs."""
        return {**self.question.tells(self.value), "where": self._where}

    @property
    def _where(self) -> str:
        if not self.measured:
            return "The answer"
        return "In the recorded run" if self.recorded else "Here"

    def __repr__(self) -> str:
        none = self.value is None
        told = "this run could not tell" if none else self.question.said(self.value, markup=False)
        return f"{self.question.asked}\n  {self._where}: {told}"

    def _repr_html_(self) -> str:
        id = escape(self.question.id)
        place = f"Question {self.question.number} of {self.question.of}"
        return (
            f'{_assets(self.question)}<lab-answer id="answer-{id}">{json_script(self.to_json())}'
            f'<p><a href="#question-{id}">{place}</a>: {inline(self.question.asked)}</p>'
            f"<details><summary>Show the answer</summary>"
            f"{self.question.solution(self.value, self._where)}</details></lab-answer>"
        )


@checked
def ask(id: str) -> Question:
    """Return the question of that id, ready to be answered on the page.

    Raises LabError if there is none, or its entry is not one.
    """
    found = questions()
    if id not in found:
        raise LabError(
            f"there is no question {id!r}. {did_you_mean(id, found)} "
            f"Questions lie in the folder of their chapter, in NAME/{FILE}."
        )
    question = found[id]
    usage.note_file(_file(question.chapter))
    asked = _on_this_node(question) if question.on else question
    if asked.at_once:
        _noted(Answer(asked, asked.right, measured=False))
    return asked


def _noted(told: Answer) -> Answer:
    """Tell the build what is right, for the pages that ask and judge again."""
    question = told.question
    of = {"id": question.id, "node": question.node, "measured": told.measured}
    usage.note("answer", right=told.value, **of)
    return told


def _on_this_node(question: Question) -> Question:
    """Return what a question is on the Node that its page ran on."""
    return on_node(question, node_of(question.run, settings.mode()))


def on_node(question: Question, version: str) -> Question:
    """Return what a question is on one Node."""
    found = next((other for those, other in question.on if version in those), question)
    number, of, memory = question.number, question.of, question.memory
    return replace(found, number=number, of=of, memory=memory, node=version)


@checked
def answer(id: str, value: float | str | list[Any] | Ratio | None, of: object = None) -> Answer:
    """Return what the run said to a question: a number or ratio, the name of an option, an order,
    the numbers of a curve.

    A number that is not finite is "this run could not tell". of : what a program printed that the
    value is made of; it is said of rows from the recorded run. Raises LabError for an unknown
    question, one whose answer is fixed, or a value of the wrong kind.
    """
    question = ask(id)
    if question.right is not None:
        raise LabError(
            f"the answer to {id!r} stands in its file: it needs no run. Leave `right` out there, "
            f'or show it with lab.reveal("{id}")'
        )
    recorded = bool(getattr(of, "recorded", False))
    return _noted(Answer(question, _value(question, value), recorded))


@checked
def reveal(id: str) -> Answer:
    """Return what is right, for a question that no run of its page decides: where the page has
    shown why.

    Raises LabError for an unknown question, one that a run decides, or one that tells at once.
    """
    question = ask(id)
    if question.right is None:
        raise LabError(f'the run decides {id!r}: give what it said to lab.answer("{id}", value)')
    if question.at_once:
        why = "it is a warm-up" if question.warm_up else "it is asked after the summary"
        raise LabError(f"{id!r} tells its answer at once, for {why}: leave this call out")
    return _noted(Answer(question, question.right, measured=False))


def _value(question: Question, value: Any) -> Any:
    if isinstance(value, Ratio):
        value = value.estimate
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return None
    if question.kind == "number":
        try:
            number = float(value)
        except (TypeError, ValueError):
            raise LabError(f"{question.id!r} asks for a number, got {value!r}") from None
        return number if math.isfinite(number) else None
    if question.kind == CURVE:
        return _drawn(question, value)
    wanted = value if isinstance(value, list) else [value]
    known = [n for n, _, _ in question.options] if question.kind == "choice" else question.items
    unknown = [one for one in wanted if one not in known]
    if unknown:
        raise LabError(f"{question.id!r} has no {unknown[0]!r}, only {', '.join(known)}")
    return value


def _drawn(question: Question, value: Any) -> list[float] | None:
    """What a run said to a curve: a number at each of its places; None if one is missing."""
    if not isinstance(value, list) or len(value) != len(question.x):
        raise LabError(
            f"{question.id!r} asks for {len(question.x)} numbers, at {', '.join(question.x)}; "
            f"got {value!r}"
        )
    try:
        made = [float(one.estimate if isinstance(one, Ratio) else one) for one in value]
    except (TypeError, ValueError):
        raise LabError(f"{question.id!r} asks for a list of numbers, got {value!r}") from None
    return made if all(map(math.isfinite, made)) else None


def questions(folder: Path | None = None) -> dict[str, Question]:
    """Return every question of the book by its id: by chapter, there as they are asked.

    Raises LabError for a file that can't be read, an entry that is no question, an id used twice.
    """
    found: dict[str, Question] = {}
    for file in sorted((folder or paths.ROOT / "book").rglob(FILE)):
        for question in _read(file):
            if question.id in found:
                raise LabError(
                    f"{paths.relative(file)}: {question.id!r} is also in "
                    f"{found[question.id].chapter}/{FILE}; ids are unique in the book"
                )
            found[question.id] = question
    return found


def _read(file: Path) -> tuple[Question, ...]:
    """The questions of a file, in the order in which its chapter asks them."""
    found = _parsed(file, file.stat().st_mtime_ns)
    page = file.parent.with_name(f"{file.parent.name}.md")
    text = page.read_text("utf-8") if page.exists() else ""
    asked = {one.group(1): one.start() for one in _ASKED.finditer(text)}
    ordered = sorted(found, key=lambda q: asked.get(q.id, len(text)))
    summary = text.find("\n## Summary")
    late = {id for id, at in asked.items() if 0 <= summary < at}
    return tuple(
        replace(q, number=i, of=len(found), memory=q.id in late) for i, q in enumerate(ordered, 1)
    )


_ASKED = re.compile(r"""\bask\(\s*["']([^"']+)["']""")


@functools.lru_cache(maxsize=256)
def _parsed(file: Path, _mtime: int) -> tuple[Question, ...]:
    name = paths.relative(file)
    try:
        data = tomllib.loads(file.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise LabError(f"{name} can't be read: {error}") from None
    return tuple(_question(name, id, entry) for id, entry in data.items())


def _question(name: str, id: str, entry: Any) -> Question:
    if not isinstance(entry, Mapping) or not {"on", "run"} & set(entry):
        return _plain(name, id, entry)

    def wrong(what: str) -> LabError:
        return LabError(f"{name}: question {id!r} {what}")

    rest = {key: value for key, value in entry.items() if key not in ("on", "run")}
    others, run = entry.get("on"), entry.get("run")
    if not (isinstance(others, list) and others and all(isinstance(o, Mapping) for o in others)):
        raise wrong(f"has on = {others!r}: write [[{id}.on]] above its keys")
    if not isinstance(run, str) or not run:
        raise wrong("needs `run`: the experiment whose Node decides between its answers")
    if "right" not in rest:
        raise wrong("has `on`, but no `right`: what holds on every other Node")
    base = _plain(name, id, rest)
    return replace(base, run=run, on=tuple(_other(name, id, rest, o, wrong) for o in others))


def _other(
    name: str, id: str, entry: Mapping[str, Any], other: Mapping[str, Any], wrong: Any
) -> tuple[Range, Question]:
    """What a question is on some versions of Node: another answer, other reasons."""
    if unknown := set(other) - {"node", "right", "why", "options", "mistakes"}:
        raise wrong(
            f"has a key {min(unknown)!r} in `on`: it may have node, right, why, options, mistakes"
        )
    try:
        those = node_range(other.get("node", ""))
    except LabError as error:
        raise wrong(f"has in `on` {error}") from None
    options = dict(entry.get("options", {}))
    for key, changed in dict(other.get("options", {})).items():
        if key not in options or not isinstance(changed, Mapping) or set(changed) != {"why"}:
            raise wrong(f"has {key!r} in `on`: only `why` of an option that it has may differ")
        options[key] = {**options[key], **changed}
    kept = {key: other[key] for key in ("right", "why", "mistakes") if key in other}
    changed = {"options": options} if options else {}
    return those, _plain(name, id, {**entry, **kept, **changed})


def _plain(name: str, id: str, entry: Any) -> Question:
    """A question that is the same on every Node."""

    def wrong(what: str) -> LabError:
        return LabError(f"{name}: question {id!r} {what}")

    if not isinstance(entry, Mapping):
        raise wrong("is no table: write [its-id] above its keys")
    kind = _kind(entry, wrong)
    known = {*Question.__dataclass_fields__}
    known -= {"id", "kind", "node", "chapter", "number", "of", "memory"}
    if unknown := set(entry) - known:
        raise wrong(f"has a key {min(unknown)!r}. {did_you_mean(min(unknown), known)}")
    if not entry.get("ask"):
        raise wrong("asks nothing: it needs `ask`")
    for key in ("ask", "code", "unit", "why"):
        if not isinstance(entry.get(key, ""), str):
            raise wrong(f"has {key} = {entry[key]!r}, which is no text")
    options, items = entry.get("options", {}), entry.get("items", [])
    if kind == "choice" and not _are_options(options):
        raise wrong("needs two options or more, each with `text` and `why`: options.its-name = {…}")
    if kind == "order" and not (_are_texts(items) and len(items) > 1):
        raise wrong(f"has items = {items!r}: two lines or more, each a text")
    if kind != "choice" and not entry.get("why") and "right" in entry:
        raise wrong("has no `why`: say why the answer is what it is")
    if not isinstance(entry.get("warm_up", False), bool):
        raise wrong(f"has warm_up = {entry['warm_up']!r}: it is true or false")
    if entry.get("warm_up") and "right" not in entry:
        raise wrong("is a warm-up, which tells at once, and has no `right`")
    within = entry.get("within", WITHIN)
    if not _is_number(within) or within < 1:
        raise wrong(f"has within = {within!r}: it is the factor a guess may be off, 1 or more")
    curve = _curve(entry, wrong) if kind == CURVE else {}
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
        chapter=name.removesuffix(f"/{FILE}"),
    )


def _kind(entry: Mapping[str, Any], wrong: Any) -> str:
    kinds = [kind for key, kind in KINDS.items() if key in entry]
    if len(kinds) != 1:
        raise wrong("needs exactly one of options, unit, items")
    if "x" in entry and kinds == ["number"]:
        return CURVE
    if extra := {"x", "x_name", "y", "scale", "rows"} & set(entry):
        raise wrong(f"has {min(extra)!r}, which is for curves: those have x, y and unit")
    return kinds[0]


def _curve(entry: Mapping[str, Any], wrong: Any) -> dict[str, Any]:
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
        raise wrong(f"has x_name = {entry['x_name']!r}, which is no text")
    if not isinstance(entry.get("rows", False), bool):
        raise wrong(f"has rows = {entry['rows']!r}: it is true or false")
    return {
        "rows": entry.get("rows", False),
        "x": tuple(places),
        "x_name": entry.get("x_name", ""),
        "y": (float(y[0]), float(y[1])),
        "scale": scale,
    }


def _mistakes(kind: str, given: Any, right: Any, within: float, wrong: Any) -> tuple[Mistake, ...]:
    if not given:
        return ()
    if kind != "number":
        raise wrong("has mistakes, which are for numbers: each option has its own `why`")
    if not isinstance(given, list) or not all(isinstance(one, Mapping) for one in given):
        raise wrong(f"has mistakes = {given!r}: write [[its-id.mistakes]] above their keys")
    return tuple(_mistake(one, right, within, wrong) for one in given)


def _mistake(given: Mapping[str, Any], right: Any, within: float, wrong: Any) -> Mistake:
    ways = set(given) & {"formula", "range"}
    if set(given) - {"formula", "range", "why"} or len(ways) != 1:
        raise wrong(f"has a mistake with {', '.join(given)}: it needs formula or range, and why")
    if not _are_texts([given.get("why")]):
        raise wrong("has a mistake without `why`: say what one may have thought")
    if "range" in given:
        ends = given["range"]
        if not (isinstance(ends, list) and len(ends) == 2 and all(map(_is_number, ends))):
            raise wrong(f"has a mistake with range = {ends!r}: two numbers, the lower one first")
        made = Mistake(given["why"], range=(float(ends[0]), float(ends[1])))
        if ends[0] > ends[1]:
            raise wrong(f"has a mistake with range = {ends!r}: the lower one comes first")
    else:
        made = Mistake(given["why"], formula=str(given["formula"]))
        try:
            value = arithmetic(made.formula, right=math.e if right is None else right)
        except (ValueError, ArithmeticError):
            raise wrong(
                f"has a mistake with formula = {given['formula']!r}: write arithmetic, of numbers "
                "and `right`"
            ) from None
        if right is not None and _passes(value, right, within):
            raise wrong(f"takes for right what it calls a mistake, {given['formula']!r}")
    span = None if right is None else made.span(right)
    if span and span[0] <= right <= span[1]:
        raise wrong(f"calls its own answer a mistake: {given}")
    return made


def _passes(number: float, right: float, within: float) -> bool:
    """Whether a number is near enough to be right, as in question.js."""
    if right == 0 or number == 0 or (right < 0) != (number < 0):
        return number == right
    return 1 / within <= number / right * (1 + 1e-9) and number / right <= within * (1 + 1e-9)


def _is_number(value: Any) -> bool:
    # TOML has true, nan and inf, too
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
            raise wrong(f"has right = {right!r}, which is no number")
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


_CODE = re.compile(r"`([^`]+)`")
_EMPHASIS = re.compile(r"(?<![\w*])\*([^*\s][^*]*)\*(?![\w*])")


def inline(text: str) -> str:
    """Return text as HTML: escaped, with `code` and *emphasis* (outside of code)."""
    return _marked(escape(text, quote=False), r"<code>\1</code>", r"<em>\1</em>")


def plain(text: str) -> str:
    """Return text without the marks of `code` and *emphasis*, for what shows no markup."""
    return _marked(text, r"\1", r"\1")


def _sequence(items: Iterable[str]) -> str:
    return ", ".join(f"<code>{escape(item)}</code>" for item in items)


def _marked(text: str, code: str, emphasis: str) -> str:
    parts = re.split(r"(`[^`]+`)", text)  # every other one is code
    return "".join(
        (_CODE if i % 2 else _EMPHASIS).sub(code if i % 2 else emphasis, part)
        for i, part in enumerate(parts)
    )


def by_chapter() -> Iterator[tuple[str, list[Question]]]:
    """Return the questions of each chapter."""
    found: dict[str, list[Question]] = {}
    for question in questions().values():
        found.setdefault(question.chapter, []).append(question)
    yield from found.items()


def _file(chapter: str) -> Path:
    return paths.ROOT / chapter / FILE


def json_script(data: Any) -> str:
    """Return data as the element that a component's script reads; no text in it can end it."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    text = text.replace("</", "<\\/").replace("<!--", "<\\u0021--")
    return f'<script type="application/json">{text}</script>'


def _assets(question: Question) -> str:
    return (assets(CURVE) if question.kind == CURVE else "") + assets("question")


def assets(name: str) -> str:
    """In the book the page loads a component; in a bare notebook it comes along."""
    if not parts.come_along():
        return ""
    style = f"{name}.css"  # a part that only adds to a component has none
    look = f"<style>{parts.text(style)}</style>" if style in parts.names() else ""
    return f"{look}<script>{parts.script(name)}</script>"

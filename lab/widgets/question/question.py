"""Questions, their answers and typical mistakes, and how a page shows them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from typing import Any, Literal

from lab.processes.node_range import Range
from lab.text.arithmetic import value as arithmetic
from lab.text.numbers import half_up
from lab.widgets import parts
from lab.widgets.markup import inline, json_script, sequence

WITHIN = 1.5
MISTAKEN = 1.1  # the factor by which a guess may differ from the result of a mistake's formula
Kind = Literal["choice", "number", "order", "curve"]
CURVE: Kind = "curve"  # has a unit, too


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
    kind: Kind
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
    warm_up: bool = False  # the page presumes the answer, so it shows the solution at once
    guess: bool = False  # nothing that a reader knows leads to the answer: no review asks it
    on: tuple[tuple[Range, Question], ...] = ()  # what is asked on other versions of Node
    run: str = ""  # the experiment whose Node decides between the versions
    node: str = ""  # the Node that the right answer is for
    chapter: str = ""  # the page that asks the question, "book/part/name"
    number: int = 1  # the place among the questions of the page, from 1
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

    def solution(self, right: Any, prefix: str = "The answer") -> str:
        """Return as HTML what is right, and why, for who has no JavaScript."""
        if right is None:
            return f"<p>{prefix}: this run could not decide it.</p>"
        if self.kind == "choice":
            rights = [right] if isinstance(right, str) else right
            items = [
                f"<li>{inline(text)} <strong>{'Right' if name in rights else 'No'}.</strong> "
                f"{inline(why)}</li>"
                for name, text, why in self.options
            ]
            return f"<p>{prefix}: {self.said(right)}.</p><ul>{''.join(items)}</ul>"
        errors = [
            f"<li>{half_up(low)} to {half_up(high)}: {inline(why)}</li>"
            for low, high, why in self._mistaken(right)
        ]
        typical = f"<p>Typical mistakes:</p><ul>{''.join(errors)}</ul>" if errors else ""
        return f"<p>{prefix}: {self.said(right)}. {inline(self.why)}</p>{typical}"

    def said(self, right: Any, *, markup: bool = True) -> str:
        """Return an answer in words."""
        convert: Callable[[str], str] = inline if markup else str
        if self.kind == "choice":
            rights = [right] if isinstance(right, str) else right
            texts = (text for name, text, _ in self.options if name in rights)
            return "; ".join(convert(text).removesuffix(".") for text in texts)
        if self.kind == "number":
            return f"{half_up(float(right))} {convert(self.unit)}"
        if self.rows:
            pairs = zip(self.x, right, strict=True)
            each = "; ".join(f"{place} {half_up(float(value))}" for place, value in pairs)
            return f"{escape(each) if markup else each} {convert(self.unit)}"
        if self.kind == CURVE:
            numbers = ", ".join(half_up(float(value)) for value in right)
            places = ", ".join(self.x)
            at = f"{convert(self.x_name)} {escape(places) if markup else places}".strip()
            return f"{numbers} {convert(self.unit)} (at {at})"
        orders = [right] if isinstance(right[0], str) else right
        lines = (sequence(order) if markup else ", ".join(order) for order in orders)
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
    """The right answer and its reasons, shown beside the reader's prediction."""

    question: Question
    value: Any  # name of an option, number, list of items; None if the run could not tell
    recorded: bool = (
        False  # the value is made of rows of the recorded run, even if others were measured here
    )
    measured: bool = True  # a run decided; otherwise the answer is in the question's file

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
        told = (
            "this run could not decide it" if none else self.question.said(self.value, markup=False)
        )
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


def _assets(question: Question) -> str:
    return (parts.assets(CURVE) if question.kind == CURVE else "") + parts.assets("question")

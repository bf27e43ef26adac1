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

import math
from dataclasses import replace
from typing import Any

from lab import settings, usage
from lab.errors import LabError, did_you_mean
from lab.judging.stats import Ratio
from lab.records.reference import node_of
from lab.storage.gate import checked
from lab.widgets.question.collection import by_chapter, file_of, questions
from lab.widgets.question.entry import FILE
from lab.widgets.question.question import CURVE, Answer, Question

__all__ = ["FILE", "Question", "answer", "ask", "by_chapter", "on_node", "questions", "reveal"]


@checked
def ask(id: str) -> Question:
    """Return the question of that id, ready to be answered on the page.

        lab.ask("pool-crowd")                       the reader locks in an answer
        lab.answer("pool-crowd", run.ratio("mine", "text"))
                                                    later, in a cell below: what the run decided
        lab.reveal("files-which")                   the same for a question that no run decides

    Raises LabError if no question has that id, or its entry in the chapter's questions is wrong.
    """
    all_questions = questions()
    if id not in all_questions:
        raise LabError(
            f"there is no question {id!r}. {did_you_mean(id, all_questions)} "
            f"Questions are in the folder of their chapter, in NAME/{FILE}."
        )
    question = all_questions[id]
    usage.note_file(file_of(question.chapter))
    asked_question = _on_this_node(question) if question.on else question
    if asked_question.at_once:
        _noted(Answer(asked_question, asked_question.right, measured=False))
    return asked_question


def _noted(result: Answer) -> Answer:
    """Tell the build what is right, for the pages that ask and judge again."""
    question = result.question
    of = {"id": question.id, "node": question.node, "measured": result.measured}
    usage.note("answer", right=result.value, **of)
    return result


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
    """Return the answer that the run gave to a question, for the page to show beside the reader's.

        lab.answer("size-cliff", [1, 0.9, 0.4])     a curve: its number at each x of the question
        lab.answer("today-fetch", "all")            a choice: the name of the right option
        lab.answer("ticks-slowest", p90, of=runs)   a number in the question's unit, or a ratio

    value : a number or ratio, the name of an option, an order of names, or the numbers of a curve.
        None or a number that is not finite means "this run could not tell"
    of : the output of a program that the value is made of. If it comes from the recorded run, the
        page says so

    Raises LabError for an unknown question, one whose answer is fixed, or a value of another kind.
    """
    question = ask(id)
    if question.right is not None:
        raise LabError(
            f"the answer to {id!r} is in its file, so it needs no run. Leave `right` out "
            f'there, or show the answer with lab.reveal("{id}")'
        )
    recorded = bool(getattr(of, "recorded", False))
    return _noted(Answer(question, _value(question, value), recorded))


@checked
def reveal(id: str) -> Answer:
    """Return the right answer of a question that no run decides, at the place where the page has
    shown why.

        lab.ask("files-which")                      the reader locks in an answer
        lab.reveal("files-which")                   a cell below: right or wrong, and the reason
        lab.reveal("files-which").question.right    the answer that the question's file gives

    Raises LabError for an unknown question, one that a run decides, or one that shows its answer at
    once.
    """
    question = ask(id)
    if question.right is None:
        raise LabError(f'the run decides {id!r}, so give its result to lab.answer("{id}", value)')
    if question.at_once:
        why = "it is a warm-up" if question.warm_up else "it is asked after the summary"
        raise LabError(f"{id!r} shows its answer at once because {why}, so leave this call out")
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
            raise LabError(
                f"{question.id!r} asks for a number, but the value is {value!r}"
            ) from None
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
            f"{question.id!r} asks for {len(question.x)} numbers, at {', '.join(question.x)}, "
            f"but the value is {value!r}"
        )
    try:
        numbers = [float(one.estimate if isinstance(one, Ratio) else one) for one in value]
    except (TypeError, ValueError):
        raise LabError(
            f"{question.id!r} asks for a list of numbers, but the value is {value!r}"
        ) from None
    return numbers if all(map(math.isfinite, numbers)) else None

"""The review after each part: `{build-status} review` on a page called `…/review`.

It asks what was asked since the review before it in `_toc.yml`, and what the parts before asked.
The build knows what is right from what the chapters noted when they told it (`lab.answer`,
`lab.reveal`, a replay that asks for its order).
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

from lab import paths
from lab.book import teaching
from lab.book.pipeline import toc
from lab.book.pipeline.build import Build
from lab.book.site import placeholders
from lab.book.site.placeholders import Html
from lab.widgets.markup import inline, json_script, plain
from lab.widgets.question import questions
from lab.widgets.question.questions import Question

KINDS = {"choice", "number", "order", "curve"}  # the kinds that lab/widgets/review can ask
# The number of lines of a program whose order is predicted, as in replay/predict.js.
LINES = range(2, 13)
SEEN = "In which order does this program print its lines?"
SEVERAL = " More than one order was seen, and each of them is right."


@dataclass(frozen=True)
class Told:
    """A question of a page, with the answer that its page gives."""

    question: Question
    right: Any  # none: not known in this build or in this run
    measured: bool
    place: str  # the page and anchor of the answer
    section: str  # the heading above the question
    replay: str = ""  # the name under which a browser stores the predicted order

    @property
    def can_be_asked(self) -> bool:
        """Return whether a review can ask and judge the question. A question at which readers can
        only guess is left out, because its answer says nothing about how sure a reader may be.
        """
        question = self.question
        return question.kind in KINDS and self.right is not None and not question.guess

    def to_json(self, page: str) -> dict[str, Any]:
        """Return the data of an element that asks the question again on `page`."""
        data = self.question.tells(self.right) | self._about(page)
        if self.question.code:
            data["code"] = self.question.code
        if self.replay:
            data["key"] = self.replay
        return data

    def shown(self, page: str) -> dict[str, Any]:
        """Return the data of an element that lists the question on `page`, without the reasons."""
        asked = {"id": self.question.id, "kind": self.question.kind}
        if self.question.kind not in KINDS:
            return asked | {"ask": inline(self.question.asked)} | self._about(page)
        data = self.to_json(page)
        for left in ("why", "mistakes", "code", "number", "of", "measured"):
            data.pop(left, None)
        for option in data.get("options", ()):
            option.pop("why")
        return data

    def _about(self, page: str) -> dict[str, Any]:
        data = {"url": address(self.place, page), "section": self.section}
        flags = {"measured": self.measured, "memory": self.question.memory}
        return data | {name: True for name, so in flags.items() if so}

    def plainly(self, page: str) -> str:
        """Return the question as HTML, with a folded answer, for readers without JavaScript."""
        where = "On its page" if self.measured else "The answer"
        link = f'<p><a href="{escape(address(self.place, page))}">Read it again</a></p>'
        return (
            f"<li>{self.question.plainly()}<details><summary>Answer</summary>"
            f"{self.question.solution(self.right, where)}{link}</details></li>"
        )


def review(build: Build, page: str) -> Html:
    """Return the review of a part: its questions and those of the parts before."""
    before, own_chapters = part_of(page)
    found = of_chapters(build, before)
    questions_by_chapter = {
        name: [question for question in chapter_questions if question.can_be_asked]
        for name, chapter_questions in found.items()
    }
    asks = [
        {
            "title": title_of(chapter),
            "own": chapter in own_chapters,
            "url": address(chapter, page),
            "questions": [
                _without_address(question.to_json(page)) for question in chapter_questions
            ],
        }
        for chapter, chapter_questions in questions_by_chapter.items()
        if chapter_questions
    ]
    mine = [question for name in own_chapters for question in questions_by_chapter.get(name, ())]
    without = (
        "<p>A script here asks you questions about this part and earlier parts, and stores your "
        "answers in this browser, which needs JavaScript. Without it, here are the questions of "
        f"this part, each with its answer folded.</p><ol>{''.join(a.plainly(page) for a in mine)}"
        "</ol>"
    )
    data = {"page": page, "chapters": asks}
    return Html(f"<lab-review>{json_script(data)}{without}</lab-review>")


def _without_address(question: dict[str, Any]) -> dict[str, Any]:
    """Return a question without its address. Its chapter has the address of the page, and `anchor`
    is the part of the anchor before the question's id, such as `answer-`. A review has hundreds of
    questions with long addresses.
    """
    _, _, anchor = question.pop("url").partition("#")
    before = anchor.removesuffix(question["id"])
    return {**question, "anchor": before} if before else question


def part_of(page: str) -> tuple[list[str], list[str]]:
    """Return the pages before a review, and those of them that no other review comes after."""
    before = toc.pages()[: toc.pages().index(page)]
    reviews = [i for i, name in enumerate(before) if name.endswith("/review")]
    own = before[reviews[-1] + 1 if reviews else 0 :]
    return [name for name in before if not name.endswith("/review")], own


def of_chapters(build: Build, chapters: Iterable[str]) -> dict[str, list[Told]]:
    """Return what those of these pages ask that are chapters of this build."""
    asked = dict(questions.by_chapter())
    here = (chapter for chapter in chapters if chapter in build.outcomes)
    return {chapter: list(_asked(build, chapter, asked.get(chapter, []))) for chapter in here}


def _asked(build: Build, chapter: str, chapter_questions: Iterable[Question]) -> Iterator[Told]:
    """Return a chapter's questions in its order, then its replays."""
    record = build.last(chapter)
    text = (paths.ROOT / f"{chapter}.md").read_text("utf-8")
    answers = {entry["id"]: entry for entry in reversed(record.answers)} if record else {}
    for found in chapter_questions:
        answer = answers.get(found.id, {})
        version = answer.get("node")
        question = questions.on_node(found, version) if found.on and version else found
        locked = not question.at_once
        calls = ('reveal("{}")', 'answer("{}",') if locked else ('ask("{}")',)
        yield Told(
            question,
            answer.get("right"),
            bool(answer.get("measured")),
            f"{chapter}#{'answer' if locked else 'question'}-{question.id}",
            _heading(teaching.under(text, *(call.format(question.id) for call in calls))),
        )
    replays = {entry["place"]: entry for entry in record.replays} if record else {}
    for replay in replays.values():
        if replay_question := _replay(chapter, text, replay):
            yield replay_question


def _replay(chapter: str, text: str, replay: Mapping[str, Any]) -> Told | None:
    """Return the order of a program as a question; None for a program whose replay does not ask for
    it.
    """
    first = replay["orders"][0] if replay["orders"] else []
    if len(first) not in LINES or len(set(first)) < 2:
        return None
    orders = [order for order in replay["orders"] if sorted(order) == sorted(first)]
    orders = [order for i, order in enumerate(orders) if order not in orders[:i]]
    # As in replay/predict.js, the first order that is shown is never right.
    turns = (sorted(first)[i:] + sorted(first)[:i] for i in range(len(first)))
    items = next((turn for turn in turns if turn not in orders), sorted(first))
    question = Question(
        id=replay["place"],
        kind="order",
        ask=SEEN + (SEVERAL if len(orders) > 1 else ""),
        right=tuple(tuple(order) for order in orders),
        why="The replay on its page shows each step.",
        code=replay["source"].strip("\n"),
        items=tuple(items),
        chapter=chapter,
    )
    place = f"{chapter}#{replay['place']}"
    section = _heading(_above(text, replay))
    return Told(
        question, question.tells(question.right)["right"], True, place, section, replay["key"]
    )


def _above(text: str, noted: Mapping[str, Any]) -> str:
    """Return the heading above a replay: the last one before the program's file name or text."""
    if f'/{noted["name"]}"' in text or f'"{noted["name"]}"' in text:
        return teaching.under(text, f'"{noted["name"]}"', f'/{noted["name"]}"')
    words = r"\s+".join(map(re.escape, noted["source"].split()))
    found = re.search(words, text)
    return teaching.under(text, found[0]) if found else ""


def _heading(text: str) -> str:
    return "" if text == "–" else plain(text)


def address(place: str, page: str) -> str:
    """Return how a page of the book leads to a place, `book/part/name#anchor`."""
    name, mark, anchor = place.partition("#")
    return f"{posixpath.relpath(name, posixpath.dirname(page))}.html{mark}{anchor}"


def title_of(chapter: str) -> str:
    """Return the heading of a chapter, its name if it has none."""
    lines = (paths.ROOT / f"{chapter}.md").read_text("utf-8").splitlines()
    return next((plain(line[2:].strip()) for line in lines if line.startswith("# ")), chapter)


MAKERS: dict[str, placeholders.PageMaker] = {"review": review}

"""Predictions and questions: `lab.ask` shows one where it is asked, `lab.answer` what a run said.

They lie in the folder of the chapter, in NAME/questions.toml, so that a notebook does not give its
answers away. Each has an id that is unique in the book and never changes: readers' answers are kept
under it, in their browser and nowhere else. Kinds, by the keys that an entry has:

    options   several choices, each with `text` and `why` (shown when it is chosen or right)
    unit      a number; `within` is the factor by which a guess may be off (1 for exactly)
    items     lines to be put in order

`right` is the answer: names of options, a number, or lists of items (any of them is right). It is
left out when the run decides; the chapter then gives it to `lab.answer`.

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
from collections.abc import Iterable, Iterator, Mapping
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
from lab.text.numbers import half_up
from lab.widgets import parts

WITHIN = 1.5
KINDS = {"options": "choice", "unit": "number", "items": "order"}
FILE = "questions.toml"  # in the folder of the chapter


@dataclass(frozen=True)
class Question:
    """A question as it is asked; shows itself, with or without JavaScript."""

    id: str
    kind: str  # choice | number | order
    ask: str
    right: tuple[Any, ...] | float | None  # None: the run decides
    why: str = ""
    code: str = ""
    options: tuple[tuple[str, str, str], ...] = ()  # name, text, why
    unit: str = ""
    within: float = WITHIN
    items: tuple[str, ...] = ()
    on: tuple[tuple[Range, Question], ...] = ()  # what is asked on other versions of Node
    run: str = ""  # the experiment whose Node decides between them
    node: str = ""  # the one that it was decided for
    chapter: str = ""  # the page it is asked on, "book/part/name"
    number: int = 1  # its place among the questions of that page, from 1
    of: int = 1

    def to_json(self) -> dict[str, Any]:
        """Return what the element needs, texts as HTML."""
        data: dict[str, Any] = {"id": self.id, "kind": self.kind, "why": inline(self.why)}
        data["ask"] = inline(self.asked)
        data |= {"code": self.code, "number": self.number, "of": self.of}
        if self.kind == "choice":
            data["options"] = [
                {"name": n, "text": inline(t), "why": inline(w)} for n, t, w in self.options
            ]
        elif self.kind == "number":
            data |= {"unit": inline(self.unit), "within": self.within}
        else:
            data["items"] = list(self.items)
        if self.right is not None:
            data["right"] = list(self.right) if isinstance(self.right, tuple) else self.right
        return data

    def __repr__(self) -> str:
        lines = [self.asked, *self.code.splitlines()]
        lines += [f"  {name}: {text}" for name, text, _ in self.options]
        lines += [f"  - {item}" for item in self.items]
        return "\n".join([*lines, f"  ({self.unit})" if self.unit else ""]).rstrip()

    def _repr_html_(self) -> str:
        inside = f"{json_script(self.to_json())}{self._fallback()}"
        id = f"question-{escape(self.id)}"
        return f'{assets("question")}<lab-question id="{id}">{inside}</lab-question>'

    def _fallback(self) -> str:
        parts = [f"<p>Question {self.number} of {self.of}</p>", f"<p>{inline(self.asked)}</p>"]
        if self.code:
            parts.append(f"<pre><code>{escape(self.code)}</code></pre>")
        choices = [inline(t) for _, t, _ in self.options] + [
            f"<code>{escape(i)}</code>" for i in self.items
        ]
        if choices:
            parts.append(f"<ul>{''.join(f'<li>{c}</li>' for c in choices)}</ul>")
        if self.unit:
            parts.append(f"<p>A number: {inline(self.unit)}.</p>")
        if self.right is None:
            parts.append("<p>The run below answers it.</p>")
        else:
            parts.append(f"<details><summary>Answer</summary>{self._solution()}</details>")
        return "".join(parts)

    def _solution(self) -> str:
        if self.kind == "choice":
            told = [
                f"<li>{inline(text)} <strong>{'Right' if name in self._rights else 'No'}.</strong> "
                f"{inline(why)}</li>"
                for name, text, why in self.options
            ]
            return f"<ul>{''.join(told)}</ul>"
        if self.kind == "number":
            return f"<p>{half_up(float(self.right))} {inline(self.unit)}. {inline(self.why)}</p>"  # type: ignore[arg-type]
        orders = "; or ".join(_sequence(order) for order in self._rights)
        return f"<p>{orders}. {inline(self.why)}</p>"

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
    """What a run said to a question; shows itself beside the reader's prediction."""

    question: Question
    value: Any  # name of an option, number, list of items; None if the run could not tell
    recorded: bool = False  # made of rows of the recorded run, wherever the others were measured

    def to_json(self) -> dict[str, Any]:
        """Return what the element needs."""
        return {**self.question.to_json(), "right": self.value, "where": self._where}

    @property
    def _where(self) -> str:
        return "In the recorded run" if self.recorded else "Here"

    def __repr__(self) -> str:
        return f"{self.question.asked}\n  {self._where}: {self._words(plain=True)}"

    def _repr_html_(self) -> str:
        link = f'<a href="#question-{escape(self.question.id)}">Your prediction</a>'
        return (
            f'{assets("question")}<lab-answer id="answer-{escape(self.question.id)}">'
            f"{json_script(self.to_json())}"
            f"<p>{link} was about this. {self._where}: {self._words()}.</p></lab-answer>"
        )

    def _words(self, *, plain: bool = False) -> str:
        q, markup = self.question, (str if plain else inline)
        if self.value is None:
            return "this run could not tell"
        if q.kind == "choice":
            wanted = self.value if isinstance(self.value, list) else [self.value]
            return "; ".join(markup(text) for name, text, _ in q.options if name in wanted)
        if q.kind == "number":
            return f"{half_up(self.value)} {markup(q.unit)}"
        return ", ".join(self.value) if plain else _sequence(self.value)


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
    return _on_this_node(question) if question.on else question


def _on_this_node(question: Question) -> Question:
    """Return what a question is on the Node that its page ran on."""
    version = node_of(question.run, settings.mode())
    found = next((other for those, other in question.on if version in those), question)
    return replace(found, number=question.number, of=question.of, node=version)


@checked
def answer(id: str, value: float | str | list[str] | Ratio | None, of: object = None) -> Answer:
    """Return what the run said to a question: a number or ratio, the name of an option, an order.

    A number that is not finite is "this run could not tell". of : what a program printed that the
    value is made of; it is said of rows from the recorded run. Raises LabError for an unknown
    question, one whose answer is fixed, or a value of the wrong kind.
    """
    question = ask(id)
    if question.right is not None:
        raise LabError(
            f"the answer to {id!r} stands in its file: it needs no run. Leave `right` out there, "
            "or leave this call out"
        )
    return Answer(question, _value(question, value), bool(getattr(of, "recorded", False)))


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
    wanted = value if isinstance(value, list) else [value]
    known = [n for n, _, _ in question.options] if question.kind == "choice" else question.items
    unknown = [one for one in wanted if one not in known]
    if unknown:
        raise LabError(f"{question.id!r} has no {unknown[0]!r}, only {', '.join(known)}")
    return value


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
    return tuple(replace(q, number=i, of=len(found)) for i, q in enumerate(ordered, 1))


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
    if unknown := set(other) - {"node", "right", "why", "options"}:
        raise wrong(f"has a key {min(unknown)!r} in `on`: it may have node, right, why, options")
    try:
        those = node_range(other.get("node", ""))
    except LabError as error:
        raise wrong(f"has in `on` {error}") from None
    options = dict(entry.get("options", {}))
    for key, changed in dict(other.get("options", {})).items():
        if key not in options or not isinstance(changed, Mapping) or set(changed) != {"why"}:
            raise wrong(f"has {key!r} in `on`: only `why` of an option that it has may differ")
        options[key] = {**options[key], **changed}
    kept = {key: other[key] for key in ("right", "why") if key in other}
    changed = {"options": options} if options else {}
    return those, _plain(name, id, {**entry, **kept, **changed})


def _plain(name: str, id: str, entry: Any) -> Question:
    """A question that is the same on every Node."""

    def wrong(what: str) -> LabError:
        return LabError(f"{name}: question {id!r} {what}")

    if not isinstance(entry, Mapping):
        raise wrong("is no table: write [its-id] above its keys")
    kinds = [kind for key, kind in KINDS.items() if key in entry]
    if len(kinds) != 1:
        raise wrong("needs exactly one of options, unit, items")
    known = {*Question.__dataclass_fields__} - {"id", "kind", "node", "chapter", "number", "of"}
    if unknown := set(entry) - known:
        raise wrong(f"has a key {min(unknown)!r}. {did_you_mean(min(unknown), known)}")
    if not entry.get("ask"):
        raise wrong("asks nothing: it needs `ask`")
    for key in ("ask", "code", "unit", "why"):
        if not isinstance(entry.get(key, ""), str):
            raise wrong(f"has {key} = {entry[key]!r}, which is no text")
    kind = kinds[0]
    options, items = entry.get("options", {}), entry.get("items", [])
    if kind == "choice" and not _are_options(options):
        raise wrong("needs two options or more, each with `text` and `why`: options.its-name = {…}")
    if kind == "order" and not (_are_texts(items) and len(items) > 1):
        raise wrong(f"has items = {items!r}: two lines or more, each a text")
    if kind != "choice" and not entry.get("why") and "right" in entry:
        raise wrong("has no `why`: say why the answer is what it is")
    within = entry.get("within", WITHIN)
    if not _is_number(within) or within < 1:
        raise wrong(f"has within = {within!r}: it is the factor a guess may be off, 1 or more")
    return Question(
        id=id,
        kind=kind,
        ask=entry["ask"],
        right=_right(kind, entry.get("right"), options, items, wrong),
        why=entry.get("why", ""),
        code=entry.get("code", "").strip("\n"),
        options=tuple((k, o["text"], o["why"]) for k, o in options.items()),
        unit=entry.get("unit", ""),
        within=float(within),
        items=tuple(items),
        chapter=name.removesuffix(f"/{FILE}"),
    )


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


def assets(name: str) -> str:
    """In the book the page loads a component; in a bare notebook it comes along."""
    if not parts.come_along():
        return ""
    style, code = parts.text(f"{name}.css"), parts.script(name)
    return f"<style>{style}</style><script>{code}</script>"

"""Hand-ins of one exercise that are alike beyond its starter: for somebody to look at, no verdict.

Programs are compared as Schleimer, Wilkerson and Aiken do it (*Winnowing*, SIGMOD 2003), by the
library copydetect: names, strings and layout are taken away first, then runs of `RUN` characters
are compared, without those of the starter. The reference and the typical wrong answers are among
them: who is as near to those as to each other may have found the usual way, or them.
"""

from __future__ import annotations

import io
import itertools
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup
from pygments.lexers import JavascriptLexer
from pygments.token import Token

from lab.classroom import handins
from lab.classroom.course import Course, Week
from lab.display.grading_result import HTML as PAGE
from lab.errors import LabError
from lab.grading.exercise import Exercise, exercise
from lab.text.html_registry import macros

RUN = 25  # characters that must agree, of programs without names and layout
WINDOW = 4
LEAST = 0.8  # of the shorter program: pairs that share so much are shown
MOST_PAIRS = 60
MISSING = "copydetect is not installed. Run make classroom in the folder of the book."
REFERENCE = "the reference"

HTML = macros("""
{% macro body(week, found, least) -%}
<style>.pair{display:grid;grid-template-columns:1fr 1fr;gap:1rem}.pair pre{font-size:.8rem;margin:0}
mark{background:light-dark(#ffe58f,#5c4a00);color:inherit}
@media(max-width:50rem){.pair{grid-template-columns:1fr}}</style>
<p>Programs of {{ week }} that agree in {{ least }} % or more of the shorter one,{{ " " }}
without names, strings and layout, and without the starter.{{ " " }}
Short tasks have few good answers, so two programs that agree prove nothing.{{ " " }}
Read them, and ask the students.</p>
{% for name, groups, pairs in found %}<h2>{{ name }}</h2>
{% if not groups and not pairs %}<p>None.</p>{% endif %}
{% for group in groups %}<p>These are the same except for names, strings and layout:{{ " " }}
<strong>{{ group|join(", ") }}</strong></p>{% endfor %}
{% for pair in pairs %}<details><summary>{{ pair.percent }} %: {{ pair.one }} and {{ pair.other }}
</summary><div class="pair"><pre tabindex="0">{{ pair.left }}</pre>
<pre tabindex="0">{{ pair.right }}</pre></div></details>{% endfor %}
{% endfor %}
{%- endmacro %}
""")


class NoLibrary(LabError):
    """What compares programs is not installed."""


@dataclass(frozen=True)
class Pair:
    """Two programs, how much of the shorter one agrees (0 to 1), and where: spans of characters."""

    one: str
    other: str
    share: float
    left: tuple[tuple[int, int], ...] = ()
    right: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class Alike:
    """What is alike among the hand-ins of one exercise."""

    exercise: str
    groups: tuple[tuple[str, ...], ...]  # the same but for names, strings and layout
    pairs: tuple[Pair, ...]  # of programs that are not the same, the nearest first
    texts: dict[str, str]
    known: frozenset[str]  # the names of the programs that no student wrote

    @property
    def same(self) -> list[str]:
        """Students whose program is the same as another student's, or as a known one."""
        return [name for group in self.groups for name in group if name not in self.known]


def of_week(course: Course, week: Week) -> list[Alike]:
    """What is alike in a week, by exercise. Raises NoLibrary."""
    alikes = []
    for name in week.exercises:
        works = handins.found(course, week, [name])
        texts = {w.student: w.hand_in.source for w in works if w.hand_in}
        alikes.append(among(exercise(name), texts))
    return alikes


def among(exercise: Exercise, texts: dict[str, str], least: float = LEAST) -> Alike:
    """What is alike among the programs of students, by their names."""
    starter = exercise.begin()
    book_programs = {REFERENCE: exercise.solution.read_text("utf-8")} | {
        f"the wrong answer {answer.file}": exercise.source(exercise.answer_file(answer))
        for answer in exercise.wrong
    }
    prints = {name: _program(text, starter) for name, text in {**book_programs, **texts}.items()}
    same: dict[str, list[str]] = {}
    for name, program in prints.items():
        if len(program.print.hashes) and program.plain != _plain(starter)[0]:
            same.setdefault(program.plain, []).append(name)
    groups = [
        tuple(names)
        for names in same.values()
        if len(names) > 1 and set(names) - set(book_programs)
    ]
    firsts = [
        next((n for n in names if n not in book_programs), names[0]) for names in same.values()
    ]
    pairs = []
    for name_a, name_b in itertools.combinations(firsts, 2):
        if name_a in book_programs or name_b in book_programs:
            continue
        pair = _compared(name_a, prints[name_a], name_b, prints[name_b])
        if pair.share >= least:
            pairs.append(pair)
    pairs.sort(key=lambda pair: -pair.share)
    nearest = tuple(pairs[:MOST_PAIRS])
    return Alike(
        exercise.id, tuple(groups), nearest, {**book_programs, **texts}, frozenset(book_programs)
    )


@dataclass(frozen=True)
class _Program:
    """A program without names and layout, the library's fingerprint of it, and where each of its
    characters stood.
    """

    plain: str
    at: tuple[int, ...]  # one more entry than characters
    print: Any


def _plain(text: str) -> tuple[str, tuple[int, ...]]:
    """The program with `V` for each name that its author chose, `S` for strings, `0` for numbers.

    Names behind a dot stay: methods and fields are seldom renamed.
    """
    tokens, at, before = [], [], ""
    for start, kind, word in JavascriptLexer().get_tokens_unprocessed(text):
        if kind in Token.Comment or not word.strip():
            continue
        token = word
        if kind in Token.Name and before != ".":
            token = "V"
        elif kind in Token.Literal.String:
            token = "" if before == "S" else "S"
        elif kind in Token.Literal.Number:
            token = "0"
        tokens.append(token)
        at += [start] * len(token)
        before = token or before
    return "".join(tokens), (*at, len(text))


def _program(text: str, starter: str) -> _Program:
    try:
        from copydetect import CodeFingerprint
    except ImportError:
        raise NoLibrary(MISSING) from None

    def made(plain: str, without: list[int]) -> Any:
        options = {"k": RUN, "win_size": WINDOW, "filter": False}
        return CodeFingerprint("", fp=io.StringIO(plain), boilerplate=without, **options)

    without = list(made(_plain(starter)[0], []).hashes) if starter else []
    plain, at = _plain(text)
    return _Program(plain, at, made(plain, without))


def _compared(name_a: str, mine: _Program, name_b: str, theirs: _Program) -> Pair:
    from copydetect import compare_files

    first, second = set(mine.print.hashes), set(theirs.print.hashes)
    if len(first & second) < 0.5 * min(len(first), len(second)):
        return Pair(name_a, name_b, 0.0)
    _, shares, places = compare_files(mine.print, theirs.print)
    share = min(1.0, float(max(shares)))
    return Pair(name_a, name_b, share, _spans(places[0], mine.at), _spans(places[1], theirs.at))


def _spans(places: Any, at: tuple[int, ...]) -> tuple[tuple[int, int], ...]:
    """The places of the spans in the original text."""
    last = len(at) - 1
    pairs = zip(*places, strict=True) if len(places) else ()
    return tuple((at[min(int(a), last)], at[min(int(b), last)]) for a, b in pairs)


def page(week: Week, alikes: Iterable[Alike]) -> str:
    """A page with each pair side by side."""
    rows = [
        (
            alike.exercise,
            alike.groups,
            [
                {
                    "one": pair.one,
                    "other": pair.other,
                    "percent": round(pair.share * 100),
                    "left": _marked(alike.texts[pair.one], pair.left),
                    "right": _marked(alike.texts[pair.other], pair.right),
                }
                for pair in alike.pairs
            ],
        )
        for alike in alikes
    ]
    body = HTML.body(week.id, rows, round(LEAST * 100))
    return str(PAGE.page(f"{week.id}: similar hand-ins", Markup(body)))


def _marked(text: str, spans: tuple[tuple[int, int], ...]) -> Markup:
    parts, at = [], 0
    for start, end in sorted(spans):
        if end <= at:
            continue
        parts += [Markup.escape(text[at : max(at, start)]), Markup("<mark>")]
        parts += [Markup.escape(text[max(at, start) : end]), Markup("</mark>")]
        at = end
    return Markup("").join([*parts, Markup.escape(text[at:])])

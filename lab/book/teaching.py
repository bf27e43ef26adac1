"""`python -m lab.book teaching`: what can be counted of how each chapter teaches; with
`--questions`, where each question is asked and where its answer is told.

It reads the pages and their questions as they are written; nothing is run or built. What a column
counts stands in `COLUMNS`; `tests/book/test_teaching.py` holds limits against them.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path

from lab import paths
from lab.book.pipeline import toc
from lab.text.prose import FENCE, prose
from lab.widgets.question import questions
from lab.widgets.question.questions import Question

# What a reader who thinks along needs. Slower than a novel (some 240 words a minute): every page
# has words, figures and programs to go back to.
WORDS_A_MINUTE = 180
LINES_A_MINUTE = 15  # of code that is shown
MINUTES_A_QUESTION = 0.75  # to read it, to commit oneself, to read what became of it
MINUTES_A_REPLAY = 2.0  # to put its lines in order and step through it
MINUTES_A_FIGURE = 0.75  # a plot or a table: to find what it compares, and by how much
MINUTES_A_CLAIM = 0.25  # to read the sentence, its interval and its verdict
MINUTES_A_VARIATION = 1.5  # to try two values, and to read what became of each
RECKONED = (
    f"study minutes: {WORDS_A_MINUTE} words or {LINES_A_MINUTE} lines of shown code a minute, "
    f"{MINUTES_A_QUESTION * 60:.0f} s a question, {MINUTES_A_FIGURE * 60:.0f} s a plot or table, "
    f"{MINUTES_A_CLAIM * 60:.0f} s a claim, {MINUTES_A_REPLAY:g} min a replay, "
    f"{MINUTES_A_VARIATION:g} min a variation"
)

_TAGS = re.compile(r"^:tags:\s*\[(.*)\]\s*$", re.M)
_OPTIONS = re.compile(r"\A(?::[^\n]*\n)+")
_OPTION = re.compile(r"^:([a-z-]+):\s*(.*?)\s*$", re.M)
_PRINTS = re.compile(r"\bprints?\b")
_DRAWN = re.compile(r"\blab\.(plot\.\w+|table|survey)\(")
_VARIED = re.compile(r"\blab\.(explore\.\w+|vary)\(")


@dataclass(frozen=True)
class Counts:
    """The counts of one chapter, or of all chapters."""

    chapter: str
    words: int
    minutes: int
    code: int
    numbers: int
    questions: int
    choice: int
    number: int
    order: int
    curve: int
    at_once: int
    at_run: int
    from_memory: int
    tracing: int
    replays: int
    variations: int

    @property
    def tracing_share(self) -> float:
        """Return the share of questions that ask what a program prints, counted strictly."""
        return self.tracing / self.questions if self.questions else 0.0

    def to_json(self) -> dict[str, str | int | float]:
        """Return the counts and what is made of them."""
        counted = {field.name: getattr(self, field.name) for field in fields(self)}
        share = round(self.tracing_share, 3)
        return {**counted, "tracing_share": share}


# Heading, what it counts, how a cell shows it.
COLUMNS: tuple[tuple[str, str, Callable[[Counts], str]], ...] = (
    ("words", "words of prose, without the sources", lambda c: f"{c.words:,}"),
    ("min", RECKONED, lambda c: str(c.minutes)),
    ("code", "lines of code in listings and in cells that aren't folded", lambda c: f"{c.code:,}"),
    ("numbers", "measured numbers inside sentences", lambda c: str(c.numbers)),
    ("choice", "questions with options", lambda c: str(c.choice)),
    ("number", "questions that ask for a number", lambda c: str(c.number)),
    ("order", "questions that ask for the order of lines", lambda c: str(c.order)),
    ("curve", "questions that ask for a curve, which the reader draws", lambda c: str(c.curve)),
    ("once", "questions that show the answer at once", lambda c: str(c.at_once)),
    ("run", "questions that show the answer after the run", lambda c: str(c.at_run)),
    ("memory", "questions that come after the summary", lambda c: str(c.from_memory)),
    (
        "trace",
        "share of the questions that ask what a program prints, without replays",
        lambda c: f"{100 * c.tracing_share:.0f} %",
    ),
    ("replays", "replays that ask for the order first", lambda c: str(c.replays)),
    ("varied", "sets of recorded values to choose from on the page", lambda c: str(c.variations)),
)  # fmt: skip


def chapters() -> list[Counts]:
    """Return the counts of each page with cells, in the order of the book."""
    asked = dict(questions.by_chapter())
    pages = ((name, paths.ROOT / f"{name}.md") for name in toc.pages())
    texts = ((name, file, file.read_text("utf-8")) for name, file in pages)
    return [
        counted(name, file.parent, text, asked.get(name, []))
        for name, file, text in texts
        if "\nkernelspec:" in text
    ]


def counted(name: str, folder: Path, text: str, page_questions: Iterable[Question]) -> Counts:
    """Return the counts of a page; what it includes is looked for in `folder`."""
    page_questions = list(page_questions)
    cells = [(tags, code) for kind, tags, code in _fences(text) if kind == "code-cell"]
    body = text.partition("\n## Sources")[0]
    words = len(re.findall(r"[\w'’-]+", prose(body)))
    code = sum(map(_shown, (c for tags, c in cells if not _hidden(tags))))
    code += sum(_listed(m[0], folder) for m in FENCE.finditer(text) if m[2] == "literalinclude")
    code += sum(_shown(q.code) for q in page_questions)
    replays = sum(_is_predicted(code) for _, code in cells)
    minutes = words / WORDS_A_MINUTE + code / LINES_A_MINUTE
    minutes += MINUTES_A_QUESTION * len(page_questions) + MINUTES_A_REPLAY * replays
    variations = sum(len(_VARIED.findall(code)) for _, code in cells)
    figures = sum(len(_DRAWN.findall(code)) for _, code in cells)
    claims = sum(code.count("lab.claim(") for _, code in cells)
    minutes += MINUTES_A_FIGURE * figures + MINUTES_A_CLAIM * claims
    minutes += MINUTES_A_VARIATION * variations
    kinds, times = Counter(q.kind for q in page_questions), Counter(map(when, page_questions))
    return Counts(
        chapter=name,
        words=words,
        minutes=math.ceil(minutes),
        code=code,
        numbers=len(re.findall(r"\{glue:[a-z]+\}`", FENCE.sub("", body))),
        questions=len(page_questions),
        choice=kinds["choice"],
        number=kinds["number"],
        order=kinds["order"],
        curve=kinds["curve"],
        at_once=times["at once"],
        at_run=times["at the run"],
        from_memory=times["from memory"],
        tracing=sum(map(is_tracing, page_questions)),
        replays=replays,
        variations=variations,
    )


def when(question: Question) -> str:
    """Return when a question tells its answer."""
    if question.memory:
        return "from memory"
    return "at once" if question.warm_up else "at the run"


def is_tracing(question: Question) -> bool:
    """Return whether a question shows a program and asks what it prints, or in which order.

    A piece of code beside another question (how many requests a second, which is faster) does not
    make it one.
    """
    asks = question.kind == "order" or bool(_PRINTS.search(question.ask))
    return bool(question.code) and asks


def places() -> list[list[str]]:
    """Return for each question where its page asks it and where it tells the answer."""
    return [
        [
            question.chapter.removeprefix("book/"),
            question.id,
            question.kind,
            when(question),
            under(text, f'ask("{question.id}")'),
            under(text, f'reveal("{question.id}")', f'answer("{question.id}",'),
        ]
        for chapter, asked in questions.by_chapter()
        for text in [(paths.ROOT / f"{chapter}.md").read_text("utf-8")]
        for question in asked
    ]


def under(text: str, *calls: str) -> str:
    """Return the heading above the first of these calls; a dash for none."""
    at = max(text.find(call) for call in calls)
    headings = re.findall(r"^#+ (.+)$", FENCE.sub("", text[: text.rfind("```{", 0, at)]), re.M)
    return headings[-1] if at >= 0 and headings else "–"


def total(of: Iterable[Counts]) -> Counts:
    """Return the sums."""
    of = list(of)
    numbers = [field.name for field in fields(Counts) if field.name != "chapter"]
    return Counts("all", **{name: sum(getattr(one, name) for one in of) for name in numbers})


def report(*, as_json: bool = False, each_question: bool = False) -> str:
    """Return the table of all chapters, or of each question; or the chapters as JSON."""
    if each_question:
        head = ["chapter", "question", "kind", "tells", "asked under", "told under"]
        return "\n".join(_aligned([head, *places()], str.ljust))
    all_chapters = chapters()
    if as_json:
        data = {
            "reckoned": RECKONED,
            "chapters": [chapter_counts.to_json() for chapter_counts in all_chapters],
            "all": total(all_chapters).to_json(),
        }
        return json.dumps(data, indent=1)
    rows = [["chapter", *(name for name, _, _ in COLUMNS)]]
    rows += [
        [
            chapter_counts.chapter.removeprefix("book/"),
            *(show(chapter_counts) for _, _, show in COLUMNS),
        ]
        for chapter_counts in (*all_chapters, total(all_chapters))
    ]
    return "\n".join(
        [*_aligned(rows, str.rjust), "", *(f"{name:8} {what}" for name, what, _ in COLUMNS)]
    )


def _aligned(rows: list[list[str]], align: Callable[[str, int], str]) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for first, *others in rows:
        cells = [align(text, width) for text, width in zip(others, widths[1:], strict=True)]
        yield "  ".join([first.ljust(widths[0]), *cells]).rstrip()


def _fences(text: str) -> Iterator[tuple[str, str, str]]:
    """Kind, tags and code of each fence."""
    for match in FENCE.finditer(text):
        tags = _TAGS.search(match[3])
        yield match[2], tags[1] if tags else "", _OPTIONS.sub("", match[3])


def _hidden(tags: str) -> bool:
    return "remove" in tags or "hide" in tags


def _shown(code: str) -> int:
    return sum(bool(line.strip()) for line in code.splitlines())


def _is_predicted(code: str) -> bool:
    """Whether a cell shows a replay that asks for the order of its lines first."""
    return "lab.trace(" in code and not re.search(r"predict['\"]?\s*[:=]\s*[Ff]alse", code)


def _listed(directive: str, folder: Path) -> int:
    """Return how many lines of a file a listing shows."""
    first, _, rest = directive.partition("\n")
    name, options = first.partition("}")[2].strip(), dict(_OPTION.findall(rest))
    lines = (folder / name).read_text("utf-8").splitlines()
    if "lines" in options:
        low, _, high = options["lines"].partition("-")
        lines = lines[int(low) - 1 : int(high or len(lines))]
    lines = lines[_found(lines, options, "start-at", 0, 0) :]
    lines = lines[_found(lines, options, "start-after", 1, 0) :]
    lines = lines[: _found(lines, options, "end-at", 1, len(lines))]
    lines = lines[: _found(lines, options, "end-before", 0, len(lines))]
    return _shown("\n".join(lines))


def _found(lines: list[str], options: Mapping[str, str], key: str, plus: int, default: int) -> int:
    """Where the text of an option stands, as Sphinx looks for it."""
    text = options.get(key, "").strip("\"'")
    if not text:
        return default
    return next((i + plus for i, line in enumerate(lines) if text in line), default)

"""`make new`: the beginning of a chapter, server, question, claim or exercise, written where it
belongs.

What is written is a whole that passes every check of the repository, to be replaced part by part.
The texts are the files in tools/new; a kind more is a function here, named in KINDS.
"""

from __future__ import annotations

import contextlib
import importlib.util
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import jinja2

from lab import claims, paths
from lab.book.pipeline import toc
from lab.errors import LabError, did_you_mean
from lab.grading import exercise
from lab.servers import catalog
from lab.storage import written
from lab.widgets.question import questions

_WORD = "[a-z0-9]+(?:-[a-z0-9]+)*"
_PAGE = "[a-z]+(?:-[a-z]+)*/[a-z]+(?:-[a-z]+)*"
_LONGEST = 60  # the most characters of a part of a name, which is a part of file names
_NO_TOPICS = ("about", "teaching")  # folders of pages that aren't chapters
_REVIEW = "review"  # the last page of a part, which is made of its questions
_EXERCISES = "\n## Exercises\n"
_QUOTED = re.compile(rf'"({_WORD})"')


class NotNew(LabError):
    """The name will not do, or is taken; nothing was written."""


@dataclass(frozen=True)
class Beginning:
    """The files of a new chapter, server, question, claim or exercise, before they are written."""

    files: Mapping[Path, str]  # new files
    changed: Mapping[Path, str] = field(default_factory=dict)  # changed files, with their new text
    then: str = ""  # the next step for the author


def new(kind: str, name: str) -> str:
    """Write the first files of a chapter, server, question, claim or exercise under this name.

    Returns the files that were written and what to do next. Raises NotNew and writes nothing if the
    kind is unknown, or if the name is not valid or already in use.
    """
    if kind not in KINDS:
        raise NotNew(f"WHAT={kind!r} is unknown. {did_you_mean(kind, KINDS)}")
    if (longest := max(map(len, name.split("/")))) > _LONGEST:
        raise NotNew(
            f"NAME={name[:20]!r}… has a part of {longest} characters. Choose another name, in "
            f"which no part is longer than {_LONGEST}."
        )
    beginning = KINDS[kind](name)
    _write(beginning)
    files, changed = _list(beginning.files), _list(beginning.changed)
    return f"Written: {files}. Changed: {changed}.\n{beginning.then}"


def _write(beginning: Beginning) -> None:
    """Write all files or none. Shared files come last: only they make the new files known."""
    before = {file: file.read_bytes() for file in beginning.changed}
    parents = {parent for file in beginning.files for parent in file.parents}
    new_folders = sorted((one for one in parents if not one.exists()), reverse=True)
    finished_files: list[Path] = []
    try:
        for file, text in {**beginning.files, **beginning.changed}.items():
            written.write(file, text.encode())
            finished_files.append(file)
    except BaseException:
        for file in finished_files:
            if file in before:
                written.write(file, before[file])
            else:
                file.unlink()
        for folder in new_folders:
            with contextlib.suppress(OSError):  # the folder is not there, or has other files
                folder.rmdir()
        raise


def _chapter(name: str) -> Beginning:
    """A page, a folder with its questions and a program, listed last in its part of the book."""
    if not re.fullmatch(_PAGE, name):
        raise _no_name("chapter", name, "topic/name in lower-case letters", "cases/off-the-loop")
    topic, _, word = name.partition("/")
    if topic in _NO_TOPICS or word == _REVIEW:
        raise NotNew(
            f"NAME={name!r} is not a name for a chapter, because book/{topic} has no chapters. "
            "Choose another topic."
            if topic in _NO_TOPICS
            else f"NAME={name!r} is the name of the page that ends a part. Choose another name."
        )
    folder = paths.ROOT / "book" / topic
    values = {"name": word, "title": word.replace("-", " ").title()}
    files = {
        _absent(folder / f"{word}{ending}"): _drawn(f"chapter{ending}", **values)
        for ending in (".md", f"/{questions.FILE}", "/order.mjs")
    }
    ids, quoted = _ids(), _QUOTED.findall("".join(files.values()))
    if taken := [id for id in quoted if id in ids and f"{id}-".startswith(f"{word}-")]:
        raise NotNew(
            f"NAME={name!r} would use the id {taken[0]!r}, which {ids[taken[0]]} already has. "
            "Choose another name."
        )
    listed = paths.ROOT / "_toc.yml"
    return Beginning(
        files,
        {listed: _listing(listed.read_text("utf-8"), topic, word)},
        f"Replace it part by part. `make chapter NAME={name}` runs it and makes its page.",
    )


def _ids() -> dict[str, str]:
    """The ids of the book's experiments, questions and claims, and who has each: whatever its
    pages have in quotes.
    """
    places = {file.stem: paths.relative(file) for file in paths.REFERENCE.glob("*.json")}
    places |= dict.fromkeys(claims.claims()["claims"], "data/claims.toml")
    places |= {id: f"{one.chapter}/{questions.FILE}" for id, one in questions.questions().items()}
    for file in sorted((paths.ROOT / "book").rglob("*.md")):
        places |= dict.fromkeys(_QUOTED.findall(file.read_text("utf-8")), paths.relative(file))
    return places


def _listing(text: str, topic: str, word: str) -> str:
    """Return _toc.yml with a page more: last in the last part that has pages of its topic, though
    before its review, or in a new one behind the parts of all topics: teaching and about are none.
    """
    entry = f"      - file: book/{topic}/{word}\n"
    head, *parts = re.split(r"(?m)^(?=  - caption:)", text)
    pages = [re.findall(r"- file: book/(?!(?:about|teaching)/)([^/\s]+)/", part) for part in parts]
    if at := max((i for i, topics in enumerate(pages, 1) if topic in topics), default=0):
        parts[at - 1] = _with(parts[at - 1], entry)
        return "".join([head, *parts])
    at = max((i for i, topics in enumerate(pages, 1) if topics), default=0)
    parts.insert(at, f"  - caption: {topic.replace('-', ' ').capitalize()}\n    chapters:\n{entry}")
    return "".join([head, *parts])


def _with(part: str, entry: str) -> str:
    """Return a part of _toc.yml with an entry more: the last, but for the review."""
    rest = re.search(r"( +- file: \S+/review\s*)?\Z", part.rstrip())
    before, review = (part[: rest.start()], part[rest.start() :]) if rest else (part, "")
    return f"{before.rstrip()}\n{entry}{review}"


def _server(name: str) -> Beginning:
    """A program that keeps the contract of servers, and its entry in the catalogue."""
    if not re.fullmatch(f"(node|python)/{_WORD}", name):
        raise _no_name(
            "server", name, "node/name or python/name in lower-case letters", "node/hello"
        )
    if name in catalog.names():
        raise NotNew(f"{name} is already in the catalogue. Choose another name.")
    runtime, _, word = name.partition("/")
    (source,) = catalog.filled(name, {})["source"]
    program = _absent(paths.ROOT / source)
    if runtime == "python" and _is_module(program.stem):
        raise NotNew(
            f"NAME={name!r} would hide the Python module {program.stem!r} from all servers in "
            f"{paths.relative(program.parent)}. Choose another name."
        )
    entry = _drawn("server.toml", runtime=runtime, name=word)
    return Beginning(
        {program: _drawn(f"server{program.suffix}")},
        {paths.CATALOG: _before("[programs]", paths.CATALOG.read_text("utf-8"), entry)},
        f'Try it: lab.load(lab.server("{name}"), connections=10)',
    )


def _is_module(name: str) -> bool:
    """Return whether a program may import a module of that name, which a file beside it hides."""
    return name in sys.stdlib_module_names or importlib.util.find_spec(name) is not None


def _question(name: str) -> Beginning:
    """A question of a chapter, asked last before the run, and its answer before the reasons."""
    if not re.fullmatch(f"{_PAGE}/{_WORD}", name):
        raise _no_name(
            "question",
            name,
            "topic/name/its-id in lower-case letters",
            "cases/off-the-loop/qr-who",
        )
    chapter, _, id = name.rpartition("/")
    page = _page(chapter)
    before, run, after = page.read_text("utf-8").partition("\n## Run")
    output, why, after_why = after.partition("\n## Why")
    if other := questions.questions().get(id):
        raise NotNew(f"{other.chapter}/{questions.FILE} already has {id!r}. Choose another id.")
    language = "javascript" if "\n  language: javascript\n" in before else "python"
    lab = _lab(language, "")  # the first cells come before the page's own
    asks, tells = (
        _drawn("question.md", verb=verb, id=id, language=language, lab=lab)
        for verb in ("ask", "reveal")
    )
    file = page.with_suffix("") / questions.FILE
    entry, existing_text = _drawn("question.toml", id=id), ""
    if file.exists():
        existing_text = f"{file.read_text('utf-8').rstrip()}\n\n"
    asked = {file: existing_text + entry}
    return Beginning(
        {} if existing_text else asked,
        {page: f"{before}\n{asks}{run}{output}\n{tells}{why}{after_why}"}
        | (asked if existing_text else {}),
        "Move the cell that reveals the answer to the place where the page has shown it. If "
        f'the run decides the answer, leave `right` out, and write `lab.answer("{id}", '
        "value)` in that place.",
    )


def _lab(language: str, before: str) -> str:
    """How a cell says `lab` where these cells stand before it."""
    if language == "python":
        return "lab"
    return (
        "await lab" if re.search(r"\blab = require\(\"lab\"\)", before) else 'await require("lab")'
    )


def _page(chapter: str) -> Path:
    """The file of a chapter. Raises NotNew if there is none."""
    page = paths.ROOT / f"book/{chapter}.md"
    if not _is_chapter(page):
        pages = {one: paths.ROOT / f"{one}.md" for one in toc.pages() if one.count("/") > 1}
        chapters = [name.removeprefix("book/") for name, file in pages.items() if _is_chapter(file)]
        raise NotNew(f"book/{chapter}.md is not a chapter. {did_you_mean(chapter, chapters)}")
    return page


def _is_chapter(page: Path) -> bool:
    return page.is_file() and "\n## Run" in page.read_text("utf-8")


def _claim(name: str) -> Beginning:
    """A published claim; one of the book's own stands in its chapter and nowhere else."""
    registry = claims.claims()
    source, _, id = name.partition("/")
    if not re.fullmatch(_WORD, id) or not source:
        raise _no_name(
            "published claim", name, "SOURCE/its-id in lower-case letters", "S2/files-cached"
        )
    if source not in registry["sources"]:
        raise NotNew(
            f"{source!r} is not a source. {did_you_mean(source, registry['sources'])} Write its "
            "[sources.…] into data/claims.toml first."
        )
    if other := _ids().get(id):
        raise NotNew(f"{other} already has {id!r}. Choose another id.")
    entry = _drawn("claim.toml", id=id, source=source)
    return Beginning(
        {},
        {claims.CLAIMS: _before("[own.", claims.CLAIMS.read_text("utf-8"), entry)},
        f'Then write this into a chapter: lab.claim("{id}", comparison.ratio("a", "b"))',
    )


def _exercise(name: str) -> Beginning:
    """An exercise of a chapter: a folder with all that one has, and its place on the page."""
    if not re.fullmatch(f"{_PAGE}/{_WORD}", name):
        raise _no_name(
            "exercise",
            name,
            "topic/name/its-id in lower-case letters",
            "cases/off-the-loop/share",
        )
    chapter, _, id = name.rpartition("/")
    page = _page(chapter)
    text = page.read_text("utf-8")
    if id in exercise.names():
        other = exercise.exercise(id)
        raise NotNew(f"{paths.relative(other.folder)} already has that name. Choose another id.")
    folder = exercise.EXERCISES / chapter.partition("/")[0] / id
    values = {"title": id.replace("-", " ").capitalize(), "chapter": chapter}
    template = paths.ROOT / "tools/new/exercise"
    files = {
        _absent(folder / file.relative_to(template)): _drawn(
            file.relative_to(template.parent).as_posix(), **values
        )
        for file in sorted(template.rglob("*"))
        if file.is_file()
    }
    language = "javascript" if "\n  language: javascript\n" in text else "python"
    before, sources, after = text.partition("\n## Sources")
    lab = _lab(language, before)
    cell = _drawn("question.md", verb="exercise", id=id, language=language, lab=lab)
    head = "" if "\n## Exercises\n" in before else _EXERCISES
    return Beginning(
        files,
        {page: f"{before}{head}\n{cell.strip()}\n{sources}{after}"},
        f"Replace it part by part. `make mutation EXERCISE={id}` tries its check on all its "
        "answers.",
    )


KINDS: dict[str, Callable[[str], Beginning]] = {
    "chapter": _chapter,
    "server": _server,
    "question": _question,
    "claim": _claim,
    "exercise": _exercise,
}


def _article(what: str) -> str:
    return "an" if what[0] in "aeiou" else "a"


def _no_name(what: str, name: str, wanted: str, example: str) -> NotNew:
    return NotNew(
        f"NAME={name!r} is not a name for {_article(what)} {what}: "
        f"write {wanted}, such as {example}."
    )


def _absent(file: Path) -> Path:
    if file.exists():
        raise NotNew(f"{paths.relative(file)} already exists. Choose another name.")
    return file


def _list(files: Iterable[Path]) -> str:
    return ", ".join(map(paths.relative, files)) or "nothing"


def _drawn(template: str, **values: str) -> str:
    folder = jinja2.FileSystemLoader(paths.ROOT / "tools/new")
    kept = jinja2.Environment(
        loader=folder, undefined=jinja2.StrictUndefined, keep_trailing_newline=True
    )
    return kept.get_template(template).render(values)


def _before(table: str, text: str, entry: str) -> str:
    """Return a TOML file with an entry more, above the first such table and what is said of it."""
    lines = text.splitlines(keepends=True)
    at = next((i for i, line in enumerate(lines) if line.startswith(table)), len(lines))
    while at and (not lines[at - 1].strip() or lines[at - 1].startswith("#")):
        at -= 1
    return "".join([*lines[:at], "\n", entry, *lines[at:]])

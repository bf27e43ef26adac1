"""What somebody handed in: the text of one program, whatever it came in, and what is wrong with it
before it ever runs.
"""

from __future__ import annotations

import codecs
import hashlib
import json
import re
import tempfile
from collections.abc import Container, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lab.errors import LabError
from lab.grading.exercise import KINDS, Exercise

MOST_BYTES = 256 * 1024
MOST_OF_FILE = 64 * MOST_BYTES  # a notebook has outputs, too
SUFFIXES = (".mjs", ".cjs", ".js")  # of a program
NOTEBOOK = ".ipynb"
STRIPPED = (".ts", ".mts", ".cts")  # TypeScript whose types Node itself can leave out
TYPED_KINDS = {"esm": ".mts", "cjs": ".cts"}
TYPED = (*STRIPPED, ".tsx", ".jsx")
# What only one of the two kinds of module has, at the beginning of a line or a statement. Whatever
# is handed in passes through these: the time that one takes must grow as its text does, and not as
# its square.
_ESM = re.compile(
    r"(?:^|;)[^\S\n]*(?:import\s*[\w{*\"']"
    r"|export\s+(?:default|async|function|const|let|class|\{|\*))",
    re.M,
)
_CJS = re.compile(r"(?:^|;)[^\S\n]*(?:module\.exports|exports\.\w+)\s*=|\brequire\s*\(", re.M)
_GIVEN_AWAY = re.compile(r"(?:^|;)[^\S\n]*(module\.exports|exports)(?:\.\w+)?\s*=", re.M)
_EXPORT = re.compile(r"^export ((?:async )?(?:function\*?|const|class) \w+)", re.M)
_OPENING = re.compile(r"//|/\*|[/'\"`{}]")
_OF_TEMPLATE = re.compile(r"\\.|`|\$\{", re.S)
_WHOLE = {
    "'": re.compile(r"'(?:[^'\\\n]|\\.)*'", re.S),
    '"': re.compile(r'"(?:[^"\\\n]|\\.)*"', re.S),
    "/": re.compile(r"/(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/"),
}
_BEFORE_VALUE = re.compile(r"\b(?:return|typeof|case|in|of|delete|void|throw|do|else|await|yield)$")
_CONFLICT = re.compile(r"^<{7} .*^={7}$.*^>{7} ", re.M | re.S)
_MARK = re.compile(r"\s*%%submit[ \t]+(\S+)(?:[^\S\n][^\n]*)?\n")


class BadHandIn(LabError):
    """The hand-in cannot be a program. Nothing was run, and no file was changed."""


@dataclass(frozen=True)
class HandIn:
    """The text of a program, and what its file was called. Of a folder: the program that is
    started, its path in the folder, and all files by their paths, that program among them.
    """

    text: str
    name: str = ""
    files: Mapping[str, bytes] = field(default_factory=dict, hash=False)
    left_out: tuple[str, ...] = ()  # files of the folder that are too large, or too many
    extras: tuple[str, ...] = ()  # variables and options of the script that starts it: not used
    added: str = ""  # the package.json that is missing in a folder whose .js files are ES modules

    @property
    def called(self) -> str:
        """Where an error is said to be: in the file of that name, or in the cell."""
        return self.name[:80] or "the cell"

    @property
    def digest(self) -> str:
        """SHA-256 of the text, or of all files of a folder."""
        taken = hashlib.sha256(self.text.encode("utf-8", "surrogatepass"))
        for path, data in sorted(self.files.items()):
            taken.update(f"\0{path}\0{len(data)}\0".encode("utf-8", "surrogatepass") + data)
        return taken.hexdigest()

    @property
    def is_typed(self) -> bool:
        """Whether the program that is started is TypeScript."""
        return Path(self.name).suffix.lower() in STRIPPED

    @property
    def source(self) -> str:
        """What its author wrote, in one text: the programs of a folder one after another, without
        those that others wrote.
        """
        paths = [
            path
            for path in sorted(self.files, key=lambda path: (path != self.name, path))
            if Path(path).suffix.lower() in (*SUFFIXES, *STRIPPED)
            and "node_modules" not in path.split("/")
        ]
        if len(paths) < 2:
            return self.text
        return "\n".join(
            f"// {path}\n{self.files[path].decode('utf-8', 'replace')}" for path in paths
        )

    def kind(self, exercise: Exercise) -> str:
        """esm or cjs: by the name of the file, else by what is written in it. Raises BadHandIn."""
        if self.files:
            return "esm"  # Node decides for each file of a folder, by its name and package.json
        suffix = Path(self.name).suffix.lower()
        plain = _plain(self.text)
        kind = {".mjs": "esm", ".mts": "esm", ".cjs": "cjs", ".cts": "cjs"}.get(suffix) or (
            _kind_of_plain(plain) or exercise.modules[0]
        )
        given = _GIVEN_AWAY.search(plain)
        if suffix == ".mjs" and given and (given[1] == "module.exports" or not _ESM.search(plain)):
            other = ", or call it .cjs" if "cjs" in exercise.modules else ""
            raise BadHandIn(
                f"{self.name} is CommonJS (`{given[1]}`) in a file that is an ES module by its "
                f"name: write `export {_kind_of_export(exercise)} …`{other}."
            )
        if kind not in exercise.modules:
            words = {
                "esm": "an ES module, and this is CommonJS: write "
                f"`import` and `export {_kind_of_export(exercise)} …`, not `require` and "
                "`module.exports`",
                "cjs": "a CommonJS module: write `require` and `module.exports`, not `import` and "
                "`export`",
            }
            raise BadHandIn(f"{exercise.id} asks for {words[exercise.modules[0]]}.")
        return kind

    @contextmanager
    def as_file(self, exercise: Exercise) -> Iterator[tuple[Path, str]]:
        """A folder with a file of this text, whose name says what kind of module it is, or with
        the files of a folder; and the path in it of the program. It is gone afterwards.
        """
        with tempfile.TemporaryDirectory(prefix="lab-hand-in-") as place:
            folder = Path(place)
            if not self.files:
                suffix = (TYPED_KINDS if self.is_typed else KINDS)[self.kind(exercise)]
                name = f"{exercise.id}{suffix}"
                (folder / name).write_text(self.text, "utf-8")
                yield folder, name
                return
            for path, data in self.files.items():
                (folder / path).parent.mkdir(parents=True, exist_ok=True)
                (folder / path).write_bytes(data)
            if self.added:
                (folder / "package.json").write_text(self.added, "utf-8")
            yield folder, self.name


def kind_of(text: str) -> str:
    """Which kind of module a program is by what is written in it: esm, cjs, or nothing."""
    return _kind_of_plain(_plain(text))


def _kind_of_plain(plain: str) -> str:
    return "esm" if _ESM.search(plain) else "cjs" if _CJS.search(plain) else ""


def _plain(text: str) -> str:
    """A program without its comments, and with empty strings, templates and regular expressions:
    what is written in them says nothing about the program. What has no end is left as it is.
    """
    parts: list[str] = []
    at, last = 0, text.rfind("*/")
    depths: list[int] = []  # of the braces within each `${` that is open
    while found := _OPENING.search(text, at):
        parts.append(text[at : found.start()])
        sign, at = found[0], found.end()
        if sign == "{" and depths:
            depths[-1] += 1
        elif sign == "}" and depths and depths[-1] > 0:
            depths[-1] -= 1
        elif sign == "`" or (sign == "}" and depths):
            if sign == "}":
                depths.pop()
            parts.append("`")
            end = _OF_TEMPLATE.search(text, at)
            while end and end[0].startswith("\\"):
                end = _OF_TEMPLATE.search(text, end.end())
            at = end.end() if end else len(text)
            if end and end[0] == "${":
                depths.append(0)
            continue
        elif sign == "//":
            at = _line_end(text, at)
            continue
        elif sign == "/*" and at <= last:
            at = text.index("*/", at) + 2
            continue
        elif sign in "'\"/" and (sign != "/" or _begins_expression(parts)):
            whole = _WHOLE[sign].match(text, at - 1)
            parts.append(sign * 2 if whole and sign != "/" else sign)
            # One without an end is looked at once: the rest of its line is plain.
            end_of_it = whole.end() if whole else _line_end(text, at)
            parts.append("" if whole else text[at:end_of_it])
            at = end_of_it
            continue
        parts.append(sign)
    return "".join([*parts, text[at:]])


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return end if end >= 0 else len(text)


def _begins_expression(kept: list[str]) -> bool:
    """Whether a slash behind this begins a regular expression, rather than a division."""
    before = "".join(kept[-3:])[-40:].rstrip()
    return not before or before[-1] in "(,=:[!&|?{};+-*%~^<>" or bool(_BEFORE_VALUE.search(before))


def _kind_of_export(exercise: Exercise) -> str:
    """Return the declaration after `export` in the starter, such as `function summary`."""
    found = _EXPORT.search(exercise.begin())
    return found[1] if found else "function"


def _foreign_text(text: str, plain: str) -> str:
    """Why a text is no program at all, and what to hand in instead; nothing if it may be one.

    text : what was handed in; plain : the same without comments, strings and templates.
    """
    beginning = text.lstrip("\ufeff \t\r\n")[:20].lower()
    if beginning.startswith(("<!doctype", "<html", "<?xml")):
        return (
            "is a web page and not a program: if a browser saved a page instead of the file, "
            "download the file again."
        )
    if beginning.startswith("```"):
        return "begins with a fence of Markdown (```): hand in only the lines between the fences."
    if beginning.startswith("{\\rtf"):
        return "is a word processor's document: save the program as plain text."
    if _CONFLICT.search(plain):
        line = text.count("\n", 0, text.index("<<<<<<< ")) + 1
        return (
            f"has a merge conflict from line {line} on: choose one of the "
            "two versions, and delete the lines that begin with <<<<<<<, ======= and >>>>>>>."
        )
    return ""


def from_text(text: str, name: str = "", exercise_id: str = "ID") -> HandIn:
    """A hand-in by its text, for the exercise `exercise_id`. Raises BadHandIn if it is
    empty, too long or not a program.
    """
    plain = _plain(text)
    reason = _foreign_text(text, plain)
    if reason:
        raise BadHandIn(f"{name or 'The hand-in'} {reason}")
    if not plain.strip():
        raise BadHandIn(
            f"{name or 'The hand-in'} is empty, so nothing was run. Begin with the exercise's "
            f"starter, which `python -m lab task {exercise_id} --starter` prints."
        )
    if len(text.encode("utf-8", "surrogatepass")) > MOST_BYTES:
        raise BadHandIn(
            f"{name or 'The hand-in'} has more than {MOST_BYTES >> 10} KiB, which no answer needs."
        )
    try:
        text.encode()
    except UnicodeEncodeError:
        raise BadHandIn(f"{name or 'The hand-in'} is not valid UTF-8.") from None
    return HandIn(text, name)


def from_file(path: str | Path, exercise: Exercise) -> HandIn:
    """A hand-in by its file: a program, or a notebook with a cell for this exercise. Raises
    BadHandIn.
    """
    file = Path(path)
    if file.is_dir():
        inside = sorted(
            (one.name for one in file.iterdir() if one.suffix in SUFFIXES),
            key=lambda name: (Path(name).stem != exercise.id, name),
        )
        raise BadHandIn(
            f"{path} is a folder: name the file"
            + (f", such as {file / inside[0]}." if inside else ", but there is no program in it.")
        )
    if file.is_symlink() and not file.exists():
        raise BadHandIn(f"{path} leads nowhere.")
    if not file.is_file():
        raise BadHandIn(
            f"{path} is a pipe or a device: name a file."
            if file.exists()
            else f"There is no file {path}."
        )
    return from_bytes(_bytes_of(file), str(path), exercise, file.stat().st_size)


def _bytes_of(file: Path) -> bytes:
    with file.open("rb") as opened:
        return opened.read(MOST_OF_FILE + 1)


def from_bytes(data: bytes, path: str, exercise: Exercise, size: int = 0) -> HandIn:
    """A hand-in by what is in its file, which is called `path`. Raises BadHandIn.

    data : at most one byte more than `MOST_OF_FILE`; size : of all, where that is known.
    """
    name, suffix = Path(path).name, Path(path).suffix.lower()
    if len(data) > MOST_OF_FILE:
        advice = (
            "are read. Clear its outputs, and save it again."
            if suffix == NOTEBOOK
            else "are read, which is more than any answer needs."
        )
        raise BadHandIn(
            f"{path} has {max(size, len(data)):,} bytes, but at most {MOST_OF_FILE:,} {advice}"
        )
    if suffix in TYPED and not (exercise.takes_folders and suffix in STRIPPED):
        raise BadHandIn(
            f"{path} is TypeScript or JSX, which no check runs: hand in JavaScript, which is the "
            "program without its types, in a file that ends in .mjs, .cjs or .js."
        )
    if suffix not in (*SUFFIXES, *(STRIPPED if exercise.takes_folders else ()), NOTEBOOK, ""):
        raise BadHandIn(f"{path}: a program ends in .mjs, .cjs or .js, a notebook in .ipynb.")
    text = _decoded(data, path)
    if suffix == NOTEBOOK:
        return from_notebook(text, name, exercise)
    return from_text(text, name, exercise.id)


def _decoded(data: bytes, path: str) -> str:
    """The text of a file: UTF-8, with or without a mark at its beginning. Raises BadHandIn."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        other = _other_encoding(data)
        found = f"is {other}" if other else f"is not valid UTF-8 (byte {error.start})"
        raise BadHandIn(f"{path} {found}: save it as UTF-8.") from None
    if text.count("\0") > len(text) // 3:
        raise BadHandIn(f"{path} is UTF-16, or no text: save it as UTF-8.")
    return text


def _other_encoding(data: bytes) -> str:
    """The encoding of a text that is not UTF-8, if its first bytes are a mark of one."""
    marks = {
        "UTF-32": (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE),
        "UTF-16": (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE),
    }
    return next((name for name, both in marks.items() if data.startswith(both)), "")


def from_notebook(text: str, name: str, exercise: Exercise) -> HandIn:
    """What a notebook hands in for an exercise: the last cell that begins with `%%submit ID` and is
    not the starter any more; without such a line the cell that a class got to work in.

    Nothing but the sources of cells is believed: no metadata, points or outputs.
    """
    cells = _code_cells(text, name)
    programs = [program for cell_id, program, _ in cells if cell_id == exercise.id]
    if not programs:
        programs = [
            source for cell_id, source, grade_id in cells if not cell_id and grade_id == exercise.id
        ]
    if not programs:
        others = sorted({cell_id for cell_id, _, _ in cells if cell_id})
        hint = f" It has cells for {', '.join(others)}." if others else ""
        if exercise.id in _ids_in_text_cells(text):
            hint = " A text cell begins with that line. Turn it into a code cell."
        raise BadHandIn(f"{name} has no cell that begins with `%%submit {exercise.id}`.{hint}")
    worked_on = [program for program in programs if program.strip() != exercise.begin().strip()]
    return from_text((worked_on or programs)[-1], "", exercise.id)


def below(text: str, above: str = "\n") -> str:
    """The text of a cell below what stands above it there, with lines that count as in the cell."""
    return text if text.startswith("#!") else "\n" * above.count("\n") + text


def submitted(data: bytes, exercise_ids: Container[str]) -> list[str]:
    """Return the ids of the exercises that the cells of a notebook are handed in for.

    A cell names its exercise, or is the working cell of one of `exercise_ids`. Raises BadHandIn if
    there is no such cell.
    """
    if len(data) > MOST_OF_FILE:
        raise BadHandIn(
            f"it has more than {MOST_OF_FILE >> 20} MiB, and is not read: clear its outputs, "
            "and save it again"
        )
    cells = _code_cells(_decoded(data, "it"), "it")
    asked = {asked for asked, _, _ in cells if asked}
    worked_in = {grade_id for asked, _, grade_id in cells if not asked and grade_id in exercise_ids}
    if not asked | worked_in:
        raise BadHandIn("it has no cell that begins with %%submit and the id of an exercise")
    return sorted(asked | worked_in)


def _code_cells(text: str, name: str) -> list[tuple[str, str, str]]:
    """Of each code cell the id that it is handed in for, or nothing; its text without that line;
    the id by which a class knows it.
    """
    try:
        code_cells = []
        notebook = json.loads(text)
        if isinstance(notebook, dict) and "worksheets" in notebook and "cells" not in notebook:
            raise BadHandIn(
                f"{name} is a notebook of the old format {notebook.get('nbformat', 3)!r:.9}: open "
                "it in Jupyter, and save it."
            )
        for cell in notebook["cells"]:
            if cell.get("cell_type") == "code":
                source = "".join(cell["source"])
                mark = _MARK.match(source)
                asked, own = (
                    (mark[1], below(source[mark.end() :], mark[0])) if mark else ("", source)
                )
                code_cells.append((asked, own, _grade_id(cell)))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise BadHandIn(f"{name} is not a notebook: its JSON cannot be read.") from None
    return code_cells


def _ids_in_text_cells(text: str) -> set[str]:
    """The ids in the `%%submit` lines of a valid notebook's cells that are not code."""
    cells = [cell for cell in json.loads(text)["cells"] if cell.get("cell_type") != "code"]
    marks = [_MARK.match("".join(cell.get("source", ""))) for cell in cells]
    return {mark[1] for mark in marks if mark}


def _grade_id(cell: dict[str, Any]) -> str:
    metadata = cell.get("metadata")
    known = metadata.get("nbgrader") if isinstance(metadata, dict) else None
    return str(known.get("grade_id", "")) if isinstance(known, dict) else ""

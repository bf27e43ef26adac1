"""The files of a program, and a digest that is the same wherever these files are.

The files of a program are its own, and each that a string in it leads to from the folder of the
file with the string: what it imports, and what it may start or read. The contents of all are a part
of the digest, and so are those of a folder, unless the program itself lies in the folder. A string
leads to a folder only if it begins with a dot, ends with a slash or is made a URL of: the folder
`templates` of `join(import.meta.dirname, "templates")` is no part, that of "./templates" is. A
name that is put together as the program runs is not seen, and packages are no part: a lock file
pins them.

A file that moves is found at another address. So an address that code imports, or makes a URL of,
counts as the file that it leads to, and the digest stays when files are moved or renamed and these
addresses follow. Any other byte is a part of the digest: an address in a comment or in a string,
which the program may print, and every line, whose number a stack shows.
"""

from __future__ import annotations

import ast
import contextlib
import hashlib
import json
import os
import re
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from lab import paths
from lab.errors import LabError
from lab.servers.javascript_mask import BLANK, masked

_JAVASCRIPT = (".js", ".mjs", ".cjs")
_PROGRAM = (*_JAVASCRIPT, ".ts", ".mts", ".cts", ".py")
_ADDED_BY_REQUIRE = ("", ".js", ".json", ".node")  # to an address, in this order
_PINNED = ("node_modules", "__pycache__")  # folders in a folder that are no part of it
_LITERAL = rf"""(["'`])({BLANK}*)\1"""
_NOT_A_PART = r"(?<![\w$.#])"  # what comes next is not the end of another name
# The address of an import, of a call of `require`, and of a URL that begins at the file.
_IMPORT = re.compile(
    rf"""{_NOT_A_PART}(?:(?:from|import)\s*(["'])({BLANK}*)\1"""
    rf"""|import\s*\(\s*(["'`])({BLANK}*)\3\s*[,)])"""
)
_REQUIRE = re.compile(rf"{_NOT_A_PART}require\s*\(\s*{_LITERAL}\s*\)")
_URL = re.compile(rf"{_NOT_A_PART}new\s+URL\s*\(\s*{_LITERAL}\s*,\s*import\.meta\.url\s*,?\s*\)")
# A string wherever it may be, for a text of which it is not known what is code.
_QUOTED = re.compile(r"""(?=(["'`])([^\n]*?)\1)""")
_PYTHON_IMPORT = re.compile(r"^[ \t]*(?:from|import)[ \t]+([\w.]+)", re.M)
_ESCAPE = re.compile(r"\\(?:x(\w\w)|u(\w{4})|u\{(\w+)\}|(.))", re.S)
_NO_TEXT = b"\xff"  # no text in UTF-8 begins with this byte


@dataclass(frozen=True)
class _Address:
    """A string of a file, and what it leads to. `begin` is -1 if the string itself counts, too."""

    target: Path
    begin: int = -1
    end: int = -1


def covered(path: Path, *others: Path) -> dict[Path, bytes]:
    """Return the contents that make the digest of a program, and of others that a command names:
    their own, and that of each file once that a string in one of their texts leads to. Raises
    LabError if a file cannot be read.
    """
    contents: dict[Path, bytes] = {}
    program = path.resolve()
    queue = [program, *(one.resolve() for one in others)]
    for file in queue:
        if file not in contents and file.is_file():
            contents[file] = _content(file)
            for address in _addresses(file, contents[file], is_own=file == program):
                target = address.target
                queue += _files(target, program).values() if target.is_dir() else [target]
    return contents


def digest(contents: Mapping[Path, bytes]) -> str:
    """Return the digest of what `covered` gives, as records of a program's output have it.

    That of one file that leads to no other is the SHA-256 of its bytes.
    """
    if not contents:
        return hashlib.sha256().hexdigest()[:16]
    program = next(iter(contents))
    numbers = {file: number for number, file in enumerate(contents)}

    def name(target: Path) -> str:
        """Where a file lies: in the folder of the program, or in the project."""
        if target.is_relative_to(program.parent):
            return f"./{target.relative_to(program.parent).as_posix()}"
        return paths.relative(target)

    def end_of(address: _Address) -> Any:
        """What an address leads to, as it is hashed."""
        target = address.target
        if not target.is_dir():
            return numbers.get(target)
        inside = {path: numbers.get(file) for path, file in _files(target, program).items()}
        return [name(target), inside]

    whole: list[Any] = []
    for file, content in contents.items():
        if file != program and file.suffix not in _PROGRAM:
            whole.append([name(file), hashlib.sha256(content).hexdigest()])
            continue
        text, begin, pieces = _text(content), 0, list[Any]()
        addresses = _addresses(file, content, is_own=file == program)
        for address in [one for one in addresses if one.begin >= 0]:
            pieces += [text[begin : address.begin], end_of(address)]
            begin = address.end
        strings = [end_of(one) for one in addresses if one.begin < 0]
        whole.append([[*pieces, text[begin:]], strings, _kind(file)])
    (first, *_) = whole
    alone = len(whole) == 1 and len(first[0]) == 1 and not first[1] and not first[2]
    if alone and not contents[program].startswith(_NO_TEXT):
        return hashlib.sha256(contents[program]).hexdigest()[:16]
    return hashlib.sha256(_NO_TEXT + json.dumps(whole).encode()).hexdigest()[:16]


def _content(file: Path) -> bytes:
    with _readable(file):
        return file.read_bytes()


@contextlib.contextmanager
def _readable(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise LabError(
            f"A program leads to {paths.relative(path)}, which cannot be read ({error.strerror}). "
            "Make it readable, because a record is known by the contents of all files of its "
            "program."
        ) from None


def _text(content: bytes) -> str:
    """The text of a file, another one for other bytes."""
    return content.decode("utf-8", "surrogateescape")


def _kind(file: Path) -> str:
    """Return how Node reads a file whose name does not say it: "module", or "" as usual."""
    if file.suffix not in (".js", ".ts"):
        return ""
    for folder in file.parents:
        package = folder / "package.json"
        if package.is_file():
            try:
                about = json.loads(_content(package))
            except ValueError:  # which Node refuses
                return ""
            is_module = isinstance(about, dict) and about.get("type") == "module"
            return "module" if is_module else ""
    return ""


def _addresses(file: Path, content: bytes, *, is_own: bool) -> list[_Address]:
    """Return the strings of a file that lead to a file or a folder, in their order."""
    if not is_own and file.suffix not in _PROGRAM:
        return []
    text = _text(content)
    mask = masked(text) if file.suffix in _JAVASCRIPT else None
    if mask is None:
        return [_Address(target) for target in _of_any_text(file, text)]
    places = dict(_places(mask))
    addresses: list[_Address] = []
    for match in re.finditer(_LITERAL, mask):
        begin, end = match.span(2)
        spelling = text[begin:end]
        if begin in places and (target := _plain(file, spelling, places[begin])):
            addresses.append(_Address(target, begin, end))
            continue
        target = _target(file, _unescaped(spelling), is_url=places.get(begin) == "URL")
        if target:
            addresses.append(_Address(target))
    return addresses


def _places(mask: str) -> Iterator[tuple[int, str]]:
    """Yield where an address begins that code imports or makes a URL of, and with what."""
    for match in _IMPORT.finditer(mask):
        yield match.start(2) if match[1] else match.start(4), "import"
    for name, pattern in (("require", _REQUIRE), ("URL", _URL)):
        if not _is_redefined(name, mask):
            for match in pattern.finditer(mask):
                yield match.start(2), name


def _is_redefined(name: str, mask: str) -> bool:
    """Return whether a file may give `require` or `URL` a meaning of its own."""
    every = re.findall(rf"{_NOT_A_PART}{name}\b", mask)
    used = re.findall(rf"{_NOT_A_PART}(?:{name}\s*[(.]|instanceof\s+{name}\b)", mask)
    declared = re.search(rf"\b(?:class|function)\s+{name}\b|\b{name}\s*=(?![=>])", mask)
    return len(every) > len(used) or declared is not None


def _plain(file: Path, spelling: str, place: str) -> Path | None:
    """Return what an address leads to that can be left out of the text, None of any other."""
    if re.search(r"[\\?#%]", spelling) or not re.match(r"\.\.?(?:/|$)", spelling):
        return None
    target = _found(file, spelling)
    if target is None or (target.is_file() and spelling.endswith("/")):
        return None
    return target if place == "URL" or target.is_file() else None


def _of_any_text(file: Path, text: str) -> Iterator[Path]:
    """Yield what strings lead to in a text of which it is not known what is code, and what Python
    imports from the folder of the file.
    """
    for match in _QUOTED.finditer(text):
        if target := _target(file, _unescaped(match[2])):
            yield target
    if file.suffix == ".py":
        for folder, module in dict.fromkeys(_python_imports(file, text)):
            address = module.replace(".", "/")
            for candidate in (f"{address}.py", f"{address}/__init__.py"):
                target = _found(folder / file.name, candidate)
                if target and target.is_file():
                    yield target


def _python_imports(file: Path, text: str) -> Iterator[tuple[Path, str]]:
    """Yield what a file in Python may import, in order: the folder where it is looked for, and the
    name of the module with its dots.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of a text that the course does not run
            nodes = list(ast.walk(ast.parse(text)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # not for this Python
        for match in _PYTHON_IMPORT.finditer(text):
            yield from _with_packages(file.parent, match[1].strip("."))
        return
    imports = [
        statement for statement in nodes if isinstance(statement, ast.Import | ast.ImportFrom)
    ]
    for statement in sorted(
        imports, key=lambda statement: (statement.lineno, statement.col_offset)
    ):
        names = [alias.name for alias in statement.names]
        if isinstance(statement, ast.Import):
            for name in names:
                yield from _with_packages(file.parent, name)
            continue
        folders = [file.parent, *file.parents]  # of the levels 0, 1, 2 and so on
        folder = folders[min(statement.level, len(folders) - 1)]
        if statement.level:
            yield folder, "__init__"
        for name in names:  # each a name of the module, or a module of the package
            yield from _with_packages(
                folder, f"{statement.module}.{name}" if statement.module else name
            )


def _with_packages(folder: Path, module: str) -> Iterator[tuple[Path, str]]:
    """Yield a module, after the packages in which it lies."""
    parts = module.split(".")
    for count in range(1, len(parts) + 1):
        yield folder, ".".join(parts[:count])


def _target(file: Path, spelling: str, *, is_url: bool = False) -> Path | None:
    """Return the file or folder that a string leads to from a file, None if it does to none; none
    is the folder of the file itself, which is the same of every file.
    """
    unquoted = unquote(re.split(r"[?#]", spelling)[0]).replace("\\", "/")
    for address in dict.fromkeys((spelling, unquoted)):
        is_path = is_url or address.startswith(".") or address.endswith("/")
        for added in _ADDED_BY_REQUIRE:
            target = _found(file, address + added)
            if target and (target.is_file() or (is_path and target != file.parent)):
                return target
    return None


def _found(file: Path, address: str) -> Path | None:
    """Return what lies at an address, seen from a file, None if nothing does."""
    if not address or address.startswith("/"):
        return None
    # As in a URL: `..` takes away a name, wherever a link of that name leads.
    target = Path(os.path.normpath(f"{file.parent}/{address}"))
    with contextlib.suppress(OSError, ValueError):  # a name that no file can have
        return target.resolve() if target.is_file() or target.is_dir() else None
    return None


def _unescaped(spelling: str) -> str:
    def character(match: re.Match[str]) -> str:
        code = match[1] or match[2] or match[3]
        try:
            return chr(int(code, 16)) if code else match[4]
        except (ValueError, OverflowError):
            return match[0]

    return _ESCAPE.sub(character, spelling)


def _files(folder: Path, program: Path) -> dict[str, Path]:
    """Return the files of a folder by their paths in it, in order; none if the program or what is
    measured lies in it: such a folder has more than what belongs to the program.
    """
    if program.is_relative_to(folder) or paths.RUNS.is_relative_to(folder):
        return {}
    files: dict[str, Path] = {}
    folders: set[Path] = set()  # a link may lead to a folder above

    def walk(inside: Path) -> None:
        if inside.name in _PINNED or inside.resolve() in folders:
            return
        folders.add(inside.resolve())
        with _readable(inside):
            for entry in sorted(inside.iterdir()):
                if entry.is_file():
                    files[entry.relative_to(folder).as_posix()] = entry.resolve()
                elif entry.is_dir():
                    walk(entry)

    walk(folder)
    return files

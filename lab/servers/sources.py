"""The text of a program and of the files that it imports, and a digest that is the same wherever
these files are.

A file that moves is found at another relative address. Before a text is hashed, each relative
address is replaced by what it leads to: a file of the program by its number, another file or folder
by its path. So a digest changes when a program is edited, or finds another file, and stays when its
files are moved or renamed and their addresses follow. What looks like an import in a comment or in
a string counts as one.
"""

from __future__ import annotations

import contextlib
import hashlib
import re
from collections.abc import Mapping
from pathlib import Path

from lab import paths

# A relative address that is imported, required or named as a URL.
_ADDRESS = re.compile(r"""((?:from|import\(?|require\(|new URL\()\s*["'])(\.[^"'\n\0]*)(?=["'])""")
_PROGRAM = (".js", ".mjs", ".cjs", ".py")
_MARK = "\0"  # is written before what an address leads to
# An argument with an address on a line of its own: a formatter wraps a line that becomes longer.
_WRAPPED = re.compile(r"\(\n[ \t]*([^\n]*\0[^\n]*?),?\n[ \t]*\)")


def covered(path: Path) -> dict[Path, str]:
    """Return the texts that make the digest of a program: its own, and each file once that it
    imports or names as a URL.
    """
    texts: dict[Path, str] = {}
    queue = [path.resolve()]
    for file in queue:
        if file not in texts and _exists(file) and file.is_file():
            texts[file] = file.read_text("utf-8")
            queue += [_target(file, name) for name in _imported(texts[file])]
    return texts


def digest(texts: Mapping[Path, str]) -> str:
    """Return the digest of what `covered` gives, as records of a program's output have it."""
    return hashlib.sha256("".join(placeless(texts)).encode()).hexdigest()[:16]


def placeless(texts: Mapping[Path, str]) -> list[str]:
    """Return the texts of a program with what each relative address leads to in place of the
    address. The first file is the program's own: what lies in its folder is named from there.
    """
    numbers = {file: str(number) for number, file in enumerate(texts)}
    home = next(iter(texts)).parent if texts else paths.ROOT

    def meaning(file: Path, address: str) -> str | None:
        target = _target(file, address)
        slash = "/" if address.endswith("/") else ""
        if target in numbers:
            return numbers[target] + slash
        if not _exists(target):
            return None
        if target.is_relative_to(home):
            return f"./{target.relative_to(home).as_posix()}{slash}"
        return paths.relative(target) + slash

    def marked(file: Path, text: str) -> str:
        def replaced(match: re.Match[str]) -> str:
            name = meaning(file, match[2])
            return match[0] if name is None else f"{match[1]}{_MARK}{name}"

        return _WRAPPED.sub(r"(\1)", _ADDRESS.sub(replaced, text))

    return [marked(file, text) for file, text in texts.items()]


def _imported(text: str) -> list[str]:
    return [match[2] for match in _ADDRESS.finditer(text) if match[2].endswith(_PROGRAM)]


def _target(file: Path, address: str) -> Path:
    return (file.parent / address).resolve()


def _exists(path: Path) -> bool:
    with contextlib.suppress(OSError):  # a name that no file can have
        return path.exists()
    return False

"""How records of an older schema are read: a step for each schema, to the next."""

from __future__ import annotations

import contextlib
import hashlib
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from lab import paths
from lab.records.identity import source_word
from lab.servers.sources import covered, digest

# A word of a command that names a file of the server, or the server's module with its application.
_FILE = re.compile(r"(?:\{root\}/)?([\w.-]+(?:/[\w.-]+)+\.(?:[cm]?js|py|rb))")
_MODULE = re.compile(r"(servers(?:\.\w+)+):(\w+)")
_OLD_IMPORT = re.compile(
    r"""(?:from|import\(?|require\(|new URL\()\s*["'](\.[^"']+\.(?:[cm]?js|py))["']"""
)


def known_by_digest(data: dict[str, Any]) -> dict[str, Any]:
    """Return a record of schema 1 in schema 2.

    Schema 1 knows a server and a program by path, too, and a program by a digest of its text with
    the relative addresses that are in it. Schema 2 has the paths as labels, and a digest of all
    files that the program leads to, which does not depend on the addresses. If the program was
    edited since, the old digest stays, which no program has. A file that the program leads to, and
    that the old digest does not tell of, counts as it is today.
    """
    question = data.get("question")
    if not isinstance(question, dict):  # the file is damaged; its reader names what is missing
        return {**data, "schema": 2}
    new_question = dict(question)
    if isinstance(arms := question.get("arms"), dict):
        new_question["arms"] = {
            name: [_arm(one) for one in arm] if isinstance(arm, list) else _arm(arm)
            for name, arm in arms.items()
        }
    options = question.get("options")
    if isinstance(options, dict) and "source" in options:
        source = _of_programs(_programs(data.get("kind"), options), options["source"])
        new_question["options"] = {**options, "source": source}
    return {**data, "schema": 2, "question": new_question}


def _arm(arm: Any) -> Any:
    if not isinstance(arm, dict) or not isinstance(arm.get("command"), list):
        return arm
    files_of_words = [_file_of_server(word) for word in arm["command"]]
    # If another program starts the server and the server's own file comes later, its own file is
    # the first source.
    files = list(dict.fromkeys(file for file, _ in reversed(files_of_words) if file))
    command = [
        source_word(files.index(file) + 1) + application if file else word
        for word, (file, application) in zip(arm["command"], files_of_words, strict=True)
    ]
    changed: dict[str, Any] = {}
    for key, value in arm.items():  # keys have the order of a record that is made today
        changed |= {"command": command, "files": files} if key == "command" else {key: value}
    return changed


def _file_of_server(word: Any) -> tuple[str, str]:
    """Return the file that a word of a command names ("" if it names none), and the rest of the
    word.
    """
    if not isinstance(word, str):
        return "", ""
    if match := _FILE.fullmatch(word):
        return match[1], ""
    if match := _MODULE.fullmatch(word):
        return match[1].replace(".", "/") + ".py", f":{match[2]}"
    return "", ""


def _programs(kind: str | None, options: dict[str, Any]) -> list[Path]:
    """The files that the digest of a record may be of."""
    if kind == "program" and isinstance(program := options.get("program"), str):
        return [paths.ROOT / program]
    if kind == "examination" and isinstance(words := options.get("command"), list):
        ends = tuple(f"/{word}" for word in words if str(word).endswith(".mjs"))
        # Its command names a file of the chapter's folder.
        programs = sorted((paths.ROOT / "book").rglob("*.mjs")) if ends else []
        return [file for file in programs if file.as_posix().endswith(ends)]
    return []


def _of_programs(programs: Iterable[Path], source: str) -> str:
    """The digest of the program that has the old digest `source`."""
    for program in programs:
        old_texts = "".join(_old_texts(program).values())
        if hashlib.sha256(old_texts.encode()).hexdigest()[:16] == source:
            return digest(covered(program))
    return source


def _old_texts(path: Path) -> dict[Path, str]:
    """The texts that make the digest of a program in schema 1."""
    texts: dict[Path, str] = {}
    queue = [path]
    for address in queue:
        with contextlib.suppress(OSError, ValueError):  # the address may not be a valid file name
            file = address.resolve() if texts else address
            if file not in texts and file.is_file():
                # If this fails, the text is of another program.
                texts[file] = file.read_text("utf-8", errors="replace")
                queue += [file.parent / name for name in _OLD_IMPORT.findall(texts[file])]
    return texts

"""The sentences that a program says: strings of its source with several words in them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

# A comment or a string of JavaScript; a regular expression too, since quotes in it begin no string.
JAVASCRIPT = re.compile(
    r"""//[^\n]* | /\*.*?\*/
    | (?P<string>"(?:[^"\\\n]|\\.)*" | '(?:[^'\\\n]|\\.)*'
        | `(?:[^`\\$]|\\.|\$(?!\{)|\$\{(?:[^{}`]|`[^`]*`|\{(?:[^{}]|\{[^{}]*\})*\})*\})*`)
    | (?<=[=(,:!&|?;{}\[]\ )/(?![*/ ])(?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/
    | (?<=[(!\[])/(?![*/ ])(?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/""",
    re.S | re.X,
)
VALUE = re.compile(r"\$\{(?:[^{}`]|`[^`]*`|\{(?:[^{}]|\{[^{}]*\})*\})*\}")
ESCAPES = {"n": "\n", "t": "\t", "r": "", "\n": ""}
IN_WORDS = re.compile(r"[A-Za-z]+(?:['’-][a-z]+)*[.,:;!?)”\"]*")


@dataclass(frozen=True)
class Message:
    """A message of a program, with `X` in place of each value, and the bytes of its source."""

    line: int
    text: str
    start: int
    end: int


def messages(name: str, text: str) -> Iterator[Message]:
    """The messages in the source of a program."""
    yield from (string for string in strings_of(name, text) if is_message(string.text))


def strings_of(name: str, text: str) -> Iterator[Message]:
    """All strings in the source of a program."""
    return of_python(text) if name.endswith(".py") else of_javascript(text)


def is_message(text: str) -> bool:
    """Whether these are words for a reader: at least four, and hardly anything else."""
    parts = text.replace("X", "").split()
    words = [part for part in parts if IN_WORDS.fullmatch(part.strip("(“\"'*`"))]
    inside = re.search(
        r"[;{}] *\n|=>|^\s*(?:SELECT|INSERT|CREATE|import|from) |</?\w+[^>]*>$", text
    )
    return len(words) >= 4 and len(words) >= 0.7 * len(parts) and not inside


def values(name: str, source: str) -> list[str]:
    """The values in a message's source."""
    if name.endswith(".py"):
        tree = ast.parse(f"({source})")
        return [
            ast.unparse(node) for node in ast.walk(tree) if isinstance(node, ast.FormattedValue)
        ]
    return VALUE.findall(source)


def of_javascript(text: str) -> Iterator[Message]:
    """Strings and templates; those joined by a plus are one."""
    at, sentence, last = 0, "", 0

    def message() -> Message:
        start, end = (len(text[:n].encode()) for n in (at, last))
        return Message(text.count("\n", 0, at) + 1, sentence, start, end)

    for match in JAVASCRIPT.finditer(text):
        if match["string"] is None:
            continue
        words = VALUE.sub("X", match["string"])[1:-1]
        words = re.sub(r"\\(.)", lambda m: ESCAPES.get(m[1], m[1]), words, flags=re.S)
        if sentence and re.fullmatch(r"\s*\+\s*", text[last : match.start()]):
            sentence += words
        else:
            if sentence:
                yield message()
            at, sentence = match.start(), words
        last = match.end()
    if sentence:
        yield message()


def of_python(text: str) -> Iterator[Message]:
    """Strings that are no documentation."""
    tree = ast.parse(text)
    inside: set[int] = set()
    lines = [0]
    for line in text.encode().splitlines(keepends=True):
        lines.append(lines[-1] + len(line))
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr):
            inside.add(id(node.value))
        if isinstance(node, ast.JoinedStr):
            inside.update(id(part) for part in node.values)
        if id(node) in inside and not isinstance(node, ast.JoinedStr):
            continue
        if isinstance(node, ast.JoinedStr):
            words = "".join(
                str(part.value) if isinstance(part, ast.Constant) else "X" for part in node.values
            )
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            words = node.value
        else:
            continue
        yield Message(
            node.lineno,
            words,
            lines[node.lineno - 1] + node.col_offset,
            lines[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0),
        )

"""What git knows of the criteria of claims: sentence, limit and Nodes of each, commit by commit."""

from __future__ import annotations

import re
import subprocess
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from house import ROOT

WHERE = ("book/*.md", "data/claims.toml")
TEXT = r"""(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`)"""
TOKEN = re.compile(TEXT + r"|[(\[{]|[)\]}]|,")
CALL = re.compile(r"\blab\.claim\(")
NAMED = re.compile(r"(above|below|between|sentence|node)\s*[:=](?!=)\s*(.*)", re.S)
PUBLISHED = ("sentence", "held", "same", "node", "expects", "ratio")
QUOTED = ("sentence", "wanted", "measured")
NUMBER = re.compile(r"\d+(?:\.\d+)?")

Criterion = dict[str, str]  # what a claim says and is held against, by the name of its argument


@dataclass(frozen=True)
class Change:
    """A criterion before and after a commit; `since` is the day of the change before, or ""."""

    id: str
    since: str
    day: str
    before: Criterion
    after: Criterion | None  # None: the claim is gone

    @property
    def keys(self) -> set[str]:
        """What differs: names of arguments."""
        after = self.after or {}
        names = self.before.keys() | after.keys()
        return {name for name in names if self.before.get(name) != after.get(name)}

    @property
    def new_numbers(self) -> set[str]:
        """The numbers of the limits and Nodes that the criterion has and did not have before."""
        after = self.after or {}
        texts = [(after.get(key, ""), self.before.get(key, "")) for key in self.keys - SAID]
        return {n for new, old in texts for n in NUMBER.findall(new)} - {
            n for _, old in texts for n in NUMBER.findall(old)
        }


SAID = {"sentence", "ratio", "expects"}  # arguments whose text is no limit


def history() -> list[Change]:
    """Return every change of a criterion along the main line of git, and in the work tree.

    A claim is gone if the work tree does not make it: an older chapter may have made it in a loop.
    """
    last_seen: dict[
        str, tuple[str, Criterion]
    ] = {}  # day and criterion of each claim, as last seen
    places: dict[str, dict[str, Criterion]] = {}  # by file
    changes = []
    now: dict[str, Criterion] = {}
    for day, files in [*_commits(), ("", _work_tree())]:
        if not day:
            places.clear()  # the work tree is told whole, a commit by what it changed
        for path, text in files.items():
            places[path] = dict(_criteria(path, text)) if text else {}
        now = {id: criterion for file in places.values() for id, criterion in file.items()}
        for id, criterion in now.items():
            since, before = last_seen.get(id, (day, criterion))
            if criterion != before:
                changes.append(Change(id, since, day, before, criterion))
            if criterion != before or id not in last_seen:
                last_seen[id] = (day, criterion)
    gone = [Change(id, day, "", old, None) for id, (day, old) in last_seen.items() if id not in now]
    return [*changes, *gone]


def made() -> dict[str, Criterion]:
    """Return the criteria of all claims in the work tree, by their ids."""
    return {id: found for path, text in _work_tree().items() for id, found in _criteria(path, text)}


def is_shallow() -> bool:
    """Return whether this copy lacks the history, or is no copy of a repository at all."""
    try:
        return _git("rev-parse", "--is-shallow-repository").strip() != b"false"
    except (OSError, subprocess.CalledProcessError):
        return True


def _git(*words: str, given: bytes | None = None) -> bytes:
    command = ["git", "-C", str(ROOT), *words]
    return subprocess.run(command, input=given, capture_output=True, check=True).stdout


def _commits() -> list[tuple[str, dict[str, str]]]:
    """Return the day of each commit of the main line and the texts of the files it changed."""
    said = _git(
        *("log", "--first-parent", "--diff-merges=first-parent", "--reverse", "--raw"),
        *("--no-abbrev", "--no-renames", "--format=C %as", "--", *WHERE),
    ).decode()
    commits: list[tuple[str, dict[str, str]]] = []
    for line in said.splitlines():
        if line.startswith("C "):
            commits.append((line[2:], {}))
        elif line.startswith(":"):
            modes, path = line.split("\t")
            commits[-1][1][path] = modes.split()[3]
    texts = _texts({blob for _, files in commits for blob in files.values()})
    return [(day, {path: texts[b] for path, b in files.items()}) for day, files in commits]


def _texts(blobs: set[str]) -> dict[str, str]:
    """Return the text of each blob, "" for the one of a file that was removed."""
    names = [blob for blob in blobs if set(blob) != {"0"}]
    output = _git("cat-file", "--batch", given="\n".join(names).encode())
    texts = {blob: "" for blob in blobs - set(names)}
    at = 0
    while at < len(output):
        end = output.index(b"\n", at)
        name, _, size = output[at:end].split()
        at = end + 2 + int(size)
        texts[name.decode()] = output[end + 1 : at - 1].decode()
    return texts


def _work_tree() -> dict[str, str]:
    files = [*ROOT.glob("book/**/*.md"), ROOT / "data/claims.toml"]
    return {str(file.relative_to(ROOT)): file.read_text("utf-8") for file in files}


@cache
def _criteria(path: str, text: str) -> tuple[tuple[str, Criterion], ...]:
    if path.endswith(".toml"):
        tables = tomllib.loads(text)
        return tuple(
            (id, {key: str(entry[key]) for key in keys if key in entry})
            for table, keys in (("claims", PUBLISHED), ("quoted", QUOTED))
            for id, entry in tables.get(table, {}).items()
        )
    return tuple(called(text)) if "lab.claim(" in text else ()


def called(text: str) -> Iterator[tuple[str, Criterion]]:
    """Yield what each call of `lab.claim` in a chapter, Python or JavaScript, is told of itself."""
    for call in CALL.finditer(text):
        name, *rest = arguments(text, call.end())
        id = re.fullmatch(r"""\s*["']([\w-]+)["']\s*""", name)
        criterion = _criterion(text, rest)
        if id and criterion:  # a published claim has its criterion in data/claims.toml
            yield id[1], criterion


def _criterion(text: str, given: list[str]) -> Criterion:
    criterion: Criterion = {}
    for argument in (one.strip() for one in given):
        if argument.startswith("{"):
            criterion |= _criterion(text, arguments(argument, 1))
        elif argument.startswith("..."):
            name = re.escape(argument[3:])
            if kept := re.search(rf"\bconst\s+{name}\s*=\s*(\{{.*?\}});?\n", text, re.S):
                criterion |= _criterion(text, [kept[1]])
        elif named := NAMED.fullmatch(argument):
            key, value = named.groups()
            criterion[key] = _said(value) if key in ("sentence", "node") else _limit(value)
    return criterion


def arguments(text: str, start: int) -> list[str]:
    """Return the arguments of a call, or the properties of an object, that begins at `start`."""
    depth, at, parts = 1, start, []
    for token in TOKEN.finditer(text, start):
        if token[0] in "([{":
            depth += 1
        elif token[0] in ")]}":
            depth -= 1
        if depth == 0 or (token[0] == "," and depth == 1):
            parts.append(text[at : token.start()])
            at = token.end()
        if depth == 0:
            return parts
    return [""]


def _said(value: str) -> str:
    texts = [text[1:-1].replace('\\"', '"').replace("\\'", "'") for text in re.findall(TEXT, value)]
    return " ".join("".join(texts).split())


def _limit(value: str) -> str:
    """Return a limit in one form; a name of a variable in it counts for nothing."""
    return re.sub(r"[A-Za-z_]\w*", "x", " ".join(value.split()).strip("()[], "))

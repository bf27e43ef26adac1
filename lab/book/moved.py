"""Programs were moved or renamed: their records follow them, so that nothing is measured again.

A record names its program by path, and holds a digest of it and of all that it imports. Both are
rewritten in the reference run, and only where nothing was edited but the relative addresses by
which files find each other, and each still means the file that it meant. Runs in data/runs need no
change: they are found by their experiment, whatever they ran.
"""

from __future__ import annotations

import functools
import json
import posixpath
import re
import subprocess
from collections.abc import Callable, Iterator, Mapping
from itertools import zip_longest
from pathlib import Path

from lab import paths
from lab.errors import LabError
from lab.measure.program import covered, digest
from lab.records.output import PROGRAM
from lab.storage import stored, written

# What stands before the address of another file, and what after it.
_BEFORE = re.compile(r"(?:^|[^.] )(?:from|import(?: \()?|require(?: \. resolve)? \(|new URL \()$")
_BASE = [",", "import", ".", "meta", ".", "url"]
# An argument with an address on a line of its own: a formatter wraps a line that becomes longer.
_WRAPPED = re.compile(r"\(\n[ \t]*([^\n]*\0[^\n]*?),?\n[ \t]*\)")
_MARK = "\0"  # before a file that is meant; doubled where a program itself has it


class NotMoved(LabError):
    """A record can't follow; none was changed."""


def moved(pairs: Mapping[str, str] | None = None, since: str = "HEAD") -> list[str]:
    """Let the records of moved files follow them; return their experiments.

    pairs : where each was and where it is, as paths from the root; by default the files that git
    holds for renamed, compared with `since`, the commit that has them where they were.

    Raises NotMoved, with nothing written, if one is not there, or not in this project, or a program
    is another than the one recorded. What follows already stays as it is.
    """
    before = _commit(since)
    moves = _renamed(since) if pairs is None else dict(map(_pair, pairs.items()))
    changed = {}
    for file in sorted(paths.REFERENCE.glob("*.json")):
        found = stored.read_json(file, stored.FROM_GIT)
        if found.get("kind") == PROGRAM.name:
            recorded = found["question"]["options"]
            if follows := _following(file, recorded["program"], recorded["source"], before, moves):
                changed[file] = follows
    for file, text in changed.items():
        written.write(file, text.encode())
    return [file.stem for file in changed]


def _following(
    file: Path,
    old: str,
    source: str,
    before: Callable[[Path], str | None],
    moves: Mapping[str, str],
) -> str:
    """The text of a record that follows its program; empty where none of that moved, or it already
    has.
    """
    new = moves.get(old, old)
    was, now = covered(paths.ROOT / old, before), covered(paths.ROOT / new)
    if old in moves and not was:
        raise NotMoved(
            f"{old} is not in the commit that has the old programs. Name another commit with "
            "--from."
        )
    if not moves.keys() & {paths.relative(one) for one in was}:
        return ""
    if (new, digest(now)) == (old, source):
        return ""
    if digest(was) != source:
        raise NotMoved(
            f"{old}, or a file that it imports, had already been edited when "
            f"{paths.relative(file)} was recorded. Record it again with `make reference`."
        )
    _same(was, now, moves)
    return _rewritten(file, (old, source), (new, digest(now)))


def _pair(names: tuple[str, str]) -> tuple[str, str]:
    old, new = (paths.relative(paths.ROOT / one) for one in names)
    if Path(new).is_absolute():
        raise NotMoved(f"{new} is not in this project.")
    if not (paths.ROOT / new).is_file():
        raise NotMoved(f"There is no file {new}. Move the program first, then its records.")
    if (paths.ROOT / old).exists():
        raise NotMoved(f"{old} still exists, so its records belong to it.")
    return old, new


def _git(*words: str) -> str | None:
    """What git says, with paths as seen from the root; None if it knows nothing of that."""
    command = ["git", "-c", "core.quotePath=false", *words]
    try:
        done = subprocess.run(
            command,
            cwd=paths.ROOT,
            capture_output=True,
            timeout=60,
            encoding="utf-8",
            check=False,
        )
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        raise NotMoved(f"git has the old programs, but it could not be run: {error}") from None
    return None if done.returncode else done.stdout


def _commit(since: str) -> Callable[[Path], str | None]:
    """What gives the text that a file had at that commit."""
    output = _git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{since}^{{commit}}")
    if output is None:
        raise NotMoved(
            f"{since} is not a commit of this repository. The old programs are read from a commit."
        )
    commit = output.strip()
    there = (_git("ls-tree", "-r", "-z", "--name-only", commit) or "").split("\0")

    @functools.cache
    def text(path: Path) -> str | None:
        at = paths.relative(path)
        return _git("show", f"{commit}:./{at}") if at in there else None

    return text


def _renamed(since: str) -> dict[str, str]:
    changes = ("diff", "--name-status", "-z", "-M", "--diff-filter=R", "--relative")
    words = (_git(*changes, since, "--") or "").split("\0")
    return dict(map(_pair, zip(words[1::3], words[2::3], strict=False)))


def _same(was: Mapping[Path, str], now: Mapping[Path, str], moves: Mapping[str, str]) -> None:
    """Raises NotMoved if anything but addresses was edited, or one means another file now."""
    here = {paths.relative(file): text for file, text in now.items()}
    for file, text in was.items():
        old = paths.relative(file)
        new = moves.get(old, old)
        if new not in here:
            raise NotMoved(f"{old} was part of the program that was recorded, and {new} is not.")
        both = zip_longest(_lines(text, old, moves), _lines(here.pop(new), new, {}))
        for line, (before, after) in enumerate(both, 1):
            if before != after:
                raise NotMoved(
                    f"{new}, line {line}: {_shown(after)} was {_shown(before)}. You may edit "
                    "only addresses, and each address must lead to the same file as before. "
                    "Otherwise, record the experiment again with `make reference`."
                )
    if here:
        raise NotMoved(f"{min(here)} was not part of the program that was recorded, and is now.")


def _lines(text: str, file: str, moves: Mapping[str, str]) -> list[str]:
    """The lines of a program, with the file that is meant in place of each relative address."""
    parts, end = [], 0
    for start, stop in _addresses(text):
        meant = posixpath.normpath(posixpath.join(posixpath.dirname(file), text[start:stop]))
        slash = "/" if text[:stop].endswith("/") else ""
        parts += [text[end:start].replace(_MARK, 2 * _MARK), _MARK, moves.get(meant, meant), slash]
        end = stop
    meaning = "".join([*parts, text[end:].replace(_MARK, 2 * _MARK)])
    return _WRAPPED.sub(r"(\1)", meaning).split("\n")


def _addresses(text: str) -> Iterator[tuple[int, int]]:
    """Where relative addresses stand in a program, without their quotes: strings that are imported
    or required, or resolved against the address of the module. What a comment or another string
    says is none.
    """
    from pygments.lexers import JavascriptLexer
    from pygments.token import Comment, String

    tokens = [
        (at, kind, word)
        for at, kind, word in JavascriptLexer().get_tokens_unprocessed(text)
        if word.strip() and kind not in Comment
    ]
    words = [word for _, _, word in tokens]
    for i, (at, kind, word) in enumerate(tokens):
        if kind not in String or not re.fullmatch(r"""(["'])\.[^\\]*\1""", word):
            continue
        before = _BEFORE.search(" ".join(words[max(i - 5, 0) : i]))
        if before and ("URL" not in before[0] or words[i + 1 : i + 7] == _BASE):
            yield at + 1, at + len(word) - 1


def _shown(line: str | None) -> str:
    return "no line" if line is None else f"`{line.replace(_MARK, '').strip()}`"


def _rewritten(file: Path, old: tuple[str, str], new: tuple[str, str]) -> str:
    """The text of a record with the other name and digest; all else stays, byte by byte."""
    text = file.read_text("utf-8")
    names = [[json.dumps(word) for word in pair] for pair in (old, new)]
    pattern = r'("program": ){}(,\s*"source": ){}'.format(*map(re.escape, names[0]))
    followed, count = re.subn(pattern, lambda m: f"{m[1]}{names[1][0]}{m[2]}{names[1][1]}", text)
    if count != 1:
        raise NotMoved(
            f"{paths.relative(file)} was not written by this project, because it has {old[0]} "
            "in another form."
        )
    return followed

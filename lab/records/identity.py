"""The question that an experiment asks, without its answer. A record is replayed only if its
question is the same.

A program is identified by the digest of its text. Its path is a label: a program that moves is the
same program.

Durations and pairs don't belong to the question, because the profile scales them: a longer run
answers the same question better. Only "no warm-up at all" is another question. The question has no
paths of the machine.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from lab import paths
from lab.errors import LabError
from lab.processes import nodes
from lab.servers.program import Program
from lab.storage.gate import shown
from lab.storage.json_form import canonical, plain

PROGRAM_LABEL = "program"  # the option that holds the path of a program
_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,99}")


def experiment_id(name: str | None, chapter: str, arms: Iterable[str]) -> str:
    """Return the id under which a result is stored: as given, or made of chapter and arms.

    Raises LabError if it would not do as a file name.
    """
    if name is None:
        parts = [chapter.rsplit(".", 1)[0], *arms]
        return re.sub(r"[^a-z0-9._]+", "-", "-".join(parts).lower()).strip("-.")[:100] or "unnamed"
    if not _NAME.fullmatch(name):
        raise LabError(
            f"experiment={shown(name)} can't be stored under that name, which may have only "
            "lower-case letters, digits, '-', '.' and '_', at most 100"
        )
    return name


def portable(text: str) -> str:
    """Return a command word or a setting without the parts that differ between machines: the root
    folder, the interpreters.
    """
    if Path(text).is_absolute() and nodes.is_node(text):
        return "{node}"
    if Path(text).is_absolute() and re.fullmatch(r"python[0-9.]*", Path(text).name):
        return "{python}"
    return text.replace(str(paths.ROOT), "{root}")


def of_recipe(recipe: Program) -> dict[str, Any]:
    """Return what identifies a server: program text, command and parameters; and, as labels, its
    files.
    """
    return {
        "server": recipe.name,
        "command": [_unplaced(word, recipe.sources) for word in recipe.command],
        "files": [portable(paths.relative(file)) for file in recipe.sources],
        "env": {k: portable(str(v)) for k, v in sorted(recipe.env.items())},
        "workers": recipe.workers,
        "source": recipe.source_sha256[:16],
    }


def _unplaced(word: str, sources: Iterable[Path]) -> str:
    """Return a word of a command with {source} in place of the server's first file, {source 2} in
    place of the second. The file may also be written as a module with the name of its application,
    as gunicorn takes it.
    """
    module, colon, application = word.partition(":")
    for number, source in enumerate(sources, 1):
        if paths.ROOT / word == source:
            return source_word(number)
        dotted = paths.relative(source).removesuffix(source.suffix).replace("/", ".")
        if colon and module == dotted:
            return f"{source_word(number)}:{application}"
    return portable(word)


def source_word(number: int) -> str:
    """Return how a command names a file of its server, the first as number 1."""
    return "{source}" if number == 1 else f"{{source {number}}}"


def question(
    arms: Mapping[str, Any],
    sweep: str = "",
    values: Iterable[Any] = (),
    options: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return the question as plain data. arms : name -> what `of_recipe` gives, or a list of it per
    swept value.
    """
    asked = {"arms": dict(arms), "sweep": sweep, "values": list(values), "options": options or {}}
    return plain({**asked, "options": _asked(asked)})


def _asked(question: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of a question without its durations. Old records have the durations, and
    their questions are compared as well.

    No profile scales the durations of a survey of tools (its sweep is "tools"), so they stay.
    """
    options = dict(question.get("options") or {})
    if question.get("sweep") == "tools":
        return options
    if by_arm := options.pop("by arm", None):
        options["by arm"] = {arm: _timeless(own) for arm, own in by_arm.items()}
    return _timeless(options)


def _timeless(options: Mapping[str, Any]) -> dict[str, Any]:
    cold = {"warmup": 0} if options.get("warmup") == 0 else {}
    return {k: v for k, v in options.items() if k not in ("seconds", "warmup")} | cold


def differences(old_question: Mapping[str, Any], question: Mapping[str, Any]) -> list[str]:
    """Return in words what changed since a question was recorded; empty if it is the same."""
    changes: list[str] = []
    old, new = _arms(old_question), _arms(question)
    if list(old) != list(new):
        changes.append(f"arms: recorded {', '.join(old)}; now {', '.join(new)}")
    for arm in [a for a in new if a in old]:
        changes += _arm(arm, old[arm], new[arm])
    for key in ("sweep", "values"):
        if canonical(old_question.get(key)) != canonical(question.get(key)):
            changes.append(f"{key}: recorded {old_question.get(key)}; now {question.get(key)}")
    before, now = _asked(old_question), _asked(question)
    for key in sorted({*before, *now} - {PROGRAM_LABEL}):
        if canonical(before.get(key)) != canonical(now.get(key)):
            changes.append(f"{key}: recorded {before.get(key)!r}; now {now.get(key)!r}")
    return changes


def _arms(question: Mapping[str, Any]) -> dict[str, Any]:
    """The arms of a question without the labels of their servers."""
    return {
        name: [_unlabelled(one) for one in arm] if isinstance(arm, list) else _unlabelled(arm)
        for name, arm in question.get("arms", {}).items()
    }


def _unlabelled(arm: Any) -> Any:
    return {k: v for k, v in arm.items() if k != "files"} if isinstance(arm, Mapping) else arm


def _arm(arm: str, old: Any, new: Any) -> list[str]:
    if isinstance(old, list) or isinstance(new, list):
        if canonical(old) == canonical(new):
            return []
        pairs = (
            list(zip(old, new, strict=False))
            if isinstance(old, list) and isinstance(new, list)
            else []
        )
        return [w for o, n in pairs for w in _arm(arm, o, n)][:3] or [
            f"arm {arm}: a different set of servers"
        ]
    if canonical(old) == canonical(new):
        return []
    keys = [k for k in {**old, **new} if canonical(old.get(k)) != canonical(new.get(k))]
    what = ["the program" if k == "source" else k for k in keys]
    return [f"arm {arm}: {' and '.join(what)} changed"]

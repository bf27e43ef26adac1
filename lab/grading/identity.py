"""Whose a file is, by its path in a folder or an archive.

    anna/summary.mjs                                      a folder for each student
    Submitted files/Anna Bohm/Week 1/Version 2/summary.mjs    so does Teams
    Anna Bohm_4711_assignsubmission_file_/summary.mjs     Moodle, a folder for each
    Anna Bohm_4711_assignsubmission_file_summary.mjs      Moodle, without folders
    bohmanna_LATE_815_90210_summary-1.mjs                 Canvas; -1 of what was handed in again
    anon_Jv2Gp_90210_summary.mjs                          Canvas, anonymous
    Week 1_abohm_attempt_2026-11-27-10-11-12_summary.mjs  Blackboard
    815-90210 - Anna Bohm - Nov 27, 2026 1011 AM/summary.mjs   Brightspace
    anna+week-1+2026-11-27 10:11:12.123456 UTC+aX9f/summary.ipynb     nbgrader's exchange

Students choose the names of their files, so only what the platform writes before these counts: the
first number of a path, and one kind of platform for a whole archive. Two students are never one:
where two numbers or names would get the same id, the number tells them apart, or all are refused.
"""

from __future__ import annotations

import hashlib
import itertools
import os
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from lab.grading.entries import Entry

ROSTER = "roster.csv"
NOT_IN_A_FOLDER = "it is not in a student's folder"
# What Moodle calls everybody in an export without names, by language.
_ANONYMOUS = {
    "participant", "participante", "participants", "partecipante", "teilnehmer", "teilnehmerin",
    "teilnehmer-in", "teilnehmer_in", "teilnehmende-r", "deelnemer", "deltager", "deltagare",
    "deltaker", "osallistuja", "uczestnik", "účastník", "résztvevő", "участник", "учасник",
    "anonymous", "anon",
}  # fmt: skip
_STAMP = r"\d{4}-\d\d-\d\d-\d\d-\d\d-\d\d"
_AGAIN = re.compile(r"-([1-9]\d*)(?=\.\w+$)")
MOST_OF_PATH = 1000  # no platform writes a longer one, and a pattern takes its time over it
Key = tuple[str, str, str, str]  # kind, name, number, archive


@dataclass(frozen=True)
class Owner:
    """The owner that a path names, and the name of the file in the owner's folder."""

    kind: str  # of platform, or FOLDER
    name: str
    number: str
    file: str  # below the student's folder
    attempt: tuple[str | int, ...] = ()  # a later one is larger
    archive: str = ""  # in which zip it was

    @property
    def key(self) -> Key:
        """A key that only the files of one student share."""
        # A platform's number says who it is in each of its archives; a folder's name does not.
        archive = "" if self.number else self.archive
        return (self.kind, unicodedata.normalize("NFC", self.name), self.number, archive)


FOLDER = "a folder for each student"
CANVAS, NBGRADER = "Canvas", "nbgrader"
_NAME = r"(?P<name>(?:(?!_\d+_)[^/])+?)"
KINDS = {
    "Moodle": re.compile(
        _NAME + r"_(?P<number>\d+)_assignsubmission_[a-z]+(?:_?/|_)(?P<file>.+)", re.S
    ),
    CANVAS: re.compile(
        r"(?:(?P<name>[^_/]+)_(?:LATE_)?(?P<number>\d+)"
        r"|(?P<anonymous>anon)_(?:LATE_)?(?P<code>[A-Za-z0-9]+)(?:_LATE)?)"
        r"_(?:(?P<first>\d+)_)?(?P<file>[^/]+)",
        re.S,
    ),
    "Blackboard": re.compile(
        rf"(?P<name>(?:(?!_attempt_{_STAMP})[^/])+)_attempt_(?P<first>{_STAMP})"
        r"(?:_(?P<file>[^/]+)|(?P<note>\.txt))",
        re.S,
    ),
    "Brightspace": re.compile(
        r"(?P<number>\d+)-(?P<first>\d+) ?- (?P<name>[^/]+?) ?- "
        r"(?P<when>[^-/]*\d{4}[^-/]*?)(?: - |/)(?P<file>.+)",
        re.S,
    ),
    NBGRADER: re.compile(
        r"(?P<name>[^+/]+)\+[^+/]+\+(?P<first>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d[^+/]*)"
        r"(?:\+[^+/]*)?/(?P<file>.+)",
        re.S,
    ),
}


def owner(kind: str, path: str) -> Owner | None:
    """Return the owner of a path in an archive of this kind, None if the path names no owner."""
    if kind == FOLDER:
        folder, cut, file = path.partition("/")
        return Owner(FOLDER, folder, "", file) if cut and file else None
    found = KINDS[kind].fullmatch(path) if len(path) <= MOST_OF_PATH else None
    if found is None:
        return None
    part = {name: text for name, text in found.groupdict().items() if text}
    name = part.get("name") or part.get("anonymous", "")
    number = part.get("number") or part.get("code", "")
    file = part.get("file", f"attempt{part.get('note', '')}")
    if kind == CANVAS:
        return _of_canvas(name, number, file, part)
    attempt: tuple[str | int, ...] = ()
    if kind in ("Blackboard", NBGRADER):
        attempt = (part["first"],)
    elif kind == "Brightspace":
        attempt = (_time(part["when"]),)
    return Owner(kind, name, number, file, attempt)


def _of_canvas(name: str, number: str, file: str, part: Mapping[str, str]) -> Owner | None:
    """Canvas writes -1 behind the name of a file that was handed in again."""
    if "first" not in part and file not in ("text.html", "link.html"):
        return None
    again = _AGAIN.search(file)
    attempt = (int(again[1]) if again else 0, int(part.get("first", 0)))
    plain = _AGAIN.sub("", file) if again else file
    return Owner(CANVAS, name, number, plain, attempt)


def with_numbers(files: list[Owned], names: Container[str]) -> list[Owned]:
    """Return the files with the names that end in a number of their own, such as drop-11.mjs,
    which Canvas writes as if it were the eleventh drop.mjs.

    names : what hand-ins are called, in lower case and without suffix.
    """
    renamed_files = []
    for file in files:
        owner = file.owner
        stem, dot, suffix = owner.file.rpartition(".")
        called = f"{stem}-{owner.attempt[0]}" if owner.kind == CANVAS and dot else ""
        if called.lower() in names and stem.lower() not in names:
            owner = replace(owner, file=f"{called}.{suffix}", attempt=(0, *owner.attempt[1:]))
        renamed_files.append(replace(file, owner=owner))
    return renamed_files


def without_assignment(files: list[Owned]) -> list[Owned]:
    """Blackboard writes the assignment before a name, the same one everywhere: without it."""
    names = {file.owner.name for file in files if file.owner.kind == "Blackboard"}
    cut = len(_shared(names).rpartition("_")[0])
    cut += cut > 0
    return [
        replace(file, owner=replace(file.owner, name=file.owner.name[cut:]))
        if file.owner.kind == "Blackboard"
        else file
        for file in files
    ]


def _shared(names: set[str]) -> str:
    """Return the longest common prefix of all names."""
    if not names:
        return ""
    first, last = min(names), max(names)
    same = itertools.takewhile(lambda pair: pair[0] == pair[1], zip(first, last, strict=False))
    return "".join(sign for sign, _ in same)


def _time(text: str) -> str:
    """A time as Brightspace writes it, so that a later one is larger; else as it is."""
    for form in ("%b %d, %Y %I%M %p", "%d %B, %Y %H%M", "%B %d, %Y %I%M %p", "%d %B %Y %H%M"):
        try:
            return datetime.strptime(" ".join(text.split()), form).isoformat()
        except ValueError:
            continue
    return text


def kind_of(paths: Iterable[str]) -> tuple[str, ...]:
    """Which platform named these: the kind that fits most. More than one where that is in doubt.

    What a platform wrote fits its kind wholly, so whatever students call their files, another kind
    fits as many at most.
    """
    fits = Counter({kind: 0 for kind in KINDS})
    for path in paths:
        fits.update(kind for kind in KINDS if owner(kind, path))
    most = max(fits.values())
    return tuple(kind for kind in KINDS if fits[kind] == most) if most else (FOLDER,)


def student_id(name: str) -> str:
    """A name as a student's id: a folder's name that nbgrader and every system can do with."""
    plain = unicodedata.normalize("NFKC", name).strip().lower()
    kept = re.sub(r"[^\w.@-]+", "-", plain).strip("-.")
    return kept[:80] or "unnamed"


def matched(name: str) -> str:
    """A name as the roster is asked for it: however its letters are composed and spaced."""
    return " ".join(unicodedata.normalize("NFC", name).split()).casefold()


@dataclass(frozen=True)
class Owned:
    """An entry and whose it is."""

    entry: Entry
    owner: Owner
    is_correction: bool = False  # laid beside the archive by the instructor
    inside: str = ""  # its path within a zip of the student's own, whose path `owner` has

    @property
    def file(self) -> str:
        """Its path below the student's folder."""
        return f"{self.owner.file}/{self.inside}" if self.inside else self.owner.file

    @property
    def shown(self) -> str:
        """The path in a line of the report, with the folder if the platform names an attempt."""
        return self.entry.path if self.owner.attempt else self.file

    @property
    def top(self) -> str:
        """The path of what names its student: a folder, or the file itself."""
        above = self.entry.path.removesuffix(self.owner.file)
        return above.rstrip("/") if above.endswith("/") else self.entry.path


@dataclass(frozen=True)
class Unowned:
    """An entry that is no student's, with the reason."""

    entry: Entry
    why: str
    is_refused: bool = True
    folder: str = ""  # whose entries all have this reason


def students(
    files: Iterable[Owned], roster: Mapping[str, str], *, as_they_are: bool = False
) -> tuple[dict[str, list[Owned]], list[Unowned]]:
    """Whose entries are whose, by the student's id; and those of students who cannot be told apart.

    roster : ids by name or number, names as `matched` gives them.
    as_they_are : the names of plain folders are ids as they are.
    """
    groups: dict[Key, list[Owned]] = defaultdict(list)
    for one in files:
        groups[one.owner.key].append(one)
    numbers = Counter((key[0], key[2]) for key in groups if key[2])
    ids = {key: _id(key, roster, as_they_are) for key in groups}
    for student, count in Counter(ids[key] for key in groups if key[2]).items():
        if count > 1:
            for key in groups:
                if key[2] and ids[key] == student and _by_name(key, roster):
                    ids[key] = _with_number(key)
    return _apart(groups, ids, numbers)


def _apart(
    groups: dict[Key, list[Owned]],
    ids: dict[Key, str],
    numbers: Counter[tuple[str, str]],
) -> tuple[dict[str, list[Owned]], list[Unowned]]:
    """Refuse all whose ids are the same, and all who share a number."""
    files_by_student: dict[str, list[Owned]] = {}
    refusals: list[Unowned] = []
    same: dict[str, list[Key]] = defaultdict(list)
    for key, student in ids.items():
        same[_folded(student)].append(key)
    for equal in same.values():
        keys = _without_corrections(equal, groups)
        number = (keys[0][0], keys[0][2])
        if len(keys) == 1 and numbers[number] <= 1:
            files_by_student[ids[keys[0]]] = groups[keys[0]]
            continue
        others = keys if len(keys) > 1 else [k for k in groups if (k[0], k[2]) == number]
        paths = sorted({groups[key][0].top for key in others})
        why = (
            f"{' and '.join(paths)} lead to the same student, {ids[keys[0]]!r}: "
            f"name each in {ROSTER}, or rename the folders"
        )
        refusals += [Unowned(one.entry, why, folder=one.top) for k in keys for one in groups[k]]
    return files_by_student, refusals


def _without_corrections(keys: list[Key], groups: dict[Key, list[Owned]]) -> list[Key]:
    """A folder beside an archive that has a student's id as its name is the instructor's: what lies
    in it is added to what the student handed in, and counts first.
    """
    loose = [key for key in keys if key[0] == FOLDER and not key[3]]
    other_keys = [key for key in keys if key not in loose]
    if len(loose) != 1 or len(other_keys) != 1 or loose[0][1] != student_id(loose[0][1]):
        return keys
    corrections = [replace(one, is_correction=True) for one in groups[loose[0]]]
    groups[other_keys[0]] = [*groups[other_keys[0]], *corrections]
    return other_keys


def _folded(student: str) -> str:
    return unicodedata.normalize("NFC", student)


def _by_name(key: Key, roster: Mapping[str, str]) -> bool:
    return roster.get(matched(key[2])) is None and roster.get(matched(key[1])) is None


def _id(key: Key, roster: Mapping[str, str], as_they_are: bool) -> str:
    kind, name, number, _ = key
    by_number = roster.get(matched(number)) if number else None
    known = by_number or roster.get(matched(name)) or _in_group(name, roster)
    if known:
        return known
    if kind in (FOLDER, NBGRADER) and as_they_are:
        return name
    if kind == CANVAS or student_id(name) in _ANONYMOUS:
        return _with_number(key)
    plain = student_id(name)
    return plain if plain != "unnamed" else _with_number(key)


def _in_group(name: str, roster: Mapping[str, str]) -> str:
    """Moodle writes the group before the name: "Group A-Anna Bohm"."""
    parts = name.split("-") if len(name) < MOST_OF_PATH else []
    known = {roster.get(matched("-".join(parts[at:])), "") for at in range(1, len(parts))} - {""}
    return known.pop() if len(known) == 1 else ""


def _with_number(key: Key) -> str:
    """An id that its number tells from others; a name of signs only, by the signs."""
    mark = key[2] or hashlib.sha256(os.fsencode(key[1])).hexdigest()[:8]
    return f"{student_id(key[1])[:60]}-{mark}"

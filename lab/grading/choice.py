"""Which of a student's files counts for each exercise, and what becomes of all others.

A file that lies at the top of a student's folder counts first, a program before a notebook, as the
README says. Programs end in .mjs, .cjs or .js, in this order. What is the starter still counts
after what was worked on, what a platform calls a later attempt before an earlier one (a folder
`Version 2` before `Version 1`), and what lies in a folder such as `old` last. Where only the
alphabet would decide, and the programs differ, none counts and both are named.

All files in a folder that is called like a step of a project, or in a zip of that name, are one
hand-in, with the libraries in its node_modules.
"""

from __future__ import annotations

import functools
import re
from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import PurePosixPath
from typing import Any

from lab.errors import nearest
from lab.grading import entries, folders, handin, hints, notes
from lab.grading import exercise as exercises
from lab.grading.entries import Entry
from lab.grading.exercise import Exercise
from lab.grading.handin import NOTEBOOK, STRIPPED, SUFFIXES, TYPED, BadHandIn, HandIn
from lab.grading.identity import Owned
from lab.grading.result import clean, plain_name

JUDGED, LISTED, REFUSED = "judged", "listed", "refused"
MOST_READ = 4 * handin.MOST_OF_FILE  # bytes of one student's files
MOST_NAMELESS = 100  # programs of one student of which it is said what they may be for
MOST_NOTEBOOKS = 200
NOTES = {notes.FILE, "my-answers.json"}
BESIDE = {*NOTES, "timestamp.txt", "submission_secret.txt"}
NOT_ASKED = "not asked for now"
BESIDE_THE_WORK = "a note next to the work"
WRONG_SUFFIX = "a program ends in .mjs, .cjs or .js, a notebook in .ipynb"
_WRAPPERS = entries.PACKED | {entries.ZIP}
_TEXTS = {".docx", ".doc", ".odt", ".rtf", ".pdf", ".pages"}
_PARTS = ("mjs", "cjs", "js", "ipynb")  # within a name: a suffix too many
_OLD = re.compile(
    r"(old|older|versions?|backups?|bak|archive|drafts?|copy|copies|previous|trash"
    r"|feedback attachment\(s\))"  # what Sakai gives back
)
_VERSION = re.compile(r"version (\d{1,9})")  # a folder for each attempt, as Teams makes them
# What browsers and file managers add to the name of a copy.
_COPY = re.compile(r"^copy of | ?\(\d{1,3}\)$|(?: -)? copy(?: ?\(?\d{1,3}\)?)?$", re.I)
_EXPORTS = re.compile(r"^export\s+(?:async\s+)?(?:function\*?|const|class)\s+(\w+)", re.M)
_GIVEN = re.compile(r"^(?:module\.exports\s*=\s*\{([\w\s,]*)\}|exports\.(\w+)\s*=)", re.M)


@dataclass(frozen=True)
class Fate:
    """What became of one file, or of the files of a folder that is skipped: judged, listed or
    refused. `student` may be empty.
    """

    student: str
    file: str  # within the student's folder; empty: the folder itself
    fate: str
    why: str = ""
    files: int = 1
    is_plain: bool = False  # no program and no notebook: a line for all of a student's is enough

    def __str__(self) -> str:
        where = "/".join(part for part in (self.student, plain_name(self.file)) if part)
        many = f" ({self.files:,} files)" if self.files > 1 else ""
        return f"{where}{many}: {self.why}"


@dataclass(frozen=True)
class Chosen:
    """The work that counts for one exercise: a program, or the reason why there is none."""

    exercise: Exercise
    owned: Owned
    hand_in: HandIn | None
    why: str = ""
    is_doubtful: bool = False  # another file has the same right to count
    parts: tuple[Owned, ...] = ()  # the other files of a folder
    is_folder: bool = False


@dataclass
class Choice:
    """All of one student: what counts for each exercise, and what became of each file."""

    student: str
    chosen: dict[str, Chosen] = field(default_factory=dict)
    fates: list[tuple[Owned, Fate]] = field(default_factory=list)
    notes: list[Fate] = field(default_factory=list)  # of files that are judged for something else
    opened: dict[str, int] = field(default_factory=dict)  # hints, by exercise
    read: Callable[[Owned], bytes] | None = None  # while its archive is open


class Exercises:
    """The exercises that are meant, looked at once for a whole class."""

    def __init__(self, only: Iterable[str] = (), week: str = "") -> None:
        self.all = tuple(exercises.names())
        self.meant = frozenset(only) or frozenset(self.all)
        self.week = week  # in which only some are judged
        self._known: dict[str, Exercise] = {}

    def __getitem__(self, name: str) -> Exercise:
        if name not in self._known:
            self._known[name] = exercises.exercise(name)
        return self._known[name]

    @cached_property
    def steps(self) -> frozenset[str]:
        """Those whose hand-in may be a folder."""
        return frozenset(
            one.id for project in exercises.projects() for one in exercises.steps(project)
        )

    @cached_property
    def by_exports(self) -> dict[frozenset[str], list[str]]:
        """Which exercises ask for exports of these names."""
        found = defaultdict(list)
        for name in self.all:
            found[frozenset(_exported(self[name].begin()))].append(name)
        return dict(found)


@dataclass(frozen=True)
class _Candidate:
    """A file that could count for an exercise."""

    owned: Owned
    name: str  # of the exercise
    hand_in: HandIn | None
    why: str
    rank: tuple[Any, ...]
    parts: tuple[Owned, ...] = ()  # the other files of a folder
    is_folder: bool = False

    @property
    def all(self) -> tuple[Owned, ...]:
        """All its files."""
        return (self.owned, *self.parts)

    @property
    def is_starter(self) -> bool:
        """Whether the program is still the starter."""
        return bool(self.rank[1])

    @property
    def content(self) -> str:
        return _content_of(self.hand_in) if self.hand_in else f"\0{self.owned.shown}"


def _content_of(hand_in: HandIn) -> str:
    """What is equal for two hand-ins that are the same."""
    return f"\0{hand_in.digest}" if hand_in.files else hand_in.text


class _Reader:
    """Reads the files of one student, up to so many bytes."""

    def __init__(self) -> None:
        self._left = MOST_READ
        self._read: dict[int, bytes] = {}

    def __call__(self, file: Owned, most: int = handin.MOST_OF_FILE + 1) -> bytes:
        """Return the content of a file. Raises BadHandIn."""
        content = self._read.get(id(file))
        if content is None:
            if self._left <= 0:
                raise BadHandIn(f"this student's files have more than {MOST_READ >> 20} MiB")
            content = self._read[id(file)] = file.entry.read(most)
            self._left -= len(content)
        return content


def chosen(student: str, files: Iterable[Owned], exercises: Exercises) -> Choice:
    """Return the work that counts of one student's files. Each file has one fate."""
    files_in_order = sorted(files, key=lambda one: (one.file.count("/"), one.shown))
    read = _Reader()
    choice = Choice(student, read=read)
    candidates: dict[str, list[_Candidate]] = defaultdict(list)
    other_files: list[tuple[Owned, list[str]]] = []  # files that count for nothing, and why
    nameless, notebooks = 0, 0
    taken = _folders(files_in_order, exercises, read, candidates)
    for file in files_in_order:
        if id(file) in taken:
            continue
        path = PurePosixPath(file.file)
        suffix, stem = path.suffix.lower(), path.stem.lower()
        if suffix in SUFFIXES and stem not in exercises.all:
            stem = _COPY.sub("", stem)
        if file.entry.is_skipped or file.entry.is_locked:
            other_files.append((file, []))
        elif (_may_be(suffix, stem, exercises) and stem in exercises.meant) or (
            suffix == NOTEBOOK and file.entry.fault and exercises.week and stem in exercises.meant
        ):
            candidates[stem].append(_program(file, exercises[stem], read))
        elif suffix == NOTEBOOK and not file.entry.fault:
            notebooks += 1
            why = _notebook(file, exercises, read, candidates, is_read=notebooks <= MOST_NOTEBOOKS)
            other_files.append((file, why))
        elif suffix in SUFFIXES:
            nameless += 1
            other_files.append(
                (file, [_other(file, exercises, read, is_read=nameless <= MOST_NAMELESS)])
            )
        else:
            other_files.append((file, []))
    _choose(choice, candidates, exercises)
    _fates(choice, candidates, other_files, exercises)
    _hints(choice, files_in_order, read)
    return choice


def _may_be(suffix: str, stem: str, course: Exercises) -> bool:
    """Whether a file is a program by its name: TypeScript only where it may be handed in."""
    return suffix in SUFFIXES or (suffix in STRIPPED and stem in course.steps)


def _folders(
    files: list[Owned],
    course: Exercises,
    read: _Reader,
    candidates: dict[str, list[_Candidate]],
) -> set[int]:
    """Add what folders of projects hand in; returns the files that are of these alone."""
    groups: dict[tuple[str, str], list[Owned]] = defaultdict(list)
    for file in files:
        name, root = step_of(file.file, course.steps)
        if name in course.meant and PurePosixPath(file.file).suffix.lower() != NOTEBOOK:
            groups[name, root].append(file)
    folder_files: set[int] = set()
    for (name, root), group in groups.items():
        if any(file.entry.is_locked for file in group):
            continue
        hand_in = _folder(name, root, group, course, read)
        if hand_in is not None:
            candidates[name].append(hand_in)
            folder_files.update(
                id(part) for part in hand_in.all if not _is_for_another(part, name, course, hand_in)
            )
    return folder_files


def step_of(path: str, steps: Container[str]) -> tuple[str, str]:
    """The step of a project that a file belongs to by the innermost folder, or zip, that is called
    so; and the path of that folder. Two empty texts of a file that belongs to none.
    """
    parts = path.split("/")[:-1]
    for at in range(len(parts) - 1, -1, -1):
        stem = parts[at].lower()
        for called in (stem, stem.removesuffix(".zip"), _COPY.sub("", stem.removesuffix(".zip"))):
            if called in steps:
                return called, "/".join(parts[: at + 1])
    return "", ""


def _folder(
    name: str, root: str, group: list[Owned], course: Exercises, read: _Reader
) -> _Candidate | None:
    """Return the hand-in of a folder, None if the folder holds no program."""
    by_path = {
        file.file.removeprefix(f"{root}/"): file
        for file in group
        if file.entry.contents is not None or not file.entry.is_skipped
    }
    folder_entries = [
        replace(
            file.entry,
            path=path,
            reader=file.entry.reader and functools.partial(read, file),
            contents=_below(file, root),
        )
        for path, file in by_path.items()
    ]
    programs = [path for path in by_path if folders.is_program(path) or path == folders.PACKAGE]
    if not programs:
        return None
    step = course[name]
    hand_in, why = _made(step, lambda: folders.from_entries(folder_entries, root, step))
    main = hand_in.name if hand_in else programs[0]
    file = next(
        (file for path, file in by_path.items() if path.endswith(main)), by_path[programs[0]]
    )
    if hand_in:  # what is no part of it is listed for itself
        parts_of_it = [
            part
            for path, part in by_path.items()
            if part.entry.contents is not None or _is_part(path, hand_in)
        ]
    else:
        parts_of_it = [*by_path.values()]
    candidate = _candidate(file, step, hand_in, why, -1, is_exact=True, folder=root)
    parts = tuple(part for part in parts_of_it if part is not file)
    return replace(candidate, parts=parts, is_folder=True)


def _is_part(path: str, hand_in: HandIn) -> bool:
    """Whether a file is one of a hand-in, whose paths may begin further down."""
    return path in hand_in.files or any(path.endswith(f"/{part}") for part in hand_in.files)


def _below(file: Owned, root: str) -> Callable[[], Iterator[Entry]] | None:
    """What lies in a folder of libraries, by paths that begin where the hand-in does."""
    contents = file.entry.contents
    if contents is None:
        return None
    before = len(file.entry.path) - len(file.file.removeprefix(f"{root}/"))

    def below() -> Iterator[Entry]:
        for entry in contents():
            yield replace(entry, path=entry.path[before:])

    return below


def _is_for_another(file: Owned, name: str, course: Exercises, hand_in: _Candidate) -> bool:
    """Whether a file in a folder of a project is called like another exercise that is meant, and
    no program of the folder imports it.
    """
    path = PurePosixPath(file.file)
    stem = path.stem.lower()
    if path.suffix.lower() not in SUFFIXES or stem == name or stem not in course.meant:
        return False
    return hand_in.hand_in is None or f"/{path.name}" not in hand_in.hand_in.source


def _program(file: Owned, exercise: Exercise, read: _Reader) -> _Candidate:
    path = PurePosixPath(file.file)
    if file.entry.fault:
        hand_in, why = None, clean(f"{file.shown}: {file.entry.fault}")
    else:
        size = file.entry.size
        hand_in, why = _made(
            exercise, lambda: handin.from_bytes(read(file), path.name, exercise, size)
        )
    suffix = path.suffix.lower()
    is_exact = path.name == exercise.id + suffix
    order = (*SUFFIXES, *STRIPPED, NOTEBOOK).index(suffix)
    return _candidate(file, exercise, hand_in, why, order, is_exact=is_exact)


def _candidate(
    file: Owned,
    exercise: Exercise,
    hand_in: HandIn | None,
    why: str,
    order: int,
    *,
    is_exact: bool,
    folder: str | None = None,
) -> _Candidate:
    """A candidate with its rank; `folder` is that of a hand-in of several files, which lies where
    a file would.
    """
    above = (file.file if folder is None else folder).rpartition("/")[0].lower().split("/")
    above = [part for part in above if part]
    is_own_zip = folder is not None and step_of(f"{file.owner.file}/", {exercise.id})[0] != ""
    versions = [int(part[1]) for part in map(_VERSION.fullmatch, above) if part]
    rank = (
        not file.is_correction,
        hand_in is not None and hand_in.source.strip() == exercise.begin().strip(),
        tuple(-part if isinstance(part, int) else _backwards(part) for part in file.owner.attempt),
        any(map(is_old, above)),
        [-version for version in versions],
        bool(file.inside) and not is_own_zip,
        len(above) - (is_own_zip and folder != file.owner.file),
        order,
        not is_exact,
    )
    return _Candidate(file, exercise.id, hand_in, why, rank)


def is_old(folder: str) -> bool:
    """Whether people call a folder so that has what they do not hand in any more."""
    return bool(_OLD.fullmatch(folder.lower()))


def _backwards(text: str) -> tuple[int, ...]:
    """Return a sort key that puts a later time first."""
    return tuple(-ord(sign) for sign in text)


def _made(asked: Exercise, make: Callable[[], HandIn]) -> tuple[HandIn | None, str]:
    """A program, or why it cannot be one."""
    try:
        made = make()
        made.kind(asked)
    except BadHandIn as error:
        return None, clean(str(error))
    return made, ""


def _notebook(
    file: Owned,
    exercises: Exercises,
    read: _Reader,
    candidates: dict[str, list[_Candidate]],
    *,
    is_read: bool,
) -> list[str]:
    """Add what a notebook hands in; returns why it may hand in nothing else."""
    if not is_read:
        return [f"it is not read, because there are more than {MOST_NOTEBOOKS} notebooks"]
    path = PurePosixPath(file.file)
    id_of_name = path.stem if path.stem in exercises.meant and exercises.week else ""
    try:
        cell_ids = handin.submitted(read(file), exercises.all)
    except BadHandIn as error:
        cell_ids, remarks = [], [] if id_of_name else [clean(str(error).rstrip("."))]
    else:
        remarks = [
            clean(f"a cell names {name!r}, and no exercise is called that{_meant(name, exercises)}")
            for name in cell_ids
            if name not in exercises.all
        ]
        remarks += _of_other_weeks(cell_ids, exercises)
    for name in dict.fromkeys([*cell_ids, *filter(None, [id_of_name])]):
        if name in exercises.meant:
            one = exercises[name]
            made, why = _made(one, lambda one=one: handin.from_bytes(read(file), path.name, one))  # type: ignore[misc]
            order = len(SUFFIXES) + (path.stem != name)
            candidates[name].append(_candidate(file, one, made, why, order, is_exact=True))
    return remarks


def _of_other_weeks(asked: list[str], known: Exercises) -> list[str]:
    if not known.week or known.meant.intersection(asked):
        return []
    words = ", ".join(asked)
    return [clean(f"it has no cell for an exercise of {known.week}, only %%submit for {words}")]


def _choose(choice: Choice, candidates: dict[str, list[_Candidate]], exercises: Exercises) -> None:
    for name, mine in sorted(candidates.items()):
        mine.sort(key=lambda one: (one.rank, one.owned.shown))
        best = mine[0]
        rival = next(
            (one for one in mine[1:] if one.rank == best.rank and one.content != best.content), None
        )
        if rival is None:
            choice.chosen[name] = Chosen(
                exercises[name],
                best.owned,
                best.hand_in,
                best.why,
                parts=best.parts,
                is_folder=best.is_folder,
            )
        else:
            both = f"{best.owned.shown} and {rival.owned.shown} are"
            if best.owned.shown == rival.owned.shown:
                both = f"two files that are called {best.owned.shown} are"
            why = f"{both} both for {name}, and differ: keep the file that counts"
            choice.chosen[name] = Chosen(
                exercises[name], best.owned, None, clean(why), True, best.parts
            )


def _fates(
    choice: Choice,
    candidates: dict[str, list[_Candidate]],
    other_files: list[tuple[Owned, list[str]]],
    exercises: Exercises,
) -> None:
    """One fate for each file: judged if it counts for anything."""
    counting: dict[int, list[Chosen]] = defaultdict(list)
    for counts in choice.chosen.values():
        for file in (counts.owned, *counts.parts):
            counting[id(file)].append(counts)
    why = {id(file): (file, list(remarks)) for file, remarks in other_files}
    for mine in candidates.values():
        for candidate in mine:
            counts = choice.chosen[candidate.name]
            is_told = counts.owned is not candidate.owned and not (
                exercises.week and _says_nothing(candidate, counts)
            )
            for file in candidate.all:
                remarks = why.setdefault(id(file), (file, []))[1]
                if is_told:
                    remarks.append(_instead(counts, candidate))
    for key, (file, remarks) in why.items():
        own = counting.get(key, [])
        if own:
            fate = JUDGED if any(winner.hand_in for winner in own) else REFUSED
            choice.fates.append((file, _fate(choice, file, fate, "")))  # its result says why
            choice.notes += [_fate(choice, file, LISTED, remark) for remark in remarks]
        else:
            choice.fates.append((file, _unjudged(choice, file, remarks, exercises)))


def _says_nothing(one: _Candidate, counts: Chosen) -> bool:
    """Whether a course lays such a notebook beside the work: the starter, or the work once more."""
    is_same = counts.hand_in is not None and one.content.strip() == counts.hand_in.text.strip()
    return (is_same or one.is_starter) and one.owned.file.endswith(NOTEBOOK)


def _instead(winner: Chosen, candidate: _Candidate) -> str:
    same = winner.hand_in is not None and candidate.content == _content_of(winner.hand_in)
    is_program = PurePosixPath(candidate.owned.file).suffix.lower() in SUFFIXES
    if winner.is_doubtful:
        return winner.why
    words = (
        f"{winner.owned.shown} counts for {'the same exercise' if is_program else candidate.name}"
    )
    return clean(f"{words}, and is the same" if same else words)


def _unjudged(choice: Choice, file: Owned, remarks: list[str], exercises: Exercises) -> Fate:
    entry, path = file.entry, PurePosixPath(file.file)
    is_other = path.suffix.lower() == NOTEBOOK and not remarks and not entry.fault
    is_note = path.name in BESIDE or path.name.endswith(".hints.json")
    if remarks == [NOT_ASKED] or is_other or is_note or entry.is_by_systems:
        why = entry.fault if entry.is_by_systems else BESIDE_THE_WORK if is_note else NOT_ASKED
        return _fate(choice, file, LISTED, why, is_plain=True)
    if remarks or entry.is_skipped:
        return _fate(choice, file, LISTED, "; ".join(remarks) or entry.fault)
    if entry.fault:
        return _fate(choice, file, REFUSED, entry.fault)
    if why := _wrong_kind(path, exercises):
        return _fate(choice, file, LISTED, why)
    return _fate(choice, file, LISTED, "neither a program nor a notebook", is_plain=True)


def wrapped(name: str) -> str:
    """Why an archive that is no zip is not opened; nothing of another file."""
    suffix = PurePosixPath(name).suffix.lower()
    if suffix not in _WRAPPERS:
        return ""
    return f"a {suffix} is not opened: hand in the program itself, or a plain zip"


def _wrong_kind(path: PurePosixPath, exercises: Exercises) -> str:
    """Why a file that may hold work is not read; nothing of one that hardly does."""
    suffix, name = path.suffix.lower(), path.name.lower()
    if wrapper := wrapped(path.name):
        return wrapper
    if suffix in TYPED:
        return f"it is not JavaScript: {WRONG_SUFFIX}"
    if suffix in _TEXTS or name.endswith(("onlinetext.html", "_text.html", "text.html")):
        return f"it is a text file and is not read: {WRONG_SUFFIX}"
    if name.partition(".")[0] in exercises.all or any(f".{part}." in name for part in _PARTS):
        return WRONG_SUFFIX
    return ""


def _fate(choice: Choice, owned: Owned, fate: str, why: str, *, is_plain: bool = False) -> Fate:
    return Fate(choice.student, owned.shown, fate, why, owned.entry.files, is_plain)


def _other(file: Owned, exercises: Exercises, read: _Reader, *, is_read: bool) -> str:
    """Return why a program counts for no exercise, and the exercise that it may be meant for."""
    path = PurePosixPath(file.file)
    called = step_of(file.file, exercises.steps)[0] or path.stem
    if called in exercises.all and called not in exercises.meant:
        return f"{called} is not an exercise of {exercises.week}" if exercises.week else NOT_ASKED
    wrong = f"no exercise is called {path.stem!r}"
    if file.entry.fault:
        return clean(f"{wrong}; {file.entry.fault}")
    if not is_read:
        return clean(f"{wrong}; name it after its exercise")
    try:
        text = read(file, handin.MOST_BYTES).decode("utf-8", "replace")
    except BadHandIn:
        return clean(wrong)
    meant = exercises.by_exports.get(frozenset(_exported(text)) or frozenset({""}), [])
    if len(meant) == 1:
        return clean(f"{wrong}; if it is for {meant[0]}, name it {meant[0]}{path.suffix}")
    return clean(f"{wrong}{_meant(path.stem, exercises)}; name it after its exercise")


def _meant(name: str, known: Exercises) -> str:
    close = nearest(name[:80], known.all)
    return f" ({' or '.join(close)}?)" if close else ""


def _exported(text: str) -> set[str]:
    listed = [name for both in _GIVEN.findall(text) for name in ",".join(both).split(",")]
    return {*_EXPORTS.findall(text), *(name.strip() for name in listed if name.strip())}


def _hints(choice: Choice, files: Iterable[Owned], read: _Reader) -> None:
    """How many hints were opened, as notes beside the work say: the one nearest to the top."""
    by_name: dict[str, Owned] = {}
    for owned in files:
        by_name.setdefault(PurePosixPath(owned.file).name, owned)
    for name in choice.chosen:
        note = by_name.get(hints.NOTE.format(id=name))
        if note is not None:
            choice.opened[name] = len(hints.told(_content(note, read)))


def _content(owned: Owned, read: _Reader) -> bytes:
    try:
        return read(owned, hints.MOST_BYTES + 1)
    except BadHandIn:
        return b""


def listed(choice: Choice) -> Iterator[Fate]:
    """The lines that say what of a student is not judged: one for all that is no program."""
    lines = [fate for _, fate in choice.fates if fate.fate != JUDGED] + choice.notes
    yield from sorted(
        (fate for fate in lines if fate.why and not fate.is_plain), key=lambda fate: fate.file
    )
    plain = [fate for fate in lines if fate.is_plain]
    if plain:
        names = ", ".join(fate.file for fate in plain[:5]) + (", …" if len(plain) > 5 else "")
        why = clean(f"neither a program nor a notebook: {names}")
        yield Fate(choice.student, "", LISTED, why, sum(fate.files for fate in plain), True)

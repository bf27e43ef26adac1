"""What came in: a folder, a zip or an archive of a learning platform, student by student, and the
sum of it.

Each file that came in has one fate: it is judged, listed with the reason, or refused. The sum is
held against what came in; where the two differ nothing is graded.
"""

from __future__ import annotations

import csv
import io
import re
import zipfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path

from lab.errors import LabError
from lab.grading import choice as choices
from lab.grading import entries, identity
from lab.grading.choice import LISTED, REFUSED, Choice, Exercises, Fate
from lab.grading.entries import BadArchive, Entry
from lab.grading.folders import is_program
from lab.grading.handin import NOTEBOOK, SUFFIXES, TYPED, BadHandIn
from lab.grading.identity import FOLDER, ROSTER, Owned, Owner, Unowned
from lab.grading.result import clean, plain_name
from lab.text.numbers import count

MOST_FILES = 5000  # of one student, without those in folders that are skipped
MOST_OWN_ZIP = 64 << 20
MOST_DEPTH = 20  # folders within each other before one is of a student
SEVERAL = (
    "it holds folders with the same files, as if from several students: give that folder by "
    "itself, or keep one of each file"
)
IN_CODE_PAGE = (
    "it doesn't say how letters such as ö are written in its names: if students' names look wrong "
    "here, unpack it and grade the folder"
)
# What students call folders in which they keep their own work.
_INNER = re.compile(
    r"src|lib|source|code|tests?|old|new|backups?|archive|copy|drafts?|final|solutions?|my|mine"
    r"|(?:submission|feedback) attachment\(s\)"  # so does Sakai
    r"|(?:versions?|v|week|part|tasks?|ex|exercises?|hw|homework|assignment|attempt|try)"
    r"(?:[\W_]*\w{0,3})?"
)


class LostWork(LabError):
    """A bug of the grader: a file that came in is neither judged, listed nor refused."""


class BadRoster(LabError):
    """A roster cannot be read."""


@dataclass
class Intake:
    """All that came in."""

    students: list[Choice] = field(default_factory=list)
    unowned: list[Fate] = field(default_factory=list)  # of no student
    came: Counter[str] = field(default_factory=Counter)  # files, by student's id; "" of none
    all: int = 0  # files, counted where they came in

    def listed(self) -> list[Fate]:
        """The lines that say what is not judged, and why, by student."""
        lines = [fate for one in self.students for fate in choices.listed(one)]
        return [*lines, *self.unowned]

    def sum(self) -> Sum:
        """Return the counts of files and students by fate. Raises LostWork for a lost file."""
        fates: Counter[str] = Counter()
        of: dict[str, set[str]] = {}
        for student in self.students:
            own_fates = [fate for _, fate in student.fates]
            files = sum(fate.files for fate in own_fates)
            if files != self.came[student.student]:
                raise LostWork(
                    f"{student.student}: {self.came[student.student]} files came in, and "
                    f"{files} were looked at. Nothing was graded; please report this."
                )
            for fate in own_fates:
                fates[fate.fate] += fate.files
            of[student.student] = {fate.fate for fate in own_fates} or {LISTED}
        stray_files = sum(fate.files for fate in self.unowned)
        if stray_files != self.came[""] or self.all != sum(self.came.values()):
            raise LostWork(
                f"{self.all} files came in, {sum(self.came.values())} were looked at, "
                f"{self.came['']} belong to no student, {stray_files} of these were listed. "
                "Nothing was graded; please report this."
            )
        for fate in self.unowned:
            fates[fate.fate] += fate.files
        return Sum(self.all, dict(fates), of)


@dataclass(frozen=True)
class Sum:
    """The counts of files and students that came in, by fate."""

    files: int
    fates: dict[str, int]
    students: dict[str, set[str]]

    def __str__(self) -> str:
        by = Counter(
            next(fate for fate in (choices.JUDGED, REFUSED, LISTED) if fate in fates)
            for fates in self.students.values()
        )
        return (
            f"Came in: {self._line(self.files, 'file', self.fates)}\n"
            f"         {self._line(len(self.students), 'student', by)}"
        )

    def _line(self, total: int, noun: str, parts: Mapping[str, int]) -> str:
        words = ", ".join(
            f"{parts.get(fate, 0):,} {fate}" for fate in (choices.JUDGED, LISTED, REFUSED)
        )
        if sum(parts.values()) != total:
            raise LostWork(f"{total} {noun}s came in, and {words}.")
        return f"{count(total, noun)}: {words}"


def came_in(
    place: Path,
    exercises: Exercises,
    roster: Mapping[str, str] | None = None,
    *,
    student_ids: Iterable[str] = (),
    as_they_are: bool = True,
    visit: Callable[[Choice], None] = lambda _: None,
) -> Intake:
    """What came in, all of it looked at, none of it run. Raises BadArchive, BadRoster.

    student_ids : the students whose work is read; by default all
    as_they_are : students are called like their folders; else as `identity.student_id` makes it.
    visit : is called with each student's choice, as long as `Choice.read` can read files
    """
    intake, wanted_ids = Intake(), set(student_ids)
    with ExitStack() as stack:
        ids = read_roster(place if place.is_dir() else place.parent) if roster is None else roster
        owned = _all_owned(place, _Layout(exercises, ids), intake, stack)
        found, refused = identity.students(owned, ids, as_they_are=as_they_are)
        _refuse(intake, refused)
        for student, own in sorted(found.items()):
            if not wanted_ids or student in wanted_ids:
                intake.students.append(_of_student(student, own, exercises, intake, visit))
            else:
                intake.all -= sum(one.entry.files for one in own)
    if wanted_ids:
        intake.all -= intake.came.pop("", 0)
        intake.unowned = []
    intake.sum()
    return intake


def of_folders(students: Iterable[tuple[str, Path]], exercises: Exercises) -> Intake:
    """Return the intake of folders whose owners are known, one folder for each student."""
    intake = Intake()
    for student, folder in students:
        found = list(entries.of_folder(folder, is_students=True))
        intake.all += sum(entry.files for entry in found)
        owned = [Owned(entry, Owner(FOLDER, student, "", entry.path)) for entry in found]
        intake.students.append(_of_student(student, owned, exercises, intake, lambda _: None))
    intake.sum()
    return intake


def of_one(student: str, folder: Path, known: Exercises) -> Choice:
    """Return the work that counts of one student's folder."""
    (choice,) = of_folders([(student, folder)], known).students
    return choice


def _all_owned(place: Path, layout: _Layout, intake: Intake, stack: ExitStack) -> list[Owned]:
    """The files of students; the intake gets those of no student."""
    files: list[Owned] = []
    for source in _sources(place, layout, stack):
        intake.all += sum(entry.files for entry in source.entries)
        if source.in_code_page:
            intake.unowned.append(Fate("", plain_name(source.archive), LISTED, IN_CODE_PAGE, 0))
        mine, strays = _owned(source, layout)
        files += mine
        _refuse(intake, strays)
    return files


def _refuse(intake: Intake, refused: Iterable[Unowned]) -> None:
    """List each file of no student: one line for all of one folder and one reason."""
    lines: dict[tuple[str, str, bool, bool], int] = {}
    for stray in refused:
        intake.came[""] += stray.entry.files
        line = (stray.folder or stray.entry.path, stray.why, stray.is_refused, _may_be_work(stray))
        lines[line] = lines.get(line, 0) + stray.entry.files
    for (path, why, is_refused, is_named), files in lines.items():
        fate = REFUSED if is_refused else LISTED
        is_plain = not is_refused and not is_named
        intake.unowned.append(Fate("", plain_name(path), fate, clean(why), files, is_plain))


def _may_be_work(stray: Unowned) -> bool:
    """Whether a file of no student's folder is a program or a notebook by its name."""
    suffix = Path(stray.entry.name).suffix.lower()
    return (
        not stray.folder and suffix in (*SUFFIXES, *TYPED, NOTEBOOK) and not stray.entry.is_skipped
    )


@dataclass(frozen=True)
class _Source:
    """One archive, or the files that lie loose."""

    archive: str  # its name; empty: loose
    entries: list[Entry]
    in_code_page: int = 0  # names of which nothing says how their letters are written


def _sources(place: Path, layout: _Layout, stack: ExitStack) -> Iterator[_Source]:
    """The archives in a place, and what lies loose in it."""
    if not place.is_dir():
        yield _archive(place, layout, stack)
        return
    loose: list[Entry] = []
    archives, broken = 0, ""
    for entry in entries.of_folder(place):
        is_archive = "/" not in entry.path and entries.is_zip(entry.name) and not entry.fault
        if is_archive and identity.kind_of([entry.path]) == (FOLDER,):
            try:
                yield _archive(place / entry.path, layout, stack)
                archives += 1
            except BadArchive as error:
                broken = str(error)
                loose.append(replace(entry, fault=broken))
        elif entry.path != ROSTER:
            loose.append(entry)
    if broken and not archives and all(entry.fault for entry in loose):
        raise BadArchive(broken)
    yield _Source("", loose)


def _archive(file: Path, layout: _Layout, stack: ExitStack) -> _Source:
    try:
        archive = stack.enter_context(zipfile.ZipFile(file))
        inside = list(entries.of_zip(archive, file.name))
    except entries.UNREADABLE as error:
        why = entries.unreadable(_first(file), error)
        raise BadArchive(f"{file.name} cannot be read as a zip: {why}.") from None
    if layout.is_of_one(inside):
        inside = [replace(entry, path=f"{file.stem}/{entry.path}") for entry in inside]
    return _Source(file.name, inside, entries.in_code_page(archive))


def _first(file: Path) -> bytes:
    """The first bytes of a file; a mark where it cannot be read."""
    try:
        with file.open("rb") as opened:
            return opened.read(100)
    except OSError:
        return b"?"


class _Layout:
    """Which folders are students', which hold students, and which are a student's own."""

    def __init__(self, known: Exercises, roster: Mapping[str, str]) -> None:
        self.exercises, self._roster, self._steps = set(known.all), roster, known.steps

    def is_work(self, path: str) -> bool:
        """Whether a file is called like what is handed in, or is a program in the folder of a
        project.
        """
        name = path.rpartition("/")[2].lower()
        stem, _, suffix = name.rpartition(".")
        if is_program(name) and choices.step_of(path, self._steps)[0]:
            return True
        return f".{suffix}" in (NOTEBOOK, entries.ZIP) or (
            f".{suffix}" in SUFFIXES and stem in self.exercises
        )

    def is_by_exercise(self, files: list[Owned]) -> bool:
        """Whether all folders are called like exercises, as one student lays out their work."""
        names = {file.owner.name for file in files if file.entry.files}
        return (
            bool(names)
            and all(file.owner.kind == FOLDER and "/" in file.entry.path for file in files)
            and all(name.lower() in self.exercises for name in names)
            and not any(identity.matched(name) in self._roster for name in names)
        )

    def is_of_one(self, inside: list[Entry]) -> bool:
        """Whether an archive is one student's: their work lies at its top, and no platform named
        it.
        """
        work = [
            entry.path
            for entry in inside
            if self.is_work(entry.path) and not entries.is_zip(entry.path)
        ]
        tops = {path.partition("/")[0] for path in work if "/" in path}
        steps = {top for top in tops if choices.step_of(f"{top}/", self._steps)[0]}
        return (
            identity.kind_of(entry.path for entry in inside) == (FOLDER,)
            and (bool(steps) or any("/" not in path for path in work))
            and all(map(_is_inner, tops - steps))
        )

    def wrapper(self, paths: list[str]) -> tuple[str, str]:
        """The folder that holds all students' folders, if there is one more; and one of which that
        is in doubt.
        """
        wrapper = ""
        while True:
            folders = {path.partition("/")[0] for path in paths if "/" in path}
            loose = [path for path in paths if "/" not in path]
            if len(folders) != 1 or any(map(self.is_work, loose)):
                return wrapper, ""
            if identity.kind_of(paths) != (FOLDER,):
                return wrapper, ""
            (folder,) = folders
            below = [path.partition("/")[2] for path in paths if "/" in path]
            holds = self.holds_students(below)
            if identity.kind_of(below) == (FOLDER,) and holds is not True:
                return (wrapper, "") if holds is False else ("", f"{wrapper}{folder}")
            wrapper, paths = f"{wrapper}{folder}/", below

    def holds_students(self, paths: list[str], depth: int = 0) -> bool | None:
        """Whether what lies in a folder are folders of students; None where that is in doubt."""
        if depth > MOST_DEPTH:
            return None
        folders: dict[str, set[str]] = defaultdict(set)
        for path in filter(self.is_work, paths):
            folder, cut, below = path.partition("/")
            if not cut:
                return False
            folders[folder].add(below.rpartition("/")[2].lower())
        if any(identity.matched(name) in self._roster for name in folders):
            return True
        deeper = [path.partition("/")[2] for path in paths]
        if len(folders) == 1 and self.holds_students(deeper, depth + 1):
            return None if choices.is_old(*folders) else True
        if all(_is_inner(name) or self._is_named_for(name, folders[name]) for name in folders):
            return False
        files = [file for own in folders.values() for file in own]
        is_certain = len(set(files)) < len(files) and not any(map(_is_inner, folders))
        return True if is_certain else None

    def _is_named_for(self, folder: str, files: set[str]) -> bool:
        """Whether a folder is called like the exercise in it."""
        if choices.step_of(f"{folder}/", self._steps)[0]:
            return True
        return folder in self.exercises and {file.rpartition(".")[0] for file in files} == {folder}


def _is_inner(folder: str) -> bool:
    return bool(_INNER.fullmatch(folder.lower()))


def _owned(source: _Source, layout: _Layout) -> tuple[list[Owned], list[Unowned]]:
    """Return the owned entries of one archive, and the entries without an owner."""
    usable = [entry for entry in source.entries if not _is_unowned(entry)]
    strays: list[Unowned] = [_unowned(entry) for entry in source.entries if _is_unowned(entry)]
    wrapper, doubtful = layout.wrapper([entry.path for entry in usable])
    if doubtful:
        why = (
            "it is not clear whether this is the folder of one student or of a class: give the "
            "folder that holds a folder for each student"
        )
        return [], [*strays, *(Unowned(entry, why, folder=doubtful) for entry in usable)]
    paths = [entry.path.removeprefix(wrapper) for entry in usable]
    kinds = identity.kind_of(paths)
    files = []
    for entry, path in zip(usable, paths, strict=True):
        owner, why = _owner(path, kinds)
        if owner is None:
            is_stray = "/" not in path and why == identity.NOT_IN_A_FOLDER and not entry.fault
            is_refused = (layout.is_work(path) or not is_stray) and not entry.is_skipped
            wrapped = choices.wrapped(path) if is_stray else ""
            strays.append(
                Unowned(entry, entry.fault or wrapped or why, is_refused or bool(wrapped))
            )
        else:
            files.append(Owned(entry, replace(owner, archive=source.archive)))
    files = identity.with_numbers(identity.without_assignment(files), layout.exercises)
    if layout.is_by_exercise(files):
        why = (
            "the folders are called like exercises: give a folder that contains a folder for "
            "each student"
        )
        return [], [*strays, *(Unowned(file.entry, why, folder=file.top) for file in files)]
    kept, refused = _without_classes(files, layout)
    return kept, [*strays, *refused]


def _is_unowned(entry: Entry) -> bool:
    """Whether an entry leads out of the archive, or is what programs make at the very top."""
    return entry.fault == entries.LEADS_OUT or entries.is_skipped(entry.path.partition("/")[0])


def _unowned(entry: Entry) -> Unowned:
    if entry.fault == entries.LEADS_OUT:
        return Unowned(entry, entry.fault)
    folder = entry.path.partition("/")[0]
    return Unowned(entry, entry.fault or entries.SKIPPED, is_refused=False, folder=folder)


def _owner(path: str, kinds: tuple[str, ...]) -> tuple[Owner | None, str]:
    """Return whose a path is in an archive that one of these platforms named, or the reason why
    it is no student's."""
    fitting = [kind for kind in identity.KINDS if identity.owner(kind, path)]
    if len(kinds) == 1 and kinds[0] in fitting:
        return identity.owner(kinds[0], path), ""
    if fitting:
        others = " or ".join(kind for kind in dict.fromkeys([*fitting, *kinds]))
        return None, f"{others} may have named it: put the files of each student into a folder"
    if kinds == (FOLDER,) and "/" not in path and entries.is_zip(path):
        return Owner(FOLDER, path[: -len(entries.ZIP)], "", path), ""
    return identity.owner(FOLDER, path), identity.NOT_IN_A_FOLDER


def _without_classes(files: list[Owned], layout: _Layout) -> tuple[list[Owned], list[Unowned]]:
    """Without folders that hold several students' work, where others hold one's."""
    below: dict[str, list[Owned]] = defaultdict(list)
    for file in files:
        if file.owner.kind == FOLDER:
            below[file.owner.name].append(file)
    classes = {
        name
        for name, mine in below.items()
        if len(below) > 1 and layout.holds_students([file.owner.file for file in mine])
    }
    refusals = [
        Unowned(file.entry, SEVERAL, folder=file.top)
        for name in sorted(classes)
        for file in below[name]
    ]
    kept = [file for file in files if file.owner.kind != FOLDER or file.owner.name not in classes]
    return kept, refusals


def _of_student(
    student: str,
    own_files: list[Owned],
    exercises: Exercises,
    intake: Intake,
    visit: Callable[[Choice], None],
) -> Choice:
    """Return the work that counts of one student. A fault in a file affects this student alone."""
    student_name = plain_name(student)
    with ExitStack() as stack:
        files = [
            file for file in _unpacked(own_files, stack, _Layout(exercises, {})) if file.entry.files
        ]
        files.sort(key=lambda file: _order(file, exercises))
        intake.came[student] += sum(file.entry.files for file in files)
        intake.all += sum(file.entry.files for file in files) - sum(
            o.entry.files for o in own_files
        )
        looked, surplus = files[:MOST_FILES], files[MOST_FILES:]
        choice = choices.chosen(student_name, looked, exercises)
        choice.student = student
        visit(choice)
        choice.read = None
    if surplus:
        left = sum(file.entry.files for file in surplus)
        why = f"{left:,} more files than {MOST_FILES:,}: they were not looked at"
        choice.fates.append((surplus[0], Fate(student_name, "", REFUSED, why, left)))
    if not files:
        choice.notes.append(Fate(student_name, "", LISTED, entries.EMPTY, 0))
    elif not choice.chosen and all(fate.is_plain for fate in choices.listed(choice)):
        why = "it has neither a program nor a notebook"
        choice.notes.append(Fate(student_name, "", LISTED, why, 0))
    return choice


def _order(one: Owned, known: Exercises) -> tuple[bool, bool, int, str]:
    """Sort files that are named like an exercise first, then files in the outermost folders."""
    stem = one.file.rpartition("/")[2].rpartition(".")[0].lower()
    return (stem not in known.meant, one.entry.is_skipped, one.file.count("/"), one.shown)


def _unpacked(owned: Iterable[Owned], stack: ExitStack, layout: _Layout) -> Iterator[Owned]:
    """The files of one student, with those of zips of their own. A zip within such a one is not
    opened.
    """
    for one in owned:
        if not entries.is_zip(one.entry.name) or one.entry.fault:
            yield one
        else:
            yield from _own_zip(one, stack, layout)


def _own_zip(file: Owned, stack: ExitStack, layout: _Layout) -> list[Owned]:
    data = b"?"
    try:
        if file.entry.size > MOST_OWN_ZIP:
            raise BadHandIn(f"a zip of more than {MOST_OWN_ZIP >> 20} MiB is not opened")
        data = file.entry.read(MOST_OWN_ZIP + 1)
        archive = stack.enter_context(zipfile.ZipFile(io.BytesIO(data)))
        inside = [entry for entry in entries.of_zip(archive, file.entry.name) if entry.files]
        if not inside:
            raise BadHandIn("there is nothing in this zip")
        if layout.holds_students([entry.path for entry in inside if not entry.fault]):
            raise BadHandIn(SEVERAL)
    except Exception as error:  # whatever it makes Python stumble over is this student's matter
        is_ours = isinstance(error, BadHandIn | BadArchive)
        why = "" if is_ours else entries.unreadable(data[:100], error)
        fault = str(error) if is_ours else f"it cannot be read as a zip: {why}"
        return [replace(file, entry=replace(file.entry, fault=clean(fault)))]
    return [replace(file, entry=entry, inside=entry.path) for entry in inside]


def read_roster(root: Path) -> dict[str, str]:
    """Who a name or number of the platform is, from the roster in a folder; empty without one.
    Raises BadRoster.
    """
    ids: dict[str, str] = {}
    for at, row in roster_rows(root, ("lms", "student")):
        name, student = row["lms"], row["student"]
        if not name or not student:
            empty = "student" if name else "lms"
            raise BadRoster(f"{root / ROSTER}, line {at}: {empty} is empty. Fill it in.")
        made = identity.student_id(student)
        if ids.setdefault(identity.matched(name), made) != made:
            raise BadRoster(
                f"{root / ROSTER}, line {at}: {name!r} is listed twice, with two students."
            )
    return ids


def roster_rows(root: Path, columns: Iterable[str]) -> list[tuple[int, dict[str, str]]]:
    """The rows of the roster in a folder, with their lines. Raises BadRoster.

    Spreadsheets write a mark at the beginning, semicolons, tabs or empty rows: each is understood.
    """
    file = root / ROSTER
    if not file.is_file():
        return []
    text = _roster_text(file)
    table = csv.reader(io.StringIO(text, newline=""), delimiter=_separator(text), strict=True)
    try:
        rows = [(table.line_num, [cell.strip() for cell in row]) for row in table]
    except csv.Error as error:
        raise BadRoster(f"{file} cannot be read as a table: {error}. Save it as CSV.") from None
    rows = [(at, row) for at, row in rows if any(row)]
    head = [cell.lower() for cell in rows[0][1]] if rows else []
    for column in columns:
        if column not in head:
            raise BadRoster(
                f"{file} has no column {column!r}; its first line is {', '.join(head) or 'empty'}. "
                "It has the columns lms and student, with commas, semicolons or tabs between them."
            )
    filled = [dict.fromkeys(head, "") | dict(zip(head, row, strict=False)) for _, row in rows[1:]]
    return list(zip([at for at, _ in rows[1:]], filled, strict=True))


def _roster_text(file: Path) -> str:
    data = file.read_bytes()
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data.decode("utf-16", "replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadRoster(
            f"{file} is not UTF-8 (byte {error.start}): save it as “CSV UTF-8”, so that no name in "
            "it is misread."
        ) from None


def _separator(text: str) -> str:
    head = next((line for line in text.splitlines() if line.strip()), "")
    return max(",;\t", key=head.count)

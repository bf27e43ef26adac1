"""A class by repositories: the template that students begin from, and all their repositories
fetched into the folders that `grade` judges. Any git host does, and a folder of bare repositories.

What a student's repository holds is read, and never run here: no hook, no submodule, no link.
"""

from __future__ import annotations

import csv
import os
import re
import shutil
import signal
import subprocess
import tempfile
import tomllib
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from lab import paths
from lab.errors import LabError
from lab.grading.exercise import LEVELS, Exercise, exercise
from lab.grading.result import clean, flat
from lab.storage import written

HERE = Path(__file__).parent
SYLLABUSES = paths.ROOT / "lab" / "classroom" / "syllabus"
FETCHED = "fetched.csv"
PATIENCE_S = 120  # for one command of git
_POINTER = b"version https://git-lfs.github.com/spec/"
_POINTER_BYTES = 1024  # the longest that Git LFS writes
TOGETHER = 4  # repositories that are fetched at a time
_STUDENT = re.compile(r"[\w@+-][\w.@+-]{0,99}")
# Programs that an address may start are left out: `ext::` runs any command.
_GIT = {
    "GIT_ALLOW_PROTOCOL": "file:git:http:https:ssh",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_LFS_SKIP_SMUDGE": "1",
    "GIT_SSH_COMMAND": "ssh -oBatchMode=yes",
}
_SAFE = [
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "core.symlinks=false",
    "-c",
    "core.fsmonitor=false",
]


class NoClass(LabError):
    """A class cannot be made or fetched so; the message says what to do."""


@dataclass(frozen=True)
class Repository:
    """One line of the class list."""

    student: str
    address: str
    line: int


@dataclass(frozen=True)
class Fetched:
    """What became of one repository: `commit` and `date` of what lies in the folder now, or `why`
    it could not be had. `notes` says what a student has probably pushed and the folder lacks.
    """

    repository: Repository
    commit: str = ""
    date: str = ""
    why: str = ""
    notes: tuple[str, ...] = ()


# ---- The template


def template(folder: Path, ids: Iterable[str] = (), syllabus: str = "") -> list[Exercise]:
    """Write the repository that students begin from into a new or empty folder: tasks, starters, a
    workflow that judges what is pushed. Returns the exercises in it.

    Raises NoClass where the folder has something in it already; UnknownExercise.
    """
    wanted = [*ids, *(name for week in _weeks(syllabus) for name in week)] if syllabus else [*ids]
    if not wanted:
        raise NoClass("Name exercises (python -m lab exercises), or a syllabus: --syllabus 6")
    exercises = [exercise(name) for name in dict.fromkeys(wanted)]
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise NoClass(f"{folder} is not empty: name a new folder.")
    for item in exercises:
        place = folder / item.id
        written.write(place / "task.md", f"# {item.title}\n\n{item.task().strip()}\n".encode())
        written.write(place / item.begins_as, item.begin(item.for_student("")).encode())
    written.write(folder / "README.md", _readme(exercises).encode())
    for name in ("check.sh", ".github/workflows/check.yml"):
        source = HERE / "repository" / name.removeprefix(".github/workflows/")
        written.write(folder / name, source.read_bytes())
    return exercises


def _weeks(syllabus: str) -> list[list[str]]:
    file = SYLLABUSES / f"{syllabus}.toml"
    if not file.is_file():
        known = ", ".join(sorted((f.stem for f in SYLLABUSES.glob("*.toml")), key=int))
        raise NoClass(f"There is no syllabus of {syllabus} weeks: there are {known}.")
    return [week["exercises"] for week in tomllib.loads(file.read_text("utf-8"))["weeks"]]


def _readme(exercises: list[Exercise]) -> str:
    rows = [
        f"| [{item.title}]({item.id}/task.md) | `{item.id}/{item.begins_as}` "
        f"| {LEVELS[item.level]} | {item.minutes} |"
        for item in exercises
    ]
    text = (HERE / "repository" / "README.md").read_text("utf-8")
    return text.replace("{{ROWS}}", "\n".join(rows))


# ---- The class list

# What platforms call the two columns, the most telling first.
_STUDENT_HEADS = ("student", "roster_identifier", "identifier", "id", "student_id", "username")
_ADDRESS_HEADS = ("repository", "address", "student_repository_url", "repository_url", "url")


def listed(file: Path) -> list[Repository]:
    """Return the repositories of a class list: a student's id and an address on each line, between
    them a comma, a semicolon, a tab or blanks; or a table whose first line names the columns, as
    an export has it. Raises NoClass, with the line, for what is neither.
    """
    try:
        text = file.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not text in UTF-8"
        raise NoClass(f"The class list {file} cannot be read: {reason}.") from None
    by_student: dict[str, Repository] = {}
    by_address: dict[str, Repository] = {}
    columns: tuple[int, int] | None = None
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        words = _words(line)
        if not by_student and columns is None and (columns := _columns(words)):
            continue
        repository = _beside(file, _of_words(words, columns, number, line))
        student, address = repository.student.casefold(), repository.address.rstrip("/")
        if before := by_student.get(student):
            raise NoClass(
                f"{file}, line {number}: {repository.student} is in line {before.line} already. "
                "Give each student one line, and each an id that differs by more than capitals."
            )
        if before := by_address.get(address):
            raise NoClass(
                f"{file}, line {number}: {repository.student} has the address of "
                f"{before.student} in line {before.line}. Give each student a repository."
            )
        by_student[student] = by_address[address] = repository
    if not by_student:
        raise NoClass(
            f"{file} lists no repository: write a line `anna https://…` for each student."
        )
    return list(by_student.values())


def _words(line: str) -> list[str]:
    sign = next((sign for sign in "\t;," if sign in line), "")
    cells = next(csv.reader([line.strip()], delimiter=sign)) if sign else line.split()
    return [cell.strip() for cell in cells]


def _columns(words: list[str]) -> tuple[int, int] | None:
    """Return where a head has the student and the address; None for a line that is no head."""
    heads = [word.casefold().replace(" ", "_") for word in words]
    student = next((heads.index(name) for name in _STUDENT_HEADS if name in heads), None)
    address = next((heads.index(name) for name in _ADDRESS_HEADS if name in heads), None)
    return None if student is None or address is None else (student, address)


def _of_words(
    words: list[str], columns: tuple[int, int] | None, number: int, line: str
) -> Repository:
    if columns:
        words = [words[column] for column in columns if column < len(words)]
    if len(words) != 2 or not all(words):
        blanks = " Write a comma between them if one has blanks." if len(words) > 2 else ""
        raise NoClass(f"Line {number}: {shown(line)} is not a student's id and an address.{blanks}")
    student, address = words
    if not _STUDENT.fullmatch(student):
        raise NoClass(
            f"Line {number}: {shown(student)} cannot be the name of a folder: letters, digits and "
            ". _ - + @ can."
        )
    is_place = "/" in address or ":" in address or address.endswith(".git")
    if address.startswith("-") or "::" in address or not is_place:
        raise NoClass(f"Line {number}: {shown(address)} is not an address of a repository.")
    return Repository(student, address, number)


def _beside(file: Path, repository: Repository) -> Repository:
    """Return the repository with a relative path as seen from the class list, if it is there."""
    place = file.parent / repository.address
    is_there = ":" not in repository.address and place.is_dir()
    return replace(repository, address=str(place.resolve())) if is_there else repository


def others(folder: Path, repositories: Iterable[Repository]) -> list[str]:
    """Return the folders of students whom the list does not have: of an earlier list."""
    wanted = {repository.student for repository in repositories}
    return sorted(
        place.name
        for place in folder.iterdir()
        if place.is_dir() and place.name not in wanted and not place.name.startswith(".")
    )


def shown(text: str) -> str:
    """Return a text of the list for a message."""
    return repr(clean(text, 80))


# ---- What students pushed


def fetch(
    repositories: list[Repository], folder: Path, before: datetime | None = None
) -> Iterator[Fetched]:
    """Fetch each repository's default branch into a folder of its student, and yield what became of
    each, in the order of the list. Afterwards `fetched.csv` names commit and date of each.

    before : the newest commit until then counts, by the date that it bears, which its author's
    machine has set. What was fetched earlier stays where a repository cannot be had now.
    """
    if shutil.which("git") is None:
        raise NoClass("git is missing: install it first.")
    folder.mkdir(parents=True, exist_ok=True)
    outcomes: list[Fetched] = []
    with ThreadPoolExecutor(TOGETHER) as pool:
        for outcome in pool.map(
            lambda repository: _fetched(repository, folder, before), repositories
        ):
            outcomes.append(outcome)
            yield outcome
    rows = [["student", "address", "commit", "date", "why not", "notes"]]
    rows += [
        [
            outcome.repository.student,
            outcome.repository.address,
            outcome.commit,
            outcome.date,
            outcome.why,
            "; ".join(outcome.notes),
        ]
        for outcome in outcomes
    ]
    with (folder / FETCHED).open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)


def _fetched(repository: Repository, folder: Path, before: datetime | None) -> Fetched:
    try:
        with tempfile.TemporaryDirectory(prefix=".fetch-", dir=folder) as scratch:
            return _fetched_by_way_of(Path(scratch), repository, folder, before)
    except _GitFailed as error:
        return Fetched(repository, why=str(error))
    except OSError as error:  # a full disk, or a file where the student's folder should be
        return Fetched(repository, why=f"its files could not be written: {error.strerror or error}")


def _fetched_by_way_of(
    scratch: Path, repository: Repository, folder: Path, before: datetime | None
) -> Fetched:
    history, files = scratch / "history", scratch / "files"
    files.mkdir()
    # Of the history only the commits; checkout asks for the files of one. A host that cannot leave
    # files out sends all of them.
    options = ("--quiet", "--bare", "--no-tags", "--filter=blob:none")
    _git("clone", *options, "--", repository.address, str(history))
    git_dir = f"--git-dir={history}"
    branch = _default_branch(git_dir)
    until = [f"--before={before.isoformat()}"] if before else []
    commit = _git(git_dir, "rev-list", "-1", *until, branch, "--").strip()
    if not commit:
        when = f" before {before.isoformat(' ', 'minutes')}" if before else ""
        raise _GitFailed(f"it has no commit{when}")
    date = _git(git_dir, "show", "-s", "--format=%cI", commit).strip()
    entries = _git(git_dir, "ls-tree", "-r", "-z", commit).split("\0")[:-1]
    if not entries:
        raise _GitFailed(f"its commit {commit[:12]} has no file")
    _git(git_dir, f"--work-tree={files}", "checkout", "--force", commit, "--", ".")
    notes = (
        *_newer_branches(git_dir, branch, commit, until),
        *_submodules(entries),
        *_pointers(files),
    )
    place, earlier = folder / repository.student, scratch / "earlier"
    if place.exists():
        place.rename(earlier)
    try:
        files.rename(place)
    except OSError:
        if earlier.exists():
            earlier.rename(place)
        raise
    return Fetched(repository, commit, date, notes=notes)


def _newer_branches(git_dir: str, branch: str, commit: str, until: list[str]) -> Iterator[str]:
    """Say which branches have later commits than the default branch: work that was pushed there."""
    of_default = int(_git(git_dir, "show", "-s", "--format=%ct", commit))
    for ref in _git(git_dir, "for-each-ref", "--format=%(refname)", "refs/heads").split():
        newest = _git(git_dir, "rev-list", "-1", *until, ref, "--").strip()
        if ref == branch or not newest or newest == commit:
            continue
        dated = _git(git_dir, "show", "-s", "--format=%ct %cI", newest).split()
        if int(dated[0]) > of_default:
            yield (
                f"branch {flat(clean(ref.removeprefix('refs/heads/'), 80))} has a newer commit, "
                f"of {dated[1]}, which was not fetched"
            )


def _submodules(entries: list[str]) -> Iterator[str]:
    for entry in entries:
        facts, name = entry.split("\t", 1)
        if facts.startswith("160000 "):
            yield f"{flat(clean(name, 80))} is a submodule, whose files were not fetched"


def _pointers(files: Path) -> Iterator[str]:
    """Name the programs that Git LFS keeps elsewhere."""
    for suffix in ("mjs", "cjs", "js", "ts"):
        for file in sorted(files.rglob(f"*.{suffix}")):
            is_short = file.is_file() and file.stat().st_size <= _POINTER_BYTES
            if is_short and file.read_bytes().startswith(_POINTER):
                name = flat(clean(str(file.relative_to(files)), 80))
                yield f"{name} is only a pointer of Git LFS, and the program was not fetched"


class _GitFailed(Exception):
    """git ended with an error, or has nothing; the message says which."""


def _default_branch(git_dir: str) -> str:
    """Return the branch that HEAD names, or where it names none that exists the only one."""
    branches = _git(git_dir, "for-each-ref", "--format=%(refname)", "refs/heads").split()
    head = _git(git_dir, "symbolic-ref", "HEAD").strip()
    if head in branches or len(branches) == 1:
        return head if head in branches else branches[0]
    if not branches:
        raise _GitFailed("it has no commit")
    names = ", ".join(name.removeprefix("refs/heads/") for name in branches)
    raise _GitFailed(f"it has no default branch, and several others ({names}): set one")


def _git(*words: str) -> str:
    env = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    command = ["git", *_SAFE, *words]
    process = subprocess.Popen(
        command,
        env={**env, **_GIT, "LC_ALL": "C"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,  # so that what git started ends with it
    )
    try:
        output, errors = process.communicate(timeout=PATIENCE_S)
    except BaseException as error:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        if isinstance(error, subprocess.TimeoutExpired):
            raise _GitFailed(f"git did not end within {PATIENCE_S} s") from None
        raise
    if process.returncode:
        raise _GitFailed(_reason(errors.decode("utf-8", "replace"), process.returncode))
    return output.decode("utf-8", "replace")


# What git says where the other side or ssh has said before what was wrong, and its advice after it.
_NO_REASON = re.compile(
    r"fatal: Could not read from remote repository|Please make sure you have|and the"
)
_ASIDE = re.compile(r"warning:|hint:|Warning: Permanently added|Cloning into")


def _reason(printed: str, code: int) -> str:
    """Return the line in which git, ssh or the host says why."""
    lines = [flat(clean(line.strip(), 300)) for line in printed.splitlines() if line.strip()]
    lines = [line for line in lines if not _ASIDE.match(line)]
    telling = [line for line in lines if not _NO_REASON.match(line)]
    fatal = [line for line in telling if line.startswith("fatal: ")]
    chosen = (fatal or telling[:1] or lines[-1:] or [f"git ended with {code}"])[-1]
    return chosen.removeprefix("fatal: ").removeprefix("error: ")

"""A class by repositories: the template that students begin from, and all their repositories
fetched into the folders that `grade` judges. Any git host does, and a folder of bare repositories.

What a student's repository holds is read, and never run here: no hook, no submodule, no link.
"""

from __future__ import annotations

import csv
import os
import re
import shutil
import subprocess
import tempfile
import tomllib
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
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
PATIENCE_S = 120  # for one repository
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
    it could not be had.
    """

    repository: Repository
    commit: str = ""
    date: str = ""
    why: str = ""


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
        repository = _of_words(words, columns, number, line)
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
        raise NoClass(f"Line {number}: {shown(line)} is not a student's id and an address.")
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
    rows = [["student", "address", "commit", "date", "why not"]]
    rows += [
        [
            outcome.repository.student,
            outcome.repository.address,
            outcome.commit,
            outcome.date,
            outcome.why,
        ]
        for outcome in outcomes
    ]
    with (folder / FETCHED).open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)


def _fetched(repository: Repository, folder: Path, before: datetime | None) -> Fetched:
    with tempfile.TemporaryDirectory(prefix=".fetch-", dir=folder) as scratch:
        history, files = Path(scratch) / "history", Path(scratch) / "files"
        files.mkdir()
        try:
            _git("clone", "--quiet", "--bare", "--no-tags", "--", repository.address, str(history))
            git_dir = f"--git-dir={history}"
            branch = _default_branch(git_dir)
            until = [f"--before={before.isoformat()}"] if before else []
            commit = _git(git_dir, "rev-list", "-1", *until, branch, "--").strip()
            if not commit:
                when = f" before {before.isoformat(' ', 'minutes')}" if before else ""
                return Fetched(repository, why=f"it has no commit{when}")
            date = _git(git_dir, "show", "-s", "--format=%cI", commit).strip()
            _git(git_dir, f"--work-tree={files}", "checkout", "--force", commit, "--", ".")
        except _GitFailed as error:
            return Fetched(repository, why=str(error))
        place = folder / repository.student
        shutil.rmtree(place, ignore_errors=True)
        files.rename(place)
        return Fetched(repository, commit, date)


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
    try:
        process = subprocess.run(
            command,
            env={**env, **_GIT, "LC_ALL": "C"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=PATIENCE_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise _GitFailed(f"git did not end within {PATIENCE_S} s") from None
    if process.returncode:
        printed = clean(process.stderr.decode("utf-8", "replace")).strip().splitlines()
        raise _GitFailed(flat(printed[-1]) if printed else f"git ended with {process.returncode}")
    return process.stdout.decode("utf-8", "replace")

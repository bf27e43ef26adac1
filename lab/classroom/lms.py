"""Hand-ins as a learning management system (LMS) gives them: one zip of all, or a folder.

Whose a file is, stands in its name:

    Anna Bohm_4711_assignsubmission_file_/summary.mjs    Moodle, a folder for each
    Anna Bohm_4711_assignsubmission_file_summary.mjs     Moodle, without folders
    bohmanna_LATE_815_90210_summary-1.mjs                Canvas; -1 of what was handed in again
    anna/summary.mjs                                     a folder for each student

A roster, `roster.csv` in the course's folder with the columns `lms` and `student`, says who a name
or a number of the LMS is; without, the name becomes the student's id: `anna-bohm`.

Nothing of an archive is believed: no path leads out, no link is followed, sizes are bounded. A zip
of one student that cannot be read, such as one with a password, or that has more in it than one
hands in, is left out; the others' are taken.
"""

from __future__ import annotations

import io
import re
import stat
import unicodedata
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from lab.errors import LabError
from lab.grading.handin import MOST_BYTES
from lab.storage import stored

ROSTER = "roster.csv"
SUFFIXES = (".mjs", ".cjs", ".js", ".ipynb", ".json")
ZIP = ".zip"
MOST_FILE = 64 * MOST_BYTES  # as a hand-in that is graded
MOST_FILES = 100_000
MOST_ALL = 2 << 30
MOST_OWN_FILES = 1000  # of one student in a zip of his own
MOST_OWN = 4 * MOST_FILE
# RuntimeError: a password, or packed in a way that Python does not know.
UNREADABLE = (zipfile.BadZipFile, zlib.error, OSError, EOFError, RuntimeError, ValueError)

_MOODLE = re.compile(
    r"(?P<name>[^/]+)_(?P<id>\d+)_assignsubmission_(?:file|onlinetext)_?/?(?P<file>.*)", re.S
)
_CANVAS = re.compile(r"(?P<name>[^_/]+)_(?:LATE_)?(?P<id>\d+)_\d+_(?P<file>[^/]+)", re.S)
_FOLDER = re.compile(r"(?P<name>[^/]+)/(?P<file>.+)", re.S)
_AGAIN = re.compile(r"-\d+(?=\.\w+$)")


class BadArchive(LabError):
    """An archive cannot be read, or is larger than hand-ins are."""


@dataclass(frozen=True)
class Given:
    """One file of one student."""

    student: str
    file: str  # its name alone
    data: bytes
    again: int = 0  # Canvas: which try it is


def roster(root: Path) -> dict[str, str]:
    """Who a name or number of the LMS is, from the course's roster; empty without one."""
    file = root / ROSTER
    if not file.exists():
        return {}
    rows = stored.read_csv(file, ("lms", "student"), f"{ROSTER} has the columns lms and student.")
    return {row["lms"].strip(): student_id(row["student"]) for row in rows}


def student_id(name: str) -> str:
    """A name as a student's id: a folder's name that nbgrader and every system can do with."""
    plain = unicodedata.normalize("NFKC", name).strip().lower()
    kept = re.sub(r"[^\w.@-]+", "-", plain).strip("-.")
    return kept[:80] or "unnamed"


def whose(path: str, known: dict[str, str]) -> tuple[str, str, int] | None:
    """Student, name of the file and which try, by a path in an archive; None if nobody's."""
    for pattern in (_MOODLE, _CANVAS, _FOLDER):
        found = pattern.fullmatch(path)
        if found is None:
            continue
        name, number = found["name"], found.groupdict().get("id") or ""
        student = known.get(number) or known.get(name)
        if student is None:
            student = student_id(name if pattern is not _CANVAS else f"{name}-{number}")
        file = PurePosixPath(found["file"]).name
        again = 0
        if pattern is _CANVAS and (mark := _AGAIN.search(file)):
            again, file = int(mark.group()[1:]), _AGAIN.sub("", file)
        return student, file, again
    return None


def read(place: Path, known: dict[str, str]) -> Iterator[Given]:
    """The files of all students in a zip, or in a folder with zips and files. Raises BadArchive.

    What has no student, or none of the suffixes of hand-ins, is left out.
    """
    for path, data in _files(place):
        found = whose(path, known)
        if found is not None and found[1].endswith(SUFFIXES):
            student, file, again = found
            yield Given(student, file, data, again)


def newest(files: Iterator[Given]) -> dict[tuple[str, str], bytes]:
    """By student and name of the file what was handed in last."""
    best: dict[tuple[str, str], Given] = {}
    for one in files:
        before = best.get((one.student, one.file))
        if before is None or one.again >= before.again:
            best[one.student, one.file] = one
    return {who: one.data for who, one in best.items()}


def _is_zip(name: str) -> bool:
    """Some systems write it in capitals."""
    return name.lower().endswith(ZIP)


def _files(place: Path) -> Iterator[tuple[str, bytes]]:
    if place.is_file():
        yield from _unpacked(place)
        return
    for file in sorted(place.rglob("*")):
        if file.is_symlink() or not file.is_file():
            continue
        path = file.relative_to(place).as_posix()
        if _is_zip(file.name):
            # Of a zip in a student's folder the files are theirs; one that lies here has all.
            above = file.relative_to(place).parent.as_posix()
            if above == ".":
                yield from _unpacked(file)
            elif file.stat().st_size <= MOST_FILE:
                yield from _own(file.read_bytes(), f"{above}/")
        elif file.stat().st_size <= MOST_FILE:
            yield path, file.read_bytes()


def _unpacked(file: Path) -> Iterator[tuple[str, bytes]]:
    """What is in an archive of all."""
    try:
        with zipfile.ZipFile(file) as archive:
            for within, data in _entries(archive, file.name, MOST_FILES, MOST_ALL):
                if _is_zip(within):
                    yield from _own(data, f"{within[: -len(ZIP)]}/")
                else:
                    yield within, data
    except UNREADABLE as error:
        raise BadArchive(f"{file.name} cannot be read as a zip: {error}. Load it again.") from None


def _own(data: bytes, above: str) -> list[tuple[str, bytes]]:
    """What is in a zip of one student, of which another within is not opened: all of it or nothing,
    as half of a hand-in would be another.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = list(_entries(archive, above, MOST_OWN_FILES, MOST_OWN))
    except Exception:  # whatever it makes Python stumble over is this student's matter
        return []
    return [(f"{above}{name}", own) for name, own in entries if not _is_zip(name)]


def _entries(
    archive: zipfile.ZipFile, name: str, most_files: int, most_bytes: int
) -> Iterator[tuple[str, bytes]]:
    taken = 0
    for count, entry in enumerate(archive.infolist()):
        if count >= most_files or taken > most_bytes:
            raise BadArchive(f"{name} has more in it than a class hands in: nothing was taken.")
        path = PurePosixPath(entry.filename.replace("\\", "/"))
        kind = stat.S_IFMT(entry.external_attr >> 16)
        if entry.is_dir() or path.is_absolute() or ".." in path.parts or kind == stat.S_IFLNK:
            continue
        if not (path.name.endswith(SUFFIXES) or _is_zip(path.name)):
            continue
        with archive.open(entry) as opened:  # what it says of its size may be a lie
            data = opened.read(MOST_FILE + 1)
        taken += len(data)
        if len(data) <= MOST_FILE:
            yield path.as_posix(), data

"""What lies in a folder or a zip of hand-ins: one entry for each file, read only when it is needed.

Nothing of an archive is believed: no name leads out, no link is followed, sizes are bounded. A
folder such as node_modules is one entry, which says how many files lie in it.
"""

from __future__ import annotations

import contextlib
import os
import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from lab.errors import LabError
from lab.grading.handin import BadHandIn

ZIP = ".zip"
# What programs make, or fetch, and no student writes.
SKIPPED_FOLDERS = {"node_modules", "__macosx", "venv", "dist", "__pycache__"}
# Of these, what a server of several files may need: its libraries, and what a compiler made of it.
_NEEDED = {"node_modules", "dist"}
SKIPPED = "skipped, because such a folder contains no hand-ins"
_BY_SYSTEMS = {"__macosx", "__pycache__"}
LEADS_OUT = (
    "its path leads out of the archive: put the file into its student's folder by hand, and judge "
    "the folder"
)
HIDDEN = "hidden files are not hand-ins"
EMPTY = "it is empty"
LOCKED = "you may not read it: change its permissions"
OUT = "it is a link that leads out of the folder of this student"
# RuntimeError: a password, or packed in a way that Python does not know.
UNREADABLE = (zipfile.BadZipFile, zlib.error, OSError, EOFError, RuntimeError, ValueError)
MOST_ENTRIES = 2_000_000
_UTF8 = 0x800
_PASSWORD = 0x1
_UNICODE_PATH = 0x7075  # the extra field of a name in UTF-8, beside one in which letters are lost
# What a file is that only has the name of a zip, by its first bytes.
_OTHERS = {
    b"Rar!": "it is a RAR archive: pack it as a zip",
    b"7z\xbc\xaf\x27\x1c": "it is a 7z archive: pack it as a zip",
    b"\x1f\x8b": "it is a gzip archive: pack it as a zip",
    b"\xfd7zXZ": "it is an xz archive: pack it as a zip",
    b"BZh": "it is a bzip2 archive: pack it as a zip",
    b"<": "it is a web page, perhaps of a platform that asks you to log in: download it again",
    b"\x28\xb5\x2f\xfd": "it is a Zstandard archive: pack it as a zip",
    b"PK": "its end is missing, perhaps because a download broke off: download it again",
}
# The same by their names.
_PACKED = {
    ".rar": "a RAR archive",
    ".7z": "a 7z archive",
    ".gz": "a gzip archive",
    ".tgz": "a gzip archive",
    ".xz": "an xz archive",
    ".txz": "an xz archive",
    ".bz2": "a bzip2 archive",
    ".tbz": "a bzip2 archive",
    ".tbz2": "a bzip2 archive",
    ".zst": "a Zstandard archive",
    ".tzst": "a Zstandard archive",
    ".lz": "an lzip archive",
    ".lz4": "an LZ4 archive",
    ".lzma": "an LZMA archive",
    ".lzh": "an LHA archive",
    ".z": "an archive of compress",
    ".br": "a Brotli archive",
    ".cab": "a cabinet of Windows",
    ".dmg": "a disk image",
    ".iso": "a disk image",
    ".zipx": "a zip of a newer kind",
    ".z01": "a part of a zip",
    ".tar": "a tar archive",
}
PACKED = frozenset(_PACKED)
_DRIVE = re.compile(r"[A-Za-z]:(/|$)")


class BadArchive(LabError):
    """An archive cannot be read, or is larger than hand-ins are."""


@dataclass(frozen=True)
class Entry:
    """One file that came in, a folder that is skipped with all its files, or an empty folder, which
    has none.
    """

    path: str  # below the top, with "/"
    size: int = 0
    files: int = 1
    fault: str = ""  # why nothing of it is read
    is_skipped: bool = False  # a folder or file that programs make
    is_link: bool = False
    is_locked: bool = False  # whoever grades may not read it, which is no fault of its student
    place: Path | None = None  # where it lies on disk
    reader: Callable[[int], bytes] | None = None
    contents: Callable[[], Iterator[Entry]] | None = None  # of a folder that is skipped

    @property
    def name(self) -> str:
        """The last part of its path."""
        return self.path.rstrip("/").rpartition("/")[2]

    @property
    def is_by_systems(self) -> bool:
        """Whether systems and editors leave such an entry: none of them is listed by itself."""
        return self.is_skipped and (self.name.startswith(".") or self.name.lower() in _BY_SYSTEMS)

    def read(self, most: int) -> bytes:
        """Its first bytes, at most so many. Raises BadHandIn."""
        if self.fault or self.reader is None:
            raise BadHandIn(self.fault or "there is nothing to read")
        try:
            return self.reader(most)
        except UNREADABLE as error:
            raise BadHandIn(f"it cannot be read: {error}") from None


def is_zip(name: str) -> bool:
    """Some systems write the suffix in capitals."""
    return name.lower().endswith(ZIP)


def packed_as(name: str) -> str:
    """Which archive a file is by its name, in words; nothing for a zip and what is no archive."""
    return _PACKED.get(Path(name).suffix.lower(), "")


def is_skipped(name: str) -> bool:
    """Whether a folder of that name holds what programs make, or is hidden."""
    return name.startswith(".") or name.lower() in SKIPPED_FOLDERS


def of_folder(top: Path, *, is_students: bool = False) -> Iterator[Entry]:
    """The files below a folder; links stay links.

    is_students : it is the folder of one student, and else one that holds folders of students.
    """
    waiting = [(top, "")]
    while waiting:
        folder, within = waiting.pop()
        try:
            with os.scandir(folder) as listed:
                items = sorted(listed, key=lambda item: item.name)
        except OSError as error:
            yield Entry(within or "./", fault=f"the folder cannot be read: {error.strerror}")
            continue
        if not items and within:
            yield Entry(f"{within}.", files=0, fault=EMPTY)
        for item in items:
            path = f"{within}{item.name}"
            if item.is_symlink():
                yield _of_link(Path(item.path), top, path, is_students=is_students)
            elif not item.is_dir(follow_symlinks=False):
                yield _of_file(item, path)
            elif not is_skipped(item.name):
                waiting.append((Path(item.path), f"{path}/"))
            elif files := _files_in(item.path):
                contents = _contents(Path(item.path), f"{path}/") if item.name in _NEEDED else None
                yield Entry(
                    f"{path}/", files=files, fault=SKIPPED, is_skipped=True, contents=contents
                )


def _contents(top: Path, within: str) -> Callable[[], Iterator[Entry]]:
    """Return the files in a folder that is skipped. Links are not followed."""

    def found() -> Iterator[Entry]:
        waiting = [(top, within)]
        while waiting:
            folder, path = waiting.pop()
            try:
                with os.scandir(folder) as listed:
                    items = sorted(listed, key=lambda item: item.name)
            except OSError as error:
                yield Entry(path, fault=f"the folder cannot be read: {error.strerror}")
                continue
            for item in items:
                if item.is_symlink():
                    yield Entry(f"{path}{item.name}", fault="it is a link", is_link=True)
                elif item.is_dir(follow_symlinks=False):
                    waiting.append((Path(item.path), f"{path}{item.name}/"))
                elif item.is_file(follow_symlinks=False):
                    size = item.stat(follow_symlinks=False).st_size
                    yield Entry(f"{path}{item.name}", size, reader=_reader(Path(item.path)))

    return found


def _of_file(item: os.DirEntry[str], path: str) -> Entry:
    place = Path(item.path)
    if item.name.startswith("."):
        return Entry(path, fault=HIDDEN, is_skipped=True, place=place)
    found = item.stat(follow_symlinks=False)
    if not stat.S_ISREG(found.st_mode):
        return Entry(path, fault="it is a pipe or a device: name a file", place=place)
    return _of_place(place, path, place, found.st_size)


def _of_place(place: Path, path: str, target: Path, size: int) -> Entry:
    """Return the entry of a file on disk, which may lie where a link leads to."""
    if not os.access(target, os.R_OK):
        return Entry(path, size, fault=LOCKED, is_locked=True, place=place)
    return Entry(path, size, place=place, reader=_reader(target))


def _reader(place: Path) -> Callable[[int], bytes]:
    def read(most: int) -> bytes:
        with place.open("rb") as file:
            return file.read(most)

    return read


def _of_link(place: Path, top: Path, path: str, *, is_students: bool) -> Entry:
    student = top if is_students else top / path.partition("/")[0]
    try:
        target = place.resolve()
        is_own = target.is_relative_to(student.resolve())
    except (OSError, RuntimeError):
        return Entry(path, fault="it is a link that leads to itself", place=place)
    if not is_own or not (is_students or "/" in path):
        return Entry(path, fault=OUT, place=place)
    if not target.exists():
        return Entry(path, fault="it is a link that leads nowhere", place=place)
    if not target.is_file():
        return Entry(path, fault="it is a link to something that is not a file", place=place)
    return _of_place(place, path, target, target.stat().st_size)


def _files_in(folder: str) -> int:
    files, waiting = 0, [folder]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as listed:
                for item in listed:
                    if item.is_dir(follow_symlinks=False):
                        waiting.append(item.path)
                    else:
                        files += 1
        except OSError:
            files += 1  # a folder that cannot be read
    return files


def of_zip(archive: zipfile.ZipFile, name: str) -> Iterator[Entry]:
    """The files in a zip. Raises BadArchive if there are more than anybody hands in."""
    infos_of_zip = archive.infolist()
    if len(infos_of_zip) > MOST_ENTRIES:
        raise BadArchive(f"{name} has more files than a class hands in: nothing was read.")
    infos_by_folder: dict[str, list[zipfile.ZipInfo]] = {}
    folders: set[str] = set()
    folders_with_files: set[str] = set()
    has_slashes = any("/" in info.filename for info in infos_of_zip)
    for info in infos_of_zip:
        name = _name_of(info, has_slashes=has_slashes)
        path = _normal(name)
        folders_with_files.update(_above(path))
        if name.endswith("/"):
            folders.add(path)
        elif folder := _skipped_part(path):
            infos_by_folder.setdefault(folder, []).append(info)
        else:
            yield _of_member(archive, info, path)
    for folder, infos in infos_by_folder.items():
        is_needed = folder.rpartition("/")[2] in _NEEDED
        yield Entry(
            f"{folder}/",
            files=len(infos),
            fault=SKIPPED,
            is_skipped=True,
            contents=_members(archive, infos, has_slashes=has_slashes) if is_needed else None,
        )
    for folder in sorted(folders - folders_with_files):
        if not _skipped_part(f"{folder}/x") and not _leads_out(folder):
            yield Entry(f"{folder}/.", files=0, fault=EMPTY)


def in_code_page(archive: zipfile.ZipFile) -> int:
    """Return how many names are in a code page that the archive doesn't name."""
    return sum(
        not (info.flag_bits & _UTF8 or _name_beside(info)) and _as_utf8(info.filename) is None
        for info in archive.infolist()
    )


def unreadable(first: bytes, error: Exception) -> str:
    """Why what is called a zip cannot be read as one, by its first bytes; else as Python says."""
    if isinstance(error, PermissionError):
        return LOCKED
    if not first.strip():
        return "it is empty: download it again"
    start = first.removeprefix(b"\xef\xbb\xbf").lstrip()
    what = next((words for sign, words in _OTHERS.items() if start.startswith(sign)), "")
    return what if what and isinstance(error, zipfile.BadZipFile) else f"{error}: download it again"


def _above(path: str) -> Iterator[str]:
    while path := path.rpartition("/")[0]:
        yield path


def _name_of(info: zipfile.ZipInfo, *, has_slashes: bool) -> str:
    """The name as it was written, with "/" between folders: some programs write UTF-8 and do not
    say so, and some write a backslash.

    has_slashes : names in this archive have "/" between folders. Then a backslash in a name of an
        unknown code page is half of a letter, as in Japanese, and no border between folders.
    """
    if info.flag_bits & _UTF8:
        return info.filename.replace("\\", "/")
    name = _name_beside(info) or _as_utf8(info.filename)
    if name is None and has_slashes:
        return info.filename
    return (name or info.filename).replace("\\", "/")


def _normal(name: str) -> str:
    """A name without empty parts."""
    parts = [part for part in name.split("/") if part not in ("", ".")]
    return ("/" if name.startswith("/") else "") + "/".join(parts)


def _as_utf8(name: str) -> str | None:
    """A name that was written in UTF-8; None for a name in an unknown code page."""
    try:
        return name.encode("cp437").decode("utf-8")
    except UnicodeError:
        return None


def _name_beside(info: zipfile.ZipInfo) -> str:
    """The name in UTF-8 that some programs write beside one whose letters they had lost ("??");
    nothing where there is none, or where it belongs to another name.
    """
    extra = info.extra
    while len(extra) >= 4:
        kind, size = struct.unpack_from("<HH", extra)
        field, extra = extra[4 : 4 + size], extra[4 + size :]
        if kind == _UNICODE_PATH and len(field) > 5 and field[0] == 1:
            with contextlib.suppress(UnicodeError):
                written = info.orig_filename.encode("cp437")
                if zlib.crc32(written) == int.from_bytes(field[1:5], "little"):
                    return field[5:].decode("utf-8")
    return ""


def _leads_out(path: str) -> bool:
    return path.startswith("/") or ".." in path.split("/") or bool(_DRIVE.match(path))


def _skipped_part(path: str) -> str:
    """The folder of a path that is skipped, or nothing."""
    if _leads_out(path):
        return ""
    parts = path.split("/")[:-1]
    at = next((at for at, part in enumerate(parts) if is_skipped(part)), None)
    return "" if at is None else "/".join(parts[: at + 1])


def _members(
    archive: zipfile.ZipFile, infos: list[zipfile.ZipInfo], *, has_slashes: bool
) -> Callable[[], Iterator[Entry]]:
    """Return the files in a folder of a zip that is skipped."""

    def found() -> Iterator[Entry]:
        for info in infos:
            path = _normal(_name_of(info, has_slashes=has_slashes))
            entry = _of_member(archive, info, path)
            # Names that begin with a dot are hidden among hand-ins alone.
            yield replace(entry, is_link=entry.fault == "it is a link")

    return found


def _of_member(archive: zipfile.ZipFile, info: zipfile.ZipInfo, path: str) -> Entry:
    if _leads_out(path):
        return Entry(path, fault=LEADS_OUT)
    if stat.S_IFMT(info.external_attr >> 16) == stat.S_IFLNK:
        return Entry(path, fault="it is a link")
    if path.rpartition("/")[2].startswith("."):
        return Entry(path, fault=HIDDEN, is_skipped=True)
    if info.flag_bits & _PASSWORD:
        return Entry(path, fault="it has a password")

    def read(most: int) -> bytes:
        with archive.open(info) as member:  # what it says of its size may be a lie
            return member.read(most)

    return Entry(path, info.file_size, reader=read)

"""A hand-in of several files: the folder of a server, as a reader keeps it during a project.

The program that is started is the one that package.json starts ("start" of its scripts, or "main"),
else a server, index, app or main at the top of the folder or in its `src`, else what package.json
exports, else the only program there. Its own modules lie in the folder, libraries in its
node_modules. Files that are too large or too many for a program, such as uploads to the server in
the folder, are left out and named.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any

from lab.grading import entries, handin, scripts
from lab.grading.entries import Entry
from lab.grading.exercise import Exercise
from lab.grading.handin import STRIPPED, SUFFIXES, BadHandIn, HandIn

PROGRAMS = (*SUFFIXES, *STRIPPED)
STEMS = ("server", "index", "app", "main")
PACKAGE = "package.json"
LIBRARIES = "node_modules"
MOST_OWN = 4 << 20  # bytes of one's own files, and of each MOST_BYTES
MOST_OWN_FILES = 400
MOST_LIBRARIES = 32 << 20
MOST_LIBRARY_FILES = 8000
MOST_ARCHIVE = 64 << 20
# What no program reads when it runs, and what is for development alone.
_NOT_RUN = (".d.ts", ".d.mts", ".d.cts", ".map", ".md", ".markdown")
# A class with one framework has the same files in each folder: the bytes are kept once.
_library_files: dict[bytes, bytes] = {}


def from_path(path: str | Path, exercise: Exercise) -> HandIn:
    """A hand-in by its path: a file, or where the exercise takes one a folder, or the zip of one.
    Raises BadHandIn.
    """
    place = Path(path)
    if exercise.takes_folders and place.is_dir():
        return from_folder(place, exercise, str(path))
    if exercise.takes_folders and entries.is_zip(place.name) and place.is_file():
        return from_archive(place, exercise)
    if exercise.takes_folders and place.is_file() and (kind := entries.packed_as(place.name)):
        raise BadHandIn(f"{path} is {kind}: hand in its folder, or pack that as a zip.")
    return handin.from_file(path, exercise)


def from_folder(place: Path, exercise: Exercise, called: str = "") -> HandIn:
    """A hand-in by its folder. Raises BadHandIn."""
    folder_name = called or str(place)
    return from_entries(entries.of_folder(place, is_students=True), folder_name, exercise)


def from_archive(place: Path, exercise: Exercise) -> HandIn:
    """A hand-in by the zip of its folder. Raises BadHandIn."""
    if place.stat().st_size > MOST_ARCHIVE:
        raise BadHandIn(f"{place} has more than {MOST_ARCHIVE >> 20} MiB: leave node_modules out.")
    try:
        with zipfile.ZipFile(place) as archive:
            zip_entries = list(entries.of_zip(archive, place.name))
            return from_entries(zip_entries, str(place), exercise)
    except entries.UNREADABLE as error:
        with place.open("rb") as opened:
            why = entries.unreadable(opened.read(100), error)
        raise BadHandIn(f"{place} cannot be read as a zip: {why}.") from None


def packed(files: Mapping[str, bytes]) -> bytes:
    """A zip of these files, the same bytes for the same files."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in sorted(files.items()):
            archive.writestr(zipfile.ZipInfo(path), data, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def from_entries(folder_entries: Iterable[Entry], folder_name: str, exercise: Exercise) -> HandIn:
    """A hand-in by what lies in its folder, whose paths begin there. Raises BadHandIn."""
    top, own_entries = _without_top([item for item in folder_entries if item.files])
    files: dict[str, bytes] = {}
    surplus_paths: list[str] = []
    libraries: list[Entry] = []
    size = 0
    # Programs first: what else lies there must not take their room.
    for entry in sorted(own_entries, key=lambda item: (_rank(item), item.path)):
        if entry.is_skipped and entry.contents is not None:
            libraries.append(entry)
        elif entry.fault and entry.name == LIBRARIES:
            raise BadHandIn(_linked(folder_name, entry.path))
        elif not entry.fault and not _is_odd(entry.path):
            is_needed = is_program(entry.path) or entry.path == PACKAGE
            too_large = entry.size > handin.MOST_BYTES
            is_full = len(files) >= MOST_OWN_FILES or size + entry.size > MOST_OWN
            if is_needed and (too_large or is_full):
                raise BadHandIn(
                    f"{folder_name} has {'a program' if too_large else 'programs'} of more than "
                    f"{(handin.MOST_BYTES if too_large else MOST_OWN) >> 10:,} KiB or more than "
                    f"{MOST_OWN_FILES} files ({entry.path}): hand in what you wrote yourself."
                )
            if too_large or is_full:
                surplus_paths.append(entry.path)
                continue
            files[entry.path] = entry.read(handin.MOST_BYTES + 1)
            size += len(files[entry.path])
    dist_folders = [entry for entry in libraries if not entry.path.endswith(f"{LIBRARIES}/")]
    for entry in dist_folders:  # the program that is started may be among these
        _add_libraries(files, entry, top, folder_name)
    name, package_text, extras = _main(files, folder_name, exercise, own_entries)
    for entry in libraries:
        if entry not in dist_folders:
            _add_libraries(files, entry, top, folder_name)
    text = _text(files[name], f"{folder_name.rstrip('/')}/{name}")
    hand_in = handin.from_text(text, name, exercise.id)
    return replace(
        hand_in,
        files=files,
        added=package_text,
        left_out=tuple(sorted(surplus_paths)),
        extras=extras,
    )


def _without_top(own_entries: list[Entry]) -> tuple[str, list[Entry]]:
    """The path of the hand-in's folder, where that lies within others alone, as a zip of a folder
    holds the folder; and the entries by their paths in it.
    """
    before = ""
    while True:
        visible = [item for item in own_entries if not item.is_by_systems]
        tops = {item.path.partition("/")[0] for item in visible}
        is_loose = any("/" not in item.path for item in visible)
        if len(tops) != 1 or is_loose or tops & {"src", "dist", LIBRARIES}:
            return before, own_entries
        top = f"{tops.pop()}/"
        before += top
        own_entries = [
            replace(item, path=item.path.removeprefix(top)) for item in visible if item.path != top
        ]


def _rank(entry: Entry) -> int:
    return 0 if entry.path == PACKAGE else 1 if is_program(entry.path) else 2


def is_program(path: str) -> bool:
    """Whether a file is a program by its name."""
    return PurePosixPath(path).suffix.lower() in PROGRAMS


def _is_odd(path: str) -> bool:
    """Whether no file can be made of that path in a folder of its own."""
    parts = path.split("/")
    return (
        path.startswith("/")
        or "\0" in path
        or any(
            part in ("", ".", "..") or len(part.encode("utf-8", "replace")) > 255 for part in parts
        )
        or len(parts) > 30
        or not path.isprintable()
    )


def _text(data: bytes, folder_name: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadHandIn(
            f"{folder_name} is not valid UTF-8 (byte {error.start}): save it as UTF-8."
        ) from None


def _add_libraries(files: dict[str, bytes], folder: Entry, top: str, folder_name: str) -> None:
    """Add what lies in a node_modules, or in a folder that a compiler made; `top` is the path of
    the hand-in's folder.
    """
    assert folder.contents is not None
    count = size = 0
    for library in folder.contents():
        entry = replace(library, path=library.path.removeprefix(top))
        parts = entry.path.split("/")
        if entry.path.lower().endswith(_NOT_RUN) or ".bin" in parts or _is_odd(entry.path):
            continue
        if entry.fault:
            if entry.is_link:
                raise BadHandIn(_linked(folder_name, entry.path))
            continue
        count, size = count + 1, size + entry.size
        if count > MOST_LIBRARY_FILES or size > MOST_LIBRARIES:
            raise BadHandIn(
                f"{folder_name}: {folder.path} has more than {MOST_LIBRARIES >> 20} MiB or "
                f"{MOST_LIBRARY_FILES:,} files: leave out what only development needs, "
                "`npm prune --omit=dev`."
            )
        contents = entry.read(MOST_LIBRARIES - size + entry.size)
        files[entry.path] = _library_files.setdefault(contents, contents)


def _linked(folder_name: str, path: str) -> str:
    return (
        f"{folder_name}: {path} is a link, as some package managers make them: install with "
        "`npm install` in that folder, which copies."
    )


# ------------------------------------------------------------------ which program is started


def _main(
    files: Mapping[str, bytes], folder_name: str, exercise: Exercise, own_entries: list[Entry]
) -> tuple[str, str, tuple[str, ...]]:
    """The path of the program that is started, a package.json if it needs another one, and what
    the script that starts it adds.
    """
    package = _package(files, folder_name)
    starts = scripts.starts(package)
    stems = (*STEMS, exercise.id)
    usual = [f"{top}{stem}" for top in ("", "src/") for stem in stems]
    at_top = [path for path in files if "/" not in path and is_program(path)]
    # Only package.json may start a program without a suffix, such as bin/www.
    bare = [start.path for start in starts if start.path in files]
    bare = [path for path in bare if not PurePosixPath(path).suffix]
    # Node does not start what a package exports, but that tells which file counts.
    candidates = [
        *starts,
        *(scripts.Start(path) for path in usual),
        *scripts.exported(package),
    ]
    first_start = next(
        (
            start
            for start in candidates
            if start.path.startswith("..") or _resolved(start.path, files, bare)
        ),
        None,
    )
    if first_start and first_start.path.startswith(".."):
        raise BadHandIn(
            f"{folder_name}: {PACKAGE} starts {first_start.path}, which is not in this folder: "
            "hand in the folder that has both, or correct the path."
        )
    name = _resolved(first_start.path, files, bare) if first_start else ""
    if not name and len(at_top) == 1:
        (name,) = at_top
    if name:
        return name, _typed(package, name, files), first_start.extras if first_start else ()
    if starts:
        raise BadHandIn(
            f"{folder_name}: {PACKAGE} starts {starts[0].path}, "
            f"{_unstarted(starts[0].path, own_entries)}."
        )
    if not any(map(is_program, files)):
        raise BadHandIn(f"{folder_name} has no program in it{_instead(own_entries)}.")
    if not at_top:
        raise BadHandIn(f"{folder_name} has no program at its top: {_below(files)}.")
    raise BadHandIn(
        f"{folder_name} has several programs, and none is called server.mjs: give that name to the "
        f'one to start, or name it in {PACKAGE} as "main".'
    )


def _unstarted(path: str, own_entries: list[Entry]) -> str:
    """Return why a program that package.json starts cannot be started, and what to do."""
    for entry in own_entries:
        is_there = path == entry.path or path.startswith(f"{entry.path}/")
        if is_there and entry.fault and not entry.is_skipped:
            what = "file" if path == entry.path else "folder"
            why = f"but {entry.path} cannot be read, as {entry.fault}"
            return f"{why}: put the {what} itself there"
        if is_there and PurePosixPath(path).suffix.lower() in handin.TYPED:
            return "which Node does not run: hand in JavaScript, and name that there"
    return "which is missing: write the path of your server there"


def _below(files: Mapping[str, bytes]) -> str:
    """Return what to do with a folder whose programs are all in folders of that."""
    programs = sorted(filter(is_program, files), key=lambda path: (path.count("/"), path))
    servers = [path for path in programs if PurePosixPath(path).stem in STEMS]
    if len(programs) > 1 and not servers:
        return f'name the one to start in {PACKAGE} as "main"'
    folder, _, name = (servers or programs)[0].rpartition("/")
    named = f'name {folder}/{name} in {PACKAGE} as "main"'
    return f"hand in the folder {folder}, which has {name}, or {named}"


def _instead(own_entries: list[Entry]) -> str:
    """Return which files a folder without a program has, and what to do."""
    for entry in own_entries:
        if entry.fault and is_program(entry.path):
            return f" that can be read ({entry.path}: {entry.fault}): put the file itself there"
    for entry in own_entries:
        if entries.is_zip(entry.path):
            return f", only {entry.path}: unpack that, and hand in the folder that has server.mjs"
        if PurePosixPath(entry.path).suffix.lower() in handin.TYPED:
            return f" that Node runs: hand in JavaScript instead of {entry.path}"
    return ": hand in the folder that has server.mjs"


def _package(files: Mapping[str, bytes], folder_name: str) -> dict[str, Any]:
    if PACKAGE not in files:
        return {}
    try:
        package = json.loads(_text(files[PACKAGE], f"{folder_name}: {PACKAGE}"))
    except (ValueError, RecursionError) as error:
        where = f" (line {error.lineno})" if isinstance(error, json.JSONDecodeError) else ""
        raise BadHandIn(
            f"{folder_name}: {PACKAGE} is not JSON{where}: `npm init` writes one."
        ) from None
    return package if isinstance(package, dict) else {}


def _resolved(path: str, files: Mapping[str, bytes], bare: list[str]) -> str:
    """The program of that path, as `require` finds it; nothing if there is none."""
    tries = [path, *(f"{path}{suffix}" for suffix in PROGRAMS)]
    tries += [f"{path}/index{suffix}" for suffix in PROGRAMS]
    if path == ".":
        tries = [f"index{suffix}" for suffix in PROGRAMS]
    if path in bare:
        return path
    return next((item for item in tries if item in files and is_program(item)), "")


def _typed(package: dict[str, Any], name: str, files: Mapping[str, bytes]) -> str:
    """A package.json that says `"type": "module"` where it is missing and all .js files are ES
    modules: newer versions of Node see that by themselves. Nothing where none is needed.
    """
    if not name.endswith(".js") or "type" in package:
        return ""
    kinds = {
        handin.kind_of(data.decode("utf-8", "replace"))
        for path, data in files.items()
        if path.endswith(".js") and LIBRARIES not in path.split("/")
    }
    if "esm" not in kinds or "cjs" in kinds:
        return ""
    return json.dumps({**package, "type": "module"})

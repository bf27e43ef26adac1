"""A build of Node that is no installed one: a path, a folder, an archive, or a link to one.

`lab.book.candidate` compares such a build with a release.
"""

from __future__ import annotations

import hashlib
import http.client
import json
import lzma
import os
import platform
import re
import shutil
import sys
import tarfile
import time
import urllib.request
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from lab.errors import LabError
from lab.processes import nodes

SUMS = "SHASUMS256.txt"  # next to each archive on nodejs.org
ARCHIVES = (".tar.gz", ".tar.xz", ".tgz")
MOST_BYTES = 300 * 1024 * 1024  # five times the largest archive of a release
MOST_UNPACKED = 2 * 1024 * 1024 * 1024  # ten times what a release has
LONGEST_S = 1800  # for a whole download
PATIENCE_S = 60  # for the next bytes of a download
MACHINES = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64", "arm64": "arm64"}
MACHINE = MACHINES.get(platform.machine().lower(), platform.machine())
SYSTEM = "darwin" if sys.platform == "darwin" else "linux"
KINDS = {kind: f"https://nodejs.org/download/{kind}" for kind in ("nightly", "rc", "v8-canary")}


class Build(NamedTuple):
    """A Node: its absolute path; what is to be said of where it came from, "" for nothing; and the
    link to its archive, "" for one that was here.
    """

    path: str
    note: str = ""
    link: str = ""


class NoBuildError(LabError):
    """There is no Node where a build was named."""


class NothingThereError(NoBuildError):
    """A server says that it has nothing at a link."""


def find(build: str, folder: Path) -> Build:
    """Return the Node of a build.

    build : the path of a Node, of the folder or of the archive that holds one, a link to an archive
    or to its folder, or one of KINDS: the newest build of that kind; folder : where archives are
    kept and unpacked. Raises NoBuildError.
    """
    note, link = "", _newest(build) if build in KINDS else build
    if re.match(r"https?://", link):
        path, note, link = _download(link, folder)
    else:
        path, link = Path(build).expanduser().absolute(), ""
    if path.name.endswith(ARCHIVES):
        path = _unpack(path, folder)
    elif path.is_dir():
        path = _in_folder(path)
    try:
        return Build(nodes.program(path), note, link)
    except nodes.NoNodeError as error:
        what = str(error).replace(f": {nodes.advice()}", "").replace(f" ({nodes.advice()})", "")
        raise NoBuildError(
            f"{what.rstrip('.')}. Give the path of a Node, of its folder or of its archive "
            f"({', '.join(ARCHIVES)}), or a link to one of these."
        ) from None


def _newest(kind: str) -> str:
    """Return the link to the folder of the newest build of a kind, which is listed first."""
    text = b"".join(_chunks(f"{KINDS[kind]}/index.json"))
    try:
        return f"{KINDS[kind]}/{json.loads(text)[0]['version']}/"
    except (ValueError, LookupError, TypeError):
        raise NoBuildError(f"{KINDS[kind]}/index.json lists no build. Give a link.") from None


def _in_folder(folder: Path) -> Path:
    places = ("bin/node", "node", "out/Release/node", "*/bin/node")
    for place in places:
        for path in sorted(folder.glob(place)):
            if path.is_file():
                return path
    raise NoBuildError(f"{folder} has no Node at any of these places: {', '.join(places)}.")


def _unpack(archive: Path, folder: Path) -> Path:
    if not hasattr(tarfile, "data_filter"):  # before Python 3.11.4
        raise NoBuildError(
            f"This Python can't unpack a downloaded archive safely. Unpack {archive} "
            "yourself, and give the folder."
        )
    target = folder / hashlib.sha256(os.fsencode(archive)).hexdigest()[:12]
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    try:
        with tarfile.open(archive) as content:
            size = sum(member.size for member in content)
            if size > MOST_UNPACKED:
                raise tarfile.TarError(
                    f"it has {size >> 20} MiB when unpacked, which is more than any build has"
                )
            content.extractall(target, filter="data")
    except (OSError, EOFError, ValueError, tarfile.TarError, lzma.LZMAError, zlib.error) as error:
        shutil.rmtree(target, ignore_errors=True)
        raise NoBuildError(f"{archive} can't be unpacked ({error}). Download it again.") from None
    return _in_folder(target)


def _download(link: str, folder: Path) -> tuple[Path, str, str]:
    """Fetch an archive, whose digest has to be the one that is listed next to it; return it, what
    is to be said, and its link.
    """
    address, mark, query = link.partition("?")
    base, _, name = address.rpartition("/")
    if name and not name.endswith(ARCHIVES):
        base, name, mark, query = address, "", "", ""
    sums = _sums(f"{base}/{SUMS}", needed=not name)
    name = name or _of_this_machine(sums, base)
    link = f"{base}/{name}{mark}{query}"
    if sums and name not in sums:
        raise NoBuildError(f"{base}/{SUMS} does not list {name}, so it can't be trusted.")
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / name
    part = target.with_name(f".{name}.part")
    digest = hashlib.sha256()
    note = ""
    try:
        with part.open("wb") as file:
            for chunk in _chunks(link):
                digest.update(chunk)
                file.write(chunk)
        if not sums:
            note = (
                f"There is no {SUMS} next to {name}, so the digest of the archive was not checked."
            )
        elif digest.hexdigest() != sums[name]:
            raise NoBuildError(
                f"{base}/{name} does not have the digest that {SUMS} lists. Download it again."
            )
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)
    return target, note, link


def _sums(link: str, *, needed: bool) -> dict[str, str]:
    """Return the digests of a folder of builds by name; {} where none are listed, nor needed."""
    try:
        text = b"".join(_chunks(link)).decode("utf-8", "replace")
    except NothingThereError:
        if needed:
            raise
        return {}
    rows = (line.split() for line in text.splitlines())
    return {row[1]: row[0] for row in rows if len(row) == 2}


def _of_this_machine(sums: Mapping[str, str], base: str) -> str:
    ending = re.compile(rf"node-v[^/]+-{SYSTEM}-{MACHINE}\.tar\.[gx]z")
    names = sorted(name for name in sums if ending.fullmatch(name))
    if not names:
        raise NoBuildError(
            f"{base}/{SUMS} lists no archive for {SYSTEM}-{MACHINE}. Give the link to an "
            "archive, or the path of a Node."
        )
    return names[-1]


def _chunks(link: str) -> Iterator[bytes]:
    size, end = 0, time.monotonic() + LONGEST_S
    try:
        with urllib.request.urlopen(link, timeout=PATIENCE_S) as response:
            whole = response.headers.get("Content-Length", "")
            while chunk := response.read1(1 << 20):
                size += len(chunk)
                if size > MOST_BYTES:
                    raise NoBuildError(
                        f"{link} is larger than {MOST_BYTES >> 20} MiB, which is more than "
                        "any build has."
                    )
                if time.monotonic() > end:
                    raise TimeoutError(f"it takes more than {LONGEST_S // 60} minutes")
                yield chunk
        if whole.isdecimal() and size != int(whole):
            raise OSError(f"it ended after {size} bytes of {whole}")
    except (OSError, ValueError, http.client.HTTPException) as error:
        reason = getattr(error, "reason", None) or error
        kind = NothingThereError if getattr(error, "code", 0) == 404 else NoBuildError
        raise kind(f"{link} can't be fetched ({reason}). Check the link.") from None

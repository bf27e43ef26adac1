"""Deterministic files for servers to read: a name and a size always give the same bytes.

lab.files.make("64-bytes.txt", 64)          the path of a file of 64 bytes
lab.files.make("large.txt", 2**20)          1 MiB; the file is written once, then reused
lab.files.content(3)                        b"A f", the bytes alone
"""

from __future__ import annotations

import re
from pathlib import Path

from lab import paths
from lab.errors import LabError
from lab.storage import written
from lab.storage.gate import shown

LARGEST_BYTES = 256 * 1024 * 1024
_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
# 50 bytes of ASCII, so that a byte is a character and a cut in the middle is still text.
_LINE = b"A file that is read often is read from memory.   \n"


class BadFile(LabError):
    """A test file with a name or size that cannot be."""


def make(name: str, size: int) -> Path:
    """The path of a file of exactly `size` bytes under data/runs/files/, written if need be.

    The content is one line of text repeated. Raises BadFile for a name that is not a plain file
    name, or a size outside 0..256 MiB.
    """
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise BadFile(f"{shown(name)} cannot be a file name here. Use a-z, 0-9, '.', '_' and '-'.")
    if isinstance(size, bool) or not isinstance(size, int) or not 0 <= size <= LARGEST_BYTES:
        raise BadFile(f"Cannot make a file of {shown(size)} bytes: give 0 to {LARGEST_BYTES:,}.")
    target = paths.FILES / name
    if not _is_ours(target, size):
        _write(target, size)
    return target


def _is_ours(target: Path, size: int) -> bool:
    try:
        return target.stat().st_size == size and target.read_bytes() == content(size)
    except OSError:
        return False


def content(size: int) -> bytes:
    """The bytes of a test file of that size."""
    return (_LINE * (size // len(_LINE) + 1))[:size]


def _write(target: Path, size: int) -> None:
    try:
        written.put(target, content(size))  # a server of another notebook never sees half a file
    except OSError as error:
        raise BadFile(
            f"{size:,} bytes can't be written to {target}: {error.strerror}. Free some space "
            "on that disk, then run this again."
        ) from None

"""Files appear whole or not at all: written beside their place, and renamed."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
from collections.abc import Iterator
from pathlib import Path

from lab import paths
from lab.errors import LabError

_FULL = (errno.ENOSPC, errno.EDQUOT)
_NOT_OURS = (errno.EACCES, errno.EPERM, errno.EROFS, errno.EEXIST, errno.ENOTDIR)
MAKE_ROOM = "Free some space, then try again."


class NotWritten(LabError):
    """A file could not be written: no room, no permission, no folder there."""


def put(file: Path, data: bytes) -> None:
    """Write a file whole or not at all. Raises OSError."""
    partial = file.with_name(f".{file.name}.{os.getpid()}-{secrets.token_hex(3)}.partial")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        partial.write_bytes(data)
        partial.replace(file)
    except BaseException:
        with contextlib.suppress(OSError):
            partial.unlink(missing_ok=True)
        raise


def write(file: Path, data: bytes) -> None:
    """The same. Raises NotWritten naming the file, and what to do."""
    with named_errors(file):
        put(file, data)


@contextlib.contextmanager
def named_errors(path: Path) -> Iterator[None]:
    """Tell why a file or folder could not be written, and what to do. Raises NotWritten."""
    try:
        yield
    except OSError as error:
        name = paths.relative(path)
        if error.errno in _FULL:
            raise NotWritten(
                f"the disk is full, so {name} was not written. The data stored before is "
                f"intact. {MAKE_ROOM}"
            ) from None
        advice = "Correct this, then try again."
        if error.errno in _NOT_OURS:
            parents = path.absolute().parents
            folder = next(parent for parent in parents if os.access(parent, os.F_OK))
            advice = (
                f"Make {paths.relative(folder)} a folder that you may write to (another user "
                "may own it), then try again."
            )
        raise NotWritten(
            f"{name} could not be written: {error.strerror or error}. {advice}"
        ) from None

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


class StorageFull(LabError):
    """A result could not be written."""


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
    """The same for a result. Raises StorageFull naming it and the space left."""
    with named_errors(file):
        put(file, data)


@contextlib.contextmanager
def named_errors(path: Path) -> Iterator[None]:
    """Tell why a result could not be written. Raises StorageFull."""
    try:
        yield
    except OSError as error:
        where = paths.relative(path)
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise StorageFull(
                f"the disk is full: {where} was not written, what was stored before is intact. "
                "Make room (`make clean` removes old runs) and run the cell again."
            ) from None
        raise StorageFull(f"{where} could not be written: {error.strerror or error}") from None

"""Where stored files are read: every error names the file, what is wrong in it and what to do.

A file may be cut off, edited by hand, of another version or somebody else's; whatever it holds,
the reader gets a sentence about that file and not a stack of ours.
"""

from __future__ import annotations

import contextlib
import csv
import io
import json
import tomllib
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lab import paths
from lab.errors import LabError
from lab.storage import gate

if TYPE_CHECKING:
    import numpy as np

RECORD_AGAIN = "Record it again with `make reference`."
MEASURE_AGAIN = "Measure again."
FROM_GIT = "The file is in git, and `git diff` shows what has changed."
MOST_BYTES = 256 * 1024 * 1024  # of a JSON file: ten times the largest file that `lab` writes
ROW_BYTES = 8  # the widest column of raw rows
NPY_HEADER = 1024  # more than numpy writes before the values

# The errors that parsing a damaged file may raise.
DAMAGE = (
    ArithmeticError,
    AttributeError,
    EOFError,
    IndexError,
    KeyError,
    RuntimeError,  # RecursionError and NotImplementedError among others
    TypeError,
    ValueError,
    csv.Error,
    zipfile.BadZipFile,
    zlib.error,
)


class Damaged(LabError):
    """A stored file does not hold what it should."""


@contextlib.contextmanager
def named(file: Path, advice: str, error: type[LabError] = Damaged) -> Iterator[None]:
    """Tell what goes wrong while the content of `file` is taken apart as damage of that file.

    Raises `error`; a missing file stays a FileNotFoundError, which only the caller can explain.
    """
    try:
        yield
    except FileNotFoundError:
        raise
    except LabError as known:
        if paths.relative(file) in str(known):
            raise
        raise error(_sentence(file, str(known), advice)) from None
    except OSError as known:
        raise error(_sentence(file, known.strerror or str(known), advice)) from None
    except DAMAGE as known:
        raise error(_sentence(file, told(known), advice)) from None


def read_json(file: Path, advice: str, error: type[LabError] = Damaged, kind: type = dict) -> Any:
    """Return the object, or the list, that a JSON file holds. Raises `error`, FileNotFoundError."""
    with named(file, advice, error):
        if (size := file.stat().st_size) > MOST_BYTES:
            raise LabError(f"it has {size:,} bytes; at most {MOST_BYTES:,} are read")
        data = json.loads(file.read_text(encoding="utf-8"))
        if not isinstance(data, kind):
            what = "an object" if kind is dict else "a list"
            raise LabError(f"it contains {gate.shown(data)} instead of {what}")
        return data


def read_toml(
    file: Path, advice: str = FROM_GIT, error: type[LabError] = Damaged
) -> dict[str, Any]:
    """Return the tables of a TOML file. Raises `error`, also if it is missing."""
    try:
        with named(file, advice, error):
            found: dict[str, Any] = tomllib.loads(file.read_text(encoding="utf-8"))
            return found
    except FileNotFoundError as known:
        raise error(_sentence(file, str(known), advice)) from None


def read_csv(file: Path, columns: Iterable[str], advice: str = FROM_GIT) -> list[dict[str, str]]:
    """Return the rows of a CSV file that has at least these columns. Raises Damaged."""
    try:
        with named(file, advice), file.open(newline="", encoding="utf-8") as lines:
            reader = csv.DictReader(lines, strict=True)
            missing = [c for c in columns if c not in (reader.fieldnames or ())]
            if missing:
                raise LabError(f"it has no column {missing[0]!r}")
            rows = list(reader)
            for row in rows:
                if None in row or None in row.values():
                    raise LabError(f"line {reader.line_num} has too many or too few columns")
            return rows
    except FileNotFoundError as error:
        raise Damaged(_sentence(file, str(error), advice)) from None


def read_npz(file: Path, data: bytes, rows: int, columns: Iterable[str]) -> dict[str, np.ndarray]:
    """Return the columns of packed rows, each of length `rows`: nothing is unpacked that does not
    promise to be exactly that. Raises Damaged.
    """
    columns_by_member = {f"{name}.npy": name for name in columns}
    with named(file, MEASURE_AGAIN), zipfile.ZipFile(io.BytesIO(data)) as archive:
        if sorted(archive.namelist()) != sorted(columns_by_member):
            raise LabError(
                f"it has the columns {', '.join(archive.namelist()) or 'none'}, but its "
                f"record says {', '.join(columns_by_member)}"
            )
        most = rows * ROW_BYTES + NPY_HEADER
        for member in archive.infolist():
            if member.file_size > most:
                raise LabError(
                    f"{member.filename} unpacks to {member.file_size:,} bytes, but {rows:,} "
                    f"rows have at most {most:,}"
                )
        # zipfile never reads beyond the size that the archive announces.
        return {
            columns_by_member[name]: _column(archive.read(name), rows)
            for name in archive.namelist()
        }


def _column(data: bytes, rows: int) -> np.ndarray:
    import numpy as np  # imported here, because reading tables and texts does not need numpy

    source = io.BytesIO(data)
    np.lib.format.read_magic(source)
    shape, _, dtype = np.lib.format.read_array_header_1_0(source)
    if shape != (rows,) or dtype.kind not in "iuf":
        raise LabError(f"it has a column of shape {shape} and type {dtype}, not {rows:,} numbers")
    return np.frombuffer(data, dtype, rows, source.tell()).copy()


def _sentence(file: Path, why: str, advice: str) -> str:
    end = "" if why.endswith("?") else "."
    return f"{paths.relative(file)} can't be read: {why.rstrip('.')}{end} {advice}"


def told(error: Exception) -> str:
    """Return what a parser or our own code stumbled over, in words."""
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    if isinstance(error, tomllib.TOMLDecodeError):
        return f"it is not valid TOML: {error}"
    if isinstance(error, KeyError):
        return f"{error} is missing"
    return str(error) or type(error).__name__

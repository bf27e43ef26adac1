"""Raw rows beside a record: packed in a file whose hash the record keeps."""

from __future__ import annotations

import hashlib
import io
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lab import paths
from lab.errors import LabError
from lab.storage import stored, written

# The number of runs that are kept of an experiment. A new complete run removes the oldest.
KEPT_RUNS = 5


@dataclass(frozen=True)
class RawRef:
    """Where the rows of a stream are: file relative to the run's folder, its hash, number of
    rows.
    """

    file: str
    sha256: str
    rows: int
    columns: tuple[str, ...] = ()


def keep(folder: Path, name: str, rows: dict[str, np.ndarray]) -> RawRef:
    """Store rows compressed below a run's folder, return the reference. Raises NotWritten."""
    buffer = io.BytesIO()
    # Differences of the sorted end times are small numbers: a third of the size.
    packed = {
        k: np.diff(v, prepend=v.dtype.type(0)) if k == "t_end_us" else v for k, v in rows.items()
    }
    np.savez_compressed(buffer, **packed)  # type: ignore[arg-type]
    data = buffer.getvalue()
    written.write(folder / "raw" / f"{name}.npz", data)
    n = len(next(iter(rows.values()), ()))
    return RawRef(f"raw/{name}.npz", hashlib.sha256(data).hexdigest(), n, tuple(rows))


def read(ref: RawRef, folder: Path) -> dict[str, np.ndarray]:
    """Return the rows. Raises LabError if they are gone, or if the file is not the one recorded."""
    file = folder / ref.file
    try:
        data = file.read_bytes()
    except OSError:
        raise LabError(
            f"the raw rows {paths.relative(file)} no longer exist, because only the last "
            f"{KEPT_RUNS} runs are kept. Measure again."
        ) from None
    if hashlib.sha256(data).hexdigest() != ref.sha256:
        raise LabError(
            f"{paths.relative(file)} is not the file that was recorded, because its hash "
            "differs. Measure again."
        )
    rows = stored.read_npz(file, data, ref.rows, ref.columns)
    rows["t_end_us"] = np.cumsum(rows["t_end_us"], dtype=rows["t_end_us"].dtype)
    return rows

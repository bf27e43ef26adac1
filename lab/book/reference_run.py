"""The reference run as a whole, read once for all parts of a site that count something in it.

Reading checks each field of 443 files, which takes longer than all the rest of a drawing pass, so
what was read is also kept in one file below _build, and read again when a record or the code of
`lab` is another one.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterable
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from lab import paths
from lab.records import reference, store
from lab.records.comparison import Comparison
from lab.records.trial import Trial
from lab.storage import written

KEPT = paths.ROOT / "_build" / "reference-run.pickle"
Key = tuple[object, ...]  # what the results were made of: files, sizes, times


def results() -> dict[str, Comparison | Trial]:
    """Return each recorded comparison and trial, by its experiment."""
    return _results(_key())


def comparisons() -> list[Comparison]:
    """Return the recorded comparisons."""
    return [result for result in results().values() if isinstance(result, Comparison)]


def trials() -> list[Trial]:
    """Return every recorded trial, those of controls too."""
    all_trials: list[Trial] = []
    for result in results().values():
        if isinstance(result, Comparison):
            all_trials += [*result.trials, *result.control]
        else:
            all_trials.append(result)
    return all_trials


@lru_cache(maxsize=1)
def _results(key: Key) -> dict[str, Comparison | Trial]:
    # A file that cannot be read, for whatever reason, is one that is not there.
    with suppress(Exception):
        kept_key, kept = pickle.loads(KEPT.read_bytes())
        if kept_key == key:
            return dict(kept)
    opened = {file.stem: store.reference(file.stem) for file in reference.files()}
    run = {name: each for name, each in opened.items() if isinstance(each, (Comparison, Trial))}
    if run:
        with suppress(OSError):
            written.put(KEPT, pickle.dumps((key, run), pickle.HIGHEST_PROTOCOL))
    return run


def _key() -> Key:
    """Files of the run and of the code that reads it, with their sizes and times."""
    return (*_stamps(reference.files()), *_code())


@lru_cache(maxsize=1)
def _code() -> Key:
    """The same of the code; this process goes on with what it has imported, whatever is edited."""
    return _stamps(sorted(paths.NODE_SIDE.parent.rglob("*.py")))


def _stamps(files: Iterable[Path]) -> Key:
    stamps = ((str(file), file.stat()) for file in files)
    return tuple((name, status.st_size, status.st_mtime_ns) for name, status in stamps)

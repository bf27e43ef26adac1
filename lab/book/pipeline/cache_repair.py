"""Removes the half-written results of a killed build from jupyter-cache."""

from __future__ import annotations

import json
import shutil
from pathlib import Path


def repair(folder: Path) -> None:
    """Drop rows without a notebook, and broken notebooks."""
    if not folder.is_dir():
        return
    from jupyter_cache import get_cache
    from jupyter_cache.cache.db import NbCacheRecord

    whole = set()
    for entry in (folder / "executed").glob("*"):
        try:
            json.loads((entry / "base.ipynb").read_text("utf8"))
            whole.add(entry.name)
        except (OSError, ValueError):
            shutil.rmtree(entry, ignore_errors=True)
    kept = get_cache(str(folder))
    for record in kept.list_cache_records():
        if record.hashkey not in whole:
            NbCacheRecord.remove_record(record.pk, kept.db)

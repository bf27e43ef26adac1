"""The build backend of node-checkup: setuptools, over a folder that staging.py fills with the
clinic's code. The folder is a complete source distribution, which needs no repository.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import staging


@contextlib.contextmanager
def _staged() -> Iterator[Any]:
    """Go into a staged folder, and give the backend of setuptools."""
    from setuptools import build_meta

    working_folder = Path.cwd()
    with tempfile.TemporaryDirectory(prefix="node-checkup-") as folder:
        staging.stage(Path(folder))
        os.chdir(folder)
        try:
            yield build_meta
        finally:
            os.chdir(working_folder)


def build_wheel(
    wheel_directory: str, config_settings: Any = None, metadata_directory: str | None = None
) -> str:
    """Build the wheel, as PEP 517 asks."""
    target = str(Path(wheel_directory).resolve())
    with _staged() as setuptools:
        return str(setuptools.build_wheel(target, config_settings))


def build_sdist(sdist_directory: str, config_settings: Any = None) -> str:
    """Build a source distribution of the staged folder."""
    target = str(Path(sdist_directory).resolve())
    with _staged() as setuptools:
        return str(setuptools.build_sdist(target, config_settings))

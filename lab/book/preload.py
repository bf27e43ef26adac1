"""Imported by the process that passes of Sphinx are forked from: what each would do again.

Imports, and what the records of the reference run hold. Nothing here is state of a build.
"""

from __future__ import annotations

import importlib
from contextlib import suppress

from sphinx.application import builtin_extensions

from lab import paths
from lab.book import reference_run
from lab.book.site import record_files
from lab.errors import LabError
from lab.records import reference

MODULES = (
    *builtin_extensions,
    "jupyter_book.sphinx",
    "jupyter_cache",
    "lab.book.extension",
    "lab.measure.load",
    "lab.measure.program",
    "lab.processes.machine",
    "lab.measure.survey",
    "matplotlib.backends.backend_agg",
    "matplotlib.backends.backend_svg",
    "matplotlib.figure",
    "myst_nb.sphinx_ext",
    "pygments.lexers.shell",
    "sphinx.builders.html",
    "sphinx_book_theme",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_external_toc",
    "sphinx_togglebutton",
)

for _name in MODULES:
    with suppress(ImportError):  # code that needs the module reports that it is missing
        importlib.import_module(_name)


def records() -> None:
    """Read every record of the reference run."""
    for file in sorted(paths.REFERENCE.glob("*.json")):
        with suppress(LabError, OSError, ValueError, KeyError, TypeError):
            record_files.about(reference.experiment_of(file.name), "", file)
    with suppress(LabError, OSError, ValueError, KeyError, TypeError):
        reference_run.results()

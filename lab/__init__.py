"""Measure what servers do: start them, load them, compare them, and draw what happened.

A chapter needs six verbs: `lab.server`, `lab.load`, `lab.compare`, `lab.trace`, `lab.predict`
and `lab.claim`; `lab.ask` puts the reader's prediction before the run, `lab.answer` and
`lab.reveal` what was right where it is decided; `lab.vary` changes one thing; `lab.model` is a
small model to drive; `lab.exercise` sets a task and `lab.check` says what an answer is worth;
`lab.doctor`, `lab.ps` and `lab.stop_all` look after the machine.
Nothing is imported before it is used, so `import lab` is fast.
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import Any

from lab import injection

# public name -> module, or module:attribute
_PUBLIC = {
    "server": "lab.servers.catalog:server",
    "load": "lab.measure.load:load",
    "compare": "lab.measure.compare:compare",
    "capacity": "lab.measure.capacity:capacity",
    "trace": "lab.trace.verb:trace",
    "examine": "lab.clinic.verb:examine",
    "node": "lab.measure.program:node",
    "published": "lab.claims:published_figures",
    "survey": "lab.measure.survey:survey",
    "predict": "lab.predict",
    "claim": "lab.claims:claim",
    "ask": "lab.widgets.question.questions:ask",
    "answer": "lab.widgets.question.questions:answer",
    "reveal": "lab.widgets.question.questions:reveal",
    "vary": "lab.widgets.vary.vary:vary",
    "model": "lab.widgets.model.model:model",
    "need": "lab.measure.need:need",
    "exercise": "lab.widgets.exercise.card:exercise",
    "check": "lab.grading.verbs:check",
    "submit": "lab.grading.verbs:submit",
    "hint": "lab.grading.verbs:hint",
    "course": "lab.grading.verbs:course",
    "doctor": "lab.instruments.doctor:doctor",
    "ps": "lab.servers.registry:ps",
    "stop_all": "lab.servers.registry:stop_all",
    "stats": "lab.judging.stats",
    "plot": "lab.plot",
    "glue": "lab.text.glue:glue",
    "explore": "lab.widgets.explore.explore",
    "table": "lab.records.table:Table",
    "reference": "lab.records.store:reference",
    "latest": "lab.records.store:latest",
    "files": "lab.servers.files",
    "LabError": "lab.errors:LabError",
}

# The name that a low room asks for, and the module that has it. `lab.display` has all others.
_LATE = {
    "record": "lab.clinic.examination",  # and with it all other kinds
    "Calibration": "lab.display.calibration",
    "Need": "lab.display.need",
    "Examination": "lab.clinic.notebook",
    "Part": "lab.clinic.notebook",
    "Versions": "lab.clinic.notebook",
    "Trace": "lab.widgets.replay.html",
}
injection.bring = lambda name: importlib.import_module(_LATE.get(name, "lab.display"))

__all__ = list(_PUBLIC)


def __getattr__(name: str) -> Any:
    where = _PUBLIC.get(name)
    if where is None:
        raise AttributeError(f"module 'lab' has no attribute {name!r}")
    module_name, _, attribute = where.partition(":")
    module = importlib.import_module(module_name)
    value = getattr(module, attribute) if attribute else module
    from lab import usage

    usage.note_modules()
    if not attribute:  # what it imports is noted; a chapter may ask for it a million times
        globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_PUBLIC})


class _Package(ModuleType):
    """Keeps `lab.trace` the verb although `lab/trace` is also a package of that name.

    Importing a submodule sets it on its package; a verb must win over its module.
    """

    def __setattr__(self, name: str, value: Any) -> None:
        verb = ":" in _PUBLIC.get(name, "")
        if verb and isinstance(value, ModuleType):
            return
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package


def _enter_notebook() -> None:
    """Register the cell magics when `lab` is imported in IPython."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if shell is not None:
        from lab.grading import submit_cell
        from lab.servers import server_cell

        server_cell.load_ipython_extension(shell)
        submit_cell.load_ipython_extension(shell)


_enter_notebook()

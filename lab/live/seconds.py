"""`python -m lab.live seconds`: how long each cell takes, as its page says before it runs.

Every build that measures notes it of each cell (`lab.book.pipeline.history`), and the pages that it
makes say it. Pages that are drawn from the recorded run say what is written here, into
`data/cell-seconds.json`: what `make book` has measured here, and for cells that it has not, what
follows from the recorded trials that they name. Of a cell that is in neither, as one that runs a
program, or was changed since, the page says nothing until it has run there once.
"""

from __future__ import annotations

import json
import re
from datetime import datetime
from itertools import pairwise
from statistics import fmean

from lab import paths, settings
from lab.book.pipeline import toc
from lab.book.pipeline.chapter import cell_digest
from lab.book.pipeline.history import Records
from lab.book.pipeline.report import short
from lab.book.pipeline.run import OUTPUT
from lab.book.site import cells
from lab.errors import LabError
from lab.records import store
from lab.records.comparison import Comparison
from lab.records.trial import Trial
from lab.storage import written
from lab.text.numbers import count

# The profile of whoever runs a page; where `Build` keeps its records.
PROFILE = "course"
DRAWS_S = 0.5  # a cell that asks for no measurement
STARTS_S = 0.6  # a server, beside warm-up and window
MEASURES = re.compile(
    r"\blab\.(?!(?:table|plot|glue|ask|answer|reveal|asked|claim|exercise|model"
    r"|server|predict|replay|text)\b)\w+\(|require\("
)
NAMED = re.compile(r"""experiment[=:]\s*["']([\w-]+)["']""")


def collected() -> str:
    """Write the seconds that builds of the course profile noted; return a report in lines.

    Raises LabError if nothing was noted.
    """
    records = Records(paths.ROOT / OUTPUT[PROFILE] / ".lab" / f"live-{PROFILE}")
    seconds_of, missing = {}, []
    for page in toc.pages():
        now = _sources(page)
        reckoned = {digest: expected(source) for digest, source in now.items()}
        took: dict[str, float] = {k: v for k, v in reckoned.items() if v is not None}
        # The shortest of several runs counts: a busy machine adds time that is not the cell's.
        for digest in now:
            if measured := [r.cells[digest] for r in records.of(page) if digest in r.cells]:
                took[digest] = min(measured)
        if took:
            seconds_of[page] = {digest: took[digest] for digest in now if digest in took}
        if left := len(now) - len(took):
            missing.append(f"{short(page)} ({left})")
    written.write(cells.SECONDS, (json.dumps(seconds_of, indent=1) + "\n").encode())
    done = f"{paths.relative(cells.SECONDS)}: {count(len(seconds_of), 'page')}."
    return (
        f"{done} Cells without a known time before `make book`: {', '.join(missing)}."
        if missing
        else done
    )


def expected(source: str) -> float | None:
    """Return how many seconds a cell takes in the course profile, by the recorded trials of the
    experiments that it names; None if that cannot be known.
    """
    names = NAMED.findall(source)
    asked = len(MEASURES.findall(source))
    if not asked:
        return DRAWS_S
    if len(names) != asked:
        return None
    took = [_of_record(name) for name in names]
    return None if None in took else round(sum(t for t in took if t), 1)


def _of_record(name: str) -> float | None:
    """The recorded trials, as many and as long as in the course profile."""
    try:
        record = store.reference(name)
    except LabError:
        return None
    if isinstance(record, Trial):
        trials, profile = [record], settings.PROFILES["reference"]
        share = 1.0
    elif isinstance(record, Comparison):
        trials, profile = [*record.trials, *record.control], settings.PROFILES[record.profile]
        share = _asked(record.pairs, profile) / record.pairs
    else:
        return None
    windows_s = [t.window[1] - t.window[0] for t in trials]
    least = [t.load.warmup_s for t in trials]  # the warm-up asked for, not the time it took
    between = STARTS_S
    gaps = [
        (_began(b) - _began(a)).total_seconds() - a.window[1]
        for a, b in pairwise(sorted(trials, key=_began))
        if a.noise.tries == b.noise.tries == 1  # else the gap includes pauses and discarded trials
    ]
    if len(gaps) > 1:
        between = max(0.0, fmean(gaps))
    alone = sum(windows_s) / profile.stretch + sum(least) / profile.warm_stretch
    return (alone + between * len(trials)) * share


def _asked(pairs: int, profile: settings.Profile) -> int:
    """Return how many pairs a cell has in the course profile that has `pairs` in this one. A cell
    with the profile's own number does not ask for a number.
    """
    most = settings.PROFILES[PROFILE].pairs
    return most if pairs == profile.scaled(most) else max(1, round(pairs / profile.pair_stretch))


def _began(trial: Trial) -> datetime:
    return datetime.fromisoformat(trial.started)


def _sources(page: str) -> dict[str, str]:
    from myst_nb.core.read import is_myst_markdown_notebook, read_myst_markdown_notebook

    file = paths.ROOT / f"{page}.md"
    text = file.read_text("utf-8") if file.is_file() else ""
    if not is_myst_markdown_notebook(text):
        return {}
    notebook = read_myst_markdown_notebook(text, path=str(file))
    sources = (cell.source for cell in notebook.cells if cell.cell_type == "code")
    return {cell_digest(source): source for source in sources}

"""`python -m lab final my-drop/`: the whole project on one page. All checks of its steps, a load
of a few seconds, and an examination, one after another; the page is what a student hands in and an
instructor reads.

The programs run here as their author would run them, with the author's rights. What the page says
is for reading: points come from `python -m lab grade`, which judges the folder itself.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from markupsafe import Markup

from lab.clinic import chart, outputs, report
from lab.clinic.app import App, Target
from lab.clinic.direct import order
from lab.clinic.loading import Phase, Request, load
from lab.clinic.recorded import Examination
from lab.display.html import box, facts, table
from lab.errors import LabError
from lab.grading import exercise as exercises
from lab.grading import folders, verbs
from lab.grading.handin import HandIn
from lab.grading.result import GRADED, HELD, Result
from lab.measure.generator import Standby
from lab.processes import lock, nodes
from lab.records.stamp import utc
from lab.storage import written
from lab.text.looks import html, macros
from lab.text.numbers import bare, count, number

PROJECT = "drop"
PAGE = Path("final.html")
FOUND, FAILED = 1, 2
CLIENTS = (1, 4, 16, 64)
LOAD_S, WARM_S = 1.5, 0.5  # of each load
FILE = "load.bin"
FILE_BYTES = 64 << 10

Say = Callable[[str], None]

HTML = macros("""
{% macro intro(sum) -%}<h1>{{ sum.title }}</h1><p>{{ sum.about }}</p>{%- endmacro %}
{% macro heading(text) -%}<h2>{{ text }}</h2>{%- endmacro %}
{% macro text(words) -%}<p>{{ words }}</p>{%- endmacro %}
{% macro more(summary, body) -%}<details><summary>{{ summary }}</summary>{{ body }}</details>
{%- endmacro %}
{% macro how(words) -%}<p class="lab-how">{{ words }}</p>{%- endmacro %}
""")


@dataclass(frozen=True)
class Final:
    """What a folder came to: a result for each step, the loads by what was asked, the examination.

    `refused` says in words why there are no loads, or no examination.
    """

    folder: str
    hand_in: HandIn
    steps: tuple[Result, ...]
    loads: tuple[tuple[str, Phase], ...]
    examination: Examination | None
    refused: tuple[str, ...]
    started: str
    seconds: float

    @property
    def points(self) -> float:
        """The points of all steps."""
        return sum(step.points for step in self.steps)

    @property
    def of(self) -> float:
        """The most points that there are."""
        return sum(step.of for step in self.steps)

    @property
    def is_well(self) -> bool:
        """Whether every criterion of every step holds, and the examination found nothing."""
        return (
            all(step.passed for step in self.steps)
            and self.examination is not None
            and outputs.verdict(self.examination) == outputs.WELL
        )

    def __str__(self) -> str:
        lines = [step.line() for step in self.steps]
        lines += [f"{what}, {_load_line(phase)}" for what, phase in self.loads]
        lines += [*self.refused, *([str(self.examination)] if self.examination else [])]
        lines.append(f"{bare(self.points)} of {bare(self.of)} points, in {self.seconds:.0f} s")
        return "\n".join(lines)

    def to_json(self) -> dict[str, Any]:
        """The same as data."""
        return {
            "folder": self.folder,
            "digest": self.hand_in.digest,
            "started": self.started,
            "seconds": round(self.seconds, 1),
            "points": self.points,
            "of": self.of,
            "steps": [step.to_json() for step in self.steps],
            "loads": [{"asked": what, **_row(what, phase)} for what, phase in self.loads],
            "examination": (
                json.loads(outputs.examination_json(self.examination)) if self.examination else None
            ),
            "refused": list(self.refused),
        }


def of_folder(folder: str, say: Say = lambda _: None) -> Final:
    """Judge all steps, load the drop and examine it. Raises BadHandIn where there is no program."""
    project_steps = exercises.steps(PROJECT)
    hand_in = folders.from_path(folder, project_steps[-1])
    start_utc, start_s = utc(), time.monotonic()
    results = []
    for step in project_steps:
        say(f"step {step.step} of {len(project_steps)}: {step.title}")
        results.append(verbs.judged(step, hand_in))
    loads: list[tuple[str, Phase]] = []
    examination, reasons = None, []
    place = Path(folder).resolve()
    command = (nodes.program(None), place.name if place.is_file() else hand_in.name)
    if place.is_file():
        place = place.parent
    with tempfile.TemporaryDirectory(prefix="lab-drop-") as scratch:
        files = Path(scratch) / "files"
        files.mkdir()
        (files / FILE).write_bytes(os.urandom(FILE_BYTES))
        env = {"FOLDER": str(files)}
        try:
            say(f"the load: up to {CLIENTS[-1]} clients")
            loads += _loaded(Target(command, place, "the drop", env))
        except LabError as error:
            reasons.append(f"The drop could not be loaded: {error}")
        try:
            say("the examination, half a minute")
            scenario = Path(scratch) / "uses.json"
            scenario.write_text(json.dumps({"requests": USES}), "utf-8")
            examination = order(command, folder=place, env=env, scenario=scenario).examined(say)
        except LabError as error:
            reasons.append(f"The drop could not be examined: {error}")
    return Final(
        Path(folder).name or folder,
        hand_in,
        tuple(results),
        tuple(loads),
        examination,
        tuple(reasons),
        start_utc,
        time.monotonic() - start_s,
    )


# What the examination asks for, in turns.
USES: list[dict[str, Any]] = [
    {"path": "/", "weight": 2},
    {"path": "/files"},
    {"path": f"/files/{FILE}", "weight": 4},
    {"path": "/files/note.txt", "method": "PUT", "body": "a note\n"},
    {"path": f"/sums?of={FILE}"},
]
# What is loaded: in words, and the path.
ASKED = (("a file of 64 KiB", f"/files/{FILE}"), ("its sum", f"/sums?of={FILE}"))


def _loaded(target: Target) -> list[tuple[str, Phase]]:
    """Load one drop with more and more clients. Raises LabError."""
    phases = []
    with lock.measuring(), Standby() as standby:
        standby.prepare(None)
        with App(target, None) as app:
            for name, path in ASKED:
                for clients in CLIENTS:
                    with standby.take(None) as generator:
                        standby.prepare(None)
                        phase = load(
                            generator,
                            f"{clients}",
                            app.url,
                            Request(path),
                            seconds=LOAD_S,
                            warmup=WARM_S,
                            connections=clients,
                        )
                    phases.append((name, phase))
    return phases


def _row(what: str, phase: Phase) -> dict[str, Any]:
    refusals = phase.kinds.get("status 503", 0)
    return {
        "asked for": what,
        "clients": phase.connections,
        "answers (/s)": round(phase.throughput),
        "p90 (ms)": None if phase.p90_s is None else round(phase.p90_s * 1e3, 2),
        "refused with 503": refusals,
        "failed otherwise": phase.failed - refusals,
    }


def _load_line(phase: Phase) -> str:
    refusals = phase.kinds.get("status 503", 0)
    return (
        f"{count(phase.connections, 'client')}: {number(phase.throughput)} answers a second, "
        f"{refusals} refused with 503, {phase.failed - refusals} failed otherwise"
    )


# --- the page


def page(whole: Final) -> str:
    """Return the page, as one file that needs nothing else."""
    student = next((step.student for step in whole.steps if step.student), "")
    values = f"those of {student}" if student else "the first ones, for no student"
    about = f"Folder {whole.folder}, started as node {whole.hand_in.name}. The values are {values}."
    undecided = [step for step in whole.steps if step.outcome != GRADED]
    full_count = sum(step.passed for step in whole.steps)
    words = [f"{full_count} of {len(whole.steps)} steps with all points."]
    if undecided:
        words.append(f"{count(len(undecided), 'step')} got no verdict: run it again.")
    words.append(
        f"The clinic: {whole.examination.first}." if whole.examination else "It was not examined."
    )
    tone = "ok" if full_count == len(whole.steps) else "warn" if whole.points else "fail"
    parts = [
        HTML.intro({"title": "The file drop, as a whole", "about": about}),
        box(tone, f"{bare(whole.points)} of {bare(whole.of)} points", words),
        table([_step_row(number, step) for number, step in enumerate(whole.steps, 1)]),
        HTML.heading("Under load"),
        *_load_parts(whole.loads),
        HTML.heading("In the clinic"),
        *(box("warn", "not done", [text]) for text in whole.refused),
    ]
    if whole.examination:
        illness, measured = (
            Markup(report.part(whole.examination.part(name), report.PLAIN))
            for name in ("illness", "load")
        )
        parts += [illness, HTML.more("What was measured", measured)]
    missed = [step for step in whole.steps if not step.passed]
    if missed:
        parts.append(HTML.heading("What was missed"))
        parts += [HTML.more(step.title, Markup(html(step))) for step in missed]
    parts += [HTML.heading("How to read this page"), *_how(whole)]
    return report.of_parts(f"{bare(whole.points)} of {bare(whole.of)}: the file drop", parts)


def _step_row(at: int, step: Result) -> dict[str, Any]:
    first = next((item for item in step.criteria if item.outcome != HELD), None)
    count_held = sum(item.outcome == HELD for item in step.criteria)
    return {
        "step": f"{at}: {step.title.partition(': ')[2] or step.title}",
        "points": "–" if step.outcome != GRADED else bare(step.points),
        "of": bare(step.of),
        "criteria that hold": f"{count_held} of {len(step.criteria)}",
        "first thing missed": "" if first is None else first.message,
    }


def _load_parts(loads: Sequence[tuple[str, Phase]]) -> list[Any]:
    if not loads:
        return []
    rows = [_row(what, phase) for what, phase in loads]
    plotted_rows = [row for row in rows if row["p90 (ms)"] is not None]
    worst = max(row["failed otherwise"] for row in rows)
    words = (
        "No request failed."
        if worst == 0
        else f"Up to {worst} requests of a load failed, not counting refusals with 503."
    )
    return [
        HTML.text(
            f"Each load lasts {LOAD_S:g} s, on the machine that also sends the requests. {words}"
        ),
        Markup(
            chart.lines(
                rows, x="clients", y="answers (/s)", by="asked for", caption="Answers a second"
            )
        ),
        Markup(
            chart.lines(
                plotted_rows,
                x="clients",
                y="p90 (ms)",
                by="asked for",
                caption="Nine of ten responses arrive within",
            )
        ),
        HTML.more("All numbers of the loads", Markup(table(rows, label="the loads"))),
    ]


def _how(whole: Final) -> list[Any]:
    first = whole.steps[0]
    return [
        HTML.text(
            "This page was made on its author's machine, so it is for reading and talking about. "
            "A student could also write such a page by hand. Points come from the "
            "instructor's own run, make grade, which judges the folder itself in a sandbox."
        ),
        Markup(
            facts(
                {
                    "digest of the folder": whole.hand_in.digest[:16],
                    "began (UTC)": whole.started,
                    "took": f"{whole.seconds:.0f} s",
                    "Node": first.node,
                    "grader": first.grader,
                }
            )
        ),
    ]


# --- the verb


def arguments(parser: argparse.ArgumentParser) -> None:
    """What `final` is told."""
    parser.add_argument("folder", metavar="FOLDER", help="the folder of your drop, or its program")
    parser.add_argument(
        "--page", type=Path, default=PAGE, help=f"the file of the page (default: {PAGE})"
    )
    parser.add_argument("--json", action="store_true", help="print the results as data")


def final(options: argparse.Namespace) -> int:
    """Do all of it; 0 if every criterion holds and nothing is found, 1 if not, 2 if it cannot."""
    try:
        whole = of_folder(options.folder, lambda words: print(f"… {words}", file=sys.stderr))
    except LabError as error:
        print(error, file=sys.stderr)
        return FAILED
    written.write(options.page.resolve(), page(whole).encode())
    print(json.dumps(whole.to_json(), indent=1) if options.json else whole)
    print(f"The page: {options.page}", file=sys.stderr if options.json else sys.stdout)
    return 0 if whole.is_well else FOUND

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

from lab.clinic import chart, outputs, report, versions
from lab.clinic.app import App, Target
from lab.clinic.direct import order
from lab.clinic.examination import Examination
from lab.clinic.loading import Phase, Request, load
from lab.display.html import box, facts, table
from lab.errors import LabError
from lab.grading import exercise as exercises
from lab.grading import folders, verbs
from lab.grading.exercise import Exercise
from lab.grading.handin import HandIn
from lab.grading.result import GRADED, HELD, NOISY, Result
from lab.judging.stats import abba, paired_ratio
from lab.measure.generator import Standby
from lab.processes import lock, machine, nodes, proctree
from lab.records import checks
from lab.records.stamp import utc
from lab.records.trial import Check
from lab.servers import resources
from lab.storage import written
from lab.text.html_registry import html, macros
from lab.text.numbers import bare, count, number

PROJECT = "drop"
PAGE = Path("final.html")
FOUND, FAILED = 1, 2
CLIENTS = (1, 4, 16, 64)
LOAD_S, WARM_S = 1.5, 0.5  # of each load
MINUTES = 15  # after which no further step is begun; a quiet machine needs three or four
# The comparison: with the solution of a step before much came to it, in turns.
BEFORE_STEP = 8
PAIRS, TURN_S, TURN_WARM_S = 8, 0.7, 0.2
WORSE_BY = 0.25  # of its responses per second, which a drop may lose
LEAST_SEEN_S = 1.0  # of the load and the examination, for which other programs are looked at
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
class Compared:
    """The drop, measured in turns with one of step 8.

    before : what that one is called; is_own : did the drop's author name it? measured : how many
    times as many answers a second that one gives, with the word for it
    """

    before: str
    is_own: bool
    measured: versions.Measured

    @property
    def is_worse(self) -> bool:
        """Was it shown that the drop answers fewer requests in the same time?"""
        return self.measured.word == versions.WORSE

    @property
    def sentence(self) -> str:
        """The result, in a sentence."""
        ratio = self.measured.ratio
        because = f" ({self.measured.because})" if self.measured.because else ""
        if not ratio.pairs:
            return (
                f"Compared with {self.before}: {self.measured.word}, because no pair has responses."
            )
        return (
            f"Compared with {self.before}: {self.measured.word}{because}. In the same time, "
            f"{self.before} sends {ratio.estimate:.2f} times as many responses ({ratio.low:.2f} to "
            f"{ratio.high:.2f}, {count(ratio.pairs, 'pair')})."
        )

    def to_json(self) -> dict[str, Any]:
        """The same as data."""
        ratio = self.measured.ratio
        return {
            "before": self.before,
            "verdict": self.measured.word,
            "times as many responses": (
                [ratio.estimate, ratio.low, ratio.high] if ratio.pairs > 1 else None
            ),
            "pairs": ratio.pairs,
        }


@dataclass(frozen=True)
class Final:
    """What a folder came to: a result for each step, the loads by what was asked, the examination.

    compared : with a drop of step 8. refused : in words why there are no loads, or no examination.
    left : steps that were not begun, as the time was over. quiet : what other programs used of the
    processors while the drop was loaded and examined.
    """

    folder: str
    hand_in: HandIn
    steps: tuple[Result, ...]
    loads: tuple[tuple[str, Phase], ...]
    compared: Compared | None
    examination: Examination | None
    refused: tuple[str, ...]
    left: tuple[Exercise, ...]
    started: str
    seconds: float
    quiet: Check

    @property
    def busy(self) -> str:
        """In a sentence, that the machine was too busy to tell what takes long; empty if not."""
        noisy = [step for step in self.steps if step.outcome == NOISY]
        reasons = [f"{count(len(noisy), 'step')} got no verdict"] if noisy else []
        reasons += [self.quiet.text.partition(":")[0]] if self.quiet.status == "fail" else []
        if not reasons:
            return ""
        because = " and ".join(reasons)
        findings = self.examination.diagnosis.findings if self.examination else ()
        timed = [one.illness.name for one in findings if one.illness.is_timed]
        words = [f"The machine was busy: {because}. Times and rates on this page say little."]
        if timed:
            names = ", ".join(timed)
            words.append(f"Other programs can cause what the clinic found ({names}).")
            words.append("It is not counted as a fault of the drop.")
        return " ".join([*words, "Run the final check again when the machine is quiet."])

    @property
    def points(self) -> float:
        """The points of all steps."""
        return sum(step.points for step in self.steps)

    @property
    def of(self) -> float:
        """The most points that there are."""
        return sum(step.of for step in self.steps) + sum(step.points for step in self.left)

    @property
    def is_well(self) -> bool:
        """Whether every criterion of every step holds, the drop is not worse than its author's of
        before, if that is given, and the examination found nothing.
        """
        return (
            all(step.passed for step in self.steps)
            and not self.left
            and not (self.compared and self.compared.is_own and self.compared.is_worse)
            and self.examination is not None
            and self._is_healthy(self.examination)
        )

    def _is_healthy(self, examination: Examination) -> bool:
        """Whether the examination found nothing, apart from what a busy machine brings about."""
        if outputs.verdict(examination) == outputs.WELL:
            return True
        findings, observation = examination.diagnosis.findings, examination.observed
        is_partial = bool(findings or observation.gaps)
        is_timed = observation.is_late and all(found.illness.is_timed for found in findings)
        is_whole = observation.answer_status is not None and not observation.stopped
        return bool(self.busy) and is_partial and is_timed and is_whole and not observation.died

    def __str__(self) -> str:
        lines = [step.line() for step in self.steps]
        lines += [f"{what}, {_load_line(phase)}" for what, phase in self.loads]
        lines += [self.compared.sentence] if self.compared else []
        lines += [*self.refused, *([str(self.examination)] if self.examination else [])]
        lines += [self.busy] if self.busy else []
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
            "compared": self.compared.to_json() if self.compared else None,
            "left": [step.id for step in self.left],
            "examination": (
                json.loads(outputs.examination_json(self.examination)) if self.examination else None
            ),
            "refused": list(self.refused),
            "busy": self.busy or None,
        }


def of_folder(
    folder: str, say: Say = lambda _: None, *, before: str = "", minutes: float = MINUTES
) -> Final:
    """Judge all steps, load the drop, compare and examine it. Raises BadHandIn where there is no
    program.

    before : a folder or program of step 8, for the comparison; minutes : after which no further
    step is begun
    """
    project_steps = exercises.steps(PROJECT)
    hand_in = folders.from_path(folder, project_steps[-1])
    earlier = folders.from_path(before, _step(BEFORE_STEP)) if before else None
    start_utc, start_s = utc(), time.monotonic()
    end_s = start_s + 60 * minutes
    results: list[Result] = []
    for step in project_steps:
        if results and time.monotonic() >= end_s:
            break
        say(f"step {step.step} of {len(project_steps)}: {step.title}")
        results.append(verbs.judged(step, hand_in))
    remaining_steps = tuple(project_steps[len(results) :])
    reasons = [_too_late(remaining_steps, minutes)] if remaining_steps else []
    loads: list[tuple[str, Phase]] = []
    comparison = examination = None
    place, command = _started(folder, hand_in)
    processor_use = _Used()
    with tempfile.TemporaryDirectory(prefix="lab-drop-") as scratch:
        files = Path(scratch) / "files"
        files.mkdir()
        (files / FILE).write_bytes(os.urandom(FILE_BYTES))
        env = {"FOLDER": str(files)}
        target = Target(command, place, "the drop", env)
        try:
            if not remaining_steps:
                say(f"the load: up to {CLIENTS[-1]} clients")
                loads += _loaded(target)
        except LabError as error:
            reasons.append(f"The drop could not be loaded: {error}")
        try:
            if loads:
                say(f"the comparison with step {BEFORE_STEP}")
                comparison = _compared(target, _before(before, earlier, Path(scratch), env), before)
        except LabError as error:
            reasons.append(f"The drop could not be compared: {error}")
        try:
            if not remaining_steps:
                say("the examination, half a minute")
                scenario = Path(scratch) / "uses.json"
                scenario.write_text(json.dumps({"requests": USES}), "utf-8")
                ordered = order(command, folder=place, env=env, scenario=scenario)
                examination = ordered.examined(say)
        except LabError as error:
            reasons.append(f"The drop could not be examined: {error}")
    return Final(
        Path(folder).name or folder,
        hand_in,
        tuple(results),
        tuple(loads),
        comparison,
        examination,
        tuple(reasons),
        remaining_steps,
        start_utc,
        time.monotonic() - start_s,
        checks.quiet_beside(processor_use.others_cores(), machine.machine().cores),
    )


class _Used:
    """What has been used of the processors since it was made, by us and by all programs."""

    def __init__(self) -> None:
        self._before = self._now()

    @staticmethod
    def _now() -> tuple[float, float | None, float]:
        ours = proctree.grown({os.getpid()}, proctree.processes())
        return time.monotonic(), machine.busy_s(), resources.measure(ours).cpu_s

    def others_cores(self) -> float | None:
        """Cores that other programs used; None if that is unknown, or too short to be seen."""
        (start_s, busy_s, ours_s), (now_s, later_s, ours_later_s) = self._before, self._now()
        if busy_s is None or later_s is None or now_s - start_s < LEAST_SEEN_S:
            return None
        return ((later_s - busy_s) - (ours_later_s - ours_s)) / (now_s - start_s)


def _too_late(left: Sequence[Exercise], minutes: float) -> str:
    return (
        f"The final check took longer than {minutes:g} minutes, so {count(len(left), 'step')} "
        "and the load were left out. Check these steps one by one, or allow more time with "
        "--minutes."
    )


def _step(at: int) -> Exercise:
    return next(step for step in exercises.steps(PROJECT) if step.step == at)


def _started(folder: str, hand_in: HandIn) -> tuple[Path, tuple[str, ...]]:
    """The folder and the command of a drop that runs as if its author had started it."""
    place = Path(folder).resolve()
    if place.is_file():
        return place.parent, (nodes.program(None), place.name)
    return place, (nodes.program(None), hand_in.name)


def _before(folder: str, hand_in: HandIn | None, scratch: Path, env: dict[str, str]) -> Target:
    """The drop of step 8: the given one, or the solution of that step."""
    if hand_in is not None:
        place, command = _started(folder, hand_in)
        return Target(command, place, f"the drop in {Path(folder).name}", env)
    step = _step(BEFORE_STEP)
    name = f"before{step.solution.suffix}"
    text = step.program(step.solution, step.for_student(verbs.student()))
    (scratch / name).write_text(text, "utf-8")
    title = f"the solution of step {BEFORE_STEP}"
    return Target((nodes.program(None), name), scratch, title, env)


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


def _compared(now: Target, before: Target, folder: str) -> Compared:
    """Load two drops in turns, which both run all the time. Raises LabError."""
    path = ASKED[0][1]
    answers: dict[str, list[float]] = {"now": [], "before": []}
    with (
        lock.measuring(),
        Standby() as standby,
        App(now, None) as one,
        App(before, None) as other,
    ):
        urls = {"now": one.url, "before": other.url}
        for arms in abba(list(urls), PAIRS, seed=1):
            for arm in arms:
                with standby.take(None) as generator:
                    standby.prepare(None)
                    phase = load(
                        generator,
                        arm,
                        urls[arm],
                        Request(path),
                        seconds=TURN_S,
                        warmup=TURN_WARM_S,
                        connections=versions.CONNECTIONS,
                    )
                answers[arm].append(phase.throughput)
    ratio = paired_ratio(
        answers["before"], answers["now"], a="before", b="now", metric="throughput"
    )
    return Compared(before.title, bool(folder), versions.verdict(ratio, WORSE_BY))


def _row(what: str, phase: Phase) -> dict[str, Any]:
    refusals = phase.kinds.get("status 503", 0)
    return {
        "request": what,
        "clients": phase.connections,
        "responses (/s)": round(phase.throughput),
        "p90 (ms)": None if phase.p90_s is None else round(phase.p90_s * 1e3, 2),
        "refused with 503": refusals,
        "failed otherwise": phase.failed - refusals,
    }


def _load_line(phase: Phase) -> str:
    refusals = phase.kinds.get("status 503", 0)
    return (
        f"{count(phase.connections, 'client')}: {number(phase.throughput)} responses a second, "
        f"{refusals} refused with 503, {phase.failed - refusals} failed otherwise"
    )


# --- the page


def page(whole: Final) -> str:
    """Return the page, as one file that needs nothing else."""
    student = next((step.student for step in whole.steps if step.student), "")
    values = f"those of {student}" if student else "the first ones, because no student is named"
    about = (
        f"The folder {whole.folder} was started as node {whole.hand_in.name}. The values "
        f"are {values}."
    )
    undecided_steps = [step for step in whole.steps if step.outcome != GRADED]
    full_count = sum(step.passed for step in whole.steps)
    words = [f"{full_count} of {len(whole.steps) + len(whole.left)} steps with all points."]
    if whole.left:
        words.append(f"{count(len(whole.left), 'step')} left out because time ran out.")
    if undecided_steps:
        words.append(
            f"{count(len(undecided_steps), 'step')} got no verdict. Run the final check again."
        )
    words.append(
        f"The clinic: {whole.examination.first}."
        if whole.examination
        else "The drop was not examined."
    )
    is_full = full_count == len(whole.steps) and not whole.left
    tone = "ok" if is_full else "warn" if whole.points else "fail"
    parts = [
        HTML.intro({"title": "The file drop, as a whole", "about": about}),
        box(tone, f"{bare(whole.points)} of {bare(whole.of)} points", words),
        table([_step_row(number, step) for number, step in enumerate(whole.steps, 1)]),
        *([box("warn", "a busy machine", [whole.busy])] if whole.busy else []),
        HTML.heading("Under load"),
        *_load_parts(whole.loads),
        *([HTML.text(whole.compared.sentence)] if whole.compared else []),
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
    return report.of_parts(f"The file drop: {bare(whole.points)} of {bare(whole.of)}", parts)


def _step_row(at: int, step: Result) -> dict[str, Any]:
    first = next((item for item in step.criteria if item.outcome != HELD), None)
    count_held = sum(item.outcome == HELD for item in step.criteria)
    return {
        "step": f"{at}: {step.title.partition(': ')[2] or step.title}",
        "points": f"{'–' if step.outcome != GRADED else bare(step.points)} of {bare(step.of)}",
        "criteria": f"{count_held} of {len(step.criteria)}",
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
                rows, x="clients", y="responses (/s)", by="request", caption="Responses per second"
            )
        ),
        Markup(
            chart.lines(
                plotted_rows,
                x="clients",
                y="p90 (ms)",
                by="request",
                caption="The time within which nine out of ten responses arrive",
            )
        ),
        HTML.more("All numbers of the loads", Markup(table(rows, label="the loads"))),
    ]


def _how(whole: Final) -> list[Any]:
    first = whole.steps[0]
    return [
        HTML.text(
            "This page was made on its author's machine, so use it for reading and "
            "discussion. A student could also write such a page by hand. The points that "
            "count come from make grade, which the instructor runs and which judges the "
            "folder itself in a sandbox."
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
    """Add the arguments of `final`."""
    parser.add_argument("folder", metavar="FOLDER", help="the folder of your drop, or its program")
    parser.add_argument(
        "--page", type=Path, default=PAGE, help=f"the file to write the page to (default: {PAGE})"
    )
    parser.add_argument(
        "--before",
        metavar="FOLDER",
        default="",
        help=f"your drop as it was after step {BEFORE_STEP}, for the comparison (default: the "
        "solution of that step)",
    )
    parser.add_argument(
        "--minutes",
        type=float,
        default=MINUTES,
        help="minutes after which no further step is started (default: %(default)s)",
    )
    parser.add_argument("--json", action="store_true", help="print the results as data")


def final(options: argparse.Namespace) -> int:
    """Do all of it; 0 if every criterion holds and nothing is found, 1 if not, 2 if it cannot."""
    try:
        whole = of_folder(
            options.folder,
            lambda words: print(f"… {words}", file=sys.stderr),
            before=options.before,
            minutes=options.minutes,
        )
    except LabError as error:
        print(error, file=sys.stderr)
        return FAILED
    written.write(options.page.resolve(), page(whole).encode())
    print(json.dumps(whole.to_json(), indent=1) if options.json else whole)
    print(f"The page: {options.page}", file=sys.stderr if options.json else sys.stdout)
    return 0 if whole.is_well else FOUND

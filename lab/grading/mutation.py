"""The test of a check: its reference must be accepted, each wrong answer rejected with its own
message.

python -m lab.grading.mutation [ID ...] [--times N] [--node NODE ...] [--beside PROCESSES]
    [--student NAME] [--resume] [--workers N] [--table FILE] [--json FILE]
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from lab import paths
from lab.cli.commands import Parser
from lab.errors import LabError
from lab.grading import exercise as exercises
from lab.grading import handin, run
from lab.grading.exercise import Exercise, Wrong
from lab.grading.result import GRADED, NOISY, Result
from lab.processes import nodes
from lab.storage.json_form import digest
from lab.text.numbers import bare

REFERENCE = "solution"
KEPT = paths.RUNS / "mutation.jsonl"  # every row that was judged, for `--resume`


@dataclass(frozen=True)
class Row:
    """One answer whose worth is known, and what became of it. `fault` is empty if the check did as
    it should.
    """

    exercise: str
    answer: str
    points: float
    of: float
    missed: tuple[str, ...]
    message: str
    seconds: float
    fault: str
    node: str = ""
    noisy: bool = False  # no verdict: neither right nor wrong

    def __str__(self) -> str:
        mark = "ok " if not self.fault else "BAD"
        line = (
            f"{mark} {self.exercise} {self.answer}  {bare(self.points)}/{bare(self.of)}  "
            f"Node {self.node}  {self.seconds:.2f} s  {self.message}"
        )
        return line if not self.fault else f"{line}\n    {self.fault}"


def judged(
    exercise: Exercise, wrong: Wrong | None, node: str | None = None, student: str = ""
) -> Row:
    """One answer: the reference, or a wrong one, with the parameters of a student."""
    file = _file(exercise, wrong)
    start_s = time.monotonic()
    version = nodes.version(node)
    try:
        text = exercise.program(file, exercise.for_student(student))
        hand_in = handin.from_text(text, exercise.program_name(file))
        result = run.grade(exercise, hand_in, student=student, node=node)
    except LabError as error:
        fault = type(error).__name__
        return Row(exercise.id, file.name, 0, exercise.points, (), str(error), 0, fault, version)
    missed_ids = tuple(one.id for one in result.criteria if one.outcome != "held")
    first = next(iter(result.missed), None)
    return Row(
        exercise.id,
        file.name,
        result.points,
        result.of,
        missed_ids,
        first.message if first else "",
        time.monotonic() - start_s,
        _fault(result, wrong, missed_ids),
        version,
        result.outcome == NOISY,
    )


def _file(exercise: Exercise, wrong: Wrong | None) -> Path:
    return exercise.solution if wrong is None else exercise.answer_file(wrong)


def _fault(result: Result, wrong: Wrong | None, missed_ids: tuple[str, ...]) -> str:
    if result.outcome == NOISY:
        return ""  # no verdict is no wrong verdict; who counts acceptances counts it apart
    if result.outcome != GRADED:
        return f"the check failed:\n{result}\n{result.fault}"
    if wrong is None:
        return f"the reference misses {', '.join(missed_ids)}:\n{result}" if missed_ids else ""
    if set(missed_ids) != set(wrong.misses):
        return (
            f"it misses {', '.join(missed_ids) or 'nothing'} instead of "
            f"{', '.join(wrong.misses)}:\n{result}"
        )
    first = result.missed[0].message if result.missed else ""
    return "" if wrong.message in first else f"the message lacks {wrong.message!r}: {first!r}"


@contextmanager
def busy(processes: int) -> Iterator[None]:
    """So many other programs compute meanwhile."""
    spin = "while True: pass"
    started = [subprocess.Popen([sys.executable, "-c", spin]) for _ in range(processes)]
    try:
        yield
    finally:
        for process in started:
            process.kill()
            process.wait()


# ------------------------------------------------------------------ what is judged, and what was


@dataclass(frozen=True)
class Todo:
    """One answer to be judged, `times` times on one Node."""

    exercise: Exercise
    wrong: Wrong | None
    node: str | None
    times: int
    beside: int
    student: str = ""

    @property
    def key(self) -> str:
        """A digest of all that decides the row: what was judged before stands while it is the
        same.
        """
        answer = self.exercise.source(_file(self.exercise, self.wrong))
        said = self.wrong and [self.wrong.misses, self.wrong.message]
        version = [self.exercise.version(), run.version(), nodes.version(self.node)]
        return digest([self.exercise.id, answer, said, version, self.beside, self.student])


def planned(
    ids: Iterable[str],
    on: Iterable[str | None],
    *,
    times: int,
    beside: int,
    student: str = "",
) -> list[Todo]:
    """Once: every answer of every exercise; more often: the references alone."""
    return [
        Todo(one, answer, node, times, beside, student)
        for one in map(exercises.exercise, ids)
        for node in on
        for answer in ([None] if times > 1 else [None, *one.wrong])
    ]


def before() -> dict[str, list[Row]]:
    """The rows that were kept, by their keys; a line that is damaged is none."""
    rows_by_key: dict[str, list[Row]] = {}
    try:
        lines = KEPT.read_text("utf-8").splitlines()
    except FileNotFoundError:
        return rows_by_key
    for line in lines:
        try:
            said = json.loads(line)
            row = Row(**{**said["row"], "missed": tuple(said["row"]["missed"])})
            rows_by_key.setdefault(said["key"], []).append(row)
        except (ValueError, KeyError, TypeError):
            continue
    return rows_by_key


def carried_out(
    todos: list[Todo], *, resume: bool = False, workers: int = 1
) -> Iterator[tuple[Todo, list[Row]]]:
    """Each with its rows, in order, as soon as it is done. Every row is kept when it is judged, so
    that a run which is stopped goes on with `resume`.
    """
    earlier_rows = before() if resume else {}
    KEPT.parent.mkdir(parents=True, exist_ok=True)
    writing = threading.Lock()

    def one(todo: Todo) -> list[Row]:
        key = todo.key
        rows = earlier_rows.get(key, [])[: todo.times]
        while len(rows) < todo.times:
            row = judged(todo.exercise, todo.wrong, todo.node, todo.student)
            rows.append(row)
            with writing, KEPT.open("a", encoding="utf-8") as file:
                # On a line of its own, also behind one that was cut off.
                file.write("\n" + json.dumps({"key": key, "row": asdict(row)}) + "\n")
        return rows

    with ThreadPoolExecutor(workers) as pool:
        try:
            yield from zip(todos, pool.map(one, todos), strict=True)
        except BaseException:
            pool.shutdown(wait=True, cancel_futures=True)
            raise


def table(rows: list[Row]) -> str:
    """Markdown: what each answer got on each Node, and below it the seconds that it took."""
    on = sorted({row.node for row in rows}, key=nodes.major)
    lines = [
        "| exercise | answer | of | misses | message | "
        + " | ".join(f"Node {n}" for n in on)
        + " |",
        "|---|---|---|---|---|" + "---|" * len(on),
    ]
    for id, answer in dict.fromkeys((row.exercise, row.answer) for row in rows):
        of = [row for row in rows if (row.exercise, row.answer) == (id, answer)]
        first = next((row for row in of if not row.fault and not row.noisy), of[0])
        cells = [_cell([row for row in of if row.node == node]) for node in on]
        words = [id, answer, bare(first.of), ", ".join(first.missed), _plain(first.message)]
        lines.append(f"| {' | '.join([*words, *cells])} |")
    return "\n".join([*lines, "", *_seconds(rows, on)]) + "\n"


def _cell(rows: list[Row]) -> str:
    """The points of one answer on one Node; of several runs, how many were as they should be."""
    if not rows:
        return ""
    right = [row for row in rows if not row.fault and not row.noisy]
    noisy = sum(row.noisy for row in rows)
    words = bare(rows[0].points) if len(rows) == 1 else f"{len(right)} of {len(rows)}"
    wrong = len(rows) - len(right) - noisy
    return words + (f", {noisy} without a verdict" * bool(noisy)) + (", WRONG" * bool(wrong))


def _seconds(rows: list[Row], on: list[str]) -> Iterator[str]:
    yield "| exercise | " + " | ".join(f"s on Node {node}, median (most)" for node in on) + " |"
    yield "|---|" + "---|" * len(on)
    for id in dict.fromkeys(row.exercise for row in rows):
        cells = []
        for node in on:
            took = [row.seconds for row in rows if (row.exercise, row.node) == (id, node)]
            cells.append(f"{statistics.median(took):.2f} ({max(took):.2f})" if took else "")
        yield f"| {id} | {' | '.join(cells)} |"


def _plain(text: str) -> str:
    """A text that stays within its cell."""
    return " ".join(text.split()).replace("|", "\\|")


def chosen_nodes(words: list[str]) -> list[str | None]:
    """Paths of Nodes; a number means one of `make nodes`. Raises NoNodeError."""
    known = nodes.known()
    for word in words:
        if word.isdigit() and int(word) not in known:
            raise nodes.NoNodeError(f"There is no Node {word} here: `make nodes` installs it.")
    return [known[int(word)] if word.isdigit() else word for word in words] or [None]


def main(arguments: list[str] | None = None) -> int:
    """Print the table; returns how many rows are not as they should be, 1 at most."""
    parser = Parser(prog="python -m lab.grading.mutation", description=__doc__)
    parser.add_argument("ids", nargs="*", metavar="ID")
    parser.add_argument(
        "--times",
        type=int,
        default=1,
        help="judge each reference this many times, and no wrong answers",
    )
    parser.add_argument(
        "--beside", type=int, default=0, help="other programs that compute at the same time"
    )
    parser.add_argument(
        "--node",
        action="append",
        default=[],
        help="judge on this Node; a number means one of `make nodes`; may be repeated",
    )
    parser.add_argument(
        "--resume",
        action="store_true",
        help="keep what the same check judged before, on the same Node and alongside as many "
        "other programs",
    )
    parser.add_argument("--workers", type=int, default=1, help="how many at once")
    parser.add_argument("--table", type=Path, help="also write a table in Markdown into this file")
    parser.add_argument("--student", default="", help="with the parameters of this student")
    parser.add_argument("--json", type=Path, help="also write the rows into this file")
    options = parser.parse_args(arguments)
    try:
        on = chosen_nodes(options.node)
        ids = options.ids or exercises.names()
        todos = planned(
            ids, on, times=options.times, beside=options.beside, student=options.student
        )
    except LabError as error:
        parser.exit(2, f"{error}\n")
    all_rows: list[Row] = []
    with busy(options.beside):
        for todo, rows in carried_out(todos, resume=options.resume, workers=options.workers):
            all_rows += rows
            for row in rows:
                if options.times == 1 or row.fault:
                    print(row, flush=True)
            if options.times > 1:
                name = f"{todo.exercise.id}, Node {rows[0].node}"
                print(f"{name}: {_cell(rows)}", flush=True)
    bad = [row for row in all_rows if row.fault]
    noisy = sum(row.noisy for row in all_rows)
    print(f"{len(all_rows)} judged, {len(bad)} not as they should be, {noisy} without a verdict")
    if options.table:
        options.table.write_text(table(all_rows), "utf-8")
    if options.json:
        options.json.write_text(
            json.dumps([asdict(row) for row in all_rows], indent=1) + "\n", "utf-8"
        )
    return min(1, len(bad))


if __name__ == "__main__":
    sys.exit(main())

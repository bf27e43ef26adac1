"""Every answer of an exercise whose worth is known, judged by the page's check and by the sandbox.

python -m lab.simulator.compare [ID ...] [--node MAJOR] [--seed N] [--known] [--rows FILE] [--write]

Both judge with the same hidden cases. They have to give the same outcome and points for each
criterion and the same message. Numbers of a message may differ where a clock or a word that nobody
can guess is in them: such a message is "alike". With `--known` the sandbox does not run: what the
exercise says of the answer, and `python -m lab.grading.mutation` tests, stands for it. `--write`
writes which exercises a page judges, and what the model lacks for each of the others, into
check/exercises.json.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any

from lab.grading import exercise as exercises
from lab.grading import handin, run
from lab.grading.exercise import Exercise, Wrong
from lab.processes import nodes
from lab.simulator import judging

MAIN = Path(__file__).parent / "check" / "main.mjs"
SEED = 42
# What the model's sentences say that it lacks.
LACKING = re.compile(r"^The model (?:lacks|has no) (.*?)(?:\. .*)?\.?$")
# What may differ between the messages of two runs of a check: a number, and a random word.
VARIES = re.compile(r"\d[\d.,]*|\b[\w-]{5,16}\b")
# A page stops a program that computes for 1.4 s at a stretch, and its reader may have a processor
# that is four times as slow.
MOST_LONGEST_MS = 350
MOST_MS = 5000
SLOW = "the speed of V8"
UNKNOWN = "something that this check examines, so that its verdict differs"


@dataclass(frozen=True)
class Row:
    """One answer, judged in both ways. `lacks` says why the model could not judge it."""

    exercise: str
    answer: str
    difference: str  # empty where both say the same
    messages: str  # "same", "alike", or "other"
    points: float
    message: str
    lacks: str
    ms: int  # of a processor, that the model took
    longest: float = 0  # of these at a stretch, in which a page hears nothing


class Model:
    """The page's check in a process of Node, which judges one answer after the other."""

    def __init__(self, major: int) -> None:
        self.node = nodes.known()[major]
        self.process = subprocess.Popen(
            [nodes.program(), str(MAIN), self.node],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def judge(self, exercise: Exercise, name: str, source: str, seed: int) -> dict[str, Any]:
        """Return {criteria, ms}, or {lacks}."""
        stdin, stdout = _open(self.process.stdin), _open(self.process.stdout)
        job = {**judging.job(exercise), "name": name, "source": source, "seed": seed}
        stdin.write(f"{json.dumps(job)}\n")
        stdin.flush()
        return dict(json.loads(stdout.readline()))

    def close(self) -> None:
        """End the process."""
        _open(self.process.stdin).close()
        self.process.wait(30)


def _open(stream: IO[str] | None) -> IO[str]:
    assert stream is not None
    return stream


def compared(
    model: Model, exercise: Exercise, seed: int = SEED, *, known: bool = False
) -> Iterator[Row]:
    """Yield a row for the reference and each wrong answer; one row where the model lacks something.

    `known`: against what the exercise says of the answer, and not against the sandbox.
    """
    for wrong in (None, *exercise.wrong):
        row = answered(model, exercise, wrong, seed, known=known)
        yield row
        if row.lacks:
            return


def answered(
    model: Model, exercise: Exercise, wrong: Wrong | None, seed: int = SEED, *, known: bool = False
) -> Row:
    """Judge one answer in both ways; `known` as for `compared`."""
    file = exercise.solution if wrong is None else exercise.answer_file(wrong)
    name, source = exercise.program_name(file), exercise.program(file)
    answer = model.judge(exercise, name, source, seed)
    if lacks := str(answer.get("lacks", "")):
        return Row(exercise.id, file.name, "", "", 0, "", lacks, answer["ms"])
    if known:
        return _against_known(exercise, wrong, file.name, answer)
    hand_in = handin.from_text(source, name)
    result = run.grade(exercise, hand_in, seed=seed, node=model.node)
    said = {each["criterion"]: each for each in answer["criteria"]}
    differences, kinds = [], Counter[str]()
    for criterion in result.criteria:
        page = said[criterion.id]
        if page["outcome"] != criterion.outcome:
            differences.append(f"{criterion.id}: {page['outcome']} instead of {criterion.outcome}")
        elif criterion.outcome == "missed":
            kinds[_kind(page.get("message", ""), criterion.message)] += 1
    messages = next((kind for kind in ("other", "alike", "same") if kinds[kind]), "same")
    first = next(iter(result.missed), None)
    return Row(
        exercise.id,
        file.name,
        "; ".join(differences),
        messages,
        result.points,
        first.message if first else "",
        "",
        answer["ms"],
        answer["longest"],
    )


def _against_known(
    exercise: Exercise, wrong: Wrong | None, file: str, answer: dict[str, Any]
) -> Row:
    """Return the row of an answer beside what the exercise says of it."""
    missed = [each for each in answer["criteria"] if each["outcome"] != "held"]
    ids = [each["criterion"] for each in missed]
    wanted = set(wrong.misses) if wrong else set()
    first = next((each["message"] for each in missed if each["outcome"] != "left"), "")
    points = sum(each.points for each in exercise.criteria if each.id not in ids)
    difference = "" if set(ids) == wanted else f"misses {', '.join(ids) or 'nothing'}"
    messages = "other" if wrong and wrong.message not in first else "alike"
    times = answer["ms"], answer["longest"]
    return Row(exercise.id, file, difference, messages, points, first, "", *times)


def _kind(page: str, sandbox: str) -> str:
    if page == sandbox:
        return "same"
    return "alike" if VARIES.sub("_", page) == VARIES.sub("_", sandbox) else "other"


def written(rows: Iterable[Row]) -> dict[str, Any]:
    """Return what check/exercises.json is to hold. Of an answer the last row counts.

    An exercise stays as it is unless something is lacking or different, or all answers have rows.
    """
    last_rows = {(row.exercise, row.answer): row for row in rows}
    data = json.loads(judging.DATA.read_text("utf8"))
    before = data["lacks"]
    names: list[str] = []
    lacks: dict[str, str] = {}
    for name in exercises.names():
        exercise = exercises.exercise(name)
        if exercise.model_lacks:
            continue
        files = [exercise.solution, *map(exercise.answer_file, exercise.wrong)]
        rows_here = [row for file in files if (row := last_rows.get((name, file.name)))]
        if reason := next((row.lacks for row in rows_here if row.lacks), ""):
            found_reason = LACKING.match(reason)
            lacks[name] = found_reason[1] if found_reason else before.get(name, UNKNOWN)
        elif any(row.difference or row.messages == "other" for row in rows_here):
            lacks[name] = before.get(name, UNKNOWN)
        elif any(_is_slow(row) for row in rows_here if row.answer == exercise.solution.name):
            lacks[name] = SLOW
        elif len(rows_here) == len(files):
            names.append(name)
        else:  # as it was
            names += [name] if name in data["here"] else []
            lacks |= {name: before[name]} if name in before else {}
    return {"here": names, "lacks": lacks}


def _is_slow(row: Row) -> bool:
    return row.longest > MOST_LONGEST_MS or row.ms > MOST_MS


def main(arguments: list[str] | None = None) -> int:
    """Compare, print a row for each answer, and count what differs."""
    parser = argparse.ArgumentParser(prog="python -m lab.simulator.compare")
    parser.add_argument("ids", nargs="*", metavar="ID")
    parser.add_argument("--node", type=int, default=max(nodes.known()), metavar="MAJOR")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument(
        "--rows", type=Path, help="the file that rows are added to, and that --write reads"
    )
    parser.add_argument("--known", action="store_true")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args(arguments)
    if options.write and not options.rows:
        parser.error("--write reads the rows of a file, so name the file with --rows")
    if options.write:
        rows = [Row(**json.loads(line)) for line in options.rows.read_text("utf8").splitlines()]
        text = json.dumps(written(rows), indent=2, ensure_ascii=False)
        judging.DATA.write_text(f"{text}\n", "utf8")
        return 0
    model = Model(options.node)
    faults = 0
    for name in options.ids or exercises.names():
        exercise = exercises.exercise(name)
        if exercise.project:
            continue
        for row in compared(model, exercise, options.seed, known=options.known):
            fault = row.difference or (row.messages == "other" and "another message")
            faults += bool(fault)
            mark = "BAD" if fault else "no " if row.lacks else "ok "
            text = row.lacks or row.message
            print(mark, row.exercise, row.answer, row.messages, f"{row.ms} ms", fault or "", text)
            sys.stdout.flush()
            if options.rows:
                with options.rows.open("a") as file:
                    file.write(f"{json.dumps(asdict(row))}\n")
    model.close()
    return 1 if faults else 0


if __name__ == "__main__":
    raise SystemExit(main())

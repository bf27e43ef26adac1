"""What judging a class costs: hand-ins a minute, against nbgrader that executes the same notebooks.

    python bench/classroom.py [--hand-ins 30] [--workers 1 2] [--executed 8] [--plain] [--json FILE]

A hand-in is the notebook of one exercise of one student. No two programs are alike: references,
wrong answers and hostile ones in turn, four exercises; with --plain, as in most classes, nobody is
hostile, and the answers are right and wrong in turn. The last lines say how many times as fast a
batch was; for the same hand-ins on both sides give --executed the number of --hand-ins, and --book,
which adds the pass that nbgrader makes afterwards. Needs what `make classroom` installs.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from lab.classroom import course as courses
from lab.classroom import judging, make, notebook
from lab.grading import exercise

EXERCISES = ("summary", "twelve-calls", "after-io", "always-later")
HOSTILE = ("process.exit(0)\n", 'console.log(\'{"outcome": "held"}\')\n', "for (;;) {}\n")
JUDGED, BOOKED, EXECUTED = "judged", "booked by nbgrader", "executed by nbgrader"
COURSE = f"""
name = "bench"
[[weeks]]
exercises = {json.dumps(EXERCISES)}
"""


def programs(asked, plain=False):
    """All that is known of an exercise, and what is hostile."""
    right = asked.solution.read_text()
    wrong = [asked.source(asked.answer_file(one)) for one in asked.wrong]
    hostile = [] if plain else [HOSTILE[EXERCISES.index(asked.id) % 3] + asked.begin()]
    return [right, *wrong, right, *hostile]


def laid(root, hand_ins, plain=False):
    """A course with so many hand-ins."""
    root.mkdir()
    (root / courses.FILE).write_text(COURSE)
    course = make.made(root)
    make.gradebook(course)
    week = course.weeks[0]
    for at in range(hand_ins):
        student, name = f"s{at // len(EXERCISES):05}", EXERCISES[at % len(EXERCISES)]
        known = programs(exercise.exercise(name), plain)
        text = f"{known[(at // len(EXERCISES)) % len(known)]}\n// {at}\n"
        place = course.submitted / student / week.id
        place.mkdir(parents=True, exist_ok=True)
        made = json.dumps(notebook.made(course, week, name, text))
        (place / f"{name}.ipynb").write_text(made)
    return course


def nbgrader(root, *arguments):
    """Seconds of one of its commands."""
    start_s = time.monotonic()
    result = subprocess.run(
        [sys.executable, "-m", "nbgrader", *arguments],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )
    if result.returncode:
        print(result.stderr[-2000:], file=sys.stderr)
    return time.monotonic() - start_s


def peak_mib():
    """The most memory that this process had."""
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def times_as_fast(rows):
    """Of each batch how many times as many hand-ins a minute as nbgrader's own execution; with
    nbgrader's pass afterwards where that was timed, as it is part of what an instructor waits for.
    """
    (executed_rate,) = (batch["rate"] for batch in rows if batch["what"] == EXECUTED)
    for at, batch in enumerate(rows):
        if batch["what"] == JUDGED:
            after = next(
                (row["seconds"] for row in rows[at + 1 : at + 2] if row["what"] == BOOKED), 0
            )
            rate = batch["hand_ins"] / (batch["seconds"] + after) * 60
            yield batch["hand_ins"], batch["workers"], bool(after), rate / executed_rate


def main():
    """Print a line for each, and write them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hand-ins", type=int, nargs="+", default=[30])
    parser.add_argument("--workers", type=int, nargs="+", default=[os.cpu_count() or 1])
    parser.add_argument("--executed", type=int, default=8, help="by nbgrader itself; 0: none")
    parser.add_argument("--book", action="store_true", help="time nbgrader's pass afterwards, too")
    parser.add_argument("--plain", action="store_true", help="answers of people of good will")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    rows = []

    def told(label, hand_ins, seconds, **more):
        rate = hand_ins / seconds * 60
        rows.append({"what": label, "hand_ins": hand_ins, "seconds": seconds, "rate": rate, **more})
        extra = "".join(f"  {name} {value}" for name, value in more.items())
        print(f"{label:34} {hand_ins:5}  {seconds:7.1f} s  {rate:7.1f} a minute{extra}", flush=True)

    with tempfile.TemporaryDirectory(prefix="lab-bench-") as place:
        for hand_ins in options.hand_ins:
            for workers in options.workers:
                course = laid(Path(place) / f"{hand_ins}-{workers}", hand_ins, options.plain)
                week = course.weeks[0]
                started = time.monotonic()
                judging.all_of(course, week, workers=workers)
                seconds = time.monotonic() - started
                told(JUDGED, hand_ins, seconds, workers=workers, peak_mib=round(peak_mib()))
                if options.book:
                    nbgrader(course.root, "generate_assignment", week.id)
                    told(BOOKED, hand_ins, nbgrader(course.root, "autograde", week.id))
        if options.executed:
            course = laid(Path(place) / "executed", options.executed, options.plain)
            week = course.weeks[0]
            nbgrader(course.root, "generate_assignment", week.id)
            (course.root / make.CONFIG).write_text("c = get_config()\nc.Execute.timeout = 120\n")
            seconds = nbgrader(course.root, "autograde", week.id)
            told(EXECUTED, options.executed, seconds)
            for hand_ins, workers, booked, ratio in times_as_fast(rows):
                label = "judged and booked" if booked else "judged"
                print(f"{label:34} {hand_ins:5}  by {workers} workers: {ratio:.1f} times as fast")
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    try:
        import nbgrader as _  # noqa: F401
    except ImportError:
        print("bench/classroom.py: nbgrader is not installed (make classroom); left out.")
    else:
        main()

"""What the clinic itself costs and gets right: `python -m bench.clinic table` examines the programs
of tests/clinic/apps (or of another folder) and prints the signature table and the confusion matrix;
`cost` compares the throughput of a program with the probe in it and without; `alarms` compares a
program with itself (or with `--new`), as often as asked, and counts the alarms.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import re
import sys
import time
from collections import Counter
from pathlib import Path

from lab.clinic import signs, verb, versions
from lab.clinic.app import Target
from lab.errors import LabError

APPS = Path(__file__).resolve().parent.parent / "tests" / "clinic" / "apps"
NOTHING = "nothing found"
SHOWN = {
    "long_share": "share in long runs",
    "longest_ms": "long run (ms)",
    "job_share": "of many jobs",
    "pool_wait_ms": "pool wait (ms)",
    "name_ms": "names (ms)",
    "log_share": "share for logs",
    "queued_bytes": "queued (bytes)",
    "ignored": "ignored noes",
}


def expected(app: Path) -> str:
    """The name on the first line of a program: `// starved pool: why`."""
    found = re.match(r"//\s*([^:]+):", app.read_text())
    if not found:
        raise LabError(f"{app} does not begin with `// <illness>: <why>`, or `// healthy: <why>`.")
    name = found[1].strip()
    return NOTHING if name == "healthy" else name


def table(folder: Path, only: str, out: Path | None) -> int:
    """Examine each program of a folder; 0 if every first name is right."""
    confusion: Counter[tuple[str, str]] = Counter()
    rows = []
    for app in sorted(one for one in folder.iterdir() if re.search(r"\.[cm]?[jt]s$", one.name)):
        if only and not re.search(only, app.name):
            continue
        start_s = time.monotonic()
        try:
            examination = verb.examine(["node", str(app)])
        except LabError as error:
            print(f"{app.name:28} could not be examined: {str(error).splitlines()[0]}", flush=True)
            confusion[expected(app), "could not be examined"] += 1
            continue
        took_s = time.monotonic() - start_s
        confusion[expected(app), examination.first] += 1
        found = dataclasses.asdict(signs.of(examination.observed))
        figures = "  ".join(f"{name} {found[key]:.3g}" for key, name in SHOWN.items() if found[key])
        mark = "  " if expected(app) == examination.first else "! "
        print(f"{mark}{app.name:28} {examination.first:22} {took_s:3.0f} s  {figures}", flush=True)
        rows.append({"app": app.name, "is": expected(app), "named": examination.first, **found})
    if out:
        out.write_text(json.dumps(rows, indent=1))
    print("\nis -> named")
    for (what, named), n in sorted(confusion.items()):
        print(f"{what:22} -> {named:22} {n}")
    wrong = sum(n for (what, named), n in confusion.items() if what != named)
    print(f"right: {confusion.total() - wrong} of {confusion.total()}")
    return min(1, wrong)


def cost(app: Path, pairs: int) -> int:
    """How many answers fewer a program gives with the probe in it."""
    from lab.clinic.app import PRELOAD

    plain = Target(("node", str(app)), Path.cwd(), "without the probe")
    # Nobody listens at its line, so its thread ends: the line is kept open for the comparison.
    from lab.clinic.hub import Hub

    with Hub() as hub:
        env = {"NODE_OPTIONS": f"--require {PRELOAD}", "LAB_CLINIC": str(hub.path)}
        probed = dataclasses.replace(plain, name="with the probe", env=env)
        found = versions.compare_versions(plain, probed, pairs=pairs)
    print(found)
    return 0


def alarms(old: str, new: str, times: int, pairs: int, out: Path | None) -> int:
    """How often `new` is called worse than `old`; the trials of each comparison go to a line of
    `out`.
    """
    n_alarms = looks = 0
    for i in range(times):
        targets = [
            Target(tuple(one.split()), Path.cwd(), name)
            for one, name in ((old, "old"), (new, "new"))
        ]
        comparison = versions.compare_versions(*targets, pairs=pairs)
        n_alarms += comparison.worse
        looks += comparison.looks
        if out:
            with out.open("a") as lines:
                print(json.dumps([dataclasses.asdict(t) for t in comparison.trials]), file=lines)
        print(f"{i + 1}: {comparison!r}".replace("\n", "; "))
        sys.stdout.flush()
    print(f"{n_alarms} alarms in {times}; {looks} looks")
    return 0


def main() -> int:
    """Run one of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["table", "cost", "alarms"])
    parser.add_argument("--folder", type=Path, default=APPS)
    parser.add_argument("--only", default="", help="a regular expression for names of programs")
    parser.add_argument("--out", type=Path, help="where the table goes as JSON, or the trials")
    parser.add_argument("--app", type=Path, default=APPS / "healthy-hello.mjs")
    parser.add_argument("--old", default=f"node {APPS / 'healthy-render.mjs'}")
    parser.add_argument("--new", default=f"node {APPS / 'healthy-render.mjs'}")
    parser.add_argument("--pairs", type=int, default=10)
    parser.add_argument("--times", type=int, default=1)
    options = parser.parse_args()
    if options.what == "table":
        return table(options.folder, options.only, options.out)
    if options.what == "cost":
        return cost(options.app, options.pairs)
    return alarms(options.old, options.new, options.times, options.pairs, options.out)


if __name__ == "__main__":
    sys.exit(main())

"""What the build costs: a rebuild without changes, an edit of prose, of a server, preview, book.

Works on a copy of the repository's tracked files and disturbs nothing. A quarter of an hour of it
is the whole book in the course profile.
    python bench/build.py [--pairs 5] [--no-book]
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
PREVIEW_S = 60  # all chapters drawn from recorded results, after set-up
BOOK_S = 900  # all chapters live in the course profile, on two cores
LIMIT = 1.1  # rebuild without changes ÷ the same by `jupyter-book build`
JUPYTER_BOOK = "from jupyter_book.cli.main import main; main()"


class Took(NamedTuple):
    """Seconds on the clock and of CPU.

    A build without changes works on one core and waits for nothing: its CPU time is what it takes
    on an idle machine, and what else this one does changes that little.
    """

    wall_s: float
    cpu_s: float


def main() -> int:
    """Print the figures, store them in _build/bench/build.json; 1 if a limit is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=5, help="runs of each arm, interleaved")
    parser.add_argument("--no-book", action="store_true", help="leave the course profile out")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="bench-build-") as folder:
        copy = Path(folder) / "book"
        copy_tracked(copy)
        figures, problems = measure(copy, options.pairs)
        problems += whole(copy, figures, live=not options.no_book)
    target = ROOT / "_build/bench/build.json"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps(figures, indent=1) + "\n")
    for name, value in figures.items():
        print(f"{name:45} {value}")
    for problem in problems:
        print(f"NOT MET: {problem}")
    return 1 if problems else 0


def copy_tracked(copy: Path) -> None:
    """Copy what git tracks, and link what is installed."""
    listing = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    for name in filter(None, listing.stdout.split("\0")):
        if (ROOT / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, copy / name)
    (copy / "node_modules").symlink_to(ROOT / "node_modules")


def run(copy: Path, *words: str, **env: str) -> Took:
    """Return what a command took; its output is shown only if it failed."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith("LAB_")}
    before = os.times()
    start_s = time.monotonic()
    result = subprocess.run(
        [sys.executable, *words],
        cwd=copy,
        env={**clean, "LAB_ROOT": str(copy), "LAB_PROFILE": "smoke", **env},
        capture_output=True,
        text=True,
        check=False,
    )
    if result.returncode:
        sys.exit(f"{' '.join(words)} failed:\n{result.stdout}\n{result.stderr}")
    after = os.times()
    return Took(time.monotonic() - start_s, sum(after[2:4]) - sum(before[2:4]))


def ours(copy: Path, output: str = "_build") -> Took:
    """`make book` without its set-up."""
    return run(copy, "-m", "lab.book", "build", "--output", output)


def bare(copy: Path) -> Took:
    """What people type."""
    return run(copy, "-c", JUPYTER_BOOK, "build", ".")


def plain(copy: Path) -> Took:
    """The same site by Jupyter Book without our extension, in a folder of its own."""
    return run(
        copy, "-c", JUPYTER_BOOK, "build", ".", "--config", "plain.yml", "--path-output", "plain"
    )


def executed(copy: Path) -> list[str]:
    """Return the chapters that the last build executed."""
    report = json.loads((copy / "_build/build.json").read_text())
    return [c["chapter"] for c in report["chapters"] if c["action"] == "executed"]


def measure(copy: Path, pairs: int) -> tuple[dict[str, object], list[str]]:
    """Return figures by name, and the limits that were missed."""
    figures: dict[str, object] = {"first build, smoke profile, s": round(ours(copy).wall_s, 1)}
    chapters = executed(copy)
    figures["chapters"] = len(chapters)
    config = (copy / "_config.yml").read_text()
    config = config.replace("      - lab.book.extension\n", "").replace(
        "html_math_renderer: mathml", ""
    )
    (copy / "plain.yml").write_text(config)
    for arm in (ours, bare, plain):  # each once, so that no arm pays for the others' leftovers
        arm(copy)
    times: dict[str, list[float]] = {"ours": [], "bare": [], "plain": []}
    for n in range(pairs):
        order = (ours, bare, plain) if n % 2 == 0 else (plain, bare, ours)
        for arm in order:
            times[arm.__name__].append(arm(copy).cpu_s)
    median = {name: statistics.median(values) for name, values in times.items()}
    figures["no change: make book, CPU s"] = spread(times["ours"])
    figures["no change: jupyter-book build, CPU s"] = spread(times["bare"])
    figures["no change: the same without our extension, CPU s"] = spread(times["plain"])
    problems = []
    for name, arm in (
        ("jupyter-book build", "bare"),
        ("jupyter-book build without extension", "plain"),
    ):
        ratio = median["ours"] / median[arm]
        figures[f"no change: make book ÷ {name}"] = round(ratio, 3)
        if ratio > LIMIT:
            problems.append(f"no-change rebuild is {ratio:.2f} x {name}, limit {LIMIT}")
    problems += edits(copy, chapters, figures)
    return figures, problems


def spread(values: list[float]) -> str:
    """Return median and range."""
    return f"{statistics.median(values):.2f} ({min(values):.2f} to {max(values):.2f})"


def edits(copy: Path, chapters: list[str], figures: dict[str, object]) -> list[str]:
    """Edit prose, then a server; return what was executed against expectation."""
    problems = []
    if not chapters:
        return problems
    page = copy / f"{chapters[0]}.md"
    page.write_text(page.read_text() + "\nOne more sentence.\n")
    figures["prose edit, s"] = round(ours(copy).wall_s, 2)
    if executed(copy):
        problems.append(f"a prose edit executed {executed(copy)}")
    users = users_of_servers(copy)
    if not users:
        return problems
    name, user_pages = min(users.items(), key=lambda item: len(item[1]))
    server = copy / name
    server.write_text(server.read_text() + "\n")
    figures[f"edit of {name}, s"] = round(ours(copy).wall_s, 2)
    figures["  executed"] = ", ".join(executed(copy))
    if sorted(executed(copy)) != sorted(user_pages):
        problems.append(f"editing {name} executed {executed(copy)}, its users are {user_pages}")
    server.write_text(server.read_text()[:-1])
    return problems


def whole(copy: Path, figures: dict[str, object], *, live: bool) -> list[str]:
    """Build from nothing what a new user does; return the limits that were missed."""
    runs = [("preview from recorded results", "replay", PREVIEW_S)]
    if live:
        runs.append(("make book, course profile", "live", BOOK_S))
    problems = []
    for name, mode, limit_s in runs:
        env = {"LAB_MODE": mode, "LAB_PROFILE": "course"}
        took = run(copy, "-m", "lab.book", "build", "--output", f"_build/{mode}", **env)
        figures[f"{name}, from nothing, s"] = round(took.wall_s, 1)
        if took.wall_s > limit_s:
            problems.append(f"{name} took {took.wall_s:.0f} s, limit {limit_s}")
    return problems


def users_of_servers(copy: Path) -> dict[str, list[str]]:
    """Return for each server file the chapters whose records name it."""
    users: dict[str, list[str]] = {}
    folder = copy / "_build/.lab/live-smoke"
    for path in folder.rglob("*.json"):
        chapter = path.relative_to(folder).with_suffix("").as_posix()
        for name in json.loads(path.read_text())[0]["inputs"]:
            if name.startswith("file:servers/"):
                users.setdefault(name.removeprefix("file:"), []).append(chapter)
    return users


if __name__ == "__main__":
    sys.exit(main())

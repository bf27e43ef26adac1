"""What recording a program's event loop costs, how large a trace is, and whether its sources agree.

Overhead: 1,500 rounds of `fs.stat` and `setImmediate`, timed by the program itself, plain and
under the recorder in turns; beside it an empty program, for the start. Sizes: one recording of each
program of tests/node/recorder/programs and of the book's event-loop chapters, as JSON and gzipped.
A program whose phases differ between the hooks and the trace events is named, and fails the run.

    LAB_NODES=/path/to/node22:/path/to/node24 python bench/trace.py [--rounds 5]
"""

from __future__ import annotations

import argparse
import gzip
import statistics
import sys
import tempfile
from pathlib import Path

from lab import paths
from lab.records.trace import compact
from lab.trace import child, nodes
from lab.trace.child import Limits, Setting, Undertaker
from lab.trace.nodes import Node
from lab.trace.phases import TraceRefusedError, agree
from lab.trace.program import Program
from lab.trace.recording import canonical

CORPUS = paths.ROOT / "tests" / "node" / "recorder" / "programs"
CHAPTERS = paths.ROOT / "book" / "event-loop"  # its .cjs files are the ones that are replayed
LIMITS = Limits(seconds=20, rows=200_000)
ROUNDS = """
const { stat } = require("node:fs");
const begin = performance.now();
let left = 1500;
const round = () => {
  if (left-- > 0) stat(__filename, () => setImmediate(round));
  else console.log(performance.now() - begin);
};
round();
"""


def overhead(node: Node, folder: Path, keeper: Undertaker, rounds: int) -> None:
    """Print what the recorder adds to a busy program and to an empty one."""
    busy, empty = folder / "busy.cjs", folder / "empty.cjs"
    busy.write_text(ROUNDS)
    empty.write_text("")
    took: dict[tuple[str, bool], list[float]] = {}
    for turn in range(rounds):
        for record in (False, True) if turn % 2 else (True, False):
            done = child.run(node, Setting(busy), LIMITS, keeper, record=record)
            took.setdefault(("busy", record), []).append(float(done.lines[0]))
            done = child.run(node, Setting(empty), LIMITS, keeper, record=record)
            took.setdefault(("empty", record), []).append(done.seconds * 1000)
    for name, label in (("busy", "1,500 rounds of stat and immediate"), ("empty", "empty program")):
        plain, recorded = (statistics.median(took[name, record]) for record in (False, True))
        ratio = f"{recorded / plain:.2f}x"
        print(f"  {label:36} plain {plain:6.0f} ms, recorded {recorded:6.0f} ms ({ratio})")


def sizes(node: Node, keeper: Undertaker) -> int:
    """Print the trace of each program and whether it was verified; returns how many were not."""
    n_refused = 0
    rows: list[tuple[float, float, str, int]] = []
    programs = [*sorted(CORPUS.iterdir()), *sorted(CHAPTERS.glob("*/*.cjs"))]
    for file in programs:
        outcome = child.run(node, Setting(file), LIMITS, keeper, record=True)
        try:
            callbacks = len(agree(outcome.rows, outcome.spans)) if outcome.spans else 0
        except TraceRefusedError as error:
            n_refused += 1
            print(f"  REFUSED {file.name}: {error}")
            continue
        recording = canonical(Program(file, file.name, file.read_text("utf-8")), outcome, Limits())
        text = compact(recording).encode()
        rows.append((len(text) / 1000, len(gzip.compress(text)) / 1000, file.name, callbacks))
    callbacks = sum(row[3] for row in rows)
    share = f"{len(rows)} of {len(programs)} programs"
    print(f"  phases of both sources equal in {share}, {callbacks} callbacks")
    large = sorted(rows)
    for label, (kb, gzip_kb, name, n) in (
        ("smallest", large[0]),
        ("middle", large[len(large) // 2]),
        ("largest", large[-1]),
    ):
        print(f"  {label:9} {kb:6.1f} kB, gzipped {gzip_kb:5.1f} kB  {name} ({n} callbacks)")
    return n_refused


def main() -> int:
    """Print the report for each Node; 1 if a trace was refused."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    n_refused = 0
    with child.undertaker() as keeper, tempfile.TemporaryDirectory(prefix="lab-bench-") as name:
        for node in nodes.find(None):
            print(f"Node {node.version}, libuv {node.uv}")
            overhead(node, Path(name), keeper, options.rounds)
            n_refused += sizes(node, keeper)
    return 1 if n_refused else 0


if __name__ == "__main__":
    sys.exit(main())

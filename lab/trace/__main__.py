"""`python -m lab.trace my.js` writes `my.trace.json`, a file that any page of the book with a drop
area replays.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from lab.errors import LabError
from lab.trace.verb import trace


def main(argv: Sequence[str] | None = None) -> int:
    """Record the program that the command line names; return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m lab.trace",
        description="Record what the event loop does with a program. Drop the file on a page of "
        "the book to replay it.",
    )
    parser.add_argument("program", help="a JavaScript file")
    parser.add_argument("arguments", nargs="*", help="arguments of the program")
    parser.add_argument("-o", "--output", help="where to write (default: <program>.trace.json)")
    parser.add_argument("-n", "--runs", type=int, default=20, help="plain runs per Node (20)")
    parser.add_argument("--node", action="append", help="a Node program; may be repeated")
    parser.add_argument("--seconds", type=float, default=5.0, help="limit of one run (5)")
    options = parser.parse_args(argv)
    try:
        file = Path(options.program).absolute()
        made = trace(
            file,
            runs=options.runs,
            node=options.node,
            args=options.arguments,
            seconds=options.seconds,
        )
        target = made.save(options.output or file.with_suffix(".trace.json"))
    except LabError as error:
        print(error, file=sys.stderr)
        return 1
    print(made)
    print(f"{target}: {target.stat().st_size / 1000:.1f} kB. Drop it on a page of the book.")
    return 0


if __name__ == "__main__":
    sys.exit(main())

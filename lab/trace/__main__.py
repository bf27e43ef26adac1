"""`python -m lab.trace my.js`: what the event loop did with a program, as a table and as a file
that the replay reads.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from lab.cli.commands import Parser
from lab.errors import LabError
from lab.records.trace import Trace
from lab.storage import stored, written
from lab.text.phrasing import visible
from lab.trace.page import page
from lab.trace.table import table
from lab.trace.verb import trace

ENDING = ".trace.json"
LEAST_WIDTH, MOST_WIDTH = 80, 140
EXAMPLES = """\
examples:
  python -m lab.trace my.mjs                    the orders, and why each line came when it did
  python -m lab.trace my.mjs --html my.html     also one page with the replay, which opens from disk
  python -m lab.trace my.mjs -n 100             the orders of 100 runs
  python -m lab.trace my.mjs -- --port 3000     the program's own options, after --
  python -m lab.trace my.ts --node /opt/node-26/bin/node --node /opt/node-22/bin/node
  python -m lab.trace my.trace.json --html my.html     a trace that is there, without a run

exit codes: 0 traced, whatever the program's own exit code was; 1 there is no trace, or it could not
be written; 2 the command is not one; 130 interrupted
"""


class _Parser(Parser):
    def error(self, message: str) -> NoReturn:
        """One sentence, and where the rest is said."""
        sentence = f"{message[:1].upper()}{message[1:]}".rstrip(".?")
        end = message[-1] if message[-1] in ".?" else "."
        self.exit(2, visible(f"{sentence}{end} `{self.prog} --help` has examples.\n"))


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="python -m lab.trace",
        description="Record what Node's event loop does with a program. The result has the "
        "orders in which the program prints and, for each line, its phase, its "
        "turn of the loop, where it comes from and why.",
        epilog=EXAMPLES,
    )
    add = parser.add_argument
    add("program", type=Path, help=f"a program that Node runs, or a {ENDING} file")
    add(
        "arguments",
        nargs="*",
        help="the program's arguments; put arguments that begin with a dash after --",
    )
    add("-o", "--output", type=Path, help=f"where to write the trace (default: PROGRAM{ENDING})")
    add("--html", type=Path, metavar="FILE", help="also write the replay as a single page")
    add("--predict", action="store_true", help="let the page ask for the order first")
    add(
        "-n",
        "--runs",
        type=int,
        default=20,
        help="the number of plain runs on each Node (default: 20)",
    )
    add("--node", action="append", metavar="PATH", help="the path of a Node (may be repeated)")
    add("--seconds", type=float, default=5.0, help="how many seconds one run may take (default: 5)")
    add("--events", type=int, default=800, help="how many events the replay shows (default: 800)")
    add(
        "--stdin",
        type=Path,
        metavar="FILE",
        help="the standard input of the program (default: nothing)",
    )
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Record the program that the command line names; return the exit code."""
    chosen = _parser().parse_intermixed_args(argv)
    try:
        _show(chosen)
    except LabError as error:
        print(visible(error), file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("Interrupted. No process of the program is still running.", file=sys.stderr)
        return 130
    return 0


def _show(options: argparse.Namespace) -> None:
    recorded = options.program.name.endswith(ENDING)
    result = _read(options.program) if recorded else _record(options)
    width = min(max(shutil.get_terminal_size((100, 24)).columns, LEAST_WIDTH), MOST_WIDTH)
    print(f"{result}\n\n{table(result, width)}\n")
    if not recorded or options.output:
        file = options.program.absolute()
        _told(result.save(options.output or file.with_suffix(ENDING)), "the trace.")
    if options.html:
        with written.named_errors(options.html):
            options.html.write_text(page(result, predict=options.predict), "utf-8")
        _told(options.html, "the replay. Open the page in a browser. It needs no other file.")
    else:
        print(
            "To step through it, open the file on the page The Loop Lab of the book, or add "
            "--html FILE for a page of its own."
        )


def _told(file: Path, what: str) -> None:
    print(f"{file}: {file.stat().st_size / 1000:.1f} kB, {what}")


def _record(options: argparse.Namespace) -> Trace:
    return trace(
        options.program.absolute(),
        runs=options.runs,
        node=options.node,
        args=options.arguments,
        seconds=options.seconds,
        events=options.events,
        stdin=_input(options.stdin),
    )


def _input(file: Path | None) -> str:
    if file is None:
        return ""
    try:
        return file.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise LabError(f"{file} cannot be read for --stdin: {_why(error)}.") from None


def _why(error: OSError | UnicodeDecodeError) -> str:
    return "it is not UTF-8 text" if isinstance(error, UnicodeDecodeError) else str(error.strerror)


def _read(file: Path) -> Trace:
    advice = "Record it again with `python -m lab.trace PROGRAM`."
    if not file.is_file():
        raise LabError(f"There is no file {file}.")
    data: Any = stored.read_json(file, advice, LabError)
    return Trace.from_json(data)


if __name__ == "__main__":
    sys.exit(main())

"""`python -m lab.book build`, `chapter`, `reference`, `preview`, `new` and `teaching`: what
`make book`, `make chapter`, `make reference`, `make preview`, `make test`, `make new` and
`make teaching` run. `checks` and `lint` are run by hand, where somebody asks.

The site is the one that a bare `jupyter-book build .` makes. What is added (warnings are errors,
the console shows chapters, a failure's reason comes last) stands in `lab/book/pipeline`.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from lab.book import candidate, check_counts, lint, recording, teaching, versions
from lab.book.pages import badges, front
from lab.book.pipeline import preview
from lab.book.pipeline.run import DRAW_EVERY_S, default_output, one_chapter, run
from lab.book.scaffold import KINDS, new
from lab.cli import commands as cli
from lab.cli import table
from lab.processes import nodes


def main(argv: list[str] | None = None) -> int:
    """Return the exit code: 0, 1 if the book has errors, 2 if nothing was tried, 130 if it was
    interrupted.
    """
    commands = cli.Commands(table.BOOK)
    build = commands.add("build")
    build.add_argument(
        "--output",
        type=Path,
        help="folder for html/ and the cache (default: by profile, in _build)",
    )
    build.add_argument("--verbose", action="store_true", help="also show Sphinx's own steps")
    build.add_argument(
        "--draw-every",
        type=float,
        default=DRAW_EVERY_S,
        metavar="SECONDS",
        help="how many seconds to wait between drawings of the site while chapters are still "
        "measured (default: 180)",
    )
    serve = commands.add("preview")
    serve.add_argument("--port", type=int, default=8000, help="0 = any free port")
    chapter = commands.add("chapter")
    chapter.add_argument("name", nargs="?", default="", help="such as cases/off-the-loop")
    record = commands.add("reference")
    record.add_argument("names", nargs="*", help="only these chapters (default: all)")
    record.add_argument(
        "--node", type=int, help="the major version of Node to record with, such as 24"
    )
    record.add_argument("--fresh", action="store_true", help="begin again, whatever is done")
    record.add_argument(
        "--anyway", action="store_true", help="only warn about a busy machine or an unsuitable Node"
    )
    across = commands.add("versions")
    across.add_argument("names", nargs="*", help="measure only these chapters, and write no data")
    across.add_argument(
        "--nodes",
        type=int,
        nargs="+",
        default=[],
        help="major versions (default: all of nodes.VERSIONS)",
    )
    across.add_argument("--fresh", action="store_true", help="begin again, whatever is done")
    across.add_argument(
        "--against",
        action="store_true",
        help="compare with data/versions.json, and exit with 1 if something differs",
    )
    candidates = commands.add("candidate")
    candidates.add_argument(
        "build",
        help="the path of a Node, of its folder or of its archive, or a link to one of these",
    )
    candidates.add_argument("names", nargs="*", help="only these chapters (default: all)")
    candidates.add_argument(
        "--base", type=int, help="the major version of the release to compare with"
    )
    candidates.add_argument("--fresh", action="store_true", help="begin again, whatever is done")
    checks = commands.add("checks")
    checks.add_argument(
        "names",
        nargs="*",
        help="for these checks, such as `steady`, also list the experiments that they concern",
    )
    begin = commands.add("new")
    begin.add_argument("what", help=", ".join(KINDS))
    begin.add_argument(
        "name", nargs="?", default="", help="where it belongs and its name, joined by /"
    )
    commands.add("lint")
    commands.add("picture")
    counts = commands.add("teaching")
    counts.add_argument("--json", action="store_true", help="print the counts as JSON")
    counts.add_argument(
        "--questions",
        action="store_true",
        help="list where each question is asked and where its answer is shown",
    )
    options = commands.parse(argv)
    return cli.run(
        lambda: _done(options),
        error_code=2,
        interrupt_note="Interrupted. Finished chapters stay in the cache.",
    )


def _done(options: argparse.Namespace) -> int:
    if getattr(options, "node", None):
        os.environ["LAB_NODE"] = nodes.of_major(options.node)
    os.environ.update(nodes.anchored())
    os.environ.update(nodes.on_path())  # programs that cells start by name need this
    if options.command == "preview":
        return preview.serve(options.port, lint.warnings)
    if options.command == "chapter":
        return one_chapter(options.name)
    if options.command == "reference":
        return recording.record(options.names, fresh=options.fresh, anyway=options.anyway)
    if options.command in ("versions", "candidate"):
        return _across(options)
    if options.command == "build":
        output = options.output or default_output()
        return run(output, options.verbose, draw_every_s=options.draw_every)
    print(_said(options))
    return 0


def _across(options: argparse.Namespace) -> int:
    if options.command == "versions":
        return versions.measure(
            options.nodes, options.names, fresh=options.fresh, against=options.against
        )
    return candidate.measure(options.build, options.names, base=options.base, fresh=options.fresh)


def _said(options: argparse.Namespace) -> str:
    if options.command == "teaching":
        return teaching.report(as_json=options.json, each_question=options.questions)
    if options.command == "picture":
        return f"{front.write_file()}\n{badges.write_file()}"
    if options.command == "lint":
        return lint.report()
    if options.command == "checks":
        return check_counts.report(options.names)
    return new(options.what, options.name)


if __name__ == "__main__":
    sys.exit(main())

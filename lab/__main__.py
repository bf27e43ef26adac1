"""`python -m lab ...`: look after servers and the machine from a terminal."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable

from lab.errors import LabError
from lab.processes import nodes


def _ps() -> int:
    from lab.servers.registry import ps

    print(ps())
    return 0


def _stop_all() -> int:
    from lab.servers.registry import stop_all

    print(stop_all())
    return 0


def _servers() -> int:
    from lab.servers.catalog import names, server

    for name in names():
        recipe = server(name)
        print(f"{name:24}  {recipe.workload:10}  {recipe.summary}")
    return 0


def _doctor() -> int:
    import lab

    print(lab.doctor())
    return 0


def _results() -> int:
    from lab.book.pages.yours import collect

    print(collect.collect())
    return 0


COMMANDS: dict[str, tuple[Callable[[], int], str]] = {
    "ps": (_ps, "list the servers that run, those of other notebooks too"),
    "stop-all": (_stop_all, "stop all of them"),
    "servers": (_servers, "list the catalogue"),
    "doctor": (_doctor, "look at this machine: is it fit to measure?"),
    "results": (_results, "write what was measured here into one file, and say where it is"),
}


def main(arguments: list[str] | None = None) -> int:
    """Run one command; returns the exit code, and says in one line what went wrong."""
    parser = argparse.ArgumentParser(prog="python -m lab", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, (_, words) in COMMANDS.items():
        commands.add_parser(name, help=words)
    chosen = parser.parse_args(arguments)
    os.environ.update(nodes.anchored())
    try:
        return COMMANDS[chosen.command][0]()
    except LabError as error:
        print(error, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())

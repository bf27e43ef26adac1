"""`python -m lab ...`: look after servers and the machine from a terminal."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable

from lab.errors import LabError
from lab.processes import nodes

Command = Callable[[argparse.Namespace], int]


def _ps(_: argparse.Namespace) -> int:
    from lab.servers.registry import ps

    print(ps())
    return 0


def _stop_all(_: argparse.Namespace) -> int:
    from lab.servers.registry import stop_all

    print(stop_all())
    return 0


def _servers(_: argparse.Namespace) -> int:
    from lab.servers.catalog import names, server

    for name in names():
        recipe = server(name)
        print(f"{name:24}  {recipe.workload:10}  {recipe.summary}")
    return 0


def _doctor(_: argparse.Namespace) -> int:
    import lab

    print(lab.doctor())
    return 0


def _results(_: argparse.Namespace) -> int:
    from lab.book.pages.yours import collect

    print(collect.collect())
    return 0


def _of_grader(name: str) -> Command:
    """A command of the grader, which has arguments of its own."""

    def run(chosen: argparse.Namespace) -> int:
        from lab.display import commands

        made: int = getattr(commands, name)(chosen)
        return made

    return run


def _of_clinic(name: str) -> Command:
    """A command of the clinic, which has arguments of its own, too."""

    def run(chosen: argparse.Namespace) -> int:
        from lab.clinic import commands

        made: int = getattr(commands, name)(chosen)
        return made

    return run


def _arguments(name: str, parser: argparse.ArgumentParser) -> None:
    if name in CLINIC:
        from lab.clinic import commands as of_clinic

        getattr(of_clinic, f"{name}_arguments")(parser)
    else:
        from lab.display import commands

        getattr(commands, f"{name}_arguments", lambda _: None)(parser)


COMMANDS: dict[str, tuple[Command, str]] = {
    "ps": (_ps, "list the servers that run, those of other notebooks too"),
    "stop-all": (_stop_all, "stop all of them"),
    "servers": (_servers, "list the catalogue"),
    "doctor": (_doctor, "look at this machine: is it fit to measure?"),
    "results": (_results, "write what was measured here into one file, and say where it is"),
    "exercises": (_of_grader("exercises"), "list the exercises"),
    "task": (_of_grader("task"), "show what an exercise asks, or the program to begin with"),
    "check": (_of_grader("check"), "say what your program for an exercise is worth"),
    "hint": (_of_grader("hint"), "open a hint for an exercise, which is noted beside your work"),
    "grade": (_of_grader("grade"), "judge a folder of hand-ins, other people's work, in sandboxes"),
    "examine": (_of_clinic("examine"), "look for what is ill in your own server: -- node app.mjs"),
    "compare": (_of_clinic("compare"), "compare two versions of your own server, for CI, too"),
}
GRADER = ("task", "check", "grade", "hint")  # those with arguments
CLINIC = ("examine", "compare")


def main(arguments: list[str] | None = None) -> int:
    """Run one command; returns the exit code, and says in one line what went wrong."""
    parser = argparse.ArgumentParser(prog="python -m lab", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, (_, words) in COMMANDS.items():
        parser_of = commands.add_parser(name, help=words)
        if name in (*GRADER, *CLINIC) and name in (arguments or sys.argv[1:])[:1]:
            _arguments(name, parser_of)
    chosen = parser.parse_args(arguments)
    os.environ.update(nodes.anchored())
    try:
        code = COMMANDS[chosen.command][0](chosen)
        sys.stdout.flush()
        return code
    except LabError as error:
        print(error, file=sys.stderr)
        return 1
    except BrokenPipeError:  # who reads this has seen enough, as `head` has
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


if __name__ == "__main__":
    sys.exit(main())

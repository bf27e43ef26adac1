"""`python -m lab ...`: look after servers and the machine from a terminal."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence

from lab.cli import commands as cli
from lab.cli import table
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

    def run(options: argparse.Namespace) -> int:
        from lab.display import commands

        code: int = getattr(commands, name)(options)
        return code

    return run


def _of_clinic(name: str) -> Command:
    """A command of the clinic, which has arguments of its own, too."""

    def run(options: argparse.Namespace) -> int:
        from lab.clinic import commands

        code: int = getattr(commands, name)(options)
        return code

    return run


def _model(options: argparse.Namespace) -> int:
    from lab.simulator.verb import model

    return model(options)


def _final(options: argparse.Namespace) -> int:
    from lab.clinic.final import final

    return final(options)


def _add_arguments(name: str, parser: argparse.ArgumentParser) -> None:
    if name in CLINIC:
        from lab.clinic import commands as of_clinic

        getattr(of_clinic, f"{name}_arguments")(parser)
    elif name in GRADER:
        from lab.display import commands

        getattr(commands, f"{name}_arguments")(parser)
    elif name == "final":
        from lab.clinic import final

        final.arguments(parser)
    elif name == "model":
        from lab.simulator import verb

        verb.arguments(parser)


COMMANDS: dict[str, Command] = {
    "ps": _ps,
    "stop-all": _stop_all,
    "servers": _servers,
    "doctor": _doctor,
    "results": _results,
    "exercises": _of_grader("exercises"),
    "task": _of_grader("task"),
    "check": _of_grader("check"),
    "final": _final,
    "hint": _of_grader("hint"),
    "grade": _of_grader("grade"),
    "template": _of_grader("template"),
    "collect": _of_grader("collect"),
    "model": _model,
    "examine": _of_clinic("examine"),
    "compare": _of_clinic("compare"),
    "problems": _of_clinic("problems"),
}
GRADER = ("task", "check", "grade", "hint", "template", "collect")  # those with arguments
CLINIC = ("examine", "compare", "problems")


def _other_home(name: str, words: Sequence[str]) -> int:
    """`python -m lab book build` is `python -m lab.book build`."""
    main_of: Callable[[list[str]], int]
    if name == "book":
        from lab.book.__main__ import main as book_main

        main_of = book_main
    elif name == "live":
        from lab.live.__main__ import main as live_main

        main_of = live_main
    elif name == "classroom":
        from lab.classroom.__main__ import main as classroom_main

        main_of = classroom_main
    else:
        from lab.trace.__main__ import main as trace_main

        main_of = trace_main
    return main_of(list(words))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code, and says in one line what went wrong."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    if words and words[0] in cli.aliases(table.LAB):
        return _other_home(words[0], words[1:])
    commands = cli.Commands(table.LAB)
    wanted = words[1:] if words[:1] == ["help"] else words[:1]
    for name in COMMANDS:
        parser = commands.add(name)
        if name in wanted:  # what others take is not imported
            _add_arguments(name, parser)
    options = commands.parse(words)
    os.environ.update(nodes.anchored())
    return cli.run(lambda: COMMANDS[options.command](options))


if __name__ == "__main__":
    sys.exit(main())

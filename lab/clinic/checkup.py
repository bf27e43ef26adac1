"""The clinic as a program of its own, `node-checkup`: `tools/checkup` builds its package."""

from __future__ import annotations

import argparse
import os
import platform
from collections.abc import Callable, Sequence
from importlib import metadata

from lab.cli import commands as cli
from lab.cli import table
from lab.cli.completion import SHELLS, script
from lab.clinic import commands, name, outputs
from lab.processes import nodes


def _schema(_: argparse.Namespace) -> int:
    print(outputs.SCHEMA_FILE.read_text("utf-8").rstrip())
    return 0


def _completion(chosen: argparse.Namespace) -> int:
    print(script(_parsers(), chosen.shell))
    return 0


def _completion_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=SHELLS)


VERBS: dict[str, Callable[[argparse.Namespace], int]] = {
    "examine": commands.examine,
    "compare": commands.compare,
    "problems": commands.problems,
    "schema": _schema,
    "completion": _completion,
}
_ARGUMENTS: dict[str, Callable[[argparse.ArgumentParser], None]] = {
    "examine": commands.examine_arguments,
    "compare": commands.compare_arguments,
    "problems": commands.problems_arguments,
    "completion": _completion_arguments,
}


def _version() -> str:
    own = metadata.version(name.DISTRIBUTION)
    return f"{table.CHECKUP.program} {own} (Python {platform.python_version()})"


def _parsers() -> cli.Commands:
    verbs = cli.Commands(table.CHECKUP, _version)
    for verb in VERBS:
        parser = verbs.add(verb)
        if verb in _ARGUMENTS:
            _ARGUMENTS[verb](parser)
    return verbs


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one verb; return the exit code, and say in one line what went wrong."""
    chosen = _parsers().parse(arguments)
    os.environ.update(nodes.anchored())
    return cli.run(lambda: VERBS[chosen.command](chosen), error_code=commands.FAILED)

"""The parser of a home, made from its part of the table, and what happens when a verb fails.

Options are written in full, so that a new one never changes what an abbreviation means. A word
that is not known gets the nearest ones that are, and what was typed is echoed without control
characters.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import tomllib
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from lab import paths
from lab.cli import table
from lab.cli.help import page, topic
from lab.errors import LabError, did_you_mean, nearest
from lab.text.phrasing import visible


class Parser(argparse.ArgumentParser):
    """An argument parser without abbreviations, which offers what may have been meant."""

    def __init__(self, **options: Any) -> None:
        options.setdefault("formatter_class", argparse.RawDescriptionHelpFormatter)
        super().__init__(allow_abbrev=False, **options)

    def error(self, message: str) -> NoReturn:
        """Say what is wrong, and end with exit code 2."""
        self.print_usage(sys.stderr)
        self.exit(table.WRONG_ARGUMENTS, visible(f"{self.prog}: error: {message}\n"))

    def parse_args(self, args=None, namespace=None):  # type: ignore[no-untyped-def]
        """As argparse does, but an argument that is not known gets its nearest neighbours."""
        options, unknown = self.parse_known_args(args, namespace)
        if unknown:
            self.unknown(unknown)
        return options

    def parse_intermixed_args(self, args=None, namespace=None):  # type: ignore[no-untyped-def]
        """The same, where options and other arguments may be mixed."""
        options, unknown = self.parse_known_intermixed_args(args, namespace)
        if unknown:
            self.unknown(unknown)
        return options

    def misspelt(self, words: Sequence[str]) -> list[str]:
        """Options among these words that mean nothing here: argparse would tell of what is missing
        before it tells of them.
        """
        own = words[: words.index("--")] if "--" in words else words
        names = [word.partition("=")[0] for word in own if word.startswith("--")]
        return [name for name in names if name not in self._option_string_actions]

    def unknown(self, words: Sequence[str]) -> NoReturn:
        """End because of arguments that mean nothing here."""
        names = [name for name in self._option_string_actions if name.startswith("--")]
        first = words[0].partition("=")[0]
        close = nearest(first, names) if first.startswith("-") else []
        offer = f" Did you mean {' or '.join(close)}?" if close else ""
        self.error(f"unrecognized arguments: {' '.join(words)}.{offer}")


class Commands:
    """The verbs of one home: each is added by its name, and has its words from the table."""

    def __init__(self, home: table.Home, version: Callable[[], str] | None = None) -> None:
        self.home = home
        self.version = version or course_version
        self.parser = Parser(
            prog=home.program,
            description=home.summary,
            epilog=f"{home.command} VERB --help describes a command and its options."
            if home.command
            else "python -m lab help lists all commands.",
        )
        self.parser.add_argument("--version", action="store_true", help="print the version")
        self._subparsers = self.parser.add_subparsers(
            dest="command", required=True, metavar="COMMAND"
        )
        self.verbs: dict[str, Parser] = {}

    def add(self, name: str) -> Parser:
        """The parser of a verb, for its arguments."""
        verb = self.home.verb(name)
        self.verbs[name] = self._subparsers.add_parser(
            name,
            help=verb.summary,
            description=f"{verb.summary[0].upper()}{verb.summary[1:]}.".replace("%", "%%"),
            epilog=topic(self.home, verb).replace("%", "%%"),
        )
        return self.verbs[name]

    def parse(self, arguments: Sequence[str] | None = None) -> argparse.Namespace:
        """Return what was asked for; `help`, `--version` and mistakes end the program."""
        words = list(sys.argv[1:] if arguments is None else arguments)
        name = next((word for word in words if not word.startswith("-")), "")
        if "--version" in words[: words.index(name) if name else None]:
            print(self.version())
            self.parser.exit()
        if name == "help":
            self._help(words[words.index("help") + 1 :])
        if name and name not in self.verbs:
            known = [*self.verbs, *aliases(self.home), "help"]
            self.parser.error(f"there is no command {name!r}. {did_you_mean(name, known)}")
        if name and (unknown := self.verbs[name].misspelt(words[words.index(name) + 1 :])):
            self.verbs[name].unknown(unknown)
        options, unknown = self.parser.parse_known_args(words)
        if unknown:
            self.verbs[options.command].unknown(unknown)
        return options

    def _help(self, names: Sequence[str]) -> NoReturn:
        verbs = [name for name in names if name in self.verbs]
        if names and not verbs:
            offer = did_you_mean(names[0], self.verbs)
            self.parser.error(f"there is no command {names[0]!r}. {offer}")
        text = page() if self.home is table.LAB else page([self.home])
        text = "\n".join(self.verbs[name].format_help() for name in verbs) or text
        self.parser.exit(run(lambda: print(text) or 0))


def aliases(home: table.Home) -> dict[str, str]:
    """{first word: home}: `python -m lab book build` is `python -m lab.book build`."""
    if home is not table.LAB:
        return {}
    return {name.partition(".")[2]: name for name in table.HOMES if "." in name}


def course_version() -> str:
    """The version of the course, and the Python that runs it."""
    project = tomllib.loads((paths.ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return f"Node.js I/O, Measured {project['version']} (Python {platform.python_version()})"


def run(
    command: Callable[[], int], *, error_code: int = 1, interrupt_note: str = "Interrupted."
) -> int:
    """Run a verb; returns its exit code, and says in one line what went wrong."""
    try:
        code = command()
        sys.stdout.flush()
        return code
    except LabError as error:
        print(visible(error), file=sys.stderr)
        return error_code
    except PermissionError as error:
        if error.filename is None:
            raise
        print(
            f"{visible(error.filename)} cannot be used: {error.strerror}. Change its permissions, "
            "or use a copy that belongs to you.",
            file=sys.stderr,
        )
        return error_code
    except KeyboardInterrupt:
        print(f"\n{interrupt_note}", file=sys.stderr)
        return table.INTERRUPTED
    except BrokenPipeError:  # the reader of our output has seen enough, as `head` has
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1

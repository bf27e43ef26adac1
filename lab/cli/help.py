"""What `python -m lab help` prints: every verb with its line, and a verb's examples and exits."""

from __future__ import annotations

from collections.abc import Iterable

from lab.cli.table import EXITS, HOMES, TOOLS, Home, Verb

HEAD = (
    "Node.js I/O, Measured: every command.\n"
    "\n"
    "Run these commands in the activated environment (. .venv/bin/activate), or write "
    ".venv/bin/python for python.\n"
    "`make help` lists the targets of make."
)
FOOT = """COMMAND --help describes the options of a command, with examples and exit codes."""


def page(homes: Iterable[Home] = HOMES.values()) -> str:
    """Return the table of these homes; that of all homes has the programs for authors, too."""
    homes = list(homes)
    every = len(homes) == len(HOMES)
    parts = [HEAD] if every else []
    parts += [f"{home.summary}\n{_lines([home])}" for home in homes]
    if every:
        parts.append(f"Tools for authors.\n{_lines(TOOLS)}")
    return "\n\n".join([*parts, FOOT])


def _lines(homes: Iterable[Home]) -> str:
    rows = [(home.line(verb), verb.summary) for home in homes for verb in home.verbs]
    width = max(len(command) for command, _ in rows)
    return "\n".join(f"  {command:{width}}  {summary}" for command, summary in rows)


def topic(home: Home, verb: Verb) -> str:
    """The examples, duration and exit codes of a verb, as they end its help."""
    examples = [f"  {home.program} {example.strip()}" for example in verb.examples]
    exits = [f"  {code:<3}  {words}" for code, words in sorted({**EXITS, **verb.exits}.items())]
    lasts = ["duration:", f"  {verb.lasts}", ""] if verb.lasts else []
    shown = ["examples:", *examples, ""] if examples else []
    return "\n".join([*shown, *lasts, "exit codes:", *exits])

"""Which program a package.json starts: by its script `start`, as far as that names one, or `main`.

Nothing of a script is run. A command counts if it starts Node, or a tool that starts Node or
replaces it; `npm run build && node dist` has one such command, and `npm run serve` means the
script of that name.
"""

from __future__ import annotations

import posixpath
import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

STARTS = ("start", "start:prod")
MOST_SCRIPTS = 50  # that call one another
MOST_CONDITIONS = 5  # of an export, one within another
# Options of Node that change what a program finds; each has a value.
_CHANGES = {
    "-r", "--require", "--import", "--loader", "--experimental-loader", "--env-file",
    "--env-file-if-exists",
}  # fmt: skip
# Further options that have a value behind them, by the tool they belong to.
_OF_NODE = frozenset(
    _CHANGES
    | {"-C", "--conditions", "--watch-path", "--title", "--input-type", "--disable-warning"}
)
_OF_TYPESCRIPT = _OF_NODE | {"--tsconfig", "-P", "--project", "-O", "--compiler-options"}
_EXECUTES = {"-x", "--exec"}
_OF_NODEMON = _OF_NODE | _EXECUTES | {
    "-w", "--watch", "-e", "--ext", "-i", "--ignore", "-d", "--delay", "-s", "--signal", "--config",
    "--cwd",
}  # fmt: skip
_OF_PM2 = frozenset({"-n", "--name", "-i", "--instances"})
_TOOLS: dict[str, frozenset[str]] = {
    "node": _OF_NODE,
    "nodejs": _OF_NODE,
    "tsx": _OF_TYPESCRIPT,
    "ts-node": _OF_TYPESCRIPT,
    "ts-node-esm": _OF_TYPESCRIPT,
    "ts-node-dev": _OF_TYPESCRIPT,
    "tsnd": _OF_TYPESCRIPT,
    "nodemon": _OF_NODEMON,
    "node-dev": _OF_NODE,
    "pm2": _OF_PM2,
    "pm2-runtime": _OF_PM2,
    "forever": frozenset(),
    "bun": frozenset(),
    "deno": frozenset(),
}
_VERBS = {"run", "start", "serve", "watch"}  # as in `pm2 start server.js`
_MANAGERS = {"npm", "pnpm", "yarn"}
_VARIABLE = re.compile(r"[A-Za-z_]\w*=.*", re.S)
_SUFFIX = re.compile(r"\.(?:cmd|exe)$", re.I)


@dataclass(frozen=True)
class Start:
    """A program that is started; `extras` are variables and options that change what it finds."""

    path: str
    extras: tuple[str, ...] = ()


def starts(package: Mapping[str, Any]) -> list[Start]:
    """The programs that package.json starts, the one that counts first."""
    scripts = package.get("scripts")
    texts = {
        name: text
        for name, text in (scripts.items() if isinstance(scripts, dict) else ())
        if isinstance(text, str)
    }
    all_starts: list[Start] = []
    script_names: set[str] = set()
    for name in STARTS:
        all_starts += [*_of_script(texts, name, script_names)][::-1]
    main = package.get("main")
    if isinstance(main, str) and main.strip():
        all_starts.append(Start(main))
    return [
        Start(posixpath.normpath(start.path.replace("\\", "/").strip().lstrip("/")), start.extras)
        for start in all_starts
    ]


def exported(package: Mapping[str, Any]) -> list[Start]:
    """The programs that package.json exports as the package itself, in the order of its
    conditions.
    """
    exports = package.get("exports")
    if isinstance(exports, dict) and "." in exports:
        exports = exports["."]
    return [Start(posixpath.normpath(path)) for path in _targets(exports) if path.startswith("./")]


def _targets(exports: Any, depth: int = 0) -> Iterator[str]:
    """Return the paths of an export, which may be nested by conditions; not of subpaths."""
    if isinstance(exports, str):
        yield exports
    elif isinstance(exports, dict) and depth < MOST_CONDITIONS:
        for condition, target in exports.items():
            if not condition.startswith(".") and condition != "types":
                yield from _targets(target, depth + 1)


def _of_script(texts: Mapping[str, str], name: str, script_names: set[str]) -> Iterator[Start]:
    """Return the programs that a script starts. Scripts that call each other count once."""
    if name in texts and name not in script_names and len(script_names) < MOST_SCRIPTS:
        script_names.add(name)
        yield from _of_text(texts[name], texts, script_names)


def _of_text(text: str, texts: Mapping[str, str], script_names: set[str]) -> Iterator[Start]:
    command: list[str] = []
    for word in [*_words(text), ";"]:
        if word.strip(";&|"):
            command.append(word)
        elif command:
            yield from _of_command(command, texts, script_names)
            command = []


def _words(text: str) -> list[str]:
    lexer = shlex.shlex(text, posix=True, punctuation_chars=";&|")
    lexer.whitespace_split = True
    lexer.commenters = lexer.escape = ""  # a backslash is part of a path on Windows
    try:
        return list(lexer)
    except ValueError:  # a quotation mark without its partner
        return text.split()


def _of_command(
    command: list[str], texts: Mapping[str, str], script_names: set[str]
) -> Iterator[Start]:
    extras: list[str] = []
    for at, word in enumerate(command):
        name = _SUFFIX.sub("", posixpath.basename(word.replace("\\", "/")))
        if _VARIABLE.fullmatch(word):
            extras.append(word)
        elif any(character.isspace() for character in word):  # a command in quotation marks
            yield from _of_text(word, texts, script_names)
        elif name in _MANAGERS:
            called = [item for item in command[at + 1 :] if not item.startswith("-")]
            is_run = called[:1] in (["run"], ["run-script"])
            if called := called[1:] if is_run else called:
                yield from _of_script(texts, called[0], script_names)
            return
        elif name in _TOOLS:
            yield from _of_tool(name, command[at + 1 :], extras, texts, script_names)
            return


def _of_tool(
    tool: str, words: list[str], extras: list[str], texts: Mapping[str, str], script_names: set[str]
) -> Iterator[Start]:
    """What `node`, or a tool that starts it, is given: options, and the first word that is none."""
    at = 0
    is_node = tool in ("node", "nodejs")
    while at < len(words):
        option, equals, value = words[at].partition("=")
        following = words[at + 1] if at + 1 < len(words) else ""
        if option == "--run" and is_node:
            yield from _of_script(texts, value or following, script_names)
            return
        if words[at] in _VERBS and not is_node and following:
            at += 1
        elif not words[at].startswith("-"):
            yield Start(words[at], tuple(extras))
            return
        else:
            has_next = not equals and option in _TOOLS[tool]
            value = following if has_next else value
            if option in _EXECUTES and " " in value.strip():
                yield from _of_text(value, texts, script_names)
                return
            if option in _CHANGES:
                extras.append(f"{option}{equals or ' '}{value}")
            at += 2 if has_next else 1

"""`%%server name`: the text of a cell becomes a server that can be started and measured."""

from __future__ import annotations

from typing import Any

from lab.servers import catalog
from lab.servers.recipe import Recipe


class BadMagic(catalog.CatalogError):
    """The first line of a `%%server` cell cannot be understood."""


def load_ipython_extension(shell: Any) -> None:
    """Register the magics with a running IPython; harmless when repeated."""
    shell.register_magic_function(server_cell, "cell", "server")


def server_cell(line: str, cell: str) -> Recipe:
    """%%server NAME [--like OTHER] [--env KEY=VALUE]...

    Makes a server out of the text of this cell. NAME is node/something or python/something;
    `lab.server(NAME)` finds it from now on. With --like it does the job of another server: same
    workload, same body, same parameters, so that the two may be compared.
    """
    name, like, env = _read(line)
    return catalog.define(name, cell, like=like, env=env)


def _read(line: str) -> tuple[str, str | None, dict[str, str]]:
    words = iter(line.split())
    name, like, env = "", None, {}
    for word in words:
        option, equals, value = word.partition("=")
        if option in ("--like", "--env"):
            value = value if equals else next(words, "")
            if not value:
                raise _bad(line, f"{option} needs a value")
            if option == "--like":
                like = value
            else:
                key, equals, text = value.partition("=")
                if not equals:
                    raise _bad(line, f"--env {value} is not a KEY=VALUE")
                env[key] = text
        elif word.startswith("-"):
            raise _bad(line, f"{word} is unknown")
        elif name:
            raise _bad(line, f"{name} and {word} can't both be its name")
        else:
            name = word
    if not name:
        raise _bad(line, "the name is missing")
    return name, like, env


def _bad(line: str, what: str) -> BadMagic:
    return BadMagic(
        f"%%server {line.strip()}: {what}. Write %%server node/read-mine --like node/read-sync "
        "--env KEY=VALUE, where all but the name may be left out."
    )

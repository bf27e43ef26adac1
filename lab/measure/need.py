"""Servers a chapter cannot do without: measured where they run, else read from the record."""

from __future__ import annotations

from lab import settings
from lab.processes import lock
from lab.servers.catalog import server
from lab.servers.recipe import MissingProgram
from lab.servers.server_errors import ServerError
from lab.storage.gate import checked
from lab.text.html_registry import Shown

__all__ = ["Need", "need"]

NOW = "From here on, this page shows the recorded run instead."


class Need(Shown):
    """Whether servers run here; if not, what is measured next comes from the record.

    As a context manager it holds for the block only.
    """

    def __init__(self, servers: tuple[str, ...], why: str = "") -> None:
        self.servers = servers
        self.why = why  # empty if they run
        # The message before about the same servers: the cell was run again, or the top of the page
        # asked for them already.
        self._before = {n for n in settings.replaying if getattr(n, "servers", ()) == servers}
        settings.replaying.difference_update(self._before)
        if why:
            settings.replaying.add(self)

    def __bool__(self) -> bool:
        return not self.why

    def __enter__(self) -> Need:
        return self

    def __exit__(self, *_: object) -> None:
        settings.replaying.discard(self)
        settings.replaying.update(self._before)

    def __repr__(self) -> str:
        if self.why:
            return f"{self.why}\n{NOW}"
        return f"{', '.join(self.servers)}: " + (
            "replayed" if settings.mode() == "replay" else "ready"
        )


@checked
def need(*servers: str) -> Need:
    """Start each server once, and stop it. If a server cannot run here, the result says why and
    what to do, and everything below is replayed from the record. The next call asks again.

        lab.need("python/flask-hello")             true if the server runs here
        lab.need("python/flask-hello", "node/hello")
                                                  false if one of them does not: all is replayed
        with lab.need("python/flask-hello"): ...          only the block is replayed

    servers : names of the catalogue.

    Raises UnknownServer; in the reference profile, which has nothing to replay, also whatever
    starting the server raised.
    """
    if settings.asked_mode() == "replay":
        return Need(servers)
    try:
        with lock.measuring(alone=settings.profile().verdicts):
            for name in servers:
                server(name).start().stop()
    except (MissingProgram, ServerError) as error:
        if settings.profile().name == "reference":
            raise
        return Need(servers, str(error))
    return Need(servers)

"""A kernel for each page that runs: started at its first Run, ended with its tab."""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from tornado.web import HTTPError

from lab import paths
from lab.book.pages.yours import on_page
from lab.book.pipeline.report import short
from lab.errors import LabError
from lab.live import places
from lab.processes import nodes

# A tab that reloads, or comes back from another page, finds its kernel as it was.
AWAY_S = 20.0
STARTS_S = 120.0  # until a tab is connected: on a slow machine its kernel answers late
LOOK_S = 1.0
KERNELS = ("python3", "javascript")
# Of a build or a notebook that this server was started from.
NOT_OURS = ("LAB_CHAPTER", "LAB_USAGE_FILE", "JPY_SESSION_NAME")


class NotLive(LabError):
    """A page that has no cells to run, or none of this book."""


class Elsewhere(LabError):
    """Another tab runs the same page: `.session`."""

    def __init__(self, session: PageSession) -> None:
        super().__init__("This page runs in another tab.")
        self.session = session


@dataclass
class PageSession:
    """The kernel of a page, and the tab that it belongs to."""

    page: str
    tab: str
    kernel: str
    seen: float  # when a tab was connected last
    met: bool = False  # whether one ever was
    browser: str = ""  # what the tab is in, in a word
    since: float = 0.0  # epoch, seconds: when it began
    died: bool = False  # whether its kernel did: another that Jupyter starts knows nothing


class Sessions:
    """The sessions of one server. `manager` is its kernel manager."""

    def __init__(
        self,
        manager: Any,
        away_s: float | None = None,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """away_s : LAB_LIVE_AWAY_S, or AWAY_S, if not given."""
        if away_s is None:
            away_s = float(os.environ.get("LAB_LIVE_AWAY_S") or AWAY_S)
        self._manager = manager
        self._now = now
        self._away_s = away_s
        self._sessions: dict[str, PageSession] = {}
        self._coming: dict[
            str, PageSession
        ] = {}  # sessions whose kernel is starting while another kernel ends
        self._starting = asyncio.Lock()

    async def of(
        self, page: str, tab: str, *, take: bool = False, browser: str = ""
    ) -> tuple[PageSession, bool]:
        """Return the session of a page, and whether it was started for this.

        tab : its id; take : end the session of another tab; browser : the browser of the tab.
        Raises NotLive or Elsewhere.
        """
        async with self._starting:
            current = self._sessions.get(page)
            if current is not None and not await self._runs(current):
                await self._end(current)
            if self._sessions.get(page) is not current:
                current = None  # ended here, or meanwhile by `look`
            if current is not None and current.tab == tab and not self._connected(current):
                current.seen = self._now()
                return current, False
            if current is not None and self._connected(current) and not take:
                raise Elsewhere(current)
            session = PageSession(page, tab, "", self._now(), False, browser, time.time())
            self._coming[page] = session
            try:
                if current is not None:
                    await self._end(current)
                session.kernel = await self._start(page)
                self._manager.add_restart_callback(session.kernel, partial(_note_death, session))
            finally:
                del self._coming[page]
            session.seen = self._now()
            self._sessions[page] = session
            return session, True

    def whose(self, page: str) -> PageSession | None:
        """Return the session of a page, None if it has none, or none with its kernel any more."""
        known = self._sessions.get(page)
        if known is not None and (known.died or known.kernel not in self._manager):
            known = None  # `look` has not run yet
        return self._coming.get(page) or known

    async def look(self) -> None:
        """End what no tab is connected to any more."""
        now = self._now()
        for session in list(self._sessions.values()):
            if session.died or session.kernel not in self._manager:
                await self._end(session)
            elif self._connected(session):
                session.seen, session.met = now, True
            elif not session.met and self._busy(session):
                session.seen, session.met = now, True  # a tab came and went between two looks
            elif now - session.seen > (self._away_s if session.met else STARTS_S):
                await self._end(session)

    async def _start(self, page: str) -> str:
        cells = places.cells_of(page)
        folder = paths.ROOT / page
        kernel = str((cells or {}).get("kernel"))
        if kernel not in KERNELS or not folder.with_suffix(".md").is_file():
            raise NotLive(f"{page} is not a page of this book with cells to run.")
        on_page.drop(page)
        on_page.notes(page).parent.mkdir(parents=True, exist_ok=True)
        started: str = await self._manager.start_kernel(
            kernel_name=kernel, cwd=str(folder.parent), env=environment(page)
        )
        return started

    async def _runs(self, session: PageSession) -> bool:
        """Whether its kernel is the one that was started for it, and alive."""
        if session.died or session.kernel not in self._manager:
            return False  # it died, or was ended in JupyterLab
        return bool(await self._manager.get_kernel(session.kernel).is_alive())

    def _connected(self, session: PageSession) -> bool:
        return int(self._manager.kernel_model(session.kernel)["connections"]) > 0

    def _busy(self, session: PageSession) -> bool:
        return self._manager.kernel_model(session.kernel).get("execution_state") == "busy"

    async def _end(self, session: PageSession) -> None:
        if self._sessions.get(session.page) is session:  # the page may have another session by now
            del self._sessions[session.page]
        if session.kernel not in self._manager:
            return
        # Its page may end it at the same moment.
        with contextlib.suppress(KeyError, HTTPError):
            # What measures stops its servers itself when it is interrupted.
            await self._manager.interrupt_kernel(session.kernel)
            await self._manager.shutdown_kernel(session.kernel)


def _note_death(session: PageSession) -> None:
    session.died = True


def environment(page: str) -> dict[str, str]:
    """Return the environment in which the kernel of a page starts."""
    env = {name: value for name, value in os.environ.items() if name not in NOT_OURS}
    bins = [paths.ROOT / ".venv" / "bin", paths.ROOT / "node_modules" / ".bin"]
    path = os.pathsep.join([*map(str, bins), env.get("PATH", os.defpath)])
    ours = {
        "PATH": path,
        "LAB_MODE": "live",
        "LAB_PAGE": short(page),
        "LAB_CLAIMS_FILE": str(on_page.notes(page)),
        "JPY_SESSION_NAME": str(paths.ROOT / f"{page}.md"),
    }
    return {**env, **ours, **nodes.anchored()}


def watch(sessions: Sessions, every: Callable[..., Any]) -> Any:
    """Look after the sessions; `every` is Tornado's PeriodicCallback."""
    callback = every(sessions.look, 1000 * LOOK_S)
    callback.start()
    return callback

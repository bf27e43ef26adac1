"""Which files were saved, from the moment at which the first build of a preview began."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from pathlib import Path

import watchfiles
from sphinx_autobuild.filter import IgnoreFilter
from sphinx_autobuild.server import RebuildServer

LOOK_MS = 500  # how long the first look lasts, and how often it is said that nothing happened


class Watcher(RebuildServer):
    """sphinx-autobuild's, which would not know of what was saved before it watched.

    The first build takes half a minute, and who opens the book meanwhile begins to write.
    """

    def __init__(
        self,
        paths: list[Path],
        ignore_filter: IgnoreFilter,
        build: Callable[..., None],
        *,
        since: float,
    ) -> None:
        """since : epoch seconds; the site shows what was saved before."""
        super().__init__([*paths], ignore_filter, build)
        self._since = since

    async def watch(self) -> None:
        """Build whenever something is saved, one build after the other."""
        early = True
        async for changes in watchfiles.awatch(
            *self.paths,
            watch_filter=lambda _, path: not self.ignore(path),
            rust_timeout=LOOK_MS,
            yield_on_timeout=True,
        ):
            saved_files = {Path(path).resolve() for _, path in changes}
            if early:  # watchfiles reports every file that is saved from here on
                saved_files.update(self._earlier())
                early = False
            if saved_files:
                await self._build(sorted(saved_files))

    async def _build(self, saved: Sequence[Path]) -> None:
        with ProcessPoolExecutor(1) as pool:
            await asyncio.wrap_future(pool.submit(self.change_callback, changed_paths=saved))
        self.flag.set()

    def _earlier(self) -> Iterator[Path]:
        for path in self.paths:
            for file in [path] if path.is_file() else path.rglob("*"):
                with suppress(OSError):  # an editor's temporary file, which is gone by now
                    newer = file.is_file() and file.stat().st_mtime > self._since
                    if newer and not self.ignore(str(file)):
                        yield file

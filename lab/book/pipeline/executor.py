"""Notebooks that run in kernels of their own, several at once if they may, into jupyter-cache."""

from __future__ import annotations

import asyncio
import atexit
import os
import threading
import time
from collections.abc import Mapping
from concurrent import futures
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lab.book.pipeline.chapter import cell_digest
from lab.processes.waits import some_done

STOPPING_S = 60  # the time until the kernels that still run are gone


@dataclass(frozen=True)
class Executed:
    """A notebook with its outputs, how long it took, and how long each cell, by `cell_digest`."""

    notebook: Any
    seconds: float
    cells: dict[str, float]


class _Clock:
    """How long the cells of a notebook take."""

    def __init__(self) -> None:
        self.took: dict[str, float] = {}
        self._began = 0.0

    def begins(self, **_: Any) -> None:
        self._began = time.monotonic()

    def ended(self, cell: Any, **_: Any) -> None:
        self.took[cell_digest(cell.source)] = round(time.monotonic() - self._began, 2)


class Broken(Exception):
    """A notebook that could not be executed: its cells as far as they came, and after how long."""

    def __init__(self, notebook: Any, seconds: float) -> None:
        super().__init__(notebook, seconds)
        self.notebook = notebook
        self.seconds = seconds


class Executor:
    """Executes notebooks in a thread of its own until `stop`; the work itself is the kernels'."""

    def __init__(
        self, cache: Path, timeout: int | None = None, *, past_errors: bool = False
    ) -> None:
        """cache : the folder of jupyter-cache; timeout : seconds a cell may take; past_errors : a
        cell that raises is no end, the next ones run as well.
        """
        self._past_errors = past_errors
        self._cache = cache
        self._timeout = timeout
        self._loop = asyncio.new_event_loop()
        self._running: dict[str, futures.Future[Executed]] = {}
        self._clients: list[Any] = []
        self._thread = threading.Thread(target=self._loop.run_forever, name="cells", daemon=True)
        self._thread.start()

    def __enter__(self) -> Executor:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def submit(self, name: str, text: str, path: Path, env: Mapping[str, str]) -> None:
        """Execute the notebook with this MyST text in its folder; env is added to ours."""
        work = self._execute(text, path, {**os.environ, **env})
        self._running[name] = asyncio.run_coroutine_threadsafe(work, self._loop)

    def first_done(self) -> str:
        """Wait until one of the notebooks is done, and return its name."""
        done, _ = some_done(self._running.values())
        return next(name for name, future in self._running.items() if future in done)

    def finish(self, name: str) -> Executed:
        """Wait for a notebook, put it into jupyter-cache and return it.

        Raises Broken if it could not be executed, caused by what it said.
        """
        result = self.result(name)
        from jupyter_cache import get_cache
        from jupyter_cache.base import CacheBundleIn

        bundle = CacheBundleIn(result.notebook, name, data={"execution_seconds": result.seconds})
        cache = get_cache(str(self._cache))
        cache.cache_notebook_bundle(bundle, check_validity=False, overwrite=True)
        return result

    def result(self, name: str) -> Executed:
        """Wait for a notebook and return it; it is put nowhere. Raises Broken."""
        return self._running.pop(name).result()

    def stop(self) -> None:
        """Interrupt what runs and wait until its kernels are gone."""
        atexit.unregister(self.stop)
        if not self._thread.is_alive():
            return
        asyncio.run_coroutine_threadsafe(self._cancel(), self._loop)
        self._thread.join(STOPPING_S)

    async def _execute(self, text: str, path: Path, env: dict[str, str]) -> Executed:
        from myst_nb.core.read import read_myst_markdown_notebook
        from nbclient import NotebookClient

        notebook = read_myst_markdown_notebook(text, path=str(path))
        folder = {"metadata": {"path": str(path.parent)}}
        clock = _Clock()
        # Times would be in the cells' metadata, which are a part of jupyter-cache's key.
        client = NotebookClient(
            notebook,
            timeout=self._timeout,
            record_timing=False,
            allow_errors=self._past_errors,
            resources=folder,
            on_notebook_start=self._stop_at_exit,
            on_cell_execute=clock.begins,
            on_cell_executed=clock.ended,
        )
        self._clients.append(client)
        start_s = time.monotonic()
        try:
            await client.async_execute(env=env)
        except Exception as error:
            raise Broken(notebook, time.monotonic() - start_s) from error
        return Executed(notebook, time.monotonic() - start_s, clock.took)

    def _stop_at_exit(self, **_: Any) -> None:
        # After Ctrl-C nobody says that the build is over. nbclient has just arranged to stop this
        # kernel at exit, from the main thread, where its sockets are not: `stop` does it instead.
        # (From Python 3.14 on, what is taken back while a program ends is called all the same.)
        for client in self._clients:
            atexit.unregister(client._cleanup_kernel)
        atexit.unregister(self.stop)
        atexit.register(self.stop)

    async def _cancel(self) -> None:
        for client in self._clients:  # an interrupted kernel ends its cell and reports an error
            client.shutdown_kernel = "immediate"
        ours = asyncio.current_task()
        tasks = [task for task in asyncio.all_tasks() if task is not ours]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._loop.stop()

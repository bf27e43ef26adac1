"""The load generator as a child process: one line of JSON in, lines of JSON out. It ends when this
process ends.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import subprocess
import tempfile
import time
from collections.abc import Iterable, Iterator
from typing import Any

from lab import paths, usage
from lab.errors import LabError
from lab.processes import nodes
from lab.processes.pinning import Cpus

MAIN = paths.NODE_SIDE / "loadgen" / "main.mjs"


class GeneratorFailed(LabError):
    """The load generator gave no result, so there is no trial."""


class Generator:
    """A started generator; a context manager that leaves no process behind.

    It is started before the server, so that both boot at the same time, and waits for `send`.
    """

    def __init__(self, cpus: Iterable[int] | None = None) -> None:
        node = nodes.client()
        # A full pipe without a reader would block the generator. close() closes the file.
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115
        self._buffer = b""
        with _affinity(cpus):
            self._process = subprocess.Popen(
                [node, str(MAIN)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._stderr,
                start_new_session=True,  # interrupts reach the generator only through us
                env={
                    k: v
                    for k, v in os.environ.items()
                    if k not in ("NODE_OPTIONS", "UV_THREADPOOL_SIZE")
                },
            )
        self.pid = self._process.pid
        usage.note_file(MAIN)

    @property
    def alive(self) -> bool:
        """True until it has ended."""
        return self._process.poll() is None

    def send(self, spec: dict[str, Any]) -> None:
        """Send the load to the generator, which starts it as soon as it has booted."""
        assert self._process.stdin is not None
        try:
            # The pipe stays open. If it ends, the generator knows that we are gone.
            self._process.stdin.write(json.dumps(spec).encode() + b"\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            raise GeneratorFailed(self._story("ended before it received its task")) from None

    def events(
        self, deadline_s: float, wake: list[float] | None = None
    ) -> Iterator[dict[str, Any]]:
        """Yield the generator's events until the result.

        wake : moments (monotonic, ascending) at which {"event": "wake"} is yielded. A moment is
            removed when it has come, and more may be added meanwhile
        Raises GeneratorFailed with the generator's own words if it ends, errs, or gives no result
        within `deadline_s`.
        """
        end = time.monotonic() + deadline_s
        moments = [] if wake is None else wake
        while True:
            if moments and time.monotonic() >= moments[0]:
                moments.pop(0)
                yield {"event": "wake"}
            until = min([end, *moments[:1]])
            event = self._next(until)
            if event is None:
                if time.monotonic() >= end:
                    raise GeneratorFailed(self._story(f"gave no result within {deadline_s:.1f} s"))
                continue
            if event["event"] == "error":
                raise GeneratorFailed(f"the load generator stopped: {event['message']}")
            yield event
            if event["event"] == "result":
                return

    def _next(self, until: float) -> dict[str, Any] | None:
        assert self._process.stdout is not None
        while b"\n" not in self._buffer:
            # Events that were written in time count, also when we read them late.
            left = max(0.0, until - time.monotonic())
            if not select.select([self._process.stdout], [], [], left)[0]:
                return None
            chunk = os.read(self._process.stdout.fileno(), 1 << 16)
            if not chunk:
                self._process.wait(60)
                raise GeneratorFailed(self._story(f"ended with code {self._process.returncode}"))
            self._buffer += chunk
        line, _, self._buffer = self._buffer.partition(b"\n")
        try:
            event = json.loads(line)
            event["event"]
        except (ValueError, KeyError, TypeError):
            raise GeneratorFailed(
                self._story(f"printed a line that is not an event: {line[:200]!r}")
            ) from None
        return dict(event)

    def _story(self, what: str) -> str:
        self._stderr.seek(0)
        said = self._stderr.read().decode("utf-8", "replace").strip()[-2000:]
        return f"the load generator {what}, so the trial is void." + (
            f" It printed:\n{said}" if said else ""
        )

    def close(self) -> None:
        """Stop it: end of its input, then TERM, then KILL. Harmless when repeated."""
        process = self._process
        for stream in (process.stdin, process.stdout):
            with contextlib.suppress(OSError):
                if stream is not None:
                    stream.close()
        for stop, patience_s in ((None, 0.5), (process.terminate, 1.0), (process.kill, 5.0)):
            if process.poll() is not None:
                break
            if stop is not None:
                stop()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(patience_s)
        self._stderr.close()

    def __enter__(self) -> Generator:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Standby:
    """Boots the generator of the next trial while the last trial is being stored.

    Node takes some 60 ms to boot, and nothing is measured in that time. Closing the standby leaves
    no process.
    """

    def __init__(self) -> None:
        self._waiting: tuple[Cpus, Generator] | None = None

    def take(self, cpus: Cpus) -> Generator:
        """Return a fresh generator on these processors: the one that was prepared, or a new one."""
        waiting, self._waiting = self._waiting, None
        if waiting is not None:
            if waiting[0] == cpus and waiting[1].alive:
                return waiting[1]
            waiting[1].close()
        return Generator(cpus)

    def prepare(self, cpus: Cpus) -> None:
        """Start one for the next trial."""
        if self._waiting is None:
            self._waiting = (cpus, Generator(cpus))

    def __enter__(self) -> Standby:
        return self

    def __exit__(self, *_: object) -> None:
        if self._waiting is not None:
            self._waiting[1].close()


@contextlib.contextmanager
def _affinity(cpus: Iterable[int] | None) -> Iterator[None]:
    """Set our processors for a moment. A child inherits the processors of the thread that forks it,
    for all its threads.
    """
    if cpus is None or not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, set(cpus))
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)

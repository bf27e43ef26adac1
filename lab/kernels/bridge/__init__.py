"""The verbs of `lab` for another process: `python -m lab.kernels.bridge`, JSON lines in and out.

In:  {"id": 1, "call": "load", "args": [...], "on": handle?}   {"release": [handles]}
Out: {"id": 1, "value": ...} | {"id": 1, "error": {"name", "message", "traceback"?}}
     {"id": 1, "progress": {"seconds", "answers"}}   {"print": text, "stream": "stdout"}
     {"warning": text}

`call` is a path below `lab` or a method of the object `on`; `args` may end with an object of
options, written in camelCase. The end of the input ends everything that was started.
"""

from __future__ import annotations

import contextlib
import inspect
import io
import json
import os
import queue
import signal
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import IO, Any

from lab.errors import LabError
from lab.kernels.bridge.calls import bind, check, verb
from lab.kernels.bridge.values import Objects, show, snake

# Answered at once, also while a measurement is under way.
_QUICK = {"get", "log", "stop", "resources", "tree", "died", "ps"}
_PROGRESS_S = 0.2
_END_S = 15.0


class Bridge:
    """Answers requests: measurements one after another, questions to a server at once."""

    def __init__(self, out: IO[str]) -> None:
        self.objects = Objects()
        self._out = out
        self._lock = threading.Lock()
        self._slow: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self._state = "idle"  # of the main thread: idle, busy (may be interrupted), done
        self._asked = 0  # slow calls that came and are not answered
        # An interrupt arrived before the call that it was meant for had begun.
        self._refused = False
        self._pool = ThreadPoolExecutor(8, "lab-bridge")

    def send(self, **message: Any) -> None:
        """Write one line. If no process reads our output any more, do nothing."""
        with self._lock, contextlib.suppress(BrokenPipeError, ValueError):
            self._out.write(json.dumps(message, default=str) + "\n")
            self._out.flush()

    def serve(self, lines: Iterator[str]) -> None:
        """Answer until the input ends. Slow calls run here, so that an interrupt reaches them."""
        signal.signal(signal.SIGINT, self._interrupt)
        threading.Thread(target=self._read, args=(lines,), daemon=True).start()
        while (request := self._slow.get()) is not None:
            self._measure(request)

    def close(self) -> None:
        """Stop the servers that were started through us, all at the same time."""

        def stop(thing: Any) -> None:
            with contextlib.suppress(Exception):
                thing.stop()

        running = [o for o in self.objects.values() if hasattr(o, "stop") and hasattr(o, "pid")]
        threads = [threading.Thread(target=stop, args=(o,), daemon=True) for o in running]
        for thread in threads:
            thread.start()
        deadline = time.monotonic() + _END_S
        for thread in threads:
            thread.join(max(0.0, deadline - time.monotonic()))

    def _read(self, lines: Iterator[str]) -> None:
        for line in lines:
            request = json.loads(line)
            if "release" in request:
                self.objects.release(request["release"])
            elif request["call"] in _QUICK:
                self._pool.submit(self._answer, request)
            else:
                self._asked += 1
                self._slow.put(request)
        self._slow.put(None)
        if self._state == "busy":
            signal.raise_signal(signal.SIGINT)
        # A call that ignores the interrupt doesn't delay our end: the guards end its processes.
        time.sleep(2 * _END_S)
        os._exit(1)

    def _interrupt(self, *_: Any) -> None:
        if self._state == "busy":
            self._state = "done"  # a second signal for the same interrupt changes nothing
            raise KeyboardInterrupt
        self._refused = self._state == "idle" and self._asked > 0

    def _measure(self, request: Mapping[str, Any]) -> None:
        try:
            self._state = "busy"
            if self._refused:
                raise KeyboardInterrupt
            outcome = self._outcome(request)
            self._state = "done"
        except KeyboardInterrupt:
            message = "The measurement was interrupted, and what it started was stopped."
            outcome = {"error": {"name": "Interrupted", "message": message}}
        self._state, self._refused = "done", False
        self.send(id=request["id"], **outcome)
        self._asked -= 1
        self._state = "idle"

    def _answer(self, request: Mapping[str, Any]) -> None:
        self.send(id=request["id"], **self._outcome(request))

    def _outcome(self, request: Mapping[str, Any]) -> dict[str, Any]:
        try:
            return {"value": self._call(request)}
        except LabError as error:
            return {"error": {"name": type(error).__name__, "message": str(error)}}
        except Exception as error:
            # The error is not a mistake of the reader, so they get the whole stack.
            trace = "".join(traceback.format_exception(error)[-8:])
            told = {"name": type(error).__name__, "message": str(error), "traceback": trace}
            return {"error": told}

    def _call(self, request: Mapping[str, Any]) -> Any:
        name = request["call"]
        if "on" not in request:
            function = verb(name)
        else:
            thing = self.objects[request["on"]]
            if name == "$show":
                return show(thing)
            if name == "$fetch":
                return self.objects.encode(thing)
            function = getattr(thing, snake(name))
        args = [self.objects.decode(arg) for arg in request["args"]]
        args, options = bind(function, args)
        check(function, name, args, options)
        if request.get("progress") and "progress" in inspect.signature(function).parameters:
            options.setdefault("progress", self._progress(request["id"]))
        return self.objects.encode(function(*args, **options))

    def _progress(self, number: int) -> Callable[[float, int], None]:
        last = time.monotonic()

        def tell(seconds: float, answers: int) -> None:
            nonlocal last
            if time.monotonic() - last >= _PROGRESS_S:
                last = time.monotonic()
                self.send(id=number, progress={"seconds": seconds, "answers": answers})

        return tell


class _ToCell(io.TextIOBase):
    """A stream for what a verb prints: the output belongs under the cell that called the verb."""

    def __init__(self, bridge: Bridge, stream: str) -> None:
        self._bridge, self._stream = bridge, stream

    def write(self, text: str) -> int:
        if text:
            self._bridge.send(print=text, stream=self._stream)
        return len(text)


def main() -> None:
    """Serve standard input until it ends."""
    # Child processes and libraries must not write between the lines on stdout.
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    sys.argv[0] = "javascript"
    bridge = Bridge(out)
    sys.stdout, sys.stderr = _ToCell(bridge, "stdout"), _ToCell(bridge, "stderr")
    warnings.showwarning = lambda message, *_, **__: bridge.send(warning=str(message))
    _note_our_files()
    bridge.send(ready=True)
    try:
        bridge.serve(iter(sys.stdin.readline, ""))
    finally:
        bridge.close()
        os._exit(0)  # threads that wait for a server must not delay our end


def _note_our_files() -> None:
    from lab import paths, usage

    for file in sorted((paths.NODE_SIDE / "api").glob("*.js")):
        usage.note_file(file)
    usage.note_modules()

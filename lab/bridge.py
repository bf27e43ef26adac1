"""The verbs of `lab` for another process: `python -m lab.bridge`, JSON lines in and out.

In:  {"id": 1, "call": "load", "args": [...], "on": handle?}   {"release": [handles]}
Out: {"id": 1, "value": ...} | {"id": 1, "error": {"name", "message", "traceback"?}}
     {"id": 1, "progress": {"seconds", "answers"}}   {"print": text}   {"warning": text}

`call` is a path below `lab` or a method of the object `on`; `args` may end with an object of
options, written in camelCase. The end of the input ends everything that was started.
"""

from __future__ import annotations

import contextlib
import importlib
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

from lab.bridge_values import Objects, camel, show, snake
from lab.errors import LabError, did_you_mean

# Answered at once, also while a measurement is under way.
_QUICK = {"get", "log", "stop", "resources", "tree", "died", "ps"}
_PROGRESS_S = 0.2
_END_S = 6.0


class Bridge:
    """Answers requests: measurements one after another, questions to a server at once."""

    def __init__(self, out: IO[str]) -> None:
        self.objects = Objects()
        self._out = out
        self._lock = threading.Lock()
        self._slow: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self._busy = False
        self._pool = ThreadPoolExecutor(8, "lab-bridge")

    def send(self, **message: Any) -> None:
        """Write one line; silent when nobody reads any more."""
        with self._lock, contextlib.suppress(BrokenPipeError, ValueError):
            self._out.write(json.dumps(message, default=str) + "\n")
            self._out.flush()

    def serve(self, lines: Iterator[str]) -> None:
        """Answer until the input ends. Slow calls run here, so that an interrupt reaches them."""
        signal.signal(signal.SIGINT, self._interrupt)
        threading.Thread(target=self._read, args=(lines,), daemon=True).start()
        while (request := self._slow.get()) is not None:
            self._answer(request, slow=True)

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
                self._slow.put(request)
        self._slow.put(None)
        if self._busy:
            signal.raise_signal(signal.SIGINT)
        # Whatever does not listen to that does not keep us: the guards end what we leave.
        time.sleep(2 * _END_S)
        os._exit(1)

    def _interrupt(self, *_: Any) -> None:
        if self._busy:
            self._busy = False  # a second signal for the same interrupt changes nothing
            raise KeyboardInterrupt

    def _answer(self, request: Mapping[str, Any], slow: bool = False) -> None:
        outcome: dict[str, Any]
        try:
            self._busy = slow or self._busy
            outcome = {"value": self._call(request)}
            self._busy = self._busy and not slow
        except KeyboardInterrupt:
            message = "The measurement was interrupted; what it started is stopped."
            outcome = {"error": {"name": "Interrupted", "message": message}}
        except LabError as error:
            outcome = {"error": {"name": type(error).__name__, "message": str(error)}}
        except BaseException as error:
            # Not a mistake of the reader: they get all there is to report.
            trace = "".join(traceback.format_exception(error)[-8:])
            told = {"name": type(error).__name__, "message": str(error), "traceback": trace}
            outcome = {"error": told}
        self._busy = self._busy and not slow
        self.send(id=request["id"], **outcome)

    def _call(self, request: Mapping[str, Any]) -> Any:
        name = request["call"]
        if "on" not in request:
            function = _verb(name)
        else:
            try:
                thing = self.objects[request["on"]]
            except KeyError:
                raise LabError(
                    "This result belongs to an earlier session: run its cell again."
                ) from None
            if name == "$show":
                return show(thing)
            if name == "$fetch":
                return self.objects.encode(thing)
            function = getattr(thing, snake(name))
        args = [self.objects.decode(arg) for arg in request["args"]]
        args, options = bind(function, args)
        _check(function, name, args, options)
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


def _verb(path: str) -> Callable[..., Any]:
    if path == "define":  # what the `%%server` magic calls
        path = "catalog.define"
    found: Any = importlib.import_module("lab")
    for part in path.split("."):
        name = snake(part)
        if name.startswith("_"):
            raise LabError(f"lab.{path} is not public.")
        try:
            found = getattr(found, name)
        except AttributeError:
            try:
                found = importlib.import_module(f"{found.__name__}.{name}")
            except (ImportError, AttributeError):
                raise LabError(f"There is no lab.{path}.") from None
    if not callable(found):
        raise LabError(f"lab.{path} is not a function.")
    result: Callable[..., Any] = found
    return result


def bind(function: Callable[..., Any], args: list[Any]) -> tuple[list[Any], dict[str, Any]]:
    """Positional arguments and options: the last argument is options when it is an object and the
    function can do without it, or knows its names.
    """
    if not args or not isinstance(args[-1], dict):
        return args, {}
    *before, last = args
    parameters = inspect.signature(function).parameters.values()
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    required = [p for p in positional if p.default is p.empty]
    names = {p.name for p in parameters}
    missing = len(required) > len(before)
    if missing and not (last and {snake(key) for key in last} <= names):
        return [*before, _inside(last)], {}
    options = {snake(key): value for key, value in last.items()}
    for name in ("alongside", "arms"):
        if isinstance(options.get(name), dict):
            options[name] = _inside(options[name])
    if before and isinstance(before[0], dict):
        before[0] = _inside(before[0])
    return before, options


def _check(
    function: Callable[..., Any], name: str, args: list[Any], options: dict[str, Any]
) -> None:
    """Raise LabError for an option that does not exist or an argument too many or too few."""
    signature = inspect.signature(function)
    kinds = {p.kind for p in signature.parameters.values()}
    known = [p for p in signature.parameters if p != "progress"]
    if inspect.Parameter.VAR_KEYWORD not in kinds:
        for option in options:
            if option not in signature.parameters:
                raise LabError(
                    f"{name}() has no option {camel(option)!r}. "
                    f"{did_you_mean(camel(option), map(camel, known))}"
                )
    try:
        signature.bind(*args, **options)
    except TypeError as error:
        raise LabError(f"{name}(): {error}. It takes {', '.join(map(camel, known))}.") from None


def _inside(named: dict[str, Any]) -> dict[str, Any]:
    """Arms and streams have names of the reader's; their options are ours."""
    return {
        name: {snake(key): v for key, v in value.items()} if isinstance(value, dict) else value
        for name, value in named.items()
    }


class _Printed(io.TextIOBase):
    """What a verb prints belongs under the cell that called it."""

    def __init__(self, bridge: Bridge) -> None:
        self._bridge = bridge

    def write(self, text: str) -> int:
        if text:
            self._bridge.send(print=text)
        return len(text)


def main() -> None:
    """Serve standard input until it ends."""
    # What child processes or libraries write to stdout must not get between the lines.
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    sys.argv[0] = "javascript"
    bridge = Bridge(out)
    sys.stdout = _Printed(bridge)
    warnings.showwarning = lambda message, *_, **__: bridge.send(warning=str(message))
    _note_our_files()
    bridge.send(ready=True)
    try:
        bridge.serve(iter(sys.stdin.readline, ""))
    finally:
        bridge.close()
        os._exit(0)  # threads that wait for a server do not keep us


def _note_our_files() -> None:
    from lab import paths, usage

    for file in sorted((paths.NODE_SIDE / "api").glob("*.js")):
        usage.note_file(file)
    usage.note_modules()


if __name__ == "__main__":
    main()

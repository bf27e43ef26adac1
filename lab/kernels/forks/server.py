"""Runs Python programs in forks of a process that has imported already what they will import.

    python server.py LISTENER [MODULE ...]

LISTENER is the descriptor of a listening socket, standard input its owner, MODULE what is imported
besides.

Each connection (`ask.py` makes it) asks for one `python -m` with its arguments, environment, folder
and standard streams, is told `{"pid": ...}` by the program and later `{"code": ...}` by us, and
takes the program along when it breaks. One for another Python is refused. The server lives as long
as somebody holds the other end of its standard input.

Nothing of `lab` is imported here: a program imports it itself, so an edited module is never an old
one. Run by its path, without `lab` on the way.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import runpy
import select
import signal
import socket
import sys
import time
import warnings
from pathlib import Path
from typing import Any

# What kernels and the bridge of JavaScript chapters load, and what takes long: 1.5 s in all.
IMPORTED = (
    "ipykernel.kernelapp",
    "matplotlib.backends.backend_agg",
    "matplotlib.backends.backend_svg",
    "matplotlib.figure",
    "matplotlib.textpath",
    "numpy.random",
    "psutil",
)
GRAMMAR = "rfc3987_syntax"
INLINE = "module://matplotlib_inline.backend_inline"  # what ipykernel chooses if nobody else did
MOST_BYTES = 1 << 20  # of a request
STREAMS = 3
# Objects made between two searches for rubbish, which take a tenth of the time of a chapter's
# kernel: most of what it makes stays, as it ends soon.
RUBBISH = (10_000, 20, 20)


class ForkRequest:
    """One connection, and the program that was forked for it."""

    def __init__(self, connection: socket.socket) -> None:
        self.connection = connection
        self.pid = 0
        self.streams: list[int] = []
        self._inbox = b""

    def read(self) -> dict[str, Any] | None:
        """Return the request when it is whole. Raises EOFError when nobody is there any more."""
        data, streams, _, _ = socket.recv_fds(self.connection, 65536, STREAMS)
        self.streams += streams
        self._inbox += data
        if not data or len(self._inbox) > MOST_BYTES:
            raise EOFError
        if not self._inbox.endswith(b"\n"):
            return None
        request: dict[str, Any] = json.loads(self._inbox)
        # Streams are missing when we may not open more. Whoever is refused runs the module itself.
        if len(self.streams) != STREAMS or request["python"] != sys.executable:
            raise EOFError
        return request

    def tell(self, **event: int) -> None:
        """Send an event; silent when nobody is there to take it."""
        with contextlib.suppress(OSError):
            self.connection.sendall(json.dumps(event).encode() + b"\n")

    def close(self) -> None:
        """Let go of the connection, and of streams that nobody took."""
        self.connection.close()
        while self.streams:
            os.close(self.streams.pop())


class ForkServer:
    """Everything this process holds; in a fork it is closed, and the fork's request remains."""

    def __init__(self, listener: socket.socket) -> None:
        self._listener = listener
        self._asked: dict[int, ForkRequest] = {}  # by descriptor
        self._wake, self._wake_write = os.pipe()
        for end in (self._wake, self._wake_write):
            os.set_blocking(end, False)
        self._poll = select.poll()
        for descriptor in (0, listener.fileno(), self._wake):
            self._poll.register(descriptor, select.POLLIN)
        self._over = False
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.signal(signal.SIGTERM, self._end)
        signal.set_wakeup_fd(self._wake_write, warn_on_full_buffer=False)

    def serve(self) -> tuple[dict[str, Any], list[int]] | None:
        """Return a request and its streams in the fork that is to answer it; None at the end."""
        while not self._over:
            for descriptor, _ in self._poll.poll():
                if descriptor == 0:
                    self._over = True  # our owner is gone
                elif descriptor == self._wake:
                    self._reap()
                elif descriptor == self._listener.fileno():
                    self._accept()
                elif descriptor in self._asked and (mine := self._hear(self._asked[descriptor])):
                    return mine
        self._take_along()
        return None

    def _end(self, *_: object) -> None:
        self._over = True

    def _take_along(self) -> None:
        """End every program, and wait until it is gone: so whoever waits for us leaves nothing."""
        for asked in self._asked.values():
            if asked.pid:
                _kill(asked.pid)
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, 0)[0]:
                pass

    def _accept(self) -> None:
        connection, _ = self._listener.accept()
        self._asked[connection.fileno()] = ForkRequest(connection)
        self._poll.register(connection, select.POLLIN)

    def _hear(self, fork_request: ForkRequest) -> tuple[dict[str, Any], list[int]] | None:
        try:
            request = fork_request.read()
            if request is None:
                return None
            fork_request.pid = _fork()  # refused, too, when the system wants no more processes
        except (EOFError, OSError, ValueError, KeyError, TypeError):
            if fork_request.pid:  # whoever waited for the program was killed
                _kill(fork_request.pid)
            self._drop(fork_request)
            return None
        if fork_request.pid == 0:
            # Said by the program itself: from here on a signal for its group reaches it.
            os.setsid()
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            signal.signal(signal.SIGINT, signal.default_int_handler)
            fork_request.tell(pid=os.getpid())
            streams, fork_request.streams = fork_request.streams, []
            self._close()
            return request, streams
        while fork_request.streams:
            os.close(fork_request.streams.pop())
        return None

    def _reap(self) -> None:
        with contextlib.suppress(BlockingIOError):
            while os.read(self._wake, 4096):
                pass
        with contextlib.suppress(ChildProcessError):
            while (ended := os.waitpid(-1, os.WNOHANG))[0]:
                for asked in [a for a in self._asked.values() if a.pid == ended[0]]:
                    asked.tell(code=os.waitstatus_to_exitcode(ended[1]))
                    self._drop(asked)

    def _drop(self, asked: ForkRequest) -> None:
        self._poll.unregister(asked.connection)
        del self._asked[asked.connection.fileno()]
        asked.close()

    def _close(self) -> None:
        signal.set_wakeup_fd(-1)
        for asked in self._asked.values():
            asked.close()
        self._listener.close()
        os.close(self._wake)
        os.close(self._wake_write)


def _fork() -> int:
    with warnings.catch_warnings():
        # Python 3.12 warns of threads: these are OpenBLAS's, which ends them before a fork.
        warnings.simplefilter("ignore", DeprecationWarning)
        return os.fork()


def _kill(pid: int) -> None:
    """End a program and its group, which it makes itself a moment after the fork."""
    for kill in (os.killpg, os.kill):
        with contextlib.suppress(ProcessLookupError):
            kill(pid, signal.SIGKILL)


def become(request: dict[str, Any], streams: list[int]) -> None:
    """Be `python -m` with these arguments, as if just started."""
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    ours = _python_path()
    os.environ.clear()
    # Whose death is to end us; ipykernel looks whether it is still there.
    os.environ.update(request["env"], JPY_PARENT_PID=str(os.getppid()))
    os.chdir(request["cwd"])
    time.tzset()
    gc.set_threshold(*RUBBISH)
    module, *arguments = request["arguments"]
    sys.argv[:] = [module, *arguments]
    sys.orig_argv[:] = [sys.executable, "-m", *request["arguments"]]
    rest = [p for p in sys.path if p not in ours]
    sys.path[:] = [request["cwd"], *dict.fromkeys(_python_path() + rest)]
    # What their modules took from us when they were imported.
    if "numpy.random" in sys.modules:
        sys.modules["numpy.random"].seed()
    backend = os.environ.get("MPLBACKEND") or (INLINE if module == "ipykernel_launcher" else "")
    if backend and "matplotlib" in sys.modules:
        sys.modules["matplotlib"].rcParams["backend"] = backend
    runpy.run_module(module, run_name="__main__", alter_sys=True)


def _python_path() -> list[str]:
    given = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    return [os.path.abspath(p) for p in given if p]  # noqa: PTH100 - as Python does


def main() -> None:
    """Import, say so, and fork until nobody holds our standard input."""
    del sys.path[0]  # this folder
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for our owner, who then lets us go
    os.environ["JPY_PARENT_PID"] = str(os.getpid())  # ipykernel reads it when it is imported
    # Not while jsonschema is imported (see lab/book/__init__.py): a third of all this. Whoever is
    # forked finds it as it is.
    sys.modules[GRAMMAR] = None  # type: ignore[assignment]
    for name in (*IMPORTED, *sys.argv[2:]):
        with contextlib.suppress(ImportError):  # whoever needs it will say that it is not there
            importlib.import_module(name)
    del sys.modules[GRAMMAR]
    gc.freeze()  # the collector would touch, and so copy, what all forks share
    with contextlib.suppress(OSError):  # our owner is gone already: `serve` will notice
        os.write(1, b"ready\n")
    with socket.socket(fileno=int(sys.argv[1])) as listener:
        address = listener.getsockname()
        mine = ForkServer(listener).serve()
    if mine is not None:
        become(*mine)
    else:  # our owner does so, too, unless it was killed
        with contextlib.suppress(OSError):
            Path(address).unlink()
            Path(address).parent.rmdir()


if __name__ == "__main__":
    main()

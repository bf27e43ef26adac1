"""Runs Python programs in forks of a process that has already imported what they will import.

    python server.py LISTENER [MODULE ...]

LISTENER is the descriptor of a listening socket. The other end of standard input belongs to our
owner. The MODULEs are imported in addition to those that kernels need.

Each connection (`ask.py` makes it) asks for one `python -m` with its arguments, environment, folder
and standard streams. The forked program answers `{"pid": ...}`, and we later answer `{"code":
...}`. If the connection breaks, the program ends. We refuse a request for another Python. The
server lives as long as a process holds the other end of its standard input.

Nothing of `lab` is imported here. A program imports `lab` itself, so it always gets the edited
modules. This file is run by its path, without `lab` in the search path.
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

# The modules that kernels and the bridge of JavaScript chapters load and that take long: 1.5 s.
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
# The backend that ipykernel chooses if no other is set.
INLINE = "module://matplotlib_inline.backend_inline"
MOST_BYTES = 1 << 20  # the largest request
STREAMS = 3
# The number of new objects between two garbage collections. By default collections take a tenth of
# the time of a chapter's kernel, and free little, since a kernel ends soon.
RUBBISH = (10_000, 20, 20)


class ForkRequest:
    """One connection, and the program that was forked for it."""

    def __init__(self, connection: socket.socket) -> None:
        self.connection = connection
        self.pid = 0
        self.streams: list[int] = []
        self._inbox = b""

    def read(self) -> dict[str, Any] | None:
        """Return the request when it is complete. Raises EOFError if the other end was closed."""
        data, streams, _, _ = socket.recv_fds(self.connection, 65536, STREAMS)
        self.streams += streams
        self._inbox += data
        if not data or len(self._inbox) > MOST_BYTES:
            raise EOFError
        if not self._inbox.endswith(b"\n"):
            return None
        request: dict[str, Any] = json.loads(self._inbox)
        # Streams are missing if we have too many open files. `ask.py` then runs the module itself.
        if len(self.streams) != STREAMS or request["python"] != sys.executable:
            raise EOFError
        return request

    def tell(self, **event: int) -> None:
        """Send an event. Do nothing if the other end was closed."""
        with contextlib.suppress(OSError):
            self.connection.sendall(json.dumps(event).encode() + b"\n")

    def close(self) -> None:
        """Close the connection, and streams that no program took."""
        self.connection.close()
        while self.streams:
            os.close(self.streams.pop())


class ForkServer:
    """Everything that this process holds. In a fork all of it is closed, except for the fork's
    request.
    """

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
        """Return a request and its streams in the fork that serves it. Return None at the end."""
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
        """End every program, and wait until all are gone. A process that waits for us then leaves
        nothing.
        """
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
            # The request is also refused if the system allows no more processes.
            fork_request.pid = _fork()
        except (EOFError, OSError, ValueError, KeyError, TypeError):
            if fork_request.pid:  # the `ask.py` that waited for the program was killed
                _kill(fork_request.pid)
            self._drop(fork_request)
            return None
        if fork_request.pid == 0:
            # The forked program sends this itself: from here on a signal for its group reaches it.
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
        # Python 3.12 warns of threads. The threads are of OpenBLAS, which ends them before a fork.
        warnings.simplefilter("ignore", DeprecationWarning)
        return os.fork()


def _kill(pid: int) -> None:
    """End a program and its group. The program makes its group itself, a moment after the fork."""
    for kill in (os.killpg, os.kill):
        with contextlib.suppress(ProcessLookupError):
            kill(pid, signal.SIGKILL)


def become(request: dict[str, Any], streams: list[int]) -> None:
    """Run `python -m` with these arguments in this process, as in a new one."""
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    ours = _python_path()
    os.environ.clear()
    # ipykernel checks whether this process is still there, and ends without it.
    os.environ.update(request["env"], JPY_PARENT_PID=str(os.getppid()))
    os.chdir(request["cwd"])
    time.tzset()
    gc.set_threshold(*RUBBISH)
    module, *arguments = request["arguments"]
    sys.argv[:] = [module, *arguments]
    sys.orig_argv[:] = [sys.executable, "-m", *request["arguments"]]
    rest = [p for p in sys.path if p not in ours]
    sys.path[:] = [request["cwd"], *dict.fromkeys(_python_path() + rest)]
    # Reset what these modules read from our environment when they were imported.
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
    """Import the modules, report that, and fork until no process holds our standard input."""
    del sys.path[0]  # this folder
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for our owner, who then ends us
    os.environ["JPY_PARENT_PID"] = str(os.getpid())  # ipykernel reads it when it is imported
    # jsonschema must not import its grammar (see lab/book/__init__.py), which would take a third of
    # the time. In a fork the grammar can be imported again.
    sys.modules[GRAMMAR] = None  # type: ignore[assignment]
    for name in (*IMPORTED, *sys.argv[2:]):
        # A program that needs the module reports that the module is missing.
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    del sys.modules[GRAMMAR]
    gc.freeze()  # the collector would write to the pages that all forks share, and so copy them
    with contextlib.suppress(OSError):  # our owner is already gone, which `serve` will notice
        os.write(1, b"ready\n")
    with socket.socket(fileno=int(sys.argv[1])) as listener:
        address = listener.getsockname()
        mine = ForkServer(listener).serve()
    if mine is not None:
        become(*mine)
    else:  # our owner also removes the folder, unless our owner was killed
        with contextlib.suppress(OSError):
            Path(address).unlink()
            Path(address).parent.rmdir()


if __name__ == "__main__":
    main()

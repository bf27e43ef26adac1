"""The programs of a build that run Python are forks of one process, since importing costs each of
them 1.5 s otherwise.

`server.py` is that process. `ask.py` is a small program that runs in place of the Python program,
and asks the server to fork it. A build starts its kernels through `Provisioner`, and the bridge of
JavaScript chapters uses the same server (`lab/node/api`). Jupyter outside a build uses nothing of
this.
"""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ADDRESS = "LAB_FORKS"  # a variable of kernels: the address at which the server listens
KEPT = "LAB_FORKS_KEPT"  # a variable of a build: the address of a server that serves several builds
HERE = Path(__file__).resolve().parent
READY_S = 120.0
# The libraries of macOS may fail in a process that forked and did not call exec.
POSSIBLE = sys.platform == "linux"


class ForkServer:
    """A fork server and the folder of its socket. Both exist until `close`, or until this process
    ends.
    """

    def __init__(self, *also: str) -> None:
        """Start the server without waiting for it. Raises OSError if it can't be started.

        also : modules that the server imports in addition to those that kernels need
        """
        self._folder = tempfile.mkdtemp(prefix="lab-forks-")  # only this user may read the folder
        self.address = str(Path(self._folder) / "s")
        self._owner = os.getpid()
        self._ready = False
        self._waiting = threading.Lock()
        with contextlib.ExitStack() as undo:
            undo.callback(shutil.rmtree, self._folder, ignore_errors=True)
            # The socket listens from here on, so early requests wait in its queue.
            with socket.socket(socket.AF_UNIX) as listener:
                listener.bind(self.address)
                listener.listen()
                self._process = subprocess.Popen(
                    [sys.executable, str(HERE / "server.py"), str(listener.fileno()), *also],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    pass_fds=(listener.fileno(),),
                    # matplotlib reads `matplotlibrc` from the folder in which it is imported.
                    cwd=self._folder,
                    start_new_session=True,  # Ctrl-C reaches only us; we then end the server
                )
            undo.pop_all()

    @property
    def pid(self) -> int:
        """Its process."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether the server runs and belongs to this process, not to a process that forked us."""
        return os.getpid() == self._owner and self._process.poll() is None

    def wait(self, patience_s: float | None = None) -> bool:
        """Wait at most so many seconds (READY_S by default) until the server has imported
        everything, and return whether it has.
        """
        assert self._process.stdout is not None
        until = time.monotonic() + (READY_S if patience_s is None else patience_s)
        with self._waiting:  # The server writes one line. A second reader would wait for ever.
            while not self._ready and self.alive and time.monotonic() < until:
                if select.select([self._process.stdout], [], [], 0.1)[0]:
                    # False if the server has ended.
                    self._ready = bool(self._process.stdout.readline())
        return self._ready and self.alive

    def close(self) -> None:
        """End the server, and the programs that it still runs."""
        if os.getpid() != self._owner:
            return
        for stream in (self._process.stdin, self._process.stdout):
            assert stream is not None
            stream.close()
        # The server may be importing, or a process that was forked from ours may hold its input.
        self._process.terminate()
        try:
            # Usually it ends at once; on a busy machine it may take longer.
            self._process.wait(30.0)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        shutil.rmtree(self._folder, ignore_errors=True)


class Kept:
    """A server that another process started and will end. If it is gone, programs run by
    themselves.
    """

    alive = True

    def __init__(self, address: str) -> None:
        """`address` : where it listens."""
        self.address = address

    def wait(self) -> bool:
        """Return at once: the process that started the server has waited for it."""
        return True

    def close(self) -> None:
        """Do nothing, because the process that started the server ends it."""


def server(*also: str) -> ForkServer | Kept:
    """Return the server that this build was given, or a new one that imports `also`. Raises OSError
    if neither is possible.
    """
    address = os.environ.get(KEPT)
    return Kept(address) if address else ForkServer(*also)

"""Python programs of a build are forks of one process: importing costs each 1.5 s otherwise.

`server.py` is that process, `ask.py` stands for a program that it runs. A build starts its kernels
through `Provisioner`, and the bridge of JavaScript chapters goes the same way (`lab/node/api`). In
Jupyter nothing of this is used.
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

ADDRESS = "LAB_FORKS"  # in the environment of kernels: where the server listens
KEPT = "LAB_FORKS_KEPT"  # in that of a build: where one listens that somebody keeps for many builds
HERE = Path(__file__).resolve().parent
READY_S = 120.0
# Libraries of macOS do not promise to survive a fork without exec.
POSSIBLE = sys.platform == "linux"


class ForkServer:
    """The server and the folder of its socket, until `close`, or until this process ends."""

    def __init__(self, *also: str) -> None:
        """Start it, without waiting. Raises OSError if that is not possible.

        also : modules that it imports besides what kernels need
        """
        self._folder = tempfile.mkdtemp(prefix="lab-forks-")  # for this user only
        self.address = str(Path(self._folder) / "s")
        self._owner = os.getpid()
        self._ready = False
        self._waiting = threading.Lock()
        with contextlib.ExitStack() as undo:
            undo.callback(shutil.rmtree, self._folder, ignore_errors=True)
            # Bound here: who comes before it has imported everything, waits in the queue.
            with socket.socket(socket.AF_UNIX) as listener:
                listener.bind(self.address)
                listener.listen()
                self._process = subprocess.Popen(
                    [sys.executable, str(HERE / "server.py"), str(listener.fileno()), *also],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    pass_fds=(listener.fileno(),),
                    cwd=self._folder,  # matplotlib reads a `matplotlibrc` where it is imported
                    start_new_session=True,  # Ctrl-C is for us, who then let it go
                )
            undo.pop_all()

    @property
    def pid(self) -> int:
        """Its process."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether it runs, and belongs to this process rather than to one that forked us."""
        return os.getpid() == self._owner and self._process.poll() is None

    def wait(self, patience_s: float | None = None) -> bool:
        """Wait until it has imported everything, for READY_S if not told; whether it has."""
        assert self._process.stdout is not None
        until = time.monotonic() + (READY_S if patience_s is None else patience_s)
        with self._waiting:  # it says so once: a second reader would wait for ever
            while not self._ready and self.alive and time.monotonic() < until:
                if select.select([self._process.stdout], [], [], 0.1)[0]:
                    self._ready = bool(self._process.stdout.readline())  # else it has ended
        return self._ready and self.alive

    def close(self) -> None:
        """End it, and the programs that still run."""
        if os.getpid() != self._owner:
            return
        for stream in (self._process.stdin, self._process.stdout):
            assert stream is not None
            stream.close()
        # It may be importing, or a process that was forked from ours may hold the other end.
        self._process.terminate()
        try:
            self._process.wait(30.0)  # on a busy machine; as a rule it is gone at once
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        shutil.rmtree(self._folder, ignore_errors=True)


class Kept:
    """A server that somebody else keeps; where it is gone, what is asked of it runs by itself."""

    alive = True

    def __init__(self, address: str) -> None:
        """`address` : where it listens."""
        self.address = address

    def wait(self) -> bool:
        """Whoever keeps it has waited."""
        return True

    def close(self) -> None:
        """Leave it to others."""


def server(*also: str) -> ForkServer | Kept:
    """The server that somebody keeps for this build, or a new one, which imports `also`. Raises
    OSError if that is not possible.
    """
    address = os.environ.get(KEPT)
    return Kept(address) if address else ForkServer(*also)

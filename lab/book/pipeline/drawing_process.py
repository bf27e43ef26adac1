"""The process of one drawing pass, which `drawing.Passes` starts and writes the build to."""

from __future__ import annotations

import os
import pickle
import signal
import sys
import threading

from lab.book.pipeline.drawing import SIZE_BYTES, sphinx


def main() -> int:
    """Draw the build that arrives on standard input. Exit at once if the process that sent it is
    gone.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that started us decides when we end
    size = int.from_bytes(_read(SIZE_BYTES), "big")
    build, verbose = pickle.loads(_read(size))
    threading.Thread(target=_leave_with_owner, daemon=True).start()
    return sphinx(build, verbose, {})


def _read(size: int) -> bytes:
    # We read from the descriptor. A process that is forked while a thread holds the lock of
    # `sys.stdin` would hang.
    data = b""
    while len(data) < size:
        more = os.read(0, size - len(data))
        if not more:
            os._exit(1)
        data += more
    return data


def _leave_with_owner() -> None:
    _read(1)  # pages are replaced in one step, and the next build repairs the rest


if __name__ == "__main__":
    sys.exit(main())

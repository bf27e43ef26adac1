"""The log of a server that may print anything: bounded on disk, cheap per line."""

from __future__ import annotations

import collections
import contextlib
import os

HEAD_BYTES = TAIL_BYTES = 256 * 1024
LAST_BYTES = 8192


class BoundedLog:
    """A file that keeps the beginning and the end of what is written, and says what it dropped."""

    def __init__(self, path: str) -> None:
        flags = os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC
        self.file = os.open(path, flags, 0o644)
        self.room = HEAD_BYTES
        self.tail: collections.deque[bytes] = collections.deque()
        self.tail_bytes = 0
        self.dropped = 0
        self.stale = False

    def write(self, data: bytes) -> None:
        """Take more output; the file shows it after the next flush."""
        if self.room:
            head, data = data[: self.room], data[self.room :]
            self.room -= len(head)
            self._put(head, HEAD_BYTES - self.room - len(head))
        if len(data) > TAIL_BYTES:
            self.dropped += len(data) - TAIL_BYTES
            data = data[-TAIL_BYTES:]
        if data:
            self.tail.append(data)
            self.tail_bytes += len(data)
            while self.tail_bytes - len(self.tail[0]) >= TAIL_BYTES:
                gone = len(self.tail.popleft())
                self.tail_bytes -= gone
                self.dropped += gone
            self.stale = True

    def flush(self) -> None:
        """Make the file say what is known: cheap, and never more than once per read."""
        if self.stale:
            self.stale = False
            note = b"\n... %d bytes dropped here ...\n" % self.dropped if self.dropped else b""
            rest = note + b"".join(self.tail)
            self._put(rest, HEAD_BYTES)
            with contextlib.suppress(OSError):
                os.ftruncate(self.file, HEAD_BYTES + len(rest))

    def last(self, size: int = LAST_BYTES) -> str:
        """The end of the log as text."""
        self.flush()
        length = os.fstat(self.file).st_size
        return os.pread(self.file, size, max(0, length - size)).decode("utf-8", "replace")

    def _put(self, data: bytes, offset: int) -> None:
        with contextlib.suppress(OSError):  # a full disk must not end the server, nor the guard
            os.pwrite(self.file, data, offset)

    def close(self) -> None:
        """Write what is left and let go of the file."""
        self.flush()
        os.close(self.file)

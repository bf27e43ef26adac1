"""A disk that turns once in PERIOD_MS, for the server that COMMAND starts: $DISK/0, $DISK/1, ...
The book uses it where a file must wait: open(2) blocks, on no CPU, until the head comes round.

    slow_disk.py PERIOD_MS COMMAND...      each file is read once, in the order of their numbers
"""

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

AHEAD = 256  # files that exist before they are asked for; a reader beyond them would find none
LINE = b"The head has reached your sector.\n"
period_s, command = float(sys.argv[1]) / 1000, sys.argv[2:]


def pass_head(disk: str, files: set[int]) -> None:
    """Let in everybody who waits. Last file first: who comes during the pass waits a whole turn."""
    for number in sorted(files, reverse=True):
        try:
            pipe = os.open(f"{disk}/{number}", os.O_WRONLY | os.O_NONBLOCK)
        except OSError:  # ENXIO: nobody waits for this file
            continue
        Path(f"{disk}/{number}").unlink()
        os.mkfifo(f"{disk}/{number + AHEAD}")
        files ^= {number, number + AHEAD}
        os.write(pipe, LINE)
        os.close(pipe)


with tempfile.TemporaryDirectory(prefix="disk-") as disk:
    files = set(range(AHEAD))
    for number in files:
        os.mkfifo(f"{disk}/{number}")
    server = subprocess.Popen(command, env={**os.environ, "DISK": disk})
    signal.signal(signal.SIGTERM, lambda *_: server.terminate())
    turn = time.monotonic()
    while server.poll() is None:
        turn = max(turn + period_s, time.monotonic())
        time.sleep(max(0.0, turn - time.monotonic()))
        pass_head(disk, files)
    sys.exit(server.returncode)

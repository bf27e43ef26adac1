"""Devices that take WAIT_MS to swallow a block, for the server of COMMAND: the pipes $DEVICES.
The book uses it where a thread must wait, on no CPU, for a known time: in write(2), a block a call.

    slow_device.py WAIT_MS COMMAND...      a block is 128 KiB, more than a pipe holds
"""

import os
import signal
import subprocess
import sys
import threading
import time

PIPES = 64  # more than threads of a pool: nobody ever waits for a pipe
BLOCK = 128 * 1024
wait_s, command = float(sys.argv[1]) / 1000, sys.argv[2:]


def swallow(pipe: int) -> None:
    """Wait for the first byte of a block, then for the device, then take the rest."""
    while os.read(pipe, 1):
        time.sleep(wait_s)
        left = BLOCK - 1
        while left > 0:
            left -= len(os.read(pipe, left)) or left


readers, writers = zip(*(os.pipe() for _ in range(PIPES)), strict=True)
for reader in readers:
    threading.Thread(target=swallow, args=(reader,), daemon=True).start()
devices = {**os.environ, "DEVICES": ",".join(map(str, writers))}
server = subprocess.Popen(command, env=devices, pass_fds=writers)
signal.signal(signal.SIGTERM, lambda *_: server.terminate())
sys.exit(server.wait())

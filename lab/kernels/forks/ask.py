"""`python -m`, done by the fork server: `python -I -S ask.py ADDRESS MODULE [ARGUMENT ...]`.

This program runs as long as the forked program. It gives our standard streams to the forked
program, passes signals on to it, and ends with its exit code. If this program is killed, the server
ends the forked program. Without a server at ADDRESS it runs the module itself. It imports only a
few modules of the standard library, so that it starts in 20 ms.
"""
# ruff: noqa: PTH109 - what starts fast does not import pathlib

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import sys
from typing import Any

PASSED_ON = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def main() -> int:
    """Return the program's exit code."""
    address, *arguments = sys.argv[1:]
    early: list[int] = []  # signals that arrived before the program was forked
    for number in PASSED_ON:
        signal.signal(number, lambda came, _: early.append(came))
    channel = socket.socket(socket.AF_UNIX)
    try:
        channel.connect(address)
        request = {
            "python": sys.executable,
            "arguments": arguments,
            "env": dict(os.environ),
            "cwd": os.getcwd(),
        }
        data = json.dumps(request).encode() + b"\n"
        sent = socket.send_fds(channel, [data[:1]], [0, 1, 2])
        channel.sendall(data[sent:])
        events = channel.makefile()
        pid = _event(events)["pid"]
    except (OSError, KeyError):
        channel.close()
        for number in PASSED_ON:
            signal.signal(number, signal.SIG_DFL)
        for came in early:
            os.kill(os.getpid(), came)
        os.execv(sys.executable, [sys.executable, "-m", *arguments])
    for number in PASSED_ON:
        signal.signal(number, lambda came, _: _send(pid, came))
    for came in early:
        _send(pid, came)
    # Only the forked program may hold its streams, so that closing one has an effect.
    for stream in (0, 1, 2):
        os.close(stream)
    code = _event(events).get("code")
    if code is None:  # the server is gone, and the program will end soon
        _send(pid, signal.SIGTERM)
        return 1
    if code < 0:
        with contextlib.suppress(OSError):  # no signal handler can be set for SIGKILL
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    return int(code)


def _event(events: Any) -> dict[str, int]:
    line = events.readline()
    return dict(json.loads(line)) if line else {}


def _send(pid: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(pid, number)


if __name__ == "__main__":
    sys.exit(main())

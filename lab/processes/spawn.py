"""Turns a fork of the guard into a server; safe because the guard has one thread."""

from __future__ import annotations

import ctypes
import os
import signal
from typing import Any

from lab.processes.proctree import LINUX

_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36
_libc = ctypes.CDLL(None) if LINUX else None


def become_subreaper() -> None:
    """From now on daemons of our descendants come to this process and not to init (Linux)."""
    if _libc:
        _libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def spawn(spec: dict[str, Any], output: int) -> int:
    """The pid of a new session running spec["argv"], with `output` as stdout and stderr.

    A program that cannot be run says so in its output and exits with 127. Raises OSError if no
    process can be made at all.
    """
    pid = os.fork()
    if pid == 0:
        _become(spec, output)
    return pid


def _become(spec: dict[str, Any], output: int) -> None:
    try:
        os.setsid()
        # Python ignores these signals, and an ignored signal stays ignored across an exec.
        for number in (signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(number, signal.SIG_DFL)
        null = os.open(os.devnull, os.O_RDONLY)
        for source, target in ((null, 0), (output, 1), (output, 2)):
            os.dup2(source, target)
        if _libc:  # should the guard itself be killed, its servers go too
            _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if spec.get("cpus"):
            os.sched_setaffinity(0, spec["cpus"])
        os.chdir(spec["cwd"])
        os.execvpe(spec["argv"][0], spec["argv"], spec["env"])
    except BaseException as error:
        os.write(2, f"cannot run {spec['argv'][0]}: {error}\n".encode())
    finally:
        os._exit(127)

"""Run commands at the same time. What the first one prints is shown as it comes, what each other
one prints as a whole when that one has ended.

python tools/side_by_side.py "ruff: ruff check ." "types: mypy"

Each argument is a name, a colon and a line for the shell. The exit code is 1 if one of them failed.
An interrupt, or a SIGTERM, ends all of them with all that they started.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress

LEAVE_S = 10.0  # what is interrupted may end by itself for as long


def run(jobs: list[tuple[str, str]]) -> list[str]:
    """Run all; return the names of those that failed."""
    failures: list[str] = []
    printing = threading.Lock()
    began = time.monotonic()

    def follow(name: str, process: subprocess.Popen[str]) -> None:
        output = process.communicate()[0] or ""
        if process.returncode:
            failures.append(name)
        with printing:
            outcome = f"failed with code {process.returncode}" if process.returncode else "done"
            print(f"== {name}: {outcome} after {time.monotonic() - began:.0f} s")
            print(output, end="" if output.endswith("\n") or not output else "\n", flush=True)

    processes: list[subprocess.Popen[str]] = []
    try:
        for _, command in jobs:
            start(command, processes)
        threads = [
            threading.Thread(target=follow, args=(name, process), daemon=True)
            for (name, _), process in zip(jobs, processes, strict=True)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        end(processes)
    return failures


ENDING = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}


def start(command: str, processes: list[subprocess.Popen[str]]) -> None:
    """Add the command, in a process group of its own, so that all of it can be ended; an interrupt
    waits until it is in the list.
    """
    shown = not processes
    old_mask = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)
    try:
        processes.append(
            subprocess.Popen(
                ["/bin/sh", "-c", command],
                stdin=subprocess.DEVNULL,
                stdout=None if shown else subprocess.PIPE,
                stderr=None if shown else subprocess.STDOUT,
                text=True,
                errors="replace",
                start_new_session=True,
                preexec_fn=lambda: signal.pthread_sigmask(signal.SIG_SETMASK, old_mask),  # noqa: PLW1509 - no thread runs yet
            )
        )
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, old_mask)


def end(processes: list[subprocess.Popen[str]]) -> None:
    """End what still runs: as Ctrl-C does, and after LEAVE_S with SIGKILL."""
    running = [process for process in processes if process.poll() is None]
    for process in running:
        signal_group(process, signal.SIGINT)
    deadline = time.monotonic() + LEAVE_S
    for process in running:
        with suppress(subprocess.TimeoutExpired):
            process.wait(max(0.0, deadline - time.monotonic()))
        signal_group(process, signal.SIGKILL)


def signal_group(process: subprocess.Popen[str], number: int) -> None:
    """Send a signal to the process and its children, if any of them is there."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, number)


def parsed(words: list[str]) -> list[tuple[str, str]]:
    """Name and command of each argument; ends the program where one has none."""
    jobs = [(name, command.strip()) for name, _, command in (w.partition(":") for w in words)]
    if not jobs or not all(name and command for name, command in jobs):
        sys.exit(__doc__)
    return jobs


def main() -> None:
    """Run what the arguments say."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler)
    try:
        failed = run(parsed(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
    if failed:
        sys.exit(f"Failed: {', '.join(failed)}. Their output is above.")


if __name__ == "__main__":
    main()

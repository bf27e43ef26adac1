"""What starting a server through `lab` costs over the program's own time to its listening line.

For each server, in turns: the program alone, from its creation to its line; and
`recipe.start()`, which also verifies the owner of the port and one GET. Beside it, what a guard
of its own would cost each server before the program even begins. Target: at most 20 ms.

    python bench/startup.py [--rounds 20] [server ...]
"""

from __future__ import annotations

import argparse
import os
import re
import socket
import statistics
import subprocess
import sys
import time

import lab
from lab import paths
from lab.processes import guard_link
from lab.servers import process
from lab.servers.recipe import Recipe

TARGET_MS = 20.0


def alone_ms(recipe: Recipe) -> float:
    """Milliseconds from creating the bare program to its listening line."""
    pattern = (recipe.listening or r"listening on (http://\S+)").encode()
    # The same environment: a NODE_EXTRA_CA_CERTS, say, costs Node more than all we measure here.
    env = {name: os.environ[name] for name in process.PASSED_ON if name in os.environ}
    env |= {**recipe.env, "PORT": "0", "PYTHONUNBUFFERED": "1"}
    began = time.perf_counter()
    program = subprocess.Popen(
        recipe.command,
        cwd=paths.ROOT,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    assert program.stdout is not None
    with program:
        for line in program.stdout:
            if re.search(pattern, line):
                took = time.perf_counter() - began
                break
        else:
            sys.exit(f"{recipe.name} ended before it listened")
        program.kill()
    return took * 1000


def through_lab_ms(recipe: Recipe) -> tuple[float, float]:
    """Milliseconds until `start()` returns, and until the line came in."""
    began = time.perf_counter()
    with recipe.start() as running:
        return (time.perf_counter() - began) * 1000, running.listening_s * 1000


def own_guard_ms() -> float:
    """Milliseconds until a fresh guard is ready to start its first server."""
    ours, theirs = socket.socketpair()
    began = time.perf_counter()
    guard = subprocess.Popen(
        [sys.executable, "-I", "-S", str(guard_link.GUARD)], stdin=theirs.fileno()
    )
    theirs.close()
    ours.recv(1)
    took = time.perf_counter() - began
    ours.close()
    guard.wait()
    return took * 1000


def row(label: str, times_ms: list[float]) -> str:
    """One line of the report."""
    low, middle, high = min(times_ms), statistics.median(times_ms), max(times_ms)
    return f"  {label:34} {low:8.1f} {middle:8.1f} {high:8.1f}"


def main() -> int:
    """Print the report; 1 if a server missed the target."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("servers", nargs="*", default=["node/hello", "python/flask-hello"])
    parser.add_argument("--rounds", type=int, default=20)
    options = parser.parse_args()
    n_missed = 0
    process.prepare()
    print(f"{'milliseconds':36} {'min':>8} {'median':>8} {'max':>8}")
    print(
        row("a guard of its own, before anything", [own_guard_ms() for _ in range(options.rounds)])
    )
    for name in options.servers:
        recipe = lab.server(name)
        alone, whole, line = [], [], []
        through_lab_ms(recipe)  # the first start of a process also starts its guard
        for turn in range(options.rounds):
            for bare in (True, False) if turn % 2 else (False, True):
                if bare:
                    alone.append(alone_ms(recipe))
                else:
                    started, listened = through_lab_ms(recipe)
                    whole.append(started)
                    line.append(listened)
        cost = statistics.median(whole) - statistics.median(alone)
        n_missed += cost > TARGET_MS
        print(name)
        print(row("alone, to its line", alone))
        print(row("lab, to its line", line))
        print(row("lab, verified", whole))
        verdict = "within" if cost <= TARGET_MS else "MISSES"
        print(f"  cost (medians) {cost:.1f} ms: {verdict} the target of {TARGET_MS:g} ms")
    return 1 if n_missed else 0


if __name__ == "__main__":
    sys.exit(main())

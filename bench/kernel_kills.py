"""Kills Jupyter kernels while their servers run, and counts who survives: it must be nobody.

Each kernel starts a Node server, a Node cluster, a Python server that forks workers the way
gunicorn does, and one that leaves a daemon in a session of its own. It is killed with SIGKILL;
two seconds later no process and no listening port of it may be left.

    python bench/kernel_kills.py [--times 10]
"""

from __future__ import annotations

import argparse
import atexit
import os
import shutil
import signal
import socket
import statistics
import sys
import tempfile
import time

os.environ["LAB_STATE"] = tempfile.mkdtemp(prefix="lab-kernel-kills-")

from jupyter_client.manager import KernelManager

from lab import paths
from lab.processes import guard_link, proctree
from lab.servers import sockets

LIMIT_S = 2.0

SERVE = """
import os, signal, socket, subprocess, sys, time
listener = socket.create_server(("127.0.0.1", 0))
port = listener.getsockname()[1]
answer = b"HTTP/1.1 200 OK\\r\\ncontent-length: 2\\r\\nconnection: close\\r\\n\\r\\nok"
def serve():
    while True:
        client, _ = listener.accept()
        with client:
            client.recv(65536)
            client.sendall(answer)
"""
# A master that only waits, and workers that it forked and that share its socket.
FORKS = (
    SERVE
    + """
for _ in range(3):
    if os.fork() == 0:
        serve()
print(f"listening on http://127.0.0.1:{port}", flush=True)
while True:
    time.sleep(1)
"""
)
# A daemon the classical way: fork, a session of its own, fork again, and on with the socket.
DAEMON = (
    SERVE
    + """
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        while True:
            time.sleep(1)
    os._exit(0)
print(f"listening on http://127.0.0.1:{port}", flush=True)
serve()
"""
)
CLUSTER = """
import cluster from "node:cluster";
import { createServer } from "node:http";
if (cluster.isPrimary) {
  cluster.fork();
  cluster.fork();
  cluster.once("listening", (_worker, { port }) =>
    console.log(`listening on http://127.0.0.1:${port}`));
} else {
  createServer((_request, response) => response.end("ok"))
    .listen(Number(process.env.PORT), "127.0.0.1");
}
"""

IN_KERNEL = f"""
import lab
from lab.servers import catalog
servers = [lab.server("node/hello").start()] + [
    catalog.define(name, text).start()
    for name, text in {{
        "python/kill-forks": {FORKS!r}, "python/kill-daemon": {DAEMON!r},
        "node/kill-cluster": {CLUSTER!r},
    }}.items()
]
print(*[server.port for server in servers])
"""


def processes_of(kernel: int) -> set[int]:
    """Every live process that a kernel's servers consist of, wherever it fled, and its guard."""
    table = proctree.processes()
    mine = {pid for pid in table if (proctree.owner(pid) or "").startswith(f"{kernel}-")}
    return mine | {pid for pid, one in table.items() if one.parent == kernel and is_guard(pid)}


def is_guard(pid: int) -> bool:
    """Is this a guard of servers?"""
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:  # noqa: PTH123
            return str(guard_link.GUARD).encode() in file.read()
    except OSError:
        return False


def answers(port: int) -> bool:
    """Does anybody listen there?"""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def kill_one(number: int) -> tuple[float, int, int, int]:
    """Seconds until all were gone, processes there were, and what was left: processes, ports."""
    # No ports: another program may take the ports that are chosen for the kernel.
    manager = KernelManager(kernel_name="python3", transport="ipc")
    manager.ip = str(paths.STATE / f"kernel-{number}")
    manager.start_kernel(cwd=str(paths.ROOT))
    client = manager.client()
    client.start_channels()
    client.wait_for_ready(timeout=60)
    ports: list[int] = []
    trouble: list[str] = []

    def collect(message: dict) -> None:
        content = message["content"]
        if message["msg_type"] == "stream" and content["name"] == "stdout":
            ports.extend(int(word) for word in content["text"].split())
        elif message["msg_type"] == "error":
            trouble.append("\n".join(content["traceback"]))

    client.execute_interactive(IN_KERNEL, output_hook=collect, timeout=60)
    pid = manager.provisioner.pid
    if trouble or len(ports) != 4:
        manager.shutdown_kernel(now=True)
        sys.exit(f"the kernel could not start its servers: {trouble or ports}")
    pids = processes_of(pid)
    os.kill(pid, signal.SIGKILL)
    kill_s = time.monotonic()
    while (survivors := {p for p in pids if proctree.start_ticks(p) is not None}) and (
        time.monotonic() - kill_s < LIMIT_S
    ):
        time.sleep(0.005)
    took = time.monotonic() - kill_s
    survivors |= processes_of(pid)
    open_ports = [port for port in ports if answers(port) or sockets.listeners(port)]
    client.stop_channels()
    manager.shutdown_kernel(now=True)
    manager.cleanup_resources()
    for survivor in survivors:  # clean up what the guard left
        os.kill(survivor, signal.SIGKILL)
    return took, len(pids), len(survivors), len(open_ports)


def main() -> int:
    """Print one line per kernel and the sum; 1 if anybody survived."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--times", type=int, default=10)
    times = parser.parse_args().times
    atexit.register(shutil.rmtree, paths.STATE, ignore_errors=True)
    took: list[float] = []
    n_ended = processes = ports = 0
    for number in range(1, times + 1):
        seconds, n_gone, n_left, open_ports = kill_one(number)
        took.append(seconds)
        n_ended, processes, ports = n_ended + n_gone, processes + n_left, ports + open_ports
        print(f"{number:4}  {n_gone} processes gone in {seconds:5.2f} s, left: {n_left} processes, "
              f"{open_ports} ports", flush=True)  # fmt: skip
    print(
        f"{times} kernels killed, {n_ended} processes ended; left: {processes} processes, "
        f"{ports} ports; gone within {statistics.median(took):.2f} s (median), "
        f"{max(took):.2f} s (longest)"
    )
    return 1 if processes or ports else 0


if __name__ == "__main__":
    sys.exit(main())

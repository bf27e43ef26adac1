"""wire.py DELAY_MS LOSS_PERCENT SEED SERVER CLIENT: two programs with a line of ours between them.

Each program has a network of its own, with one other end. This process carries the packets from one
to the other: each arrives DELAY_MS later, or not at all. Networks last as long as the processes in
them, so nothing is left when this one ends, however it ends. Linux only, as root. SERVER and CLIENT
are files for Node: the one gets two sockets that listen (SOCKETS), the other their address.
"""

import ctypes
import fcntl
import json
import os
import random
import select
import signal
import socket
import struct
import subprocess
import sys
import time
from collections import deque
from pathlib import Path

NEW_NETWORK, DIE_WITH_PARENT = 0x40000000, 1
TUN, NO_HEADER, SET_TUN = 0x0001, 0x1000, 0x400454CA
ADDRESS, PEER, FLAGS, UP = 0x8916, 0x8918, 0x8914, 0x1
HERE, THERE = "10.9.0.1", "10.9.0.2"
libc = ctypes.CDLL(None, use_errno=True)


def network(own: str, peer: str) -> int:
    """Move this process into a new network. Return its door, from which its packets are read."""
    if libc.unshare(NEW_NETWORK):
        raise OSError(ctypes.get_errno(), "a network of its own needs root")
    door = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
    fcntl.ioctl(door, SET_TUN, struct.pack("16sH22x", b"wire", TUN | NO_HEADER))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        for what, address in ((ADDRESS, own), (PEER, peer)):
            packed = struct.pack("16sHH4s8x", b"wire", socket.AF_INET, 0, socket.inet_aton(address))
            fcntl.ioctl(control, what, packed)
        fcntl.ioctl(control, FLAGS, struct.pack("16sH14x", b"wire", UP))
    return door


def listening() -> socket.socket:
    """Return a socket that listens, with the congestion control that Linux comes with."""
    listener = socket.create_server((HERE, 0), backlog=64)
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, b"cubic")
    return listener


def dies_with_parent() -> None:
    """Ask the kernel to end this process when its parent ends."""
    libc.prctl(DIE_WITH_PARENT, signal.SIGKILL)


def carry(
    doors: tuple[int, int], delay_s: float, loss: float, client: subprocess.Popen[bytes]
) -> tuple[int, int]:
    """Carry packets until the client has ended; return how many came, and how many were lost.

    The end of standard input is that of the process that started this one.
    """
    other = {doors[0]: doors[1], doors[1]: doors[0]}
    under_way: deque[tuple[float, int, bytes]] = deque()
    came = lost = 0
    while client.poll() is None:
        wait = under_way[0][0] - time.monotonic() if under_way else 0.05
        ready, _, _ = select.select([*doors, sys.stdin], [], [], min(max(wait, 0), 0.05))
        if sys.stdin in ready:
            break
        for door in ready:
            packet = os.read(door, 65536)
            came += 1
            # Only what carries data back to the client is lost: a response.
            if door == doors[0] and len(packet) > 100 and random.random() < loss:
                lost += 1
            else:
                under_way.append((time.monotonic() + delay_s, other[door], packet))
        while under_way and under_way[0][0] <= time.monotonic():
            _, door, packet = under_way.popleft()
            os.write(door, packet)
    return came, lost


def counters(pid: int) -> dict[str, int]:
    """Return what the kernel has counted in the network of a process, of TCP."""
    text = Path(f"/proc/{pid}/net/netstat").read_text()
    names, values = (line.split()[1:] for line in text.splitlines() if line.startswith("TcpExt:"))
    return dict(zip(names, map(int, values), strict=True))


def main() -> int:
    """Run both programs, and print what became of the packets."""
    delay_ms, percent, seed, server_file, client_file = sys.argv[1:6]
    random.seed(int(seed))
    dies_with_parent()
    node = os.environ.get("NODE", "node")
    first = network(HERE, THERE)
    listeners = listening(), listening()
    sockets = [listener.fileno() for listener in listeners]
    ports = [str(listener.getsockname()[1]) for listener in listeners]
    env = {**os.environ, "SOCKETS": " ".join(map(str, sockets))}
    command = [node, server_file]
    # Before exec, which is safe here: this process has no threads.
    server = subprocess.Popen(
        command,
        pass_fds=sockets,
        env=env,
        preexec_fn=dies_with_parent,  # noqa: PLW1509
    )
    try:
        second = network(THERE, HERE)
        command = [node, client_file, HERE, *ports]
        client = subprocess.Popen(
            command,
            preexec_fn=dies_with_parent,  # noqa: PLW1509
        )
        try:
            delay_s, loss = float(delay_ms) / 1000, float(percent) / 100
            came, lost = carry((first, second), delay_s, loss, client)
            of_server = counters(server.pid)
        finally:
            client.kill()
            client.wait()
    finally:
        server.kill()
        server.wait()
    timers = sum(of_server.get(name, 0) for name in ("TCPTimeouts", "TCPLossProbes"))
    early = of_server.get("TCPFastRetrans", 0)
    print(json.dumps({"packets": came, "lost": lost, "byTimer": timers, "early": early}))
    return client.returncode


if __name__ == "__main__":
    sys.exit(main())

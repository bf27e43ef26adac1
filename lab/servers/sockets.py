"""Ports of this machine: which are free, who listens on one, and whether that is our process."""

from __future__ import annotations

import contextlib
import errno
import ipaddress
import os
import random
import socket
import struct
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from lab.errors import LabError

# Below the range from which systems take the client's side of connections, so that a load
# generator cannot sit on a port that a server was promised.
_LOWEST, _HIGHEST = 20000, 32000
_given: set[int] = set()
_TABLES = ("tcp", "tcp6")


_ACCEPTS = 0x10000  # of a UNIX socket in Linux's table: it listens

# How Linux is asked for sockets: sock_diag(7) and netlink(7) have the layouts and the numbers.
_SOCK_DIAG, _BY_FAMILY, _LISTENS = 4, 20, 10
_REQUEST, _DUMP, _ERROR, _DONE = 0x1, 0x300, 2, 3
_HEADER = struct.Struct("=IHHII")  # of a message: its length, kind, flags, number and port
_ANSWER = struct.Struct("=4xH2x16s16x4x8x4xI4x4xI")  # port, address, queue, inode
_DIAGNOSIS_S = 1.0  # it is answered at once or not at all


class PortTaken(LabError):
    """Another program listens on the port that a server was told to use."""


@dataclass(frozen=True)
class Listener:
    """A socket that listens: its address, and where the system tells, its number and owner."""

    address: str
    inode: str = ""
    port: int = 0
    pid: int | None = None
    unaccepted: int = 0  # connections that are complete and wait for `accept`

    @property
    def loopback(self) -> bool:
        """Is it for this machine only?"""
        return ipaddress.ip_address(self.address).is_loopback


def free_port() -> int:
    """A port nobody listens on, which this process did not give out before."""
    for _ in range(1000):
        port = random.randrange(_LOWEST, _HIGHEST)
        if port not in _given and is_free(port):
            _given.add(port)
            return port
    raise PortTaken(
        f"There is no free port between {_LOWEST} and {_HIGHEST}. Check with lab.ps() whether "
        "many servers are running."
    )


def is_free(port: int) -> bool:
    """Could a server listen on 127.0.0.1:`port` now?"""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as servers do
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            if error.errno in (errno.EADDRINUSE, errno.EACCES):
                return False
            raise
    return True


def listeners(port: int, pids: Iterable[int] = ()) -> list[Listener]:
    """Return the processes that listen on a port. Without /proc, only those of `pids` are found."""
    if not sys.platform.startswith("linux"):
        return [one for one in _by_psutil(pids) if one.port == port]
    for table in _TABLES:
        found = [one for one in _listed(table) if one.port == port]
        if found:  # each table costs a walk through all sockets
            return found
    return []


def listening(pids: Iterable[int]) -> list[Listener]:
    """Every socket on which one of these processes listens."""
    if not sys.platform.startswith("linux"):
        return _by_psutil(pids)
    mine = list(pids)
    return [one for table in _TABLES for one in _listed(table) if owned_by(one, mine)]


def unix_paths(pids: Iterable[int]) -> list[str]:
    """The paths of UNIX sockets on which one of these processes listens, where Linux tells."""
    mine = list(pids)
    paths = []
    with contextlib.suppress(OSError), Path("/proc/net/unix").open() as lines:
        next(lines)
        for line in lines:
            _, _, _, flags, _, _, inode, *path = line.split(maxsplit=7)
            listens = int(flags, 16) & _ACCEPTS
            if listens and path and owned_by(Listener("", inode), mine):
                paths.append(path[0].rstrip("\n"))
    return paths


def outside(server_pids: Callable[[], Iterable[int]]) -> list[Listener]:
    """The sockets of processes that listen where other machines can reach them.

    server_pids : returns their pids; called only if any process on this machine listens so.
    """
    if not sys.platform.startswith("linux"):
        return [listener for listener in _by_psutil(server_pids()) if not listener.loopback]
    open_to_all = [
        listener for table in _TABLES for listener in _listed(table) if not listener.loopback
    ]
    pids = list(server_pids()) if open_to_all else []
    return [listener for listener in open_to_all if owned_by(listener, pids)]


def unaccepted(port: int) -> int | None:
    """How many connections to a port are complete and not accepted yet; None where the system does
    not tell.
    """
    if not sys.platform.startswith("linux"):
        return None
    return sum(one.unaccepted for table in _TABLES for one in _listed(table) if one.port == port)


def _listed(table: str) -> list[Listener]:
    """All that listen on this machine, by one of Linux's tables."""
    family = socket.AF_INET if table == "tcp" else socket.AF_INET6
    try:
        return list(_diagnosed(family))
    except (OSError, struct.error):  # a kernel or a sandbox that does not answer such questions
        return list(_tabled(table))


def _diagnosed(family: int) -> Iterator[Listener]:
    """What the kernel answers when it is asked for those that listen alone, as `ss -lt` does.

    Its table in /proc costs 3 ms: behind those that listen it goes through all connections.
    Raises OSError if it does not answer.
    """
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, _SOCK_DIAG) as kernel:
        kernel.settimeout(_DIAGNOSIS_S)
        request = struct.pack("=BBBxI48x", family, socket.IPPROTO_TCP, 0, 1 << _LISTENS)
        length = _HEADER.size + len(request)
        kernel.sendall(_HEADER.pack(length, _BY_FAMILY, _REQUEST | _DUMP, 1, 0) + request)
        while True:
            data, at = kernel.recv(1 << 16), 0
            while at < len(data):
                length, kind, _, _, _ = _HEADER.unpack_from(data, at)
                if kind == _ERROR:
                    raise OSError(-struct.unpack_from("=i", data, at + _HEADER.size)[0])
                if kind == _DONE:
                    return
                port, address, waiting, inode = _ANSWER.unpack_from(data, at + _HEADER.size)
                packed = address[:4] if family == socket.AF_INET else address
                yield Listener(_address(packed), str(inode), socket.ntohs(port), unaccepted=waiting)
                at += (length + 3) & ~3  # messages begin at multiples of four


def _tabled(table: str) -> Iterator[Listener]:
    with contextlib.suppress(OSError), Path(f"/proc/net/{table}").open() as lines:
        next(lines)
        for line in lines:
            fields = line.split()
            if fields[3] != "0A":  # the kernel lists those that listen first,
                break  # and thousands of closed connections may follow
            digits, _, number = fields[1].partition(":")
            # Words of 32 bits, each as the processor stores it.
            words = [digits[i : i + 8] for i in range(0, len(digits), 8)]
            packed = b"".join(int(word, 16).to_bytes(4, sys.byteorder) for word in words)
            waiting = int(fields[4].rpartition(":")[2], 16)  # the receive queue
            yield Listener(_address(packed), fields[9], int(number, 16), unaccepted=waiting)


def owned_by(listener: Listener, pids: Iterable[int]) -> bool:
    """Does one of these processes hold the listening socket?"""
    if listener.pid is not None:
        return listener.pid in set(pids)
    link = f"socket:[{listener.inode}]"
    for pid in pids:
        with contextlib.suppress(OSError):
            folder = f"/proc/{pid}/fd"
            for name in os.listdir(folder):  # noqa: PTH208 - hundreds, at each start
                with contextlib.suppress(OSError):
                    if os.readlink(f"{folder}/{name}") == link:  # noqa: PTH115
                        return True
    return False


def _address(packed: bytes) -> str:
    address = ipaddress.ip_address(packed)
    mapped = getattr(address, "ipv4_mapped", None)
    return str(mapped or address)


def _by_psutil(pids: Iterable[int]) -> list[Listener]:
    import psutil

    listeners = []
    for pid in pids:
        with contextlib.suppress(psutil.Error):
            for connection in psutil.Process(pid).net_connections("tcp"):
                if connection.status == psutil.CONN_LISTEN:
                    ip, port = connection.laddr.ip, connection.laddr.port
                    listeners.append(Listener(ip, port=port, pid=pid))
    return listeners

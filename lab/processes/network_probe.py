"""Make a network with a TUN device in it, as a program with a line of ours does, and end.

`machine.may_have_networks` runs this file in a process of its own, and the network ends with that
process. Any failure means that such networks are not to be had here.
"""

import ctypes
import fcntl
import os
import socket
import struct
import sys
from pathlib import Path

NEW_NETWORK, TUN_WITHOUT_HEADER, SET_TUN = 0x40000000, 0x1001, 0x400454CA
SET_FLAGS, UP = 0x8914, 0x1


def main() -> int:
    """Return 0 if everything that such a program needs is there."""
    if ctypes.CDLL(None, use_errno=True).unshare(NEW_NETWORK):
        return 1
    door = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
    fcntl.ioctl(door, SET_TUN, struct.pack("16sH22x", b"probe", TUN_WITHOUT_HEADER))
    with socket.socket() as control:
        fcntl.ioctl(control, SET_FLAGS, struct.pack("16sH14x", b"probe", UP))
        control.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, b"cubic")
    return 0 if "TCPFastRetrans" in Path("/proc/self/net/netstat").read_text() else 1


if __name__ == "__main__":
    sys.exit(main())

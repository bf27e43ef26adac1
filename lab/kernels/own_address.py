"""An address of this machine for the kernels that one process starts.

Jupyter looks for free ports and closes them again; the kernel opens them once it has started. On a
busy machine another program may take one of the ports in between, and then the kernel ends. On
Linux all of 127.0.0.0/8 is this machine, so each process has its own address, whose ports no other
process takes.
"""

from __future__ import annotations

import os
import socket

from jupyter_client import localinterfaces

USUAL = "127.0.0.1"


def own_address() -> str:
    """Return the address for the kernels of this process, or the usual address if no other is
    available.
    """
    pid = os.getpid()
    address = f"127.{64 + (pid >> 16) % 64}.{pid >> 8 & 255}.{pid & 255}"
    try:
        with socket.socket() as trial:
            trial.bind((address, 0))
    except OSError:  # as on macOS, which has one address alone
        return USUAL
    if address not in localinterfaces.local_ips():  # Jupyter starts no kernel elsewhere
        localinterfaces.LOCAL_IPS.append(address)
    return address

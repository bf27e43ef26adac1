"""pretend.py CPU_MAX COMMAND...: a command that sees a group of version 2 with this cpu.max.

The files are text of ours in a mount namespace that ends with the command, so nothing is limited.
Needs root, or a system that lets its users make namespaces.
"""

import ctypes
import os
import sys
from pathlib import Path

NEW_MOUNTS, NEW_USER = 0x00020000, 0x10000000
BIND, RECURSIVE, PRIVATE = 4096, 16384, 1 << 18
GROUP = Path("/sys/fs/cgroup/app")
libc = ctypes.CDLL(None, use_errno=True)


def checked(result: int, what: str) -> None:
    """Raise an error if a call of the C library failed."""
    if result:
        raise OSError(ctypes.get_errno(), what)


def mount(source: str, target: str, kind: bytes | None, flags: int) -> None:
    """Mount in this namespace."""
    checked(libc.mount(source.encode(), target.encode(), kind, flags, None), f"mount {target}")


def namespace() -> None:
    """Move this process into mounts of its own, if need be as a user of its own."""
    if libc.unshare(NEW_MOUNTS):
        user = os.getuid()
        checked(libc.unshare(NEW_MOUNTS | NEW_USER), "namespaces")
        Path("/proc/self/uid_map").write_text(f"0 {user} 1")
    mount("none", "/", None, RECURSIVE | PRIVATE)


def main() -> None:
    """Write the files, and become the command."""
    quota, *command = sys.argv[1:]
    namespace()
    mount("none", "/sys/fs/cgroup", b"tmpfs", 0)
    GROUP.mkdir()
    for folder in (GROUP, GROUP.parent):
        (folder / "cgroup.controllers").write_text("cpu memory\n")
    (GROUP / "cpu.max").write_text(f"{quota}\n")
    (GROUP / "memory.max").write_text("max\n")
    (GROUP / "memory.high").write_text("max\n")
    own = GROUP.parent / "own"
    own.write_text("0::/app\n")
    mount(str(own), f"/proc/{os.getpid()}/cgroup", None, BIND)
    os.execv(command[0], command)


if __name__ == "__main__":
    main()

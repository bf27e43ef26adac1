"""Where a hand-in runs: a sandbox in which it can reach nothing, and a driver outside of it.

Two sandboxes, one within the other (bubblewrap). The outer one has processes, mounts and a loopback
of its own; in it runs
the driver (lab/node/grader), which sees the exercise. For each process of the hand-in the driver
makes an inner one, which
sees Node, the hand-in and an empty folder, and shares nothing with the driver but the loopback and
the pipes it was given.
Without bubblewrap there is no sandbox: own work is checked all the same and marked, other people's
is refused.
"""

from __future__ import annotations

import functools
import os
import platform
import shutil
import struct
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lab import paths
from lab.errors import LabError

GRADER = paths.NODE_SIDE / "grader"
OWN = paths.ROOT / "tools" / "sandbox" / "bwrap"
BUBBLEWRAP, NONE = "bubblewrap", "none"
SCRATCH_MIB = 256
# What a program finds its libraries by; of /usr nothing else is in the inner sandbox: no shell, no
# compiler, no interpreter.
SYSTEM = ("/lib", "/lib64", "/lib32", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d")
LIBRARIES = ("/usr/lib", "/usr/lib64", "/usr/local/lib", "/usr/share/nodejs", "/nix/store")
MACHINE = ("/proc/cpuinfo", "/proc/stat", "/proc/meminfo", "/proc/loadavg", "/proc/uptime")
PROGRAMS = ("/usr", "/bin", "/sbin", "/nix/store")
NO_SANDBOX = (
    "There is no sandbox on this machine: bubblewrap (`bwrap`) is missing or may not make one. "
    "Your own work can be checked "
    "without; other people's programs would run with your rights. On Debian and Ubuntu: `sudo "
    "apt-get install bubblewrap`."
)


class NoSandbox(LabError):
    """Other people's programs shall run, and nothing would hold them."""


@functools.cache
def bubblewrap() -> str | None:
    """The path of a bubblewrap that can make both sandboxes here, or None."""
    for place in (os.environ.get("LAB_BWRAP"), shutil.which("bwrap"), str(OWN)):
        if place and Path(place).exists() and _works(place):
            return os.path.realpath(place)
    return None


def _works(program: str) -> bool:
    """Whether it can make a sandbox in a sandbox: containers often forbid it."""
    one = [
        program,
        "--unshare-all",
        "--ro-bind",
        "/",
        "/",
        "--proc",
        "/proc",
        "--dev",
        "/dev",
        "--",
    ]
    two = [
        program,
        "--unshare-user",
        "--unshare-pid",
        "--ro-bind",
        "/",
        "/",
        "--dev",
        "/dev",
        "--",
        "/bin/true",
    ]
    try:
        return (
            subprocess.run(one + two, capture_output=True, timeout=10, check=False).returncode == 0
        )
    except (OSError, subprocess.TimeoutExpired):
        return False


def _mounts(*places: str) -> list[str]:
    words: list[str] = []
    for place in places:
        path = Path(place)
        if path.is_symlink():
            words += ["--symlink", str(path.readlink()), place]
        elif path.exists():
            words += ["--ro-bind", place, place]
    return words


def inner(node: str, kind: str) -> list[str]:
    """The command that a process of the hand-in begins with; @HAND and @WORK are folders that the
    driver makes.
    """
    if kind == NONE:
        return [node]
    return [
        "/bwrap",
        *(
            "--unshare-user",
            "--unshare-pid",
            "--unshare-ipc",
            "--unshare-uts",
            "--unshare-cgroup-try",
        ),
        *("--die-with-parent", "--new-session"),
        *_mounts(*SYSTEM, *LIBRARIES),
        *("--ro-bind", "/grader/hosts", "/etc/hosts"),  # so that "localhost" is known
        # Of /proc what os.cpus() and process.memoryUsage() ask for, and nothing by which a program
        # could look into its own memory: the key of its channel is there.
        *(word for file in MACHINE for word in ("--ro-bind", file, file)),
        *("--ro-bind", "/grader/stat", "/proc/self/stat"),
        *("--ro-bind", "/grader/closed.cjs", "/closed.cjs"),  # what its threads begin with
        *(
            "--ro-bind",
            "/node",
            "/node",
            "--dev",
            "/dev",
            "--size",
            str(64 << 20),
            "--tmpfs",
            "/tmp",
        ),
        *("--size", str(1 << 20), "--tmpfs", "/dev/shm"),
        *("--ro-bind", "@HAND", "/hand", "--bind", "@WORK", "/own", "--chdir", "/own"),
        # What bubblewrap made to mount all that on has no size: whoever may write there fills the
        # memory of the machine.
        *("--remount-ro", "/dev", "--remount-ro", "/"),
        "--",
        "/node",
    ]


@contextmanager
def driver(
    exercise: Path, hand_in: Path, node: str, kind: str
) -> Iterator[tuple[list[str], dict[str, str], tuple[int, ...]]]:
    """The command of the driver up to its arguments, the places it knows, and descriptors it must
    be given.
    """
    if kind == NONE:
        with tempfile.TemporaryDirectory(prefix="lab-check-") as scratch:
            where = {"exercise": str(exercise), "handIn": str(hand_in), "scratch": scratch}
            yield [node, str(GRADER / "main.mjs")], where, ()
        return
    program = bubblewrap()
    if program is None:
        raise NoSandbox(NO_SANDBOX)
    rules = os.memfd_create("seccomp")
    try:
        held = os.write(rules, _seccomp())
        os.lseek(rules, 0, os.SEEK_SET)
        yield (
            [
                program,
                *("--unshare-all", "--die-with-parent", "--new-session", "--clearenv"),
                *(_mounts(*PROGRAMS, *SYSTEM)),
                *("--ro-bind", os.path.realpath(node), "/node", "--ro-bind", program, "/bwrap"),
                *("--ro-bind", str(GRADER), "/grader", "--ro-bind", str(exercise), "/exercise"),
                *("--ro-bind", str(hand_in), f"/hand-in/{hand_in.name}"),
                *("--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"),
                *(
                    "--size",
                    str(SCRATCH_MIB << 20),
                    "--tmpfs",
                    "/scratch",
                    "--setenv",
                    "PATH",
                    "/usr/bin:/bin",
                ),
                *(("--seccomp", str(rules)) if held else ()),
                "--",
                *("/node", "/grader/main.mjs"),
            ],
            {"exercise": "/exercise", "handIn": f"/hand-in/{hand_in.name}", "scratch": "/scratch"},
            (rules,),
        )
    finally:
        os.close(rules)


# Calls by which one process looks into another, or changes the kernel: nothing that Node needs.
_NUMBERS = {  # name: on x86_64, on aarch64
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "pidfd_getfd": (438, 438),
    "kcmp": (312, 272),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "kexec_load": (246, 104),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "open_by_handle_at": (304, 265),
    "io_uring_setup": (425, 425),  # what is asked for by way of a ring passes by this filter
}
_ARCHITECTURES = {
    "x86_64": (0, 0xC000003E),
    "aarch64": (1, 0xC00000B7),
}  # AUDIT_ARCH_* of linux/audit.h
_ALLOW, _EPERM, _KILL = 0x7FFF0000, 0x00050001, 0x80000000
_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_X32 = 0x40000000  # calls of x86_64 have other numbers from here on, where a kernel knows x32


def _seccomp() -> bytes:
    """A filter that answers EPERM to those calls, and to all of x32, and ends who calls by another
    architecture's numbers; nothing elsewhere.

    Classic BPF over `struct seccomp_data`: its first word is the call's number, its second the
    architecture (seccomp(2)).
    """
    if platform.machine() not in _ARCHITECTURES:
        return b""
    column, architecture = _ARCHITECTURES[platform.machine()]
    calls = [numbers[column] for numbers in _NUMBERS.values()]
    lines = [
        (_LOAD, 0, 0, 4),
        (_EQUAL, 1, 0, architecture),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, 0),
    ]
    if column == 0:
        lines.append((_AT_LEAST, len(calls) + 1, 0, _X32))
    lines += [(_EQUAL, len(calls) - at, 0, call) for at, call in enumerate(calls)]
    lines += [(_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _EPERM)]
    return b"".join(struct.pack("=HBBI", *line) for line in lines)

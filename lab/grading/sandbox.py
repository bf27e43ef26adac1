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
NO_CAPABILITIES = ("--cap-drop", "ALL")
RULES = 4  # the descriptor at which the driver gives bubblewrap the filter of `inner_filter`
MACHINE = ("/proc/cpuinfo", "/proc/stat", "/proc/meminfo", "/proc/loadavg", "/proc/uptime")
PROGRAMS = ("/usr", "/bin", "/sbin", "/nix/store")
NO_SANDBOX = (
    "There is no sandbox on this machine: bubblewrap (`bwrap`) is missing or is not allowed to "
    "make one. Your own work can be checked without one, but other people's programs would run "
    "with your rights. On Debian and Ubuntu: `sudo apt-get install bubblewrap`."
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


def _works(program: str, *more: str) -> bool:
    """Whether it can make a sandbox in a sandbox: containers often forbid it. `more` is for the
    inner one.
    """
    all_of_it = ("--ro-bind", "/", "/", "--dev", "/dev")
    outer = [program, "--unshare-all", *_capabilities(), *all_of_it, "--proc", "/proc", "--"]
    user = ("--unshare-user", "--unshare-pid", *NO_CAPABILITIES, *more)
    within = [program, *user, *all_of_it, "--", "/bin/true"]
    try:
        done = subprocess.run(outer + within, capture_output=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def _capabilities() -> tuple[str, ...]:
    """Of those that root has, the driver keeps the one by which it may make the inner sandbox's
    user namespace, in which root is root; others have none, and bubblewrap would not give them one.
    """
    root = os.geteuid() == 0
    return (*NO_CAPABILITIES, *(("--cap-add", "CAP_SETFCAP") if root else ()))


@functools.cache
def _no_namespaces(program: str) -> tuple[str, ...]:
    """What keeps a hand-in from making namespaces, where it would have all capabilities again.
    Bubblewrap knows it since 0.8.
    """
    word = ("--disable-userns",)
    return word if _works(program, *word) else ()


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
    program = bubblewrap()
    if kind == NONE or program is None:
        return [node]
    return [
        "/bwrap",
        *NO_CAPABILITIES,
        *_no_namespaces(program),
        *(("--seccomp", str(RULES)) if inner_filter() else ()),
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
    exercise: Path, common: Path | None, hand_in: tuple[Path, str], node: str, kind: str
) -> Iterator[tuple[list[str], dict[str, str], tuple[int, ...]]]:
    """The command of the driver up to its arguments, the places it knows, and descriptors it must
    be given.

    common : what the checks of a project share, if the exercise is of one.
    hand_in : a folder, and the path in it of the program that is started.
    """
    folder, name = hand_in
    if kind == NONE:
        with tempfile.TemporaryDirectory(prefix="lab-check-") as scratch:
            places = {
                "exercise": str(exercise),
                "handIn": str(folder / name),
                "handIns": str(folder),
                "shared": str(common or ""),
                "scratch": scratch,
            }
            yield [node, str(GRADER / "main.mjs")], places, ()
        return
    program = bubblewrap()
    if program is None:
        raise NoSandbox(NO_SANDBOX)
    rules = os.memfd_create("seccomp")
    try:
        bytes_written = os.write(rules, _filter(_NUMBERS))
        os.lseek(rules, 0, os.SEEK_SET)
        yield (
            [
                program,
                *("--unshare-all", "--die-with-parent", "--new-session", "--clearenv"),
                *_capabilities(),
                *(_mounts(*PROGRAMS, *SYSTEM)),
                *("--ro-bind", os.path.realpath(node), "/node", "--ro-bind", program, "/bwrap"),
                *("--ro-bind", str(GRADER), "/grader", "--ro-bind", str(exercise), "/exercise"),
                *("--ro-bind", str(folder), "/hand-in"),
                *(("--ro-bind", str(common), "/shared.mjs") if common else ()),
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
                *(("--seccomp", str(rules)) if bytes_written else ()),
                "--",
                *("/node", "/grader/main.mjs"),
            ],
            {
                "exercise": "/exercise",
                "handIn": f"/hand-in/{name}",
                "handIns": "/hand-in",
                "shared": "/shared.mjs" if common else "",
                "scratch": "/scratch",
            },
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
# Beyond that, in a process of the hand-in, which bubblewrap has made by these calls itself: memory
# that no process is seen to have, other namespaces and mounts, and timers that wake who is stopped.
_INNER_NUMBERS = {
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "shmget": (29, 194),
    "msgget": (68, 186),
    "semget": (64, 190),
    "mq_open": (240, 180),
    "timer_create": (222, 107),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "unshare": (272, 97),
    "setns": (308, 268),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "fanotify_init": (300, 262),
}
_CLONE, _CLONE3 = (56, 220), (435, 435)
_CLONE_NEW = 0x7E020000  # CLONE_NEW*, each kind of namespace that clone(2) makes
_ARCHITECTURES = {
    "x86_64": (0, 0xC000003E),
    "aarch64": (1, 0xC00000B7),
}  # AUDIT_ARCH_* of linux/audit.h
_ALLOW, _EPERM, _KILL = 0x7FFF0000, 0x00050001, 0x80000000
_ENOSYS = 0x00050026
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_FLAGS = 16  # where the low half of a call's first argument begins
_X32 = 0x40000000  # calls of x86_64 have other numbers from here on, where a kernel knows x32


def inner_filter() -> bytes:
    """The filter of a process of the hand-in, beside that of the driver, which it has as well."""
    return _filter(_INNER_NUMBERS, namespaces=True)


def _filter(numbers: dict[str, tuple[int, int]], *, namespaces: bool = False) -> bytes:
    """A filter that answers EPERM to those calls, and to all of x32, and ends who calls by another
    architecture's numbers; nothing elsewhere. With `namespaces`, a clone(2) that makes one is
    refused, too, and clone3(2) is unknown: its flags lie where no filter reads, and C libraries
    then call the other one.

    Classic BPF over `struct seccomp_data`: its first word is the call's number, its second the
    architecture (seccomp(2)).
    """
    if platform.machine() not in _ARCHITECTURES:
        return b""
    column, architecture = _ARCHITECTURES[platform.machine()]
    lines = [
        (_LOAD, 0, 0, 4),
        (_EQUAL, 1, 0, architecture),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, 0),
    ]
    if column == 0:
        lines += [(_AT_LEAST, 0, 1, _X32), (_RETURN, 0, 0, _EPERM)]
    for each in numbers.values():
        lines += [(_EQUAL, 0, 1, each[column]), (_RETURN, 0, 0, _EPERM)]
    if namespaces:
        lines += [(_EQUAL, 0, 1, _CLONE3[column]), (_RETURN, 0, 0, _ENOSYS)]
        lines += [(_EQUAL, 0, 3, _CLONE[column]), (_LOAD, 0, 0, _FLAGS)]
        lines += [(_ANY_BIT, 0, 1, _CLONE_NEW), (_RETURN, 0, 0, _EPERM)]
    lines.append((_RETURN, 0, 0, _ALLOW))
    return b"".join(struct.pack("=HBBI", *line) for line in lines)

"""Hard limits of memory and processes by a control group, where this user may make one.

Version 2 where it is delegated, version 1 where the user may write; elsewhere the driver's own
watch has to do, which looks
every tenth of a second. A Result says which was in force.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path("/sys/fs/cgroup")
WATCH = "the driver's watch"


class Cgroup:
    """Groups that a process enters before it becomes the driver; none where none may be made."""

    def __init__(self, folders: list[Path], kind: str) -> None:
        self.folders, self.kind = folders, kind

    def enter(self) -> list[str]:
        """The words before a command that start the command inside the group."""
        if not self.folders:
            return []
        steps = "".join(f'echo $$ >"{folder}/cgroup.procs" && ' for folder in self.folders)
        return ["/bin/sh", "-c", f'{steps}exec "$@"', "sh"]

    @classmethod
    @contextmanager
    def of(cls, *, memory_mib: int, processes: int) -> Iterator[Cgroup]:
        """Groups with these limits, gone afterwards."""
        folders: list[Path] = []
        try:
            kind = _made(folders, memory_mib << 20, processes)
            yield cls(folders if kind else [], kind or WATCH)
        finally:
            for folder in folders:
                _remove(folder)


def _made(folders: list[Path], memory: int, processes: int) -> str:
    """Make the groups and add them to `folders`. Returns their kind, empty if none can be made."""
    name = f"lab-{os.getpid()}-{secrets.token_hex(4)}"
    with contextlib.suppress(OSError):
        own = Path("/proc/self/cgroup").read_text("utf-8").splitlines()
        two = next((line[3:].lstrip("/") for line in own if line.startswith("0::")), None)
        if (ROOT / "cgroup.controllers").exists() and two is not None:
            folder = ROOT / two / name
            folder.mkdir()
            folders.append(folder)
            (folder / "memory.max").write_text(str(memory))
            (folder / "pids.max").write_text(str(processes))
            return "cgroup v2"
    for controller, settings in (
        ("memory", {"memory.limit_in_bytes": memory}),
        ("pids", {"pids.max": processes}),
    ):
        try:
            folder = ROOT / controller / name
            folder.mkdir()
            folders.append(folder)
            for key, value in settings.items():
                (folder / key).write_text(str(value))
        except OSError:
            return ""
    return "cgroup v1"


def _remove(folder: Path) -> None:
    """A group can be removed as soon as its last process is reaped."""
    for _ in range(50):
        try:
            folder.rmdir()
        except FileNotFoundError:
            return
        except OSError:
            time.sleep(0.02)
        else:
            return

"""nbgrader's exchange: ngshare, or `collect` from a folder into which every student may write.

nbgrader believes what a hand-in's folder is called, follows links in it with the instructor's
rights, and stops at the first that cannot be read. Here a hand-in belongs to who owns its folder, a
link stays a link, which the grader refuses, and what cannot be read is left out and named.
"""

from __future__ import annotations

import os
import pwd
import re
import secrets
import shutil
import stat
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from nbgrader.exchange.default.collect import ExchangeCollect
from nbgrader.utils import ignore_patterns

from lab.errors import LabError

MOST_FILES = 1000
_SECRET = re.compile(r"[0-9a-f]{32,256}")
LATER_S = 600  # the time between a hand-in's own time and its last change


class NoNgshare(LabError):
    """ngshare is asked for, and nbgrader's part of it is not there."""


class NotCopied(OSError):
    """A file of a hand-in that is left out."""


def over_ngshare(c: Any, url: str) -> None:
    """Let nbgrader release, collect and give back through the ngshare at that address, which asks
    the hub whose token JUPYTERHUB_API_TOKEN is. Raises NoNgshare.
    """
    try:
        from ngshare_exchange import configureExchange
    except ImportError:
        raise NoNgshare(
            "LAB_NGSHARE is set, but ngshare_exchange is not installed. The command that "
            "installs it is in tools/hub/Dockerfile of the book."
        ) from None
    configureExchange(c, url.rstrip("/"))


class Collect(ExchangeCollect):
    """Collects the files that belong to each student.

    Students may rename their files at any time, also between a look and a copy. So the owner of a
    file is read when the file is open, and must be the owner of the hand-in.
    """

    src_records: list[dict[str, Any]]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.check_owner = False  # the owner of the files decides here, without a warning
        self._owners: dict[str, int] = {}  # the owners of hand-ins, by the name of the hand-in

    def init_src(self) -> None:
        """Find the newest hand-in of each student."""
        super().init_src()
        self.src_records = [one for one in self.src_records if one["username"]]

    def _path_to_record(self, path: str) -> dict[str, Any]:
        nobody = {"username": "", "filename": Path(path).name, "timestamp": datetime.min}
        try:
            record: dict[str, Any] = super()._path_to_record(path)
            status = os.lstat(path)
            owner = pwd.getpwuid(status.st_uid).pw_name
        except (ValueError, OverflowError, OSError, KeyError) as error:
            self.log.error("%s is left out: it is not a hand-in (%s).", path, error)
            return nobody
        self._owners[Path(path).name] = status.st_uid
        if record["username"].startswith(".") or not stat.S_ISDIR(status.st_mode):
            self.log.error("%s of %s is left out because it is not a folder.", path, owner)
            return nobody
        # The collecting user may hand in for a student: from a mail, or where all are one user.
        if status.st_uid != os.getuid() and owner != record["username"]:
            self.log.error("%s is collected as the work of %s, who owns it.", path, owner)
            record["username"] = owner
        changed = datetime.fromtimestamp(status.st_ctime, UTC).replace(tzinfo=None)
        if (changed - record["timestamp"]).total_seconds() > LATER_S:
            self.log.warning("%s was changed later than its timestamp says: %s UTC.", path, changed)
        return record

    def do_copy(self, src: str, dest: str, log: Any = None) -> None:
        """Copy the plain files of a hand-in; anything else is left out and named."""
        Path(dest).mkdir(parents=True, exist_ok=True)
        budget = [MOST_FILES, self.coursedir.max_dir_size * 1000]

        def copied(source: str, target: str) -> None:
            if Path(source).is_symlink():
                Path(target).symlink_to(Path(source).readlink())
                return
            _copied(source, target, budget, self._owners[Path(src).name])

        ignore = ignore_patterns(
            exclude=self.coursedir.ignore,
            include=self.coursedir.include,
            max_file_size=self.coursedir.max_file_size,
            log=self.log,
        )
        try:
            shutil.copytree(
                src,
                dest,
                symlinks=True,
                ignore=ignore,
                copy_function=copied,
                dirs_exist_ok=True,
            )
        except (shutil.Error, OSError, RecursionError) as error:
            self.log.error("Not all of %s is collected: %s", src, str(error)[:1000])
        for folder, _, _ in os.walk(dest):
            Path(folder).chmod(0o700)
        # nbgrader reads these two files of every hand-in later.
        when = Path(src).name.rsplit("+", 3)[2]
        _renewed(Path(dest) / "timestamp.txt", when)
        if not _SECRET.fullmatch(_read(Path(dest) / "submission_secret.txt")):
            _renewed(Path(dest) / "submission_secret.txt", secrets.token_hex(64))


def _read(file: Path) -> str:
    if file.is_symlink() or not file.is_file():
        return ""
    return file.read_bytes()[:1000].decode("ascii", "replace")


def _renewed(file: Path, text: str) -> None:
    if file.is_dir() and not file.is_symlink():
        shutil.rmtree(file)
    file.unlink(missing_ok=True)
    file.write_text(text, "utf-8")


def _copied(source: str, target: str, budget: list[int], owner: int) -> None:
    """Copy a plain file of this owner. Raises NotCopied if it is none, also if it has just become
    another.
    """
    number = os.open(source, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    with os.fdopen(number, "rb") as file:
        status = os.fstat(number)
        if not stat.S_ISREG(status.st_mode):
            raise NotCopied(f"{source} is not a file")
        if status.st_uid != owner:
            raise NotCopied(f"{source} and the hand-in belong to different accounts")
        budget[0] -= 1
        if budget[0] < 0:
            raise NotCopied(f"{source}: more than {MOST_FILES} files")
        data = file.read(budget[1] + 1)
        budget[1] -= len(data)
        if budget[1] < 0:
            raise NotCopied(
                f"all files together have {source}, which is more than nbgrader's max_dir_size"
            )
    Path(target).write_bytes(data)

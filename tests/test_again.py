"""One chapter measured again: which one is meant, and that nothing else runs."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from lab import paths
from lab.book import again
from lab.book.build import BuildBusy

pytestmark = pytest.mark.timeout(400)
TINY = Path(__file__).parent / "fixtures" / "tiny-book"


@pytest.mark.parametrize(
    "asked",
    [
        "blocking/off-the-loop",
        "book/blocking/off-the-loop",
        "book/blocking/off-the-loop.md",
        "/book/blocking/off-the-loop.html",
        "off-the-loop",
    ],
)
def test_a_chapter_is_found_by_whatever_a_reader_has_of_its_name(asked):
    assert again.resolve(asked) == "book/blocking/off-the-loop"


def test_a_misspelt_chapter_is_refused_with_the_nearest_names():
    with pytest.raises(again.NoChapter, match=r"'blocking/of-the-lop'.*blocking/off-the-loop"):
        again.resolve("blocking/of-the-lop")


def test_a_page_without_cells_and_no_name_at_all_say_so():
    with pytest.raises(again.NoChapter, match="about/rules has no cells"):
        again.resolve("about/rules")
    with pytest.raises(again.NoChapter, match=r"NAME=.*There are: .*event-loop/phases"):
        again.resolve("")


@pytest.fixture
def book(tmp_path):
    shutil.copytree(TINY, tmp_path / "book")
    return tmp_path / "book"


def run(book, *words, **extra):
    clean = {k: v for k, v in os.environ.items() if not k.startswith("LAB_")}
    return subprocess.run(
        [sys.executable, "-m", "lab.book", *words],
        cwd=book,
        env={**clean, "LAB_ROOT": str(book), **extra},
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )


def ran(book):
    log = book / "ran.log"
    names = log.read_text().split() if log.exists() else []
    log.unlink(missing_ok=True)
    return names


def test_only_that_chapter_runs_again_and_again_though_nothing_changed(book):
    for _ in range(2):
        done = run(book, "chapter", "one/alpha")
        assert done.returncode == 0, done.stdout + done.stderr
        assert ran(book) == ["alpha"]
        assert "Measuring one/alpha again, alone (profile course)" in done.stdout
    page = book / "_build/chapter/one/alpha/html/book/one/alpha.html"
    assert page.as_uri() in done.stdout
    assert "Chapter alpha" in page.read_text()
    assert not (page.parent / "beta.html").exists()
    assert not (book / "_build/html").exists()


def test_nothing_is_measured_beside_another_build_or_in_replay(book):
    folder = book / "_build" / ".lab"
    folder.mkdir(parents=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = run(book, "chapter", "one/alpha")
    assert done.returncode == 2
    assert "Another build is writing to" in done.stderr
    done = run(book, "chapter", "one/alpha", LAB_MODE="replay")
    assert done.returncode == 2 and "LAB_MODE=replay measures nothing" in done.stderr
    assert ran(book) == []


def test_a_lock_that_nobody_holds_is_no_build(tmp_path):
    (tmp_path / ".lab").mkdir()
    (tmp_path / ".lab/lock").write_text("process 1")
    again.refuse_beside([tmp_path, tmp_path / "none"])
    handle = os.open(tmp_path / ".lab/lock", os.O_RDWR)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        with pytest.raises(BuildBusy, match="process 1"):
            again.refuse_beside([tmp_path])
    finally:
        os.close(handle)


def test_the_recorded_run_is_said_to_be_replaced(monkeypatch):
    monkeypatch.setenv("LAB_PROFILE", "reference")
    told = again.announce("book/one/alpha", paths.ROOT / "_build/chapter/one/alpha")
    assert "records its experiments again in data/reference" in told

"""One chapter measured again: which one is meant, and that nothing else runs."""

from __future__ import annotations

import fcntl
import functools
import os

import pytest
from tiny_book import Book

from lab import paths
from lab.book.pipeline import one_chapter, toc
from lab.book.pipeline.locks import BuildBusy

pytestmark = [pytest.mark.builds, pytest.mark.timeout(1800)]


@pytest.fixture(scope="module", autouse=True)
def each_page_is_parsed_once():
    """Each name that is looked up would parse all pages of the book, a second of a processor."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(one_chapter, "has_cells", functools.cache(one_chapter.has_cells))
        yield


@pytest.mark.parametrize(
    "asked",
    [
        "cases/off-the-loop",
        "book/cases/off-the-loop",
        "book/cases/off-the-loop.md",
        "/book/cases/off-the-loop.html",
        "off-the-loop",
        "http://127.0.0.1:8000/book/cases/off-the-loop.html",
        "https://example.org/course/book/cases/off-the-loop.html?highlight=loop#a-heading",
        "https://git.example.org/us/course/blob/main/book/cases/off-the-loop.md",
        "file:///home/a%20b/_build/html/book/cases/off-the-loop.html",
        "cases/off-the-loop.html#a-heading",
    ],
)
def test_a_chapter_is_found_by_whatever_a_reader_has_of_its_name(asked):
    assert one_chapter.resolve(asked) == "book/cases/off-the-loop"


def test_a_misspelt_chapter_is_refused_with_the_nearest_names():
    with pytest.raises(one_chapter.NoChapter, match=r"'blocking/of-the-lop'.*cases/off-the-loop"):
        one_chapter.resolve("blocking/of-the-lop")


def test_a_page_without_cells_and_no_name_at_all_say_so():
    with pytest.raises(one_chapter.NoChapter, match="about/rules has no cells"):
        one_chapter.resolve("about/rules")
    with pytest.raises(one_chapter.NoChapter, match="about/rules has no cells"):
        one_chapter.resolve("https://example.org/book/about/rules.html")
    with pytest.raises(one_chapter.NoChapter, match=r"NAME=.*There are: .*event-loop/phases"):
        one_chapter.resolve("")


def test_an_address_of_no_chapter_is_refused_by_its_path():
    with pytest.raises(one_chapter.NoChapter, match=r"'gone/away'.*There are: .*event-loop/phases"):
        one_chapter.resolve("https://example.org/book/gone/away.html")


def test_chapters_are_in_the_order_of_the_book_and_unlisted_ones_last():
    pages = toc.pages()
    assert pages[0] == "book/index" and len(set(pages)) == len(pages)
    first = "book/instruments/what-a-load-test-measures"  # the last of these by name
    assert toc.in_order(["book/x", "book/buffers/parsing-bytes", first]) == [
        *(first, "book/buffers/parsing-bytes", "book/x")
    ]


@pytest.fixture
def book(tmp_path):
    return Book.copied(tmp_path / "book")


def test_only_that_chapter_runs_again_and_again_though_nothing_changed(book):
    for _ in range(2):
        process = book.command("chapter", "one/alpha")
        assert process.returncode == 0, process.stdout + process.stderr
        assert book.ran() == ["alpha"]
        assert "Measuring one/alpha again (profile course)" in process.stdout
    page = book.root / "_build/chapter/one/alpha/html/book/one/alpha.html"
    assert page.as_uri() in process.stdout
    assert "Chapter alpha" in page.read_text()
    assert not (page.parent / "beta.html").exists()
    assert not (book.root / "_build/html").exists()


def test_nothing_is_measured_beside_another_build_or_in_replay(book):
    folder = book.root / "_build" / ".lab"
    folder.mkdir(parents=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = book.command("chapter", "one/alpha")
    assert done.returncode == 2
    assert "Another build is writing to" in done.stderr
    done = book.command("chapter", "one/alpha", LAB_MODE="replay")
    assert done.returncode == 2 and "LAB_MODE=replay measures nothing" in done.stderr
    assert book.ran() == []


def test_a_lock_that_nobody_holds_is_no_build(tmp_path):
    (tmp_path / ".lab").mkdir()
    (tmp_path / ".lab/lock").write_text("process 1")
    one_chapter.refuse_beside([tmp_path, tmp_path / "none"])
    handle = os.open(tmp_path / ".lab/lock", os.O_RDWR)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        with pytest.raises(BuildBusy, match="process 1"):
            one_chapter.refuse_beside([tmp_path])
    finally:
        os.close(handle)


def test_the_recorded_run_is_said_to_be_replaced(monkeypatch):
    monkeypatch.setenv("LAB_PROFILE", "reference")
    told = one_chapter.announce("book/one/alpha", paths.ROOT / "_build/chapter/one/alpha")
    assert "records its experiments again in data/reference" in told

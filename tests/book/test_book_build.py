"""The build as a whole, on a book of two chapters that note what they use and measure nothing."""

import fcntl
import os
import shutil
import signal
import time

import pytest
from tiny_book import DEADLINE_S, Book, made_once

# A build takes seconds, on a busy machine many.
pytestmark = [pytest.mark.builds, pytest.mark.timeout(1800)]

# A first line for two chapters that can only end if they run at the same time.
MEET = """import os, pathlib, time
mode = os.environ["LAB_MODE"]
pathlib.Path("{0}." + mode).touch()
until = time.monotonic() + {2}
while not pathlib.Path("{1}." + mode).exists():
    assert time.monotonic() < until, "{1} never came"
    time.sleep(0.05)"""


@pytest.fixture(scope="session")
def built(tmp_path_factory):
    def build(folder):
        book = Book.copied(folder)
        (book.root / "requirements.txt").write_text("nothing==1\n")
        done = book.build()
        assert done.returncode == 0, done.stdout + done.stderr
        assert book.ran() == ["alpha", "beta"]
        book.drawn()

    return made_once(tmp_path_factory, "built", build)


@pytest.fixture
def book(built, tmp_path):
    """A copy of the built book, free to be edited."""
    return Book.copied(tmp_path / "book", built)


def test_a_second_build_executes_nothing_and_says_since_when_results_stand(book):
    done = book.build()
    assert done.returncode == 0, done.stderr
    assert book.ran() == []
    assert "one/alpha: from the cache of 20" in done.stdout
    assert (book.root / "_build/html/index.html").as_uri() in done.stdout


def test_a_site_that_shows_all_already_is_drawn_no_more_until_something_is_edited_or_gone(book):
    noted = 'usage.note("claim", id="sync-wins", held=False, text="0.7, not above 1")'
    book.edit("book/one/alpha.md", 'usage.note("load", requests=1000)', noted)
    assert book.build().returncode == 0
    kept = book.root / "_build/.doctrees/environment.pickle"  # Sphinx writes it in each pass
    drawn = kept.stat().st_mtime_ns
    done = book.build()
    assert done.returncode == 0 and kept.stat().st_mtime_ns == drawn
    assert "one/alpha: claim sync-wins did not hold" in done.stdout
    assert [c["action"] for c in book.report()["chapters"]] == ["cached", "cached"]
    page = book.root / "_build/html/book/one/beta.html"
    page.unlink()
    assert book.build().returncode == 0
    assert page.exists()
    book.edit("book/one/beta.md", "Prose of beta.", "Other words.")
    assert book.build().returncode == 0
    assert "Other words." in page.read_text()
    assert book.build(LAB_SITE_URL="https://example.org/").returncode == 0
    assert "https://example.org/" in page.read_text()


def test_an_edited_server_reruns_only_its_chapter_as_the_status_page_tells_and_undoing_it_none(
    book,
):
    server = book.root / "servers/alpha.mjs"
    original = server.read_text()
    server.write_text("// edited")
    done = book.build()
    assert book.ran() == ["alpha"]
    assert "one/alpha: executed because servers/alpha.mjs changed (" in done.stdout
    assert "2 servers, 1,000 requests)" in done.stdout
    assert "// edited" in book.page("one/alpha")
    status = book.page("about/machine")  # it is read before the chapter
    assert "servers/alpha.mjs changed" in status
    assert 'href="../one/alpha.html"' in status
    assert "Node" in status and "1,000" in status
    server.write_text(original)
    assert book.build().returncode == 0
    assert book.ran() == []
    assert "// edited" not in book.page("one/alpha")


@pytest.mark.nightly
def test_data_used_by_both_chapters_reruns_both_and_a_lock_file_too(book):
    (book.root / "data/shared.csv").write_text("c,d\n")
    book.build()
    assert book.ran() == ["alpha", "beta"]
    (book.root / "requirements.txt").write_text("nothing==2\n")
    done = book.build()
    assert book.ran() == ["alpha", "beta"]
    assert "because requirements.txt changed" in done.stdout


def test_an_edited_cell_reruns_its_chapter_and_edited_prose_none(book):
    book.edit("book/one/alpha.md", "requests=1000", "requests=2000")
    book.edit("book/one/beta.md", "Prose of beta.", "Other words.")
    done = book.build()
    assert done.returncode == 0, done.stderr
    assert book.ran() == ["alpha"]
    assert "one/alpha: executed because its cells changed (" in done.stdout
    assert "Other words." in book.page("one/beta")


def test_a_broken_cell_fails_every_build_until_it_is_mended_and_the_others_still_run(book):
    broken = 'print(file=log)\n```\n\n```{code-cell} python3\nvalue = {"a": 1}["b"]\n```'
    book.edit("book/one/alpha.md", 'print("alpha", file=log)\n```', broken)
    book.edit("book/one/beta.md", "requests=1000", "requests=2000")
    done = book.build()
    assert done.returncode == 1
    assert book.ran() == ["beta"]
    for attempt in (done, book.build()):  # the second finds nothing changed: it must fail too
        assert attempt.returncode == 1
        assert "book/one/alpha, line 27" in attempt.stdout
        assert '| value = {"a": 1}["b"]' in attempt.stdout
        assert "KeyError" in attempt.stdout
    book.edit("book/one/alpha.md", '["b"]', '["a"]')
    assert book.build().returncode == 0


def test_a_bare_jupyter_book_build_makes_the_same_site_and_fails_on_the_same_error(book):
    book.build()
    ours = book.page("one/alpha")
    bare = book.bare()
    assert bare.returncode == 0, bare.stderr
    assert book.ran() == []
    assert "from the cache of" in bare.stdout
    assert book.page("one/alpha") == ours
    book.edit("book/one/alpha.md", "import os, pathlib", "import os, pathlib, nowhere")
    bare = book.bare()
    assert bare.returncode == 1
    assert "ModuleNotFoundError" in bare.stdout


def test_a_warning_fails_the_build_again_and_again_and_executes_nothing(book):
    book.edit("book/one/alpha.md", "Prose of alpha.", "See [nothing](nowhere.md).")
    for _ in range(2):
        done = book.build()
        assert done.returncode == 1
        assert "nowhere.md" in done.stderr
    assert book.ran() == []


def test_a_missing_kernel_stops_at_once_and_says_how_to_get_it(book):
    book.edit("book/one/beta.md", "name: python3", "name: cobol")
    done = book.build()
    assert done.returncode == 1
    assert "book/one/beta needs the kernel 'cobol'" in done.stderr
    assert "make kernels" in done.stderr


@pytest.mark.nightly
def test_results_that_a_killed_build_left_half_written_are_made_again(book):
    for nth, kept in enumerate((book.root / "_build/.jupyter_cache/executed").rglob("base.ipynb")):
        if nth % 2:
            kept.unlink()
        else:
            kept.write_text('{"cells": [')
    shutil.rmtree(book.root / "_build/.doctrees")
    (book.root / "_build/.lab/lock").write_text("process 4711, since 12:00:00")
    done = book.build()
    assert done.returncode == 0, done.stdout + done.stderr
    assert book.ran() == ["alpha", "beta"]
    assert sorted(book.drawn()) == ["alpha", "beta"]
    assert "its results were removed from the cache" in done.stdout


def test_two_builds_at_once_are_one_too_many(book):
    with (book.root / "_build/.lab/lock").open("r+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        lock.write("process 4711, since 12:00:00")
        lock.flush()
        start_s = time.monotonic()
        done = book.build()
    assert done.returncode == 1
    assert done.stderr.count("Another build is writing to") == 1
    assert "process 4711" in done.stderr
    assert time.monotonic() - start_s < 300


def test_a_build_into_another_folder_may_draw_beside_one_that_measures_but_not_measure(book):
    with (book.root / "_build/measuring.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        lock.write("process 4711, since 12:00:00")
        lock.flush()
        done = book.build(LAB_PROFILE="smoke")
        assert done.returncode == 1
        assert "Another build is measuring: process 4711" in done.stderr
        assert book.ran() == []
        assert book.build(LAB_MODE="replay").returncode == 0


@pytest.mark.nightly
def test_profiles_and_modes_never_share_results(book):
    # Nobody holds it any more: that a build left it there stops no other.
    (book.root / "_build/measuring.lock").write_text("process 4711, since 12:00:00")
    assert book.build(LAB_PROFILE="smoke").returncode == 0
    assert sorted(book.ran()) == ["alpha", "beta"]  # beside each other
    assert book.report("_build/smoke")["profile"] == "smoke"
    assert book.build().returncode == 0
    assert book.ran() == []
    assert book.bare(LAB_MODE="replay").returncode == 0
    assert book.ran() == book.drawn() == []  # the first page to be read was drawn so
    shutil.rmtree(book.root / "_build/.lab/replay")
    assert book.bare(LAB_MODE="replay").returncode == 0
    assert sorted(book.drawn()) == ["alpha", "beta"]


def test_chapters_of_a_replay_are_drawn_beside_each_other_and_once_only(book):
    for mine, other in (("alpha", "beta"), ("beta", "alpha")):
        book.edit(f"book/one/{mine}.md", "import os, pathlib", MEET.format(mine, other, 600))
    done = book.build(LAB_MODE="replay")
    assert done.returncode == 0, done.stdout + done.stderr
    assert sorted(book.drawn()) == ["alpha", "beta"]
    assert done.stdout.count("2 servers, 1,000 requests") == 2  # each has notes of its own
    again = book.build(LAB_MODE="replay")
    assert book.drawn() == []
    assert "one/beta: from the cache" in again.stdout


def test_chapters_of_a_quick_look_are_beside_each_other(book):
    for mine, other in (("alpha", "beta"), ("beta", "alpha")):
        book.edit(f"book/one/{mine}.md", "import os, pathlib", MEET.format(mine, other, 600))
    done = book.build(LAB_PROFILE="smoke")
    assert done.returncode == 0, done.stdout + done.stderr
    assert sorted(book.ran()) == ["alpha", "beta"]
    assert done.stdout.count("2 servers, 1,000 requests") == 2  # each has notes of its own


@pytest.mark.nightly
def test_chapters_that_measure_are_never_beside_each_other(book):
    for mine, other in (("alpha", "beta"), ("beta", "alpha")):
        book.edit(f"book/one/{mine}.md", "import os, pathlib", MEET.format(mine, other, 8))
    done = book.build()
    assert done.returncode == 1
    assert "one/alpha, line" in done.stdout
    assert "beta never came" in done.stdout


def test_a_cell_that_breaks_in_a_replay_is_named_with_its_line(book):
    book.edit("book/one/beta.md", "import os, pathlib", "import os, pathlib\nraise OSError(5)")
    done = book.build(LAB_MODE="replay")
    assert done.returncode == 1
    assert "one/beta, line" in done.stdout
    assert "OSError: 5" in done.stdout
    assert book.drawn() == ["alpha"]


def test_an_interrupted_replay_leaves_no_kernel(book):
    for name in ("alpha", "beta"):
        sleeping = (
            f"import os, pathlib, time\npathlib.Path('{name}.pid').write_text(str(os.getpid()))"
        )
        book.edit(f"book/one/{name}.md", "import os, pathlib", f"{sleeping}\ntime.sleep(600)")
    build = book.begun("build", LAB_MODE="replay")
    notes = [book.root / f"book/one/{name}.pid" for name in ("alpha", "beta")]
    deadline = time.monotonic() + DEADLINE_S
    while not all(note.exists() and note.read_text() for note in notes):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    build.send_signal(signal.SIGINT)
    _, said = build.communicate(timeout=DEADLINE_S)
    assert build.returncode == 130, said
    assert "Interrupted" in said.strip().splitlines()[-1], said
    for note in notes:
        with pytest.raises(ProcessLookupError):
            os.kill(int(note.read_text()), 0)


def test_a_claim_that_does_not_hold_fails_the_reference_build_only(book):
    noted = 'usage.note("claim", id="sync-wins", held=False, text="0.7, not above 1")'
    book.edit("book/one/alpha.md", 'usage.note("load", requests=1000)', noted)
    done = book.build()
    assert done.returncode == 0, done.stderr
    assert "one/alpha: claim sync-wins did not hold. 0.7, not above 1" in done.stdout
    assert book.build(LAB_PROFILE="reference").returncode == 1


def test_pages_outside_the_table_of_contents_are_left_out_and_dropped_ones_deleted(book):
    (book.root / "book/draft.md").write_text("no title, no place\n")
    book.edit("_toc.yml", "  - file: book/one/beta\n", "")
    done = book.build()
    assert done.returncode == 0, done.stdout + done.stderr
    assert not (book.root / "_build/html/book/draft.html").exists()
    assert not (book.root / "_build/html/book/one/beta.html").exists()

"""A first `make book`: something to read at once, then the reader's own results, page by page."""

import contextlib
import os
import re
import signal
from importlib.util import find_spec
from pathlib import Path

import pytest
from support import eventually, linux
from tiny_book import DEADLINE_S, Book, made_once

pytestmark = [pytest.mark.builds, pytest.mark.timeout(1800)]

PAGES = ("index", "one/alpha", "one/beta", "about/machine")
# A line for a cell that measures: the site as it is at that moment, kept for the test.
KEEP = """import os, pathlib, shutil
if os.environ["LAB_MODE"] == "live":
    kept = pathlib.Path(os.environ["LAB_ROOT"])
    shutil.copytree(kept / "_build/html", kept / "seen-{0}")
"""
PATIENT = """import os, pathlib, time
if os.environ["LAB_MODE"] == "live" and not pathlib.Path("patience").exists():
    pathlib.Path("asleep").touch()
    time.sleep(600)"""
LIVE = 'if os.environ["LAB_MODE"] == "live":'


@pytest.fixture
def book(tmp_path):
    return Book.copied(tmp_path / "book")


@pytest.fixture(scope="session")
def first(tmp_path_factory):
    """A book after its first build, with the site as it was when each chapter was measured; what
    the build said, and what it noted.
    """

    def build(folder):
        book = Book.copied(folder)
        at(book, "alpha")
        at(book, "beta")
        done = book.command("build", "--draw-every", "0")
        assert done.returncode == 0, done.stdout + done.stderr
        (folder / "said.txt").write_text(done.stdout)

    book = Book(made_once(tmp_path_factory, "first", build))
    return book, (book.root / "said.txt").read_text().splitlines(), book.report()


def whose(book, name, site="_build/html"):
    """What the page says of its results, in two words."""
    page = (book.root / site / "book" / f"{name}.html").read_text()
    assert page.rstrip().endswith("</html>")
    found = re.search(r'class="lab-whose[^>]*><strong>([^<]*)</strong> (.*)</p>', page)
    return found.groups() if found else ("", "")


def at(book, chapter, old="import os, pathlib", new=KEEP):
    book.edit(f"book/one/{chapter}.md", old, new.format(chapter))


def test_the_whole_site_can_be_read_before_the_first_chapter_is_measured(first):
    book, said, _ = first
    (line,) = [line for line in said if line.startswith("You can read the book now")]
    assert (book.root / "_build/html/index.html").as_uri() in line
    assert said.index(line) < min(i for i, one in enumerate(said) if "one/alpha: exec" in one)
    for page in PAGES:
        assert (book.root / "seen-alpha/book" / f"{page}.html").exists()
    assert "// beta" in (book.root / "seen-alpha/book/one/beta.html").read_text()
    for page in PAGES:
        assert whose(book, page, "seen-alpha")[0] == "Recorded"
    assert whose(book, "index", "seen-alpha")[1].startswith("None of 2 chapters")


def test_each_page_is_replaced_when_its_chapter_is_done(first):
    book, _, notes = first
    assert whose(book, "one/alpha", "seen-beta")[0] == "Yours"
    assert whose(book, "one/beta", "seen-beta")[0] == "Recorded"
    for page in ("index", "about/machine"):
        assert whose(book, page, "seen-beta")[1].startswith("1 of 2 chapters were measured")
    machine = (book.root / "seen-beta/book/about/machine.html").read_text()
    assert "its page shows the recorded run until the chapter is measured here" in machine
    assert [whose(book, page)[0] for page in PAGES] == ["", "Yours", "Yours", ""]
    assert [c["action"] for c in notes["chapters"]] == ["executed", "executed"]


@pytest.mark.nightly
def test_chapters_are_measured_in_the_order_of_the_book(book):
    book.edit("_toc.yml", "  - file: book/one/alpha\n", "")
    book.edit("_toc.yml", "one/beta\n", "one/beta\n  - file: book/one/alpha\n")
    assert book.build().returncode == 0
    assert book.ran() == ["beta", "alpha"]
    assert book.build(LAB_PROFILE="smoke").returncode == 0
    assert sorted(book.ran()) == ["alpha", "beta"]  # beside each other: nobody reads the figures
    assert not re.search("lab-whose", book.page("one/beta", "_build/smoke"))


@pytest.mark.parametrize(
    "sign",
    [
        signal.SIGINT,
        *(pytest.param(s, marks=pytest.mark.nightly) for s in (signal.SIGTERM, signal.SIGKILL)),
    ],
)
def test_a_build_that_is_stopped_leaves_a_whole_site_and_goes_on_there(book, sign):
    at(book, "beta", new=PATIENT)
    # Only what is killed draws nothing at its end: there the pages are as old as the last pass.
    build = book.begun("build", *(["--draw-every", "0"] if sign == signal.SIGKILL else []))
    for line in build.stdout:
        if line.startswith("one/beta: executing"):
            break
    else:
        pytest.fail(f"It ended by itself: {build.communicate()[1]}")
    if sign == signal.SIGTERM:  # while its cell runs, the others while its kernel starts
        assert eventually((book.root / "book/one/asleep").exists, DEADLINE_S)
    build.send_signal(sign)
    _, output = build.communicate(timeout=DEADLINE_S)
    if sign != signal.SIGKILL:
        assert build.returncode == 130, output
        # What was half made, such as a kernel's event loop, may complain behind it.
        line, *behind = output.strip().splitlines()
        assert line.startswith("Interrupted. Finished chapters stay in the cache"), output
        assert not behind or sign == signal.SIGINT, output
    assert [whose(book, page)[0] for page in PAGES] == [
        "Yours in part",
        "Yours",
        "Recorded",
        "Yours in part",
    ]
    assert [c["action"] for c in book.report()["chapters"]] == ["executed", "waiting"]
    # A signal may come late on a busy machine: then the cell of beta has begun, and is stopped.
    assert book.ran() in (["alpha"], ["alpha", "beta"])
    book.drawn()
    (book.root / "book/one/patience").touch()
    done = book.build()
    assert done.returncode == 0, done.stdout + done.stderr
    assert book.ran() == ["beta"] and book.drawn() == []
    assert "one/alpha: from the cache" in done.stdout
    assert [whose(book, page)[0] for page in PAGES] == ["", "Yours", "Yours", ""]
    book.build()
    assert book.ran() == book.drawn() == []


def test_a_chapter_that_fails_here_keeps_the_recorded_run_and_says_so(book):
    at(book, "alpha", 'usage.note("load", requests=1000)', f"{LIVE} raise OSError(5)")
    done = book.build()
    assert done.returncode == 1
    assert "one/alpha, line" in done.stdout and "OSError: 5" in done.stdout
    label, said = whose(book, "one/alpha")
    assert label == "Recorded" and said.startswith("Measuring it here failed")
    assert "// alpha" in book.page("one/alpha")
    assert whose(book, "one/beta")[0] == "Yours"
    assert book.ran() == ["beta"]
    assert "failed in this build" in book.page("about/machine")
    assert book.build().returncode == 1  # until it is mended
    assert book.ran() == []
    book.edit("book/one/alpha.md", f"{LIVE} raise OSError(5)", "pass")
    assert book.build().returncode == 0
    assert book.ran() == ["alpha"]


def test_a_chapter_that_no_record_fits_does_not_stop_the_others(book):
    replayed = 'if os.environ["LAB_MODE"] == "replay": raise ValueError("it does not fit")'
    at(book, "beta", 'usage.note("load", requests=1000)', replayed)
    at(book, "alpha")
    done = book.build()
    assert done.returncode == 0, done.stdout + done.stderr
    assert "one/beta: no recorded run fits the chapter as it is now" in done.stdout
    assert whose(book, "one/beta", "seen-alpha")[0] == "No results"
    assert "// beta" not in (book.root / "seen-alpha/book/one/beta.html").read_text()
    assert whose(book, "one/beta")[0] == "Yours"


@pytest.mark.nightly
def test_a_warning_of_an_earlier_pass_is_told_once_and_fails_the_build(book):
    book.edit("book/index.md", "Little", "See [nothing](nowhere.md). Little")
    for _ in range(2):
        done = book.build()
        assert done.returncode == 1
        assert done.stderr.count("nowhere.md") == 1
    assert book.ran() == ["alpha", "beta"]


def test_pages_that_a_killed_pass_had_read_and_not_written_are_written(first, tmp_path):
    book = Book.copied(tmp_path / "book", first[0].root)
    page = book.root / "_build/html/book/one/alpha.html"
    assert book.build().returncode == 0  # the copy's pages are drawn anew, and known from now on
    page.write_text("half a page")
    (book.root / "_build/.lab/writing").write_text("process 4711, since 12:00:00")
    assert book.build().returncode == 0
    assert whose(book, "one/alpha")[0] == "Yours"


@pytest.mark.nightly
def test_a_chapter_that_is_edited_while_the_next_is_measured_is_measured_again(book):
    text = (book.root / "book/one/alpha.md").read_text()
    new = text.replace("requests=1000", "requests=1001")
    (book.root / "alpha.new").write_text(new)
    edit = f"""{LIVE} __import__("shutil").copy(root / "alpha.new", root / "book/one/alpha.md")"""
    at(book, "beta", 'usage.note("load", requests=1000)', edit)
    done = book.build()
    assert done.returncode == 0, done.stdout + done.stderr
    assert book.ran() == ["alpha", "beta", "alpha"]
    assert "1,001 requests" in done.stdout
    assert "requests=1001" in re.sub("<[^>]*>", "", book.page("one/alpha"))


@linux
def test_nobody_is_left_when_a_build_is_killed(book):
    at(book, "alpha", new=f"pathlib = __import__('pathlib')\n{PATIENT}")
    build = book.begun("build")
    for line in build.stdout:
        if line.startswith("one/alpha: executing"):
            break
    os.kill(build.pid, signal.SIGKILL)
    build.communicate(timeout=DEADLINE_S)

    def family():
        mark = f"LAB_ROOT={book.root}\0".encode()
        found = []
        for process in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                found += [process.name] * (mark in (process / "environ").read_bytes())
        return found

    assert eventually(lambda: not family(), 300, 0.2), family()


def test_what_is_imported_before_the_first_pass_is_there():
    from lab.book import preload  # it imports much

    gone = [name for name in preload.MODULES if name.startswith("lab.") and not find_spec(name)]
    assert gone == []  # an import that fails is passed over there

"""`SINCE=main make quick`: what a change can break is selected, and what it cannot is not."""

import subprocess

import pytest
import selection
from house import ROOMS, ROOT

ALL = selection.test_files()


def chosen(*files):
    return set(selection.selected(files))


def test_a_room_selects_itself_and_what_reaches_it_and_nothing_below_it():
    tests = chosen("lab/clinic/signs.py")
    assert "tests/clinic/test_rules.py" in tests
    assert "tests/book/test_across_page.py" in tests, "the room `book` imports `clinic`"
    below = {"text/test_arithmetic.py", "records/test_histogram.py", "processes/test_lock.py"}
    assert tests.isdisjoint({f"tests/{test}" for test in below})


def test_the_ground_selects_nearly_all_and_the_top_little():
    everything, top = len(ALL), len(chosen("lab/live/seconds.py"))
    assert len(chosen("lab/errors.py")) > 0.9 * everything
    assert 5 <= top < 0.4 * everything


@pytest.mark.parametrize("room", [room for room in ROOMS if not room.startswith("__")])
def test_every_room_selects_the_tests_in_its_folder(room):
    file = f"lab/{room}.py" if (ROOT / f"lab/{room}.py").is_file() else f"lab/{room}/any.py"
    assert {test for test in ALL if test.startswith(f"tests/{room}/")} <= chosen(file)


def test_a_test_that_only_calls_a_room_through_the_door_is_selected_with_it():
    test = "tests/servers/test_gunicorn.py"
    assert "lab.load(" in selection.text_of(test)
    assert "lab.measure" not in selection.text_of(test)
    assert test in chosen("lab/measure/load.py")


@pytest.mark.parametrize(
    ("file", "test"),
    [
        ("book/start.md", "book/test_chapters.py"),
        ("book/about/glossary.md", "judging/test_judge.py"),  # which reads that page
        ("exercises/streams/any/check.mjs", "grading/test_exercises.py"),
        ("servers/node/hello.mjs", "servers/test_servers.py"),
        ("data/claims.toml", "test_claims.py"),
        ("data/reference/any.json", "records/test_reference.py"),
        ("lab/node/clinic/inside.cjs", "clinic/test_examine.py"),
        ("lab/node/grader/main.mjs", "grading/test_attacks.py"),
        ("lab/node/loadgen/main.mjs", "measure/test_load.py"),
        ("lab/node/recorder/any.cjs", "trace/test_trace.py"),
        ("lab/widgets/dom.js", "widgets/test_parts.py"),
        ("Makefile", "test_makefile.py"),
        (".github/workflows/new.yml", "test_workflows.py"),
        ("tests/clinic/apps/any.mjs", "clinic/test_examine.py"),
        ("tests/models/loop.mjs", "widgets/test_models.py"),
        ("tests/numbers.toml", "book/test_prose.py"),
        ("tests/prose.py", "book/test_prose.py"),
        ("tests/fixtures/tiny-book/_toc.yml", "book/test_book_build.py"),
        ("tests/house.py", "test_layers.py"),
        ("_toc.yml", "book/test_chapters.py"),
        ("docs/any.md", "test_docs.py"),
        ("docs/house.md", "test_layers.py"),
        ("tools/new/chapter.md", "book/test_scaffold.py"),
    ],
)
def test_what_reads_a_file_is_selected_with_it(file, test):
    tests = chosen(file)
    assert f"tests/{test}" in tests
    assert len(tests) < len(ALL), "and not simply everything"


@pytest.mark.parametrize(
    "file",
    [
        *("package.json", "package-lock.json", "requirements.txt", "requirements/dev.txt"),
        *("pyproject.toml", "tests/conftest.py", "tests/support.py", "tests/tiny_book.py"),
        *("tools/setup.sh", "tools/browser.mjs", "lab/__init__.py", "lab/__main__.py"),
        *("lab/attic/any.py", "lab/node/attic/any.mjs", "attic.txt", "attic/any.py"),
    ],
)
def test_a_file_that_no_rule_knows_selects_everything(file):
    assert selection.selected([file]) == ["tests"]
    assert selection.selected(["tools/words.txt", file]) == ["tests"], "among others, too"


@pytest.mark.parametrize("file", ["tests/site/any.test.mjs"])
def test_what_no_test_in_python_looks_at_selects_nothing(file):
    name_docs = {"tests/test_selection.py", "tests/test_makefile.py"}
    assert chosen(file) <= name_docs


def test_a_changed_test_selects_itself_and_a_removed_one_nothing():
    assert chosen("tests/text/test_numbers.py") == {"tests/text/test_numbers.py"}
    assert chosen("tests/text/test_gone.py") == set()


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """A repository with one commit on `main` and a branch."""
    monkeypatch.setattr(selection, "ROOT", tmp_path)
    for name in ("kept", "edited", "staged", "old name"):
        (tmp_path / name).write_text(name * 20)
    for words in (
        ["init", "-q", "-b", "main"],
        ["add", "."],
        ["-c", "user.name=x", "-c", "user.email=x@x", "commit", "-qm", "first"],
        ["checkout", "-qb", "work"],
    ):
        subprocess.run(["git", *words], cwd=tmp_path, check=True)
    return tmp_path


def test_what_is_committed_staged_edited_moved_or_new_is_changed(repository):
    def commit(message):
        who = ["-c", "user.name=x", "-c", "user.email=x@x"]
        subprocess.run(["git", *who, "commit", "-qm", message], cwd=repository, check=True)

    (repository / "committed").write_text("1")
    subprocess.run(["git", "add", "."], cwd=repository, check=True)
    commit("second")
    subprocess.run(["git", "mv", "old name", "new näme"], cwd=repository, check=True)
    (repository / "staged").write_text("2")
    subprocess.run(["git", "add", "staged"], cwd=repository, check=True)
    (repository / "edited").write_text("3")
    (repository / "untracked").write_text("4")
    wanted = ["committed", "edited", "new näme", "old name", "staged", "untracked"]
    assert selection.changed("main") == wanted
    assert selection.changed("HEAD") == [name for name in wanted if name != "committed"]


def test_what_others_did_on_main_meanwhile_is_no_change_of_ours(repository):
    subprocess.run(["git", "checkout", "-q", "main"], cwd=repository, check=True)
    (repository / "theirs").write_text("1")
    subprocess.run(["git", "add", "."], cwd=repository, check=True)
    who = ["-c", "user.name=x", "-c", "user.email=x@x"]
    subprocess.run(["git", *who, "commit", "-qm", "theirs"], cwd=repository, check=True)
    subprocess.run(["git", "checkout", "-q", "work"], cwd=repository, check=True)
    assert selection.changed("main") == []


@pytest.mark.parametrize("since", ["no-such-branch", "--output=x", ""])
def test_a_revision_that_is_none_is_told(repository, since):
    with pytest.raises(SystemExit, match="SINCE must be a revision of git"):
        selection.changed(since)

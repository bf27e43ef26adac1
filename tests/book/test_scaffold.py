"""`make new`: what it writes passes the checks that the repository makes of such things, and it
overwrites nothing.
"""

import json
import os
import re
import shutil
import subprocess
import sys

import pytest
from tiny_book import made_once

from lab import paths
from lab.book import scaffold
from lab.errors import LabError
from lab.storage import written
from lab.storage.written import NotWritten

DEADLINE_S = 1500  # of a run of the repository's tests in a test, on a busy machine
pytestmark = [pytest.mark.builds, pytest.mark.timeout(DEADLINE_S + 20)]
LEFT = shutil.ignore_patterns(
    "__pycache__", "node_modules", "runs", "target", "site", "attack", ".ipynb_checkpoints"
)
PARTS = ["_config.yml", "_toc.yml", "README.md", "CONTRIBUTING.md", "package.json"]
PARTS += ["package-lock.json", "pyproject.toml", "requirements.txt"]
FOLDERS = ["book", "data", "docs", "exercises", "servers", "tests", "tools/new"]
BEGUN = [
    ("chapter", "blocking/test-new"),
    ("chapter", "new-topic/test-other"),
    ("server", "node/test-new"),
    ("server", "python/test-new"),
    ("question", "cases/off-the-loop/test-new-asked"),
    ("question", "event-loop/phases/test-new-asked-too"),
    ("claim", "S2/test-new-claim"),
    ("exercise", "cases/off-the-loop/test-new-task"),
]


def run(project, *words, **env):
    ours = ("LAB_", "PYTEST_")
    clean = {k: v for k, v in os.environ.items() if not k.startswith(ours) or k == "LAB_NODE"}
    return subprocess.run(
        [sys.executable, *words],
        cwd=project,
        env={**clean, "PYTHONPATH": str(project), **env},
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
        check=False,
    )


# Calls `make new` again for each of BEGUN and prints as JSON what each did.
SECOND_TIME = """
import contextlib, io, json, pathlib, sys
from lab.book.__main__ import main

def state():
    folders = [pathlib.Path(part) for part in ("book", "servers", "data")]
    files = [file for folder in folders for file in folder.rglob("*") if file.is_file()]
    return {file: file.read_bytes() for file in (*files, pathlib.Path("_toc.yml"))}

outcomes = []
for words in json.loads(sys.argv[1]):
    before = state()
    with contextlib.redirect_stdout(io.StringIO()) as output:
        with contextlib.redirect_stderr(io.StringIO()) as errors:
            code = main(["new", *words])
    outcomes.append([code, output.getvalue(), errors.getvalue(), state() != before])
print(json.dumps(outcomes))
"""


def begin(root):
    """Make a copy of the repository with one more of everything, and begin each a second time."""
    for name in FOLDERS:
        shutil.copytree(paths.ROOT / name, root / name, ignore=LEFT)
    shutil.copytree(  # with the part of it that is called site
        paths.ROOT / "lab", root / "lab", ignore=shutil.ignore_patterns("__pycache__")
    )
    for name in (*PARTS, "tools/words.txt"):
        shutil.copy(paths.ROOT / name, root / name)
    if (paths.ROOT / "node_modules").exists():
        (root / "node_modules").symlink_to(paths.ROOT / "node_modules")
    # One process for all of a first time, and one for all of a second.
    first = "import sys; from lab.book.__main__ import main"
    done = run(root, "-c", f"{first}\nfor one in {BEGUN}: main(['new', *one]) == 0 or sys.exit(1)")
    assert done.returncode == 0, done.stderr
    said = done.stdout.splitlines()
    assert len(said) == 2 * len(BEGUN)
    assert all(line.startswith("Written: ") for line in said[::2]), said
    # Before anything else is done there: no other process changes a file meanwhile.
    again = run(root, "-c", SECOND_TIME, json.dumps(BEGUN))
    assert again.returncode == 0, again.stderr
    (root / "second-time.json").write_text(again.stdout)


@pytest.fixture(scope="session")
def project(tmp_path_factory):
    """A copy of the repository with one more of everything, for all workers."""
    return made_once(tmp_path_factory, "scaffold-project", begin)


@pytest.fixture
def second_time(project):
    """What a second `make new` did, by what and name: exit code, output, errors, whether a file
    had changed.
    """
    outcomes = json.loads((project / "second-time.json").read_text())
    return dict(zip(BEGUN, outcomes, strict=True))


def passes(project, *words):
    done = run(project, "-m", "pytest", "-p", "no:cacheprovider", *words)
    assert done.returncode == 0, done.stdout[-4000:]
    return done.stdout


def test_pages_questions_and_claims_pass_the_checks_of_the_repository(project):
    # In the other files most is about other things than the book's own pages and data.
    names = "the_books_own or every_claim_in_the_file or chapters or prose or glossary"
    # What is asked of each page is asked of those begun or added to, the rest of all of them.
    names = f"({names}) and (test-new or test-other or off-the-loop or phases or not [)"
    wanted = ("chapters", "prose", "glossary", "claims", "questions")
    found = (list((project / "tests").rglob(f"test_{name}.py")) for name in wanted)
    files = [str(file) for (file,) in found]
    said = passes(project, *files, "-k", names, "-vv")
    for name in ("book/blocking/test-new", "book/new-topic/test-other"):
        assert f"test_a_cell_is_one_thought[{name}] PASSED" in said


def test_the_task_of_an_exercise_shows_an_example_that_its_solution_gives(project):
    chosen = "test-new-task or reference_solution"
    output = passes(project, "tests/grading/test_examples.py", "-k", chosen, "-vv")
    assert "test_each_task_shows_an_example[test-new-task] PASSED" in output
    assert "reference_solution_gives PASSED" in output


def test_servers_keep_the_contract_of_servers(project):
    chosen = "test-new or every_server_in_the_folder"
    said = passes(project, "tests/servers/test_servers.py", "-m", "", "-k", chosen, "-vv")
    for name in ("node/test-new", "python/test-new"):
        assert f"keeps_the_contract_of_servers[{name}] PASSED" in said


def test_a_chapter_runs_and_becomes_a_page_without_a_warning(project):
    smoke = {"LAB_MODE": "live", "LAB_PROFILE": "smoke"}
    done = run(project, "-m", "lab.book", "chapter", "blocking/test-new", **smoke)
    assert done.returncode == 0, done.stdout + done.stderr
    (page,) = (project / "_build/chapter").rglob("html/book/blocking/test-new.html")
    text = page.read_text("utf-8")
    assert "<h1>Test New" in text and 'id="question-test-new-order"' in text
    assert re.search(r"asked\s+listening\s+closed", text)


def test_a_chapter_stands_last_in_its_part_and_a_new_part_behind_those_of_topics(project):
    before = (paths.ROOT / "_toc.yml").read_text("utf-8").splitlines()
    after = (project / "_toc.yml").read_text("utf-8").splitlines()
    new_lines = [line for line in after if line not in before]
    assert new_lines == [
        "      - file: book/blocking/test-new",
        "  - caption: New topic",
        "      - file: book/new-topic/test-other",
    ]
    assert after[after.index(new_lines[0]) + 1].endswith("/review")
    following = after[after.index(new_lines[2]) + 1 :]
    captions = [line.split("caption: ")[1] for line in following if "caption:" in line]
    assert captions == ["The project", "Results", "Teaching", "About"]


def test_what_was_there_stays_as_it_was(project):
    for name in ("servers/catalog.toml", "data/claims.toml", "book/event-loop/phases.md"):
        before = (paths.ROOT / name).read_text("utf-8")
        after = (project / name).read_text("utf-8")
        left = iter(after.splitlines())
        assert all(line in left for line in before.splitlines()), name  # all of it, in its order
        assert len(after) > len(before)


@pytest.mark.parametrize(
    ("name", "table"), [("servers/catalog.toml", "[programs]"), ("data/claims.toml", "[own.")]
)
def test_what_is_said_above_the_table_behind_an_entry_stays_there(project, name, table):
    above = rf"(?:^(?:#.*)?\n)+^{re.escape(table)}"
    said = re.search(above, (paths.ROOT / name).read_text("utf-8"), re.MULTILINE)[0]
    assert "#" in said
    assert said in (project / name).read_text("utf-8")


@pytest.mark.parametrize(("what", "name"), BEGUN)
def test_a_second_time_is_refused_and_changes_nothing(second_time, what, name):
    code, output, errors, changed = second_time[what, name]
    assert (code, output) == (2, "")
    assert errors.count("\n") == 1 and "Choose another" in errors
    assert not changed


@pytest.mark.parametrize(
    ("what", "name", "said"),
    [
        ("sever", "node/x", "Did you mean server?"),
        ("chapter", "", "write topic/name in lower-case letters, such as"),
        ("chapter", "off-the-loop", "write topic/name"),
        ("chapter", "blocking/Off", "write topic/name"),
        ("chapter", "blocking/../x", "write topic/name"),
        ("chapter", "blocking/07-more", "write topic/name"),
        ("chapter", "cases/off-the-loop", "already exists"),
        (
            "chapter",
            "blocking/lie",
            "'lie-mine', which book/instruments/how-tools-lie.md already has",
        ),
        ("chapter", "blocking/" + "x" * 61, "no part is longer than 60"),
        ("chapter", "about/test-new", "book/about has no chapters. Choose another topic"),
        ("chapter", "teaching/test-new", "book/teaching has no chapters"),
        ("chapter", "test-new/review", "ends a part. Choose another name"),
        ("server", "python/flask", "hide the Python module 'flask'"),
        ("server", "python/http", "hide the Python module 'http'"),
        ("server", "node/" + "x" * 300, "Choose another name"),
        ("exercise", "cases/off-the-loop/" + "x" * 300, "Choose another name"),
        ("question", "cases/review/x", "is not a chapter"),
        ("server", "ruby/x", "node/name or python/name"),
        ("server", "node/hello", "already in the catalogue"),
        ("server", "node/frame-parsers", "already exists"),
        ("question", "cases/off-the-loop", "write topic/name/its-id"),
        ("question", "blocking/of-the-loop/x", "Did you mean cases/off-the-loop"),
        ("question", "about/glossary/x", "is not a chapter"),
        ("question", "cases/off-the-loop/files-first", "already has 'files-first'"),
        ("claim", "files-cached", "write SOURCE/its-id"),
        ("claim", "S99/x", "Write its [sources.…] into data/claims.toml first"),
        ("claim", "S2/sync-vs-async-file", "already has 'sync-vs-async-file'"),
    ],
)
def test_a_name_that_will_not_do_is_refused_in_a_line_that_says_what_would(
    monkeypatch, what, name, said
):
    monkeypatch.setattr(
        scaffold, "_write", lambda made: pytest.fail(f"would write {[*made.files]}")
    )
    with pytest.raises(LabError, match=re.escape(said)) as error:
        scaffold.new(what, name)
    assert "\n" not in str(error.value)
    assert "Did you mean cases/review" not in str(error.value)


def test_where_one_file_cannot_be_written_all_is_as_before(tmp_path, monkeypatch):
    names = ("part/page/page.md", "shared.toml", "full.toml")
    page, short_file, full = (tmp_path / name for name in names)
    short_file.write_text("shared\n")
    full.write_text("full\n")
    write = written.write

    def fails(file, data):
        if file == full:
            raise NotWritten("the disk is full")
        write(file, data)

    monkeypatch.setattr(written, "write", fails)
    with pytest.raises(NotWritten):
        scaffold._write(scaffold.Beginning({page: "new\n"}, {short_file: "more\n", full: "more\n"}))
    assert {file.name: file.read_text() for file in tmp_path.iterdir()} == {
        "shared.toml": "shared\n",
        "full.toml": "full\n",
    }


def test_the_first_error_is_told_where_others_put_a_file_in_a_new_folder(tmp_path, monkeypatch):
    write = written.write

    def fails(file, data):
        if file.name == "full.toml":
            (tmp_path / "part/other.md").write_text("of others")
            raise NotWritten("the disk is full")
        write(file, data)

    monkeypatch.setattr(written, "write", fails)
    files = {tmp_path / "part/page.md": "new\n", tmp_path / "full.toml": "new\n"}
    with pytest.raises(NotWritten, match="the disk is full"):
        scaffold._write(scaffold.Beginning(files))
    assert [file.name for file in (tmp_path / "part").iterdir()] == ["other.md"]


def test_the_cell_of_an_exercise_says_lab_as_its_page_does():
    for page, cell in {
        "cases/off-the-loop": 'lab.exercise("its-id")',
        "event-loop/the-life-of-a-request": 'await lab.exercise("its-id");',
    }.items():
        begun = scaffold._exercise(f"{page}/its-id")
        (text,) = begun.changed.values()
        assert [line for line in text.splitlines() if "its-id" in line] == [cell]

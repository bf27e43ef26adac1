"""Which test files a change can make fail: those of its rooms and of the rooms above them.

`python tests/selection.py main` prints them for what differs from `main`, committed or not, and
nothing where no test looks at what changed. A file that no rule knows selects everything.
"""

import ast
import functools
import re
import subprocess
import sys
from pathlib import PurePosixPath

import house
from house import ROOT

EVERYTHING = ["tests"]
# What lies here is read by these rooms, so by those above; and by the tests that name the file.
NO_ROOM = frozenset()
READERS = {
    "_config.yml": {"book"},
    "_toc.yml": {"book"},
    "book": {"book"},
    "data": {"records"},
    "exercises": {"grading"},
    "servers": {"servers"},
    "tests/fixtures": {"book"},
    "tests/models": {"widgets"},
    "tools/live": {"live"},
    "tools/new": {"book"},
    **dict.fromkeys((".ci", ".devcontainer", ".github", "bench", "binder", "docs"), NO_ROOM),
    **dict.fromkeys(("LICENSE", "LICENSE-TEXT", "NOTICE", "CITATION.cff", "Dockerfile"), NO_ROOM),
    **dict.fromkeys(("CONTRIBUTING.md", "README.md", "Makefile", "biome.json"), NO_ROOM),
    **dict.fromkeys(("cspell.json", "tools/words.txt", "tools/hub", "tools/lighthouse"), NO_ROOM),
    **dict.fromkeys(
        ("tests/node", "tests/site"), NO_ROOM
    ),  # `make quick` runs the first as they are
}


def changed(since):
    """The files that differ from a git revision, renamed ones under both names, new ones too."""
    since = git("rev-parse", "--verify", "--end-of-options", f"{since}^{{commit}}").strip()
    lists = (
        ("diff", "--name-only", "--no-renames", "-z", f"{since}...HEAD"),
        ("diff", "--name-only", "--no-renames", "-z", "HEAD"),
        ("ls-files", "--others", "--exclude-standard", "-z"),
    )
    return sorted({name for words in lists for name in git(*words).split("\0") if name})


def git(*words):
    """What git prints; ends the program with what git says where git cannot."""
    process = subprocess.run(
        ["git", *words], cwd=ROOT, capture_output=True, encoding="utf-8", check=False
    )
    if process.returncode:
        sys.exit(
            f"SINCE must be a revision of git, such as main or HEAD~3: {process.stderr.strip()}"
        )
    return process.stdout


def selected(files):
    """The paths to give to pytest for a change of these files; EVERYTHING where one is unknown."""
    tests = set()
    for file in files:
        fitting = tests_of(file)
        if fitting is None:
            return EVERYTHING
        tests |= fitting
    return sorted(tests)


def tests_of(file):
    """The test files that one file can make fail; None: it may be any."""
    rooms = rooms_of(file)
    if rooms is not None:
        return using(above(rooms)) | naming(file)
    return tests_beside(file) if file.startswith("tests/") else None


def tests_beside(file):
    """The tests of a file below `tests`: its own, those of its folder, or those that import it."""
    folder, _, name = file.rpartition("/")
    module = name.removesuffix(".py")
    if name.startswith("test_"):
        return {file} & test_files()  # a file that was removed has no tests
    if folder == "tests":
        return None if module in every_test_uses() else calling(module)
    room = "/".join(file.split("/")[:2])
    return {test for test in test_files() if test.startswith(f"{room}/")} | calling(name)


@functools.cache
def every_test_uses():
    """The modules beside `conftest.py` that it imports, and itself."""
    beside = {module.stem for module in (ROOT / "tests").glob("*.py")}
    return {"conftest", *re.findall(r"\w+", text_of("tests/conftest.py"))} & beside


def rooms_of(file):
    """The rooms that a file belongs to or that read it; None if no rule knows the file."""
    top, _, below = file.partition("/")
    if file.startswith("lab/node/"):
        return rooms_running(file.split("/")[2])
    if top == "lab":
        name = below.split("/")[0].removesuffix(".py")
        return {name} if name in house.ROOMS and not name.startswith("__") else None
    folders = [file, *(parent.as_posix() for parent in PurePosixPath(file).parents)]
    return next((READERS[folder] for folder in folders if folder in READERS), None)


def rooms_running(part):
    """The rooms whose Python names this part of `lab/node`; None if there is none."""
    names = re.compile(rf'(NODE_SIDE / "|node/){re.escape(part)}\b')
    files = [f for f in (ROOT / "lab").rglob("*.py") if names.search(f.read_text("utf-8"))]
    return {house.room(house.module_name(file)) for file in files} or None


def above(rooms):
    """These rooms, and all that reach them through their imports; without the door."""
    reached = set(rooms)
    while more := {up for room in reached for up in importers().get(room, ())} - reached:
        reached |= more
    return reached


@functools.cache
def importers():
    """{room: the rooms that import it}."""
    up = {}
    for module, others in house.imports().items():
        for other in others:
            if not (into := house.room(module)).startswith("__"):
                up.setdefault(house.room(other), set()).add(into)
    return up


@functools.cache
def test_files():
    """The names of all test files in Python."""
    return {f.relative_to(ROOT).as_posix() for f in (ROOT / "tests").rglob("test_*.py")}


@functools.cache
def text_of(test):
    """A test file's source."""
    return (ROOT / test).read_text("utf-8")


def using(rooms):
    """The test files that lie in the folder of one of these rooms, or call a module of one."""
    return {test for test in test_files() if rooms & rooms_used(test)}


@functools.cache
def rooms_used(test):
    """The rooms that a test file is about: its folder's, and those of what it imports or calls."""
    text = text_of(test)
    modules = re.findall(r"\blab\.(\w+)\.\w+", text)
    modules += re.findall(r"^\s*from lab\.(\w+)", text, re.M)
    modules += [
        name.split()[0]
        for names in re.findall(r"^\s*from lab import (?:\(([^)]*)\)|(.*))", text, re.M)
        for name in "".join(names).replace("\n", " ").split(",")
        if name.strip()
    ]
    called = {verbs()[verb] for verb in re.findall(r"\blab\.(\w+)", text) if verb in verbs()}
    return ({test.split("/")[1], *modules} & set(house.ROOMS)) | called


@functools.cache
def verbs():
    """{what `lab.` offers by name: its room}, as the door has it."""
    door = ast.parse((ROOT / "lab/__init__.py").read_text("utf-8"))
    (table,) = [
        node.value
        for node in door.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "_PUBLIC"
    ]
    return {name: house.room(where) for name, where in ast.literal_eval(table).items()}


def naming(file):
    """The test files that name a file, or the folder at its top: as one to walk through, or, but
    for `lab`, whose users are seen by what they import, as the beginning of a path.
    """
    top, _, below = file.partition("/")
    tests = calling(file.rpartition("/")[2])
    if not below or top == "tests":
        return tests
    folder = re.compile(rf"""["']{re.escape(top)}["'{"" if top == "lab" else "/"}]""")
    return tests | {test for test in test_files() if folder.search(text_of(test))}


def calling(name):
    """The test files in which this name stands."""
    return {test for test in test_files() if re.search(rf"\b{re.escape(name)}\b", text_of(test))}


if __name__ == "__main__":
    print("\n".join(selected(changed(sys.argv[1]))))

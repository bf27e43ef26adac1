"""`make book` installs all that the book needs; what only other commands need is apart."""

import ast
import json
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = json.loads((ROOT / "package.json").read_text())
NEEDS = {
    need
    for entry in tomllib.loads((ROOT / "servers/catalog.toml").read_text())["servers"].values()
    for need in entry.get("needs", [])
}
PREVIEW = {"preview.py", "watcher.py"}


def plain(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def pins(name):
    """Package and version of each line of a lock file, with its marker."""
    lines = re.findall(r"^([\w.-]+)==(\S+)(.*)$", (ROOT / name).read_text(), re.M)
    return {plain(package): (version, marker.strip()) for package, version, marker in lines}


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
    ],
)
def test_what_the_code_imports_is_in_its_layer(lock, where, names):
    files = [f for f in (ROOT / where).rglob("*.py") if (f.name in PREVIEW) == bool(names)]
    assert files
    known = packages_distributions()
    held = pins("requirements.txt").keys() | pins(lock).keys()
    missing = {
        module
        for module in imported(files)
        if module in known and not held & {plain(name) for name in known[module]}
    }
    assert missing == set()


def test_what_the_catalogue_needs_comes_with_the_book():
    python = {plain(need[7:]) for need in NEEDS if need.startswith("python:")}
    node = {need[5:] for need in NEEDS if need.startswith("node:")}
    assert python and node
    assert python <= pins("requirements.txt").keys()
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


@pytest.mark.parametrize("layer", ["lab", "preview", "dev"])
def test_layers_agree_on_versions(layer):
    book, other = pins("requirements.txt"), pins(f"requirements/{layer}.txt")
    assert other
    assert {name: pin for name, (pin, _) in other.items() if name in book} == {
        name: book[name][0] for name in other if name in book
    }


def test_what_only_tests_need_is_not_installed_for_the_book():
    development = {"ruff", "mypy", "pytest", "jupyterlab", "sphinx-autobuild"}
    assert pins("requirements.txt").keys().isdisjoint(development)
    assert PACKAGE["dependencies"].keys().isdisjoint(PACKAGE["devDependencies"])

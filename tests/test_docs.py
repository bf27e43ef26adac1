"""The pages for authors and developers: links lead somewhere, and every setting is listed."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
DOCS = sorted((ROOT / "docs").glob("*.md"))
ROOMS = ("book", "classroom", "clinic", "grading", "live", "plot")
READMES = [ROOT / "lab" / room / "README.md" for room in ROOMS]
READMES += [ROOT / "lab/records/README.md", ROOT / "lab/widgets/model/README.md"]
PAGES = [ROOT / "CONTRIBUTING.md", *DOCS, *READMES]
VARIABLE = re.compile(r"\bLAB_[A-Z][A-Z_]*[A-Z]\b")


def name(page):
    return page.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_link_leads_to_a_file(page):
    links = re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text("utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_file_that_a_page_names_is_there(page):
    text = page.read_text("utf-8")
    files = re.findall(r"`((?:lab|tests|tools|data|book|servers|bench|docs)/[\w./-]+)`", text)
    placeholders = {
        "lab/widgets/model/NAME.js",
        "tests/models/NAME.mjs",
        "data/runs",
        "data/runs/my-sitting.json",
    }
    assert [n for n in files if n not in placeholders and not (ROOT / n).exists()] == []


@pytest.mark.parametrize("page", READMES, ids=name)
def test_a_table_of_files_names_only_files_of_its_room(page):
    rows = re.findall(r"^\| ((?:`[^`]+`(?:, )?)+) \|", page.read_text("utf-8"), re.M)
    files = [file for row in rows for file in re.findall(r"`([^`]+)`", row)]
    assert files
    missing = [
        file
        for file in files
        if "NAME" not in file and not (page.parent / file).exists() and not (ROOT / file).exists()
    ]
    assert missing == []


@pytest.mark.parametrize("page", [*DOCS, *READMES], ids=name)
def test_contributing_leads_to_every_page(page):
    pages, pages_left = set(), [ROOT / "CONTRIBUTING.md"]
    while pages_left:
        current = pages_left.pop()
        pages.add(current)
        links = re.findall(r"\]\((?!https?:)([^)#]+\.md)\)", current.read_text("utf-8"))
        pages_left += {(current.parent / link).resolve() for link in links} - pages
    assert page in pages


@pytest.mark.parametrize("page", [*DOCS, *READMES], ids=name)
def test_a_page_is_two_screens_long_at_most(page):
    assert len(page.read_text("utf-8").splitlines()) <= 110


def tracked_text():
    where = ["lab", "tools", "bench", "tests", "Makefile", ".github", "Dockerfile", "binder"]
    command = ["git", "ls-files", "-z", *where]
    files = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for file in filter(None, files.split("\0")):
        path = ROOT / file
        if path.suffix not in {".md", ".gz", ".json"} and path.is_file():
            yield file, path.read_text("utf-8", errors="ignore")


def test_the_table_of_settings_is_that_of_the_code():
    listed_names = set(VARIABLE.findall((ROOT / "docs/settings.md").read_text("utf-8")))
    used_names = {
        variable
        for file, text in tracked_text()
        if not file.startswith("tests/")
        for variable in VARIABLE.findall(text)
    }
    assert used_names - listed_names == set(), "docs/settings.md has a line for each variable"
    assert listed_names - used_names == set(), "no program reads these any more"

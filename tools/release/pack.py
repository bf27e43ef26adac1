"""`python tools/release/pack.py [FOLDER]`: what a release consists of, packed from what is built,
into a folder (default: _build/release).

The site as one zip that opens from disk, the book as a PDF, both packages of node-checkup, and the
records as a data set, with SHA256SUMS. `make release` builds them first. The same inputs give the
same zips.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NAME = "nodejs-io-measured"
BUILT = ROOT / "_build"
EARLIEST = (1980, 1, 1, 0, 0, 0)  # the first time that a zip can hold: dates are left out
DATA = ("data", "LICENSE-TEXT", "CITATION.cff", ".zenodo.json")


def version() -> str:
    """Return the version of this release, as pyproject.toml has it."""
    return str(tomllib.loads((ROOT / "pyproject.toml").read_text("utf8"))["project"]["version"])


def changes(text: str, of: str) -> str:
    """Return the section of CHANGELOG.md on a version. Raises SystemExit if there is none."""
    section = re.search(rf"^## {re.escape(of)}(?: [^\n]*)?\n(.*?)(?=^## |\Z)", text, re.M | re.S)
    if section is None or not section[1].strip():
        raise SystemExit(
            f"CHANGELOG.md has no section on {of}. Write the changes that "
            "readers will notice first."
        )
    return section[1].strip() + "\n"


def packed(archive: Path, top: str, files: Iterable[tuple[Path, str]]) -> Path:
    """Write files, each with its name below the folder `top`, into a zip, and return the zip."""
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as target:
        for file, name in sorted(files, key=lambda pair: pair[1]):
            entry = zipfile.ZipInfo(f"{top}/{name}", EARLIEST)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            target.writestr(entry, file.read_bytes())
    return archive


def site_files(site: Path) -> list[tuple[Path, str]]:
    """Return what a reader opens from disk. Raises SystemExit if nothing is built."""
    if not (site / "index.html").is_file():
        raise SystemExit(f"There is no site in {site}. Run make replay first.")
    return [(file, str(file.relative_to(site))) for file in site.rglob("*") if file.is_file()]


def data_files() -> list[tuple[Path, str]]:
    """Return the records and what says whose they are: tracked files only."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--", *DATA], cwd=ROOT, check=True, capture_output=True, text=True
    )
    return [(ROOT / name, name) for name in listed.stdout.split("\0") if name]


def copies(folder: Path) -> list[Path]:
    """Copy the PDF and the packages of node-checkup. Raises SystemExit if one is not built."""
    files = []
    for pattern, command in (
        ("pdf/*.pdf", "make pdf"),
        ("checkup/node_checkup-*.whl", "make checkup"),
        ("checkup/node-checkup-*.tgz", "make checkup"),
    ):
        artefacts = sorted(BUILT.glob(pattern))
        if len(artefacts) != 1:
            raise SystemExit(
                f"_build/{pattern} should be one file, but there are {len(artefacts)}. Empty that "
                f"folder and run {command}."
            )
        name = f"{NAME}-{version()}.pdf" if pattern.startswith("pdf") else artefacts[0].name
        files.append(Path(shutil.copy(artefacts[0], folder / name)))
    return files


def main(folder: Path) -> None:
    """Pack everything into an empty folder, and print what is in it."""
    release = version()
    notes = changes((ROOT / "CHANGELOG.md").read_text("utf8"), release)
    site, data = site_files(BUILT / "replay" / "html"), data_files()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    top = f"{NAME}-{release}"
    made = copies(folder)
    made.append(packed(folder / f"{top}-site.zip", top, site))
    made.append(packed(folder / f"{top}-data.zip", f"{top}-data", data))
    sums = [
        f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}" for file in sorted(made)
    ]
    (folder / "SHA256SUMS").write_text("\n".join(sums) + "\n", "utf8")
    (folder / "notes.md").write_text(notes, "utf8")
    for file in sorted(folder.iterdir()):
        print(f"{file.stat().st_size / 1e6:8.1f} MB  {file.name}")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if sys.argv[1:] else BUILT / "release")

"""`python tools/release/pack.py [FOLDER]`: what a release consists of, packed from what is built,
into a folder (default: _build/release). `python tools/release/pack.py --tag v1.2.0` only says
whether that tag can be released.

The site as one zip that opens from disk, the book as a PDF, both packages of node-checkup, and the
records as a data set, with SHA256SUMS. `make release` builds them first. The same inputs give the
same zips.
"""

from __future__ import annotations

import collections
import hashlib
import json
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NAME = "nodejs-io-measured"
BUILT = ROOT / "_build"
EARLIEST = (1980, 1, 1, 0, 0, 0)  # the first time that a zip can hold: dates are left out
FIELDS = "book/about/data.md"  # what each field of a record means
DATA = ("data", "LICENSE-TEXT", "CITATION.cff", ".zenodo.json", FIELDS)


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


def check_tag(tag: str) -> None:
    """Raise SystemExit where a tag is not that of this version, or has no section of changes."""
    if tag != f"v{version()}":
        raise SystemExit(
            f"The tag {tag} does not fit the version in pyproject.toml, {version()}. Remove the "
            f"tag, raise the version where tests/test_release.py wants it, and tag that commit."
        )
    changes((ROOT / "CHANGELOG.md").read_text("utf8"), version())


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


def about_data(files: Iterable[tuple[Path, str]]) -> str:
    """Return what a person reads first who has only the data set: kinds of files, with number,
    size and schema, and where their fields are explained.
    """
    sizes: dict[tuple[str, str], list[int]] = collections.defaultdict(list)
    for file, name in files:
        if not name.startswith("data/"):
            continue
        content = json.loads(file.read_bytes()) if file.suffix == ".json" else None
        facts = content if isinstance(content, dict) else {}
        place = f"{Path(name).parent}/" if Path(name).parent != Path("data") else name
        kind = str(facts.get("kind", "trace" if name.endswith(".trace.json") else ""))
        schema = str(facts.get("schema", ""))
        label = f"{kind}, schema {schema}" if kind else schema and f"schema {schema}"
        sizes[place, label].append(file.stat().st_size)
    rows = [
        f"| `{place}` | {label} | {len(group)} | {sum(group) / 1e6:.2f} |"
        for (place, label), group in sorted(sizes.items())
    ]
    return "\n".join(
        [
            f"# Records of Node.js I/O, Measured, version {version()}",
            "",
            "Each file in `data/reference` is the record of one experiment, with every trial and "
            "its checks. All files are JSON, CSV or TSV (in UTF-8), TOML or text.",
            f"[{FIELDS}]({FIELDS}) explains the fields and recomputes a ratio from a record. "
            "[CITATION.cff](CITATION.cff) says how to cite the data, and "
            "[LICENSE-TEXT](LICENSE-TEXT) what you may do with them.",
            "",
            "| where | kind | files | MB |",
            "|---|---|---|---|",
            *rows,
            "",
        ]
    )


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
    archives = copies(folder)
    archives.append(packed(folder / f"{top}-site.zip", top, site))
    with tempfile.TemporaryDirectory() as scratch:
        readme = Path(scratch) / "README.md"
        readme.write_text(about_data(data), "utf8")
        data.append((readme, readme.name))
        archives.append(packed(folder / f"{top}-data.zip", f"{top}-data", data))
    sums = [
        f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}" for file in sorted(archives)
    ]
    (folder / "SHA256SUMS").write_text("\n".join(sums) + "\n", "utf8")
    (folder / "notes.md").write_text(notes, "utf8")
    for file in sorted(folder.iterdir()):
        print(f"{file.stat().st_size / 1e6:8.1f} MB  {file.name}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--tag"]:
        check_tag(" ".join(sys.argv[2:]))
        raise SystemExit
    main(Path(sys.argv[1]) if sys.argv[1:] else BUILT / "release")

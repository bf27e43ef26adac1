"""Node addons written in Rust: built when their sources change, missing where there is no cargo.

`python -m lab.servers.rust_addon` builds what is not up to date. `make` does so before it measures;
a server whose addon is not there is missing, like one whose program is not installed.
"""

from __future__ import annotations

import hashlib
import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from lab import paths

FOLDER = paths.SERVERS / "rust"
BUILD_S = 600.0


def addon(name: str) -> Path:
    """Where the built addon lies: servers/rust/NAME/target/NAME.node."""
    return FOLDER / name / "target" / f"{name}.node"


def missing(name: str) -> str | None:
    """Why a server that needs this addon cannot run, with what to do; None if it can."""
    if _is_current(name):
        return None
    how = (
        "make addons" if shutil.which("cargo") else "install Rust (https://rustup.rs), make addons"
    )
    return f"Rust addon {name}: {how}"


def build(name: str) -> str:
    """Build the addon if its sources changed since; return what is wrong, "" if nothing is."""
    if _is_current(name):
        return ""
    cargo = shutil.which("cargo")
    if cargo is None:
        return (
            f"The Rust addon {name} is not built: there is no cargo. https://rustup.rs installs "
            "it; until then its series come from the record."
        )
    print(f"Building the Rust addon {name}, once (about a minute) ...", flush=True)
    try:
        said = _made(name, cargo)
    except (OSError, subprocess.SubprocessError) as error:
        said = str(error)
    if not said:
        return ""
    return (
        f"The Rust addon {name} could not be built; its series come from the record. To see "
        f"for yourself: cd {paths.relative(FOLDER / name)} && cargo build --release\n"
        f"What went wrong:\n{said[-2000:].strip()}"
    )


def _made(name: str, cargo: str) -> str:
    """Build it and put it where servers look for it; what cargo said if it did not, else ""."""
    target = addon(name).parent
    done = subprocess.run(
        [cargo, "build", "--release", "--quiet", "--target-dir", str(target)],
        cwd=FOLDER / name,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        timeout=BUILD_S,
        check=False,
    )
    libraries = [target / "release" / f"lib{name}{end}" for end in (".so", ".dylib")]
    built = next((file for file in libraries if file.is_file()), None)
    if done.returncode or built is None:
        return done.stderr or f"It ended with code {done.returncode} and made no library."
    # Replaced and not overwritten: a running server may have the old one mapped.
    with tempfile.TemporaryDirectory(dir=target) as folder:
        copy = Path(folder) / "addon"
        shutil.copyfile(built, copy)
        copy.replace(addon(name))
    _stamp(name).write_text(_mark(name))
    return ""


def names() -> list[str]:
    """The addons there are sources of."""
    return sorted(file.parent.name for file in FOLDER.glob("*/Cargo.toml"))


def _is_current(name: str) -> bool:
    try:
        return addon(name).is_file() and _stamp(name).read_text() == _mark(name)
    except OSError:
        return False


def _stamp(name: str) -> Path:
    return addon(name).with_suffix(".built-from")


def _mark(name: str) -> str:
    files = [FOLDER / name / "Cargo.toml", *sorted((FOLDER / name / "src").rglob("*.rs"))]
    # What was built elsewhere, and copied here with the folder, does not load.
    digest = hashlib.sha256(f"{sys.platform} {platform.machine()}\n".encode())
    for file in files:
        content = file.read_bytes()
        digest.update(len(content).to_bytes(8, "big") + content)
    return digest.hexdigest()


def main() -> None:
    """Build all; what cannot be built is said, and no reason to stop."""
    for name in names():
        if wrong := build(name):
            print(wrong, file=sys.stderr)


if __name__ == "__main__":
    main()

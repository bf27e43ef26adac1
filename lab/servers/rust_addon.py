"""Node addons written in Rust: built when their sources change, missing where there is no cargo.

`python -m lab.servers.rust_addon` builds what is not up to date. `make` does so before it measures;
a server whose addon is not there is missing, like one whose program is not installed. What could
not be built is tried again when its sources or the cargo are others, or with `--again`.

A build runs code of every crate it needs, so all of them are named, with their checksums, in
crates.txt beside Cargo.toml, and no others are built. (A Cargo.lock would do the same, but records
where they were fetched from.) `--pin` writes that list anew, after a change to Cargo.toml.
"""

from __future__ import annotations

import contextlib
import hashlib
import platform
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

from lab import paths

FOLDER = paths.SERVERS / "rust"
BUILD_S = 600.0
Crates = set[tuple[str, str, str]]  # name, version, SHA-256 of what is fetched


def addon(name: str) -> Path:
    """Return the path of the built addon: servers/rust/NAME/target/NAME.node."""
    return FOLDER / name / "target" / f"{name}.node"


def missing(name: str) -> str | None:
    """Why a server that needs this addon cannot run, with what to do; None if it can."""
    if _is_current(name):
        return None
    how = (
        "make addons"
        if shutil.which("cargo")
        else "install Rust (https://rustup.rs), then run make addons"
    )
    return f"Rust addon {name}: {how}"


def build(name: str, again: bool = False) -> str:
    """Build the addon if its sources changed since; return what is wrong, "" if nothing is.

    What could not be built is not tried with the same sources and the same cargo again, unless
    `again`: then one line says so.
    """
    if _is_current(name):
        return ""
    cargo = shutil.which("cargo")
    if cargo is None:
        return (
            f"The Rust addon {name} is not built because there is no cargo. Install cargo "
            "from https://rustup.rs. Until then, the series of the addon come from the "
            "record."
        )
    attempt = f"{_mark(name)} {_version(name, cargo)}\n"
    if not again and _is(_failure(name), attempt):
        return (
            f"The Rust addon {name} could not be built last time, and nothing in it has "
            "changed since, so its series come from the record. To try again, run make addons"
        )
    print(
        f"Building the Rust addon {name}. This happens only once and takes about a minute ...",
        flush=True,
    )
    try:
        trouble = _made(name, cargo)
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        trouble = str(error)
    if not trouble:
        _failure(name).unlink(missing_ok=True)
        return ""
    with contextlib.suppress(OSError):  # without the file the next start tries again
        _failure(name).parent.mkdir(exist_ok=True)
        _failure(name).write_text(attempt)
    return (
        f"The Rust addon {name} could not be built, so its series come from the record. To "
        f"see for yourself: cd {paths.relative(FOLDER / name)} && cargo build --release\n"
        "What went wrong:\n"
        f"{trouble[-2000:].strip()}"
    )


def _version(name: str, cargo: str) -> str:
    """What this cargo calls itself; it differs by folder where rustup chooses."""
    with contextlib.suppress(OSError, subprocess.SubprocessError):
        return _run(name, cargo, "--version").stdout.strip()
    return ""


def _failure(name: str) -> Path:
    """The note of the last attempt that failed: of which sources, with which cargo."""
    return addon(name).with_suffix(".failed-from")


def _is(file: Path, text: str) -> bool:
    with contextlib.suppress(OSError, ValueError):
        return file.read_text() == text
    return False


def _made(name: str, cargo: str) -> str:
    """Build the addon where servers look for it; return cargo's errors if that failed, else ""."""
    if wrong := _locked(name, cargo):
        return wrong
    target = addon(name).parent
    options = ["--release", "--locked", "--quiet", "--target-dir", str(target)]
    result = _run(name, cargo, "build", *options)
    libraries = [target / "release" / f"lib{name}{end}" for end in (".so", ".dylib")]
    library = next((file for file in libraries if file.is_file()), None)
    if result.returncode or library is None:
        return result.stderr or (
            f"cargo ended with code {result.returncode} and produced no library."
        )
    # Replaced and not overwritten: a running server may have the old one mapped.
    with tempfile.TemporaryDirectory(dir=target) as folder:
        copy = Path(folder) / "addon"
        shutil.copyfile(library, copy)
        copy.replace(addon(name))
    _stamp(name).write_text(_mark(name))
    return ""


def _run(name: str, cargo: str, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [cargo, *words],
        cwd=FOLDER / name,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        timeout=BUILD_S,
        check=False,
    )


def _locked(name: str, cargo: str) -> str:
    """Make cargo lock the crates of our list, and no others; what is wrong then, "" if nothing."""
    crates = _listed(name)
    errors = ""
    if _in_lock_file(name) != crates:
        errors = _run(name, cargo, "generate-lockfile").stderr
        for crate, version, _ in sorted(crates - _in_lock_file(name)):
            for locked_crate, instead, _ in sorted(_in_lock_file(name) - crates):
                if locked_crate == crate and instead.partition(".")[0] == version.partition(".")[0]:
                    which = ("--package", f"{crate}@{instead}", "--precise", version)
                    errors += _run(name, cargo, "update", *which).stderr
                    break
    locked_crates = _in_lock_file(name)
    if locked_crates == crates:
        return ""
    more = (
        ", ".join(f"{crate} {version}" for crate, version, _ in sorted(locked_crates - crates))
        or "none"
    )
    less = (
        ", ".join(f"{crate} {version}" for crate, version, _ in sorted(crates - locked_crates))
        or "none"
    )
    return (
        f"{errors}Cargo would build crates other than those in {paths.relative(_list(name))}, or "
        f"different ones under the same names. Not in the list: {more}; only in the list: {less}.\n"
        "If Cargo.toml was changed: python -m lab.servers.rust_addon --pin"
    )


def _list(name: str) -> Path:
    return FOLDER / name / "crates.txt"


def _listed(name: str) -> Crates:
    rows = [line.split() for line in _list(name).read_text("utf-8").splitlines()]
    return {(row[0], row[1], row[2]) for row in rows if len(row) == 3 and row[0] != "#"}


def _in_lock_file(name: str) -> Crates:
    """The crates that cargo decided upon, without our own."""
    file = FOLDER / name / "Cargo.lock"
    packages = tomllib.loads(file.read_text("utf-8"))["package"] if file.is_file() else []
    return {(p["name"], p["version"], p.get("checksum", "")) for p in packages if "source" in p}


def pin(name: str) -> None:
    """Write the list of crates anew: those that cargo decides upon now."""
    (FOLDER / name / "Cargo.lock").unlink(missing_ok=True)
    done = _run(name, shutil.which("cargo") or "cargo", "generate-lockfile")
    if done.returncode:
        sys.exit(done.stderr)
    head = "# Every crate that is built: name, version, SHA-256. Written by lab.servers.rust_addon."
    rows = [" ".join(crate) for crate in sorted(_in_lock_file(name))]
    _list(name).write_text("\n".join([head, *rows, ""]), "utf-8")


def names() -> list[str]:
    """The addons there are sources of."""
    return sorted(file.parent.name for file in FOLDER.glob("*/Cargo.toml"))


def _is_current(name: str) -> bool:
    return addon(name).is_file() and _is(_stamp(name), _mark(name))


def _stamp(name: str) -> Path:
    return addon(name).with_suffix(".built-from")


def _mark(name: str) -> str:
    files = [
        FOLDER / name / "Cargo.toml",
        _list(name),
        *sorted((FOLDER / name / "src").rglob("*.rs")),
    ]
    # An addon that was built elsewhere and copied here does not load.
    digest = hashlib.sha256(f"{sys.platform} {platform.machine()}\n".encode())
    for file in files:
        content = file.read_bytes()
        digest.update(len(content).to_bytes(8, "big") + content)
    return digest.hexdigest()


def main() -> None:
    """Build all; what cannot be built is said, and no reason to stop."""
    for name in names():
        if sys.argv[1:] == ["--pin"]:
            pin(name)
        if wrong := build(name, again=sys.argv[1:] == ["--again"]):
            print(wrong, file=sys.stderr)


if __name__ == "__main__":
    main()

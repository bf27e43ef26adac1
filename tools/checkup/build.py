"""`python tools/checkup/build.py [FOLDER]`: the wheel of node-checkup, and the package for npx
with the wheel in it, into a folder (default: _build/checkup).
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import staging

HERE = staging.HERE


def wheel(folder: Path) -> Path:
    """Build the wheel with what is installed here: no index is asked."""
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-build-isolation", "--no-deps"]
    subprocess.run([*command, "--no-index", "--wheel-dir", str(folder), str(HERE)], check=True)
    return next(folder.glob(f"node_checkup-{staging.version()}-*.whl"))


def npm_package(folder: Path, wheel_file: Path) -> Path:
    """Pack the launcher, and the wheel that it installs."""
    manifest = json.loads((HERE / "package.json").read_text("utf-8"))
    if manifest["version"] != staging.version():
        raise SystemExit("package.json and pyproject.toml of node-checkup have different versions.")
    with tempfile.TemporaryDirectory() as scratch:
        stage = Path(scratch)
        for source in (HERE / "README.md", staging.ROOT / "LICENSE", wheel_file):
            shutil.copy(source, stage)
        # npm publishes from a workflow only what names the repository of that workflow.
        if address := os.environ.get("LAB_REPOSITORY_URL"):
            manifest["repository"] = {"type": "git", "url": f"git+{address}.git"}
        (stage / "package.json").write_text(json.dumps(manifest, indent=2) + "\n", "utf-8")
        shutil.copytree(HERE / "bin", stage / "bin")
        command = ["npm", "pack", "--silent", "--offline", "--pack-destination", str(folder)]
        subprocess.run(command, cwd=stage, check=True, stdout=subprocess.DEVNULL)
    return folder / f"node-checkup-{staging.version()}.tgz"


def main() -> None:
    """Build both."""
    folder = Path(sys.argv[1] if sys.argv[1:] else staging.ROOT / "_build" / "checkup").resolve()
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("node[_-]checkup-*"):
        old.unlink()
    built = wheel(folder)
    for file in (built, npm_package(folder, built)):
        print(f"{file} ({file.stat().st_size / 1e3:.0f} kB)")


if __name__ == "__main__":
    main()

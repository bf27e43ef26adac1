"""`python -m lab.live`: what `make live` does. Further words go to JupyterLab: `--no-browser`.

`python -m lab.live seconds` writes down how long cells take.
"""

from __future__ import annotations

import os
import subprocess
import sys

from lab import paths
from lab.cli import table
from lab.cli.help import page
from lab.errors import LabError
from lab.live import places
from lab.processes import nodes

CONFIG = paths.ROOT / "tools" / "jupyter_lab_config.py"


def main(words: list[str]) -> int:
    """Build the book if there is none, then become the server. Returns only if that fails."""
    if words[:1] == ["help"]:
        print(page([table.LIVE]))
        return 0
    try:
        if words[:1] == ["seconds"]:
            from lab.live import seconds

            print(seconds.collected())
            return 0
        if not (places.BUNDLE / "live.js").is_file():
            raise LabError("The scripts of live pages are not bundled yet. Run `make live`.")
        if places.site() is None:
            code = _replay()
            if code or places.site() is None:
                return code or 1
        os.environ.update(nodes.anchored())
    except LabError as error:
        print(error, file=sys.stderr)
        return 2
    command = [sys.executable, "-m", "jupyter", "lab", "--config", str(CONFIG)]
    return os.execv(sys.executable, [*command, "--LabApp.default_url=/book", *words])


def _replay() -> int:
    print(
        "No book has been built here yet, so the site is now built from the recorded run.",
        flush=True,
    )
    build = [sys.executable, "-m", "lab.book", "build", "--output", "_build/replay"]
    return subprocess.run(
        build, cwd=paths.ROOT, env={**os.environ, "LAB_MODE": "replay"}, check=False
    ).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

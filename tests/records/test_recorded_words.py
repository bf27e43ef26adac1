"""The wordings that wait for the next recording still fit the files that they change."""

import subprocess

from lab import paths

PATCH = paths.DATA / "recorded-words.patch"


def test_the_better_wordings_can_be_applied():
    check = subprocess.run(
        ["git", "apply", "--check", str(PATCH)],
        cwd=paths.ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert check.returncode == 0, (
        "These lines have changed since. Change them in data/recorded-words.patch, too, or apply "
        f"it with --3way and store the difference again.\n{check.stderr}"
    )

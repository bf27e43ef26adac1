"""Pages in a browser: what pages.test.mjs finds on a built site."""

import os
import re
import subprocess

import pytest

from lab import paths
from lab.processes import nodes

from .ground import SEED, apart, nightly

pytestmark = apart

SITE = os.environ.get("SITE") or "_build/replay/html"
MINUTES = 8


@nightly
@pytest.mark.timeout(60 * MINUTES)
def test_pages(record_property):
    if not (paths.ROOT / SITE / "index.html").exists():
        pytest.skip(f"no site in {SITE}: make replay builds one")
    done = subprocess.run(
        [nodes.program(), "--test", "--test-reporter=tap", "tests/attack/pages.test.mjs"],
        cwd=paths.ROOT,
        env={**os.environ, "SITE": SITE, "LAB_ATTACK_SEED": str(SEED)},
        capture_output=True,
        text=True,
        check=False,
    )
    counts = re.findall(r"# tried (\d+) fell (\d+)", done.stdout)
    record_property("tried", sum(int(tried) for tried, _ in counts))
    record_property("fell", sum(int(fell) for _, fell in counts))
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
    assert counts

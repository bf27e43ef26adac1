"""Which tests stay on one worker, in a run with `--dist loadgroup`.

A file of quick tests stays together, because its tests share what they read, and so does a file
with a fixture for all of its tests: each worker that has one of its tests makes the fixture. The
tests of a file that builds, judges or starts something are apart: most of them wait.
"""

import functools
import re
from pathlib import Path

from xdist.scheduler import LoadScopeScheduling

ROOT = Path(__file__).resolve().parents[1]
IS_SHARED = re.compile(r'@pytest\.fixture\(scope="module"\)')
IS_SLOW = re.compile(r"\bmark\.(?:builds|judges|starts|sandboxed)\b")


@functools.cache
def stays_together(file):
    """Whether one worker runs all tests of this file, which is a path in the repository."""
    text = (ROOT / file).read_text("utf8")
    return bool(IS_SHARED.search(text)) or not IS_SLOW.search(text)


class ByCost(LoadScopeScheduling):
    """Hands out the next file or test to the worker that has the least left to do."""

    def _split_scope(self, nodeid):
        file = nodeid.partition("::")[0]
        return file if stays_together(file) else nodeid

"""A fake load tool that prints what it is told to: the harness is tested without any load.

After the TestDoubleBenchmarker of Node's `benchmark/_http-benchmarkers.js`. It runs a real child
process, so that hanging, failing and printing rubbish take the same way as with a real tool.
"""

from __future__ import annotations

import sys

from lab.instruments.adapters.base import (
    Adapter,
    Capabilities,
    Capability,
    Figures,
    ToolResult,
    ToolSpec,
)
from lab.instruments.adapters.child import ran
from lab.instruments.adapters.lines import read_lines

GRAMMAR = {
    "throughput": r"throughput: ([\d.]+) per second",
    "p50": r"p50: ([\d.]+) us",
}
CANNED = "throughput: 1000 per second\np50: 250 us\n"
PROGRAM = """
import subprocess, sys, time
output, code, hang_s, child = sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), sys.argv[4]
sys.stdout.write(output)
sys.stdout.flush()
if child:
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(300)", child])
time.sleep(hang_s)
sys.exit(code)
"""


class Double(Adapter):
    """Prints `output`, sleeps `hang_s`, ends with `code`; `child` marks a stray it leaves."""

    name = "double"
    install = "nothing: it is part of lab"
    capabilities = Capabilities(
        raw_rows=Capability(False, "The double measures nothing."),
        latency=Capability(False, "The double measures nothing."),
        open_loop=Capability(False, "The double measures nothing."),
        fresh_connections=Capability(False, "The double measures nothing."),
        error_kinds=Capability(False, "The double measures nothing."),
    )

    def __init__(
        self, output: str = CANNED, *, code: int = 0, hang_s: float = 0.0, child: str = ""
    ) -> None:
        self.arguments = [output, str(code), str(hang_s), child]
        self.deadline_s: float | None = None

    def _version(self) -> str | None:
        return "1"

    def _run(self, spec: ToolSpec, version: str) -> ToolResult:
        argv = [sys.executable, "-c", PROGRAM, *self.arguments]
        more_s = 0.0 if self.deadline_s is None else self.deadline_s - spec.deadline_s
        once = ran(self.name, spec, argv, more_s=more_s)
        matches = read_lines(self.name, once.raw_output, GRAMMAR, GRAMMAR)
        said_figures = Figures(
            throughput_per_s=float(matches["throughput"][0][1]), p50_us=float(matches["p50"][0][1])
        )
        return self.result(
            spec,
            version,
            once,
            said=said_figures,
            trusted=Figures(),
            summary={},
            counts={},
            caveats=("nothing was measured",),
        )

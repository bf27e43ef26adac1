"""Run the program in one fresh Node, bounded in time and output, leaving nothing behind."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Literal

from lab.paths import NODE_SIDE
from lab.processes import nodes
from lab.trace.events import read_rows, read_spans
from lab.trace.nodes import Node
from lab.trace.phases import Spans

PRELOAD = NODE_SIDE / "recorder" / "preload.cjs"
CATEGORIES = [
    "node.async_hooks",
    "node.environment",
    "node.bootstrap",
    "node.fs.async",
    "node.threadpoolwork.async",
    "node.threadpoolwork.sync",
    "v8",
]
GRACE_S = 1.5  # the recorder ends a program at the limit; the grace is for a blocked program
OUTPUT_BYTES = 4_000_000
LINES_KEPT = 200
STDERR_KEPT = 20_000  # the last bytes: the reason of an end comes last
Ended = Literal["exit", "signal", "time", "output"]
_PORT = re.compile(r"(https?://(?:127\.0\.0\.1|localhost|\[::1?\])):\d+")


@dataclass(frozen=True)
class Limits:
    """The limits of one run: seconds, recorder rows, stored events, recorded bytes of output."""

    seconds: float = 5.0
    rows: int = 20_000
    events: int = 800
    output_bytes: int = 64 * 1024


@dataclass
class RunEnd:
    """The end of one run. `lines` are the first 200 lines of standard output, in order."""

    lines: tuple[str, ...]
    stderr: str
    code: int | None
    ended: Ended
    seconds: float
    rows: list[list[Any]] = field(default_factory=list)
    spans: Spans | None = None
    signal: int | None = None  # that ended it, unless it was ours

    @property
    def stopped(self) -> bool:
        """True if it was stopped before its end, by us or by the recorder."""
        return self.ended in ("time", "output") or any(row[0] == "T" for row in self.rows)


# The shell reports its own pid to the undertaker and then becomes the program: if we reported the
# pid, we could die before it. A child of the shell writes, since SIGPIPE may end the writer where
# the undertaker is gone.
_TOLD_BY_ITSELF = ("/bin/sh", "-c", '(echo $$ >&0) 2>/dev/null; exec "$@" <"$0"')


class Undertaker:
    """Kills the running child's whole group if this Python process dies, by SIGKILL too.

    A shell that reads group ids from our pipe; when the pipe closes, the last one is killed.
    """

    def __init__(self) -> None:
        self._shell = subprocess.Popen(
            [
                "/bin/sh",
                "-c",
                'while read g; do p=$g; done; [ "${p:-0}" -gt 1 ] && kill -s KILL -- "-$p"',
            ],
            stdin=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            text=True,
        )

    @property
    def pipe(self) -> IO[str]:
        """Where a program names its own group before it begins."""
        assert self._shell.stdin is not None
        return self._shell.stdin

    def forget(self) -> None:
        """Kill nothing: the program has ended."""
        with contextlib.suppress(BrokenPipeError):
            self.pipe.write("0\n")
            self.pipe.flush()

    def close(self) -> None:
        """Let the shell go."""
        self.forget()
        with contextlib.suppress(BrokenPipeError):
            self.pipe.close()
        self._shell.wait(timeout=10)


@contextlib.contextmanager
def undertaker() -> Iterator[Undertaker]:
    """An Undertaker for the length of a `with` block."""
    keeper = Undertaker()
    try:
        yield keeper
    finally:
        keeper.close()


@dataclass(frozen=True)
class Setting:
    """How to start the program: the same for every run of one trace."""

    file: Path
    args: Sequence[str] = ()
    stdin: str = ""
    env: Mapping[str, str] = field(default_factory=dict)
    cwd: Path | None = None
    drive: Callable[[str], object] | None = None


def run(
    node: Node,
    setting: Setting,
    limits: Limits,
    keeper: Undertaker,
    *,
    record: bool = False,
    stop_at: list[Any] | None = None,
    enough: int | None = None,
) -> RunEnd:
    """One run: plain `node program`, or with `record` under the recorder.

    enough : stop it when it has printed so many lines.
    """
    with tempfile.TemporaryDirectory(prefix="lab-trace-") as name:
        folder = Path(name)
        env = {k: v for k, v in os.environ.items() if k not in ("NODE_OPTIONS", "LAB_TRACE")}
        env.update(nodes.on_path(node.path))  # for what the program starts by name
        env.update({"PORT": "0"} if setting.drive else {}, **setting.env)
        command = [node.path]
        if record:
            env["LAB_TRACE"] = json.dumps(
                {
                    "file": str(folder / "rows"),
                    "max_events": limits.rows,
                    "limit_us": int(limits.seconds * 1e6),
                    "max_output": limits.output_bytes,
                    "categories": CATEGORIES,
                    "stop_at": stop_at,
                    "driven": setting.drive is not None,
                }
            )
            command += [
                "--require",
                str(PRELOAD),
                f"--trace-event-file-pattern={folder / 'events'}",
            ]
        command += [str(setting.file), *setting.args]
        deadline_s = limits.seconds + (GRACE_S if record else 0)
        outcome = _supervise(
            command, env, folder, setting, deadline_s=deadline_s, keeper=keeper, enough=enough
        )
        if record:
            outcome.rows = read_rows(folder / "rows")
            outcome.spans = read_spans(folder / "events")
        return outcome


def _supervise(
    command: list[str],
    env: Mapping[str, str],
    folder: Path,
    setting: Setting,
    *,
    deadline_s: float,
    keeper: Undertaker,
    enough: int | None,
) -> RunEnd:
    out, err = folder / "stdout", folder / "stderr"
    (folder / "stdin").write_text(setting.stdin)
    start_s = time.monotonic()
    deadline = start_s + deadline_s
    with out.open("wb") as o, err.open("wb") as e:
        # Output goes to files: their writes are synchronous and add no handle to the loop.
        child = subprocess.Popen(
            [*_TOLD_BY_ITSELF, str(folder / "stdin"), *command],
            stdin=keeper.pipe,
            stdout=o,
            stderr=e,
            env=env,
            cwd=setting.cwd,
            start_new_session=True,
        )
    ending: Ended = "exit"
    driver = _Driver(setting.drive, out, child, deadline_s) if setting.drive else None
    try:
        pause = 0.002
        while child.poll() is None:
            if time.monotonic() > deadline:
                ending = "time"
                break
            if out.stat().st_size + err.stat().st_size > OUTPUT_BYTES:
                ending = "output"
                break
            if enough and out.read_bytes().count(b"\n") >= enough:
                ending = "time"
                break
            with contextlib.suppress(subprocess.TimeoutExpired):
                child.wait(pause)
            pause = min(pause * 1.5, 0.05)
    finally:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(child.pid, signal.SIGKILL)  # the program's own children too
        child.wait()
        keeper.forget()
    if driver:
        driver.finish()
    code = child.returncode
    if setting.drive and code == -signal.SIGTERM:
        code = 0  # we asked it to stop
    if ending == "exit" and code < 0:
        ending = "signal"
    text = out.read_bytes()[:OUTPUT_BYTES].decode("utf-8", "replace")
    # A port that the system chose differs in every run; the order is the same.
    lines = _PORT.sub(r"\1:PORT", text).split("\n")[: LINES_KEPT + 1]
    return RunEnd(
        tuple(lines[:-1] if lines and lines[-1] == "" else lines)[:LINES_KEPT],
        err.read_bytes()[-STDERR_KEPT:].decode("utf-8", "replace"),
        code if ending == "exit" else None,
        ending,
        time.monotonic() - start_s,
        signal=-code if ending == "signal" else None,
    )


class _Driver:
    """Waits for `listening on URL`, calls the reader's function with the URL, then asks to stop."""

    def __init__(
        self, drive: Callable[[str], object], out: Path, child: Any, seconds: float
    ) -> None:
        self.error: Exception | None = None
        self._arguments = (drive, out, child, time.monotonic() + seconds)
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def _work(self) -> None:
        drive, out, child, deadline = self._arguments
        while child.poll() is None and time.monotonic() < deadline:
            match = re.search(rb"listening on (http://\S+)", out.read_bytes())
            if match:
                try:
                    drive(match[1].decode())
                except Exception as error:  # shown to the reader by finish()
                    self.error = error
                with contextlib.suppress(ProcessLookupError):
                    child.send_signal(signal.SIGTERM)
                return
            time.sleep(0.01)

    def finish(self) -> None:
        self._thread.join(timeout=30)
        if self.error:
            raise self.error

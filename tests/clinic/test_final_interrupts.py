"""Ctrl-C and SIGKILL while `final` works: no process is left, and no half of a page."""

import os
import signal
import subprocess
import sys
import textwrap

import psutil
import pytest
from support import eventually, linux

from lab import paths
from lab.cli import table
from lab.grading import exercise as exercises

STEP = exercises.exercise("drop-08")
MARK = "LAB_TEST_OF_FINAL"  # in the environment of all that one `final` starts outside a sandbox
PATIENCE_S = 60.0
# A drop that ends only when it is killed, and a check of it that takes long.
SILENT = """
    import { createServer } from "node:http";
    const server = createServer(() => {}).listen(process.env.PORT, "127.0.0.1", () =>
      console.log(`listening on http://127.0.0.1:${server.address().port}`),
    );
    process.on("SIGTERM", () => {});
"""
OLD = "the page of an earlier final"

# `final` as the terminal starts it, with steps that take no time where they aren't what is tested.
PROGRAM = """
    import sys
    from pathlib import Path

    from lab.__main__ import main
    from lab.clinic import final
    from lab.grading import sandbox
    from lab.grading.result import GRADED, Result

    def judged(step, _):
        return Result(
            schema=1, exercise=step.id, title=step.title, outcome=GRADED, points=step.points,
            of=step.points, criteria=(), hand_in="", version="", grader="", node="", sandbox="",
            limits={}, seed=1, parameters={}, student="", graded="", seconds=0.0,
        )

    moment, folder, page = sys.argv[1:]
    final.verbs.HANDED_IN = Path(page).with_name("handed-in")
    if moment == "a step without a sandbox":
        sandbox.bubblewrap = lambda: None
    if not moment.startswith("a step"):
        final.verbs.judged = judged
    if moment != "the load":
        final.CLIENTS, final.LOAD_S, final.WARM_S = (1,), 0.2, 0.0
    if moment != "the comparison":
        final.PAIRS, final.TURN_S, final.TURN_WARM_S = 2, 0.2, 0.0
    sys.exit(main(["final", folder, "--page", page]))
"""

# What has been printed by then, and a part of the command of a process that must be running.
MOMENTS = {
    "a step": ("step 1 of", "hand-in"),
    "a step without a sandbox": ("step 1 of", "server.mjs"),
    "the load": ("the load", "server.mjs"),
    "the comparison": ("the comparison", "before.mjs"),
    "the examination": ("the examination", "server.mjs"),
}


def marked(token):
    """The processes that have a path in their environment or their command."""
    processes = set()
    for process in psutil.process_iter():
        try:
            named = process.environ().get(MARK) == token or token in " ".join(process.cmdline())
            if named and process.status() != psutil.STATUS_ZOMBIE:
                processes.add(process)
        except psutil.Error:
            continue
    return processes


def commands(process):
    """The processes that one has started, each with its command."""
    command_lines = {}
    for child in process.children(recursive=True):
        try:
            command_lines[child] = " ".join(child.cmdline())
        except psutil.Error:
            continue
    return command_lines


def living(processes):
    """Those that still run."""
    processes_left = set()
    for process in processes:
        try:
            if process.is_running() and process.status() != psutil.STATUS_ZOMBIE:
                processes_left.add(process)
        except psutil.NoSuchProcess:
            continue
    return processes_left


@linux
@pytest.mark.judges
@pytest.mark.parametrize("how", ["Ctrl-C", "SIGKILL"])
@pytest.mark.parametrize("moment", MOMENTS)
def test_a_final_that_is_ended_leaves_no_process_and_no_half_of_a_page(tmp_path, moment, how):
    folder = tmp_path / "my-drop"
    folder.mkdir()
    is_step = moment.startswith("a step")
    text = textwrap.dedent(SILENT) if is_step else STEP.program(STEP.solution)
    (folder / "server.mjs").write_text(text, "utf-8")
    page = tmp_path / "page.html"
    page.write_text(OLD, "utf-8")
    token = str(tmp_path)
    (tmp_path / "tmp").mkdir()
    line, part = MOMENTS[moment]
    with (tmp_path / "errors").open("wb") as errors:
        program = subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(PROGRAM), moment, str(folder), str(page)],
            stdout=subprocess.DEVNULL,
            stderr=errors,
            cwd=paths.ROOT,
            env={
                **os.environ,
                MARK: token,
                "TMPDIR": str(tmp_path / "tmp"),
                "LAB_STATE": str(tmp_path / "state"),
            },
            start_new_session=True,
        )

    def printed():
        return (tmp_path / "errors").read_text("utf-8", "replace")

    processes = {}

    def is_there():
        processes.update(commands(psutil.Process(program.pid)))
        runs = any(part in command for command in processes.values())
        return program.poll() is not None or (line in printed() and runs)

    try:
        assert eventually(is_there, PATIENCE_S) and program.poll() is None, printed()
        if how == "SIGKILL":
            program.kill()
        else:  # a terminal tells everything in the foreground
            os.killpg(program.pid, signal.SIGINT)
        code = program.wait(PATIENCE_S)
        left = eventually(lambda: not living(processes) and not marked(token), PATIENCE_S)
        assert left, "\n".join(processes.get(p, "?") for p in living(processes) | marked(token))
    finally:
        for process in {*living(processes), *marked(token)}:
            process.kill()
    assert code == (-signal.SIGKILL if how == "SIGKILL" else table.INTERRUPTED), printed()
    if how == "Ctrl-C":
        assert "Traceback" not in printed()
    assert page.read_text("utf-8") == OLD
    known = {"my-drop", "page.html", "errors", "state", "handed-in", "tmp"}
    assert {file.name for file in tmp_path.iterdir()} <= known

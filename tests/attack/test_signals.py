"""Signals at any moment: nobody is left, no result is lost or half-written, the next run works."""

import json
import os
import signal
import time

import psutil
import pytest

from .ground import SEED, Attacked, apart, attacked, cases, chance

pytestmark = apart

pytest_plugins = ["kernel_fixtures"]

MOMENTS = 2  # of each work and signal
LIVES_ON = {signal.SIGSTOP, 0}
# What a program says when it begins, and how long it takes about, in which the moment lies.
BEGIN = """
    import json, sys, time
    import lab
    lab.load("node/hello", requests=20, warmup=0, experiment="before", progress=False)
    print("begin", flush=True)
"""
WORKS = {
    "load": (
        'lab.load("node/hello", warmup=0, seconds=3.0, experiment="load", progress=False)',
        1.8,
    ),
    "comparison": (
        'lab.compare({"a": "node/hello", "b": "node/hello"}, pairs=1, seconds=0.6, warmup=0,'
        ' connections=2, experiment="comparison", progress=False)',
        2.5,
    ),
    "trace": ('lab.trace("setTimeout(() => console.log(1), 50)", runs=10)', 1.5),
    "survey": (
        'lab.survey({"a": "node/hello"}, tools=["ours", "autocannon"], connections=2, seconds=0.5,'
        ' experiment="survey")',
        2.0,
    ),
    "start and stop": (
        'servers = [lab.server("node/hello").start() for _ in range(6)]; lab.stop_all()',
        0.8,
    ),
}
SIGNALS = {
    **{number.name: (number, False) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)},
    "SIGKILL": (signal.SIGKILL, False),
    "SIGSTOP": (signal.SIGSTOP, False),
    "no signal": (0, False),
    "SIGINT to its group": (signal.SIGINT, True),
    "SIGKILL to its group": (signal.SIGKILL, True),
}
PLAN = {
    f"{work}, {name}, {turn}": (work, name, turn)
    for work in WORKS
    for name in SIGNALS
    for turn in range(MOMENTS if name != "no signal" else 1)
}


@pytest.mark.parametrize("name", cases(PLAN, sample=["load, SIGTERM, 0"]))
def test_signals_at_any_moment(project, name):
    work, how, _ = PLAN[name]
    text, length_s = WORKS[work]
    after_s = chance("moment", name).uniform(0, length_s)
    number, group = SIGNALS[how]
    program = Attacked(project, BEGIN + f'    {text}\n    print("end", flush=True)\n')
    with program:
        assert program.process.stdout.readline() == b"begin\n"
        time.sleep(after_s)
        send = os.killpg if group else os.kill
        send(program.process.pid, number)
        if number == signal.SIGSTOP:
            time.sleep(0.5)
            send(program.process.pid, signal.SIGCONT)
        ended = program.end(within_s=180)
    story = f"{how} after {after_s:.3f} s (seed {SEED}): code {ended.code}\n{ended.err[-1500:]}"
    if number in LIVES_ON:
        assert "end" in ended.out, story
    elif "end" not in ended.out:
        assert ended.code != 0, story
    again(project, text, story)


def again(project, work, story):
    """What lay there is whole, what was measured before is still known, and the same works now."""
    runs = project / "data" / "runs"
    for file in runs.rglob("*.json"):
        if ".state" not in file.parts and not file.name.startswith("."):
            json.loads(file.read_text("utf-8"))
    for file in runs.rglob("trials.jsonl"):
        for line in file.read_text("utf-8").splitlines():
            json.loads(line)
    check = """
        import lab
        assert lab.latest("before").raw()["status"].size == 20
        assert not lab.ps(), lab.ps()
        WORK
    """
    ended = attacked(project, check.replace("WORK", work), within_s=180)
    assert ended.code == 0, f"{story}\nafterwards:\n{ended.err[-1500:]}"


# ---- Cells of both kernels

CELLS = {
    ("python", "a loop"): "print('running', flush=True)\nwhile True: pass",
    ("python", "a load"): "import lab\nprint('running', flush=True)\n"
    "lab.load('node/hello', warmup=0, seconds=20, progress=False)",
    ("python", "a server"): "import lab\ns = lab.server('node/hello').start()\n"
    "print('running', flush=True)\nimport time; time.sleep(600)",
    ("javascript", "a loop"): "console.log('running'); while (true);",
    ("javascript", "a load"): "const lab = require('lab'); console.log('running');"
    "await lab.load('node/hello', { warmup: 0, seconds: 20 });",
    ("javascript", "a server"): "const lab = require('lab');"
    "const s = await lab.server('node/hello').start(); console.log('running');"
    "await new Promise(() => {});",
    ("javascript", "a program of its own"): "const { spawn } = require('node:child_process');"
    "spawn('sleep', ['600'], { detached: true, stdio: 'ignore' }); console.log('running');"
    "await new Promise(() => {});",
}
ENDS = ["SIGINT", "SIGTERM", "SIGHUP", "SIGKILL", "SIGSTOP"]
IN_CELLS = {
    f"{kernel}, {what}, {how}": (kernel, what, how) for kernel, what in CELLS for how in ENDS
}


@pytest.mark.parametrize("name", cases(IN_CELLS, sample=["javascript, a server, SIGKILL"]))
def test_signals_in_a_cell(live, name, tmp_path, monkeypatch):
    kernel, what, how = IN_CELLS[name]
    monkeypatch.setenv("TMPDIR", str(tmp_path))  # a lock of its own
    monkeypatch.setenv("LAB_PROFILE", "smoke")
    kind = "javascript" if kernel == "javascript" else "python3"
    with live(kind) as session:
        request = session.send(CELLS[kernel, what])
        session.wait_for(request, "running")
        time.sleep(chance("cell", name).uniform(0, 1.0))
        began = session.processes()
        main = began[0].pid
        os.kill(main, getattr(signal, how))
        if how == "SIGSTOP":
            time.sleep(0.5)
            os.kill(main, signal.SIGCONT)
        if how in ("SIGINT", "SIGSTOP"):  # it lives on, and so does its session
            session.manager.interrupt_kernel()
            session.outputs(request)
            said = session.run("print(6 * 7)" if kind == "python3" else "console.log(6 * 7)")
            assert any("42" in str(content) for _, content in said), said
        else:
            psutil.wait_procs(began[:1], timeout=60)
            assert not psutil.pid_exists(main) or began[0].status() == psutil.STATUS_ZOMBIE

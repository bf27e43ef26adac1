"""Commands that run at the same time, as `make lint` has them: nothing is lost or left."""

import os
import re
import signal
import subprocess
import sys
import time

import psutil
import pytest
from support import eventually

from lab import paths

SCRIPT = paths.ROOT / "tools" / "side_by_side.py"


def side_by_side(*jobs, **options):
    command = [sys.executable, str(SCRIPT), *jobs]
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


def test_all_run_at_the_same_time_and_each_output_is_whole(tmp_path):
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)  # either end waits until the other one is opened: one after another never ends
    lines = "for i in 1 2 3 4 5; do echo {0}; sleep 0.01; done"
    process = side_by_side(
        f"first: echo hello >{fifo}; {lines.format('f')}",
        f"second: cat {fifo}; {lines.format('s')}",
        timeout=300,
    )
    assert process.returncode == 0
    assert re.search(r"^== second: done after \d+ s\nhello\n(s\n){5}", process.stdout, re.M)
    assert process.stdout.count("f\n") == 5, "the first one's output is shown as it comes"
    assert "== first: done" in process.stdout


def test_one_that_fails_fails_the_whole_is_named_and_stops_no_other():
    done = side_by_side("good: sleep 0.3; echo ran", "bad: echo why >&2; exit 7", "fine: true")
    assert done.returncode == 1
    assert re.search(r"== bad: failed with code 7 after \d+ s\nwhy\n", done.stdout)
    assert "ran\n" in done.stdout
    assert done.stderr == "Failed: bad. Their output is above.\n"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_all_with_what_they_started(tmp_path, number):
    note = tmp_path / "pids"
    job = f"{{}}: sleep 600 & echo $! >>{note}; wait; sleep 600"
    command = [sys.executable, str(SCRIPT), job.format("a"), job.format("b")]
    program = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    assert eventually(lambda: note.exists() and len(note.read_text().split()) == 2, 300)
    program.send_signal(number)
    assert program.wait(300) == 130

    def gone(pid):
        try:
            return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
        except psutil.NoSuchProcess:
            return True

    assert eventually(lambda: all(gone(int(pid)) for pid in note.read_text().split()))


def test_one_that_hears_no_interrupt_is_killed(tmp_path):
    note = tmp_path / "ready"
    deaf = f"trap '' INT TERM; echo >{note}; sleep 600"
    program = subprocess.Popen(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(SCRIPT.parent)!r});"
         "import side_by_side; side_by_side.LEAVE_S = 0.2; side_by_side.main()", f"deaf: {deaf}"],
        stderr=subprocess.DEVNULL,
    )  # fmt: skip
    assert eventually(note.exists, 300)
    began = time.monotonic()
    program.send_signal(signal.SIGTERM)
    assert program.wait(300) == 130
    assert time.monotonic() - began < 300


@pytest.mark.parametrize("words", [[], ["no colon"], [": no name"], ["no command:"]])
def test_what_is_no_job_says_how_they_are_written(words):
    done = side_by_side(*words)
    assert done.returncode == 1
    assert "Each argument is a name, a colon" in done.stderr

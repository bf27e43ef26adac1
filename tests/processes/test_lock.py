import contextlib
import fcntl
import os
import signal
import subprocess
import threading
from pathlib import Path

import pytest

from lab.processes import lock
from lab.processes.lock import LockUnsafe, MachineBusy, measuring

pytestmark = pytest.mark.starts

HOLD = """
import sys, time
from lab.processes import lock
from pathlib import Path
lock.lock_path = lambda: Path(sys.argv[1])
with lock.measuring(alone=sys.argv[2:] != ["beside others"]):
    print("held", flush=True)
    time.sleep(600)
"""


@pytest.fixture(autouse=True)
def own_lock(tmp_path, monkeypatch):
    path = tmp_path / "lock"
    monkeypatch.setattr(lock, "lock_path", lambda: path)
    return path


@contextlib.contextmanager
def held(own_lock, python, *words):
    own_lock.write_bytes(b"x" * 4000)  # longer than what it writes there
    command = [python, "-c", HOLD, own_lock, *words]
    program = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert program.stdout.readline() == "held\n"
    yield program
    program.kill()
    program.wait()
    program.stdout.close()


@pytest.fixture
def holder(own_lock, python):
    with held(own_lock, python) as program:
        yield program


def test_two_processes_never_measure_at_once_and_the_one_that_waits_names_the_other(holder):
    messages = []
    busy = pytest.raises(MachineBusy, match=f"process {holder.pid} .*is still measuring")
    with busy, measuring(deadline_s=0.8, say=messages.append):
        pass
    assert len(messages) == 2
    assert f"process {holder.pid}" in messages[0]
    assert messages[1] == ""


@pytest.mark.parametrize(
    "left",
    [
        *(b"", b"\xff" * 5000, b"{", b"[]", b"{}", b"[" * 4000, b'{"since": 1}', b'{"since": "x"}'),
        b'{"pid": 1, "notebook": "x", "since": 1%s}' % (b"0" * 400),
    ],
    ids=lambda left: repr(left[:30]),
)
def test_who_waits_for_a_lock_with_garbage_in_it_is_told_so(own_lock, left):
    messages = []
    own_lock.write_bytes(left)
    with own_lock.open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        busy = pytest.raises(MachineBusy, match="another process is still measuring")
        with busy, measuring(deadline_s=0.6, say=messages.append):
            pass
    told = (
        "Waiting, because another process is measuring and two simultaneous measurements would "
        "disturb each other."
    )
    assert messages == [told, ""]


def test_the_lock_of_a_killed_process_is_free(holder):
    os.kill(holder.pid, signal.SIGKILL)
    with measuring(deadline_s=5):
        pass


def test_measurements_of_which_no_number_is_read_run_at_the_same_time(own_lock, python):
    with held(own_lock, python, "beside others"), measuring(deadline_s=10, alone=False):
        pass


@pytest.mark.parametrize(("words", "alone"), [([], False), (["beside others"], True)])
def test_a_measurement_by_itself_and_others_wait_for_each_other(own_lock, python, words, alone):
    with (
        held(own_lock, python, *words),
        pytest.raises(MachineBusy),
        measuring(deadline_s=0.5, alone=alone),
    ):
        pass


def test_one_thread_may_nest_measurements():
    with measuring(), measuring(deadline_s=0.1), measuring(deadline_s=0.1):
        pass


def test_another_thread_of_the_process_waits_too():
    errors = []

    def other():
        try:
            with measuring(deadline_s=0.1):
                pass
        except MachineBusy as error:
            errors.append(error)

    with measuring():
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
    assert len(errors) == 1


def test_the_lock_is_free_after_an_error():
    with pytest.raises(ZeroDivisionError), measuring():
        raise ZeroDivisionError
    with measuring(deadline_s=0):
        pass


def test_a_lock_that_is_a_link_is_not_followed(own_lock, tmp_path):
    own_lock.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(LockUnsafe, match="Remove"), measuring():
        pass
    assert not (tmp_path / "elsewhere").exists()


def test_the_lock_is_the_same_in_every_terminal_of_a_user(monkeypatch):
    monkeypatch.undo()
    assert lock.lock_path().parent == Path(lock.tempfile.gettempdir())
    assert str(os.getuid()) in lock.lock_path().name

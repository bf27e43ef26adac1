"""Several programs, users and killed holders: who came first measures first."""

import contextlib
import fcntl
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from support import eventually

from lab import paths
from lab.processes import line, lock
from lab.processes.lock import LockUnsafe, MachineBusy, measuring

pytestmark = pytest.mark.starts
PATIENCE_S = 120  # for programs that wait for each other, on a busy machine

# Says that it waits, as soon as its place is given out, and writes its name when it has the lock.
WAIT = """
import os, sys, time
from lab.processes import line, lock
name, log, holds_s, user = sys.argv[1], sys.argv[2], float(sys.argv[3]), int(sys.argv[4])
if user:  # all is imported by now: somebody else may not read our folders
    os.setgid(user)
    os.setuid(user)
class Place(line.Place):
    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        print("stands", flush=True)
line.Place = Place
os.environ["LAB_MEASURES_AS"] = name
with lock.measuring(say=lambda message: print(message, flush=True)):
    with open(log, "a") as file:
        file.write(f"{name} in\\n")
    time.sleep(holds_s)
    with open(log, "a") as file:
        file.write(f"{name} out\\n")
"""


@pytest.fixture
def queue(tmp_path, monkeypatch):
    folder = tmp_path / "queue"
    folder.mkdir()
    folder.chmod(0o1777)
    monkeypatch.setenv("LAB_QUEUE", str(folder))
    monkeypatch.setattr(lock, "_PATIENCE_S", 0.0)  # a message at once, however slow the machine is
    return folder


@pytest.fixture
def log(tmp_path):
    file = tmp_path / "log"
    file.touch(0o666)
    file.chmod(0o666)
    return file


@pytest.fixture
def waiter(log):
    processes = []

    def start(name, holds_s=0.3, user=0):
        command = [sys.executable, "-c", WAIT, name, log, str(holds_s), str(user)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=paths.ROOT)
        processes.append(process)
        assert process.stdout.readline() == "stands\n"
        return process

    yield start
    for process in processes:
        process.kill()
        process.wait()
        process.stdout.close()


def inside(log):
    return [row.split()[0] for row in log.read_text().splitlines() if row.endswith(" in")]


def test_six_programs_measure_in_the_order_in_which_they_came_and_never_two_at_once(
    queue, log, waiter
):
    with measuring():
        waiting = [waiter(f"student-{i}", 0.2) for i in range(6)]
        time.sleep(1.2)  # long enough for all to ask again and again
    for process in waiting:
        assert process.wait(PATIENCE_S) == 0
    rows = [f"student-{i} {what}" for i in range(6) for what in ("in", "out")]
    assert log.read_text().splitlines() == rows
    assert {file.name for file in queue.iterdir()} == {"door", "measuring.lock"}


def test_without_a_shared_folder_those_of_one_user_are_served_in_turn_too(
    tmp_path, log, waiter, monkeypatch
):
    monkeypatch.delenv("LAB_QUEUE", raising=False)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(lock.tempfile, "tempdir", None)
    with measuring():
        waiting = [waiter(f"student-{i}", 0.05) for i in range(3)]
        time.sleep(0.5)
    for process in waiting:
        assert process.wait(PATIENCE_S) == 0
    assert inside(log) == ["student-0", "student-1", "student-2"]
    assert (tmp_path / f"lab-measuring-{os.getuid()}.line").stat().st_mode & 0o777 == 0o700


def test_a_killed_holder_and_a_killed_waiter_hold_nobody_up(queue, log, waiter):
    holder = waiter("holder", 600)
    assert eventually(lambda: inside(log) == ["holder"])
    first, second = waiter("first"), waiter("second")
    third = waiter("third")
    for process in (first, holder):
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    assert second.wait(PATIENCE_S) == 0
    assert third.wait(PATIENCE_S) == 0
    assert inside(log) == ["holder", "second", "third"]


def test_a_stopped_program_in_the_line_keeps_its_place_and_the_others_say_who_measures(
    queue, log, waiter
):
    holder = waiter("ann", 600)
    assert eventually(lambda: inside(log) == ["ann"])
    os.kill(holder.pid, signal.SIGSTOP)
    said = []
    busy = pytest.raises(MachineBusy, match=r"ann \(.*\) is still measuring")
    with busy, measuring(deadline_s=1, say=said.append):
        pass
    assert said[0].startswith("Waiting, because ann (")
    os.kill(holder.pid, signal.SIGCONT)


def test_who_waits_is_told_the_place_and_about_how_long_and_at_the_end_nothing(queue, log, waiter):
    for turn_s in (20, 20, 20, 21):
        line.remember(queue, turn_s, shared=True)
    waiter("ann", 600)
    assert eventually(lambda: inside(log) == ["ann"])
    waiter("ben")
    messages = []
    with pytest.raises(MachineBusy), measuring(deadline_s=1, say=messages.append):
        pass
    assert messages[0].startswith("Waiting, because ann (-c, since ")
    assert "1 other is in the queue before you. It may take 40 s." in messages[0]
    assert messages[-1] == ""


def test_turns_are_remembered_whatever_stands_at_the_door(queue):
    for left in (b"", b"\xff" * 9999, b"[" * 4000, b'{"turns_s": [1e999, "x"]}', b'{"turns_s": 5}'):
        (queue / "door").write_bytes(left)
        place = line.Place(queue, shared=True)
        assert place.ahead() == line.Ahead(0, None)
        place.leave()
    for turn_s in range(40):
        line.remember(queue, turn_s, shared=True)
    kept = json.loads((queue / "door").read_text())["turns_s"]
    assert kept == [float(i) for i in range(25, 40)]


def test_a_name_in_the_lock_is_text_whatever_somebody_writes_there(queue):
    holder = queue / "measuring.lock"
    who = "<script>alert(1)</script>\n\x1b[2J" + "x" * 500
    holder.write_text(json.dumps({"pid": 1, "who": who, "notebook": "n", "since": time.time()}))
    messages = []
    with holder.open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with pytest.raises(MachineBusy), measuring(deadline_s=1, say=messages.append):
            pass
    assert len(messages[0]) < 200
    assert messages[0].isprintable()


def test_in_a_notebook_the_message_is_escaped_stands_in_one_place_and_goes(monkeypatch):
    pages = []

    class Handle:
        def update(self, html):
            pages.append(html.data)

    def display(html, display_id):
        assert display_id is True
        pages.append(html.data)
        return Handle()

    monkeypatch.delenv("LAB_USAGE_FILE", raising=False)
    monkeypatch.setattr(lock, "_in_notebook", lambda: True)
    monkeypatch.setattr("IPython.display.display", display)
    notice = lock._Notice()
    for message in ("Waiting: <b>ann</b>", "Waiting: ben", ""):
        notice(message)
    assert pages[0] == '<p class="lab-waiting" role="status">Waiting: &lt;b&gt;ann&lt;/b&gt;</p>'
    assert "ben" in pages[1]
    assert pages[2] == ""


def test_a_terminal_gets_a_line_when_the_line_changes_not_when_seconds_pass(monkeypatch, capsys):
    monkeypatch.delenv("LAB_USAGE_FILE", raising=False)
    notice = lock._Notice()
    for since, waiting in ((1, 2), (3, 2), (5, 1), (7, 1)):
        notice(f"Waiting: ann (x, since {since} s) is measuring. {waiting} are before you.")
    notice("")
    assert len(capsys.readouterr().err.splitlines()) == 2


@pytest.mark.skipif(os.getuid() != 0, reason="only root can start programs of several users")
def test_students_with_accounts_of_their_own_stand_in_one_line(queue, log, waiter, tmp_path):
    temporary = Path(tempfile.gettempdir())
    for folder in (tmp_path, *tmp_path.parents[: len(tmp_path.relative_to(temporary).parts) - 1]):
        folder.chmod(0o755)
    with measuring():
        users = {"nobody": 65534, "daemon": 1, "games": 5}
        waiting = [waiter(name, 0.1, user=uid) for name, uid in users.items()]
        os.kill(waiting[1].pid, signal.SIGKILL)  # its file stays: nobody else may remove it
        time.sleep(0.3)
    assert waiting[0].wait(PATIENCE_S) == 0
    assert waiting[2].wait(PATIENCE_S) == 0
    assert inside(log) == ["nobody", "games"]
    late = waiter("late", 0, user=2)
    assert late.wait(PATIENCE_S) == 0


def test_a_folder_that_is_not_there_is_named_with_what_to_do(monkeypatch, tmp_path):
    monkeypatch.setenv("LAB_QUEUE", str(tmp_path / "gone"))
    with pytest.raises(LockUnsafe, match=r"gone.*LAB_QUEUE must be a folder .* 1777"), measuring():
        pass


def test_who_keeps_the_door_is_named_and_nothing_hangs(queue, monkeypatch):
    monkeypatch.setattr(line, "_DOOR_S", 0.2)
    descriptor = line.opened(queue / "door", shared=True)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        with pytest.raises(LockUnsafe, match="another process holds"), measuring():
            pass
    finally:
        os.close(descriptor)


@pytest.mark.parametrize("name", ["door", "measuring.lock"])
@pytest.mark.parametrize("made", [os.mkfifo, os.mkdir, lambda path: path.symlink_to("/etc/passwd")])
def test_what_is_no_file_in_the_shared_folder_is_refused_and_nothing_hangs(queue, name, made):
    made(queue / name)
    with pytest.raises(LockUnsafe, match=r"Remove|must be"), measuring():
        pass


def test_the_line_may_be_tidied_away_while_one_waits(queue):
    with line_of(queue) as first, line_of(queue) as second:
        assert first.is_first
        assert not second.is_first
        for file in queue.iterdir():
            file.unlink()
        queue.rmdir()
        assert second.is_first


@contextlib.contextmanager
def line_of(folder):
    place = line.Place(folder, shared=True)
    try:
        yield place
    finally:
        place.leave()


def test_how_long_a_cell_waits_is_a_setting_and_nonsense_is_named(monkeypatch):
    monkeypatch.setenv("LAB_WAIT_S", "soon")
    with pytest.raises(lock.settings.BadSetting, match="LAB_WAIT_S is 'soon'"), measuring():
        pass

"""Surroundings that nobody meant: it works there as well, or a sentence says why not."""

import contextlib
import json
import os
import pwd
import re
import resource
import shutil
import signal
import stat
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from support import linux

from lab import paths

from .ground import apart, attacked, cases, copy_project, environment, nightly

pytestmark = apart

# A short comparison, a trace, a record that is read: each may fail in words, and in no other way.
WORK = """
    import os, warnings
    # What the surroundings do to a cell's own output is not ours to answer for.
    out = os.open("told.txt", os.O_WRONLY | os.O_CREAT | os.O_TRUNC) if WRITABLE else 1
    def tell(text):
        os.write(out, (text.replace("\\n", " ") + "\\n").encode("utf-8", "backslashreplace"))
    try:
        import lab
    except Exception as error:
        tell(f"import: {type(error).__name__}: {error}")
        raise
    if LOCK:
        import lab.processes.lock, pathlib
        lab.processes.lock.lock_path = lambda: pathlib.Path(LOCK)
    def compare():
        found = lab.compare({"a": "node/hello", "b": "node/hello"}, pairs=1, requests=50, aa=False,
                            connections=2, experiment="odd", progress=False)
        if lab.latest("odd").started != found.started:
            raise RuntimeError("another run is taken for the newest")
        return repr(found.ratios("p50"))
    def trace():
        text = "setTimeout(() => console.log('timer')); console.log('main')"
        return " ".join(lab.trace(text, runs=1, seconds=10).orders[0].lines)
    def read():
        return repr(lab.reference("phases-races"))
    def servers():
        return repr(lab.ps())
    for name, work in (("compare", compare), ("trace", trace), ("read", read),
                       ("servers", servers)):
        try:
            tell(f"{name}: fine: {work()}"[:300])
        except lab.LabError as error:
            tell(f"{name}: LabError: {type(error).__name__}: {error}")
"""
FINE = "fine"


def outcome(folder, env=None, *, writable=True, lock=None, **options):
    """What each step told, by its name. `lock`: in place of that of everybody who measures here."""
    text = WORK.replace("WRITABLE", str(writable)).replace("LOCK", repr(lock))
    ended = attacked(folder, text, env, **options)
    told = (folder / "told.txt").read_text() if writable else ended.out
    found = dict(line.split(": ", 1) for line in told.splitlines())
    assert ended.code == 0, f"{told}\n{ended.err[-3000:]}"
    assert "Traceback" not in ended.err, ended.err[-3000:]
    assert found
    return found


def holds(found, wanted):
    """All is fine; or a step failed with the words that `wanted` has for it."""
    expected = {name: FINE for name in ("compare", "trace", "read", "servers")} | wanted
    assert set(found) == set(expected), found
    for name, words in expected.items():
        assert re.match(words, found[name]), f"{name}: {found[name]!r} is not {words!r}"


# ---- Variables

REFUSED = "LabError: "
VARIABLES = {
    "no HOME": ({"HOME": None}, {}),
    "a HOME that is not there": ({"HOME": "/nonexistent/home"}, {}),
    "no TMPDIR": ({"TMPDIR": None, "TEMP": None, "TMP": None}, {}),
    "a TMPDIR that is not there": ({"TMPDIR": "/nonexistent/tmp"}, {}),
    "a TMPDIR that is a file": ({"TMPDIR": "/etc/passwd"}, {}),
    "LANG=C": ({"LANG": "C", "LC_ALL": None, "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}, {}),
    "LC_ALL=POSIX": ({"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}, {}),
    "a locale that is not there": ({"LC_ALL": "xx_YY.UTF-42"}, {}),
    "PYTHONIOENCODING=ascii": ({"PYTHONIOENCODING": "ascii:strict"}, {}),
    "PYTHONIOENCODING=utf-16": ({"PYTHONIOENCODING": "utf-16"}, {}),
    "warnings are errors": ({"PYTHONWARNINGS": "error"}, {}),
    "no assertions": ({"PYTHONOPTIMIZE": "2"}, {}),
    "NODE_OPTIONS that end every Node": ({"NODE_OPTIONS": "--require /nonexistent.cjs"}, {}),
    "NODE_OPTIONS that Node refuses": ({"NODE_OPTIONS": "--no-such-option"}, {}),
    "UV_THREADPOOL_SIZE=0": ({"UV_THREADPOOL_SIZE": "0"}, {}),
    "NODE_V8_COVERAGE": ({"NODE_V8_COVERAGE": "/nonexistent/coverage"}, {}),
    "proxies": ({"HTTP_PROXY": "http://192.0.2.1:1", "http_proxy": "http://192.0.2.1:1"}, {}),
    "an unknown LAB_PROFILE": ({"LAB_PROFILE": "slow"}, {"compare": REFUSED, "trace": REFUSED}),
    "an unknown LAB_MODE": (
        {"LAB_MODE": "dead"},
        {"compare": REFUSED, "trace": REFUSED},
    ),
    "a LAB_STATE that is a file": ({"LAB_STATE": "/etc/passwd"}, {"compare": REFUSED}),
    "a LAB_NODE that is not there": (
        {"LAB_NODE": "/nonexistent/node"},
        {"compare": f"{REFUSED}.*nonexistent", "trace": f"{REFUSED}.*nonexistent"},
    ),
    "a LAB_NODE that is none": (
        {"LAB_NODE": "/bin/true"},
        {"compare": f"{REFUSED}.*Node", "trace": f"{REFUSED}.*Node"},
    ),
    "a PATH without Node": (
        {"PATH": "/nonexistent", "LAB_NODE": None},
        {"compare": f"{REFUSED}.*node", "trace": f"{REFUSED}.*[Nn]ode"},
    ),
    "no PATH": (
        {"PATH": None, "LAB_NODE": None},
        {"compare": f"({REFUSED}.*node|fine)", "trace": f"({REFUSED}.*[Nn]ode|fine)"},
    ),
    "nothing at all": (
        dict.fromkeys(os.environ)
        | {"TMPDIR": None, "LAB_PROFILE": "smoke", "LAB_NODE": shutil.which("node")},
        {},
    ),
}


@pytest.mark.parametrize("name", cases(VARIABLES, sample=["LANG=C"]))
def test_variables(tmp_path, name):
    changes, wanted = VARIABLES[name]
    folder = copy_project(tmp_path)
    lock = str(folder / "lock") if "TMPDIR" in changes else None
    holds(outcome(folder, environment(folder, **changes), lock=lock), wanted)


# ---- What a process inherits


def limited(what, to):
    return lambda: resource.setrlimit(what, (to, to))


def closed(*descriptors):
    return lambda: [os.close(one) for one in descriptors]


def ignoring(*numbers):
    return lambda: [signal.signal(number, signal.SIG_IGN) for number in numbers]


EVERY_SIGNAL = set(range(1, 32)) - {signal.SIGKILL, signal.SIGSTOP}
INHERITED = {
    "64 descriptors": (limited(resource.RLIMIT_NOFILE, 64), {}),
    "16 descriptors": (
        limited(resource.RLIMIT_NOFILE, 16),
        {"compare": f"(fine|{REFUSED})", "trace": f"(fine|{REFUSED})"},
    ),
    "half a GiB of addresses": (
        limited(resource.RLIMIT_AS, 2**29),
        {"compare": REFUSED, "trace": REFUSED},
    ),
    "files of 20 kB at most": (
        limited(resource.RLIMIT_FSIZE, 20_000),
        {"compare": f"(fine|{REFUSED})", "trace": f"(fine|{REFUSED})"},
    ),
    "files of 1 kB at most": (
        limited(resource.RLIMIT_FSIZE, 1000),
        {"compare": REFUSED, "trace": REFUSED},
    ),
    "a small stack": (
        limited(resource.RLIMIT_STACK, 256 * 1024),
        {"compare": f"(fine|{REFUSED})", "trace": f"(fine|{REFUSED})"},
    ),
    "no locked memory, no core": (limited(resource.RLIMIT_CORE, 0), {}),
    "thirty seconds of processor": (
        limited(resource.RLIMIT_CPU, 30),
        {},
    ),
    "no standard input": (closed(0), {}),
    "no standard output": (closed(1), {}),
    "no standard error": (closed(2), {}),
    "no standard stream at all": (closed(0, 1, 2), {}),
    "SIGCHLD ignored": (ignoring(signal.SIGCHLD), {}),
    "all signals ignored": (ignoring(*EVERY_SIGNAL), {}),
    "all signals blocked": (
        lambda: signal.pthread_sigmask(signal.SIG_BLOCK, EVERY_SIGNAL),
        {},
    ),
    "no permission for anybody in new files": (lambda: os.umask(0o777), {}),
    "the lowest priority": (lambda: os.nice(19), {}),
    "one processor": (
        lambda: os.sched_setaffinity(0, [min(os.sched_getaffinity(0))]),
        {},
    ),
}


@linux
@pytest.mark.parametrize("name", cases(INHERITED, sample=["SIGCHLD ignored"]))
def test_what_a_process_inherits(tmp_path, name):
    before, wanted = INHERITED[name]
    folder = copy_project(tmp_path)
    holds(outcome(folder, preexec_fn=before), wanted)


# ---- Folders

NAMES = {
    "a blank": "a folder of mine",
    "quotes": 'it\'s "mine"',
    "a dollar sign": "a $HOME of mine",
    "a colon": "a:b",
    "a backslash": "a\\b",
    "a line break": "two\nlines",
    "no ASCII": "Ünïcödé 日本 🙂",
    "a per cent sign": "100%20%s",
    "glob signs": "[a]*?{b}",
    "a hyphen first": "-rf",
    "a long path": "/".join(["d" * 200] * 8),
    "a hash": "a#b",
    "a semicolon": "a;b&c|d",
}


@pytest.mark.parametrize("name", cases(NAMES, sample=["quotes"]))
def test_names_of_the_folder(tmp_path, name):
    folder = tmp_path / NAMES[name]
    folder.mkdir(parents=True)
    # Node loads no module from there, and says so; set-up refuses such a folder.
    wanted = {"compare": f"{REFUSED}.*encoded"} if "\\" in str(folder) else {}
    holds(outcome(copy_project(folder), environment(tmp_path)), wanted)


@nightly
def test_a_link_to_the_folder(tmp_path):
    (tmp_path / "real").mkdir()
    copy_project(tmp_path / "real")
    (tmp_path / "link").symlink_to("real")
    holds(outcome(tmp_path / "link", environment(tmp_path)), {})


# ---- The disk


@contextlib.contextmanager
def mounted(folder, *options):
    """A file system of its own at a folder, where that is allowed."""
    made = subprocess.run(
        ["mount", *options, str(folder)], capture_output=True, text=True, check=False
    )
    if made.returncode:
        pytest.skip(f"may not mount: {made.stderr.strip()}")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


needs_root = pytest.mark.skipif(os.getuid() != 0, reason="only root may do that")


@linux
@needs_root
@nightly
@pytest.mark.parametrize("size", ["4k", "64k", "256k"])
def test_a_full_disk_below_the_runs(tmp_path, size):
    folder = copy_project(tmp_path)
    runs = folder / "data" / "runs"
    runs.mkdir()
    may = f"(fine|{REFUSED})"
    with mounted(runs, "-t", "tmpfs", "-o", f"size={size}", "none"):
        holds(outcome(folder), {"compare": may, "trace": may})
        whole(runs)
        found = outcome(folder)
        holds(found, {"compare": may, "trace": may})
    # With room again the same works.
    holds(outcome(folder), {})


def whole(runs):
    """Every result below `runs` is complete."""
    for file in runs.rglob("*.json"):
        if ".state" not in file.parts:
            json.loads(file.read_text("utf-8"))
    assert not list(runs.rglob("*.partial"))


@linux
@needs_root
@nightly
@pytest.mark.parametrize("size", ["4k", "64k"])
def test_a_full_disk_for_temporary_files(tmp_path, size):
    folder = copy_project(tmp_path)
    (folder / "tmp").mkdir()
    may = f"(fine|{REFUSED})"
    with mounted(folder / "tmp", "-t", "tmpfs", "-o", f"size={size}", "none"):
        holds(outcome(folder), {"compare": may, "trace": may})


@linux
@needs_root
@nightly
def test_a_folder_that_may_only_be_read(tmp_path):
    (tmp_path / "project").mkdir()
    folder = copy_project(tmp_path / "project")
    with mounted(folder, "--bind", str(folder)):
        subprocess.run(["mount", "-o", "remount,ro,bind", str(folder)], check=True)
        found = outcome(folder, environment(tmp_path), writable=False)
    holds(found, {"compare": f"{REFUSED}.*(Read-only|read-only)", "trace": REFUSED})


@linux
@needs_root
@nightly
def test_another_user(tmp_path):
    """Who may read the project and write nothing in it."""
    nobody = pwd.getpwnam("nobody")
    for place in (
        Path(sys.executable).resolve(),
        paths.ROOT / "node_modules",
        Path(shutil.which("node")),
    ):
        for one in [place, *place.parents]:
            if not one.stat().st_mode & stat.S_IXOTH:
                pytest.skip(f"another user may not enter {one}")
    folder = copy_project(tmp_path)
    for one in [tmp_path, *tmp_path.parents[:2]]:
        one.chmod(0o755)
    env = environment(folder, HOME="/nonexistent")
    (folder / "tmp").chmod(0o777)
    found = outcome(folder, env, writable=False, user=nobody.pw_uid, group=nobody.pw_gid)
    holds(found, {"compare": f"{REFUSED}.*ermission", "trace": f"{REFUSED}.*ermission"})


# ---- What was left lying about


def stale_lock(folder):
    lock = folder / "tmp" / f"lab-measuring-{os.getuid()}.lock"
    lock.parent.mkdir(exist_ok=True)
    gone = subprocess.Popen(["true"])
    gone.wait()
    lock.write_text(json.dumps({"pid": gone.pid, "notebook": "gone", "since": 1e300}))


def garbage_in_lock(folder):
    lock = folder / "tmp" / f"lab-measuring-{os.getuid()}.lock"
    lock.parent.mkdir(exist_ok=True)
    lock.write_bytes(os.urandom(5000))


def odd_state(folder):
    state = folder / "data/runs/.state"
    state.mkdir(parents=True)
    for i, text in enumerate(
        ["", "{", "[]", "null", '{"id": 5}', "[" * 50_000, '{"id": "' + "x" * 9999]
    ):
        (state / f"{i}.json").write_text(text)
    (state / "folder.json").mkdir()
    (state / "link.json").symlink_to("/nonexistent/x")
    (state / "loop.json").symlink_to("loop.json")
    (state / "bytes.json").write_bytes(os.urandom(2000))
    (state / "folder.log").mkdir()


def pipe_in_state(folder):
    state = folder / "data/runs/.state"
    state.mkdir(parents=True)
    os.mkfifo(state / "pipe.json")


def clock_went_back(folder):
    """Runs and logs of a time that is yet to come."""
    runs = folder / "data/runs/odd"
    for days in range(1, 9):
        stamp = (datetime.now(UTC) + timedelta(days=days)).strftime("%Y%m%dT%H%M%S.%f")
        run = runs / f"{stamp}-abcdef"
        (run / "raw").mkdir(parents=True)
        (run / "comparison.json").write_text("{}")
        later = time.time() + days * 86400
        os.utime(run, (later, later))


def runs_that_is_a_file(folder):
    (folder / "data/runs").write_text("no folder")


LEFT = {
    "the lock of a process that is gone": (stale_lock, {}),
    "garbage in the lock": (garbage_in_lock, {}),
    "odd files among those of servers": (odd_state, {}),
    "a pipe among the files of servers": (pipe_in_state, {}),
    "runs of a time to come": (clock_went_back, {}),
    "a file where runs should lie": (
        runs_that_is_a_file,
        {"compare": REFUSED, "trace": REFUSED},
    ),
}


@linux
@pytest.mark.parametrize("name", cases(LEFT))
def test_what_was_left_lying_about(tmp_path, name):
    leave, wanted = LEFT[name]
    folder = copy_project(tmp_path)
    leave(folder)
    holds(outcome(folder), wanted)

"""A hub with accounts (LAB_HUB_SPAWNER=local), as PAM and the system see them: a week of a class,
and what one student can do to another.

The accounts are in a mount namespace of their own: files of /etc that only its processes see, so
nothing of this machine changes. Needs root, and what `make hub-accounts` installs.
"""

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.parse import quote

import psutil
import pytest
import requests
from support import eventually, linux
from websocket import create_connection

from lab import paths
from lab.classroom import make
from lab.grading import exercise, sandbox
from lab.processes import nodes
from tests.live.jupyter import answering, execute, outputs, small_site

HUB = paths.ROOT / "tools" / "hub"
PROXY = HUB / "node_modules" / ".bin" / "configurable-http-proxy"
PAGE, WEEK, PASSWORD = "book/blocking/sync-or-async-files", "week-1", "a-password-of-the-tests"
UIDS = {"ann": 23001, "eve": 23002, "grace": 23003}
STARTS_S = 180
SUMMARY = exercise.exercise("summary")
RIGHT = SUMMARY.solution.read_text()
WRONG = (SUMMARY.folder / "wrong" / "sorts-text.mjs").read_text()
DENIED = "PermissionError"

pytestmark = [
    pytest.mark.nightly,
    pytest.mark.alone,
    pytest.mark.nbgrader,
    pytest.mark.timeout(900),
    linux,
    pytest.mark.skipif(os.getuid() != 0, reason="only root starts servers as others"),
]


def free_ports(count):
    with contextlib.ExitStack() as held:
        taken = [held.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(count)]
        return [one.getsockname()[1] for one in taken]


def own_accounts(folder):
    """Copies of /etc with three accounts more; the shell's lines that put them in their place."""
    hashing = subprocess.run(
        ["openssl", "passwd", "-6", PASSWORD], capture_output=True, text=True, check=True
    ).stdout.strip()
    more = {"passwd": [], "group": [], "shadow": []}
    for name, uid in UIDS.items():
        home = folder / "homes" / name
        home.mkdir(parents=True, mode=0o700)
        os.chown(home, uid, uid)
        more["passwd"].append(f"{name}:x:{uid}:{uid}::{home}:/bin/sh")
        more["group"].append(f"{name}:x:{uid}:")
        more["shadow"].append(f"{name}:{hashing}:19000:0:99999:7:::")
    for name, lines in more.items():
        copy = folder / name
        shutil.copy(f"/etc/{name}", copy)
        copy.write_text("\n".join([copy.read_text().rstrip("\n"), *lines, ""]))
        yield f"mount --bind '{copy}' /etc/{name}"


def opened(folder):
    """The shell's lines that let accounts through to Python, Node and the book, where they lie in
    somebody's home; in the namespace alone.
    """
    python, node = Path(sys.executable), Path(nodes.program())
    closed_names = {}
    for place in (paths.ROOT / "lab", python, python.resolve(), node.resolve()):
        for parent in place.parents:
            if not parent.stat().st_mode & 0o001:
                closed_names.setdefault(parent, set()).add(
                    parent / place.relative_to(parent).parts[0]
                )
    for number, (parent, names) in enumerate(sorted(closed_names.items())):
        if any(parent in other for other in closed_names.values()):
            pytest.skip(f"accounts cannot enter {parent}")
        stand_in = folder / f"open-{number}"
        stand_in.mkdir(mode=0o755)
        for one in sorted(names):
            (stand_in / one.name).mkdir()
            yield f"mount --bind '{one}' '{stand_in / one.name}'"
        yield f"mount --rbind '{stand_in}' '{parent}'"


class Class:
    """A hub with a course and three accounts, and who is signed in there."""

    def __init__(self, folder):
        self.folder, self.course = folder, folder / "course"
        make.gradebook(make.made(self.course))
        for place in [self.course, *self.course.rglob("*")]:
            os.chown(place, UIDS["grace"], UIDS["grace"])
        self.exchange = folder / "hub" / "exchange"
        ports = free_ports(3)
        self.url = f"http://127.0.0.1:{ports[0]}/"
        lines = ["set -e", *own_accounts(folder), *opened(folder), 'exec "$@"']
        settings = {
            "LAB_HUB_SPAWNER": "local",
            "LAB_HUB_STUDENTS": "ann eve",
            "LAB_HUB_INSTRUCTORS": "grace",
            "LAB_HUB_STATE": str(folder / "hub"),
            "LAB_HUB_PORTS": " ".join(map(str, ports)),
            "LAB_LIVE_SITE": str(small_site(folder / "site", **{PAGE: "python3"})),
            "LAB_PROFILE": "smoke",
            "LAB_LIVE_AWAY_S": "900",  # one after another they say something
            "LAB_COURSE": str(self.course),
        }
        command = [sys.executable, "-m", "jupyterhub", "--config"]
        command.append(str(HUB / "jupyterhub_config.py"))
        namespace = ["unshare", "--mount", "--propagation", "private", "sh", "-c"]
        with (folder / "log").open("w") as log:
            self.process = subprocess.Popen(
                [*namespace, "\n".join(lines), "sh", *command],
                cwd=folder,
                env={**os.environ, **settings},
                stdout=log,
                stderr=log,
            )
        if eventually(self._answers, STARTS_S, 0.2) != "yes":
            self.stop()
            raise AssertionError(self.log())

    def _answers(self):
        if self.process.poll() is not None:
            return "it ended"
        with contextlib.suppress(requests.RequestException):
            return "yes" if requests.get(f"{self.url}hub/health", timeout=5).ok else ""
        return ""

    def log(self):
        return (self.folder / "log").read_text()[-6000:]

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()


class Person:
    """Somebody who signed in with the account's password, with a kernel of a page of the book."""

    def __init__(self, room, name):
        self.room, self.name = room, name
        self.home = room.folder / "homes" / name
        session = requests.Session()
        hub = f"{room.url}hub/"
        session.get(f"{hub}login", timeout=300)
        form = {"username": name, "password": PASSWORD, "_xsrf": self._xsrf(session)}
        signed = session.post(f"{hub}login", form, timeout=300, allow_redirects=False)
        assert signed.status_code == 302, (signed.text[-2000:], room.log())
        session.get(f"{hub}token", timeout=300)
        api = f"{hub}api/users/{name}"
        sent = {"X-XSRFToken": self._xsrf(session), "Referer": f"{hub}token"}
        token = session.post(f"{api}/tokens", json={}, headers=sent, timeout=300)
        assert token.ok, token.text
        self.signed = {"Authorization": f"token {token.json()['token']}"}
        started = requests.post(f"{api}/server", headers=self.signed, timeout=STARTS_S)
        assert started.ok, (started.text, room.log())
        self.base = f"{room.url}user/{name}/"
        assert eventually(self._page, STARTS_S, 0.5), room.log()
        asked = {"page": PAGE, "tab": "a"}
        run = requests.post(
            f"{self.base}book/_live/run", json=asked, headers=self.signed, timeout=STARTS_S
        )
        assert run.status_code == 201, (run.text, room.log())
        self.kernel = run.json()["kernel"]
        self.channel(self.kernel).close()

    def channel(self, kernel):
        """A connection to a kernel that answers. One that nobody reads is closed by the server."""
        address = f"{self.base}api/kernels/{kernel}/channels".replace("http", "ws", 1)
        sent = [f"Authorization: {self.signed['Authorization']}"]
        return answering(create_connection(address, header=sent, timeout=300))

    @staticmethod
    def _xsrf(session):
        return [one.value for one in session.cookies if one.name == "_xsrf"][-1]

    def _page(self):
        got = requests.get(
            f"{self.base}book/{PAGE}.html", headers=self.signed, timeout=300, allow_redirects=False
        )
        return got.status_code == 200 and "live.js" in got.text

    def says(self, code):
        """Run code in the kernel of the page; what it prints."""
        with contextlib.closing(self.channel(self.kernel)) as channel:
            found = outputs(channel, execute(channel, code), seconds=300)
        failed = [content["traceback"] for kind, content in found if kind == "error"]
        assert not failed, failed
        return "".join(content.get("text", "") for kind, content in found if kind == "stream")

    def does(self, *words, folder="."):
        """Run a command as this account, with the environment of its server; what it said."""
        output = self.says(
            "import subprocess, json\n"
            f"done = subprocess.run({list(words)!r}, cwd={str(self.home / folder)!r}, "
            "capture_output=True, text=True)\n"
            "print(json.dumps([done.returncode, done.stdout[-9000:] + done.stderr[-9000:]]))"
        )
        code, told = json.loads(output.splitlines()[-1])
        assert code == 0, told
        return told

    def tries(self, **attempts):
        """What became of each line of Python: "done", or the kind of the error."""
        return json.loads(
            self.says(
                "import json, os, shutil\nfrom pathlib import Path\ntold = {}\n"
                f"for name, line in {attempts!r}.items():\n"
                "    try:\n        exec(line)\n        told[name] = 'done'\n"
                "    except OSError as error:\n        told[name] = type(error).__name__\n"
                "print(json.dumps(told))"
            )
        )


@pytest.fixture(autouse=True)
def nobody_left_behind():
    """Kernels go on from test to test here; `room` looks at the end that all of them ended."""


@pytest.fixture(scope="module")
def room():
    if not PROXY.exists():
        pytest.skip("the hub's proxy is not installed here: make hub-accounts installs it")
    for name in ("jupyterhub", "nbgrader"):
        pytest.importorskip(name, reason="make hub-accounts installs it")
    for name in ("unshare", "openssl"):
        if shutil.which(name) is None:
            pytest.skip(f"there is no {name} here")
    if sandbox.bubblewrap() is None:
        pytest.skip("there is no bubblewrap here")
    # Not pytest's own folder, which other accounts may not enter.
    with tempfile.TemporaryDirectory(prefix="lab-accounts-") as name:
        folder = Path(name)
        folder.chmod(0o711)
        (folder / "homes").mkdir(mode=0o755)
        own = Class(folder)
        try:
            yield own
        finally:
            own.stop()
        assert eventually(lambda: not of_accounts(), 30), of_accounts()


def of_accounts():
    """Processes of the accounts."""
    processes = []
    for one in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            if one.uids().real in UIDS.values() and one.status() != psutil.STATUS_ZOMBIE:
                processes.append((one.pid, one.cmdline()))
    return processes


@pytest.fixture(scope="module")
def people(room):
    return {name: Person(room, name) for name in UIDS}


def test_a_wrong_password_and_an_account_that_nobody_named_are_let_in_nowhere(room):
    for name, word in (("ann", "guess"), ("root", PASSWORD), ("nobody", "")):
        own = requests.Session()
        own.get(f"{room.url}hub/login", timeout=300)
        form = {"username": name, "password": word, "_xsrf": Person._xsrf(own)}
        got = own.post(f"{room.url}hub/login", form, timeout=300, allow_redirects=False)
        assert got.status_code in (200, 403), name


@pytest.mark.parametrize("name", ["ann", "grace"])
def test_a_page_runs_as_the_account_of_its_reader_and_writes_in_the_reader_s_home(people, name):
    output = people[name].says(
        "import os, lab\nfrom lab import paths\n"
        "server = lab.server('node/read-async')\n"
        "print(os.getuid(), paths.RUNS, os.environ['LAB_MEASURES_AS'])"
    )
    runs = people[name].home / ".course" / "runs"
    assert output.splitlines()[-1] == f"{UIDS[name]} {runs} {name}"
    told = people[name].says(
        "import lab\n"
        "lab.compare({'a': lab.server('node/read-sync'), 'b': lab.server('node/read-async')}, "
        "connections=[1])\nprint('measured')"
    )
    assert told.splitlines()[-1] == "measured"


def test_javascript_runs_as_the_account_too(people):
    ann = people["ann"]
    page = "book/event-loop/phases"
    small_site(ann.room.folder / "site", **{page: "javascript"})
    asked = {"page": page, "tab": "a"}
    run = requests.post(f"{ann.base}book/_live/run", json=asked, headers=ann.signed, timeout=300)
    assert run.status_code == 201, run.text
    with contextlib.closing(ann.channel(run.json()["kernel"])) as channel:
        found = outputs(channel, execute(channel, "console.log(process.getuid())"))
    assert str(UIDS["ann"]) in "".join(content.get("text", "") for _, content in found)


def test_a_week_of_a_class_in_which_one_tries_what_an_account_can(room, people):
    ann, eve, grace = (people[name] for name in ("ann", "eve", "grace"))
    grace.does("nbgrader", "generate_assignment", WEEK, folder="course")
    grace.does("nbgrader", "release_assignment", WEEK, folder="course")
    for student, text in ((ann, RIGHT), (eve, WRONG)):
        student.does("nbgrader", "fetch_assignment", WEEK)
        student.says(f"open({str(student.home / WEEK / 'summary.mjs')!r}, 'w').write({text!r})")
        student.does("nbgrader", "submit", WEEK)

    inbound = room.exchange / "node-io" / "inbound"
    (hers,) = [one for one in inbound.iterdir() if one.name.startswith("ann+")]
    later = f"ann+{WEEK}+2099-01-01 00:00:00.000000 UTC+x"
    (server,) = [
        pid for pid, words in of_accounts() if "singleuser" in str(words) and is_of(pid, "ann")
    ]
    assert eve.tries(
        reads_the_course=f"os.listdir({str(room.course)!r})",
        reads_the_gradebook=f"open({str(room.course / 'gradebook.db')!r})",
        reads_a_home=f"os.listdir({str(ann.home)!r})",
        reads_who_signed_in=f"open({str(room.folder / 'hub' / 'hub.sqlite')!r})",
        reads_the_secret=f"open({str(room.folder / 'hub' / 'secret')!r})",
        lists_what_others_hand_in=f"os.listdir({str(inbound)!r})",
        puts_another_course_there=f"os.rename({str(room.exchange / 'node-io')!r}, "
        f"{str(room.exchange / 'mine')!r})",
        changes_the_assignment=f"open({str(room.exchange / 'node-io' / 'outbound' / WEEK)!r}"
        " + '/summary.ipynb', 'a')",
        changes_the_book=f"open({str(paths.ROOT / 'book' / 'start.md')!r}, 'a')",
        stops_a_server=f"os.kill({server}, 0)",
        reads_a_token=f"open('/proc/{server}/environ').read()",
        hands_in_for_her=f"shutil.copytree({str(eve.home / WEEK)!r}, {str(inbound / later)!r})",
    ) == {
        "reads_the_course": DENIED,
        "reads_the_gradebook": DENIED,
        "reads_a_home": DENIED,
        "reads_who_signed_in": DENIED,
        "reads_the_secret": DENIED,
        "lists_what_others_hand_in": DENIED,
        "puts_another_course_there": DENIED,
        "changes_the_assignment": DENIED,
        "changes_the_book": DENIED,
        "stops_a_server": DENIED,
        "reads_a_token": DENIED,
        "hands_in_for_her": "done",
    }

    said = grace.does("nbgrader", "collect", WEEK, folder="course")
    assert "is collected as the work of eve, who owns it" in said
    grace.does("nbgrader", "autograde", WEEK, folder="course")
    assert points(room) == {"ann": SUMMARY.points, "eve": 3}
    grace.does("nbgrader", "generate_feedback", WEEK, folder="course")
    grace.does("nbgrader", "release_feedback", WEEK, folder="course")
    ann.does("nbgrader", "fetch_feedback", WEEK)
    (page,) = (ann.home / WEEK / "feedback").glob("*/summary.html")
    assert page.stat().st_uid == UIDS["ann"]
    assert "of 7 points" in page.read_text() or "7.0 / 7.0" in page.read_text()
    assert hers.stat().st_uid == UIDS["ann"]
    # A change of course.toml needs nothing of the book's folder.
    grace.does(sys.executable, "-m", "lab.classroom", "make", ".", folder="course")


def is_of(pid, name):
    with contextlib.suppress(psutil.Error):
        return psutil.Process(pid).uids().real == UIDS[name]
    return False


def points(room):
    """Points for `summary` by student, as the gradebook has them."""
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{room.course / 'gradebook.db'}") as book:
        found = book.find_notebook("summary", WEEK).submissions
        return {one.student.id: one.score for one in found}


def test_a_student_s_page_is_nobody_else_s(room, people):
    ann, eve = people["ann"], people["eve"]
    got = requests.get(
        f"{ann.base}book/{quote(PAGE)}.html", headers=eve.signed, timeout=300, allow_redirects=False
    )
    assert got.status_code != 200 and "bd-article" not in got.text
    asked = {"page": PAGE, "tab": "x"}
    run = requests.post(
        f"{ann.base}book/_live/run",
        json=asked,
        headers=eve.signed,
        timeout=300,
        allow_redirects=False,
    )
    assert run.status_code in (302, 403, 404)

"""A JupyterHub on one machine whose first page is the book, with cells that run there.

    .venv/bin/python -m jupyterhub --config tools/hub/jupyterhub_config.py

The page `teaching/hub` of the book says what to set, and how much a student needs. Whoever signs
in has a server of his own; the measurements of all stand in one line (`lab/processes/line.py`),
because a machine measures one thing at a time.

In the environment, with what holds if it is not set:

- `LAB_HUB_SPAWNER` (simple): `simple`, `local` or `docker`, see below;
- `LAB_HUB_STUDENTS`, `LAB_HUB_INSTRUCTORS` (none): names, with spaces between them; instructors
  see who is there and may stop everybody's servers;
- `LAB_HUB_PASSWORD` (nobody can sign in): of all, where the machine has no accounts;
- `LAB_HUB_STATE` (`_build/hub`): the hub's folder: database, secret, homes, the line;
- `LAB_HUB_PORTS` (8000 8081 8001): of the hub's address, of the hub itself, of its proxy;
- `LAB_HUB_STUDENT_MIB` (`STUDENT_MIB`): memory that one student is given;
- `LAB_HUB_IMAGE` (nodejs-io-measured-hub), `LAB_HUB_BRIDGE` (172.17.0.1): for `docker`, the image,
  and this machine's address on the network of the containers;
- `LAB_COURSE` (none): the folder that `make course` made. Students have its assignments in
  JupyterLab then, and instructors the formgrader; needs `make classroom`;
- `LAB_EXCHANGE` (`exchange` in the hub's folder): where assignments and hand-ins change hands.

Where the students' servers and files are:

- `simple`: all servers run as the user who started the hub. Students are not held apart: for
  trying, and for a class that trusts each other.
- `local`: the accounts of the machine (PAM); the hub is started by root. They are held apart as
  users of one machine are.
- `docker`: a container for each student, with the image of `tools/hub/Dockerfile`; needs the
  package dockerspawner. Memory and cores are limits that hold.

A class that is graded needs `local`. With `simple` any student can read the course and write into
its gradebook. With `docker` all containers run as one user, whom the exchange cannot tell apart:
there it is ngshare that passes hand-ins on, and LAB_COURSE is refused.
"""

import contextlib
import importlib.util
import os
import pwd
import shlex
import stat
import sys
from pathlib import Path

import psutil

from lab.classroom import course as courses
from lab.processes import nodes

c = get_config()  # noqa: F821 - JupyterHub puts it there

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
STATE = Path(os.environ.get("LAB_HUB_STATE") or ROOT / "_build" / "hub").resolve()
PORT, HUB_PORT, PROXY_PORT = (os.environ.get("LAB_HUB_PORTS") or "8000 8081 8001").split()
KIND = os.environ.get("LAB_HUB_SPAWNER") or "simple"
STUDENTS = set(os.environ.get("LAB_HUB_STUDENTS", "").split())
INSTRUCTORS = set(os.environ.get("LAB_HUB_INSTRUCTORS", "").split())
# What a student with one running page needs, and the rest of the machine: bench/hub.mjs, page
# teaching/hub. A page that compares servers needs most.
STUDENT_MIB = int(os.environ.get("LAB_HUB_STUDENT_MIB") or 1024)
SYSTEM_MIB = 1536
WAIT_S = 1800  # a class that presses Run at once is served within it
IDLE_S = 3600

if KIND not in ("simple", "local", "docker"):
    raise ValueError(f"LAB_HUB_SPAWNER is {KIND!r}. Set it to simple, local or docker.")
if both := STUDENTS & INSTRUCTORS:
    raise ValueError(
        f"{', '.join(sorted(both))} each count as a student and an instructor. List "
        "each person only once."
    )

# ---- The course that is graded here, if there is one.
COURSE = Path(os.environ["LAB_COURSE"]).resolve() if os.environ.get("LAB_COURSE") else None
EXCHANGE = Path(os.environ.get("LAB_EXCHANGE") or STATE / "exchange").resolve()
if COURSE:
    if importlib.util.find_spec("nbgrader") is None:
        raise ValueError("LAB_COURSE is set, but nbgrader is not installed. Run make classroom.")
    if KIND == "docker":
        raise ValueError(
            "LAB_COURSE is set with LAB_HUB_SPAWNER=docker. All containers run as one user, "
            "so a student could read the hand-ins of others. Use local, or ngshare (page "
            "teaching/hub)."
        )
    NAME = courses.read(COURSE).name
    if KIND == "local" and stat.S_IMODE(COURSE.stat().st_mode) & 0o007:
        raise ValueError(f"Students can read {COURSE}. Prevent this with chmod o-rwx {COURSE}")

# ---- The hub itself. It listens on this machine alone: in front of it stands a server that has the
# name and the certificate, such as Caddy or nginx.
STATE.mkdir(parents=True, exist_ok=True, mode=0o711)
c.JupyterHub.bind_url = f"http://127.0.0.1:{PORT}/"
c.JupyterHub.hub_bind_url = f"http://127.0.0.1:{HUB_PORT}"
DATABASE = STATE / "hub.sqlite"  # who signed in and when: for nobody else on this machine
DATABASE.touch(mode=0o600)
DATABASE.chmod(0o600)
c.JupyterHub.db_url = f"sqlite:///{DATABASE}"
c.JupyterHub.cookie_secret_file = str(STATE / "secret")
c.ConfigurableHTTPProxy.command = [str(HERE / "node_modules" / ".bin" / "configurable-http-proxy")]
c.ConfigurableHTTPProxy.api_url = f"http://127.0.0.1:{PROXY_PORT}"
c.ConfigurableHTTPProxy.pid_file = str(STATE / "proxy.pid")
# Servers end with the hub: what nobody looks at shall not run on.
c.JupyterHub.cleanup_servers = True

# ---- Who may come in: these and nobody else, also if the hub's database knows others of before.
# Who is signed in stays so until his cookie ends, or he is deleted on the hub's page Admin.
c.Authenticator.allowed_users = STUDENTS | INSTRUCTORS
c.Authenticator.allow_existing_users = False
admins = {"name": "admin", "users": sorted(INSTRUCTORS)}
c.JupyterHub.load_roles = [admins]
if KIND == "local":
    c.JupyterHub.authenticator_class = "pam"
else:
    # One password for a room: enough to try it. For a class whose students do not know each
    # other's names take an authenticator of your university (OAuthenticator, LTI 1.3).
    c.JupyterHub.authenticator_class = "dummy"
    if not (password := os.environ.get("LAB_HUB_PASSWORD")):
        c.Authenticator.allowed_users = set()
        admins["users"] = []
        c.Authenticator.any_allow_config = False
    c.DummyAuthenticator.password = password or os.urandom(16).hex()

# ---- One line for all who measure: everybody may stand in it, nobody removes another's place.
QUEUE = STATE / "queue"
QUEUE.mkdir(exist_ok=True)
QUEUE.chmod(0o1777)


if COURSE:
    EXCHANGE.mkdir(parents=True, exist_ok=True)
    # Writable for all is nbgrader's wish. Nobody shall put a folder of his own in the place of the
    # course's, into which others would hand in: so nobody moves what is another's.
    EXCHANGE.chmod(0o1777)
    if KIND == "local":
        place, owner = EXCHANGE / NAME, COURSE.stat()
        with contextlib.suppress(FileExistsError):
            place.mkdir()
            place.chmod(0o755)
        there = place.lstat()
        if stat.S_ISDIR(there.st_mode) and there.st_uid == os.getuid():
            os.chown(place, owner.st_uid, owner.st_gid)  # who releases has to own it
        elif not stat.S_ISDIR(there.st_mode) or there.st_uid != owner.st_uid:
            raise ValueError(
                f"{place} does not belong to the owner of {COURSE}, who could not release "
                "assignments there, and others could read the hand-ins. Check what it is, "
                "then remove it."
            )


def known_by_name(spawner):
    """Who this is: to those who wait for him to measure, and in the course."""
    environment = {"LAB_MEASURES_AS": spawner.user.name}
    if COURSE:
        environment |= {"LAB_EXCHANGE": str(EXCHANGE), "LAB_COURSE_NAME": NAME}
        if spawner.user.name in INSTRUCTORS:
            environment["LAB_COURSE"] = str(COURSE)
        if KIND == "simple":  # else the account says who hands in
            environment["LAB_STUDENT_ID"] = spawner.user.name
    spawner.environment = {**spawner.environment, **environment}


c.Spawner.pre_spawn_hook = known_by_name
c.Spawner.default_url = "/book"
c.Spawner.http_timeout = 120
c.Spawner.start_timeout = 300
c.Spawner.cmd = [sys.executable, "-m", "jupyterhub.singleuser"]
c.Spawner.args = [
    f"--config={HERE / 'student_config.py'}",
    f"--ServerApp.shutdown_no_activity_timeout={IDLE_S}",
    *(["--allow-root"] if os.getuid() == 0 and KIND == "simple" else []),
]
PASSED = ["LAB_LIVE_SITE", "LAB_PROFILE", "LAB_LIVE_AWAY_S"]
if KIND == "simple":
    PASSED.append("TMPDIR")  # elsewhere it is that of who started the hub, and not for others
c.Spawner.environment = {
    **{name: os.environ[name] for name in PASSED if name in os.environ},
    **nodes.anchored(),
    "LAB_QUEUE": str(QUEUE),
    "LAB_WAIT_S": str(WAIT_S),
}

# ---- How many at once: more than fit into memory would slow down everybody's measurements.
memory_mib = psutil.virtual_memory().total >> 20
c.JupyterHub.active_server_limit = max(1, (memory_mib - SYSTEM_MIB) // STUDENT_MIB)
# A start takes some seconds of a core; who comes when more than these start is asked to try again.
c.JupyterHub.concurrent_spawn_limit = 10 * (os.cpu_count() or 2)

if KIND == "simple":
    c.JupyterHub.spawner_class = "simple"
    c.SimpleLocalProcessSpawner.home_dir_template = str(STATE / "home" / "{username}")
    for name in STUDENTS | INSTRUCTORS:
        (STATE / "home" / name).mkdir(parents=True, exist_ok=True, mode=0o700)
elif KIND == "local":
    c.JupyterHub.spawner_class = "jupyterhub.spawner.LocalProcessSpawner"
    # What would fail for each student at his own start, said once, and now.
    if os.getuid() != 0:
        print("Only root may start servers as other users, so start a hub with accounts as root.")
    python, node = Path(sys.executable), Path(nodes.program())
    wanted = [ROOT / "lab", QUEUE, python, python.resolve(), node, node.resolve()]
    wanted += [EXCHANGE / NAME] if COURSE else []
    closed = {place for one in wanted for place in one.parents if not place.stat().st_mode & 0o001}
    for place in sorted(closed):
        print(
            f"Students' accounts can't enter {place}. Run chmod o+x {place}, or move its contents."
        )
    accounts = {}
    for name in sorted(STUDENTS | INSTRUCTORS):
        try:
            account = pwd.getpwnam(name)
        except KeyError:
            print(
                f"This machine has no account {name}. Create it with useradd --create-home {name}"
            )
            continue
        accounts[name], home = account.pw_uid, Path(account.pw_dir)
        if not home.is_dir():
            print(f"{name} has no home: mkhomedir_helper {name}")
        elif home.stat().st_mode & 0o007:
            print(
                f"Others can read the home folder of {name}. Prevent this with chmod o-rwx {home}"
            )
    if COURSE and INSTRUCTORS and COURSE.stat().st_uid not in map(accounts.get, INSTRUCTORS):
        told = f"chown -R {min(INSTRUCTORS)} {shlex.quote(str(COURSE))}"
        print(f"No instructor owns {COURSE}, so no instructor can grade there: {told}")
else:
    INSIDE = "/home/node/course"  # in the image
    c.JupyterHub.spawner_class = "dockerspawner.DockerSpawner"
    # Containers reach the hub over their bridge, and nobody from elsewhere does.
    bridge = os.environ.get("LAB_HUB_BRIDGE") or "172.17.0.1"
    c.JupyterHub.hub_bind_url = f"http://{bridge}:{HUB_PORT}"
    c.DockerSpawner.image = os.environ.get("LAB_HUB_IMAGE") or "nodejs-io-measured-hub"
    c.DockerSpawner.remove = True
    c.DockerSpawner.cmd = [f"{INSIDE}/.venv/bin/python", "-m", "jupyterhub.singleuser"]
    c.Spawner.args = [
        f"--config={INSIDE}/tools/hub/student_config.py",
        f"--ServerApp.shutdown_no_activity_timeout={IDLE_S}",
    ]
    c.DockerSpawner.notebook_dir = "/home/node/work"
    c.DockerSpawner.volumes = {
        "lab-home-{username}": "/home/node/work",
        str(QUEUE): "/srv/lab-queue",
    }
    c.DockerSpawner.environment = {
        "LAB_QUEUE": "/srv/lab-queue",
        "LAB_WAIT_S": str(WAIT_S),
        "LAB_HOME": "/home/node/work",
    }
    c.DockerSpawner.mem_limit = f"{STUDENT_MIB}M"
    # A server and the load on it need a core each; who measures has them, the others wait.
    c.DockerSpawner.cpu_limit = 2.0
    c.DockerSpawner.extra_host_config = {
        "cap_drop": ["ALL"],
        "security_opt": ["no-new-privileges"],
        "pids_limit": 512,
    }

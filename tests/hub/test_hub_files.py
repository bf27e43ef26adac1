"""The hub's configuration says nothing that its parts do not know, and what it says holds."""

import getpass
import json
import os
import pwd
import re
import stat
import sys
from pathlib import Path
from types import SimpleNamespace

import jsonschema
import pytest
import yaml

from lab import paths
from lab.classroom import make
from lab.errors import LabError

HUB = paths.ROOT / "tools" / "hub"
CHARTS = json.loads((Path(__file__).parent / "charts.json").read_text("utf-8"))
NAMES = ("SPAWNER", "STUDENTS", "INSTRUCTORS", "PASSWORD", "STATE", "PORTS", "STUDENT_MIB")


def over(defaults, values):
    """What Helm makes of a chart's defaults and somebody's values."""
    if not isinstance(defaults, dict) or not isinstance(values, dict):
        return values
    both = {**defaults, **values}
    return both | {name: over(defaults[name], values[name]) for name in defaults.keys() & values}


def values(name):
    return yaml.safe_load((HUB / name).read_text("utf-8"))


def test_the_values_for_kubernetes_fit_the_schema_of_their_chart():
    jsonschema.validate(over(CHARTS["defaults"], values("z2jh.yaml")), CHARTS["schema"])


@pytest.mark.parametrize(
    ("keys", "what"),
    [
        (("singleuser", "memory"), {"guarantees": "1G"}),
        (("singleuser", "startTimeout"), "soon"),
        (("cull", "timeout"), "an hour"),
        (("singeluser",), {}),
    ],
)
def test_a_value_that_the_chart_does_not_know_is_found(keys, what):
    wrong = values("z2jh.yaml")
    at = wrong
    for name in keys[:-1]:
        at = at[name]
    at[keys[-1]] = what
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(over(CHARTS["defaults"], wrong), CHARTS["schema"])


def test_the_exchange_is_given_only_what_its_chart_has():
    free = {"resources"}  # Kubernetes' own, the chart hands it on

    def unknown(ours, theirs, at=""):
        for name, value in ours.items():
            if name not in theirs:
                yield f"{at}{name}"
            elif isinstance(value, dict) and name not in free:
                yield from unknown(value, theirs[name], f"{at}{name}.")

    assert list(unknown(values("ngshare.yaml"), CHARTS["ngshare"])) == []


def test_what_the_cluster_is_told_of_the_course_is_what_the_course_knows():
    told = values("z2jh.yaml")["singleuser"]
    assert told["cmd"][-1] == "--config=/home/node/course/tools/hub/student_config.py"
    mounts = {one["mountPath"] for one in told["storage"]["extraVolumeMounts"]}
    assert told["extraEnv"]["LAB_QUEUE"] in mounts
    assert told["extraEnv"]["LAB_HOME"] == told["storage"]["homeMountPath"]
    for code in values("z2jh.yaml")["hub"]["extraConfig"].values():
        compile(code, "extraConfig", "exec")


def test_hand_ins_on_the_cluster_find_their_way(tmp_path):
    """The image has what asks ngshare, servers know where it is, and the hub lets them ask."""
    name = make.made(tmp_path / "course").name
    told, hub = values("z2jh.yaml")["singleuser"]["extraEnv"], values("z2jh.yaml")["hub"]
    assert told["LAB_NGSHARE"].endswith(".svc.cluster.local:8080/services/ngshare")
    assert told["LAB_NGSHARE"].removesuffix("/services/ngshare") in hub["extraConfig"]["ngshare"]
    assert told["LAB_COURSE_NAME"] == name
    image = (HUB / "Dockerfile").read_text("utf-8")
    assert re.search(r"setup\.sh .*\bclassroom\b", image) and "ngshare_exchange==" in image
    reach = "access:services!service=ngshare"
    assert {name for name, role in hub["loadRoles"].items() if reach in role["scopes"]} == {
        "user",
        "server",
    }
    (rule,) = hub["networkPolicy"]["ingress"]
    assert rule["ports"] == [{"protocol": "TCP", "port": 8081}]


def test_whom_the_platform_sends_is_let_in():
    """LTI13Authenticator says nothing of who may come in, and a hub lets in nobody then."""
    said = values("z2jh.yaml")["hub"]["config"]
    assert said["JupyterHub"]["authenticator_class"].endswith(".LTI13Authenticator")
    assert said["Authenticator"]["allow_all"] is True


def test_roles_on_the_cluster_have_what_the_hub_s_own_have_and_no_more_than_ngshare():
    roles = pytest.importorskip("jupyterhub.roles", reason="make hub installs it")
    own = {one["name"]: set(one["scopes"]) for one in roles.get_default_roles()}
    for name, role in values("z2jh.yaml")["hub"]["loadRoles"].items():
        assert set(role["scopes"]) == own[name] | {"access:services!service=ngshare"}


# ---- One machine


@pytest.fixture
def config(tmp_path, monkeypatch):
    """What jupyterhub_config.py says in these surroundings."""
    loader = pytest.importorskip("traitlets.config.loader")
    for name in NAMES:
        monkeypatch.delenv(f"LAB_HUB_{name}", raising=False)
    for name in ("LAB_COURSE", "LAB_EXCHANGE"):
        monkeypatch.delenv(name, raising=False)

    def load(**said):
        monkeypatch.setenv("LAB_HUB_STATE", str(tmp_path / "hub"))
        for name, value in said.items():
            monkeypatch.setenv(f"LAB_HUB_{name}", value)
        return loader.PyFileConfigLoader(str(HUB / "jupyterhub_config.py")).load_config()

    return load


def test_without_a_password_nobody_is_let_in(config):
    told = config(STUDENTS="ann ben", INSTRUCTORS="grace")
    assert told.Authenticator.allowed_users == set()
    assert told.JupyterHub.load_roles == [{"name": "admin", "users": []}]
    assert len(told.DummyAuthenticator.password) >= 16


def test_students_and_instructors_come_in_and_only_instructors_look_after_servers(config):
    told = config(STUDENTS="ann ben", INSTRUCTORS="grace", PASSWORD="of-the-room")
    assert told.Authenticator.allowed_users == {"ann", "ben", "grace"}
    assert "allow_all" not in told.Authenticator
    assert told.JupyterHub.load_roles == [{"name": "admin", "users": ["grace"]}]


def test_who_is_named_no_more_comes_in_no_more(config):
    """By itself a hub lets in whoever its database knows, and an administrator stays one: only a
    role with a list of its own takes that back.
    """
    told = config(STUDENTS="ann ben", INSTRUCTORS="grace", PASSWORD="x")
    assert told.Authenticator.allow_existing_users is False
    assert "admin_users" not in told.Authenticator


def test_what_the_hub_knows_of_students_is_not_for_others_of_the_machine(config, tmp_path):
    old = os.umask(0)
    try:
        told = config(PASSWORD="x")
    finally:
        os.umask(old)
    assert told.JupyterHub.db_url == f"sqlite:///{tmp_path / 'hub' / 'hub.sqlite'}"
    assert stat.S_IMODE((tmp_path / "hub" / "hub.sqlite").stat().st_mode) == 0o600


def test_the_hub_listens_on_this_machine_alone(config):
    told = config(PASSWORD="x")
    for address in (
        told.JupyterHub.bind_url,
        told.JupyterHub.hub_bind_url,
        told.ConfigurableHTTPProxy.api_url,
    ):
        assert re.match(r"http://127\.0\.0\.1:\d+", address)


def test_with_containers_the_hub_listens_on_their_bridge_and_nowhere_else(config, monkeypatch):
    monkeypatch.delenv("LAB_HUB_BRIDGE", raising=False)
    settings = config(SPAWNER="docker", PASSWORD="x")
    assert re.match(r"http://172\.17\.0\.1:\d+", settings.JupyterHub.hub_bind_url)
    assert "hub_connect_ip" not in settings.JupyterHub, "which is that of hub_bind_url then"
    assert settings.JupyterHub.bind_url.startswith("http://127.0.0.1:")
    monkeypatch.setenv("LAB_HUB_BRIDGE", "172.30.0.1")
    settings = config(SPAWNER="docker", PASSWORD="x")
    assert settings.JupyterHub.hub_bind_url.startswith("http://172.30.0.1:")


def test_everybody_may_stand_in_the_line_and_remove_only_his_own_place(config, tmp_path):
    told = config(PASSWORD="x")
    queue = Path(told.Spawner.environment["LAB_QUEUE"])
    assert queue == tmp_path / "hub" / "queue"
    assert stat.S_IMODE(queue.stat().st_mode) == 0o1777


def test_no_more_servers_than_fit_into_memory(config):
    some = config(PASSWORD="x", STUDENT_MIB="1024").JupyterHub.active_server_limit
    assert config(PASSWORD="x", STUDENT_MIB="2048").JupyterHub.active_server_limit <= some / 2
    assert config(PASSWORD="x", STUDENT_MIB="999999").JupyterHub.active_server_limit == 1


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"SPAWNER": "dokcer"}, "simple, local or docker"),
        (
            {"STUDENTS": "ann grace", "INSTRUCTORS": "grace"},
            "grace each count as a student and an instructor",
        ),
    ],
)
def test_nonsense_is_named(config, said, message):
    with pytest.raises(ValueError, match=message):
        config(**said)


@pytest.fixture
def course(tmp_path, monkeypatch):
    """A course that the hub is told of."""
    pytest.importorskip("nbgrader", reason="make classroom installs it")
    root = tmp_path / "course"
    make.made(root)
    monkeypatch.setenv("LAB_COURSE", str(root))
    return root


def spawned(told, name):
    """What the server of this user is told."""
    user = SimpleNamespace(user=SimpleNamespace(name=name), environment={"LAB_WAIT_S": "1"})
    told.Spawner.pre_spawn_hook(user)
    return user.environment


def test_only_instructors_are_told_where_the_course_lies(config, course, tmp_path):
    told = config(PASSWORD="x", STUDENTS="ann", INSTRUCTORS="grace")
    student, instructor = spawned(told, "ann"), spawned(told, "grace")
    assert instructor["LAB_COURSE"] == str(course)
    assert str(course) not in student.values()
    assert student["LAB_EXCHANGE"] == instructor["LAB_EXCHANGE"] == str(tmp_path / "hub/exchange")
    assert student["LAB_STUDENT_ID"] == "ann"
    assert "LAB_STUDENT_ID" not in spawned(config(SPAWNER="local"), "ann"), "his account says it"


def test_a_course_that_students_could_look_into_is_refused(config, course):
    with pytest.raises(ValueError, match="ngshare"):
        config(SPAWNER="docker", PASSWORD="x")
    config(SPAWNER="local")
    course.chmod(0o755)
    with pytest.raises(ValueError, match="chmod o-rwx"):
        config(SPAWNER="local")


def test_nobody_can_put_a_folder_of_his_own_in_the_place_of_the_course_s(config, course, tmp_path):
    config(SPAWNER="local")
    exchange = tmp_path / "hub" / "exchange"
    assert stat.S_IMODE(exchange.stat().st_mode) == 0o1777
    (place,) = exchange.iterdir()
    assert (place.name, stat.S_IMODE(place.stat().st_mode)) == ("node-io", 0o755)
    assert place.stat().st_uid == course.stat().st_uid
    config(SPAWNER="local")  # also at the second time
    place.rmdir()
    place.symlink_to(tmp_path)
    with pytest.raises(ValueError, match="Check what it is"):
        config(SPAWNER="local")


def test_what_accounts_lack_is_said_when_the_hub_starts(
    config, course, tmp_path, monkeypatch, capsys
):
    (tmp_path / "own").mkdir(mode=0o700)
    (tmp_path / "own" / "python").symlink_to(sys.executable)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "own" / "python"))
    me, home = getpass.getuser(), tmp_path / "home"
    home.mkdir(mode=0o755)
    account = SimpleNamespace(pw_uid=os.getuid(), pw_dir=str(home))
    found = {me: account}
    monkeypatch.setattr(pwd, "getpwnam", found.__getitem__)
    config(SPAWNER="local", STUDENTS=f"nobody-called-so {me}", INSTRUCTORS="nor-so")
    said = capsys.readouterr().out
    assert f"Others can read the home folder of {me}. Prevent this with chmod o-rwx {home}" in said
    assert f"can't enter {tmp_path / 'own'}." in said
    assert "no account nobody-called-so: useradd" in said
    assert f"No instructor owns {course}" in said and f"chown -R nor-so {course}" in said


def test_what_accounts_cannot_reach_is_named_before_their_servers_fail(config, tmp_path, capsys):
    tmp_path.chmod(0o700)
    config(SPAWNER="local")
    assert f"can't enter {tmp_path}." in capsys.readouterr().out
    tmp_path.chmod(0o711)
    config(SPAWNER="local")
    assert f"can't enter {tmp_path}." not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("said", "role", "formgrader"),
    [
        ({}, "nobody", False),
        ({"LAB_COURSE_NAME": "io", "LAB_EXCHANGE": "/x"}, "student", False),
        ({"LAB_COURSE_NAME": "io", "LAB_EXCHANGE": "/x", "LAB_COURSE": "."}, "instructor", True),
    ],
)
def test_nbgrader_has_in_jupyterlab_what_the_role_has(
    tmp_path, monkeypatch, said, role, formgrader
):
    pytest.importorskip("nbgrader", reason="make classroom installs it")
    from nbgrader.apps import NbGrader

    loader = pytest.importorskip("traitlets.config.loader")
    for name in ("LAB_COURSE", "LAB_COURSE_NAME", "LAB_EXCHANGE", "JUPYTER_CONFIG_PATH"):
        monkeypatch.delenv(name, raising=False)
    for name in ("PATH", "LAB_RUNS", "JUPYTER_CONFIG_PATH"):
        monkeypatch.setenv(name, os.environ.get(name, ""))
    monkeypatch.setenv("LAB_HOME", str(tmp_path / "home"))
    (tmp_path / "home").mkdir()
    if "LAB_COURSE" in said:
        make.made(tmp_path / "io")
        said = {**said, "LAB_COURSE": str(tmp_path / "io")}
    for name, value in said.items():
        monkeypatch.setenv(name, value)
    told = loader.PyFileConfigLoader(str(HUB / "student_config.py")).load_config()
    parts = told.ServerApp.jpserver_extensions
    assert parts["nbgrader.server_extensions.formgrader"] is formgrader
    assert parts["nbgrader.server_extensions.assignment_list"] is (role != "nobody")
    place = HUB / "nbgrader" / role
    assert os.environ["JUPYTER_CONFIG_PATH"].split(os.pathsep)[0] == str(place)
    off = json.loads((place / "labconfig" / "page_config.json").read_text())["disabledExtensions"]
    assert ("@jupyter/nbgrader:formgrader" in off) is not formgrader
    monkeypatch.chdir(tmp_path / "home")
    app = NbGrader()
    app.load_config_file()
    if role != "nobody":
        assert app.config.Exchange.root == "/x"
    if role == "instructor":
        assert app.config.CourseDirectory.root == str(tmp_path / "home" / "course")
        assert app.config.CourseDirectory.course_id == "node-io"


@pytest.fixture
def nbgrader_at(tmp_path, monkeypatch):
    """nbgrader's configuration, as it is found from a folder."""
    pytest.importorskip("nbgrader", reason="make classroom installs it")
    from nbgrader.apps import NbGrader

    for name in ("LAB_EXCHANGE", "LAB_STUDENT_ID"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LAB_COURSE_NAME", "node-io")
    monkeypatch.setenv("LAB_NGSHARE", "https://hub.example.org/services/ngshare/")

    def found(folder, path=""):
        monkeypatch.setenv("JUPYTER_CONFIG_PATH", str(path))
        monkeypatch.chdir(folder)
        app = NbGrader()
        app.load_config_file()
        return app.config

    return found


def test_hand_ins_go_by_ngshare_where_its_address_is_said(tmp_path, monkeypatch, nbgrader_at):
    """nbgrader's part of ngshare is not installed here: what it is asked for stands in for it."""
    stand_in = "def configureExchange(c, url): c.ExchangeFactory.collect = url\n"
    (tmp_path / "ngshare_exchange.py").write_text(stand_in)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "ngshare_exchange", raising=False)
    address = "https://hub.example.org/services/ngshare"
    home = tmp_path / "home"
    home.mkdir()
    student = nbgrader_at(home, HUB / "nbgrader" / "student")
    assert student.ExchangeFactory.collect == address
    assert student.CourseDirectory.course_id == "node-io" and "root" not in student.Exchange
    make.made(tmp_path / "course")
    assert nbgrader_at(tmp_path / "course").ExchangeFactory.collect == address


def test_without_ngshare_s_part_it_says_what_to_install(monkeypatch):
    pytest.importorskip("nbgrader", reason="make classroom installs it")
    from lab.classroom import exchange

    monkeypatch.setitem(sys.modules, "ngshare_exchange", None)
    with pytest.raises(LabError, match="ngshare_exchange is not installed"):
        exchange.over_ngshare(None, "https://hub.example.org/services/ngshare")


@pytest.mark.parametrize("kind", ["simple", "local", "docker"])
def test_every_setting_is_one_that_the_hub_and_its_spawner_have(config, kind):
    pytest.importorskip("jupyterhub", reason="make hub installs it")
    from jupyterhub import app, auth, proxy, spawner

    known_classes = {
        "JupyterHub": app.JupyterHub,
        "Authenticator": auth.Authenticator,
        "DummyAuthenticator": auth.Authenticator,
        "ConfigurableHTTPProxy": proxy.ConfigurableHTTPProxy,
        "Spawner": spawner.Spawner,
        "SimpleLocalProcessSpawner": spawner.SimpleLocalProcessSpawner,
    }
    if kind == "docker":
        dockerspawner = pytest.importorskip("dockerspawner", reason="only LAB_HUB_SPAWNER=docker")
        known_classes["DockerSpawner"] = dockerspawner.DockerSpawner
    told = config(SPAWNER=kind, PASSWORD="x", STUDENTS="ann")
    for part, settings in told.items():
        names = (
            {"password"}
            if part == "DummyAuthenticator"
            else known_classes[part].class_trait_names()
        )
        assert set(settings) <= set(names), part


@pytest.mark.skipif(os.name != "posix", reason="links")
def test_a_student_s_server_keeps_what_is_measured_in_his_home_and_shows_the_book(
    tmp_path, monkeypatch
):
    loader = pytest.importorskip("traitlets.config.loader")
    home = tmp_path / "ann"
    home.mkdir()
    monkeypatch.setenv("LAB_HOME", str(home))
    monkeypatch.setenv("LAB_RUNS", "")
    for name in ("PATH", "JUPYTER_CONFIG_PATH"):  # which it changes
        monkeypatch.setenv(name, os.environ.get(name, ""))
    for _ in range(2):  # also at the second time
        told = loader.PyFileConfigLoader(str(HUB / "student_config.py")).load_config()
    assert told.ServerApp.root_dir == str(home)
    assert os.environ["LAB_RUNS"] == str(home / ".course" / "runs")
    assert (home / ".course" / "runs").stat().st_mode & 0o77 == 0
    assert (home / "book" / "start.md").is_file()
    assert (home / ".course" / "runs" / "node_modules").resolve() == (
        paths.ROOT / "node_modules"
    ).resolve()

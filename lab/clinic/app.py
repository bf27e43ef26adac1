"""A user's program: started with the probe preloaded, found where it listens, and ended with all
processes that it started.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shlex
import shutil
import time
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lab import paths
from lab.clinic import spoken
from lab.clinic.bridge import Bridge
from lab.clinic.hub import Hub
from lab.clinic.loading import Request
from lab.clinic.scenario import Scenario
from lab.errors import LabError
from lab.processes import guard_link, nodes
from lab.servers import registry, sockets
from lab.servers.http_get import NoAnswer, Response, address, get
from lab.servers.program import Program
from lab.servers.running import Running
from lab.servers.server_errors import IgnoredSigterm

PRELOAD = paths.NODE_SIDE / "clinic" / "preload.cjs"
LISTEN_S = 20.0
WARMING = 503  # the status of a program that isn't ready
NO_HTTP_S = 4.0  # the wait after an address of a server that isn't of node:http
# The wait after the first address: a cluster, or a program with two ports, opens more.
SETTLE_S = 0.4


class AppFailed(LabError):
    """The program could not be started, does not listen, or ended."""


@dataclass(frozen=True)
class Target:
    """What is to be examined or compared: a command in a folder, with its surroundings.

    port : the one to load, where the program listens on several; path : what is asked for, unless
    a scenario says what; http2 : from 1 on, requests are sent by HTTP/2 though the server may take
    HTTP/1.1, and so many clients share a connection
    """

    command: tuple[str, ...]
    folder: Path
    name: str = ""
    env: Mapping[str, str] = field(default_factory=dict)
    port: int | None = None
    path: str = "/"
    listen_s: float = LISTEN_S
    scenario: Scenario | None = None
    http2: int = 0

    @property
    def title(self) -> str:
        """The program's name in pages."""
        return self.name or " ".join(self.command)


class App:
    """A started program; a context manager that leaves nothing running."""

    def __init__(
        self, target: Target, hub: Hub | None, cpus: tuple[int, ...] | None = None
    ) -> None:
        self.target = target
        self.hub = hub
        self.url = ""  # the URL that is loaded, of the server itself or of a bridge
        self.port: int | None = None  # the server's own port; None on a UNIX socket
        self.bridge: Bridge | None = None
        self.http2 = 0  # the number of clients that share a connection of HTTP/2
        self._socket: Path | None = None
        self.listening: list[dict[str, Any]] = []
        self.stubborn = False  # whether the program had to be killed
        self.told_port = 0
        program = Program("app", target.command, "other", {}, ())
        paths.STATE.mkdir(parents=True, exist_ok=True)
        server_id = f"{os.getpid()}-app-{secrets.token_hex(4)}"
        self.running = Running(program, guard_link.open_channel(), server_id)
        try:
            self._start(cpus)
        except BaseException:
            self._let_go()
            self.running.abandon()
            raise

    def _start(self, cpus: tuple[int, ...] | None) -> None:
        running, target = self.running, self.target
        env = _environment(target, running.id, self.hub)
        if env["PORT"].isdecimal():
            self.told_port = int(env["PORT"])
        argv = _resolved(target.command)
        if (why := _not_a_program(argv[0], target, env)) is not None:
            raise AppFailed(why)
        running.channel.tell(
            do="start",
            id=running.id,
            argv=argv,
            env=env,
            cwd=str(target.folder),
            cpus=cpus,
            log=str(running.log_path),
            state=str(registry.state_file(running.id)),
            probe=str(running.probe_path),
            listening="connect",
        )
        self._ready_until = deadline = time.monotonic() + target.listen_s
        while not running.pid:
            event = running.hear(max(0.0, deadline - time.monotonic()))
            if event is None:
                raise guard_link.silent()
            if event["event"] == "spawned":
                running.pid = event["pid"]
            elif event["event"] in ("failed", "exited"):
                raise AppFailed(f"{target.title} could not be started: {event.get('message', '')}")
        self._await_listening(deadline)

    def _await_listening(self, deadline: float) -> None:
        first = None
        while time.monotonic() < deadline:
            if self.running.failed():
                if self.running.exit_code == 0:
                    raise AppFailed(self.story("ended before it listened"))
                raise AppFailed(self.story("crashed before it listened"))
            found = self._ports()
            if found and first is None:
                first = time.monotonic()
            # A runner such as tsx has its own server, which listens before the program's server.
            is_web = any(one["http"] or one["http2"] for one in found)
            settle_s = SETTLE_S if is_web else NO_HTTP_S
            if first is not None and time.monotonic() - first > settle_s:
                break
            time.sleep(0.02)
        self._reach(self._address(self._ports()))

    def _ports(self) -> list[dict[str, Any]]:
        """Return the addresses on which the program listens, as its probes report them or else the
        system.
        """
        if self.hub is not None:
            listeners = self.hub.since(0, "listening")
            self.listening = listeners
            return [
                {
                    **listener["where"],
                    "http": listener["http"],
                    "tls": listener["tls"],
                    "any": listener.get("any", False),
                    "http2": listener.get("http2", False),
                    "http2_only": listener.get("http2_only", False),
                }
                for listener in listeners
                if listener["where"].get("port") or listener["where"].get("path")
            ]
        plain = {"http": True, "tls": False, "any": False, "http2": False, "http2_only": False}
        tree = self.running.tree()
        tcp = [{"address": s.address, "port": s.port, **plain} for s in sockets.listening(tree)]
        return tcp or [{"path": path, **plain} for path in sockets.unix_paths(tree)]

    def _address(self, listeners: list[dict[str, Any]]) -> dict[str, Any]:
        """Return the address to load, of all addresses on which the program listens. Raises
        AppFailed.
        """
        target, port = self.target, self.target.port
        if not listeners:
            raise AppFailed(self._no_listener())
        ports = list(
            dict.fromkeys(listener["port"] for listener in listeners if "port" in listener)
        )
        if port not in ports and self.told_port in ports:
            # No port was requested, or the port is the program's default, which our PORT replaced.
            port = self.told_port
        if port is not None and port not in ports:
            listed = ", ".join(map(str, ports)) or "a UNIX socket"
            raise AppFailed(f"{target.title} listens on {listed}, not on port {port}.")
        mine = [listener for listener in listeners if port is None or listener.get("port") == port]
        plain = [listener for listener in mine if listener["http"] and not listener["tls"]]
        secure = [listener for listener in mine if listener["tls"] and not listener["http2_only"]]
        by_http2 = [listener for listener in mine if listener["http2"]]
        if target.http2:
            plain = secure = []
        # The first listener with a fixed port: a port of any number is for the program's own use.
        best = plain or secure or by_http2 or mine
        return min(best, key=lambda listener: (listener["any"], "path" in listener))

    def _no_listener(self) -> str:
        """Say that the program does not listen, or that no probe tells where."""
        longer = "If it needs longer to start, give it more time with --listen SECONDS."
        ports = [socket.port for socket in sockets.listening(self.running.tree())]
        for port in ports if self.hub is not None else ():
            url = f"http://127.0.0.1:{port}"
            with contextlib.suppress(NoAnswer):
                # The inspector of `node --inspect` answers here, too, and is no server of its own.
                if b'"Protocol-Version"' in get(url, "/json/version", 2.0).body:
                    continue
                return self.story(
                    f"listens on port {port}, but can't be watched from inside",
                    "Start it with Node 20 or newer, without --permission, and with the "
                    "NODE_OPTIONS that it is given here. Or start it yourself and examine it from "
                    f"outside: --url {url}. {longer}",
                )
        return self.story(
            f"did not listen on a port within {self.target.listen_s:g} s",
            f"Check that it runs in the foreground, with Node 20 or newer. {longer}",
        )

    def _reach(self, listener: dict[str, Any]) -> None:
        """Set the URL to load. It is the server's own, or a bridge's if the server uses TLS, a UNIX
        socket or HTTP/2, or if a scenario says what is sent.
        """
        target = self.target
        self.port = listener.get("port")
        if self.port is None:
            # A path is relative to the folder of the program.
            self._socket = place = target.folder / listener["path"]
        else:
            # Whichever address the program listens on, we load it through this machine's own
            # address.
            place = ("::1" if listener["address"] == "::1" else "127.0.0.1", self.port)
        tls = listener["tls"] or (self.hub is None and spoken.is_tls(place))
        if target.http2 and not spoken.is_http2(place, tls=tls):
            where = f"port {self.port}" if self.port else f"{listener['path']}"
            raise AppFailed(
                f"{target.title} does not accept HTTP/2 on {where}. Leave out --http2, or give the "
                "--port that accepts it."
            )
        is_only = (
            spoken.is_http2_only(place, tls=tls) if self.hub is None else listener["http2_only"]
        )
        self.http2 = int(target.http2 or is_only)
        if isinstance(place, tuple) and not tls and not self.http2 and not target.scenario:
            self.url = address(*place)
        else:
            self.bridge = Bridge(place, tls=tls, http2=self.http2)
        if self.bridge is not None:
            self.url = self.bridge.url
            if target.scenario is not None:
                try:
                    ready = target.scenario.ready(self.url, target.title)
                except NoAnswer:
                    if self.running.failed(0.3):
                        raise AppFailed(self.story("crashed at its first request")) from None
                    raise
                self.url = self.bridge.replacing(ready)

    @property
    def outside(self) -> list[str]:
        """Addresses other than this machine's own on which it listens."""
        return sorted({f"{one.address}:{one.port}" for one in sockets.outside(self.running.tree)})

    def get(self, deadline_s: float, request: Request | None = None) -> Response:
        """One answer to the request, by default a GET of its path. Raises AppFailed if it ended,
        NoAnswer if none comes.
        """
        try:
            return (request or Request(self.target.path)).answer(self.url, deadline_s)
        except NoAnswer:
            if self.running.failed(0.3):
                raise AppFailed(self.story("crashed at its first request")) from None
            raise

    def first(self, deadline_s: float, request: Request | None = None) -> tuple[Response, float]:
        """Return the first response, and the seconds that it took. A program that answers 503 may
        be warming up, so we ask again until its time to listen is over. Raises what `get` raises.
        """
        while True:
            began = time.monotonic()
            response = self.get(deadline_s, request)
            end = time.monotonic()
            if response.status != WARMING or end > self._ready_until:
                return response, end - began
            time.sleep(0.2)

    def check(self, doing: str) -> None:
        """Raise AppFailed if the program has ended."""
        if self.running.failed():
            raise AppFailed(
                self.story(f"ended {doing}" if self.running.exit_code == 0 else f"crashed {doing}")
            )

    def printed(self, lines: int = 15) -> list[str]:
        """Return the last lines of the program's output, without those that our probe causes."""
        return [
            line
            for line in self.running.log(4 * lines).splitlines()
            if line.strip() and "Waiting for the debugger to disconnect" not in line
        ][-lines:]

    def story(self, event: str, hint: str = "") -> str:
        """Return an error message: what happened, how the program ended, what it printed."""
        code = self.running.exit_code
        how = ""
        if self.running.ending and code is not None:
            how = f" (exit code {code})" if code >= 0 else f" (killed by signal {-code})"
        log = "\n".join(f"  | {line[:200]}" for line in self.printed()) or "  | (nothing)"
        return f"{self.target.title} {event}{how}.{' ' + hint if hint else ''}\nIt printed:\n{log}"

    def _let_go(self) -> None:
        if self.bridge is not None:
            self.bridge.close()

    def stop(self) -> None:
        """End it and all that it started."""
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always", IgnoredSigterm)
            self.running.stop()
        self.stubborn = any(issubclass(one.category, IgnoredSigterm) for one in told)

    def __enter__(self) -> App:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._let_go()
        if kind is None:
            self.stop()
        else:
            self.running.__exit__(kind, None, None)
        self.running.log_path.unlink(missing_ok=True)
        # A killed program leaves its socket file, on which the next program could not listen.
        if self._socket is not None and self._socket.is_socket():
            self._socket.unlink()


_FOR_NODE = {".js", ".mjs", ".cjs", ".ts", ".mts", ".cts"}


def _resolved(command: Sequence[str]) -> list[str]:
    """Return the command with the book's Node in place of `node`."""
    return [
        nodes.program() if word == "node" and i == 0 else word for i, word in enumerate(command)
    ]


def _not_a_program(word: str, target: Target, env: Mapping[str, str]) -> str | None:
    """Return why the first word of a command cannot be run, and what to do; None if it can."""
    file = target.folder / word
    folders = [str(target.folder / part) for part in env.get("PATH", os.defpath).split(os.pathsep)]
    name = str(file) if os.sep in word else word
    if shutil.which(name, path=os.pathsep.join(folders)) is not None:
        return None
    with_node = f"node {shlex.join(target.command)}"
    if file.is_dir():
        return f"{word} is a folder. Start its program with Node: {with_node}"
    if file.suffix in _FOR_NODE and file.is_file():
        return f"{word} is a file for Node. Start it with Node: {with_node}"
    if file.is_file():
        return f"{word} is not executable. Make it executable: chmod +x {shlex.quote(str(file))}"
    return f"There is no program {word} on the PATH. Correct the name or give the program's path."


def _environment(target: Target, server_id: str, hub: Hub | None) -> dict[str, str]:
    """The reader's own environment: a program needs it. What is ours comes on top."""
    env = dict(os.environ)
    for name in [name for name in env if name.startswith("LAB_")]:
        del env[name]
    if "PORT" not in env:
        # Many programs use PORT. A program that doesn't is found by its listener.
        env["PORT"] = str(sockets.free_port())
    env.update(nodes.on_path(nodes.program()))
    env.update(target.env)
    env["LAB_SERVER_ID"] = server_id
    if hub is not None:
        quoted = str(PRELOAD).replace("\\", "\\\\").replace('"', '\\"')
        env["NODE_OPTIONS"] = f'--require "{quoted}" {env.get("NODE_OPTIONS", "")}'.strip()
        env["LAB_CLINIC"] = str(hub.path)
        if hub.short:
            env["LAB_CLINIC_LOOK"] = "short"
    return env

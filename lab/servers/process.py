"""Starts servers: through the guard, ready by their own word, verified by an answer."""

from __future__ import annotations

import contextlib
import itertools
import os
import re
import secrets
import time
from collections.abc import Iterable
from pathlib import Path

from lab import paths, settings, usage
from lab.errors import LabError
from lab.processes import guard_link, machine, nodes
from lab.processes.supervised_program import USUAL_LINE
from lab.servers import registry, sockets
from lab.servers.http_get import NoPort, NotLoopback, address, loopback
from lab.servers.program import Body, MissingProgram, Program
from lab.servers.running import Running
from lab.servers.server_errors import (
    ExitedEarly,
    NeverListened,
    ServerDied,
    ServerError,
    WrongBody,
    WrongPort,
)
from lab.servers.sockets import PortTaken

__all__ = ["Running", "prepare", "start"]

LISTEN_S = 30.0
ANSWER_S = 30.0
LOGS_KEPT = 200
# What a server may see of the reader's environment. Everything else (their NODE_OPTIONS, their
# UV_THREADPOOL_SIZE) would change what is measured without a trace in the record.
PASSED_ON: tuple[str, ...] = (
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "TMPDIR",
    "TZ",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
)
PASSED_ON += ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SSL_CERT_FILE", "DATABASE_URL")
_numbers = itertools.count(1)


def start(
    recipe: Program, *, cpus: Iterable[int] | None = None, listen_s: float = LISTEN_S
) -> Running:
    """Start a fresh process of a recipe and return it once a verified GET was answered.

    cpus : logical processors to pin it to; recorded in `.cpus`, which stays None where the
    system has no such thing (macOS). listen_s : how long it may take to listen. Raises
    MissingProgram, PortTaken, or a ServerError with the last log lines; nothing is left
    running then.
    """
    if missing := recipe.missing():
        raise MissingProgram(
            f"{recipe.name} needs something that is not installed here. To install it:\n"
            + "\n".join(f"  {line}" for line in missing)
        )
    port = _port(recipe)
    processors = _cpus(cpus)
    number = next(_numbers)
    server_id = f"{os.getpid()}-{number}-{secrets.token_hex(3)}"
    try:
        paths.STATE.mkdir(parents=True, exist_ok=True)
        if number % 50 == 1:
            _prune_logs()
    except OSError as error:
        raise ServerError(f"Cannot write in {paths.STATE}: {error.strerror}.") from None
    running = Running(recipe, guard_link.open_channel(), server_id)
    try:
        _bring_up(running, port, processors, listen_s)
    except Exception as error:
        running.__exit__(type(error), error, None)
        raise
    except BaseException:  # an interrupt: the guard sees the channel close and does the rest
        running.abandon()
        raise
    _note_use(recipe)
    return running


def prepare() -> None:
    """Have the guard ready, so that the first start is as fast as the others."""
    guard_link.prepare()


def _bring_up(running: Running, port: int, cpus: tuple[int, ...] | None, listen_s: float) -> None:
    recipe = running.recipe
    began = time.monotonic()
    running.channel.tell(
        do="start",
        id=running.id,
        argv=[word.replace("{port}", str(port)) for word in recipe.command],
        env=_environment(recipe, port, running.id, running.probe_path),
        cwd=str(paths.ROOT),
        cpus=cpus,
        log=str(running.log_path),
        state=str(registry.state_file(running.id)),
        probe=str(running.probe_path),
        listening=recipe.listening,
    )
    running.cpus = cpus
    url = _await_listening(running, port, listen_s)
    running.listening_s = time.monotonic() - began
    _take_address(running, url, port)
    _check_listener(running)
    _publish(running)
    _check_body(running)
    refuse_outside(running)  # again: the first request may have opened a second port
    running.ready_s = time.monotonic() - began


def _await_listening(running: Running, port: int, listen_s: float) -> str:
    """The URL the server says it listens on; `listen_s` counts from its own start on, not from that
    of the guard.
    """
    recipe = running.recipe
    silent = recipe.listening == "connect"  # no line is printed: we look for the socket
    deadline = time.monotonic() + guard_link.SILENT_S
    while True:
        left_s = max(0.0, deadline - time.monotonic())
        event = running.hear(min(left_s, 0.005) if silent and running.pid else left_s)
        if event is None:
            if silent and sockets.listeners(port, [running.pid]):
                return f"http://127.0.0.1:{port}"
            if not running.pid:
                raise guard_link.silent()
            if not silent or left_s <= 0:
                running.tree()  # raises GuardSilent if the guard is suspended
                what = f"did not say within {listen_s:g} s that it was listening"
                raise NeverListened(running.story(what, _why_unheard(running, port)))
        elif event["event"] == "spawned":
            running.pid = event["pid"]
            deadline = time.monotonic() + listen_s
        elif event["event"] == "failed":
            raise ExitedEarly(f"{recipe.name} could not be started: {event['message']}.")
        elif event["event"] == "listening":
            return str(event["url"])
        elif event["event"] == "exited":
            if port and ("EADDRINUSE" in event["tail"] or "ddress already in use" in event["tail"]):
                raise PortTaken(_taken(port))
            raise ExitedEarly(running.story("ended before it listened"))


def _why_unheard(running: Running, port: int) -> str:
    """Return why a running server was not found: no listener, or no line that names its port."""
    recipe = running.recipe
    if recipe.listening == "connect":
        return f"It is running, but nothing is listening on port {port}."
    *_, last = running.printed().split("\n")
    if re.search(recipe.listening or USUAL_LINE, last):
        return f"It printed {last[-200:]!r} without a newline at the end. Print a newline after it."
    return "It is running, but printed no line `listening on http://127.0.0.1:PORT`."


def _take_address(running: Running, url: str, asked_port: int) -> None:
    try:
        host, running.port = loopback(url.rstrip("/"))
    except NoPort:
        raise WrongPort(
            running.story(
                f"prints {url}, but no server can listen on port 0",
                "Print the port from server.address() once the server listens.",
            )
        ) from None
    except NotLoopback as error:
        raise NotLoopback(running.story("is not on this machine", str(error))) from None
    if host == "localhost":  # two addresses: take the one that the server listens on
        addresses = {
            listener.address for listener in sockets.listeners(running.port, [running.pid])
        }
        host = "::1" if addresses == {"::1"} else "127.0.0.1"
    running.url = address(host, running.port)
    if asked_port and running.port != asked_port:
        raise WrongPort(
            running.story(
                f"was told to listen on port {asked_port} but prints {url}",
                "It must take its port from the environment variable PORT.",
            )
        )


def _check_listener(running: Running) -> None:
    """The socket is ours and not that of an older server, and it is for this machine only."""
    pids = [running.pid]
    listeners = sockets.listeners(running.port, pids)
    if not any(sockets.owned_by(listener, pids) for listener in listeners):
        pids = running.tree()
        listeners = sockets.listeners(running.port, pids)
        if not any(sockets.owned_by(listener, pids) for listener in listeners):
            if running.failed(0.3):
                raise ServerDied(
                    running.story("ended right after it printed that it was listening")
                )
            who = "another program is" if listeners else "nothing is"
            raise WrongPort(
                running.story(
                    f"prints that it is listening on {running.url}, but {who}",
                    "Print the port from server.address() once the server listens.",
                )
            )
    refuse_outside(running)


def refuse_outside(running: Running) -> None:
    """Raise NotLoopback if any process of a server listens where other machines can reach it."""
    for one in sockets.outside(running.tree):
        raise NotLoopback(
            running.story(
                f"listens on {one.address}, port {one.port}, where other machines can reach it",
                'Give the address too: server.listen(PORT, "127.0.0.1", ...).',
            )
        )


def _check_body(running: Running) -> None:
    body = running.recipe.body or Body()
    answer = running.get(body.path, ANSWER_S)
    if wrong := body.mismatch(answer.status, answer.body):
        raise WrongBody(
            running.story(
                f"answered GET {body.path} with {wrong}",
                f"The response begins: {answer.text[:200]!r}.",
            )
        )
    if running.failed():
        raise ServerDied(running.story("ended right after its first response"))
    running.first = Body.of(answer.body, body.path)


def _publish(running: Running) -> None:
    guard = guard_link.guard_pid() or 0
    registry.own[running.id] = running
    registry.write(
        registry.Entry(
            id=running.id,
            name=running.recipe.name,
            pid=running.pid,
            started=time.time(),
            identity=registry.identity(running.pid) or 0,
            url=running.url,
            notebook=settings.notebook(),
            guard=guard,
            guard_identity=registry.identity(guard) or 0,
        )
    )


def _port(recipe: Program) -> int:
    told = recipe.env.get("PORT", "0")
    if not told.isdecimal() or int(told) > 65535:
        raise LabError(f"PORT={told!r} is not a valid port. Give 1024 to 65535, or leave PORT out.")
    port = int(told)
    if port and not sockets.is_free(port):
        raise PortTaken(_taken(port))
    if not port and (
        recipe.listening == "connect" or any("{port}" in word for word in recipe.command)
    ):
        port = sockets.free_port()
    return port


def _taken(port: int) -> str:
    mine = [entry for entry in registry.ps() if entry.url.endswith(f":{port}")]
    who = f"{mine[0].name}, started by {mine[0].notebook}" if mine else "another program"
    return f"Port {port} is used by {who}. Leave PORT out to use any free port" + (
        ", or run lab.stop_all()." if mine else "."
    )


def _cpus(cpus: Iterable[int] | None) -> tuple[int, ...] | None:
    if cpus is None:
        return None
    processors = tuple(sorted(set(cpus)))
    if not hasattr(os, "sched_setaffinity"):
        return None
    allowed = os.sched_getaffinity(0)
    if not processors or not set(processors) <= allowed:
        raise LabError(
            f"A server can't be pinned to processors {list(processors)} because this process "
            f"may use only {sorted(allowed)}."
        )
    return processors


def _environment(recipe: Program, port: int, server_id: str, probe_file: Path) -> dict[str, str]:
    env = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    env.update(recipe.env)
    env.update(PORT=str(port), LAB_SERVER_ID=server_id)
    if recipe.runtime == "node":
        env.update(nodes.on_path(recipe.interpreter))  # for the programs that it starts by name
    if recipe.runtime == "node" and paths.PROBE.is_file():
        preload = f"--require {_quoted(paths.PROBE)}"
        env["NODE_OPTIONS"] = f"{preload} {recipe.env.get('NODE_OPTIONS', '')}".strip()
        env["LAB_PROBE_FILE"] = str(probe_file)
    if recipe.runtime == "python":
        env.setdefault("PYTHONUNBUFFERED", "1")  # else the line that says "listening" may wait
    return env


def _quoted(path: Path) -> str:
    # NODE_OPTIONS has quoting rules of its own.
    return '"' + str(path).replace("\\", "\\\\").replace('"', '\\"') + '"'


def _prune_logs() -> None:
    logs = []
    for path in paths.STATE.glob("*.log"):
        with contextlib.suppress(OSError):  # another notebook may be pruning too
            logs.append((path.stat().st_mtime, path))
    for _, old in sorted(logs)[:-LOGS_KEPT]:
        old.unlink(missing_ok=True)


def _note_use(recipe: Program) -> None:
    """For the build: what ran, and on which Node."""
    usage.note("server", name=recipe.name, started=1)
    usage.note_modules()
    if recipe.runtime == "node":
        usage.note_file(paths.PROBE)
        if os.environ.get("LAB_USAGE_FILE"):  # only then: asking Node for its version takes a while
            version = machine.version(recipe.interpreter)
            usage.note("runtime", name="node", version=version)

"""What a load asks for, checked before anything starts, and the same as the generator reads it."""

from __future__ import annotations

import base64
import inspect
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from lab.errors import LabError, did_you_mean
from lab.records.checks import ALL
from lab.records.trial import LoadSpec
from lab.settings import profile
from lab.storage.gate import fit, shown
from lab.storage.json_form import plain

OPEN_CONNECTIONS = 256  # most requests in flight in an open loop; more send late and are counted
# Of all streams together: they go to the generator in a line of at most 16 MiB, as Base64.
MOST_BODY_BYTES = 8 * 1024 * 1024
# A fixed number of requests is given up after this times what it needs if each request takes its
# whole time-out, but not before the first, nor after the second number of seconds.
COUNT_SLACK = 1.25
COUNT_LIMITS_S = (60.0, 600.0)
# The warm-up of a profile with a cap ends when, in the last seconds, the rates of the first and the
# last third differ by no more than this, or than chance, as the check `steady` asks of the window,
# six looks in a row (lab/node/loadgen/settling.mjs).
LOOK_S = 1.0
WITHIN = 0.05
# A look has nine parts, and the sixth look ends five of them after the first.
LEAST_WARM_S = LOOK_S * 14 / 9


class BadLoad(LabError):
    """A load that can't be what was meant."""


@dataclass(frozen=True)
class StreamPlan:
    """One stream of requests."""

    connections: int
    rate: float | None = None
    schedule: str = "poisson"
    path: str = "/"
    method: str = "GET"
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    keep_alive: bool = True
    requests: int | None = None
    timeout_s: float = 10.0
    seed: int = 1
    rounds: int | None = None  # then requests is connections * rounds


@dataclass(frozen=True)
class Plan:
    """One load: the main stream, those alongside, times in seconds; `given` is what the caller
    said, for the question.
    """

    main: StreamPlan
    warmup_s: float
    measure_s: float
    alongside: Mapping[str, StreamPlan] = field(default_factory=dict)
    pin: Any = None
    tolerate: tuple[str, ...] = ()
    given: Mapping[str, Any] = field(default_factory=dict)
    warm_cap_s: float = 0.0  # above 0: warm up until steady, at most so long

    @property
    def duration_s(self) -> float:
        """How long the generator loads the server, where a warm-up until steady ends as soon as it
        can.
        """
        return max(self.warmup_s, LEAST_WARM_S if self.warm_cap_s else 0.0) + self.measure_s

    @property
    def longest_s(self) -> float:
        """How long the generator loads the server at most."""
        return max(self.warmup_s, self.warm_cap_s) + self.measure_s

    @property
    def settle(self) -> dict[str, float] | None:
        """When the warm-up ends, as the generator reads it; None if it lasts `warmup_s`."""
        if not self.warm_cap_s:
            return None
        return {"look_s": LOOK_S, "within": WITHIN, "cap_s": self.warm_cap_s}


def plan(
    *,
    connections: int | None = None,
    seconds: float | None = None,
    requests: int | None = None,
    rounds: int | None = None,
    rate: float | None = None,
    schedule: str = "poisson",
    path: str = "/",
    method: str = "GET",
    headers: Mapping[str, str] | None = None,
    body: bytes | str | None = None,
    keep_alive: bool = True,
    warmup: float | None = None,
    timeout: float = 10.0,
    alongside: Mapping[str, Mapping[str, Any]] | None = None,
    pin: Any = None,
    seed: int = 1,
    tolerate: Iterable[str] = (),
    given: Mapping[str, Any] | None = None,
) -> Plan:
    """Return a checked plan; times that aren't given are the profile's. Raises BadLoad naming the
    option and what would do.
    """
    said = dict(locals())
    if requests is not None and rate is not None:
        raise BadLoad(
            "requests= counts in a closed loop, rate= makes an open one: give one of them"
        )
    if rounds is not None and (requests is not None or rate is not None):
        raise BadLoad("rounds= counts on each connection of a closed loop: no requests=, no rate=")
    now = profile()
    shared = {"timeout": timeout, "seed": seed}
    main = _asked("", {k: v for k, v in said.items() if k in _OF_A_STREAM})
    if seconds is not None:
        _number("seconds", seconds, 0.01, 600)
    if warmup is not None:
        _number("warmup", warmup, 0, 600)
    # A count is a count: it is given time, and nothing of it is cut away unless asked for.
    counted = main.requests is not None
    timed = not counted or seconds is not None
    measure_s = min(now.measure_for(seconds), 600.0) if timed else count_limit(main)
    warm = 0.0 if counted and warmup is None else now.warmup_for(warmup)
    fit("tolerate", tolerate, Iterable[str], BadLoad)
    known = tuple(tolerate)
    fit("tolerate", known, tuple[str, ...], BadLoad)
    fit("pin", pin, bool | str | int | list[Any] | tuple[Any, ...] | None, BadLoad)
    fit("alongside", alongside, Mapping[str, Mapping[str, Any]] | None, BadLoad)
    for name in known:
        if name not in ALL:
            raise BadLoad(f"tolerate={name!r} is no check. {did_you_mean(name, ALL)}")
    others = {
        k: _asked(f"alongside[{k!r}]: ", {**shared, **v}) for k, v in (alongside or {}).items()
    }
    _sendable((main, *others.values()))
    # The rate of an open loop is that of its schedule, warm or not; "no warm-up" is a question of
    # its own, and a server that is never steady is not waited for.
    counts = counted or any(one.requests is not None for one in others.values())
    settles = not counts and rate is None and warmup != 0 and "steady" not in known
    if settles:
        measure_s = max(measure_s, now.least_s)
    return Plan(
        main,
        warm,
        measure_s,
        others,
        pin,
        known,
        plain({k: v.hex() if isinstance(v, bytes) else v for k, v in (given or {}).items()}),
        now.warm_cap_s if settles else 0.0,
    )


def count_limit(asked: StreamPlan) -> float:
    """Return after how many seconds a fixed number of requests is given up.

    Each connection sends one after the other, and none takes longer than its time-out: so long a
    job may need, and somewhat more on a busy machine.
    """
    in_a_row = math.ceil((asked.requests or 0) / asked.connections)
    least, most = COUNT_LIMITS_S
    return min(max(least, COUNT_SLACK * in_a_row * asked.timeout_s), most)


# What may be said of a load; `lab.load` and `lab.compare` take the same.
OPTIONS = {n: p for n, p in inspect.signature(plan).parameters.items() if n != "given"}
_OF_A_STREAM = tuple(f.name.removesuffix("_s") for f in fields(StreamPlan))


def is_default(value: Any, default: Any) -> bool:
    """True if saying `value` says nothing. What has its own idea of being equal, as an array has,
    is no default.
    """
    return isinstance(value, (str, int, float, tuple, type(None))) and bool(value == default)


def known_options(where: str, options: Iterable[str], known: Iterable[str]) -> None:
    """Raise BadLoad for an option that there is not, with the nearest that there is."""
    known = tuple(known)
    for key in options:
        if key not in known:
            raise BadLoad(f"{where}there is no option {key!r}. {did_you_mean(key, known)}")


def _asked(where: str, options: dict[str, Any]) -> StreamPlan:
    known_options(where, options, _OF_A_STREAM)
    rate = options.get("rate")
    wanted = options.get("connections")
    path = path_of(f"{where}path", options.get("path", "/"))
    schedule = options.get("schedule", "poisson")
    if not isinstance(schedule, str) or schedule not in ("poisson", "constant"):
        raise BadLoad(f"{where}schedule={shown(schedule)}: poisson or constant")
    fit(f"{where}headers", options.get("headers"), Mapping[str, str | float] | None, BadLoad)
    fit(f"{where}keep_alive", options.get("keep_alive", True), bool, BadLoad)
    connections = _whole(
        f"{where}connections",
        (10 if rate is None else OPEN_CONNECTIONS) if wanted is None else wanted,
        1,
        10_000,
    )
    requests, rounds = options.get("requests"), options.get("rounds")
    if rounds is not None:
        requests = connections * _whole(f"{where}rounds", rounds, 1, 1_000_000)
    return StreamPlan(
        connections,
        None if rate is None else _number(f"{where}rate", rate, 0.001, 1_000_000),
        schedule,
        path,
        _method(f"{where}method", options.get("method", "GET")),
        {str(k): str(v) for k, v in dict(options.get("headers") or {}).items()},
        _body(f"{where}body", options.get("body")),
        options.get("keep_alive", True),
        None if requests is None else _whole(f"{where}requests", requests, 1, 20_000_000),
        _number(f"{where}timeout", options.get("timeout", 10.0), 0.001, 600),
        _whole(f"{where}seed", options.get("seed", 1), 0, 2**53 - 1),
        rounds,
    )


def path_of(name: str, path: Any) -> str:
    """Return a path that a request line can carry. Raises BadLoad for any other."""
    if (
        not isinstance(path, str)
        or not path.startswith("/")
        or any(c <= " " or c > "~" for c in path)
    ):
        raise BadLoad(
            f"{name}={shown(path)} must begin with / and hold "
            "visible ASCII only; encode the rest with %XX"
        )
    return path


def _method(name: str, value: Any) -> str:
    if not isinstance(value, str) or not re.fullmatch(r"[A-Za-z]{1,20}", value):
        raise BadLoad(f"{name}={shown(value)} must be a word such as GET, POST or PUT")
    return value.upper()


def _body(name: str, value: Any) -> bytes:
    """The bytes of a body: a number is none, not even a number of zero bytes."""
    fit(name, value, str | bytes | None, BadLoad)
    return value.encode() if isinstance(value, str) else value or b""


def _sendable(streams: Iterable[StreamPlan]) -> None:
    size = sum(len(stream.body) for stream in streams)
    if size > MOST_BODY_BYTES:
        raise BadLoad(
            f"body= has {size:,} bytes, of all streams together; at most {MOST_BODY_BYTES:,} can "
            "be sent. Send a smaller one more often"
        )


def _whole(name: str, value: Any, least: int, most: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise BadLoad(f"{name}={shown(value)} must be a whole number from {least} to {most:,}")
    return value


def _number(name: str, value: Any, least: float, most: float) -> float:
    real = isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
    if not real or not least <= value <= most:
        raise BadLoad(f"{name}={shown(value)} must be a number from {least:g} to {most:,g}")
    return float(value)


def stream_json(
    name: str, asked: StreamPlan, base_url: str, expect: dict[str, Any] | None
) -> dict[str, Any]:
    """Return one stream as the generator reads it."""
    return {
        "name": name,
        "url": base_url.rstrip("/") + asked.path,
        "method": asked.method,
        "headers": dict(asked.headers),
        "body_base64": base64.b64encode(asked.body).decode() if asked.body else None,
        "loop": "closed" if asked.rate is None else "open",
        "connections": asked.connections,
        "rate_per_s": asked.rate,
        "schedule": asked.schedule,
        "seed": asked.seed,
        "keep_alive": asked.keep_alive,
        "requests": asked.rounds or asked.requests,
        "per_connection": asked.rounds is not None,
        "timeout_s": asked.timeout_s,
        "expect": expect,
    }


def load_spec(
    plan: Plan, asked: StreamPlan, expect: dict[str, Any] | None, cpus: tuple[int, ...] | None
) -> LoadSpec:
    """Return the part of the record that says what was asked."""
    is_open = asked.rate is not None
    return LoadSpec(
        loop="open" if is_open else "closed",
        connections=asked.connections,
        rate_per_s=asked.rate,
        schedule=asked.schedule if is_open else None,
        seed=asked.seed,
        requests=asked.requests,
        keep_alive=asked.keep_alive,
        method=asked.method,
        path=asked.path,
        headers=dict(asked.headers),
        body_bytes=len(asked.body),
        expect=expect,
        warmup_s=plan.warmup_s,
        warm_cap_s=plan.warm_cap_s or None,
        measure_s=plan.measure_s,
        timeout_s=asked.timeout_s,
        cpus=cpus,
    )

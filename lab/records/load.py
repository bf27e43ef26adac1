"""One load: the requests that are sent, how many at once or how often, and for how long.

Every program that loads a server describes its load in this way: `lab.load` and `lab.compare`, a
traced server, an examined program, the generator among the load tools. The load is checked here,
before a process starts. The generator reads `Load.spec` and refuses a key that it doesn't know, and
therefore a load in another format. Programs of the book also start the generator, and their records
hold a digest of the generator's text.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Self

from lab.errors import LabError, did_you_mean
from lab.records.trial import LoadSpec, LoopKind, Schedule
from lab.storage.gate import fit, shown

# The most requests in flight in an open loop. Requests beyond are sent late and counted as late.
OPEN_CONNECTIONS = 256
# The limit of all streams together: the generator reads one line of at most 16 MiB in Base64.
MOST_BODY_BYTES = 8 * 1024 * 1024
MOST_STREAMS = 8
# The limit of one stream: the largest number of requests that can be counted.
MOST_ROWS = 20_000_000
MOST_SCHEDULED = 5_000_000  # the limit of an open loop
# With a warm-up until steady, the warm-up ends when, six times in a row, the rates of the first and
# last third of the last seconds differ by at most this share or by at most what chance explains.
# The check `steady` asks the same of the window (lab/node/loadgen/settling.mjs).
LOOK_S = 1.0
WITHIN = 0.05
# Each of these checks covers nine parts, and the sixth check ends five parts after the first.
LEAST_WARM_S = LOOK_S * 14 / 9


@dataclass(frozen=True)
class Bounds:
    """The most of each that may be asked for: of our generator, unless a load tool takes less."""

    connections: int = 10_000
    requests: int = MOST_ROWS
    seconds: float = 600
    timeout_s: float = 600


BOUNDS = Bounds()

# The generator writes these headers itself.
_OWN_HEADERS = ("content-length", "transfer-encoding", "connection", "upgrade")
_TOKEN = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_FIELD = re.compile(r"[\t\x20-\x7e\x80-\xff]*")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")


class BadLoad(LabError):
    """A load that can't be what was meant."""


@dataclass(frozen=True)
class Stream:
    """One stream of requests; `Stream.of` makes a checked one.

    In a closed loop each connection sends when its response is in. With a `rate` in 1/s the loop is
    open: requests are sent on a schedule, `connections` of them in flight at most.
    """

    connections: int
    rate: float | None = None
    schedule: Schedule = "poisson"
    path: str = "/"
    method: str = "GET"
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None
    keep_alive: bool = True
    requests: int | None = None
    timeout_s: float = 10.0
    seed: int = 1
    rounds: int | None = None  # if set, requests is connections * rounds

    @classmethod
    def of(cls, prefix: str = "", bounds: Bounds = BOUNDS, **options: Any) -> Self:
        """Return a checked stream; the options are those of lab.load, `timeout` for `timeout_s`.

        prefix : what the message of a BadLoad begins with.
        """
        known_options(prefix, options, OPTIONS)
        rate = options.get("rate")
        given_connections = options.get("connections")
        path = path_of(f"{prefix}path", options.get("path", "/"))
        schedule = _schedule(f"{prefix}schedule", options.get("schedule", "poisson"))
        headers = _headers(f"{prefix}headers", options.get("headers"))
        fit(f"{prefix}keep_alive", options.get("keep_alive", True), bool, BadLoad)
        connections = _whole(
            f"{prefix}connections",
            (10 if rate is None else OPEN_CONNECTIONS)
            if given_connections is None
            else given_connections,
            1,
            bounds.connections,
        )
        requests, rounds = options.get("requests"), options.get("rounds")
        if rounds is not None:
            requests = connections * _whole(f"{prefix}rounds", rounds, 1, 1_000_000)
        if rate is not None and requests is not None:
            raise BadLoad(
                f"{prefix}requests= counts in a closed loop, and rate= makes an open loop, "
                "give only one of them"
            )
        return cls(
            connections,
            None if rate is None else number(f"{prefix}rate", rate, 0.001, 1_000_000),
            schedule,
            path,
            _method(f"{prefix}method", options.get("method", "GET")),
            headers,
            _body(f"{prefix}body", options.get("body")),
            options.get("keep_alive", True),
            None if requests is None else _whole(f"{prefix}requests", requests, 1, bounds.requests),
            number(f"{prefix}timeout", options.get("timeout", 10.0), 0.001, bounds.timeout_s),
            _whole(f"{prefix}seed", options.get("seed", 1), 0, 2**53 - 1),
            rounds,
        )

    @property
    def loop(self) -> LoopKind:
        """Whether a connection waits for its response, or a schedule says when to send."""
        return "closed" if self.rate is None else "open"

    def spec(self, name: str, base_url: str, expect: dict[str, Any] | None) -> dict[str, Any]:
        """Return the stream as the generator reads it."""
        return {
            "name": name,
            "url": base_url.rstrip("/") + self.path,
            "method": self.method,
            "headers": dict(self.headers),
            "body_base64": None if self.body is None else base64.b64encode(self.body).decode(),
            "loop": self.loop,
            "connections": self.connections,
            "rate_per_s": self.rate,
            "schedule": self.schedule,
            "seed": self.seed,
            "keep_alive": self.keep_alive,
            "requests": self.rounds or self.requests,
            "per_connection": self.rounds is not None,
            "timeout_s": self.timeout_s,
            "expect": expect,
        }


# The options of one stream.
OPTIONS = tuple(f.name.removesuffix("_s") for f in fields(Stream))


@dataclass(frozen=True)
class Load:
    """The main stream, those alongside by name, and times in seconds.

    warm_cap_s : above 0, the warm-up ends when the rate is steady, and at the latest then.

    Raises BadLoad where streams do not fit together.
    """

    main: Stream
    warmup_s: float
    measure_s: float
    alongside: Mapping[str, Stream] = field(default_factory=dict)
    warm_cap_s: float = 0.0

    def __post_init__(self) -> None:
        if len(self.alongside) >= MOST_STREAMS:
            raise BadLoad(
                f"alongside= has {len(self.alongside)} streams, and at most "
                f"{MOST_STREAMS - 1} can be sent with the first"
            )
        for name in self.alongside:
            if name == "main" or not _NAME.fullmatch(name):
                raise BadLoad(
                    f"alongside[{name!r}]: a stream's name has 1 to 64 letters, digits, - or _, "
                    "and main is the name of the first"
                )
        size = sum(len(stream.body or b"") for stream in self.streams.values())
        if size > MOST_BODY_BYTES:
            raise BadLoad(
                f"body= has {size:,} bytes, in all streams together; at most {MOST_BODY_BYTES:,} "
                "can be sent. Send a smaller body more often"
            )
        for stream in self.streams.values():
            if stream.rate is not None and stream.rate * self.longest_s > MOST_SCHEDULED:
                raise BadLoad(
                    f"rate={stream.rate:g} for {self.longest_s:g} s is more than "
                    f"{MOST_SCHEDULED:,} requests, so lower the rate or the time"
                )

    @property
    def streams(self) -> dict[str, Stream]:
        """All streams by name."""
        return {"main": self.main, **self.alongside}

    @property
    def duration_s(self) -> float:
        """Return how long the generator loads the server, in seconds. A warm-up until steady counts
        with its shortest time.
        """
        return max(self.warmup_s, LEAST_WARM_S if self.warm_cap_s else 0.0) + self.measure_s

    @property
    def longest_s(self) -> float:
        """Return the longest time for which the generator loads the server, in seconds."""
        return max(self.warmup_s, self.warm_cap_s) + self.measure_s

    @property
    def timeout_s(self) -> float:
        """The longest time-out of a request."""
        return max(stream.timeout_s for stream in self.streams.values())

    @property
    def settle(self) -> dict[str, float] | None:
        """When the warm-up ends, as the generator reads it; None if it lasts `warmup_s`."""
        if not self.warm_cap_s:
            return None
        return {"look_s": LOOK_S, "within": WITHIN, "cap_s": self.warm_cap_s}

    def spec(
        self, base_url: str, raw_dir: Path | str, expect: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        """Return the load as the generator reads it.

        raw_dir : a folder that is there, for the raw rows. expect : what each stream must be
        answered, by its name.
        """
        return {
            "streams": [
                stream.spec(name, base_url, (expect or {}).get(name))
                for name, stream in self.streams.items()
            ],
            "warmup_s": self.warmup_s,
            "settle": self.settle,
            "measure_s": self.measure_s,
            "raw_dir": str(raw_dir),
        }

    def record(
        self, stream: Stream, expect: dict[str, Any] | None, cpus: tuple[int, ...] | None
    ) -> LoadSpec:
        """Return the part of the record that says what was asked of one stream."""
        is_open = stream.loop == "open"
        return LoadSpec(
            loop=stream.loop,
            connections=stream.connections,
            rate_per_s=stream.rate,
            schedule=stream.schedule if is_open else None,
            seed=stream.seed,
            requests=stream.requests,
            keep_alive=stream.keep_alive,
            method=stream.method,
            path=stream.path,
            headers=dict(stream.headers),
            body_bytes=len(stream.body or b""),
            expect=expect,
            warmup_s=self.warmup_s,
            warm_cap_s=self.warm_cap_s or None,
            measure_s=self.measure_s,
            timeout_s=stream.timeout_s,
            cpus=cpus,
        )


def known_options(prefix: str, options: Iterable[str], choices: Iterable[str]) -> None:
    """Raise BadLoad for an option that there is not, with the nearest that there is."""
    choices = tuple(choices)
    for key in options:
        if key not in choices:
            raise BadLoad(f"{prefix}there is no option {key!r}. {did_you_mean(key, choices)}")


def path_of(name: str, path: Any) -> str:
    """Return a path that a request line can carry. Raises BadLoad for any other."""
    if (
        not isinstance(path, str)
        or not path.startswith("/")
        or any(c <= " " or c > "~" for c in path)
    ):
        raise BadLoad(
            f"{name}={shown(path)} must begin with / and have only visible ASCII characters; "
            "encode other characters with %XX"
        )
    return path


def number(name: str, value: Any, least: float, most: float) -> float:
    """Return a number in that range. Raises BadLoad for anything else."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    # NaN is in no range, and neither is an integer that is too large for a float.
    if not is_number or not least <= value <= most:
        raise BadLoad(f"{name}={shown(value)} must be a number from {least:g} to {most:,.10g}")
    return float(value)


def _schedule(name: str, value: Any) -> Schedule:
    if isinstance(value, str) and value == "poisson":
        return "poisson"
    if isinstance(value, str) and value == "constant":
        return "constant"
    raise BadLoad(f"{name}={shown(value)}: poisson or constant")


def _headers(name: str, value: Any) -> dict[str, str]:
    fit(name, value, Mapping[str, str | float] | None, BadLoad)
    headers = {str(key): str(text) for key, text in dict(value or {}).items()}
    for key, text in headers.items():
        if key.lower() in _OWN_HEADERS:
            raise BadLoad(
                f"{name} must not contain {key}, because the generator sets it (see "
                "keep_alive=, body=)"
            )
        if not _TOKEN.fullmatch(key) or not _FIELD.fullmatch(text):
            raise BadLoad(f"{name} has an invalid field {shown(key)}: {shown(text)}")
    return headers


def _method(name: str, value: Any) -> str:
    if (
        not isinstance(value, str)
        or not re.fullmatch(r"[A-Za-z]{1,20}", value)
        or value.upper() == "CONNECT"
    ):
        raise BadLoad(f"{name}={shown(value)} must be a word such as GET, POST or PUT")
    return value.upper()


def _body(name: str, value: Any) -> bytes | None:
    """Return the bytes of a body. A number is refused, since bytes(n) would be n zero bytes."""
    fit(name, value, str | bytes | None, BadLoad)
    return (value.encode() if isinstance(value, str) else value) or None


def _whole(name: str, value: Any, least: int, most: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise BadLoad(f"{name}={shown(value)} must be a whole number from {least} to {most:,}")
    return value

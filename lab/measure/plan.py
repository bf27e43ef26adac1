"""The options of a load, checked before a process starts, in the form in which the generator reads
them.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from lab.errors import did_you_mean
from lab.records import load
from lab.records.checks import ALL
from lab.records.load import BadLoad, Load, Stream, number
from lab.records.trial import Schedule
from lab.settings import profile
from lab.storage.gate import fit
from lab.storage.json_form import plain

# A fixed number of requests is given up after this factor of the time that it needs if each request
# takes its whole time-out, but between the first and the second number of seconds.
COUNT_SLACK = 1.25
COUNT_LIMITS_S = (60.0, 600.0)


@dataclass(frozen=True)
class Plan(Load):
    """A load as it will be measured, with its processors and the checks that it may fail.

    given : the options that the caller set, for the question
    """

    pin: Any = None
    tolerate: tuple[str, ...] = ()
    given: Mapping[str, Any] = field(default_factory=dict)


def plan(
    *,
    connections: int | None = None,
    seconds: float | None = None,
    requests: int | None = None,
    rounds: int | None = None,
    rate: float | None = None,
    schedule: Schedule = "poisson",
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
    arguments = dict(locals())
    if requests is not None and rate is not None:
        raise BadLoad(
            "requests= counts in a closed loop, and rate= makes an open loop, so give only "
            "one of them"
        )
    if rounds is not None and (requests is not None or rate is not None):
        raise BadLoad(
            "rounds= counts on each connection of a closed loop, so leave out requests= and rate="
        )
    now = profile()
    common = {"timeout": timeout, "seed": seed}
    main = Stream.of(**{name: arguments[name] for name in load.OPTIONS})
    if seconds is not None:
        number("seconds", seconds, 0.01, load.BOUNDS.seconds)
    if warmup is not None:
        number("warmup", warmup, 0, load.BOUNDS.seconds)
    # A load of a fixed number of requests has no warm-up unless the caller asks for one.
    counted = main.requests is not None
    timed = not counted or seconds is not None
    measure_s = min(now.measure_for(seconds), load.BOUNDS.seconds) if timed else count_limit(main)
    warm = 0.0 if counted and warmup is None else now.warmup_for(warmup)
    fit("tolerate", tolerate, Iterable[str], BadLoad)
    names = tuple(tolerate)
    fit("tolerate", names, tuple[str, ...], BadLoad)
    fit("pin", pin, bool | str | int | list[Any] | tuple[Any, ...] | None, BadLoad)
    fit("alongside", alongside, Mapping[str, Mapping[str, Any]] | None, BadLoad)
    for name in names:
        if name not in ALL:
            raise BadLoad(f"tolerate={name!r} is not a check. {did_you_mean(name, ALL)}")
    side_streams = {
        name: Stream.of(f"alongside[{name!r}]: ", **{**common, **options})
        for name, options in (alongside or {}).items()
    }
    # An open loop has the rate of its schedule, warm or not. A cell with warmup=0 asks about a cold
    # server. A cell that tolerates an unsteady rate must not wait for a steady one.
    counts = counted or any(stream.requests is not None for stream in side_streams.values())
    settles = not counts and rate is None and warmup != 0 and "steady" not in names
    if settles:
        measure_s = max(measure_s, now.least_s)
    return Plan(
        main,
        warm,
        measure_s,
        side_streams,
        warm_cap_s=now.warm_cap_s if settles else 0.0,
        pin=pin,
        tolerate=names,
        given=plain({k: v.hex() if isinstance(v, bytes) else v for k, v in (given or {}).items()}),
    )


def count_limit(stream: Stream) -> float:
    """Return after how many seconds a fixed number of requests is given up.

    A connection sends its requests one after another, and no request takes longer than its
    time-out. The sum is the longest time of the job; a busy machine gets somewhat more.
    """
    in_a_row = math.ceil((stream.requests or 0) / stream.connections)
    least, most = COUNT_LIMITS_S
    return min(max(least, COUNT_SLACK * in_a_row * stream.timeout_s), most)


# The options of a load, which `lab.load` and `lab.compare` share.
OPTIONS = {n: p for n, p in inspect.signature(plan).parameters.items() if n != "given"}


def is_default(value: Any, default: Any) -> bool:
    """Whether `value` equals the default. A value whose comparison isn't a boolean, such as an
    array, is no default.
    """
    return isinstance(value, (str, int, float, tuple, type(None))) and bool(value == default)

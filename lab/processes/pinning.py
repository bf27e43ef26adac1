"""Which processors server and generator get: apart where there are two, so that neither steals from
the other.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from lab.errors import LabError
from lab.processes.machine import cpu_set

Cpus = tuple[int, ...] | None


def split(pin: Any, workers: int | None) -> tuple[Cpus, Cpus]:
    """Return (server's, generator's) processors; None = not pinned.

    pin : None pins servers of one process where there are two cores: the generator gets one whole
    core, the server all others, since the threads of a server's pool are part of it. A server of
    several processes shares everything, and the two-core law says what that costs. True pins
    anyway, False never, "together" puts both on one processor, where the law is strictest;
    (server, generator) says it in numbers.
    """
    if pin is False:
        return None, None
    mine = cpu_set()
    if pin == "together":
        return (tuple(mine[-1:]), tuple(mine[-1:])) if mine else (None, None)
    if pin is not None and pin is not True:
        return _given(pin)
    if len(mine) < 2 or (pin is None and (workers or 1) > 1):
        return None, None
    core = _core_of(mine[-1])
    client = [c for c in mine if _core_of(c) == core] if core is not None else mine[-1:]
    if len(client) >= len(mine):
        client = mine[-1:]  # one core with two threads: better half of it than nothing
    server = tuple(c for c in mine if c not in client)
    return server, (mine[-1],)


def _given(pin: Any) -> tuple[Cpus, Cpus]:
    try:
        server, client = (
            (int(pin_one),) if isinstance(pin_one, int) else tuple(pin_one) for pin_one in pin
        )
    except (TypeError, ValueError):
        raise LabError(
            f"pin={pin!r}: None, True, False, 'together', or (server's "
            "processors, generator's), e.g. ([0], [1])"
        ) from None
    whole = all(isinstance(one, int) for one in (*server, *client))
    if not (server and client and whole):
        raise LabError(
            f"pin={pin!r}: both need a processor at least, by its number, e.g. ([0], [1])"
        )
    mine = set(cpu_set())
    if not {*server, *client} <= mine:
        raise LabError(
            f"pin={pin!r} names processors that this process may not use. It may use {sorted(mine)}"
        )
    return server, client


def _core_of(cpu: int) -> tuple[str, str] | None:
    base = Path(f"/sys/devices/system/cpu/cpu{cpu}/topology")
    try:
        return (base / "physical_package_id").read_text().strip(), (
            base / "core_id"
        ).read_text().strip()
    except OSError:
        return None

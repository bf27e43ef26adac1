"""Instruments against known truths: load tools measure servers that are known to the number.

A server that waits exactly 20 ms, under three connection policies (rule 1 of book/about/rules.md:
p50 at most 3 ms above it; rule 2: X * R = N within 5 %); answers with known bytes in three
framings; and the ceiling: a server that does nothing, so that the tool measures itself.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from urllib.parse import urlsplit

from lab.instruments.adapters import (
    ADAPTERS,
    Adapter,
    AdapterError,
    Figures,
    ToolResult,
    ToolSpec,
    adapter,
)
from lab.instruments.calibration import Calibration, Reading, whole
from lab.paths import NODE_SIDE
from lab.processes import nodes
from lab.processes.lock import measuring
from lab.processes.machine import cpu_set, machine
from lab.records.ceiling import keep
from lab.records.stamp import utc
from lab.servers.catalog import server
from lab.servers.recipe import Recipe

DELAY_MS = 20.0
MODES = ("keep", "close", "every10")
FRAMINGS = ("length", "chunked", "until-close")
ABOVE_MS = 3.0  # how much a p50 may lie above the truth: timers, two processes, the kernel
BELOW_MS = 0.05  # how much below: the precision of clocks
LITTLE = 0.05
ASKED = 40  # requests, for answers and bytes
BODY_BYTES = 1000
Tried = tuple[ToolResult | None, str]  # the result, or why there is none


def calibrate(
    tools: Iterable[str] | None = None,
    *,
    seconds: float = 1.0,
    cases: Sequence[str] = ("delays", "bodies", "ceiling"),
) -> Calibration:
    """The readings of `tools` (default: every closed-loop one installed, ours first).

    Takes about 8 s a tool with all cases (most tools round `seconds` up to whole ones). Waits for
    other measurements on this machine. Raises LabError when a server of known truth does not start.
    """
    measures: dict[str, Callable[[Sequence[Adapter], float], Iterable[Reading]]] = {
        "delays": delays,
        "bodies": bodies,
        "ceiling": ceiling,
    }
    # The truths here are those of a closed loop.
    names = [n for n in ADAPTERS if not ADAPTERS[n].is_open] if tools is None else list(tools)
    presences = {name: adapter(name).present() for name in names}
    adapters = [adapter(name) for name in names if presences[name]]
    start_utc = utc()
    load = None
    readings: list[Reading] = []
    with measuring():
        with suppress(OSError):
            load = os.getloadavg()[0]
        for case in cases:
            readings += measures[case](adapters, seconds)
    missing = tuple((name, presences[name].install) for name in names if not presences[name])
    result = Calibration(tuple(readings), missing, start_utc, machine().label, load)
    if (most := result.ceiling_per_s()) is not None:
        keep(most)
    return result


def delays(tools: Sequence[Adapter], seconds: float) -> Iterator[Reading]:
    """p50 and X * R / N against a server that waits 20 ms, under each connection policy."""
    n = 2
    # no tool's summary has the requests in flight at the end: up to one round of N requests
    least = 1 - LITTLE - DELAY_MS / 1000 / seconds
    for mode in MODES:
        recipe = server("node/delay", env={"DELAY_MS": DELAY_MS, "KEEP_ALIVE": mode})
        with recipe.start() as running:
            for tool in tools:
                result, note = run(tool, ToolSpec(root(running.url), n, seconds))
                said_figures, trusted_figures = (
                    (result.said, result.trusted) if result else (Figures(), Figures())
                )
                slack = tool.rounds_ms
                yield Reading(
                    *(tool.name, mode, "p50", "ms"),
                    truth=DELAY_MS,
                    said=in_ms(said_figures.p50_us),
                    trusted=in_ms(trusted_figures.p50_us),
                    low=DELAY_MS - BELOW_MS - slack,
                    high=DELAY_MS + ABOVE_MS + slack,
                    note=note,
                )
                yield Reading(
                    *(tool.name, mode, "X·R/N", ""),
                    truth=1.0,
                    said=said_figures.little(n),
                    trusted=trusted_figures.little(n),
                    low=least,
                    high=1 + LITTLE,
                    note=note,
                )


def bodies(tools: Sequence[Adapter], seconds: float) -> Iterator[Reading]:
    """Answers, errors and bytes where the body has a length, is chunked, or ends by closing."""
    script = NODE_SIDE / "loadgen" / "calibration-server.mjs"
    recipe = Recipe("node/calibration", (nodes.program(), str(script)), "node", {}, (script,))
    with recipe.start() as running:
        for framing in FRAMINGS:
            # closing: ab asks in HTTP/1.0 and waits for a close unless keep-alive is promised
            path = f"?delay_ms=1&bytes={BODY_BYTES}&mode=close&framing={framing}"
            url = root(running.url) + path
            on_the_wire = answer_bytes(url)
            for tool in tools:
                spec = ToolSpec(url, 2, seconds, timeout_s=3)
                if tool.counts:
                    spec = replace(spec, seconds=None, requests=ASKED)
                yield from counted(tool.name, framing, on_the_wire, spec, run(tool, spec))


def counted(
    tool: str, framing: str, on_the_wire: int, spec: ToolSpec, tried: Tried
) -> Iterator[Reading]:
    """The counts of a tool for answers whose number and size are known."""
    result, note = tried
    if result is None:
        yield Reading(tool, framing, "answers", "", ASKED, None, None, ASKED, ASKED, note)
        return
    answers = result.trusted.n or 0
    if spec.requests is not None:
        yield Reading(tool, framing, "answers", "", ASKED, result.said.n, answers, ASKED, ASKED)
    if (errors := result.counts.get("errors")) is not None:
        share = whole(sum(errors.values()) / max(answers, 1))
        yield Reading(tool, framing, "errors", "per answer", 0, None, share, 0, 0)
    for name, truth in (("bytes_in", on_the_wire), ("body_bytes_in", BODY_BYTES)):
        if (got := result.counts.get(name)) is not None:
            each = whole(got / max(answers, 1))
            unit = "per answer" if name == "bytes_in" else "of body per answer"
            # after a number of requests no answer is under way; after a time some are half read
            high = truth if spec.requests is not None else truth * 1.02
            yield Reading(tool, framing, "bytes", unit, truth, None, each, truth, high)
            return


def ceiling(tools: Sequence[Adapter], seconds: float) -> Iterator[Reading]:
    """Requests per second against a server that does nothing, each with a core of its own."""
    cores = cpu_set()
    ours, theirs = ((cores[1],), (cores[0],)) if len(cores) > 1 else (None, None)
    with server("node/null").start(cpus=theirs) as running:
        for tool in tools:
            result, note = run(
                tool, ToolSpec(root(running.url), 10, seconds, timeout_s=3, cpus=ours)
            )
            said = result.said.throughput_per_s if result else None
            trusted = result.trusted.throughput_per_s if result else None
            yield Reading(tool.name, "ceiling", "throughput", "1/s", None, said, trusted, note=note)


def run(tool: Adapter, spec: ToolSpec) -> Tried:
    """(result, ""), or (None, the first line of why the tool gave up)."""
    try:
        return tool.run(spec), ""
    except AdapterError as error:
        return None, str(error).splitlines()[0].removesuffix(" It printed:")


def answer_bytes(url: str) -> int:
    """Bytes of one whole answer on the wire, head included: what a socket gets until it closes."""
    parts = urlsplit(url)
    with socket.create_connection((parts.hostname or "", parts.port or 80), timeout=5) as plain:
        plain.sendall(f"GET {parts.path}?{parts.query} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        got = 0
        while chunk := plain.recv(65536):
            got += len(chunk)
    return got


def root(url: str) -> str:
    """The url with exactly one slash at its end."""
    return url.rstrip("/") + "/"


def in_ms(us: float | None) -> float | None:
    """Microseconds as milliseconds."""
    return None if us is None else us / 1e3


if __name__ == "__main__":
    print(calibrate())

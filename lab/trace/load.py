"""A server that is traced gets its requests from the course's load generator."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from typing import Any

from lab.errors import LabError
from lab.measure.generator import Generator
from lab.measure.plan import OPTIONS, plan
from lab.records.load import BadLoad, known_options

# Options about the time, the place and the company of a measurement: a trace measures nothing.
_NOT_HERE = ("alongside", "pin", "tolerate", "warmup")


def driver(**options: Any) -> Callable[[str], object]:
    """A function that sends the requests asked for to a URL, and returns when all are answered.

    options : those of lab.load that say what to send, with `requests` or `rounds`, a fixed number.
    Raises BadLoad for others, LabError without a number; the function raises LabError when a
    request fails.
    """
    for name in _NOT_HERE:
        if name in options:
            raise BadLoad(
                f"drive: {name}= has no meaning here, because a trace measures nothing. Remove it"
            )
    known_options("drive: ", options, [name for name in OPTIONS if name not in _NOT_HERE])
    request_plan = plan(**options)
    if request_plan.main.requests is None:
        raise LabError(
            "drive needs a fixed number of requests, because otherwise the trace has no end. "
            'Give, for example, drive={"connections": 2, "requests": 6}.'
        )

    def send(url: str) -> None:
        with Generator() as generator, tempfile.TemporaryDirectory(prefix="lab-trace-") as folder:
            generator.send(request_plan.spec(url, folder))
            counts = None
            for event in generator.events(request_plan.measure_s):
                if event["event"] == "result":
                    counts = event["streams"][0]["counts"]
        if counts is None or counts["ok"] != request_plan.main.requests:
            raise LabError(f"The requests of drive= were not all answered: {counts}")

    return send

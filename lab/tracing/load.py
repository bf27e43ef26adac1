"""A server that is traced gets its requests from the course's load generator."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from typing import Any

from lab.errors import LabError
from lab.generator import Generator
from lab.plan import plan, stream_json


def driver(**options: Any) -> Callable[[str], object]:
    """A function that sends the requests asked for to a URL, and returns when all are answered.

    options : those of lab.load with `requests`, a fixed number. Raises BadLoad for others, LabError
    without `requests`; the function raises LabError when a request fails.
    """
    asked = plan(**options)
    if asked.main.requests is None:
        raise LabError(
            "drive needs a fixed number of requests, or the trace has no end: "
            'drive={"connections": 2, "requests": 6}.'
        )

    def send(url: str) -> None:
        with Generator() as generator, tempfile.TemporaryDirectory(prefix="lab-trace-") as folder:
            stream = stream_json("main", asked.main, url.rstrip("/"), None)
            times = {"warmup_s": 0, "measure_s": asked.measure_s, "raw_dir": folder}
            generator.send({"streams": [stream], **times})
            for event in generator.events(asked.measure_s):
                counts = event["streams"][0]["counts"] if event["event"] == "result" else None
        if counts is None or counts["ok"] != asked.main.requests:
            raise LabError(f"The requests of drive= were not all answered: {counts}")

    return send

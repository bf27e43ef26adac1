"""A kernel with a person in front of it, for tests."""

from __future__ import annotations

import time

import psutil

SECONDS = 300


class Live:
    """A kernel with a person in front of it."""

    def __init__(self, manager):
        self.manager = manager
        self.client = manager.client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=SECONDS)

    def send(self, code, **options):
        return self.client.execute(code, **options)

    def outputs(self, request, seconds=SECONDS):
        """Messages of a request until its cell is idle, in order."""
        contents = []
        end = time.monotonic() + seconds
        while True:
            message = self.client.get_iopub_msg(timeout=max(0.01, end - time.monotonic()))
            if message["parent_header"].get("msg_id") != request:
                continue
            if message["msg_type"] == "status" and message["content"]["execution_state"] == "idle":
                return contents
            if message["msg_type"] not in ("status", "execute_input"):
                contents.append((message["msg_type"], message["content"]))

    def wait_for(self, request, text, seconds=SECONDS):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            message = self.client.get_iopub_msg(timeout=max(0.01, end - time.monotonic()))
            if message["parent_header"].get("msg_id") == request and text in str(
                message["content"]
            ):
                return
        raise AssertionError(f"{text!r} did not come")

    def run(self, code):
        return self.outputs(self.send(code))

    def processes(self):
        kernel = psutil.Process(self.manager.provisioner.pid)
        return [kernel, *kernel.children(recursive=True)]


def gone(processes, seconds=60):
    _, alive = psutil.wait_procs(processes, timeout=seconds)
    return [p for p in alive if p.status() != psutil.STATUS_ZOMBIE]

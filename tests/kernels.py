"""Kernels for tests: the course's own two, registered in a folder of the test run."""

from __future__ import annotations

import os
import time
from contextlib import contextmanager

import psutil
import pytest
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import KernelManager

from lab import kernelspec

SECONDS = 20


@pytest.fixture(scope="session")
def specs(tmp_path_factory):
    prefix = tmp_path_factory.mktemp("prefix")
    kernelspec.install(str(prefix), node=os.environ.get("LAB_NODE"))
    return KernelSpecManager(
        kernel_dirs=[str(prefix / "share/jupyter/kernels")], ensure_native_kernel=False
    )


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
        found = []
        end = time.monotonic() + seconds
        while True:
            message = self.client.get_iopub_msg(timeout=max(0.01, end - time.monotonic()))
            if message["parent_header"].get("msg_id") != request:
                continue
            if message["msg_type"] == "status" and message["content"]["execution_state"] == "idle":
                return found
            if message["msg_type"] not in ("status", "execute_input"):
                found.append((message["msg_type"], message["content"]))

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


@pytest.fixture
def live(specs):
    @contextmanager
    def start(kernel="javascript", **options):
        manager = KernelManager(kernel_name=kernel, kernel_spec_manager=specs)
        manager.start_kernel(**options)
        session = None
        try:
            session = Live(manager)
            yield session
        finally:
            if session:
                session.client.stop_channels()
            manager.shutdown_kernel(now=True)

    return start


def gone(processes, seconds=5):
    _, alive = psutil.wait_procs(processes, timeout=seconds)
    return [p for p in alive if p.status() != psutil.STATUS_ZOMBIE]

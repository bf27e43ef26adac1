"""Fixtures: the course's own two kernels, registered in a folder of the test run."""

from __future__ import annotations

import os
from contextlib import contextmanager

import pytest
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import KernelManager
from kernel_client import Live

from lab.kernels import kernelspec
from lab.kernels.own_address import own_address


@pytest.fixture(scope="session")
def specs(tmp_path_factory):
    prefix = tmp_path_factory.mktemp("prefix")
    kernelspec.install(str(prefix), node=os.environ.get("LAB_NODE"))
    return KernelSpecManager(
        kernel_dirs=[str(prefix / "share/jupyter/kernels")], ensure_native_kernel=False
    )


@pytest.fixture
def live(specs):
    @contextmanager
    def start(kernel="javascript", **options):
        manager = KernelManager(kernel_name=kernel, kernel_spec_manager=specs, ip=own_address())
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

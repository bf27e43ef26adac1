"""Kernels listen where no other process looks for a free port."""

import os
import subprocess
import sys

import psutil
from support import linux

from lab import paths
from lab.kernels.own_address import USUAL, own_address

pytest_plugins = ["kernel_fixtures"]


@linux
def test_a_kernel_listens_on_the_address_of_the_process_that_started_it(live):
    with live() as session:
        kernel, *_ = session.processes()
        listening = {
            one.laddr.ip
            for one in kernel.net_connections("tcp")
            if one.status == psutil.CONN_LISTEN
        }
    assert listening == {own_address()}
    assert USUAL not in listening


@linux
def test_each_process_has_an_address_of_its_own():
    ask = "from lab.kernels.own_address import own_address; print(own_address())"
    addresses = {
        subprocess.run(
            [sys.executable, "-c", ask], cwd=paths.ROOT, capture_output=True, text=True, check=True
        ).stdout.strip()
        for _ in range(2)
    }
    assert len({*addresses, own_address(), USUAL}) == 4, os.getpid()

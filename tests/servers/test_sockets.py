"""Who listens on a port: what the kernel answers, and its table where it answers nothing."""

import contextlib
import os
import socket

import pytest
from support import linux

from lab.servers import sockets

pytestmark = linux


@pytest.fixture
def ends():
    """Sockets that listen, of every kind, and three connections that the first has not accepted."""
    with contextlib.ExitStack() as open_ones:

        def listening(family, host, mapped=False):
            end = open_ones.enter_context(socket.socket(family))
            if mapped:
                end.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
            end.bind((host, 0))
            end.listen(5)
            return end

        ends = [
            listening(socket.AF_INET, "127.0.0.1"),
            listening(socket.AF_INET6, "::1"),
            listening(socket.AF_INET6, "::ffff:127.0.0.1", mapped=True),
        ]
        for _ in range(3):
            open_ones.enter_context(socket.create_connection(ends[0].getsockname()))
        yield ends


def port(end):
    return end.getsockname()[1]


@pytest.mark.parametrize("is_answered", [True, False])
def test_each_socket_that_listens_has_its_address_its_owner_and_its_queue(
    ends, is_answered, monkeypatch
):
    if not is_answered:

        def refused(family):
            raise PermissionError(family)

        monkeypatch.setattr(sockets, "_diagnosed", refused)
    for end, address in zip(ends, ["127.0.0.1", "::1", "127.0.0.1"], strict=True):
        (listener,) = sockets.listeners(port(end))
        assert (listener.address, listener.port) == (address, port(end))
        assert sockets.owned_by(listener, [os.getpid()])
        assert not sockets.owned_by(listener, [os.getppid()])
    assert [sockets.unaccepted(port(end)) for end in ends] == [3, 0, 0]
    free = sockets.free_port()
    assert (sockets.listeners(free), sockets.unaccepted(free)) == ([], 0)


def test_the_kernel_answers_what_its_table_has(ends):
    ports = {port(end) for end in ends}
    for table, family in (("tcp", socket.AF_INET), ("tcp6", socket.AF_INET6)):
        lists = (sockets._diagnosed(family), sockets._tabled(table))
        answered, written = (
            [one for one in sorted(told, key=repr) if one.port in ports] for told in lists
        )
        assert answered == written != []

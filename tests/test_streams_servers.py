"""The servers and programs of the part on streams do what its pages say of them."""

import socket
import sys

import pytest

import lab
from lab import paths
from lab.node_program import node

STREAMS = paths.ROOT / "book/streams"
linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc or /dev/full")


def rows(program, *arguments, server=None, **env):
    recipe = lab.server(server, env=env) if server else None
    return node(STREAMS / program, *arguments, server=recipe, timeout_s=50).rows


def test_a_shutdown_that_drains_loses_no_request():
    assert [row["lost"] for row in rows("shutdowns.mjs", "drain", 5)] == [0] * 5


def test_a_shutdown_that_exits_loses_what_was_under_way():
    assert all(row["lost"] > 0 for row in rows("shutdowns.mjs", "exit", 2))


def test_the_repl_has_a_socket_that_only_its_owner_reaches_and_shows_what_is():
    seen = rows("inspect.mjs", server="node/two-servers")
    assert seen[0]["mode"] == "600"
    (end,) = [row for row in seen if row["kind"] == "end"]
    assert end["requests"] == end["answered"] > 0


def test_the_tcp_side_counts_connections_and_not_requests():
    counted = [row["connections"] for row in rows("five-requests.mjs", server="node/two-servers")]
    assert counted[:4] == [1, 5, 1, 5]


def test_late_clients_are_sent_away_with_408():
    env = {"HEADERS_MS": 300, "REQUEST_MS": 400, "IDLE_MS": 100, "EVERY_MS": 50}
    closed = rows("slow-clients.mjs", 5, server="node/patience", **env)[1:]
    statuses = {row["kind"]: row["status"] for row in closed}
    assert statuses.pop("silent after an answer") == "HTTP/1.1 200 OK"
    assert set(statuses.values()) == {"HTTP/1.1 408 Request Timeout"}


@pytest.mark.parametrize("what", ["break", "leave"])
def test_failed_requests_leave_files_open_with_pipe_and_none_with_pipeline(what):
    file = {"FILE": "{file:8388608}"}
    left = {
        how: rows("failing-requests.mjs", what, 20, server="node/fail-half", HOW=how, **file)[-1]
        for how in ("pipe", "pipeline")
    }
    assert left["pipe"]["left_open"] > 10
    assert left["pipeline"]["left_open"] == 0


def test_every_range_has_exactly_its_bytes():
    assert all(row["right"] for row in rows("ranges.mjs", server="node/send-file"))


@pytest.mark.parametrize("how", ["stream", "collect"])
def test_an_upload_has_the_hash_of_what_was_sent(how):
    assert rows("send-movie.mjs", 4, server="node/upload", HOW=how)[-1]["same"]


@linux
def test_a_full_disk_is_an_answer_that_says_so():
    done = rows("send-movie.mjs", 16, server="node/upload", TO="/dev/full")[-1]
    assert done["status"] == 507
    assert "the disk is full" in done["text"]


@pytest.mark.parametrize("way", ["pump", "pipe", "pipeline", "for-await"])
def test_a_queue_holds_at_most_the_mark_and_one_chunk(way):
    looks = rows("slow-reader.mjs", way, 60, server="node/pump", MIB=12)
    assert max(row["queued"] for row in looks) <= (16384 + 65536) / 2**20


def test_without_backpressure_the_queue_grows():
    looks = rows("slow-reader.mjs", "ignore", 10, server="node/pump", MIB=24)
    assert max(row["queued"] for row in looks) > 5


def test_a_pump_survives_a_reader_that_leaves():
    with lab.server("node/pump", env={"MIB": 50}).start() as running:
        for way in ("pump", "pipe", "pipeline", "for-await"):
            with socket.create_connection(("127.0.0.1", running.port)) as reader:
                reader.sendall(f"GET /{way} HTTP/1.1\r\nhost: me\r\n\r\n".encode())
                reader.recv(1000)
        assert running.get().status == 200

"""The servers and programs of the parts on buffers and streams do what their pages say of them."""

import hashlib
import json
import os
import socket
import subprocess
import sys
import urllib.request
from concurrent.futures import ThreadPoolExecutor

import pytest
from support import linux

import lab
from lab import paths
from lab.measure.program import node

pytestmark = pytest.mark.starts

STREAMS = paths.ROOT / "book/streams"
FRONT = "servers/system/nginx-front.mjs"
UPLOADS = "uploads-and-child-processes"
MOVIE = f"{UPLOADS}/send-movie.mjs"
TODAY = "backpressure-today"
WEIGHT = "web-streams-by-weight"


@pytest.fixture(autouse=True)
def a_slow_machine_may_take_longer(monkeypatch):
    monkeypatch.setattr(sys.modules["lab.measure.program"], "LONGEST_S", 600.0)


def rows(program, *arguments, server=None, **env):
    recipe = lab.server(server, env=env) if server else None
    return node(STREAMS / program, *arguments, server=recipe, timeout_s=600).rows


def test_a_shutdown_that_drains_loses_no_request():
    assert [row["lost"] for row in rows("sockets-and-servers/shutdowns.mjs", "drain", 5)] == [0] * 5


def test_a_shutdown_that_exits_loses_what_was_under_way():
    assert all(row["lost"] > 0 for row in rows("sockets-and-servers/shutdowns.mjs", "exit", 2))


def test_the_repl_has_a_socket_that_only_its_owner_reaches_and_shows_what_is():
    seen = rows("sockets-and-servers/inspect.mjs", server="node/two-servers")
    assert seen[0]["mode"] == "600"
    (end,) = [row for row in seen if row["kind"] == "end"]
    assert end["requests"] == end["answered"] > 0


def test_the_tcp_side_counts_connections_and_not_requests():
    counted = [
        row["connections"]
        for row in rows("sockets-and-servers/five-requests.mjs", server="node/two-servers")
    ]
    assert counted[:4] == [1, 5, 1, 5]


def test_late_clients_are_sent_away_with_408():
    env = {"HEADERS_MS": 300, "REQUEST_MS": 400, "IDLE_MS": 100, "EVERY_MS": 50}
    closed = rows("sockets-and-servers/slow-clients.mjs", 5, server="node/patience", **env)[1:]
    statuses = {row["kind"]: row["status"] for row in closed}
    assert statuses.pop("silent after an answer") == "HTTP/1.1 200 OK"
    assert set(statuses.values()) == {"HTTP/1.1 408 Request Timeout"}


@pytest.mark.parametrize("what", ["break", "leave"])
def test_failed_requests_leave_files_open_with_pipe_and_none_with_pipeline(what):
    file = {"FILE": "{file:8388608}"}
    counts = {
        how: rows(
            "pipelines-that-fail/failing-requests.mjs",
            what,
            20,
            server="node/fail-half",
            HOW=how,
            **file,
        )[-1]
        for how in ("pipe", "pipeline")
    }
    assert counts["pipe"]["left_open"] > 10
    assert counts["pipeline"]["left_open"] == 0


@linux
def test_a_server_that_leaks_refuses_when_its_descriptors_are_gone():
    ends = [rows("pipelines-that-fail/until-it-breaks.mjs", "pipe", 64)[0] for _ in range(3)]
    assert all(pipe["served"] < 64 for pipe in ends)
    # Whether the last descriptor went to a connection or to a file is a matter of who came first.
    refused = {pipe["then it said"] for pipe in ends} - {"nothing"}
    assert refused
    assert all(said.startswith("503") and "EMFILE" in said for said in refused)
    (pipeline,) = rows("pipelines-that-fail/until-it-breaks.mjs", "pipeline", 64)
    assert (pipeline["served"], pipeline["then it said"]) == (200, "")


def test_every_range_has_exactly_its_bytes():
    assert all(row["right"] for row in rows("files-over-http/ranges.mjs", server="node/send-file"))


@pytest.mark.parametrize("how", ["stream", "collect"])
def test_an_upload_has_the_hash_of_what_was_sent(how):
    assert rows(MOVIE, 4, server="node/upload", HOW=how)[-1]["same"]


def test_two_uploads_at_a_time_have_a_file_each():
    movies = [bytes([i]) * 8 * 2**20 for i in (1, 2)]
    with lab.server("node/upload").start() as running:

        def upload(movie):
            with urllib.request.urlopen(running.url, data=movie, timeout=300) as answer:
                return [json.loads(line) for line in answer]

        with ThreadPoolExecutor() as pool:
            said = list(pool.map(upload, movies))
    for movie, (came, file) in zip(movies, said, strict=True):
        sent = hashlib.sha256(movie).hexdigest()
        assert came["sha256"] == sent and file["read_back"] == sent


@linux
def test_a_full_disk_is_an_answer_that_says_so():
    done = rows(MOVIE, 16, server="node/upload", TO="/dev/full")[-1]
    assert done["status"] == 507
    assert "the disk is full" in done["text"]


def test_of_half_an_upload_only_pipeline_says_that_it_is_half():
    left = {row["how"]: row for row in rows(f"{UPLOADS}/leave-early.mjs")}
    heard = {how: row["the server hears"] for how, row in left.items()}
    assert heard == {"pipe": "nothing", "data, then close": "whole", "pipeline": "ECONNRESET"}
    assert [row["in the file (MiB)"] for row in left.values()] == [8, 8, 8]
    assert [how for how, row in left.items() if row["open"]] == ["pipe"]


def test_a_child_that_must_see_the_end_takes_everything_first():
    (cat,), (sort,) = (rows(f"{UPLOADS}/through-another.mjs", name) for name in ("cat", "sort"))
    assert cat["inBeforeOut"] < cat["goneIn"] / 4
    assert sort["inBeforeOut"] == sort["goneIn"] == sort["comeOut"] == cat["comeOut"]


def test_a_child_that_leaves_early_ends_its_input_with_an_error():
    (head,) = rows(f"{UPLOADS}/through-another.mjs", "head", "-n", "1")
    assert head["ended"] == "EPIPE"
    assert head["comeOut"] < 100


@pytest.mark.parametrize("way", ["pump", "pipe", "pipeline", "for-await"])
def test_a_queue_holds_at_most_the_mark_and_one_chunk(way):
    looks = rows("flow-and-backpressure/slow-reader.mjs", way, 60, server="node/pump", MIB=12)
    assert max(row["queued"] for row in looks) <= (16384 + 65536) / 2**20


def test_without_backpressure_the_queue_grows():
    looks = rows("flow-and-backpressure/slow-reader.mjs", "ignore", 10, server="node/pump", MIB=24)
    assert max(row["queued"] for row in looks) > 5


def test_a_fetch_that_is_not_read_on_stops_its_server_and_a_clone_holds_what_was_read():
    row_of = {
        row["way"]: row for row in rows(f"{TODAY}/fetch-slowly.mjs", server="node/pump", MIB=64)
    }
    assert row_of["one chunk"]["sent"] < 32 and row_of["one chunk"]["here"] < 2
    half, cloned = row_of["half of it"], row_of["half of it, beside a clone"]
    assert half["here"] < 2 and half["read"] <= half["sent"] < 60
    assert cloned["read"] <= cloned["here"] + 1 < cloned["read"] + 8
    whole = row_of["await arrayBuffer()"]
    assert whole["read"] == whole["sent"] == 64


def test_most_ways_to_join_two_ends_wait_and_three_hold_all():
    pages_of = {row["way"]: row["made"] for row in rows(f"{TODAY}/who-waits.mjs")}
    for way in ("pipeTo Writable.toWeb()", "pipeThrough a CompressionStream"):
        del pages_of[way]  # it depends on the Node
    assert {way for way, chunks in pages_of.items() if chunks == 1000} == {
        "for await, of what start() enqueued",
        "one branch of tee(), the other is read",
        "for await, of on(readable, 'data')",
    }
    assert sum(10 <= chunks < 50 for chunks in pages_of.values()) == 6


@pytest.mark.parametrize(("mark", "chunks", "in_bytes"), [(1, 1, 1), (16, 16, 1), (2**20, 991, 16)])
def test_a_mark_without_a_size_counts_chunks(mark, chunks, in_bytes):
    assert [row["held"] for row in rows(f"{TODAY}/writers.mjs", mark)] == [chunks, in_bytes]


def test_nothing_reads_frames_but_a_parser():
    with lab.server("node/frames").start() as running:
        with socket.create_connection(("127.0.0.1", running.port), 300) as client:
            head = "GET /nothing HTTP/1.1\r\nhost: me\r\nconnection: upgrade\r\nupgrade: frames"
            client.sendall(f"{head}\r\n\r\n".encode())
            assert client.recv(1000).startswith(b"HTTP/1.1 404")
        assert running.get().status == 200


def test_a_limit_that_is_no_number_is_refused():
    program = str(paths.SERVERS / "node/frames.mjs")
    env = {**os.environ, "LIMIT": "abc"}
    done = subprocess.run(
        ["node", program], env=env, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode != 0
    assert "LIMIT=abc" in done.stderr


@pytest.mark.skipif(bool(lab.server("system/nginx-body").missing()), reason="nginx is not here")
def test_nginx_sends_a_file_whose_path_has_blanks_and_signs(tmp_path):
    file = tmp_path / 'a "b" $uri;' / "c d.txt"
    file.parent.mkdir()
    file.write_text("here\n")
    with lab.server("system/nginx-body", env={"FILE": str(file)}).start() as running:
        assert running.get().text == "here\n"


@pytest.mark.parametrize(
    "command", [[sys.executable, "servers/system/nginx_body.py"], ["node", FRONT]]
)
def test_without_its_nginx_a_server_says_why_and_leaves_nothing(command, tmp_path):
    nginx = tmp_path / "bin/nginx"
    nginx.parent.mkdir()
    nginx.write_text("#!/bin/sh\nexit 3\n")
    nginx.chmod(0o755)
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    path = f"{nginx.parent}{os.pathsep}{os.environ['PATH']}"
    env = {**os.environ, "FILE": __file__, "PATH": path, "TMPDIR": str(temporary)}
    # A pump that was left would hold the standard error that is waited for here.
    done = subprocess.run(
        command, cwd=paths.ROOT, env=env, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 1
    assert "listening" not in done.stdout
    assert list(temporary.iterdir()) == []


def test_a_pump_survives_a_reader_that_leaves():
    with lab.server("node/pump", env={"MIB": 50}).start() as running:
        for way in ("pump", "pipe", "pipeline", "for-await"):
            with socket.create_connection(("127.0.0.1", running.port)) as reader:
                reader.sendall(f"GET /{way} HTTP/1.1\r\nhost: me\r\n\r\n".encode())
                reader.recv(1000)
        assert running.get().status == 200


def bomb(parser, **env):
    rows_printed = node(
        paths.ROOT / "book/buffers/parsing-bytes/memory-bomb.mjs",
        parser,
        server=lab.server("node/frames", env=env),
    ).rows
    return rows_printed[:-1], rows_printed[-1]


@linux
def test_room_is_made_for_what_was_announced_and_is_in_memory_when_it_is_filled():
    looks, end = bomb("make-room")
    assert end["taken (MiB)"] == 320 and end["refused"] == 0
    silent = [look["resident"] for look in looks if look["after"] == "announced"]
    assert max(silent) < 40
    assert looks[-1]["resident"] > 1.5 * max(20, *silent)


def test_a_limit_refuses_what_was_announced_before_it_comes():
    looks, end = bomb("list")
    assert end["refused"] == 8
    assert max(look["taken"] for look in looks) < 10


def test_without_a_limit_a_list_keeps_what_comes():
    looks, end = bomb("list", LIMIT=2**32)
    assert end["refused"] == 0 and end["taken (MiB)"] < 10
    assert looks[-1]["taken"] > 30


def test_the_cost_of_a_response_is_told_for_each_way_and_round():
    ways = ["string", "string (two-byte)", "headers first (two-byte)", "Buffer"]
    program = paths.ROOT / "book/buffers/the-response-size-experiment/cost-per-response.mjs"
    rows = node(program, 65536, ",".join(ways), 2, timeout_s=600).rows
    assert [row["way"] for row in rows] == ways + ways[::-1]
    assert all(row["cpu_us"] > 0 and row["page_faults"] >= 0 for row in rows)


def test_with_too_few_descriptors_a_program_says_how_many_it_needs():
    asks = 'ulimit -Sn 200; ulimit -Hn 200; exec node "$0" 500'
    program = str(STREAMS / "sockets-and-servers/slow-clients.mjs")
    process = subprocess.run(
        ["sh", "-c", asks, program], capture_output=True, text=True, timeout=300, check=False
    )
    assert process.returncode == 1
    assert "600 open files and sockets are needed, 200 are allowed" in process.stderr
    assert "ulimit -n 600" in process.stderr


@pytest.mark.alone  # its program looks at the ends after some milliseconds
def test_a_broken_step_leaves_its_neighbours_open():
    program = str(STREAMS / "pipelines-that-fail/broken-chain.cjs")
    done = subprocess.run(
        ["node", program], capture_output=True, text=True, timeout=300, check=True
    )
    said = done.stdout.splitlines()
    assert said[-1] == "source still open, sink still open"
    assert said.index("the source is taken off the step") < said.index("the step: broken")
    assert "the sink gets chunk 2" not in said


def test_a_chain_of_web_streams_holds_three_chunks_of_any_size():
    seen = rows(f"{WEIGHT}/held.mjs")
    assert {row["made"] for row in seen if row["streams"] == "Web Streams"} == {3}
    small, *_, large = [row["made"] for row in seen if row["streams"] == "node:stream"]
    assert small > 20 * large


@pytest.mark.parametrize("how", ["pipeline", "pipeThrough"])
def test_all_chunks_go_through_both_kinds_of_streams(how):
    with lab.server("node/streams-weight", env={"HOW": how}).start() as server:
        assert urllib.request.urlopen(server.url).read() == b"2048000\n"

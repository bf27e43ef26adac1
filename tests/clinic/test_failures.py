"""A verdict is never green over a failure: what fails under load, or is kept after it, comes first;
and how requests and commands are read.
"""

import argparse
import contextlib
import dataclasses
import http.server
import os
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest

from lab.clinic import commands, examining, illnesses, report, signs
from lab.clinic.examination import diagnosed
from lab.clinic.loading import Phase, Request, next_step
from lab.clinic.observation import Observed
from lab.clinic.profile import Place, by_line
from lab.errors import LabError

CALM = Phase(
    name="many",
    connections=16,
    rate_per_s=None,
    from_ms=0.0,
    to_ms=2000.0,
    throughput=1000.0,
    answers=2000,
    failed=0,
    kinds={},
    waiting=16,  # in a closed loop each client always waits for one response
    dropped=0,
    mean_s=0.016,
    p50_s=0.016,
    p90_s=0.02,
    p99_s=0.03,
    in_flight=16.0,
    client_elu=0.2,
    connects=0,
    silent_s=0.002,
)
ALONE = dataclasses.replace(CALM, name="one", connections=1, mean_s=0.001, waiting=1)


def seen(*phases, **more):
    named = {phase.name: phase for phase in (ALONE, *phases)}
    return Observed("app", "http://127.0.0.1:1", "/", answer_status=200, phases=named, **more)


def names(observed):
    return [f.illness.name for f in diagnosed(observed).diagnosis.findings]


def test_a_load_that_is_answered_to_its_end_is_well():
    assert names(seen(CALM)) == []
    assert "nothing found" in report.page(diagnosed(seen(CALM)))


def test_a_program_that_stops_answering_is_named_first_with_when_it_stopped():
    stuck = dataclasses.replace(CALM, answers=484, throughput=242, silent_s=1.8, before=16)
    other = dataclasses.replace(CALM, name="look", kinds={"status 500": 40}, failed=40)
    found = diagnosed(seen(stuck, other))
    assert found.first == "stops answering"
    assert "16 of 16 clients waited" in repr(found)
    assert f"After {2000 + 500:,} responses" in repr(found)
    page = report.page(found)
    assert 'class="lab-box lab-fail"' in page and 'class="lab-box lab-ok"' not in page


@pytest.mark.parametrize(
    ("alone_s", "silent_s"),
    [
        (0.001, 0.9),  # a pause of the garbage collector, of a disk
        (0.1, 1.9),  # sixteen requests that are all computed before the first is answered
        (3.0, 2.0),  # the next response is not due yet
    ],
)
def test_a_slow_program_has_not_stopped(alone_s, silent_s):
    alone = dataclasses.replace(ALONE, mean_s=alone_s)
    assert names(seen(alone, dataclasses.replace(CALM, silent_s=silent_s))) == []


def test_a_silence_after_which_a_request_alone_is_answered_counts_from_the_second_on():
    stuck = dataclasses.replace(CALM, silent_s=1.9)
    second_look = dataclasses.replace(stuck, name="look")
    assert names(seen(stuck, recovered=["many"])) == []
    assert names(seen(stuck, recovered=[])) == ["stops answering"]
    twice = diagnosed(seen(stuck, second_look, recovered=["many", "look"]))
    assert twice.first == "stops answering"
    assert "a single request got a response again" in repr(twice)
    last = diagnosed(seen(stuck, second_look, recovered=["many"]))
    assert "got a response again" not in repr(last)


def test_memory_that_belongs_to_open_descriptors_comes_after_them():
    examination = diagnosed(kept((1e7, 0, 20), (1.1e7, 0, 420), (1.2e7, 0, 820)))
    assert [f.illness.name for f in examination.diagnosis.findings] == [
        "descriptors left open",
        "memory leak",
    ]
    examination = diagnosed(kept((1e7, 0, 20), (1e8, 0, 30), (2e8, 0, 40)))
    assert examination.first == "memory leak"


def test_requests_that_fail_are_told_by_kind_and_a_refusal_is_named_as_one():
    limited = dataclasses.replace(CALM, answers=100, failed=2900, kinds={"status 429": 2900})
    found = diagnosed(seen(limited))
    assert found.first == "failing requests"
    assert "2,900 × status 429" in repr(found)
    assert "So the load measured the refusals." in repr(found)
    some = dataclasses.replace(CALM, failed=60, kinds={"status 500": 50, "reset": 10})
    assert "60 of 4,060 requests failed" in repr(diagnosed(seen(some)))


def test_a_refusal_above_its_capacity_is_no_failure_and_neither_is_one_request_of_thousands():
    above = dataclasses.replace(
        CALM, name="above", rate_per_s=1250.0, failed=500, kinds={"status 503": 500}
    )
    once = dataclasses.replace(CALM, failed=1, kinds={"reset": 1})
    assert names(seen(once, above)) == []


def test_arrivals_at_half_of_its_most_that_pile_up_are_told():
    below = dataclasses.replace(
        CALM, name="below", rate_per_s=500.0, connections=64, answers=300, waiting=64
    )
    assert names(seen(CALM, below)) == ["falls behind"]
    assert names(seen(CALM, dataclasses.replace(below, answers=950, waiting=2))) == []


STORY = """node app.mjs crashed with 16 clients (exit code 1).
It printed:
  | file:///srv/my%20shop/audit.mjs:10
  |     throw new Error("10 entries are waiting");
  |           ^
  | Error: 10 entries are waiting
  |     at check (/srv/my shop/node_modules/check/index.js:3:1)
  |     at audit (file:///srv/my%20shop/audit.mjs:10:11)
  |     at runNextTicks (node:internal/process/task_queues:60:5)
  | Node.js v24.21.0"""


HANDLED = """node app.mjs crashed with 16 clients (exit code 1).
It printed:
  | Error: no entry
  |     at load (file:///srv/my%20shop/cache.mjs:12:9)"""
OF_NODE = """  | node:events:497
  |       throw er; // Unhandled 'error' event
  |       ^
  | Error: connect ECONNREFUSED 127.0.0.1:5432
  |     at TCPConnectWrap.afterConnect (node:net:1637:16)
  | Node.js v24.21.0"""


@pytest.mark.parametrize(
    ("story", "place"),
    [
        (STORY, "/srv/my shop/audit.mjs:10"),
        (STORY.replace(":10:11)", ")"), "/srv/my shop/audit.mjs:10"),  # a syntax error has no frame
        (
            "node app.mjs ended with 16 clients (killed by signal 9).\nIt printed:\n  | (nothing)",
            "",
        ),
    ],
)
def test_a_program_that_ends_is_told_with_the_line_that_threw(story, place):
    resets = {"ECONNRESET": 11, "ECONNREFUSED": 5}
    many = dataclasses.replace(CALM, kinds=resets, failed=16)
    found = diagnosed(seen(many, died=story))
    assert [finding.illness.name for finding in found.diagnosis.findings] == ["program ended"]
    assert story.partition("\n")[0] in repr(found)
    assert (f"  at {place}\n" in repr(found)) == bool(place)
    assert "How it ended" in report.page(found)
    refused = dataclasses.replace(many, kinds=resets | {"status 500": 40}, failed=56)
    assert names(seen(refused, died=story)) == ["program ended", "failing requests"]


def kept(*marks, **more):
    """Marks of (heap, external, descriptors) before, between and after the two loads."""
    loads = [dataclasses.replace(CALM, name=f"kept-{i}", answers=1000) for i in (1, 2)]
    rows = [
        {"heap": h, "external": e, "rss": 0, "descriptors": d, "kinds": {"socket": d}}
        for h, e, d in marks
    ]
    return seen(CALM, *loads, kept=rows, **more)


def test_files_that_stay_open_are_named():
    marks = [(1e7, 0, n) for n in (20, 45, 70)]
    files = kept(*marks, opened=["/var/log/shop.1.log", "/var/log/shop.2.log"])
    assert "mostly sockets." in repr(diagnosed(files))  # the files are not what is left open
    for mark in files.kept:
        mark["kinds"] = {"file": mark["descriptors"]}
    assert "mostly files, such as /var/log/shop.1.log, /var/log/shop.2.log." in repr(
        diagnosed(files)
    )


def test_memory_that_grows_with_both_loads_is_a_leak_with_the_line_that_keeps_it():
    keeper = {
        "function": "remember",
        "file": "/app.mjs",
        "line": 7,
        "bytes": 9,
        "text": "x.push(y)",
    }
    found = diagnosed(kept((1e7, 0, 20), (3e7, 0, 20), (5e7, 0, 20), keepers=[keeper]))
    assert found.first == "memory leak"
    assert "19.5 KiB for each response" in repr(found)
    assert "/app.mjs:7" in repr(found) and "in the heap" in repr(found)
    assert "/app.mjs:7" in report.page(found)
    outside = diagnosed(kept((1e7, 0, 20), (1e7, 3e7, 20), (1e7, 6e7, 20)))
    assert "outside the heap" in repr(outside)


@pytest.mark.parametrize(
    "marks",
    [
        ((1e7, 0, 20), (5e7, 0, 20), (5.1e7, 0, 20)),  # a cache that is full
        ((1e7, 0, 20), (4e7, 0, 20), (4.8e7, 0, 20)),  # one that levels off
        ((1e7, 0, 20), (1.01e7, 0, 20), (1.02e7, 0, 20)),  # as much as any program moves
        ((5e7, 0, 20), (1e7, 0, 20), (3e7, 0, 20)),  # what was kept is gone
        ((1e7, 0, None), (1e7, 0, None), (1e7, 0, None)),  # no system that tells descriptors
        (),
    ],
)
def test_memory_that_levels_off_is_no_leak(marks):
    assert names(kept(*marks)) == []


def test_descriptors_that_stay_open_are_told_with_their_kind():
    found = diagnosed(kept((1e7, 0, 20), (1e7, 0, 45), (1e7, 0, 70)))
    assert found.first == "descriptors left open"
    assert "25 more were open" in repr(found) and "sockets" in repr(found)
    # A pool of connections is opened once.
    assert names(kept((1e7, 0, 20), (1e7, 0, 45), (1e7, 0, 45))) == []


def test_a_heap_that_is_nearly_full_is_told_and_a_leak_is_what_fills_one():
    def full(share, *heaps):
        found = kept(*((heap, 0, 20) for heap in heaps))
        for mark in found.kept:
            mark["heap_share"] = share
        return diagnosed(found)

    assert full(0.5, 5e7, 5e7, 5e7).first == "nothing found"
    near = full(0.85, 5e7, 5e7, 5e7)
    assert near.first == "heap near its limit" and "85% of the heap's limit" in repr(near)
    assert [f.illness.name for f in full(0.85, 3e7, 4e7, 5e7).diagnosis.findings] == ["memory leak"]


def waiting(each_ms, mean_ms, look=None):
    """Requests that waited for a connection of an agent so long for each of 2,000 responses."""
    rows = [row_of(t, agent_ms=each_ms * 2000 * (t - 100) / 1800) for t in (100, 1000, 1900)]
    many = dataclasses.replace(CALM, mean_s=mean_ms / 1e3)
    looks = [] if look is None else [look]
    return diagnosed(seen(many, rows=rows, looks=looks))


def test_requests_that_wait_for_a_connection_of_an_agent_are_told():
    assert waiting(20, 100).first == "nothing found"  # a fifth of the time of a response
    assert waiting(2, 3).first == "nothing found"  # hardly longer than a timer
    found = waiting(60, 100)
    assert found.first == "too few connections"
    assert "60.0 ms of each response" in repr(found)


def row_of(t_ms, **more):
    gates = {gate: {"waits": [], "pending_ms": 0, "pause_ms": 25} for gate in ("pool", "names")}
    times = dict.fromkeys(("t_ms", "active_ms", "beat_ms"), float(t_ms))
    still = dict.fromkeys(("idle_ms", "silent_ms", "wake_late_ms"), 0.0)
    return {"pid": 7, "rss": 1, "cpu_us": 1, **times, **still, **gates, **more}


def test_what_limits_is_said_whatever_the_verdict():
    rows = [
        {
            "pid": 7,
            "t_ms": float(t),
            "idle_ms": 0.0,
            "active_ms": float(t),
            "beat_ms": float(t),
            "silent_ms": 0.0,
            "rss": 1,
            "cpu_us": 1,
            "wake_late_ms": 0.0,
            **{gate: {"waits": [], "pending_ms": 0, "pause_ms": 25} for gate in ("pool", "names")},
        }
        for t in (100, 1900)
    ]
    busy = diagnosed(seen(CALM, rows=rows))
    assert busy.first == "nothing found"
    assert "The loop is the limit" in repr(busy)
    idle = [{**row, "idle_ms": row["t_ms"] * 0.98} for row in rows]
    assert "The loop is not the limit" in repr(diagnosed(seen(CALM, rows=idle)))


def test_every_limit_of_an_illness_is_a_sign():
    for illness in illnesses.FORMS:
        for limit in illness.limits:
            assert hasattr(signs.Signs(), limit.sign)


# --- requests and commands as people write them


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (b'{"name": "ann"}', "application/json"),
        (b"[1, 2]", "application/json"),
        (b"name=ann&town=a+b%20c", "application/x-www-form-urlencoded"),
        (b"user[name]=ann", "application/x-www-form-urlencoded"),
        (b"hello", "text/plain; charset=utf-8"),
        (b"a = b, and c", "text/plain; charset=utf-8"),
        (b"\xff\xfe", "application/octet-stream"),
    ],
)
def test_a_body_is_sent_as_what_it_looks_like_unless_a_header_says_what_it_is(body, content_type):
    request = Request.of("/", None, {}, body)
    assert request.method == "POST"
    assert request.sent_headers == {"Content-Type": content_type}
    told = Request.of("/", "PUT", {"content-type": "application/x"}, body)
    assert (told.method, told.sent_headers) == ("PUT", {"content-type": "application/x"})


def test_a_body_arrives_whole():
    came = {}

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            came["body"] = self.rfile.read(int(self.headers["Content-Length"]))
            came["type"] = self.headers["Content-Type"]
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_):
            pass

    with http.server.HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.handle_request)
        thread.start()
        text = '{"name": "Zoë"}'
        answer = Request.of("/", None, {}, text).answer(
            f"http://127.0.0.1:{server.server_port}", 5.0
        )
        thread.join(60)
    assert answer.status == 200
    assert came == {"body": text.encode(), "type": "application/json"}


@pytest.mark.parametrize(
    ("words", "settings", "command"),
    [
        (["node", "app.mjs"], {}, ["node", "app.mjs"]),
        (["node app.mjs --port 3"], {}, ["node", "app.mjs", "--port", "3"]),
        (
            ["NODE_ENV=production", "node", "app.mjs"],
            {"NODE_ENV": "production"},
            ["node", "app.mjs"],
        ),
        (["A=1 B='x y' npm start"], {"A": "1", "B": "x y"}, ["npm", "start"]),
        (["A="], {"A": ""}, []),
        (["node", "app.mjs", "A=1"], {}, ["node", "app.mjs", "A=1"]),
    ],
)
def test_a_command_is_read_as_a_shell_reads_it(words, settings, command):
    assert commands.command_line(words) == (settings, command)


def test_an_open_quotation_mark_is_refused():
    with pytest.raises(LabError, match="quotation mark"):
        commands.command_line(["node 'app.mjs"])


def test_a_body_may_come_from_a_file_and_a_missing_one_is_told(tmp_path):
    file = tmp_path / "body.json"
    file.write_bytes(b"{}")
    assert commands._body(f"@{file}") == b"{}"
    assert commands._body("x=1") == b"x=1"
    assert commands._body(None) is None
    with pytest.raises(LabError, match=r"No such file.*--body @FILE"):
        commands._body(f"@{tmp_path}/nothing")


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (302, "--path"),
        (400, "--body"),
        (401, "--header"),
        (404, "--path"),
        (405, "--method"),
        (415, "--body"),
        (422, "--body"),
        (426, "WebSocket"),
        (429, "limiter"),
        (500, "log"),
    ],
)
def test_a_refusal_names_the_next_step(status, words):
    assert words in next_step(status)


def test_what_cannot_be_examined_ends_with_its_own_code(capsys):
    parser = argparse.ArgumentParser()
    commands.examine_arguments(parser)
    assert commands.examine(parser.parse_args([])) == commands.FAILED
    assert commands.examine(parser.parse_args(["--", "node", "no-such.mjs"])) == commands.FAILED
    printed = capsys.readouterr().err
    assert "Name the program to examine" in printed and "no-such.mjs" in printed


def test_places_of_one_line_are_one_place():
    first, second = (Place(name, "/app.mjs", 7, share) for name, share in (("a", 0.3), ("b", 0.25)))
    other = Place("c", "/app.mjs", 8, 0.4)
    assert [(p.line, p.share) for p in by_line([other, first, second])] == [(7, 0.55), (8, 0.4)]


def test_a_command_longer_than_a_file_name_is_a_command():
    words = ["node app.mjs " + "x" * 5000]
    assert commands.command_line(words) == ({}, ["node", "app.mjs", "x" * 5000])


def test_what_is_not_looked_for_is_said_where_nothing_is_found_and_nowhere_else():
    assert illnesses.NOT_EXAMINED in repr(diagnosed(seen(CALM)))
    stuck = dataclasses.replace(CALM, silent_s=1.9)
    assert illnesses.NOT_EXAMINED not in repr(diagnosed(seen(stuck)))


def test_a_silence_in_which_hardly_a_client_waits_is_no_end_of_answering():
    assert names(seen(dataclasses.replace(CALM, silent_s=1.9, waiting=3))) == []
    calm = dataclasses.replace(CALM, name="below", rate_per_s=1.0, silent_s=1.9, waiting=1)
    assert names(seen(CALM, calm)) == []


def test_one_request_that_fails_of_few_may_be_an_accident():
    few = dataclasses.replace(CALM, answers=20, failed=2, kinds={"reset": 2})
    alone = dataclasses.replace(ALONE, answers=20)
    assert names(seen(alone, few)) == []
    assert names(seen(alone, dataclasses.replace(few, failed=3, kinds={"reset": 3}))) == [
        "failing requests"
    ]


def test_what_stops_or_leaks_is_not_told_as_falling_behind_too():
    stuck = dataclasses.replace(CALM, silent_s=1.9)
    below = dataclasses.replace(
        CALM, name="below", rate_per_s=500.0, connections=64, answers=0, waiting=64, silent_s=2.0
    )
    assert names(seen(stuck, below)) == ["stops answering"]


def test_a_failure_comes_before_an_illness_however_clear_that_is():
    some = dataclasses.replace(CALM, failed=60, kinds={"status 500": 60})
    pool = signs.Signs(pool_wait_ms=9000, failed_share=0.015)
    found = illnesses.diagnose(seen(some), pool).findings
    assert [finding.illness.name for finding in found] == ["failing requests", "starved pool"]


def test_arrivals_that_get_no_response_any_more_are_told_though_they_are_few():
    below = dataclasses.replace(
        CALM, name="below", rate_per_s=10.0, connections=64, answers=1, waiting=19, silent_s=1.9
    )
    found = diagnosed(seen(CALM, below))
    assert found.first == "stops answering"
    assert "19 requests waited" in repr(found)


@pytest.mark.parametrize(("answers", "counts"), [((300, 900), 900), ((300, 200), 300)])
def test_what_falls_behind_is_loaded_again_and_the_better_load_counts(monkeypatch, answers, counts):
    """What falls behind by itself does it twice; a machine that was busy may not be so again."""
    observation = seen(CALM)
    loader = examining._Loader(
        observation, Request("/"), None, lambda _: None, pace=examining.Pace(), bridge=None
    )
    answers_left = list(answers)

    def load(name, words, **more):
        observation.phases[name] = dataclasses.replace(
            CALM, name=name, rate_per_s=more["rate"], answers=answers_left.pop(0)
        )
        return observation.phases[name]

    monkeypatch.setattr(loader, "load", load)
    monkeypatch.setattr(Request, "answer", lambda *_: None)
    loader._below(1000.0)
    assert not answers_left
    assert observation.phases["below"].answers == counts


def test_a_short_load_without_any_response_is_silent_as_a_whole():
    short = dataclasses.replace(
        CALM, name="profile", to_ms=400.0, answers=0, throughput=0.0, silent_s=0.4
    )
    assert names(seen(CALM, short)) == ["stops answering"]
    assert names(seen(CALM, short, recovered=["profile"])) == []
    slow = dataclasses.replace(ALONE, mean_s=0.4)  # whose first response is not due yet
    late = dataclasses.replace(seen(CALM, short), phases={"one": slow, "profile": short})
    assert names(late) == []


def test_a_close_look_that_is_too_slow_is_no_stop_where_the_next_load_is_answered():
    look = dataclasses.replace(
        CALM, name="look", connections=4, answers=0, throughput=0.0, silent_s=2.0, waiting=4
    )
    profile = dataclasses.replace(CALM, name="profile")
    assert names(seen(CALM, look, profile)) == []
    nothing = dataclasses.replace(profile, answers=0, throughput=0.0, silent_s=2.0)
    assert names(seen(CALM, look, nothing)) == ["stops answering"]


def test_a_program_that_ended_with_a_full_heap_is_told_so_first():
    story = f"app crashed with 16 clients (killed by signal 6).\n{illnesses.OUT_OF_MEMORY}"
    found_signs = signs.Signs(ended=1, gc_share=0.6, long_share=0.3, longest_ms=20, long_runs=30)
    diagnosis = illnesses.diagnose(seen(CALM, died=story), found_signs)
    assert [f.illness.name for f in diagnosis.findings] == ["heap near its limit", "program ended"]
    assert "its heap was full" in diagnosis.findings[0].illness.means
    other = illnesses.diagnose(seen(CALM, died="app crashed"), found_signs)
    assert [f.illness.name for f in other.findings] == ["program ended", "blocked loop"]


@pytest.mark.parametrize(
    ("most", "words"),
    [
        ("/srv/terms.txt", "Most of them are of /srv/terms.txt."),
        ("sockets", "Most of them are sockets."),
        ("", "the system refuses to open more."),
    ],
)
def test_a_program_without_free_descriptors_is_told_so_before_what_fails_for_that(most, words):
    failed = dataclasses.replace(CALM, kinds={"status 500": 900}, failed=900, answers=100)
    examination = diagnosed(seen(failed, open_share=0.97, open_most=most))
    assert [f.illness.name for f in examination.diagnosis.findings] == [
        "descriptors left open",
        "failing requests",
    ]
    assert "97% of the descriptors that the system allows were open" in repr(examination)
    assert words in report.page(examination)
    assert names(seen(CALM, open_share=0.5)) == []


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="counts descriptors in /proc")
def test_descriptors_are_counted_with_what_most_of_them_are_of(tmp_path):
    observation = seen(CALM)
    hub = SimpleNamespace(since=lambda *_: [{"pid": os.getpid()}, {"pid": 2**22 + 1}])
    examination = SimpleNamespace(seen=observation, hub=hub)
    count_open = examining._Examination._count_open
    count_open(examination)
    few_share = observation.open_share
    file = tmp_path / "open.txt"
    file.touch()
    with contextlib.ExitStack() as stack:
        for _ in range(300):
            stack.enter_context(file.open())
        count_open(examination)
    assert 0 < few_share < observation.open_share < 1
    assert observation.open_most == f"{file}"
    count_open(examination)  # the most that there were
    assert observation.open_most == f"{file}"


def test_what_a_process_did_not_answer_is_a_gap():
    pids = {7, 8, 9}
    observation = SimpleNamespace(serving=frozenset({7, 8}), starved=[], gaps=[])  # 9 is a helper
    examination = SimpleNamespace(seen=observation, hub=SimpleNamespace(pids=pids))

    def note(**event_of):
        answers = [
            {"pid": int(name[1:]), "event": event, "message": "no answer in time"}
            for name, event in event_of.items()
        ]
        examining._Examination._note_gap(
            examination, "The profile", "no line", pids, answers, "profiled"
        )
        told, observation.gaps = observation.gaps, []
        return told

    failure_gaps = ["The profile failed (no answer in time), so no line."]
    silence_gaps = ["The profile failed (no process sent it in time), so no line."]
    partial_gaps = ["The profile failed (1 of 2 processes did not send it in time), so no line."]
    assert note(p7="profiled", p8="profiled") == []
    assert note(p7="profiled", p8="failed") == failure_gaps
    assert note() == silence_gaps
    assert note(p7="starved") == silence_gaps
    assert note(p7="profiled") == partial_gaps
    assert note(p7="profiled", p8="starved") == partial_gaps  # not known as stuck before
    observation.starved = [8]
    assert note(p7="profiled") == []  # that its loop does not turn is a finding
    observation.starved = []
    examination.hub.pids = {7, 9}
    assert note(p7="profiled") == []  # a process that ended is told as such


@pytest.mark.parametrize(
    ("idle_ms", "said"),
    [(1000, "to 1 s"), (5, "to 0.005 s"), (5000, ""), (0, ""), (65_000, "")],
)
def test_a_server_that_closes_kept_connections_early_is_told_what_that_does_to_a_proxy(
    idle_ms, said
):
    sentences = examining._early_closes([{"http": True, "policy": {"keepAliveTimeout": idle_ms}}])
    assert bool(sentences) == bool(said) and said in "".join(sentences)

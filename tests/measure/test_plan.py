"""Loads that can't be what was meant are refused before anything starts; questions have no machine
in them.
"""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import lab
from lab import paths
from lab.errors import LabError
from lab.measure import plan as plans
from lab.measure.plan import plan
from lab.processes.pinning import split
from lab.records import identity
from lab.records import load as loads
from lab.records.load import LOOK_S, MOST_BODY_BYTES, WITHIN, BadLoad, Load, Stream
from lab.servers.catalog import server
from lab.settings import PROFILES


def test_each_option_of_a_load_reaches_its_streams_or_its_plan():
    of_plan = {"seconds", "warmup", "alongside", "pin", "tolerate"}
    assert set(plans.OPTIONS) == set(loads.OPTIONS) | of_plan, (
        "an option of `plan` that is no field of `Stream` has no effect"
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"connections": 0}, "connections=0 must be a whole number from 1 to 10,000"),
        ({"connections": 10_001}, "connections=10001"),
        ({"connections": 2.5}, "connections=2.5"),
        ({"connections": True}, "connections=True"),
        ({"seconds": 0}, "seconds=0 must be a number"),
        ({"seconds": float("nan")}, "seconds=nan"),
        ({"seconds": 601}, "seconds=601"),
        ({"rate": -1}, "rate=-1"),
        ({"rate": 5, "requests": 5}, "give only one of them"),
        ({"requests": 0}, "requests=0"),
        ({"path": "no-slash"}, "path='no-slash' must begin with /"),
        ({"path": "/ä"}, "visible ASCII"),
        ({"path": "/a\r\nX: y"}, "visible ASCII"),
        ({"timeout": 0}, "timeout=0"),
        ({"warmup": -1}, "warmup=-1"),
        ({"schedule": "weekly"}, "poisson or constant"),
        ({"schedule": np.array([0, 1, 2])}, "poisson or constant"),
        (
            {"alongside": {"ping": {"pathh": "/"}}},
            "alongside['ping']: there is no option 'pathh'. Did you mean path",
        ),
        ({"tolerate": ["no_error"]}, "Did you mean no_errors"),
        ({"method": "CONNECT"}, "method='CONNECT' must be a word such as GET"),
        (
            {"headers": {"Connection": "close"}},
            "headers must not contain Connection, because the gen",
        ),
        ({"headers": {"A": "b\r\nC: d"}}, "headers has an invalid field 'A': 'b\\r\\nC: d'"),
        ({"headers": {"A b": "c"}}, "headers has an invalid field 'A b'"),
        ({"rounds": 1_000_000, "connections": 1000}, "requests=1000000000 must be a whole"),
        ({"rate": 1_000_000, "seconds": 60}, "is more than 5,000,000 requests, so lower the rate"),
        ({"alongside": {"../up": {}}}, "alongside['../up']: a stream's name has 1 to 64"),
        ({"alongside": {"main": {}}}, "main is the name of the first"),
        ({"alongside": {f"s{n}": {} for n in range(8)}}, "at most 7 can be sent with the f"),
        (
            {"alongside": {"ping": {"rate": 1, "requests": 2}}},
            "alongside['ping']: requests= counts in a closed loop, and rate= makes an open loop",
        ),
    ],
)
def test_a_load_out_of_range_is_refused_with_the_value_and_the_range(options, message):
    with pytest.raises(BadLoad) as error:
        plan(**options)
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"body": 5}, "body=5 must be text, bytes or None, not an int"),
        ({"body": {}}, "must be text, bytes or None, not a dict"),
        ({"body": "\ud800"}, "half a character"),
        ({"body": bytes(MOST_BODY_BYTES + 1)}, "8,388,609 bytes.*at most 8,388,608"),
        (
            {
                "body": bytes(MOST_BODY_BYTES // 2),
                "alongside": {"big": {"body": bytes(MOST_BODY_BYTES // 2 + 1)}},
            },
            "8,388,609 bytes, in all streams together",
        ),
        ({"headers": "a"}, "headers='a' must be a dict"),
        ({"headers": {1: "a"}}, "a key of headers"),
        ({"method": None}, "method=None must be a word such as GET"),
        ({"method": "GET / HTTP/1.1"}, "must be a word"),
        ({"keep_alive": "no"}, "keep_alive='no' must be True or False"),
        ({"tolerate": 5}, "tolerate=5 must be a list, each item text"),
        ({"tolerate": "steady"}, "tolerate='steady' must be a list"),
        ({"alongside": [1]}, "alongside=.* must be a dict"),
        ({"alongside": {"ping": 5}}, r"alongside\['ping'\]=5 must be a dict"),
        ({"alongside": {"ping": {"body": 5}}}, r"alongside\['ping'\]: body=5"),
        ({"connections": np.arange(3)}, "connections=.* must be a whole number"),
    ],
)
def test_a_load_of_wrong_types_is_refused_not_guessed_at(options, message):
    with pytest.raises(BadLoad, match=message):
        plan(**options)


def test_the_largest_body_reaches_the_server_whole():
    with lab.server("node/hello").start() as server:
        trial = lab.load(
            server, connections=1, requests=2, method="POST", body=bytes(MOST_BODY_BYTES)
        )
    assert trial.counts.ok == 2


def test_times_come_from_the_profile_unless_given(monkeypatch):
    monkeypatch.setenv("LAB_PROFILE", "smoke")
    assert (plan().warmup_s, plan().measure_s) == (0.05, 0.15)
    monkeypatch.setenv("LAB_PROFILE", "course")
    assert (plan(warmup=0, seconds=2).warmup_s, plan(warmup=0, seconds=2).measure_s) == (0, 2)


def test_a_fixed_count_has_no_warm_up():
    assert plan(requests=1000).warmup_s == 0


def test_a_fixed_count_has_the_time_that_its_time_outs_may_take():
    # Ten in a row, each of which may take its 20 s, and a quarter more.
    assert plan(connections=100, rounds=10, timeout=20).measure_s == 250
    assert plan(connections=100, requests=1000, timeout=20).measure_s == 250
    # Neither less than a minute, nor more than ten.
    assert plan(connections=100, rounds=1, timeout=0.1).measure_s == 60
    assert plan(connections=1, requests=1_000_000).measure_s == 600
    # Who says how long, is believed.
    assert plan(connections=1, requests=1000, seconds=2).measure_s == 2


def test_the_reference_profile_warms_up_until_the_rate_is_steady(monkeypatch):
    monkeypatch.setenv("LAB_PROFILE", "course")
    assert plan(seconds=1).settle is None
    monkeypatch.setenv("LAB_PROFILE", "reference")
    cap = PROFILES["reference"].warm_cap_s
    asked = plan(seconds=1, warmup=0.2)
    assert asked.settle == {"look_s": LOOK_S, "within": WITHIN, "cap_s": cap}
    assert asked.duration_s == LOOK_S * 14 / 9 + asked.measure_s  # as settling.test.mjs has it
    assert asked.longest_s == cap + asked.measure_s
    # A window is long enough to show a drift, unless a server is measured that has one.
    assert plan(seconds=0.1).measure_s == PROFILES["reference"].least_s
    assert plan(seconds=0.1, tolerate=["steady"]).measure_s == 0.2
    # Neither what has no warm-up or no rate of its own, nor what is never steady.
    for never in (
        {"warmup": 0},
        {"rate": 100},
        {"requests": 1000},
        {"tolerate": ["steady"]},
    ):
        assert plan(**never).settle is None


def test_an_open_loop_has_room_for_many_in_flight():
    assert plan(rate=100).main.connections == 256
    assert plan().main.connections == 10


def test_the_generator_reads_what_was_asked():
    asked = plan(rate=50, path="/x", body="hi", method="post")
    sent = asked.main.spec("main", "http://127.0.0.1:9/", {"bytes": 3})
    assert sent["url"] == "http://127.0.0.1:9/x"
    assert (sent["method"], sent["body_base64"], sent["loop"]) == ("POST", "aGk=", "open")


def test_a_load_says_its_streams_times_and_form_to_the_generator():
    load = Load(
        Stream.of(connections=2), 0.5, 1.0, {"ping": Stream.of(rate=5, path="/p", timeout=20)}
    )
    spec = load.spec("http://127.0.0.1:9/", "/tmp", {"main": {"bytes": 3}})
    assert (spec["settle"], spec["warmup_s"], spec["measure_s"]) == (None, 0.5, 1.0)
    assert [(s["name"], s["loop"], s["expect"]) for s in spec["streams"]] == [
        ("main", "closed", {"bytes": 3}),
        ("ping", "open", None),
    ]
    assert load.timeout_s == 20
    assert load.record(load.main, None, None).loop == "closed"
    with pytest.raises(AttributeError):
        load.measure_s = 2


def test_a_question_has_no_machine_in_it():
    text = str(identity.of_recipe(server("node/read-sync"))) + str(
        identity.of_recipe(server("python/flask-hello"))
    )
    assert str(paths.ROOT) not in text
    assert "{node}" in text
    assert "{python}" in text


def test_another_parameter_is_another_question():
    one, two = (identity.of_recipe(server("node/delay", env={"DELAY_MS": d})) for d in (20, 30))
    found = identity.differences(identity.question({"x": one}), identity.question({"x": two}))
    assert found == ["arm x: env changed"]


@pytest.mark.parametrize("name", ["../up", "a/b", "", "UPPER", ".hidden"])
def test_an_experiment_that_is_no_file_name_is_refused(name):
    with pytest.raises(LabError):
        identity.experiment_id(name, "chapter", ["a"])


def test_an_experiment_without_a_name_is_called_after_chapter_and_arms():
    assert (
        identity.experiment_id(None, "sync-or-async-files.md", ["Sync", "async"])
        == "sync-or-async-files-sync-async"
    )


def test_pinning_keeps_server_and_generator_apart(monkeypatch):
    monkeypatch.setattr("lab.processes.pinning._core_of", lambda cpu: None)
    monkeypatch.setattr("lab.processes.pinning.cpu_set", lambda: [0, 1])
    assert split(None, None) == ((0,), (1,))
    assert split(None, 4) == (None, None)
    assert split(True, 4) == ((0,), (1,))
    assert split(False, 1) == (None, None)
    assert split(([1], [0]), None) == ((1,), (0,))
    monkeypatch.setattr("lab.processes.pinning.cpu_set", lambda: [0])
    assert split(None, None) == (None, None)


def test_the_generator_shares_its_core_with_nobody(monkeypatch):
    monkeypatch.setattr("lab.processes.pinning.cpu_set", lambda: list(range(8)))
    monkeypatch.setattr("lab.processes.pinning._core_of", lambda cpu: ("0", str(cpu % 4)))
    assert split(None, 1) == ((0, 1, 2, 4, 5, 6), (7,))


def test_pinning_to_a_processor_we_may_not_use_is_refused():
    with pytest.raises(LabError, match="may not use"):
        split(([9999], [0]), None)
    with pytest.raises(LabError, match="pin='x'"):
        split("x", None)


@pytest.mark.parametrize("pin", [([], []), ([0], []), (["0"], [0]), 5, {}, ([0], [0], [0])])
def test_pinning_to_no_processor_is_refused(pin):
    with pytest.raises(LabError, match=r"pin=.*\(\[0\], \[1\]\)"):
        split(pin, None)


def test_rounds_are_a_count_on_each_connection():
    asked = plan(rounds=10, connections=100)
    sent = asked.main.spec("main", "http://127.0.0.1:1/", None)
    assert (asked.main.requests, asked.warmup_s) == (1000, 0)
    assert (sent["requests"], sent["per_connection"]) == (10, True)


def test_rounds_and_requests_are_two_ways_to_count():
    with pytest.raises(BadLoad, match="rounds="):
        plan(rounds=10, requests=100)


def test_a_misspelt_option_of_a_load_is_named_with_the_nearest():
    with pytest.raises(BadLoad, match="Did you mean connections"):
        lab.load("node/hello", conections=3)


def test_the_options_of_a_load_can_be_looked_up():
    known = inspect.signature(lab.load).parameters
    assert {"connections", "rate", "tolerate", "experiment", "progress"} <= set(known)

"""What the signs mean: each illness by its own, none by those of a healthy program; and the verdict
on two versions, which cries neither wolf nor never.
"""

import argparse
import dataclasses
import json
import math
import random
import re

import pytest

from lab.clinic import commands, illnesses, profile, report, signs, versions
from lab.clinic.loading import Phase, Request
from lab.clinic.observation import Observed
from lab.clinic.signs import Signs
from lab.clinic.versions import AGAIN, NEW, OLD, VersionTrial
from lab.judging.stats import paired_ratio, simultaneous

SICK = {
    "blocked loop": Signs(long_share=0.6, longest_ms=40, long_runs=30),
    "microtask flood": Signs(long_share=0.6, longest_ms=40, long_runs=30, job_share=1, jobs=9000),
    "starved pool": Signs(pool_wait_ms=60),
    "slow look-ups": Signs(name_ms=50, name_latency_share=0.9, name_share=1, pool_wait_ms=40),
    "missing backpressure": Signs(queued_bytes=8e6, ignored=100),
    "synchronous logging": Signs(log_share=0.7, log_ms=2),
    "heap near its limit": Signs(  # its long runs are collections
        heap_share=0.93, gc_share=0.49, loop_busy=0.98, long_share=0.22, longest_ms=354, long_runs=5
    ),
}


def seen(**more):
    return Observed("app", "http://127.0.0.1:1", "/", answer_status=200, **more)


@pytest.mark.parametrize("name", SICK)
def test_each_illness_is_named_by_its_signs(name):
    assert illnesses.diagnose(seen(), SICK[name]).first == name


@pytest.mark.parametrize(
    "healthy",
    [
        Signs(),
        Signs(long_share=0.9, longest_ms=4),  # busy with short work
        Signs(long_share=0.02, longest_ms=30, long_runs=2),  # a collection of garbage, twice
        Signs(pool_wait_ms=3, name_ms=1, name_share=1, name_latency_share=0.1),
        Signs(queued_bytes=300_000, ignored=4),  # one small page in four writes
        Signs(log_share=0.2, log_ms=0.05),  # a line for each request
    ],
)
def test_what_healthy_programs_show_is_no_illness(healthy):
    assert illnesses.diagnose(seen(), healthy).findings == ()


def test_calls_that_block_are_told_though_each_is_short():
    waits = Signs(long_share=0.02, longest_ms=6, long_runs=2, sync_share=0.9, sync_ms=3.5)
    found = illnesses.diagnose(seen(), waits).findings
    assert [f.illness.name for f in found] == ["blocked loop"]
    assert all(evidence.reached for evidence in found[0].rows)
    for healthy in (Signs(sync_share=0.9, sync_ms=0.1), Signs(sync_share=0.1, sync_ms=3)):
        assert illnesses.diagnose(seen(), healthy).findings == ()


def test_a_cause_is_named_and_not_its_consequence():
    loop_signs = SICK["blocked loop"]
    by_log = dataclasses.replace(loop_signs, log_share=0.8)
    assert [f.illness.name for f in illnesses.diagnose(seen(), by_log).findings] == [
        "synchronous logging"
    ]
    writes = profile.Profile(1, busy_s=1, write_share=0.7)
    by_write = dataclasses.replace(loop_signs, queued_bytes=9e6, ignored=50)
    found = illnesses.diagnose(seen(profiles=[writes]), by_write).findings
    assert [f.illness.name for f in found] == ["missing backpressure"]


def look(runs, **more):
    no_streams = {"ignored": 0, "refused": 0, "most_bytes": 0, "most_objects": 0}
    return {
        "pid": 7,
        "seconds": 2.0,
        "waited_ms": 0.0,
        "requests": 10,
        "answered": 10,
        "latency_ms": 1000.0,
        "waits": {},
        "still": {},
        "named": {"n": 0, "ms": 0},
        "runs": runs,
        "busy_ms": 1000.0,
        "streams": no_streams,
        "sites": {},
        **more,
    }


def row(t_ms):
    gate = {"waits": [], "pending_ms": 0, "pause_ms": 25}
    return {
        "pid": 7,
        "t_ms": t_ms,
        "silent_ms": 0,
        "rss": 1,
        "pool": gate,
        "names": gate,
        "wake_late_ms": 0,
    }


def test_a_run_is_long_only_by_its_own_time():
    alone = signs.of(seen(looks=[look([[40.0, 40.0, 1, 39.0]] * 5)]))
    assert (alone.long_runs, alone.longest_ms) == (5, 40)
    # The thread waited for a processor for all but two milliseconds of each.
    crowded = signs.of(seen(looks=[look([[40.0, 2.0, 1, 39.0]] * 5)]))
    assert crowded.long_runs == 0


def test_what_goes_to_stdout_and_stderr_is_a_log_too():
    quiet = {"ignored": 0, "refused": 0, "most_bytes": 0, "most_objects": 0}
    loud = {**quiet, "stdio_ms": 600.0}
    found = signs.of(seen(looks=[look([], streams=loud)]))
    assert (found.log_share, found.log_ms) == (0.6, 60)
    # A record from before it was counted.
    assert signs.of(seen(looks=[look([], streams=quiet)])).log_share == 0


def test_many_short_jobs_are_told_from_one_long_one_behind_an_await():
    flood = signs.of(seen(looks=[look([[40.0, 40.0, 5000, 0.3]] * 5)]))
    one = signs.of(seen(looks=[look([[40.0, 40.0, 30, 39.0]] * 5)]))
    assert (flood.job_share, one.job_share) == (1, 0)


def test_a_gate_that_nobody_comes_back_from_counts_with_its_age():
    stuck = [row(100) | {"pool": {"waits": [0.2], "pending_ms": 0, "pause_ms": 25}}]
    stuck.append(row(200) | {"pool": {"waits": [], "pending_ms": 900, "pause_ms": 25}})
    assert signs.gate(stuck, "pool") > 400


def test_a_wait_stands_for_the_pause_after_it_as_its_row_says():
    def median(pause_ms):
        gate = {"waits": [1.0] * 20 + [100.0] * 3, "pending_ms": 0, "pause_ms": pause_ms}
        return signs.gate([row(100.0) | {"pool": gate}], "pool")

    assert (median(25), median(1)) == (1, 100)


def test_most_jobs_wait_though_most_waits_of_the_gate_are_short():
    # A second in which the pool is taken, a tenth in which it is free, over and over.
    second = {"waits": [1000.0], "pending_ms": 0, "pause_ms": 25}
    tenth = {"waits": [0.2, 0.1, 0.2], "pending_ms": 0, "pause_ms": 25}
    rows = [row(t) | {"pool": pool} for t, pool in enumerate([second, tenth] * 5)]
    assert signs.gate(rows, "pool") == 1000
    quick = [
        row(t) | {"pool": {"waits": [0.1] * 20 + [30.0], "pending_ms": 0, "pause_ms": 25}}
        for t in range(5)
    ]
    assert signs.gate(quick, "pool") < 1  # a job that is late now and then is none


def test_a_pool_that_the_program_fills_by_itself_is_starved_at_rest_too():
    # In between it is free, or one of its jobs ends now and then and another takes its place.
    for waits in ([900.0, 0.2, 0.1, 0.2], [120.0, 90.0, 140.0, 3.0]):
        full = {"pool": {"waits": waits, "pending_ms": 0, "pause_ms": 25}}
        rows = [row(t) | full for t in (100, 200)] + [row(t) | full for t in (1100, 1200)]
        made = seen(rows=rows, spans={"rest": (0, 300), "unanswered": (1000, 1300)})
        assert illnesses.diagnose(made, signs.of(made)).first == "starved pool"


def test_a_pool_that_was_full_whenever_it_was_looked_at_at_rest_is_starved():
    full = {"pool": {"waits": [202.0, 210.0], "pending_ms": 0, "pause_ms": 25}}
    under_load = {"pool": {"waits": [0.1, 195.0, 205.0], "pending_ms": 0, "pause_ms": 25}}
    rows = [row(t) | full for t in (100, 200)] + [row(t) | under_load for t in (1100, 1200)]
    observation = seen(rows=rows, spans={"rest": (0, 300), "unanswered": (1000, 1300)})
    assert illnesses.diagnose(observation, signs.of(observation)).first == "starved pool"


def test_a_feed_that_all_requests_share_is_told_by_its_objects():
    feed = {"ignored": 7000, "refused": 1, "most_bytes": 0, "most_objects": 16_000}
    made = seen(looks=[look([], requests=9000, answered=9000, streams=feed)])
    found = illnesses.diagnose(made, signs.of(made)).findings
    assert [f.illness.name for f in found] == ["missing backpressure"]
    assert all(evidence.reached for evidence in found[0].rows)
    assert found[0].strength >= 1


def test_many_streams_that_wait_after_a_no_are_healthy():
    waits = {"ignored": 3, "refused": 400, "most_bytes": 2_000_000, "most_objects": 0}
    made = seen(looks=[look([], requests=400, answered=400, streams=waits)])
    assert illnesses.diagnose(made, signs.of(made)).findings == ()


def stack(*frames):
    return [profile.Frame(name, url, 1) for name, url in frames]


APP = ("handler", "file:///app/app.mjs")


@pytest.mark.parametrize(
    "frames",
    [
        [("writeBuffer", ""), ("writeSync", "node:fs"), APP],
        [("open", ""), ("writeFileSync", "node:fs"), ("appendFileSync", "node:fs"), APP],
        [("formatValue", "node:internal/util/inspect"), ("consoleCall", ""), APP],
        [("open", ""), ("writeFileSync", "node:fs"), ("audit", "file:///app/app.mjs")],
    ],
)
def test_a_log_is_known_by_who_writes_it(frames):
    assert profile.logging(stack(*frames))


@pytest.mark.parametrize(
    "frames",
    [
        [APP],
        [("writev", ""), ("Socket._writev", "node:net"), ("end", "node:_http_outgoing"), APP],
        [("read", ""), ("readFileSync", "node:fs"), APP],
        [("open", ""), ("writeFileSync", "node:fs"), ("save", "file:///app/app.mjs")],
    ],
)
def test_what_is_no_log_is_not_taken_for_one(frames):
    assert not profile.logging(stack(*frames))


def test_a_profile_tells_the_line_of_the_call(tmp_path):
    app = tmp_path / "app.mjs"
    app.write_text("function handler() {\n  const a = 1;\n  return pbkdf2Sync(a);\n}\n")

    def node(id, name, url, line, children=()):
        at = {"functionName": name, "url": url, "lineNumber": line, "columnNumber": 0}
        return {"id": id, "callFrame": at, "children": list(children), "positionTicks": []}

    data = {
        "nodes": [
            node(1, "(root)", "", -1, [2, 4]),
            node(2, "handler", app.as_uri(), 0, [3]),
            node(3, "pbkdf2Sync", "node:internal/crypto/pbkdf2", 70),
            node(4, "(idle)", "", -1),
        ],
        "samples": [3, 3, 4, 4],
        "timeDeltas": [0, 1000, 1000, 1000],
    }
    file = tmp_path / "a.json"
    file.write_text(json.dumps(data))
    found, _ = profile.read(file, 1)
    assert found.busy_s == pytest.approx(0.002)
    assert (found.places[0].line, found.places[0].inside) == (3, "pbkdf2Sync")
    assert found.places[0].text == "return pbkdf2Sync(a);"


def profiled(tmp_path, *samples):
    """A profile in which each stack, outermost first, was seen as often as said."""
    nodes, ids = [], []
    for times, *frames in samples:
        for depth, (name, url) in enumerate([("(root)", ""), *frames]):
            at = {"functionName": name, "url": url, "lineNumber": 0, "columnNumber": 0}
            inner = [len(nodes) + 2] if depth < len(frames) else []
            nodes.append({"id": len(nodes) + 1, "callFrame": at, "children": inner})
        ids += [len(nodes)] * times
    data = {"nodes": nodes, "samples": ids, "timeDeltas": [0, *[1000] * len(ids)]}
    file = tmp_path / "a.json"
    file.write_text(json.dumps(data))
    return profile.read(file, 1)[0]


def test_what_a_logger_does_for_its_line_is_the_logs(tmp_path):
    log, file = ("log", "file:///app/app.mjs"), "node:fs"
    signs_seen = profiled(
        tmp_path,
        (30, APP, log, ("appendFileSync", file)),
        (10, APP, log, ("statSync", file), ("stat", "")),
        (10, APP, log),
        (50, APP),
    )
    assert signs_seen.log_share == pytest.approx(0.5)


def test_calls_that_block_are_counted_apart_from_logs(tmp_path):
    signs_seen = profiled(
        tmp_path,
        (30, APP, ("execFileSync", "node:child_process"), ("spawn", "")),
        (20, APP, ("appendFileSync", "node:fs")),
        (50, APP, ("end", "node:_http_outgoing")),
    )
    assert (signs_seen.sync_share, signs_seen.log_share) == (pytest.approx(0.3), pytest.approx(0.2))


def test_a_handler_that_also_logs_is_no_logger(tmp_path):
    signs_seen = profiled(
        tmp_path,
        (30, APP, ("appendFileSync", "node:fs")),
        (10, APP, ("readFileSync", "node:fs")),
        (60, APP),
    )
    assert signs_seen.log_share == pytest.approx(0.3)
    crypto = ("pbkdf2Sync", "node:internal/crypto/pbkdf2")
    signs_seen = profiled(tmp_path, (50, APP, ("appendFileSync", "node:fs")), (40, APP, crypto))
    assert signs_seen.log_share == pytest.approx(50 / 90)


def trials(rng, factor, pairs=10, noise=0.03):
    trials_made = []
    for block in range(pairs):
        drift = rng.gauss(0, noise)
        for arm in (OLD, NEW, AGAIN):
            slow = factor if arm == NEW else 1.0

            def about(value, slow=slow, drift=drift):
                return value * slow * 2.718 ** (drift + rng.gauss(0, noise))

            latency = {"p50": about(0.01), "p99": about(0.03)}
            trials_made.append(VersionTrial(arm, block, 1 / about(0.001), latency, about(0.001), 0))
    return trials_made


def worse(rng, factor):
    return any(one.word == "worse" for one in versions.judged(trials(rng, factor), 0.05))


def test_the_same_version_twice_is_hardly_ever_called_worse_or_better_in_any_measure():
    rng = random.Random(20)
    said = [{one.word for one in versions.judged(trials(rng, 1.0), 0.05)} for _ in range(300)]
    assert sum(bool({"worse", "better"} & words) for words in said) <= 15


def test_a_measure_among_four_at_one_of_four_looks_needs_ten_pairs():
    for pairs, word in ((9, "no verdict"), (10, "worse")):
        found = versions.judged(trials(random.Random(4), 1.5, pairs=pairs), 0.05)
        assert {one.word for one in found} == {word}
    few = versions.judged(trials(random.Random(4), 1.5, 9), 0.05)
    assert "9 pairs, 10 are the least" in repr(few)
    assert versions.is_open(few)  # a next look makes them enough


def test_both_processes_of_the_old_version_count():
    made = trials(random.Random(5), 1.0)
    loud = [
        dataclasses.replace(t, throughput=t.throughput * 4) if t.arm == AGAIN else t for t in made
    ]
    quiet, shifted = (versions.judged(some, 0.05)[0].ratio.estimate for some in (made, loud))
    assert shifted == pytest.approx(quiet * 2)


def in_looks(*factors, noise=0.03):
    """What some looks come to, of which each has a version that is so many times slower."""

    def measure(look):
        made = trials(random.Random(look), factors[look], noise=noise)
        return [dataclasses.replace(t, block=look * 10 + t.block) for t in made]

    return versions.in_looks(measure, 0.05)


def versions_of(made, measured, looks=1):
    return versions.Versions("a", "b", "/", 100.0, 10, tuple(made), measured, looks=looks)


def test_what_is_clear_takes_one_look_and_what_leans_takes_more_that_are_judged_together():
    made, measures, looks = in_looks(1.3)
    assert (looks, {m.word for m in measures}, len(made)) == (1, {"worse"}, 30)
    assert in_looks(0.99)[2] == 1
    made, measures, looks = in_looks(1.05, 1.05, 1.05, 1.05, noise=0.05)
    assert looks == 2 and len(made) == 60
    assert "worse" in {m.word for m in measures}
    assert all(m.ratio.pairs == 20 for m in measures)
    # The first look leans, and the others do not bear it out.
    _, measures, looks = in_looks(1.05, 0.97, 0.97, 0.97, noise=0.05)
    assert looks > 1 and "worse" not in {m.word for m in measures}


def test_several_looks_are_told_as_what_they_are():
    made, measured, looks = in_looks(1.05, 1.05, 1.05, 1.05, noise=0.05)
    found = versions_of(made, measured, looks)
    assert f"This took {looks} rounds of 10 pairs" in repr(found)
    assert "20 pairs of fresh processes" in report.versions_page(found)
    assert versions_of(*in_looks(1.3)).how_long == ""


def test_without_a_verdict_it_says_how_many_pairs_would_give_one():
    noisy = versions.judged(trials(random.Random(8), 1.03, noise=0.1), 0.05)
    open_ = [m for m in noisy if m.word == "no verdict"]
    assert open_
    for one in open_:
        assert one.pairs_needed > 10 and one.advice in repr(one)
    measure = min(open_, key=lambda m: m.pairs_needed)
    page = report.versions_page(versions_of(trials(random.Random(8), 1.0), noisy))
    assert "No verdict on" in page and measure.advice in page
    # With so many it is decided in nearly every measure, if the ratio stays where it is.
    more = [math.log(x) for x in measure.ratio.per_pair] * -(-measure.pairs_needed // 10)
    ratio = paired_ratio([math.exp(x) for x in more], [1.0] * len(more))
    assert versions.verdict(simultaneous([ratio] * 4, versions.LOOKS)[0]).word != "no verdict"
    wild = versions.judged(trials(random.Random(8), 1.03, noise=0.6), 0.05)
    assert "on a quieter machine" in repr(wild)


def test_a_comparison_speaks_its_own_words():
    words = set()
    for seed in range(40):
        for factor, noise in ((0.87, 0.12), (1.0, 0.01), (1.02, 0.03), (1.4, 0.05), (0.7, 0.02)):
            made = trials(random.Random(seed), factor, noise=noise)
            words |= {m.word for m in versions.judged(made, 0.05)}
    assert words == {"worse", "better", "no difference", "not worse", "no verdict"}


def test_a_green_box_is_for_a_version_of_which_every_measure_was_judged():
    def word(*words):
        measures = [
            dataclasses.replace(m, word=word)
            for m, word in zip(
                versions.judged(trials(random.Random(3), 1.0), 0.05), words, strict=True
            )
        ]
        comparison = versions_of(trials(random.Random(3), 1.0), tuple(measures))
        green = 'class="lab-box lab-ok"' in report.versions_page(comparison)
        assert green == (comparison.word == "not worse")
        return comparison.word

    assert word("better", "no difference", "not worse", "no difference") == "not worse"
    assert word("better", "no verdict", "not worse", "no difference") == "no verdict"
    assert word("better", "no verdict", "worse", "no difference") == "worse"


def test_what_was_stopped_is_judged_by_the_pairs_that_are_complete():
    made = trials(random.Random(3), 1.3)[:-1]
    whole = versions.complete(made)
    assert len(whole) == 27 and {t.block for t in whole} == set(range(9))
    found = dataclasses.replace(versions_of(whole, versions.judged(whole, 0.05)), is_stopped=True)
    assert "Stopped early, with 9 complete pairs." in repr(found)


def test_the_report_says_how_the_measures_were_judged_together():
    made = trials(random.Random(3), 1.3)
    found = versions.Versions("a", "b", "/", 100.0, 10, tuple(made), versions.judged(made, 0.05))
    page = report.versions_page(found)
    assert "All 4 measures are judged together" in page
    assert "Each interval is at 99.69 %" in page and "10 pairs" in page


def test_a_tenth_slower_is_mostly_found_at_the_first_look():
    rng = random.Random(20)
    assert sum(worse(rng, 1.1) for _ in range(50)) >= 40


def test_a_version_that_fails_requests_has_no_verdict():
    made = [dataclasses.replace(t, failed=int(t.arm == NEW)) for t in trials(random.Random(1), 2.0)]
    assert {one.word for one in versions.judged(made, 0.05)} == {"no verdict"}


def test_what_the_load_generator_limits_is_no_measure_of_a_version():
    two_versions = trials(random.Random(1), 2.0)

    def words(**client):
        judgement = versions.judged([dataclasses.replace(t, **client) for t in two_versions], 0.05)
        return {one.name: one.word for one in judgement}

    assert set(words(client_closed=0.5, client_open=0.3).values()) == {"worse"}
    flat_out = words(client_closed=0.95, client_open=0.3)
    assert flat_out.pop("throughput") == "no verdict"
    assert set(flat_out.values()) == {"worse"}
    late = words(client_closed=0.95, client_open=0.95)
    assert {late["p99"], late["p50"]} == {"no verdict"}
    assert "load generator" in repr(
        versions.judged([dataclasses.replace(t, client_closed=0.95) for t in two_versions], 0.05)[0]
    )


def test_a_pipeline_does_not_go_on_when_requests_failed(tmp_path, monkeypatch, capsys):
    options = argparse.Namespace(page=tmp_path / "page.html", json=False, markdown=None)
    for slower, failing, code in (
        (2.0, (), commands.WORSE),
        (1.0, (NEW,), commands.WORSE),
        (1.0, (OLD, NEW), commands.FAILED),
        (1.0, (OLD,), commands.FAILED),
        (1.0, (), 0),
    ):
        two_versions = [
            dataclasses.replace(t, requests=1000, failed=30 * (t.arm in failing and t.block == 0))
            for t in trials(random.Random(1), slower)
        ]
        found = versions.Versions(
            "a", "b", "/", 100.0, 10, tuple(two_versions), versions.judged(two_versions, 0.05)
        )
        monkeypatch.setattr(commands, "_compared", lambda _, found=found: found)
        assert commands.compare(options) == code
        printed = capsys.readouterr()
        assert ("30 of the old version" in printed.err) == (OLD in failing)
        assert ("Requests fail in the new version, 30 of" in printed.out) == (failing == (NEW,))


def compared(made):
    judged = versions.judged(made, 0.05)
    return versions.Versions("a", "b", "/", 100.0, 10, tuple(made), judged)


def test_a_version_that_stops_answering_is_worse_though_no_measure_has_a_value(
    tmp_path, monkeypatch, capsys
):
    options = argparse.Namespace(page=tmp_path / "page.html", json=False, markdown=None)
    alike = trials(random.Random(2), 1.0)

    def hang(arms, blocks):
        return compared(
            [
                dataclasses.replace(t, is_hung=True, throughput=0.0)
                if t.arm in arms and t.block in blocks
                else t
                for t in alike
            ]
        )

    half = hang({NEW}, range(5))
    assert half.worse
    assert "5 of its 10 processes stopped, and 0 of 20" in repr(half)
    assert "worse" in report.versions_page(half)
    assert half.measured[0].word == "no verdict"
    assert hang({NEW}, {3}).worse
    # As often as the old version, or less often: that is no matter of the new version.
    assert not hang({NEW, OLD, AGAIN}, range(5)).worse
    assert not hang({OLD}, range(5)).worse
    assert not hang((), ()).worse
    for arms, code in (({NEW, OLD, AGAIN}, commands.FAILED), ((), 0), ({NEW}, commands.WORSE)):
        monkeypatch.setattr(commands, "_compared", lambda _, arms=arms: hang(arms, range(5)))
        assert commands.compare(options) == code
    assert "5 of the new version" in capsys.readouterr().err


def test_both_commands_take_what_is_sent_along():
    for arguments in (commands.examine_arguments, commands.compare_arguments):
        parser = argparse.ArgumentParser()
        arguments(parser)
        which = ["--folders", "a", "b"] if arguments is commands.compare_arguments else []
        chosen = parser.parse_args([*which, "--header", "Cookie: a=b", "--", "node", "app.mjs"])
        assert commands._headers(chosen.header) == {"Cookie": "a=b"}
        assert (chosen.method, chosen.port, chosen.words) == (None, None, ["node", "app.mjs"])
        assert Request.of("/", chosen.method, {}, None).method == "GET"


def test_a_finding_says_how_much_in_which_direction():
    found = versions.judged(trials(random.Random(3), 1.3), 0.05)[0]
    assert repr(found).startswith("throughput worse by 1.")
    better = versions.judged(trials(random.Random(3), 0.7), 0.05)[0]
    assert repr(better).startswith("throughput better by 1.")
    assert better.word == "better"
    far = versions.judged(trials(random.Random(3), 1 / 1500), 0.05)[0]
    assert re.match(r"throughput better by 1,\d\d0× \[", repr(far))


def test_phases_know_their_length():
    none = dict.fromkeys(("mean_s", "p50_s", "p90_s", "p99_s"))
    numbers = dict.fromkeys(
        ("throughput", "answers", "failed", "waiting", "dropped", "in_flight", "client_elu"), 0
    )
    one = Phase("one", 1, None, 1000.0, 3000.0, kinds={}, connects=0, **none, **numbers)
    assert one.span_s == 2.0


def test_a_version_that_always_fails_is_not_measured_again():
    """Nor are more of its processes started once it has failed in each of three blocks."""
    failing = [
        dataclasses.replace(t, failed=5 * (t.arm == versions.NEW))
        for t in trials(random.Random(1), 1.0)
    ]
    _, _, looks = versions.in_looks(lambda _: failing, 0.05)
    assert looks == 1
    by_blocks = [[t for t in failing if t.block < blocks] for blocks in (2, 3)]
    assert [versions.fails_always(part) for part in by_blocks] == [False, True]
    both = [dataclasses.replace(t, failed=5) for t in by_blocks[1]]
    assert not versions.fails_always(both)
    assert not versions.fails_always(by_blocks[1][:-1])


@pytest.mark.parametrize(
    ("callee", "line"),
    [
        ("scryptSync", 3),
        ("syncBufferWrapper", 4),
        ("Hash.update", 5),
        ("consoleCall", 6),
        ("unknown", 1),
    ],
)
def test_a_call_is_found_by_the_name_that_the_program_uses(tmp_path, callee, line):
    program = tmp_path / "app.cjs"
    program.write_text(
        "function reply(value) {\n  const text = JSON.stringify(value);\n"
        "  scryptSync(text, 's', 64);\n  zlib.gzipSync(text);\n  hash.update(text);\n"
        "  console.log(text);\n}\n"
    )
    assert profile._call(str(program), 1, callee)[0] == line

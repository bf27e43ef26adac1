"""Problems with what lies behind a server, told from numbers: pools that are too small, bodies that
are not read, calls in turn, retries, a CPU limit; and what only looks like them.
"""

import dataclasses
import json
import subprocess

import pytest
from house import ROOT
from test_failures import ALONE, CALM, names, row_of, seen

from lab.clinic import failures, illnesses
from lab.clinic.examination import diagnosed
from lab.clinic.signs import Signs
from lab.processes import nodes

MANY = dataclasses.replace(CALM, throughput=50.0, answers=100, mean_s=0.32)
SLOW_ALONE = dataclasses.replace(ALONE, mean_s=0.04)


def in_line(many=MANY, alone=SLOW_ALONE, **more):
    """Sixteen clients of a server that answers 50 requests a second, of 40 ms alone; its loop is
    idle.
    """
    rows = [row_of(t, idle_ms=0.95 * t, **more) for t in (100, 1000, 1900)]
    return dataclasses.replace(seen(many, rows=rows), phases={"one": alone, "many": many})


def test_requests_that_wait_for_one_of_two_slots_are_told():
    found = diagnosed(in_line())
    assert found.first == "too few connections"
    assert "About 2 of 16 requests were handled at once" in repr(found)
    with_port = repr(diagnosed(in_line(outgoing=2.0, outgoing_port=5432.0)))
    assert "2 connections to port 5432" in with_port


def listener(pid, port, *, http=True):
    return {"pid": pid, "where": {"port": port}, "http": http, "http2": False, "policy": {}}


@pytest.mark.parametrize(
    ("helper", "problems"),
    [
        pytest.param(listener(8, 4100, http=False), ["too few connections"], id="a database"),
        pytest.param(listener(8, 4100), ["too few connections"], id="another service"),
        pytest.param(listener(8, 1), [], id="a second process that serves, too"),
    ],
)
def test_a_helper_that_the_program_starts_does_not_hide_a_line(helper, problems):
    alone = in_line()
    rows = [row_of(t, idle_ms=0.95 * t, pid=8) for t in (120, 1020, 1920)]
    both = sorted(alone.rows + rows, key=lambda row: row["t_ms"])
    listening = [listener(7, 1) | {"pool": None}, helper | {"pool": None}]
    assert names(dataclasses.replace(alone, rows=both, listening=listening)) == problems


@pytest.mark.parametrize(
    "well",
    [
        pytest.param(in_line(outgoing=20.0, outgoing_port=5432.0), id="the line is behind it"),
        pytest.param(in_line(cpu_us=600_000.0), id="threads compute"),
        pytest.param(
            in_line(dataclasses.replace(MANY, throughput=390.0, mean_s=0.041)), id="nobody waits"
        ),
        pytest.param(
            in_line(
                dataclasses.replace(MANY, throughput=2000.0, mean_s=0.008),
                dataclasses.replace(SLOW_ALONE, mean_s=0.001),
            ),
            id="a wait of milliseconds",
        ),
        pytest.param(in_line(posted=15.0), id="a worker thread has no time left"),
        pytest.param(dataclasses.replace(in_line(), bridged=True), id="the bridge may be the line"),
    ],
)
def test_other_reasons_to_wait_are_no_line_in_the_program(well):
    assert names(well) == []


def test_a_worker_thread_that_is_the_limit_is_told_as_that():
    assert "A worker thread was the limit. It was busy" in repr(diagnosed(in_line(posted=15.0)))
    once = in_line()
    once.rows[0]["posted"] = 15.0  # a burst of a moment
    assert names(once) == ["too few connections"]


def test_a_busy_loop_is_no_line():
    rows = [row_of(t, idle_ms=0.1 * t) for t in (100, 1000, 1900)]
    busy = dataclasses.replace(in_line(), rows=rows)
    assert failures.line(busy).ms == 0


def test_a_line_for_the_processors_of_a_busy_machine_is_no_line_in_the_program():
    def waited(ms):
        return dataclasses.replace(in_line(), looks=[look({}) | {"waited_ms": ms}])

    assert names(waited(400.0)) == []
    assert names(waited(100.0)) == ["too few connections"]


def fetched(responses, read):
    return seen(CALM, rows=[row_of(t, fetched=responses, fetched_read=read) for t in (100, 1900)])


def test_bodies_that_are_not_read_are_told():
    assert names(fetched(1000.0, 20.0)) == ["bodies not read"]
    assert names(fetched(1000.0, 984.0)) == []  # the last of sixteen clients are under way
    assert names(fetched(20.0, 0.0)) == []  # too few to tell


def test_calls_that_failed_are_counted_for_each_response_of_a_phase():
    rows = [row_of(t, calls_failed=n) for t, n in ((100, 40.0), (1000, 700.0), (1900, 1040.0))]
    other = [row_of(t, pid=8, calls_failed=n) for t, n in ((110, 0.0), (1910, 1000.0))]
    phase = dataclasses.replace(CALM, answers=1000)
    assert failures.failed_calls(seen(phase, rows=rows + other)) == 2
    assert failures.failed_calls(seen(phase, rows=[row_of(100), row_of(1900)])) == 0  # a record
    assert failures.failed_calls(seen(dataclasses.replace(phase, answers=0), rows=rows)) == 0


@pytest.mark.parametrize(
    ("read", "kind", "problems"),
    [
        (20.0, "socket", ["bodies not read"]),
        (1000.0, "socket", ["descriptors left open"]),
        (20.0, "file", ["descriptors left open", "bodies not read"]),
    ],
)
def test_sockets_of_bodies_that_are_not_read_are_no_problem_of_their_own(read, kind, problems):
    loads = [dataclasses.replace(CALM, name=f"kept-{i}", answers=10_000) for i in (1, 2)]
    fields = {"heap": 1e7, "external": 0, "rss": 0}
    marks = [fields | {"descriptors": n, "kinds": {kind: n}} for n in (20, 45, 70)]
    rows = [row_of(t, fetched=1000.0, fetched_read=read) for t in (100, 1900)]
    assert names(seen(CALM, *loads, kept=marks, rows=rows)) == problems


def look(calls, sites=None):
    empty = {"n": 0, "ms": 0.0}
    streams = dict.fromkeys(("most_bytes", "most_objects", "ignored", "refused"), 0)
    total = {"requests": 100, "latency_ms": 5000.0, "alone": 0, "alone_ms": 0.0}
    return {
        **{
            "pid": 7,
            "runs": [],
            "waits": {},
            "still": {},
            "sites": sites or {},
            "streams": streams,
        },
        **{"seconds": 1.0, "waited_ms": 0.0, "busy_ms": 1.0, "named": empty},
        **{"requests": 100, "answered": 100, "latency_ms": 5000.0},
        "calls": {**total, "again": 0, **calls},
    }


def test_calls_in_turn_are_told_and_calls_side_by_side_are_not():
    turn = {"alone": 900, "alone_ms": 4500.0}
    assert names(seen(CALM, looks=[look(turn)])) == ["calls in turn"]
    assert names(seen(CALM, looks=[look({})])) == []
    # A session and a user, or calls that are a small part of the response.
    assert names(seen(CALM, looks=[look({"alone": 300, "alone_ms": 4500.0})])) == []
    assert names(seen(CALM, looks=[look({**turn, "alone_ms": 900.0})])) == []


def test_calls_again_after_a_failure_are_told():
    assert names(seen(CALM, looks=[look({"again": 300})])) == ["retry storm"]
    assert names(seen(CALM, looks=[look({"again": 60})])) == []
    failing = dataclasses.replace(CALM, answers=100, failed=500, kinds={"status 502": 500})
    # The repeated calls add to the failures, so they come first.
    assert names(seen(failing, looks=[look({"again": 300})])) == ["retry storm", "failing requests"]
    assert names(seen(failing, looks=[look({"again": 60})])) == ["failing requests"]


def test_what_waits_to_be_written_comes_before_the_memory_that_it_keeps():
    loads = [dataclasses.replace(CALM, name=f"kept-{i}", answers=1000) for i in (1, 2)]
    marks = [
        {"heap": heap, "external": 0, "rss": 0, "descriptors": 20, "kinds": {}}
        for heap in (1e7, 1e8, 2e8)
    ]
    feed = {"ignored": 7000, "refused": 1, "most_bytes": 0, "most_objects": 16_000}
    observation = seen(CALM, *loads, kept=marks, looks=[look({}) | {"streams": feed}])
    assert names(observation) == ["missing backpressure", "memory leak"]


def test_a_wait_of_seconds_for_names_comes_before_the_silence_that_it_causes():
    silent = dataclasses.replace(CALM, waiting=16, silent_s=1.9)
    assert names(seen(silent)) == ["stops answering"]
    slow_names = look({}) | {"named": {"n": 300, "ms": 450_000.0}}
    assert names(seen(silent, looks=[slow_names])) == ["slow look-ups", "stops answering"]
    short_names = look({}) | {"named": {"n": 300, "ms": 4_500.0}}
    assert names(seen(silent, looks=[short_names])) == ["stops answering", "slow look-ups"]


def test_requests_on_kept_connections_that_are_reset_are_told():
    assert names(seen(CALM, rows=[row_of(100, stale=8.0)])) == ["keep-alive mismatch"]
    assert names(seen(CALM, rows=[row_of(100, stale=1.0)])) == []


def limited(stopped):
    counted = [{"all": n, "stopped": stopped * n, "processors": 0.5} for n in (0, 20)]
    rows = [row_of(t, throttled=c) for t, c in zip((100, 1900), counted, strict=True)]
    return diagnosed(seen(CALM, rows=rows))


def test_a_cpu_limit_is_told_with_its_size():
    found = limited(0.8)
    assert found.first == "stopped by a CPU limit"
    assert "0.5 of a processor's time" in repr(found)
    assert limited(0.05).first == "nothing found"


def kept(*heaps):
    loads = [
        dataclasses.replace(CALM, name=f"kept-{i}", answers=10_000) for i in range(1, len(heaps))
    ]
    marks = [
        {"heap": heap, "external": 0, "rss": 0, "descriptors": 20, "kinds": {}} for heap in heaps
    ]
    return names(seen(CALM, *loads, kept=marks))


def test_what_levels_off_with_the_third_load_is_no_leak():
    assert kept(1e7, 2e7, 3e7) == ["memory leak"]
    assert kept(1e7, 2e7, 3e7, 4e7) == ["memory leak"]
    assert kept(1e7, 2e7, 3e7, 3.1e7) == []  # the cache was full soon
    assert kept(1e7, 2e7, 3e7, 2.9e7) == []


def test_a_third_load_shows_the_leak_of_a_program_that_answers_slowly():
    assert kept(1e7, 1.015e7, 1.03e7) == []
    assert kept(1e7, 1.015e7, 1.03e7, 1.08e7) == ["memory leak"]
    assert kept(1e7, 1.015e7, 1.03e7, 1.065e7) == []  # too little, whatever it is
    assert kept(1e7, 1.015e7, 1.014e7, 1.08e7) == []  # not again
    assert kept(1e7, 0.995e7, 1.01e7, 1.08e7) == ["memory leak"]  # code was dropped in between


READ = """
const limit = require(process.argv[1])(process.argv[2], process.argv[3]);
console.log(JSON.stringify(limit.periods()));
"""


@pytest.mark.parametrize(
    ("files", "groups", "limits"),
    [
        (
            {
                "a/b/cpu.max": "50000 100000",
                "a/b/cpu.stat": "usage_usec 9\nnr_periods 40\nnr_throttled 30\nthrottled_usec 7",
                "a/cpu.max": "max 100000",
            },
            "0::/a/b",
            {"all": 40, "stopped": 30, "processors": 0.5},
        ),
        (  # set on the group around it
            {
                "a/cpu.max": "200000 100000",
                "a/cpu.stat": "nr_periods 4\nnr_throttled 3",
                "a/b/cpu.max": "max 100000",
            },
            "0::/a/b",
            {"all": 4, "stopped": 3, "processors": 2},
        ),
        (  # the first version of cgroups
            {
                "cpu,cpuacct/x/cpu.cfs_quota_us": "25000",
                "cpu,cpuacct/x/cpu.cfs_period_us": "100000",
                "cpu,cpuacct/x/cpu.stat": "nr_periods 8\nnr_throttled 2\nthrottled_time 1",
            },
            "4:cpu,cpuacct:/x\n3:memory:/y\n0::/",
            {"all": 8, "stopped": 2, "processors": 0.25},
        ),
        ({"a/cpu.max": "max 100000", "a/cpu.stat": "nr_throttled 0"}, "0::/a", None),
        ({}, "", None),
    ],
)
def test_the_limit_is_read_from_the_group_that_has_one(tmp_path, files, groups, limits):
    for name, text in files.items():
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{text}\n")
    module = ROOT / "lab" / "node" / "clinic" / "limit.cjs"
    process = subprocess.run(
        [nodes.program(), "-e", READ, str(module), str(tmp_path), groups],
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    assert json.loads(process.stdout) == limits


def test_messages_that_a_worker_thread_has_no_time_for_are_told():
    def posted(n):
        return names(seen(CALM, rows=[row_of(t, posted=n) for t in (100, 1900)]))

    assert posted(20_000.0) == ["missing backpressure"]
    assert posted(16.0) == []  # one for each client: they are answered


DRIVER = """
const sites = require(process.argv[1])();
const Pool = require("pg-pool");
const pool = new Pool();
class Own extends Pool {}
const answer = [
  pool.query("a", "b"), new Own().query("c"),
  Pool.prototype.query.name, Pool.prototype.query.length,
  Pool.prototype.query.kept, typeof Pool.prototype.other, Object.keys(sites().query).length,
];
console.log(JSON.stringify(answer));
"""
POOL = """
module.exports = class Pool {
  constructor() { this.name = "pool"; }
  query(sql, values) { return [this.name, sql, values ?? null]; }
  other() {}
};
module.exports.prototype.query.kept = 7;
"""


def test_a_driver_is_called_as_before_and_the_line_that_calls_it_is_noted(tmp_path):
    package = tmp_path / "node_modules" / "pg-pool"
    package.mkdir(parents=True)
    (package / "index.js").write_text(POOL)
    (tmp_path / "app.cjs").write_text(DRIVER.replace("process.argv[1]", "process.argv[2]"))
    module = ROOT / "lab" / "node" / "clinic" / "drivers.cjs"
    process = subprocess.run(
        [nodes.program(), "app.cjs", str(module)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    *called, places = json.loads(process.stdout)
    assert called == [["pool", "a", "b"], ["pool", "c", None], "query", 2, 7, "function"]
    assert places >= 1


def test_jobs_of_the_pool_that_are_let_in_two_at_a_time_are_no_line_for_a_connection():
    busy = {"SCRYPTREQUEST": {"n": 100, "ms": 3500.0, "longest_ms": 60.0}}
    assert names(dataclasses.replace(in_line(), looks=[{**look({}), "waits": busy}])) == []
    names_only = {"GETADDRINFOREQWRAP": {"n": 1, "ms": 1.0, "longest_ms": 1.0}}
    found = dataclasses.replace(in_line(), looks=[{**look({}), "waits": names_only}])
    assert names(found) == ["too few connections"]


def test_lines_that_ask_a_database_wait_for_no_thread_of_the_pool():
    sites = {"query": {"/srv/app.mjs:3:1": 9}, "FSREQCALLBACK": {"/srv/app.mjs:7:1": 2}}
    starved = illnesses.diagnose(seen(CALM, looks=[look({}, sites)]), Signs(pool_wait_ms=50.0))
    (finding,) = starved.findings
    assert finding.sites == ("/srv/app.mjs:7",)


def test_timers_in_turn_are_told_as_calls_in_turn_are():
    turn = {"timed": 900, "timed_ms": 4500.0}
    assert names(seen(CALM, looks=[look(turn)])) == ["calls in turn"]
    assert names(seen(CALM, looks=[look({**turn, "timed": 300})])) == []
    assert names(seen(CALM, looks=[look({**turn, "timed_ms": 900.0})])) == []
    # Calls again after a failure, with a pause before each, are that alone.
    assert names(seen(CALM, looks=[look({**turn, "again": 300})])) == ["retry storm"]
    both = diagnosed(seen(CALM, looks=[look({**turn, "alone": 900, "alone_ms": 4500.0})]))
    assert "calls to other services, one after another" in repr(both)


CLOSELY = """
const http = require("node:http");
const http2 = require("node:http2");
const { once } = require("node:events");
const [, look, kind, text] = process.argv;
const pause = (ms) => new Promise((done) => setTimeout(done, ms));
const server = (kind === "2" ? http2 : http).createServer(eval(text));
async function asked(port) {
  if (kind !== "2") return void (await (await fetch(`http://127.0.0.1:${port}/`)).text());
  const session = http2.connect(`http://127.0.0.1:${port}`);
  await once(session.request({}).resume(), "end");
  session.close();
}
server.listen(0, "127.0.0.1", async () => {
  const { port } = server.address();
  await asked(port);
  const rest = require(look)(new Set(), new Set([server]), () => true);
  for (let i = 0; i < 3; i++) await asked(port);
  const { calls, sites } = rest();
  console.log(JSON.stringify({ ...calls, sites: Object.keys(sites.timer ?? {}).length }));
  server.close();
});
"""


SIX = "for (let i = 0; i < 6; i++) await pause(2);"


@pytest.mark.parametrize("http", ["1", "2"])
@pytest.mark.parametrize(
    ("does", "timers"),
    [
        pytest.param(f"{SIX} r.end();", 6, id="in turn"),
        pytest.param(
            f"const guard = setTimeout(() => {{}}, 60_000); {SIX} clearTimeout(guard); r.end();",
            6,
            id="beside a timer that is cleared",
        ),
        pytest.param(
            "await Promise.all([5, 6, 7, 8].map(pause)); r.end();", 1, id="beside each other"
        ),
        pytest.param(
            f"r.writeHead(200); r.write('a'); {SIX} r.end();",
            0,
            id="a response at its own pace",
        ),
        pytest.param(
            "await new Promise((done) => { let n = 0; const every = setInterval(() => {"
            " if (++n === 6) done(clearInterval(every)); }, 2); }); r.end();",
            0,
            id="an interval",
        ),
        pytest.param(f"r.end(); {SIX}", 0, id="after the response"),
    ],
)
def test_timers_for_which_a_request_waits_one_after_another_are_counted(http, does, timers):
    module = ROOT / "lab" / "node" / "clinic" / "look.cjs"
    process = subprocess.run(
        [nodes.program(), "-e", CLOSELY, str(module), http, f"(async (q, r) => {{ {does} }})"],
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    report = json.loads(process.stdout)
    assert report["requests"] == 3
    assert report["timed"] == 3 * timers
    assert report["sites"] >= (timers > 0)

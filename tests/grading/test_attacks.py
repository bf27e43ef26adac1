"""Hand-ins that want more than they are worth: no point gained, nothing read, nothing left behind,
and each is told why it got nothing.
"""

import contextlib
import os
import platform
import random
import shutil
import struct
import subprocess
import threading
import time
from pathlib import Path

import pytest
from support import supported_nodes

from lab.grading import exercise, handin, run, sandbox
from lab.processes import nodes, proctree

pytestmark = [
    pytest.mark.judges,
    pytest.mark.skipif(
        sandbox.bubblewrap() is None,
        reason="there is no bubblewrap here, and attacks run in a sandbox only",
    ),
]
HERE = Path(__file__).parent / "attacks"
ATTACKS = sorted([*HERE.glob("*.mjs"), *HERE.glob("*.cjs")])
# Those that are worth what else they do: the first line names the criterion that they are after.
ELSEWHERE = sorted((HERE / "elsewhere").glob("*.mjs"))
# Those that are ended by a limit of seconds: all of them at night, one of each kind in every run.
SLOW = {
    "floods-the-check", "heap-bomb", "loops-in-microtasks",
    "loops-while-loading", "memory-bomb", "never-settles", "returns-too-much",
    "starts-a-debugger", "stops-itself", "thread-bomb",
}  # fmt: skip


# What lies where in memory differs from Node to Node: these are tried on each that is here in every
# run, the others at night.
OF_MEMORY = {
    "calls-machine-code",
    "reads-memory-by-a-database",
    "looks-into-its-memory",
    "signs-frames",
}
# What brings the driver down is judged again, with the reference in between.
JUDGED_AGAIN = {"floods-the-check"}


def cases():
    for file in ATTACKS:
        slow = [pytest.mark.nightly] if file.stem in SLOW else []
        yield pytest.param(file, None, id=file.stem, marks=slow)
        for major, node in supported_nodes().items():
            marks = [] if file.stem in OF_MEMORY else [pytest.mark.nightly]
            if node != nodes.program():
                yield pytest.param(file, node, id=f"{file.stem}-{major}", marks=marks)


def below(pid):
    """The processes that descend from one."""
    young = descendants = proctree.children(pid)
    while young := {child for one in young for child in proctree.children(one)} - descendants:
        descendants |= young
    return descendants


@contextlib.contextmanager
def watched():
    """Every process that descends from this one meanwhile, as (pid, when it started): a detached
    one, too, for the sandbox's first process becomes its parent.

    Only these are looked at, a hundred times a second: to read all processes of the machine as
    often takes most of a processor.
    """
    processes, over = set(), threading.Event()
    before = below(os.getpid())  # what other tests keep

    def look():
        while not over.wait(0.01):
            for pid in below(os.getpid()) - before:
                processes.add((pid, proctree.start_ticks(pid)))

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield processes
    finally:
        over.set()
        thread.join()


def alive(seen):
    return {pid for pid, started in seen if started and proctree.start_ticks(pid) == started}


@pytest.mark.timeout(1800)  # it may be judged five times
@pytest.mark.parametrize(("file", "node"), list(cases()))
def test_an_attack_gains_nothing_and_is_explained(file, node, monkeypatch):
    monkeypatch.setattr(run, "TRIES", 3)  # an endless loop would be tried as often as it may be
    task = exercise.exercise(file.read_text().partition(".")[0].removeprefix("// ").strip())
    for _ in range(3):
        start_s = time.monotonic()
        with watched() as processes:
            seed = random.getrandbits(31)
            hand_in = handin.from_file(file, task)
            result = run.grade(task, hand_in, own=False, node=node, seed=seed)
        seconds = time.monotonic() - start_s
        if len(processes) >= 3 and result.outcome != "noisy":
            break  # else a busy machine did not let us look, or did not let the grader judge
    assert result.points == 0, str(result)
    if result.outcome == "noisy":  # an endless loop that gets a processor for a moment only
        assert "the machine is too busy" in str(result) and os.getloadavg()[0] > 0.1
    else:
        assert result.outcome == "graded" and result.missed[0].message
    assert "LEAK" not in str(result)
    assert "\x1b" not in str(result) + result._repr_html_()
    assert "<script" not in result._repr_html_().lower()
    assert "<img" not in result._repr_html_().lower()
    times = 3 if file.stem in JUDGED_AGAIN else 1
    if result.seed != seed or result.outcome == "noisy":
        times *= run.TRIES * run.PERIODS  # a busy machine left the verdicts before it open
    assert seconds < times * (task.limits.seconds + run.GRACE_S) + 60
    assert len(processes) >= 3  # the sandbox, the driver, the hand-in
    deadline = time.monotonic() + 60
    while alive(processes) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not alive(processes)


def test_every_attack_says_what_it_tries():
    for file in [*ATTACKS, *ELSEWHERE]:
        first = file.read_text().splitlines()[0]
        about, _, words = first.removeprefix("// ").partition(". ")
        name, _, criterion = about.partition(" ")
        assert name in exercise.names() and len(words) > 20, file.name
        assert bool(criterion) == (file in ELSEWHERE), file.name


@pytest.mark.parametrize("file", ELSEWHERE, ids=lambda file: file.stem)
def test_what_is_done_elsewhere_or_in_advance_is_no_repair(file):
    """The work is done where a criterion does not look: by a server that an earlier criterion has
    left, by a child that has ended, or with memory that was taken before.
    """
    about = file.read_text().partition(".")[0].removeprefix("// ").split()
    asked = exercise.exercise(about[0])
    result = run.grade(asked, handin.from_file(file, asked), own=False)
    [criterion] = [one for one in result.criteria if one.id == about[1]]
    assert criterion.outcome in ("missed", "void", "noisy", "left"), str(result)
    assert criterion.points == 0 and criterion.message


TWO_SERVERS = """
import { createServer } from "node:http";
const server = createServer((request, response) => response.end("pong"));
const spin = () => { for (const end = Date.now() + 5; Date.now() < end; ); setImmediate(spin); };
if (process.env.SPINS) spin();
server.listen(0, "127.0.0.1", () =>
  console.log(`listening on http://127.0.0.1:${server.address().port}`));
"""
CHECK = """
const used = (t, server) => {
  const all = t.proc.family(server.child.pid).map(t.proc.cpu);
  return all.reduce((sum, { user, system }) => sum + user + system, 0);
};
export default {
  async throughput(t) {
    const first = await t.server({ env: { SPINS: "1" } });
    const second = await t.server();
    const before = used(t, first);
    await t.sleep(700);
    t.note("others", used(t, first) - before);
    const again = await t.get(first, "/ping", { seconds: 20 });
    t.note("again", String(again.body));
    const { error } = await t.get({ port: second.listens() }, "/ping", { seconds: 1 });
    t.note("second", error);
    second.beside(first);
    const both = await t.clients(second, 1, "/ping", { seconds: 20 });
    t.note("beside", [both[0], await t.get(first, "/ping")].map(({ body }) => String(body)).join());
  },
  percentiles() {},
  support() {},
  empty() {},
};
"""


def test_of_two_processes_of_a_check_one_runs_unless_it_says_otherwise(tmp_path, monkeypatch):
    folder = tmp_path / "instruments" / "summary"
    shutil.copytree(exercise.exercise("summary").folder, folder)
    (folder / "check.mjs").write_text(CHECK)
    monkeypatch.setattr(exercise, "EXERCISES", tmp_path)
    hand_in = handin.from_text(TWO_SERVERS, "two.mjs")
    result = run.grade(exercise.exercise("summary"), hand_in, own=False)
    assert result.criteria[0].outcome == "held", str(result)
    assert result.seen["others"] <= 20
    assert result.seen["again"] == "pong"
    assert result.seen["second"] == "timeout"
    assert result.seen["beside"] == "pong,pong"


def test_other_peoples_work_is_refused_where_nothing_would_hold_it(monkeypatch):
    monkeypatch.setattr(sandbox, "bubblewrap", lambda: None)
    asked = exercise.exercise("summary")
    hand_in = handin.from_file(asked.solution, asked)
    with pytest.raises(sandbox.NoSandbox, match="bubblewrap"):
        run.grade(asked, hand_in, own=False)
    own = run.grade(asked, hand_in)
    assert own.passed and own.sandbox == "none" and "not in a sandbox" in own.line()


def test_the_checks_of_an_exercise_can_not_be_seen_from_the_sandbox_of_a_hand_in(tmp_path):
    """The test that would fail if the sandbox were not there: the same program without one."""
    asked = exercise.exercise("summary")
    spy = handin.from_file(HERE / "reads-secrets.mjs", asked)
    assert "LEAK" not in str(run.grade(asked, spy))
    assert "LEAK" in str(run.grade(asked, spy, unsandboxed=True))


def test_workers_by_another_class_are_counted_too():
    """A wrong answer that looks for a class of which nobody hears gets no more than it got."""
    task = exercise.exercise("worker-pool")
    wrong_text = (task.folder / "wrong" / "worker-each.mjs").read_text()
    import_text = (
        'import { Worker as Counted } from "node:worker_threads";\n'
        "const made = [Counted, Counted.prototype.constructor, Reflect.getPrototypeOf(Counted)];\n"
        "const Worker = made.findLast((one) => one.name === 'Worker');\n"
    )
    hidden = wrong_text.replace('import { Worker } from "node:worker_threads";\n', import_text)
    assert hidden != wrong_text
    result = run.grade(task, handin.from_text(hidden, "hidden.mjs"), own=False)
    assert result.points == 0, str(result)


CHILD = """
import { spawn } from "node:child_process";
if (!process.env.IS_CHILD) {
  const env = { ...process.env, IS_CHILD: "1" };
  spawn(process.execPath, [process.argv[1]], { env, stdio: "inherit" });
  setInterval(() => {}, 1000);
  await new Promise(() => {});
}
"""
ORPHAN = CHILD.replace(
    "if (!process.env.IS_CHILD) {",
    """if (process.env.IS_CHILD === "1") {
  const env = { ...process.env, IS_CHILD: "2" };
  spawn(process.execPath, [process.argv[1]], { env, stdio: "inherit", detached: true });
  process.exit();
} else if (!process.env.IS_CHILD) {""",
)
POOL = """
import { fork } from "node:child_process";
import { createServer as front } from "node:net";
const options = { stdio: ["ignore", "ignore", "inherit", "ipc"], execArgv: [] };
const children = [];
if (!process.send) {
  for (let at = 0; at < COUNT; at++)
    children.push(fork("/hand/ID.mjs", { ...options, env: { ...process.env, PORT: "0" } }));
  await Promise.all(children.map((child) => new Promise((done) => child.once("message", done))));
  let at = 0;
  const door = front({ pauseOnConnect: true }, (socket) => children[at++ % COUNT].send("", socket));
  door.listen(Number(process.env.PORT), "127.0.0.1", () =>
    console.log(`listening on http://127.0.0.1:${door.address().port}`));
}
const listens = (server) => {
  if (!process.send) return;
  process.on("message", (_, socket) => server.emit("connection", socket) && socket.resume());
  process.send("ready");
};
"""


@pytest.mark.parametrize(
    "above",
    ['process.title = "bwrap";\n', CHILD, ORPHAN],
    ids=["a name", "a child", "an orphan"],
)
def test_what_is_open_is_seen_whatever_a_program_is_called_and_in_its_children_too(above):
    asked = exercise.exercise("half-failing")
    plain = run.grade(asked, handin.from_text(asked.begin(), "plain.mjs"))
    hidden = run.grade(asked, handin.from_text(above + asked.begin(), "hidden.mjs"))
    assert [one.outcome for one in hidden.criteria] == [one.outcome for one in plain.criteria]
    assert "files are still open" in hidden.line() and hidden.points < hidden.of


@pytest.mark.parametrize(("name", "count"), [("one-of-five", 3), ("slow-disk-server", 4)])
def test_many_processes_that_block_are_no_repair(name, count):
    task = exercise.exercise(name)
    above = POOL.replace("COUNT", str(count)).replace("ID", name)
    instead = "if (process.send) listens(server);\nelse false && server.listen("
    text = above + task.begin().replace("server.listen(", instead)
    result = run.grade(task, handin.from_text(text, "pool.mjs"))
    assert f"started {count} other processes" in result.line(), str(result)
    assert result.points < task.points / 2


def test_another_thread_is_not_the_one_that_there_is():
    task = exercise.exercise("stats-beside-ping")
    text = task.begin()
    inner = text[text.index("const score") : text.index("const server")]
    worker = f"""
      const {{ createHash }} = require("node:crypto");
      const {{ parentPort, workerData: {{ seed, count }} }} = require("node:worker_threads");
      {inner}
      stats(seed).then((found) => parentPort.postMessage(found));"""
    text = text.replace(
        inner,
        f"const code = {worker!r};\n"
        "const stats = (seed) => new Promise((resolve) => new Worker(code, { eval: true, "
        "workerData: { seed, count } }).once('message', resolve));\n",
    )
    text = 'import { Worker } from "node:worker_threads";\n' + text
    result = run.grade(task, handin.from_text(text, "worker.mjs"))
    assert "another thread computed" in result.line(), str(result)


def answer_of(program, number, architecture, flags=0):
    """What the filter says, run as the kernel does: over the number of a call, its architecture and
    the low half of its first argument.
    """
    lines = list(struct.iter_unpack("=HBBI", program))
    operands = {0: number, 4: architecture, sandbox._FLAGS: flags}
    at, value = 0, 0
    while True:
        code, yes, no, operand = lines[at]
        at += 1
        if code == sandbox._LOAD:
            value = operands[operand]
        elif code == sandbox._RETURN:
            return operand
        else:
            holds = {
                sandbox._EQUAL: value == operand,
                sandbox._AT_LEAST: value >= operand,
                sandbox._ANY_BIT: bool(value & operand),
            }[code]
            at += yes if holds else no


@pytest.mark.parametrize(("machine", "ptrace", "read"), [("x86_64", 101, 0), ("aarch64", 117, 63)])
def test_what_looks_into_a_process_is_refused_by_whichever_number(
    machine, ptrace, read, monkeypatch
):
    monkeypatch.setattr(platform, "machine", lambda: machine)
    native, arm = sandbox._ARCHITECTURES[machine][1], machine == "aarch64"
    outer, inner = sandbox._filter(sandbox._NUMBERS), sandbox.inner_filter()
    assert answer_of(outer, ptrace, native) == sandbox._EPERM
    for program, numbers in ((outer, sandbox._NUMBERS), (inner, sandbox._INNER_NUMBERS)):
        assert answer_of(program, read, native) == sandbox._ALLOW
        answers = {answer_of(program, each[arm], native) for each in numbers.values()}
        assert answers == {sandbox._EPERM}
        assert answer_of(program, read, 0x40000003) == sandbox._KILL
        if machine == "x86_64":
            assert (
                answer_of(program, 0x40000000 + 521, native) == sandbox._EPERM
            )  # ptrace, as x32 has it
    clone, clone3 = sandbox._CLONE[arm], sandbox._CLONE3[arm]
    thread, user = 0x003D0F00, 0x10000011  # what glibc begins a thread with; CLONE_NEWUSER
    assert answer_of(inner, clone, native, thread) == sandbox._ALLOW
    assert answer_of(inner, clone, native, user) == sandbox._EPERM
    assert answer_of(inner, clone3, native) == sandbox._ENOSYS
    assert (
        answer_of(outer, clone, native, user) == sandbox._ALLOW
    )  # the inner sandbox is made by it


# Modules of Node of which somebody has asked what a hand-in could do with them to its own process.
LOOKED_AT = {
    "assert", "async_hooks", "buffer", "child_process", "cluster", "console", "constants",
    "crypto", "dgram", "diagnostics_channel", "dns", "domain", "events", "fs", "http", "http2",
    "https", "inspector", "module", "net", "os", "path", "perf_hooks", "process", "punycode",
    "querystring", "readline", "repl", "stream", "string_decoder", "sys", "timers", "tls",
    "trace_events", "tty", "url", "util", "v8", "vm", "wasi", "worker_threads", "zlib",
    "node:ffi", "node:sea", "node:sqlite", "node:test",
}  # fmt: skip


@pytest.mark.parametrize("node", list(supported_nodes().values()))
def test_every_module_of_a_node_has_been_looked_at(node):
    """A new one may read memory, or load machine code, as node:ffi does: close it in closed.cjs,
    and let calls-machine-code.mjs try it.
    """
    code = "console.log(require('node:module').builtinModules.join(' '))"
    said = subprocess.run([node, "-e", code], capture_output=True, text=True, check=True).stdout
    public = {name for name in said.split() if not name.startswith("_") and "/" not in name}
    assert public <= LOOKED_AT

import contextlib
import json
import re
import shutil
import signal
import subprocess
from dataclasses import replace
from pathlib import Path

import psutil
import pytest
from support import eventually, stopped_once_printed

import lab
from lab import claim, display, paths, plot
from lab.book.pipeline.inputs import Present
from lab.book.pipeline.usage_notes import read as read_usage
from lab.display import Table
from lab.errors import LabError
from lab.measure.program import ProgramFailed, node
from lab.processes import nodes
from lab.records import reference
from lab.records.reference import node_of
from lab.records.store import latest

pytestmark = pytest.mark.starts


@pytest.fixture(autouse=True)
def own_lock(monkeypatch, tmp_path):
    """No number is read here: no other process that measures is waited for."""
    monkeypatch.setattr("lab.processes.lock.lock_path", lambda: tmp_path / "lock")


def program(tmp_path, text):
    path = tmp_path / "program.mjs"
    path.write_text(text)
    return path


def test_json_lines_become_rows(tmp_path):
    printed = node(program(tmp_path, "console.log('{\"a\": 1}'); console.log('{\"a\": 2}');"))
    assert printed.rows == [{"a": 1}, {"a": 2}]
    assert "<table" in printed._repr_html_()


def test_other_output_stays_text_and_is_escaped(tmp_path):
    printed = node(program(tmp_path, "console.log('<b>' + process.argv[2]);"), 7)
    assert printed.rows == []
    assert repr(printed) == "<b>7\n"
    assert "&lt;b&gt;7" in printed._repr_html_()


def test_a_program_that_throws_shows_its_error(tmp_path):
    with pytest.raises(ProgramFailed, match="the reason"):
        node(program(tmp_path, "throw new Error('the reason');"))


def test_an_endless_program_is_stopped(tmp_path):
    with pytest.raises(ProgramFailed, match="did not end within 1 s"):
        node(program(tmp_path, "setInterval(() => {}, 1000);"), timeout_s=1)


def test_a_server_runs_meanwhile_and_the_program_is_told_where(tmp_path):
    text = """
      const answer = await fetch(`${process.env.SERVER_URL}/`);
      const pid = Number(process.env.SERVER_PID);
      console.log(JSON.stringify({ text: await answer.text(), pid }));
    """
    (row,) = node(program(tmp_path, text), server="node/hello").rows
    assert row["text"] == "hello world\n"
    assert not psutil.pid_exists(row["pid"])


def gone(pid):
    def is_gone():
        try:
            return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
        except psutil.NoSuchProcess:
            return True

    return eventually(is_gone)


SLEEPS = """
  import { spawn } from "node:child_process";
  const { pid } = spawn("sleep", ["900"], { stdio: "inherit" });
"""


def test_what_a_program_started_is_gone_when_it_is_stopped(tmp_path, monkeypatch):
    stopped_once_printed(monkeypatch)
    text = SLEEPS + "console.log(`pid ${pid}`); setInterval(() => {}, 1000);"
    with pytest.raises(ProgramFailed, match="Raise timeout_s") as stopped:
        node(program(tmp_path, text), timeout_s=1)
    assert gone(int(re.search(r"pid (\d+)", str(stopped.value))[1]))


def test_a_program_that_throws_shows_its_error_although_what_it_started_runs_on(tmp_path):
    text = SLEEPS + "throw new Error(`the reason, pid ${pid}`);"
    with pytest.raises(ProgramFailed, match=r"ended with code 1[\s\S]*the reason") as failed:
        node(program(tmp_path, text))
    assert gone(int(re.search(r"reason, pid (\d+)", str(failed.value))[1]))


def test_a_program_that_prints_without_end_is_stopped_and_told_why(tmp_path):
    text = "console.log('the first'); for (;;) console.log('x'.repeat(999));"
    with pytest.raises(ProgramFailed, match=r"more than 2,000,000 bytes[\s\S]*the first"):
        node(program(tmp_path, text))


def test_output_is_utf_8_and_what_is_none_is_marked(tmp_path):
    text = "process.stdout.write('ä '); process.stdout.write(Buffer.from([0xff]));"
    assert node(program(tmp_path, text)).text == "ä \ufffd"


def test_a_program_that_is_killed_says_by_what(tmp_path):
    with pytest.raises(ProgramFailed, match="ended with signal 9"):
        node(program(tmp_path, "process.kill(process.pid, 'SIGKILL');"))


@pytest.fixture
def recording(monkeypatch, tmp_path):
    monkeypatch.setattr(paths, "REFERENCE", tmp_path / "reference")
    monkeypatch.setattr(paths, "RUNS", tmp_path / "runs")
    return lambda profile, mode: (
        monkeypatch.setenv("LAB_PROFILE", profile),
        monkeypatch.setenv("LAB_MODE", mode),
    )


def test_what_the_reference_run_printed_is_replayed_without_running(recording, tmp_path):
    path = program(tmp_path, "console.log(JSON.stringify({ at: Date.now() }));")
    recording("reference", "live")
    printed = node(path, "x", experiment="a-program")
    recording("course", "replay")
    again = node(path, "x", experiment="a-program")
    assert again.rows == printed.rows
    assert "recorded" in again.note
    assert not printed.note


def test_a_record_of_another_program_or_other_arguments_is_stale(recording, tmp_path):
    (tmp_path / "part.mjs").write_text("export const a = 1;")
    path = program(tmp_path, 'import { a } from "./part.mjs"; console.log(a);')
    recording("reference", "live")
    node(path, "x", experiment="a-program")
    recording("course", "replay")
    with pytest.raises(LabError, match="arguments"):
        node(path, "y", experiment="a-program")
    (tmp_path / "part.mjs").write_text("export const a = 2;")
    with pytest.raises(LabError, match="source"):
        node(path, "x", experiment="a-program")


def test_a_program_that_moved_is_replayed_and_what_was_measured_here_is_found(recording, tmp_path):
    (tmp_path / "part.mjs").write_text("export const a = 1;")
    path = program(tmp_path, 'import { a } from "./part.mjs"; console.log(a);')
    recording("reference", "live")
    first = node(path, experiment="a-program")
    record = (paths.REFERENCE / "a-program.json").read_bytes()
    new_path = tmp_path / "deeper" / "renamed.mjs"
    new_path.parent.mkdir()
    new_path.write_text(path.read_text().replace("./part.mjs", "../part.mjs"))
    path.unlink()
    recording("course", "replay")
    assert node(new_path, experiment="a-program").text == first.text == "1\n"
    assert latest("a-program") == first.text
    assert (paths.REFERENCE / "a-program.json").read_bytes() == record
    new_path.write_text(new_path.read_text().replace("console", " console"))
    with pytest.raises(LabError, match="source"):
        node(new_path, experiment="a-program")


def test_a_missing_server_gives_the_recorded_output_or_a_note(recording, tmp_path, monkeypatch):
    path = program(tmp_path, "console.log(JSON.stringify({ a: 1 }));")
    recording("reference", "live")
    node(path, server="node/hello", experiment="with-hello")
    recording("course", "live")
    kind = type(lab.server("node/hello"))
    monkeypatch.setattr(kind, "missing", lambda _: ["hello: apt-get install hello"])
    recorded = node(path, server="node/hello", experiment="with-hello")
    assert recorded.rows == [{"a": 1}]
    assert "apt-get install hello" in recorded.note
    nothing = node(path, "other", server="node/hello", experiment="with-hello")
    assert nothing.rows == []
    assert "apt-get install hello" in nothing.note
    file = json.loads((paths.REFERENCE / "with-hello.json").read_text())
    assert list(file["question"]["arms"]) == ["node/hello"]


def test_a_missing_tool_gives_the_recorded_output_or_a_note(recording, tmp_path, monkeypatch):
    path = program(tmp_path, "console.log(JSON.stringify({ a: 1 }));")
    monkeypatch.setattr(paths, "LOADTOOLS", tmp_path)
    (tmp_path / "pm2").mkdir()
    recording("reference", "live")
    node(path, needs=["tools:pm2"], experiment="with-pm2")
    (tmp_path / "pm2").rmdir()
    with pytest.raises(LabError, match="pm2: make tools"):
        node(path, needs=["tools:pm2"], experiment="with-pm2")
    recording("course", "live")
    output = node(path, needs=["tools:pm2"], experiment="with-pm2")
    assert output.rows == [{"a": 1}]
    assert "pm2: make tools" in output.note
    shown = display.html(output)
    assert "<caption>not installed here (" in shown and "pm2: make tools" in shown
    assert "pm2: make tools" in display.html(replace(output, rows=[]))
    assert node(path, "other", needs=["tools:pm2"], experiment="with-pm2").absent


METERS = paths.ROOT / "book" / "blocking" / "off-the-loop" / "two-meters.mjs"


@pytest.mark.skipif(
    not (paths.LOADTOOLS / "pm2").is_dir(), reason="make tools brings pm2 and artillery"
)
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_what_runs_under_pm2_ends_with_the_program_however_that_ends(tmp_path, monkeypatch, how):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    began = subprocess.Popen([nodes.program(), METERS], stdout=subprocess.PIPE)
    assert eventually(lambda: list(tmp_path.glob("pm2-*/script.json")))  # artillery starts now
    everybody = psutil.Process(began.pid).children(recursive=True)
    service = [process for process in everybody if "qr-express.mjs" in " ".join(process.cmdline())]
    assert service
    began.send_signal(how)
    began.communicate(timeout=300)
    assert eventually(lambda: not any(process.is_running() for process in service))
    if how == signal.SIGTERM:
        assert not list(tmp_path.glob("pm2-*"))
        assert eventually(lambda: not any(process.is_running() for process in everybody))
    for process in everybody:  # a group that `lab.node` would have killed
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()


def test_a_tool_that_comes_makes_the_page_again(recording, tmp_path, monkeypatch):
    recording("course", "live")
    monkeypatch.setattr(paths, "LOADTOOLS", tmp_path)
    monkeypatch.setenv("LAB_USAGE_FILE", str(tmp_path / "usage"))
    path = program(tmp_path, "console.log(JSON.stringify({ a: 1 }));")
    node(path, needs=["tools:pm2"], experiment="with-pm2")
    assert "program:tools:pm2" in read_usage(tmp_path / "usage").names
    before = Present(paths.ROOT).digests(["program:tools:pm2"])
    (tmp_path / "pm2").mkdir()
    (tmp_path / "pm2" / "package.json").write_text("{}")
    assert Present(paths.ROOT).digests(["program:tools:pm2"]) != before


@pytest.mark.parametrize(
    "way", ['new URL("./child.cjs", import.meta.url)', 'await import("./child.cjs")']
)
def test_a_program_that_another_one_starts_or_imports_belongs_to_the_record(
    recording, tmp_path, way
):
    (tmp_path / "child.cjs").write_text("1;")
    path = program(tmp_path, f"console.log(typeof {way});")
    recording("reference", "live")
    node(path, experiment="a-parent")
    recording("course", "replay")
    (tmp_path / "child.cjs").write_text("2;")
    with pytest.raises(LabError, match="source"):
        node(path, experiment="a-parent")


@pytest.fixture
def installed(monkeypatch, tmp_path):
    """One real Node under the names of several: which of them are here is the test's to say."""

    def these(own, *others):
        folder = tmp_path / "nodes"
        paths = {}
        for version in (own, *others):
            there = folder / version
            there.mkdir(parents=True, exist_ok=True)
            paths[nodes.major(version)] = str(there / "node")
            if not (there / "node").exists():
                (there / "node").symlink_to(shutil.which("node"))
        own_node = str(folder / own / "node")
        monkeypatch.setattr(nodes, "program", lambda wanted=None: str(wanted or own_node))
        monkeypatch.setattr(
            nodes, "version", lambda path=None: Path(path or folder / own / "x").parent.name
        )
        monkeypatch.setattr(nodes, "known", lambda: paths)

    return these


ROWS = "console.log(JSON.stringify({ at: process.hrtime.bigint().toString() }));"
ALL = ("20.20.2", "22.23.3", "24.21.0", "26.10.0")


def on_all(path, **options):
    return node(path, experiment="on-all", versions=(22, 24, 26), **options)


def test_a_program_runs_on_each_node_and_its_rows_say_which(recording, installed, tmp_path):
    recording("course", "live")
    installed(*ALL)
    output = on_all(program(tmp_path, ROWS))
    assert [r["node"] for r in output.rows] == ["20.20.2", "22.23.3", "24.21.0", "26.10.0"]
    assert output.on(26).rows == [output.rows[-1]] and output.on(26).node == "26.10.0"
    assert "measured here" in output.note and "source" not in output.rows[0]
    with pytest.raises(LabError, match=r"no run on Node 18, only on 20\.20\.2, 22"):
        output.on(18)


def test_the_server_of_a_program_runs_on_the_same_node(recording, installed, tmp_path):
    recording("course", "live")
    installed("24.21.0", "26.10.0")
    text = """
      import { readFileSync } from "node:fs";
      const command = (pid) => readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\\0")[0];
      const both = { own: process.argv0, server: command(process.env.SERVER_PID) };
      console.log(JSON.stringify(both));
    """
    rows = on_all(program(tmp_path, text), server="node/hello").rows
    assert [r["node"] for r in rows] == ["24.21.0", "26.10.0"]
    assert all(r["own"] == r["server"] and f"/{r['node']}/" in r["own"] for r in rows)


def test_what_the_reference_run_printed_on_each_node_is_replayed(recording, installed, tmp_path):
    path = program(tmp_path, ROWS)
    recording("reference", "live")
    installed(*ALL)
    first = on_all(path)
    recording("course", "replay")
    installed("18.20.8")
    again = on_all(path)
    assert again.rows == first.rows and [one.node for one in again.versions] == [
        one.node for one in first.versions
    ]
    assert "recorded" in again.note and "recorded" in again.on(24).note


def test_a_node_that_is_not_here_is_taken_from_the_record_and_marked(
    recording, installed, tmp_path
):
    path = program(tmp_path, ROWS)
    recording("reference", "live")
    installed(*ALL)
    first = on_all(path)
    recording("course", "live")
    installed("24.99.0", "27.0.0")
    mixture = on_all(path)
    assert [(r["node"], r["source"]) for r in mixture.rows] == [
        ("22.23.3", "recorded run"),
        ("24.99.0", "measured"),
        ("26.10.0", "recorded run"),
    ]
    assert mixture.rows[2]["at"] == first.rows[3]["at"]
    assert "Node 24.99.0: measured here; 22.23.3, 26.10.0: recorded" in mixture.note
    assert [one.recorded for one in mixture.versions] == [True, False, True]
    both = mixture.on(22, 26)
    assert [r["node"] for r in both.rows] == ["22.23.3", "26.10.0"]
    assert (both.runs, both.recorded) == (1, True)
    assert (mixture.on(22, 24).runs, mixture.on(24).recorded) == (2, False)


def test_the_books_own_node_runs_although_nobody_asked_for_it(recording, installed, tmp_path):
    recording("course", "live")
    installed("27.1.0")
    printed = on_all(program(tmp_path, ROWS))
    assert [r["node"] for r in printed.rows] == ["27.1.0"]
    assert "22, 24, 26: not installed here (run make nodes)" in printed.note


def test_a_record_of_another_program_fills_no_gap(recording, installed, tmp_path):
    recording("reference", "live")
    installed(*ALL)
    on_all(program(tmp_path, ROWS))
    recording("course", "live")
    installed("24.21.0")
    other = on_all(program(tmp_path, ROWS + " // changed"))
    assert [r["node"] for r in other.rows] == ["24.21.0"]
    gone = other.on(26)
    assert gone.absent and gone.rows == [] and other.on(24, 26).absent
    assert "no run on Node 26" in gone.note and "make nodes" in gone.note
    judged = claim("mine", 3, sentence="A.", above=2, exact=True, of=gone, node=">=26", because="b")
    assert (judged.verdict, judged.holds, judged.because) == ("no verdict", None, gone.note)


def test_what_is_made_of_several_nodes_says_which_of_them_are_recorded(
    recording, installed, tmp_path
):
    path = program(tmp_path, "console.log(JSON.stringify({ ns: 1234.5 }));")
    recording("reference", "live")
    installed(*ALL)
    on_all(path)
    recording("course", "live")
    installed("24.99.0")
    mixture = on_all(path)
    rows = [{"on": row["node"], "ns": row["ns"]} for row in mixture.rows]
    origin = "Node 24.99.0: measured here; 22.23.3, 26.10.0: recorded"
    options = {"x": "on", "y": "ns", "of": mixture}
    for thing in (
        Table(rows, "Costs", of=mixture),
        plot.dots(rows, caption="Costs", x_scale="names", **options),
        plot.bars(rows, caption="Costs", **options),
    ):
        assert origin in thing._repr_html_()


def test_a_reference_run_wants_every_node_that_a_page_asks_for(recording, installed, tmp_path):
    recording("reference", "live")
    installed("20.20.2", "24.21.0")
    with pytest.raises(LabError, match=r"no Node 22, 26 here[\s\S]*make nodes"):
        on_all(program(tmp_path, ROWS))
    assert not (paths.REFERENCE / "on-all.json").exists()


def test_on_several_nodes_a_program_must_print_rows(recording, installed, tmp_path):
    recording("course", "live")
    installed("24.21.0")
    with pytest.raises(ProgramFailed, match=r"On 24\.21\.0, .* printed none"):
        on_all(program(tmp_path, "console.log('text');"))


def test_a_node_that_comes_or_goes_makes_the_page_again(
    recording, installed, tmp_path, monkeypatch
):
    recording("course", "live")
    installed("24.21.0")
    monkeypatch.setenv("LAB_USAGE_FILE", str(tmp_path / "usage"))
    on_all(program(tmp_path, ROWS))
    assert {"node:22", "node:24", "node:26"} <= read_usage(tmp_path / "usage").names
    before = Present(paths.ROOT).digests(["node:26"])
    installed("24.21.0", "26.10.0")
    after = Present(paths.ROOT).digests(["node:26"])
    assert (before, after) == ({"node:26": "absent"}, {"node:26": "26.10.0"})


def test_a_program_says_which_node_ran_it_also_in_replay(recording, installed, tmp_path):
    path = program(tmp_path, ROWS)
    recording("reference", "live")
    installed("24.21.0")
    assert node(path, experiment="a-program").node == "24.21.0"
    recording("course", "replay")
    installed("26.10.0")
    assert node(path, experiment="a-program").node == "24.21.0"
    assert node_of("a-program", "replay") == "24.21.0"
    assert node_of("a-program", "live") == "26.10.0"


def test_a_record_is_of_the_node_that_it_names_else_of_the_recorded_run(recording, monkeypatch):
    """Each kind of record says it in its own place; a program of several Nodes names none."""
    real, version = paths.DATA / "reference", reference.recorded_node()
    recording("course", "replay")  # the records of this test are elsewhere
    paths.REFERENCE.mkdir()
    monkeypatch.setattr(reference, "recorded_node", lambda: "1.1.1")
    for name, old_text, says in (
        ("pool-full-nodes.json", "5.5.5", "1.1.1"),  # in its rows, which are of several
        ("pool-calls.json", "2.2.2", "2.2.2"),
        ("pool-hash.json", "3.3.3", "3.3.3"),
        ("pool-trace.trace.json", "4.4.4", "4.4.4"),
    ):
        text = (real / name).read_text()
        assert version in text
        (paths.REFERENCE / name).write_text(text.replace(version, old_text))
        assert node_of(reference.experiment_of(name)) == says

import json
import re

import psutil
import pytest
from conftest import eventually

import lab
from lab import paths
from lab.errors import LabError
from lab.node_program import ProgramFailed, node


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


def test_the_trips_of_the_file_chapter_are_four():
    small = paths.ROOT / "LICENSE"
    rows = {r["style"]: r for r in node(paths.ROOT / "book/blocking/four-trips.mjs", small).rows}
    assert rows["sync"]["turns"] == 0
    assert round(rows["async"]["turns"]) == round(rows["promises"]["turns"]) == 4
    assert rows["async"]["promises"] == 0 < rows["promises"]["promises"]


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
  const { pid } = spawn("sleep", ["300"], { stdio: "inherit" });
"""


def test_what_a_program_started_is_gone_when_it_is_stopped(tmp_path):
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
    made = node(path, "x", experiment="a-program")
    recording("course", "replay")
    again = node(path, "x", experiment="a-program")
    assert again.rows == made.rows
    assert "recorded" in again.note
    assert not made.note


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


def test_a_program_that_another_one_starts_belongs_to_the_record(recording, tmp_path):
    (tmp_path / "child.cjs").write_text("1;")
    path = program(tmp_path, 'console.log(typeof new URL("./child.cjs", import.meta.url));')
    recording("reference", "live")
    node(path, experiment="a-parent")
    recording("course", "replay")
    (tmp_path / "child.cjs").write_text("2;")
    with pytest.raises(LabError, match="source"):
        node(path, experiment="a-parent")

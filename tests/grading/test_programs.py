"""The programs of a check: which of them run, and how they are ended."""

import dataclasses
import shutil

import pytest

from lab.grading import exercise, handin, run

SERVER = """
import { createServer } from "node:http";
const server = createServer((request, response) => response.end("pong"));
server.listen(0, "127.0.0.1", () =>
  console.log(`listening on http://127.0.0.1:${server.address().port}`));
"""
# A client of the first criterion asks on, and a program is stopped before it has begun.
LEFT_OVER = """
export default {
  async throughput(t) {
    const server = await t.server();
    server.signal("SIGTERM");
    const asks = setInterval(() => server.port, 1);
    setTimeout(() => clearInterval(asks), 3000);
    await t.until(() => server.end, 10_000);
    throw server.early();
  },
  async percentiles(t) {
    const server = await t.server();
    const answer = await t.get(server, "/", { seconds: 10 });
    t.equal(String(answer.body), "pong", "the next server did not answer");
  },
};
"""
STOPPED = """
export default {
  async throughput(t) {
    const starting = t.server({ seconds: 30 }).catch(() => {});
    const [own] = [...t.job.started].slice(-1);
    await t.until(() => t.proc.family(own.child.pid).length > 1, 10_000);
    for (const pid of t.proc.family(own.child.pid)) process.kill(pid, "SIGSTOP");
    own.kill();
    t.ok(await t.until(() => own.end, 10_000), "a program that had been stopped was not ended");
    await starting;
  },
};
"""


@pytest.fixture
def checked(tmp_path, monkeypatch):
    """Judges a server by a check of the test's own."""

    def by(check, *ids):
        summary = exercise.exercise("summary")
        folder = tmp_path / "instruments" / "summary"
        shutil.copytree(summary.folder, folder)
        (folder / "check.mjs").write_text(check)
        monkeypatch.setattr(exercise, "EXERCISES", tmp_path)
        criteria = [dataclasses.replace(one, needs=()) for one in summary.criteria if one.id in ids]
        task = dataclasses.replace(summary, criteria=tuple(criteria))
        return run.grade(task, handin.from_text(SERVER, "server.mjs"))

    return by


@pytest.mark.judges
def test_a_client_of_a_server_that_has_ended_does_not_stop_the_next_server(checked):
    first, second = checked(LEFT_OVER, "throughput", "percentiles").criteria
    assert (first.outcome, second.outcome) == ("missed", "held"), str(second)
    assert "ended by SIGTERM" in first.message


@pytest.mark.judges
def test_a_program_that_was_stopped_while_its_sandbox_began_is_ended(checked):
    (criterion,) = checked(STOPPED, "throughput").criteria
    assert criterion.outcome == "held", str(criterion)

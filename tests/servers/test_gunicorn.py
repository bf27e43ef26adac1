"""A worker that takes too long is ended by gunicorn: the reader is told, and what to do."""

from dataclasses import replace

import pytest

import lab
from lab.servers import catalog

pytestmark = pytest.mark.starts

# Answers the request that verifies it; later ones as gunicorn does while it ends a worker.
ENDS_ITS_WORKERS = """
const server = require("node:http").createServer((request, response) => {
  if (asked++) {
    console.error("[2026-01-01 00:00:00 +0000] [7] [CRITICAL] WORKER TIMEOUT (pid:8)");
    response.statusCode = 500;
  }
  response.end("answer\\n");
});
let asked = 0;
server.listen(Number(process.env.PORT), "127.0.0.1", () =>
  console.log(`listening on http://127.0.0.1:${server.address().port}`));
"""


@pytest.fixture
def places(monkeypatch, tmp_path):
    monkeypatch.setattr("lab.paths.RUNS", tmp_path / "runs")
    monkeypatch.setattr("lab.processes.lock.lock_path", lambda: tmp_path / "lock")


def test_a_worker_that_is_ended_at_the_start_is_told_with_the_next_step():
    recipe = lab.server("python/gunicorn-sleep", workers=1, env={"DELAY_MS": 60_000})
    *head, application = recipe.command
    hasty = replace(recipe, command=(*head, "--timeout", "1", application))
    with pytest.raises(lab.LabError, match="longer --timeout"):
        hasty.start()


def test_workers_that_are_ended_under_load_leave_a_trial_that_says_what_to_do(places):
    catalog.define("node/test-7-ends-its-workers", ENDS_ITS_WORKERS)
    trial = lab.load("node/test-7-ends-its-workers", requests=5, connections=1, warmup=0)
    assert trial.checks["no_errors"].status == "fail"
    assert "longer --timeout" in trial.checks["no_errors"].text


def test_other_failures_get_no_advice_that_does_not_fit(places):
    silent = ENDS_ITS_WORKERS.replace("WORKER TIMEOUT", "something else")
    catalog.define("node/test-7-only-fails", silent)
    trial = lab.load("node/test-7-only-fails", requests=5, connections=1, warmup=0)
    assert trial.checks["no_errors"].status == "fail"
    assert "--timeout" not in trial.checks["no_errors"].text

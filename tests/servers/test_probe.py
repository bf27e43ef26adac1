import itertools
import resource
import statistics
import textwrap
import time

import pytest
from support import eventually, linux

import lab
from lab.servers import probe

pytestmark = pytest.mark.starts
alone = pytest.mark.alone  # by the clock: what runs beside it takes its time


def rows_of(running, least=1):
    return eventually(lambda: rows if len(rows := running.resources().probe) >= least else [])


@alone
def test_an_idle_server_has_no_delay_and_no_utilisation():
    with lab.server("node/hello").start() as running:
        rows = rows_of(running, 6)[2:]
    assert statistics.median(row["delay_mean_us"] for row in rows) < 5000, "resolution subtracted"
    assert all(0 <= row["elu"] <= 1 for row in rows)
    assert statistics.median(row["elu"] for row in rows) < 0.3
    assert all(row["loop_count"] > 0 for row in rows)


@alone
def test_rows_are_a_tenth_of_a_second_apart_and_in_epoch_microseconds():
    with lab.server("node/hello").start() as running:
        rows = rows_of(running, 5)
        now_us = time.time() * 1e6
    steps = [b["t_us"] - a["t_us"] for a, b in itertools.pairwise(rows)]
    assert 95_000 < statistics.median(steps) < 200_000
    assert abs(rows[-1]["t_us"] - now_us) < 5e6


@alone
def test_a_block_is_seen_even_when_it_begins_right_after_a_sample(program, hello):
    # In the very turn of the loop in which the probe wrote a row and began a new one.
    block = """
    import fs from "node:fs";
    const write = fs.writeSync;
    fs.writeSync = (...row) => {
      setImmediate(() => {
        const until = performance.now() + 60;
        while (performance.now() < until);
      });
      return write(...row);
    };
    """
    with program(textwrap.dedent(block) + hello).start() as running:
        rows = rows_of(running, 6)[1:]
    assert all(row["delay_max_us"] > 35_000 for row in rows)


@alone
def test_utilisation_is_that_of_the_last_tenth_and_not_since_the_start():
    with lab.server("node/freeze", env={"FREEZE_MS": 1500}).start() as running:
        running.get("/freeze")
        rows = eventually(lambda: calm_after_storm(running.resources().probe))
    assert rows, "after a second and a half of work, a mean since the start stays high for long"


def calm_after_storm(rows):
    storm = [row["t_us"] for row in rows if row["elu"] > 0.9]
    return [row for row in rows if storm and row["t_us"] > storm[-1] and row["elu"] < 0.1]


def test_the_probe_keeps_no_process_alive(program):
    recipe = program("""
        import { createServer } from "node:http";
        const server = createServer((_request, response) => {
          response.setHeader("connection", "close").end("bye\\n");
          setTimeout(() => server.close(), 200);
        });
        server.listen(Number(process.env.PORT), "127.0.0.1", () => {
          console.log(`listening on http://127.0.0.1:${server.address().port}`);
        });
    """)
    with recipe.start() as running:
        assert running.died(60), "the loop is empty, so Node ends"
        assert running.exit_code == 0


def test_every_process_of_a_cluster_writes_a_file_of_its_own(program):
    recipe = program("""
        import cluster from "node:cluster";
        import { createServer } from "node:http";
        if (cluster.isPrimary) {
          cluster.fork();
          cluster.fork();
          cluster.once("listening", (_worker, address) =>
            console.log(`listening on http://127.0.0.1:${address.port}`));
          process.once("SIGTERM", () => process.exit(0));
        } else {
          createServer((_request, response) => response.end("x")).listen(
            Number(process.env.PORT), "127.0.0.1");
        }
    """)
    with recipe.start() as running:
        pids = eventually(
            lambda: (
                found
                if len(found := {row["pid"] for row in running.resources().probe}) == 3
                else None
            )
        )
        assert pids == set(running.tree())


def test_threads_of_a_server_are_not_taken_for_the_server(program):
    recipe = program("""
        import { createServer } from "node:http";
        import { Worker } from "node:worker_threads";
        new Worker("setInterval(() => {}, 1000)", { eval: true });
        const server = createServer((_request, response) => response.end("x"));
        server.listen(Number(process.env.PORT), "127.0.0.1", () => {
          console.log(`listening on http://127.0.0.1:${server.address().port}`);
        });
        process.once("SIGTERM", () => process.exit(0));
    """)
    with recipe.start() as running:
        rows = rows_of(running, 5)
    steps = [b["t_us"] - a["t_us"] for a, b in itertools.pairwise(rows)]
    assert statistics.median(steps) > 90_000, "one writer"


def test_a_half_written_last_line_is_left_out(tmp_path):
    prefix = tmp_path / "x.probe"
    (tmp_path / "x.probe.7").write_text('{"t_us": 2, "elu": 0.5}\n{"t_us": 3, "el')
    (tmp_path / "x.probe.8").write_text('{"t_us": 1}\nnot json\n{"elu": 1}\n')
    assert probe.rows(prefix) == [{"t_us": 1, "pid": 8}, {"t_us": 2, "elu": 0.5, "pid": 7}]
    assert probe.rows(prefix, since_us=2) == [{"t_us": 2, "elu": 0.5, "pid": 7}]


def test_the_files_of_the_probe_are_gone_after_the_server_and_its_rows_are_kept():
    with lab.server("node/hello").start() as running:
        rows_of(running, 2)
        running.stop()
        assert len(running.resources().probe) >= 2
        assert not probe.files(running.probe_path)


def test_a_probe_that_cannot_write_does_not_disturb_the_server(tmp_path, monkeypatch):
    monkeypatch.setattr(probe, "files", lambda prefix: [])
    with lab.server(
        "node/hello", env={"NODE_OPTIONS": f"--require {no_writing(tmp_path)}"}
    ).start() as running:
        time.sleep(0.3)
        assert running.get().status == 200
        assert "Error" not in running.log()


@linux
def test_a_server_without_a_free_descriptor_lives_and_what_can_be_read_is_told():
    with lab.server("node/hello").start() as running:
        rows_of(running, 2)
        least = resource.prlimit(running.pid, resource.RLIMIT_NOFILE)
        resource.prlimit(running.pid, resource.RLIMIT_NOFILE, (3, least[1]))
        before = len(running.resources().probe)
        later = rows_of(running, before + 4)[before + 2 :]
        resource.prlimit(running.pid, resource.RLIMIT_NOFILE, least)
        assert not running.died(0.1)
        assert later
        assert all("rss" not in row and row["elu"] >= 0 for row in later)
        assert running.get().status == 200


def test_a_probe_that_found_no_descriptor_for_its_file_tries_again(tmp_path):
    path = tmp_path / "none-at-first.cjs"
    path.write_text("""
        const fs = require("node:fs");
        const open = fs.openSync;
        fs.openSync = (file, flags, ...mode) => {
          if (flags !== "a" || performance.now() > 500) return open(file, flags, ...mode);
          throw Object.assign(new Error("too many open files"), { code: "EMFILE" });
        };
    """)
    with lab.server("node/hello", env={"NODE_OPTIONS": f"--require {path}"}).start() as running:
        assert rows_of(running, 2)


def no_writing(folder):
    """A preload after which every write to a file fails as on a full disk. What is read is left
    alone: Node itself may read its modules by `fs.openSync`, as 22.23 does.
    """
    path = folder / "full.cjs"
    path.write_text("""
        const fs = require("node:fs");
        const open = fs.openSync;
        fs.openSync = (file, flags, ...mode) => {
          if (flags !== "a") return open(file, flags, ...mode);
          throw Object.assign(new Error("no space left"), { code: "ENOSPC" });
        };
    """)
    return path

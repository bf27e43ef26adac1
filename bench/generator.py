#!/usr/bin/env python3
"""Print how fast and how exact the load generator is, next to wrk and next to the truth.

Throughput: one nginx worker on core 0, one client on core 1, a 64-byte body, keep-alive; pairs of
generator and wrk in ABBA order. Latency: a server that answers after exactly 20 ms, with
keep-alive, with `Connection: close`, closing every 10. Open loop: how late requests leave.
Needs Linux with two cores, node, nginx and wrk; standard library only.
"""

from __future__ import annotations

import argparse
import array
import contextlib
import json
import os
import re
import resource
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

from lab.processes import nodes

ROOT = Path(__file__).resolve().parent.parent
GENERATOR = ROOT / "lab/node/loadgen/main.mjs"
CALIBRATION_SERVER = ROOT / "lab/node/loadgen/calibration-server.mjs"
SERVER_CPU, CLIENT_CPU = 0, 1
BODY_BYTES = 64
DELAY_MS = 20
MODES = ("keep-alive", "close", "every-10")
RATIO_TARGET = 0.8
BIAS_TARGET_MS = 1.0
# A busy machine spoils a second here and there: the middle of three short runs counts.
BIAS_ROUNDS = 3

NGINX_CONF = """
daemon off; master_process off; worker_processes 1; pid nginx.pid; error_log stderr warn;
events {{ worker_connections 4096; }}
http {{
  access_log off; keepalive_requests 1000000000; default_type text/plain;
  client_body_temp_path tmp; proxy_temp_path tmp; fastcgi_temp_path tmp;
  uwsgi_temp_path tmp; scgi_temp_path tmp;
  server {{ listen 127.0.0.1:{port} backlog=4096; location / {{ return 200 "{body}"; }} }}
}}
"""


def pinned(cpu: int, *command: str | Path) -> list[str]:
    """The command line that runs `command` on one core."""
    return ["taskset", "-c", str(cpu), *map(str, command)]


@contextlib.contextmanager
def process(command: list[str], **options) -> Iterator[subprocess.Popen]:
    """A child that is gone when the block is left."""
    child = subprocess.Popen(command, **options)
    try:
        yield child
    finally:
        child.send_signal(signal.SIGTERM)
        try:
            child.wait(3)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()


@contextlib.contextmanager
def nginx(directory: Path) -> Iterator[str]:
    """URL of an nginx with one worker on the server's core."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    conf = directory / "nginx.conf"
    conf.write_text(NGINX_CONF.format(port=port, body="x" * BODY_BYTES))
    command = pinned(SERVER_CPU, "nginx", "-p", directory, "-e", "stderr", "-c", conf)
    with process(command, stderr=subprocess.DEVNULL) as child:
        url = f"http://127.0.0.1:{port}/"
        deadline = time.monotonic() + 10
        while not answers(url):
            if child.poll() is not None or time.monotonic() > deadline:
                sys.exit("nginx does not answer; run it by hand with the configuration above")
            time.sleep(0.02)
        yield url


def answers(url: str) -> bool:
    """Whether the body comes as it should."""
    try:
        with urllib.request.urlopen(url, timeout=1) as answer:
            return len(answer.read()) == BODY_BYTES
    except OSError:
        return False


@contextlib.contextmanager
def calibration_server() -> Iterator[str]:
    """URL of the server with exact delays."""
    command = pinned(SERVER_CPU, nodes.program(), CALIBRATION_SERVER)
    with process(
        command, stdout=subprocess.PIPE, text=True, env={**os.environ, "PORT": "0"}
    ) as child:
        yield child.stdout.readline().split()[-1] + "/"


def generate(
    stream: dict, warmup_s: float, measure_s: float
) -> tuple[dict, dict[str, array.array]]:
    """Result and columns of one run of the generator with one stream."""
    with tempfile.TemporaryDirectory() as raw_dir:
        spec = {
            "streams": [{"name": "main", **stream}],
            "warmup_s": warmup_s,
            "measure_s": measure_s,
            "raw_dir": raw_dir,
        }
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        with process(pinned(CLIENT_CPU, nodes.program(), GENERATOR), **pipes) as child:
            child.stdin.write(json.dumps(spec) + "\n")
            child.stdin.flush()
            result = json.loads(child.stdout.readlines()[-1])
        if result["event"] == "error":
            sys.exit(f"the generator says: {result['message']}")
        raw = result["streams"][0]["raw"]
        columns = {}
        with Path(raw["file"]).open("rb") as file:
            for column in raw["columns"]:
                columns[column["name"]] = values = array.array(
                    {"u32": "I", "i16": "h", "u16": "H"}[column["type"]]
                )
                values.fromfile(file, raw["rows"])
        return result, columns


def in_window(result: dict, columns: dict[str, array.array], name: str) -> list[int]:
    """The values of one column for answered requests that ended in the window."""
    start, end = result["window_us"]
    rows = zip(columns["t_end_us"], columns["status"], columns[name], strict=True)
    return [value for t, status, value in rows if start <= t <= end and status == 200]


def generator_throughput(url: str, connections: int, seconds: float) -> tuple[float, float]:
    """Answers per second in the window, and the client's CPU share."""
    stream = {
        "url": url,
        "connections": connections,
        "expect": {"status": 200, "bytes": BODY_BYTES},
    }
    result, columns = generate(stream, 0.5, seconds)
    counts = result["streams"][0]["counts"]
    if not counts["sent"] == counts["ok"] + counts["in_flight_at_end"] == len(columns["status"]):
        sys.exit(f"the generator had errors: {counts}")
    start, end = result["window_us"]
    client = result["client"]
    throughput = len(in_window(result, columns, "status")) / (end - start) * 1e6
    return throughput, client["cpu_s"] / client["wall_s"]


def wrk_throughput(url: str, connections: int, seconds: float) -> tuple[float, float]:
    """Answers per second as wrk counts them, and its CPU share."""
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    command = pinned(CLIENT_CPU, "wrk", "-t1", f"-c{connections}", f"-d{seconds:g}s", url)
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert "Non-2xx" not in text and "Socket errors" not in text, text
    after, elapsed = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic() - started
    cpu_s = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return float(re.search(r"Requests/sec:\s+([\d.]+)", text)[1]), cpu_s / elapsed


def compare_throughput(pairs: int, seconds: float, connections: int) -> dict:
    """Ratios generator/wrk of interleaved pairs."""
    rows = []
    with tempfile.TemporaryDirectory() as directory, nginx(Path(directory)) as url:
        for pair in range(pairs):
            order = ("generator", "wrk") if pair % 2 == 0 else ("wrk", "generator")
            row = {}
            for tool in order:
                if tool == "wrk":
                    found = wrk_throughput(url, connections, max(1, round(seconds)))
                else:
                    found = generator_throughput(url, connections, seconds)
                row[tool], row[f"{tool}_cpu"] = found
            row["ratio"] = row["generator"] / row["wrk"]
            rows.append(row)
            shown = "  ".join(f"{tool} {row[tool]:8,.0f}/s" for tool in ("generator", "wrk"))
            cpu = f"client CPU {row['generator_cpu']:.0%}, {row['wrk_cpu']:.0%}"
            print(f"  pair {pair + 1}: {shown}  ratio {row['ratio']:.3f}  ({cpu})")
    ratios = [row["ratio"] for row in rows]
    return {
        "ratio_min": min(ratios),
        "ratio_median": statistics.median(ratios),
        "ratio_max": max(ratios),
        "pairs": rows,
    }


def latency_bias(seconds: float) -> list[dict]:
    """Measured minus true latency, per connection mode and number of connections."""
    rows = []
    with calibration_server() as url:
        for mode in MODES:
            for connections in (1, 10):
                stream = {
                    "url": f"{url}?delay_ms={DELAY_MS}&mode={mode}",
                    "connections": connections,
                }
                rounds = [bias_and_little(stream, seconds / 2) for _ in range(BIAS_ROUNDS)]
                biases_ms = sorted(bias_ms for bias_ms, _ in rounds)
                littles = [little for _, little in rounds]
                row = {
                    "mode": mode,
                    "connections": connections,
                    "bias_ms": statistics.median(biases_ms),
                    "bias_range_ms": [biases_ms[0], biases_ms[-1]],
                    "little_range": [min(littles), max(littles)],
                }
                rows.append(row)
                print(
                    f"  {mode:10} {connections:3} connections: p50 bias {row['bias_ms']:+.3f} ms"
                    f" ({biases_ms[0]:+.3f} to {biases_ms[-1]:+.3f}),"
                    f" X R / N {min(littles):.3f} to {max(littles):.3f}"
                )
    return rows


def bias_and_little(stream: dict, seconds: float) -> tuple[float, float]:
    """Median latency minus the truth in ms, and X R / N, of one run."""
    result, columns = generate(stream, 0.3, seconds)
    latencies = in_window(result, columns, "latency_us")
    start, end = result["window_us"]
    little = sum(latencies) / (end - start) / stream["connections"]
    return statistics.median(latencies) / 1000 - DELAY_MS, little


def send_lateness(seconds: float) -> list[dict]:
    """How late open-loop requests leave, and what the client's CPU share is."""
    rows = []
    with calibration_server() as url:
        for rate in (100, 1000, 5000):
            stream = {"url": url, "connections": 100, "loop": "open", "rate_per_s": rate}
            result, columns = generate(stream, 0.3, seconds)
            late = sorted(in_window(result, columns, "late_us"))
            client = result["client"]
            rows.append(
                {
                    "rate_per_s": rate,
                    "late_p50_us": statistics.median(late),
                    "late_p99_us": late[int(0.99 * len(late))],
                    "cpu": client["cpu_s"] / client["wall_s"],
                }
            )
            print(
                f"  {rate:5}/s: late p50 {rows[-1]['late_p50_us']:.0f} us,"
                f" p99 {rows[-1]['late_p99_us']} us, client CPU {rows[-1]['cpu']:.0%}"
            )
    return rows


def main() -> None:
    """Run the parts, print them, exit 1 if a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=6)
    parser.add_argument(
        "--seconds", type=float, default=2, help="measured per run, after 0.5 s warm-up"
    )
    parser.add_argument("--connections", type=int, default=50)
    parser.add_argument("--only", choices=("throughput", "latency", "open"))
    parser.add_argument("--json", type=Path, help="also store the figures in this file")
    options = parser.parse_args()
    missing = [tool for tool in ("nginx", "wrk", "taskset") if shutil.which(tool) is None]
    if missing:
        sys.exit(f"missing: {', '.join(missing)}; install them to run this benchmark")
    if (os.cpu_count() or 1) < 2:
        sys.exit("missing: a second core; client and server need one each")

    figures: dict = {}
    misses = []
    if options.only in (None, "throughput"):
        print(f"throughput against nginx, {options.connections} connections, one core each:")
        figures["throughput"] = throughput = compare_throughput(
            options.pairs, options.seconds, options.connections
        )
        print(
            "  ratio min {ratio_min:.3f}, median {ratio_median:.3f}, max {ratio_max:.3f}".format(
                **throughput
            )
        )
        if throughput["ratio_median"] < RATIO_TARGET:
            misses.append(f"median ratio {throughput['ratio_median']:.3f} < {RATIO_TARGET}")
    if options.only in (None, "latency"):
        print(f"latency bias against a server that takes exactly {DELAY_MS} ms:")
        figures["latency"] = latency_bias(options.seconds)
        worst = max(abs(row["bias_ms"]) for row in figures["latency"])
        if worst > BIAS_TARGET_MS:
            misses.append(f"bias {worst:.3f} ms > {BIAS_TARGET_MS} ms")
    if options.only in (None, "open"):
        print("open loop, Poisson: how late requests leave")
        figures["open"] = send_lateness(options.seconds)
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1) + "\n")
    if misses:
        sys.exit("missed: " + "; ".join(misses))


if __name__ == "__main__":
    main()

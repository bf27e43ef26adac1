#!/usr/bin/env python3
"""Print the throughput of our generator over that of other load tools, on three servers.

Per server and tool: pairs in ABBA order, a fresh server process for each run, the server on one
core and the client on another, 10 connections, 1 s after a short priming. The tools must agree
where the server is the limit; where the client is (nginx), the ratio compares the clients. ab
speaks HTTP/1.0, which Node answers with a close: there both use a new connection per request.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from lab import files, stats
from lab.display import Table
from lab.instruments.adapters import ToolResult, ToolSpec, adapter
from lab.processes.lock import measuring
from lab.processes.machine import machine
from lab.processes.pinning import split
from lab.servers.catalog import server
from lab.servers.recipe import Recipe

SERVERS = ("nginx", "node/hello", "node/read-sync")
TOOLS = ("wrk", "hey", "ab", "autocannon-fixed")
CONNECTIONS = 10
FILE_BYTES = 100_000
NGINX = """
daemon off; master_process off; worker_processes 1; pid nginx.pid; error_log stderr crit;
events {{ worker_connections 4096; }}
http {{
  access_log off; keepalive_requests 1000000000; default_type text/plain; sendfile on;
  client_body_temp_path tmp; proxy_temp_path tmp; fastcgi_temp_path tmp;
  uwsgi_temp_path tmp; scgi_temp_path tmp;
  server {{ listen 127.0.0.1:PORT backlog=4096; root {root}; index hello.txt; }}
}}
"""


@contextlib.contextmanager
def recipe(name: str) -> Iterator[Recipe]:
    """A server that serves the same bytes at / each time it is started."""
    if name == "node/read-sync":
        yield server(name, env={"FILE": str(files.make("cross-check.txt", FILE_BYTES))})
    elif name != "nginx":
        yield server(name)
    else:
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "hello.txt").write_text("hello world\n")
            config = Path(folder) / "nginx.conf"
            template = config.with_suffix(".in")
            template.write_text(NGINX.format(root=folder))
            start = (
                f"sed s/PORT/{{port}}/ {template} > {config} && exec nginx -p {folder} -c {config}"
            )
            command = ("sh", "-c", start)
            yield Recipe("nginx/static", command, "system", {}, (template,), listening="connect")


def once(what: Recipe, tool: str, seconds: float, fresh: bool) -> ToolResult:
    """One run of a tool against a fresh process of the server."""
    theirs, ours = split(True, None)
    with what.start(cpus=theirs) as running:
        url = running.url.rstrip("/") + "/"
        adapter("ours").run(ToolSpec(url, CONNECTIONS, 0.3, fresh=fresh, cpus=ours))
        return adapter(tool).run(ToolSpec(url, CONNECTIONS, seconds, fresh=fresh, cpus=ours))


def compare(name: str, tool: str, pairs: int, seconds: float) -> tuple[stats.Ratio, dict]:
    """(ours over the tool's, the figures of every run) for one server."""
    fresh = tool == "ab" and name != "nginx"
    rates: dict[str, list[float]] = {"ours": [], tool: []}
    with recipe(name) as what:
        for block in stats.abba(["ours", tool], pairs, seed=1):
            with measuring():
                for arm in block:
                    result = once(what, arm, seconds, fresh)
                    rates[arm].append(result.throughput_per_s or 0.0)
    ratio = stats.paired_ratio(rates["ours"], rates[tool], a="ours", b=tool)
    return ratio, {"server": name, "tool": tool, "fresh": fresh, "per_s": rates}


def main() -> int:
    """Measure, print a row per server and tool, and write all figures where --json says."""
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("--server", choices=SERVERS, action="append")
    ask.add_argument("--tool", choices=TOOLS, action="append")
    ask.add_argument("--pairs", type=int, default=6)
    ask.add_argument("--seconds", type=float, default=1.0)
    ask.add_argument("--json", type=Path)
    options = ask.parse_args()
    rows, all_figures = [], []
    for name in options.server or SERVERS:
        for tool in options.tool or TOOLS:
            presence = adapter(tool).present()
            if not presence:
                print(f"{tool} left out: {presence.install}", file=sys.stderr)
                continue
            ratio, figures = compare(name, tool, options.pairs, options.seconds)
            all_figures.append(figures | {"ratio": ratio.to_json()})
            ours, theirs = figures["per_s"]["ours"], figures["per_s"][tool]
            rows.append(
                {
                    "server": name,
                    "tool": f"{tool} (fresh connections)" if figures["fresh"] else tool,
                    "ours (1/s)": sum(ours) / len(ours),
                    "tool (1/s)": sum(theirs) / len(theirs),
                    "ours / tool": f"{ratio.estimate:.3f} [{ratio.low:.3f}, {ratio.high:.3f}]",
                    "pairs": ratio.pairs,
                    "p": ratio.p,
                }
            )
    print(Table(rows, caption=f"Throughput, ours over others, {machine().label}"))
    if options.json:
        options.json.write_text(
            json.dumps({"machine": machine().to_json(), "found": all_figures}, indent=1)
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())

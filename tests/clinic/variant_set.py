"""Run `lab examine` over tests/clinic/variants and print what it said of each: `make clinic-set`.

One program at a time, because each is measured; about half a minute each. Exits with 1 where a bar
is missed: nine tenths of the ill ones named first, no healthy one called ill, no report later than
a minute, nothing left running, the crashes told as such.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path(__file__).parent / "variants"
NAMES = {
    "blocked-loop": "blocked loop",
    "microtask-flood": "microtask flood",
    "starved-pool": "starved pool",
    "slow-lookups": "slow look-ups",
    "no-backpressure": "missing backpressure",
    "sync-logging": "synchronous logging",
    "memory-leak": "memory leak",
    "descriptors-left-open": "descriptors left open",
    "failing-requests": "failing requests",
    "stops-answering": "stops answering",
    "heap-near-its-limit": "heap near its limit",
    "too-few-connections": "too few connections",
    "bodies-not-read": "bodies not read",
    "calls-in-turn": "calls in turn",
    "retry-storm": "retry storm",
    "keep-alive-mismatch": "keep-alive mismatch",
    "healthy": "nothing found",
    "crash": "crashed",
}


def node_for(version):
    """The folder of a Node.js of at least this version: what PATH has, or what `make nodes` put."""
    usual = shutil.which("node")
    if usual:
        said = subprocess.run([usual, "--version"], capture_output=True, text=True, check=True)
        if int(said.stdout[1:].split(".")[0]) >= version:
            return str(Path(usual).parent)
    found = sorted(ROOT.glob(f"tools/nodes/{version}/node_modules/*/bin/node"))
    return str(found[0].parent) if found else None


def still_running(folder, scratch):
    """Command lines of processes which stand in the folder or carry its scratch folder."""
    command_lines = []
    for process in Path("/proc").iterdir():
        if not process.name.isdigit():
            continue
        try:
            inside = (process / "cwd").readlink().is_relative_to(folder)
            carries = scratch.encode() in (process / "environ").read_bytes()
            if inside or carries:
                command_lines.append((process / "cmdline").read_text().replace("\0", " ")[:120])
        except OSError:
            continue
    return command_lines


def examine(name, variant):
    """What the tool says of one program: a dict; None where its Node.js is not there."""
    path = os.environ["PATH"]
    if "node" in variant:
        own = node_for(variant["node"])
        if own is None:
            return None
        path = f"{own}{os.pathsep}{path}"
    with tempfile.TemporaryDirectory(prefix="variant-") as scratch:
        page = Path(scratch) / "report.html"
        command = [sys.executable, "-m", "lab", "examine", "--page", page]
        command += ["--folder", FOLDER / name, "--path", variant["path"]]
        if "port" in variant:
            command += ["--port", str(variant["port"])]
        start = time.monotonic()
        ran = subprocess.run(
            [*map(str, command), "--", *variant["command"]],
            cwd=ROOT,
            env={**os.environ, "PATH": path, "TMPDIR": scratch, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=False,
        )
        seconds = time.monotonic() - start
        time.sleep(1)  # what was told to end has this long to do so
        processes = still_running(FOLDER / name, scratch)
    problem = next((ln for ln in ran.stdout.splitlines() if ln and ln[0] != " "), "")
    problem = problem.partition(": ")[2] or problem or "no report"
    # Before it listens it is told as an error, under load as a report: both with its own words.
    has_crashed = (
        " crashed " in ran.stdout + ran.stderr and "It printed:" in ran.stdout + ran.stderr
    )
    if has_crashed and problem not in NAMES.values():  # else the report names the cause first
        problem = "crashed"
    return {
        "name": name,
        "truth": NAMES[variant["illness"]],
        "said": problem,
        "seconds": round(seconds, 1),
        "exit": ran.returncode,
        "left": processes,
        "text": ran.stdout + ran.stderr,
    }


def matrix(results):
    """The lines of a table: a row for each truth, a column for each first name, counts."""
    counts = Counter((one["truth"], one["said"]) for one in results)
    columns = [*NAMES.values()]
    columns += sorted({said for _, said in counts} - set(columns))
    letters = dict(zip(columns, "abcdefghijklmnopqrstuvwxyz", strict=False))
    lines = [" " * 24 + " ".join(f"{letters[name]:>2}" for name in columns)]
    for name in columns:
        row = " ".join(f"{counts[name, said] or '.':>2}" for said in columns)
        lines.append(f"{letters[name]}  {name[:20]:<20} {row}")
    return lines


def bars(results):
    """What was asked and missed, a sentence each."""
    ill = [result for result in results if result["truth"] not in ("nothing found", "crashed")]
    right = sum(result["said"] == result["truth"] for result in ill)
    shortfalls = []
    if right < 0.9 * len(ill):
        shortfalls.append(f"{right} of {len(ill)} ill ones were named first; asked: nine tenths")
    for result in results:
        wrong = result["said"] != result["truth"]
        if wrong and result["truth"] in ("nothing found", "crashed"):
            shortfalls.append(
                f"{result['name']} is {result['truth']!r} and was called {result['said']!r}"
            )
        if result["seconds"] > 60:
            shortfalls.append(f"{result['name']} took {result['seconds']} s; asked: 60 s")
        if result["left"]:
            shortfalls.append(f"{result['name']} left running: {result['left']}")
    return shortfalls


def main():
    parser = argparse.ArgumentParser(description="Run lab examine over tests/clinic/variants.")
    parser.add_argument("names", nargs="*", help="some of them, as 07 or starved-pool")
    parser.add_argument("--log", type=Path, help="a file for all it said, one JSON line each")
    options = parser.parse_args()
    variants = tomllib.loads((FOLDER / "variants.toml").read_text())
    known = {*variants, *NAMES}
    if unknown := [name for name in options.names if name not in known]:
        parser.error(f"there is no {', '.join(unknown)}; the names stand in {FOLDER}/variants.toml")
    results = []
    for name, variant in variants.items():
        if options.names and not {name, variant["illness"]} & {*options.names}:
            continue
        result = examine(name, variant)
        if result is None:
            print(f"{name}  left out: needs Node.js {variant['node']}; make nodes installs it")
            continue
        results.append(result)
        mark = " " if result["said"] == result["truth"] else "*"
        seconds = f"{result['seconds']:5.1f} s"
        print(
            f"{name} {mark} {result['truth']:<20} said: {result['said']:<20} {seconds}", flush=True
        )
        if options.log:
            with options.log.open("a") as log:
                log.write(json.dumps(result) + "\n")
    print("", "Rows: what it has; columns: what was said first.", *matrix(results), sep="\n")
    missed = bars(results)
    print("", *(missed or ["Every bar is met."]), sep="\n")
    return 1 if missed else 0


if __name__ == "__main__":
    raise SystemExit(main())

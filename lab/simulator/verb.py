"""`python -m lab model FILE`: every order in which a program can print, from a model of Node."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from lab.errors import LabError
from lab.processes import child, nodes
from lab.records.trace import Trace

MAIN = Path(__file__).with_name("main.mjs")
PATIENCE_S = 600
NOT_MODELLED = 2
SHOWN_ORDERS = 10


def arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the verb."""
    add = parser.add_argument
    add("file", metavar="FILE", type=Path, help="a program: .cjs, .mjs or .js")
    add("--node", metavar="MAJOR", type=int, help="the Node to model, which must be installed here")
    add("--json", action="store_true", help="print the orders as JSON")
    add("--trace", metavar="TRACE", type=Path, help="write the trace of the likeliest order")


def model(options: argparse.Namespace) -> int:
    """Print the orders of a program; returns 2, with a sentence, where there is no model of it."""
    if not options.file.is_file():
        raise LabError(f"There is no file {options.file}.")
    # Mathematics and languages are the host's, so the host is that Node.
    node = _node(options.node)
    command = [node, str(MAIN), node, str(options.file)]
    command += ["--trace"] if options.trace else []
    # What compares the orders with Node's reads its standard output.
    command += ["--out"] if options.json else []
    process = child.run_to_end(command, PATIENCE_S, name="the model", env={"NODE_OPTIONS": ""})
    if process.returncode == NOT_MODELLED:
        print(process.stderr.strip(), file=sys.stderr)
        return NOT_MODELLED
    if process.returncode:
        raise LabError(f"The model failed: {child.shown(process.stderr)}")
    result: dict[str, Any] = json.loads(process.stdout)
    if options.trace:
        Trace.from_json(result["trace"]).save(options.trace)
    if options.json:
        orders = [order["lines"] for order in result["orders"]]
        shown = {"orders": orders, "cut": result["cut"], "notes": result["notes"]}
        print(json.dumps(shown, ensure_ascii=False))
    else:
        print("\n".join(_text(result)))
    return 0


def _node(major: int | None) -> str:
    """The Node whose modules are taken: that major, else the one that is meant, else the newest."""
    if major is not None and major not in nodes.SUPPORTED:
        raise LabError(
            f"--node is {major}; the model knows {', '.join(map(str, nodes.SUPPORTED))}."
        )
    if major is not None:
        return nodes.of_major(major)
    meant_major = nodes.major(nodes.version())
    here = [number for number in nodes.known() if number in nodes.SUPPORTED]
    return nodes.of_major(meant_major if meant_major in here or not here else here[0])


def _text(result: Mapping[str, Any]) -> Iterator[str]:
    orders = result["orders"]
    count = f"{len(orders)} orders" if len(orders) > 1 else "one order"
    cut = ", and there may be more" if result["cut"] else ""
    yield f"Model of Node {result['node']}: {count}{cut}."
    yield from result["notes"]
    for number, order in enumerate(orders[:SHOWN_ORDERS], 1):
        yield ""
        title = f"Order {number}"
        why = "; ".join(order["because"])
        yield f"{title}, if {why}:" if why else f"{title}, if code takes next to no time:"
        yield from _lines(order)
    if len(orders) > SHOWN_ORDERS:
        yield f"… and {len(orders) - SHOWN_ORDERS} rarer orders, which --json prints."


def _lines(order: Mapping[str, Any]) -> Iterator[str]:
    if not order["lines"]:
        yield "  It prints nothing."
    for line, place in zip(order["lines"], order["places"], strict=True):
        yield f"  {line:28}  {place['phase']}, turn {place['turn']}"
    if order["code"]:
        report = order["report"].strip().splitlines()
        yield f"  exit code {order['code']}{': ' + report[0] if report else ''}"

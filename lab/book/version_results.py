"""What claims and orders came to on each Node: `data/versions.json`, and what differs between two
such runs.

`lab.book.versions` measures it, `lab.book.pages.across_page` shows it. Nothing here is measured.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lab import claims, paths
from lab.errors import LabError
from lab.judging import judge
from lab.storage import stored

STORED = paths.DATA / "versions.json"
CAUSES = paths.DATA / "version-causes.toml"
FORMAT = "nodejs-io-measured/versions"
SCHEMA = 1
HOW = "`make versions` measures it."
ABOUT = ("chapter", "source", "short", "sentence", "limit", "judged_on", "published")
KINDS = ("claims", "orders")

Data = dict[str, Any]  # the file
Row = dict[str, Any]  # what one chapter gave on one Node


def read(file: Path | None = None) -> Data | None:
    """Return what is stored, the words of published claims by the rule of today; None if nothing
    is. Raises Damaged for what is no such file.
    """
    file = file or STORED
    try:
        data: Data = stored.read_json(file, HOW)
    except FileNotFoundError:
        return None
    with stored.named(file, HOW):
        if data["format"] != FORMAT or data["schema"] != SCHEMA:
            raise LabError(f"it is {data['format']} {data['schema']}, not {FORMAT} {SCHEMA}")
        for kind in KINDS:
            for id, entry in data[kind].items():
                if not isinstance(entry["on"], dict) or not isinstance(entry["chapter"], str):
                    raise LabError(
                        f"{id!r} of its {kind} does not say which Nodes it was measured on"
                    )
        majors(data)
        _judge_again(data)
    return data


def _judge_again(data: Data) -> None:
    """Give each interval of a published claim, and each demonstration, the word it has today."""
    for id in claims.demonstrations().keys() & data["claims"].keys():
        for row in data["claims"][id]["on"].values():
            if row.get("verdict") == "held":
                row["verdict"] = "demonstrated"
    for id in claims.claims()["claims"].keys() & data["claims"].keys():
        for row in data["claims"][id]["on"].values():
            if ends := ratio(row):
                row["verdict"] = claims.judged_again(id, row["verdict"], ends)


def causes(file: Path | None = None) -> dict[str, dict[str, Any]]:
    """Return why claims and orders differ between Nodes, by their id."""
    return stored.read_toml(file or CAUSES)


def majors(data: Data) -> list[str]:
    """Return the Nodes that were measured, the oldest first."""
    return sorted(data["nodes"], key=int)


def assembled(facts: Mapping[str, Any], nodes: Mapping[str, Any], rows: Iterable[Row]) -> Data:
    """Return the file of what chapters gave; facts : profile, pairs, client; nodes : about each."""
    rows = list(rows)
    data: Data = {
        "format": FORMAT,
        "schema": SCHEMA,
        **facts,
        "nodes": dict(sorted(nodes.items(), key=lambda one: int(one[0]))),
        **{kind: {} for kind in KINDS},
    }
    for row in rows:
        for kind in KINDS:
            for id, found in row[kind].items():
                entry = data[kind].setdefault(id, {"chapter": row["chapter"], "on": {}})
                entry.update({key: found[key] for key in ABOUT if key in found})
                entry["on"][row["major"]] = {k: v for k, v in found.items() if k not in ABOUT}
    # An order that one Node gave, and another that ran the chapter did not, is missing there.
    for row in rows:
        for entry in data["orders"].values():
            if entry["chapter"] == row["chapter"]:
                why = row.get("failed") or "its program was not recorded"
                entry["on"].setdefault(row["major"], {"missing": why})
    return data


def merged(before: Data | None, new: Data) -> Data:
    """Return a new run beside the Nodes of an older one that it did not measure.

    What the book no longer claims is left out: the new run has asked for all there is.
    """
    if before is None or before.get("profile") != new["profile"]:
        return new
    kept = [major for major in before["nodes"] if major not in new["nodes"]]
    data: Data = json.loads(json.dumps(new))
    nodes = {**{major: before["nodes"][major] for major in kept}, **data["nodes"]}
    data["nodes"] = dict(sorted(nodes.items(), key=lambda one: int(one[0])))
    for kind in KINDS:
        for id, entry in data[kind].items():
            old = before[kind].get(id, {"on": {}})["on"]
            entry["on"] = {
                major: entry["on"].get(major) or old.get(major) or {"missing": "not measured yet"}
                for major in data["nodes"]
            }
    return data


# --- what differs ---


@dataclass(frozen=True)
class Difference:
    """A claim or an order that a new run found otherwise, on one Node."""

    kind: str  # of KINDS
    id: str
    major: str
    chapter: str
    said: str

    @property
    def key(self) -> tuple[str, str, str]:
        """The kind, the id and the Node of the difference."""
        return self.kind, self.id, self.major

    def __str__(self) -> str:
        what = "claim" if self.kind == "claims" else "order"
        return f"{what} {self.id} on Node {self.major} ({self.chapter}): {self.said}"


@dataclass(frozen=True)
class Against:
    """A run held against an older one: what fails, and what cannot be said."""

    differ: tuple[Difference, ...]
    unsaid: tuple[Difference, ...]  # no verdict on either side
    same: int

    def told(self) -> list[str]:
        """Return it in lines."""
        lines = [f"DIFFERS: {one}" for one in self.differ]
        lines += [f"not compared: {one}" for one in self.unsaid]
        return [
            *lines,
            f"{self.same} as recorded, {len(self.unsaid)} without a verdict in one of the "
            f"runs, {len(self.differ)} different.",
        ]


def against(before: Data, new: Data, chapters: Iterable[str] | None = None) -> Against:
    """Hold a new run against an older one, on the Nodes that the new one measured.

    chapters : those that it ran, by default all. A verdict that flips, an order without one that
    was seen before, and what was there and is missing, differ. No verdict is no flip.
    """
    only = None if chapters is None else set(chapters)
    differ: list[Difference] = []
    unsaid: list[Difference] = []
    same = 0
    for kind, id, major, entry, old in _measured(before):
        if major not in new["nodes"] or (only is not None and entry["chapter"] not in only):
            continue
        now = new[kind].get(id, {"on": {}})["on"].get(major)
        now = {"missing": "the book no longer asks this"} if now is None else now
        said, silent = _compared(kind, old, now)
        if said:
            one = Difference(kind, id, major, entry["chapter"], said)
            (unsaid if silent else differ).append(one)
        else:
            same += 1
    return Against(tuple(differ), tuple(unsaid), same)


def _measured(data: Data) -> Iterator[tuple[str, str, str, Data, Data]]:
    for kind in KINDS:
        for id, entry in data[kind].items():
            for major, found in entry["on"].items():
                if "missing" not in found:
                    yield kind, id, major, entry, found


def _compared(kind: str, old: Data, now: Data) -> tuple[str, bool]:
    """What is to be said of two findings, "" if they agree; and whether it only can't be told."""
    if "missing" in now:
        was = f"was {old['verdict']}" if kind == "claims" else "was recorded"
        return f"{was}, and is missing: {now['missing']}", False
    if kind == "orders":
        if {tuple(one) for one in old["orders"]} & {tuple(one) for one in now["orders"]}:
            return "", False
        first, then = (" → ".join(one["orders"][0]) for one in (old, now))
        return f"was {first}, and is {then}", False
    return _judged(old, now)


def _judged(old: Data, now: Data) -> tuple[str, bool]:
    before, after = judge.holds(old["verdict"]), judge.holds(now["verdict"])
    if before == after:
        return "", False
    said = f"was {old['verdict']}, and is {now['verdict']}"
    if before is None or after is None:
        return f"{said} ({now['because']})" if now.get("because") else said, True
    return said, False


def confirmed(
    first: Against, second: Against, chapters_again: Mapping[str, Iterable[str]]
) -> Against:
    """Return the differences that two runs of the same chapters have both found.

    chapters_again : the chapters that were run twice, by Node. A second run without an answer does
    not withdraw a difference of the first run.
    """
    again = {one.key: one for one in (*second.differ, *second.unsaid)}
    confirmed_differences, resolved_count = [], 0
    for one in first.differ:
        if one.chapter not in set(chapters_again.get(one.major, ())) or one.key in again:
            confirmed_differences.append(one)
        else:
            resolved_count += 1
    return Against(tuple(confirmed_differences), first.unsaid, first.same + resolved_count)


# --- what is worth being on top ---


def ratio(found: Data) -> tuple[float, float, float] | None:
    """Return estimate and both ends of a ratio, None for what is none or has no interval."""
    if found.get("basis") != "interval":
        return None
    values = [found.get(key) for key in ("value", "low", "high")]
    numbers = [float(v) for v in values if isinstance(v, (int, float)) and v > 0]
    return (numbers[0], numbers[1], numbers[2]) if len(numbers) == 3 else None


def changed(kind: str, entry: Data) -> bool:
    """Return whether something differs between two of the Nodes: verdicts, intervals that lie apart
    by more than what counts as equal, orders, or the Nodes on which there is an answer at all.
    """
    on = list(entry["on"].values())
    results = [result for result in on if "missing" not in result]
    if results and len(results) < len(on):
        return True
    if kind == "orders":
        orders = [{tuple(order) for order in result["orders"]} for result in results]
        return any(not a & b for a in orders for b in orders)
    verdicts = {judge.holds(result["verdict"]) for result in results} - {None}
    ratios = [interval for result in results if (interval := ratio(result))]
    apart = any(low > high * (1 + judge.SAME) for _, low, _ in ratios for _, _, high in ratios)
    judged_on = bool(entry.get("judged_on")) and len({r["verdict"] for r in results}) > 1
    return len(verdicts) > 1 or apart or judged_on

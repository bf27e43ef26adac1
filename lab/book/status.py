"""What was run where: `{build-status} machine` and `{build-status} chapters`."""

from __future__ import annotations

from importlib.metadata import version

from lab.book import filled
from lab.book.build import Build
from lab.book.filled import Cell, Table
from lab.book.records import Record
from lab.book.report import count

PACKAGES = (
    "jupyter-book",
    "myst-nb",
    "jupyter-cache",
    "sphinx",
    "ipykernel",
    "numpy",
    "matplotlib",
)


def machine_table(build: Build) -> Table:
    """Return where everything was measured, and with which versions."""
    return Table(["", ""], _facts(build, list(_records(build).values())))


def chapters_table(build: Build) -> Table:
    """Return what each chapter did, when, and why."""
    records = _records(build)
    failed = [name for name, o in sorted(build.outcomes.items()) if o.action == "failed"]
    ran = [_row(name, r) for name, r in records.items()]
    ran += [
        [name, "failed in this build", "", "", "", ""] for name in failed if name not in records
    ]
    return Table(["chapter", "executed", "because", "seconds", "servers", "requests"], ran)


MAKERS: dict[str, filled.Maker] = {"machine": machine_table, "chapters": chapters_table}


def _records(build: Build) -> dict[str, Record]:
    return {name: r for name in sorted(build.outcomes) if (r := build.last(name)) is not None}


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
    from lab.records.machine import machine

    total = sum(r.seconds for r in records)
    servers, requests = sum(r.servers for r in records), sum(r.requests for r in records)
    rows: list[list[Cell]] = [
        ["Machine", " / ".join(sorted({r.machine for r in records})) or machine().label]
    ]
    for name in sorted({name for r in records for name in r.versions}):
        rows.append(
            [
                name.capitalize(),
                ", ".join(sorted({r.versions[name] for r in records if name in r.versions})),
            ]
        )
    if not records:
        rows += [["Node", build.present.digest("node")], ["Python", build.present.digest("python")]]
    rows.append(["Packages", ", ".join(f"{name} {version(name)}" for name in PACKAGES)])
    measured = {
        "live": f"measured while this site was built, profile “{build.profile}”",
        "replay": "drawn from the recorded reference run; nothing was measured for this site",
    }[build.mode]
    rows.append(["Results", measured])
    rows.append(
        [
            "In total",
            f"{total:.0f} s of execution, {count(servers, 'server')}, {count(requests, 'request')}",
        ]
    )
    return rows

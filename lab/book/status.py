"""The page that says what was run where, with tables that are made when everything has run.

`{build-status} machine` and `{build-status} chapters` are filled in when pages are written, after
the last chapter, from the records of the results that are shown. So the page is true whether a
chapter was executed just now or a week ago, and does not change when nothing was executed.
"""

from __future__ import annotations

import hashlib
import json
from importlib.metadata import version
from pathlib import PurePosixPath
from typing import Any

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.docutils import SphinxDirective

from lab.book.build import Build
from lab.book.records import Record
from lab.book.report import count, short

PACKAGES = (
    "jupyter-book",
    "myst-nb",
    "jupyter-cache",
    "sphinx",
    "ipykernel",
    "numpy",
    "matplotlib",
)


class Placeholder(nodes.General, nodes.Element):
    """Where the tables go."""


class BuildStatus(SphinxDirective):
    """`{build-status} machine`: where, with which versions; `chapters`: what each one did."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return the placeholder."""
        env: Any = self.env
        env.lab_status_pages = {*getattr(env, "lab_status_pages", ()), env.docname}
        which = directives.choice(self.arguments[0], ("machine", "chapters"))
        return [Placeholder(which=which)]


def setup(app: Sphinx) -> None:
    """Register directive and event."""
    app.add_node(Placeholder)
    app.add_directive("build-status", BuildStatus)
    app.connect("doctree-resolved", _fill)


def changed(env: BuildEnvironment, build: Build) -> list[str]:
    """Return the status pages, if what they say differs from what was written last time."""
    e: Any = env
    pages = sorted(set(getattr(e, "lab_status_pages", ())) & env.found_docs)
    digest = hashlib.sha256(json.dumps(tables(build), default=str).encode()).hexdigest()
    if digest == getattr(e, "lab_status_digest", None):
        return []
    e.lab_status_digest = digest
    return pages


def tables(build: Build) -> dict[str, tuple[list[str], list[list[str]]]]:
    """Return (head, rows) of each table."""
    records = {name: r for name in sorted(build.outcomes) if (r := build.last(name)) is not None}
    failed = [name for name, o in sorted(build.outcomes.items()) if o.action == "failed"]
    ran = [_row(name, r) for name, r in records.items()]
    ran += [
        [name, "failed in this build", "", "", "", ""] for name in failed if name not in records
    ]
    head = ["chapter", "executed", "because", "seconds", "servers", "requests"]
    return {"machine": (["", ""], _facts(build, list(records.values()))), "chapters": (head, ran)}


def _row(name: str, r: Record) -> list[str]:
    return [
        name,
        r.executed.replace("T", " "),
        r.because,
        f"{r.seconds:.1f}",
        f"{r.servers:,}",
        f"{r.requests:,}",
    ]


def _facts(build: Build, records: list[Record]) -> list[list[str]]:
    from lab.records.machine import machine

    total = sum(r.seconds for r in records)
    servers, requests = sum(r.servers for r in records), sum(r.requests for r in records)
    rows = [["Machine", " / ".join(sorted({r.machine for r in records})) or machine().label]]
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


def _fill(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    for node in list(doctree.findall(Placeholder)):
        build: Build = app.lab_build  # type: ignore[attr-defined]
        node.replace_self(_table(app, docname, *tables(build)[node["which"]]))


def _table(app: Sphinx, docname: str, head: list[str], rows: list[list[str]]) -> nodes.table:
    group = nodes.tgroup(cols=len(head))
    # The first column names its row; readers by ear hear it with every cell.
    group += [nodes.colspec(colwidth=1, stub=int(i == 0)) for i in range(len(head))]
    if any(head):
        group += nodes.thead("", _cells(head, nodes.Text))
    known = app.env.found_docs

    def cell(text: str) -> nodes.Node:
        if text not in known:
            return nodes.Text(text)
        uri = app.builder.get_relative_uri(docname, text)
        return nodes.reference("", short(PurePosixPath(text).as_posix()), refuri=uri, internal=True)

    group += nodes.tbody("", *(_cells(row, cell) for row in rows))
    return nodes.table("", group)


def _cells(texts: list[str], make: Any) -> nodes.row:
    return nodes.row("", *(nodes.entry("", nodes.paragraph("", "", make(text))) for text in texts))

"""`python -m lab.book candidate`: a nightly, a release candidate or a build of your own next to a
release of Node, in one page of Markdown.

Every chapter that claims something, or asks for the order of a program, runs on the release and
then on the build, as `lab.book.versions` runs chapters. A chapter with a difference runs on both
once more. A difference that both looks have is told as one, a difference that only one of them has
is listed, and what has no verdict is counted.
"""

from __future__ import annotations

import hashlib
import shlex
import signal
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from lab import paths, settings
from lab.book import version_results, versions
from lab.book.pages import across_page
from lab.book.pipeline import one_chapter
from lab.book.pipeline.locks import BuildLock
from lab.book.pipeline.report import say, short
from lab.errors import LabError
from lab.judging import judge
from lab.processes import node_builds, nodes
from lab.storage import written
from lab.text.numbers import count

OUTPUT = {"course": "_build/candidate", "smoke": "_build/candidate-smoke"}
PAGE = "differences.md"
NOT_CLAIMED = {"missing": "the chapter makes no such claim on this Node"}


def measure(
    build: str, names: Iterable[str] = (), *, base: int | None = None, fresh: bool = False
) -> int:
    """Measure a build of Node next to a release; return 1 if something differs, else 0.

    build : the path of a Node, of its folder or of its archive, or a link to one of these;
    names : only these chapters; base : the major of the release, by default the build's own where
    another version of it is installed, else the newest; fresh : begin again, whatever is done.

        measure("out/Release/node")
        measure("https://nodejs.org/download/nightly/v27.0.0-nightly20261127abcdef/")
        measure("node-v26.9.0-rc.1-linux-x64.tar.xz", ["event-loop/phases"], base=26)
    """
    profile = settings.profile()
    if settings.mode() != "live" or profile.name not in OUTPUT:
        raise LabError("This is `make candidate`: it sets LAB_MODE=live, LAB_PROFILE=course.")
    folder = paths.ROOT / OUTPUT[profile.name]
    pages = [one_chapter.resolve(name) for name in names] or versions.asked()
    old_handler = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        # Another run could be measuring the Node that this run unpacks.
        with BuildLock(paths.ROOT, folder, measures=True):
            node_build = node_builds.find(build, folder / "builds")
            if node_build.note:
                say(node_build.note)
            sides = _sides(build, node_build.path, base, folder, pages)
            comparison = _compared(sides, pages, fresh=fresh)
            text = comparison.markdown(node_build, sorted(names))
            written.write(folder / PAGE, text.encode())
            for side in sides:
                side.sitting.end()
    except KeyboardInterrupt:
        print("\nInterrupted. Run the same command again to continue with what is left.")
        return versions.INTERRUPTED
    finally:
        signal.signal(signal.SIGTERM, old_handler)
    say(f"{comparison.summary()} Written: {paths.relative(folder / PAGE)}.")
    return 1 if comparison.differing else 0


def _sides(build: str, node: str, base: int | None, folder: Path, pages: list[str]) -> list[Side]:
    """Return the release and the build, each with its sitting. Raises LabError if both are the same
    Node.
    """
    release = _release(node, base)
    digests = {path: _digest(path) for path in (release, node)}
    if len(set(digests.values())) < 2:
        raise LabError(
            f"{build!r} is Node {nodes.version(node)}, the same release that it would be "
            "compared with. Name another build, or another release with BASE=24."
        )
    return [
        Side(path, versions.Sitting(folder / name, pages, digest=digests[path]))
        for name, path in (("release", release), ("build", node))
    ]


def _release(node: str, base: int | None) -> str:
    """Return the release with which a build is compared."""
    if base is not None:
        return nodes.of_major(base)
    installed = nodes.known()
    own = installed.get(nodes.major(nodes.version(node)))
    if own and nodes.version(own) != nodes.version(node):
        return own
    newest = next((path for path in installed.values() if Path(path) != Path(node)), None)
    if newest is None:
        raise LabError(
            'No release is installed to compare with. Install one with make nodes NODES="26".'
        )
    return newest


def _digest(path: str) -> str:
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class Side(NamedTuple):
    """One of the two Nodes, and its sitting."""

    node: str
    sitting: versions.Sitting


def _compared(sides: Sequence[Side], pages: Sequence[str], *, fresh: bool) -> Comparison:
    for side in sides:
        side.sitting.begin(fresh=fresh)
        side.sitting.tell([side.node])
    # Chapter by chapter, so that both Nodes run a chapter within minutes of each other.
    rows = [[side.sitting.row_once(side.node, page) for side in sides] for page in pages]
    release, build = _by_side(sides, rows)
    first = paired(release, build)
    chapters = {entry["chapter"] for entry in first.values() if entry["changed"]}
    second_look: dict[tuple[str, str], Entry] = {}
    if chapters:
        say(f"{count(len(chapters), 'chapter')} with a difference, now measured again.")
        later_rows = [
            [side.sitting.row(side.node, page, again=True) for side in sides]
            for page in pages
            if page in chapters
        ]
        second_look = paired(*_by_side(sides, later_rows))
    return Comparison(release, build, first, second_look)


Entry = dict[str, Any]  # chapter, about the claim, `on` both Nodes, whether it `changed`


def _by_side(
    sides: Sequence[Side], rows: Sequence[Sequence[version_results.Row]]
) -> tuple[version_results.Data, version_results.Data]:
    """Return the results of the release and of the build.

    rows : both rows of each chapter
    """
    release, build = (
        side.sitting.data([side.node], [row[i] for row in rows]) for i, side in enumerate(sides)
    )
    return release, build


def paired(
    release: version_results.Data, build: version_results.Data
) -> dict[tuple[str, str], Entry]:
    """Return every claim and order of two runs, by kind and id, on `release` and on `build`.

    Each run has one Node.
    """
    (major,), (build_major,) = version_results.majors(release), version_results.majors(build)
    entries: dict[tuple[str, str], Entry] = {}
    for kind in version_results.KINDS:
        for id in {**release[kind], **build[kind]}:
            before, after = release[kind].get(id), build[kind].get(id)
            about = {**(after or {}), **(before or {})}
            on = {
                "release": (before or {"on": {}})["on"].get(major, NOT_CLAIMED),
                "build": (after or {"on": {}})["on"].get(build_major, NOT_CLAIMED),
            }
            entries[kind, id] = {
                **about,
                "on": on,
                "changed": version_results.changed(kind, {"on": on}),
            }
    return entries


# --- what is told ---


@dataclass(frozen=True)
class Comparison:
    """Two runs of the book, on a release and on a build, and a second look at what differed."""

    release: version_results.Data
    build: version_results.Data
    first: Mapping[tuple[str, str], Entry]
    again: Mapping[tuple[str, str], Entry]

    @property
    def differing(self) -> list[tuple[str, str]]:
        """Return kind and id of everything that differs in both looks."""
        return [key for key in self._changed() if self._again(key)["changed"]]

    @property
    def seen_once(self) -> list[tuple[str, str]]:
        """Return kind and id of everything that differs in only one of two looks."""
        late = [key for key, entry in self.again.items() if entry["changed"]]
        once = [key for key in self._changed() if not self._again(key)["changed"]]
        before = {key for key, entry in self.first.items() if entry["changed"]}
        return [*once, *(key for key in late if key not in before)]

    def summary(self) -> str:
        """Return the result in a sentence."""
        parts = [
            f"{count(len(self.differing), 'difference')} between Node {self._name(self.release)} "
            f"and Node {self._name(self.build)}"
        ]
        if self.seen_once:
            parts.append(f"{len(self.seen_once)} in only one measurement of two")
        return "; ".join(parts) + "."

    def markdown(self, build: node_builds.Build, names: Sequence[str]) -> str:
        """Return the page; names : the chapters that were asked for, for the command."""
        release_name, build_name = self._name(self.release), self._name(self.build)
        differing = self.differing
        only = [key for key in differing if self._on_one_only(self.first[key])]
        opposites = [key for key in differing if key not in only]
        sections = [
            f"# Node {build_name} compared with Node {release_name}",
            self._about(build, names),
            "## Differences",
            self._table(opposites) if opposites else "None.",
        ]
        if only:
            sections += ["## On only one of the two", self._table(only)]
        if self.seen_once:
            sections += [
                "## In one measurement of two",
                "These differed in the first measurement or in the second one, but not in both.",
                self._table(self.seen_once),
            ]
        return "\n\n".join([*sections, "## Everything else", self._rest()]) + "\n"

    def _changed(self) -> list[tuple[str, str]]:
        return [key for key, entry in self.first.items() if entry["changed"]]

    def _again(self, key: tuple[str, str]) -> Entry:
        # A second look without an answer does not cancel the first one.
        second = self.again.get(key, self.first[key])
        return second if second["changed"] or _is_answered(key[0], second) else self.first[key]

    @staticmethod
    def _on_one_only(entry: Entry) -> bool:
        return any("missing" in found for found in entry["on"].values())

    @staticmethod
    def _name(data: version_results.Data) -> str:
        return str(next(iter(data["nodes"].values()))["node"])

    def _about(self, build: node_builds.Build, names: Sequence[str]) -> str:
        nodes_of_both = [next(iter(data["nodes"].values())) for data in (self.release, self.build)]
        machine = nodes_of_both[0]["machine"]
        pairs = self.release["pairs"]
        rows = [
            "| | release | build |",
            "|---|---|---|",
            *(
                f"| {name} | {nodes_of_both[0][key]} | {nodes_of_both[1][key]} |"
                for key, name in (("node", "Node"), ("v8", "V8"), ("uv", "libuv"))
            ),
        ]
        # The page is for other people, so it has no path of this machine.
        node = shlex.quote(build.link) if build.link else "PATH"
        command = f"make candidate NODE={node} BASE={nodes.major(nodes_of_both[0]['node'])}"
        if names:
            command += f' NAME="{" ".join(names)}"'
        return "\n".join(rows) + (
            f"\n\nMeasured {nodes_of_both[0]['measured'][:10]} on {machine['cpu']}, "
            f"{count(machine['cores'], 'core')}, {machine['os']}, kernel {machine['kernel']}. "
            f"The load generator ran on Node {self.release['client']} for both. "
            + (f"A comparison has {count(pairs, 'pair')} of trials. " if pairs else "")
            + "Ratios are given with their 95 % interval. A difference is a verdict that "
            "changed to its opposite, intervals that do not overlap, an order of output "
            "that the other Node never printed, or something that runs on only one of the "
            "two. Each difference was seen in two measurements, or the second measurement "
            "gave no result." + (f" {build.note}" if build.note else "") + "\n\n"
            f"To repeat it: `{command}`"
        )

    def _table(self, keys: Sequence[tuple[str, str]]) -> str:
        release, build_name = self._name(self.release), self._name(self.build)
        lines = [f"| claim or program | Node {release} | Node {build_name} |", "|---|---|---|"]
        for kind, id in keys:
            entry = self.first.get((kind, id)) or self.again[kind, id]
            cells = [_cell(kind, entry["on"][side]) for side in ("release", "build")]
            second = self.again.get((kind, id))
            if second:
                cells = [
                    f"{cell}<br>again: {_cell(kind, second['on'][side])}"
                    for cell, side in zip(cells, ("release", "build"), strict=True)
                ]
            lines.append(f"| {_named(kind, id, entry)} | {cells[0]} | {cells[1]} |")
        return "\n".join(lines)

    def _rest(self) -> str:
        listed_keys = {*self.differing, *self.seen_once}
        remaining = {key: entry for key, entry in self.first.items() if key not in listed_keys}
        nowhere = [id for (_, id), entry in remaining.items() if self._on_one_only(entry)]
        open_on = [
            id
            for (kind, id), entry in remaining.items()
            if kind == "claims" and id not in nowhere and _is_open(entry)
        ]
        same = len(remaining) - len(nowhere) - len(open_on)
        lines = [f"- {count(same, 'claim or order', 'claims and orders')} as on the release"]
        if open_on:
            lines.append(
                f"- {count(len(open_on), 'claim')} without a verdict on one of the two, so "
                f"nothing is known about {'it' if len(open_on) == 1 else 'them'}: "
                f"{_codes(open_on)}"
            )
        if nowhere:
            lines.append(
                f"- {len(nowhere)} that neither of the two Nodes could run: {_codes(nowhere)}"
            )
        return "\n".join(lines)


def _is_answered(kind: str, entry: Entry) -> bool:
    """Whether both Nodes gave an answer: a verdict, or an order."""
    if any("missing" in found for found in entry["on"].values()):
        return False
    return kind == "orders" or not _is_open(entry)


def _is_open(entry: Entry) -> bool:
    return any(judge.holds(found["verdict"]) is None for found in entry["on"].values())


def _codes(ids: Iterable[str]) -> str:
    return ", ".join(f"`{id}`" for id in ids)


def _named(kind: str, id: str, entry: Entry) -> str:
    sentence = "" if kind == "orders" else f"{entry.get('short') or entry.get('sentence') or ''} "
    return f"{_plain(sentence)}(`{id}`, {short(entry['chapter'])})"


def _cell(kind: str, result: Mapping[str, Any]) -> str:
    if "missing" in result:
        return _plain(f"missing: {result['missing']}")
    if kind == "orders":
        return " or ".join(" → ".join(f"`{_plain(line)}`" for line in o) for o in result["orders"])
    because = f" ({result['because']})" if result.get("because") else ""
    return _plain(f"{result['verdict']}, {across_page.value_text(dict(result))}{because}")


def _plain(text: str) -> str:
    """Return text that is one cell of a table and mentions no user: GitHub links @names."""
    return " ".join(text.split()).replace("|", "\\|").replace("@", "@\u200b")

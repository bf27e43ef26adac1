"""The page of versions: `{build-status} versions-…`, what claims and orders came to on each Node.

Taken from data/versions.json, which `make versions` writes, and the causes in
data/version-causes.toml. Without the first, or with one of some Nodes only, the page says so.
"""

from __future__ import annotations

import csv
import io
import re
import shutil
from collections.abc import Callable, Iterator
from html import escape
from pathlib import Path, PurePosixPath
from typing import Any

from lab import claims
from lab.book import version_results
from lab.book.pages import verdicts
from lab.book.pages.reviews import title_of
from lab.book.pipeline.build import Build
from lab.book.site import placeholders
from lab.book.site.placeholders import Html
from lab.display.claims import anchor
from lab.plot.multiples import Panel, multiples
from lab.processes import nodes
from lab.records.checks import in_words
from lab.text.numbers import count, factor, tidy
from lab.text.phrasing import listed

PAGE = "book/across-versions"
FILES = ("versions.json", "versions.csv")  # on the site
NONE = (
    "<p>No Node has been measured yet. <code>make versions</code> measures them and writes "
    "<code>data/versions.json</code>.</p>"
)
WARNED = re.compile(r"(.+) in (\d+) of (\d+) trials")  # the format of a warning in a claim
MOST = "in more than half of its trials: {}"
KNOWN = "Changes that no verdict, interval or order above shows"
NO_CAUSE = "No cause is known."
_ONE = ("one order", "another order", "a third order", "a fourth order", "a fifth order")
_SEVERAL = ("several orders", "several other orders")
COLUMNS = ("kind", "id", "chapter", "node", "verdict", "value", "low", "high", "basis", "because")


class _Notes:
    """Numbered reasons below a table, each once; a cell shows its number. A title attribute of a
    cell would only be readable with a mouse.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._found: dict[str, int] = {}

    def mark(self, why: str) -> str:
        """Return the number of a reason as a link; nothing without a reason."""
        if not why:
            return ""
        n = self._found.setdefault(why, len(self._found) + 1)
        return f' <sup><a href="#{self._name}-{n}" aria-label="reason {n}">{n}</a></sup>'

    def listed(self) -> str:
        """Return the reasons, in the order of their numbers."""
        items = "".join(
            f'<li id="{self._name}-{n}"><small>{escape(in_words(why))}</small></li>'
            for why, n in self._found.items()
        )
        return f'<ol class="lab-reasons">{items}</ol>' if items else ""


def about(build: Build, data: version_results.Data) -> Html:
    """Return what was measured, on which Nodes and machine, and which Nodes are not there."""
    rows = "".join(
        f'<tr><th scope="row">{escape(node_row["node"])}</th><td>{escape(node_row["v8"])}</td>'
        f"<td>{escape(node_row['uv'])}</td><td>{escape(node_row['measured'][:10])}</td>"
        f"<td>{escape(node_row['client'])}</td></tr>"
        for node_row in _nodes(data)
    )
    head = "".join(
        f'<th scope="col">{name}</th>' for name in ("Node", "V8", "libuv", "measured", "loaded by")
    )
    machines = {node_row["machine"]["id"]: node_row["machine"] for node_row in _nodes(data)}
    machine_text = "; ".join(
        f"{m['cpu']}, {count(m['cores'], 'core')}, {m['os']}, kernel {m['kernel']}, Python "
        f"{m['python']}"
        for m in machines.values()
    )
    lines = [f"Machine: {escape(machine_text)}."]
    if len(machines) > 1:
        lines.append(
            "These results are from several machines, so compare only Nodes on the same machine."
        )
    absent = [str(major) for major in nodes.VERSIONS if str(major) not in data["nodes"]]
    if absent:
        lines.append(
            f"Not measured yet: Node {listed(absent)}. <code>make versions "
            f'ARGS="--nodes {" ".join(absent)}"</code> does it.'
        )
    links = " and ".join(
        f'<a download href="../{name}">{name.rpartition(".")[2].upper()}</a>' for name in FILES
    )
    lines.append(f"The same results as data: {links}.")
    table = f"<table class='table'><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
    return Html(f'<div class="lab-scroll">{table}</div><p>{" ".join(lines)}</p>')


def changed(build: Build, data: version_results.Data) -> Html:
    """Return the claims and orders that differ between Nodes, each with its cause."""
    causes = version_results.causes()
    entries = [
        (kind, id, entry) for kind in version_results.KINDS for id, entry in data[kind].items()
    ]
    differing = [item for item in entries if version_results.changed(item[0], item[2])]
    # Rows with a cause come first, with the newest change on top. Rows that only lack an answer
    # come last.
    differing.sort(
        key=lambda item: (
            -int(causes.get(item[1], {}).get("since", 0)),
            _only_gone(item[2]),
        )
    )
    hidden = [item for item in entries if item[1] in causes and item not in differing]
    known_reasons = "".join(_known(kind, id, entry, causes[id]) for kind, id, entry in hidden)
    known_reasons = (
        _folded(f"{KNOWN} ({len(hidden)})", f"<ul>{known_reasons}</ul>") if known_reasons else ""
    )
    if not differing:
        return Html(f"<p>Nothing differs between these Nodes.</p>{known_reasons}")
    notes = _Notes("versions-changed")
    columns = len(data["nodes"]) + 1
    parts = [
        _folded(
            f"{_name(kind, id, entry)}: {_words(kind, entry, data)}",
            _bare_table(
                data,
                _row(kind, id, entry, data, notes) + _cause(causes.get(id), columns),
                "Order" if kind == "orders" else "Claim",
            ),
        )
        for kind, id, entry in differing
    ]
    reasons = notes.listed()
    listed_reasons = _folded("The reasons, by number", reasons) if reasons else ""
    return Html(f'<div class="lab-changes">{"".join(parts)}{listed_reasons}</div>{known_reasons}')


def table(build: Build, data: version_results.Data) -> Html:
    """Return all claims, by chapter, with the verdict and the value on each Node."""
    published = [(id, e) for id, e in data["claims"].items() if e.get("source")]
    order = {name: i for i, name in enumerate(claims.claims()["claims"])}
    published.sort(key=lambda one: order.get(one[0], len(order)))
    parts = [_claims(data, "published", "Published claims", published)]
    chapters = dict.fromkeys(entry["chapter"] for entry in data["claims"].values())
    for chapter in chapters:
        entries = [
            (id, entry)
            for id, entry in data["claims"].items()
            if entry["chapter"] == chapter and not entry.get("source")
        ]
        if entries:
            name, title = PurePosixPath(chapter).name, title_of(chapter)
            page = f"{PurePosixPath(chapter).relative_to('book')}.html"
            link = f'<p>The page <a href="{escape(page)}">{escape(title)}</a></p>'
            parts.append(_claims(data, name, title, entries, link))
    return Html("".join(parts))


def plots(build: Build, data: version_results.Data) -> Html:
    """Return the published ratios over the Nodes, a small panel each."""
    registry = claims.claims()["claims"]
    majors = version_results.majors(data)
    panels = [
        Panel(
            str(registry[id].get("short", id)),
            [version_results.ratio(data["claims"][id]["on"].get(major, {})) for major in majors],
            _limits(id),
        )
        for id in registry
        if id in data["claims"]
    ]
    panels = [panel for panel in panels if any(panel.ratios)]
    if not panels:
        return Html("<p>No published claim has a ratio with an interval yet.</p>")
    caption = "The published ratios, measured on each Node"
    return Html(
        verdicts.drawn(
            build.state / "across-versions.json",
            (panels, majors),
            lambda: multiples(panels, majors, caption=caption, name="across-versions", x="Node"),
        )
    )


def orders(build: Build, data: version_results.Data) -> Html:
    """Return the order of each recorded program on each Node."""
    if not data["orders"]:
        return Html("<p>No order has been recorded.</p>")
    notes = _Notes("versions-orders")
    rows = "".join(_row("orders", id, entry, data, notes) for id, entry in data["orders"].items())
    shown = _table(data, rows, "Program", notes)
    return Html(_folded(count(len(data["orders"]), "program"), shown))


# --- pieces ---


def _nodes(data: version_results.Data) -> list[dict[str, Any]]:
    return [data["nodes"][major] for major in version_results.majors(data)]


def _limits(id: str) -> list[float]:
    criterion = claims.criterion(id)
    return [end for end in criterion.wanted if 0 < end < float("inf")]


def _only_gone(entry: dict[str, Any]) -> bool:
    there = {major: one for major, one in entry["on"].items() if "missing" not in one}
    kind = "orders" if any("orders" in one for one in there.values()) else "claims"
    return not version_results.changed(kind, {**entry, "on": there})


def _claims(
    data: version_results.Data,
    name: str,
    title: str,
    entries: list[tuple[str, dict[str, Any]]],
    above: str = "",
) -> str:
    notes = _Notes(f"versions-{name}")
    rows = "".join(_row("claims", id, entry, data, notes) for id, entry in entries)
    return _folded(f"{title} ({len(entries)})", above + _table(data, rows, "Claim", notes))


def _folded(title: str, inside: str) -> str:
    return f"<details><summary>{escape(title)}</summary>{inside}</details>"


def _table(data: version_results.Data, rows: str, first: str, notes: _Notes) -> str:
    return f"{_bare_table(data, rows, first)}{notes.listed()}"


def _bare_table(data: version_results.Data, rows: str, first: str) -> str:
    head = "".join(f'<th scope="col">Node {major}</th>' for major in version_results.majors(data))
    return (
        '<div class="lab-scroll"><table class="table lab-versions"><thead><tr>'
        f'<th scope="col">{escape(first)}</th>{head}</tr></thead><tbody>{rows}</tbody>'
        "</table></div>"
    )


def _words(kind: str, entry: dict[str, Any], data: version_results.Data) -> str:
    """Return the verdicts, or which orders are equal, by Node in a line: `held on Node 20 to 24, no
    verdict on 26`.
    """
    majors = version_results.majors(data)
    if kind == "orders":
        words = _order_words([entry["on"].get(major, {}).get("orders") for major in majors])
    else:
        words = [str(entry["on"].get(major, {}).get("verdict", "missing")) for major in majors]
    spans: list[tuple[str, list[str]]] = []
    for major, word in zip(majors, words, strict=True):
        if spans and spans[-1][0] == word:
            spans[-1][1].append(major)
        else:
            spans.append((word, [major]))
    return ", ".join(
        f"{word} on {ends[0]}{f' to {ends[-1]}' if len(ends) > 1 else ''}" for word, ends in spans
    )


def _order_words(found: list[list[list[str]] | None]) -> list[str]:
    """Return words for the orders on each Node, None for one without any: `missing`, `one order`,
    `another order`, `several orders`. Nodes have the same words where their orders are the same.
    """
    different: list[list[list[str]]] = []
    for orders_there in found:
        if orders_there is not None and sorted(orders_there) not in different:
            different.append(sorted(orders_there))
    if len(different) == 1 and len(different[0]) == 1:
        words = ["the same order"]
    else:
        words = [""] * len(different)
        for is_several, names, more in (
            (False, _ONE, "order number {}"),
            (True, _SEVERAL, "several orders, set {}"),
        ):
            same_kind = [i for i, orders in enumerate(different) if (len(orders) > 1) == is_several]
            for nth, i in enumerate(same_kind, 1):
                words[i] = names[nth - 1] if nth <= len(names) else more.format(nth)
    return [
        "missing" if orders_there is None else words[different.index(sorted(orders_there))]
        for orders_there in found
    ]


def _name(kind: str, id: str, entry: dict[str, Any]) -> str:
    if kind == "orders":
        name = id.rpartition("/")[2]
        title = title_of(entry["chapter"])
        if not re.fullmatch(r"program-\w+", name):
            return f"{name}, a program of {title}"
        # A program that is written in its cell has no name: its first lines tell which one it is.
        first: list[str] = next(
            (one["orders"][0] for one in entry["on"].values() if one.get("orders")), []
        )
        return f"the program of {title} that prints {', '.join(first[:2])}, …"
    return str(entry.get("short") or entry.get("sentence") or id).rstrip(".")


def _row(
    kind: str, id: str, entry: dict[str, Any], data: version_results.Data, notes: _Notes
) -> str:
    cells = "".join(
        _cell(kind, entry["on"].get(major), notes) for major in version_results.majors(data)
    )
    return f'<tr><th scope="row">{_named(kind, id, entry)}</th>{cells}</tr>'


def _named(kind: str, id: str, entry: dict[str, Any]) -> str:
    page = f"{PurePosixPath(entry['chapter']).relative_to('book')}.html"
    if kind == "orders":
        return f'<a href="{escape(page)}">{escape(_name(kind, id, entry))}</a>'
    address = f"{page}#{anchor(id)}" if entry.get("judged") else page
    named = str(entry.get("short") or entry.get("sentence") or id)
    return f'<a href="{escape(address)}">{escape(named)}</a>{_other_limit(entry)}'


def _other_limit(entry: dict[str, Any]) -> str:
    """Return a note that the limit has changed since the Nodes were measured. A published claim is
    judged again by the present limit, a sentence of the book is not.
    """
    then, now = entry.get("limit", ""), entry.get("now", "")
    if not then or not now or then == now:
        return ""
    words = (
        "so the verdict was decided again by this limit"
        if entry.get("source")
        else ("so the verdict is still by the earlier limit")
    )
    return (
        f"<br><small>Measured when its limit was {escape(then)}; today it is {escape(now)}, "
        f"{words}.</small>"
    )


def _cell(kind: str, result: dict[str, Any] | None, notes: _Notes) -> str:
    if result is None or "missing" in result:
        return f"<td>missing{notes.mark((result or {}).get('missing', 'not measured yet'))}</td>"
    if kind == "orders":
        told = " or ".join(" → ".join(map(escape, order)) for order in result["orders"])
        return f"<td>{told}</td>"
    verdict = f"{escape(result['verdict'])}{notes.mark(result['because'])}"
    if often := _often(result):
        verdict += notes.mark(MOST.format(listed(often)))
    return f"<td>{verdict}<br><small>{value_text(result)}</small></td>"


def _often(found: dict[str, Any]) -> list[str]:
    """Return the checks that did not pass in more than half of the trials of a claim."""
    hits = [WARNED.fullmatch(str(one)) for one in found.get("warnings", ())]
    return sorted(hit[1] for hit in hits if hit and 2 * int(hit[2]) > int(hit[3]))


def value_text(result: dict[str, Any]) -> str:
    """Return the number of a claim on one Node: a ratio with its interval, or what was counted."""
    if result["value"] is None:
        return "–"
    if result["basis"] != "interval":
        return tidy(result["value"])
    ends = version_results.ratio(result)
    inside = f" [{factor(ends[1])}, {factor(ends[2])}]" if ends else ""
    return f"{factor(result['value'])}×{inside}"


def _cause(cause: dict[str, Any] | None, columns: int) -> str:
    """Return the table row that explains the cause of the row above it."""
    said = f"<small>{NO_CAUSE if cause is None else _told(cause)}</small>"
    return f'<tr><td colspan="{columns}"><div>{said}</div></td></tr>'


def _known(kind: str, id: str, entry: dict[str, Any], cause: dict[str, Any]) -> str:
    return f"<li>{_named(kind, id, entry)} {_told(cause)}</li>"


def _told(cause: dict[str, Any]) -> str:
    """A cause, and where it was made."""
    links = "; ".join(
        f'<a href="{escape(link["to"])}">{escape(link["text"])}</a>'
        for link in cause.get("links", ())
    )
    return escape(cause["text"]) + (f" ({links})" if links else "")


# --- as data ---


def lines(data: version_results.Data) -> Iterator[dict[str, Any]]:
    """Yield a line for each claim and each order on each Node."""
    for kind in version_results.KINDS:
        for id, entry in data[kind].items():
            for major, result in entry["on"].items():
                node = data["nodes"][major]["node"]
                about = {"kind": kind.removesuffix("s"), "id": id, "chapter": entry["chapter"]}
                if "missing" in result:
                    columns = {"verdict": "missing", "because": result["missing"]}
                elif kind == "orders":
                    columns = {"value": " or ".join(" > ".join(one) for one in result["orders"])}
                else:
                    columns = {key: result[key] for key in COLUMNS if key in result}
                yield {**about, "node": node, **columns}


def write(site: Path) -> None:
    """Put the data of the page beside the site's pages, if there is any."""
    data = version_results.read()
    if data is None:
        return
    shutil.copyfile(version_results.STORED, site / FILES[0])
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(lines(data))
    (site / FILES[1]).write_text(out.getvalue(), "utf-8")


def _if_measured(make: Callable[[Build, version_results.Data], Html]) -> placeholders.Maker:
    """Return a maker that reads what was measured, and says so where nothing was."""

    def maker(build: Build) -> Html:
        data = version_results.read()
        if data is None:
            return Html(NONE)
        # If nginx is missing, a live page does not judge all of its claims, so no link leads there.
        for published in (True, False):
            for claim in verdicts.judged(build, published=published):
                entry = data["claims"].get(claim["id"], {})
                entry["judged"] = True
                entry["now"] = claim.get("limit", "")
                # The claim is the same, perhaps in other words.
                if entry.get("limit") == entry["now"]:
                    entry["sentence"] = claim.get("sentence") or entry.get("sentence", "")
        return make(build, data)

    return maker


MAKERS: dict[str, placeholders.Maker] = {
    f"versions-{make.__name__}": _if_measured(make)
    for make in (about, changed, table, plots, orders)
}

"""The page that puts a reader's results beside the book's: `{build-status} yours-file`,
`yours-claims`, `yours-machines`, `yours-sentences`, `yours-data`.

It needs no script: both sides stand there in a build that measured, the book's alone in one that
was drawn from the records. What a file changes is drawn by lab/widgets/yours/yours.js only: here
for the build, in a browser for a reader who drops one.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath
from typing import Any

from sphinx.application import Sphinx

from lab import claims, settings
from lab.book.pages import verdicts
from lab.book.pages.reviews import title_of
from lab.book.pages.yours import compare_results, results
from lab.book.pipeline.build import Build
from lab.book.site import placeholders
from lab.book.site.placeholders import Html
from lab.judging import judge
from lab.plot.ticks import ratio_ends, ratio_ticks
from lab.text.html_registry import macros
from lab.widgets.markup import json_script

NOTHING = "–"  # in a cell
MACHINE = {
    "cpu": "Processor",
    "cores": "Cores",
    "ram_gib": "Memory, GiB",
    "virt": "Virtualised",
    "os": "System",
    "arch": "Architecture",
    "node": "Node",
    "python": "Python",
    "profile": "Profile",
    "made": "Measured",
}
FIGURES = ("estimate", "low", "high")
# The plot is HTML, too: its text stays text on a phone.
HTML = macros("""
    {% macro file(data, inside, said, name) %}
    <lab-yours>{{ data|safe }}<p>{{ inside }}</p></lab-yours>
    <p>{{ said }}: <a download href="../{{ name }}">{{ name }}</a>.</p>
    {% endmacro %}

    {% macro plot(rows, drawn) %}
    <div class="lab-yours-plot lab-ratios" data-lab-claims role="img"{{ " " }}
    aria-label="{{ drawn.alt }}" style="--one:{{ drawn.one }}%">
    <p class="key"><span class="book"></span> the book’s{{ " " }}
    <span class="yours"></span> yours <span class="theirs">☆</span> published</p>
    {% for row in rows %}
    <div class="line" data-lab-row="{{ row.id }}"><span class="name">{{ row.name }}</span>
    <span class="track">{{ drawn.rows[row.id].track|safe }}</span></div>
    {% endfor %}
    <div class="line axis"><span class="name"></span>
    <span class="track">{{ drawn.axis|safe }}</span></div></div>
    {% endmacro %}

    {% macro head(names) %}
    <thead><tr>{% for name in names %}<th scope="col">{{ name }}</th>{% endfor %}</tr></thead>
    {% endmacro %}

    {% macro table(rows, drawn, caption) %}
    <div class="lab-yours-table"{% if rows and rows[0].own %} data-lab-own{% endif %}><table>
    <caption>The {{ caption }}, on both machines</caption>
    {{ head(("claim", "the book’s", "yours", "same verdict?")) }}<tbody>
    {% for row in rows %}{% set it = drawn.rows[row.id] %}
    <tr data-lab-claim="{{ row.id }}"><th scope="row">{{ row.sentence or row.id }}
    {% if row.published %}{{ " " }}Published: {{ row.printed }}.{% endif %}
    {% if row.chapter %}{{ " " }}<a href="{{ row.url }}">{{ row.title }}</a>{% endif %}</th>
    <td>{{ it.book|safe }}</td><td>{{ it.yours|safe }}</td>
    <td data-same="{{ it.same }}">{{ it.same }}</td></tr>
    {% endfor %}</tbody></table></div>
    {% endmacro %}

    {% macro sentences(rows, drawn) %}<p data-lab-finding="sentences">{{ drawn.finding }}</p>
    <details data-lab-sentences>
    <summary>All {{ rows|length }} sentences</summary>
    {{ table(rows, drawn, "sentences of the book") }}</details>{% endmacro %}

    {% macro machines(facts, drawn) %}
    <div class="lab-yours-table"><table>{{ head(("machine", "the book’s", "yours")) }}<tbody>
    {% for key, name, its, mine in facts %}
    <tr data-lab-machine="{{ key }}"><th scope="row">{{ name }}</th>
    <td>{{ its }}</td><td>{{ mine }}</td></tr>
    {% endfor %}</tbody></table></div><p data-lab-factor>{{ drawn.factor }}</p>
    <div class="lab-yours-plot lab-ratios factor" data-lab-strip role="img"{{ " " }}
    style="--one:50%" aria-label="{{ drawn.factor }}"{% if not drawn.strip %} hidden{% endif %}>
    {{ drawn.strip|safe }}</div>
    {% endmacro %}

    {% macro link(drawn, name, words) %}
    <a data-lab-csv="{{ name }}" download="yours-beside-the-book-{{ name }}.csv"{{ " " }}
    href="{{ drawn[name] }}">{{ words }}</a>
    {% endmacro %}

    {% macro data(drawn, both) %}<p>{{ link(drawn, "claims", "CSV, a line for each claim") }}
    <span data-lab-arms{% if not both %} hidden{% endif %}>,{{ " " }}
    {{ link(drawn, "arms", "CSV, a line an arm") }}</span>.</p>{% endmacro %}
""")


@dataclass(frozen=True)
class Row:
    """A claim as the page shows it, whatever its two verdicts."""

    id: str
    name: str
    sentence: str
    chapter: str
    published: tuple[float, float] | None
    own: bool  # of the book itself

    @property
    def printed(self) -> str:
        """The ratio that was published."""
        return claims.published_text(self.published)

    @property
    def url(self) -> str:
        """The way to its chapter."""
        return f"{PurePosixPath(self.chapter).relative_to('book')}.html"

    @property
    def title(self) -> str:
        """The title of its chapter."""
        return title_of(self.chapter)


@dataclass(frozen=True)
class Page:
    """Everything that the makers need: the book's results, yours or None, and the rows."""

    book: dict[str, Any] | None
    yours: dict[str, Any] | None
    rows: list[Row]

    @cached_property
    def data(self) -> dict[str, Any]:
        """The data of the script: a short form of the book's results, and yours from their file."""
        its = (self.book or {}).get("arms", ())
        busy_arms = compare_results.busy(its)
        book = {c["id"]: c for c in (self.book or {}).get("claims", ())}
        rows = [
            {
                "id": r.id,
                "name": r.name,
                "own": r.own,
                "published": r.published,
                "book": {k: book[r.id][k] for k in ("verdict", "ratio", *FIGURES)}
                if r.id in book
                else None,
            }
            for r in self.rows
        ]
        scale = _scale(rows)
        return {
            "claims": rows,
            "arms": [
                [*arm, x, int(arm in busy_arms)] for arm, x in compare_results.medians(its).items()
            ],
            "scale": scale,
            "ticks": ratio_ticks(*scale, 0.12),
            "words": words(),
            "yours": self.yours,
        }

    @cached_property
    def drawn(self) -> dict[str, Any]:
        """The page as the script draws it."""
        return compare_results.drawn(self.data)


def words() -> dict[str, list[str]]:
    """Return what a verdict and a profile may be called in a file that the page reads."""
    return {"verdicts": list(judge.WORDS), "profiles": list(settings.PROFILES)}


def page_of(build: Build) -> Page:
    """Return what the page shows of a build."""
    found: Page | None = getattr(build, "_yours", None)
    if found is None:
        found = _page_of(build)
        build._yours = found  # type: ignore[attr-defined]  # every part of the page asks for it
    return found


def _page_of(build: Build) -> Page:
    live = build.mode == "live"
    own = results.of_build(build)
    book = results.book() if live else own
    return Page(book, own if live else None, _rows(build, book))


def file_part(build: Build) -> Html:
    """Return the element that takes a file, with the data it needs and what stands there without
    a script.
    """
    page = page_of(build)
    name = "my-results.json" if page.yours else "book-results.json"
    said = "Your result file" if page.yours else "The book’s own results, in the same format"
    inside = page.drawn["status"] or "This page needs JavaScript to read a file."
    return Html(str(HTML.file(json_script(page.data), inside, said, name)))


def claims_part(build: Build) -> Html:
    """Return the published claims: the plot and the table."""
    page = page_of(build)
    rows = [r for r in page.rows if not r.own]
    plot, table = HTML.plot(rows, page.drawn), HTML.table(rows, page.drawn, "published claims")
    return Html(f"{plot}{table}")


def sentences_part(build: Build) -> Html:
    """Return the book's own sentences: how many agree, and the table."""
    page = page_of(build)
    own = {r.id: r for r in page.rows if r.own}
    return Html(str(HTML.sentences([own[id] for id in page.drawn["order"]], page.drawn)))


def machines_part(build: Build) -> Html:
    """Return the two machines and the factor between them."""
    page = page_of(build)
    mine = page.drawn["machine"]
    facts = [(k, name, _fact(page.book, k), mine.get(k, NOTHING)) for k, name in MACHINE.items()]
    return Html(str(HTML.machines(facts, page.drawn)))


def data_part(build: Build) -> Html:
    """Return links to both sides as CSV."""
    page = page_of(build)
    return Html(str(HTML.data(page.drawn, bool(page.yours))))


def _rows(build: Build, book: dict[str, Any] | None) -> list[Row]:
    registry = claims.claims()["claims"]
    claims_by_id = {
        c["id"]: c for own in (True, False) for c in verdicts.judged(build, published=own)
    }
    rows = []
    # What others wrote is no sentence of the book, and its verdict no agreement with it.
    ids = {**claims_by_id, **{c["id"]: c for c in (book or {}).get("claims", ())}}
    for id in (id for id in ids if id not in claims.quotations()):
        claim = claims_by_id.get(id, {})
        entry = registry.get(id, {})
        # A ratio that we derived is none that somebody published.
        published_ratio = claims.published_ratio(id) if entry and not entry.get("derived") else None
        rows.append(
            Row(
                id,
                entry.get("short", id) if entry else "",
                entry.get("sentence") or claim.get("sentence", ""),
                claim.get("chapter", ""),
                published_ratio,
                not entry,
            )
        )
    return rows


def _scale(rows: list[dict[str, Any]]) -> tuple[float, float]:
    """Return the ends of an axis of ratios: 1, all values, and room for another machine's."""
    ratios: list[float] = []
    for row in rows:
        if not row["own"]:
            book = row["book"] or {}
            ratios += [*(book.get(k) or 0 for k in FIGURES), *(row["published"] or ())]
    return ratio_ends(ratios, 1.6)


def _fact(found: dict[str, Any] | None, key: str) -> str:
    if found is None:
        return NOTHING
    value = {**found["machine"], **found["versions"], **found}.get(key)
    if key == "made":
        return str(value)[:10]
    if key == "virt":
        return str(value or "no")
    return NOTHING if value in (None, "") else str(value)


def add_assets(app: Sphinx, pagename: str, *_: Any) -> None:
    """Load script and styles on the page that takes a file, and on no other."""
    if "yours-file" in getattr(app.env, "lab_filled_pages", {}).get(pagename, ()):
        # Behind what the components share: files of _config.yml have 800.
        app.add_js_file("yours.js", priority=801)
        app.add_css_file("yours.css")


MAKERS: dict[str, placeholders.Maker] = {
    "yours-file": file_part,
    "yours-claims": claims_part,
    "yours-machines": machines_part,
    "yours-sentences": sentences_part,
    "yours-data": data_part,
}

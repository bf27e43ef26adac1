"""The prose of a page without what is no prose, and the numbers in it, each with a reason or none.

A number in prose is fine if a cell made it (a glue: it is gone before we look), if it is part of a
name (Node 20, HTTP/1.1, p99, UTF-8), a year, a setting (it stands in the page's cells or in a
program that the page shows or runs), a figure that a cited source has published, or listed in
numbers.toml with its arithmetic or its reason.
"""

from __future__ import annotations

import csv
import math
import re
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from lab.servers import catalog
from lab.text.arithmetic import value
from lab.text.prose import FENCE, prose
from lab.widgets.question import questions

ROOT = Path(__file__).parent.parent
LISTED = tomllib.loads((Path(__file__).parent / "numbers.toml").read_text("utf-8"))
SERVERS = tomllib.loads((ROOT / "servers/catalog.toml").read_text("utf-8"))["servers"]
CATALOG = {name: catalog.filled(name, entry) for name, entry in SERVERS.items()}
CLAIMS = tomllib.loads((ROOT / "data/claims.toml").read_text("utf-8"))

UNIT = r"\s?(?:%|[kKMG]i?B\b|[mµn]?s\b|(?:milli|micro)?seconds?\b|times\b)"
NAMED = (  # what a number may be part of, with more of its kind behind it
    "Node(?:\\.js)?|libuv|Python|Linux|macOS|Express|PostgreSQL|V8|Internet Explorer|CC BY|"
    "versions?|chapters?|sections?|rules?|RFC|HTTP|pull requests?|issue"
)
VERSION = rf"v?\d[\d.]*\d?\+?(?![\w.]*{UNIT})"
NAME = re.compile(
    rf"\b(?:{NAMED})(?: since)?[ /\n]{VERSION}(?:(?:,? and |,? or |, | to |–){VERSION}\b)*"
    r"|\b(?:[A-Za-z]+[-/]?|[A-Za-z]+\()\d[\w.]*"  # UTF-8, p99.9, ES2015, close(2)
    r"|\b\d(?:xx|D)\b"
    r"|\b\d\d? (?:January|February|March|April|May|June|July|August|September|October"
    r"|November|December)\b"
    r"|\b95\s%(?=\s(?:confidence\s)?intervals?\b)"
    r"|https?://\S+"
)
NUMBER = re.compile(
    r"(?<![\w.,])(?P<sign>[-−±]?)(?P<value>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)"
    rf"(?P<unit>{UNIT}|(?=\W|$))"
)
YEAR = re.compile(r"(?:19|20)\d\d")
LITERAL = re.compile(
    r"""(?:\b(?P<name>[A-Za-z]\w*)["']?\s*[=:]\s*["']?)?
    (?<![\w.])(?P<value>(?:\d{1,3}(?:[,_]\d{3})+|\d+)(?:\.\d+)?|\.\d+)(?P<power>e[-+]?\d+)?""",
    re.X,
)
PRODUCT = re.compile(r"(?<![\w.])\d[\d_.]*(?:\s*(?:\*\*|\*|<<|/)\s*\d[\d_.]*)+")
# What a name says of the unit of its value.
SECONDS = re.compile(r"seconds|warmup|\w+(?:_s|[a-z]S)")
MILLISECONDS = re.compile(r"\w+(?:_ms|Ms|_MS)")
TIMES = {"s": 1, "ms": 1e-3, "µs": 1e-6, "ns": 1e-9}
LONG = {"seconds": "s", "milliseconds": "ms", "microseconds": "µs"}
# What a number with this unit may be in a program whose names do not tell the unit.
FACTORS = {
    "ms": (1, 1e-3),
    "µs": (1, 1e-3, 1e-6),
    "ns": (1, 1e-3, 1e-6, 1e-9),
    "s": (1, 1e3),
    "%": (1, 1e-2),
    "kB": (1, 1e3),
    "MB": (1, 1e6),
    "GB": (1, 1e9),
    "KiB": (1, 2**10),
    "MiB": (1, 2**10, 2**20),
    "GiB": (1, 2**10, 2**20, 2**30),
}


@dataclass(frozen=True)
class Number:
    """A number as it stands in a sentence."""

    text: str
    value: float
    unit: str
    line: int = 0
    around: str = ""

    @property
    def decimals(self) -> int:
        return len(self.text.split()[0].partition(".")[2])

    def __str__(self) -> str:
        return f"line {self.line}: {self.text} in “{self.around}”"


def numbers(text: str) -> Iterator[Number]:
    """Return the numbers in prose that are no part of a name and no year."""
    plain = prose(text)
    plain = NAME.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), plain)
    plain = re.sub(r"^\d+\.(?= )", "  ", plain, flags=re.M)  # a numbered list
    for match in NUMBER.finditer(plain):
        unit = match["unit"].strip()
        unit = LONG.get(unit, unit)
        if YEAR.fullmatch(match["value"]) and not unit:
            continue
        start, end = match.span()
        around = " ".join(plain[max(0, start - 50) : end + 40].split())
        line = plain.count("\n", 0, start) + 1
        shown = f"{match['value']} {unit}".strip()
        yield Number(shown, float(match["value"].replace(",", "")), unit, line, around)


class Set(NamedTuple):
    """A number that a program says, with the unit of time that its name tells, if it does."""

    value: float
    unit: str = ""
    decimals: int = 0  # written


def literals(code: str) -> set[Set]:
    """Return the numbers that a program says, with the value of 64 * 1024 and the like."""
    found = set()
    for match in LITERAL.finditer(code):
        name, text = match["name"] or "", match["value"].replace("_", "").replace(",", "")
        unit = "ms" if MILLISECONDS.fullmatch(name) else "s" if SECONDS.fullmatch(name) else ""
        found.add(Set(float(text + (match["power"] or "")), unit, len(text.partition(".")[2])))
    for product in PRODUCT.findall(code):
        try:
            found.add(Set(float(value(product.replace("<<", "* 2 **")))))
        except (SyntaxError, ValueError, ArithmeticError):
            continue
    return found


def programs(name: str, text: str) -> Iterator[Path]:
    """Return the programs that a page shows or runs, and those of the servers that it names."""
    places = (ROOT / name, (ROOT / name).parent, ROOT)
    for path in set(re.findall(r"[\w./-]+\.(?:mjs|cjs|py|rs|sql|lua)\b", text)):
        yield from [place / path for place in places if (place / path).is_file()][:1]
    for server in CATALOG.keys() & set(re.findall(r"[a-z]+/[a-z0-9-]+", text)):
        yield from (ROOT / path for path in CATALOG[server]["source"])


def given(name: str, text: str) -> set[Set]:
    """Return every number that the page's cells and programs, or the reader's task, set."""
    cells = "\n".join(match[3] for match in FENCE.finditer(text) if match[2] == "code-cell")
    found = literals(cells)
    for path in programs(name, text):
        found |= literals(path.read_text("utf-8"))
    for server in CATALOG.keys() & set(re.findall(r"[a-z]+/[a-z0-9-]+", text)):
        found |= literals(str([CATALOG[server].get(key) for key in ("command", "env", "body")]))
    for path in LISTED.get(name, {}).get("given", ()):
        found |= literals((ROOT / path).read_text("utf-8"))
    return found | asked(name)


def asked(name: str) -> set[Set]:
    """Return the numbers of the page's questions: what is asked, not why the answer is right."""
    told = (q.ask + q.code + q.unit for q in questions.questions().values() if q.chapter == name)
    return literals("\n".join(told))


def published(text: str) -> set[float]:
    """Return what the sources that the page cites have published, by our table of their figures."""
    cited = {key for key, source in CLAIMS["sources"].items() if source["url"] in text}
    with (ROOT / "data/published-results.csv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["source_id"] in cited]
    return {
        float(row[key]) for row in rows for key in ("value", "requests", "concurrency") if row[key]
    }


def speaks_of_a_source(text: str, line: int) -> bool:
    """True if the paragraph of that line is about what others have published."""
    lines = text.splitlines()
    start = end = line - 1
    while start and lines[start - 1].strip():
        start -= 1
    while end < len(lines) and lines[end].strip():
        end += 1
    paragraph = "\n".join(lines[start:end])
    heading = next((one for one in lines[line - 1 :: -1] if one.startswith("## ")), "")
    cited = r"\[\^|[Pp]ublished|\b20\d\d\b|\bsource\b"
    return heading == "## What you may believe now" or bool(re.search(cited, paragraph))


def same(number: Number, known: set[Set]) -> bool:
    """True if the number, in one of the units it may be meant in, is among those known.

    2.0 is no setting of 2: who writes the zero says how exactly it is known.
    """
    if number.decimals and number.text.split()[0].endswith("0"):
        known = {one for one in known if one.decimals >= number.decimals}
    factors = FACTORS.get(number.unit, (1,))
    if _in([number.value * factor for factor in factors], (s.value for s in known if not s.unit)):
        return True
    times = [s for s in known if s.unit]
    if number.unit in TIMES:
        return _in([number.value * TIMES[number.unit]], (s.value * TIMES[s.unit] for s in times))
    return not number.unit and _in([number.value], (s.value for s in times))


def _in(wanted: list[float], known: Iterable[float]) -> bool:
    return any(math.isclose(one, want, rel_tol=1e-9) for one in known for want in wanted)


def rounded(number: Number, known: set[float]) -> bool:
    """True if a known figure, rounded as the number is written, is that number."""
    half = 0.5 * 10**-number.decimals
    wanted = [(number.value * f, half * f) for f in FACTORS.get(number.unit, (1,))]
    return any(abs(one - want) <= half * (1 + 1e-9) for want, half in wanted for one in known)

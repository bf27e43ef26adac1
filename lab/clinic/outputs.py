"""An examination or a comparison for other programs: JSON with a versioned schema, Markdown for the
summary of a pull request, and SARIF for tools that show findings at their lines.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lab.clinic.illnesses import FORMS, Finding, Illness
from lab.clinic.observed import Observed
from lab.clinic.recorded import Examination
from lab.clinic.versions import NOT_WORSE, WORSE, Versions, medians
from lab.storage.json_form import plain

SCHEMA = 2
SCHEMA_FILE = Path(__file__).with_name("report.schema.json")
NAME = "node-checkup"
SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
WELL, FOUND, NOT_EXAMINED = "well", "found", "not examined"


def verdict(one: Examination) -> str:
    """Return "well", "found", or "not examined" where the program never answered, or
    the user stopped before anything was found.
    """
    if one.diagnosis.findings or one.observed.died:
        return FOUND
    is_whole = one.observed.answer_status is not None and not one.observed.stopped
    return WELL if is_whole else NOT_EXAMINED


def examination_json(one: Examination) -> str:
    """Return an examination as JSON of `report.schema.json`: times in seconds, rates in 1/s."""
    observed = one.observed
    return _text(
        {
            "schema": SCHEMA,
            "kind": "examination",
            "verdict": verdict(one),
            "first": one.first,
            "findings": [_finding(found) for found in one.diagnosis.findings],
            "limiting": one.limiting,
            "ended": observed.died or None,
            "program": {"title": observed.title, "url": observed.url, "path": observed.path},
            "node": one.node or None,
            "started": observed.started,
            "seconds": observed.seconds,
            "loads": [plain(phase) for phase in observed.phases.values()],
            "signs": plain(one.diagnosis.signs),
            "warnings": list(observed.warnings),
        }
    )


def refusal_json(message: str) -> str:
    """Return the JSON of a program that could not be examined: the message says why."""
    return _text({"schema": SCHEMA, "kind": "refusal", "verdict": NOT_EXAMINED, "message": message})


def versions_json(one: Versions) -> str:
    """Return a comparison as JSON of `report.schema.json`."""
    return _text(
        {
            "schema": SCHEMA,
            "kind": "comparison",
            "verdict": one.word,
            "failures": one.failures,
            "old": one.old,
            "new": one.new,
            "path": one.path,
            "pairs": one.pairs,
            "looks": one.looks,
            "stopped": one.is_stopped,
            "seconds": one.seconds,
            "rate_per_s": one.rate_per_s,
            "measures": [
                {
                    "name": m.name,
                    "word": m.word,
                    "because": m.because,
                    "pairs_needed": m.pairs_needed,
                    "times_worse": m.ratio.estimate,
                    "low": m.ratio.low,
                    "high": m.ratio.high,
                }
                for m in one.measured
            ],
            "medians": medians(one.trials),
        }
    )


def _text(data: Any) -> str:
    return json.dumps(plain(data), ensure_ascii=False, indent=2, allow_nan=False)


def _finding(found: Finding) -> dict[str, Any]:
    illness = found.illness
    return {
        "id": illness.id,
        "name": illness.name,
        "is_failure": illness.is_failure,
        "message": illness.means,
        "evidence": [plain(row) for row in found.rows],
        "places": [plain(place) for place in found.places],
        "asked_at": list(found.sites),
        "chapter": illness.chapter[0],
        "try": list(illness.try_),
    }


# --- Markdown


def examination_markdown(one: Examination) -> str:
    """Return an examination as Markdown for a pull request's summary."""
    observed = one.observed
    sign = {WELL: "✅", FOUND: "❌", NOT_EXAMINED: "⚠️"}[verdict(one)]
    lines = [f"## {sign} {_cell(observed.title)}: {one.first}", ""]
    for found in one.diagnosis.findings:
        lines += [f"### {found.illness.name}", "", found.illness.means, ""]
        lines += _table(
            ("evidence", "seen", "limit"), [(r.says, r.seen, r.limit) for r in found.rows]
        )
        lines += [
            f"- `{_code(f'{p.file}:{p.line}')}` {p.share:.0%} {found.of_place} "
            f"`{_code(p.function)}`: `{_code(p.text)}`"
            for p in found.places
        ]
        lines += [f"- called at `{_code(site)}`" for site in found.sites]
        lines += ["", "What to try:", "", *(f"- {way}" for way in found.illness.try_), ""]
    if one.limiting:
        lines += [*(f"- {_cell(line.strip())}" for line in one.limiting), ""]
    if observed.died:
        lines += ["```text", observed.died.replace("```", "'''"), "```", ""]
    return "\n".join([*lines, *_loads(observed)])


def _loads(seen: Observed) -> list[str]:
    rows = [
        (
            phase.name,
            f"{phase.throughput:,.0f}",
            "" if phase.p50_s is None else f"{phase.p50_s * 1e3:.3g}",
            "" if phase.p99_s is None else f"{phase.p99_s * 1e3:.3g}",
            f"{phase.failed:,}",
        )
        for phase in seen.phases.values()
    ]
    heads = ("load", "responses (/s)", "p50 (ms)", "p99 (ms)", "failed")
    return _table(heads, rows) if rows else []


def versions_markdown(one: Versions) -> str:
    """Return a comparison as Markdown for a pull request's summary."""
    sign = {WORSE: "❌", NOT_WORSE: "✅"}.get(one.word, "⚠️")
    lines = [f"## {sign} {_cell(one.new)} against {_cell(one.old)}: {one.word}", ""]
    lines += [*(f"- {sentence}" for sentence in one.failures)]
    lines += [f"- {m.name}: {m.advice}" for m in one.measured if m.advice]
    lines += [f"- {one.how_long}" if one.how_long else "", ""]
    rows = [
        (
            m.name,
            f"{m.ratio.estimate:.3g}",
            f"{m.ratio.low:.3g} to {m.ratio.high:.3g}",
            m.word + (f": {m.because}" if m.because else ""),
        )
        for m in one.measured
    ]
    heads = ("measure", "new ÷ old (above 1 is worse)", "interval", "verdict")
    return "\n".join([*lines, *_table(heads, rows)])


def _table(heads: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> list[str]:
    body = [heads, tuple("---" for _ in heads), *rows]
    return [f"| {' | '.join(_cell(cell) for cell in row)} |" for row in body] + [""]


def _cell(text: str) -> str:
    """Return a text that stays in its cell: no line break, no bar, no markup of HTML."""
    words = " ".join(text.split())
    return words.replace("|", "\\|").replace("<", "&lt;").replace("`", "'")


def _code(text: str) -> str:
    return " ".join(text.split()).replace("`", "'").replace("|", "\\|")


# --- SARIF


def examination_sarif(one: Examination, root: Path, version: str) -> str:
    """Return the findings as SARIF 2.1.0; files below `root` are named from there."""
    # Of several forms of one problem the first is the usual one.
    illnesses: dict[str, Illness] = {illness.id: illness for illness in reversed(FORMS)}
    return _text(
        {
            "$schema": SARIF_SCHEMA,
            "version": "2.1.0",
            "runs": [
                {
                    "tool": {
                        "driver": {
                            "name": NAME,
                            "version": version,
                            "rules": [_rule(illness) for illness in illnesses.values()],
                        }
                    },
                    "invocations": [{"executionSuccessful": verdict(one) != NOT_EXAMINED}],
                    "results": [_result(found, root) for found in one.diagnosis.findings],
                }
            ],
        }
    )


def _rule(illness: Illness) -> dict[str, Any]:
    return {
        "id": illness.id,
        "name": illness.name,
        "shortDescription": {"text": illness.name},
        "fullDescription": {"text": illness.means},
        "help": {"text": "\n".join(illness.try_)},
        "defaultConfiguration": {"level": _level(illness)},
    }


def _level(illness: Illness) -> str:
    return "error" if illness.is_failure else "warning"


def _result(found: Finding, root: Path) -> dict[str, Any]:
    evidence = "; ".join(f"{row.seen} {row.says}" for row in found.rows)
    return {
        "ruleId": found.illness.id,
        "level": _level(found.illness),
        "message": {"text": f"{found.illness.name}: {found.illness.means} {evidence}."},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": _uri(file, root)},
                    "region": {"startLine": max(1, line)},
                }
            }
            for file, line in _lines(found)
            if file.startswith("/")
        ],
    }


_SITE = re.compile(r"(.+):(\d+)(?:, in .*)?")


def _lines(found: Finding) -> list[tuple[str, int]]:
    """Return file and line of all places of a finding: where work is done, and where is asked."""
    lines = [(place.file, place.line) for place in found.places]
    asked = filter(None, map(_SITE.fullmatch, found.sites))
    return list(dict.fromkeys([*lines, *((site[1], int(site[2])) for site in asked)]))


def _uri(file: str, root: Path) -> str:
    path = Path(file)
    if path.is_relative_to(root):
        return path.relative_to(root).as_posix()
    return path.as_uri()

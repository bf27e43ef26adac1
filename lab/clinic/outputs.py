"""An examination or a comparison for other programs: JSON with a versioned schema, Markdown for the
summary of a pull request, and SARIF for tools that show findings at their lines.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lab.clinic import illnesses
from lab.clinic.examination import Examination
from lab.clinic.illnesses import Finding, Illness
from lab.clinic.observation import Observed
from lab.clinic.versions import NOT_WORSE, WORSE, Versions, medians
from lab.storage.json_form import plain

SCHEMA = 2
SCHEMA_FILE = Path(__file__).with_name("report.schema.json")
NAME = "node-checkup"
SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
WELL, FOUND, NOT_EXAMINED = "well", "found", "not examined"


def verdict(examination: Examination) -> str:
    """Return "well", "found", or "not examined" if nothing was found and the program never
    answered, the user stopped early, or something could not be observed.
    """
    if examination.diagnosis.findings or examination.observed.died:
        return FOUND
    observation = examination.observed
    is_whole = observation.answer_status is not None and not observation.stopped
    return WELL if is_whole and not observation.gaps else NOT_EXAMINED


def examination_json(examination: Examination) -> str:
    """Return an examination as JSON of `report.schema.json`: times in seconds, rates in 1/s."""
    observation = examination.observed
    return _text(
        {
            "schema": SCHEMA,
            "kind": "examination",
            "verdict": verdict(examination),
            "first": examination.first,
            "findings": [_finding(found) for found in examination.diagnosis.findings],
            "limiting": examination.limiting,
            "ended": observation.died or None,
            "program": {
                "title": observation.title,
                "url": observation.url,
                "path": observation.path,
            },
            "node": examination.node or None,
            "started": observation.started,
            "seconds": observation.seconds,
            "loads": [plain(phase) for phase in observation.phases.values()],
            "signs": plain(examination.diagnosis.signs),
            "warnings": examination.remarks,
        }
    )


def refusal_json(message: str) -> str:
    """Return the JSON of a program that could not be examined: the message says why."""
    return _text({"schema": SCHEMA, "kind": "refusal", "verdict": NOT_EXAMINED, "message": message})


def versions_json(comparison: Versions) -> str:
    """Return a comparison as JSON of `report.schema.json`."""
    return _text(
        {
            "schema": SCHEMA,
            "kind": "comparison",
            "verdict": comparison.word,
            "failures": comparison.failures,
            "old": comparison.old,
            "new": comparison.new,
            "path": comparison.path,
            "pairs": comparison.pairs,
            "looks": comparison.looks,
            "stopped": comparison.is_stopped,
            "seconds": comparison.seconds,
            "rate_per_s": comparison.rate_per_s,
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
                for m in comparison.measured
            ],
            "medians": medians(comparison.trials),
        }
    )


def problems_json() -> str:
    """Return the problems that `examine` looks for as JSON of `report.schema.json`, and what it
    does not look for. A limit is a number, and `shown` with its unit. `other_limits` has the groups
    of limits by which the problem is found, too.
    """
    return _text(
        {
            "schema": SCHEMA,
            "kind": "problems",
            "problems": [
                {
                    "id": problem.id,
                    "name": problem.name,
                    "is_failure": problem.is_failure,
                    "message": problem.means,
                    "names_lines": problem.names_lines,
                    "limits": [_limit(limit) for limit in problem.limits],
                    "other_limits": [
                        [_limit(limit) for limit in limits]
                        for limits in illnesses.other_limits(problem)
                    ],
                    "chapter": problem.chapter[0],
                    "try": list(problem.try_),
                }
                for problem in illnesses.known()
            ],
            "not_examined": illnesses.NOT_EXAMINED,
        }
    )


def _limit(limit: illnesses.Limit) -> dict[str, Any]:
    return {
        "sign": limit.sign,
        "least": limit.least,
        "shown": limit.show(limit.least),
        "says": limit.says,
    }


def _text(data: Any) -> str:
    return json.dumps(plain(data), ensure_ascii=False, indent=2, allow_nan=False)


def _finding(finding: Finding) -> dict[str, Any]:
    illness = finding.illness
    return {
        "id": illness.id,
        "name": illness.name,
        "is_failure": illness.is_failure,
        "message": illness.means,
        "evidence": [plain(row) for row in finding.rows],
        "places": [plain(place) for place in finding.places],
        "asked_at": list(finding.sites),
        "chapter": illness.chapter[0],
        "try": list(illness.try_),
    }


# --- Markdown


def examination_markdown(examination: Examination) -> str:
    """Return an examination as Markdown for a pull request's summary."""
    observation = examination.observed
    sign = {WELL: "✅", FOUND: "❌", NOT_EXAMINED: "⚠️"}[verdict(examination)]
    lines = [f"## {sign} {_cell(observation.title)}: {examination.first}", ""]
    for finding in examination.diagnosis.findings:
        lines += [f"### {finding.illness.name}", "", finding.illness.means, ""]
        lines += _table(
            ("evidence", "seen", "limit"), [(r.says, r.seen, r.limit) for r in finding.rows]
        )
        lines += [
            f"- `{_code(f'{p.file}:{p.line}')}` {p.share:.0%} {finding.of_place} "
            f"`{_code(p.function)}`: `{_code(p.text)}`"
            for p in finding.places
        ]
        lines += [f"- called at `{_code(site)}`" for site in finding.sites]
        lines += ["", "What to try:", "", *(f"- {way}" for way in finding.illness.try_), ""]
    if examination.limiting:
        lines += [*(f"- {_cell(line.strip())}" for line in examination.limiting), ""]
    if examination.remarks:
        lines += [*(f"- {_cell(remark)}" for remark in examination.remarks), ""]
    if observation.died:
        lines += ["```text", observation.died.replace("```", "'''"), "```", ""]
    return "\n".join([*lines, *_loads(observation)])


def _loads(observation: Observed) -> list[str]:
    rows = [
        (
            phase.name,
            f"{phase.throughput:,.0f}",
            "" if phase.p50_s is None else f"{phase.p50_s * 1e3:.3g}",
            "" if phase.p99_s is None else f"{phase.p99_s * 1e3:.3g}",
            f"{phase.failed:,}",
        )
        for phase in observation.phases.values()
    ]
    heads = ("load", "responses (/s)", "p50 (ms)", "p99 (ms)", "failed")
    return _table(heads, rows) if rows else []


def versions_markdown(comparison: Versions) -> str:
    """Return a comparison as Markdown for a pull request's summary."""
    sign = {WORSE: "❌", NOT_WORSE: "✅"}.get(comparison.word, "⚠️")
    lines = [
        f"## {sign} {_cell(comparison.new)} against {_cell(comparison.old)}: {comparison.word}",
        "",
    ]
    lines += [*(f"- {sentence}" for sentence in comparison.failures)]
    lines += [f"- {m.name}: {m.advice}" for m in comparison.measured if m.advice]
    lines += [f"- {comparison.how_long}" if comparison.how_long else "", ""]
    rows = [
        (
            m.name,
            f"{m.ratio.estimate:.3g}",
            f"{m.ratio.low:.3g} to {m.ratio.high:.3g}",
            m.word + (f": {m.because}" if m.because else ""),
        )
        for m in comparison.measured
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


def examination_sarif(examination: Examination, root: Path, version: str) -> str:
    """Return the findings as SARIF 2.1.0; files below `root` are named from there."""
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
                            "rules": [_rule(illness) for illness in illnesses.known()],
                        }
                    },
                    "invocations": [{"executionSuccessful": verdict(examination) != NOT_EXAMINED}],
                    "results": [_result(found, root) for found in examination.diagnosis.findings],
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


def _result(finding: Finding, root: Path) -> dict[str, Any]:
    evidence = "; ".join(f"{row.seen} {row.says}" for row in finding.rows)
    return {
        "ruleId": finding.illness.id,
        "level": _level(finding.illness),
        "message": {"text": f"{finding.illness.name}: {finding.illness.means} {evidence}."},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": _uri(file, root)},
                    "region": {"startLine": max(1, line)},
                }
            }
            for file, line in _lines(finding)
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

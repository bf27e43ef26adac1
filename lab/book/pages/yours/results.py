"""What a build found, as one small file that can be put beside another's: `my-results.json`.

It names only what the book's own file (data/book-results.json) names too: its claims, the arms of
its comparisons, settings of theirs. So nothing particular to a reader can get into it: no path, no
host or user name, no experiment of their own.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Iterator
from pathlib import Path
from statistics import median
from typing import Any

from lab import claims, paths
from lab.book import reference_run
from lab.book.pages import verdicts
from lab.book.pages.yours import on_page
from lab.book.pipeline.build import Build
from lab.errors import LabError
from lab.processes.machine import Machine
from lab.processes.machine import machine as this_machine
from lab.records import compact, reference, sitting
from lab.records.comparison import Comparison
from lab.records.sitting import Found, Sitting
from lab.servers.catalog import paced
from lab.storage import stored, written
from lab.storage.json_form import rounded

FORMAT = "nodejs-io-measured/results"
SCHEMA = 1
LIMIT_BYTES = 200_000
MINE = paths.RUNS / "my-results.json"
MY_SITTING = paths.RUNS / "my-sitting.json"
DIGITS = 5
MODES = ("live", "recorded")

Results = dict[str, Any]


def of_build(build: Build) -> Results:
    """Return the results of what this build shows: measured here, or drawn from the records.

    claims : verdict, estimate and interval of each that was measured there; arms : of every
    comparison, the throughput of each trial in 1/s, p50 and p99 in seconds over all of them.
    """
    found = getattr(build, "_results", None)
    if found is None:
        found = _recorded(build) if build.mode == "replay" else _measured(build)
        build._results = found  # type: ignore[attr-defined]  # two makers and the end ask for it
    return found


def write(build: Build, site: Path, *, whole: bool = True) -> Path:
    """Write the results of a build into the site; return where they lie.

    A whole build that measured also leaves them in data/runs/ and those of the reference
    run in data/. Raises LabError if they would be too large.
    """
    if build.mode == "replay":
        return save(of_build(build), site / "book-results.json")
    if whole and build.profile == "reference":
        recorded = save_results_and_sitting(build)
        save(recorded, reference.BOOK_RESULTS)
    # A run in the smoke profile must not replace a measurement.
    if whole and build.profile != "smoke":
        save(of_build(build), MINE)
        save_sitting(of_build(build), MY_SITTING)
    return save(of_build(build), site / "my-results.json")


def save(results: Results, file: Path) -> Path:
    """Write results as JSON, an entry a line. Raises LabError above 200 kB."""
    text = compact.readable(results, ("claims", "arms"))
    if (size := len(text.encode())) > LIMIT_BYTES:
        raise LabError(
            f"{file.name} would take {size:,} bytes, and the limit is {LIMIT_BYTES:,}, "
            "because the page that reads the file refuses larger ones. Record fewer arms, or "
            "raise the limit in both places."
        )
    written.write(file, text.encode())
    return file


def save_results_and_sitting(build: Build) -> Results:
    """Return the results of a reference run, and add its sitting to those of the book."""
    results = _recorded(build)
    new = sitting_of(results)
    if new is not None:
        file = claims.SITTINGS / sitting.name_of(new.made, new.machine["cpu"], new.node)
        save_sitting(results, file)
    return results


def sitting_of(results: Results) -> Sitting | None:
    """Return the sitting of some results; None without a claim that an interval decides."""
    ids = claims.judged_by_interval()
    intervals = {
        c["id"]: Found(c["id"], c["verdict"], c["estimate"], c["low"], c["high"], c["pairs"])
        for c in results["claims"]
        if c["ratio"] and c["id"] in ids and sitting.finite(c["estimate"], c["low"], c["high"])
    }
    if not intervals or not {"node", "python"} <= results["versions"].keys():
        return None
    about = (results["made"], results["profile"], results["machine"])
    return Sitting(*about, results["versions"]["node"], results["versions"]["python"], intervals)


def save_sitting(results: Results, file: Path) -> Path | None:
    """Write the sitting of some results, as it is read back; None if there is nothing to write.
    Raises LabError for one that could not be read.
    """
    new = sitting_of(results)
    if new is None:
        return None
    text = sitting.text_of(new).encode()
    sitting.parsed(text, claims.judged_by_interval())
    written.write(file, text)
    return file


def book() -> Results | None:
    """Return the book's own results, as recorded in git; None if there are none, or of another
    schema. Raises LabError naming the file if it is damaged.
    """
    try:
        data: Results = stored.read_json(
            reference.BOOK_RESULTS, "Write it again with `make book-results`."
        )
    except FileNotFoundError:
        return None
    return data if data.get("schema") == SCHEMA else None


def outdated(found: Results) -> list[str]:
    """Return the experiments that were recorded again, added or dropped since `found` was drawn."""
    now = {c.experiment: c.started for c in reference_run.comparisons()}
    before = found.get("experiments", {})
    return sorted(name for name in {*now, *before} if now.get(name) != before.get(name))


def measured_comparisons(profile: str) -> Iterator[Comparison]:
    """Yield this machine's newest complete run of each recorded comparison, if it asked the same
    question under the same profile and no check of it failed.
    """
    machine_id = this_machine().id
    for file in reference.files():
        for run in sorted((paths.RUNS / file.stem).glob("*/comparison.json"), reverse=True):
            try:
                data = stored.read_json(run, stored.MEASURE_AGAIN)
                if data["profile"] != profile or not data["complete"]:
                    continue
                if not reference.stale(file.stem, data["question"]):
                    found = Comparison.from_json(data)
                    if found.machine.id == machine_id and not found.failures:
                        yield found
                        break
            except (OSError, LabError, *stored.DAMAGE):
                # The file is half written, or of an older lab. An earlier run may be readable.
                continue


def arms_of(comparison: Comparison) -> Iterator[dict[str, Any]]:
    """Yield an entry for each arm at each swept value."""
    for at in comparison.values:
        for arm in comparison.arms:
            cell = comparison.pool(arm, at)
            if not cell:
                continue
            latency = comparison.latency(arm, at)
            shares = [t.resources.server_cpu_share for t in cell]
            known_shares = [s for s in shares if s is not None]
            yield {
                "experiment": comparison.experiment,
                "arm": arm,
                "at": label(at),
                "loop": cell[0].load.loop,
                "throughput_per_s": [rounded(t.throughput, DIGITS) for t in cell],
                **{
                    f"p{q:.0f}_s": rounded(latency.quantile(q / 100), DIGITS)
                    if latency.support(q / 100)
                    else None
                    for q in (50, 99)
                },
                "paced": paced(cell[0].server.name),
                "server_cores": rounded(median(known_shares), 3) if known_shares else None,
            }


def label(at: Any) -> str:
    """Return a swept value as a word: the same on every machine."""
    text = at if isinstance(at, str) else json.dumps(at, sort_keys=True)
    return text.replace(str(paths.ROOT), "{root}")


def described(machine: Machine, **versions: str) -> dict[str, Any]:
    """Return what a comparison of machines needs: no id, no name of a kernel somebody built."""
    return {
        "machine": {
            "cpu": _printable(machine.cpu),
            "cores": machine.cores,
            "quota_cores": machine.quota_cores,
            "ram_gib": round(machine.ram_bytes / 2**30),
            "virt": machine.virt,
            "os": _printable(machine.os),
            "arch": _printable(machine.arch),
        },
        "versions": {
            name: found[0]
            for name, text in versions.items()
            if (found := re.findall(r"\d+(?:\.\d+)+", text))
        },
    }


def _measured(build: Build) -> Results:
    own = book() or {}
    claim_ids = {c["id"] for c in own.get("claims", ())}
    arms = {(a["experiment"], a["arm"], a["at"]) for a in own.get("arms", ())}
    whole = list(measured_comparisons(build.profile))
    all_arms = [a for c in whole for a in arms_of(c)]
    # The time is of the newest measurement, not of the file, so a build that runs nothing changes
    # nothing.
    here = [name for name in build.outcomes if build.shows(name) == "measured"]
    done = {name: record.executed for name in here if (record := build.last(name))}
    claims_by_id = {c["id"]: c for c in _claims(build, here)}
    later = [c for page in on_page.pages() for c in _on_page(page, build, done.get(page, ""))]
    when = max((c.started for c in whole), default=max(done.values(), default=""))
    when = max([when, *(c["when"] for c in later)])
    claims_by_id |= {c["id"]: _entry(c) for c in later}
    versions = {name: build.present.digest(name) for name in ("node", "python")}
    return {
        **_head("live", build.profile, when),
        **described(this_machine(), **versions),
        "claims": [c for c in claims_by_id.values() if c["id"] in claim_ids],
        "arms": [a for a in all_arms if (a["experiment"], a["arm"], a["at"]) in arms],
    }


def _recorded(build: Build) -> Results:
    whole = reference_run.comparisons()
    trials = [t for c in whole for t in c.trials]
    profiles = Counter(c.recorded.profile for c in whole if c.recorded is not None)
    profile = profiles.most_common(1)[0][0] if profiles else ""
    # The order of Counter: the value of most trials comes first.
    machines = Counter(t.machine for t in trials)
    machine = machines.most_common(1)[0][0] if machines else Machine()
    nodes = Counter(t.resources.client_node for t in trials if t.resources.client_node)
    versions = {"node": nodes.most_common(1)[0][0] if nodes else "", "python": machine.python}
    when = max((c.started for c in whole), default="")
    return {
        **_head("recorded", profile, when),
        **described(machine, **versions),
        "experiments": {c.experiment: c.started for c in whole},
        "claims": list(_claims(build, build.outcomes)),
        "arms": [a for c in whole for a in arms_of(c)],
    }


def _head(mode: str, profile: str, made: str) -> Results:
    return {"format": FORMAT, "schema": SCHEMA, "mode": mode, "profile": profile, "made": made[:10]}


def _claims(build: Build, chapters: Collection[str]) -> Iterator[dict[str, Any]]:
    for published in (True, False):
        for claim in verdicts.judged(build, published=published):
            if claim["chapter"] not in chapters or "value" not in claim:
                continue  # an older lab did not note them
            if claim["recorded"]:
                continue  # a record must not be compared with itself
            yield _entry(claim)


def _on_page(page: str, build: Build, since: str) -> list[dict[str, Any]]:
    return [
        claim
        for claim in on_page.claims(page, build.profile, since)
        if "value" in claim and not claim.get("recorded")
    ]


def _entry(claim: dict[str, Any]) -> dict[str, Any]:
    value = claim["value"]
    ratio = value if isinstance(value, dict) else {"estimate": value}
    certain = ratio.get("pairs", 0) > 1
    return {
        "id": claim["id"],
        "published": bool(claim.get("source")),
        # A file has the word of its own machine. The page computes the word over all sittings.
        "verdict": claim.get("alone") or claim["verdict"],
        "ratio": isinstance(value, dict),
        # More digits than a page shows, because rounding twice may give another number.
        **{
            key: rounded(ratio[key], 2 + DIGITS) if certain or key == "estimate" else None
            for key in ("estimate", "low", "high")
        },
        "pairs": ratio.get("pairs"),
        **({"judged_on": nodes} if (nodes := claim.get("judged_on")) else {}),
    }


def _printable(text: str) -> str:
    return "".join(c for c in text if c.isprintable())[:80]

"""What a word about a claim is worth over several sittings: how often it is false of the ratio over
all machines, at the noise that the sittings in data/sittings show.

The interval of one sitting holds what its machine does on its day. Between machines, and between
days of one machine, ratios move by more than their intervals say. This program takes from the
sittings how much: the scatter of log estimates between sittings of one processor and between
processors, beyond what the intervals explain. Then it draws sittings of a claim whose ratio over
all machines is known, judges each as `lab.judging` does, and counts how often the word of one
sitting, of two that agree, and of more is false.

    python bench/sittings.py [--times 4000] [--seed 1] [--store] [--collect]

`--store` writes data/sittings-rule.json, which the page over machines shows. `--collect` writes the
sittings of the runs that git holds into data/sittings, where they are not yet.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import subprocess
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np
from scipy.special import stdtrit

from lab import claims, paths
from lab.judging import judge, sittings
from lab.judging.judge import Criterion
from lab.judging.stats import Ratio
from lab.records import reference, sitting
from lab.records.sitting import Found, Sitting

STORED = paths.DATA / "sittings-rule.json"
# Runs of one sitting on Node 24, as commits hold them: the file, and the Node in one of versions.
RUNS = (
    ("746d3017", "data/versions.json", "24"),
    ("c6cbb836", "data/book-results.json", ""),
    ("17284385", "data/book-results.json", ""),
    ("4001870c", "data/book-results.json", ""),
    ("4a281970", "data/book-results.json", ""),
)
# Claims that were added since, and what of the records is their ratio.
LATER = {"buffer-before-thin": ("size-servers", "Node", "Thin")}
PAIRS = 8
CLAIM = Criterion(printed=(4.0, 4.0), held=2.0)
TRUTHS = (1.5, 1.9, 1.99, 2.01, 2.1, 2.6)  # the limit is 2
RULES = {
    "one sitting": (1, 1),
    "two, one processor": (2, 1),
    "two, two processors": (1, 2),
    "four, two processors": (2, 2),
    "six, three processors": (2, 3),
}


def collected(commit: str, file: str, major: str) -> Sitting:
    """Return the sitting of a run as git holds it."""
    command = ["git", "-C", str(paths.ROOT), "show", f"{commit}:{file}"]
    data = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    if not major:
        rows = {c["id"]: c for c in data["claims"] if c["ratio"]}
        about = data["machine"]
        head = (data["made"][:10], data["profile"])
        versions = data["versions"]
    else:
        on = data["nodes"][major]
        rows = {
            id: {**row, "id": id, "estimate": row["value"], "pairs": data["pairs"]}
            for id, entry in data["claims"].items()
            if (row := entry["on"].get(major, {})).get("basis") == "interval"
        }
        machine = on["machine"]
        about = {
            "cpu": machine["cpu"],
            "cores": machine["cores"],
            "quota_cores": None,
            "ram_gib": round(machine["ram_bytes"] / 2**30),
            "virt": None,
            "os": machine["os"],
            "arch": "x86_64",
        }
        head = (on["measured"][:10], data["profile"])
        versions = {"node": on["node"], "python": machine["python"]}
    ids = claims.judged_by_interval()
    rows |= {} if major else dict(recorded_then(commit))
    intervals = {
        id: Found(
            id,
            row["verdict"],
            *(float(f"{row[key]:.5g}") for key in ("estimate", "low", "high")),
            row["pairs"],
            row.get("because", ""),
        )
        for id, row in rows.items()
        if id in ids and sitting.finite(row["estimate"], row["low"], row["high"])
    }
    return Sitting(*head, about, versions["node"], versions["python"], intervals)


def recorded_then(commit: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield what the records of that run say of claims that the book did not make yet."""
    for id, (experiment, a, b) in LATER.items():
        command = [
            "git",
            "-C",
            str(paths.ROOT),
            "show",
            f"{commit}:data/reference/{experiment}.json",
        ]
        shown = subprocess.run(command, capture_output=True, check=True).stdout
        r = reference.opened(json.loads(shown)).ratio(a, b)
        verdict = judge.published(r, claims.criterion(id)).verdict
        ends = {"estimate": r.estimate, "low": r.low, "high": r.high}
        yield id, {"id": id, "verdict": verdict, "pairs": r.pairs, **ends}


def collect() -> None:
    """Write the sittings that git holds and data/sittings does not have."""
    claims.SITTINGS.mkdir(exist_ok=True)
    for commit, file, major in RUNS:
        sitting_then = collected(commit, file, major)
        name = sitting.name_of(sitting_then.made, sitting_then.machine["cpu"], sitting_then.node)
        target = claims.SITTINGS / name
        text = sitting.text_of(sitting_then)
        for letter in "bcdef":
            if not target.exists() or target.read_text("utf8") == text:
                break
            target = claims.SITTINGS / name.replace(".json", f"{letter}.json")
        target.write_text(text, "utf8")
        print(f"{commit}: {target.name}, {len(sitting_then.claims)} claims, {len(text)} bytes")


# What the sittings show.


def scatter(all_sittings: Sequence[Sitting]) -> dict[str, Any]:
    """Return, over the claims, the scatter of log ratios between sittings of one processor and
    between processors, beyond what the intervals explain (square roots of mean variances, none
    below 0), the standard errors of estimates, and how many pairs of intervals lie apart.
    """
    errors, days, processors = [], [], []
    apart = {True: [0, 0], False: [0, 0]}  # by whether the processor is the same
    for id in sorted({id for one in all_sittings for id in one.claims}):
        rows = [(one.cpu, one.claims[id]) for one in all_sittings if id in one.claims]
        for (cpu, a), (other, b) in itertools.combinations(rows, 2):
            apart[cpu == other][0] += a.high < b.low or b.high < a.low
            apart[cpu == other][1] += 1
        by_cpu: dict[str, list[tuple[float, float]]] = {}
        for cpu, row in rows:
            half = math.log(row.high / row.low) / 2
            error = half / float(stdtrit(row.pairs - 1, 0.975))
            by_cpu.setdefault(cpu, []).append((math.log(row.estimate), error))
            errors.append(error)
        means = []
        for its in by_cpu.values():
            logs, its_errors = (np.array(x) for x in zip(*its, strict=True))
            if len(its) > 1:
                days.append(float(logs.var(ddof=1) - np.mean(its_errors**2)))
            means.append(
                (float(logs.mean()), float(np.sum(its_errors**2)) / len(its) ** 2, len(its))
            )
        if len(means) > 1:
            centres = np.array([mean for mean, _, _ in means])
            explained = float(np.mean([error for _, error, _ in means]))
            between_days = days[-1] / means[-1][2] if days else 0.0
            processors.append(float(centres.var(ddof=1)) - explained - max(between_days, 0.0))
    positive = [max(v, 0.0) for v in days], [max(v, 0.0) for v in processors]
    return {
        "error": float(np.median(errors)),
        "errors": [float(x) for x in np.quantile(errors, np.linspace(0, 1, 21))],
        "day": [math.sqrt(v) for v in positive[0]],
        "processor": [math.sqrt(v) for v in positive[1]],
        "apart": {"same": apart[True], "other": apart[False]},
    }


def false(word: str, truth: float) -> bool:
    """Whether a word about the claim is not so of the ratio over all machines."""
    return {
        "held": truth < 2,
        "held stronger": truth <= 4,
        "held weaker": truth <= 1,
        "smaller than claimed": truth >= 2 or truth <= 1,
        "no difference": not 1 / 1.05 <= truth <= 1.05,
        "reversed": truth >= 1,
        "did not hold": truth >= 2,
    }.get(word, False)


def drawn(
    truth: float, shape: tuple[int, int], noise: dict[str, Any], rng: Any
) -> list[tuple[str, str]]:
    """Return the words of sittings, with their processors: so many on each of so many."""
    days, processors = shape
    day = rng.choice(noise["day"])
    processor = rng.choice(noise["processor"])
    error = rng.choice(noise["errors"])
    words = []
    for place in range(processors):
        here = math.log(truth) + rng.normal(0, processor)
        for _ in range(days):
            centre = here + rng.normal(0, day)
            sample = centre + rng.normal(0, error * math.sqrt(PAIRS), PAIRS)
            half = stdtrit(PAIRS - 1, 0.975) * sample.std(ddof=1) / math.sqrt(PAIRS)
            low, high = sample.mean() - half, sample.mean() + half
            side = "none" if low <= 0 <= high else "higher" if low > 0 else "lower"
            ends = (math.exp(x) for x in (sample.mean(), low, high))
            ratio = Ratio("", "", "", None, *ends, PAIRS, 0.0, difference=side)
            words.append((str(place), judge.published(ratio, CLAIM).verdict))
    return words


def simulated(noise: dict[str, Any], times: int, seed: int) -> list[dict[str, Any]]:
    """Return a row a rule: the share of false words at the worst truth, and over all of them."""
    rng = np.random.default_rng(seed)
    rows = []
    for rule, shape in RULES.items():
        by_truth = {}
        for truth in TRUTHS:
            words_said = []
            for _ in range(times):
                words = drawn(truth, shape, noise, rng)
                # Within one processor, a rule that asks for no other would take what two days say.
                by_day = [(str(i), word) for i, (_, word) in enumerate(words)]
                words_said.append(
                    words[0][1]
                    if shape == (1, 1)
                    else sittings.agreed(by_day if shape[1] == 1 else words)
                )
            share_false = sum(false(word, truth) for word in words_said) / times
            by_truth[truth] = (
                share_false,
                words_said.count(sittings.DIFFERS) / times,
                words_said.count(sittings.NONE) / times,
            )
        worst = max(share_false for share_false, _, _ in by_truth.values())
        share_false, differs, none = (
            float(np.mean(x)) for x in zip(*by_truth.values(), strict=True)
        )
        shares = {"worst": worst, "false": share_false, "differs": differs, "none": none}
        rows.append({"rule": rule, **{key: round(x, 4) for key, x in shares.items()}})
        print(f"{rule:24}", "  ".join(f"{key} {100 * x:5.1f} %" for key, x in shares.items()))
    return rows


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--times", type=int, default=2000, help="claims per rule and truth")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--store", action="store_true", help=f"write {STORED.name}")
    parser.add_argument("--collect", action="store_true", help="write what git holds")
    options = parser.parse_args()
    if options.collect:
        collect()
        return 0
    all_sittings = claims.sittings()
    noise = scatter(all_sittings)
    day, processor = (float(np.median(noise[key])) for key in ("day", "processor"))
    print(
        f"{len(all_sittings)} sittings; medians: standard error {noise['error']:.3f}, between days "
        f"{day:.3f}, between processors {processor:.3f}; apart: {noise['apart']}"
    )
    rows = simulated(noise, options.times, options.seed)
    if options.store:
        about = {
            "made": datetime.now(UTC).date().isoformat(),
            "times": options.times,
            "seed": options.seed,
            "sittings": len(all_sittings),
            "error": round(noise["error"], 4),
            "day": round(day, 4),
            "processor": round(processor, 4),
            "apart": noise["apart"],
        }
        text = json.dumps({**about, "rows": rows}, indent=1, ensure_ascii=False)
        STORED.write_text(f"{text}\n", "utf8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Two versions of somebody's own server, compared: fresh processes in turns, an A/A control beside
them, and the verdict by the rule of this book (`lab.judging`).

One measure that is worse stops a build, so all of them are judged together: of twenty comparisons
of a version with itself at most one may find any difference (`lab.judging.stats.simultaneous`).
Holm's steps begin with the same share of the 5 % for the clearest measure; they find a little more
in the others, and leave no intervals to read a size from.

After a look at some pairs the trials may lean towards worse and not show it. Then as many pairs are
measured again, up to four looks, and after each of them all trials so far are judged together. Who
looks four times finds chance four times as often, so every look gets a quarter of the 5 %.
`bench/judging.py` counts what this rule finds: of a version and itself at most 2 % are called
worse, and a version that is worse by a tenth is found nine times of ten.
"""

from __future__ import annotations

import contextlib
import math
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from lab.clinic.app import App, AppFailed, Target
from lab.clinic.failures import is_silent
from lab.clinic.loading import CLIENT_BUSY, Phase, Request, load, next_step
from lab.errors import LabError
from lab.judging import judge
from lab.judging.stats import (
    P_MOST,
    Ratio,
    abba,
    least_pairs,
    paired_ratio,
    simultaneous,
    spread,
    t_interval,
)
from lab.measure.generator import Standby
from lab.processes import lock
from lab.processes.pinning import Cpus, split
from lab.processes.progress import Tell
from lab.text.html_registry import Shown
from lab.text.numbers import count, number

OLD, NEW, AGAIN = "old", "new", "old again"
WORSE, NOT_WORSE, NO_VERDICT = "worse", "not worse", "no verdict"
CONNECTIONS = 16
# The share of the slower version's highest throughput at which the latencies of both are measured.
SHARE = 0.5
# On one core the load generator can't send more arrivals a second in time; they would queue in it.
RATE_MOST = 10_000.0
WARM_S, CLOSED_S, OPEN_S = 0.7, 1.5, 2.0
# The number of responses beyond a quantile. With fewer, the quantile is close to the maximum.
SUPPORT = 10
MEASURES = 4  # the largest number of measures
LOOKS = 4  # the largest number of looks
ENOUGH_FAILURES = 3  # if only the new version fails in so many blocks, no more are measured
LEAST_PAIRS = least_pairs(MEASURES * LOOKS)
# The trials lean towards worse if an interval of this level lies above 1. A measure that is the
# same in both versions leans in one of ten comparisons.
LEANING = 0.8
RATE_LOADS = 3  # the number of processes of each version whose throughput sets the common rate
MOST_PAIRS = 200
FAILED_SHARE = 0.001  # from this share of failed requests on, the new version fails


@dataclass(frozen=True)
class VersionTrial:
    """One fresh process. throughput in 1/s, latency in s at the common rate, cpu_s of an answer.

    client_closed, client_open : the share of the time in which the load generator was busy, as fast
    as it goes and at the common rate
    requests : all that were sent, those that failed among them; is_hung : did the process stop
    answering, so that its clients waited at the end of a load?
    """

    arm: str
    block: int
    throughput: float
    latency_s: dict[str, float]
    cpu_s: float
    failed: int
    client_closed: float = 0.0
    client_open: float = 0.0
    requests: int = 0
    is_hung: bool = False


@dataclass(frozen=True)
class Measured:
    """One measure: how many times worse the new version is, and the word for it.

    pairs_needed : about how many pairs would give a verdict where the trials give none, None where
    more pairs would not help
    """

    name: str
    ratio: Ratio
    word: str  # worse | better | no difference | not worse | no verdict
    because: str = ""
    pairs_needed: int | None = None

    @property
    def advice(self) -> str:
        """Return advice on how to get a verdict; empty if there is a verdict."""
        n = self.pairs_needed
        if n is None:
            return ""
        if n > MOST_PAIRS:
            return (
                f"{MOST_PAIRS} pairs would hardly be enough because the trials differ by "
                f"{self.scatter:.0%}, so measure on a quieter machine"
            )
        return f"about {n} pairs would be enough if the ratio stays the same: --pairs {n}"

    @property
    def scatter(self) -> float:
        """How far the ratio of one pair typically lies from the others."""
        logs = np.log(self.ratio.per_pair)
        return float(np.expm1(logs.std(ddof=1))) if len(logs) > 1 else 0.0

    @property
    def is_leaning(self) -> bool:
        """Whether the trials lean towards worse without a verdict."""
        if self.pairs_needed is None:
            return False
        _, low, _ = t_interval(np.log(self.ratio.per_pair).tolist(), LEANING)
        return low > 0

    def __repr__(self) -> str:
        r = self.ratio
        if not math.isfinite(r.estimate):
            return f"{self.name}: no value"
        over = "worse" if r.estimate >= 1 else "better"
        flip = (lambda x: x) if r.estimate >= 1 else (lambda x: 1 / x if x else math.inf)
        low, high = sorted((flip(r.low), flip(r.high)))
        size = f"{number(flip(r.estimate))}× [{number(low)}, {number(high)}]"
        why = "; ".join(filter(None, (self.because, self.advice)))
        return f"{self.name} {over} by {size}: {self.word}{f' ({why})' if why else ''}"


@dataclass(frozen=True, repr=False)
class Versions(Shown):
    """A comparison of two versions: every trial, and what is to be said of it.

    pairs : those of each look; measured : what all looks together come to. is_stopped : did the
    user end it early, so that it is judged by the pairs that were complete?
    """

    old: str
    new: str
    path: str
    rate_per_s: float
    pairs: int
    trials: tuple[VersionTrial, ...]
    measured: tuple[Measured, ...]
    seconds: float = 0.0
    looks: int = 1
    is_stopped: bool = False

    @property
    def word(self) -> str:
        """The word for all measures: worse, not worse, or no verdict if a measure has none."""
        if self.worse:
            return WORSE
        is_open = any(one.word == NO_VERDICT for one in self.measured)
        return NO_VERDICT if is_open or not self.measured else NOT_WORSE

    @property
    def worse(self) -> bool:
        """Whether a measure of the new version is worse by the book's rule, or whether it fails and
        the old one does not.
        """
        return bool(self.failures) or any(one.word == WORSE for one in self.measured)

    @property
    def failed(self) -> dict[str, int]:
        """How many requests failed, by version; the control counts for the old one."""
        return self._total(lambda trial: trial.failed)

    @property
    def hung(self) -> dict[str, int]:
        """How many processes stopped answering, by version."""
        return self._total(lambda trial: int(trial.is_hung))

    @property
    def failures(self) -> list[str]:
        """A sentence for each failure that only the new version has."""
        hung, failed_counts = self.hung, self.failed
        processes = self._total(lambda _: 1)
        sentences = []
        if p_of_more(hung, processes) <= P_MOST:
            sentences.append(
                f"The new version stops responding. Under load, {hung[NEW]} of its "
                f"{processes[NEW]} processes stopped, and {hung[OLD]} of {processes[OLD]} of "
                "the old version."
            )
        requests = self._total(lambda trial: trial.requests)
        if not failed_counts[OLD] and failed_counts[NEW] >= max(3, FAILED_SHARE * requests[NEW]):
            sentences.append(
                f"Requests fail in the new version, {failed_counts[NEW]:,} of "
                f"{requests[NEW]:,}, and none fail in the old version."
            )
        return sentences

    def _total(self, of: Callable[[VersionTrial], int]) -> dict[str, int]:
        total = {OLD: 0, NEW: 0}
        for trial in self.trials:
            total[NEW if trial.arm == NEW else OLD] += of(trial)
        return total

    @property
    def how_long(self) -> str:
        """How many looks there were and why, for a sentence; empty of one look at all pairs."""
        words = ""
        if self.looks > 1:
            words = (
                f"This took {self.looks} rounds of {count(self.pairs, 'pair')} because the "
                "trials suggested that the new version is worse. All rounds are judged "
                "together."
            )
        if self.is_stopped:
            pairs = sum(trial.arm == NEW for trial in self.trials)
            words = f"{words} Stopped early, with {count(pairs, 'complete pair')}.".strip()
        return words

    def __repr__(self) -> str:
        lines = [f"{self.new} against {self.old}: {self.word}"]
        lines += [f"  {line}" for line in (*self.failures, *(repr(one) for one in self.measured))]
        return "\n".join([*lines, *([self.how_long] if self.how_long else [])])


def p_of_more(hung: dict[str, int], processes: dict[str, int]) -> float:
    """Return the probability that chance puts at least so many of the processes that hung into the
    new version, if both hang equally often: the tail of the hypergeometric distribution, Fisher's
    exact test of one side. 0 for the first one where the old version never hung: a process that
    stops answering is no matter of chance.
    """
    if not hung[NEW] or not hung[OLD]:
        return 0.0 if hung[NEW] else 1.0
    hung_total = hung[NEW] + hung[OLD]
    ways = math.comb(processes[NEW] + processes[OLD], hung_total)
    return (
        sum(
            math.comb(processes[NEW], k) * math.comb(processes[OLD], hung_total - k)
            for k in range(hung[NEW], min(hung_total, processes[NEW]) + 1)
        )
        / ways
    )


def compare_versions(
    old: Target,
    new: Target,
    *,
    request: Request | None = None,
    pairs: int = 10,
    limit: float = 0.05,
    connections: int = CONNECTIONS,
    tell: Tell = lambda *_: None,
) -> Versions:
    """Return interleaved trials of two versions and the verdicts on throughput, latency and
    processor time per answer.

    pairs : blocks of one process of each version and a second one of the old, the control; a
    verdict needs 10. As many again are measured, up to four times, while the trials lean towards
    worse and do not show it. limit : half-width of the band that counts as equal. tell : called
    after each trial with seconds and the number of trials. An interrupt (Ctrl-C) ends the trials;
    then the complete pairs are judged.

    Raises AppFailed if one cannot be started or fails, LabError for values out of range.
    """
    if not 1 <= pairs <= MOST_PAIRS:
        raise LabError(f"--pairs {pairs}: from 1 to {MOST_PAIRS}; a verdict needs {LEAST_PAIRS}.")
    compared_request = request or Request(old.path)
    targets = {OLD: old, NEW: new, AGAIN: old}
    cpus = split(None, None)
    began = time.monotonic()
    is_stopped = False
    with lock.measuring(), Standby() as standby:
        standby.prepare(cpus[1])
        bench = _Bench(compared_request, connections, standby, cpus)
        most = bench.most({arm: targets[arm] for arm in (OLD, NEW)})
        if not most[OLD]:
            raise AppFailed("The old version does not respond under load. Examine it first.")
        # A new version that answers nothing has no rate, which its trials will show.
        rate = min(RATE_MOST, SHARE * min(filter(None, most.values())))

        def measure(look: int) -> list[VersionTrial]:
            nonlocal is_stopped
            of_look: list[VersionTrial] = []
            try:
                for block, arm in _turns(pairs, look + 1):
                    trial = bench.trial(targets[arm], rate)
                    of_look.append(replace(trial, arm=arm, block=look * pairs + block))
                    tell(time.monotonic() - began, look * len(targets) * pairs + len(of_look))
                    if fails_always(of_look):
                        break
            except KeyboardInterrupt:
                of_look, is_stopped = complete(of_look), True
                if not of_look and not look:
                    raise
            return of_look

        trials, verdicts, looks = in_looks(measure, limit, lambda: is_stopped)
    return Versions(
        old.title,
        new.title,
        old.scenario.title if old.scenario else compared_request.path,
        rate,
        pairs,
        tuple(trials),
        verdicts,
        time.monotonic() - began,
        looks,
        is_stopped,
    )


def _turns(pairs: int, seed: int) -> Iterator[tuple[int, str]]:
    """Yield block and arm of every trial of one look, in order."""
    for block, order in enumerate(abba([OLD, NEW], pairs, seed=seed)):
        # The control is next to its twin: before it in one block, after it in the next.
        twins = [OLD, AGAIN] if block % 2 else [AGAIN, OLD]
        for arm in order:
            yield from ((block, one) for one in (twins if arm == OLD else [NEW]))


def in_looks(
    measure: Callable[[int], Sequence[VersionTrial]],
    limit: float,
    is_stopped: Callable[[], bool] = lambda: False,
) -> tuple[list[VersionTrial], tuple[Measured, ...], int]:
    """Return all trials, what they come to, and the number of looks. measure : the trials of a
    look, which counts from 0; the next look follows while the trials lean towards worse.
    """
    trials: list[VersionTrial] = []
    verdicts: tuple[Measured, ...] = ()
    look = 0
    while look < LOOKS and not has_failures(trials):
        if look and (is_stopped() or not is_open(verdicts)):
            break
        trials += measure(look)
        verdicts = judged(trials, limit)
        look += 1
    return trials, verdicts, look


def has_failures(trials: Iterable[VersionTrial]) -> bool:
    """Whether a request failed or a process stopped answering, so that more trials tell no more."""
    return any(trial.failed or trial.is_hung for trial in trials)


def fails_always(trials: Sequence[VersionTrial]) -> bool:
    """Whether the new version failed in several blocks, and the old one in none."""
    if complete(trials) != list(trials):
        return False
    new = [trial for trial in trials if trial.arm == NEW]
    old = [trial for trial in trials if trial.arm != NEW]
    always = all(has_failures([trial]) for trial in new)
    return len(new) >= ENOUGH_FAILURES and not has_failures(old) and always


def complete(trials: Sequence[VersionTrial]) -> list[VersionTrial]:
    """Return the trials of the blocks in which every arm was measured."""
    arms = Counter(trial.block for trial in trials)
    return [trial for trial in trials if arms[trial.block] == len((OLD, NEW, AGAIN))]


def is_open(measured: Sequence[Measured]) -> bool:
    """Whether the trials lean towards worse in a measure, and no measure is worse yet."""
    is_worse = any(one.word == WORSE for one in measured)
    return not is_worse and any(one.is_leaning for one in measured)


def shared_quantiles(trials: Sequence[VersionTrial]) -> list[str]:
    """Return the quantiles that every trial has, the highest first."""
    return [q for q in ("p99", "p90", "p50") if all(q in t.latency_s for t in trials)]


def judged(trials: Sequence[VersionTrial], limit: float) -> tuple[Measured, ...]:
    """Return the verdict on each measure, all judged together, at one of the looks that there may
    be; every ratio says how many times worse the new one is.
    """
    shared_names = shared_quantiles(trials)
    arms = {arm: [t for t in trials if t.arm == arm] for arm in (OLD, NEW, AGAIN)}
    closed_doubt = _bound(t.client_closed for t in trials)
    open_doubt = _bound(t.client_open for t in trials)
    ratios = [_ratio("throughput", arms, lambda t: 1 / t.throughput if t.throughput else 0)]
    if shared_names:
        ratios.append(_ratio(shared_names[0], arms, lambda t: t.latency_s[shared_names[0]]))
        if shared_names[0] != "p50":
            ratios.append(_ratio("p50", arms, lambda t: t.latency_s["p50"]))
    ratios.append(_ratio("processor time per response", arms, lambda t: t.cpu_s))
    failed, hung = sum(t.failed for t in trials), sum(t.is_hung for t in trials)
    doubts = [closed_doubt, *[open_doubt] * (len(ratios) - 2), ""]
    if failed or hung:
        processes = f"{hung} {'process' if hung == 1 else 'processes'} stopped answering"
        why = " and ".join([processes] * bool(hung) + [f"{failed} requests failed"] * bool(failed))
        doubts = [why] * len(ratios)
    together = zip(simultaneous(ratios, LOOKS), doubts, strict=True)
    return tuple(verdict(ratio, limit, doubt) for ratio, doubt in together)


def _bound(shares: Iterable[float]) -> str:
    """Return why a measure shows the load generator rather than the servers; empty if it shows the
    servers.
    """
    busy = float(np.median(list(shares)))
    return f"the load generator was busy for {busy:.0%} of the time" if busy >= CLIENT_BUSY else ""


def _ratio(
    name: str, arms: dict[str, list[VersionTrial]], of: Callable[[VersionTrial], float]
) -> Ratio:
    values = {arm: [float(of(t)) for t in found] for arm, found in arms.items()}
    twice = list(zip(values[OLD], values[AGAIN], strict=True))
    control = [math.log(b / a) for a, b in twice if a > 0 and b > 0]
    return paired_ratio(
        values[NEW],
        # The two runs of a block count as one, as in every comparison.
        [math.sqrt(a * b) for a, b in twice],
        a=NEW,
        b=OLD,
        metric=name,
        aa_spread=spread(control) if control else math.inf,
    )


# The words of a published claim in the words of a comparison of versions.
_WORDS = {
    "held": WORSE,
    "held stronger": WORSE,
    "held weaker": WORSE,
    "smaller than claimed": NOT_WORSE,
    "reversed": "better",
    "did not hold": NOT_WORSE,
}


def verdict(ratio: Ratio, limit: float = 0.05, doubt: str = "") -> Measured:
    """Return the word for a ratio that says how many times worse the new version is: worse, better,
    no difference, not worse (by no more than the limit, if at all), no verdict. limit : half-width
    of the band that counts as equal; doubt : why there can be no verdict.
    """
    said = judge.published(ratio, judge.Criterion(same=limit), doubt)
    word = _WORDS.get(said.verdict, said.verdict)
    needed = _pairs_needed(ratio, limit) if word == NO_VERDICT and not doubt else None
    return Measured(ratio.metric, ratio, word, said.because, needed)


def _pairs_needed(ratio: Ratio, limit: float) -> int | None:
    """Return about how many pairs would give a verdict if the estimate and the scatter stay as they
    are: the interval then lies above 1, or below the limit.
    """
    if ratio.refused or ratio.pairs < 2 or not 0 < ratio.low <= ratio.high < math.inf:
        return None
    if ratio.pairs < len(ratio.per_pair) or not math.isfinite(ratio.estimate):
        return None
    centre, half = math.log(ratio.estimate), math.log(ratio.high / ratio.low) / 2
    room = max(abs(centre), math.log1p(limit) - centre)
    return max(LEAST_PAIRS, math.ceil(ratio.pairs * (half / room) ** 2))


@dataclass(frozen=True)
class _Bench:
    """How every process is loaded, which is the same for both versions."""

    request: Request
    connections: int
    standby: Standby
    cpus: tuple[Cpus, Cpus]

    def most(self, targets: Mapping[str, Target]) -> dict[str, float]:
        """The throughput of each version, the median of fresh processes in turns, which are no
        trials: the rate that both get comes from it.
        """
        throughputs: dict[str, list[float]] = {arm: [] for arm in targets}
        for _ in range(RATE_LOADS):
            for arm, target in targets.items():
                with App(target, None, self.cpus[0]) as app:
                    _answers(app, self.request)
                    throughputs[arm].append(self._load(app, "most").throughput)
        return {arm: float(np.median(values)) for arm, values in throughputs.items()}

    def trial(self, target: Target, rate: float) -> VersionTrial:
        """One fresh process: as fast as it can, then at the common rate."""
        with App(target, None, self.cpus[0]) as app:
            alone_s = _answers(app, self.request)
            closed_load = self._load(app, "closed")
            before = app.running.resources().cpu_s
            open_load = self._load(app, "open", rate)
            cpu_s = app.running.resources().cpu_s - before
            app.check("under load")
        latency = {
            f"p{round(q * 100)}": value
            for q, value in (
                (0.5, open_load.p50_s),
                (0.9, open_load.p90_s),
                (0.99, open_load.p99_s),
            )
            if value is not None and open_load.answers * (1 - q) >= SUPPORT
        }
        # Some of the responses came before the window. The rate gives the number of all.
        answers = max(open_load.throughput * (WARM_S + OPEN_S), 1.0)
        failed_count = closed_load.failed + open_load.failed
        return VersionTrial(
            "",
            0,
            closed_load.throughput,
            latency,
            cpu_s / answers,
            failed_count,
            closed_load.client_elu,
            open_load.client_elu,
            sum(load.failed + load.answers + load.before for load in (closed_load, open_load)),
            any(is_silent(load, alone_s) for load in (closed_load, open_load)),
        )

    def _load(self, app: App, name: str, rate: float | None = None) -> Phase:
        generator = self.standby.take(self.cpus[1])
        try:
            return load(
                generator,
                name,
                app.url,
                self.request,
                seconds=CLOSED_S if rate is None else OPEN_S,
                warmup=WARM_S,
                connections=self.connections if rate is None else 64,
                rate=rate,
                bridge=app.bridge,
            )
        finally:
            generator.close()
            self.standby.prepare(self.cpus[1])


def _answers(app: App, request: Request) -> float:
    """Ask once, and return the seconds that the response took."""
    answer, took_s = app.first(10.0, request)
    if not 200 <= answer.status < 300:
        raise AppFailed(
            f"{app.target.title} answered {request.method} {request.path} with status "
            f"{answer.status}. {next_step(answer.status)}"
        )
    return took_s


def medians(trials: Sequence[VersionTrial]) -> list[dict[str, object]]:
    """Return one row for each arm, for a table."""
    rows: list[dict[str, object]] = []
    for arm in (OLD, NEW, AGAIN):
        mine = [t for t in trials if t.arm == arm]
        if not mine:
            continue
        row: dict[str, object] = {
            "version": arm,
            "responses (/s)": float(np.median([t.throughput for t in mine])),
        }
        for q in ("p50", "p90", "p99"):
            if all(q in t.latency_s for t in mine):
                row[f"{q} (ms)"] = float(np.median([t.latency_s[q] for t in mine])) * 1e3
        row["processor time per response (µs)"] = float(np.median([t.cpu_s for t in mine])) * 1e6
        rows.append(row)
    return rows


@contextlib.contextmanager
def revisions(folder: Path, names: Sequence[str]) -> Iterator[list[Path]]:
    """Folders with the files of these revisions, for as long as the block runs; what is installed
    in the working folder (`node_modules`) is linked into each.
    """
    top = Path(_git(folder, "rev-parse", "--show-toplevel").strip())
    inside = folder.resolve().relative_to(top.resolve())
    with tempfile.TemporaryDirectory(prefix="lab-") as temporary:
        folders = []
        for index, name in enumerate(names):
            commit = _git(folder, "rev-parse", "--verify", f"{name}^{{commit}}").strip()
            place = Path(temporary) / f"{index}-{commit[:9]}"
            place.mkdir()
            packed = Path(temporary) / f"{index}.tar"
            _git(top, "archive", "--format=tar", "-o", str(packed), commit)
            subprocess.run(["tar", "-xf", str(packed), "-C", str(place)], check=True)
            for installed in (top / "node_modules", folder / "node_modules"):
                link = place / installed.resolve().parent.relative_to(top.resolve())
                if installed.is_dir() and not (link / "node_modules").exists():
                    link.mkdir(parents=True, exist_ok=True)
                    (link / "node_modules").symlink_to(installed.resolve())
            folders.append(place / inside)
        yield folders


def _git(folder: Path, *words: str) -> str:
    try:
        process = subprocess.run(
            ["git", *words], cwd=folder, capture_output=True, text=True, timeout=60, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise LabError(f"git {' '.join(words)} could not be run in {folder}: {error}.") from None
    if process.returncode:
        raise LabError(f"git {' '.join(words)} failed in {folder}: {process.stderr.strip()}")
    return process.stdout

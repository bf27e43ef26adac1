"""An examination as a record: the observations, without the particulars of this machine, so that a
page can be drawn again. Signs and problems are functions of the observations, and are computed each
time.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from lab import paths
from lab.clinic import illnesses, signs
from lab.clinic.failures import full_workers
from lab.clinic.illnesses import FLOOD, LOGGING, LONG_SHARE, NAMES, POOL, PRESSURE, Diagnosis
from lab.clinic.loading import CLIENT_BUSY
from lab.clinic.observation import Observed
from lab.clinic.profile import Place, Profile, by_line
from lab.errors import LabError, did_you_mean
from lab.processes.machine import Machine
from lab.records import store  # noqa: F401  whoever asks for this kind may ask for any
from lab.records.reference import Kind, Recorded
from lab.records.stamp import Dated
from lab.storage.json_form import flat, plain, rounded
from lab.text.html_registry import Shown

DIGITS = 5
_MOMENT_MS = 1e11


# With many clients, the loop is the limit from the first share on, and not the limit below the
# second.
LOOP_IS_LIMIT, LOOP_IS_IDLE = 0.9, 0.5
MOSTLY_CALLS = 0.8  # the share of the response time from which on the other service is named
COLLECTING = 0.15  # the share of the work from which on garbage collection is named
HOT = 0.05  # the least share of the work that makes a line worth naming

# The signs of a row of the plot: the sign, its factor there, and the number from which on it stands
# out.
_ROW = {
    "long runs (%)": ("long_share", 100.0, LONG_SHARE),
    "of many jobs (%)": ("job_share", 100.0, FLOOD.limits[3]),
    "pool (ms)": ("pool_wait_ms", 1.0, POOL.limits[0]),
    "names (ms)": ("name_ms", 1.0, NAMES.limits[0]),
    "logs (%)": ("log_share", 100.0, LOGGING.limits[0]),
    "stream (MiB)": ("queued_bytes", 1 / 1_048_576, PRESSURE.limits[0]),
}
PARTLY = "examined in part"
PARTS = ("illness", "law", "load", "inside", "signs")


@dataclass(frozen=True, repr=False)
class Part(Shown):
    """One part of a report, to be shown by itself."""

    of: Examination
    name: str

    def __repr__(self) -> str:
        return f"the part {self.name!r} of the report on {self.of.observed.title}"


@dataclass(frozen=True, repr=False)
class Examination(Shown, Dated):
    """What was observed, and what is likely ill.

    experiment : the id under which it was stored, empty if it was not; machine : where; recorded :
    where it was taken from, None if it was measured here and now.
    """

    observed: Observed
    diagnosis: Diagnosis
    experiment: str = ""
    machine: Machine = field(default_factory=Machine)
    recorded: Recorded | None = None

    @property
    def first(self) -> str:
        """The name of the likeliest illness; "nothing found"; or that it came to no diagnosis:
        "no answer", "seen from outside", "stopped early", "examined in part".
        """
        if not self.diagnosis.findings:
            if not self.observed.inside:
                return "seen from outside"
            if self.observed.answer_status is None:
                return "no answer"
            if self.observed.stopped:
                return "stopped early"
            if self.observed.gaps:
                return PARTLY
        return self.diagnosis.first

    @property
    def next_step(self) -> str:
        """What to do about gaps, in a sentence."""
        if self.observed.is_late:
            return "Stop what else runs on this machine, and examine the program again."
        return "Start the program yourself, and examine it from outside with --url."

    @property
    def remarks(self) -> list[str]:
        """What is said of the examination itself: warnings, gaps, and what to do about these."""
        step = [self.next_step] if self.first == PARTLY else []
        return [*self.observed.remarks, *step]

    @property
    def signature(self) -> dict[str, float]:
        """Return a row of a table: the share of the time in which the loop was busy with 16 clients
        (not a sign), the share of the time in long runs, the share of these in runs of many short
        jobs, the wait of a job for the pool, the wait of a request for names, the share of the work
        that wrote logs, and the most that was buffered in a stream whose `write()` had returned
        false.
        """
        found = self.diagnosis.signs
        row = {label: factor * getattr(found, sign) for label, (sign, factor, _) in _ROW.items()}
        return {"loop busy (%)": 100 * signs.busy(self.observed), **row}

    @property
    def limits(self) -> dict[str, float | None]:
        """Return for each number of `signature` the limit from which on it stands out."""
        least = {label: factor * limit.least for label, (_, factor, limit) in _ROW.items()}
        return {"loop busy (%)": None, **least}

    @property
    def started(self) -> str:
        """When the examination started, UTC, ISO."""
        return self.observed.started

    @property
    def node(self) -> str:
        """The version of Node on which the program ran, without its v; empty for a server that was
        already running.
        """
        return self.observed.node.removeprefix("v")

    @property
    def failures(self) -> dict[str, Any]:
        """The reasons for which the numbers are void (the program ended), as trials have them."""
        return {"ended": self.observed.died} if self.observed.died else {}

    def part(self, name: str) -> Part:
        """Return a part of the report: what is likely ill with its evidence ("illness"), what
        theory expects ("law"), the phases of the load ("load"), what was seen "inside", or every
        sign with its limits ("signs"). Raises LabError for another name.
        """
        if name not in PARTS:
            raise LabError(f"A report has no part {name!r}. {did_you_mean(name, PARTS)}")
        return Part(self, name)

    def __repr__(self) -> str:
        observation, diagnosis = self.observed, self.diagnosis
        lines = [f"{observation.title}: {self.first}"]
        for finding in diagnosis.findings:
            if finding is not diagnosis.findings[0]:
                lines.append(f"also: {finding.illness.name}")
            if finding.illness.is_failure or finding.illness not in illnesses.FORMS:
                lines.append(f"  {finding.illness.means}")
            lines += [f"  {row.seen} {row.says} (limit: {row.limit})" for row in finding.rows]
            lines += [
                f"  at {p.file}:{p.line}, {p.share:.0%} {finding.of_place} {p.function}: {p.text}"
                for p in finding.places[:1]
            ]
            lines += [f"  at {place}" for place in finding.sites[:1]]
            lines.append(f"  chapter: {finding.illness.chapter[1]} ({finding.illness.chapter[0]})")
        is_whole = observation.answer_status and not observation.died
        if observation.inside and not diagnosis.findings and is_whole:
            lines.append(illnesses.NOT_EXAMINED)
        lines += self.limiting
        if observation.died:
            lines.append(observation.died)
        lines += self.remarks
        return "\n".join(lines)

    @property
    def limiting(self) -> list[str]:
        """Return what limits the throughput, one line each: the loop with its hottest lines, or
        another resource. Empty if that is unknown or if a finding already says it.
        """
        observation = self.observed
        if any(item.places and not item.illness.is_failure for item in self.diagnosis.findings):
            return []
        if (
            not observation.rows
            or "many" not in observation.phases
            or not observation.phases["many"].answers
        ):
            return []
        share = self.diagnosis.signs.loop_busy
        if share >= LOOP_IS_LIMIT:
            profile = max(observation.profiles, key=lambda item: item.busy_s, default=None)
            places = [] if profile is None else by_line(profile.places)
            places = [place for place in places if place.share >= HOT][:3]
            lines = [
                f"The loop is the limit, because with {observation.phases['many'].connections} "
                f"clients it was busy for {share:.0%} of the time."
            ]
            if profile is not None and profile.gc_share >= COLLECTING:
                lines[0] += f" {profile.gc_share:.0%} of its work is garbage collection."
            return lines + [
                f"  {p.share:.0%} of its work is at {p.file}:{p.line}, in {p.function}: {p.text}"
                for p in places
            ]
        if share < LOOP_IS_IDLE and len(observation.serving) <= 1 and not self.diagnosis.findings:
            words = "Requests waited for something else."
            found_signs = self.diagnosis.signs
            if observation.phases["many"].client_elu >= CLIENT_BUSY:
                client = "bridge that requests passed" if observation.bridged else "load generator"
                words = f"The {client} was the limit, and could not send more requests."
            elif full_workers(observation):
                words = (
                    "A worker thread was the limit. It was busy all the time, and messages "
                    "waited for it. More threads would share its work."
                )
            elif found_signs.calls_share >= MOSTLY_CALLS:
                words = (
                    "Requests waited for another service: calls to it took "
                    f"{found_signs.calls_ms:.3g} ms for each response of the close observation, "
                    f"{found_signs.calls_share:.0%} of the response time."
                )
            elif observation.bridged:
                words = (
                    "Requests passed through a bridge, because the load is plain HTTP/1.1 over "
                    "TCP. They waited for the bridge or for something else."
                )
            return [
                "The loop is not the limit, because with "
                f"{observation.phases['many'].connections} clients it was busy for only "
                f"{share:.0%} of the time. {words}"
            ]
        return []


def diagnosed(seen: Observed, **about: Any) -> Examination:
    """Return the examination that was observed."""
    return Examination(seen, illnesses.diagnose(seen, signs.of(seen)), **about)


def portable(seen: Observed, folder: Path) -> Observed:
    """Return the observations with files named from the folder of the program, and with rounded
    numbers. A live page then shows the same as the record.
    """
    text = json.dumps(_rounded(plain(seen)), ensure_ascii=False)
    for path, short in ((folder, ""), (paths.ROOT, "{root}/")):
        for form in (path.as_uri(), str(path)):
            text = text.replace(json.dumps(f"{form}/")[1:-1], short)
    return _observed(json.loads(text))


def _rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _rounded(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_rounded(one) for one in value]
    if not isinstance(value, float):
        return value
    # A moment is Unix time. With five digits it would be exact to a year.
    is_moment = abs(value) > _MOMENT_MS
    return round(value, 1) if is_moment else rounded(value, DIGITS)


def _observed(data: Mapping[str, Any]) -> Observed:
    observation = flat(Observed, {**data, "profiles": []})
    for one in data["profiles"]:
        made = flat(Profile, one)
        for places in (made.places, made.log_places, made.write_places):
            places[:] = [flat(Place, place) for place in places]  # type: ignore[arg-type]
        observation.profiles.append(made)
    return observation


class _Examinations(Kind[Examination]):
    name, key, made = "examination", "observed", Examination

    def run(self, data: Any, folder: Path) -> Examination:
        machine = flat(Machine, data["machine"])
        return diagnosed(_observed(data["observed"]), machine=machine)

    def told(self, data: Mapping[str, Any]) -> str:
        return f"an examination of {data['observed']['title']}"

    def opened(self, data: dict[str, Any], record: Recorded) -> Examination:
        return diagnosed(
            _observed(data["observed"]),
            experiment=record.experiment,
            machine=record.machine,
            recorded=record,
        )

    def content(self, result: Examination) -> dict[str, Any]:
        return {"node": result.node, "observed": plain(result.observed)}

    def refused(self, result: Examination) -> str:
        return result.observed.died and f"the program ended: {result.observed.died}"

    def text(self, envelope: dict[str, Any], result: Examination) -> str:
        """Return the recorded file as text, with one line for each row of the probes."""
        record = {**envelope, **self.content(result)}
        return json.dumps(record, ensure_ascii=False, separators=(",", ":"))


EXAMINATION = _Examinations()


def stored(examination: Examination, question: Mapping[str, Any], profile: str) -> dict[str, Any]:
    """Return plain data of a run of this machine."""
    return {
        "question": dict(question),
        "profile": profile,
        "machine": examination.machine.to_json(),
        **EXAMINATION.content(examination),
    }


def known(made: Examination, experiment: str, machine: Machine) -> Examination:
    """Return the examination with its id and its origin."""
    return replace(made, experiment=experiment, machine=machine)

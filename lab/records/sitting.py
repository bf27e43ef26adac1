"""A sitting: the results of one run of the book on one machine, as a file of a few kB.

The full records are of the last reference run. Of earlier runs, and of other people's machines, we
keep a sitting. It holds what a verdict needs: each claim's ratio with its interval, the machine,
the versions and the day. A file that a reader sent is not trusted: if a value doesn't fit, the file
is refused with a sentence, and nothing of it is used.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from lab.errors import LabError
from lab.judging import judge
from lab.judging.sittings import DIFFERS
from lab.settings import PROFILES

FORMAT = "nodejs-io-measured/sitting"
SCHEMA = 1
MOST_BYTES = 32_000
MOST_TEXT = 80  # the largest number of characters of a name
MOST_REASON = 300  # the largest number of characters of a reason for no verdict
MOST_PAIRS = 100_000
LARGEST = 1e9  # the largest ratio; the smallest is 1 / LARGEST
HEAD = {"format", "schema", "profile", "made", "machine", "versions", "claims"}
MACHINE = {"cpu": str, "cores": int, "ram_gib": int, "virt": str, "os": str, "arch": str}
CLAIM = {"id", "verdict", "estimate", "low", "high", "pairs", "because"}
VERSION = re.compile(r"\d{1,4}(\.\d{1,6}){1,3}")
DAY = re.compile(r"\d{4}-\d\d-\d\d")


class BadSitting(LabError):
    """The file is not a sitting, or has an impossible value."""


@dataclass(frozen=True)
class Found:
    """The result of one claim in a sitting: its word, and the ratio with its interval."""

    id: str
    verdict: str
    estimate: float
    low: float
    high: float
    pairs: int
    because: str = ""


@dataclass(frozen=True, eq=False)  # one file is one sitting
class Sitting:
    """A run of the book on one machine."""

    made: str  # the day, ISO
    profile: str
    machine: Mapping[str, Any]
    node: str
    python: str
    claims: Mapping[str, Found]

    @property
    def major(self) -> int:
        """The release line of its Node."""
        return int(self.node.partition(".")[0])

    @property
    def cpu(self) -> str:
        """Return the processor's name without trademark signs."""
        return re.sub(r"\((R|TM)\)| Processor| CPU", "", self.machine["cpu"]).strip()

    def is_on(self, label: str) -> bool:
        """Return whether the sitting ran on the processor that a machine's label names."""
        return label.partition(" × ")[2].startswith(f"{self.machine['cpu']}, ")

    @property
    def where(self) -> str:
        """The machine and the day in words."""
        return f"{self.cpu}, {self.made}"


def name_of(made: str, cpu: str, node: str) -> str:
    """Return the name of a sitting's file: day, processor and Node."""
    plain = re.sub(r"\((R|TM)\)", "", cpu).lower()
    slug = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:30] or "unknown"
    return f"{made}-{slug}-node{node.partition('.')[0]}.json"


def text_of(sitting: Sitting) -> str:
    """Return a sitting as the text of its file: JSON, one claim in each line."""
    head = {
        "format": FORMAT,
        "schema": SCHEMA,
        "profile": sitting.profile,
        "made": sitting.made,
        "machine": dict(sitting.machine),
        "versions": {"node": sitting.node, "python": sitting.python},
    }
    lines = [f"{json.dumps(key)}:{_json(value)}" for key, value in head.items()]
    claims = ",\n".join(_json(vars(found)) for found in sitting.claims.values())
    return "{\n" + ",\n".join([*lines, f'"claims":[\n{claims}\n]']) + "\n}\n"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def read(file: Path, ids: Collection[str]) -> Sitting:
    """Return the sitting in a file. Raises BadSitting with the first error and what to do.

    ids : the ids of claims that the sitting may contain
    """
    try:
        # For example a link to a device, from which reading never ends.
        if file.exists() and not file.is_file():
            raise BadSitting("it is not a regular file")
        with file.open("rb") as content:
            return parsed(content.read(MOST_BYTES + 1), ids)
    except OSError as error:
        raise BadSitting(f"{file.name} can't be read: {error.strerror}.") from None
    except BadSitting as error:
        raise BadSitting(
            f"{file.name} is not used, because {error}. Write it again with `make results`."
        ) from None


def parsed(data: bytes, ids: Collection[str]) -> Sitting:
    """Return the sitting in these bytes. Raises BadSitting, without a full stop."""
    content = _json_of(data)
    _keys("the file", content, HEAD)
    if content["format"] != FORMAT or content["schema"] != SCHEMA:
        raise BadSitting(
            f"it is {_shown(content['format'])} {_shown(content['schema'])}, not {FORMAT} {SCHEMA}"
        )
    profile = _text("profile", content["profile"])
    if profile not in PROFILES or not PROFILES[profile].verdicts:
        raise BadSitting(f"profile is {_shown(profile)}, which gives no verdicts")
    day = _day(content["made"])
    machine = _machine(content["machine"])
    versions = content["versions"]
    _keys("versions", versions, {"node", "python"})
    for name, version in versions.items():
        if not VERSION.fullmatch(_text(name, version)):
            raise BadSitting(
                f"the version of {name} is {_shown(version)} instead of a version such as 24.1.0"
            )
    claims = content["claims"]
    if not isinstance(claims, list):
        raise BadSitting(f"claims is {_shown(claims)} instead of a list")
    by_id: dict[str, Found] = {}
    for i, claim in enumerate(claims):
        interval = _claim(f"claims[{i}]", claim, ids)
        if interval.id in by_id:
            raise BadSitting(f"it has the claim {interval.id} twice")
        by_id[interval.id] = interval
    if not by_id:
        raise BadSitting("it has no claims")
    return Sitting(day, profile, machine, versions["node"], versions["python"], by_id)


def _json_of(data: bytes) -> Any:
    if len(data) > MOST_BYTES:
        raise BadSitting(f"it has more than {MOST_BYTES:,} bytes, the most that a sitting has")
    try:
        return json.loads(data.decode("utf-8"), object_pairs_hook=_once, parse_constant=_no_number)
    except UnicodeDecodeError:
        raise BadSitting("it is not text in UTF-8") from None
    except RecursionError:
        raise BadSitting("it is nested too deeply") from None
    except json.JSONDecodeError as error:
        raise BadSitting(f"it is not JSON: line {error.lineno}, {error.msg}") from None
    except ValueError as error:  # an integer of thousands of digits
        raise BadSitting(f"it has a number that can't be read: {error}") from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    unique = dict(pairs)
    if len(unique) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise BadSitting(f"it has the key {_shown(twice)} twice")
    return unique


def _no_number(text: str) -> float:
    raise BadSitting(f"it has {text}, which is not a number")


def _keys(place: str, value: Any, names: Collection[str]) -> None:
    if not isinstance(value, dict):
        raise BadSitting(f"{place} is {_shown(value)} instead of an object")
    if lacking := sorted(set(names) - value.keys()):
        raise BadSitting(f"{place} has no {lacking[0]!r}")
    if more := sorted(value.keys() - set(names)):
        raise BadSitting(f"{place} has {_shown(more[0])}, which is not a key of a sitting")


def _text(place: str, value: Any, most: int = MOST_TEXT) -> str:
    if not isinstance(value, str):
        raise BadSitting(f"{place} is {_shown(value)} instead of text")
    if len(value) > most:
        raise BadSitting(f"{place} has {len(value)} characters, and at most {most} are allowed")
    if not value.isprintable():
        raise BadSitting(f"{place} has characters that can't be printed")
    return value


def _whole(place: str, value: Any, least: int, most: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise BadSitting(f"{place} is {_shown(value)} instead of a whole number")
    if not least <= value <= most:
        raise BadSitting(f"{place} is {_shown(value)} instead of {least:,} to {most:,}")
    return value


def _ratio(place: str, value: Any) -> float:
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        raise BadSitting(f"{place} is {_shown(value)} instead of a number")
    if not 1 / LARGEST <= value <= LARGEST:
        raise BadSitting(f"{place} is {_shown(value)} instead of {1 / LARGEST:g} to {LARGEST:g}")
    return float(value)


def _day(value: Any) -> str:
    text = _text("made", value)
    try:
        if DAY.fullmatch(text):
            date.fromisoformat(text)
            return text
    except ValueError:
        pass
    raise BadSitting(f"made is {_shown(text)} instead of a day such as 2026-11-28")


def _machine(value: Any) -> dict[str, Any]:
    _keys("machine", value, {*MACHINE, "quota_cores"})
    for name, kind in MACHINE.items():
        place = f"machine.{name}"
        if name == "virt" and value[name] is None:
            continue
        if kind is str:
            _text(place, value[name])
        else:
            _whole(place, value[name], 0 if name == "ram_gib" else 1, 1_000_000)
    quota = value["quota_cores"]
    if quota is not None:
        _ratio("machine.quota_cores", quota)
    if not value["cpu"].strip():
        raise BadSitting("machine.cpu is empty")
    return dict(value)


def _claim(place: str, value: Any, ids: Collection[str]) -> Found:
    _keys(place, value, CLAIM)
    id = _text(f"{place}.id", value["id"])
    if id not in ids:
        raise BadSitting(f"{place}.id is {_shown(id)}, which is not a claim with an interval")
    verdict = _text(f"{place}.verdict", value["verdict"])
    if verdict not in judge.WORDS or verdict == DIFFERS:  # this word needs several sittings
        raise BadSitting(
            f"the verdict of {id} is {_shown(verdict)}, which is not a verdict of one sitting"
        )
    estimate, low, high = (
        _ratio(f"{name} of {id}", value[name]) for name in ("estimate", "low", "high")
    )
    if not low <= estimate <= high:
        raise BadSitting(
            f"the interval of {id} is {low:g} to {high:g}, and {estimate:g} is outside it"
        )
    pairs = _whole(f"pairs of {id}", value["pairs"], 2, MOST_PAIRS)
    because = _text(f"because of {id}", value["because"], MOST_REASON)
    return Found(id, verdict, estimate, low, high, pairs, because)


def _shown(value: Any) -> str:
    """A value for a message: short, on one line, printable."""
    try:
        text = repr(value)
    except (ValueError, RecursionError):  # an integer of thousands of digits, a deep list
        return f"a {type(value).__name__}"
    text = "".join(c if c.isprintable() else "?" for c in text)
    return text if len(text) <= MOST_TEXT else f"{text[:MOST_TEXT]}…"


def finite(*numbers: float | None) -> bool:
    """Return whether these are numbers that a sitting can hold."""
    return all(x is not None and math.isfinite(x) and 1 / LARGEST <= x <= LARGEST for x in numbers)

"""Variations: one thing is changed, and each value of it that a chapter suggests has a record.

    lab.vary("pool-mine", limited, values=[2, 1, 3, 4], value=2, name="AT_ONCE", of=told)

`limited(value, experiment)` measures, `told(result, value)` says the numbers of it. The first of
`values` is recorded as the experiment of that id, the others as `id-VALUE`. In replay all come from
their records. Live, `value` alone is measured, whatever it is, and stands beside the recorded ones;
the reference profile measures and records them all.

Where a value says little, as a line of code does, `values` gives each a name: {"a timer": "await
timer(100)"}. The names are on the buttons, with the code of it, and in the ids.

A reader chooses a value and sees its numbers, each on an axis that all values share: with a slider
where the values are numbers, four or more, else with buttons. Without JavaScript, and for who
cannot see it, the same stands there as a table.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from html import escape
from typing import Any, Literal

from lab import settings
from lab.display.html import STYLE, table
from lab.errors import LabError
from lab.judging.stats import Ratio
from lab.plot.provenance import provenance, remarks, trials_of
from lab.records.identity import experiment_id
from lab.records.reference import NoRecord, StaleRecord
from lab.records.table import Rows
from lab.storage.gate import checked
from lab.text.numbers import number
from lab.text.phrasing import printable, unbroken
from lab.widgets.markup import inline, json_script, plain
from lab.widgets.parts import assets

__all__ = ["Variation", "drawn", "hold", "planned", "release", "vary"]

SLIDES = 4  # so many numbers have a slider, fewer have buttons
ROOM = 1.6  # the factor by which a logarithmic axis goes beyond its values
_MEASURE = re.compile(r"(?P<name>.*?)\s*(?:\((?P<unit>[^()]+)\))?")


@dataclass(frozen=True)
class Tried:
    """A value, by its name if it has one, and the numbers that it gave; `run` is what was measured.

    code : the text that the name stands for.
    """

    value: Any
    numbers: dict[str, Any]  # "median (ms)" -> a number, or a text
    live: bool
    run: Any = field(default=None, repr=False)
    code: str = ""


@dataclass(frozen=True)
class Variation:
    """All values of the one thing that is changed; shows itself with a button for each.

    absent : suggested values without a record of this question, which are not shown.
    """

    id: str
    name: str
    tried: tuple[Tried, ...] = field(repr=False)
    value: Any  # the value that is chosen when the page opens
    absent: tuple[Any, ...] = ()
    why: Mapping[str, str] = field(default_factory=dict, repr=False)
    scale: str = "linear"
    note: str = ""

    def at(self, value: Any) -> Tried:
        """Return what a value gave. Raises LabError for one that was not tried."""
        for variant in self.tried:
            if str(variant.value) == str(value):
                return variant
        names = ", ".join(plain(label(variant.value)) for variant in self.tried)
        raise LabError(f"{self.id!r} has no value {value!r}, only {names}")

    @property
    def measures(self) -> list[str]:
        """The names of the numbers, in the order in which they first appear."""
        return list(dict.fromkeys(name for variant in self.tried for name in variant.numbers))

    def told(self, variant: Tried) -> str:
        """Return a sentence of what a value gave, each number beside that of the first value."""
        first = self.tried[
            0
        ]  # in the order of the chapter, which may differ from the order on the page
        parts = [
            _beside(name, variant.numbers[name], first.numbers.get(name), variant is first)
            for name in self.measures
            if name in variant.numbers
        ]
        versus = any(part.endswith("×)") for part in parts)
        sides = f" × compares with {label(first.value)}." if versus else ""
        here = " Measured here." if self._is_here(variant) else ""
        return f"{label(variant.value)} – {'; '.join(parts)}.{sides}{here}"

    @property
    def shown(self) -> list[Tried]:
        """The values as they are shown: numbers by their size, others as they are given."""
        values = list(self.tried)
        return sorted(values, key=lambda variant: variant.value) if self._is_ordered else values

    @property
    def _is_ordered(self) -> bool:
        return all(_is_number(variant.value) for variant in self.tried)

    def reason(self, variant: Tried) -> str:
        """Return why a value does what it does, as the chapter says it; empty if it does not."""
        return self.why.get(str(variant.value), "")

    def to_json(self) -> dict[str, Any]:
        """Return what the element needs: places on the axes from 0 to 1, texts as HTML."""
        names = self.measures
        axes = self._axes(names)
        return {
            "name": inline(self.name),
            "measures": [{"name": n, "unit": u} for n, u in map(_split, names)],
            "scale": self.scale,
            "start": self.shown.index(self.at(self.value)),
            **({"slider": True} if self._is_ordered and len(self.tried) >= SLIDES else {}),
            "values": [
                {
                    "label": inline(label(variant.value)),
                    "at": [axes[name](variant.numbers.get(name)) for name in names],
                    "text": [_text(variant.numbers.get(name)) for name in names],
                    "told": inline(unbroken(self.told(variant))),
                    **({"code": variant.code} if variant.code else {}),
                    **({"why": inline(why)} if (why := self.reason(variant)) else {}),
                    **({"here": True} if self._is_here(variant) else {}),
                }
                for variant in self.shown
            ],
        }

    def _axes(self, names: list[str]) -> dict[str, Callable[[Any], float | None]]:
        """Return the axis for the numbers of each name. Numbers of one unit share an axis."""
        units = {name: _split(name)[1] or name for name in names}
        together: dict[str, list[Any]] = {}
        for name, unit in units.items():
            together.setdefault(unit, []).extend(
                variant.numbers.get(name) for variant in self.tried
            )
        return {name: _axis(together[unit], self.scale) for name, unit in units.items()}

    def _is_here(self, variant: Tried) -> bool:
        return variant.live and not all(t.live for t in self.tried)

    @property
    def notes(self) -> list[str]:
        """What a caption says: where the runs come from, which checks spoke, what is left out."""
        runs = [run for variant in self.tried for run in _records(variant.run)]
        texts = [text for run in runs for text in provenance(run)]
        lines = list(dict.fromkeys(texts)) + remarks(trials_of(runs))
        if self.absent:
            gone = ", ".join(plain(label(value)) for value in self.absent)
            lines.append(f"no record of this program and load: {gone}")
        return [*([self.note] if self.note else []), *lines]

    @property
    def rows(self) -> list[dict[str, Any]]:
        """One row a value: what the table shows."""
        has_here = any(self._is_here(variant) for variant in self.tried)
        return [
            {
                self._head: plain(label(variant.value))
                + (f": {variant.code}" if variant.code else ""),
                **{name: variant.numbers.get(name) for name in self.measures},
                **({"run": "here" if self._is_here(variant) else "recorded"} if has_here else {}),
            }
            for variant in self.shown
        ]

    @property
    def _head(self) -> str:
        return plain(self.name)

    def __repr__(self) -> str:
        return "\n".join(plain(self.told(variant)) for variant in self.tried)

    def _repr_html_(self) -> str:
        whys = "".join(
            f"<li>{inline(label(variant.value))}: {inline(self.reason(variant))}</li>"
            for variant in self.shown
            if self.reason(variant)
        )
        whys_html = f"<ul>{whys}</ul>" if whys else ""
        name = f"{self._head}: every value"
        notes = f'<p class="notes">{escape(unbroken("; ".join(self.notes)))}.</p>'
        return (
            f'{assets("vary")}<lab-vary id="vary-{escape(self.id)}">{json_script(self.to_json())}'
            f"<details open><summary>{inline(self.name)}: every value</summary>"
            f"{STYLE}{table(self.rows, label=name)}{whys_html}</details>"
            f"{notes if self.notes else ''}</lab-vary>"
        )


@checked
def vary(
    id: str,
    run: Callable[..., Any],
    *,
    values: Sequence[Any] | Mapping[str, Any],
    of: Callable[..., Any],
    value: Any = None,
    name: str = "",
    why: Mapping[str, str] | None = None,
    scale: Literal["linear", "log"] = "linear",
    note: str = "",
    measure: Literal["one", "all"] = "one",
) -> Variation:
    """Return what each value of one changed thing gives, as a variation that shows itself.

        lab.vary("pool-mine", run, values=[2, 1, 3], of=ratios)
                                      2 is measured here; 1 and 3 come from their records
        lab.vary("pool-mine", run, values=[2, 1, 3], value=4, of=ratios)
                                      4 is measured here, and all three come from their records
        lab.vary("places", run, values={"a disk": "/var", "memory": "/dev/shm"}, of=ratios,
                 measure="all")       both are measured, under their names

    run : measures one value, as run(value, experiment)
    of : the numbers of a result, as of(result, value), by name and unit: {"median (ms)": 2.1}
    values : the values that have records, or {name: value}
    value : the value to measure, by default the first
    name : what is changed; why : {value: sentence}; note : for the caption
    scale : of the axes
    measure : "all" measures every value here, which claims about several of them need

    Raises LabError for values that cannot be told apart, whatever `run` raises, NoRecord in replay.
    """
    results, absent = [], []
    for plan in planned(id, values, value, measure):
        try:
            with _held(id, plan["live"]):
                result = run(plan["value"], plan["experiment"])
                numbers = of(result, plan["value"])
        except (NoRecord, StaleRecord):
            if not plan["optional"]:
                raise
            absent.append(plan["name"])
        else:
            results.append({**plan, "numbers": numbers, "run": result})
    return drawn(
        id, results, value=value, absent=absent, name=name, why=why or {}, scale=scale, note=note
    )


@checked
def planned(
    id: str,
    values: Sequence[Any] | Mapping[str, Any],
    value: Any = None,
    measure: Literal["one", "all"] | None = None,
) -> list[dict[str, Any]]:
    """Return the values to try, each with its name, the id of its experiment, whether it is
    measured here, and whether it may be left out where it has no record. Raises LabError.
    """
    if not values:
        raise LabError(f"vary({id!r}) has no values. Name the values that a reader should try")
    names = list(values)
    value_of = dict(values) if isinstance(values, Mapping) else {}
    mine = names[0] if value is None else value
    all_names = [*names, *([] if str(mine) in map(str, names) else [mine])]
    live = settings.mode() == "live"
    measures_all = measure == "all" or settings.profile().name == "reference"
    ids = [
        id if i == 0 else experiment_id(None, id, [str(name)]) for i, name in enumerate(all_names)
    ]
    twice = next((name for i, name in enumerate(ids) if name in ids[:i]), "")
    if twice:
        raise LabError(
            f"vary({id!r}) has two values that would both be recorded as {twice!r}. Make them "
            "differ in letters or digits"
        )
    return [
        {
            "name": name,
            "value": value_of.get(name, name),
            "experiment": experiment,
            "live": live and (measures_all or str(name) == str(mine)),
            "optional": settings.asked_mode() == "live" and str(name) != str(mine),
        }
        for name, experiment in zip(all_names, ids, strict=True)
    ]


def hold(id: str) -> None:
    """Let what is asked from now on be answered by the record, until `release`."""
    settings.replaying.add(("vary", id))


def release(id: str) -> None:
    """Measure again."""
    settings.replaying.discard(("vary", id))


@checked
def drawn(
    id: str,
    entries: list[dict[str, Any]],
    *,
    value: Any = None,
    absent: Sequence[Any] = (),
    name: str = "",
    why: Mapping[str, str] | None = None,
    scale: Literal["linear", "log"] = "linear",
    note: str = "",
) -> Variation:
    """Return the variation of values that were tried, as `planned` has them, each with its numbers
    and its run. Raises LabError for numbers without a name, or a reason for another value.
    """
    variants = [
        Tried(
            entry["name"],
            _numbers(id, entry["numbers"]),
            entry["live"],
            entry.get("run"),
            entry["value"]
            if entry["value"] != entry["name"] and isinstance(entry["value"], str)
            else "",
        )
        for entry in entries
    ]
    if not variants:
        raise LabError(f"vary({id!r}) has nothing to show, because none of its values has a record")
    value_names = {str(name) for name in (*(t.value for t in variants), *absent)}
    if unknown := set(why or {}) - value_names:
        raise LabError(f"vary({id!r}) explains {min(unknown)!r}, which is not one of its values")
    return Variation(
        id=id,
        name=name or id,
        tried=tuple(variants),
        value=variants[0].value if value is None else value,
        absent=tuple(absent),
        why=dict(why or {}),
        scale=scale,
        note=note,
    )


@contextmanager
def _held(id: str, live: bool) -> Iterator[None]:
    if live:
        yield
        return
    hold(id)
    try:
        yield
    finally:
        release(id)


def _numbers(id: str, numbers: Any) -> dict[str, Any]:
    if not isinstance(numbers, Mapping) or not numbers:
        raise LabError(
            f"vary({id!r}): `of` must return numbers by name, such as {{'median (ms)': 2.1}}, "
            f"and not {numbers!r}"
        )
    return {str(name): _number(value) for name, value in numbers.items()}


def _number(value: Any) -> Any:
    if isinstance(value, Ratio):
        value = value.estimate
    if value is None or isinstance(value, (str, bool)):
        return value
    made = float(value)
    if not math.isfinite(made):
        return None
    return int(made) if made.is_integer() and not isinstance(value, float) else made


def label(value: Any) -> str:
    """Return a value as its button says it, as marked text."""
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return str(value)


def _split(measure: str) -> tuple[str, str]:
    found = _MEASURE.fullmatch(measure)
    return (found["name"], found["unit"] or "") if found else (measure, "")


def _text(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return printable(value)
    return f"{value:,}" if isinstance(value, int) else number(value)


def _beside(measure: str, value: Any, first: Any, is_first: bool) -> str:
    """Return a number with its name and unit, and by which factor it differs from the first."""
    name, unit = _split(measure)
    text = f"{name}: {_text(value)} {unit}".strip()
    are_numbers = _is_number(value) and _is_number(first)
    if is_first or not are_numbers or first <= 0 or value <= 0:
        return text
    return f"{text} ({number(value / first)}\u00a0×)"


def _axis(values: Sequence[Any], scale: str) -> Callable[[Any], float | None]:
    """Return what places a number between 0 and 1; None for what is no number, or has no place."""
    numbers = [float(v) for v in values if _is_number(v)]
    if scale == "log":
        numbers = [v for v in numbers if v > 0]
        if not numbers:
            return lambda _: None
        low, high = math.log(min(numbers) / ROOM), math.log(max(numbers) * ROOM)
        return lambda v: (
            round((math.log(v) - low) / (high - low), 3) if _is_number(v) and v > 0 else None
        )
    most = max(numbers, default=0.0)
    if most <= 0 or min(numbers) < 0:
        return lambda _: None
    return lambda v: round(v / most, 3) if _is_number(v) else None


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _records(run: Any) -> list[Any]:
    """The records in what was measured: itself, that of its rows, or those in a list or mapping."""
    if isinstance(run, Rows):
        return [] if run.of is None else [run.of]
    if isinstance(run, Mapping):
        run = list(run.values())
    if isinstance(run, (list, tuple)):
        return [record for part in run for record in _records(part)]
    return [run]

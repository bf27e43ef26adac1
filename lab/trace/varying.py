"""Values that differ in every run of a program, as durations, process ids and dates do.

An order is not another one because a duration is. Such a value is masked before runs are compared.
A number that says which callback printed the line is kept: in every run it is among the same ones.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

Lines = tuple[str, ...]
MASK = "#"
FEW = 4  # runs, of which each has a longer number of its own: process ids in a container
MANY = 6  # from so many runs on, a value that differs in nearly every run counts as varying

_TOKEN = re.compile(
    r"\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b"  # a UUID
    r"|\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?"  # a date
    r"|\b\d{1,2}:\d\d(?::\d\d)?(?:[.,]\d+)?\b"  # a time of day
    r"|\b(?=[A-Za-z]*\d)(?=\d*[A-Za-z])[A-Za-z0-9]{8,}\b"  # a hash, a random id
    r"|(?:(?<![\w.])-)?\d+(?:[.,]\d+)*(?:e[+-]?\d+)?"  # a number
)
_UNIT = re.compile(r"\s?(?:[nµmu]?s|sec|seconds?|min|[kKMG]i?B|bytes?|%|/s)(?![A-Za-z])")
_NAMED = re.compile(r"(?:\bpid|\bport|\btook|\belapsed|\bduration|:)\W*$", re.IGNORECASE)
_COUNT = re.compile(r"-?\d{1,3}")  # a number so short may be a count or a part of a name

LONG = 3  # digits

Place = tuple[str, int]  # the line without its tokens, and which of them


@dataclass(frozen=True)
class Varying:
    """The places of a program's lines whose values differ from run to run.

    `examples` are values that were seen there, for a note.
    """

    places: frozenset[Place] = frozenset()
    examples: tuple[str, ...] = ()

    @classmethod
    def of(cls, runs: Iterable[Lines]) -> Varying:
        """The parts of the output that vary between these runs. Equal runs have none."""
        distinct = Counter(runs)
        if len(distinct) < 2:
            return cls()
        values: dict[Place, _Values] = {}
        for lines, times in distinct.items():
            for place, seen in _tokens(lines).items():
                values.setdefault(place, _Values()).add(seen, times)
        varying = {place: seen for place, seen in values.items() if seen.vary}
        examples = [seen.example for seen in varying.values()]
        return cls(frozenset(varying), tuple(dict.fromkeys(examples))[:3])

    def masked(self, lines: Lines) -> Lines:
        """The lines with what varies replaced by the mask."""
        return tuple(map(self._mask, lines)) if self.places else lines

    def _mask(self, line: str) -> str:
        template = _TOKEN.sub("\0", line)
        at = iter(range(len(line)))

        def shown(token: re.Match[str]) -> str:
            return MASK if (template, next(at)) in self.places else token[0]

        return _TOKEN.sub(shown, line)

    @property
    def note(self) -> str | None:
        """A note for the reader on the comparison, None if nothing was masked."""
        if not self.places:
            return None
        return (
            "Values that differ from run to run, such as durations, process ids, ports or "
            f"dates, are shown as {MASK} and not compared (here, for example, "
            f"{', '.join(self.examples)})."
        )


@dataclass
class _Values:
    """The values that were printed at one place, run by run."""

    runs: list[Counter[str]] = field(default_factory=list)
    times: int = 0
    measured: bool = False

    def add(self, seen: Sequence[_Seen], times: int) -> None:
        self.runs.append(Counter(one.value for one in seen))
        self.times += times
        self.measured |= any(one.measured for one in seen)

    @property
    def vary(self) -> bool:
        """Whether two runs have a value each that the other lacks, and it looks measured: by its
        form, or because most runs have values of their own.
        """
        first, *others = self.runs
        if not any(first - other and other - first for other in others):
            return False
        distinct = len({frozenset(run.items()) for run in self.runs})
        are_long = all(len(value) >= LONG for run in self.runs for value in run)
        return (
            self.measured
            or (self.times >= MANY and 2 * distinct > self.times)
            or (self.times >= FEW and distinct == self.times and are_long)
        )

    @property
    def example(self) -> str:
        return next(iter(self.runs[0]))


@dataclass(frozen=True)
class _Seen:
    """A value, and whether its form or the text around it says that it was measured or drawn."""

    value: str
    measured: bool


def _tokens(lines: Lines) -> dict[Place, list[_Seen]]:
    tokens: dict[Place, list[_Seen]] = {}
    for line in lines:
        template = _TOKEN.sub("\0", line)
        for at, token in enumerate(_TOKEN.finditer(line)):
            measured = bool(
                not _COUNT.fullmatch(token[0])
                or _UNIT.match(line, token.end())
                or _NAMED.search(line[: token.start()])
            )
            tokens.setdefault((template, at), []).append(_Seen(token[0], measured))
    return tokens

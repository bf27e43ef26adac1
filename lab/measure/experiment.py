"""One experiment: the question it asks, and the way to its answer, which is the same for all verbs.

In replay the answer is the recorded one. Live it is measured alone on this machine, stored, and in
the reference profile recorded; where something is missing here, the record may stand in.

    this = ask(TRIAL, experiment, [server.name], question({server.name: server.question}))
    return this.replayed() or this.measured(lambda folder: ...)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from lab import settings
from lab.errors import LabError
from lab.processes import lock
from lab.records.identity import experiment_id
from lab.records.reference import Kind
from lab.records.store import Folder
from lab.settings import Mode, Profile
from lab.storage.json_form import plain

__all__ = ["Experiment", "ask"]

T = TypeVar("T")


@dataclass(frozen=True)
class Experiment(Generic[T]):
    """The question under one id, the kind of its answer, and the ways to the answer."""

    id: str
    question: dict[str, Any]
    kind: Kind[T]
    mode: Mode
    profile: Profile

    @property
    def is_reference(self) -> bool:
        """Whether this measurement is recorded. Then nothing may be missing."""
        return self.profile.name == "reference"

    def replayed(self, unlike: str = "", error: type[LabError] = LabError) -> T | None:
        """Return the recorded answer in replay, None live.

        unlike : what is wrong if the record is of another kind. Raises `error` then, NoRecord,
        StaleRecord.
        """
        if self.mode == "live":
            return None
        found = self.kind.replay(self.id, self.question)
        if not isinstance(found, self.kind.made):
            raise error(f"experiment {self.id!r} is recorded{unlike}")
        return found

    def measured(
        self,
        measure: Callable[[Folder], T],
        content: Callable[[T], Any] | None = None,
        *,
        strict: bool = True,
    ) -> T:
        """Return the result of `measure`, run alone on this machine, stored and, in the reference
        profile, recorded. In a profile without verdicts other processes may measure at the same
        time.

        content : the plain data to store of the result
        strict : as for `record`
        A run that ended before the first measurement leaves no files.
        """
        with lock.measuring(alone=self.profile.verdicts):
            folder = Folder(self.id)
            try:
                result = measure(folder)
                folder.keep(self.kind.name, content(result) if content else plain(result))
            except BaseException:
                folder.discard()
                raise
        self.record(result, strict=strict)
        return result

    def record(self, result: T, *, strict: bool = True) -> None:
        """Record a result in the reference profile.

        strict : raise LabError if a check of the result failed, or if a part is missing
        """
        if self.is_reference:
            self.kind.record(self.id, result, self.question, self.profile.name, strict)

    def instead(self) -> T | None:
        """Return the recorded answer to this question, None if there is none."""
        found = self.kind.answer(self.id, self.question)
        return found if isinstance(found, self.kind.made) else None


def ask(
    kind: Kind[T],
    chosen_id: str | None,
    parts: Iterable[str],
    question: dict[str, Any],
) -> Experiment[T]:
    """Return the experiment of this id, or of an id made of the notebook and `parts`, in the mode
    that LAB_MODE and the needs of the notebook say. Raises LabError for an id that would not do.
    """
    name = experiment_id(chosen_id, settings.notebook(), parts)
    return Experiment(name, question, kind, settings.mode(), settings.profile())

"""Exercises: one folder each, `exercises/<topic>/<id>/`, from which everything else is made.

    exercise.toml   title, chapter, criteria with their points, hints, wrong answers (see
    `Exercise`)
    task.md         what is asked, in Markdown
    starter.mjs     where one begins: it runs (or starter.cjs)
    solution.mjs    the reference: accepted with all points
    check.mjs       the check: one function for each criterion, run outside the hand-in's process
    inside.js       scenes that have to be played inside its process (optional)
    wrong/*.mjs     typical wrong answers: each must be rejected, with its own message
    wrong/*.toml    the same, as edits of the solution (see `lab.grading.edits`)
    references/     programs that the hand-in is compared with where a clock decides (optional)

An exercise may be a step of a project, a server that grows from step to step: `project = "drop"`
and `step = 2`. Its hand-in may be a folder of several files, its starter is the solution of the
step before, and a student has the same parameters in all steps. `exercises/drop.mjs` has what their
checks share, `await t.shared()`, and `exercises/drop.toml` what the project's page shows.

What differs by student stands under [parameters], each with its values: `most = [10, 20, 40]`. The
task has `{{most}}` in its place, a program a line such as `const most = 10; // {{most}}` with the
first value, and a check `t.parameters.most`.

Readers get the task, the starter and the hints; solution, check and wrong answers stay here.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lab import paths
from lab.errors import LabError, did_you_mean
from lab.grading import edits
from lab.storage import gate, stored
from lab.storage.json_form import flat

EXERCISES = paths.ROOT / "exercises"
FILE = "exercise.toml"
KINDS = {"esm": ".mjs", "cjs": ".cjs"}
LEVELS = {1: "easy", 2: "medium", 3: "hard"}
HINTS = 3
STARS = 24  # exercises that a course begins with, four a week for six weeks
# A value in a program that differs by student: it runs as it stands, with the first of them.
_VALUE = re.compile(r"= ([^;\n]*); // \{\{(\w+)\}\}")
_PLACE = re.compile(r"\{\{(\w+)\}\}")
ADVICE = "docs/add-an-exercise.md explains each key."


class BadExercise(LabError):
    """An exercise's folder does not hold what an exercise needs."""


class UnknownExercise(LabError):
    """There is no exercise with this id."""


@dataclass(frozen=True)
class Criterion:
    """One thing that is looked at. `says` stands on the page: what a right answer does."""

    id: str
    points: float
    says: str
    needs: tuple[str, ...] = ()  # criteria without which this one says nothing


@dataclass(frozen=True)
class Wrong:
    """A typical wrong answer. `message` is part of what the first criterion it misses must say;
    `misses` names all that do not hold, also those that were left out for what they need.
    """

    file: str
    is_: str
    misses: tuple[str, ...]
    message: str


@dataclass(frozen=True)
class Limits:
    """What a hand-in may take: `seconds` of all criteria together; `call`, the seconds of one call
    or scene, or until a server listens; `memory`, MiB of all its processes; `processes`, threads
    not counted. What an exercise leaves out is as here, and enough for most.
    """

    seconds: float = 30
    call: float = 5
    memory: int = 512
    processes: int = 24


@dataclass(frozen=True)
class Exercise:
    """An exercise as its folder says it."""

    id: str
    topic: str
    title: str
    chapter: str  # topic/name of the page that it stands on; empty: on none
    summary: str  # one line
    minutes: int
    level: int  # 1 easy, 2 medium, 3 hard
    criteria: tuple[Criterion, ...]
    hints: tuple[str, ...]
    wrong: tuple[Wrong, ...]
    star: int = (
        0  # its place among the first 24, which a course begins with; all others leave it out
    )
    modules: tuple[str, ...] = ("esm", "cjs")  # kinds of module that are accepted, the usual first
    server: bool = False  # the hand-in is a program that listens, no module
    clock: bool = False  # a clock decides: it wants a core for itself
    project: str = ""  # that this is a step of; its hand-in may be a folder
    step: int = 0  # from 1 on, within the project
    model_lacks: str = ""  # what the model in a page lacks, so that it can't judge it
    parameters: dict[str, tuple[Any, ...]] = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)

    @property
    def folder(self) -> Path:
        """Where it lies."""
        return EXERCISES / self.topic / self.id

    @property
    def shared(self) -> Path | None:
        """The module that the checks of all steps of a project import."""
        return EXERCISES / f"{self.project}.mjs" if self.project else None

    @property
    def points(self) -> float:
        """All that can be had."""
        return sum(one.points for one in self.criteria)

    @property
    def starter(self) -> Path:
        """The file one begins with: in a project the solution of the step before."""
        own = self._file("starter")
        before = step_before(self)
        return own if own.exists() or before is None else before.solution

    @property
    def takes_folders(self) -> bool:
        """Whether a hand-in may be a folder of several files, or TypeScript."""
        return bool(self.project)

    @property
    def begins_as(self) -> str:
        """The name of the file that a reader begins with."""
        return "server.mjs" if self.project else f"{self.id}{self.starter.suffix}"

    @property
    def handed_in_as(self) -> str:
        """The path that a reader passes to `check`: a file, or the folder of a project."""
        return f"my-{self.project}/" if self.project else self.begins_as

    @property
    def solution(self) -> Path:
        """The reference."""
        return self._file("solution")

    def _file(self, stem: str) -> Path:
        places = [self.folder / f"{stem}{suffix}" for suffix in KINDS.values()]
        return next((place for place in places if place.exists()), places[0])

    def task(self, given: dict[str, Any] | None = None) -> str:
        """The task in Markdown, with the parameters of one reader."""
        values = given or self.for_student("")
        text = (self.folder / "task.md").read_text("utf-8")
        return _PLACE.sub(lambda place: str(values[place[1]]), text)

    def begin(self, given: dict[str, Any] | None = None) -> str:
        """The starter's text, with the parameters of one reader."""
        return self.program(self.starter, given)

    def program(self, file: Path, given: dict[str, Any] | None = None) -> str:
        """The text of one of its programs, with the parameters of one reader."""
        values = given or self.for_student("")
        text = self.source(file)
        return _VALUE.sub(lambda place: f"= {json.dumps(values[place[2]])};", text)

    def source(self, file: Path) -> str:
        """The text of one of its programs as the repository has it. Raises BadEdit where the
        program is written as edits of the solution, and one of them cannot be made.
        """
        if file.suffix == edits.SUFFIX:
            return edits.applied(file, self.solution.read_text("utf-8"))
        return file.read_text("utf-8")

    def program_name(self, file: Path) -> str:
        """The file name of an answer, even if the answer is written as edits of the solution."""
        return f"{file.stem}{self.solution.suffix}" if file.suffix == edits.SUFFIX else file.name

    def answer_file(self, wrong: Wrong) -> Path:
        """The file of a typical wrong answer: a program, or edits of the solution."""
        return self.folder / "wrong" / wrong.file

    def for_student(self, student: str) -> dict[str, Any]:
        """The parameters of one student: always the same ones; without a name the first of each."""
        if not student:
            return {name: values[0] for name, values in self.parameters.items()}
        whose = self.project or self.id
        return {
            name: values[_number(f"{student}\0{whose}\0{name}") % len(values)]
            for name, values in self.parameters.items()
        }

    def version(self) -> str:
        """A digest of all that decides what a hand-in is worth."""
        digest = hashlib.sha256()
        for file in sorted(self.folder.rglob("*")):
            within = file.relative_to(self.folder).as_posix()
            if file.is_file() and not within.startswith(
                ("wrong/", "solution.", "task.", "starter.")
            ):
                digest.update(f"{within}\0".encode() + file.read_bytes() + b"\0")
        if self.shared:
            digest.update(self.shared.read_bytes())
        return digest.hexdigest()[:16]


def _number(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8])


def student() -> str:
    """Who works here, which decides the parameters where exercises differ by student.

    LAB_STUDENT says it, or the hub; empty for readers, and for the pages of a book. Within a course
    (`lab.course`) its seed stands beside the name.
    """
    if os.environ.get("LAB_CHAPTER"):
        return ""
    name = os.environ.get("LAB_STUDENT") or os.environ.get("JUPYTERHUB_USER") or ""
    return in_course(name, os.environ.get("LAB_COURSE_SEED", ""))


def in_course(student: str, seed: str) -> str:
    """A student's name as parameters are told apart by, where a course has a seed of its own."""
    return f"{student} of {seed}" if student and seed else student


def names() -> list[str]:
    """The ids of all exercises, by topic and id."""
    return list(_folders())


def exercise(name: str) -> Exercise:
    """The exercise of that id. Raises UnknownExercise, which names the nearest, or BadExercise."""
    folders = _folders()
    if name not in folders:
        raise UnknownExercise(f"There is no exercise {name!r}. {did_you_mean(name, folders)}")
    return read(folders[name])


def of_chapter(chapter: str) -> list[Exercise]:
    """The exercises that stand on a page, the easy ones first."""
    listed = [each for each in _all(_stamps()) if each.chapter == chapter]
    return sorted(listed, key=lambda each: (each.level, each.star or 99, each.id))


def projects() -> list[str]:
    """The names of all projects."""
    return sorted({each.project for each in _all(_stamps()) if each.project})


def steps(project: str) -> list[Exercise]:
    """The steps of a project that there are, in their order."""
    found = [each for each in _all(_stamps()) if each.project == project]
    return sorted(found, key=lambda each: each.step)


def step_before(step: Exercise) -> Exercise | None:
    """The step that a step of a project continues; none of the first, and of what is no step."""
    if step.step < 2:
        return None
    # Read by its own folder: whoever reads all of them is in the middle of it.
    for file in sorted(EXERCISES.glob(f"*/{step.project}-{step.step - 1:02}/{FILE}")):
        return read(file.parent)
    return None


def step_after(step: Exercise) -> Exercise | None:
    """The step that continues a step of a project, where there is one."""
    own = steps(step.project) if step.project else []
    return next((each for each in own if each.step == step.step + 1), None)


def _stamps() -> tuple[tuple[Path, int], ...]:
    """Return each file of an exercise with its date: each page asks, and there are many."""
    stamps = []
    for topic in _entries(EXERCISES):
        for folder in _entries(topic):
            with contextlib.suppress(OSError):
                stamps.append((Path(folder, FILE), Path(folder, FILE).stat().st_mtime_ns))
    return tuple(sorted(stamps))


def _entries(folder: Path | os.DirEntry[str]) -> list[os.DirEntry[str]]:
    with contextlib.suppress(NotADirectoryError, FileNotFoundError), os.scandir(folder) as entries:
        return list(entries)
    return []


@functools.lru_cache(maxsize=1)
def _all(_stamps: tuple[tuple[Path, int], ...]) -> tuple[Exercise, ...]:
    return tuple(map(read, _folders().values()))


def _folders() -> dict[str, Path]:
    """The folder of each exercise by its id, in the order of their paths."""
    names = [entry.path for topic in _entries(EXERCISES) for entry in _entries(topic)]
    return _named(tuple(name for name in names if os.path.exists(f"{name}/{FILE}")))  # noqa: PTH110 - thousands of them


@functools.lru_cache(maxsize=4)
def _named(folders: tuple[str, ...]) -> dict[str, Path]:
    folder_by_id: dict[str, Path] = {}
    for file in sorted(Path(folder, FILE) for folder in folders):
        if (other := folder_by_id.get(file.parent.name)) is not None:
            raise BadExercise(
                f"{paths.relative(other)} and {paths.relative(file.parent)} have the same name. "
                "Rename one of them."
            )
        folder_by_id[file.parent.name] = file.parent
    return folder_by_id


def read(folder: Path) -> Exercise:
    """The exercise in that folder, held against all that one must be. Raises BadExercise."""
    try:
        changed = (folder / FILE).stat().st_mtime_ns
    except OSError:
        changed = 0
    return _read(folder, changed)


@functools.lru_cache(maxsize=256)
def _read(folder: Path, _changed: int) -> Exercise:
    file = folder / FILE
    data = stored.read_toml(file, ADVICE, BadExercise)
    with stored.named(file, ADVICE, BadExercise):
        known = set(Exercise.__dataclass_fields__) - {"id", "topic"}
        if unknown := sorted(set(data) - known):
            raise LabError(
                f"it has the unknown key {unknown[0]!r}. {did_you_mean(unknown[0], known)}"
            )
        data["wrong"] = [
            {**one, "is_": one.pop("is")} if "is" in one else one for one in data.get("wrong", [])
        ]
        exercise = flat(Exercise, {**data, "id": folder.name, "topic": folder.parent.name})
        gate.held(exercise)
    step_before(exercise)  # where that one cannot be read, the error names its file alone
    with stored.named(file, ADVICE, BadExercise):
        if wrong := next(_faults(exercise), None):
            raise LabError(wrong)
    return exercise


def _faults(exercise: Exercise) -> Iterator[str]:
    """Yield each fault of an exercise, in words."""
    if not re.fullmatch(r"[a-z][a-z0-9-]*", exercise.id):
        yield (
            f"its folder is called {exercise.id!r}: use only lower-case letters, digits and hyphens"
        )
    if exercise.level not in LEVELS:
        yield f"its level is {exercise.level}: 1 (easy), 2 or 3 (hard)"
    if not 1 <= exercise.minutes <= 90:
        yield f"it takes {exercise.minutes} minutes: 1 to 90"
    if len(exercise.hints) != HINTS:
        yield f"it has {len(exercise.hints)} hints: {HINTS}, each saying more than the last"
    if not exercise.modules or set(exercise.modules) - set(KINDS):
        yield f'its modules are {list(exercise.modules)}: some of "esm", "cjs"'
    yield from _faults_of_step(exercise)
    for file in (
        exercise.folder / "task.md",
        exercise.folder / "check.mjs",
        exercise.starter,
        exercise.solution,
    ):
        if not file.is_file():
            yield f"{file.name} is missing next to it"
    yield from _faults_of_criteria(exercise.criteria)
    yield from _faults_of_wrong(exercise)
    yield from _faults_of_parameters(exercise)


def _faults_of_step(step: Exercise) -> Iterator[str]:
    if bool(step.project) != bool(step.step):
        yield f"it has the project {step.project!r} and the step {step.step}: give both or neither"
    elif step.project and step.id != f"{step.project}-{step.step:02}":
        name = f"{step.project}-{step.step:02}"
        yield f"it is step {step.step} of {step.project}: call its folder {name}"
    elif step.shared and not step.shared.is_file():
        yield f"exercises/{step.shared.name} is missing, which has what the checks share"
    elif step.project and not step.server:
        yield "a step of a project is a server: write server = true"
    elif step.project and not step.model_lacks:
        yield "a step of a project says why its page can't judge it: write model_lacks"
    elif step.step > 1 and (before := step_before(step)) is None:
        yield f"the step before it, {step.project}-{step.step - 1:02}, is missing"
    elif step.step > 1 and before is not None:
        for name, values in before.parameters.items():
            if step.parameters.get(name) != values:
                yield f"its parameter {name!r} has other values than in the step before it"


def _faults_of_criteria(criteria: tuple[Criterion, ...]) -> Iterator[str]:
    ids = [criterion.id for criterion in criteria]
    if not ids:
        yield "it has no [[criteria]]"
    for name in ids:
        if ids.count(name) > 1:
            yield f"two criteria are called {name!r}"
    for criterion in criteria:
        name = criterion.id
        if criterion.points <= 0:
            yield f"the criterion {name!r} is worth {criterion.points:g} points: more than 0"
        for need in criterion.needs:
            if need not in ids[: ids.index(name)]:
                yield f"the criterion {name!r} needs {need!r}, which is not a criterion before it"


def _faults_of_wrong(exercise: Exercise) -> Iterator[str]:
    ids = [criterion.id for criterion in exercise.criteria]
    if not exercise.wrong:
        yield "it has no [[wrong]] answers: they are the tests of its check"
    for answer in exercise.wrong:
        if not exercise.answer_file(answer).is_file():
            yield f"the wrong answer wrong/{answer.file} is missing"
        if not answer.misses or set(answer.misses) - set(ids):
            yield f"the wrong answer {answer.file} misses {list(answer.misses)}: some of {ids}"
        if not answer.message:
            yield f"the wrong answer {answer.file} has no message that it must get"
    there = {file.name for file in (exercise.folder / "wrong").glob("*") if file.is_file()}
    if extra := sorted(there - {answer.file for answer in exercise.wrong}):
        yield f"wrong/{extra[0]} has no [[wrong]] entry"


def _faults_of_parameters(exercise: Exercise) -> Iterator[str]:
    for name, values in exercise.parameters.items():
        if len(set(values)) < 2:
            yield f"its parameter {name!r} has {list(values)}: give at least two different values"
    told = set(_PLACE.findall((exercise.folder / "task.md").read_text("utf-8")))
    if unknown := sorted(told - set(exercise.parameters)):
        yield f"task.md has {{{{{unknown[0]}}}}}, which is not under [parameters]"
    if silent := sorted(set(exercise.parameters) - told):
        yield f"task.md does not mention {{{{{silent[0]}}}}}, which differs by student"
    for file in sorted(exercise.folder.glob("*.[mc]js")) + sorted(exercise.folder.glob("wrong/*")):
        text = exercise.source(file)
        set_here = {name: value for value, name in _VALUE.findall(text)}
        for name in _PLACE.findall(text):
            value_text = (
                json.dumps(exercise.parameters[name][0]) if name in exercise.parameters else None
            )
            if set_here.get(name) != value_text or value_text is None:
                yield (
                    f"{file.name} has {{{{{name}}}}}: write `const … = {value_text}; // "
                    f"{{{{{name}}}}}`, with the first of its values under [parameters]"
                )

"""Interleaved trials of two or more arms over one swept value: fresh processes, ABBA order, an A/A
control beside them.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from lab import usage
from lab.errors import LabError, did_you_mean
from lab.judging.stats import abba
from lab.measure.disturbance import Patience, undisturbed
from lab.measure.experiment import ask
from lab.measure.generator import Standby
from lab.measure.load import Found, aimed, measure, resolve
from lab.measure.plan import OPTIONS, Plan, plan
from lab.processes.progress import Tell, telling
from lab.records.compact import COMPARISON
from lab.records.comparison import Comparison
from lab.records.identity import question
from lab.records.stamp import new_id, utc
from lab.records.store import Folder
from lab.records.trial import Trial
from lab.servers.recipe import Recipe
from lab.storage.gate import checked
from lab.storage.written import NotWritten

__all__ = ["BadComparison", "compare"]

# The seconds that a trial takes in addition to warm-up and window, for starting, verifying,
# stopping and storing. They are used only to announce the duration.
OVERHEAD_S = 0.25
MOST_VALUES = 1000  # the limit of the values of a sweep
_SERVER = ("env", "workers", "node")  # Options of the recipe. All other options belong to the load.
_LOAD = tuple(OPTIONS)
_ARE_LISTS = ("tolerate", "pin")  # a list of these options is one value, not a sweep


class BadComparison(LabError):
    """The comparison is not possible as written."""


@dataclass(frozen=True)
class _Cell:
    """One arm at one swept value: what to start and how to load it."""

    found: Found
    plan: Plan


@dataclass(frozen=True)
class _PlannedTrial:
    """One trial as planned; `control` says that it is the arm's second run, its A/A control."""

    block: int
    place: int  # the index of the swept value
    arm: str
    control: bool = False


@checked
def compare(
    arms: Mapping[str, Any],
    *,
    pairs: int | None = None,
    aa: bool | str = True,
    baseline: str | None = None,
    experiment: str | None = None,
    seed: int = 1,
    progress: Tell | bool | None = None,
    **options: Any,
) -> Comparison:
    """Return interleaved trials of every arm at every swept value.

        lab.compare({"sync": "node/read-sync", "async": "node/read-async"})
                                     both in turn, ABBA, each trial a fresh process: one ratio
        lab.compare({"one": a, "two": b}, connections=[1, 10, 100], pairs=6)
                                     six pairs at each of three numbers of connections
        lab.compare({"4": {"server": pool, "env": {"UV_THREADPOOL_SIZE": 4}}, "8": arm}, rate=50)
                                     arms that differ in their environment, in an open loop

    arms : name -> recipe, name of the catalogue, URL, a function of the swept value that returns
    one of these, or a dict
    {"server": one of these, and load options or env=, workers= of this arm}
    options : those of `lab.load`, and env=, workers=, node= of the recipes; exactly one may be a
    list: it is swept
    pairs : trials of each arm at each value, by default the profile's; a verdict needs 6
    aa : the same recipe under a second name at one value, as control; True takes the baseline, a
    name another arm
    baseline : the arm that others are divided by, by default the first
    seed : of the order of arms and of open schedules

    An interrupt stops the trial under way and returns to the prompt; what was measured is stored
    and said.
    An arm whose program is not installed is left out, with the line that installs it; in the
    reference profile, and if it is the baseline, it raises MissingProgram.
    Raises BadComparison, whatever `lab.load` raises, NoRecord and StaleRecord in replay.
    """
    if len(arms) < 1:
        raise BadComparison(
            "compare() needs at least one arm, e.g. {'sync': lab.server('node/read-sync')}"
        )
    for name in options:
        if name not in (*_LOAD, *_SERVER):
            raise BadComparison(
                f"there is no option {name!r}. {did_you_mean(name, (*_LOAD, *_SERVER))}"
            )
    seed = int(seed)  # an integer of numpy becomes a plain one
    sweep, values = _sweep(options)
    first = baseline or next(iter(arms))
    if first not in arms:
        raise BadComparison(f"baseline={first!r} is not an arm. {did_you_mean(first, arms)}")
    cells = {
        (a, i): _cell(a, arms[a], sweep, v, options) for a in arms for i, v in enumerate(values)
    }
    _comparable(cells)
    identity = {a: [cells[a, i].found.question for i in range(len(values))] for a in arms}
    constant_options = {k: v for k, v in options.items() if k not in (sweep, "pin", "tolerate")}
    extras = {
        a: _load_options(spec, sweep) for a, spec in arms.items() if isinstance(spec, Mapping)
    }
    full_question = question(
        {
            a: questions[0] if all(f == questions[0] for f in questions) else questions
            for a, questions in identity.items()
        },
        sweep,
        values,
        {**constant_options, **({"by arm": extras} if extras else {})},
    )
    this_experiment = ask(COMPARISON, experiment, arms, full_question)
    unlike = " as a load and not as a comparison, so give one of them another id"
    if recorded := this_experiment.replayed(unlike, BadComparison):
        return recorded
    if not this_experiment.is_reference:
        arms = _installed(arms, cells, first)
    if pairs is not None and (not isinstance(pairs, int) or not 1 <= pairs <= 200):
        raise BadComparison(f"pairs={pairs!r} must be a whole number from 1 to 200")
    n = this_experiment.profile.pairs_for(pairs)
    control = (aa if isinstance(aa, str) else first) if aa else None
    if control is not None and control not in arms:
        raise BadComparison(f"aa={control!r} is not an arm. {did_you_mean(control, arms)}")
    design = Comparison(
        id=new_id(),
        experiment=this_experiment.id,
        arms=tuple(arms),
        sweep=sweep,
        values=tuple(values),
        trials=(),
        aa_arm=control,
        aa_at=values[-1] if control else None,
        baseline=first,
        pairs=n,
        seed=seed,
        order=tuple(tuple(block) for block in abba(list(arms), n, seed)),
        profile=this_experiment.profile.name,
        verdicts=this_experiment.profile.verdicts,
        started=utc(),
        question=full_question,
    )
    return this_experiment.measured(lambda folder: _run(design, cells, folder, progress))


def _installed(
    arms: Mapping[str, Any], cells: Mapping[tuple[str, int], _Cell], baseline: str
) -> dict[str, Any]:
    """The arms whose programs are installed; for each other arm the installation is printed.

    All arms where the program of the baseline is missing: starting the baseline raises the error.
    """
    recipes = {arm: cell.found.recipe for (arm, _), cell in cells.items()}
    missing = {arm: found for arm, r in recipes.items() if r and (found := r.missing())}
    if baseline in missing:
        return dict(arms)
    for arm, lines in missing.items():
        if recipe := recipes[arm]:
            words = (word for word in recipe.command[:1] if os.sep not in word)
            for need in (*recipe.needs, *words):  # installing a program changes the page
                usage.note("runtime", name=need)
        print(f"{arm} is left out because something is not installed here: {'; '.join(lines)}")
    return {arm: target for arm, target in arms.items() if arm not in missing}


def _run(
    design: Comparison,
    cells: dict[tuple[str, int], _Cell],
    folder: Folder,
    progress: Tell | bool | None,
) -> Comparison:
    schedule = list(_schedule(design))
    total_s = sum(cells[t.arm, t.place].plan.duration_s + OVERHEAD_S for t in schedule)
    trials: list[Trial] = []
    control: list[Trial] = []
    done_s = 0.0
    trials_of = f"{{}} of {len(schedule)} trials".format
    patience = Patience.of_profile()
    bar = telling(total_s, f"measuring {design.experiment}", progress, trials_of)
    with Standby() as standby, bar as tell:
        try:
            for position, turn in enumerate(schedule):
                cell = cells[turn.arm, turn.place]
                trial_plan = replace(
                    cell.plan,
                    # All arms of a block get the same schedule; each block gets another one.
                    main=replace(cell.plan.main, seed=design.seed + turn.block),
                )
                once = partial(
                    measure,
                    cell.found,
                    trial_plan,
                    folder,
                    standby=standby,
                    experiment=design.experiment,
                    arm=turn.arm,
                    at=design.values[turn.place],
                    block=turn.block,
                    order=position,
                    seed=design.seed,
                )
                trial = undisturbed(once, patience)
                (control if turn.control else trials).append(trial)
                folder.append(trial)
                done_s += cell.plan.duration_s + OVERHEAD_S
                tell(done_s, position + 1)
        except BaseException as error:
            if not trials:
                raise
            so_far = replace(design, trials=tuple(trials), control=tuple(control), complete=False)
            with contextlib.suppress(NotWritten):
                folder.keep(COMPARISON.name, so_far.to_json())
            error.args = (
                f"{error}\n{len(trials) + len(control)} of {len(schedule)} "
                "trials were measured and are kept: "
                f"lab.latest({design.experiment!r})".strip(),
                *error.args[1:],
            )
            raise
    return replace(design, trials=tuple(trials), control=tuple(control))


def _schedule(design: Comparison) -> Iterator[_PlannedTrial]:
    """Yield the planned trials: block by block, in each block every value, at each value the arms
    in the block's order, with the control next to its twin.

    A comparison that ends early therefore has complete pairs at every value, and the two trials of
    a pair are close in time.
    """
    for block, order in enumerate(design.order):
        for i, value in enumerate(design.values):
            for arm in order:
                twins = [False]
                if arm == design.aa_arm and value == design.aa_at:
                    # The arm and its control also take turns in coming first.
                    twins = [False, True] if block % 2 else [True, False]
                for control in twins:
                    yield _PlannedTrial(block, i, arm, control)


def _sweep(options: Mapping[str, Any]) -> tuple[str, list[Any]]:
    lists = [
        k for k, v in options.items() if isinstance(v, (list, tuple, range)) and k not in _ARE_LISTS
    ]
    if len(lists) > 1:
        raise BadComparison(
            f"{' and '.join(lists)} are lists, but only one parameter can be swept at a time. "
            "Make two comparisons, or put one of the parameters into the arms"
        )
    if not lists:
        if options.get("rate") is not None:
            return "rate", [options["rate"]]
        return "connections", [options.get("connections", 10)]
    if len(options[lists[0]]) > MOST_VALUES:
        raise BadComparison(
            f"{lists[0]}= has {len(options[lists[0]]):,} values, and at most {MOST_VALUES} can be "
            "swept"
        )
    values = list(options[lists[0]])
    if not values or any(values.count(v) > 1 for v in values):
        raise BadComparison(
            f"{lists[0]}={values!r} is not a valid sweep: give at least one "
            "value, and no value twice"
        )
    return lists[0], values


def _load_options(arm: Mapping[str, Any], sweep: str) -> dict[str, Any]:
    return {k: v for k, v in arm.items() if k not in ("server", sweep, "pin", "tolerate")}


def _cell(name: str, arm: Any, sweep: str, value: Any, options: Mapping[str, Any]) -> _Cell:
    cell_options = {
        **options,
        **({sweep: value} if sweep in options or sweep != "connections" else {}),
    }
    if isinstance(arm, Mapping):
        if "server" not in arm:
            raise BadComparison(f"arm {name!r} is a dict without the key 'server': {dict(arm)!r}")
        cell_options |= {k: v for k, v in arm.items() if k != "server"}
        arm = arm["server"]
    if callable(arm) and not isinstance(arm, Recipe):
        arm = arm(value)
    unknown = [k for k in cell_options if k not in (*_LOAD, *_SERVER)]
    if unknown:
        raise BadComparison(
            f"arm {name!r}: there is no option {unknown[0]!r}. "
            f"{did_you_mean(unknown[0], (*_LOAD, *_SERVER))}"
        )
    server = resolve(arm)
    server_options = {k: cell_options[k] for k in _SERVER if k in cell_options}
    if server_options and server.recipe is None:
        raise BadComparison(
            f"arm {name!r} is a URL, so {', '.join(server_options)} can't be changed there"
        )
    if server_options and server.running is not None:
        raise BadComparison(
            f"arm {name!r} is already running. Give its recipe, so that "
            f"{', '.join(server_options)} can be changed"
        )
    if server_options and server.recipe is not None:
        server = resolve(server.recipe.configured(**server_options))
    load_options = {k: v for k, v in cell_options.items() if k in _LOAD}
    return _Cell(server, aimed(server, plan(**load_options, given={})))


def _comparable(cells: Mapping[tuple[str, int], _Cell]) -> None:
    """Check that the arms do the same job: different workloads can't be compared."""
    loads = {c.found.recipe.workload: a for (a, _), c in cells.items() if c.found.recipe}
    if len(loads) > 1:
        listed = ", ".join(f"{arm} has {workload!r}" for workload, arm in loads.items())
        raise BadComparison(
            f"the arms have different workloads: {listed}. Compare servers that do the same job"
        )

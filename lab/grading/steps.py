"""How far a reader has come in a project: the most points of each step, in `drop.json` beside the
last hand-ins. The result of a step says both, and which step follows.
"""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

from lab.errors import LabError
from lab.grading import exercise as exercises
from lab.grading.exercise import Exercise
from lab.grading.result import GRADED, Result
from lab.storage import stored, written
from lab.text.numbers import bare

ADVICE = "You can delete the file, which contains only the points of a project's steps."


def note(step: Exercise, result: Result, place: Path) -> None:
    """Note what a step was worth, if it is more than before. Where nothing can be written nothing
    is.
    """
    if not step.project or result.outcome != GRADED:
        return
    best_points = best(step.project, place)
    if result.points > best_points.get(step.id, -1):
        file = place / f"{step.project}.json"
        with contextlib.suppress(LabError):
            written.write(
                file, json.dumps({**best_points, step.id: result.points}, indent=1).encode()
            )


def best(project: str, place: Path) -> dict[str, float]:
    """The most points of each step, as far as any are noted; the file may have been edited."""
    try:
        points_by_id: Any = stored.read_json(place / f"{project}.json", ADVICE)
    except (OSError, LabError):
        return {}
    most = {step.id: step.points for step in exercises.steps(project)}
    return {
        name: float(points)
        for name, points in (points_by_id.items() if isinstance(points_by_id, dict) else ())
        if name in most and type(points) in (int, float) and 0 <= points <= most[name]
    }


def told(step: Exercise, result: Result, place: Path) -> str:
    """Return the lines below the result of a step: all points so far, and the next step."""
    if not step.project:
        return ""
    steps, points = exercises.steps(step.project), best(step.project, place)
    all_of_it = sum(other.points for other in steps)
    total = f"{bare(sum(points.values()))} of {bare(all_of_it)} points"
    lines = [f"Best so far, of all folders: {total} in all steps."]
    next_step = exercises.step_after(step)
    if result.passed and next_step is not None:
        lines.append(
            f"Next, in the same folder: {next_step.title} ({next_step.minutes} minutes), "
            f"`python -m lab task {next_step.id}`."
        )
    return "\n".join(f"  {line}" for line in lines)

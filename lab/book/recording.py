"""`python -m lab.book reference`: the reference run, in one sitting that may be interrupted.

Before it begins it looks at what it will run on, and says how long it will take. A chapter that is
done is not run again when an interrupted sitting goes on: of the same Node and the same machine,
begun less than a day ago, and of all chapters or of those that are asked for. Anything else is a
sitting of its own, and begins with the first chapter. Whether what a chapter was made of has
changed meanwhile, the build itself asks. At the end the checks are counted.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterable, Mapping
from datetime import date
from pathlib import Path
from typing import Any

from lab import settings
from lab.book import check_counts, reference_run
from lab.book.pipeline import one_chapter, toc
from lab.book.pipeline.history import Records, write_json
from lab.book.pipeline.run import default_output, run
from lab.book.site import cells
from lab.errors import LabError
from lab.measure.compare import OVERHEAD_S
from lab.measure.disturbance import PATIENCE_FILE, Patience
from lab.processes import machine, nodes
from lab.records.load import LEAST_WARM_S
from lab.records.trial import Trial
from lab.text.numbers import count

VARIANT = "live-reference"
LONGEST_S = 24 * 3600.0  # from the beginning of a sitting to its last continuation
LOOKS_S = 2.0  # the time in which we look at other programs
BUSY = 0.1  # the share of the processors at which the check `quiet` warns
INTERRUPTED = 130
# The seconds of a chapter in addition to its trials, for kernel, programs and plots: the mean of a
# recorded run's chapters.
CHAPTER_S = 22.0
WARMS_S = 2.0  # the seconds until a closed loop is steady, if no record has them


class NotFit(LabError):
    """This machine or working tree cannot record a reference run."""


def record(names: Iterable[str] = (), *, fresh: bool = False, anyway: bool = False) -> int:
    """Record all chapters, or those named; return the exit code.

    fresh : begin again, whatever is done already; anyway : on any Node and a busy machine, told
    and not refused. Raises NotFit, BuildBusy, NoChapter.
    """
    if settings.mode() != "live" or settings.profile().name != "reference":
        raise LabError("This is `make reference`: it sets LAB_MODE=live, LAB_PROFILE=reference.")
    pages = [one_chapter.resolve(name) for name in names]
    look(anyway=anyway)
    output = default_output().resolve()
    facts = {
        "node": f"{nodes.program()} {nodes.version()}",
        "machine": machine.machine().id,
        "chapters": pages,
    }
    goes_on = begin(output, facts, fresh=fresh)
    done = done_in(output)
    said = "Going on with" if goes_on else "Beginning"
    print(f"{said} a reference run on Node {nodes.version()}: {told(pages, done)}", flush=True)
    os.environ[PATIENCE_FILE] = str(_patience(output))  # all kernels of the sitting use it
    code = run(output, only=_only(pages, output) if pages else None, start=_start(pages))
    if code == INTERRUPTED:
        print("Run the same command again to continue with what is left.")
        return code
    if code == 0:
        end(output, pages)
    print(took(output, time.time()))
    trials = reference_run.trials()
    print("\n".join(["The checks of the recorded run:", *check_counts.counted(trials)]))
    return code


# --- what it runs on ---


def look(
    *,
    anyway: bool = False,
    today: date | None = None,
    busy: Callable[[], float | None] | None = None,
) -> None:
    """Raise NotFit unless Node is a supported LTS release and the machine idle; with `anyway` say
    what is wrong and go on.
    """
    node = wrong_node(release(), today or date.today())
    wrong = [said for said in (node, _busy(busy or others)) if said]
    if wrong and not anyway:
        raise NotFit(f"{' '.join(wrong)} ARGS=--anyway records it nevertheless.")
    for line in wrong:
        print(f"WARNING: {line}", flush=True)


def release() -> dict[str, Any]:
    """Return what the Node that is meant says of its release: `version`, and `lts` if it is one."""
    program = "process.stdout.write(JSON.stringify({...process.release, version: process.version}))"
    said = subprocess.run(
        [nodes.program(), "-e", program], capture_output=True, text=True, timeout=120, check=True
    )
    found: dict[str, Any] = json.loads(said.stdout)
    return found


def wrong_node(found: Mapping[str, Any], today: date) -> str:
    """Return what keeps a Node from being one of a reference run; "" if nothing does."""
    version = str(found["version"]).removeprefix("v")
    use = "Name the Node to use: make reference NODE=24."
    if not found.get("lts"):
        return (
            f"Node {version} is not an LTS release, because process.release.lts is not set. {use}"
        )
    if (ends := end_of_life(nodes.major(version))) <= today:
        return f"Node {version} is past its end of life, which was {ends:%d %B %Y}. {use}"
    return ""


def end_of_life(major: int) -> date:
    """Return the last day of an LTS release: even majors come in April, 20 in that of 2023, and
    are maintained until the end of April three years later (github.com/nodejs/release).
    """
    return date(2026 + (major - 20) // 2, 4, 30)


def others() -> float | None:
    """Return the share of the processors that is busy while we wait; None if that is unknown."""
    before, begun = machine.busy_s(), time.monotonic()
    time.sleep(LOOKS_S)
    after, took = machine.busy_s(), time.monotonic() - begun
    if before is None or after is None:
        return None
    return (after - before) / took / max(machine.machine().cores, 1)


def _busy(busy: Callable[[], float | None]) -> str:
    share = busy()
    if share is None or share < BUSY:
        return ""
    return f"The machine is not idle: other programs use {share:.0%} of its processors. End them."


# --- the sitting ---


def begin(
    output: Path, facts: Mapping[str, Any], *, fresh: bool = False, now: float | None = None
) -> bool:
    """Note that a sitting begins; return whether it goes on with one that was not ended.

    If it does not, what earlier ones have left in `output` is removed, so that each chapter is run.
    """
    now = time.time() if now is None else now
    before = _noted(output)
    # A sitting of some chapters belongs to a sitting of all chapters, so the other results are
    # kept.
    same = all(
        before.get(key) in (([], value) if key == "chapters" else (value,))
        for key, value in facts.items()
    )
    if not fresh and same and not before.get("ended") and 0 <= now - before["began"] < LONGEST_S:
        if before.get("chapters") != facts["chapters"]:
            for page in facts["chapters"]:  # a user who names a chapter wants it measured
                Records(output / ".lab" / VARIANT).drop(page)
        return True
    one_chapter.refuse_beside([output])
    shutil.rmtree(output / ".jupyter_cache", ignore_errors=True)
    shutil.rmtree(output / ".lab" / VARIANT, ignore_errors=True)
    write_json(_note(output), {**facts, "began": now, "ended": False})
    Patience.begin(_patience(output))
    return False


def end(output: Path, pages: list[str]) -> None:
    """Note that the sitting is whole, if `pages` are all of its chapters (none: all of the book):
    the next one begins with the first chapter.
    """
    before = _noted(output)
    if before.get("chapters") == pages:
        write_json(_note(output), {**before, "ended": True})


def took(output: Path, now: float) -> str:
    """Return how long the sitting took, and how much of that disturbances from outside cost."""
    minutes = (now - _noted(output).get("began", now)) / 60
    spent = Patience(_patience(output)).spent_s / 60
    return (
        f"It began {count(round(minutes), 'minute')} ago. It spent "
        f"{count(round(spent), 'minute')} waiting for undisturbed processors and measuring "
        "trials again."
    )


def done_in(output: Path) -> set[str]:
    """Return the pages that this sitting has recorded already."""
    records = Records(output / ".lab" / VARIANT)
    return {page for page in toc.pages() if records.of(page)}


def _note(output: Path) -> Path:
    return output / ".lab" / "sitting.json"


def _patience(output: Path) -> Path:
    return output / ".lab" / "patience.json"


def _noted(output: Path) -> dict[str, Any]:
    try:
        found = json.loads(_note(output).read_text("utf-8"))
        return {"began": float(found["began"]), **found}
    except (OSError, ValueError, KeyError, TypeError):
        return {"ended": True}  # there is no file, or an unreadable one


# --- how long ---


def told(pages: list[str], done: set[str]) -> str:
    """Return how many chapters are to be run, and how many minutes that takes, about."""
    wanted = pages or [page for page in toc.pages() if one_chapter.has_cells(page)]
    pages_left = [page for page in wanted if page not in done]
    done_count = len(wanted) - len(pages_left)
    already = f", {done_count} done already" if done_count else ""
    chapter_count = count(len(pages_left), "chapter")
    minutes = max(1, round(estimated_s(pages_left) / 60))
    longer = ", or longer if a hypervisor or another program takes processor time"
    return f"{chapter_count}{already}, about {minutes} minutes{longer}."


def estimated_s(pages: Iterable[str]) -> float:
    """Return how long these pages take, about: as long as the recorded trials and what else the
    recorded chapters did, shared out by what the cells of each take in the course profile.
    """
    trials = reference_run.trials()
    took = {page: sum(cell.values()) for page, cell in cells.seconds().items()}
    everywhere = sum(took.values())
    whole = sum(map(trial_s, trials)) + CHAPTER_S * len(took)
    share = sum(took.get(page, 0.0) for page in pages) / everywhere if everywhere else 1.0
    return whole * share


def trial_s(trial: Trial) -> float:
    """Return how long one recorded trial takes when it is recorded again."""
    warm_s, end = trial.window
    window_s = end - warm_s
    closed = trial.load.loop == "closed" and trial.load.requests is None
    if closed and warm_s and trial.load.warm_cap_s is None:
        warm_s = max(warm_s, WARMS_S, LEAST_WARM_S)
        window_s = max(window_s, settings.PROFILES["reference"].least_s)
    return warm_s + window_s + OVERHEAD_S


# --- some chapters only ---


def _only(pages: list[str], output: Path) -> dict[str, Any]:
    """Return Sphinx's settings for these pages. What is in `output` stays: it may be what this
    sitting has done.
    """
    output.mkdir(parents=True, exist_ok=True)
    return one_chapter.part(pages, output)


def _start(pages: list[str]) -> str:
    return f"{pages[0]}.html" if pages else "index.html"

"""Many hand-ins at once: on this machine's processors, or each a task on a cluster of Dask.

On a cluster a task is the text of one hand-in and what it is for; it gives back a Result and writes
nothing. So a worker that dies leaves nothing behind, Dask gives its tasks to another, and a result
that comes twice is the same file. Results are kept by content: a run that was stopped goes on where
it was.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lab.errors import LabError
from lab.grading import batch, exercise, run, sandbox
from lab.grading.batch import Executor, Judging, Tell, Work
from lab.grading.handin import HandIn
from lab.grading.result import BROKEN, GRADED, Result

if TYPE_CHECKING:
    from distributed import Client

RETRIES = 2
CLOCK = "clock"  # the Dask resource of a worker that has a core for itself
MISSING = "dask.distributed is not installed. Run make classroom in the folder of the book."


class NoCluster(LabError):
    """There are no workers that could judge."""


def grade(
    works: list[Work],
    folder: Path,
    *,
    scheduler: str = "",
    workers: int | None = None,
    tell: Tell | None = None,
) -> list[Result]:
    """The results in the order of the works; those that are kept in `folder` are not judged again.

    scheduler : address of a running one, such as tcp://10.0.0.5:8786; without, they are judged
        here. workers : how many processors they may use then, by default all.
    Raises NoSandbox, as these are other people's programs; NoCluster.
    """
    if not sandbox.bubblewrap() and not scheduler:
        raise sandbox.NoSandbox(sandbox.NO_SANDBOX)
    executor = on_dask(scheduler) if scheduler else batch.here(workers)
    return batch.judge_many(works, executor, folder=folder, tell=tell)


def on_dask(scheduler: str) -> Executor:
    """Judges on a cluster, a task for each hand-in."""

    def judging(works: list[Work], groups: list[list[int]]) -> Judging:
        yield from _on_dask(works, groups, scheduler)

    return judging


def _on_dask(works: list[Work], groups: list[list[int]], scheduler: str) -> Judging:
    with client(scheduler) as cluster_client:
        quiet = [at for at in groups if not works[at[0]].exercise.clock]
        yield from _gathered(cluster_client, works, quiet, {})
        on_clock = [at for at in groups if works[at[0]].exercise.clock]
        if not on_clock:
            return
        # A worker that was started with this resource has a core for itself.
        if not any(CLOCK in names for names in _resources(cluster_client)):
            raise NoCluster(
                f"{works[on_clock[0][0]].exercise.id} is judged by measured times, but no "
                "worker has a core of its own. Start such a worker with dask worker "
                f'--resources "{CLOCK}=1" --nthreads 1. Everything that was judged is kept.'
            )
        yield from _gathered(cluster_client, works, on_clock, {CLOCK: 1})


def _resources(there: Client) -> list[dict[str, Any]]:
    return [
        one.get("resources", {}) for one in there.scheduler_info(n_workers=-1)["workers"].values()
    ]


def _gathered(
    cluster_client: Client, works: list[Work], groups: list[list[int]], resources: dict[str, int]
) -> Judging:
    from distributed import as_completed

    futures = {}
    for indexes in groups:
        work = works[indexes[0]]
        assert work.hand_in is not None
        future = cluster_client.submit(
            judged,
            {
                "exercise": work.exercise.id,
                "text": work.hand_in.text,
                "name": work.hand_in.name,
                "files": dict(work.hand_in.files),
                "added": work.hand_in.added,
                "student": work.student,
                "seed": work.seed,
                "version": work.exercise.version(),
                "grader": run.version(),
            },
            key=f"{work.exercise.id}-{batch.key(work)}",
            retries=RETRIES,
            resources=resources,
            pure=False,
        )
        futures[future] = indexes
    try:
        for future in as_completed(list(futures), loop=cluster_client.loop):
            indexes = futures.pop(future)
            work = works[indexes[0]]
            if future.status == "finished":
                yield indexes, Result.from_json(future.result())
            else:  # the job killed every worker that took it, or it was lost
                why = str(future.exception() or "its worker was lost")
                yield indexes, batch.broken(work, f"No worker could finish it: {why}")
    finally:
        cluster_client.cancel(list(futures))


def judged(job: dict[str, Any]) -> dict[str, Any]:
    """Judge one hand-in of one exercise, on a worker; returns the JSON of its Result."""
    own_exercise = exercise.exercise(job["exercise"])
    if (own_exercise.version(), run.version()) != (job["version"], job["grader"]):
        raise NoCluster(
            "This worker and the machine that gives it work have different versions of the "
            "book. Install the same version on both."
        )
    hand_in = HandIn(job["text"], job["name"], job["files"], added=job["added"])
    work = Work(job["student"], own_exercise, Path(), hand_in, "", job["seed"])
    return batch.judged(work).to_json()


@contextmanager
def client(scheduler: str) -> Iterator[Client]:
    """A client of the cluster at that address. Raises NoCluster."""
    try:
        import dask
        from distributed import Client
    except ImportError:
        raise NoCluster(MISSING) from None
    settings = {
        "distributed.admin.tick.limit": "60s",  # a client that writes is no reason for a warning
        "distributed.comm.timeouts.connect": "20s",
    }
    with dask.config.set(settings):
        try:
            cluster_client = Client(scheduler, timeout="20s", set_as_default=False)
        except (OSError, ValueError, TimeoutError) as error:
            raise NoCluster(f"No scheduler responds at {scheduler}: {error}") from None
        with cluster_client:
            if not cluster_client.scheduler_info(n_workers=-1)["workers"]:
                raise NoCluster(f"The scheduler at {scheduler} has no workers. Start at least one.")
            yield cluster_client


class Progress:
    """Says how far it is, and how long it takes still: a line for each, or one that is renewed."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say, self._started, self._known = say, time.monotonic(), 0
        self._fresh = 0

    def __call__(self, n_done: int, of: int, work: Work, result: Result) -> None:
        """Tell of one that is done."""
        now = time.monotonic()
        if self._fresh == 0 and now - self._started < 0.05 * n_done:
            self._known = n_done  # judged before: they do not show how long one takes
        self._fresh = n_done - self._known
        left = (now - self._started) / self._fresh * (of - n_done) if self._fresh else None
        remaining = "" if left is None or n_done == of else f"  about {left:.0f} s left"
        words = result.line().removeprefix(f"{result.exercise}: ")
        mark = "" if result.outcome in (GRADED, BROKEN) else "  (again later)"
        self._say(f"{n_done}/{of}{remaining}  {work.student}  {result.exercise}: {words}{mark}")

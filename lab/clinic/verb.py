"""`lab.examine`: what is wrong with a program, or with a server that is already running."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from lab import paths, usage
from lab.clinic.app import Target
from lab.clinic.direct import order
from lab.clinic.examination import EXAMINATION, Examination, diagnosed, known, portable, stored
from lab.clinic.examining import Say, observe
from lab.clinic.loading import Request
from lab.clinic.scenario import Scenario
from lab.errors import LabError
from lab.measure.experiment import ask
from lab.processes.machine import machine
from lab.records.identity import portable as named
from lab.records.identity import question
from lab.servers.sources import covered, digest
from lab.storage.gate import checked

__all__ = ["Examination", "examine"]


@checked
def examine(
    target: str | Sequence[str],
    *,
    path: str = "/",
    method: str | None = None,
    headers: Mapping[str, str] | None = None,
    body: str | bytes | None = None,
    folder: str | Path | None = None,
    env: Mapping[str, str] | None = None,
    port: int | None = None,
    listen_s: float = 20.0,
    load_s: float | None = None,
    scenario: str | Path | None = None,
    http2: int = 0,
    experiment: str | None = None,
    say: Say = lambda _: None,
) -> Examination:
    """Start a program with the probe in it, load it for about half a minute, and return its likely
    problems; or load a server that already runs, and return what can be seen from outside.

        lab.examine("node app.mjs")             15 s of load on GET /; the result shows itself
        lab.examine("node app.mjs", path="/cart", body='{"id": 3}', load_s=5)
                                                        the same of POST /cart, with a shorter load
        lab.examine("http://127.0.0.1:3000/cart")  a server that runs: no probe, so fewer signs

    target : a command (`"node app.mjs"`, or its words), or a URL of this machine, or unix:FILE
    path, method, headers, body : the request, always the same. With a body the method is POST
        unless you give another, and the Content-Type follows from the text of the body (JSON, a
        form, text) unless a header gives it
    scenario : a file of JSON with several requests in turns and maybe a login before them
        (`lab.clinic.scenario`), in the place of path, method and body; headers are added to each
    http2 : from 1 on, requests are sent by HTTP/2 to a server that takes HTTP/1.1 as well, and this
        is the number at once on each connection; a server that takes only HTTP/2 gets HTTP/2 anyway
    folder : where the command runs, by default here; in a chapter, where its program is
    env : variables that are added to the environment
    port : the port to load, of a program that listens on several
    listen_s : how long the program may take until it listens, in seconds
    load_s : how long the load takes, in seconds from 2 to 120, of a program that answers quickly;
        by default 15. Below 15 it is a short look: the signs are the same but less sure, and the
        result says nothing of response times below and above the highest rate
    experiment : the id under which a command is measured alone, stored and replayed

    Raises AppFailed if the program cannot be started, ends, or has no such path; NotLoopback for a
    URL of another machine; NoRecord, StaleRecord in replay.
    """
    direct_order = order(
        target,
        path=path,
        method=method,
        headers=headers,
        body=body,
        folder=folder,
        env=env,
        port=port,
        listen_s=listen_s,
        load_s=load_s,
        scenario=scenario,
        http2=http2,
    )
    if experiment is None:
        return direct_order.examined(say)
    program, program_request, several = (
        direct_order.program,
        direct_order.request,
        direct_order.scenario,
    )
    if program is None:
        raise LabError(
            f"experiment={experiment!r} can't be recorded because {target} can't be started again. "
            "Examine a command instead."
        )
    experiment_run = ask(
        EXAMINATION, experiment, [], _question(experiment, program, program_request, several)
    )
    if recorded := experiment_run.replayed(", but not as an examination"):
        return recorded

    def examined(_: object) -> Examination:
        examination = diagnosed(
            portable(observe(program, program_request, say, load_s), program.folder)
        )
        return known(examination, experiment_run.id, machine())

    return experiment_run.measured(
        examined, lambda one: stored(one, experiment_run.question, experiment_run.profile.name)
    )


def _is_elsewhere(word: str, folder: Path) -> bool:
    """Return whether a word of a command is the path of a file outside a folder, as that of an
    interpreter is.
    """
    return Path(word).is_absolute() and not Path(word).resolve().is_relative_to(folder.resolve())


def _question(
    experiment: str, target: Target, program_request: Request, several: Scenario | None
) -> dict[str, Any]:
    """Return the question of an examination: the programs of the command, and the requests."""
    words = [word for word in target.command if named(word) not in ("{node}", "{python}")]
    inside = [word for word in words if not _is_elsewhere(word, target.folder)]
    files = [target.folder / word for word in inside if (target.folder / word).is_file()]
    if not files:
        raise LabError(
            f"experiment={experiment!r} can't be recorded because no word of the command "
            f"{' '.join(target.command)!r} is a file of {paths.relative(target.folder)}, and a "
            "record is known by the text of its program. Name the file, as in: node app.mjs."
        )
    contents = covered(*files)
    for file in contents:
        usage.note_file(file)
    options = {
        "command": [named(word) for word in target.command],
        "source": digest(contents),
        "env": {name: named(value) for name, value in sorted(target.env.items())},
        "path": program_request.path,
        "method": program_request.method,
        "headers": [list(one) for one in program_request.headers],
        **(
            {}
            if program_request.body is None
            else {"body": hashlib.sha256(program_request.body).hexdigest()}
        ),
        **({} if several is None else {"scenario": several.digest}),
        **({"http2": True if target.http2 == 1 else target.http2} if target.http2 else {}),
    }
    return question({}, options=options)

"""An examination without a stored record: from the words of a call to the result."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from lab import paths
from lab.clinic.app import LISTEN_S, Target
from lab.clinic.examination import Examination, diagnosed
from lab.clinic.examining import Say, observe, observe_url
from lab.clinic.loading import Request
from lab.clinic.scenario import Scenario, read
from lab.errors import LabError

LEAST_S, MOST_S = 2.0, 120.0


@dataclass(frozen=True)
class Order:
    """The subject of an examination: a program or a server that runs at `url`, and the requests."""

    program: Target | None
    url: str
    request: Request
    scenario: Scenario | None
    load_s: float | None
    http2: int = 0

    def examined(self, say: Say) -> Examination:
        """Examine it now. Raises what `lab.examine` raises."""
        if self.program is not None:
            return diagnosed(observe(self.program, self.request, say, self.load_s))
        scenario, http2 = self.scenario, self.http2
        return diagnosed(
            observe_url(self.url, self.request, say, self.load_s, scenario, http2=http2)
        )


def order(
    target: str | Sequence[str],
    *,
    path: str = "/",
    method: str | None = None,
    headers: Mapping[str, str] | None = None,
    body: str | bytes | None = None,
    folder: str | Path | None = None,
    env: Mapping[str, str] | None = None,
    port: int | None = None,
    listen_s: float = LISTEN_S,
    load_s: float | None = None,
    scenario: str | Path | None = None,
    http2: int = 0,
) -> Order:
    """Return what is to be examined; the arguments are those of `lab.examine`. Raises LabError."""
    if load_s is not None and not LEAST_S <= load_s <= MOST_S:
        raise LabError(f"load_s={load_s:g}: from {LEAST_S:g} to {MOST_S:g} seconds.")
    request = Request.of(path, method, headers or {}, body)
    requests = None if scenario is None else read(Path(scenario), headers)
    if requests is not None and (path != "/" or method is not None or body is not None):
        raise LabError(
            f"scenario={str(scenario)!r} already says what is sent, so leave out path, method "
            "and body."
        )
    if isinstance(target, str) and ("://" in target or target.startswith("unix:")):
        return Order(None, target, request, requests, load_s, http2)
    command = tuple(shlex.split(target) if isinstance(target, str) else target)
    if not command:
        raise LabError("There is no command to examine. Give one, such as node app.mjs")
    where = Path(folder).resolve() if folder is not None else _folder(command)
    if not where.is_dir():
        raise LabError(f"There is no folder {where}.")
    program = Target(command, where, "", dict(env or {}), port, path, listen_s, requests, http2)
    return Order(program, "", request, requests, load_s)


def _folder(command: Sequence[str]) -> Path:
    """Return the working folder, or the folder of the chapter's program."""
    current_folder = Path.cwd()
    for word in command[1:]:
        if word.startswith("-") or (current_folder / word).exists():
            continue
        try:
            found = paths.program(word)
        except paths.NoProgram:
            continue
        return Path(str(found).removesuffix(f"/{word}"))
    return current_folder

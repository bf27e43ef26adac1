"""A recipe: everything needed to start one server and to know that it is the right one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from lab.errors import LabError
from lab.servers import process, versions
from lab.servers.program import Body, MissingProgram, Program
from lab.servers.running import Running
from lab.storage.gate import checked

__all__ = ["Body", "MissingProgram", "Recipe"]


@dataclass(frozen=True, repr=False)
class Recipe(Program):
    """A server that can be started any number of times; nothing runs yet."""

    @property
    def version(self) -> str:
        """What serves and what it is made with, as installed here: `v20.20.2, Express 5.3.0`."""
        return versions.of(self)

    @checked
    def configured(
        self,
        *,
        env: Mapping[str, object] | None = None,
        workers: int | None = None,
        node: str | None = None,
    ) -> Recipe:
        """The same server with other parameters, checked as in `lab.server`."""
        if self.again is None:
            raise LabError(f"{self.name} has no parameters that can be changed.")
        made: Recipe = self.again(env=env, workers=workers, node=node)
        return made

    def start(self, cpus: Iterable[int] | None = None, **options: Any) -> Running:
        """Start a fresh process and return it once a verified GET was answered.

        cpus : logical processors to pin it to (Linux). Raises a LabError that names what went
        wrong and carries the last log lines; nothing is left running then.
        """
        return process.start(self, cpus=cpus, **options)

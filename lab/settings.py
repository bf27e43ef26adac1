"""The two switches of the course: LAB_MODE (live or replay) and LAB_PROFILE (how long)."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast

from lab.errors import LabError, did_you_mean

Mode = Literal["live", "replay"]
MODES = ("live", "replay")


@dataclass(frozen=True)
class Profile:
    """How much is measured: pairs of trials per point, and seconds per trial."""

    name: str
    pairs: int
    warmup_s: float
    measure_s: float
    verdicts: bool


PROFILES = {
    profile.name: profile
    for profile in (
        Profile("smoke", pairs=1, warmup_s=0.05, measure_s=0.15, verdicts=False),
        Profile("course", pairs=6, warmup_s=0.25, measure_s=0.5, verdicts=True),
        Profile("reference", pairs=12, warmup_s=1.0, measure_s=4.0, verdicts=True),
    )
}


class BadSetting(LabError):
    """An environment variable has a value that means nothing."""


def _choice(variable: str, default: str, known: tuple[str, ...]) -> str:
    value = os.environ.get(variable, "").strip().lower() or default
    if value not in known:
        raise BadSetting(
            f"{variable} is {value!r}. {did_you_mean(value, known)} "
            f"Set it to one of {', '.join(known)}, or unset it for {default!r}."
        )
    return value


def mode() -> Mode:
    """'live' measures, 'replay' draws recorded results. From LAB_MODE, read at each call."""
    return cast(Mode, _choice("LAB_MODE", "live", MODES))


def profile() -> Profile:
    """The profile named by LAB_PROFILE ('course' when unset), read at each call."""
    return PROFILES[_choice("LAB_PROFILE", "course", tuple(PROFILES))]


def notebook() -> str:
    """What is running us, as a person would call it: a chapter, a notebook or a script."""
    name = os.environ.get("LAB_CHAPTER") or os.environ.get("JPY_SESSION_NAME") or sys.argv[0]
    return Path(name or "python").name

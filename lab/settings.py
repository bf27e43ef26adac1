"""The two switches of the course: LAB_MODE (live or replay) and LAB_PROFILE (how long).

What a notebook itself reads from the record, because it cannot be measured here, is no setting of
the environment: `replaying` holds who asked for that, and `mode` knows both.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast

from lab.errors import LabError, did_you_mean

Mode = Literal["live", "replay"]
MODES = ("live", "replay")
MOST_PAIRS = 200


@dataclass(frozen=True)
class Profile:
    """How much is measured: pairs of trials per point, and seconds per trial.

    A chapter that asks for its own numbers means the course profile; the others scale them:
    the pairs of trials by `pair_stretch`, but beyond `pairs` none are added, the window by
    `stretch`, the warm-up by `warm_stretch`. Where `warm_cap_s` is not 0, that warm-up is the
    least, and it goes on until the rate is steady, or for so long; the window that follows lasts
    for `least_s` or longer, so that it can show a drift.
    """

    name: str
    pairs: int
    warmup_s: float
    measure_s: float
    pair_stretch: float
    stretch: float
    warm_stretch: float
    verdicts: bool
    warm_cap_s: float = 0.0
    least_s: float = 0.0
    undisturbed: bool = False  # a trial that something outside disturbed is measured again

    def pairs_for(self, chapter_pairs: int | None) -> int:
        """Pairs of trials where a chapter asked for that many (None: the profile's own); those of
        LAB_LEAST_PAIRS where the reference run would have as many. What has fewer even there shows
        a shape and judges nothing.
        """
        if chapter_pairs is None:
            return max(self.pairs, raised_pairs())
        least = (
            raised_pairs() if PROFILES["reference"].scaled(chapter_pairs) >= raised_pairs() else 0
        )
        return max(self.scaled(chapter_pairs), least)

    def scaled(self, chapter_pairs: int) -> int:
        """Pairs of this profile for so many of the course's, whatever LAB_LEAST_PAIRS says."""
        return max(1, min(round(chapter_pairs * self.pair_stretch), max(chapter_pairs, self.pairs)))

    def measure_for(self, asked_s: float | None) -> float:
        """Seconds of the window where a chapter asked for that many."""
        return self.measure_s if asked_s is None else asked_s * self.stretch

    def warmup_for(self, asked_s: float | None) -> float:
        """Seconds of warm-up where a chapter asked for that many."""
        return self.warmup_s if asked_s is None else asked_s * self.warm_stretch


PROFILES = {
    profile.name: profile
    for profile in (
        Profile(
            "smoke",
            1,
            0.05,
            0.15,
            pair_stretch=1 / 6,
            stretch=0.3,
            warm_stretch=0.3,
            verdicts=False,
        ),
        Profile(
            "course",
            6,
            0.25,
            0.5,
            pair_stretch=1,
            stretch=1,
            warm_stretch=1,
            verdicts=True,
        ),
        Profile(
            "reference",
            10,
            1.0,
            2.0,
            pair_stretch=2,
            stretch=2,
            warm_stretch=1.5,
            verdicts=True,
            warm_cap_s=12.0,
            least_s=1.0,
            undisturbed=True,
        ),
    )
}


class BadSetting(LabError):
    """An environment variable has a value that means nothing."""


def _choice(variable: str, default: str, choices: tuple[str, ...]) -> str:
    value = os.environ.get(variable, "").strip().lower() or default
    if value not in choices:
        raise BadSetting(
            f"{variable} is {value!r}. {did_you_mean(value, choices)} Set it to one of "
            f"{', '.join(choices)}, or unset it for {default!r}."
        )
    return value


# The needs that this machine does not meet. With any of them, the page shows the record although
# LAB_MODE says live.
replaying: set[object] = set()


def asked_mode() -> Mode:
    """What LAB_MODE says, read at each call."""
    return cast(Mode, _choice("LAB_MODE", "live", MODES))


def mode() -> Mode:
    """'live' measures, 'replay' draws recorded results: as LAB_MODE says, unless something that
    the notebook needs is missing here.
    """
    return "replay" if replaying else asked_mode()


def profile() -> Profile:
    """The profile named by LAB_PROFILE ('course' when unset), read at each call."""
    return PROFILES[_choice("LAB_PROFILE", "course", tuple(PROFILES))]


def raised_pairs() -> int:
    """To how many pairs LAB_LEAST_PAIRS raises a comparison that is there for a verdict; 0 where it
    is not set.
    """
    word = os.environ.get("LAB_LEAST_PAIRS", "").strip()
    if not word:
        return 0
    if not word.isdecimal() or not 1 <= int(word) <= MOST_PAIRS:
        raise BadSetting(
            f"LAB_LEAST_PAIRS is {word!r}. Set it to a whole number from 1 to {MOST_PAIRS}, "
            "or unset it to use the numbers in the chapters."
        )
    return int(word)


def notebook() -> str:
    """What is running us, as a person would call it: a chapter, a notebook or a script."""
    name = os.environ.get("LAB_CHAPTER") or os.environ.get("JPY_SESSION_NAME") or sys.argv[0]
    return Path(name or "python").name

"""The word of a claim over several sittings: what two processors say and no sitting contradicts.

An interval holds what is true of the machine and the day on which it was measured, in nineteen of
twenty cases. It does not hold what another machine would show. So a word about a published claim
needs two sittings that agree, on two processors: a second sitting on the same one repeats its
mistake (bench/sittings.py counts how often). Where sittings contradict each other, that is the
finding.
"""

from __future__ import annotations

from collections.abc import Sequence

NEEDED = 2  # processors
DIFFERS = "differs by machine"
NONE = "no verdict"
_HELD = {"held", "held stronger"}
_MISSED = {"did not hold", "reversed", "no difference", "smaller than claimed"}
# The words from the strongest on: which sittings say so, or more, and which do not contradict it.
# An interval that crosses the limit contradicts no word about the size, and one that does not show
# a direction contradicts none about it.
_WORDS = (
    ("held stronger", {"held stronger"}, {"held stronger"}),
    ("held", _HELD, _HELD),
    ("held weaker", _HELD | {"held weaker"}, _HELD | {"held weaker"}),
    ("held weaker", {"held weaker"}, {"held weaker", "smaller than claimed"}),
    (
        "smaller than claimed",
        {"smaller than claimed"},
        {"smaller than claimed", "held weaker", "did not hold"},
    ),
    ("no difference", {"no difference"}, {"no difference", "did not hold"}),
    ("reversed", {"reversed"}, {"reversed", "did not hold"}),
    ("did not hold", _MISSED, _MISSED),
)


def agreed(words_by_place: Sequence[tuple[str, str]]) -> str:
    """Return the word of several sittings. words_by_place : the processor and the word of each.

    The strongest word that sittings on two processors say and none contradicts; "no verdict" where
    none contradicts another and there are not two; else "differs by machine".
    """
    decided = [(place, word) for place, word in words_by_place if word != NONE]
    words = {word for _, word in decided}
    fitting = [(word, by) for word, by, allowed in _WORDS if words <= allowed]
    for word, by in fitting:
        if len({place for place, own in decided if own in by}) >= NEEDED:
            return word
    return NONE if fitting else DIFFERS

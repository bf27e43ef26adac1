"""Every change of a criterion that git knows is told to the reader: a claim that got another limit
or other Nodes after its first result looks like one that had them from the beginning.
"""

import criteria
import pytest

from lab import claims

pytestmark = pytest.mark.skipif(
    criteria.is_shallow(), reason="this copy has no history: `git fetch --unshallow` brings it"
)


@pytest.fixture(scope="module")
def history():
    return criteria.history()


def told(change, by_id):
    """The entries about a claim that are dated after the change before, up to this one's day."""
    last = change.day or "9999"
    return [
        text
        for text in by_id.get(change.id, ())
        if change.since < text[:10] <= last or text[:10] == last
    ]


def test_every_limit_and_every_node_that_changed_is_told_with_its_numbers(history):
    untold = []
    for change in history:
        texts = " ".join(text[10:] for text in told(change, claims.changes()))
        if change.after is not None and change.keys != {"sentence"}:
            lacking = sorted(n for n in change.new_numbers if n not in texts)
            if not texts or lacking:
                pairs = [(k, change.before.get(k), change.after.get(k)) for k in change.keys]
                untold.append(f"{change.id}, {change.day or 'not committed'}: {pairs}")
    assert not untold, "tell it in data/claims.toml as `changed`:\n" + "\n".join(untold)


def test_every_sentence_that_changed_is_told_word_by_word_or_as_another_criterion(history):
    untold = []
    for change in history:
        if change.keys == {"sentence"} and change.after is not None:
            line = f"“{change.before['sentence']}” became “{change.after['sentence']}”"
            exact = [text[12:] for text in told(change, claims.wordings())]
            if line not in exact and not told(change, claims.changes()):
                untold.append(f"{change.id}, {change.day or 'not committed'}: {line}")
    assert not untold, "tell it in data/claims.toml below [worded]:\n" + "\n".join(untold)


def test_every_claim_that_is_gone_is_told(history):
    gone = {change.id for change in history if change.after is None}
    assert gone == set(claims.withdrawn()), "data/claims.toml tells them below [withdrawn]"


def test_what_is_told_is_about_claims_that_were_made(history):
    made = {change.id for change in history} | set(claims.claims()["claims"])
    made |= set(claims.quotations())
    told_of = {*claims.changes(), *claims.wordings(), *claims.withdrawn()}
    assert told_of <= made | set(criteria.made()), "these ids are no claim of any chapter"
    for texts in (*claims.changes().values(), *claims.wordings().values()):
        assert list(texts) == sorted(texts, key=lambda text: text[:10]), "the oldest comes first"


CELLS = """
const shared = { above: 4, node: "<26", because: "it ends" };
const more = { ...shared, of: cost };
await lab.claim("a", x / y, { ...more, sentence: "One, two: " + "three (or four)." });
lab.claim(
    "b", x, between=(0.5, 1 / 2 + mark), exact=True,
    sentence="It says \\"so\\", "
             "and ends.",
)
lab.claim("published", ratio)
"""


def test_what_a_chapter_says_is_read_from_both_languages():
    found = dict(criteria.called(CELLS))
    assert found["a"] == {"above": "4", "node": "<26", "sentence": "One, two: three (or four)."}
    assert found["b"] == {"between": "0.5, 1 / 2 + x", "sentence": 'It says "so", and ends.'}
    assert "published" not in found

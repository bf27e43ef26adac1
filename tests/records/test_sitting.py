"""Sittings: what is written is read back, and what a stranger sends is refused in a sentence."""

import json
import sys
from dataclasses import replace

import pytest
from house import ROOT

from lab import claims
from lab.book.pipeline import run
from lab.judging import judge
from lab.judging.sittings import agreed
from lab.records import sitting
from lab.records.sitting import BadSitting

# From 3.15 on Python reads what is nested as deep as its stack allows, and finds no end.
TOO_DEEP = "nested too deeply" if sys.version_info < (3, 15) else "Expecting value"
FILES = sorted((ROOT / "data/sittings").glob("*.json"))
KNOWN = {"db-read", "hello-sleep"}
GOOD = {
    "format": sitting.FORMAT,
    "schema": sitting.SCHEMA,
    "profile": "course",
    "made": "2026-11-28",
    "machine": {
        "cpu": "Intel(R) Core(TM) i7-1165G7 @ 2.80GHz",
        "cores": 8,
        "quota_cores": None,
        "ram_gib": 16,
        "virt": None,
        "os": "Linux (Ubuntu 24.04)",
        "arch": "x86_64",
    },
    "versions": {"node": "24.21.0", "python": "3.13.1"},
    "claims": [
        {
            "id": "db-read",
            "verdict": "held",
            "estimate": 4.5,
            "low": 4.1,
            "high": 5.0,
            "pairs": 6,
            "because": "",
        }
    ],
}


def changed(path, value):
    """The good file with one value changed, added or, by `...`, taken out."""
    data = json.loads(json.dumps(GOOD))
    *way, last = path
    place = data
    for key in way:
        place = place[key]
    if value is ...:
        del place[last]
    else:
        place[last] = value
    return json.dumps(data).encode()


def refused(data):
    with pytest.raises(BadSitting) as caught:
        sitting.parsed(data, KNOWN)
    said = str(caught.value)
    assert "\n" not in said and len(said) < 250 and said.isprintable()
    return said


def test_every_sitting_of_the_book_is_read_and_written_byte_by_byte():
    assert len({any_sitting.machine["cpu"] for any_sitting in claims.sittings()}) >= 2
    assert len({any_sitting.made for any_sitting in claims.sittings()}) >= 3
    for file in FILES:
        any_sitting = sitting.read(file, claims.judged_by_interval())
        assert sitting.text_of(any_sitting) == file.read_text("utf8")
        assert file.stat().st_size < 8_000
        assert file.stem.startswith(
            sitting.name_of(
                any_sitting.made, any_sitting.machine["cpu"], any_sitting.node
            ).removesuffix(".json")
        )


def test_a_good_file_is_read():
    one = sitting.parsed(json.dumps(GOOD).encode(), KNOWN)
    assert (one.major, one.cpu) == (24, "Intel Core i7-1165G7 @ 2.80GHz")
    assert one.claims["db-read"].low == 4.1
    assert sitting.parsed(sitting.text_of(one).encode(), KNOWN).claims == one.claims


CLAIM = ("claims", 0)


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        (("format",), "somebody/else", "not nodejs-io-measured/sitting 1"),
        (("schema",), 2, "not nodejs-io-measured/sitting 1"),
        (("profile",), "smoke", "gives no verdicts"),
        (("profile",), 3, "instead of text"),
        (("made",), "28.11.2026", "instead of a day such as"),
        (("made",), "2026-13-01", "instead of a day such as"),
        (("made",), "2026-11-28T10:00:00Z", "instead of a day such as"),
        (("made",), ..., "has no 'made'"),
        (("host",), "my-laptop", "which is not a key of a sitting"),
        (("machine", "user"), "me", "which is not a key of a sitting"),
        (("machine", "cpu"), "", "is empty"),
        (("machine", "cpu"), "x" * 81, "81 characters"),
        (("machine", "cpu"), "a\nb", "can't be printed"),
        (("machine", "cpu"), "a\u202eb", "can't be printed"),
        (("machine", "cores"), "8", "instead of a whole number"),
        (("machine", "cores"), True, "instead of a whole number"),
        (("machine", "cores"), 0, "instead of 1 to"),
        (("machine",), [], "instead of an object"),
        (("versions", "node"), "v24", "instead of a version such as 24.1.0"),
        (("versions", "node"), "24.1.0; rm -rf /", "instead of a version such as 24.1.0"),
        (("versions", "deno"), "2.0.0", "which is not a key of a sitting"),
        (("claims",), {}, "instead of a list"),
        (("claims",), [], "no claim"),
        (("claims",), [3], "instead of an object"),
        (("claims",), [GOOD["claims"][0]] * 2, "twice"),
        ((*CLAIM, "id"), "db-raed", "not a claim with an interval"),
        ((*CLAIM, "id"), "<script>", "not a claim with an interval"),
        ((*CLAIM, "verdict"), "won", "not a verdict of one sitting"),
        ((*CLAIM, "verdict"), "differs by machine", "not a verdict of one sitting"),
        ((*CLAIM, "estimate"), None, "instead of a number"),
        ((*CLAIM, "estimate"), "4.5", "instead of a number"),
        ((*CLAIM, "estimate"), True, "instead of a number"),
        ((*CLAIM, "estimate"), 6, "is outside"),
        ((*CLAIM, "low"), 0, "instead of 1e-09 to 1e+09"),
        ((*CLAIM, "low"), -1, "instead of 1e-09 to 1e+09"),
        ((*CLAIM, "high"), 1e12, "instead of 1e-09 to 1e+09"),
        ((*CLAIM, "pairs"), 1, "instead of 2 to"),
        ((*CLAIM, "pairs"), 6.0, "instead of a whole number"),
        ((*CLAIM, "because"), "x" * 301, "301 characters"),
        ((*CLAIM, "p"), 0.5, "which is not a key of a sitting"),
    ],
)
def test_what_does_not_fit_is_refused_in_a_sentence_that_says_what(path, value, said):
    assert said in refused(changed(path, value))


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "not JSON"),
        (b"\xff\xfe{}", "not text in UTF-8"),
        (b"[1, 2]", "instead of an object"),
        (b"null", "instead of an object"),
        (b"{" * 5000, "not JSON"),
        (b"[" * 30000, TOO_DEEP),
        (b'{"format": 1, "format": 2}', "the key 'format' twice"),
        (json.dumps(GOOD).replace("4.5", "NaN").encode(), "NaN, which is not a number"),
        (json.dumps(GOOD).replace("5.0", "Infinity").encode(), "Infinity, which is not a number"),
        (json.dumps(GOOD).replace("5.0", "1e999").encode(), "instead of 1e-09 to 1e+09"),
        (b" " * 40_000, "more than 32,000 bytes"),
        (
            json.dumps(GOOD).replace('"cores": 8', f'"cores": {"9" * 5000}').encode(),
            "a number that can't be read",
        ),
    ],
)
def test_what_is_no_such_file_is_refused(data, said):
    assert said in refused(data)


def test_a_file_that_is_refused_is_named_with_what_to_do(tmp_path):
    file = tmp_path / "mine.json"
    file.write_bytes(changed(("made",), "yesterday"))
    with pytest.raises(
        BadSitting, match=r"^mine\.json is not used, because made is 'yesterday'.*again"
    ):
        sitting.read(file, KNOWN)
    with pytest.raises(BadSitting, match="gone"):
        sitting.read(tmp_path / "gone.json", KNOWN)


@pytest.mark.parametrize(
    ("target", "said"), [("/dev/zero", "not a regular file"), ("gone", "can't be read")]
)
def test_a_link_among_the_sittings_stops_the_build_at_once(
    tmp_path, monkeypatch, capsys, target, said
):
    monkeypatch.setattr(claims, "SITTINGS", tmp_path)
    monkeypatch.setattr(run, "_build", lambda *_: pytest.fail("a chapter was run"))
    (tmp_path / "mine.json").symlink_to(target)
    assert run.run(tmp_path / "output") == 1
    shown = capsys.readouterr().err
    assert "mine.json" in shown and said in shown and shown.count("\n") == 1


INTEL, AMD = "Intel", "AMD"


@pytest.mark.parametrize(
    ("said", "word"),
    [
        ([], "no verdict"),
        ([(INTEL, "held")], "no verdict"),
        ([(INTEL, "held"), (INTEL, "held")], "no verdict"),  # the same mistake, perhaps
        ([(INTEL, "held"), (AMD, "no verdict")], "no verdict"),
        ([(INTEL, "held"), (AMD, "held")], "held"),
        ([(INTEL, "held"), (AMD, "held stronger")], "held"),
        ([(INTEL, "held stronger"), (AMD, "held stronger")], "held stronger"),
        ([(INTEL, "held weaker"), (AMD, "held stronger")], "held weaker"),
        (
            [(INTEL, "held weaker"), (AMD, "held weaker"), (AMD, "smaller than claimed")],
            "held weaker",
        ),
        (
            [(INTEL, "smaller than claimed"), (AMD, "smaller than claimed"), (AMD, "did not hold")],
            "smaller than claimed",
        ),
        ([(INTEL, "held"), (AMD, "smaller than claimed")], "differs by machine"),
        ([(INTEL, "held"), (AMD, "held"), (AMD, "reversed")], "differs by machine"),
        ([(INTEL, "held"), (INTEL, "reversed")], "differs by machine"),
        ([(INTEL, "reversed"), (AMD, "did not hold")], "did not hold"),
        ([(INTEL, "reversed"), (AMD, "reversed"), (AMD, "did not hold")], "reversed"),
    ],
)
def test_a_word_needs_two_processors_that_agree_and_no_sitting_that_contradicts(said, word):
    assert agreed(said) == word == agreed(said[::-1])
    assert word in judge.WORDS


def test_the_list_of_what_a_sitting_may_hold_is_that_of_the_recorded_run():
    recorded = json.loads((ROOT / "data/book-results.json").read_text())["claims"]
    assert {c["id"] for c in recorded if c["ratio"]} <= claims.judged_by_interval()


def test_a_sitting_from_before_the_question_changed_is_left_out(monkeypatch):
    one = claims.sittings()[-1]
    its = replace(next(iter(one.claims.values())), id="qr-p50")
    monkeypatch.setattr(claims, "sittings", lambda: [replace_claims(one, its)])
    assert claims.words_of("qr-p50") == []
    monkeypatch.setattr(claims, "sittings", lambda: [replace_claims(one, its, "2026-12-01")])
    assert len(claims.words_of("qr-p50", "v24.1.0")) == 1
    assert claims.words_of("qr-p50", "26.1.0") == []


def replace_claims(one, found, made="2026-11-27"):
    return replace(one, claims={found.id: found}, made=made)

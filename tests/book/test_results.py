"""The result file: what a build found, small, about the book's claims and arms, nothing else."""

import copy
import json
import platform
from dataclasses import replace
from types import SimpleNamespace

import pytest

from lab import paths, usage
from lab.book.pages.yours import collect, compare_results, on_page, page, results
from lab.book.pages.yours.results import SCHEMA
from lab.book.pipeline.history import Record, Records
from lab.errors import LabError
from lab.judging import judge
from lab.processes.machine import machine
from lab.records import reference, store

CHAPTER = "book/blocking/sync-or-async-files"
EXPERIMENT = "files-small"


def claim(id, verdict, estimate, low=None, high=None, source="", pairs=6):
    value = {"estimate": estimate, "low": low, "high": high, "pairs": pairs, "metric": "p50"}
    return {
        "id": id,
        "sentence": "See /home/me/secret.",
        "text": "words",
        "verdict": verdict,
        "value": value if low is not None else estimate,
        "source": source,
        "published_ratio": [1.2, 1.2] if source else None,
        "why": "",
        "limit": "",
    }


CLAIMS = [
    claim("sync-vs-async-file", "reversed", 0.884, 0.808, 0.967, source="S2"),
    claim("pool-gate", "held", 3),
    claim("my-own-experiment", "held", 2.0),
]


def build_of(mode, claims=CLAIMS, profile="course"):
    record = Record("t", "c", "2026-01-02T03:04:05", "", 1.0, 1, 1, {}, claims=claims)
    return SimpleNamespace(
        mode=mode,
        profile=profile,
        outcomes={CHAPTER: SimpleNamespace(executed=record.executed)},
        last=lambda name: record,
        shows=lambda name: "measured" if mode == "live" else "recorded",
        waiting=list,
        present=SimpleNamespace(digest={"node": "v22.1.0", "python": "3.12.1"}.get),
    )


@pytest.fixture(scope="module")
def recorded():
    """What a replay finds of two claims and one experiment: it reads all of data/reference."""
    book = results.of_build(build_of("replay", CLAIMS[:2]))
    book["arms"] = [a for a in book["arms"] if a["experiment"] == EXPERIMENT]
    return book


@pytest.fixture
def runs(recorded, tmp_path, monkeypatch):
    """An empty data/runs, and a book that knows two claims and one experiment."""
    monkeypatch.setattr(paths, "RUNS", tmp_path / "runs")
    monkeypatch.setattr(results, "MINE", tmp_path / "runs" / "my-results.json")
    results.save(recorded, tmp_path / "book-results.json")
    monkeypatch.setattr(reference, "BOOK_RESULTS", tmp_path / "book-results.json")
    return tmp_path / "runs"


def measured(runs, name="20260101T000000.000000-aaaaaa", **changes):
    """A run of the recorded experiment, as if it had been made here and now."""
    found = store.reference(EXPERIMENT)
    here = tuple(replace(t, machine=machine(), recorded=None) for t in found.trials)
    data = {**replace(found, trials=here, recorded=None).to_json(), "profile": "course", **changes}
    file = runs / EXPERIMENT / name / "comparison.json"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps(data))


def test_a_build_that_measured_holds_the_books_claims_and_arms_and_nobody_elses(runs):
    measured(runs)
    sitting = results.of_build(build_of("live"))
    assert [c["id"] for c in sitting["claims"]] == ["sync-vs-async-file", "pool-gate"]
    assert sitting["claims"][0] == {
        "id": "sync-vs-async-file",
        "published": True,
        "verdict": "reversed",
        "ratio": True,
        "estimate": 0.884,
        "low": 0.808,
        "high": 0.967,
        "pairs": 6,
    }
    arm = sitting["arms"][0]
    assert arm["experiment"] == EXPERIMENT and arm["p50_s"] > 0
    assert len(arm["throughput_per_s"]) == len(store.reference(EXPERIMENT).cell(arm["arm"], 1))
    assert (sitting["schema"], sitting["mode"], sitting["profile"]) == (SCHEMA, "live", "course")
    assert sitting["versions"] == {"node": "22.1.0", "python": "3.12.1"}


def test_a_claim_whose_value_is_the_records_own_is_not_compared_with_it(runs):
    of_record = {**CLAIMS[1], "recorded": True}
    found = results.of_build(build_of("live", [CLAIMS[0], of_record]))
    assert [c["id"] for c in found["claims"]] == ["sync-vs-async-file"]
    drawn = results.of_build(build_of("replay", [CLAIMS[0], of_record]))
    assert [c["id"] for c in drawn["claims"]] == ["sync-vs-async-file", "pool-gate"]


def test_nothing_private_is_in_the_file(runs):
    measured(runs)
    sitting = results.of_build(build_of("live"))
    facts = {"cpu", "cores", "quota_cores", "ram_gib", "virt", "os", "arch"}
    arm = {"experiment", "arm", "at", "loop", "throughput_per_s", "p50_s", "p99_s"}
    arm |= {"paced", "server_cores"}
    assert set(sitting["machine"]) == facts
    assert {key for a in sitting["arms"] for key in a} == arm
    text = results.save(sitting, runs.parent / "found.json").read_text("utf-8")
    for private in (machine().id, platform.release(), str(paths.ROOT), "secret", "my-own"):
        assert private not in text


@pytest.mark.parametrize(
    "changes",
    [
        {"profile": "smoke"},
        {"complete": False},
        {"question": {"arms": {"async": {}, "sync": {}}}},
        {"schema": 0},
    ],
    ids=lambda changes: next(iter(changes)),
)
def test_a_run_that_answers_something_else_is_left_out_and_the_one_before_taken(runs, changes):
    measured(runs, "20260102T000000.000000-bbbbbb", **changes)
    assert results.of_build(build_of("live"))["arms"] == []
    measured(runs)
    assert results.of_build(build_of("live"))["arms"]


def test_a_run_of_another_machine_is_not_this_ones(runs):
    measured(runs)
    file = next(runs.rglob("comparison.json"))
    file.write_text(file.read_text().replace(machine().id, "0" * 16))
    assert results.of_build(build_of("live"))["arms"] == []


def test_a_smoke_build_takes_no_measurements_place(runs, tmp_path):
    for profile, kept in (("smoke", False), ("course", True)):
        file = results.write(build_of("live", profile=profile), tmp_path / profile)
        assert file == tmp_path / profile / "my-results.json"
        assert json.loads(file.read_text())["profile"] == profile
        assert results.MINE.exists() is kept


def test_a_file_that_the_page_would_refuse_is_not_written(tmp_path):
    large = {"claims": [{"id": "x" * 1000}] * 300}
    with pytest.raises(LabError, match="the limit is"):
        results.save(large, tmp_path / "my-results.json")
    assert not (tmp_path / "my-results.json").exists()


def test_the_command_collects_what_lies_here_and_says_where_it_is(runs, tmp_path, monkeypatch):
    monkeypatch.setattr(collect, "default_output", lambda: tmp_path / "_build")
    with pytest.raises(LabError, match="make book"):
        collect.collect()
    record = build_of("live").last(CHAPTER)
    Records(tmp_path / "_build/.lab/live-course").add(CHAPTER, record)
    measured(runs)
    said = collect.collect()
    assert "2 claims and" in said and "my-results.json" in said
    assert {c["id"] for c in json.loads(results.MINE.read_text())["claims"]} == {
        "sync-vs-async-file",
        "pool-gate",
    }
    monkeypatch.setenv("LAB_PROFILE", "smoke")
    with pytest.raises(LabError, match="LAB_PROFILE"):
        collect.collect()


def noted_on_its_page(monkeypatch, *claims):
    """What the kernel of a page judges."""
    on_page.notes(CHAPTER).parent.mkdir(parents=True, exist_ok=True)
    monkeypatch.setenv("LAB_CLAIMS_FILE", str(on_page.notes(CHAPTER)))
    for one in claims:
        usage.note("claim", **one)
    usage.note("server", name="no claim", started=1)


def test_what_a_page_judged_by_itself_is_in_the_file_whichever_is_newer(runs, monkeypatch):
    again = claim("sync-vs-async-file", "held", 1.3, 1.2, 1.4, source="S2")
    noted_on_its_page(monkeypatch, claim("pool-gate", "held", 7), again, CLAIMS[2])
    assert on_page.keep(CHAPTER, "course") == 3
    claims_by_id = {c["id"]: c for c in results.of_build(build_of("live"))["claims"]}
    assert {name: c["estimate"] for name, c in claims_by_id.items()} == {
        "sync-vs-async-file": 1.3,
        "pool-gate": 7,
    }
    assert (
        claims_by_id["sync-vs-async-file"]["published"]
        and claims_by_id["sync-vs-async-file"]["pairs"] == 6
    )
    newer = build_of("live")
    newer.last(CHAPTER).__dict__["executed"] = "2999-01-01T00:00:00"
    claims_by_id = {c["id"]: c["estimate"] for c in results.of_build(newer)["claims"]}
    assert claims_by_id == {"sync-vs-async-file": 0.884, "pool-gate": 3}


def test_without_a_build_the_pages_that_ran_are_the_result(runs, tmp_path, monkeypatch):
    monkeypatch.setattr(collect, "default_output", lambda: tmp_path / "_build")
    noted_on_its_page(monkeypatch, CLAIMS[1])
    on_page.keep(CHAPTER, "course")
    assert collect.collect().startswith(f"{paths.relative(results.MINE)}: 1 claim and 0 arms")


@pytest.mark.parametrize("why", ["edited", "another profile", "another machine", "recorded"])
def test_what_another_cell_judged_or_was_measured_otherwise_is_no_result(runs, monkeypatch, why):
    noted_on_its_page(monkeypatch, {**CLAIMS[1], "recorded": why == "recorded"})
    if why == "edited":
        on_page.drop(CHAPTER)
    on_page.keep(CHAPTER, "smoke" if why == "another profile" else "course")
    if why == "another machine":
        monkeypatch.setattr(on_page, "machine", lambda: SimpleNamespace(label="another"))
    found = {c["id"]: c["estimate"] for c in results.of_build(build_of("live", []))["claims"]}
    assert found == {}


def test_the_books_own_file_is_drawn_from_the_present_records():
    book = results.book()
    assert book is not None, "data/book-results.json is missing or of another schema"
    again = results.outdated(book)
    assert not again, (
        f"{', '.join(again)}: recorded since data/book-results.json was drawn. "
        "Write it again with `make book-results`."
    )


def test_records_made_again_added_or_dropped_are_noticed():
    book = copy.deepcopy(results.book())
    book["experiments"][EXPERIMENT] = "2020-01-01T00:00:00Z"
    book["experiments"]["gone"] = "2020-01-01T00:00:00Z"
    assert {EXPERIMENT, "gone"} <= set(results.outdated(book))


# ---- Side by side ------------------------------------------------------------------------------


def arm(experiment, name, *throughput, loop="closed", paced=False, cores=1.0):
    return {
        "experiment": experiment,
        "arm": name,
        "at": "1",
        "throughput_per_s": list(throughput),
        "loop": loop,
        "paced": paced,
        "server_cores": cores,
    }


def drawn(claims, its=(), mine=()):
    """What stands on the page. claims : {id: verdicts of the book and of yours, or None}."""

    def side(verdict):
        return {"verdict": verdict, "ratio": False, "estimate": 1, "low": None, "high": None}

    head = {"format": results.FORMAT, "schema": SCHEMA, "mode": "live", "profile": "course"}
    about = results.described(machine(), node="v22.1.0", python="3.12.1")
    yours = [{"id": id, **side(verdict)} for id, (_, verdict) in claims.items() if verdict]
    busy_arms = compare_results.busy(its)
    return compare_results.drawn(
        {
            "claims": [
                {"id": id, "name": "one", "own": False, "published": None, "book": side(verdict)}
                for id, (verdict, _) in claims.items()
            ],
            "arms": [[*a, x, int(a in busy_arms)] for a, x in compare_results.medians(its).items()],
            "scale": [0.1, 10],
            "ticks": [1],
            "words": page.words(),
            "yours": {**head, **about, "made": "2026-01-02", "claims": yours, "arms": list(mine)},
        }
    )


def factor(its, mine):
    return drawn({}, its, mine)["factor"]


def test_a_machine_twice_as_fast_has_factor_two_whatever_was_waiting():
    its = [
        arm("a", "x", 90, 100, 110),
        arm("b", "x", 10),
        arm("rate", "x", 50, loop="open"),
        arm("timer", "x", 20, cores=0.1),
        arm("spins", "x", 20, paced=True),
        arm("only there", "x", 7),
    ]
    mine = [arm("a", "x", 200), arm("b", "x", 20), arm("rate", "x", 50), arm("timer", "x", 20)]
    mine.append(arm("spins", "x", 20))
    assert factor(its, mine).startswith("Machine factor 2×, from 2 experiments: ")


def test_an_experiment_of_many_arms_weighs_as_much_as_one_of_few():
    its = [arm("sweep", str(i), 100) for i in range(30)] + [arm("pair", "x", 100)]
    mine = [arm("sweep", str(i), 100) for i in range(30)] + [arm("pair", "x", 400)]
    assert factor(its, mine).startswith("Machine factor 2×, ")


def test_without_a_common_arm_there_is_no_factor():
    assert "no machine factor" in factor([arm("a", "x", 1)], [arm("b", "x", 1)])


def test_no_verdict_is_neither_the_same_nor_another():
    no_verdict = "no verdict"
    cases = {
        ("held", "held"): "yes",
        ("demonstrated", "held"): "yes",  # an older file has no other word for it
        ("held", "reversed"): "no",
        (no_verdict, no_verdict): "cannot tell",
        ("held", no_verdict): "cannot tell",
        ("held", None): "not in this file",
    }
    rows = drawn({str(i): pair for i, pair in enumerate(cases)})["rows"]
    assert [rows[str(i)]["same"] for i in range(len(cases))] == list(cases.values())


def test_a_verdict_may_be_each_word_that_one_can_be_and_no_other(monkeypatch):
    monkeypatch.setitem(judge.WORDS, "held twice", "The interval reaches the limit two times over.")
    rows = drawn({word: (word, word) for word in judge.WORDS})["rows"]
    unhyphenated = {row: cells["yours"].replace("\u00ad", "") for row, cells in rows.items()}
    assert [row for row, yours in unhyphenated.items() if row not in yours] == []
    with pytest.raises(LabError, match=r"should be one of held, .*held twice, not .*thrice"):
        drawn({"a": ("held", "held thrice")})


def test_without_a_common_verdict_it_says_so():
    said = drawn({"a": ("no verdict", "no verdict")})["alt"]
    assert said.endswith("None of the 1 published claims was decided by both runs.")


def test_what_cannot_be_drawn_is_said(monkeypatch):
    monkeypatch.setattr(results, "FORMAT", "somebody/else's")
    with pytest.raises(LabError, match=r"yours\.mjs could not .*\n[\s\S]*a different kind of JSON"):
        drawn({})


def test_the_page_shows_both_sides_of_a_build_that_measured(runs):
    build = build_of("live", [{**CLAIMS[0], "verdict": "held"}, CLAIMS[1]])
    shown = page.claims_part(build).html
    assert "reversed" in shown and 'data-same="no"' in shown and "0.884×" in shown
    assert "0 of 1 published claims" in page.file_part(build).html
    assert "my-results.json" in page.file_part(build).html


def test_a_page_of_records_shows_the_books_side_and_waits_for_a_file():
    build = build_of("replay")
    assert 'data-same="–"' in page.claims_part(build).html
    assert "book-results.json" in page.file_part(build).html
    assert '"yours":null' in page.file_part(build).html


def test_what_a_claim_says_is_text_on_the_page():
    evil = {**CLAIMS[1], "sentence": "<img src=x onerror=alert(1)>"}
    shown = page.sentences_part(build_of("replay", [evil])).html
    assert "<img" not in shown and "&lt;img" in shown

"""Claims and orders across Nodes: what differs, what is missing, what is said of it on the page."""

import contextlib
import json
import re
from types import SimpleNamespace

import pytest

from lab import paths, settings
from lab.book import version_results, versions
from lab.book.pages import across_page
from lab.book.pipeline import usage_notes
from lab.book.site.placeholders import Html
from lab.errors import LabError
from lab.processes import nodes
from lab.storage.stored import Damaged

CHAPTER = "book/blocking/sync-or-async-files"
ABOUT = {
    "v8": "14.6",
    "uv": "1.52.1",
    "client": "24.0.0",
    "measured": "2026-01-01T00:00:00Z",
    "machine": {
        "id": "m",
        "cpu": "A <cpu>",
        "cores": 2,
        "os": "Linux",
        "kernel": "6",
        "python": "3",
    },
}
FACTS = {"profile": "course", "pairs": 6, "client": "24.0.0"}


def said(verdict="held", value=2.0, **more):
    found = {"verdict": verdict, "value": value, "low": value * 0.9, "high": value * 1.1}
    return {**found, "basis": "interval", "because": "", **more}


def row(major, claims, orders=None, failed=""):
    orders = {id: {"orders": found} for id, found in (orders or {}).items()}
    of = {"major": major, "chapter": CHAPTER, "failed": failed}
    return {**of, "claims": claims, "orders": orders}


def run(*rows):
    about = {one["major"]: {"node": f"{one['major']}.1.0", **ABOUT} for one in rows}
    return version_results.assembled(FACTS, about, rows)


def held_against(before, now):
    """What a claim on Node 26 comes to, held against what it was."""
    return version_results.against(run(row("26", {"a": before})), run(row("26", {"a": now})))


# --- what differs ---


@pytest.mark.parametrize(
    "now", ["did not hold", "reversed", "no difference", "smaller than claimed"]
)
@pytest.mark.parametrize("before", ["held", "held weaker", "held stronger"])
def test_a_verdict_that_flips_is_told_with_claim_and_node(before, now):
    for one, other in ((before, now), (now, before)):
        (found,) = held_against(said(one), said(other)).differ
        assert str(found) == f"claim a on Node 26 ({CHAPTER}): was {one}, and is {other}"


@pytest.mark.parametrize(("before", "now"), [("held", "held weaker"), ("reversed", "did not hold")])
def test_a_verdict_that_is_only_stronger_or_weaker_is_as_recorded(before, now):
    found = held_against(said(before), said(now))
    assert (found.differ, found.unsaid, found.same) == ((), (), 1)


def test_the_line_of_a_program_names_its_page_and_the_nodes_whose_order_is_the_same():
    ab, ba = {"orders": [["a", "b"]]}, {"orders": [["b", "a"]]}
    page = "Sync or Async Files"
    rows = run(row("20", {}), row("22", {}), row("24", {}), row("26", {}))
    entry = {"chapter": CHAPTER, "on": {"20": {"missing": "x"}, "22": ab, "24": ab, "26": ba}}
    assert across_page._name("orders", "blocking/p/two-reads", entry) == (
        f"two-reads, a program of {page}"
    )
    assert across_page._words("orders", entry, rows) == (
        "missing on 20, one order on 22 to 24, another order on 26"
    )
    same = {**entry, "on": {"22": ab, "24": ab, "26": ab}}
    assert across_page._words("orders", same, rows) == "missing on 20, the same order on 22 to 26"
    both = {"orders": [["a", "b"], ["b", "a"]]}
    varied = {**entry, "on": {"22": both, "24": ab, "26": both}}
    assert across_page._words("orders", varied, rows) == (
        "missing on 20, several orders on 22, one order on 24, several orders on 26"
    )
    assert across_page._name("orders", "blocking/p/program-1a2b", same) == (
        f"the program of {page} that prints a, b, …"
    )


@pytest.mark.parametrize(
    ("orders", "words"),
    [
        ([["ab"], ["ab"], None], ["the same order", "the same order", "missing"]),
        ([["ab", "ba"], ["ba", "ab"]], ["several orders", "several orders"]),
        (
            [["ab", "ba"], ["ab"], ["ab", "bc"], ["ba"], ["ab", "bd"]],
            [
                "several orders",
                "one order",
                "several other orders",
                "another order",
                "several orders, set 3",
            ],
        ),
        (
            [["a"], ["b"], ["c"], ["d"], ["e"], ["f"], ["g"]],
            [
                "one order",
                "another order",
                "a third order",
                "a fourth order",
                "a fifth order",
                "order number 6",
                "order number 7",
            ],
        ),
    ],
)
def test_nodes_have_the_same_words_where_their_orders_are_the_same(orders, words):
    orders_by_node = [there and [list(order) for order in there] for there in orders]
    assert across_page._order_words(orders_by_node) == words


def test_a_row_whose_limit_is_another_one_today_says_so():
    entry = {"chapter": CHAPTER, "short": "a claim", "limit": "≥ 2", "now": "≥ 3"}
    assert "its limit was ≥ 2; today it is ≥ 3" in across_page._named("claims", "a", entry)
    assert "limit" not in across_page._named("claims", "a", {**entry, "now": "≥ 2"})
    assert "limit" not in across_page._named("claims", "a", {**entry, "now": ""})


def test_stored_words_of_published_claims_are_those_of_the_rule_of_today(tmp_path):
    rows = {
        "24": {**said("held weaker"), "value": 3.0, "low": 2.5, "high": 3.5, "basis": "interval"},
        "26": {**said("no verdict"), "value": 3.0, "low": 2.5, "high": 3.5, "basis": "interval"},
    }
    data = run(*(row(major, {"db-read": found, "a": found}) for major, found in rows.items()))
    file = tmp_path / "versions.json"
    file.write_text(json.dumps(data))
    claims = version_results.read(file)["claims"]
    words = {id: [found["verdict"] for found in claims[id]["on"].values()] for id in claims}
    assert words == {
        "db-read": ["smaller than claimed", "no verdict"],
        "a": ["held weaker", "no verdict"],
    }


def test_no_verdict_on_either_side_is_no_flip_but_is_counted_and_told():
    for one, other in (("held", "no verdict"), ("no verdict", "reversed")):
        found = held_against(said(one), said(other, because="it crosses 1"))
        assert found.differ == ()
        assert "not compared: claim a on Node 26" in found.told()[0]
        assert "it crosses 1" in found.told()[0]
        assert "1 without a verdict in one of the runs" in found.told()[-1]


def test_a_claim_that_is_missing_fails_with_its_reason_also_where_there_was_no_verdict():
    for verdict in ("held", "no verdict"):
        (found,) = held_against(said(verdict), {"missing": "no node:test"}).differ
        assert found.said == f"was {verdict}, and is missing: no node:test"
    assert held_against({"missing": "no node:test"}, said()).differ == ()


def test_a_claim_that_the_book_no_longer_makes_is_never_silently_dropped():
    found = version_results.against(run(row("26", {"a": said()})), run(row("26", {})))
    assert "missing: the book no longer asks this" in str(found.differ[0])


def test_only_nodes_and_chapters_that_were_measured_are_compared():
    before = run(row("24", {"a": said()}), row("26", {"a": said()}))
    now = run(row("24", {"a": said("reversed")}))
    assert [one.major for one in version_results.against(before, now).differ] == ["24"]
    assert version_results.against(before, now, ["book/other"]).differ == ()


def test_an_order_differs_if_it_was_never_seen_and_not_if_it_is_one_of_several():
    first, second, third = ["a", "b"], ["b", "a"], ["a"]
    before = run(row("26", {}, {"p": [first, second]}))
    assert version_results.against(before, run(row("26", {}, {"p": [second]}))).differ == ()
    (found,) = version_results.against(before, run(row("26", {}, {"p": [third]}))).differ
    assert str(found) == f"order p on Node 26 ({CHAPTER}): was a → b, and is a"


def test_an_order_that_another_node_gave_is_missing_with_the_reason():
    gone = row("18", {}, failed="its cell failed: a recording needs 20.18")
    data = run(row("26", {}, {"p": [["a"]]}), gone)
    assert data["orders"]["p"]["on"]["18"] == {
        "missing": "its cell failed: a recording needs 20.18"
    }


# --- the second look ---


def second_look(now):
    before = run(row("26", {"a": said("held"), "b": said("held")}))
    first = version_results.against(
        before, run(row("26", {"a": said("reversed"), "b": said("held")}))
    )
    second = version_results.against(before, run(row("26", {"a": now, "b": said("held")})))
    return version_results.confirmed(first, second, {"26": {CHAPTER}})


def test_a_flip_that_a_second_look_does_not_find_counts_as_recorded():
    found = second_look(said("held weaker"))
    assert (found.differ, found.same) == ((), 2)


@pytest.mark.parametrize(
    "now", [said("reversed"), said("no verdict"), {"missing": "its cell failed: out of memory"}]
)
def test_a_second_look_that_finds_it_again_or_gives_no_answer_fails(now):
    assert [one.id for one in second_look(now).differ] == ["a"]


# --- the file ---


def test_a_new_node_is_put_beside_those_that_are_there():
    before = run(row("24", {"a": said("held"), "gone": said()}))
    data = version_results.merged(before, run(row("26", {"a": said("reversed"), "new": said()})))
    assert version_results.majors(data) == ["24", "26"]
    assert data["claims"]["a"]["on"]["24"]["verdict"] == "held"
    assert data["claims"]["new"]["on"]["24"] == {"missing": "not measured yet"}
    assert "gone" not in data["claims"]


@pytest.mark.parametrize("spoilt", ["{}", "[]", '{"format": "other", "schema": 1}', "{"])
def test_a_file_that_is_none_is_named(tmp_path, spoilt):
    (tmp_path / "versions.json").write_text(spoilt)
    with pytest.raises(Damaged, match=r"versions\.json can't be read"):
        version_results.read(tmp_path / "versions.json")


def test_no_file_is_no_error(tmp_path):
    assert version_results.read(tmp_path / "versions.json") is None


def test_each_cause_is_of_a_claim_or_an_order_and_leads_somewhere():
    pages = versions.asked()
    ids = {id for page in pages for id in versions.claimed(page)}
    stored = version_results.read()
    orders = set(stored["orders"]) if stored else None
    for id, cause in version_results.causes().items():
        chapter = id.rpartition("/")[0]
        known = id in orders if orders is not None else f"book/{chapter}" in pages
        assert id in ids or known, f"{id} is not a claim and no order"
        assert cause["since"] in nodes.VERSIONS
        assert cause["text"].endswith(".")
        assert cause["links"]
        for link in cause["links"]:
            page = paths.ROOT / "book" / link["to"].replace(".html", ".md")
            assert link["to"].startswith("https://") or page.exists(), link["to"]


# --- the page ---


@pytest.fixture
def page(tmp_path, monkeypatch):
    """What the makers show of a run, or of none."""

    def shown(data=None, judged=()):
        file = tmp_path / "versions.json"
        there = [{"id": id} for id in judged]
        monkeypatch.setattr(across_page.verdicts, "judged", lambda _, published: there)
        if data is not None:
            file.write_text(json.dumps(data))
        monkeypatch.setattr(version_results, "STORED", file)
        made = {
            name: make(SimpleNamespace(state=tmp_path)) for name, make in across_page.MAKERS.items()
        }
        assert all(isinstance(one, Html) for one in made.values())
        return {name.removeprefix("versions-"): one.html for name, one in made.items()}

    return shown


def test_without_data_the_page_says_how_to_make_it(page):
    assert {text for text in page().values()} == {across_page.NONE}
    assert "make versions" in across_page.NONE


def test_a_page_of_some_nodes_says_which_are_not_measured(page):
    shown = page(run(row("24", {"a": said()}), row("26", {"a": said()})))
    assert "Not measured yet: Node 18, 20 and 22." in shown["about"]
    assert 'ARGS="--nodes 18 20 22"' in shown["about"]
    assert "A &lt;cpu&gt;" in shown["about"]


def test_a_whole_page_has_verdict_ratio_and_interval_for_each_node(page):
    id = "response-size"
    of = {"source": "S1", "short": "256 KiB: Buffer ÷ string"}
    rows = [row(str(m), {id: said(value=1 + m / 10, **of)}) for m in nodes.VERSIONS]
    shown = page(run(*rows))
    assert "Not measured yet" not in shown["about"]
    assert "smaller than claimed<br><small>3.6× [3.24, 3.96]</small>" in shown["table"]
    assert "256 KiB: Buffer ÷ string: Node 18 2.8 (2.52 to 3.08)" in shown["plots"]
    assert 'href="../versions.csv"' in shown["about"]


def test_what_most_trials_of_a_claim_suffered_from_is_told_at_its_verdict_and_no_more(page):
    often = {"warnings": ["not steady in 7 of 12 trials", "listen backlog full in 1 of 12 trials"]}
    seldom = {"warnings": ["not steady in 6 of 12 trials"]}
    shown = page(run(row("24", {"a": said(**often), "b": said(**seldom)})))["table"]
    assert shown.count("in more than half of its trials: not steady") == 1
    assert "backlog" not in shown
    assert shown.count('held <sup><a href="#versions-sync-or-async-files-1"') == 1


def test_a_row_leads_to_the_claim_if_its_page_has_judged_it_and_else_to_the_page(page):
    shown = page(run(row("24", {"a": said(), "b": said()})), judged=["a", "elsewhere"])["table"]
    assert 'href="blocking/sync-or-async-files.html#claim-a"' in shown
    assert 'href="blocking/sync-or-async-files.html"' in shown


def test_what_is_missing_leads_to_its_reason_which_stands_once(page):
    gone = {"missing": "its cell failed: no node:test <here>"}
    changed_page = page(
        run(row("18", {"a": gone, "b": gone}), row("26", {"a": said(), "b": said()}))
    )
    assert changed_page["table"].count("no node:test &lt;here&gt;") == 1
    assert (
        '<ol class="lab-reasons"><li' in changed_page["table"]
    )  # nothing stands between a list and its items
    assert (
        changed_page["table"].count('missing <sup><a href="#versions-sync-or-async-files-1"') == 2
    )


def test_a_row_that_changed_stands_on_top_with_its_cause_or_without_one(page):
    same, turned = {"kept": said()}, {"pool-four-trips": said("held", 3.0)}
    before = row("24", {**same, **turned, "other": said("held", 3.0)}, {"p/q": [["a", "b"]]})
    then = {**same, "pool-four-trips": said("reversed", 1.0), "other": said("held", 1.0)}
    changes = page(run(before, row("26", then, {"p/q": [["b", "a"]]})))["changed"]
    assert "kept" not in changes
    assert (
        changes.index("pool-four-trips")
        < changes.index("nodejs/node 65327")
        < changes.index("other")
    )
    assert "a → b" in changes
    assert "b → a" in changes
    assert changes.count(across_page.NO_CAUSE) == 2


def test_a_known_cause_without_a_change_stands_below_and_in_no_row(page):
    rows = [row(m, {"pool-four-trips": said("held", 3.0)}) for m in ("24", "26")]
    shown = page(run(*rows))["changed"]
    assert "Nothing differs" in shown
    assert shown.index(across_page.KNOWN) < shown.index("nodejs/node 65327")
    assert "<td" not in shown


def test_intervals_that_touch_are_no_change():
    entry = {"on": {"24": said("held", 2.0), "26": said("held", 2.3)}}
    assert not version_results.changed("claims", entry)
    assert version_results.changed(
        "claims", {"on": {"24": said("held", 2.0), "26": said("held", 3.0)}}
    )


def test_the_data_of_the_page_is_written_beside_it(page, tmp_path):
    gone = {"missing": "no node:test"}
    page(run(row("18", {"a": gone}), row("26", {"a": said()}, {"p": [["x", "y"]]})))
    site = tmp_path / "site"
    site.mkdir()
    across_page.write(site)
    lines = (site / "versions.csv").read_text().splitlines()
    assert lines[0] == ",".join(across_page.COLUMNS)
    assert f"claim,a,{CHAPTER},18.1.0,missing,,,,,no node:test" in lines
    assert f"claim,a,{CHAPTER},26.1.0,held,2.0,1.8,2.2,interval," in lines
    assert f"order,p,{CHAPTER},26.1.0,,x > y,,,," in lines
    assert json.loads((site / "versions.json").read_text())["profile"] == "course"


# --- what is run ---


def noted(**claim):
    usage = usage_notes.Usage()
    whole = {"id": "sync-vs-async-file", "sentence": "s", "source": "S", "limit": "≥ 1×"}
    more = {"judged_on": "", "published_ratio": None, "recorded": False, "because": ""}
    more["warnings"] = ("not steady in 7 of 12 trials",)
    value = {"estimate": 2.00000001, "low": None, "high": 3.0}
    of = {"verdict": "held", "basis": "interval", "value": value}
    usage.take({"kind": "claim", **whole, **more, **of, **claim})
    return usage


def failing(at, ename, evalue):
    count = len(versions.code_of(CHAPTER)[1])
    error = {"output_type": "error", "ename": ename, "evalue": evalue}
    return [{"outputs": [error] if i == at else []} for i in range(count)]


def test_every_claim_of_a_chapter_is_there_judged_or_missing_with_the_reason():
    place = versions.claimed(CHAPTER)["files-four-turns"]
    cells = failing(place, "Error", "\x1b[31mNo such built-in module: node:test\x1b[0m\nat x")
    verdicts = versions.found(CHAPTER, cells, noted())["claims"]
    assert verdicts.keys() == versions.claimed(CHAPTER).keys()
    assert verdicts["sync-vs-async-file"]["value"] == 2.0
    reason = "its cell failed: Error: No such built-in module: node:test"
    assert verdicts["files-four-turns"] == {"missing": reason}
    later = next(id for id, i in versions.claimed(CHAPTER).items() if i > place)
    assert verdicts[later]["missing"].startswith("a cell before it failed: ")


def test_a_verdict_from_the_record_is_none_of_this_node():
    cells = failing(-1, "", "")
    usage = noted(recorded=True, because="nginx is not installed")
    found = versions.found(CHAPTER, cells, usage)["claims"]["sync-vs-async-file"]
    assert found["missing"] == "nginx is not installed"
    assert "verdict" not in found


def test_a_chapter_that_broke_off_says_why():
    found = versions.found(CHAPTER, [], usage_notes.Usage(), "a cell took longer than 900 s")
    assert {one["missing"] for one in found["claims"].values()} == {
        "the chapter stopped before this cell: a cell took longer than 900 s"
    }
    assert found["failed"] == "a cell took longer than 900 s"


def test_all_claims_of_the_book_are_asked_for():
    book = json.loads((paths.DATA / "book-results.json").read_text())
    asked = {id for page in versions.asked() for id in versions.claimed(page)}
    assert {claim["id"] for claim in book["claims"]} <= asked


@pytest.fixture
def sitting(tmp_path, monkeypatch):
    """A sitting of two Nodes and two chapters whose cells are not run, and what was run."""
    monkeypatch.setenv("LAB_PROFILE", "course")
    monkeypatch.setattr(nodes, "of_major", lambda major: f"/node/{major}")
    monkeypatch.setattr(nodes, "version", lambda path=None: f"{str(path).rpartition('/')[2]}.1.0")
    ran = []
    pages = ["book/event-loop/phases", CHAPTER]

    def run(self, node, page):
        ran.append((node, page))
        if len(ran) == run.stopped_at:
            raise KeyboardInterrupt
        return [], usage_notes.Usage(), "not run", 0.0

    run.stopped_at = 0
    monkeypatch.setattr(versions.Sitting, "_run", run)
    made = versions.Sitting(tmp_path, pages)
    made.begin()
    return SimpleNamespace(of=made, ran=ran, run=run, pages=pages, folder=tmp_path)


def test_an_interrupted_sitting_goes_on_with_the_node_and_the_chapter_that_are_left(sitting):
    sitting.run.stopped_at = 4
    columns = ["/node/24", "/node/26"]
    with pytest.raises(KeyboardInterrupt):
        [list(sitting.of.rows(node)) for node in columns]
    again = versions.Sitting(sitting.folder, sitting.pages)
    again.begin()
    rows = [row for node in columns for row in again.rows(node)]
    assert [row["major"] for row in rows] == ["24", "24", "26", "26"]
    assert sitting.ran[4:] == [("/node/26", CHAPTER)]


def test_a_chapter_that_changed_or_another_node_is_run_again(sitting, monkeypatch):
    list(sitting.of.rows("/node/24"))
    monkeypatch.setattr(nodes, "version", lambda path=None: "24.2.0")
    list(sitting.of.rows("/node/24"))
    assert len(sitting.ran) == 4
    edited = {page: ("new", versions.code_of(page)[1]) for page in sitting.pages[:1]}
    known = versions.code_of
    monkeypatch.setattr(versions, "code_of", lambda page: edited.get(page) or known(page))
    list(sitting.of.rows("/node/24"))
    assert sitting.ran[4:] == [("/node/24", sitting.pages[0])]


@pytest.mark.parametrize("how", ["fresh", "ended", "another client"])
def test_what_is_another_sitting_begins_with_the_first_chapter(sitting, how):
    list(sitting.of.rows("/node/24"))
    if how == "ended":
        sitting.of.end()
    if how == "another client":
        sitting.of.facts["client"] = "26.1.0"
    sitting.of.begin(fresh=how == "fresh")
    list(sitting.of.rows("/node/24"))
    assert len(sitting.ran) == 4


def test_a_kernel_is_told_its_node_its_client_and_where_its_results_go(sitting):
    env = sitting.of.environment("/node/18", sitting.folder / "notes")
    assert env["LAB_NODE"] == "/node/18"
    assert env["LAB_CLIENT_NODE"] == f"/node/{nodes.CLIENT}"
    assert env["LAB_LEAST_NODE"] == "18"
    assert env["LAB_LEAST_PAIRS"] == "6"
    assert env["LAB_RUNS"] == str(sitting.folder / "runs")
    assert sitting.of.environment("/node/26", sitting.folder)["LAB_LEAST_NODE"] == str(nodes.LEAST)


def test_only_the_course_profile_and_its_quick_look_measure_versions(monkeypatch):
    monkeypatch.setenv("LAB_PROFILE", "reference")
    with pytest.raises(LabError, match="make versions"):
        versions.measure()


def test_there_must_be_something_to_hold_it_against(monkeypatch, tmp_path):
    monkeypatch.setenv("LAB_PROFILE", "course")
    monkeypatch.setattr(version_results, "STORED", tmp_path / "versions.json")
    with pytest.raises(LabError, match=r"no data/versions\.json"):
        versions.measure(against=True)


@pytest.fixture
def weekly(sitting, monkeypatch, tmp_path):
    """A weekly run on Node 26: the verdicts on one claim, look by look; returns the exit code."""
    monkeypatch.setattr(versions.Sitting, "alone", lambda self: contextlib.nullcontext())
    monkeypatch.setattr(versions, "_versions", lambda node: {"node": "26.1.0", "v8": "", "uv": ""})
    monkeypatch.setitem(versions.OUTPUT, "course", str(tmp_path / "out"))
    store = tmp_path / "stored.json"
    monkeypatch.setattr(version_results, "STORED", store)
    id = next(iter(versions.claimed(CHAPTER)))
    whole = {one: {"missing": "not here"} for one in versions.claimed(CHAPTER)}
    store.write_text(json.dumps(run(row("26", {**whole, id: said("held")}))))
    before = store.read_text()

    def looks(*verdicts):
        verdicts_left = list(verdicts)

        def look(page, *_):
            return {"claims": {**whole, id: said(verdicts_left.pop(0))}, "orders": {}, "failed": ""}

        monkeypatch.setattr(versions, "found", look)
        code = versions.measure([26], [CHAPTER], against=True)
        assert verdicts_left == []
        assert store.read_text() == before
        return code

    return looks


@pytest.mark.parametrize(
    ("looks", "code", "told"),
    [
        (["held"], 0, "1 as recorded"),
        (["no verdict"], 0, "not compared: claim"),
        (["reversed", "held"], 0, "1 as recorded"),
        (["reversed", "reversed"], 1, "DIFFERS: claim sync-vs-async-file on Node 26"),
        (["reversed", "no verdict"], 1, "DIFFERS: claim sync-vs-async-file on Node 26"),
    ],
)
def test_the_week_fails_with_the_name_of_what_both_looks_found(weekly, capsys, looks, code, told):
    assert weekly(*looks) == code
    assert told in capsys.readouterr().out


def test_least_pairs_raise_what_has_as_many_in_the_reference_run_and_nothing_else(monkeypatch):
    course = settings.PROFILES["course"]
    assert (course.pairs_for(2), course.pairs_for(3), course.pairs_for(8)) == (2, 3, 8)
    monkeypatch.setenv("LAB_LEAST_PAIRS", "6")
    assert (course.pairs_for(3), course.pairs_for(8), course.pairs_for(None)) == (6, 8, 6)
    # Twice as many are four in the reference run: too few for a verdict there, too.
    assert (course.pairs_for(1), course.pairs_for(2)) == (1, 2)
    monkeypatch.setenv("LAB_LEAST_PAIRS", "many")
    with pytest.raises(settings.BadSetting, match="LAB_LEAST_PAIRS is 'many'"):
        course.pairs_for(2)


def test_a_reason_says_what_was_wrong_and_nothing_of_the_machine():
    said = f"LabError: '{paths.ROOT}/tools/nodes/18/node' is too old\n  at x"
    assert versions._line(said) == "LabError: 'tools/nodes/18/node' is too old"
    said = "ProgramFailed: turns.mjs ended with code 1:\n\n  TypeError: no such function\n  at y"
    assert versions._line(said) == (
        "ProgramFailed: turns.mjs ended with code 1: TypeError: no such function"
    )


def test_no_path_of_a_machine_is_in_the_file():
    assert not re.findall(
        r"[^\w./]/(?:work|home|root|tmp|Users)/", version_results.STORED.read_text()
    )


def test_the_claims_of_a_chapter_begin_with_a_link_to_it(page):
    shown = page(run(row("24", {"a": said(), "b": said()})))["table"]
    assert (
        "<summary>Sync or Async Files (2)</summary><p>The page "
        '<a href="blocking/sync-or-async-files.html">Sync or Async Files</a></p>'
    ) in shown


def test_a_reason_is_told_as_people_say_it():
    reasons = across_page._Notes("reason")
    reasons.mark("check failed: on_schedule")
    assert "the client did not send all requests" in reasons.listed()
    assert "check failed" not in reasons.listed()

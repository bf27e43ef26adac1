"""A build of Node compared with a release: what differs in two looks is told, the rest listed."""

import contextlib

import pytest

from lab.book import candidate, version_results, versions
from lab.errors import LabError
from lab.processes import node_builds, nodes

CHAPTER = "book/blocking/sync-or-async-files"
RELEASE, BUILD = "/node/release", "/node/build"
NODES = {RELEASE: "26.5.0", BUILD: "27.0.0-nightly20261127"}


def claim(verdict="held", value=2.0, **more):
    ends = {"low": value * 0.9, "high": value * 1.1}
    return {"verdict": verdict, "value": value, **ends, "basis": "interval", "because": "", **more}


@pytest.fixture
def compare(tmp_path, monkeypatch):
    """Compare two Nodes whose chapters give what is handed over; return exit code and page."""
    digests = {RELEASE: "a", BUILD: "b"}
    monkeypatch.setenv("LAB_PROFILE", "course")
    monkeypatch.setitem(candidate.OUTPUT, "course", str(tmp_path))
    locks = []

    @contextlib.contextmanager
    def lock(*_, **__):
        locks.append(True)
        yield
        locks.pop()

    def find(build, _):
        assert locks, "another run could be measuring the Node that is unpacked"
        return node_builds.Build(BUILD)

    monkeypatch.setattr(candidate, "BuildLock", lock)
    monkeypatch.setattr(node_builds, "find", find)
    monkeypatch.setattr(candidate, "_digest", digests.__getitem__)
    monkeypatch.setattr(nodes, "of_major", lambda major: RELEASE)
    monkeypatch.setattr(nodes, "version", lambda path=None: NODES.get(path, "24.1.0"))
    monkeypatch.setattr(
        versions, "_versions", lambda node: {"node": NODES[node], "v8": "14|1", "uv": "1.53"}
    )
    ran = []

    def run(self, node, page):
        ran.append(node)
        return [node], versions.usage_notes.Usage(), "", 0.0

    monkeypatch.setattr(versions.Sitting, "_run", run)

    def result(release, build, again=None, orders=((), ())):
        verdicts_left = {
            RELEASE: [release, (again or [release])[0]],
            BUILD: [build, (again or [None, build])[-1]],
        }
        lines = dict(zip((RELEASE, BUILD), orders, strict=True))

        def found(page, cells, *_):
            (node,) = cells
            orders = {"one-turn": {"orders": [list(lines[node])]}} if lines[node] else {}
            return {"claims": verdicts_left[node].pop(0), "orders": orders, "failed": ""}

        monkeypatch.setattr(versions, "found", found)
        code = candidate.measure("out/Release/node", [CHAPTER.removeprefix("book/")], base=26)
        return code, (tmp_path / candidate.PAGE).read_text()

    result.ran = ran
    result.digests = digests
    return result


def section(page, title):
    return page.partition(f"## {title}\n")[2].partition("\n## ")[0]


def test_what_is_alike_is_counted_and_named_with_both_nodes(compare):
    code, page = compare({"a": claim()}, {"a": claim(value=2.1)})
    assert code == 0
    assert page.startswith("# Node 27.0.0-nightly20261127 compared with Node 26.5.0\n")
    assert section(page, "Differences").strip() == "None."
    assert "1 claim or order as on the release" in page
    assert "make candidate NODE=PATH BASE=26" in page  # a path tells others nothing
    assert compare.ran == [RELEASE, BUILD]


def test_a_verdict_that_turned_twice_is_a_difference(compare, capsys):
    sentence = {"short": "a Buffer | a string, says @nobody"}
    code, page = compare({"a": claim(**sentence)}, {"a": claim("reversed", 0.5, **sentence)})
    assert code == 1
    row = section(page, "Differences").strip().splitlines()[-1]
    assert "a Buffer \\| a string" in row
    assert "@nobody" not in row  # GitHub would tell a user of that name
    assert "held, 2× [1.8, 2.2]<br>again: held" in row
    assert "reversed, 0.5× [0.45, 0.55]<br>again: reversed" in row
    assert compare.ran == [RELEASE, BUILD] * 2
    assert "1 difference between Node 26.5.0 and Node 27" in capsys.readouterr().out


def test_intervals_that_lie_apart_are_a_difference_though_both_held(compare):
    code, page = compare({"a": claim()}, {"a": claim(value=4.0)})
    assert code == 1
    assert "4× [3.6, 4.4]" in section(page, "Differences")


def test_what_the_second_look_does_not_find_is_listed_and_is_none(compare):
    code, page = compare(
        {"a": claim()}, {"a": claim("reversed", 0.5)}, again=[{"a": claim()}, {"a": claim()}]
    )
    assert code == 0
    assert section(page, "Differences").strip() == "None."
    assert "reversed" in section(page, "In one measurement of two")


def test_what_only_the_second_look_finds_is_listed_too(compare):
    before = {"a": claim(), "b": claim()}
    after = {"a": claim("reversed", 0.5), "b": claim()}
    late = {"a": claim("reversed", 0.5), "b": claim("reversed", 0.5)}
    code, page = compare(before, after, again=[before, late])
    assert code == 1
    assert "`b`" in section(page, "In one measurement of two")
    assert "`b`" not in section(page, "Differences")


@pytest.mark.parametrize(
    "late", [claim("no verdict", because="it crosses 1"), {"missing": "out of memory"}]
)
def test_a_second_look_without_an_answer_does_not_take_a_difference_back(compare, late):
    sides = [{"a": late}, {"a": late}]
    code, page = compare({"a": claim()}, {"a": claim("reversed", 0.5)}, again=sides)
    assert code == 1
    assert "reversed" in section(page, "Differences")


def test_an_order_that_only_the_second_look_has_is_listed():
    order = {
        "chapter": CHAPTER,
        "on": {"release": {"orders": [["a"]]}, "build": {"orders": [["b"]]}},
    }
    about = {"nodes": {"26": {"node": "26.5.0"}}}
    comparison = candidate.Comparison(
        about, about, {}, {("orders", "p"): {**order, "changed": True}}
    )
    assert comparison.seen_once == [("orders", "p")]
    assert "`a`" in comparison._table(comparison.seen_once)


def test_the_command_that_repeats_it_names_the_link_that_was_taken(compare, monkeypatch):
    link = "https://nodejs.org/download/nightly/v27/node.tar.xz?a=1&b"
    node_build = node_builds.Build(BUILD, "It was not checked.", link)
    monkeypatch.setattr(node_builds, "find", lambda build, _: node_build)
    _, page = compare({"a": claim()}, {"a": claim()})
    assert f"make candidate NODE='{link}' BASE=26" in page
    assert "It was not checked." in page


def test_what_runs_on_one_of_them_only_has_its_reason(compare):
    gone = {"missing": "its cell failed: ERR_UNKNOWN_BUILTIN_MODULE"}
    code, page = compare({"a": claim()}, {"a": gone})
    assert code == 1
    assert "ERR_UNKNOWN_BUILTIN_MODULE" in section(page, "On only one of the two")


def test_an_order_that_the_release_never_printed_is_a_difference(compare):
    code, page = compare({}, {}, orders=(["tick", "timer"], ["timer", "tick"]))
    assert code == 1
    assert "`timer` → `tick`" in section(page, "Differences")


def test_no_verdict_and_what_neither_can_run_are_named_and_are_no_difference(compare):
    gone = {"missing": "needs nginx"}
    sides = {"a": claim(), "b": gone, "c": claim()}
    code, page = compare(sides, {**sides, "a": claim("no verdict", because="it crosses 1")})
    assert code == 0
    rest = section(page, "Everything else")
    assert "1 claim or order as on the release" in rest
    assert "nothing is known about it: `a`" in rest
    assert "1 that neither of the two Nodes could run: `b`" in rest


def test_a_build_that_was_built_again_under_its_version_is_measured_again(compare, monkeypatch):
    monkeypatch.setattr(versions.Sitting, "end", lambda self: None)  # as after an interruption
    compare({"a": claim()}, {"a": claim()})
    compare({"a": claim()}, {"a": claim()})
    assert compare.ran == [RELEASE, BUILD]
    compare.digests[BUILD] = "c"
    compare({"a": claim()}, {"a": claim()})
    assert compare.ran == [RELEASE, BUILD, BUILD]


def test_the_release_itself_is_refused(compare):
    compare.digests[BUILD] = "a"
    with pytest.raises(LabError, match="Name another build"):
        compare({}, {})


def test_it_is_compared_with_another_version_of_its_own_line_or_with_the_newest(monkeypatch):
    version = {"/b/27": "27.0.0-nightly", "/b/26": "26.6.0-rc.1", "/26": "26.5.0", "/24": "24.1.0"}
    monkeypatch.setattr(nodes, "version", version.__getitem__)
    monkeypatch.setattr(nodes, "known", lambda: {26: "/26", 24: "/24"})
    assert candidate._release("/b/27", None) == "/26"
    assert candidate._release("/b/26", None) == "/26"
    monkeypatch.setattr(nodes, "known", lambda: {26: "/b/26", 24: "/24"})
    assert candidate._release("/b/26", None) == "/24"
    monkeypatch.setattr(nodes, "known", lambda: {26: "/b/26"})
    with pytest.raises(LabError, match="make nodes"):
        candidate._release("/b/26", None)


def test_only_the_course_profile_and_its_quick_look_compare(monkeypatch):
    monkeypatch.setenv("LAB_PROFILE", "reference")
    with pytest.raises(LabError, match="make candidate"):
        candidate.measure("out/Release/node")


def test_runs_of_two_majors_are_paired_by_id():
    sides = []
    for major, found in (("26", {"a": claim()}), ("27", {"a": claim(), "b": claim()})):
        row = {"major": major, "chapter": CHAPTER, "failed": "", "claims": found, "orders": {}}
        sides.append(version_results.assembled({}, {major: {"node": f"{major}.0.0"}}, [row]))
    entries = candidate.paired(*sides)
    assert not entries["claims", "a"]["changed"]
    assert entries["claims", "b"]["on"]["release"] == candidate.NOT_CLAIMED
    assert entries["claims", "b"]["changed"]

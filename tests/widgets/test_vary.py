"""A variation measures one value, takes the others from the record, and says which is which."""

import json
import re
import subprocess
from dataclasses import replace

import pytest
from examples import MACHINE, example_trial

import lab
from lab import paths, settings
from lab.errors import LabError
from lab.judging.stats import Ratio
from lab.records.output import Printed
from lab.records.reference import NoRecord, Recorded, StaleRecord
from lab.widgets.vary import vary as module

VALUES = ["one", "two", 3]


@pytest.fixture(autouse=True)
def _live(monkeypatch):
    monkeypatch.setenv("LAB_MODE", "live")
    monkeypatch.delenv("LAB_PROFILE", raising=False)
    monkeypatch.setattr(settings, "replaying", set())


def tried(runs=None, *, lacks=(), error=NoRecord, of=lambda run, _: {"time (ms)": run}, **options):
    """A variation whose run of a value is the length of its name; `asked` notes how it was run."""

    def run(value, experiment):
        mode = settings.mode()
        if runs is not None:
            runs.append((value, experiment, mode))
        if mode == "replay" and value in lacks:
            raise error("no record of it")
        return len(str(value))

    return lab.vary("my-id", run, values=VALUES, of=of, **options)


def data_of(shown):
    return json.loads(re.search(r'json">(.*?)</script>', shown._repr_html_())[1])


def test_live_one_value_is_measured_and_the_others_come_from_their_records():
    asked = []
    variation = tried(asked)
    assert asked == [
        ("one", "my-id", "live"),
        ("two", "my-id-two", "replay"),
        (3, "my-id-3", "replay"),
    ]
    assert [one.live for one in variation.tried] == [True, False, False]
    assert settings.mode() == "live"


def test_a_value_of_the_reader_s_own_is_measured_and_stands_beside_the_recorded_ones():
    asked = []
    variation = tried(asked, value="a thousand")
    assert asked[0] == ("one", "my-id", "replay")
    assert asked[3] == ("a thousand", "my-id-a-thousand", "live")
    data = data_of(variation)
    assert [one["label"] for one in data["values"]] == ["one", "two", "3", "a thousand"]
    assert data["start"] == 3
    assert [one.get("here", False) for one in data["values"]] == [False, False, False, True]
    assert variation.told(variation.at("a thousand")).endswith("Measured here.")


def test_in_replay_everything_is_recorded_and_a_missing_record_is_an_error(monkeypatch):
    monkeypatch.setenv("LAB_MODE", "replay")
    asked = []
    made = tried(asked)
    assert {mode for *_, mode in asked} == {"replay"}
    assert not any(one.get("here") for one in data_of(made)["values"])
    with pytest.raises(NoRecord):
        tried(lacks=["two"])


def test_the_reference_profile_measures_every_value(monkeypatch):
    monkeypatch.setenv("LAB_PROFILE", "reference")
    asked = []
    made = tried(asked)
    assert {mode for *_, mode in asked} == {"live"}
    assert "here" not in repr(made)


def test_all_values_are_measured_where_a_page_claims_something_about_them():
    asked = []
    made = tried(asked, measure="all")
    assert {mode for *_, mode in asked} == {"live"}
    assert "here" not in repr(made)


@pytest.mark.parametrize("error", [NoRecord, StaleRecord])
def test_live_a_value_without_a_record_is_left_out_and_named(error):
    made = tried(lacks=["two"], error=error, why={"two": "It waits twice."})
    assert [one.value for one in made.tried] == ["one", 3]
    assert "no record of this program and load: two" in made._repr_html_()


def test_whatever_goes_wrong_the_next_measurement_is_live_again():
    with pytest.raises(ZeroDivisionError):
        tried(of=lambda run, value: {"x": 1 / (value != "two")})
    assert settings.mode() == "live"


def test_values_may_have_names_which_are_shown_with_what_they_stand_for():
    runs = []

    def run(value, experiment):
        runs.append((value, experiment))
        return 1

    values = {"a timer": "await timer(1)", "in a loop": "for (;;) work()"}
    variation = lab.vary("my-id", run, values=values, value="stop()", of=lambda run, _: {"x": run})
    assert runs == [
        ("await timer(1)", "my-id"),
        ("for (;;) work()", "my-id-in-a-loop"),
        ("stop()", "my-id-stop"),
    ]
    named = [(one["label"], one.get("code")) for one in data_of(variation)["values"]]
    assert named == [
        ("a timer", "await timer(1)"),
        ("in a loop", "for (;;) work()"),
        ("stop()", None),
    ]
    assert variation.at("a timer").code == "await timer(1)"


def test_numbers_stand_by_their_size_and_are_compared_with_the_first_that_is_given():
    variation = lab.vary(
        "my-id", lambda n, _: n, values=[50, 1, 200], of=lambda n, _: {"x": 10 * n, "half": n / 2}
    )
    data = data_of(variation)
    assert [one["label"] for one in data["values"]] == ["1", "50", "200"]
    assert data["start"] == 1
    assert variation.told(variation.at(200)) == (
        "200 – x: 2,000 (4.00\u00a0×); half: 100 (4.00\u00a0×). × compares with 50."
    )


@pytest.mark.parametrize(
    ("values", "slides"),
    [([4, 1, 2, 8], True), ([4, 1, 2], False), ([1, 2, 3, 4, "five"], False), (["a", "b"], False)],
)
def test_four_numbers_or_more_are_on_a_slider_and_all_else_on_buttons(values, slides):
    made = lab.vary("my-id", lambda n, _: n, values=values, of=lambda n, _: {"x": 1})
    assert data_of(made).get("slider", False) is slides


def test_numbers_of_one_unit_share_an_axis():
    of = lambda n, _: {"predicted (ms)": n, "measured (ms)": 2 * n, "rate (/s)": n}  # noqa: E731
    data = data_of(lab.vary("my-id", lambda n, _: n, values=[1, 2], of=of))
    assert [one["at"] for one in data["values"]] == [[0.25, 0.5, 0.5], [0.5, 1.0, 1.0]]


def test_a_choice_is_told_in_a_sentence_beside_the_first_value():
    variation = tried(name="how `often`")
    assert repr(variation).splitlines()[1:] == [
        "two – time: 3 ms (1.00\u00a0×). × compares with one.",
        "3 – time: 1 ms (0.333\u00a0×). × compares with one.",
    ]
    assert data_of(variation)["name"] == "how <code>often</code>"


def test_all_values_share_an_axis_and_what_is_no_number_has_no_place():
    numbers = {"one": 50, "two": 200, 3: None}
    data = data_of(tried(of=lambda _, value: {"x": numbers[value], "says": str(value)}))
    assert [one["at"] for one in data["values"]] == [[0.25, None], [1.0, None], [None, None]]
    assert data["values"][2]["text"] == ["none", "3"]
    below = data_of(tried(of=lambda _, value: {"x": -1 if value == 3 else 1}))
    assert [one["at"] for one in below["values"]] == [[None]] * 3


def test_a_logarithmic_axis_has_room_on_both_sides():
    numbers = {"one": 0.01, "two": 100.0, 3: 0}
    data = data_of(tried(scale="log", of=lambda _, value: {"x": numbers[value]}))
    low, high, nothing = (one["at"][0] for one in data["values"])
    assert 0 < low < 0.1
    assert 0.9 < high < 1
    assert nothing is None


def test_a_ratio_is_its_estimate_and_a_number_that_is_none_is_none():
    ratio = Ratio("a", "b", "throughput", None, 2.5, 2.0, 3.0, 6, 0.03)
    given = {"one": ratio, "two": float("nan"), 3: True}
    made = tried(of=lambda _, value: {"x": given[value]})
    assert [one.numbers["x"] for one in made.tried] == [2.5, None, True]


def test_without_javascript_every_value_and_every_reason_stands_there():
    page = tried(why={"two": "It *waits* twice."})._repr_html_()
    assert "<details open>" in page
    assert len(re.findall('<th scope="row">', page)) == 3
    assert "<li>two: It <em>waits</em> twice.</li>" in page


def test_texts_of_a_value_cannot_leave_their_place():
    made = tried(of=lambda *_: {"says": "</script><b>"}, name="<i>")
    outside = re.sub(r"<script.*?</script>", "", made._repr_html_(), flags=re.S)
    assert "<b>" not in outside
    assert "<i>" not in outside
    assert data_of(made)["values"][0]["text"] == ["</script><b>"]


def test_the_caption_says_where_the_runs_come_from_and_what_their_checks_found():
    reference = Recorded("my-id", "2026-02-03T00:00:00", MACHINE)
    trial = replace(example_trial("a", 10, 500, seed=1, ping=False), recorded=reference)
    printed = Printed("", note="recorded 2026-02-03 elsewhere", recorded=True)
    runs = {"one": trial, "two": [printed], 3: {"a": trial}}
    made = lab.vary(
        "my-id", lambda value, _: runs[value], values=VALUES, of=lambda *_: {"x": 1}, note="Once"
    )
    assert made.notes[:3] == ["Once", reference.label, "recorded 2026-02-03 elsewhere"]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"values": []}, "has no values"),
        ({"values": ["4 KiB", "4-kib", "4 kib"]}, "both be recorded as 'my-id-4-kib'"),
        ({"of": lambda *_: 3}, "must return numbers by name"),
        ({"why": {"four": "no"}}, "explains 'four'"),
        ({"scale": "round"}, "scale="),
    ],
)
def test_a_mistake_is_said_with_what_to_write(given, said):
    options = {"values": VALUES, "of": lambda *_: {"x": 1}, **given}
    with pytest.raises(LabError, match=re.escape(said)):
        lab.vary("my-id", lambda value, _: value, **options)


def test_what_a_value_gave_can_be_asked_for_in_prose():
    made = tried()
    assert made.at(3).numbers == {"time (ms)": 1}
    assert made.at("3").run == 1
    with pytest.raises(LabError, match=r"no value 'four', only one, two, 3"):
        made.at("four")


def test_a_notebook_gets_the_component_with_it_and_a_page_of_the_book_does_not(monkeypatch):
    monkeypatch.delenv("LAB_CHAPTER", raising=False)
    assert 'customElements.define("lab-vary"' in tried()._repr_html_()
    monkeypatch.setenv("LAB_CHAPTER", "book/x")
    assert "customElements" not in tried()._repr_html_()


def test_javascript_has_the_same_verb(tmp_path):
    """`run` and `of` stay in its process; they may be slow, and fail where nothing is recorded."""
    program = tmp_path / "cell.js"
    program.write_text(
        f"""
        const lab = require({json.dumps(str(paths.NODE_SIDE / "api"))});
        const lacks = Object.assign(new Error("none"), {{ name: "NoRecord" }});
        const told = [];
        const run = async (value, experiment) => {{
          told.push(experiment);
          if (value === "two") throw lacks;
          return value;
        }};
        const of = async (result, value) => ({{ "time (ms)": String(result).length, value }});
        (async () => {{
          const options = {{ values: ["one", "two", 3], value: 1000, of, name: "`n`" }};
          const made = await lab.vary("my-id", run, options);
          const {{ numbers }} = await made.at(3);
          const [broken] = await Promise.allSettled([lab.vary("my-id", run, {{ values: 3, of }})]);
          console.log(JSON.stringify({{ told, numbers, text: `${{require("util").inspect(made)}}`,
            broken: broken.reason.message }}));
        }})();
        """,
        "utf-8",
    )
    done = subprocess.run(["node", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said["told"] == ["my-id", "my-id-two", "my-id-3", "my-id-1000"]
    assert said["numbers"] == {"time (ms)": 1, "value": 3}
    assert said["text"].splitlines()[1].startswith("3 – time: 1 ms (0.333\u00a0×)")
    assert "values an array" in said["broken"]


def test_no_value_is_held_back_once_it_is_released():
    module.hold("my-id")
    assert settings.mode() == "replay"
    module.release("my-id")
    module.release("my-id")
    assert settings.mode() == "live"

"""What other programs read of an examination and a comparison: JSON by its schema, Markdown whose
cells hold, SARIF whose files are found.
"""

import argparse
import dataclasses
import json
import random
from pathlib import Path

import jsonschema
import pytest
from test_failures import CALM, seen
from test_kinds import look as a_look
from test_rules import compared, trials

from lab.clinic import checkup, commands, illnesses, outputs, report
from lab.clinic.direct import Order
from lab.clinic.examination import diagnosed
from lab.clinic.profile import Profile
from lab.clinic.versions import NEW

HOSTILE = "x | `y` <script>\nrm -rf"


def is_valid(text):
    data = json.loads(text)
    jsonschema.validate(data, json.loads(outputs.SCHEMA_FILE.read_text()))
    return data


def ill():
    keeper = {"function": HOSTILE, "file": "/srv/app.mjs", "line": 7, "bytes": 9, "text": HOSTILE}
    loads = [dataclasses.replace(CALM, name=f"kept-{i}", answers=1000) for i in (1, 2)]
    kept = [
        {"heap": h, "external": 0, "rss": 0, "descriptors": 20, "kinds": {"socket": 20}}
        for h in (1e7, 3e7, 5e7)
    ]
    return diagnosed(seen(CALM, *loads, kept=kept, keepers=[keeper], profiles=[Profile(1)]))


def test_json_says_the_verdict_and_follows_its_schema():
    well = is_valid(outputs.examination_json(diagnosed(seen(CALM))))
    assert (well["verdict"], well["findings"]) == ("well", [])
    data = is_valid(outputs.examination_json(ill()))
    assert (data["verdict"], data["first"]) == ("found", "memory leak")
    assert data["findings"][0]["places"][0]["line"] == 7
    silent = dataclasses.replace(seen(), phases={}, answer_status=None)
    assert is_valid(outputs.examination_json(diagnosed(silent)))["verdict"] == "not examined"


def test_a_program_of_which_something_could_not_be_observed_is_not_called_healthy():
    gap = "The memory that it keeps after a load could not be measured in time."
    examination = diagnosed(seen(CALM, gaps=[gap]))
    assert examination.first == "examined in part"
    data = is_valid(outputs.examination_json(examination))
    assert (data["verdict"], data["warnings"]) == ("not examined", [gap, examination.next_step])
    for text in (
        f"{examination}",
        report.page(examination),
        outputs.examination_markdown(examination),
    ):
        assert gap in text and "nothing found" not in text
        assert "examine the program again" in text
    assert report.page(examination).count(gap) == 1
    assert (
        "--url" in diagnosed(seen(CALM, gaps=[gap, "The profile failed (no session)."])).next_step
    )
    assert is_valid(outputs.examination_json(diagnosed(seen(CALM))))["verdict"] == "well"


def test_each_problem_that_a_report_can_name_is_listed_once(capsys):
    assert checkup.main(["problems", "--json"]) == 0
    problems = is_valid(capsys.readouterr().out)["problems"]
    assert sorted(problem["id"] for problem in problems) == sorted(
        {problem.id for problem in illnesses.FORMS}
    )
    assert checkup.main(["problems"]) == 0
    text = capsys.readouterr().out
    for problem in problems:
        asterisk = " *" if problem["names_lines"] else ""
        assert f"\n{problem['name']}{asterisk}\n" in text
        assert all(f" {limit['says']}\n" in text for limit in problem["limits"])
        for limits in problem["other_limits"]:
            first, *more = [f"  ≥ {limit['shown']:<9} {limit['says']}" for limit in limits]
            assert "\n".join(["  or", first, *more]) in text
    # Each form by which `diagnose` finds a problem has its limits in the list.
    limits_in_list = {
        (problem["id"], tuple(limit["sign"] for limit in limits))
        for problem in problems
        for limits in (problem["limits"], *problem["other_limits"])
    }
    assert limits_in_list == {
        (form.id, tuple(limit.sign for limit in form.limits)) for form in illnesses.FORMS
    }
    assert {problem["id"] for problem in problems} >= illnesses.OF_PROFILE
    assert illnesses.NOT_EXAMINED in " ".join(text.split())


def test_a_number_that_is_none_is_null_in_json():
    made = [dataclasses.replace(t, throughput=0.0) for t in trials(random.Random(1), 1.0)]
    measures = is_valid(outputs.versions_json(compared(made)))["measures"]
    assert measures[0]["times_worse"] is None


def test_a_comparison_in_which_a_version_hangs_is_worse_in_every_output():
    made = [dataclasses.replace(t, is_hung=t.arm == NEW) for t in trials(random.Random(1), 1.0)]
    data = is_valid(outputs.versions_json(compared(made)))
    assert data["verdict"] == "worse"
    assert "10 of its 10 processes" in data["failures"][0]
    assert "10 of its 10 processes" in outputs.versions_markdown(compared(made))


def test_a_table_of_markdown_holds_whatever_a_program_is_called():
    one = ill()
    one = dataclasses.replace(one, observed=dataclasses.replace(one.observed, title=HOSTILE))
    text = outputs.examination_markdown(one)
    assert "<script" not in text.replace("`x \\| 'y' <script> rm -rf`", "")
    rows = [line for line in text.splitlines() if line.startswith("|")]
    widths = {line.replace("\\|", "").count("|") for line in rows}
    assert widths == {4, 6}  # three cells of evidence, five of a load
    assert text.startswith("## ❌ x \\| 'y' &lt;script> rm -rf: memory leak")


def test_sarif_names_files_from_the_folder_and_rules_that_exist():
    data = json.loads(outputs.examination_sarif(ill(), Path("/srv"), "1.2.3"))
    run = data["runs"][0]
    result = run["results"][0]
    assert result["ruleId"] in {rule["id"] for rule in run["tool"]["driver"]["rules"]}
    assert result["level"] == "error"
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "app.mjs"
    assert place["region"]["startLine"] == 7
    elsewhere = json.loads(outputs.examination_sarif(ill(), Path("/other"), "1.2.3"))
    uri = elsewhere["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
    assert uri["artifactLocation"]["uri"] == "file:///srv/app.mjs"


def test_sarif_has_the_lines_that_ask_and_one_rule_for_each_problem():
    site = "/srv/my app.ts:12, in async load"
    look = {"calls": {"alone": 900, "alone_ms": 4500.0}, "sites": {"call": {site: 3}}}
    one = diagnosed(seen(CALM, looks=[a_look(**look)]))
    run = json.loads(outputs.examination_sarif(one, Path("/srv"), "1"))["runs"][0]
    (result,) = run["results"]
    assert result["ruleId"] == "calls-in-turn"
    (location,) = result["locations"]
    assert location["physicalLocation"]["artifactLocation"]["uri"] == "my app.ts"
    assert location["physicalLocation"]["region"] == {"startLine": 12}
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert len(rules) == len(set(rules))


def test_what_cannot_be_examined_is_json_too(capsys):
    parser = argparse.ArgumentParser()
    commands.examine_arguments(parser)
    code = commands.examine(parser.parse_args(["--json", "--", "node", "no-such.mjs"]))
    assert code == commands.FAILED
    data = is_valid(capsys.readouterr().out)
    assert data["kind"] == "refusal" and "no-such.mjs" in data["message"]


@pytest.mark.parametrize("option", ["--page", "--markdown"])
def test_an_output_that_cannot_be_written_is_told(tmp_path, monkeypatch, capsys, option):
    monkeypatch.setattr(Order, "examined", lambda *_: ill())
    parser = argparse.ArgumentParser()
    commands.examine_arguments(parser)
    file = tmp_path / "file"
    file.write_text("")
    monkeypatch.chdir(tmp_path)
    chosen = parser.parse_args([option, str(file / "below"), "--", "node", "app.mjs"])
    assert commands.examine(chosen) == commands.FAILED
    assert "could not be written" in capsys.readouterr().err

"""An examination can be recorded and drawn again, without what is particular to this machine."""

import dataclasses
import hashlib
import json
import sys

import pytest

import lab
from lab import paths
from lab.clinic import examining, report, signs, verb
from lab.clinic.app import Target
from lab.clinic.examination import EXAMINATION, diagnosed, portable
from lab.clinic.examining import USUAL_S, Pace
from lab.clinic.loading import Phase
from lab.clinic.observation import Observed
from lab.clinic.profile import Place, Profile
from lab.processes.machine import machine
from lab.records import reference
from lab.records.stamp import utc

MOMENT = 1.78e12  # in ms


def phase(name, **more):
    given = {
        f.name: {"int": 0, "float": 0.0, "str": name, "dict[str, int]": {}}.get(f.type)
        for f in dataclasses.fields(Phase)
    }
    return Phase(**{**given, "from_ms": MOMENT, "to_ms": MOMENT + 1000, **more})


def observed(folder):
    file = str(folder / "app.mjs")
    place = Place("work", file, 3, 0.9, "appendFileSync", "append(line)")
    observation = Observed("node app.mjs", "http://127.0.0.1:1", "/", started=utc())
    observation.answer_status, observation.node = 200, "v22.1.0"
    observation.phases = {
        "many": phase("many", throughput=123.456789, answers=123, mean_s=0.0123456789)
    }
    observation.profiles = [Profile(7, 1.0, 0.5, log_share=0.8, places=[place], log_places=[place])]
    observation.spans = {"rest": (MOMENT, MOMENT + 700)}
    return observation


def test_of_a_record_nothing_is_lost_that_a_report_shows(tmp_path):
    seen = observed(tmp_path)
    again = portable(seen, tmp_path)
    assert diagnosed(again).first == diagnosed(seen).first == "synchronous logging"
    assert again.phases["many"].throughput == pytest.approx(123.456789, rel=1e-4)
    assert again.phases["many"].to_ms == seen.phases["many"].to_ms
    assert isinstance(again.profiles[0].log_places[0], Place)


def test_a_record_says_nothing_of_the_folders_of_this_machine(tmp_path):
    text = json.dumps(EXAMINATION.content(diagnosed(portable(observed(tmp_path), tmp_path))))
    assert str(tmp_path) not in text
    assert '"app.mjs"' in text


def test_what_was_recorded_is_replayed_and_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "REFERENCE", tmp_path)
    (tmp_path / "app.mjs").write_text("1;")
    examination = dataclasses.replace(
        diagnosed(portable(observed(tmp_path), tmp_path)), experiment="mine", machine=machine()
    )
    asked = {"arms": {}, "options": {"source": "one"}}
    EXAMINATION.record("mine", examination, asked, "reference", strict=True)
    found = EXAMINATION.replay("mine", asked)
    assert (found.first, found.experiment) == (examination.first, "mine")
    assert found.recorded.label[1:] in report.page(found)
    with pytest.raises(reference.StaleRecord):
        EXAMINATION.replay("mine", {"arms": {}, "options": {"source": "another"}})


def test_in_replay_a_program_that_has_changed_since_is_no_answer(tmp_path, monkeypatch):
    monkeypatch.setenv("LAB_MODE", "replay")
    (tmp_path / "app.mjs").write_text("1;")
    with pytest.raises(reference.NoRecord):
        lab.examine("node app.mjs", folder=tmp_path, experiment="never-recorded")


def test_a_program_that_ended_is_no_reference(tmp_path):
    seen = observed(tmp_path)
    seen.died = "it crashed"
    assert "crashed" in EXAMINATION.refused(diagnosed(seen))


def test_a_row_of_signs_has_its_limits(tmp_path):
    one = diagnosed(observed(tmp_path))
    assert list(one.signature) == list(one.limits)
    out = [k for k, least in one.limits.items() if least and one.signature[k] >= least]
    assert out == ["logs (%)"]


@pytest.mark.parametrize("name", ["illness", "law", "load", "inside", "signs"])
def test_a_part_of_a_report_shows_itself_without_a_heading(tmp_path, name):
    html = diagnosed(observed(tmp_path)).part(name)._repr_html_()
    assert "<h2>" not in html


def test_a_part_that_there_is_not_is_refused(tmp_path):
    with pytest.raises(lab.LabError, match="signs"):
        diagnosed(observed(tmp_path)).part("sings")


def test_a_short_look_leaves_out_what_shows_in_no_sign():
    assert Pace.of(None) == Pace.of(USUAL_S) == Pace(1.0, arrivals=True)
    assert Pace.of(2.5).share < 0.3
    assert not Pace.of(2.5).arrivals


@pytest.mark.parametrize(("load_s", "short"), [(None, False), (2.5, True)])
def test_the_probe_of_a_short_look_is_told_so(monkeypatch, tmp_path, load_s, short):
    class Told(Exception):
        pass

    def told(**how):
        raise Told(how)

    monkeypatch.setattr(examining, "Hub", told)
    with pytest.raises(Told, match=str({"short": short})):
        examining.observe(Target(("node", "app.mjs"), tmp_path), load_s=load_s)


@pytest.mark.parametrize("load_s", [0.0, 1.9, 121.0])
def test_a_load_has_its_bounds(load_s):
    with pytest.raises(lab.LabError, match="seconds"):
        lab.examine("node app.mjs", load_s=load_s)


def test_only_a_command_is_recorded():
    with pytest.raises(lab.LabError, match="Examine a command"):
        lab.examine("http://127.0.0.1:1/", experiment="mine")


@pytest.mark.parametrize("command", ["npm start", "node .", [sys.executable, "-m", "app"]])
def test_a_command_that_names_no_program_is_not_recorded(tmp_path, command):
    """Else its record would answer for whatever program stands behind the command later."""
    (tmp_path / "index.js").write_text("1;")
    with pytest.raises(lab.LabError, match=r"Name the file, as in: node app\.mjs"):
        lab.examine(command, folder=tmp_path, experiment="mine")


@pytest.mark.parametrize("before", [["/usr/bin/env", "node"], ["/bin/sh"]])
def test_an_interpreter_elsewhere_is_not_the_program_of_a_command(tmp_path, monkeypatch, before):
    sources = []

    def answer(_kind, _id, _arms, question):
        sources.append(question["options"]["source"])
        raise lab.LabError("asked")

    monkeypatch.setattr(verb, "ask", answer)
    for text in ("1;", "2;"):
        (tmp_path / "run").write_text(text)
        with pytest.raises(lab.LabError, match="asked"):
            lab.examine([*before, "run"], folder=tmp_path, experiment="mine")
        with pytest.raises(lab.LabError, match="asked"):
            lab.examine([*before, str(tmp_path / "run")], folder=tmp_path, experiment="mine")
    assert sources[0] == sources[1] != sources[2] == sources[3]
    assert sources[2] == hashlib.sha256(b"2;").hexdigest()[:16], "and nothing else"
    with pytest.raises(lab.LabError, match="no word of the command"):
        lab.examine([*before, "absent"], folder=tmp_path, experiment="mine")


def test_of_a_command_with_several_files_each_is_a_part_of_the_question(tmp_path, monkeypatch):
    sources = []

    def answer(_kind, _id, _arms, question):
        sources.append(question["options"]["source"])
        raise lab.LabError("asked")

    monkeypatch.setattr(verb, "ask", answer)
    names = ("hook.mjs", "app.mjs", "settings.bin")
    for name in names:
        (tmp_path / name).write_bytes(b"1;\xff")
    for name in ("", *names):
        if name:
            (tmp_path / name).write_bytes(b"2;\xff")
        with pytest.raises(lab.LabError, match="asked"):
            lab.examine(["node", *names], folder=tmp_path, experiment="mine")
    assert len(set(sources)) == 4


@pytest.mark.parametrize(("answers", "told"), [(11, False), (480, True)])
def test_a_few_first_answers_say_nothing_of_the_policy_of_connections(tmp_path, answers, told):
    seen = observed(tmp_path)
    seen.phases["many"] = phase("many", connections=16, answers=answers, connects=answers)
    seen.rows = [row(MOMENT + 100), row(MOMENT + 200)]
    assert ("closes each connection" in diagnosed(seen).part("inside")._repr_html_()) is told


@pytest.mark.parametrize(("busy", "told"), [(0.5, False), (0.9, True)])
def test_a_client_without_time_to_spare_is_told_beside_what_it_measured(tmp_path, busy, told):
    seen = observed(tmp_path)
    seen.phases["many"] = phase("many", client_elu=busy)
    assert ("able to give more" in diagnosed(seen).part("load")._repr_html_()) is told


def row(t_ms, **more):
    gate = {"waits": [0.1], "pending_ms": 0, "pause_ms": 25}
    zeros = ("active_ms", "idle_ms", "cpu_us", "silent_ms", "rss", "connections")
    given = dict.fromkeys((*zeros, "descriptors", "wake_late_ms"), 0)
    return {**given, "t_ms": t_ms, "pid": 7, "pool": gate, "names": gate, **more}


def test_a_loop_that_does_not_come_round_is_busy(tmp_path):
    seen = observed(tmp_path)
    seen.rows = [row(MOMENT + 100, idle_ms=50), row(MOMENT + 600, idle_ms=50)]
    assert signs.busy(seen) == 1.0
    seen.rows[-1]["idle_ms"] = 550
    assert signs.busy(seen) == 0.0


def test_what_was_spent_on_collections_is_that_of_the_busiest_process(tmp_path):
    observation = observed(tmp_path)
    observation.rows = [row(MOMENT + 100), row(MOMENT + 600)]
    observation.profiles = []
    assert (
        "not known, because there is no profile"
        in diagnosed(observation).part("inside")._repr_html_()
    )
    observation.profiles = [
        Profile(7, busy_s=0.1, gc_share=0.9),
        Profile(8, busy_s=2.0, gc_share=0.125),
    ]
    assert "12.5% of the busy time" in diagnosed(observation).part("inside")._repr_html_()


def loaded(tmp_path, took):
    """Phases of a second each in which the loop was busy for so many seconds per answer."""
    observation = observed(tmp_path)
    observation.phases, observation.rows = {}, []
    for i, (name, (answers, each_s)) in enumerate(took.items()):
        start = MOMENT + 10_000 * i
        more = {"from_ms": start, "to_ms": start + 1000, "mean_s": each_s}
        more |= {"connections": 1 if name == "one" else 16, "throughput": float(answers)}
        observation.phases[name] = phase(name, answers=answers, **more)
        # The last row comes long after the last beat: of what was in between it knows nothing.
        for beat, at in ((0, 50), (500, 1050)):
            active = answers * each_s * beat
            observation.rows.append(row(start + at, beat_ms=start + beat, active_ms=active))
    return observation


def test_the_demand_is_the_least_that_an_answer_took_of_the_loop(tmp_path):
    took = {"one": (30, 0.03), "many": (40, 0.024), "below": (20, 0.028), "above": (33, 0.027)}
    observation = loaded(tmp_path, took)
    assert report.loop_s(observation, "one") == pytest.approx(0.03)
    assert report.demand(observation) == ("many", pytest.approx(0.024))
    # Too few answers to say so, and a look that costs.
    observation = loaded(tmp_path, {**took, "above": (5, 0.01), "look": (40, 0.02)})
    assert report.demand(observation) == ("many", pytest.approx(0.024))
    assert report.demand(loaded(tmp_path, {"one": (3, 0.2)})) == ("one", pytest.approx(0.2))
    assert report.demand(observed(tmp_path)) is None


def test_the_limit_says_in_which_load_an_answer_took_least_of_the_loop(tmp_path):
    seen = loaded(tmp_path, {"one": (30, 0.03), "many": (40, 0.025), "below": (20, 0.03)})
    law = diagnosed(seen).part("law")._repr_html_()
    assert "and the loop is busy with it for 30.0 ms of that time" in law
    assert (
        "least time for a request with 16 clients, each as fast as it gets responses: 25.0 ms"
        in law
    )
    assert "gives at most 40.0 responses a second" in law


def test_a_loop_that_does_not_come_round_at_all_is_busy_with_its_answers(tmp_path):
    observation = loaded(tmp_path, {"one": (1, 1.0)})
    for one in observation.rows:
        one["beat_ms"] = MOMENT
    assert report.loop_s(observation, "one") == 1.0
    starter = [{**one, "pid": one["pid"] + 1} for one in observation.rows]
    served = loaded(tmp_path, {"one": (10, 0.03)})
    served.rows += starter
    assert report.loop_s(served, "one") == pytest.approx(0.03)
    observation.rows = observation.rows[:1]
    assert report.loop_s(observation, "one") is None

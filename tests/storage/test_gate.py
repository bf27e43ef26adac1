"""What a cell may pass: whatever else it passes, a sentence comes back and nothing is started."""

import inspect
import random
import traceback
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np
import pytest
from examples import example_comparison, example_trial

import lab
from lab import settings
from lab.claims import claims
from lab.errors import LabError
from lab.storage import gate
from lab.storage.gate import BadArgument, checked, fit
from lab.trace import nodes as trace_nodes
from lab.widgets.question.questions import questions

SEEDS = 60  # calls of each function


class Hostile:
    """An object that answers nothing."""

    def __repr__(self):
        raise RuntimeError("no")

    __str__ = __repr__


RECIPE, TRIAL = lab.server("node/hello"), example_trial()


def odd():
    """Values that nobody meant, fresh ones for each call."""
    return [
        None,
        True,
        0,
        -1,
        10**30,
        1.5,
        float("nan"),
        float("inf"),
        -0.0,
        1j,
        "",
        "a",
        "\ud800",
        "a\0b",
        "../../etc",
        "é\n",
        "x" * 100_000,
        b"",
        b"\xff",
        bytearray(3),
        [],
        [[]],
        [None],
        ["a", 1],
        (),
        (1, 2),
        ("a", "b", "c"),
        {},
        {"a": None},
        {1: 2},
        {"a": {"b": []}},
        {"server": 5},
        {"ping": {"path": 5}},
        set(),
        frozenset("a"),
        range(3),
        range(10**9),
        iter([1]),
        np.arange(3),
        np.array([[1.5]]),
        np.float32("nan"),
        np.int64(3),
        np.array("a"),
        object(),
        Hostile(),
        int,
        len,
        lambda: 1,
        lambda *_: Hostile(),
        Ellipsis,
        NotImplemented,
        lab,
        RECIPE,
        TRIAL,
        ValueError("a"),
    ]


LOAD = {
    n: None for n in ("connections", "seconds", "requests", "rate", "headers", "body", "pin")
} | {
    "rounds": None,
    "schedule": "poisson",
    "path": "/",
    "method": "GET",
    "keep_alive": True,
    "warmup": 0,
    "timeout": 1,
    "alongside": {},
    "seed": 1,
    "tolerate": (),
}
SWEPT = LOAD | {"connections": [1, 2], "env": {}, "workers": None, "node": None}
DRAWN = {"caption": "", "finding": ""}
ROWS = [{"x": 1, "y": 2, "who": "a"}, {"x": 2, "y": 3, "who": "b"}]


def calls():
    """Each public function, and a call of it that is meant as it is."""
    comparison, trial = example_comparison(pairs=6), example_trial()
    ratio = comparison.ratio("async", at=100)
    series = {"x": "x", "y": "y", "by": "who", "x_label": "", "y_label": "", "name": ""}
    series |= {
        "x_scale": "auto",
        "y_scale": "auto",
        "published": (),
        "rows": None,
        "recorded": None,
    }
    yield lab.server, {"name": "node/hello", "env": {}, "workers": None, "node": None}
    yield lab.load, {"target": "node/hello", "experiment": "a", "progress": False, **LOAD}
    arms = {"arms": {"a": "node/hello"}, "pairs": 1, "aa": True, "baseline": None, "seed": 1}
    yield lab.compare, {**arms, "experiment": "a", "progress": False, **SWEPT}
    found = {"target": "node/hello", "bound_ms": 5, "q": 0.5, "budget_s": 1.0, "progress": False}
    yield lab.capacity, {**found, "path": "/", "experiment": "a", "body": None}
    tools = {"arms": {"a": "node/hello"}, "tools": ["ours"], "connections": 10, "seconds": 1.0}
    yield lab.survey, {**tools, "rate": None, "experiment": "a"}
    program = {
        "program": "book/event-loop/ticks-and-microtasks/echo.mjs",
        "server": None,
        "env": {},
        "experiment": None,
    }
    yield lab.node, {**program, "timeout_s": 1.0}
    trace_json = {
        "program": "1",
        "runs": 1,
        "node": None,
        "kind": None,
        "args": (),
        "stdin": "",
        "env": {},
    }
    trace_json |= {
        "cwd": None,
        "seconds": 1.0,
        "events": 10,
        "drive": None,
        "predict": True,
        "name": None,
    }
    yield lab.trace, {**trace_json, "experiment": None}
    judged = {"value": 5.0, "above": 1, "below": None, "between": None, "sentence": "", "of": trial}
    yield lab.claim, {"id": "our-own", **judged, "exact": False, "beside": (ratio,)}
    yield lab.claim, {"id": next(iter(claims()["claims"])), "value": ratio}
    yield lab.published, {"experiment": "hello", "metric": None, "system": None}
    yield lab.ask, {"id": "no-such"}
    yield lab.answer, {"id": _open_question(), "value": 1}
    yield lab.reveal, {"id": "no-such"}
    yield lab.need, {"servers": "node/hello"}
    yield lab.reference, {"experiment": "phases-races"}
    yield lab.latest, {"experiment": "phases-races"}
    yield lab.files.make, {"name": "test-gate.txt", "size": 5}
    yield lab.plot.lines, {"data": ROWS, **DRAWN, **series, "joined": True, "of": None}
    yield lab.plot.dots, {"data": ROWS, **DRAWN, **series}
    bars = {
        "data": ROWS,
        "x": "who",
        "y": "y",
        "start": None,
        "rows": None,
        "recorded": None,
        "of": None,
    }
    yield lab.plot.bars, {**bars, **DRAWN, "name": "", "x_label": "", "y_label": ""}
    at = {"at": 100, "recorded": None, **DRAWN}
    theirs = {"published": None, "predicted": None}
    yield lab.plot.comparison, {"compared": comparison, "metric": "p50", **theirs, **at}
    yield lab.plot.spectrum, {"trials": trial, "published": (), "name": "", **at, "at": None}
    yield lab.plot.histogram, {"trial": trial, "name": "", "bins": 36, **at, "at": None}
    yield lab.plot.timeline, {"trial": trial, "name": "", "loop": True, "recorded": None, **DRAWN}
    swept = {"comparison": comparison, "metric": "throughput", "predict": None, "published": ()}
    scales = {"x_scale": "auto", "y_scale": "auto", "x_label": "", "y_label": "", "recorded": None}
    yield lab.plot.sweep, {**swept, **scales, **DRAWN}
    forest = {"rows": [{"name": "a", "estimate": 1.0, "low": 0.5, "high": 2.0}], "name": "forest"}
    yield (
        lab.plot.forest,
        {**forest, "x_label": "ratio", "notes": (), "published_name": "p", **DRAWN},
    )
    for name, call in PREDICTED.items():
        yield getattr(lab.predict, name), call
    yield lab.explore.shares, {"comparisons": comparison}
    yield lab.explore.sizes, {"comparisons": comparison, "of": ("async", "sync")}
    yield lab.table, {"rows": ROWS, "caption": ""}
    yield comparison.ratio, {"a": "async", "b": "sync", "at": 100, "metric": "p50"}
    yield comparison.latency, {"arm": "async", "at": 100}
    yield comparison.cell, {"arm": "async", "at": 100}
    yield comparison.aa_ratio, {"metric": "p50"}
    yield comparison.ratios, {"metric": "p50"}
    yield trial.metric, {"name": "p50"}
    yield trial.latency.quantile, {"q": 0.5}


PREDICTED = {
    "accept_losses": {"clients": 10, "rounds": 2, "service_s": 0.1, "timeout_s": 1.0},
    "queue": {"demand_s": 0.1, "servers": 2},
    "delay": {"demand_s": 0.1},
    "closed": {"think_s": 0.1, "loop": 0.1, "delay": 0.2},
    "mg1": {"rate_per_s": 5.0, "service": [(0.5, 0.01), (0.5, 0.02)]},
    "md1": {"rate_per_s": 5.0, "service_s": 0.01},
    "mm1": {"rate_per_s": 5.0, "service_s": 0.01},
    "little": {"throughput": 10.0, "response_s": 1.0},
    "demand": {"cpu_s": 1.0, "requests": 10},
    "blocking": {"demand_s": 0.1},
    "nonblocking": {"loop_s": 0.1, "wait_s": 0.1},
    "pooled": {"loop_s": 0.1, "job_s": 0.1, "threads": 4},
    "prefork": {"workers": 2, "demand_s": 0.1, "cpu_s": 0.1, "cores": 2},
    "threaded": {"threads": 2, "demand_s": 0.1, "cpu_s": 0.1},
    "two_core": {"server_s": 0.1, "client_s": 0.1, "cores": 2},
    "usl": {"n": [1, 2, 4, 8, 16, 32], "throughput": [1.0, 1.8, 3.0, 4.0, 4.5, 4.6]},
}


def _open_question():
    return next(q.id for q in questions().values() if q.right is None and q.kind == "number")


@pytest.fixture
def nothing_starts(monkeypatch, tmp_path):
    """Whoever gets as far as starting something has passed."""

    def passed(*_, **__):
        raise LabError("it would be started now")

    for place in (
        "lab.servers.recipe.Recipe.start",
        "lab.measure.generator.Generator.__init__",
        "lab.processes.child.run_to_end",
    ):
        monkeypatch.setattr(place, passed)
    monkeypatch.setattr(trace_nodes, "find", passed)
    monkeypatch.setattr("lab.paths.RUNS", tmp_path / "runs")
    monkeypatch.setattr("lab.paths.FILES", tmp_path / "runs" / "files")
    monkeypatch.setattr("lab.processes.lock.lock_path", lambda: tmp_path / "lock")
    monkeypatch.setenv("LAB_PROFILE", "course")
    yield
    settings.replaying.clear()


EVERY = list(calls())


@pytest.mark.parametrize(
    ("function", "call"), EVERY, ids=[getattr(f, "__qualname__", str(f)) for f, _ in EVERY]
)
def test_only_a_sentence_comes_back_whatever_is_passed(function, call, nothing_starts):
    for seed in range(SEEDS):
        passed(function, call, seed)


def passed(function, call, seed):
    """Call a function with one or two arguments of a call changed for what nobody meant. Also tried
    by `make attack`, with many more seeds.
    """
    star = next(
        (
            p.name
            for p in inspect.signature(function).parameters.values()
            if p.kind is p.VAR_POSITIONAL
        ),
        None,
    )
    chance = random.Random(f"{getattr(function, '__qualname__', '')} {seed}")
    arguments = dict(call)
    for key in chance.sample(list(arguments), 1 if seed % 3 else min(2, len(arguments))):
        arguments[key] = chance.choice(odd())
    first = [arguments.pop(star)] if star in arguments else []
    try:
        function(*first, **arguments)
    except LabError as error:
        assert str(error), seed
        str(error).encode()  # can be printed
    except Exception as error:
        wrong_values = {k: gate.shown(v) for k, v in arguments.items() if v is not call.get(k)}
        at = traceback.extract_tb(error.__traceback__)[-1].line or ""
        if isinstance(error, TypeError) and callable(arguments.get("rows")) and "rows(" in at:
            return  # rows= is a function of the caller's, and what it raises is the caller's, too
        raise AssertionError(
            f"{type(error).__name__}: {error} after {wrong_values} {first} (seed {seed})"
        ) from error


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: lab.server([]), "server(): name=[] must be text, not a list"),
        (lambda: lab.node(None), "node(): program=None must be text or a Path, not NoneType"),
        (lambda: lab.load("node/hello", experiment=5), "experiment=5 must be text or None"),
        (lambda: lab.compare([]), "compare(): arms=[] must be a dict, not a list"),
        (lambda: lab.compare(None), "compare(): arms=None must be a dict, not NoneType"),
        (lambda: lab.claim("a", 5, above=float("nan")), "a limit is a finite number"),
        (lambda: lab.claim("a", 5, between=(2, 1)), "between=(low, high) ascends"),
        (lambda: lab.survey({"a": "node/hello"}, tools="wrk"), "tools='wrk' must be a list"),
        (lambda: lab.trace("1", args="ab"), "args='ab' must be a list, each item text"),
        (lambda: lab.predict.closed(loop="a"), "loop='a' must be a Station or a number"),
        (lambda: lab.server("node/hello", env={"A\ud800": 1}), "half a character"),
    ],
)
def test_what_was_seen_and_what_is_expected_is_said(call, told):
    with pytest.raises(LabError) as error:
        call()
    assert told in str(error.value)


HINTS = [
    (5, int, True),
    (True, int, False),
    (np.int64(5), int, True),
    (5, float, True),
    (np.float32(5), float, True),
    ("5", float, False),
    ("a", Sequence[str], False),
    (["a"], Sequence[str], True),
    (("a",), Iterable[str], True),
    (np.arange(3), Sequence[float], True),
    (np.array(["a"]), Sequence[float], False),
    ([1, 2], tuple[float, float], True),
    ([1, 2, 3], tuple[float, float], False),
    ({"a": 1}, Mapping[str, int], True),
    ({"a": "b"}, Mapping[str, int], False),
    ({1: 1}, Mapping[str, int], False),
    (len, Callable[[str], int], True),
    (5, Callable[[str], int] | bool | None, False),
    ("auto", typing.Literal["auto"] | None, True),
    ("other", typing.Literal["auto"] | None, False),
    ("\ud800", str, False),
    (object(), typing.Any, True),
]


@pytest.mark.parametrize(("value", "hint", "fits"), HINTS)
def test_an_annotation_says_what_fits(value, hint, fits):
    @checked
    def takes(value):
        return value

    takes.__wrapped__.__annotations__["value"] = hint
    if fits:
        fit("value", value, hint)
        assert takes(value) is value
    else:
        for refused in (lambda: fit("value", value, hint), lambda: takes(value)):
            with pytest.raises(BadArgument, match="value"):
                refused()


def test_an_iterator_is_not_used_up_by_looking_at_it():
    numbers = iter([1, 2])
    fit("numbers", numbers, Iterable[int])
    assert list(numbers) == [1, 2]


def test_a_misspelt_argument_is_told_as_python_tells_it():
    with pytest.raises(TypeError, match="unexpected keyword argument 'abov'"):
        lab.claim("a", 5, abov=3)


def test_every_public_function_passes_the_gate():
    """So that a new one cannot forget it."""
    plain = ("doctor", "stop_all", "ps", "table", "explore", "stats", "plot", "predict", "files")
    plain += ("glue",)  # refuses in its own words, the same in both languages
    public = [getattr(lab, name) for name in lab.__all__ if name not in (*plain, "LabError")]
    for part in (lab.plot, lab.predict):
        found = (getattr(part, name) for name in part.__all__)
        public += [one for one in found if inspect.isfunction(one) and one is not lab.plot.dots]
    assert [one.__name__ for one in public if not hasattr(one, "__wrapped__")] == []

"""Records and results of any content are refused by their name, or can be shown."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest
from examples import closed_rows, example_comparison, example_trial, saved
from test_stored import KEPT, damaged, of_kind, packed, places, shown, with_raw  # noqa: F401  a fixture

from lab.book.pages.yours import results
from lab.errors import LabError
from lab.records import reference, store
from lab.records.trace import TRACE

from .ground import chance, each, nightly

MANY, FEW = 600, 40
HUGE = [
    b"9" * 400,
    b"1e999",
    b"-1e999",
    b"NaN",
    b"Infinity",
    b"-0",
    b"1e-400",
    b"0x10",
    b"9" * 5000,
]
ODD = [
    b"null",
    b"[]",
    b"{}",
    b'""',
    b"true",
    b"[" * 3000,
    b'{"a":' * 3000,
    b'"\\ud800"',
    b'"\\u0000"',
]


def spoilt(data, draw):
    """The bytes of a file, changed in a way that a disk, an editor or a person could."""
    at, end = sorted(draw.randrange(len(data) + 1) for _ in range(2))
    end = min(end, at + draw.choice([1, 8, 200, len(data)]))
    value = draw.choice(
        list(re.finditer(rb"(?<=[:,\[])(-?\d[\d.e+-]*|\"[^\"]*\"|null|true|false)", data)) or [None]
    )
    ways = [
        lambda: data[:at],
        lambda: data[at:],
        lambda: data[:at] + data[end:],
        lambda: data[:end] + data[at:end] + data[end:],
        lambda: data[:at] + draw.randbytes(8) + data[at:],
        lambda: bytes(b ^ (1 << draw.randrange(8)) if draw.random() < 0.001 else b for b in data),
        lambda: b"\xef\xbb\xbf" + data,
        lambda: data.decode("utf-8", "replace").encode("utf-16"),
        lambda: data.replace(b'"', b"'"),
        lambda: data + data,
        lambda: b"",
        lambda: bytes(len(data)),
    ]
    if value:
        for words in (HUGE, ODD, ODD):
            ways.append(
                lambda words=words: data[: value.start()] + draw.choice(words) + data[value.end() :]
            )
    return draw.choice(ways)()


def either(read, file):
    """It is refused by its name, or it is a record as good as any."""
    try:
        found = read()
    except LabError as error:
        # Of what is whole, but of something else, the name of the experiment is told.
        name = file.name.removesuffix(".trace.json")
        assert name in str(error), f"no name of a file in: {error}"
        return
    assert all(shown(found, figure=False)) or not hasattr(found, "trials")


def numbered(count):
    return ((f"case {n}", n) for n in range(count))


amounts = pytest.mark.parametrize("count", [FEW, pytest.param(MANY, marks=nightly)])


@amounts
@pytest.mark.parametrize("kind", ["trial", "comparison", "survey", "program"])
def test_spoilt_records(kind, count, places, record_property):  # noqa: F811
    data = of_kind(kind).read_bytes()
    name = json.loads(data)["experiment"]
    file = places / "reference" / f"{name}.json"

    def attack(number):
        draw = chance("record", kind, number)
        made = spoilt(data, draw)
        if number % 3 == 0:
            made = json.dumps(damaged(json.loads(data), draw)).encode()
        file.write_bytes(made)
        either(lambda: store.reference(name), file)

    each(record_property, numbered(count), attack)


@amounts
def test_spoilt_traces(count, places, record_property):  # noqa: F811
    kept = min((f for f in KEPT if f.name.endswith(".trace.json")), key=lambda f: f.stat().st_size)
    data, file = kept.read_bytes(), places / "reference" / kept.name
    name = kept.name.removesuffix(".trace.json")
    asked = json.loads(data)["asked"]
    replayed = TRACE.replay

    def read():
        found = replayed(name, asked)
        assert found._repr_html_()
        assert isinstance(found.orders, list)
        return found

    def attack(number):
        file.write_bytes(spoilt(data, chance("trace", number)))
        either(read, file)

    each(record_property, numbered(count), attack)


@amounts
def test_spoilt_runs_of_this_machine(count, places, record_property):  # noqa: F811
    folder = store.Folder("example")
    saved(folder, example_comparison(pairs=1))
    file = folder.path / "comparison.json"
    data = file.read_bytes()

    def attack(number):
        file.write_bytes(spoilt(data, chance("run", number)))
        either(lambda: store.latest("example"), file)

    each(record_property, numbered(count // 2), attack)


@amounts
def test_spoilt_raw_rows(count, places, record_property):  # noqa: F811
    rows = closed_rows()
    number_of_rows = len(rows["status"])
    good = packed(**{**rows, "t_end_us": np.diff(rows["t_end_us"], prepend=np.uint32(0))})

    def attack(number):
        draw = chance("raw", number)
        at = draw.randrange(len(good))
        data = draw.choice(
            [
                lambda: good[:at],
                lambda: good[:at] + draw.randbytes(4) + good[at + 4 :],
                lambda: good[:at] + good[at + 1 :],
                lambda: bytes(b ^ 1 if draw.random() < 0.001 else b for b in good),
                lambda: good + good,
                lambda: draw.randbytes(len(good)),
                lambda: packed(
                    **{
                        name: column.astype(draw.choice(["f8", "U9", "O8", "i1", "c16"]))
                        for name, column in rows.items()
                    }
                ),
            ]
        )()
        trial = with_raw(data, rows=number_of_rows, columns=tuple(rows))
        try:
            found = trial.raw()
        except LabError as error:
            assert ".npz" in str(error)
            return
        assert {len(column) for column in found.values()} == {number_of_rows}
        assert all(column.dtype.kind in "iuf" for column in found.values())

    each(record_property, numbered(count), attack)


@amounts
def test_spoilt_results_of_the_book(count, monkeypatch, tmp_path, record_property):
    data = reference.BOOK_RESULTS.read_bytes()
    file = tmp_path / "book-results.json"
    monkeypatch.setattr(reference, "BOOK_RESULTS", file)

    def attack(number):
        file.write_bytes(spoilt(data, chance("results", number)))
        either(results.book, file)

    each(record_property, numbered(count), attack)


def test_a_good_one_is_not_refused(places):  # noqa: F811
    """Or all the others would hold for the wrong reason."""
    for kind in ("trial", "comparison", "survey", "program"):
        data = of_kind(kind).read_bytes()
        name = json.loads(data)["experiment"]
        (places / "reference" / f"{name}.json").write_bytes(data)
        assert store.reference(name)
    folder = store.Folder("example")
    ref = folder.raw("x", closed_rows())
    assert replace(example_trial(), raw_ref=ref, folder=str(folder.path)).raw()

"""The rows behind a plot of plain data: read from any table, grouped, and as the data link has
them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from lab.errors import LabError
from lab.plot.figure import Row
from lab.plot.overlays import Published
from lab.plot.palette import look
from lab.plot.provenance import provenance, remarks, stamps, trials_of
from lab.plot.reference_run import NAME, notes, reference_of
from lab.plot.series import Series
from lab.records.table import Rows
from lab.records.trace import Trace
from lab.storage.gate import shown
from lab.text.phrasing import heading

RowMaker = Callable[[Any], Any]  # makes a table of a record


def _is_column(values: Any) -> bool:
    return isinstance(values, Iterable) and not isinstance(values, (str, bytes, Mapping))


class Tables(NamedTuple):
    """Own rows, grey rows behind them, and what the caption and a stamp say of both."""

    own: list[dict[str, Any]]
    grey: list[dict[str, Any]]
    where: list[str]  # where and when the records were made
    notes: list[str]
    stamps: list[str]


def rows_of(data: Any) -> list[dict[str, Any]]:
    """Return any table as rows: a list of mappings, a mapping of columns, or a pandas DataFrame.

    Raises LabError for anything else, naming its type.
    """
    if hasattr(data, "to_dict") and hasattr(data, "columns"):
        return list(data.to_dict("records"))
    if isinstance(data, Mapping) and all(_is_column(values) for values in data.values()):
        columns = {key: list(values) for key, values in data.items()}
        lengths = {len(values) for values in columns.values()}
        if len(lengths) > 1:
            raise LabError(
                "the columns have different lengths: "
                + ", ".join(f"{key} {len(values)}" for key, values in columns.items())
            )
        return [
            dict(zip(columns, values, strict=True))
            for values in zip(*columns.values(), strict=True)
        ]
    if isinstance(data, Sequence) and all(isinstance(row, Mapping) for row in data):
        return [dict(row) for row in data]
    raise LabError(
        f"cannot plot a {type(data).__name__}: give rows ([{{'x': 1, 'y': 2}}, …]), "
        "columns ({'x': [1], 'y': [2]}) or a DataFrame"
    )


def tables(data: Any, rows: RowMaker | None, recorded_rows: Any, of: Any = None) -> Tables:
    """Return own rows, grey rows behind them, and what is known of the records they are made of.

    rows : makes the table of `data` where that is a record or several; recorded_rows : grey, or
    {"rows": rows, "of": their record}; of : the record or records that plain rows are made of, if
    they do not say so themselves.
    """
    if rows is None:
        grey_source = (
            recorded_rows if isinstance(recorded_rows, Mapping) and "rows" in recorded_rows else {}
        )
        behind_it = grey_source["rows"] if grey_source else recorded_rows
        grey = [] if behind_it is None else rows_of(behind_it)
        records = sources(data.of if of is None and isinstance(data, Rows) else of)
        note_lines = [
            *remarks(trials_of(records)),
            *notes(sources(grey_source.get("of")) if grey else []),
        ]
        return Tables(rows_of(data), grey, _where(records), note_lines, [])
    records = _records(data)
    own_rows = rows_of(rows(data))
    stamp_lines = stamps(trials_of(records))
    origins, note_lines = _where(records), remarks(trials_of(records))
    behind = [reference_of(record) for record in records]
    if not records or None in behind:
        return Tables(own_rows, [], origins, note_lines, stamp_lines)
    try:
        grey = rows_of(rows(_shaped_like(data, behind)))
    except LabError:  # perhaps the table needs raw rows, and a record has none
        return Tables(own_rows, [], origins, note_lines, stamp_lines)
    return Tables(own_rows, grey, origins, [*note_lines, *notes(behind)], stamp_lines)


def sources(of: Any) -> list[Any]:
    """Return the records that are named: none, one, the one that rows were taken from, or several.

    Raises LabError for anything else.
    """
    if of is None:
        return []
    if isinstance(of, Rows) and of.of is not None:
        return [of.of]
    if hasattr(of, "recorded") or isinstance(of, Trace):
        return [of]
    if isinstance(of, (list, tuple)) and not isinstance(of, Rows):
        return [record for item in of for record in sources(item)]
    raise LabError(
        f"of={shown(of)} is not a record. Give a result of lab.node, lab.load, lab.compare or "
        "lab.survey, its rows, or several of these in a list"
    )


def _where(records: Sequence[Any]) -> list[str]:
    return list(dict.fromkeys(note for record in records for note in provenance(record)))


def _records(data: Any) -> list[Any]:
    if isinstance(data, Mapping):
        return list(data.values())
    return list(data) if isinstance(data, (list, tuple)) else [data]


def _shaped_like(data: Any, records: Sequence[Any]) -> Any:
    if isinstance(data, Mapping):
        return dict(zip(data, records, strict=True))
    return list(records) if isinstance(data, (list, tuple)) else records[0]


def grouped(rows: Sequence[Row], x: str, y: str, by: str | None, alone: str = "") -> list[Series]:
    """Return the rows as series, one for each value of `by`; without it one that is called `alone`.

    Raises LabError for a missing column or no rows.
    """
    for column in (x, y, *([by] if by else [])):
        missing = next((row for row in rows if column not in row), None)
        if missing is not None:
            raise LabError(
                f"there is no column {column!r}. The columns are {', '.join(map(str, missing))}"
            )
    if not rows:
        raise LabError("there is nothing to plot because the table has no rows")
    groups: dict[str, dict[Any, list[float]]] = {}
    for row in rows:
        name = str(row[by]) if by else alone or y
        groups.setdefault(name, {}).setdefault(_native(row[x]), []).append(float(row[y]))
    return [Series(name, look(i), values) for i, (name, values) in enumerate(groups.items())]


def _native(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else value


def kept(
    table_set: Tables, columns: Mapping[str, str], marks: Sequence[Published] = (), x: str = ""
) -> list[dict[str, Any]]:
    """Return the rows of the data link: these columns under the names the axes give them.

    A column `source` stands before them where not all of them are measured.
    """
    out = [{name: row[c] for c, name in columns.items()} for row in table_set.own]
    if not table_set.grey and not marks:
        return out
    out = [{"source": "measured", **row} for row in out]
    out += [
        {"source": NAME, **{name: row[c] for c, name in columns.items()}} for row in table_set.grey
    ]
    *_, y = columns.values()
    return out + [{"source": p.source, "mark": p.name, columns[x]: p.x, y: p.y} for p in marks]


def named(columns: Mapping[str, str]) -> dict[str, str]:
    """Return {column: its name in the data}: the label of its axis, which has the unit, or its own
    name where it has none or two would be called the same.
    """
    labels = {column: label or heading(column) for column, label in columns.items()}
    names = list(labels.values())
    return {c: c if names.count(name) > 1 else name for c, name in labels.items()}

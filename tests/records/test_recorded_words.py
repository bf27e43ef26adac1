"""The list of wordings that wait for the next recording names what is still there."""

import csv

import pytest

from lab import paths

LIST = paths.DATA / "recorded-words.tsv"
KINDS = {"arm", "printed", "trace", "clinic", "server", "program"}
with LIST.open(encoding="utf-8", newline="") as _file:
    ROWS = list(csv.DictReader(_file, delimiter="\t", quoting=csv.QUOTE_NONE))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['file']}-{row['now'][:30]}")
def test_a_wording_is_in_its_file_until_it_is_replaced(row):
    text = (paths.ROOT / row["file"]).read_text("utf-8")
    assert row["now"] in text, f"Delete this row of {LIST.name}: its wording is no longer there."
    assert row["better"].strip() and row["better"] != row["now"]
    assert row["kind"] in KINDS

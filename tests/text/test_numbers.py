"""Numbers as readers see them, in Python and in the components of a page."""

import json
import subprocess

import pytest

from lab import paths
from lab.text import numbers

SCRIPT = paths.WIDGETS / "numbers.js"
SHOWN = {
    0.90123: "0.901",
    1234.5: "1,235",
    1235.5: "1,236",
    -1234.5: "−1,235",
    12.5: "12.5",
    0.125: "0.125",
    1.005: "1.01",
    2.675: "2.68",
    999.95: "1,000",
    1234567.5: "1,234,568",
    0.00051234: "0.000512",
    0: "0",
    100: "100",
    3.0: "3",
    1e21: "1,000,000,000,000,000,000,000",
}


# As a ratio, and in prose.
THREE = {
    **{0.0012345: ("0.00123", "0.00123"), 0.884: ("0.884", "0.884"), 0.5: ("0.5", "0.5")},
    **{1: ("1", "1"), 9.996: ("10", "10"), 99.96: ("100", "100"), 1000: ("1000", "1,000")},
    **{1234.6: ("1230", "1,230"), 1.5e6: ("1500000", "1,500,000"), 0: ("0", "0")},
    # The middle goes to the even one, whatever the sign.
    **{12350: ("12400", "12,400"), 1125: ("1120", "1,120"), 98.25: ("98.2", "98.2")},
    **{0.3125: ("0.312", "0.312"), 2.125: ("2.12", "2.12"), -1125: ("-1120", "−1,120")},
}


def on_the_page(name, values):
    """What the component's function of that name makes of them."""
    program = f"await import({json.dumps(SCRIPT.as_uri())});" + (
        f"console.log(JSON.stringify({json.dumps(list(values))}.map(LabNumbers.{name})))"
    )
    argv = ["node", "--input-type=module", "-e", program]
    done = subprocess.run(argv, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def test_what_somebody_wrote_is_rounded_as_it_stands_there():
    assert {value: numbers.half_up(value) for value in SHOWN} == SHOWN
    assert on_the_page("halfUp", SHOWN) == list(SHOWN.values())


def test_a_page_writes_three_digits_as_python_does():
    assert {value: (numbers.bare(value), numbers.tidy(value)) for value in THREE} == THREE
    pairs = zip(on_the_page("bare", THREE), on_the_page("tidy", THREE), strict=True)
    assert list(pairs) == list(THREE.values())


@pytest.mark.parametrize("write", [numbers.bare, numbers.tidy, numbers.number, numbers.short])
def test_a_number_has_no_exponent(write):
    assert [write(value) for value in (0.00002, 3.6e-7)] in (
        ["0.00002", "0.00000036"],
        ["0.0000200", "0.000000360"],
    )


def test_a_tick_label_is_short():
    told = {0: "0", 0.05: "0.05", 999.5: "999.5", 1500: "1,500", 20_000: "20k", -1.5e6: "−1.5M"}
    assert {value: numbers.short(value) for value in told} == told


def test_a_size_has_the_unit_that_fits_what_is_told():
    told = {1: "1 byte", 1000: "1,000 bytes", 1024: "1 KiB", 1023 * 1024: "1,023 KiB"}
    told |= {2**20 - 1: "1 MiB", 1.5 * 2**20: "1.5 MiB", 2**30 - 1: "1 GiB", 2**42: "4,096 GiB"}
    assert {n_bytes: numbers.size(n_bytes) for n_bytes in told} == told

"""Which tests of a run stay on one worker."""

import pytest
import scheduling

SHARED = '@pytest.fixture(scope="module")\ndef server():\n    yield 1\n'
SLOW = "@pytest.mark.starts\ndef test_it():\n    pass\n"


@pytest.mark.parametrize(
    ("text", "together"),
    [
        ("def test_it():\n    pass\n", True),
        (SLOW, False),
        (SHARED + SLOW, True),
        (SHARED.replace('"module"', '"module", autouse=True') + SLOW, False),
    ],
)
def test_quick_files_and_those_that_share_a_fixture_stay_together(
    text, together, tmp_path, monkeypatch
):
    (tmp_path / "test_some.py").write_text(text)
    monkeypatch.setattr(scheduling, "ROOT", tmp_path)
    scheduling.stays_together.cache_clear()
    scope = scheduling.ByCost._split_scope(None, "test_some.py::test_it[a::b]")
    scheduling.stays_together.cache_clear()
    assert scope == ("test_some.py" if together else "test_some.py::test_it[a::b]")


def test_the_live_server_is_made_once_and_hand_ins_are_judged_apart():
    assert scheduling.stays_together("tests/live/test_live_server.py")
    assert not scheduling.stays_together("tests/grading/test_exercises.py")

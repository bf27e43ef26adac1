"""For which versions of Node something is said."""

import pytest

from lab.errors import LabError
from lab.processes.node_range import node_range


@pytest.mark.parametrize(
    ("text", "inside", "outside"),
    [
        ("<26", ["v20.20.2", "25.9.9"], ["26.0.0", "v27.1.0"]),
        (">=26", ["26.0.0", "v26.10.0"], ["25.9.9"]),
        (">=22 <26", ["22.0.0", "24.21.0"], ["20.20.2", "26.0.0"]),
        (">=26.8", ["26.8.0", "26.10.0", "27.0.0"], ["26.7.9"]),
        ("<26.8.1", ["26.8.0"], ["26.8.1", "26.10.0"]),
        (">=26", ["26.1.0-nightly"], []),
    ],
)
def test_a_range_begins_with_its_first_version_and_ends_before_its_last(text, inside, outside):
    found = node_range(text)
    assert all(v in found for v in inside)
    assert not any(v in found for v in outside)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("<26", "Node below 26"),
        (">=26.8", "Node 26.8 or newer"),
        (">=22 <26", "Node 22 or newer, below 26"),
    ],
)
def test_a_range_reads_as_words(text, words):
    assert str(node_range(text)) == words


@pytest.mark.parametrize(
    "text", ["", "26", "^26", ">26", ">=x", ">=26 >=24", ">=26 <24", "<26 and", ">=26.1.2.3", 26]
)
def test_what_names_no_versions_is_refused_and_shown(text):
    with pytest.raises(LabError, match=r"does not name versions of Node\. Write") as refused:
        node_range(text)
    assert repr(text) in str(refused.value)


def test_other_text_is_no_version():
    with pytest.raises(LabError, match="'soon' is not a version of Node"):
        assert "soon" not in node_range("<26")

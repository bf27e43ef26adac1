"""Which strings of a program are sentences for a reader, and what an edit of them keeps."""

import pytest

from bench import prose
from lab.text.messages import messages

PROGRAM = '''
"""Documentation of the module, which no reader sees."""
NAME = "two words"
QUERY = "SELECT a, b FROM c ORDER BY d"


def greet(n):
    """Documentation of a function."""
    raise ValueError(f"it took {n + 1} ms, which is " "too long")
'''

SCRIPT = r"""
// A comment with "a string of four words" in it.
const quotes = /["'`]/;
t.ok(found, `after ${count} requests, ${list.map((each) => `<${each}>`).join(", ")} was missing`);
t.miss("it isn't answered " + 'within a second', { saw: "two words" });
"""


def said(name, text):
    return [(message.line, message.text) for message in messages(name, text)]


def test_messages_of_python_are_no_documentation_no_names_and_no_queries():
    assert said("a.py", PROGRAM) == [(9, "it took X ms, which is too long")]


def test_messages_of_javascript_are_strings_of_several_words():
    assert said("a.mjs", SCRIPT) == [
        (4, "after X requests, X was missing"),
        (5, "it isn't answered within a second"),
    ]


def test_messages_are_drawn_and_counted_as_sentences_are():
    text = 't.ok(a, "This limit is no limit. It stands for nothing else.");\n'
    drawn = [part.text for part in prose.sentences("check.mjs", text)]
    assert drawn == ["This limit is no limit.", "It stands for nothing else."]
    assert prose.counts("check.mjs", text) == {"is no": 1}


@pytest.mark.parametrize(
    ("old", "new", "kind"),
    [
        ("after ${count}", "when there had been ${count}", None),
        ('"two words"', '"other words"', None),
        ("${count} requests", "${counts} requests", "value"),
        ("${count} requests", "${count} of 7 requests", "number"),
        ("t.ok(found", "t.ok(!found", "code"),
        ("// A comment", "// The comment", "code"),
    ],
)
def test_an_edit_of_messages_keeps_code_values_and_numbers(old, new, kind):
    assert SCRIPT.count(old) == 1
    before, after = (prose.facts("a.mjs", text) for text in (SCRIPT, SCRIPT.replace(old, new)))
    differing = {each for each in before.keys() | after.keys() if before[each] != after[each]}
    assert differing == ({kind} if kind else set())


def test_a_formatter_may_break_the_line_of_a_message():
    before = 't.ok(a, "the answer has no body");\n'
    after = 't.ok(\n  a,\n  "the response, which is long, has no body",\n);\n'
    assert prose.facts("a.mjs", before) == prose.facts("a.mjs", after)

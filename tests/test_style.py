"""How the book speaks: patterns of docs/style.md only become fewer, and an edit keeps the facts."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from bench import prose

ROOT = Path(__file__).resolve().parent.parent
ROWS = re.findall(
    r"^\| `([a-z ]+)` \| (.+?) \| (.+?) \|$", (ROOT / prose.STYLE).read_text("utf-8"), re.M
)


def test_no_file_has_a_pattern_more_often_than_before():
    assert prose.risen() == [], "docs/style.md has better words for each"


def test_the_counts_are_those_of_files_that_exist():
    there = prose.files(*prose.FILES, *prose.TABLES, *prose.SCRIPTS)
    gone = (prose.limits() or {}).keys() - set(there)
    assert gone == set(), "bench/prose.py --lower writes tests/style.toml again"


def test_every_pattern_is_in_the_style_sheet():
    assert [row[0] for row in ROWS] == list(prose.PATTERNS)


@pytest.mark.parametrize(("pattern", "bad", "good"), ROWS, ids=[row[0] for row in ROWS])
def test_an_example_has_its_pattern_and_the_better_one_has_none(pattern, bad, good):
    assert prose.counts("page.md", bad).get(pattern, 0) >= 1
    assert prose.counts("page.md", good) == {}


def test_a_pattern_may_go_over_the_end_of_a_line():
    assert prose.counts("page.md", "This rule is\nno law.") == {"is no": 1}


def test_code_has_no_pattern_and_a_caption_has():
    picture = "```{figure} a.svg\n---\nalt: Two lines\n---\nNobody\n```\n"
    page = f"```js\nnobody()\n```\nUse `beside`.\n\n{picture}"
    assert prose.counts("page.md", page) == {"persons": 1}


def test_a_new_file_may_have_none(tmp_path, monkeypatch):
    (tmp_path / "tests").mkdir()
    (tmp_path / "README.md").write_text("Nobody waits.\n")
    monkeypatch.setattr(prose, "ROOT", tmp_path)
    monkeypatch.setattr(prose, "files", lambda *patterns: ["README.md"])
    assert "README.md: “persons” 1 times, 0 are allowed" in prose.risen()
    prose.lower(["README.md"])
    assert prose.risen() == []
    (tmp_path / "README.md").write_text("Nothing waits.\n")
    prose.lower(["README.md"])
    (tmp_path / "README.md").write_text("Nobody waits.\n")
    prose.lower(["README.md"])
    assert prose.risen() != []


PAGE = """---
kernelspec: x
---
# A title

(label)=
A request takes {glue:text}`mean` ms, or `wait(17)` of 5 s [^one], see [this](page.md#part).

```{code-cell} python
:tags: [remove-input]
lab.load(rate=4)
```

```{figure} picture.svg
---
alt: A curve
width: 5
---
The caption
```

$N = XR$ is a {term}`law <Little's law>`.

[^one]: Somebody, 2018
"""


def kinds(before, after):
    """The kinds of fact that differ."""
    old, new = prose.page_facts(before), prose.page_facts(after)
    return {kind for kind in old.keys() | new.keys() if old.get(kind) != new.get(kind)}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("A request takes", "Each request needs"),
        ("alt: A curve", "alt: A line that rises"),
        ("The caption", "A better caption"),
        ("`law <Little's law>`", "`rule <Little's law>`"),
        ("[this](", "[the next page]("),
    ],
)
def test_other_words_keep_the_facts(old, new):
    assert old in PAGE
    assert kinds(PAGE, PAGE.replace(old, new)) == set()


@pytest.mark.parametrize(
    ("old", "new", "kind"),
    [
        ("`mean`", "`median`", "glue"),
        ("wait(17)", "wait(18)", "inline code"),
        ("of 5 s", "of 6 s", "number"),
        ("[^one], see", ", see", "footnote"),
        ("[^one]: S", "[^two]: S", "definition of footnote"),
        ("page.md#part", "page.md", "link"),
        ("rate=4", "rate=5", "code"),
        ("[remove-input]", "[remove-cell]", "code"),
        ("picture.svg", "other.svg", "directive"),
        ("width: 5", "width: 6", "option"),
        ("(label)=", "(table)=", "label"),
        ("$N = XR$", "$N = X R$", "formula"),
        ("<Little's law>", "<tick>", "role"),
        ("kernelspec: x", "kernelspec: y", "front matter"),
        ("# A title", "## A title", "level of heading"),
    ],
)
def test_a_fact_that_changed_is_named(old, new, kind):
    assert PAGE.count(old) == 1
    assert kind in kinds(PAGE, PAGE.replace(old, new))


QUESTION = """
[first]
ask = "How often does `tick` run in 5 s?"
right = "two"
options.two = { text = "Twice", why = "It runs at 0 s and at 5 s." }
options.never = { text = "Never", why = "It does." }
[[first.mistakes]]
formula = "5 / 2"
why = "That is the mean."
"""


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        ("How often does", "How many times does", True),
        ("That is the mean.", "This is a mean.", True),
        ("`tick` run", "`tock` run", False),
        ("at 5 s.", "at 6 s.", False),
        ('right = "two"', 'right = "never"', False),
        ("5 / 2", "5 / 3", False),
        ("options.never", "options.no", False),
        ("[first]", "[second]", False),
    ],
)
def test_an_edit_of_questions_keeps_all_but_their_sentences(old, new, same):
    after = prose.table_facts(QUESTION.replace(old, new))
    assert (after == prose.table_facts(QUESTION)) is same


def test_options_in_another_order_differ():
    lines = QUESTION.strip().split("\n")
    lines[3], lines[4] = lines[4], lines[3]
    assert prose.table_facts("\n".join(lines)) != prose.table_facts(QUESTION)


def test_sentences_end_where_a_reader_ends_them():
    text = (
        "The call `a.b. C` takes {glue:text}`x` ms. It is *fast.* See the\n"
        "next page (v1.2). Ok now then?\n"
    )
    parts = prose.sentences("page.md", text)
    assert [part.text for part in parts] == [
        "The call `a.b. C` takes {glue:text}`x` ms.",
        "It is *fast.*",
        "See the next page (v1.2).",
        "Ok now then?",
    ]
    assert [part.line for part in parts] == [1, 1, 1, 2]


def test_the_program_compares_the_repository_of_the_current_directory(tmp_path):
    def git(*words):
        mail = ("-c", "user.name=x", "-c", "user.email=x@localhost")
        subprocess.run(["git", *mail, *words], cwd=tmp_path, check=True)

    def compare():
        command = [sys.executable, str(ROOT / "bench/prose.py"), "--base", "HEAD"]
        return subprocess.run(
            command, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False
        )

    git("init", "-q")
    page = tmp_path / "README.md"
    page.write_text("Two requests take 5 ms.\n")
    git("add", "-A")
    git("commit", "-qm", "A page")
    page.write_text("These two requests need 5 ms.\n")
    process = compare()
    assert (process.returncode, process.stdout) == (0, "Only sentences differ from HEAD.\n")
    page.write_text("Three requests take 6 ms.\n")
    process = compare()
    assert process.returncode == 1
    assert process.stdout.splitlines()[:3] == ["README.md: number", "  - 5", "  + 6"]
    page.unlink()
    assert compare().stdout == "README.md: is gone\n"

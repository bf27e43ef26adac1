"""Every chapter has the shape that readers learn to find their way in, and fits the page."""

import json
import re
from collections import Counter
from pathlib import Path

import prose
import pytest

from lab.book import teaching
from lab.book.pages import front
from lab.widgets.question import questions

ROOT = Path(__file__).parents[2]
WIDTH = 80  # columns of code that a page shows; what is wider scrolls
LINES = 15  # of a cell that is shown; what is longer is folded (hide-input) or belongs in a file
SHAPE = ["What you may believe now", "Predict", "Run", "See", "Why", "Change one thing"]
MEMORY = "From memory"  # what a page asks of other situations than its own, where it does
EXERCISES = "Exercises"
ENDS = [
    ["Summary", "Sources"],
    ["Summary", MEMORY, "Sources"],
    ["Summary", MEMORY, EXERCISES, "Sources"],
]
AGAIN = 3  # questions from memory
TAGS = {"remove-cell", "remove-input", "hide-input", "raises-exception", "show-input"}
SIMULATED = {"book/instruments/noise-and-verdicts": ["alarms"]}  # figures of what no run made
KERNELS = {"python3": "python", "javascript": "javascript"}

LISTED = re.findall(r"file: (book/\S+)", (ROOT / "_toc.yml").read_text("utf-8"))
PAGES = {name: (ROOT / f"{name}.md").read_text("utf-8") for name in LISTED}
CHAPTERS = {name: text for name, text in PAGES.items() if "\nkernelspec:" in text}
ASKS = re.compile(r'(?:await )?(?:require\("lab"\)|lab)\.ask\("([\w-]+)"\);?')
CELL = re.compile(r"^```\{code-cell\}[^\n]*\n((?::[^\n]*\n)*)\n?(.*?)^```$", re.S | re.M)

# The page of ten minutes is for readers who have not decided yet to read a chapter: no goals, no
# sources, no code but a handler. What it must keep instead stands at the end.
START = "book/start"
each_page = pytest.mark.parametrize("name", CHAPTERS)
each_chapter = pytest.mark.parametrize("name", [name for name in CHAPTERS if name != START])


def cells(text):
    """Tags and lines of each cell."""
    for match in CELL.finditer(text):
        yield match[1], match[2].rstrip().splitlines()


def shown(text):
    """Lines of each cell whose code a reader sees at once."""
    return [lines for tags, lines in cells(text) if "remove" not in tags and "hide" not in tags]


@each_chapter
def test_the_parts_of_a_chapter_stand_in_their_order(name):
    headings = re.findall(r"^## (.+)$", CELL.sub("", CHAPTERS[name]), re.M)
    known = [h.partition(":")[0] for h in headings]
    places = [known.index(part) for part in (*SHAPE[:3], *SHAPE[4:], *ENDS[0])]
    assert places == sorted(places), headings
    assert "See" in known, headings
    assert headings[headings.index("Summary") :] in ENDS
    assert "**After this page you can**" in CHAPTERS[name]


def section(text, title):
    """What stands under a heading of the second level, cells included."""
    outside = CELL.sub(lambda cell: cell[0].replace("\n#", "\n #"), text)  # comments of Python
    _, *parts = re.split(r"^## (.+)$", outside, flags=re.M)
    return dict(zip(parts[::2], parts[1::2], strict=True))[title]


def points(text):
    """The points of the first list."""
    return re.findall(r"^- (.+(?:\n  .+)*)", text, re.M)


@each_chapter
def test_a_chapter_says_at_once_what_it_is_for_and_how_long_it_takes(name):
    text = CELL.sub("", CHAPTERS[name])
    titles = re.findall(r"^# (.+)$", text, re.M)
    assert len(titles) == 1
    opening = text[: text.index("\n## ")]
    goals = points(opening.partition("**After this page you can**")[2])
    assert 3 <= len(goals) <= 5, goals
    assert [goal for goal in goals if not goal[0].islower() or goal[-1] not in ";."] == []
    assert goals[-1].endswith("."), goals[-1]
    assert re.search(r"Reading\s+takes\s+[^;]+;\s+the\s+cells\s+(?:run|measure)\s+for\s", opening)


@each_page
def test_a_notebook_can_be_saved_by_jupyterlab_as_it_is(name):
    head = CHAPTERS[name].split("---\n")[1]
    assert "    extension: .md\n    format_name: myst\n" in head
    kernel, language = re.search(r"\n  name: (\S+)\n.*\n  language: (\S+)", head).groups()
    assert KERNELS[kernel] == language
    kinds = set(re.findall(r"^```\{code-cell\} (\S+)$", CHAPTERS[name], re.M))
    assert kinds <= {language, "ipython3" if language == "python" else language}


@each_chapter
def test_the_end_tells_in_a_few_points_what_was_found(name):
    assert 3 <= len(points(section(CHAPTERS[name], "Summary"))) <= 7


@each_chapter
def test_from_memory_a_page_asks_three_questions_and_nothing_else(name):
    text = CHAPTERS[name]
    of_page = dict(questions.by_chapter())[name]
    repetitions = [question for question in of_page if question.memory]
    if f"\n## {MEMORY}\n" not in text:
        assert repetitions == [], f"what is asked after the summary stands under ## {MEMORY}"
        return
    asks = section(text, MEMORY)
    said = CELL.sub("", asks).strip()
    assert said and "\n\n" not in said, "a line about what is asked, then the cells"
    ids = []
    for tags, lines in cells(asks):
        ids.append(ASKS.fullmatch(" ".join(lines))[1])
        assert "[remove-input]" in tags
    assert len(ids) == AGAIN
    assert ids == [question.id for question in repetitions]
    assert [q.id for q in repetitions if q.right is None] == [], "no run comes after the summary"


@each_chapter
def test_the_thing_to_change_is_a_cell(name):
    assert CELL.search(section(CHAPTERS[name], "Change one thing"))


@each_page
def test_tags_of_cells_are_known(name):
    used = {tag for tags, _ in cells(CHAPTERS[name]) for tag in re.findall(r"[\w-]+", tags)}
    assert used - {"tags"} <= TAGS


@each_page
def test_no_cell_measures_time_by_itself(name):
    clocks = re.compile(r"perf_counter|time\.time\(|performance\.now\(|hrtime|console\.time")
    assert [
        line for _, lines in cells(CHAPTERS[name]) for line in lines if clocks.search(line)
    ] == []


@each_page
def test_every_footnote_is_defined_and_used(name):
    text = CHAPTERS[name]
    defined = re.findall(r"^\[\^([\w-]+)\]: ", text, re.M)
    named = Counter(re.findall(r"\[\^([\w-]+)\]", text))
    assert named.keys() == set(defined)
    assert [note for note in named if named[note] < 2 or defined.count(note) > 1] == []


@each_page
def test_no_line_of_code_is_wider_than_the_page(name):
    wide = [
        line
        for tags, lines in cells(CHAPTERS[name])
        if "remove" not in tags
        for line in lines
        if len(line) > WIDTH
    ]
    assert wide == []


@each_page
def test_a_cell_is_one_thought(name):
    long = [lines[0] for lines in shown(CHAPTERS[name]) if len(lines) > LINES]
    assert long == []


def calls(text, what):
    """The arguments of each call of a function, as they are written."""
    for match in re.finditer(rf"\b{what}\(", text):
        end, depth = match.end(), 1
        while depth:
            depth += (text[end] in "([{") - (text[end] in ")]}")
            end += 1
        yield text[match.end() : end - 1]


@each_page
def test_a_figure_says_what_its_rows_are_made_of(name):
    text = CHAPTERS[name]
    rows = {f"{of}.rows" for of in re.findall(r"(\w+) = (?:await )?lab\.node\(", text)}
    rows |= set(re.findall(r"(\w+) = lab\.node\([^()]*(?:\([^()]*\)[^()]*)*\)\.rows", text))
    silent = [
        data.partition(",")[0]
        for data in calls(text, r"lab\.plot\.(?:lines|dots|bars)")
        if not re.search(r"\b(?:rows=|of=|of: )", data)
        and data.partition(",")[0] not in rows
        and not re.match(r"\w+\.rows\(", data)
    ]
    assert silent == SIMULATED.get(name, [])


@each_chapter
def test_a_chapter_asks_before_it_tells(name):
    text = CHAPTERS[name]
    asked = [q for chapter, qs in questions.by_chapter() if chapter == name for q in qs]
    assert len(asked) >= 3, "at least three questions, in NAME/questions.toml"
    before = text[: text.index("\n## Run")]
    assert before.count("ask(") >= 3, "at least three of them before the run"
    for question in asked:
        _, at, after = text.partition(f'ask("{question.id}")')
        assert at
        told = (f'answer("{question.id}",' in after) + (f'reveal("{question.id}")' in after)
        assert told == (not question.at_once), f"{question.id} is told once, or at once"


@each_chapter
def test_an_answer_waits_until_something_was_run(name):
    text = CHAPTERS[name]
    run = text.index("\n## Run")
    for told in re.finditer(r'\b(?:answer|reveal)\("[\w-]+"', text):
        assert told.start() > run, told[0]


@each_page
def test_what_a_chapter_claims_can_be_false(name):
    assert "lab.claim(" in CHAPTERS[name]


@each_chapter
def test_a_source_is_named_with_its_address(name):
    _, _, sources = CHAPTERS[name].rpartition("## Sources")
    assert re.search(r"https?://", sources)
    for note in re.findall(r"^\[\^[\w-]+\]: (.+(?:\n {4}.+)*)", sources, re.M):
        assert "http" in note or re.search(r"\*[^*]+\*.*\b\d{4}\b", note), note  # or a book


def test_one_question_in_four_asks_what_a_program_does():
    all_questions = list(questions.questions().values())
    predictions = sum(q.kind == "order" or bool(q.code) for q in all_questions)
    # A replay asks for the order of the lines before it shows it.
    replays = sum(
        "lab.trace(" in line and "predict" not in " ".join(lines)
        for text in CHAPTERS.values()
        for _, lines in cells(text)
        for line in lines
    )
    assert predictions + replays >= (len(all_questions) + replays) / 4


def test_every_folder_of_programs_and_questions_is_that_of_a_page_or_shared_by_a_part():
    files = [*ROOT.glob("book/**/*.?js"), *ROOT.glob("book/**/questions.toml")]
    folders = {file.parent.relative_to(ROOT).as_posix() for file in files}
    parts = {name.rpartition("/")[0] for name in LISTED}
    shared = {f"{part}/shared" for part in parts}
    assert folders - {"book/_static"} <= {*LISTED} | shared
    assert {f"{name}/questions.toml" for name in CHAPTERS} <= {
        file.relative_to(ROOT).as_posix() for file in files
    }


def test_the_first_page_behind_the_title_takes_ten_minutes():
    assert LISTED[0] == START
    [counts] = [one for one in teaching.chapters() if one.chapter == START]
    assert counts.words <= 1000  # `lint` warns of more than 700
    assert 5 <= counts.minutes <= 11


def test_the_first_page_shows_a_program_but_no_cell_and_no_python():
    text = CHAPTERS[START]
    assert "language: javascript" in text and not shown(text)
    assert text.count("```{literalinclude}") in range(1, 4)
    assert not re.search(r"\bPython\b|\binterval|confidence", prose.prose(text))


def test_the_first_page_asks_lets_change_and_orders_before_it_tells():
    text = CHAPTERS[START]
    asked = [q for chapter, qs in questions.by_chapter() if chapter == START for q in qs]
    told = [(f'ask("{q.id}")', f'"{q.id}"', q) for q in asked]
    assert len(told) >= 2 and not any(q.at_once for q in asked)
    run = text.index("lab.node(")
    for ask, name, _ in told:
        assert text.index(ask) < run < text.rindex(name)
    assert text.index("lab.vary(") < text.index("lab.trace(")
    assert "predict: false" not in text


def test_the_changes_on_the_first_page_are_lines_of_its_server():
    (ways,) = re.findall(r"const ways = (\{.*?\});", CHAPTERS[START], re.S)
    source = (ROOT / "servers/node/ping.mjs").read_text("utf-8")
    changes = json.loads(ways).values()
    assert len(changes) == 4
    assert [line for line in changes if line not in source] == []


def test_the_first_page_ends_with_two_ways_on():
    doors = points(section(CHAPTERS[START], "Where to go next"))
    assert len(doors) == 2
    assert f"({LISTED[1].removeprefix('book/')}.md)" in doors[0]
    assert "how-to-run-it" in doors[1]
    assert "(how-to-run-it)=" in (ROOT / "book/index.md").read_text("utf-8")


def test_the_title_page_has_a_door_to_the_first_page():
    home = (ROOT / "book/index.md").read_text("utf-8")
    before, door, after = home.partition("(start.md)")
    assert door
    assert "verdict-plot" not in before and "verdict-plot" in after


def test_the_title_page_sends_a_reader_with_a_slow_server_to_one_page():
    home = (ROOT / "book/index.md").read_text("utf-8")
    door = home.partition("[My server is slow](")[2].partition(")")[0]
    assert f"book/{door}" == f"{front.SLOW}.md"
    (way,) = (pages for have, pages in front.WAYS.items() if "slow server" in have)
    assert way[0] == front.SLOW

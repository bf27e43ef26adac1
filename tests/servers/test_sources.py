"""A program is known by its text and by what it imports, wherever its files are."""

import shutil

import pytest

from lab import paths
from lab.records.identity import differences, of_recipe, question
from lab.servers.recipe import Recipe
from lab.servers.sources import covered, digest

COUNT, TWO, OTHER, STAYS = (f"book/part/{name}.mjs" for name in ("count", "two", "other", "stays"))
PROGRAMS = {
    COUNT: 'import two from "./two.mjs";\nconsole.log(two);\n',
    TWO: "export default 2;\n",
    OTHER: "console.log('other');\n",
    STAYS: (
        "const { default: two } = await import('./two.mjs'); // a comment\n"
        "const above = new URL('..', import.meta.url);\n"
        "const own = new URL('./notes.txt', import.meta.url);\n"
        "console.log('from ./two.mjs', two, above.pathname.endsWith('/book/'), own);\n"
    ),
    "book/part/notes.txt": "",
}


def deeper(name):
    return name.replace("part/", "part/chapter/")


@pytest.fixture(autouse=True)
def project(tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    for name, text in PROGRAMS.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)


def of(name):
    return digest(covered(paths.ROOT / name))


def move(*names, to=deeper):
    for name in names:
        (paths.ROOT / to(name)).parent.mkdir(parents=True, exist_ok=True)
        shutil.move(paths.ROOT / name, paths.ROOT / to(name))


def edit(name, old, new):
    file = paths.ROOT / name
    assert file.read_text().count(old) == 1, "nothing to edit"
    file.write_text(file.read_text().replace(old, new))


def test_a_program_that_moves_or_is_renamed_is_the_same():
    before = of(OTHER)
    move(OTHER)
    move(deeper(OTHER), to=lambda name: name.replace("other.mjs", "another.mjs"))
    assert of("book/part/chapter/another.mjs") == before


def test_a_program_that_moves_with_what_it_imports_is_the_same():
    before = of(COUNT)
    move(COUNT, TWO)
    assert of(deeper(COUNT)) == before


def test_an_address_that_follows_is_no_edit():
    counts, stays = of(COUNT), of(STAYS)
    move(TWO)
    edit(COUNT, "./two.mjs", "./chapter/two.mjs")
    edit(STAYS, "import('./two.mjs')", "import('./chapter/two.mjs')")
    assert (of(COUNT), of(STAYS)) == (counts, stays)
    edit(STAYS, "import('./chapter/two.mjs')", "import(\n  './chapter/two.mjs',\n)")  # a formatter
    assert of(STAYS) == stays


def test_what_lies_in_the_folder_of_a_program_may_move_with_it_and_what_lies_outside_has_to_stay():
    before = of(STAYS)
    move(STAYS, TWO, "book/part/notes.txt")
    assert of(deeper(STAYS)) != before, "the folder above is another one"
    edit(deeper(STAYS), "'..'", "'../..'")
    assert of(deeper(STAYS)) == before
    (paths.ROOT / deeper("book/part/notes.txt")).unlink()
    assert of(deeper(STAYS)) != before


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        (COUNT, "console.log(", "console.log( "),
        (TWO, "2;\n", "2;\n\n"),
        (TWO, "default 2", "default 3"),
        (STAYS, "// a comment", "// another"),
        (STAYS, "'from ./two.mjs'", "'from ./chapter/two.mjs'"),
        (STAYS, "endsWith('/book/')", "endsWith(\n  '/book/',\n)"),
    ],
)
def test_any_other_byte_makes_it_another_program(name, old, new):
    before = of(COUNT), of(STAYS)
    edit(name, old, new)
    after = of(COUNT), of(STAYS)
    assert any(x != y for x, y in zip(before, after, strict=True))


def test_an_address_that_leads_to_another_file_makes_it_another_program():
    before = of(COUNT)
    edit(COUNT, "./two.mjs", "./other.mjs")
    assert of(COUNT) != before
    edit(COUNT, "./other.mjs", "./two.mjs")
    edit(COUNT, "console", "import('./late.mjs').catch(() => {});\nconsole")
    without = of(COUNT)
    (paths.ROOT / "book/part/late.mjs").write_text("")
    assert of(COUNT) != without


def test_two_files_may_import_each_other_and_changing_places_is_an_edit():
    edit(TWO, "export", "import './count.mjs';\nexport")
    both = of(COUNT)
    assert len(covered(paths.ROOT / COUNT)) == 2
    move(COUNT, TWO)
    assert of(deeper(COUNT)) == both
    assert of(deeper(TWO)) != both


def recipe(*files, **about):
    sources = tuple(paths.ROOT / file for file in files)
    return Recipe("node/mine", ("node-x", *(about.pop("words", files[:1]))), "node", {}, sources)


def asked(*files, **about):
    return question({"mine": of_recipe(recipe(*files, **about))})


def test_a_server_that_moves_asks_the_same_question_and_its_record_says_where_it_was():
    before = asked(COUNT, TWO)
    assert before["arms"]["mine"]["command"] == ["node-x", "{source}"]
    assert before["arms"]["mine"]["files"] == [COUNT, TWO]
    move(COUNT, TWO)
    after = asked(deeper(COUNT), deeper(TWO))
    assert after["arms"]["mine"]["files"] == [deeper(COUNT), deeper(TWO)]
    assert differences(before, after) == []
    swept = [{"arms": {"mine": [one["arms"]["mine"]] * 2}} for one in (before, after)]
    assert differences(*swept) == []
    edit(deeper(TWO), "2", "3")
    edited = asked(deeper(COUNT), deeper(TWO))
    assert differences(before, edited) == ["arm mine: the program changed"]


def test_a_word_of_a_command_that_is_no_file_of_the_server_belongs_to_the_question():
    one, other = (asked(COUNT, words=(COUNT, word)) for word in (TWO, OTHER))
    assert differences(one, other) == ["arm mine: command changed"]
    module = "book.part.app:app"
    (paths.ROOT / "book/part/app.py").write_text("app = 1\n")
    unplaced = asked("book/part/app.py", words=("-m", "gunicorn", module))
    assert unplaced["arms"]["mine"]["command"][-1] == "{source}:app"

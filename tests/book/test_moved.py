"""The records of programs follow them where they go, and nothing else in them changes."""

import json
import re
import shutil
import subprocess

import pytest

from lab import paths
from lab.book import __main__ as book
from lab.book.moved import NotMoved, moved
from lab.measure.program import covered, digest, node
from lab.records.reference import StaleRecord

COUNT, TWO, OTHER, STAYS = (f"book/part/{name}.mjs" for name in ("count", "two", "other", "stays"))
PROGRAMS = {
    COUNT: 'import two from "./two.mjs";\nconsole.log(`"program": "${two}"`);\n',
    TWO: "export default 2;\n",
    OTHER: "console.log('other');\n",
    STAYS: (
        "const { default: two } = await import('./two.mjs'); // from './two.mjs'\n"
        "const above = new URL('..', import.meta.url);\n"
        "console.log('from \"./two.mjs\"', two, above.pathname.endsWith('/book/'));\n"
    ),
}


def deeper(name):
    return name.replace("part/", "part/chapter/")


def git(*words):
    who = ("-c", "user.name=a", "-c", "user.email=a@localhost", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *who, *words], cwd=paths.ROOT, check=True, capture_output=True)


@pytest.fixture
def project(tmp_path, monkeypatch):
    """Recorded programs, two of which import a third, in git; and a recorded trace."""
    for name, place in (("ROOT", ""), ("REFERENCE", "data/reference"), ("RUNS", "data/runs")):
        monkeypatch.setattr(paths, name, tmp_path / place)
    (tmp_path / "book/part/chapter").mkdir(parents=True)
    for name, text in PROGRAMS.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path / "book/part")
    monkeypatch.setenv("LAB_MODE", "live")
    monkeypatch.setenv("LAB_PROFILE", "reference")
    for program, experiment in (("count", "counted"), ("other", "other"), ("stays", "stayed")):
        node(f"{program}.mjs", experiment=experiment)
    (paths.REFERENCE / "traced.trace.json").write_text('{"type": "loop-trace"}')
    monkeypatch.setenv("LAB_MODE", "replay")
    git("init", "-q")
    git("add", "book")
    git("commit", "-q", "-m", "as they were")


@pytest.fixture
def both(project):
    """The program and what it imports went one folder deeper, and who stays heard of it."""
    return move(COUNT, TWO)


def move(*names):
    for name in names:
        shutil.move(paths.ROOT / name, paths.ROOT / deeper(name))
    if TWO in names:
        edit(STAYS, "import('./two.mjs')", "import('./chapter/two.mjs')")
    return {name: deeper(name) for name in names}


def edit(name, old, new):
    file = paths.ROOT / name
    assert file.read_text().count(old) == 1, "nothing to edit"
    file.write_text(file.read_text().replace(old, new))


def contents():
    return {file.name: file.read_bytes() for file in paths.REFERENCE.iterdir()}


def refused(said, *arguments):
    """It is refused with that sentence, and no record has changed."""
    before = contents()
    with pytest.raises(NotMoved, match=said):
        moved(*arguments)
    assert contents() == before


def test_moved_programs_are_replayed_again_once_their_records_have_followed(both):
    said = re.escape(f"program: recorded '{COUNT}'; now '{deeper(COUNT)}'")
    with pytest.raises(StaleRecord, match=said):
        node("chapter/count.mjs", experiment="counted")
    assert moved(both) == ["counted", "stayed"]
    assert node("chapter/count.mjs", experiment="counted").text == '"program": "2"\n'
    assert node("stays.mjs", experiment="stayed").text == 'from "./two.mjs" 2 true\n'
    assert moved(both) == []


def test_a_longer_address_may_be_wrapped_as_a_formatter_does(both):
    edit(STAYS, "import('./chapter/two.mjs')", "import(\n  './chapter/two.mjs',\n)")
    assert "stayed" in moved(both)


def test_a_line_without_an_address_may_not_be_wrapped(both):
    edit(STAYS, "above.pathname.endsWith('/book/')", "above.pathname.endsWith(\n  '/book/',\n)")
    with pytest.raises(NotMoved, match=rf"{STAYS}, line 3"):
        moved(both)


@pytest.mark.parametrize(
    ("name", "experiment", "edited"),
    [(OTHER, "other", None), (COUNT, "counted", ('"./two.mjs"', '"../two.mjs"'))],
)
def test_only_program_and_digest_change_in_its_records_and_nothing_in_others(
    project, name, experiment, edited
):
    before, source = contents(), digest(covered(paths.ROOT / name))
    pairs = move(name)
    if edited:
        edit(deeper(name), *edited)
    now = digest(covered(paths.ROOT / deeper(name)))
    assert (now != source) == bool(edited)
    assert moved(pairs) == [experiment]
    after = before[f"{experiment}.json"]
    for old, new in ((name, deeper(name)), (source, now)):
        assert after.count(json.dumps(old).encode()) == 1
        after = after.replace(json.dumps(old).encode(), json.dumps(new).encode())
    assert contents() == before | {f"{experiment}.json": after}


@pytest.mark.parametrize("spelt", ["./{}", "{root}/{}", "book/../{}"])
def test_however_a_path_is_spelt_the_record_names_it_from_the_root(project, spelt):
    [[old, new]] = move(OTHER).items()
    ways = [spelt.format(name, root=paths.ROOT) for name in (old, new)]
    assert moved(dict([ways])) == ["other"]
    assert json.loads(contents()["other.json"])["question"]["options"]["program"] == new


def test_git_knows_what_was_renamed_and_how_it_was(both, capsys):
    git("add", "book")
    assert book.main(["moved"]) == 0
    assert capsys.readouterr().out == "Records that now follow a moved program: counted, stayed.\n"
    git("checkout", "-q", "--", "book")
    git("commit", "-q", "-m", "moved, and the records forgotten")
    assert moved() == []


def test_what_was_moved_by_an_earlier_commit_is_found_when_that_before_it_is_named(both, capsys):
    git("add", "book")
    git("commit", "-q", "-m", "moved, and the records forgotten")
    refused(f"{COUNT} is not in the commit", both)
    names = [name for pair in both.items() for name in pair]
    assert book.main(["moved", "--from", "HEAD~1", *names]) == 0
    assert capsys.readouterr().out == "Records that now follow a moved program: counted, stayed.\n"
    refused("nonsense is not a commit of this repository", both, "nonsense")
    assert book.main(["moved", COUNT]) == 2
    assert "count.mjs has no new path. Write moved OLD NEW" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "old", "new", "line"),
    [
        (deeper(COUNT), "console.log(", "console.log( ", 2),
        (deeper(TWO), "2;\n", "2;\n\n", 3),
        (deeper(TWO), "default 2", "default 3", 1),
        (STAYS, "// from './two.mjs'", "// from './chapter/two.mjs'", 1),
        (STAYS, "'from \"./two.mjs\"'", "'from \"./chapter/two.mjs\"'", 3),
        (STAYS, "endsWith('/book/')", "endsWith('/book/part')", 3),
    ],
)
def test_a_byte_that_is_no_address_is_named_and_no_record_follows(both, name, old, new, line):
    edit(name, old, new)
    refused(f"{re.escape(name)}, line {line}: `.*` was .*. You may edit only addresses", both)


def test_an_address_that_means_another_file_is_named_and_no_record_follows(project):
    (paths.ROOT / "book/part/chapter/two.mjs").write_text(PROGRAMS[TWO])
    pairs = move(COUNT)  # its import is as it was, and the file there has the same text
    said = f'{deeper(COUNT)}, line 1: `import two from "{deeper(TWO)}";` was `import two from'
    refused(f'{re.escape(said)} "{re.escape(TWO)}";`', pairs)
    edit(deeper(COUNT), "./two.mjs", "../other.mjs")
    refused(f'line 1: `import two from "{re.escape(OTHER)}";` was', pairs)


def test_the_address_of_a_folder_has_to_be_edited_too(project):
    pairs = move(STAYS)
    edit(deeper(STAYS), "import('./two.mjs')", "import('../two.mjs')")
    refused("line 2: `.*'book/part'.*` was `.*'book'.*`", pairs)
    edit(deeper(STAYS), "'..'", "'../..'")
    assert moved(pairs) == ["stayed"]


def test_where_one_record_can_not_follow_none_does(both):
    pairs = both | move(OTHER)
    edit(deeper(OTHER), "other", "another")
    refused(f"{deeper(OTHER)}, line 1", pairs)
    edit(deeper(OTHER), "another", "other")
    assert moved(pairs) == ["counted", "other", "stayed"]


def test_what_was_edited_before_it_was_moved_is_recorded_again(both):
    git("stash", "-q", "-u")
    edit(TWO, "2;", "2; // edited")
    git("commit", "-q", "-a", "-m", "edited")
    edit(TWO, "2; // edited", "2;")
    git("commit", "-q", "-a", "-m", "as it was")
    git("stash", "pop", "-q")
    refused(
        "count.mjs, or a file that it imports, had already been edited when .*counted",
        both,
        "HEAD~1",
    )
    assert moved(both) == ["counted", "stayed"]


def test_a_file_that_has_come_to_an_address_since_is_named(project):
    edit(OTHER, "console", "import('./late.mjs').catch(() => {});\nconsole")
    git("commit", "-q", "-a", "-m", "imports what is not there")
    source = digest(covered(paths.ROOT / OTHER))
    edit("data/reference/other.json", '"source": "', f'"source": "{source}", "was": "')
    pairs = move(OTHER)
    edit(deeper(OTHER), "./late.mjs", "../late.mjs")
    (paths.ROOT / "book/part/late.mjs").write_text("")
    refused("book/part/late.mjs was not part of the program that was recorded", pairs)


def test_a_program_outside_the_project_takes_no_record_along(project, tmp_path_factory):
    other = tmp_path_factory.mktemp("other") / "other.mjs"
    (paths.ROOT / OTHER).rename(other)
    refused("not in this project", {OTHER: str(other)})


def test_programs_that_are_not_where_they_are_said_to_be_are_named(project):
    refused(f"There is no file {deeper(COUNT)}", {COUNT: deeper(COUNT)})
    shutil.copy(paths.ROOT / COUNT, paths.ROOT / deeper(COUNT))
    refused(f"{COUNT} still exists", {COUNT: deeper(COUNT)})
    (paths.ROOT / COUNT).unlink()
    (paths.ROOT / TWO).unlink()
    refused(f"{TWO} was part of the program|line 1", {COUNT: deeper(COUNT)})

"""A program is known by its text and by what it imports, wherever its files are."""

import hashlib
import random
import shutil

import pytest

from lab import paths
from lab.errors import LabError
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
    content = file.read_bytes()
    assert old.encode() in content, "nothing to edit"
    file.write_bytes(content.replace(old.encode(), new.encode(), 1))


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
        (STAYS, "import('./two.mjs')", "import(\n  './two.mjs',\n)"),  # and the lines after it
        (STAYS, "\n", "\r\n"),
        (STAYS, "// a comment", "// import('./chapter/../two.mjs')"),
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


def write(files):
    for name, text in files.items():
        file = paths.ROOT / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text if isinstance(text, bytes) else text.encode())


def of_files(folder, files):
    """The digest of a project of its own, whose first file is the program."""
    write({f"{folder}/{name}": text for name, text in files.items()})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(paths, "ROOT", paths.ROOT / folder)
        return of(next(iter(files)))


FIRST = "import './b.mjs';\n"
URL_OF = "const it = new URL('{}', import.meta.url);\n"
IN_TEMPLATE = "console.log(`\n(\n  import('./b.mjs')\n)`);\n"
# Two programs that print, read or start something else, as pairs of projects.
PAIRS = {
    "a line moves from the end of one file to the start of the next": (
        {"a.mjs": FIRST + "one();\n", "b.mjs": "two();\n"},
        {"a.mjs": FIRST, "b.mjs": "one();\ntwo();\n"},
    ),
    "two files are one file": (
        {"a.mjs": "import './b.mjs'", "b.mjs": ";one();\n"},
        {"a.mjs": "import './b.mjs';one();\n"},
    ),
    "a call in a template is on one line or on three": (
        {"a.mjs": IN_TEMPLATE, "b.mjs": ""},
        {"a.mjs": IN_TEMPLATE.replace("\n  ", "").replace("\n)", ")"), "b.mjs": ""},
    ),
    "a call stands on one line, so that a stack has other lines": (
        {"a.mjs": "f(\n  await import('./b.mjs'),\n);\n", "b.mjs": ""},
        {"a.mjs": "f(await import('./b.mjs'));\n", "b.mjs": ""},
    ),
    "a text spells what an address leads to": (
        {"a.mjs": FIRST, "b.mjs": "one();\n"},
        {"a.mjs": "import '\0" + "1';\n", "b.mjs": "one();\n"},
    ),
    "a number of a file, and a file with a number for a name": (
        {"p/a.mjs": URL_OF.format("../1"), "1": ""},
        {"p/a.mjs": URL_OF.format("./b.mjs"), "p/b.mjs": "", "1": ""},
    ),
    "a printed text names an import": (
        {"a.mjs": FIRST + "console.log(\"import './b.mjs'\");", "b.mjs": ""},
        {"a.mjs": FIRST + "console.log(\"import './x/../b.mjs'\");", "b.mjs": ""},
    ),
    "a printed template names an import": (
        {"a.mjs": FIRST + "console.log(`import './b.mjs'`);", "b.mjs": ""},
        {"a.mjs": FIRST + "console.log(`import './x/../b.mjs'`);", "b.mjs": ""},
    ),
    "a template after a pattern with a grave accent names an import": (
        {"a.mjs": "s.match(/`/);\nlog(`import './b.mjs'`);", "b.mjs": ""},
        {"a.mjs": "s.match(/`/);\nlog(`import './x/../b.mjs'`);", "b.mjs": ""},
    ),
    "a pattern follows a condition, where another text has a division": (
        {"a.mjs": "if (x) /`/.exec(s);\nlog(`import './b.mjs'`);", "b.mjs": ""},
        {"a.mjs": "if (x) /`/.exec(s);\nlog(`import './x/../b.mjs'`);", "b.mjs": ""},
    ),
    "a function has a name that ends like import": (
        {"a.mjs": "reimport('./b.mjs');", "b.mjs": ""},
        {"a.mjs": "reimport('./x/../b.mjs');", "b.mjs": ""},
    ),
    "a function with the name of a word of imports gets a template": (
        {"a.mjs": "from`./b.mjs`;", "b.mjs": ""},
        {"a.mjs": "from`./x/../b.mjs`;", "b.mjs": ""},
    ),
    "a method has the name of require": (
        {"a.cjs": "it.require('./b.cjs');", "b.cjs": ""},
        {"a.cjs": "it.require('./x/../b.cjs');", "b.cjs": ""},
    ),
    "a file has a require of its own": (
        {"a.mjs": "const require = console.log;\nrequire('./b.mjs');", "b.mjs": ""},
        {"a.mjs": "const require = console.log;\nrequire('./x/../b.mjs');", "b.mjs": ""},
    ),
    "a URL begins somewhere else": (
        {"p/a.mjs": "new URL('../b', 'http://a/1/2/3');", "b/c": ""},
        {"p/q/a.mjs": "new URL('../../b', 'http://a/1/2/3');", "b/c": ""},
    ),
    "an expression begins like an address": (
        {"a.mjs": "import('./b.mjs' + x);", "b.mjs": ""},
        {"a.mjs": "import('./x/../b.mjs' + x);", "b.mjs": ""},
    ),
    "two files change their contents": (
        {"a.mjs": FIRST + "import './c.mjs';", "b.mjs": "1;", "c.mjs": "2;"},
        {"a.mjs": FIRST + "import './c.mjs';", "b.mjs": "2;", "c.mjs": "1;"},
    ),
    "an import stands in the other file": (
        {"a.mjs": FIRST + "import './c.mjs';", "b.mjs": "", "c.mjs": ""},
        {"a.mjs": FIRST, "b.mjs": "import './c.mjs';", "c.mjs": ""},
    ),
    "a script ends its lines in another way": ({"a.mjs": "`\n`;"}, {"a.mjs": "`\r\n`;"}),
    "a byte that is no text is another one": ({"a.mjs": b"'\xe4';"}, {"a.mjs": b"'\xf6';"}),
    "a script is read as a module": (
        {"a.js": "log(this);"},
        {"a.js": "log(this);", "package.json": '{"type": "module"}'},
    ),
}


@pytest.mark.parametrize("pair", PAIRS.values(), ids=PAIRS)
def test_two_programs_have_two_digests(pair):
    one, other = pair
    assert of_files("x/one", one) != of_files("x/other", other)


LOOKED_UP = {
    "a data file": (URL_OF.format("./{}"), "data.bin"),
    "a file whose address has no dot": (URL_OF.format("{}"), "data.bin"),
    "a module": ("import it from './{}' with {{ type: 'json' }};", "data.json"),
    "a module that is asked for again": ("await import('./{}?again');", "b.mjs"),
    "an address with a comment": ("await import(/* now */ './{}');", "b.mjs"),
    "an address in a template": ("await import(`./{}`);", "b.mjs"),
    "an address as a URL has it": (URL_OF.format("./d%61ta.txt"), "data.txt"),
    "a file that require finds": ("module.require('./data');", "data.json"),
    "a folder that require finds": ("require('./b');", "b/index.js"),
    "a folder": (URL_OF.format("./b/"), "b/c/data.txt"),
    "a folder of another page": (URL_OF.format("../b/"), "../b/data.txt"),
    "a name that is joined to the folder": ("fork(join(import.meta.dirname, '{}'));", "b.mjs"),
    "a program in Python": (URL_OF.format("./{}"), "b.py"),
}


@pytest.mark.parametrize(("text", "name"), LOOKED_UP.values(), ids=LOOKED_UP)
@pytest.mark.parametrize("suffix", ["mjs", "cjs"])
def test_the_contents_of_what_a_program_leads_to_are_a_part_of_it(text, name, suffix):
    program = f"book/part/it.{suffix}"
    write({program: text.format(name), f"book/part/{name}": "1"})
    before = of(program)
    write({f"book/part/{name}": "2"})
    assert of(program) != before


def test_an_address_with_an_escape_leads_to_its_file():
    write({COUNT: r"import './t\x77o.mjs'; import './\u0074wo.mjs';"})
    assert [file.name for file in covered(paths.ROOT / COUNT)] == ["count.mjs", "two.mjs"]


def test_python_finds_modules_beside_a_program():
    write({COUNT: URL_OF.format("./a.py"), "book/part/a.py": "import b\n", "book/part/b.py": ""})
    assert [file.name for file in covered(paths.ROOT / COUNT)] == ["count.mjs", "a.py", "b.py"]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("import b", ["b.py"]),
        ("import os, b", ["b.py"]),
        ("import os, pkg.mod as m", ["pkg/__init__.py", "pkg/mod.py"]),
        ("from b import x", ["b.py"]),
        ("from . import b", ["b.py"]),
        ("from . import (\n    x,\n    b,\n)", ["b.py"]),
        ("from .b import x", ["b.py"]),
        ("from .. import up", ["../up.py"]),
        ("from ..up import x", ["../up.py"]),
        ("from pkg import mod", ["pkg/__init__.py", "pkg/mod.py"]),
        ("from pkg import x", ["pkg/__init__.py"]),
        ("def f():\n    from pkg.mod import x", ["pkg/__init__.py", "pkg/mod.py"]),
        ('text = """\nimport b\n"""', []),
        ("print 'of another Python'\nimport b", ["b.py"]),
        ("import os; import b", ["b.py"]),
    ],
)
def test_each_form_of_an_import_in_python_leads_to_its_modules(text, names):
    files = ("b.py", "../up.py", "pkg/__init__.py", "pkg/mod.py")
    write({COUNT: URL_OF.format("./a.py"), "book/part/a.py": text})
    write({f"book/part/{name}": "" for name in files})
    imported = list(covered(paths.ROOT / COUNT))[2:]
    assert imported == [(paths.ROOT / "book/part" / name).resolve() for name in names]


@pytest.mark.parametrize("text", ["log(s.split('.'));", "log(s.split('.')); f(a) / 2; '/';"])
def test_a_string_with_a_dot_alone_makes_no_folder_a_part(text):
    write({COUNT: "import '../lib/a.mjs';", "book/lib/a.mjs": text})
    before = of(COUNT)
    write({"book/lib/notes.txt": "1"})
    assert of(COUNT) == before


def test_a_folder_is_a_part_where_its_string_looks_like_an_address():
    write({COUNT: "serve('./files');", OTHER: "serve('files');", "book/part/files/a.txt": "1"})
    before = of(COUNT), of(OTHER)
    write({"book/part/files/a.txt": "2"})
    assert (of(COUNT) != before[0], of(OTHER) != before[1]) == (True, False)


def test_a_folder_that_cannot_be_entered_is_named(monkeypatch):
    is_file = paths.Path.is_file

    def refuses(file):
        if file.parent.name == "shut":
            raise PermissionError(13, "Permission denied", str(file))
        return is_file(file)

    write({COUNT: URL_OF.format("./shut/"), "book/part/shut/a.txt": ""})
    monkeypatch.setattr(paths.Path, "is_file", refuses)
    with pytest.raises(LabError, match=r"part/shut, which cannot be read .*Make it readable"):
        of(COUNT)


def test_a_folder_with_the_program_itself_is_no_more_than_its_name():
    write({COUNT: URL_OF.format(".") + URL_OF.format("../..")})
    before = of(COUNT)
    write({"book/part/another.txt": "", "book/another.txt": ""})
    assert of(COUNT) == before
    assert list(covered(paths.ROOT / COUNT)) == [paths.ROOT / COUNT]


def test_what_installs_and_runs_write_is_no_part_of_a_folder(monkeypatch):
    monkeypatch.setattr(paths, "RUNS", paths.ROOT / "data/runs")
    names = ("lib/node_modules/a/a.js", "lib/__pycache__/a.pyc", "data/runs/a.json")
    text = "".join(map(URL_OF.format, ("../../lib/", "../../data/", "../../lib/node_modules/")))
    write({COUNT: text, "lib/b.txt": "", **dict.fromkeys(names, "1")})
    assert [f.name for f in covered(paths.ROOT / COUNT)] == ["count.mjs", "b.txt"]


def test_a_program_of_one_file_has_the_digest_of_its_bytes():
    write({OTHER: "console.log('é');\r\n"})
    content = (paths.ROOT / OTHER).read_bytes()
    assert of(OTHER) == hashlib.sha256(content).hexdigest()[:16]


def test_what_is_hashed_of_several_files_is_no_text_of_one():
    """Else a program of one file could have for its text what is hashed of another program."""
    contents = []

    class Sha256:
        def __init__(self, content=b""):
            contents.append(content)

        def hexdigest(self):
            return "0" * 64

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hashlib, "sha256", Sha256)
        of(COUNT)
        whole = contents[-1]
        write({OTHER: whole})
        of(OTHER)
    assert contents[-1] != whole
    with pytest.raises(UnicodeDecodeError):
        whole.decode("utf-8")


PARTS = ("import './b.mjs';", "\n", "f(", ")", "'", "`", "/", "${", "}", "\0", "1;", "//", "\\")


@pytest.mark.parametrize("seed", range(5))
def test_programs_of_random_parts_have_one_digest_each(seed):
    """Of two random files, every way to cut the same parts into two texts is another program."""
    chance = random.Random(seed)
    texts_by_digest = {}
    for _ in range(40):
        parts = chance.choices(PARTS, k=8)
        for cut in range(9):
            texts = "import './b.mjs';" + "".join(parts[:cut]), "".join(parts[cut:])
            write({"book/part/a.mjs": texts[0], "book/part/b.mjs": texts[1]})
            assert texts_by_digest.setdefault(of("book/part/a.mjs"), texts) == texts


def test_a_folder_may_have_links_to_other_folders_and_to_itself():
    write({COUNT: URL_OF.format("./lib/"), "book/part/lib/a.txt": "", "elsewhere/b.txt": "1"})
    (paths.ROOT / "book/part/lib/itself").symlink_to(paths.ROOT / "book/part/lib")
    (paths.ROOT / "book/part/lib/more").symlink_to(paths.ROOT / "elsewhere")
    before = of(COUNT)
    write({"elsewhere/b.txt": "2"})
    assert of(COUNT) != before


@pytest.mark.parametrize("package", ["{", "[]", '{"type": 1}'])
def test_a_package_that_node_refuses_makes_no_script_a_module(package):
    write({"book/part/a.js": "1;"})
    before = of("book/part/a.js")
    write({"book/part/package.json": package})
    assert of("book/part/a.js") == before


def test_a_file_that_cannot_be_read_is_named(monkeypatch):
    def refuses(file):
        raise PermissionError(13, "Permission denied", str(file))

    monkeypatch.setattr(paths.Path, "read_bytes", refuses)
    with pytest.raises(LabError, match=r"count\.mjs, which cannot be read .*Make it readable"):
        of(COUNT)


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


def test_a_command_says_which_file_of_a_server_it_starts():
    files = (COUNT, TWO)
    one, other = (asked(*files, words=words) for words in ((COUNT,), (TWO,)))
    assert other["arms"]["mine"]["command"] == ["node-x", "{source 2}"]
    assert differences(one, other) == ["arm mine: command changed"]
    both, swapped = (asked(*files, words=words) for words in (files, files[::-1]))
    assert differences(both, swapped) == ["arm mine: command changed"]

"""Scripts and styles of a site are small, and do what they did."""

import json
import subprocess

import pytest

from lab.book.site import minify
from lab.errors import LabError
from lab.processes.nodes import program as node_program

SCRIPT = """/*! MIT */
// What only authors read.
const shared = { longName: 1 };
function ofAll(firstOperand, secondOperand) {
  const theirSum = firstOperand + secondOperand;
  return theirSum + shared.longName;
}
globalThis.answer ??= ofAll(2, 3);
"""
STYLE = """/* why */
.card > p {
  color: light-dark(black, white);
  &:hover { margin: 0 0 0 0; }
}
"""


@pytest.fixture
def results(tmp_path, monkeypatch):
    monkeypatch.setattr(minify, "RESULTS", tmp_path / "results")


def outcome(*scripts):
    """What several scripts of one page leave behind: they share names at the top level."""
    page = "const vm = require('node:vm'); const page = vm.createContext({}); "
    run = "for (const code of JSON.parse(process.argv[1])) vm.runInContext(code, page); "
    tell = "console.log(page.answer)"
    argv = [node_program(), "-e", page + run + tell, json.dumps(scripts)]
    return subprocess.run(argv, capture_output=True, text=True, check=True).stdout.strip()


def test_a_script_is_smaller_and_other_scripts_still_find_its_names(results):
    small = minify.minified({"a.js": SCRIPT})["a.js"]
    assert len(small) < 0.6 * len(SCRIPT)
    assert "MIT" in small and "authors" not in small and "theirSum" not in small
    other = "answer = ofAll(answer, shared.longName);"
    assert outcome(small, other) == outcome(SCRIPT, other) == "8"


def test_a_style_keeps_its_features(results):
    small = minify.minified({"a.css": STYLE})["a.css"]
    assert "why" not in small and "\n  " not in small
    assert "light-dark(" in small and "&:hover" in small


def test_what_is_known_needs_no_process(results, monkeypatch):
    first = minify.minified({"a.js": SCRIPT, "a.css": STYLE})
    monkeypatch.setattr(minify, "_transformed", None)
    assert minify.minified({"a.css": STYLE, "a.js": SCRIPT}) == first
    with pytest.raises(TypeError):
        minify.minified({"a.js": f"{SCRIPT};"})


@pytest.mark.parametrize(
    ("name", "text", "place"),
    [
        ("wrong.js", "let fine;\nlet = = 3;\n", "2:6"),
        ("wrong.js", "const open = `\n", "2:0"),
        ("wrong.css", ".a { }\n/* open", "2:"),
    ],
)
def test_one_that_does_not_parse_is_told_with_its_name_its_place_and_what_to_do(
    results, name, text, place
):
    texts = {"fine.js": SCRIPT, name: text, "fine.css": STYLE}
    with pytest.raises(LabError) as error:
        minify.minified(texts)
    message = str(error.value)
    assert message.startswith(f"{name} could not be minified. Transform failed with 1 error")
    assert (
        f"{name}:{place}" in message and "Mend the text in the place that esbuild names" in message
    )
    assert "at " not in message.splitlines()[-2], "a stack of esbuild's own"


def test_a_file_that_is_no_text_is_named(tmp_path, results):
    (tmp_path / "latin.js").write_bytes(b"let a = '\xe4';")
    with pytest.raises(LabError, match=r"latin\.js could not.*byte 9 is not UTF-8, so save"):
        minify.put(tmp_path)


def test_without_esbuild_is_told_how_it_is_installed(tmp_path, monkeypatch):
    monkeypatch.setattr(minify, "ESBUILD", tmp_path / "esbuild")
    with pytest.raises(LabError, match="Install it with: npm ci"):
        minify.minified({"a.js": SCRIPT})


@pytest.mark.parametrize(
    "what",
    ["throw new Error('the binary is absent')", "process.kill(process.pid, 'SIGKILL')"],
)
def test_an_esbuild_that_does_not_run_is_told_with_how_it_is_installed(
    tmp_path, monkeypatch, results, what
):
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib/main.js").write_text(f"exports.transformSync = () => {{ {what}; }};")
    (tmp_path / "package.json").write_text('{"version": "0"}')
    monkeypatch.setattr(minify, "ESBUILD", tmp_path)
    with pytest.raises(LabError, match="Install it again with: npm ci") as error:
        minify.minified({"a.js": SCRIPT})
    assert "Mend the text" not in str(error.value)


def test_texts_that_are_strange_mean_the_same(results):
    strange = {
        "empty.js": "",
        "mark.js": "\ufeffglobalThis.answer = 1;",
        "lines.js": "globalThis.answer = '\u2028\u2029'.length;",
        "end.js": "globalThis.answer = '</script>'.length; //",
        "names.js": "var a = 1; { let a = 2; } globalThis.answer = a;",
        "signs.js": "globalThis.answer = 'é\\0\\x00'.length + `${'`'}`.length;",
    }
    small = minify.minified(strange)
    for name, text in strange.items():
        assert outcome(small[name]) == outcome(text), name


def test_a_folder_that_cannot_be_written_costs_only_time(tmp_path, monkeypatch):
    (tmp_path / "results").write_text("a file where the folder would be")
    monkeypatch.setattr(minify, "RESULTS", tmp_path / "results")
    assert minify.minified({"a.js": "let a = 1 ; "}) == {"a.js": "let a=1;\n"}


def test_the_files_of_a_site_get_small_and_stay_so(tmp_path, results):
    (tmp_path / "page.js").write_text(SCRIPT)
    (tmp_path / "page.css").write_text(STYLE)
    (tmp_path / "apart").mkdir()
    (tmp_path / "apart" / "run.js").write_text(SCRIPT)
    minify.put(tmp_path)
    small = {file.name: file.read_text() for file in tmp_path.glob("page.*")}
    assert small == minify.minified({"page.js": SCRIPT, "page.css": STYLE})
    assert (tmp_path / "apart" / "run.js").read_text() == SCRIPT
    named = small["page.js"].replace("answer", "solution")  # as a build names what a script loads
    (tmp_path / "page.js").write_text(named)
    minify.put(tmp_path)
    again = {file.name: file.read_text() for file in tmp_path.glob("page.*")}
    assert again == {**small, "page.js": named}

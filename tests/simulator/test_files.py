"""Programs of several files on the model: they import, require and read what is on the disk."""

import json
import subprocess
from pathlib import Path

import pytest

from lab.processes import child, nodes

FILES = Path(__file__).parent / "files"
PROGRAMS = [
    "all-of-a-folder.cjs",
    "commonjs.cjs",
    "imports-a-graph.mjs",
    "imports-late.mjs",
    "imports-again.mjs",
    "in-a-circle.mjs",
    "names-of-commonjs.mjs",
    "plain/awaits-at-its-top.js",
    "plain/declares-exports.js",
    "plain/with-a-shebang.js",
    "reads.mjs",
    "requires-a-package.cjs",
    "throws.cjs",
    "types.ts",
    "with a space#1/begins.mjs",
]
NODES = [
    pytest.param(path, major, id=str(major))
    for major, path in nodes.brought().items()
    if major in nodes.SUPPORTED
]
MAIN = Path(__file__).parents[2] / "lab/simulator/main.mjs"
MANY = Path(__file__).with_name("orders-of-many.mjs")


def model(node, file, cwd=None):
    """What the model says of a file: its result, or the sentence by which it refuses the file."""
    command = [nodes.program(), str(MAIN), node, str(file)]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=300, check=False, cwd=cwd
    )
    assert done.returncode in (0, 2), done.stderr
    return json.loads(done.stdout) if done.returncode == 0 else done.stderr.strip()


def models(node, files, *options):
    """What the model says of each file, as `model`, on one machine: a machine takes a second."""
    command = [nodes.program(), str(MANY), node, *options, *map(str, files)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(answers) == len(files)
    return [answer.get("refused", answer) for answer in answers]


@pytest.mark.parametrize(("node", "major"), NODES)
def test_programs_of_several_files_print_what_they_print_on_node(node, major):
    differences = {}
    for name, modelled in zip(PROGRAMS, models(node, [FILES / n for n in PROGRAMS]), strict=True):
        real = child.run_to_end([node, str(FILES / name)], 60, name=name, env={"NODE_OPTIONS": ""})
        printed = real.stdout.splitlines(), real.returncode
        if isinstance(modelled, str):
            differences[name] = printed, modelled
        elif printed not in (orders := [(o["lines"], o["code"]) for o in modelled["orders"]]):
            differences[name] = printed, orders
    assert differences == {}


def test_the_command_says_of_a_file_what_one_machine_for_many_says(node):
    name = "commonjs.cjs"
    alone, others = model(node, FILES / name), models(node, [FILES / "reads.mjs", FILES / name])
    assert alone["node"] == f"v{nodes.version(node)}"
    assert alone == others[1]


@pytest.fixture(scope="module")
def node():
    if not NODES:
        pytest.skip("needs a Node of which there is a model: sh tools/nodes/install.sh 24")
    return NODES[0].values[0]


def test_paths_are_those_of_the_folder_in_which_the_command_runs(node, tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "data.txt").write_text("12345")
    program = tmp_path / "sub/program.cjs"
    program.write_text('console.log(require("fs").readFileSync("data.txt").length);')
    (order,) = model(node, program, cwd=tmp_path)["orders"]
    assert order["lines"] == ["5"]


def test_bytes_come_as_they_are(node, tmp_path):
    content = bytes(range(256))
    (tmp_path / "data.bin").write_bytes(content)
    program = tmp_path / "program.cjs"
    program.write_text('console.log(require("fs").readFileSync("data.bin").toString("hex"));')
    (order,) = model(node, program, cwd=tmp_path)["orders"]
    assert order["lines"] == [content.hex()]


REFUSED = [
    ({"program.mjs": 'import "./other.mjs";'}, "program.mjs needs ./other.mjs, which does not"),
    ({"program.cjs": 'require("./other");'}, "program.cjs needs ./other, which does not exist"),
    ({"program.cjs": 'require("lodash");'}, "other files or packages (lodash)"),
    (
        {"program.cjs": 'require("fs").existsSync("none"); require("./other");'},
        "program.cjs needs ./other, which does not exist",
    ),
    (
        {
            "program.cjs": 'require("./folder"); require("tls");',
            "folder/index.js": "",
        },
        "no TLS",
    ),
    (
        {"program.mjs": 'import("./a.mjs");', "a.mjs": 'import "./b.mjs";'},
        "program.mjs needs ./b.mjs, which does not exist",
    ),
    (
        {"program.mjs": 'import("./a.json");', "a.json": "{}"},
        "modules that are not JavaScript (./a.json)",
    ),
    (
        {"program.cjs": 'require("./a.mjs");', "a.mjs": "export {};"},
        "require() of a module (a.mjs)",
    ),
    (
        {"program.mjs": 'import a from "./a.json";', "a.json": "{}"},
        "modules that are not JavaScript (./a.json)",
    ),
    (
        {"program.cjs": 'require("./a.cjs");', "a.cjs": "let a = ;"},
        "SyntaxError: Unexpected token ';'",
    ),
    (
        {"program.cjs": "for await (const one of []) {}"},
        "SyntaxError: Unexpected reserved word",
    ),
    ({"program.ts": "enum A { b }"}, "enum is not supported"),
]


def test_what_the_model_has_not_is_refused_in_a_sentence(node, tmp_path):
    programs = []
    for number, (files, _) in enumerate(REFUSED):
        for name, text in files.items():
            (tmp_path / f"{number}" / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / f"{number}" / name).write_text(text)
        programs.append(tmp_path / f"{number}" / next(iter(files)))
    refusals = models(node, programs)
    wanted = [sentence for _, sentence in REFUSED]
    assert [(s, t) for s, t in zip(wanted, refusals, strict=True) if s not in t] == []


@pytest.mark.parametrize(("files", "sentence"), [REFUSED[0], REFUSED[9]])
def test_the_command_refuses_in_the_same_sentence(node, files, sentence, tmp_path):
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    assert sentence in model(node, tmp_path / next(iter(files)))


def test_a_folder_with_too_much_in_it_is_refused(node, tmp_path):
    (tmp_path / "large").write_bytes(bytes(2**20 + 1))
    program = tmp_path / "program.cjs"
    program.write_text('require("fs").readdirSync(__dirname);')
    assert "at most 200 files and 1 MB" in model(node, program)


def test_a_program_that_prints_chance_or_the_date_gets_a_note(node, tmp_path):
    texts = {
        "console.log(Math.random() < 0.5 ? 'a' : 'b', Math.random());": True,
        "console.log(new Date().toISOString());": True,
        "const start = Date.now(); console.log(Date.now() - start);": False,
        "console.log(Math.random() < 2);": False,
    }
    programs = [tmp_path / f"{number}.cjs" for number in range(len(texts))]
    for program, text in zip(programs, texts, strict=True):
        program.write_text(text)
    notes = [" ".join(answer["notes"]) for answer in models(node, programs)]
    assert ["random numbers" in note for note in notes] == [*texts.values()]

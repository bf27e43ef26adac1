"""A hand-in that is a folder: which program is started, what is taken along, and what is said where
none can be; as `make check` takes it, and as it comes in for a class.
"""

import itertools
import json
import re
import time
import zipfile

import pytest

from lab.display import commands
from lab.grading import exercise, folders, handin, intake, run, scripts, steps, verbs
from lab.grading.choice import Exercises

STEP = exercise.exercise("drop-01")
SERVER = STEP.program(STEP.solution)
KNOWN = Exercises()
ESM = 'import http from "node:http";\n'
CJS = 'const http = require("node:http");\n'


def laid(top, files):
    for name, data in files.items():
        file = top / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data if isinstance(data, bytes) else data.encode())
    return top


def package(**fields):
    return json.dumps(fields)


def started(script):
    return package(scripts={"start": script})


# As generators, tutorials and readers lay out a server.
LAYOUTS = {
    "one file": ({"server.mjs": ESM}, "server.mjs"),
    "the only program": ({"drop.mjs": ESM, "README.md": "x"}, "drop.mjs"),
    "called like the step": ({"drop-01.mjs": ESM, "other.mjs": ESM}, "drop-01.mjs"),
    "npm init": ({"package.json": package(main="index.js"), "index.js": CJS}, "index.js"),
    "npm init, and a main that is missing": (
        {"package.json": package(main="index.js"), "server.js": CJS},
        "server.js",
    ),
    "a script": (
        {"package.json": started("node lib/go.mjs"), "lib/go.mjs": ESM, "server.mjs": ESM},
        "lib/go.mjs",
    ),
    "express-generator": (
        {"package.json": started("node ./bin/www"), "bin/www": CJS, "app.js": CJS},
        "bin/www",
    ),
    "a script with a variable and a flag": (
        {
            "package.json": started("NODE_ENV=production node --env-file=.env src/main"),
            "src/main.js": CJS,
        },
        "src/main.js",
    ),
    "nodemon": (
        {"package.json": started("nodemon app.js"), "app.js": CJS, "lib.js": CJS},
        "app.js",
    ),
    "nodemon with options that have values": (
        {
            "package.json": started("nodemon --watch src --ext js,json src/go.js"),
            "src/go.js": CJS,
            "server.js": CJS,
        },
        "src/go.js",
    ),
    "nodemon with a command": (
        {
            "package.json": started('nodemon --watch src --exec "node --inspect src/go.js"'),
            "src/go.js": CJS,
            "server.js": CJS,
        },
        "src/go.js",
    ),
    "modules that are loaded first": (
        {
            "package.json": started("node -r ./setup.cjs --import ./setup.mjs go.mjs"),
            "setup.cjs": CJS,
            "setup.mjs": ESM,
            "go.mjs": ESM,
        },
        "go.mjs",
    ),
    "another script": (
        {
            "package.json": package(
                scripts={"start": "npm run build && npm run serve", "serve": "node --run go",
                         "build": "npm start", "go": "cross-env X=1 node go.js"},
            ),
            "go.js": CJS,
            "server.js": CJS,
        },
        "go.js",
    ),
    "a path of Windows": (
        {"package.json": started(r"node src\go.js"), "src/go.js": CJS},
        "src/go.js",
    ),
    "a tool of another folder before it": (
        {"package.json": started("node ../tools/build.js && node go.js"), "go.js": CJS},
        "go.js",
    ),
    "pm2": (
        {"package.json": started("pm2 start go.js -n drop"), "go.js": CJS, "a.js": CJS},
        "go.js",
    ),
    "a script with half a quotation": (
        {"package.json": started("node 'go.js"), "server.js": CJS},
        "server.js",
    ),
    "a name with a blank and an umlaut": (
        {"package.json": started('node "src/mein röuter.js"'), "src/mein röuter.js": CJS},
        "src/mein röuter.js",
    ),
    "a folder of sources": ({"src/index.mjs": ESM, "src/routes.mjs": ESM}, "src/index.mjs"),
    "what a compiler made": (
        {
            "package.json": started("tsc && node dist/server.js"),
            "src/server.ts": ESM,
            "dist/server.js": CJS,
        },
        "dist/server.js",
    ),
    "TypeScript": ({"server.ts": ESM}, "server.ts"),
    "a folder in a folder": ({"my-drop/server.mjs": ESM, "my-drop/routes.mjs": ESM}, "server.mjs"),
    "what it exports": (
        {
            "package.json": package(exports={".": {"types": "./a.d.ts", "import": "./lib/b.mjs"}}),
            "lib/a.mjs": ESM,
            "lib/b.mjs": ESM,
        },
        "lib/b.mjs",
    ),
    "what it exports as a text": (
        {"package.json": package(exports="./lib/b.mjs"), "lib/a.mjs": ESM, "lib/b.mjs": ESM},
        "lib/b.mjs",
    ),
    "a server before what it exports": (
        {"package.json": package(exports="./lib/b.mjs"), "server.mjs": ESM, "lib/b.mjs": ESM},
        "server.mjs",
    ),
    "a mark at the beginning": ({"server.mjs": b"\xef\xbb\xbf" + ESM.encode()}, "server.mjs"),
}  # fmt: skip


@pytest.mark.parametrize("name", LAYOUTS)
def test_the_program_that_is_started_is_found(tmp_path, name):
    files, main = LAYOUTS[name]
    laid(tmp_path / "mine", files)
    assert folders.from_path(tmp_path / "mine", STEP).name == main
    with zipfile.ZipFile(tmp_path / "mine.zip", "w") as archive:
        for path, data in files.items():
            archive.writestr(f"mine/{path}", data)
    assert folders.from_path(tmp_path / "mine.zip", STEP).name == main


REFUSED = {
    "nothing in it": ({}, "has no program in it"),
    "no program": ({"README.md": "x"}, "has no program in it"),
    "two programs": ({"a.mjs": ESM, "b.mjs": ESM}, "none is called server.mjs"),
    "a start that is missing": (
        {"package.json": started("node go.js"), "a.mjs": ESM, "b.mjs": ESM},
        "starts go.js, which is missing",
    ),
    "a start that leads out": (
        {"package.json": package(main="../server.js"), "server.mjs": ESM},
        "starts ../server.js, which is not in this folder",
    ),
    "a start that Node does not run": (
        {"package.json": started("tsx src/server.tsx"), "src/server.tsx": ESM, "src/a.mjs": ESM},
        "starts src/server.tsx, which Node does not run: hand in JavaScript",
    ),
    "a server in a folder beside other files": (
        {"my-drop/server.mjs": ESM, "my-drop/a.mjs": ESM, "README.md": "x"},
        "has no program at its top: hand in the folder my-drop, which has server.mjs",
    ),
    "programs in a folder beside other files": (
        {"lib/a.mjs": ESM, "lib/b.mjs": ESM, "README.md": "x"},
        'has no program at its top: name the one to start in package.json as "main"',
    ),
    "exports that lead out": (
        {"package.json": package(exports="./../b.mjs"), "lib/a.mjs": ESM, "lib/b.mjs": ESM},
        "in this folder",
    ),
    "JSX": ({"server.tsx": ESM}, "hand in JavaScript instead of server.tsx"),
    "a zip in the folder": ({"my-drop.zip": b"PK"}, "only my-drop.zip: unpack that"),
    "no JSON": ({"package.json": "{,}", "server.mjs": ESM}, "not JSON (line 1)"),
    "a program that is none": ({"server.mjs": "<!doctype html>"}, "is a web page"),
    "no UTF-8": ({"server.mjs": b"// \xff"}, "is not valid UTF-8 (byte 3)"),
    "a program that is too large": ({"server.mjs": "1;" * 200_000}, "more than 256 KiB"),
    "too many programs": (
        {f"a{at}.mjs": ESM for at in range(folders.MOST_OWN_FILES + 1)},
        "what you wrote yourself",
    ),
    "too many libraries": (
        {"server.mjs": ESM, "node_modules/p/large.wasm": b"x" * (folders.MOST_LIBRARIES + 1)},
        "npm prune --omit=dev",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_server_says_what_to_do(tmp_path, name):
    files, message = REFUSED[name]
    (tmp_path / "mine").mkdir()
    laid(tmp_path / "mine", files)
    with pytest.raises(handin.BadHandIn, match=re.escape(message)):
        folders.from_path(tmp_path / "mine", STEP)


def test_files_that_are_too_many_are_counted_and_not_called_too_large(
    tmp_path, capsys, monkeypatch
):
    uploads = {f"files/{at:03}.bin": "x" for at in range(folders.MOST_OWN_FILES + 9)}
    hand_in = folders.from_path(laid(tmp_path / "mine", {"server.mjs": ESM, **uploads}), STEP)
    assert len(hand_in.left_out) == 10
    monkeypatch.setattr(commands.steps, "told", lambda *_given: "")
    commands._tell_of_folder(STEP, hand_in, None)
    output = capsys.readouterr().out
    assert "400 files" in output and "files/403.bin and 5 more" in output
    assert "too large" not in output


@pytest.mark.parametrize("name", ["drop.tar.gz", "drop.tgz", "drop.tar", "DROP.RAR", "drop.7z"])
def test_another_archive_than_a_zip_says_what_to_do(tmp_path, name):
    (tmp_path / name).write_bytes(b"\x1f\x8b")
    with pytest.raises(
        handin.BadHandIn, match=r"archive: hand in its folder, or pack that as a zip"
    ):
        folders.from_path(tmp_path / name, STEP)


@pytest.mark.parametrize(
    ("link", "target", "message"),
    [
        ("server.js", "/etc/passwd", "server.js cannot be read, as it is a link that leads out"),
        ("server.js", "gone.js", "server.js cannot be read, as it is a link that leads nowhere"),
        ("app", "real", "app cannot be read, as it is a link to something that is not a file"),
    ],
)
def test_a_start_that_is_a_link_says_so(tmp_path, link, target, message):
    main = "app/server.js" if link == "app" else link
    laid(
        tmp_path / "mine",
        {"package.json": package(main=main), "real/a.js": CJS, "real/b.js": CJS},
    )
    (tmp_path / "mine" / link).symlink_to(target)
    with pytest.raises(handin.BadHandIn, match=message):
        folders.from_path(tmp_path / "mine", STEP)


def test_a_library_that_is_a_link_is_refused_with_what_to_do(tmp_path):
    laid(tmp_path / "mine", {"server.mjs": ESM, "store/p/index.js": CJS})
    (tmp_path / "mine/node_modules").mkdir()
    (tmp_path / "mine/node_modules/p").symlink_to(tmp_path / "mine/store/p")
    with pytest.raises(handin.BadHandIn, match="npm install"):
        folders.from_path(tmp_path / "mine", STEP)


@pytest.mark.parametrize(
    ("name", "target", "message"),
    [
        ("server.mjs", "/etc/passwd", "server.mjs: it is a link that leads out"),
        ("node_modules", "/etc", "node_modules is a link"),
    ],
)
def test_a_link_that_leads_out_is_not_followed(tmp_path, name, target, message):
    laid(tmp_path / "mine", {"README.md": "x"})
    (tmp_path / "mine" / name).symlink_to(target)
    with pytest.raises(handin.BadHandIn, match=re.escape(message)):
        folders.from_path(tmp_path / "mine", STEP)


def test_a_link_that_no_program_needs_stays_behind(tmp_path):
    laid(tmp_path / "mine", {"server.mjs": ESM})
    (tmp_path / "mine/etc").symlink_to("/etc")
    assert list(folders.from_path(tmp_path / "mine", STEP).files) == ["server.mjs"]


def test_what_a_script_adds_to_the_program_is_named(tmp_path):
    files = {
        "package.json": started("cross-env X=1 node --env-file=.env --watch -r ./a.cjs server.js"),
        "server.js": CJS,
        "a.cjs": CJS,
    }
    hand_in = folders.from_path(laid(tmp_path / "mine", files), STEP)
    assert hand_in.extras == ("X=1", "--env-file=.env", "-r ./a.cjs")


@pytest.mark.parametrize(
    "start",
    [
        "npm run a0",
        "node " * 50_000,
        '"' * 100_001,
        "nodemon --exec " * 20_000,
        "a=b " * 50_000,
    ],
)
def test_no_script_takes_long(start):
    many = {f"a{at}": f"npm run a{at + 1} && npm run a{at}" for at in range(5000)}
    began = time.monotonic()
    scripts.starts({"scripts": {"start": start, **many}})
    assert time.monotonic() - began < 60


def test_the_same_library_in_many_folders_takes_memory_once(tmp_path):
    library = f"module.exports = {'x' * 5000!r};"
    contents = []
    for student in ("anna", "ben"):
        files = {"server.mjs": ESM, "node_modules/express/index.js": library}
        hand_in = folders.from_path(laid(tmp_path / student, files), STEP)
        contents.append(hand_in.files["node_modules/express/index.js"])
    assert contents[0] == library.encode()
    assert contents[0] is contents[1]


def test_libraries_come_along_and_what_is_large_or_hidden_stays(tmp_path):
    files = {
        "server.mjs": ESM,
        "node_modules/p/index.js": CJS,
        "node_modules/p/README.md": "x",
        "node_modules/.bin/p": "x",
        "files/film.bin": b"x" * (handin.MOST_BYTES + 1),
        "files/a.txt": "x",
        ".env": "x",
    }
    hand_in = folders.from_path(laid(tmp_path / "mine", files), STEP)
    assert sorted(hand_in.files) == ["files/a.txt", "node_modules/p/index.js", "server.mjs"]
    assert hand_in.left_out == ("files/film.bin",)


def test_an_exercise_that_is_no_step_takes_no_folder(tmp_path):
    laid(tmp_path / "mine", {"summary.mjs": ESM})
    with pytest.raises(handin.BadHandIn, match="is a folder: name the file, such as"):
        folders.from_path(tmp_path / "mine", exercise.exercise("summary"))


def test_each_file_decides_what_a_hand_in_is(tmp_path):
    def digest(**files):
        place = laid(tmp_path / str(len(list(tmp_path.iterdir()))), files)
        return folders.from_path(place, STEP).digest

    first = {"server.mjs": ESM, "a.mjs": "1;"}
    assert digest(**first) == digest(**first)
    others = [{**first, "a.mjs": "2;"}, {**first, "b.mjs": ""}, {"server.mjs": ESM}]
    assert len({digest(**first), *(digest(**files) for files in others)}) == 4


# ------------------------------------------------------------------ in a class


def chosen(top, name="drop-01"):
    intake_of_class = intake.came_in(top, KNOWN)
    return {student.student: student.chosen.get(name) for student in intake_of_class.students}, (
        intake_of_class
    )


@pytest.mark.parametrize(
    "path",
    [
        "anna/drop-01/server.mjs",
        "anna/Drop-01/server.mjs",
        "anna/drop-01 (1)/server.mjs",
        "anna/week 1/drop-01/server.mjs",
        "anna/drop-01/my-drop/server.mjs",
        "Anna Bohm_4711_assignsubmission_file_/drop-01/server.mjs",
    ],
)
def test_a_folder_that_is_called_like_the_step_counts_with_all_its_files(tmp_path, path):
    top, _, _ = path.rpartition("/")
    laid(tmp_path, {path: SERVER, f"{top}/lib/a.mjs": "1;", f"{top}/b.txt": "x"})
    counting, intake_of_class = chosen(tmp_path)
    ((student, counts),) = counting.items()
    assert student.lower().startswith("anna")
    assert sorted(counts.hand_in.files) == ["b.txt", "lib/a.mjs", "server.mjs"]
    assert intake_of_class.sum().fates == {"judged": 3}


def test_a_zip_of_the_folder_counts_and_the_folder_before_it(tmp_path):
    with zipfile.ZipFile(tmp_path / "drop-01.zip", "w") as archive:
        archive.writestr("my-drop/server.mjs", SERVER)
        archive.writestr("my-drop/node_modules/p/index.js", CJS)
    laid(tmp_path, {"week/ben/drop-01.zip": (tmp_path / "drop-01.zip").read_bytes()})
    laid(tmp_path, {"week/anna/drop-01.zip": (tmp_path / "drop-01.zip").read_bytes()})
    laid(tmp_path, {"week/anna/drop-01/server.mjs": f"{SERVER}\n// newer"})
    counting, intake_of_class = chosen(tmp_path / "week")
    assert sorted(counting["ben"].hand_in.files) == ["node_modules/p/index.js", "server.mjs"]
    assert "// newer" in counting["anna"].hand_in.text
    assert intake_of_class.sum().fates == {"judged": 3, "listed": 2}


def test_a_module_that_is_called_like_another_exercise_is_one_of_the_folder_if_it_is_imported(
    tmp_path,
):
    laid(
        tmp_path,
        {
            "anna/drop-01/server.mjs": 'import "./audit.mjs";\n',
            "anna/drop-01/audit.mjs": "export function audit() {}\n",
            "ben/drop-01/server.mjs": ESM,
            "ben/drop-01/audit.mjs": "export function audit() {}\n",
        },
    )
    assert {
        student: counts is not None for student, counts in chosen(tmp_path, "audit")[0].items()
    } == {
        "anna": False,
        "ben": True,
    }


def test_a_folder_that_cannot_be_started_is_refused_with_all_its_files(tmp_path):
    laid(tmp_path, {"anna/drop-01/a.mjs": ESM, "anna/drop-01/b.mjs": ESM, "ben/drop-01.mjs": ESM})
    counting, intake_of_class = chosen(tmp_path)
    assert counting["anna"].hand_in is None and "none is called server.mjs" in counting["anna"].why
    assert counting["ben"].hand_in is not None
    assert intake_of_class.sum().fates == {"refused": 2, "judged": 1}


def test_a_worked_notebook_does_not_hide_the_folder_beside_it(tmp_path):
    cell = {"cell_type": "code", "metadata": {}, "source": "%%submit drop-01\n1;"}
    text = json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [cell]})
    laid(tmp_path, {"anna/drop-01.ipynb": text, "anna/drop-01/server.mjs": SERVER})
    assert chosen(tmp_path)[0]["anna"].hand_in.name == "server.mjs"


# ------------------------------------------------------------------ judged


def split(file="src/routes.js"):
    """The solution in two files, without a word of package.json about modules."""
    begin, end = SERVER.index("function text"), SERVER.index("const server =")
    drop = "const drop = " + json.dumps(STEP.for_student("")["drop"]) + ";\n"
    rest = re.sub(r"^const drop = .*\n", "", SERVER[:begin], flags=re.M) + SERVER[end:]
    return {
        file: f"{drop}{SERVER[begin:end]}export {{ answer }};\n",
        "server.js": f'import {{ answer }} from "./{file}";\n{rest}',
    }


@pytest.mark.judges
def test_a_server_of_several_files_and_a_library_is_judged_like_one(tmp_path):
    files = split()
    files["server.js"] = f'import "greeting";\n{files["server.js"]}'
    files["node_modules/greeting/package.json"] = package(name="greeting", main="index.js")
    files["node_modules/greeting/index.js"] = 'require("node:fs");\n'
    hand_in = folders.from_path(laid(tmp_path / "mine", files), STEP)
    result = run.grade(STEP, hand_in)
    assert result.passed, str(result)


@pytest.mark.judges
def test_an_error_names_the_file_of_the_folder_and_a_missing_library_says_what_to_do(tmp_path):
    files = split()
    files["src/routes.js"] += "answer.filtre();\n"
    hand_in = folders.from_path(laid(tmp_path / "mine", files), STEP)
    assert re.search(
        r"filtre is not a function \(src/routes\.js, line \d+\)", str(run.grade(STEP, hand_in))
    )
    files["src/routes.js"] = 'import "no-such-library";\n' + split()["src/routes.js"]
    hand_in = folders.from_path(laid(tmp_path / "other", files), STEP)
    assert "`npm install` in the folder" in str(run.grade(STEP, hand_in))


STRANGERS = {
    "IPv6": (
        {"server.mjs": SERVER.replace('"127.0.0.1", ()', '"::1", ()')},
        "cannot be reached at 127.0.0.1",
    ),
    "all addresses": (
        {"server.mjs": SERVER.replace('"127.0.0.1", ()', '"0.0.0.0", ()')},
        "also be reached at 127.0.0.2",
    ),
    "a port of its own": (
        {
            "server.mjs": SERVER.replace(
                'const { PORT = "3000" } = process.env;', "const PORT = 3456;"
            )
        },
        "listened on a different port",
    ),
    "Deno": ({"server.mjs": "Deno.serve(() => {});\n"}, "with Node, not with Deno"),
    "Bun": ({"server.mjs": 'import "bun";\n'}, "with Node, not with Bun"),
    "a module without its ending": (
        {"server.mjs": 'import "./routes";\n', "routes.mjs": ""},
        "with its extension, and with the same capital letters",
    ),
    "a module without its capitals": (
        {"server.js": 'require("./Routes");\n', "routes.js": ""},
        "with its extension, and with the same capital letters",
    ),
    "a module elsewhere": (
        {"server.mjs": 'import "../routes.mjs";\n'},
        "Move that file into your folder",
    ),
    "CommonJS by package.json": (
        {"package.json": package(type="commonjs"), "server.js": ESM},
        'Add "type": "module" to package.json',
    ),
    "a hidden file": (
        {
            "server.mjs": 'import { readFileSync } from "node:fs";\nreadFileSync(".env");\n',
            ".env": "X=1",
        },
        "begin with a dot are not handed in",
    ),
}


@pytest.mark.judges
@pytest.mark.parametrize("name", STRANGERS)
def test_a_server_that_only_runs_elsewhere_says_what_to_do(tmp_path, name):
    files, message = STRANGERS[name]
    assert files.get("server.mjs") != SERVER
    hand_in = folders.from_path(laid(tmp_path / "mine", files), STEP)
    result = run.grade(STEP, hand_in)
    assert message in " ".join(criterion.message for criterion in result.missed), str(result)


@pytest.mark.judges
def test_names_with_blanks_and_umlauts_and_ten_megabytes_of_output_cost_nothing(tmp_path):
    files = {
        "package.json": package(type="module", main="mein röuter.js"),
        "mein röuter.js": f'import "./spät/1 %.js";\n{SERVER}',
        "spät/1 %.js": 'console.log(`${"x".repeat(79)}\\n`.repeat(131072));\n',
    }
    files["mein röuter.js"] = files["mein röuter.js"].replace("1 %.js", "1%20%25.js")
    hand_in = folders.from_path(laid(tmp_path / "Mein Dröp (2)", files), STEP)
    result = run.grade(STEP, hand_in)
    assert result.passed, str(result)


@pytest.mark.judges
def test_typescript_runs_where_node_leaves_types_out_and_else_says_so_in_a_sentence(tmp_path):
    typed = SERVER.replace("function text(body)", "function text(body: string)")
    hand_in = folders.from_path(laid(tmp_path / "mine", {"server.ts": typed}), STEP)
    assert typed != SERVER
    try:
        assert run.grade(STEP, hand_in).passed
    except handin.BadHandIn as error:
        assert "Node 22.18 or newer" in str(error)


@pytest.mark.judges
def test_progress_is_noted_and_the_next_step_named(tmp_path, monkeypatch):
    monkeypatch.setattr(verbs, "HANDED_IN", tmp_path)
    hand_in = handin.from_text(SERVER, "server.mjs")
    result = run.grade(STEP, hand_in)
    steps.note(STEP, result, tmp_path)
    assert steps.best("drop", tmp_path) == {"drop-01": STEP.points}
    lines = steps.told(STEP, result, tmp_path)
    assert "10 of " in lines and "python -m lab task drop-02" in lines
    (tmp_path / "drop.json").write_text('{"drop-01": 99, "drop-02": true, "x": 1}')
    assert steps.best("drop", tmp_path) == {}


def test_a_student_has_the_same_values_in_all_steps_and_each_begins_where_the_last_one_ended():
    all_steps = exercise.steps("drop")
    for before, after in itertools.pairwise(all_steps):
        assert after.starter == before.solution
        for name, value in before.for_student("anna").items():
            assert after.for_student("anna")[name] == value
    assert (
        len(
            {step.for_student(f"student {n}")["limit"] for n in range(60) for step in all_steps[1:]}
        )
        > 3
    )

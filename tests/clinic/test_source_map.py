"""The line of compiled JavaScript, as the line of the source that it was made of."""

import base64
import json
from pathlib import Path

import pytest

from lab.clinic import direct, profile
from lab.clinic.source_map import Originals, in_sources, of_file, parsed

DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


def number(value):
    """A number as source maps write it."""
    left, text = (abs(value) << 1) | (value < 0), ""
    while True:
        text += DIGITS[(left & 31) | (32 if left > 31 else 0)]
        left >>= 5
        if not left:
            return text


def mapped(lines, **more):
    """A map in which each generated line begins at a line of the source; None maps nothing."""
    groups, before = [], 0
    for line in lines:
        if line is None:
            groups.append("")
            continue
        groups.append(f"AA{number(line - 1 - before)}A")
        before = line - 1
    return {"version": 3, "sources": ["../src/app.ts"], "mappings": ";".join(groups), **more}


def compiled(folder, lines, address="app.js.map", **more):
    """A compiled file with its map beside it, or within it where there is no address."""
    (folder / "dist").mkdir(exist_ok=True)
    data = mapped(lines, **more)
    if address:
        (folder / "dist" / "app.js.map").write_text(json.dumps(data))
    else:
        text = base64.b64encode(json.dumps(data).encode()).decode()
        address = f"data:application/json;charset=utf-8;base64,{text}"
    file = folder / "dist" / "app.js"
    file.write_text("x\n" * len(lines) + f"//# sourceMappingURL={address}\n")
    return file


@pytest.mark.parametrize("address", ["app.js.map", ""])
def test_a_line_is_found_by_the_map_beside_the_file_or_within_it(tmp_path, address):
    file = compiled(tmp_path, [None, 7, 9, 3], address)
    source = str((tmp_path / "src" / "app.ts").resolve())
    assert [of_file(str(file)).original(line) for line in (1, 2, 3, 4, 5)] == [
        None,
        (source, 7),
        (source, 9),
        (source, 3),
        None,
    ]


def test_a_column_tells_statements_of_one_line_apart():
    """As in a bundle that was made small: all of it is one line."""
    mappings = "AAAA," + number(10) + "AEA," + number(20) + "AGA"
    data = {"version": 3, "sources": ["/app.ts"], "mappings": mappings}
    found = parsed(data, Path("/"))
    assert [found.original(1, column)[1] for column in (0, 9, 10, 29, 30, 900)] == [
        1,
        1,
        3,
        3,
        6,
        6,
    ]


@pytest.mark.parametrize(
    ("source", "root", "wanted"),
    [
        ("../src/app.ts", "", "src/app.ts"),
        ("app.ts", "../src", "src/app.ts"),
        ("webpack:///./src/app.ts", "", "dist/src/app.ts"),
        ("webpack://shop/./src/app.ts", "", "dist/src/app.ts"),
        ("a%20b.ts", "", "dist/a b.ts"),
        ("file:///srv/a%20b.ts", "", "/srv/a b.ts"),
    ],
)
def test_a_source_is_named_as_a_path(tmp_path, source, root, wanted):
    found = parsed(mapped([1], sources=[source], sourceRoot=root), tmp_path / "dist")
    assert found.original(1)[0] == str(tmp_path / wanted)


@pytest.mark.parametrize(
    "data",
    [
        *({}, [], None, {"version": 2}, {"version": 3, "sections": []}),
        *(mapped([1]) | {"mappings": "!"}, mapped([1]) | {"mappings": "AAg"}),
        mapped([1]) | {"sources": None},
    ],
)
def test_a_map_that_cannot_be_read_leaves_the_line_as_it_is(tmp_path, data):
    file = compiled(tmp_path, [5])
    (tmp_path / "dist" / "app.js.map").write_text(json.dumps(data))
    assert Originals().at(file.as_uri(), 1) == (file.as_uri(), 1)


def test_a_program_that_was_compiled_again_is_told_in_its_new_lines(tmp_path):
    """In one kernel a reader examines, compiles and examines again."""
    lines = []
    for line in (5, 8):
        file = compiled(tmp_path, [line])
        lines.append(Originals().at(file.as_uri(), 1)[1])
    assert lines == [5, 8]


def test_packages_and_node_keep_their_lines(tmp_path):
    folder = tmp_path / "node_modules" / "dep"
    folder.mkdir(parents=True)
    file = compiled(folder, [5])
    assert Originals().at(file.as_uri(), 1) == (file.as_uri(), 1)
    assert Originals().at("node:fs", 3) == ("node:fs", 3)


def test_a_place_of_a_stack_is_told_in_the_source_and_added(tmp_path):
    file = compiled(tmp_path, [7, 7, None])
    frames = {f"async load ({file.as_uri()}:1:3)": 2, f"async load ({file.as_uri()}:2:9)": 3}
    source = (tmp_path / "src" / "app.ts").resolve().as_uri()
    assert in_sources(frames, Originals()) == {f"async load ({source}:7:1)": 5}


def test_samples_of_lines_that_are_one_line_of_the_source_are_one_place(tmp_path):
    file = compiled(tmp_path, [None, 7, 9, 9, 9])
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "app.ts").write_text("\n" * 8 + "work();\n")

    def frame(number, name, line, ticks):
        call = {"functionName": name, "url": file.as_uri(), "lineNumber": line, "columnNumber": 0}
        return {"id": number, "callFrame": call, "children": [], "positionTicks": ticks}

    ticks = [[{"line": 3, "ticks": 1}], [{"line": 4, "ticks": 1}], [{"line": 5, "ticks": 1}]]
    nodes = [frame(i, f"f{i}", 1, ticks[i - 2]) for i in (2, 3, 4)]
    root = {**frame(1, "(root)", -1, []), "children": [2, 3, 4]}
    recorded = tmp_path / "profile"
    recorded.write_text(
        json.dumps({"nodes": [root, *nodes], "samples": [2, 3, 4], "timeDeltas": [0, 10, 10, 10]})
    )
    found, _ = profile.read(recorded, 1)
    (place,) = profile.by_line(found.places)
    assert (place.line, place.text) == (9, "work();")
    assert place.file == str((tmp_path / "src" / "app.ts").resolve())


def test_a_file_that_is_compiled_while_it_is_loaded_is_told_in_its_own_lines(tmp_path):
    """As tsx and ts-node do: on the disk there is neither what ran nor a map."""
    source = (
        "const http = require('node:http');\n"
        "const { pbkdf2Sync } = require('node:crypto');\n"
        "function hash() {\n"
        "  return pbkdf2Sync('a', 'b', 40000, 32, 'sha256');\n"
        "}\n"
        "http.createServer((request, response) => response.end(hash()))"
        ".listen(process.env.PORT, '127.0.0.1');\n"
    )
    (tmp_path / "app.ts").write_text(source)
    data = mapped([*[None] * 9, *range(1, 7)], sources=["app.ts"])
    (tmp_path / "run.cjs").write_text(f"""
process.setSourceMapsEnabled(true);
const {{ readFileSync }} = require("node:fs");
const map = Buffer.from({json.dumps(json.dumps(data))}).toString("base64");
require.extensions[".ts"] = (module, file) => module._compile(
  "\\n".repeat(9) + readFileSync(file, "utf8")
    + "//# sourceMappingURL=data:application/json;base64," + map, file);
require("./app.ts");
""")
    order = direct.order(["node", "run.cjs"], folder=tmp_path, load_s=2.0)
    found = order.examined(lambda _: None).diagnosis.findings[0]
    place = found.places[0]
    assert (place.file, place.line) == (str(tmp_path / "app.ts"), 4)

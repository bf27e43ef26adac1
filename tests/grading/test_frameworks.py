"""A drop that is built as with a framework, or in TypeScript, is judged in several steps like a
drop of a single file. The frameworks here are small packages of our own, which do to Node's
objects what large ones do: Express and Koa (middleware, other prototypes), Fastify (hooks around
the response), Hono (requests and responses of `fetch`).
"""

import dataclasses
import json
import re
from pathlib import Path

import pytest
from support import supported_nodes

from lab.grading import exercise, folders, handin, run

PROGRAMS = Path(__file__).with_name("frameworks")
LAST = exercise.exercise("drop-08")
SOLUTION = LAST.program(LAST.solution)
# What begins the program's last part, in which it listens.
SERVER = "// ---------------------------------------------------------------- the server"
CALLED = "const server = createServer(answer);"


def package(name, kind="commonjs"):
    """The two files of a small package in `node_modules`."""
    suffix = {"commonjs": "cjs", "module": "mjs"}[kind]
    fields = {"name": name, "version": "1.0.0", "type": kind, "main": f"index.{suffix}"}
    return {
        f"node_modules/{name}/package.json": json.dumps(fields),
        f"node_modules/{name}/index.{suffix}": (PROGRAMS / f"{name}.{suffix}").read_text("utf-8"),
    }


def parts():
    """The solution in two parts: what answers, and what listens."""
    answering, mark, listening = SOLUTION.partition(SERVER)
    assert mark and CALLED in listening
    imports = "".join(re.findall(r"^import .*\n", answering, re.M))
    return answering, imports, listening.strip()


def behind(name, start):
    """A folder whose server is made by the package `name`, with the solution as its handler."""
    answering, imports, listening = parts()
    listening = listening.replace(CALLED, f"const server = {start};")
    return {
        "package.json": json.dumps({"type": "module", "scripts": {"start": "node src/server.js"}}),
        "src/answer.js": answering.replace("import.meta.url", '"./server.js", import.meta.url')
        + "export { answer, drop, FOLDER, PORT, work, workers };\n",
        "src/server.js": f'{imports}import {{ framework }} from "{name}";\n'
        'import { answer, FOLDER, PORT, work, workers } from "./answer.js";\n'
        f"{listening}\n",
        **package(name),
    }


def with_types():
    """The solution in two files of TypeScript, whose types Node leaves out."""
    answering, imports, listening = parts()
    types = [
        ("const drop = ", "const drop: string = "),
        ("const waiting = [];", "const waiting: Array<() => void> = [];"),
        ("async function inTurn(job, signal) {",
         "async function inTurn<T>(job: () => Promise<T>, signal: AbortSignal): Promise<T> {"),
        ("async function answer(request, response) {",
         "async function answer(request: IncomingMessage, response: ServerResponse) {"),
        ('import { join } from "node:path";',
         'import type { IncomingMessage, ServerResponse } from "node:http";\n'
         'import { join } from "node:path";'),
    ]  # fmt: skip
    for plain, typed in types:
        assert answering.count(plain) == 1, plain
        answering = answering.replace(plain, typed)
    answering = answering.replace("import.meta.url", '"./server.ts", import.meta.url')
    return {
        "package.json": json.dumps({"type": "module", "main": "src/server.ts"}),
        "src/answer.ts": answering + "export { answer, FOLDER, PORT, work, workers };\n",
        "src/server.ts": f'{imports}import type {{ Server }} from "node:http";\n'
        'import { answer, FOLDER, PORT, work, workers } from "./answer.ts";\n'
        + listening.replace("const server =", "const server: Server ="),
    }


def fetching():
    """A drop of the first two steps for a framework whose handlers return a `Response`."""
    text = (PROGRAMS / "fetching-drop.mjs").read_text("utf-8")
    values = exercise.exercise("drop-02").for_student("")
    for name, value in values.items():
        text, count = re.subn(rf"^const {name} = .*;$", f"const {name} = {json.dumps(value)};",
                              text, flags=re.M)  # fmt: skip
        assert count == 1, name
    return {"package.json": json.dumps({"main": "app.mjs"}), "app.mjs": text,
            **package("like-hono", "module")}  # fmt: skip


MIDDLEWARE = behind("like-express", "framework().use(answer).server()")
HOOKS = behind("like-fastify", "framework({ handler: answer }).server")
KINDS = {
    "middleware": (MIDDLEWARE, "src/server.js", ("drop-01", "drop-04", "drop-07")),
    "hooks": (HOOKS, "src/server.js", ("drop-03", "drop-04", "drop-08")),
    "fetch": (fetching(), "app.mjs", ("drop-01", "drop-02")),
}
JUDGED = [(kind, step) for kind, (_, _, steps) in KINDS.items() for step in steps]


def laid(top, files):
    for name, text in files.items():
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_text(text, "utf-8")
    return top


@pytest.mark.judges
@pytest.mark.parametrize(("kind", "step"), JUDGED, ids=[" ".join(pair) for pair in JUDGED])
def test_a_drop_behind_a_framework_has_all_points_of_a_step(tmp_path, kind, step):
    files, started, _ = KINDS[kind]
    asked = exercise.exercise(step)
    hand_in = folders.from_path(laid(tmp_path / "my-drop", files), asked)
    assert hand_in.name == started
    assert {name for name in files if "node_modules" in name} <= set(hand_in.files)
    result = run.grade(asked, hand_in)
    assert result.passed, str(result)


@pytest.mark.judges
@pytest.mark.parametrize("step", ["drop-04", "drop-07"])
def test_a_drop_in_typescript_has_all_points_of_a_step(tmp_path, step):
    stripping = {major: node for major, node in supported_nodes().items() if major >= 22}
    if not stripping:
        pytest.skip("needs Node 22 or newer, which strips types")
    asked = exercise.exercise(step)
    hand_in = folders.from_path(laid(tmp_path / "my-drop", with_types()), asked)
    assert hand_in.name == "src/server.ts"
    result = run.grade(asked, hand_in, node=stripping[max(stripping)])
    assert result.passed, str(result)


@pytest.mark.judges
def test_what_a_framework_does_by_itself_is_judged_like_what_its_drop_does(tmp_path):
    files = dict(MIDDLEWARE)
    files["src/server.js"] = files["src/server.js"].replace("framework()", "framework('options')")
    asked = exercise.exercise("drop-01")
    hand_in = folders.from_path(laid(tmp_path / "my-drop", files), asked)
    missed = run.grade(asked, hand_in).missed
    assert [criterion.id for criterion in missed] == ["refuses"]
    assert "OPTIONS" in missed[0].message


@pytest.mark.judges
def test_a_store_that_follows_a_request_is_there_where_it_tells_nothing_of_the_check(tmp_path):
    files = dict(MIDDLEWARE)
    files["src/server.js"] = files["src/server.js"].replace("framework()", "framework('store')")
    asked = exercise.exercise("drop-04")
    hand_in = folders.from_path(laid(tmp_path / "my-drop", files), asked)
    for major, node in supported_nodes().items():
        result = run.grade(asked, hand_in, node=node)
        if major >= 24:
            assert result.passed, str(result)
        else:
            assert "unless Node is 24 or newer" in str(result)


@pytest.mark.judges
@pytest.mark.nightly
def test_processes_that_have_a_framework_each_are_replaced_without_too_much_memory():
    """A restart has up to seven of them at once: one that leads, three old and three new ones. This
    shows that larger processes start in time; how much memory there is, the next test shows.
    """
    asked = exercise.exercise("drop-12")
    framework = "globalThis.framework = Buffer.alloc(60 << 20, 1);\n"
    text = asked.program(asked.solution) + framework
    result = run.grade(asked, handin.from_text(text, asked.solution.name))
    assert result.passed, str(result)


@pytest.mark.judges
@pytest.mark.nightly
@pytest.mark.parametrize(("mib", "is_too_much"), [(7 * 110, False), (1100, True)])
def test_step_12_has_memory_for_seven_processes_with_a_framework_each(mib, is_too_much):
    """One process takes as much here as all seven: what the grader counts is the sum. One criterion
    shows that; on a busy machine the misses of all seven would be tried again and again.
    """
    step = exercise.exercise("drop-12")
    task = dataclasses.replace(
        step, criteria=tuple(one for one in step.criteria if one.id == "several")
    )
    text = f"""
        import {{ createServer }} from "node:http";
        globalThis.framework = Buffer.alloc({mib} << 20, 1);
        const server = createServer((request, response) => response.end());
        server.listen(process.env.PORT, "127.0.0.1", () => {{
          console.log(`listening on http://127.0.0.1:${{server.address().port}}`);
        }});
    """
    result = run.grade(task, handin.from_text(text, "server.mjs"))
    (criterion,) = result.criteria
    assert criterion.message
    assert ("used more than 1024 MiB of memory" in criterion.message) is is_too_much
    assert ("used more than" in criterion.message) is is_too_much
    if is_too_much:  # which no other program brings about
        assert criterion.outcome == "missed"

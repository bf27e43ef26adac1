"""The parts of the build that need no build."""

import errno
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from lab import paths
from lab.book.pipeline import chapter, toc, usage_notes
from lab.book.pipeline.build import Build, ShownChapter
from lab.book.pipeline.drawing import explain as explain_error
from lab.book.pipeline.history import Record, Records
from lab.book.pipeline.inputs import Present, explain
from lab.book.pipeline.report import Outcome, failure_from
from lab.book.pipeline.variant import Variant
from lab.book.site.mathml import mathml
from lab.errors import LabError
from lab.servers import rust_addon

SOURCE = """---
file_format: mystnb
kernelspec:
  name: python3
  display_name: Python 3
  language: python
other: 1
---

# Title

```{code-cell} python3
print(1)
```
"""


def record(token="t", code="c", **inputs):
    return Record(token, code, "2026-01-01T00:00:00", "new", 1.0, 0, 0, inputs)


def test_the_token_changes_the_kernelspec_and_no_line_number():
    import yaml

    text = chapter.with_token(SOURCE, "abc")
    assert text.count("\n") == SOURCE.count("\n")
    assert text.splitlines()[7:] == SOURCE.splitlines()[7:]
    front = yaml.safe_load(text.split("---")[1])
    assert front["kernelspec"]["lab_fingerprint"] == "abc"
    assert front["kernelspec"]["language"] == "python"
    assert front["other"] == 1


@pytest.mark.parametrize(
    "kernelspec",
    ["kernelspec: {name: a, display_name: b, language: c}", 'kernelspec: {"name": "a:b"}'],
)
def test_the_token_goes_into_any_way_of_writing_a_mapping(kernelspec):
    import yaml

    text = f"---\n{kernelspec}\n---\n# T\n"
    front = yaml.safe_load(chapter.with_token(text, "abc").split("---")[1])
    assert front["kernelspec"]["lab_fingerprint"] == "abc"
    assert front["kernelspec"]["name"][0] == "a"


def test_prose_does_not_change_the_digest_of_the_cells_but_code_and_tags_do():
    def code(text):
        return chapter.parse("x", text, "x.md").code

    assert code(SOURCE) == code(SOURCE.replace("# Title", "# Another\n\nmore"))
    assert code(SOURCE) != code(SOURCE.replace("print(1)", "print(2)"))
    tagged = SOURCE.replace("print(1)", ":tags: [remove-input]\nprint(1)")
    assert code(SOURCE) != code(tagged)


def test_a_page_without_cells_is_no_chapter_and_an_incomplete_kernelspec_is_an_error():
    assert chapter.parse("x", "# Only prose\n", "x.md") is None
    with pytest.raises(LabError, match=r"book/x: .*lacks language"):
        chapter.parse("book/x", SOURCE.replace("  language: python\n", ""), "x.md")
    with pytest.raises(LabError, match="book/x has code cells, but"):
        chapter.parse("book/x", SOURCE.replace("file_format: mystnb\n", ""), "x.md")


def test_digests_follow_the_files_and_absence_is_a_digest(tmp_path):
    present = Present(tmp_path)
    path = tmp_path / "a.csv"
    assert present.digest("file:a.csv") == "absent"
    path.write_text("one")
    first = present.digest("file:a.csv")
    path.write_text("two, longer")
    assert present.digest("file:a.csv") not in ("absent", first)
    assert present.digest("program:no-such-program") == "absent"
    assert present.digest("kernel:no-such-kernel") == "absent"


def test_whatever_a_server_may_need_has_a_digest_that_changes_when_it_is_installed(
    tmp_path, monkeypatch
):
    def digest(name):
        return Present(tmp_path).digest(f"program:{name}")

    assert digest("python:json") != "absent"
    assert digest("python:no_such_module") == "absent"
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    assert digest("node:express") == "absent"
    (tmp_path / "node_modules/express").mkdir(parents=True)
    (tmp_path / "node_modules/express/package.json").write_text("{}")
    assert digest("node:express") != "absent"
    monkeypatch.setattr(rust_addon, "FOLDER", tmp_path)
    assert digest("rust:qr") == "absent"
    monkeypatch.setattr(rust_addon, "missing", lambda _: None)
    rust_addon.addon("qr").parent.mkdir(parents=True)
    rust_addon.addon("qr").write_text("built")
    assert digest("rust:qr") != "absent"


def test_a_program_where_users_have_no_path_to_is_found(tmp_path, monkeypatch):
    (tmp_path / "nginx").write_text("")
    there = {"/usr/sbin:/usr/local/sbin": str(tmp_path / "nginx")}
    monkeypatch.setattr(
        "lab.book.pipeline.inputs.shutil.which", lambda _, path=None: there.get(path)
    )
    assert str(tmp_path / "nginx") in Present(tmp_path).digest("program:nginx")


def test_a_package_that_only_the_tests_use_changes_no_chapter(tmp_path):
    lock = tmp_path / "package-lock.json"
    present = Present(tmp_path)

    def digest(linter, express, wants="5"):
        root = {"dependencies": {"express": wants}, "devDependencies": {"linter": linter}}
        packages = {
            "": root,
            "node_modules/linter": {"version": linter, "dev": True},
            "node_modules/express": {"version": express},
        }
        lock.write_text(json.dumps({"packages": packages}))
        return present.digest("locked:package-lock.json")

    usual = digest(linter="1", express="5.1")
    assert digest(linter="2", express="5.1") == usual
    assert digest(linter="1", express="5.2") != usual
    assert digest(linter="1", express="5.1", wants="6") != usual
    lock.unlink()
    assert present.digest("locked:package-lock.json") == "absent"
    assert "locked:package-lock.json" in present.always("python3", "python", live=False)
    assert explain({"locked:package-lock.json": "1"}, {"locked:package-lock.json": "2"}) == (
        "package-lock.json changed"
    )


@pytest.fixture
def package(tmp_path, monkeypatch):
    monkeypatch.setattr("lab.paths.ROOT", tmp_path)
    file = tmp_path / "node_modules/express/package.json"
    file.parent.mkdir(parents=True)
    file.write_text('{"version": "5.1.0"}')
    return file


def test_a_package_that_npm_installed_again_as_it_was_changes_no_chapter(package, tmp_path):
    before = Present(tmp_path).digest("program:node:express")
    text = package.read_text()
    package.unlink()
    assert Present(tmp_path).digest("program:node:express") == "absent"
    package.write_text(text)
    os.utime(package, ns=(1, 1))
    assert Present(tmp_path).digest("program:node:express") == before != "absent"
    package.write_text(text.replace("5.1.0", "5.1.1"))
    assert Present(tmp_path).digest("program:node:express") != before


def test_an_addon_that_was_built_again_as_it_was_changes_no_chapter(tmp_path, monkeypatch):
    addon = tmp_path / "qr.node"
    addon.write_bytes(b"code")
    monkeypatch.setattr(rust_addon, "missing", lambda name: None)
    monkeypatch.setattr(rust_addon, "addon", lambda name: addon)
    before = Present(tmp_path).digest("program:rust:qr")
    os.utime(addon, ns=(1, 1))
    assert Present(tmp_path).digest("program:rust:qr") == before
    addon.write_bytes(b"odec")
    assert Present(tmp_path).digest("program:rust:qr") != before


def test_a_page_that_was_renamed_without_the_table_of_contents_is_named_with_what_to_do(
    tmp_path, monkeypatch
):
    monkeypatch.setattr("lab.paths.ROOT", tmp_path)
    (tmp_path / "book/part").mkdir(parents=True)
    for name in ("index", "part/backpressure-now"):
        (tmp_path / f"book/{name}.md").write_text("# Title")
    toc_file = tmp_path / "_toc.yml"
    toc_file.write_text(
        "format: jb-book\nroot: book/index\nchapters:\n- file: book/part/backpressure"
    )
    with pytest.raises(LabError) as told:
        toc.pages()
    assert str(told.value).startswith("_toc.yml lists book/part/backpressure, and there is no")
    assert "Did you mean book/part/backpressure-now?" in str(told.value)
    assert "lab_redirects" in str(told.value)
    (tmp_path / "book/part/backpressure-now.md").rename(tmp_path / "book/part/backpressure.md")
    assert toc.pages() == ["book/index", "book/part/backpressure"]


def test_reasons_are_told_in_words_files_first():
    was = {"node": "20.1.0", "file:a.mjs": "1", "file:b.mjs": "2", "program:nginx": "x"}
    now = {"node": "22.0.0", "file:a.mjs": "9", "file:b.mjs": "absent", "program:nginx": "x"}
    assert explain(was, now) == "a.mjs changed, b.mjs is gone, Node is 22.0.0, was 20.1.0"
    many = {f"file:{n}": "1" for n in "abcdef"}
    assert explain(many, dict.fromkeys(many, "2")) == "a changed, b changed, 4 other inputs changed"


def test_a_record_is_found_only_for_the_same_cells_and_inputs(tmp_path):
    (tmp_path / "a").write_text("1")
    present = Present(tmp_path)
    records = Records(tmp_path / "records")
    assert records.why("x", "c", present) == "it has no result here yet"
    digest = present.digest("file:a")
    records.add("x", record("t1", "c", **{"file:a": digest}))
    assert records.match("x", "c", present).token == "t1"
    assert records.match("x", "other", present) is None
    assert records.why("x", "other", present) == "its cells changed"
    (tmp_path / "a").write_text("longer")
    assert records.match("x", "c", present) is None
    assert records.why("x", "c", present) == "a changed"


def test_a_damaged_record_is_no_record(tmp_path):
    records = Records(tmp_path)
    records.add("book/x", record())
    (tmp_path / "book/x.json").write_text('[{"token": ')
    assert records.of("book/x") == []
    assert [p.name for p in (tmp_path / "book").iterdir()] == ["x.json"]


def test_only_a_few_records_are_kept(tmp_path):
    records = Records(tmp_path)
    for n in range(20):
        records.add("x", record(f"t{n}"))
    assert [r.token for r in records.of("x")][:2] == ["t19", "t18"]
    assert len(records.of("x")) <= 10


def test_usage_is_summed_and_what_a_chapter_wrote_itself_is_no_input(tmp_path):
    rows = [
        {"kind": "file", "path": "servers/a.mjs"},
        {"kind": "file", "path": "data/runs/x/trial.json"},
        {"kind": "server", "name": "a"},
        {"kind": "server", "name": "a", "started": 3},
        {"kind": "load", "requests": 5},
        {"kind": "runtime", "name": "nginx", "version": "1.2"},
        {"kind": "something later", "x": 1},
    ]
    path = tmp_path / "notes"
    path.write_text("\n".join(json.dumps(r) for r in rows) + '\n{"kind": "fi')
    noted = usage_notes.read(path)
    assert noted.names == {"file:servers/a.mjs", "program:nginx"}
    assert (noted.servers, noted.requests, noted.unreadable) == (4, 5, 1)
    assert usage_notes.read(tmp_path / "missing").names == set()


def test_a_timeout_names_its_cell_from_the_exception_text(tmp_path):
    source = tmp_path / "x.md"
    source.write_text("a\n\nwhile True:\n    pass\n")
    text = f"CellTimeoutError: too long\n{'-' * 18}\nwhile True:\n    pass\n{'-' * 18}\n"
    failure = failure_from("book/x", source, tmp_path / "none.ipynb", text)
    assert failure.line == 3
    assert "    | while True:" in failure.text()


def test_the_console_line_has_reason_time_servers_and_requests():
    outcome = Outcome("book/a/b", "executed", "its cells changed", 41.2, 36, 120334)
    assert outcome.line() == (
        "a/b: executed because its cells changed (41 s, 36 servers, 120,334 requests)"
    )


def test_a_full_disk_is_told_apart_however_deep_it_is():
    try:
        try:
            raise OSError(errno.ENOSPC, "No space left on device")
        except OSError as error:
            raise RuntimeError("pickling failed") from error
    except RuntimeError as error:
        assert "is full. Free some space" in explain_error(error, Path("/b"))


def test_formulas_become_mathml():
    assert mathml("N = X R", "inline").startswith("<math")
    assert "<mfrac>" in mathml(r"\frac{1}{2}", "block")


def test_a_server_comes_with_its_catalogue_entry_and_a_node_module_with_its_siblings(tmp_path):
    (tmp_path / "servers").mkdir()
    entry = '[servers."a/b"]\nsource = ["servers/b.mjs"]\nneeds = ["nginx", "node:express"]\n'
    catalog = tmp_path / "servers/catalog.toml"
    catalog.write_text(entry + '[servers."a/c"]\nsource = ["servers/c.mjs"]\n')
    (tmp_path / "lab/node/gen").mkdir(parents=True)
    (tmp_path / "lab/node/gen/main.mjs").write_text("")
    (tmp_path / "lab/node/gen/parser.mjs").write_text("")
    present = Present(tmp_path)
    assert present.implied({"file:servers/b.mjs", "file:lab/node/gen/main.mjs"}) == {
        "catalog:a/b",
        "program:nginx",
        "program:node:express",
        "file:lab/node/gen/main.mjs",
        "file:lab/node/gen/parser.mjs",
    }
    before = present.digest("catalog:a/b"), present.digest("catalog:a/c")
    catalog.write_text(catalog.read_text().replace("servers/c.mjs", "servers/d.mjs"))
    after = present.digest("catalog:a/b"), present.digest("catalog:a/c")
    assert before[0] == after[0]
    assert before[1] != after[1]


def test_a_folder_changes_with_the_files_that_are_in_it(tmp_path):
    """A chapter whose claim was judged over all sittings is drawn again when one is added."""
    before = Present(tmp_path).digest("file:.")
    (tmp_path / "one.json").write_text("{}")
    after = Present(tmp_path).digest("file:.")
    (tmp_path / "one.json").write_text("[]")
    assert before != after == Present(tmp_path).digest("file:.")


@pytest.mark.parametrize(
    "spoilt", ["servers = 3", "[servers]\nx = 3", "[servers.x]\nsource = 3", "[servers"]
)
def test_a_catalogue_that_makes_no_sense_stops_no_plan(tmp_path, spoilt):
    """Whoever asks for a server is told; a chapter without one goes on."""
    (tmp_path / "servers").mkdir()
    (tmp_path / "servers/catalog.toml").write_text(spoilt)
    assert Present(tmp_path).implied({"file:servers/b.mjs"}) == set()


def test_the_guard_comes_with_every_module_of_its_process():
    process = subprocess.run(
        [sys.executable, "-c", "import sys, lab.processes.guard; print(*sys.modules)"],
        cwd=paths.ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    run = {m for m in process.stdout.split() if re.match(r"lab\.processes\.", m)}
    named = Present(paths.ROOT).implied({"file:lab/processes/guard_link.py"})
    assert named == {f"file:{m.replace('.', '/')}.py" for m in run}


def test_the_probe_of_a_server_does_not_bring_the_javascript_kernel_along():
    named = Present(paths.ROOT).implied({"file:lab/servers/process.py", "file:lab/node/probe.cjs"})
    assert named == {"file:lab/node/probe.cjs"}


def test_a_module_of_node_comes_with_its_siblings():
    named = Present(paths.ROOT).implied({"file:lab/node/loadgen/main.mjs"})
    assert "file:lab/node/loadgen/rows.mjs" in named


def test_the_page_of_a_chapter_that_just_ran_finds_its_record(tmp_path, monkeypatch):
    monkeypatch.setenv("LAB_MODE", "replay")
    source = chapter.parse("book/x", SOURCE, "x.md")
    variant = Variant(tmp_path, tmp_path / "out")
    plan = variant.plan("book/x", source)
    outcome = variant.note("book/x", plan, 1.0)
    assert outcome.action == "executed" and plan.because == "it has no result here yet"
    shown = ShownChapter("recorded", source.code, plan.token, variant.name, outcome)
    site = Build(tmp_path, tmp_path / "out", "replay", "course", {"book/x": shown})
    record = site.last("book/x")
    assert record is not None and record.executed == outcome.executed
    assert site.token_for("book/x", source.code) == plan.token
    assert site.token_for("book/x", "other cells") is None
    assert site.token_for("book/y", "") is None
    assert variant.plan("book/x", source).because == ""

"""What a site carries so that its readers run programs: complete, small, made once."""

import base64
import hashlib
import json
import lzma
import re
import shutil
import time
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from lab.errors import LabError
from lab.processes import child, nodes
from lab.simulator import bundle

MEASURED = Path(__file__).with_name("first-run.mjs")
IMPORTS = Path(__file__).with_name("imports.mjs")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    static = tmp_path_factory.mktemp("static")
    bundle.put(static)
    return static


@pytest.fixture(scope="module")
def folder(site):
    (found,) = site.glob(f"{bundle.FOLDER}*")
    return found


def about(site):
    """What the loader knows: the folder, the Nodes, the modules that the model has."""
    text = (site / bundle.LOADER).read_text("utf8")
    return json.loads(re.search(r'\{"folder".*?\]\}', text)[0])


def unpacked(text):
    return lzma.decompress(base64.b64decode(re.search(r'"([A-Za-z0-9+/=]{1000,})"', text)[1]))


def sections(file):
    """The texts of a packed file by their names."""
    head, rest = unpacked(file.read_text("utf8")).split(b"\n", 1)
    texts = {}
    for name, length in json.loads(head):
        texts[name], rest = rest[:length].decode(), rest[length:]
    assert rest == b""
    return texts


def imported(script):
    """The files that a script imports, and those that these import."""
    found, left = set(), [script]
    while left:
        file = left.pop()
        if file in found:
            continue
        found.add(file)
        for name in re.findall(r'(?:from|import)\s*\(?"(\.\.?/[^"]+)"', file.read_text("utf8")):
            left.append((file.parent / name).resolve())
    return found


def test_a_change_of_any_script_that_is_bundled_makes_the_files_anew():
    listed = {file.resolve() for file in bundle._sources()}
    scripts = [file for file in bundle.HERE.rglob("*") if file.suffix in {".js", ".mjs"}]
    bundled = set().union(*(imported(file) for file in scripts))
    assert any(file.name == "schedule.mjs" for file in bundled)
    assert {str(file) for file in bundled - listed} == set()


def test_a_site_carries_each_supported_node_that_is_installed(site, folder):
    here = {str(major) for major in bundle.here()}
    assert here
    assert set(about(site)["nodes"]) == here
    assert {file.name for file in folder.glob("node-*.js")} == {f"node-{m}.js" for m in here}
    for major in here:
        texts = sections(folder / f"node-{major}.js")
        facts = json.loads(texts.pop("about"))
        assert facts["version"] == about(site)["nodes"][major]
        assert "internal/process/task_queues" in texts
        assert [*facts["packs"]] == [pack for pack in bundle.PACKS if pack != "node"]
        for pack, names in facts["packs"].items():
            others = sections(folder / f"{pack}-{major}.js")
            assert sorted(others) == sorted(names)
            assert not set(others) & set(texts)
            texts |= others
        assert {"_http_server", "net", "model/sockets"} <= set(facts["packs"]["sockets"])
        assert {"internal/streams/readable", "stream"} <= set(facts["packs"]["streams"])
        assert "internal/webstreams/readablestream" in facts["packs"]["web"]


def test_each_module_that_a_page_offers_can_be_imported(site, folder):
    """An import reads all that a module exports, of which some is loaded only then."""
    loader = about(site)
    assert {"util", "fs", "stream"} <= set(loader["modules"])
    for major in loader["nodes"]:
        command = [nodes.program(), str(IMPORTS), str(folder), major, *loader["modules"]]
        assert json.loads(child.run_to_end(command, 900).stdout) == {}, major


def test_the_frame_runs_the_one_script_that_its_policy_names(folder):
    html = (folder / "engine.html").read_text("utf8")
    (script,) = re.findall(r"<script>(.*?)</script>", html, re.S)
    hashed = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]+)"', html)[1]
    assert policy == (
        f"default-src 'none'; script-src 'sha256-{hashed}' blob: 'wasm-unsafe-eval'; "
        "worker-src blob:"
    )
    assert unpacked(script)


def test_what_is_there_already_keeps_its_date_and_what_is_old_goes(site, folder):
    old = site / f"{bundle.FOLDER}0ld"
    old.mkdir()
    other = site / "simulator.js"
    other.write_text("")
    before = {file: file.stat().st_mtime_ns for file in site.rglob("*.js")}
    bundle.put(site)
    assert not old.exists()
    assert {file: file.stat().st_mtime_ns for file in site.rglob("*.js")} == before
    (folder / "panel.js").write_text("damaged")
    bundle.put(site)
    assert (folder / "panel.js").read_text("utf8") != "damaged"


def test_the_licences_of_all_whose_code_is_carried_go_along(folder):
    text = (folder / "LICENCES.txt").read_text("utf8")
    for name in ("Node.js", *bundle.LICENCES):
        assert f"\n{name}\n{'=' * 80}\n\n" in text
    assert "Copyright Node.js contributors" in text
    assert text.count("Permission is hereby granted") > len(bundle.LICENCES)


def test_a_node_without_its_licence_beside_it_gets_the_one_that_is_known(monkeypatch, tmp_path):
    monkeypatch.setattr(bundle, "here", lambda: {26: str(tmp_path / "bin/node")})
    monkeypatch.setattr(bundle, "SHARED", ())
    assert bundle._licence_of_node().startswith("Copyright Node.js contributors")


def test_the_digest_follows_the_nodes_and_the_sources(monkeypatch, tmp_path):
    first = bundle.digest()
    assert bundle.digest() == first
    (major, path), *_ = bundle.here().items()
    monkeypatch.setattr(bundle, "here", lambda: {major: path})
    alone = bundle.digest()
    copy = tmp_path / "simulator"
    shutil.copytree(bundle.HERE, copy)
    monkeypatch.setattr(bundle, "HERE", copy)
    assert bundle.digest() == alone
    with (copy / "page" / "panel.css").open("a") as file:
        file.write("p { color: red }\n")
    assert bundle.digest() != alone


@pytest.mark.parametrize("majors", [[], [26]])
def test_a_site_carries_no_node_that_is_not_there(monkeypatch, tmp_path, majors):
    chosen = {major: path for major, path in bundle.here().items() if major in majors}
    monkeypatch.setattr(bundle, "here", lambda: chosen)
    monkeypatch.setattr(bundle, "CACHE", tmp_path / "cache")
    static = tmp_path / "static"
    static.mkdir()
    bundle.put(static)
    assert list(about(static)["nodes"]) == [str(major) for major in chosen]


def test_a_bundler_that_fails_is_told_and_leaves_nothing(monkeypatch, tmp_path):
    monkeypatch.setattr(bundle, "CACHE", tmp_path)
    monkeypatch.setattr(bundle, "here", lambda: {26: str(tmp_path / "no-node")})
    monkeypatch.setattr(bundle, "digest", lambda: "0123456789abcdef")
    with pytest.raises(LabError, match="could not be bundled"):
        bundle.put(tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["lock"]


def test_builds_that_begin_at_the_same_time_bundle_once(monkeypatch, tmp_path):
    bundled = []

    def slowly(out):
        bundled.append(out)
        time.sleep(0.3)

    monkeypatch.setattr(bundle, "CACHE", tmp_path)
    monkeypatch.setattr(bundle, "digest", lambda: "0123456789abcdef")
    monkeypatch.setattr(bundle, "_bundle", slowly)
    monkeypatch.setattr(bundle, "_pack", lambda raw, whole: whole.mkdir())
    with ThreadPoolExecutor(4) as executor:
        folders = [executor.submit(bundle._files) for _ in range(4)]
    assert {folder.result() for folder in folders} == {tmp_path / "0123456789abcdef"}
    assert len(bundled) == 1


# A processor four times as slow as one on which a fixed loop takes LOOP_MS shall bring the first
# line within 2 s and each further run within 0.3 s. A neighbour on the same core can make the same
# work take half as long again.
FIRST_MS = 2000 / 4 * 1.5
AGAIN_MS = 300 / 4 * 1.5
LOOP_MS = 58


def test_the_first_run_and_each_further_one_are_quick_on_a_slow_processor(folder):
    tries = []
    for _ in range(3):
        command = [nodes.program(), str(MEASURED), str(folder), str(max(bundle.here()))]
        tries.append(json.loads(child.run_to_end(command, 900).stdout))
        assert tries[-1].pop("lines") == ["promise", "immediate", "timer"]
        slowness = max(1.0, tries[-1].pop("loop") / LOOP_MS)
        tries[-1] = {name: ms / slowness for name, ms in tries[-1].items()}
        if tries[-1]["first"] <= FIRST_MS and tries[-1]["again"] <= AGAIN_MS:
            break
    assert min(one["first"] for one in tries) <= FIRST_MS, tries
    assert min(one["again"] for one in tries) <= AGAIN_MS, tries


def test_each_example_of_the_lab_is_there():
    examples = json.loads(bundle.EXAMPLES.read_text("utf8"))
    files = [example["file"] for example in examples if "file" in example]
    assert files
    assert [file for file in files if not (bundle.HOME / file).is_file()] == []


def test_no_two_scripts_of_a_page_set_one_global_name():
    """Scripts of a page share one global object: what one sets, another would replace."""
    setting = re.compile(r"globalThis\.(\w+) = ")
    setters = defaultdict(set)
    for folder in (bundle.HOME / "lab/widgets", bundle.HERE / "page"):
        for file in folder.rglob("*.js"):
            for name in setting.findall(file.read_text("utf8")):
                setters[name].add(file.name)
    assert "LabModel" in setters
    assert {name: files for name, files in setters.items() if len(files) > 1} == {}

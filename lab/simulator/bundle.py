"""What a page loads to run programs on the model: made once for each state of its sources.

`put` writes it into the `_static` of a site: `change.js`, which every page loads, and a folder
named by its content with everything that the first press loads. The texts of Node's modules are
those of the Nodes that are installed, beside Node's licence.
"""

from __future__ import annotations

import base64
import fcntl
import hashlib
import json
import lzma
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from lab.errors import LabError
from lab.processes import child, nodes
from lab.simulator import judging, measurements

HERE = Path(__file__).parent
HOME = HERE.parents[1]  # of the code, whichever book is built
CACHE = HOME / "_build" / "simulator"
OLD_S = 86_400  # files of other sources may be read by another build until then
FOLDER = "simulator-"
LOADER = "change.js"
PATIENCE_S = 900
EXAMPLES = HERE / "page" / "examples.json"
IMPORTED = [HOME / "lab" / "node" / "loadgen" / "schedule.mjs"]  # by scripts of this folder
PACKAGES = HOME / "node_modules"
# Whose code is in the folder: the package, and the file of its licence.
LICENCES = {
    "QuickJS-ng and quickjs-emscripten": "@jitl/quickjs-ng-wasmfile-release-sync/LICENSE",
    "acorn": "acorn/LICENSE",
    "CodeMirror": "@codemirror/view/LICENSE",
}
POLICY = (
    "default-src 'none'; script-src 'sha256-{digest}' blob: 'wasm-unsafe-eval'; worker-src blob:"
)
FILES = (
    *("panel.js", "editor.js", "lab.js", "server-panel.js", "exercise.js"),
    *("panel.css", "server-panel.css", "sheet.css"),
)
# The texts of a Node's modules: those of every program, and those that some programs ask for.
PACKS = ("node", "streams", "later", "sockets", "web", "glob")
# Texts and code have no words of four bytes: pb is 0.
FILTER = {"id": lzma.FILTER_LZMA1, "preset": 9 | lzma.PRESET_EXTREME, "pb": 0}
FRAME = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<title>The model of Node</title>
</head>
<script>{script}</script>
</html>
"""


def put(static: Path) -> None:
    """Write what pages load into a site's `_static`; what is there already keeps its date."""
    files = _files()
    folders = {folder.name for folder in files.iterdir() if folder.is_dir()}
    for old in static.glob(f"{FOLDER}*"):
        if old.name not in folders:
            shutil.rmtree(old)
    for file in sorted(files.rglob("*")):
        there = static / file.relative_to(files)
        if file.is_dir():
            there.mkdir(parents=True, exist_ok=True)
        elif not there.exists() or there.read_bytes() != file.read_bytes():
            shutil.copyfile(file, there)


def here() -> dict[int, str]:
    """Return the Nodes whose modules the model knows, of those that are installed, by major."""
    return {major: path for major, path in nodes.known().items() if major in nodes.SUPPORTED}


def digest() -> str:
    """Return a digest of all that the files are made from."""
    facts = hashlib.sha256()
    for file in [*_sources(), HOME / "package-lock.json"]:
        facts.update(file.name.encode() + file.read_bytes())
    for major, path in sorted(here().items()):
        facts.update(f"{major} {nodes.version(path)} {path}\n".encode())
    return facts.hexdigest()[:16]


def _sources() -> Iterator[Path]:
    yield from judging.sources()
    for file in sorted(HERE.rglob("*")):
        if file.suffix in {".js", ".mjs", ".cjs", ".css", ".json", ".txt", ".py"}:
            yield file
    yield from IMPORTED
    yield from measurements.records()
    for example in json.loads(EXAMPLES.read_text("utf8")):
        if "file" in example and (HOME / example["file"]).exists():
            yield HOME / example["file"]


def _files() -> Path:
    """Return the folder with the files, which is made where there is none for these sources."""
    folder = CACHE / digest()
    if folder.is_dir():
        return folder
    CACHE.mkdir(parents=True, exist_ok=True)
    with (CACHE / "lock").open("w") as lock:
        # To make the files takes 15 s of a processor: builds that need them at the same time wait
        # for the first of these builds.
        with suppress(OSError):  # a file system without locks
            fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.is_dir():
            _make(folder)
    return folder


def _make(folder: Path) -> None:
    with tempfile.TemporaryDirectory(dir=CACHE, prefix=".making-") as temporary:
        raw, whole = Path(temporary) / "raw", Path(temporary) / "whole"
        _bundle(raw)
        _pack(raw, whole)
        for old in CACHE.glob("[0-9a-f]*"):
            if time.time() - old.stat().st_mtime > OLD_S:
                shutil.rmtree(old, ignore_errors=True)
        try:
            whole.rename(folder)
        except OSError:  # without locks, another build may have made the same meanwhile
            if not folder.is_dir():
                raise


def _bundle(out: Path) -> None:
    out.mkdir()
    exercises = out / "exercises.json"
    exercises.write_text(json.dumps([judging.job(one) for one in judging.offered()]), "utf8")
    script = str(HERE / "page" / "bundle.mjs")
    command = [nodes.program(), script, str(out), str(exercises), *here().values()]
    process = child.run_to_end(
        command, PATIENCE_S, name="the bundler of the model", env={"NODE_OPTIONS": ""}
    )
    if process.returncode:
        raise LabError(
            "The code that pages need to run programs could not be bundled: "
            f"{child.shown(process.stderr)}"
        )


def _pack(raw: Path, whole: Path) -> None:
    """Write the files as a site has them, from the bundler's."""
    about = json.loads((raw / "about.json").read_text("utf8"))
    texts = {name: (raw / name).read_text("utf8") for name in FILES}
    figures = json.dumps(json.dumps(measurements.figures(), separators=(",", ":")))
    texts["server-panel.js"] = texts["server-panel.js"].replace("__MEASURED__", figures)
    texts["engine.html"] = _engine(raw)
    of_nodes = [f"{pack}-{major}" for pack in PACKS for major in about["nodes"]]
    of_exercises = [f"exercise-{one.id}" for one in judging.offered()]
    for name in [*of_nodes, "check", *of_exercises]:
        packed = _packed((raw / f"{name}.bin").read_bytes())
        texts[f"{name}.js"] = f'labModelTexts("{name}","{packed}")\n'
    texts["LICENCES.txt"] = _licences()
    content = "".join(f"{name}\n{text}" for name, text in sorted(texts.items()))
    folder = f"{FOLDER}{hashlib.sha256(content.encode()).hexdigest()[:8]}"
    (whole / folder).mkdir(parents=True)
    for name, text in texts.items():
        (whole / folder / name).write_text(text, "utf8")
    loader = (raw / LOADER).read_text("utf8")
    config = json.dumps({"folder": f"{folder}/", **about}, separators=(",", ":"))
    (whole / LOADER).write_text(loader.replace("__MODEL__", config), "utf8")


def _engine(raw: Path) -> str:
    """The page of the sandboxed frame: one file, as a frame from a disk may load no other."""
    worker = (raw / "worker.js").read_bytes()
    packed = _packed(str(len(worker)).encode() + b"\n" + worker + (raw / "engine.bin").read_bytes())
    begin = json.dumps((raw / "begin.js").read_text("utf8")).replace("</", "<\\/")
    frame = (raw / "frame.js").read_text("utf8")
    script = f"globalThis.MODEL_WORKER='globalThis.MODEL_PACKED=\"{packed}\";'+{begin};{frame}"
    hashed = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return FRAME.format(policy=POLICY.format(digest=hashed), script=script)


def _packed(data: bytes) -> str:
    """Bytes as LZMA in base64. With the bytes' length in its head, which lzma leaves open."""
    packed = lzma.compress(data, lzma.FORMAT_ALONE, filters=[FILTER])
    head = packed[:5] + len(data).to_bytes(8, "little")
    return base64.b64encode(head + packed[13:]).decode()


def _licences() -> str:
    texts = {"Node.js": _licence_of_node()}
    texts |= {name: (PACKAGES / file).read_text("utf8") for name, file in LICENCES.items()}
    intro = (
        "The model that runs programs on this site includes code from these projects, under "
        "these licences.\n"
    )
    return intro + "".join(
        f"\n\n{'=' * 80}\n{name}\n{'=' * 80}\n\n{t}" for name, t in texts.items()
    )


def _licence_of_node() -> str:
    """Node's licence, which its distributions have beside the program."""
    for path in here().values():
        program = Path(os.path.realpath(path))
        for folder in (program.parent.parent, *SHARED):
            if (folder / "LICENSE").is_file():
                return (folder / "LICENSE").read_text("utf8")
    return (HERE / "NODE-LICENCE.txt").read_text("utf8")


SHARED = (Path("/usr/share/doc/nodejs"),)
